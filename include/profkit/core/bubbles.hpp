// Why a device waits: idle time between kernels, step by step, with what ran around it and what the host did meanwhile.
//
// That a device was idle is a fact, taken from the union of its kernels; why it was idle is an opinion, given as a
// label with the evidence for it. One detector works on the activity of XSpace, Kineto and Ascend captures. Times are
// int64 ps relative to the capture origin, and every sum is exact: busy + prelaunch + internal + tail + not recorded = service, and
// the parts of a breakdown add up to the window. Names are ids of the activity's string table.
#pragma once
#include <profkit/core/activity.hpp>
#include <profkit/core/export.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/finding.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/packed_list.hpp>
#include <profkit/core/sink.hpp>
#include <profkit/time.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// ---- thresholds ------------------------------------------------------------------------------------------

/// Every number that turns a measurement into a tag, a label or a verdict. Ratios are in millionths, so that all
/// comparisons are exact. threshold_table() names them; the document prints them.
struct bubble_thresholds {
  std::int64_t heavy_gap_ps = 1'000'000'000;  ///< a gap is heavy from max(this, heavy_share of the step)
  std::int64_t heavy_share_ppm = 100'000;
  std::int64_t reportable_gap_ps = 50'000'000;  ///< gaps from here on are listed and explained
  std::int64_t exposed_ratio_ppm = 50'000;      ///< share of a group's steps from which on exposed time is a cause
  std::int64_t idle_ratio_ppm = 300'000;        ///< share of a step that makes its idle time heavy
  std::int64_t compute_bound_ppm = 900'000;     ///< share of compute from which on nothing else matters
  std::int64_t merge_tolerance_ps = 0;          ///< holes up to this length between kernels count as busy
  std::int64_t recurring_share_ppm = 600'000;   ///< of the steps of a group
  std::int64_t sync_overlap_ppm = 200'000;
  std::int64_t comm_overlap_ppm = 200'000;
  std::int64_t untraced_coverage_ppm = 50'000;  ///< host coverage below this: untraced
  std::int64_t launch_lag_coverage_ppm = 100'000;
  std::int64_t serial_parallelism_ppm = 1'200'000;
  std::int64_t high_coverage_ppm = 500'000;    ///< host coverage from here on is a high host risk
  std::int64_t known_cause_ppm = 200'000;      ///< of a gap: what a known activity has to cover to be named
  std::int64_t high_confidence_ppm = 900'000;  ///< of a gap: what it has to cover to be certain
  std::int64_t medium_confidence_ppm = 500'000;
  std::int64_t late_launch_ppm = 800'000;   ///< of a gap: a launch from here on was late
  std::int64_t early_launch_ppm = 500'000;  ///< a launch before here: the device waited for something else
  std::int64_t wait_anchor_ratio_ppm = 950'000;
  std::int64_t wait_anchor_duration_ps = 10'000'000;
  std::int64_t wait_anchor_rank = 10;
  std::int64_t wait_heavy_ppm = 800'000;
  std::int64_t polluted_wait_ppm = 200'000;  ///< of a step's wait
  std::int64_t aicpu_masked_ppm = 900'000;
  std::int64_t aicpu_exposed_ppm = 200'000;
  std::int64_t aicpu_exposed_ps = 100'000'000;
  std::int64_t aicpu_exposed_share_ppm = 10'000;
  std::int64_t aicpu_adjacent_ps = 10'000'000;
  std::int64_t small_kernel_ps = 10'000'000;  ///< shorter kernels count as side work
  std::int64_t small_op_share_ppm = 10'000;   ///< of the service time, with the gaps before them: inefficient
  std::int64_t group_count_ppm = 50'000;
  std::int64_t group_overlap_ppm = 900'000;
  std::int64_t cut_step_ppm = 800'000;    ///< fewer kernels than this share of the median: the step was cut
  std::int64_t structure_gap_factor = 5;  ///< of the median gap
  std::int64_t structure_gap_ps = 100'000'000;
  std::int64_t parallel_ppm = 1'200'000;     ///< kernel sum / wall above this: streams run in parallel
  std::int64_t sparse_ppm = 800'000;         ///< busy / wall below this: bubbles
  std::int64_t wait_danger_ppm = 2'000'000;  ///< total cost / kernel sum above this: waits dominate
  std::int64_t serial_ppm = 50'000;          ///< all four clocks within this: clean and serial
  std::int64_t pattern_share_ppm = 10'000;   ///< of the service time: below it no idle pattern dominates
  std::int64_t pattern_gap_ps = 50'000'000;
  std::int64_t mixed_pattern_ppm = 800'000;
  std::int64_t inter_step_factor = 3;
  std::int64_t rank_disagreement = 10;
  std::int64_t unit_bound_ppm = 500'000;  ///< a unit busy for this share of an op's time bounds it
};

