// The table of thresholds, and the words of the bubble detector.
#include <analyse/bubbles/ratio.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// "0.25" in millionths of its unit: digits, at most six of them after a point.
result<std::int64_t> decimal_millionths(std::string_view name, std::string_view text) {
  const auto wrong = [&](const char* why) {
    return fault{fault_code::invalid_argument,
                 "threshold " + std::string(name) + " = \"" + std::string(text) + "\": " + why, "", no_offset,
                 "give a number that is not negative, such as 0.25 or 1000"};
  };
  constexpr std::int64_t most = 1'000'000'000'000;  // past any length of a capture in µs
  std::int64_t whole = 0, fraction = 0, unit = 1'000'000;
  bool digits = false, point = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') return wrong("this is not a decimal number");
    digits = true;
    if (!point) {
      whole = whole * 10 + (c - '0');
      if (whole > most) return wrong("this is too large");
      continue;
    }
    if (unit == 1 && c != '0') return wrong("at most six decimals count");
    if (unit == 1) continue;
    unit /= 10;
    fraction += (c - '0') * unit;
  }
  if (!digits) return wrong("this is not a decimal number");
  return whole * 1'000'000 + fraction;
}

}  // namespace

const std::vector<threshold_entry>& threshold_table() {
  using t = bubble_thresholds;
  using u = threshold_unit;
  static const std::vector<threshold_entry> table = {
      {"heavy_gap_us", u::microseconds, &t::heavy_gap_ps, "a gap is heavy from the larger of this and heavy_share"},
      {"heavy_share", u::ratio, &t::heavy_share_ppm, "of the step's service time"},
      {"reportable_gap_us", u::microseconds, &t::reportable_gap_ps, "shorter gaps are only summed"},
      {"idle_ratio", u::ratio, &t::idle_ratio_ppm, "share of a step that makes its idle time heavy"},
      {"exposed_ratio", u::ratio, &t::exposed_ratio_ppm, "share of a group's steps that makes exposed time a cause"},
      {"compute_bound", u::ratio, &t::compute_bound_ppm, "share of compute in all steps: the answer to \"idle?\" is No"},
      {"merge_tolerance_us", u::microseconds, &t::merge_tolerance_ps, "holes up to this length count as busy"},
      {"recurring_share", u::ratio, &t::recurring_share_ppm, "of the steps of a group"},
      {"sync_overlap", u::ratio, &t::sync_overlap_ppm, "possible_sync_or_h2d from here on"},
      {"comm_overlap", u::ratio, &t::comm_overlap_ppm, "possible_comm_wait from here on"},
      {"untraced_coverage", u::ratio, &t::untraced_coverage_ppm, "possible_untraced_host_blocking below"},
      {"launch_lag_coverage", u::ratio, &t::launch_lag_coverage_ppm, "possible_host_launch_lag from here on"},
      {"serial_parallelism", u::ratio, &t::serial_parallelism_ppm, "possible_python_serialization_or_lock below"},
      {"high_coverage", u::ratio, &t::high_coverage_ppm, "host coverage that makes the host risk high"},
      {"known_cause", u::ratio, &t::known_cause_ppm, "share of a gap that names what the launching thread did"},
      {"high_confidence", u::ratio, &t::high_confidence_ppm, "share of a gap that it covers: high, with a late launch"},
      {"medium_confidence", u::ratio, &t::medium_confidence_ppm, "share of a gap that it covers: medium"},
      {"late_launch", u::ratio, &t::late_launch_ppm, "of a gap: a launch from here on was late"},
      {"early_launch", u::ratio, &t::early_launch_ppm, "of a gap: launched before, so the device waited for another"},
      {"wait_anchor_ratio", u::ratio, &t::wait_anchor_ratio_ppm, "wait / total cost above"},
      {"wait_anchor_duration_us", u::microseconds, &t::wait_anchor_duration_ps, "mean duration below"},
      {"wait_anchor_rank", u::count, &t::wait_anchor_rank, "by mean total cost, at most"},
      {"wait_heavy", u::ratio, &t::wait_heavy_ppm, "wait / total cost of one kernel above"},
      {"polluted_wait", u::ratio, &t::polluted_wait_ppm, "share of a step's waits that overlap communication"},
      {"aicpu_masked", u::ratio, &t::aicpu_masked_ppm, "AICPU_MASKED_BUT_UNDESIRABLE from here on"},
      {"aicpu_exposed", u::ratio, &t::aicpu_exposed_ppm, "AICPU_EXPOSED_NOT_ALLOWED below"},
      {"aicpu_exposed_us", u::microseconds, &t::aicpu_exposed_ps, "exposed time of partly exposed ops"},
      {"aicpu_exposed_share", u::ratio, &t::aicpu_exposed_share_ppm, "the same as a share of the step"},
      {"aicpu_adjacent_us", u::microseconds, &t::aicpu_adjacent_ps, "an AI CPU kernel so near belongs to a gap"},
      {"small_kernel_us", u::microseconds, &t::small_kernel_ps, "shorter kernels are side work"},
      {"small_op_share", u::ratio, &t::small_op_share_ppm, "of the service time: a small op is inefficient"},
      {"group_count_tolerance", u::ratio, &t::group_count_ppm, "kernel counts of steps of one group differ by at most"},
      {"group_overlap", u::ratio, &t::group_overlap_ppm, "op types of steps of one group overlap by at least"},
      {"cut_step", u::ratio, &t::cut_step_ppm, "of the group's median kernel count: the step was cut"},
      {"structure_gap_factor", u::count, &t::structure_gap_factor, "of the median gap"},
      {"structure_gap_us", u::microseconds, &t::structure_gap_ps, "gaps that can part structures"},
      {"parallel", u::ratio, &t::parallel_ppm, "kernel sum / wall above: streams run in parallel"},
      {"sparse", u::ratio, &t::sparse_ppm, "busy / wall below: bubbles"},
      {"wait_danger", u::ratio, &t::wait_danger_ppm, "total cost / kernel sum above: waits dominate"},
      {"serial", u::ratio, &t::serial_ppm, "all clocks agree within: serial"},
      {"pattern_share", u::ratio, &t::pattern_share_ppm, "of the service time: below, no idle pattern"},
      {"pattern_gap_us", u::microseconds, &t::pattern_gap_ps, "below, no idle pattern"},
      {"mixed_pattern", u::ratio, &t::mixed_pattern_ppm, "second / first kind of gap: mixed from here on"},
      {"inter_step_factor", u::count, &t::inter_step_factor, "times every other kind: inter_step"},
      {"rank_disagreement", u::count, &t::rank_disagreement, "places between two rankings of an op"},
      {"unit_bound", u::ratio, &t::unit_bound_ppm, "share of an op's time in which its unit works"},
  };
  return table;
}

