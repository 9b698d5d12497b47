#include <analyse/bubbles/ops.hpp>
#include <analyse/bubbles/ratio.hpp>

#include <base/affix.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

std::int64_t weighted_ppm(double sum, std::int64_t weight_ps, double scale) noexcept {
  if (weight_ps <= 0) return -1;
  const double ppm = sum / static_cast<double>(weight_ps) * scale;
  return std::isfinite(ppm) && ppm >= 0 && ppm < 1e12 ? std::llround(ppm) : -1;
}

}  // namespace

// PipeUtilization columns of kernel_details.csv and op_summary (msprof, CANN 7 to 8.3).
counter_role role_of_counter(std::string_view header) noexcept {
  if (header.find("cube_utilization") != std::string_view::npos) return counter_role::cube_percent;
  for (const std::string_view unit : {"mac_ratio", "vec_ratio"})
    if (ends_with(header, unit)) return counter_role::compute_unit;
  if (ends_with(header, "mte2_ratio")) return counter_role::memory_unit;
  return counter_role::none;
}

std::uint32_t op_table::index_of(const kernel_row& k) {
  const string_id type = type_of(k);
  const std::uint64_t key = static_cast<std::uint64_t>(type) << 32 | k.core;
  if (key == last_key_) return last_op_;
  const auto [at, is_new] = index_.try_emplace(key, static_cast<std::uint32_t>(ops_.size()));
  if (is_new) {
    bubble_op& op = ops_.emplace_back();
    op.device = static_cast<std::uint32_t>(device_);
    op.op_type = type;
    op.core = k.core;
    op.name = k.name;
    op.kind = k.kind;
  }
  if (k.core == 0 && type < max_dense) {
    if (type >= dense_.size()) dense_.resize(std::size_t{type} + 1, unknown);
    dense_[type] = at->second;
  }
  last_key_ = key;
  last_op_ = at->second;
  return last_op_;
}

void op_table::add_counters(std::uint32_t op, const kernel_row& k) {
  const auto& all = of_.devices()[device_].details;
  if (k.details > all.size()) return;
  const kernel_details& details = all[k.details - 1];
  if (details.input_shapes != 0) ++shapes_[static_cast<std::uint64_t>(op) << 32 | details.input_shapes];
  if (details.counters.empty() || k.duration_ps <= 0) return;
  if (counters_.size() <= op) counters_.resize(ops_.size());
  counter_sum& sum = counters_[op];
  const auto weight = static_cast<double>(k.duration_ps);
  double compute = -1, memory = -1, cube = -1;
  for (const auto& [name, value] : details.counters) {
    const auto [at, is_new] = roles_.try_emplace(name, counter_role::none);
    if (is_new) at->second = role_of_counter(of_.text(name));
    switch (at->second) {
      case counter_role::cube_percent: cube = std::max(cube, value); break;
      case counter_role::compute_unit: compute = std::max(compute, value); break;
      case counter_role::memory_unit: memory = std::max(memory, value); break;
      case counter_role::none: break;
    }
  }
  const auto take = [&](double value, double& into, std::int64_t& weight_ps) {
    if (value < 0 || !std::isfinite(value)) return;
    into += value * weight;
    weight_ps = saturating_add(weight_ps, k.duration_ps);
  };
  take(cube, sum.cube, sum.cube_ps);
  take(compute, sum.compute_unit, sum.compute_ps);
  take(memory, sum.memory_unit, sum.memory_ps);
}

void op_table::judge_units(bubble_op& op, const counter_sum& sum, const bubble_thresholds& t) const {
  op.cube_utilisation_ppm = weighted_ppm(sum.cube, sum.cube_ps, 1e4);  // percent
  op.compute_unit_ppm = weighted_ppm(sum.compute_unit, sum.compute_ps, 1e6);
  op.memory_unit_ppm = weighted_ppm(sum.memory_unit, sum.memory_ps, 1e6);
  if (op.compute_unit_ppm < 0 || op.memory_unit_ppm < 0) return;
  const std::int64_t busiest = std::max(op.compute_unit_ppm, op.memory_unit_ppm);
  if (busiest == 0) return;  // the columns are there, but not filled for this op
  if (busiest < t.unit_bound_ppm)
    op.bound = "low_utilisation";
  else if (op.compute_unit_ppm >= t.unit_bound_ppm && op.memory_unit_ppm >= t.unit_bound_ppm)
    op.bound = "balanced";
  else
    op.bound = op.compute_unit_ppm > op.memory_unit_ppm ? "compute" : "memory";
}

std::vector<bubble_op> op_table::take(std::int64_t service_ps, const bubble_thresholds& t) {
  const std::size_t n = ops_.size();
  std::vector<std::uint64_t> most(n, 0);
  for (const auto& [key, calls] : shapes_) {
    const auto op = static_cast<std::size_t>(key >> 32);
    const auto shapes = static_cast<string_id>(key);
    // Of equally frequent shapes the one that was seen first, whatever the order of the map.
    if (calls < most[op] || (calls == most[op] && ops_[op].shapes != 0 && ops_[op].shapes < shapes)) continue;
    most[op] = calls;
    ops_[op].shapes = shapes;
  }
  counters_.resize(n);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](auto&& greater, std::uint32_t bubble_op::*into) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return greater(ops_[a], ops_[b]); });
    for (std::size_t i = 0; i < n; ++i) ops_[order[i]].*into = static_cast<std::uint32_t>(i + 1);
  };
  rank([](const bubble_op& a, const bubble_op& b) { return a.duration_ps > b.duration_ps; },
       &bubble_op::rank_by_duration);
  rank(
      [](const bubble_op& a, const bubble_op& b) {
        return static_cast<wide_int>(a.total_cost_ps()) * static_cast<std::int64_t>(b.calls) >
               static_cast<wide_int>(b.total_cost_ps()) * static_cast<std::int64_t>(a.calls);
      },
      &bubble_op::rank_by_mean_cost);
  rank([](const bubble_op& a, const bubble_op& b) { return a.total_cost_ps() > b.total_cost_ps(); },
       &bubble_op::rank_by_cost);
  for (std::size_t i = 0; i < n; ++i) {
    bubble_op& op = ops_[i];
    judge_units(op, counters_[i], t);
    const auto calls = static_cast<std::int64_t>(op.calls);
    op.small = static_cast<wide_int>(op.duration_ps) < static_cast<wide_int>(t.small_kernel_ps) * calls;
    op.inefficient =
        op.small && at_least(saturating_add(op.duration_ps, op.gap_before_ps), service_ps, t.small_op_share_ppm);
    op.false_hotspot =
        above(op.wait_ps, op.total_cost_ps(), t.wait_anchor_ratio_ppm) &&
        static_cast<wide_int>(op.duration_ps) < static_cast<wide_int>(t.wait_anchor_duration_ps) * calls &&
        op.rank_by_mean_cost <= t.wait_anchor_rank;
  }
  std::vector<bubble_op> by_cost;
  by_cost.reserve(n);
  for (const std::size_t i : order) by_cost.push_back(ops_[i]);
  return by_cost;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