// enum threshold_unit: written by scripts/generate
enum class threshold_unit : std::uint8_t { microseconds, ratio, count };
[[nodiscard]] const char* threshold_unit_name(threshold_unit value) noexcept;  ///< "us", "ratio", …
// end of enum threshold_unit
/// One row of the table: its name in the document and in a threshold file, in the unit that stands there.
struct threshold_entry {
  const char* name;  ///< "heavy_gap_us"
  threshold_unit unit;
  std::int64_t bubble_thresholds::*value;
  const char* meaning;
};
[[nodiscard]] const std::vector<threshold_entry>& threshold_table();
/// Sets one by name from a decimal number in the table's unit. Faults: invalid_argument (no such name, no number,
/// negative, more than six decimals).
result<void> set_threshold(bubble_thresholds& into, std::string_view name, std::string_view value);
/// Reads a TOML text whose table [bubbles] (or whose top level) holds names of the table. Faults: damaged,
/// invalid_argument with the line.
result<bubble_thresholds> read_thresholds(std::string_view toml, const std::string& path);

// ---- what to look at -------------------------------------------------------------------------------------

// enum window_policy: written by scripts/generate
/// Where a step begins and ends. WHOLE: from its mark, or from its first kernel where the device is still busy with
/// earlier work, to the next step; the last one to the end of its mark or of its last kernel. GUIDE: from its mark or
/// first kernel to those of the next step; the last one to the end of the last kernel. MARKER: its own mark. DEVICE:
/// its first to its last kernel.
enum class window_policy : std::uint8_t { whole, marker, device, guide };
[[nodiscard]] const char* window_policy_name(window_policy value) noexcept;  ///< "whole", "marker", …
// end of enum window_policy

/// Which steps of each device are asked for; empty: all, and the time outside of steps. Of other steps nothing is listed or
/// counted, nor of the time outside; what is said of a device as a whole stays that of the whole capture.
struct step_filter {
  std::optional<std::uint64_t> step;           ///< position among the device's steps
  std::optional<std::int64_t> from_ps, to_ps;  ///< steps that share an instant with it; cuts a capture without steps
  std::string name;                            ///< steps whose marker's name contains it
  [[nodiscard]] bool empty() const noexcept { return !step && !from_ps && !to_ps && name.empty(); }
};
struct bubble_options {
  std::string device, step_pattern;  ///< see activity_options
  step_filter only;
  window_policy windows = window_policy::whole;
  bubble_thresholds thresholds;
  std::uint64_t limit = 0;            ///< rows of each list of the document; 0: all
  std::uint64_t max_bubbles = 32768;  ///< kept with their context; further ones, the shortest, are only summed
};

// ---- what was found --------------------------------------------------------------------------------------

// enum confidence: written by scripts/generate
enum class confidence : std::uint8_t { low, medium, high };
[[nodiscard]] const char* confidence_name(confidence value) noexcept;  ///< "low", "medium", …
// end of enum confidence

// enum bubble_scope: written by scripts/generate
/// Where in a step a gap lies.
enum class bubble_scope : std::uint8_t {
  global,        ///< in no step, or over the boundary of two
  step_internal, ///< between two kernels of a step
  prelaunch,     ///< before the first kernel
  tail           ///< after the last kernel
};
[[nodiscard]] const char* bubble_scope_name(bubble_scope value) noexcept;  ///< "global", "step_internal", …
// end of enum bubble_scope

// enum bubble_label: written by scripts/generate
/// Soft causes, in the order in which the rules are tried.
enum class bubble_label : std::uint8_t {
  sync_or_h2d,                  ///< synchronisation, or a copy to the device
  comm_wait,                    ///< communication
  untraced_host_blocking,       ///< the host was blocked by what was not recorded
  host_launch_lag,              ///< the host launched late
  python_serialization_or_lock, ///< Python, or a lock
  insufficient_evidence         ///< none of these
};
inline constexpr std::size_t bubble_label_count = 6;
[[nodiscard]] const char* bubble_label_name(bubble_label value) noexcept;  ///< "possible_sync_or_h2d", "possible_comm_wait", …
// end of enum bubble_label

// enum idle_cause: written by scripts/generate
/// Why a device waits, as far as the capture shows; what each needs is in docs/bubbles.md. Work comes late from the
/// host for the first ones, then the device or a lock holds it up, then nothing is known.
enum class idle_cause : std::uint8_t {
  launch_bound,      ///< the launching thread is busy with ops of a framework
  optimizer_loop,    ///< the same within the update of the parameters
  sync_wait,         ///< it stands in a wait for a stream, an event or the device, or in a copy that waits
  sync_drain,        ///< a wait emptied the queue before the gap
  h2d_pageable,      ///< it stands in a copy from pageable memory
  data_loader,       ///< it waits for the next batch
  gc,                ///< Python collects garbage
  allocation,        ///< the allocator asks the driver
  compile,           ///< something is compiled
  module_load,       ///< code is loaded to the device
  checkpoint,        ///< the state is saved
  comm_host_wait,    ///< it stands in a call of a collective
  device_dependency, ///< the work was launched in time: the device waited for something else
  lock,              ///< it waits for a lock
  host_untraced,     ///< nothing of it is on record
  unexplained,       ///< little is on record, and none of it says why
  exposed_comm,      ///< no gap: the device only communicates
  exposed_copy,      ///< no gap: the device only copies
  graph_launch_late, ///< the launching thread is busy, and what it launches at last is a whole graph
  straggler_wait,    ///< no gap: ranks stand in a collective until the last one comes
  recording,         ///< the profiler itself holds the program up
  host_call          ///< the launching thread stands in one call, of which it is not known what it does
};
inline constexpr std::size_t idle_cause_count = 22;
[[nodiscard]] const char* idle_cause_name(idle_cause value) noexcept;  ///< "launch_bound", "optimizer_loop", …
// end of enum idle_cause
[[nodiscard]] const char* idle_cause_meaning(idle_cause c) noexcept;  ///< "the host waits for the next batch", …
/// The label under which soft_root_cause_summary lists it: "possible_host_launch_lag", "possible_data_loader", …; "" of
/// exposed time.
[[nodiscard]] const char* idle_cause_label(idle_cause c) noexcept;

