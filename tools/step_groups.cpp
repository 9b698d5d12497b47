#include "step_groups.hpp"

#include "places.hpp"

#include <utility>

namespace profkit_tool {

std::string step_place(const profkit::step_row& row) {
  return row.plane_name.empty() && profkit::is_host_source(row.source) ? "host" : short_plane_name(row.plane_name);
}

std::vector<step_group> group_steps(const profkit::step_list& steps) {
  std::vector<step_group> groups;
  std::vector<std::int64_t> durations;
  std::int64_t longest_ps = 0;
  const auto end_group = [&] {
    if (!groups.empty()) groups.back().times = statistics_of(std::exchange(durations, {}));
  };
  for (const profkit::step_row step : steps) {
    const bool same = !groups.empty() && groups.back().first.file == step.file &&
                      groups.back().first.plane == step.plane &&
                      groups.back().first.device == step.device && groups.back().first.source == step.source;
    if (!same) {
      end_group();
      groups.push_back({step, {}, 0});
      longest_ps = step.duration_ps;
    }
    if (step.duration_ps > longest_ps) {
      longest_ps = step.duration_ps;
      groups.back().longest = durations.size();
    }
    durations.push_back(step.duration_ps);
  }
  end_group();
  return groups;
}

}  // namespace profkit_tool
