// The four clocks of a set of kernels: wall, busy union, kernel sum, total cost.
#pragma once
#include <analyse/bubbles/kernels.hpp>
#include <analyse/bubbles/ratio.hpp>

#include <algorithm>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// Takes kernels by start; gives the gaps of their union as it goes.
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

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