// enum bubble_tag: written by scripts/generate
/// Anomalies of a step.
enum class bubble_tag : std::uint8_t {
  device_idle_gap_heavy,        ///< the device is idle for much of it
  prelaunch_gap_heavy,          ///< before the first kernel
  tail_gap_heavy,               ///< after the last kernel
  internal_bubble_heavy,        ///< between kernels
  recurring_bubble_pattern,     ///< the same gap in many steps
  host_originated_risk,         ///< the host may be the reason
  untraced_host_blocking_risk,  ///< the host may be blocked by what was not recorded
  comm_sync_risk,               ///< communication may be the reason
  wait_pollution_risk,          ///< waits may count as work
  wait_anchor_false_hotspot,    ///< a kernel that waits looks like one that works
  aicpu_exposed_risk,           ///< kernels of the AI CPU run alone
  partial_capture_boundary,     ///< it touches the edge of the capture
  variable_shape_same_template  ///< shapes vary
};
inline constexpr std::size_t bubble_tag_count = 13;
[[nodiscard]] const char* bubble_tag_name(bubble_tag value) noexcept;  ///< "DEVICE_IDLE_GAP_HEAVY", "PRELAUNCH_GAP_HEAVY", …
// end of enum bubble_tag

/// A small set of labels or tags.
template <class T>
class flag_set {
 public:
  constexpr void add(T t) noexcept { bits_ |= 1U << static_cast<unsigned>(t); }
  constexpr void add(flag_set all) noexcept { bits_ |= all.bits_; }
  constexpr void drop(T t) noexcept { bits_ &= ~(1U << static_cast<unsigned>(t)); }
  [[nodiscard]] constexpr bool has(T t) const noexcept { return (bits_ >> static_cast<unsigned>(t) & 1U) != 0; }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr bool operator==(flag_set other) const noexcept { return bits_ == other.bits_; }

 private:
  std::uint32_t bits_ = 0;
};
using bubble_labels = flag_set<bubble_label>;
using bubble_tags = flag_set<bubble_tag>;

/// What a thread of the host did for most of a gap, as far as the vocabulary knows the names of its spans: at each
/// moment the innermost known one counts, frames and locks only where nothing else is known.
struct known_activity {
  idle_cause cause = idle_cause::unexplained;
  string_id span = 0;           ///< the name with most time
  std::int64_t covered_ps = 0;  ///< of the gap, by all names of the cause
};

/// What the host did during a gap. All of it lies inside the gap, but for the wait before it.
struct host_evidence {
  bool traced = false;          ///< the group has host spans at all; else everything below is 0
  std::int64_t host_ps = 0;     ///< any host activity
  std::int64_t leaf_ps = 0;     ///< the same without python frames
  std::int64_t sync_ps = 0;     ///< synchronisation and copies
  std::int64_t comm_ps = 0;     ///< communication
  std::int64_t gc_ps = 0;       ///< garbage collection
  std::int64_t recording_ps = 0;  ///< what the profiler itself did
  std::int64_t threads_ps = 0;  ///< sum over threads of their own activity; / host_ps is the parallelism
  known_activity known;  ///< of the thread that launched the next kernel; without a launch on record, of any thread
  std::int64_t launcher_ps = 0;  ///< ops and calls of the launching thread, of any name
  std::int64_t silent_ps = 0;      ///< the longest time without an op or a call of the launching thread
  std::int64_t untraced_ps = 0;    ///< the same without any span of it, frames and annotations as well
  std::int64_t still_ps = 0;     ///< the longest time in which it began and ended no op, call or range
  string_id still_span = 0;      ///< the innermost of those that it stood in meanwhile; 0: in none
  std::int64_t drain_ps = 0;     ///< length of its wait that began before the gap and ended in it; 0: none
  std::int64_t drain_end_ps = no_time_ps;
  string_id drain_span = 0;
  std::vector<std::pair<string_id, std::int64_t>> ops;  ///< the ten names that overlap most, most first
};

