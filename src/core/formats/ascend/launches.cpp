#include <formats/ascend/launches.hpp>

#include <formats/launch_names.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::uint64_t join_launches(const activity_device& device, std::vector<kernel_row>& rows,
                            std::vector<launch_arrow>& arrows) {
  const auto place = [](const launch_arrow& a) { return std::tie(a.kernel_start_ps, a.stream, a.launch_ps); };
  const auto earlier = [&](const launch_arrow& a, const launch_arrow& b) { return place(a) < place(b); };
  if (!std::is_sorted(arrows.begin(), arrows.end(), earlier)) std::sort(arrows.begin(), arrows.end(), earlier);
  std::uint64_t joined = 0;
  std::size_t first = 0, marked = 0;
  for (kernel_row& row : rows) {
    while (first < arrows.size() && arrows[first].kernel_start_ps < row.start_ps) ++first;
    if (first == arrows.size()) break;
    if (arrows[first].kernel_start_ps != row.start_ps) continue;
    for (marked = std::max(marked, first); marked < arrows.size() && arrows[marked].kernel_start_ps == row.start_ps; ++marked)
      arrows[marked].recorded = true;
    // Of several arrows to one moment, the one to the kernel's stream.
    const launch_arrow* best = &arrows[first];
    if ((row.flags & kernel_has_stream) != 0) {
      const launch_arrow wanted{row.start_ps, no_time_ps, device.streams[row.stream].id};
      const auto at =
          std::lower_bound(arrows.begin() + static_cast<std::ptrdiff_t>(first), arrows.end(), wanted, earlier);
      if (at != arrows.end() && at->kernel_start_ps == row.start_ps && at->stream == wanted.stream) best = &*at;
    }
    row.launch_ps = best->launch_ps;
    row.launch_thread = best->thread;
    if (best->thread != no_thread) row.launch_end_ps = best->launch_end_ps;
    ++joined;
  }
  return joined;
}

void list_unrecorded(const std::vector<launch_arrow>& arrows, string_table& strings, activity_host& into) {
  for (const launch_arrow& a : arrows) {
    const std::optional<launched_work> known = work_launched_by(strings.text(a.call));
    const launched_work work = known.value_or(launched_work::kernel);
    ++into.launches[static_cast<std::size_t>(work)];
    if (a.recorded) continue;
    const string_id name = a.call == 0 ? strings.intern("HostToDevice") : a.call;
    into.unrecorded.push_back({a.launch_ps, a.launch_end_ps == no_time_ps ? a.launch_ps : a.launch_end_ps, name, a.thread, work});
  }
  const auto place = [](const unrecorded_launch& l) { return std::tie(l.start_ps, l.end_ps, l.thread, l.name); };
  std::sort(into.unrecorded.begin(), into.unrecorded.end(),
            [&](const unrecorded_launch& a, const unrecorded_launch& b) { return place(a) < place(b); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
