// Sentences about what was found.
#pragma once
#include <analyse/bubbles/kernels.hpp>
#include <base/kernel_names.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/text.hpp>

#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

[[nodiscard]] inline std::string share_text(std::int64_t part, std::int64_t whole) {
  return part < 0 || whole <= 0 ? "-"
                                : percent_text(static_cast<std::uint64_t>(part), static_cast<std::uint64_t>(whole));
}
// "1 gap", "12 gaps".
[[nodiscard]] inline std::string count_text(std::uint64_t n, const char* singular) {
  return grouped(n) + ' ' + singular + (n == 1 ? "" : "s");
}
[[nodiscard]] inline std::string device_name(const activity& of, std::uint32_t device) {
  return std::string(of.text(of.devices()[device].name));
}
// "MatMulV3"; "all_reduce (default_pg)" for a collective whose process group is known.
[[nodiscard]] inline std::string op_name(const activity& of, std::uint32_t device, const kernel_row& k) {
  const activity_device& on = of.devices()[device];
  std::string name(of.text(type_of(k)));
  // Of a mangled name the function alone; and XLA's categories are wide, as "loop fusion".
  if (on.type == accelerator::gpu && k.kind == kernel_class::compute && k.name != 0) {
    const std::string path = function_of_kernel(of.text(k.name)).path;
    const std::size_t scope = path.rfind("::");
    name = scope == std::string::npos ? path : path.substr(scope + 2);
  }
  const std::vector<kernel_details>& details = on.details;
  if (k.details == 0 || k.details > details.size() || details[k.details - 1].group == 0) return name;
  return name + " (" + std::string(of.text(details[k.details - 1].group)) + ')';
}
// "after TensorMove, before MatMulV3"; "" when neither is known.
[[nodiscard]] std::string place_text(const activity& of, const bubble& b);
// "device NPU 0, step 50, after TensorMove, before MatMulV3".
[[nodiscard]] std::string where_text(const activity& of, const bubbles_result& r, const bubble& b);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