result<void> set_threshold(bubble_thresholds& into, std::string_view name, std::string_view value) {
  const auto& table = threshold_table();
  const auto found = std::find_if(table.begin(), table.end(), [&](const threshold_entry& e) { return e.name == name; });
  if (found == table.end()) {
    std::string names;
    for (const threshold_entry& e : table) names += (names.empty() ? "" : ", ") + std::string(e.name);
    return fault{fault_code::invalid_argument, "there is no threshold \"" + std::string(name) + "\"", "", no_offset,
                 "the thresholds are " + names};
  }
  const result<std::int64_t> millionths = decimal_millionths(name, value);
  if (!millionths) return millionths.error();
  // A millionth of a microsecond is a picosecond, and ratios are in millionths: the same number.
  if (found->unit != threshold_unit::count) {
    into.*found->value = *millionths;
    return {};
  }
  if (*millionths % 1'000'000 != 0)
    return fault{fault_code::invalid_argument, "threshold " + std::string(name) + " has to be a whole number", "",
                 no_offset, ""};
  into.*found->value = *millionths / 1'000'000;
  return {};
}

namespace {

struct cause_words {
  const char *label, *meaning;
};
// In the order of idle_cause.
constexpr cause_words words_of_causes[] = {
    {"possible_host_launch_lag", "the host issues work more slowly than the device runs it"},
    {"possible_host_launch_lag", "the host updates the parameters one by one"},
    {"possible_sync_or_h2d", "the host is in a wait while the device has nothing to do"},
    {"possible_sync_or_h2d", "a wait of the host emptied the queue of the device"},
    {"possible_sync_or_h2d", "the host is held up by a copy from pageable memory"},
    {"possible_data_loader", "the host waits for the next batch"},
    {"possible_gc", "Python collects garbage"},
    {"possible_allocation", "the allocator asks the driver for memory or gives it back"},
    {"possible_compile", "something is compiled while the device waits"},
    {"possible_module_load", "code is loaded to the device"},
    {"possible_checkpoint", "the state is saved while the device waits"},
    {"possible_comm_wait", "the host is inside a collective call"},
    {"possible_device_dependency", "the work was launched early: the device did not wait for the host"},
    {"possible_python_serialization_or_lock", "the host waits for a lock"},
    {"possible_untraced_host_blocking", "almost nothing of the host was recorded"},
    {"insufficient_evidence", "nothing on record says why the device waits"},
    {"", "no compute hides the communication"},
    {"", "no compute hides the copies"},
    {"possible_host_launch_lag", "the host launches a whole graph late"},
    {"", "ranks wait in collectives for the last one"},
    {"possible_recording", "the profiler itself holds the program up"},
    {"possible_host_call", "the host is inside one call"},
};
static_assert(sizeof words_of_causes / sizeof words_of_causes[0] == idle_cause_count);

}  // namespace

const char* idle_cause_meaning(idle_cause c) noexcept { return words_of_causes[static_cast<std::size_t>(c)].meaning; }
const char* idle_cause_label(idle_cause c) noexcept { return words_of_causes[static_cast<std::size_t>(c)].label; }

const char* clock_reading(const four_clocks& c, const bubble_thresholds& t) noexcept {
  using bubbles::above;
  if (c.kernels == 0 || c.wall_ps == 0) return "";
  if (above(c.total_cost_ps, c.kernel_sum_ps, t.wait_danger_ppm)) return "wait_anchor_danger";
  if (above(c.kernel_sum_ps, c.wall_ps, t.parallel_ppm)) return "stream_parallelism";
  if (!bubbles::at_least(c.busy_union_ps, c.wall_ps, t.sparse_ppm)) return "bubbles";
  const std::int64_t least = std::min({c.wall_ps, c.busy_union_ps, c.kernel_sum_ps, c.total_cost_ps});
  const std::int64_t most = std::max({c.wall_ps, c.busy_union_ps, c.kernel_sum_ps, c.total_cost_ps});
  return above(most - least, least, t.serial_ppm) ? "" : "clean_serial";
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
