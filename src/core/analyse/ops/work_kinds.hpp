// What kind of work an op is: it computes, communicates or moves data, and how. The names are data: work_kinds.inc.
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

enum class work_kind : std::uint8_t {
  unknown,
  compute,
  communication,
  control,  // loops, branches and calls, but for the ops inside them
  transpose,
  layout_copy,  // of the same numbers in another order of dimensions
  formatting,   // one of the two, or a reshape
  pad,
  concatenate,
  gather,
  scatter,
  slice,
  copy,
  cast,
  broadcast,
  fill,
  to_device,
  to_host,
  between_devices,
  host_transfer,
  copy_wait,
};

// Whether it moves data or waits for what does, within a device or to the host.
[[nodiscard]] constexpr bool moves_data(work_kind k) noexcept { return k >= work_kind::transpose; }
[[nodiscard]] const char* work_kind_name(work_kind k) noexcept;  // "layout copy"; "" of unknown

// Of an opcode or a category of a TPU's profiler. unknown where only what is inside says it (fusions, custom calls).
[[nodiscard]] work_kind kind_of_opcode(std::string_view opcode) noexcept;

// What a trace or table says of a kernel.
struct named_kernel {
  std::string_view name, category;  // as op_row has them
  std::string_view op, outer_op;    // of the framework
  std::string_view types;           // of the operator's inputs: "[\"float\", \"c10::BFloat16\"]"
  std::string_view op_type = {};    // of an NPU's, else its name
};
[[nodiscard]] work_kind kind_of_kernel(const named_kernel& kernel);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
