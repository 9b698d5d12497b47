// What stands for toml_tree.cpp in a build without toml++.
#include "base/left_out.hpp"
#include "base/toml_tree.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

result<toml_value> parse_toml(std::string_view, const std::string& path) {
  return built_without("TOML (toml++)", "toml", path);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
