// Parts that a build may leave out (meson_options.txt).
#pragma once
#include <profkit/core/result.hpp>

#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// What a function of such a part gives instead. `part`: for people; `option`: the one that has it.
[[nodiscard]] inline fault built_without(const char* part, const char* option, const std::string& path = {}) {
  return {fault_code::unsupported, std::string("this profkit was built without ") + part, path, no_offset,
          std::string("build it with -D") + option + "=enabled"};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
