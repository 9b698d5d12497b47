// What stands for name_pattern.cpp in a build without RE2.
#include <base/left_out.hpp>
#include <base/name_pattern.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

result<name_pattern> name_pattern::make(std::string_view) {
  return built_without("regular expressions (RE2)", "re2");
}

bool name_pattern::matches(std::string_view) const { return false; }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
