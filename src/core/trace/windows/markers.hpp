// The step markers of a host group or of a device, looked up: a cluster has as many as devices times steps.
#pragma once
#include <profkit/core/activity.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

struct marker_range {
  const step_marker *first, *last;
  [[nodiscard]] const step_marker* begin() const noexcept { return first; }
  [[nodiscard]] const step_marker* end() const noexcept { return last; }
};

// Markers lie by group, device and start.
template <class Place>
marker_range markers_at(const activity& of, Place&& compared) {
  const step_marker* const all = of.markers().data();
  const step_marker* const end = all + of.markers().size();
  const auto* const first = std::partition_point(all, end, [&](const step_marker& m) { return compared(m) < 0; });
  return {first, std::partition_point(first, end, [&](const step_marker& m) { return compared(m) == 0; })};
}
inline marker_range markers_of_group(const activity& of, std::uint32_t group) {
  return markers_at(of, [group](const step_marker& m) { return m.host_group < group ? -1 : m.host_group > group; });
}
// Device -1 is the host.
inline marker_range markers_of_device(const activity& of, std::uint32_t group, std::int32_t device) {
  const std::pair wanted(group, device);
  return markers_at(of, [&](const step_marker& m) {
    const std::pair place(m.host_group, m.device);
    return place < wanted ? -1 : place > wanted;
  });
}

// The last of markers by start that begins by an instant; null when none does.
inline const step_marker* last_begun_by(const marker_range& markers, std::int64_t at_ps) {
  const auto* const after = std::upper_bound(markers.begin(), markers.end(), at_ps,
                                             [](std::int64_t at, const step_marker& m) { return at < m.start_ps; });
  return after == markers.begin() ? nullptr : after - 1;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