/// Why a device waited in one gap.
struct gap_cause {
  idle_cause id = idle_cause::unexplained;
  string_id span = 0;           ///< the span of the host that names it; 0: none does
  std::int64_t covered_ps = 0;  ///< how much of the gap the evidence covers
};

inline constexpr std::size_t max_context = 3;

/// One gap of a device, with its surroundings.
struct bubble {
  std::uint32_t device = 0;
  std::int32_t step = -1;  ///< index into bubbles_result::steps; -1: between or outside steps
  bubble_scope scope = bubble_scope::step_internal;
  bool inter_step = false;  ///< tail of a step and prelaunch of the next one, listed once more as one gap
  bool heavy = false;
  bool boundary_adjacent = false;  ///< touches the edge of the capture: it may be an artefact
  bool before_other_step = false;  ///< `before` ran in an earlier step
  std::uint8_t before_count = 0, after_count = 0;
  std::int32_t structure_before = -1, structure_after = -1;  ///< in the step; equal: inside
  std::int64_t start_ps = 0, end_ps = 0;
  std::array<kernel_row, max_context> before, after;  ///< the nearest first
  kernel_row next;  ///< the kernel that ends the device's waiting, in whatever step
  host_evidence host;
  bubble_labels labels;  ///< the soft labels that its evidence meets; `cause` is the verdict
  gap_cause cause;
  certainty sure = certainty::unknown;  ///< of the cause
  [[nodiscard]] std::int64_t length_ps() const noexcept { return end_ps - start_ps; }
  [[nodiscard]] bool inside_structure() const noexcept {
    return structure_before >= 0 && structure_before == structure_after;
  }
  /// When the next kernel was launched, where the capture says so; else no_time_ps. At the idle end of a step the next
  /// kernel is one of a later step.
  [[nodiscard]] std::int64_t launch_ps() const noexcept { return next.launch_ps; }
  /// When the call that launched it returned; without its length, when it began.
  [[nodiscard]] std::int64_t launched_ps() const noexcept {
    return next.launch_end_ps == no_time_ps ? next.launch_ps : next.launch_end_ps;
  }
  [[nodiscard]] std::uint32_t launch_thread() const noexcept { return next.launch_thread; }
};

/// Where the time of a window went; the parts add up to the window. What runs beside compute counts as compute.
struct step_breakdown {
  std::int64_t compute_only_ps = 0, comm_exposed_ps = 0, comm_overlapped_ps = 0, copy_ps = 0, other_ps = 0, idle_ps = 0;
  std::int64_t not_recorded_ps = 0;  ///< nothing else runs, and work that was launched has no record: not known
  [[nodiscard]] std::int64_t sum_ps() const noexcept {
    std::int64_t sum = 0;
    for (const std::int64_t part :
         {compute_only_ps, comm_exposed_ps, comm_overlapped_ps, copy_ps, other_ps, idle_ps, not_recorded_ps})
      sum = saturating_add(sum, part);
    return sum;
  }
};

/// The four clocks of a set of kernels. Waits contain the time of other kernels: never divide total cost by service.
struct four_clocks {
  std::uint64_t kernels = 0;
  std::int64_t wall_ps = 0, busy_union_ps = 0, kernel_sum_ps = 0, total_cost_ps = 0;
};

/// What the clocks say together: "wait_anchor_danger", "stream_parallelism", "bubbles", "clean_serial", "" for nothing
/// in particular.
[[nodiscard]] const char* clock_reading(const four_clocks& c, const bubble_thresholds& t) noexcept;

// enum host_risk: written by scripts/generate
enum class host_risk : std::uint8_t { low, medium, high };
[[nodiscard]] const char* host_risk_name(host_risk value) noexcept;  ///< "low", "medium", …
// end of enum host_risk

/// What was measured of a step.
struct step_measures {
  std::uint32_t device = 0;
  marker_source source = marker_source::profiler_step;
  bool pseudo = false;     ///< no marker: the whole capture
  bool straddled = false;  ///< a kernel reaches over one of its edges
  bool tail_known = true;  ///< false: when it ended is not on record, and it counts up to its last kernel
  std::int64_t start_ps = 0, end_ps = 0;
  std::int64_t marker_end_ps = no_time_ps;
  std::int64_t busy_ps = 0, prelaunch_ps = 0, tail_ps = 0, internal_total_ps = 0, largest_internal_ps = 0;
  std::uint64_t bubble_count = 0;  ///< internal gaps of any length
  step_breakdown breakdown;
  std::array<std::uint64_t, 5> kernels{};  ///< by kernel_class; of those that start in the window
  std::uint64_t zero_length_kernels = 0, other_step_id_kernels = 0;
  std::uint32_t streams = 0;
  std::uint32_t first_structure = 0, structures = 0;
  std::uint32_t unused = 0;  ///< packed_list reads every byte of a row
  std::int64_t duration_sum_ps = 0, wait_sum_ps = 0, polluted_wait_ps = 0;
  four_clocks clocks;
  std::uint64_t reportable = 0;  ///< gaps long enough to be listed, prelaunch and tail among them
  std::int64_t reportable_ps = 0;
  const char* structure_source = "";    ///< "attention", "periodic op", "gaps", "annotations", "" none
  std::string_view structures_missing;  ///< why there are none
  [[nodiscard]] std::int64_t service_ps() const noexcept { return end_ps - start_ps; }
  [[nodiscard]] std::int64_t underfeed_ps() const noexcept {
    const std::int64_t known_ps = service_ps() - breakdown.not_recorded_ps;
    return known_ps > busy_ps ? known_ps - busy_ps : 0;
  }
  [[nodiscard]] std::uint64_t kernel_count() const noexcept {
    return kernels[0] + kernels[1] + kernels[2] + kernels[3] + kernels[4];
  }
};

