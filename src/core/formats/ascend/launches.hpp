// When the host launched kernels, where a trace ties the launch to the moment at which the kernel began.
#pragma once
#include <profkit/core/activity.hpp>
#include <base/string_table.hpp>

#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// An arrow from the host to a kernel.
struct launch_arrow {
  std::int64_t kernel_start_ps = 0;  // no_time_ps: the arrow has no end
  std::int64_t launch_ps = 0;
  std::int64_t stream = -1;  // hardware id; -1: not recorded
  std::uint32_t thread = no_thread;
  std::int64_t launch_end_ps = no_time_ps;  // of the call
  std::int64_t calling_thread = -1;  // number in the system of the one that handed it to the runtime
  string_id call = 0;                // its name; 0: not recorded
  bool recorded = false;             // an event of a device begins where the arrow ends
};

// Fills kernel_row::launch_ps and launch_thread of sorted rows and launch_arrow::recorded; sorts the arrows. Gives the
// number of rows with a launch.
std::uint64_t join_launches(const activity_device& device, std::vector<kernel_row>& rows,
                            std::vector<launch_arrow>& arrows);

// The arrows that reach no event of a device, as launches of the host.
void list_unrecorded(const std::vector<launch_arrow>& arrows, string_table& strings, activity_host& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
