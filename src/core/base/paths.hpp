// The parts of a path, as text.
#pragma once
#include <profkit/namespace.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// "c" of "a/b/c"; the whole of "c".
[[nodiscard]] inline std::string_view last_part_of(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

// "a/b" of "a/b/c", "/" of "/c", "." of "c".
[[nodiscard]] inline std::string_view folder_of(std::string_view path) noexcept {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