/// What was made of it.
struct step_verdict {
  std::int64_t weighted_host_ps = 0, weighted_sync_ps = 0, weighted_comm_ps = 0;
  std::uint64_t unrecorded_launches = 0;  ///< of the host's step of that number, or in the window where it has none
  std::int64_t evidenced_ps = 0;  ///< length of the listed gaps that host evidence exists for
  std::int64_t launched_early_ps = 0;  ///< of them, those whose work was launched in time: the host is not the cause
  std::int32_t group = -1;        ///< index into bubbles_result::groups
  bubble_tags tags;
  bubble_labels labels;
  bool traced = false;
  bool boundary_dominated = false, cut = false;
  host_risk risk = host_risk::low;
};

/// One step of one device.
struct bubble_step : step_measures, step_verdict {
  std::string id;  ///< "50": the number of its marker, else its name
};
/// What was measured, and the id; verdicts are not packed.
void pack_row(const bubble_step& row, number_packer& into);
void unpack_row(bubble_step& row, number_unpacker& from);
inline void count_row_from(bubble_step& row, std::uint32_t structures) noexcept { row.first_structure += structures; }

/// The steps of all devices. There may be a million of them, and most are read once.
class bubble_steps {
 public:
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = bubble_step;
    using difference_type = std::ptrdiff_t;
    using pointer = const bubble_step*;
    using reference = bubble_step;
    iterator(packed_list<bubble_step>::iterator at, const step_verdict* verdict) noexcept
        : at_(at), verdict_(verdict) {}
    bubble_step operator*() const { return with(*at_, *verdict_); }
    iterator& operator++() noexcept {
      ++at_;
      ++verdict_;
      return *this;
    }
    bool operator==(const iterator& other) const noexcept { return at_ == other.at_; }
    bool operator!=(const iterator& other) const noexcept { return at_ != other.at_; }

   private:
    packed_list<bubble_step>::iterator at_;
    const step_verdict* verdict_;
  };
  [[nodiscard]] std::size_t size() const noexcept { return verdicts_.size(); }
  [[nodiscard]] bool empty() const noexcept { return verdicts_.empty(); }
  [[nodiscard]] bubble_step operator[](std::size_t step) const { return with(steps_[step], verdicts_[step]); }
  [[nodiscard]] bubble_step front() const { return (*this)[0]; }
  [[nodiscard]] iterator begin() const noexcept { return {steps_.begin(), verdicts_.data()}; }
  [[nodiscard]] iterator end() const noexcept { return {steps_.end(), verdicts_.data() + verdicts_.size()}; }
  [[nodiscard]] const step_verdict& verdict(std::size_t step) const noexcept { return verdicts_[step]; }
  [[nodiscard]] step_verdict& verdict(std::size_t step) noexcept { return verdicts_[step]; }

  void reserve(std::size_t steps) { verdicts_.reserve(steps); }
  /// The steps of one more device, whose structures count from `structures` on.
  void append(packed_list<bubble_step>&& steps, std::uint32_t structures) {
    verdicts_.resize(verdicts_.size() + steps.size());
    steps_.append(std::move(steps), structures);
  }

 private:
  [[nodiscard]] static bubble_step with(bubble_step&& step, const step_verdict& verdict) {
    static_cast<step_verdict&>(step) = verdict;
    return std::move(step);
  }
  packed_list<bubble_step> steps_;
  std::vector<step_verdict> verdicts_;
};

/// A part of a step: a layer where the host names it, else a sequence that repeats.
struct step_structure {
  std::uint32_t step = 0;
  std::uint32_t index = 0;  ///< in the step, among all of its parts
  // enum step_structure::role: written by scripts/generate
  enum class role : std::uint8_t { head, part, layer, tail };
  // end of enum step_structure::role
  string_id name = 0;    ///< of a layer, as the host has it: "layers.3"
  string_id anchor = 0;  ///< the op type it begins with
  role type = role::part;
  std::array<std::uint8_t, 7> unused{};  ///< as in step_measures
  std::int64_t start_ps = 0, end_ps = 0;
  four_clocks clocks;
  std::int64_t compute_ps = 0, aicpu_ps = 0, comm_ps = 0;  ///< of the kernel sum
  std::uint64_t bubbles = 0;
  std::int64_t bubble_total_ps = 0, bubble_largest_ps = 0, gap_before_ps = 0;
};
[[nodiscard]] const char* structure_role_name(step_structure::role r) noexcept;
inline void count_row_from(step_structure& row, std::uint32_t steps) noexcept { row.step += steps; }

