// What the names in Ascend captures mean: execution units, collectives, op types.
//
// Sources: kernel_details.csv and op_summary*.csv of torch_npu 2.1 to 2.7 and msprof (CANN 7 to 8.5), and the
// public documentation of both.
#pragma once
#include <profkit/core/activity.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct ascend_class {
  kernel_class kind = kernel_class::other;
  bool on_aicpu = false;
  bool from_name = false;  // the table does not say the execution unit
};

// By the execution unit ("AI_CORE", "AiCore", …; "" when the source does not say), the op type and the name.
[[nodiscard]] ascend_class classify_ascend(std::string_view core, std::string_view op_type,
                                           std::string_view name) noexcept;

// The op type by a kernel name, where a table has none: the last word of aclnnA_BAiCore_C and of
// trans_Cast_18, hcom_x_ of hcom_x__a_b_c, all of a name in small letters.
[[nodiscard]] std::string_view ascend_op_type(std::string_view name) noexcept;

// Of a task on a stream, by its type: a marker, a wait, one of the profiler's own.
[[nodiscard]] bool is_no_kernel(std::string_view task_type) noexcept;

// A step id without the ".0" that programs with floating columns append; anything else as it is written.
[[nodiscard]] std::string_view ascend_step_id(std::string_view written) noexcept;

// "N/A", "-", "null" and nothing stand for no value.
[[nodiscard]] bool is_no_value(std::string_view trimmed) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
