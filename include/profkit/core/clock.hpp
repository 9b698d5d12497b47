// Clocks of a cluster: what shows how they differ (snapshots, offsets), the map from a node's clocks to the reference
// clock in exact integer arithmetic, and how far it can be wrong.
//
// Three timelines. R: a node's tracer clock, in which device events are stamped. S: that node's wall clock. S0: the
// wall clock of the reference node. Snapshots give R -> S, offsets give S -> S0; "corrected" means S0. All arithmetic
// is on ps since a base near by (int64), so nothing is rounded to what a double can hold of an epoch time.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// ---- what was measured ----

/// An instant of some clock: ns since that clock's zero, and ps beyond them in [0, 1000).
struct clock_instant {
  std::int64_t ns = 0;
  std::int32_t sub_ps = 0;
};

/// One snapshot: both clocks of a node read together.
struct clock_pair {
  clock_instant tracer;  ///< R
  clock_instant host;    ///< S
};

// enum snapshot_source: written by scripts/generate
enum class snapshot_source : std::uint8_t { none, file, embedded };
[[nodiscard]] const char* snapshot_source_name(snapshot_source value) noexcept;  ///< "none", "file", …
// end of enum snapshot_source

/// The snapshots of one node, in the order they were read.
struct snapshot_set {
  std::vector<clock_pair> pairs;
  snapshot_source source = snapshot_source::none;
  std::int64_t sampling_period_ns = 0;  ///< 0: unknown
  bool host_is_relative = false;        ///< embedded: S counted from the start of the collector, which was added
  std::vector<std::string> warnings;
};

/// Reads a message SnapshotPairs{1 repeated {1 sys_clock_ns, 2 tracer_clock_ns}, 2 sampling_period_ns}. Fault:
/// damaged, with what was expected; not one pair is not a fault.
result<snapshot_set> read_snapshot_pairs(std::string_view bytes, std::string path = {});
/// What an XSpace itself says of its clocks; one look at the head of each plane.
struct trace_clocks {
  std::optional<std::int64_t> profile_start_ns;  ///< of the plane `Task Environment`, Unix ns
  std::vector<std::string> hostnames;
  bool merged = false;  ///< it has planes /node:<id>/clock_metadata: its times are corrected
};
trace_clocks read_trace_clocks(std::string_view xspace);

struct snapshot_read_options {
  std::int64_t start_walltime_ns = 0;          ///< of the node's collector; 0: unknown
  std::optional<std::int64_t> relative_to_ns;  ///< what relative times count from; empty: start_walltime_ns
};
/// Reads the first plane `/host:snapshots` of an XSpace: each event's time is S, its stat `rocm_ns` R. No plane or no
/// pair: an empty set. Times that lie more than a day before the collector's start count from it (a post-processed
/// trace). Fault: damaged.
result<snapshot_set> read_embedded_snapshots(std::string_view xspace, const snapshot_read_options& o = {},
                                             std::string path = {});

/// Start of a node's collector on its clocks, from the header of an offsets file or from run metadata.
struct node_start {
  std::int64_t node_id = 0;
  std::optional<std::int64_t> walltime_ns;  ///< S, Unix ns
  std::optional<std::int64_t> gpu_ns;       ///< R
};

/// One measurement of a node's wall clock against the reference node's.
struct offset_row {
  std::int64_t node_id = 0;
  std::optional<std::int64_t> round_id, window_id;
  clock_instant midpoint;                   ///< as written; on which clock, resolve_midpoints() settles
  std::int64_t offset_ps = 0;               ///< S - S0 at the midpoint: positive when the node's clock is ahead
  std::int64_t resolution_ps = 0;           ///< half of the last digit written
  std::optional<std::int64_t> drift_ppt;    ///< parts in 10^12 (ppm * 10^6)
  std::optional<std::int64_t> residual_ps;    ///< of the solver, not negative
  std::optional<std::int64_t> round_trip_ps;  ///< of the probe that it was measured by, not negative
  bool reachable = true, converged = true;
  bool has_midpoint = true;
  bool spelled_midpoint = false;  ///< midpoint_sys_ns instead of a window
};

/// An offsets file: JSON lines, headers and rows.
struct offset_table {
  std::vector<node_start> nodes;  ///< of the headers; one a node, the last one written
  std::vector<offset_row> rows;   ///< in file order
  std::string run_id;             ///< of a header that has one
  std::uint64_t broken_lines = 0, unreachable_rows = 0, unconverged_rows = 0, rows_without_midpoint = 0;
  bool has_header = false;
  std::vector<std::string> warnings;
  [[nodiscard]] const node_start* start_of(std::int64_t node_id) const noexcept;
};

