// The run-time block: one device, one step window, everything that occupied it at the peak.
#pragma once
#include "peak_replay.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

struct step_window {
  std::string_view id;
  std::int64_t from_ps = 0, to_ps = 0;
};
struct step_windows {
  std::vector<step_window> windows;  // by start
  std::string source;                // "steps_line", "xla_modules", "host_step_num", "marks" of other kinds; "" when there are none
};
// The windows of an allocator's device, else of the first device of its file that has some.
result<step_windows> windows_of(const trace& t, const allocator_identity& of, const hooks& host);

// Names of what encloses each of these events on its line, outermost first.
std::vector<std::vector<std::string_view>> parents_of(const collected_events& all,
                                                      const std::vector<event_place>& places);

// Why a step cannot be had goes to `absent`; then there is no report.
// `whole`: of all events of the allocator, with the whole trace as its window. Faults: cancelled.
result<std::optional<runtime_report>> report_runtime(const profile& p, const memory_options& o,
                                                     const collected_events& all, std::uint32_t allocator,
                                                     const peak_replay& whole, const step_windows& steps,
                                                     std::string& absent, const hooks& host);

// Rollups of live rows; the lists are not cut.
void roll_up(runtime_report& r);

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
