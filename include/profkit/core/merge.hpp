// One timeline from the traces of many machines: their clocks aligned, their planes renamed, all of it streamed from
// wire to wire. Stats and metadata are copied as they are; only times and names change.
#pragma once
#include <profkit/core/clock.hpp>
#include <profkit/core/sink.hpp>
#include <profkit/core/source.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class profile;  ///< profkit/core/profile.hpp

// enum plane_scheme: written by scripts/generate
/// How planes are named. seed: /device:GPU:<64 node + k>, hosts of nodes above 0 as /device:GPU:<10000 node>; rocm:
/// the numbers of the reference tool (100 + 64 node + k); node: /node:<n>/device:GPU:<k> and /node:<n>/host_threads.
enum class plane_scheme : std::uint8_t { seed, rocm, node };
// end of enum plane_scheme
// enum merge_correction: written by scripts/generate
/// clock: by snapshots and offsets. walltime: by the start of each node's collector. none: times as they are in the
/// files.
enum class merge_correction : std::uint8_t { clock, walltime, none };
// end of enum merge_correction
// enum merged_format: written by scripts/generate
/// What is written. xspace: of XSpaces. trace_json: of trace JSON (PyTorch, Ascend); the events of a node stand
/// together.
enum class merged_format : std::uint8_t { xspace, trace_json };
// end of enum merged_format
// enum merge_zero: written by scripts/generate
/// Which instant becomes 0: the start of the reference node, or the earliest event when one lies before it (AUTO);
/// the earliest event; the start of the reference node; none, with absolute line times.
enum class merge_zero : std::uint8_t { automatic, earliest, reference, none };
// end of enum merge_zero

/// A clock that is known by something else than snapshots and offsets. It is straight: when the reference node's clock shows
/// pivot + t, it shows pivot + t + offset_ps + t * drift_ppt / 10^12.
struct given_clock {
  std::int64_t node_id = 0;
  bool decided = false;
  std::string why_not;                         ///< it is not decided; "" when it is
  std::optional<std::int64_t> start_unix_ns;  ///< what relative times of its trace count from
  std::int64_t offset_ps = 0, drift_ppt = 0;
  /// How far a time that was mapped by it can be wrong: at the pivot, and more for every ps from it.
  std::int64_t bound_ps = 0, bound_growth_ppt = 0;
};

struct given_clocks {
  std::string method;                    ///< "collectives"
  std::vector<std::string> assumptions;  ///< what the bounds rest on, each a sentence
  std::int64_t reference_node = 0;
  std::int64_t origin_unix_ns = 0;
  /// Since the origin, on the reference node's clock: the pivot, and between which instants clocks were compared.
  std::int64_t pivot_ps = 0, first_ps = 0, last_ps = 0;
  std::vector<given_clock> nodes;
  [[nodiscard]] const given_clock* find(std::int64_t node_id) const noexcept;
};

/// What to merge. Paths may be empty when there is none.
struct merge_options {
  /// Open captures, instead of traces and run_dir: each of their files that can be merged is one trace, under its path and its
  /// rank, if given when it was opened.
  std::vector<std::shared_ptr<const profile>> opened;
  /// One a node, or a trace that this library merged; a folder stands for the one trace in it.
  std::vector<std::string> traces;
  std::vector<std::string> snapshots;  ///< none, or one a trace ("" where a trace carries its own)
  std::string offsets, run_metadata;
  std::string run_dir;       ///< find what is not named above in this folder
  std::string not_an_input;  ///< left out of what is found: the output

  merged_format output = merged_format::xspace;
  merge_correction correction = merge_correction::clock;
  merge_zero zero = merge_zero::automatic;
  plane_scheme scheme = plane_scheme::seed;
  std::string plane_prefix;          ///< before names of the scheme `node`, which it implies
  bool keep_going = false;           ///< what is missing or damaged is reported and left out, not an error
  bool keep_order = false;           ///< leave the events of a line in their order
  bool scale_durations = false;      ///< map the end of an event, too, instead of keeping its duration
  bool tracer_host_threads = false;  ///< lines "Host Threads/<n>" of /host:ROCTRACER are stamped by the tracer clock

  clock_options clocks;
  /// Clocks to correct by, instead of snapshots and offsets; of traces of single nodes whose lines all show one clock.
  std::optional<given_clocks> given;
  io_mode io = io_mode::read;
  limits bounds;
};

// enum node_status: written by scripts/generate
/// How a node came into the timeline.
enum class node_status : std::uint8_t {
  corrected, ///< by its clock
  walltime,  ///< by wall time
  raw,       ///< as it was
  missing,   ///< not at all: its trace is missing
  corrupt    ///< not at all: its trace is damaged
};
[[nodiscard]] const char* node_status_name(node_status value) noexcept;  ///< "corrected", "walltime", …
// end of enum node_status

/// What a node's host clock was taken to be ahead of the reference clock by.
struct applied_offset {
  std::int64_t at_unix_ns = 0;  ///< on the reference clock
  std::int64_t offset_ps = 0;
  std::int64_t bound_ps = 0;  ///< of host times there; clock_window::unknown_ps: nothing shows it
};