struct offset_read_options {
  limits bounds;
};

/// Reads offsets JSON lines. Faults (damaged, with line number in the message and byte_offset): an offset or window
/// that is not a number, a header node without node_id, a node listed twice in one header, a file without any row or
/// header. Lines that are not JSON are counted and passed over.
result<offset_table> read_offsets(std::string_view text, std::string path = {}, const offset_read_options& o = {});

/// run_metadata.json: who took part in a run.
struct run_node {
  std::int64_t node_id = 0;
  std::string hostname, trace;
  std::vector<std::int64_t> gpu_ordinals;
  node_start start;
};
struct run_metadata {
  std::string run_id;
  std::optional<std::int64_t> reference_node;
  std::vector<run_node> nodes;
  [[nodiscard]] const run_node* find(std::int64_t node_id) const noexcept;
};
/// Faults: damaged (no JSON object, a field of the wrong type, two nodes with one id).
result<run_metadata> read_run_metadata(std::string_view text, std::string path = {});

// ---- the map ----

/// A value outside of what int64 ps around the base can say.
inline constexpr std::int64_t out_of_reach_ps = std::numeric_limits<std::int64_t>::min();

/// A continuous or stepped piecewise-linear map between two clocks, in ps since their bases. Evaluation is exact and
/// rounded once, half up, to whole ps.
class piecewise_map {
 public:
  struct knot {
    std::int64_t x = 0, y = 0;
  };
  /// Beyond the outermost knots: y advances by (1 + ppt / 10^12) for every ps of x.
  struct end_slopes {
    std::optional<std::int64_t> before_ppt, after_ppt;  ///< empty: the slope of the nearest segment
  };
  /// |x| and |y| of a knot, and |x| of a value, at most this (26 and 53 days); else out_of_reach_ps.
  static constexpr std::int64_t max_knot_ps = std::int64_t{1} << 61;
  static constexpr std::int64_t max_value_ps = std::int64_t{1} << 62;

  piecewise_map() = default;  ///< y = x
  /// Knots by rising x. Two knots of one x are a step: the second counts from x on. One knot is a shift.
  explicit piecewise_map(const std::vector<knot>& knots, const end_slopes& ends = {});

  /// One straight piece: y = y0 + (x - x0) + (x - x0) * excess / length for from <= x < to.
  struct segment {
    std::int64_t from = 0, to = 0;
    std::int64_t x0 = 0, y0 = 0;
    std::int64_t excess = 0, length = 1;
  };
  /// Remembers the segment of the last value: events of a line come nearly in order.
  class cursor {
   public:
    std::size_t segment = 0;
  };
  [[nodiscard]] std::int64_t operator()(std::int64_t x, cursor& at) const noexcept;
  [[nodiscard]] std::int64_t operator()(std::int64_t x) const noexcept {
    cursor at;
    return (*this)(x, at);
  }
  [[nodiscard]] bool is_identity() const noexcept { return segments_.empty(); }
  /// The piece that x lies on; of the identity one piece for everything.
  [[nodiscard]] segment piece_at(std::int64_t x) const noexcept;
  /// Whether x lies outside the outermost knots.
  [[nodiscard]] bool extrapolates(std::int64_t x) const noexcept {
    return !segments_.empty() && (x < first_x_ || x > last_x_);
  }
  [[nodiscard]] std::int64_t first_x() const noexcept { return first_x_; }
  [[nodiscard]] std::int64_t last_x() const noexcept { return last_x_; }

 private:
  std::vector<segment> segments_;
  std::int64_t first_x_ = 0, last_x_ = 0;
};

// ---- how far it can be wrong ----

// enum clock_domain: written by scripts/generate
/// Which clock stamped an instant.
enum class clock_domain : std::uint8_t { tracer, host };
// end of enum clock_domain

/// The half-width of the error in one window of corrected time, [from_ps, to_ps): the true instant of an event lies
/// within +- the bound of its corrected one. Made of the jitter of the snapshots, the scatter, resolution and residual
/// of the offsets, the growth of both beyond the last measurement, and any step of the clock nearby.
struct clock_window {
  static constexpr std::int64_t unknown_ps = -1;  ///< a bound: nothing measured shows it
  std::int64_t from_ps = 0, to_ps = 0;
  std::int64_t tracer_bound_ps = 0, host_bound_ps = 0;
  bool extrapolated = false;  ///< beyond the snapshots or the offsets
  bool suspect = false;       ///< a step or a slope no clock has lies in it
};

