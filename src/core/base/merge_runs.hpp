// Sorting what comes nearly in order.
#pragma once
#include <profkit/namespace.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Merges the ascending runs, pair by pair; of more than `max_runs` all is sorted, without keeping the order of equals.
template <class T, class Earlier>
void merge_runs(std::vector<T>& all, std::size_t max_runs, const Earlier& earlier) {
  std::vector<std::size_t> starts;  // of the runs, and the end
  for (std::size_t i = 0; i <= all.size() && starts.size() <= max_runs; ++i)
    if (i == 0 || i == all.size() || earlier(all[i], all[i - 1])) starts.push_back(i);
  if (starts.size() > max_runs) {
    std::sort(all.begin(), all.end(), earlier);
    return;
  }
  const auto at = [&all](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
  while (starts.size() > 2) {
    std::vector<std::size_t> left;
    for (std::size_t r = 0; r + 1 < starts.size(); r += 2) {
      left.push_back(starts[r]);
      if (r + 2 < starts.size()) std::inplace_merge(at(starts[r]), at(starts[r + 1]), at(starts[r + 2]), earlier);
    }
    left.push_back(all.size());
    starts = std::move(left);
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
