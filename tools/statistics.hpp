// Order statistics of durations, in integers.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace profkit_tool {

struct duration_statistics {
  std::size_t count = 0;
  std::int64_t total_ps = 0, median_ps = 0, min_ps = 0, max_ps = 0;
};

// The median of an even number is the mean of the middle two, rounded down.
inline duration_statistics statistics_of(std::vector<std::int64_t> durations_ps) {
  duration_statistics s;
  s.count = durations_ps.size();
  if (durations_ps.empty()) return s;
  std::sort(durations_ps.begin(), durations_ps.end());
  for (const std::int64_t ps : durations_ps) s.total_ps += ps;
  const std::size_t middle = s.count / 2;
  s.median_ps = s.count % 2 == 1 ? durations_ps[middle]
                                 : durations_ps[middle - 1] + (durations_ps[middle] - durations_ps[middle - 1]) / 2;
  s.min_ps = durations_ps.front();
  s.max_ps = durations_ps.back();
  return s;
}

}  // namespace profkit_tool
