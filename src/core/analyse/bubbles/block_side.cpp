#include <analyse/bubbles/block_side.hpp>
#include <analyse/bubbles/clocks.hpp>

#include <profkit/interval.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

constexpr std::size_t max_listed = 5;

bool is_block(const kernel_row& k, std::int32_t main, const bubble_thresholds& t) noexcept {
  if (k.kind != kernel_class::compute || k.duration_ps < t.small_kernel_ps) return false;
  // Without streams (tables of level 0) all compute is the main path.
  return !has_stream(k) || k.stream == static_cast<std::uint32_t>(main);
}

// Durations by a small key; few distinct ones.
class weights_by_key {
 public:
  void add(std::int64_t key, std::int64_t weight_ps) {
    if (last_ >= sums_.size() || sums_[last_].first != key) {
      last_ = 0;
      while (last_ < sums_.size() && sums_[last_].first != key) ++last_;
      if (last_ == sums_.size()) {
        if (sums_.size() == max_keys) return;
        sums_.push_back({key, 0});
      }
    }
    sums_[last_].second = saturating_add(sums_[last_].second, weight_ps);
  }
  // Of equal weights the lower key.
  [[nodiscard]] std::int64_t heaviest(std::int64_t none) const noexcept {
    const auto at = std::max_element(sums_.begin(), sums_.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second < b.second : a.first > b.first;
    });
    return at == sums_.end() ? none : at->first;
  }

 private:
  static constexpr std::size_t max_keys = 4096;
  std::vector<std::pair<std::int64_t, std::int64_t>> sums_;
  std::size_t last_ = 0;
};

template <class Value>
void keep_greatest(std::vector<kernel_row>& list, const kernel_row& k, Value&& value) {
  if (list.size() == max_listed && value(list.back()) >= value(k)) return;
  const auto at = std::upper_bound(list.begin(), list.end(), k,
                                   [&](const kernel_row& a, const kernel_row& b) { return value(a) > value(b); });
  list.insert(at, k);
  if (list.size() > max_listed) list.pop_back();
}

// One of the two sets while it is filled.
struct part {
  block_side found;
  clock_sweep clocks;
  weights_by_key cores, streams;
  void add(const kernel_row& k, const activity_device& on, const bubble_thresholds& t) {
    if (const std::int64_t gap = clocks.add(k); gap > 0) {
      ++found.bubbles;
      found.bubble_total_ps += gap;
      found.bubble_largest_ps = std::max(found.bubble_largest_ps, gap);
    }
    cores.add(k.core, k.duration_ps);
    if (has_stream(k) && k.stream < on.streams.size()) streams.add(on.streams[k.stream].id, k.duration_ps);
    keep_greatest(found.by_duration, k, [](const kernel_row& r) { return r.duration_ps; });
    keep_greatest(found.by_total_cost, k, cost_of);
    if (above(wait_of(k), cost_of(k), t.wait_heavy_ppm)) ++found.wait_heavy;
  }
  block_side finish() {
    found.clocks = clocks.clocks();
    found.core = static_cast<string_id>(cores.heaviest(0));
    found.stream = streams.heaviest(-1);
    return std::move(found);
  }
};

std::int64_t as_ps(std::uint64_t covered) noexcept { return static_cast<std::int64_t>(covered); }

}  // namespace

std::int32_t main_stream(const step_rows& rows, const activity_device& on) {
  std::vector<std::pair<std::int64_t, std::int32_t>> sums;  // compute time by stream index
  for (const kernel_row& k : rows.rows) {
    if (k.kind != kernel_class::compute || !has_stream(k) || k.stream >= on.streams.size()) continue;
    if (sums.size() <= k.stream) sums.resize(k.stream + std::size_t{1}, {0, -1});
    sums[k.stream].first = saturating_add(sums[k.stream].first, k.duration_ps);
    sums[k.stream].second = k.stream;
  }
  std::int32_t best = -1;
  for (const auto& [sum, stream] : sums) {
    if (stream < 0) continue;
    const auto best_at = static_cast<std::size_t>(best), at = static_cast<std::size_t>(stream);
    if (best < 0 || sum > sums[best_at].first ||
        (sum == sums[best_at].first && on.streams[at].id < on.streams[best_at].id))
      best = stream;
  }
  return best;
}

std::array<block_side, 2> split_block_side(const step_rows& rows, const activity_device& on, std::int32_t main,
                                           const bubble_thresholds& t) {
  part block, side;
  std::vector<interval> comm, busy;
  for (const kernel_row& k : rows.rows) {
    const bool of_block = is_block(k, main, t);
    (of_block ? block : side).add(k, on, t);
    if (of_block && k.duration_ps > 0) busy.push_back({k.start_ps, end_of(k)});
    if (k.kind == kernel_class::comm && k.duration_ps > 0) comm.push_back({k.start_ps, end_of(k)});
  }
  normalise(comm);
  normalise(busy);
  side.found.comm_ps = as_ps(covered_ps(comm));
  visit_intersection(comm, busy,
                     [&](const interval& both) { side.found.comm_over_block_ps += as_ps(both.length_ps()); });
  std::array<block_side, 2> found{block.finish(), side.finish()};
  found[0].is_block = true;
  return found;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
