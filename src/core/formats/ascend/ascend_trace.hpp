// trace_view.json and msprof*.json: what the hosts of an Ascend rank did, which arrows lead to its kernels, and the
// kernels themselves where no table lists them.
#pragma once
#include <formats/activity_parts.hpp>
#include <formats/ascend/ascend_kernels.hpp>
#include <formats/ascend/launches.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// What the framework says of an operator.
struct ascend_operator {
  std::size_t span = 0;           // its position in ascend_trace::spans
  std::int64_t number = -1;       // autograd's; -1: none
  string_id shapes = 0, types = 0;  // of its inputs: "32,64;64", "float;float"
  string_id line = 0;             // of the user's code that called it
};

// An arrow of the framework, from the operator that gave work to a device to the moment at which a kernel began.
struct issue_arrow {
  std::int64_t kernel_start_ps = 0, stream = -1, issue_ps = 0;
  std::uint32_t thread = no_thread;
  bool to_collective = false;  // it ends in the process that shows communication
};

struct ascend_trace {
  std::vector<host_span> spans;  // of hosts, and the waits that devices show
  std::vector<step_marker> markers;
  std::vector<launch_arrow> launches;
  std::vector<ascend_operator> operators;
  std::vector<issue_arrow> issues;  // those with both ends known
  bool host_seen = false;
};

// Adds what a trace holds, times plus shift_ps. Kernels go to `kernels` unless that is null. Faults: cancelled, and
// those of chrome_reader when the text is not a trace at all.
result<void> read_ascend_trace(std::string_view bytes, std::int64_t shift_ps, std::uint32_t host_group,
                               activity_parts& parts, ascend_trace& into, ascend_devices* kernels,
                               activity_input& input);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
