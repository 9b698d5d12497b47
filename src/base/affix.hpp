// How texts begin and end and what stands in them: what later C++ says with members of string_view, and without a locale.
#pragma once
#include <profkit/namespace.hpp>

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

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
