// Which spans of a device's time are its steps.
#pragma once
#include <base/hash_map.hpp>
#include <profkit/core/bubbles.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// The end of a window that closes with its last kernel, and the start of one that opens with its first.
inline constexpr std::int64_t open_end = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t open_start = std::numeric_limits<std::int64_t>::min();

struct step_window {
  std::int64_t start_ps = open_start, end_ps = open_end;  // half open
  std::int64_t marker_end_ps = no_time_ps;
  std::int64_t number = -1;
  string_id name = 0;
  marker_source source = marker_source::profiler_step;
  bool pseudo = false;
  bool asked = true;
  bool ends_itself = false;  // as its marker says, or because after it ran a step whose window is not known
  bool tail_known = true;    // whether it is on record when the step ended
};

// Where the first step of a device begins and its last one ends, and how many there are, whether they are asked for or
// not; open without steps.
struct step_edges {
  std::int64_t first_ps = open_end, last_ps = open_start;
  std::size_t steps = 0;
};

struct device_windows {
  std::vector<step_window> windows;  // ascending, no two share an instant
  const char* source = "none";
  std::uint64_t cut = 0;  // windows that overlapped the next one
  std::uint64_t steps_not_found = 0;
  std::uint64_t steps_left_out = 0;  // in which no kernel begins
  bool is_settled = false;           // the windows are disjoint already
};

// The steps that a host recorded.
struct group_steps {
  std::vector<step_marker> markers;  // of the best source, by start
  hash_map<string_id, std::vector<std::size_t>> by_name;
  std::vector<step_window> windows;  // the markers as windows of a device that has the host's time
  std::uint64_t cut = 0;
};

// The steps of all hosts, put in order once: the devices of a host share them.
class host_steps {
 public:
  host_steps(const activity& of, window_policy policy);
  [[nodiscard]] const group_steps& of_group(std::uint32_t group) const noexcept { return groups_.find(group)->second; }
  [[nodiscard]] window_policy policy() const noexcept { return policy_; }

 private:
  window_policy policy_;
  hash_map<std::uint32_t, group_steps> groups_;
};

// Looks through the kernels only where the policy needs it. What it takes grows with the device's own markers and
// kernels, not with the steps of its host.
result<device_windows> find_windows(const activity& of, std::size_t device, const host_steps& hosts,
                                    const hooks& host);

// Marks the windows that are not asked for; of a whole capture the time that is asked for stays.
void keep_to(const step_filter& only, const activity& of, device_windows& windows);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
