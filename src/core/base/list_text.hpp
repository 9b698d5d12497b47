// Several things in a sentence.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// "a", "a and b", "a, b and c".
[[nodiscard]] inline std::string list_text(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  return text;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
