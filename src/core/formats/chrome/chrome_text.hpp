// The pieces of JSON text that every part of the Chrome reader needs.
#pragma once
#include <profkit/decimal.hpp>

#include <cstdint>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

[[nodiscard]] constexpr bool is_json_space(char c) noexcept {
  constexpr std::uint64_t blanks = 1ULL << ' ' | 1ULL << '\n' | 1ULL << '\r' | 1ULL << '\t';
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' && (blanks >> byte & 1) != 0;
}

[[nodiscard]] inline const char* skip_json_space(const char* at, const char* end) noexcept {
  while (at != end && is_json_space(*at)) ++at;
  return at;
}

[[nodiscard]] inline std::string_view trim_json_space(std::string_view text) noexcept {
  while (!text.empty() && is_json_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  return text;
}

struct json_scalar_ends {
  constexpr json_scalar_ends() {
    for (const char c : {' ', '\n', '\r', '\t', ',', '}', ']', '{', '[', ':', '"'})
      has[static_cast<unsigned char>(c)] = true;
  }
  bool has[256] = {};
};
inline constexpr json_scalar_ends scalar_ends;

// Past a run of bytes that no separator, quote or bracket ends.
[[nodiscard]] inline const char* end_of_scalar(const char* at, const char* end) noexcept {
  while (at != end && !scalar_ends.has[static_cast<unsigned char>(*at)]) ++at;
  return at;
}

// How the end of a value was looked for.
enum class json_end : std::uint8_t {
  found,
  more,  // the text ends inside the value (or right after a number, which could go on)
  broken,
  too_nested,
};

struct json_value_end {
  const char* end;
  json_end why;
};

// Past the closing quote of a string that starts at `at` (its opening quote). Raw control characters and
// unknown escapes pass.
json_value_end end_of_string(const char* at, const char* end) noexcept;
// Past the value that starts at `at`: string, object, array, or a run of other bytes up to a separator. Of objects and
// arrays is checked: brackets match by type, one opens only where a value may stand, and strings have nothing but
// separators around them, so that a lost quote is seen at once. Not checked: scalars and commas.
json_value_end end_of_value(const char* at, const char* end, std::uint32_t max_nesting) noexcept;

// From a raw JSON number, or a string that holds one, in units of 10^unit_exponent µs; exact, digits past ps rounded
// half away from zero.
bool parse_microseconds(std::string_view raw_value, decimal_time& into, int unit_exponent = 0) noexcept;
// A span in ps; false also when it does not fit 64 bits.
bool parse_duration(std::string_view raw_value, std::int64_t& ps, int unit_exponent = 0) noexcept;
// In ps relative to `zero_us`; false when that does not fit 64 bits.
bool ps_since(const decimal_time& t, std::int64_t zero_us, std::int64_t& ps) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
