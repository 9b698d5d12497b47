// Numbers and words as JSON has them: -0.5e+3 and true, but not 01, 1., +1 or True.
#pragma once
#include <profkit/namespace.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

[[nodiscard]] inline bool is_json_number(std::string_view text) noexcept {
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto digits = [&] {
    const char* const start = at;
    while (at != end && *at >= '0' && *at <= '9') ++at;
    return at - start;
  };
  if (at != end && *at == '-') ++at;
  const char* const whole = at;
  const auto count = digits();
  if (count == 0 || (count > 1 && *whole == '0')) return false;
  if (at != end && *at == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == end;
}

// A number, true, false or null; not empty.
[[nodiscard]] inline bool is_json_scalar(std::string_view text) noexcept {
  switch (text.front()) {
    case 't': return text == "true";
    case 'f': return text == "false";
    case 'n': return text == "null";
    default: return is_json_number(text);
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