/// What was measured of a block or a side.
struct side_measures {
  std::uint32_t step = 0;
  string_id core = 0;  ///< where most of its time runs
  bool is_block = false;
  std::array<std::uint8_t, 7> unused{};  ///< as in step_measures
  four_clocks clocks;
  std::int64_t stream = -1;
  std::uint64_t wait_heavy = 0;
  std::uint64_t bubbles = 0;  ///< gaps of its own union
  std::int64_t bubble_total_ps = 0, bubble_largest_ps = 0;
  std::int64_t comm_ps = 0, comm_over_block_ps = 0;  ///< of the side's communication, how much runs beside the block
};

/// A kernel set of a step: the dominant chain of compute, or everything beside it.
struct block_side : side_measures {
  std::vector<kernel_row> by_duration, by_total_cost;  ///< five of each
};
void pack_row(const block_side& row, number_packer& into);
void unpack_row(block_side& row, number_unpacker& from);
inline void count_row_from(block_side& row, std::uint32_t steps) noexcept { row.step += steps; }

struct spread {
  std::int64_t mean = 0, median = 0, p90 = 0, p95 = 0;
};

// enum idle_pattern: written by scripts/generate
enum class idle_pattern : std::uint8_t { none, prelaunch, internal_bubble, tail, inter_step, mixed };
[[nodiscard]] const char* idle_pattern_name(idle_pattern value) noexcept;  ///< "none", "prelaunch", …
// end of enum idle_pattern

/// Steps that do the same work.
struct bubble_group {
  std::string id;  ///< "g0", …, by service time
  std::vector<std::uint32_t> steps;
  std::uint64_t complete = 0;  ///< of them, not cut by the edge of the capture: the ones that the numbers are of
  spread service_ps, busy_ps, prelaunch_ps, tail_ps, internal_ps, largest_ps;
  spread underfeed_ppm, bubbles;
  bool recurring = false;              ///< enough steps have any bubble
  std::uint64_t recurring_places = 0;  ///< places in the step where reportable bubbles come back
  std::uint64_t steps_with_recurring = 0;
  idle_pattern pattern = idle_pattern::none, pattern_by_script = idle_pattern::none;
  std::int64_t inter_step_ps = 0;                              ///< mean gap between windows
  std::uint64_t varying_positions = 0, aligned_positions = 0;  ///< kernels with changing input shapes
  bool shapes_compared = false;
  host_risk risk = host_risk::low;
  bubble_tags tags;                                                 ///< of the group itself
  std::vector<std::pair<bubble_tag, std::uint64_t>> dominant_tags;  ///< on at least half of the steps
  bool requires_followup = false;
};

/// All executions of an op type on one kind of core of one device.
struct bubble_op {
  std::uint32_t device = 0;
  string_id op_type = 0, core = 0, name = 0;  ///< name: the first one seen
  kernel_class kind = kernel_class::compute;
  std::uint64_t calls = 0;
  std::int64_t duration_ps = 0, wait_ps = 0;
  std::int64_t polluted_wait_ps = 0;  ///< of the waits that overlap communication
  std::int64_t gap_before_ps = 0;     ///< idle time that ends with this op
  std::uint64_t gaps_before = 0;
  std::int64_t largest_gap_before_ps = 0;
  std::uint64_t short_gaps_after = 0;    ///< gaps too short to list that begin where it ends
  std::int64_t short_gap_after_ps = 0;   ///< together
  string_id shapes = 0;                                                         ///< the most frequent input shapes
  std::uint32_t rank_by_cost = 0, rank_by_duration = 0, rank_by_mean_cost = 0;  ///< from 1
  bool false_hotspot = false;
  bool small = false, inefficient = false;  ///< short kernels; with the gaps before them they cost too much
  const char* bound = "";                   ///< PMU verdict: "compute", "memory", "low_utilisation", "balanced", ""
  std::int64_t cube_utilisation_ppm = -1, compute_unit_ppm = -1, memory_unit_ppm = -1;  ///< -1: no such column
  [[nodiscard]] std::int64_t total_cost_ps() const noexcept { return saturating_add(duration_ps, wait_ps); }
};

// enum aicpu_verdict: written by scripts/generate
enum class aicpu_verdict : std::uint8_t { unknown, masked, partly_exposed, exposed };
[[nodiscard]] const char* aicpu_verdict_name(aicpu_verdict value) noexcept;  ///< "AICPU_UNKNOWN", "AICPU_MASKED_BUT_UNDESIRABLE", …
// end of enum aicpu_verdict
struct aicpu_op {
  std::uint32_t device = 0;
  string_id op_type = 0, name = 0;
  kernel_class kind = kernel_class::aicpu;
  std::uint64_t calls = 0;
  std::int64_t duration_ps = 0, masked_ps = 0;
  std::int64_t min_masked_ppm = -1, max_masked_ppm = -1;
  std::uint64_t exposed_calls = 0, partly_exposed_calls = 0;
  std::uint64_t beside_bubbles = 0;  ///< calls right before or after a reportable gap
  aicpu_verdict verdict = aicpu_verdict::unknown;
};