/// What a cross-node statement needs to know of one node. Two instants of nodes a and b are in order only when they are
/// further apart than the sum of the two bounds.
struct node_bounds {
  std::int64_t node_id = 0;
  /// False: aligned by wall time or not at all, or the tracer clock was reset; nothing can be said across nodes.
  bool known = false;
  std::vector<clock_window> windows;  ///< by time, without gaps; the outermost ones hold beyond their ends
  /// The bound at an instant of corrected time; empty when unknown.
  [[nodiscard]] std::optional<std::int64_t> at(std::int64_t corrected_ps, clock_domain domain) const noexcept;
  /// The widest bound of all windows.
  [[nodiscard]] std::optional<std::int64_t> widest(clock_domain domain) const noexcept;
};

/// The stats of a plane `/node:<id>/clock_metadata`, which a merge writes and validation reads.
struct clock_metadata {
  node_bounds bounds;  ///< times relative to origin_ns
  std::int64_t origin_ns = 0;
  std::string run_id, hostname, status;  ///< status: corrected, walltime, raw
  std::int64_t reference_node = 0;
  std::uint64_t snapshot_count = 0, offset_window_count = 0;
  std::int64_t sampling_period_ns = 0;
  snapshot_source snapshots = snapshot_source::none;
  std::int64_t clock_skew_ps = 0;  ///< rms of the corrected knots against a straight line
  double offset_variance_ns2 = 0;  ///< of the offsets about their line
  bool corrected = false;
  std::string method;  ///< what it was corrected by, where that is not snapshots and offsets
};
/// The clock metadata of a merged XSpace, by node id; empty for a trace that was not merged by this library.
/// Fault: damaged.
result<std::vector<clock_metadata>> read_clock_metadata(std::string_view xspace);

// ---- one node ----

/// Something about a clock that a person should know; what was done about it stands in the text.
struct clock_anomaly {
  // enum clock_anomaly::kind: written by scripts/generate
  enum class kind : std::uint8_t { tracer_not_rising, host_step, slope, offset_jump, duplicate, drift_disagrees };
  // end of enum clock_anomaly::kind
  kind what = kind::host_step;
  std::int64_t at_ps = 0;    ///< corrected time
  std::int64_t size_ps = 0;  ///< of the step
  std::string text;
};
[[nodiscard]] const char* clock_anomaly_name(clock_anomaly::kind k) noexcept;  ///< "host_step", …

/// How much measurements scatter about a smooth clock: root mean square and how many independent deviations it rests
/// on.
struct clock_scatter {
  double rms_ps = 0;
  double freedom = 0;
};
/// Scatter of several nodes taken together.
[[nodiscard]] clock_scatter pooled_scatter(const std::vector<clock_scatter>& of) noexcept;

struct clock_options {
  bool drift_slope = true;  ///< beyond the outermost offsets use drift_ppm where it agrees with the offsets
  /// Scatter over all nodes of the run, when known: few measurements of one node say little about their own noise.
  clock_scatter offset_scatter, snapshot_scatter;
};

/// What is known of one node.
struct clock_evidence {
  std::int64_t node_id = 0;
  bool is_reference = false;           ///< S is S0: offsets are not needed
  std::int64_t tracer_base_ns = 0;     ///< R of device events' zero (start_gpu_ns)
  std::int64_t host_base_ns = 0;       ///< S of host events' zero (start_walltime_ns)
  std::int64_t reference_base_ns = 0;  ///< S0 of corrected zero
  std::vector<clock_pair> snapshots;
  std::vector<offset_row> offsets;  ///< of this node, midpoints on S0, reachable ones only
  /// Corrected times between which the reference node's wall clock steps: there the offsets of all nodes jump.
  std::vector<std::pair<std::int64_t, std::int64_t>> reference_steps;
};

/// All rows by node id (then as in the file) with their midpoints on S0: the reference node's row of the same round
/// where there is one, because every offset of a round is evaluated at its midpoint, else the row's own. Unreachable
/// rows and rows without a midpoint are left out.
std::vector<offset_row> resolve_midpoints(const offset_table& table, std::int64_t reference_node);
/// The part of resolved rows that belongs to a node.
std::vector<offset_row> rows_of_node(const std::vector<offset_row>& resolved, std::int64_t node_id);

/// The clock of one node: from its device and host timestamps to corrected time.
class node_clock {
 public:
  /// Faults: invalid_argument (fewer than two snapshots, or no offset of a node that needs one); damaged (the snapshots
  /// describe no clock: more broken segments than sound ones).
  static result<node_clock> build(const clock_evidence& from, const clock_options& o = {});

