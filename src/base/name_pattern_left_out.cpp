// What stands for name_pattern.cpp in a build without RE2.
#include <base/name_pattern.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

result<name_pattern> name_pattern::make(std::string_view) {
  return fault{fault_code::unsupported, "this profkit was built without regular expressions (RE2)", "", no_offset,
               "build it with -Dre2=enabled"};
}

bool name_pattern::matches(std::string_view) const { return false; }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
