// trace_view.json and msprof*.json: what the hosts of an Ascend rank did, which arrows lead to its kernels, and the
// kernels themselves where no table lists them.
#pragma once
#include <formats/activity_parts.hpp>
#include <formats/ascend/ascend_kernels.hpp>
#include <formats/ascend/launches.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct ascend_trace {
  std::vector<host_span> spans;  // of hosts, and the waits that devices show
  std::vector<step_marker> markers;
  std::vector<launch_arrow> launches;
  bool host_seen = false;
};

// Adds what a trace holds, times plus shift_ps. Kernels go to `kernels` unless that is null. Faults: cancelled, and
// those of chrome_reader when the text is no trace at all.
result<void> read_ascend_trace(std::string_view bytes, std::int64_t shift_ps, std::uint32_t host_group,
                               activity_parts& parts, ascend_trace& into, ascend_devices* kernels,
                               activity_input& input);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
