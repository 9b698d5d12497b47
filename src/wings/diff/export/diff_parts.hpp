// What the fields of the document `diff` are found with.
#pragma once
#include <profkit/core/diff.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

struct op_shown {
  const op_delta& row;
  std::vector<std::string> before, after;
  std::string_view framework_op, module;
  kernel_class kind;
};
[[nodiscard]] op_shown shown(const op_delta& row, const diff_report& in);

struct device_shown {
  const device_delta& row;
  std::string_view device;
  std::int32_t rank;
};
[[nodiscard]] device_shown shown(const device_delta& row, const diff_report& in);

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
