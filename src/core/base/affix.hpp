// How texts begin and end and what stands in them: what later C++ says with members of string_view, and without a locale.
#pragma once
#include <profkit/namespace.hpp>

#include <algorithm>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

[[nodiscard]] constexpr bool starts_with(std::string_view text, std::string_view prefix) noexcept {
  return text.substr(0, prefix.size()) == prefix;
}
[[nodiscard]] constexpr bool ends_with(std::string_view text, std::string_view ending) noexcept {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}
[[nodiscard]] constexpr bool contains(std::string_view text, std::string_view part) noexcept {
  return text.find(part) != std::string_view::npos;
}
[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
/// A capital of ASCII as a small letter.
[[nodiscard]] constexpr char folded(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Like starts_with() and so on, whatever the case of the text; the part is in small letters.
[[nodiscard]] inline bool starts_with_folded(std::string_view text, std::string_view lower_prefix) noexcept {
  return text.size() >= lower_prefix.size() &&
         std::equal(lower_prefix.begin(), lower_prefix.end(), text.begin(), [](char wanted, char c) { return wanted == folded(c); });
}
[[nodiscard]] inline bool ends_with_folded(std::string_view text, std::string_view lower_ending) noexcept {
  return text.size() >= lower_ending.size() && starts_with_folded(text.substr(text.size() - lower_ending.size()), lower_ending);
}
[[nodiscard]] inline bool contains_folded(std::string_view text, std::string_view lower_part) noexcept {
  return std::search(text.begin(), text.end(), lower_part.begin(), lower_part.end(), [](char c, char wanted) { return folded(c) == wanted; }) !=
         text.end();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
