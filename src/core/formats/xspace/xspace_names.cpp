#include <formats/xspace/xspace_names.hpp>

#include <base/affix.hpp>
#include <base/collective_names.hpp>
#include <base/communication_kernels.hpp>
#include <base/kernel_names.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Copies and sets as CUPTI, ROCTracer and the HIP runtime call them, and HLO copies that run beside the core.
constexpr std::string_view copy_names[] = {"Memcpy", "Memset", "__amd_rocclr_copy", "__amd_rocclr_fill",
                                           "memcpy", "memset", "copy-start",        "copy-done"};
// Calls of a driver or runtime: CUDA, HIP, PjRt.
constexpr std::string_view runtime_names[] = {"cuda", "hip", "cu", "nccl", "rccl"};

// A runtime call is written camelCase: "cuLaunchKernel", "hipMemcpyAsync"; "customer" is none.
bool is_runtime_call(std::string_view name) noexcept {
  return std::any_of(std::begin(runtime_names), std::end(runtime_names), [&](std::string_view prefix) {
    return starts_with(name, prefix) && name.size() > prefix.size() && name[prefix.size()] >= 'A' &&
           name[prefix.size()] <= 'Z';
  });
}

// The text of a metadata entry's stat; "" when it has none.
std::string_view stat_text(const plane_index& plane, const event_metadata_view& of, std::int64_t id) noexcept {
  std::string_view found;
  for (const stat_view stat : of.stats()) {
    if (stat.metadata_id() != id) continue;
    if (stat.kind() == stat_kind::str_value) found = stat.as_bytes();
    if (stat.kind() == stat_kind::ref_value) found = plane.stat_name(stat.as_ref());
  }
  return found;
}

}  // namespace

std::string kernel_base_name(std::string_view of) {
  if (!of.empty() && of.front() == '%') of.remove_prefix(1);
  const std::string type = type_of_kernel(of);
  std::string_view name = type;
  name = name.substr(0, name.find_first_of(" ="));
  if (name.size() > 3 && name.substr(name.size() - 3) == ".kd") name.remove_suffix(3);
  return std::string(without_instances(name));
}

kernel_class classify_kernel(std::string_view name, std::string_view category) noexcept {
  const std::string_view instruction = instruction_name(name);
  if (!collective_of(category).empty() || !collective_of(instruction).empty() || is_communication(name))
    return kernel_class::comm;
  for (const std::string_view copy : copy_names)
    if (starts_with(instruction, copy) || category == copy) return kernel_class::copy;
  return name.empty() && category.empty() ? kernel_class::other : kernel_class::compute;
}

kernel_names::kernel_names(const plane_index& plane, string_table& strings) {
  reserve(plane);
  const auto category_id = plane.stat_id("hlo_category");
  for (const std::string_view entry : plane.event_metadata_entries) {
    const event_metadata_view metadata(entry);
    const std::string_view shown = metadata.display_name().empty() ? metadata.name() : metadata.display_name();
    const std::string_view category = category_id ? stat_text(plane, metadata, *category_id) : std::string_view();
    kernel_name& named = at(metadata.key());  // of equal keys the last counts
    // The text of a whole HLO instruction says too much.
    const bool is_instruction = !shown.empty() && shown.front() == '%';
    named.name = strings.intern(is_instruction ? instruction_name(shown) : shown);
    named.op_type = category.empty() ? strings.intern(kernel_base_name(shown)) : strings.intern(category);
    named.kind = classify_kernel(shown, category);
  }
}

span_names::span_names(const plane_index& plane, string_table& strings) {
  reserve(plane);
  for (const std::string_view entry : plane.event_metadata_entries) {
    const event_metadata_view metadata(entry);
    const std::string_view shown = metadata.display_name().empty() ? metadata.name() : metadata.display_name();
    span_name& named = at(metadata.key());
    named.name = strings.intern(shown);
    // JAX's python tracer begins the names of frames with a dollar.
    named.kind = starts_with(shown, "$")  ? host_span_kind::frame
                 : is_runtime_call(shown) ? host_span_kind::runtime
                                          : host_span_kind::op;
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
