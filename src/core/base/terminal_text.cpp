#include <profkit/core/text.hpp>

#include <base/utf8.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Terminal columns of a printable code point: the wide blocks of Unicode's East Asian Width and the common
// combining marks. Coarse on purpose: a table may be off by one column.
std::size_t columns_of(std::uint32_t c) noexcept {
  if (c < 0x300) return 1;
  if (c < 0x370 || (c >= 0x200b && c <= 0x200d) || (c >= 0xfe00 && c <= 0xfe0f)) return 0;
  const bool wide = (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0 && c != 0x303f) ||
                    (c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) || (c >= 0xfe30 && c < 0xfe70) ||
                    (c >= 0xff00 && c < 0xff61) || (c >= 0xffe0 && c < 0xffe7) || (c >= 0x1f300 && c < 0x1f650) ||
                    (c >= 0x1f900 && c < 0x1fa00) || (c >= 0x20000 && c < 0x3fffe);
  return wide ? 2 : 1;
}

}  // namespace

std::string escape_for_terminal(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const utf8_step step = decode_utf8(text, at);
    if (step.valid && !is_terminal_control(step.code_point)) {
      out.append(text, at, step.bytes);
    } else {
      for (std::uint32_t i = 0; i < step.bytes; ++i) {
        const auto byte = static_cast<unsigned char>(text[at + i]);
        out += "\\x";
        out += digits[byte >> 4];
        out += digits[byte & 15];
      }
    }
    at += step.bytes;
  }
  return out;
}

std::size_t terminal_width(std::string_view text) noexcept {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const utf8_step step = decode_utf8(text, at);
    columns +=
        step.valid && !is_terminal_control(step.code_point) ? columns_of(step.code_point) : std::size_t{4} * step.bytes;
    at += step.bytes;
  }
  return columns;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
