// What stands for toml_tree.cpp in a build without toml++.
#include "base/toml_tree.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

result<toml_value> parse_toml(std::string_view, const std::string& path) {
  return fault{fault_code::unsupported, "this profkit was built without TOML (toml++)", path, no_offset,
               "build it with -Dtoml=enabled"};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
