// Rows on which events nest: events of one line that overlap without one holding the other go to lanes of their own.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Takes events by (start ascending, duration descending) and puts each on the first lane where it lies after or
// inside what is open there. Not thread-safe.
class lane_splitter {
 public:
  // Past this many, events share the last lane and are counted: a bound on time and memory for hostile input.
  static constexpr std::size_t max_lanes = 512;

  // Lane of an event, from 0. `closed(lane, end_ps)` is called for every slice that ends at or before its start on
  // each lane that was looked at, innermost first. An event that fits nowhere gets max_lanes and is not remembered.
  template <class Closed>
  std::size_t place(std::int64_t start_ps, std::int64_t end_ps, Closed&& closed) {
    std::size_t lane = 0;
    while (lane < lanes_.size() && !fits(lane, start_ps, end_ps, closed)) ++lane;
    if (lane == lanes_.size()) {
      if (lanes_.size() == max_lanes) {
        ++crowded_;
        return max_lanes;
      }
      lanes_.emplace_back();
    }
    lanes_[lane].push_back(end_ps);
    return lane;
  }

  // Ends everything that is still open.
  template <class Closed>
  void close(Closed&& closed) {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
      for (; !lanes_[lane].empty(); lanes_[lane].pop_back()) closed(lane, lanes_[lane].back());
  }

  [[nodiscard]] std::size_t lanes() const noexcept { return lanes_.size(); }
  [[nodiscard]] std::uint64_t crowded() const noexcept { return crowded_; }

 private:
  template <class Closed>
  bool fits(std::size_t lane, std::int64_t start_ps, std::int64_t end_ps, Closed& closed) {
    std::vector<std::int64_t>& open = lanes_[lane];
    for (; !open.empty() && open.back() <= start_ps; open.pop_back()) closed(lane, open.back());
    return open.empty() || open.back() >= end_ps;
  }

  std::vector<std::vector<std::int64_t>> lanes_;  // ends of what is open, innermost last
  std::uint64_t crowded_ = 0;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
