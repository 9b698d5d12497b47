// Parts of texts.
#pragma once
#include <profkit/namespace.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// "a,,b" has three parts, and "" has one.
[[nodiscard]] inline std::vector<std::string_view> parts_between(std::string_view list, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = std::min(list.find(separator), list.size());
    parts.push_back(list.substr(0, end));
    if (end == list.size()) return parts;
    list.remove_prefix(end + separator.size());
  }
}
[[nodiscard]] inline std::vector<std::string_view> parts_between(std::string_view list, char separator) {
  return parts_between(list, std::string_view(&separator, 1));
}

// What stands after the first `word`; empty where it does not stand.
[[nodiscard]] inline std::string_view text_after(std::string_view text, std::string_view word) noexcept {
  const std::size_t at = text.find(word);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + word.size());
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