/// The whole capture of one device.
struct device_gaps {
  std::uint64_t kernels = 0, duplicates = 0;
  std::uint64_t in_flight = 0;  ///< asynchronous copies on their way, which do not count as kernels
  std::int64_t first_ps = no_time_ps, last_ps = no_time_ps;
  std::int64_t busy_ps = 0, largest_ps = 0;
  std::int64_t not_recorded_ps = 0;  ///< neither busy nor idle: launches have no record
  std::uint64_t unrecorded = 0;      ///< such launches
  step_breakdown outside;            ///< of the time between its first and last kernel that is in no step
  std::uint64_t gaps = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> top;  ///< start, end; longest first
  std::uint64_t kernels_before_steps = 0, kernels_after_steps = 0, kernels_between_steps = 0;
  /// Kernels whose launch is not known, where launches are recorded; of a GPU always.
  std::uint64_t without_launch = 0;
  std::int64_t without_launch_ps = 0;
  std::uint64_t bubbles_left_out = 0;
  std::int64_t bubbles_left_out_ps = 0;
  /// "host markers", "device annotations", "launches", "step ids", "line", "none"; "mixed": step by step by
  /// annotations, launches or the host's markers
  const char* window_source = "";
  std::uint64_t windows_cut = 0;      ///< overlapped the next one and were shortened
  std::uint64_t steps_not_found = 0;  ///< of the host, on a device with a time of its own
  std::uint64_t steps_left_out = 0;   ///< of the host, in which no kernel of this device begins: more than are kept
  [[nodiscard]] std::int64_t span_ps() const noexcept { return first_ps == no_time_ps ? 0 : last_ps - first_ps; }
  [[nodiscard]] std::int64_t idle_ps() const noexcept { return span_ps() - busy_ps - not_recorded_ps; }
};

/// A cause over many gaps of one group of steps.
inline constexpr std::uint32_t no_bubble = UINT32_MAX;
/// A span on the timeline of a device. start_ps no_time_ps: none.
struct device_time {
  std::uint32_t device = 0;  ///< index into the devices of the activity
  std::int64_t start_ps = no_time_ps, end_ps = no_time_ps;
};
struct cause_summary {
  idle_cause cause = idle_cause::unexplained;
  std::int32_t group = -1;  ///< index into bubbles_result::groups; -1: outside all steps
  string_id span = 0;       ///< the span of the host that names it for most of the time; 0: none
  std::uint32_t longest = no_bubble;  ///< index into bubbles_result::bubbles; of exposed time there is none
  device_time most;                   ///< of exposed time, where the most of it lies: a step, or the longest wait
  certainty sure = certainty::unknown;
  // enum cause_summary::reach: written by scripts/generate
  enum class reach : std::uint8_t { global, group, step };
  // end of enum cause_summary::reach
  reach scope = reach::group;
  std::string target;  ///< group or step; "" global
  std::uint64_t bubbles = 0;
  std::int64_t total_ps = 0;
  std::vector<std::string> evidence;
  [[nodiscard]] bool is_exposed() const noexcept { return longest == no_bubble; }  ///< the device worked: no gap
};
[[nodiscard]] const char* reach_name(cause_summary::reach value) noexcept;

// enum time_use: written by scripts/generate
/// What a device did. What runs beside compute counts as compute.
enum class time_use : std::uint8_t {
  compute,      ///< alone or beside anything else
  exposed_comm, ///< nothing computes
  exposed_copy, ///< nothing computes or communicates
  other_work,
  idle,
  not_recorded  ///< not known: work was launched that was not recorded
};
[[nodiscard]] const char* time_use_name(time_use value) noexcept;  ///< "compute", "exposed_communication", …
// end of enum time_use

/// A part of the time of a device, or of all devices together. The rows of a device that are in steps add up to the length
/// of its steps; the others to the time between its first and last kernel that is in no step.
struct time_row {
  std::int32_t device = -1;  ///< index into devices; -1: all together
  bool in_steps = true;
  time_use use = time_use::compute;
  /// Of idle time; none: of gaps that are not listed or lie at the edge of the capture. straggler_wait: the part of exposed
  /// communication in which the rank waits for others, where all ranks are here.
  std::optional<idle_cause> cause;
  certainty sure = certainty::proved;  ///< of the cause
  std::uint64_t gaps = 0;              ///< with that cause
  std::int64_t time_ps = 0;            ///< more than 0
};

/// The known cause that took most of the time in steps in which devices did not compute.
struct leading_cause {
  idle_cause cause = idle_cause::unexplained;  ///< exposed_comm and exposed_copy: nothing else explains that time
  certainty sure = certainty::unknown;         ///< of at least half of the time: likely or proved
  std::int64_t time_ps = 0;
  std::int64_t service_ps = 0;  ///< all time of the devices in steps
};
/// None where no known cause took two hundredths of the time. only_waiting: among the causes of idle time alone. Pure.
[[nodiscard]] std::optional<leading_cause> find_leading_cause(const std::vector<time_row>& time, bool only_waiting = false);
/// Whether a cause says why: not unexplained, and neither "nothing of the host is on record" nor "it was launched early".
[[nodiscard]] bool explains(idle_cause c) noexcept;

