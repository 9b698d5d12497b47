#include <profkit/core/step_groups.hpp>

#include <profkit/time.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

duration_statistics statistics_of(std::vector<std::int64_t> durations_ps) {
  duration_statistics s;
  s.count = durations_ps.size();
  if (durations_ps.empty()) return s;
  for (const std::int64_t ps : durations_ps) s.total_ps = saturating_add(s.total_ps, ps);
  const auto middle = durations_ps.begin() + static_cast<std::ptrdiff_t>(s.count / 2);
  std::nth_element(durations_ps.begin(), middle, durations_ps.end());
  s.median_ps = *middle;
  if (s.count % 2 == 0) {
    const std::int64_t below = *std::max_element(durations_ps.begin(), middle);
    s.median_ps = below + (*middle - below) / 2;
  }
  s.min_ps = *std::min_element(durations_ps.begin(), middle + 1);
  s.max_ps = *std::max_element(middle, durations_ps.end());
  return s;
}

std::vector<std::int64_t> course_of(const std::vector<std::int64_t>& durations_ps, std::size_t most) {
  std::vector<std::int64_t> course(std::min(most, durations_ps.size()));
  for (std::size_t i = 0; i < course.size(); ++i) {
    // The stretches differ in size by one step at most.
    const auto at = [&](std::size_t part) {
      return durations_ps.begin() + static_cast<std::ptrdiff_t>(durations_ps.size() / course.size() * part +
                                                                durations_ps.size() % course.size() * part / course.size());
    };
    course[i] = *std::max_element(at(i), at(i + 1));
  }
  return course;
}

std::string_view step_place_name(const step_row& row) noexcept {
  return row.plane_name.empty() && is_host_source(row.source) ? "host" : short_plane_name(row.plane_name);
}

std::vector<step_group> group_steps(const step_list& steps) {
  std::vector<step_group> groups;
  std::vector<std::int64_t> durations;
  std::int64_t longest_ps = 0;
  const auto end_group = [&] {
    if (groups.empty()) return;
    groups.back().course_ps = course_of(durations);
    groups.back().times = statistics_of(std::exchange(durations, {}));
  };
  for (const step_row step : steps) {
    const bool same = !groups.empty() && groups.back().first.file == step.file &&
                      groups.back().first.plane == step.plane && groups.back().first.device == step.device &&
                      groups.back().first.source == step.source;
    if (!same) {
      end_group();
      groups.push_back({step, {}, 0, {}});
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

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