  /// Where an evaluation stands; one for each thread or line.
  struct cursor {
    piecewise_map::cursor snapshots, offsets, direct;
  };
  struct corrected {
    std::int64_t local_ps = 0;      ///< S since host_base_ns
    std::int64_t reference_ps = 0;  ///< S0 since reference_base_ns; out_of_reach_ps when it does not fit
    bool snapshot_extrapolated = false, offset_extrapolated = false;
  };
  /// ps since tracer_base_ns.
  [[nodiscard]] corrected from_tracer(std::int64_t tracer_ps, cursor& at) const noexcept;
  /// ps since host_base_ns.
  [[nodiscard]] corrected from_host(std::int64_t host_ps, cursor& at) const noexcept;

  /// The maps themselves: R -> S, S -> S0, and R -> S0.
  [[nodiscard]] const piecewise_map& tracer_to_host() const noexcept { return snapshots_; }
  [[nodiscard]] const piecewise_map& host_to_reference() const noexcept { return offsets_; }
  [[nodiscard]] const piecewise_map& tracer_to_reference() const noexcept { return direct_; }

  /// The bound, with windows that cover [first_ps, last_ps] of corrected time.
  [[nodiscard]] node_bounds bounds(std::int64_t first_ps, std::int64_t last_ps) const;
  /// The bound of one instant of corrected time; empty when the tracer clock was reset.
  [[nodiscard]] std::optional<std::int64_t> bound_at(std::int64_t corrected_ps, clock_domain domain) const noexcept;
  [[nodiscard]] const std::vector<clock_anomaly>& anomalies() const noexcept { return anomalies_; }
  /// Times since host_base_ns between which the snapshots show that the wall clock steps.
  [[nodiscard]] const std::vector<std::pair<std::int64_t, std::int64_t>>& wall_steps() const noexcept { return wall_steps_; }
  [[nodiscard]] std::int64_t residual_ps() const noexcept { return residual_ps_; }        ///< clock_skew
  [[nodiscard]] std::int64_t host_drift_ppt() const noexcept { return host_drift_; }      ///< of S against S0
  [[nodiscard]] std::int64_t tracer_drift_ppt() const noexcept { return tracer_drift_; }  ///< of R against S
  [[nodiscard]] double offset_variance_ns2() const noexcept { return offset_variance_ns2_; }
  [[nodiscard]] const clock_scatter& offset_scatter() const noexcept { return offset_scatter_; }
  [[nodiscard]] const clock_scatter& snapshot_scatter() const noexcept { return snapshot_scatter_; }
  [[nodiscard]] std::size_t offset_count() const noexcept { return offset_count_; }

 private:
  // A measurement of the offset: when, and how far it can be wrong by its resolution, and by its residual or round trip.
  struct offset_mark {
    std::int64_t at_ps, resolution_ps, residual_ps;
  };
  // A part that is measured between two instants and extrapolated beyond them.
  struct measured_part {
    std::int64_t noise_ps = 0;
    std::int64_t first_noise_ps = 0, last_noise_ps = 0;  // of the outermost measurements, from which it grows
    std::int64_t first_ps = 0, last_ps = 0;
    std::int64_t growth_before_ppt = 0, growth_after_ppt = 0;
    [[nodiscard]] double noise_at(std::int64_t t) const noexcept;
  };
  struct suspect_span {
    std::int64_t from_ps, to_ps, tracer_ps, host_ps;
  };
  // The bound between two instants that no mark, end of a measurement or suspect span lies between.
  [[nodiscard]] clock_window window(std::int64_t from_ps, std::int64_t to_ps) const noexcept;
  [[nodiscard]] clock_window sound_window(std::int64_t from_ps, std::int64_t to_ps) const noexcept;  // suspect or not
  friend class node_clock_builder;
  std::int64_t node_id_ = 0;
  piecewise_map snapshots_, offsets_;
  piecewise_map direct_;  // R -> S0 in one step, also where the wall clock S itself steps
  measured_part snapshot_part_, offset_part_;
  std::vector<offset_mark> marks_;
  std::vector<suspect_span> suspects_;
  std::vector<clock_anomaly> anomalies_;
  std::vector<std::pair<std::int64_t, std::int64_t>> wall_steps_;
  std::int64_t residual_ps_ = 0, host_drift_ = 0, tracer_drift_ = 0;
  double offset_variance_ns2_ = 0;
  clock_scatter offset_scatter_, snapshot_scatter_;
  std::size_t offset_count_ = 0;
  bool tracer_was_reset_ = false;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
