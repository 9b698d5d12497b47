// What makes an op the same as another, whatever number a compiler or a framework gave them.
#pragma once
#include <base/kernel_names.hpp>
#include <profkit/core/diff.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// "%fusion.3" is "fusion", "triton_red_fused_add_7" is "triton_red_fused_add". A name of C++ stays whole: its numbers are sizes.
[[nodiscard]] inline std::string_view op_name_without_number(std::string_view name) noexcept {
  if (name.find_first_of("<(: ") != std::string_view::npos) return name;
  if (!name.empty() && name.front() == '%') name.remove_prefix(1);
  return without_instances(name);
}

// Of layers that do the same one place: "BertLayer_3/Linear_0" is "BertLayer/Linear".
[[nodiscard]] inline std::string place_without_numbers(std::string_view modules) {
  std::string kept;
  while (!modules.empty()) {
    const std::size_t end = std::min(modules.find('/'), modules.size());
    kept.append(kept.empty() ? "" : "/").append(without_instance(modules.substr(0, end)));
    modules.remove_prefix(std::min(end + 1, modules.size()));
  }
  return kept;
}

// By which ops are sorted and found; it borrows the texts of the op.
using run_op_identity = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view, kernel_class, bool>;
[[nodiscard]] inline run_op_identity identity_of(const run_op& o) noexcept {
  return {o.name, o.framework_op, o.module, o.shapes, o.kind, o.rest > 0};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
