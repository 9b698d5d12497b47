// What lies beside the kernels of one Ascend rank: settings of the recorder, communication details, step times.
#pragma once
#include <formats/activity_parts.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Why a rank with nothing but databases shows nothing, and what to do about it.
inline constexpr const char* why_no_database =
    "there is only a database export, which is not read: export it as text, too (export_type=Text of torch_npu.profiler, or "
    "msprof --export=on --output=DIR)";

// profiler_info*.json and profiler_metadata.json.
struct ascend_settings {
  std::optional<bool> stacks, shapes;
  std::int32_t rank = -1;
  bool level0 = false;
  std::vector<std::pair<std::string, std::int64_t>> parallel_sizes;  // as activity_device's
};
void read_ascend_info(std::string_view bytes, ascend_settings& into, activity_input& input);
void read_ascend_metadata(std::string_view bytes, ascend_settings& into, activity_input& input);

// communication.json: times relative to zero_us plus shift_ps; `device` is an index into the activity's devices.
void read_ascend_communication(std::string_view bytes, std::int64_t zero_us, std::int64_t shift_ps,
                               std::uint32_t device, activity_parts& into, activity_input& input);

// step_trace_time.csv. `devices` pairs ordinals with indices into the activity's devices.
void read_ascend_step_trace(std::string_view bytes, const std::vector<std::pair<std::int64_t, std::uint32_t>>& devices,
                            activity_parts& into, activity_input& input);

// operator_details.csv, op_statistic*.csv: counted, so that nothing that lies there goes unmentioned.
void count_ascend_rows(std::string_view bytes, const char* variant, activity_input& input);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
