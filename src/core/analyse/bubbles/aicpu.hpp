// How much of each AI CPU kernel is covered by compute.
#pragma once
#include <analyse/bubbles/kernels.hpp>
#include <analyse/bubbles/ops.hpp>
#include <analyse/bubbles/ratio.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

[[nodiscard]] inline aicpu_verdict judge_aicpu(std::int64_t masked_ps, std::int64_t duration_ps,
                                               const bubble_thresholds& t) noexcept {
  if (duration_ps <= 0) return aicpu_verdict::unknown;
  if (at_least(masked_ps, duration_ps, t.aicpu_masked_ppm)) return aicpu_verdict::masked;
  return at_least(masked_ps, duration_ps, t.aicpu_exposed_ppm) ? aicpu_verdict::partly_exposed : aicpu_verdict::exposed;
}

// What AI CPU kernels of a step left uncovered.
struct aicpu_exposure {
  std::uint64_t exposed_calls = 0;
  std::int64_t partly_exposed_ps = 0;
};

// Kernels that run now. The time that compute covers is added as it passes; a kernel's share of it is what passed
// between its start and its end.
class aicpu_sweep {
 public:
  explicit aicpu_sweep(const bubble_thresholds& t) : thresholds_(t) {}

  void begin(const kernel_row& k, std::uint32_t op, std::uint32_t step) {
    totals_of(op, k);
    if (k.duration_ps <= 0) return;
    open_.push_back({end_of(k), covered_ps_, k.duration_ps, op, step});
    std::push_heap(open_.begin(), open_.end(), later);
  }
  void cover(std::int64_t length_ps) noexcept { covered_ps_ += length_ps; }
  // The next end of an open kernel.
  [[nodiscard]] std::int64_t next_end_ps() const noexcept {
    return open_.empty() ? std::numeric_limits<std::int64_t>::max() : open_.front().end_ps;
  }
  // Closes what ends by now; exposure goes to on_closed(step, verdict, exposed_ps).
  template <class OnClosed>
  void end_until(std::int64_t now_ps, OnClosed&& on_closed) {
    while (!open_.empty() && open_.front().end_ps <= now_ps) {
      std::pop_heap(open_.begin(), open_.end(), later);
      const running k = open_.back();
      open_.pop_back();
      const std::int64_t masked = covered_ps_ - k.covered_at_start_ps;
      const aicpu_verdict verdict = judge_aicpu(masked, k.duration_ps, thresholds_);
      add(ops_[index_[k.op]], k, masked, verdict);
      on_closed(k.step, verdict, k.duration_ps - masked);
    }
  }
  void note_beside_bubble(std::uint32_t op) {
    if (op < index_.size() && index_[op] != none) ++ops_[index_[op]].beside_bubbles;
  }
  [[nodiscard]] std::vector<aicpu_op> take(const op_table& named, std::uint32_t device) {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      aicpu_op& a = ops_[i];
      const bubble_op& op = named.at(op_of_[i]);
      a.device = device;
      a.op_type = op.op_type;
      a.name = op.name;
      a.verdict = judge_aicpu(a.masked_ps, a.duration_ps, thresholds_);
    }
    std::stable_sort(ops_.begin(), ops_.end(), [](const aicpu_op& a, const aicpu_op& b) {
      return a.duration_ps - a.masked_ps > b.duration_ps - b.masked_ps;
    });
    return std::move(ops_);
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct running {
    std::int64_t end_ps, covered_at_start_ps, duration_ps;
    std::uint32_t op, step;
  };
  static bool later(const running& a, const running& b) noexcept { return a.end_ps > b.end_ps; }

  void totals_of(std::uint32_t op, const kernel_row& k) {
    if (index_.size() <= op) index_.resize(op + 1, none);
    if (index_[op] == none) {
      index_[op] = static_cast<std::uint32_t>(ops_.size());
      op_of_.push_back(op);
      ops_.emplace_back().kind = k.kind;
    }
    ++ops_[index_[op]].calls;
  }
  static void add(aicpu_op& into, const running& k, std::int64_t masked, aicpu_verdict verdict) noexcept {
    into.duration_ps = saturating_add(into.duration_ps, k.duration_ps);
    into.masked_ps = saturating_add(into.masked_ps, masked);
    const std::int64_t ppm = ppm_of(masked, k.duration_ps);
    into.min_masked_ppm = into.min_masked_ppm < 0 ? ppm : std::min(into.min_masked_ppm, ppm);
    into.max_masked_ppm = std::max(into.max_masked_ppm, ppm);
    if (verdict == aicpu_verdict::exposed) ++into.exposed_calls;
    if (verdict == aicpu_verdict::partly_exposed) ++into.partly_exposed_calls;
  }

  const bubble_thresholds& thresholds_;
  std::vector<running> open_;  // a heap: the first to end is in front
  std::int64_t covered_ps_ = 0;
  std::vector<std::uint32_t> index_;  // of an op in ops_
  std::vector<std::uint32_t> op_of_;
  std::vector<aicpu_op> ops_;
};

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
