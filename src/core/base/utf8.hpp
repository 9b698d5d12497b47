// UTF-8: validation and iteration that survives bad bytes. Text for a terminal: profkit/core/text.hpp.
#pragma once
#include <profkit/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// One step through a byte string: a code point of 1 to 4 bytes, or one byte that is not UTF-8.
struct utf8_step {
  std::uint32_t code_point = 0;  // the byte itself when !valid
  std::uint32_t bytes = 1;
  bool valid = false;
};

[[nodiscard]] constexpr bool is_continuation(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }
// Where the character that text[at] belongs to begins; the end of the text when `at` lies beyond it.
[[nodiscard]] constexpr std::size_t character_at(std::string_view text, std::size_t at) noexcept {
  if (at >= text.size()) return text.size();
  while (at > 0 && is_continuation(text[at])) --at;
  return at;
}

// Decodes at text[at]; at < text.size(). Overlong forms, surrogates and values past U+10FFFF are not valid.
[[nodiscard]] inline utf8_step decode_utf8(std::string_view text, std::size_t at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i])); };
  const std::uint32_t first = byte(0);
  const utf8_step bad{first, 1, false};
  if (first < 0x80) return {first, 1, true};
  std::uint32_t length = 0, least = 0, value = 0;
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2, least = 0x80, value = first & 0x1f;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3, least = 0x800, value = first & 0x0f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4, least = 0x10000, value = first & 0x07;
  } else {
    return bad;
  }
  if (text.size() - at < length) return bad;
  for (std::uint32_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return bad;
    value = (value << 6) | (byte(i) & 0x3f);
  }
  if (value < least || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return bad;
  return {value, length, true};
}

// Appends a code point, at most U+10FFFF. A surrogate without its partner is written the same way, so that nothing is
// lost.
inline void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0 | code_point >> 6);
    put(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    put(0xe0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3f));
    put(0x80 | (code_point & 0x3f));
  } else {
    put(0xf0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3f));
    put(0x80 | (code_point >> 6 & 0x3f));
    put(0x80 | (code_point & 0x3f));
  }
}

// The number of leading bytes that are plain ASCII, eight at a time.
[[nodiscard]] inline std::size_t ascii_prefix(std::string_view text) noexcept {
  std::size_t at = 0;
  while (text.size() - at >= sizeof(std::uint64_t)) {
    std::uint64_t eight;
    std::memcpy(&eight, text.data() + at, sizeof eight);
    if ((eight & 0x8080808080808080ULL) != 0) break;
    at += sizeof eight;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

[[nodiscard]] inline bool is_valid_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    at += ascii_prefix(text.substr(at));
    if (at == text.size()) break;
    const utf8_step step = decode_utf8(text, at);
    if (!step.valid) return false;
    at += step.bytes;
  }
  return true;
}

// Code points that move the cursor, start escape sequences, or reorder the text around them.
[[nodiscard]] constexpr bool is_terminal_control(std::uint32_t code_point) noexcept {
  return code_point < 0x20 || (code_point >= 0x7f && code_point <= 0x9f) ||       // C0, DEL, C1
         code_point == 0x061c || code_point == 0x200e || code_point == 0x200f ||  // bidirectional marks
         (code_point >= 0x2028 && code_point <= 0x202e) ||                        // separators, embeddings, overrides
         (code_point >= 0x2066 && code_point <= 0x2069) || code_point == 0xfeff;  // isolates, zero-width no-break
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
