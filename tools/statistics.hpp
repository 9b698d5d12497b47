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
  for (const std::int64_t ps : durations_ps) s.total_ps += ps;
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

}  // namespace profkit_tool
