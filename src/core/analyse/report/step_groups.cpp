#include <profkit/core/named_stat.hpp>
#include <profkit/core/step_groups.hpp>

#include <profkit/time.hpp>

#include <algorithm>
#include <map>
#include <tuple>
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
  std::vector<std::vector<std::int64_t>> durations;  // of each group
  std::map<std::tuple<std::uint32_t, std::int32_t, std::int32_t, step_source>, std::size_t> known;
  for (const step_row step : steps) {
    const std::size_t at = known.try_emplace({step.file, step.plane, step.device, step.source}, groups.size()).first->second;
    if (at == groups.size()) {
      groups.push_back({step, {}, 0, {}});
      durations.emplace_back();
    }
    std::vector<std::int64_t>& own = durations[at];
    if (!own.empty() && step.duration_ps > own[groups[at].longest]) groups[at].longest = own.size();
    own.push_back(step.duration_ps);
  }
  for (std::size_t at = 0; at < groups.size(); ++at) {
    groups[at].course_ps = course_of(durations[at]);
    groups[at].times = statistics_of(std::move(durations[at]));
  }
  return groups;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
