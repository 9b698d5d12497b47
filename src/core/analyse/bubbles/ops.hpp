// What each kind of op costs on a device: its executions summed, ranked, and judged.
#pragma once
#include <analyse/bubbles/kernels.hpp>
#include <base/hash_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// What a PMU column measures. Ratios of the time in which a unit works; utilisation in percent.
enum class counter_role : std::uint8_t { none, cube_percent, compute_unit, memory_unit };
[[nodiscard]] counter_role role_of_counter(std::string_view header) noexcept;

// An op is an op type on one kind of core; without a type its name stands for it.
class op_table {
 public:
  op_table(const activity& of, std::size_t device) : of_(of), device_(device) {}

  static constexpr std::uint32_t unknown = ~std::uint32_t{0};
  // The index of a kernel's op where it is at hand, else unknown: of a kernel without a core whose op came before.
  [[nodiscard]] std::uint32_t near(const kernel_row& k) const noexcept {
    const string_id type = type_of(k);
    return k.core == 0 && type < dense_.size() ? dense_[type] : unknown;
  }
  // The index of a kernel's op, which is counted.
  std::uint32_t add(const kernel_row& k, bool polluted) {
    const std::uint32_t is_near = near(k), at = is_near != unknown ? is_near : index_of(k);
    bubble_op& op = ops_[at];
    ++op.calls;
    op.duration_ps = saturating_add(op.duration_ps, k.duration_ps);
    if (k.wait_ps > 0) {
      op.wait_ps = saturating_add(op.wait_ps, k.wait_ps);
      if (polluted) op.polluted_wait_ps = saturating_add(op.polluted_wait_ps, k.wait_ps);
    }
    if (k.details != 0) add_counters(at, k);
    return at;
  }
  // Counts a kernel of that op, without a wait or details, and the gap before it.
  void add_plain(std::uint32_t at, std::int64_t duration_ps, std::int64_t gap_ps) noexcept {
    bubble_op& op = ops_[at];
    ++op.calls;
    op.duration_ps = saturating_add(op.duration_ps, duration_ps);
    add_gap(at, gap_ps);
  }
  // Idle time that ended with a kernel of this op; of no length where there was none.
  void add_gap(std::uint32_t op, std::int64_t gap_ps) noexcept {
    bubble_op& o = ops_[op];
    o.gaps_before += gap_ps > 0 ? 1 : 0;
    o.gap_before_ps = saturating_add(o.gap_before_ps, gap_ps);
    o.largest_gap_before_ps = std::max(o.largest_gap_before_ps, gap_ps);
  }
  // Idle time that is too short to list and began when a kernel of this op ended; of no length where there was none.
  void add_short_gap_after(std::uint32_t op, std::int64_t gap_ps) noexcept {
    bubble_op& o = ops_[op];
    o.short_gaps_after += gap_ps > 0 ? 1 : 0;
    o.short_gap_after_ps = saturating_add(o.short_gap_after_ps, gap_ps);
  }
  // The index of a kernel's op that was added before.
  [[nodiscard]] std::uint32_t find(const kernel_row& k) const {
    const auto at = index_.find(static_cast<std::uint64_t>(type_of(k)) << 32 | k.core);
    return at == index_.end() ? 0 : at->second;
  }
  [[nodiscard]] std::size_t size() const noexcept { return ops_.size(); }
  [[nodiscard]] const bubble_op& at(std::uint32_t op) const noexcept { return ops_[op]; }

  // Ranked and judged, by total cost. `service_ps`: what shares are of.
  [[nodiscard]] std::vector<bubble_op> take(std::int64_t service_ps, const bubble_thresholds& t);

 private:
  struct counter_sum {
    double cube = 0, compute_unit = 0, memory_unit = 0;  // value × duration: ratios, no times
    std::int64_t cube_ps = 0, compute_ps = 0, memory_ps = 0;
  };
  std::uint32_t index_of(const kernel_row& k);
  void add_counters(std::uint32_t op, const kernel_row& k);
  void judge_units(bubble_op& op, const counter_sum& sum, const bubble_thresholds& t) const;

  const activity& of_;
  const std::size_t device_;
  std::vector<bubble_op> ops_;
  std::vector<counter_sum> counters_;  // as ops_, once a kernel has counters
  static constexpr std::size_t max_dense = std::size_t{1} << 16;
  hash_map<std::uint64_t, std::uint32_t> index_;
  std::vector<std::uint32_t> dense_;               // the same by op type, of those without a core
  hash_map<std::uint64_t, std::uint64_t> shapes_;  // op and shapes -> calls
  hash_map<string_id, counter_role> roles_;
  std::uint64_t last_key_ = ~std::uint64_t{0};
  std::uint32_t last_op_ = 0;  // of last_key_
};

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