struct recommendation {
  std::string text;
  std::string how;  ///< the same in the words of the framework that wrote the capture; "" where it has none
  const char* scope = "global";  ///< "global", "step_group", "structure", "side", "op"
  std::string target;
  int priority = 3;  ///< P0: worth 5 % of the time or more; P1: 1 %; P2: less; P3: nothing by itself
  std::int64_t recoverable_ps = 0;  ///< at most so much idle time, over all steps; 0: not known
  bool followup_required = false;
  std::string evidence_gap;
  std::vector<std::string> evidence;

  /// Whether all that it would bring is time in steps.
  [[nodiscard]] bool is_of_steps() const noexcept {
    return std::string_view(scope) == "step_group" || std::string_view(scope) == "structure";
  }
};

/// A number of ours beside the same one of the capture's own tables.
struct self_check_row {
  std::uint32_t step = 0;
  const char* what = "";  ///< "Free", "Preparing", "Stage"
  std::int64_t ours_ps = 0, theirs_ps = 0;
  bool agrees = true;
};

struct bubbles_result {
  std::vector<file_damage> damage;  ///< among host spans, which inputs() of the activity do not hold
  std::optional<std::int64_t> origin_unix_ns;
  std::vector<device_gaps> devices;  ///< as activity::devices()
  bubble_steps steps;                ///< by device, then time
  packed_list<step_structure> structures;
  std::uint64_t structures_left_out = 0;
  packed_list<block_side> block_sides;
  std::uint64_t block_sides_left_out = 0;
  std::uint64_t steps_not_compared = 0;  ///< with step_trace_time: a kernel reaches over an edge of the step
  std::uint64_t steps_too_large = 0;  ///< with more kernels than are held: without structures, clocks, block and side
  std::vector<bubble> bubbles;        ///< by device, then start, then length
  std::vector<bubble_group> groups;
  std::int32_t dominant_group = -1;  ///< the one with most service time
  /// The one that waits longest, by all its steps together, and of it the step
  /// that waits longest: what the answers and the look inside a step are about.
  std::int32_t idlest_group = -1, dominant_step = -1;
  std::vector<bubble_op> ops;  ///< by device, then total cost
  std::vector<aicpu_op> aicpu_ops;
  std::vector<cause_summary> causes;  ///< by their time, the longest first
  std::vector<time_row> time;         ///< all devices first; of each its steps first, by use, then the longest first
  std::vector<self_check_row> self_check;
  std::vector<std::string> evidence_gaps;
  bool requires_host_followup = false;
  confidence sure = confidence::low;
  bool has_host_trace = false, has_stacks = false, has_runtime_events = false;
  std::array<std::string, 5> answers;  ///< the five questions, in order
  bool significant = false;
  std::vector<recommendation> recommendations;
  std::vector<finding> findings;
  std::string absent;  ///< why there is nothing to look at
};

/// Runs the detector. Pure: reads nothing but the activity. Faults: cancelled, out_of_memory, and what a visit of the
/// activity gives.
result<bubbles_result> find_bubbles(const activity& of, const bubble_options& o = {}, const hooks& host = {});

/// Whether the detector can keep to these filters: it knows devices and whole steps, no lines and no names of events.
[[nodiscard]] inline bool bubbles_keep_to(const query_filters& o) noexcept {
  return o.host.empty() && o.line.empty() && o.name.empty();
}

/// What the detector keeps to of them.
[[nodiscard]] inline bubble_options bubble_options_of(const query_filters& o) {
  bubble_options wanted;
  wanted.device = o.plane;
  wanted.only = {o.step, o.from_ps, o.to_ps, ""};
  return wanted;
}

/// Whether any step has a marker; else the whole capture counts as one.
[[nodiscard]] bool has_marked_steps(const bubbles_result& r) noexcept;
/// Whether all time that counts is in marked steps, on every device.
[[nodiscard]] bool has_only_marked_steps(const bubbles_result& r) noexcept;

/// The sum of the rows of `time` of a device (-1: of all), in steps or outside of them: what their shares are of.
[[nodiscard]] std::int64_t time_ps_of(const bubbles_result& r, std::int32_t device, bool in_steps) noexcept;

/// An activity and what was found in it.
struct bubbles_report {
  std::shared_ptr<const activity> of;
  bubbles_result found;
};
/// Reads the activity of a capture, unless the trace has it, keeps it and runs the detector on it.
result<bubbles_report> analyse_bubbles(const trace& t, const bubble_options& o = {}, const hooks& host = {});

/// The document `bubbles` (docs/schemas/bubbles.json).
result<document_status> write_bubbles_document(const profile& p, const bubble_options& o, const bubbles_report& found,
                                               sink& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
