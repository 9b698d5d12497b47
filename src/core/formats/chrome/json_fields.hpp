// Typed members of a JSON object, for files that give run and clock facts.
#pragma once
#include <profkit/core/chrome.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The text is one whole JSON object and nothing else.
[[nodiscard]] bool is_json_object(std::string_view text) noexcept;

[[nodiscard]] inline bool is_json_string(std::string_view raw) noexcept { return !raw.empty() && raw.front() == '"'; }
// A number as JSON writes one; quotes are not allowed.
[[nodiscard]] inline std::optional<std::int64_t> json_integer(std::string_view raw, int scale = 0) {
  if (raw.empty() || is_json_string(raw)) return std::nullopt;
  return json_scaled_integer(raw, scale);
}
// Whether the member is there and not null.
[[nodiscard]] inline bool is_json_given(std::string_view raw) noexcept { return !raw.empty() && raw != "null"; }
[[nodiscard]] inline std::string json_string(std::string_view raw) {
  std::string scratch;
  return is_json_string(raw) ? std::string(json_text(raw, scratch)) : std::string();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