struct merged_node {
  std::int64_t id = 0;
  std::string hostname, trace;
  node_status status = node_status::corrected;
  bool aligned_before = false;  ///< came out of a trace that was merged before; its times were only shifted
  snapshot_source snapshots_from = snapshot_source::none;
  std::uint64_t snapshots = 0, offset_windows = 0, missing_snapshots = 0;
  std::uint64_t events = 0, planes = 0, clamped_events = 0, sorted_lines = 0;
  std::uint64_t snapshot_extrapolated_events = 0, offset_extrapolated_events = 0, out_of_reach_events = 0;
  /// S - S0 over the events: largest by magnitude, least (signed), mean.
  std::int64_t max_correction_ps = 0, min_correction_ps = 0, mean_correction_ps = 0;
  std::int64_t residual_ps = 0, host_drift_ppt = 0, tracer_drift_ppt = 0, sampling_period_ns = 0;
  double offset_variance_ns2 = 0;
  node_bounds bounds;  ///< relative to merge_result::origin_ns
  std::string method;  ///< what its clock was corrected by: "snapshots", "offsets" (alone), "collectives"; "": by nothing
  std::vector<clock_anomaly> anomalies;
  std::optional<std::int64_t> start_unix_ns, start_tracer_ns;  ///< what its host and device times count from
  std::string incomplete;  ///< why its trace is not whole, or not there at all; "" when nothing of it was lost
  std::vector<applied_offset> applied;                         ///< over its events, by time; empty: its clock was not corrected
};

struct merged_plane {
  std::string name;
  std::int64_t id = 0;
  std::int64_t node = 0;
  std::string source;  ///< its name in the input
  bool moved = false;  ///< its id was taken; it has the next free one
};

struct merge_result {
  std::string run_id;
  std::int64_t reference_node = 0;
  std::int64_t origin_ns = 0;  ///< Unix ns of time zero of the output
  std::vector<std::string> hostnames;
  std::vector<merged_node> nodes;
  std::vector<merged_plane> planes;
  std::vector<std::string> warnings;
  std::vector<std::string> assumptions;  ///< of the clocks that were given
  std::uint64_t events = 0, output_bytes = 0;
};

/// Sees every event that is kept, node by node in file order, after its time was corrected.
class merge_observer {
 public:
  struct event {
    std::int64_t node = 0;
    std::string_view plane;  ///< its name in the input
    std::int64_t line_id = 0;
    std::uint64_t index = 0;  ///< in the line
    std::string_view name;    ///< of its metadata
    std::string_view op;      ///< its stat hlo_op; empty without one
    std::int64_t correlation_id = -1;
    std::int64_t recorded_ns = 0, recorded_sub_ps = 0;  ///< on the clock that stamped it
    std::int64_t before_ns = 0, before_sub_ps = 0;      ///< wall time of its node before correction, Unix
    std::int64_t after_ns = 0, after_sub_ps = 0;        ///< corrected, Unix
  };
  virtual ~merge_observer() = default;
  virtual result<void> take(const event& e) = 0;
};

/// Merges into a sink, which it does not finish, and which takes the text of trace JSON as it is read once more. Two passes over the traces; the bytes are the same for any number of
/// threads. Memory: 64 MB, the largest metadata map, and 16 bytes for each event of the largest unsorted line. Nothing
/// is written when it fails before the second pass. Faults: invalid_argument (counts, ids or runs that do not fit each
/// other), not_found, damaged, unsupported (an event out of the reach of int64 ps), cancelled, output.
result<merge_result> merge_traces(const merge_options& o, sink& into, const hooks& host = {},
                                  merge_observer* observer = nullptr);

/// The offsets that were applied, with their bounds, as an offsets file (JSON lines) that a merge reads. Does not finish the sink.
result<void> write_merge_offsets(const merge_result& r, sink& into);

/// A trace of a merge, and which node it is.
struct merge_input {
  std::string trace;  ///< as it was named: a folder stands for the one trace in it, and opens with what lies beside that
  std::int64_t node_id = 0;
  bool is_json = false;  ///< trace events, which merge into trace JSON
};
struct merge_input_list {
  std::vector<merge_input> traces;  ///< in the order of the output
  std::int64_t reference_node = 0;  ///< of the run metadata, else 0, else the first
};
/// What merge_traces() would read, by names and the run metadata alone. Its faults are those of resolving inputs.
result<merge_input_list> list_merge_inputs(const merge_options& o, const hooks& host = {});

class trace;
/// The clocks of nodes as their collectives decide them (align_by_collectives), ready to be merged by: the best guess, and a bound
/// that holds for every clock that no collective contradicts. traces[i] is that of inputs.traces[i]; a null one could not be
/// opened. Nodes whose interval is wider than max_bound_ps on each side are not decided. Faults: invalid_argument (a trace of
/// several nodes, no trace of the reference node), cancelled.
result<given_clocks> clocks_by_collectives(const merge_input_list& inputs, const std::vector<std::shared_ptr<const trace>>& traces,
                                           std::int64_t max_bound_ps, const hooks& host = {});

struct validation_result;
/// <stem>.metadata.json: docs/schemas/merge.json; with the counts of a validation of what was merged, when there is
/// one. Does not finish the sink.
result<void> write_merge_metadata(const merge_result& r, sink& into, const validation_result* checked = nullptr);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
