// Texts of JSON without quotes and escapes.
#include <base/affix.hpp>
#include <base/utf8.hpp>
#include <profkit/core/chrome.hpp>

#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int32_t hex_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The four hex digits at text[at], -1 when they are not there.
std::int32_t hex4(std::string_view text, std::size_t at) noexcept {
  if (text.size() < at + 4) return -1;
  std::int32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::int32_t digit = hex_value(text[at + i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// The escape at text[at] == '\\'; gives how many bytes it takes, 0 when JSON has no such escape.
std::size_t append_escape(std::string& out, std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return 0;
  switch (text[at + 1]) {
    case '"': out += '"'; return 2;
    case '\\': out += '\\'; return 2;
    case '/': out += '/'; return 2;
    case 'b': out += '\b'; return 2;
    case 'f': out += '\f'; return 2;
    case 'n': out += '\n'; return 2;
    case 'r': out += '\r'; return 2;
    case 't': out += '\t'; return 2;
    case 'u': break;
    default: return 0;
  }
  const std::int32_t first = hex4(text, at + 2);
  if (first < 0) return 0;
  if (first >= 0xd800 && first < 0xdc00 && text.substr(at + 6, 2) == "\\u") {
    const std::int32_t second = hex4(text, at + 8);
    if (second >= 0xdc00 && second < 0xe000) {
      append_utf8(out, 0x10000U + (static_cast<std::uint32_t>(first - 0xd800) << 10) +
                           static_cast<std::uint32_t>(second - 0xdc00));
      return 12;
    }
  }
  append_utf8(out, static_cast<std::uint32_t>(first));
  return 6;
}

}  // namespace

std::string_view json_text(std::string_view raw_value, std::string& scratch, bool* sound) {
  if (raw_value.empty() || raw_value.front() != '"') return raw_value;
  const std::string_view inner = raw_value.substr(1, raw_value.size() < 2 ? 0 : raw_value.size() - 2);
  std::size_t at = inner.find('\\');
  if (at == std::string_view::npos) return inner;
  scratch.assign(inner.substr(0, at));
  while (at < inner.size()) {
    if (inner[at] != '\\') {
      const std::size_t next = inner.find('\\', at);
      const std::size_t stop = next == std::string_view::npos ? inner.size() : next;
      scratch.append(inner, at, stop - at);
      at = stop;
      continue;
    }
    std::size_t taken = append_escape(scratch, inner, at);
    if (taken == 0) {
      taken = at + 1 < inner.size() ? 2 : 1;
      scratch.append(inner, at, taken);
      if (sound != nullptr) *sound = false;
    }
    at += taken;
  }
  return scratch;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
