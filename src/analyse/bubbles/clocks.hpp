// The four clocks of a set of kernels: wall, busy union, kernel sum, total cost.
#pragma once
#include <analyse/bubbles/kernels.hpp>
#include <analyse/bubbles/ratio.hpp>

#include <algorithm>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// Takes kernels by start; tells the gaps of their union as it goes.
class clock_sweep {
 public:
  // The length of the gap that this kernel ends; 0 when it overlaps or touches what ran before.
  std::int64_t add(const kernel_row& k) noexcept {
    ++clocks_.kernels;
    clocks_.kernel_sum_ps = saturating_add(clocks_.kernel_sum_ps, k.duration_ps);
    clocks_.total_cost_ps = saturating_add(clocks_.total_cost_ps, cost_of(k));
    const std::int64_t end = end_of(k);
    if (clocks_.kernels == 1) {
      first_ps_ = k.start_ps;
      last_ps_ = end;
    }
    last_ps_ = std::max(last_ps_, end);
    if (end == k.start_ps) return 0;
    if (!open_) {
      open_ = true;
      clocks_.busy_union_ps += end - k.start_ps;
      reached_ps_ = end;
      return 0;
    }
    const std::int64_t gap = k.start_ps > reached_ps_ ? k.start_ps - reached_ps_ : 0;
    clocks_.busy_union_ps += std::max<std::int64_t>(end - std::max(reached_ps_, k.start_ps), 0);
    reached_ps_ = std::max(reached_ps_, end);
    return gap;
  }
  [[nodiscard]] four_clocks clocks() const noexcept {
    four_clocks c = clocks_;
    c.wall_ps = c.kernels == 0 ? 0 : last_ps_ - first_ps_;
    return c;
  }
  [[nodiscard]] std::int64_t reached_ps() const noexcept { return reached_ps_; }

 private:
  four_clocks clocks_;
  std::int64_t first_ps_ = 0, last_ps_ = 0, reached_ps_ = 0;
  bool open_ = false;
};

// What the clocks say together; "" for nothing in particular.
[[nodiscard]] inline const char* clock_reading(const four_clocks& c, const bubble_thresholds& t) noexcept {
  if (c.kernels == 0 || c.wall_ps == 0) return "";
  if (above(c.total_cost_ps, c.kernel_sum_ps, t.wait_danger_ppm)) return "wait_anchor_danger";
  if (above(c.kernel_sum_ps, c.wall_ps, t.parallel_ppm)) return "stream_parallelism";
  if (!at_least(c.busy_union_ps, c.wall_ps, t.sparse_ppm)) return "bubbles";
  const std::int64_t least = std::min({c.wall_ps, c.busy_union_ps, c.kernel_sum_ps, c.total_cost_ps});
  const std::int64_t most = std::max({c.wall_ps, c.busy_union_ps, c.kernel_sum_ps, c.total_cost_ps});
  return above(most - least, least, t.serial_ppm) ? "" : "clean_serial";
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
