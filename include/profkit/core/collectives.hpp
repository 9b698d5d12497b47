// Collectives across nodes: which executions belong together, whether they happened in a possible order, who came
// late, and what they say about the nodes' clocks.
#pragma once
#include <profkit/core/clock.hpp>
#include <profkit/core/export.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/sink.hpp>
#include <profkit/core/trace.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// enum collective_semantics: written by scripts/generate
/// What the order of starts and ends of a collective must be.
enum class collective_semantics : std::uint8_t {
  barrier,        ///< nobody ends before everybody began: all-reduce, all-gather, reduce-scatter, all-to-all
  to_one,         ///< the root ends after all began: reduce
  from_one,       ///< nobody ends before the root began: broadcast
  point_to_point  ///< a receiver ends after its sender began: send, recv, collective-permute
};
[[nodiscard]] const char* collective_semantics_name(collective_semantics value) noexcept;  ///< "barrier", "to_one", …
// end of enum collective_semantics

struct validation_options {
  /// Error of every corrected time, ps, instead of what the trace itself says of its nodes.
  std::optional<std::int64_t> bound_ps;
  /// Ends and starts of the members of each group are looked at only in this window of common time.
  std::optional<std::int64_t> from_ps, to_ps;
  hooks host;
};

/// A node: a host, or one process of a host where each wrote its own trace.
struct collective_node {
  std::int64_t id = 0;
  std::string hostname;
  std::uint32_t trace = 0;    ///< index into the traces that were given
  std::uint32_t file = 0;     ///< of that trace: the first that holds it
  std::uint32_t clock = 0;    ///< number of its wall clock: nodes of one hostname have the same
  std::uint32_t devices = 0;  ///< with at least one collective
  std::uint64_t collectives = 0;
  std::int64_t rank = -1;  ///< of its process; -1: not on record
  std::optional<std::int64_t> bound_ps;  ///< the widest error of its times; empty when the trace says nothing of it
  node_bounds bounds;  ///< the same over time, of a merged trace
  std::string incomplete;  ///< why its trace is known to lack events; "" when nothing says so
};

/// An operation on one device number of every node.
struct collective_op {
  std::string name;    ///< hlo_op, or the kernel where there is none; "send.3, recv.4" of two that belong together
  std::string kind;    ///< what says what it does: the opcode ("all-gather-start"), else the kernel's name
  std::string collective;  ///< "all-reduce", …; "" where nothing names it
  std::string module;  ///< hlo_module; "" when unknown
  std::string group;   ///< the process group on record, "dp [0, 4]"; "" when it is everyone or not on record
  std::int32_t device = -1;  ///< local device number
  collective_semantics semantics = collective_semantics::barrier;
  bool library_kernels = false;  ///< every execution is a kernel of a communication library
  /// It is on record who takes part: calls of a group are matched by their number, over all its devices, and `device` is -1.
  bool by_group = false;
  std::int64_t root = -1;  ///< rank that sends a broadcast or gets what is reduced; -1: not on record
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;  ///< ranks of a permute, or of a send and its recv: source, target
  /// Which device has which rank is inferred, from the order of nodes and of their devices; of groups that are not everyone.
  bool placed_by_order = false;
  bool devices_counted = false;  ///< and so is how many devices its program has
  std::uint64_t groups = 0, violations = 0, violations_raw = 0, unjudged = 0;
  std::string unjudged_why;       ///< "" where every group could be judged
  /// Its process groups are on record, are not everyone, and it is not known whose device is in which: there are no
  /// groups of it, and `unjudged` counts executions.
  bool sub_groups = false;
  std::int64_t max_skew_ps = 0;  ///< latest start - first start
  std::int64_t mean_skew_ps = 0;
  std::int64_t mean_transfer_ps = 0;  ///< first end - latest start, where that is not negative
  std::int32_t latest_node = -1;      ///< index of the node that came last most often
  std::uint64_t latest_count = 0;
  std::int32_t latest_device = -1;    ///< of a process group: the device of that node, and its rank
  std::int64_t latest_rank = -1;
  /// Of the groups whose size and times are known. A link carries at least numerator / denominator of the size.
  std::uint64_t sized_groups = 0;
  std::int64_t payload_bytes = 0, moving_ps = 0;
  std::int64_t link_numerator = 1, link_denominator = 1;
  // enum collective_op::share: written by scripts/generate
  enum class share : std::uint8_t { none, arrival, transfer, mixed, inconclusive };
  // end of enum collective_op::share
  share cost = share::none;
};
/// What each link carries at least, of calls that move `payload_bytes`: NCCL's bus bandwidth counts these bytes.
[[nodiscard]] std::int64_t link_bytes(const collective_op& op, std::int64_t payload_bytes) noexcept;
/// time_ps is more than 0.
[[nodiscard]] double bytes_per_s(std::int64_t bytes, std::int64_t time_ps) noexcept;
[[nodiscard]] const char* collective_share_name(collective_op::share s) noexcept;

// enum collective_part: written by scripts/generate
/// What an execution does for the others.
enum class collective_part : std::uint32_t { both, sends, receives };
[[nodiscard]] const char* collective_part_name(collective_part value) noexcept;  ///< "both", "sends", …
// end of enum collective_part

/// One execution of a group.
struct collective_member {
  std::uint32_t node = 0;  ///< index
  std::int32_t device = -1;  ///< local device number
  std::int64_t rank = -1;    ///< its number in the groups on record; -1: not on record
  collective_part part = collective_part::both;
  std::int64_t start_ps = 0, end_ps = 0;  ///< since validation_result::origin_unix_ns
  std::int64_t correlation_id = -1;
  std::optional<std::int64_t> run_id;  ///< of its program, as recorded
  std::uint32_t activity_device = 0;   ///< of kernels of an activity: index into its devices, and kernel_row::source_row
  std::uint64_t source_row = 0;
  std::int64_t waited_ps = -1;  ///< until the last member came; -1: not known
};

/// The executions of one invocation.
struct collective_group {
  std::uint32_t op = 0;
  std::uint32_t occurrence = 0;
  std::uint64_t first_member = 0;
  std::uint32_t member_count = 0;
  /// Members, counted from first_member, the first of which must begin before the second ends. Of a reduce: latest
  /// start and the root; of a broadcast: the root and the earliest end; of a send: sender and receiver.
  std::uint32_t latest_start = 0, earliest_end = 0;
  std::int64_t start_gap_ps = 0;  ///< latest start - first start
  std::int64_t order_gap_ps = 0;  ///< start of the one - end of the other; 0 or more is out of order
  std::int64_t bound_ps = 0;      ///< of both members together
  std::uint32_t last = 0;         ///< the member that came last, counted from first_member
  /// What it moves: all that a member has in the end, or had at first; -1: not known, or members differ.
  std::int64_t payload_bytes = -1;
  /// First start to last end; -1 where the clocks of members are not known well enough.
  std::int64_t span_ps = -1;
  /// Last start to last end. Where clocks are not known well enough, the shortest execution of a collective where all members
  /// wait; of others -1.
  std::int64_t moving_ps = -1;
  bool judged = true;             ///< it is known whose start and end matter
  bool by_ids = false;            ///< ids of runs or numbers on record, which all members share, say that these are one call
  std::uint32_t members_expected = 0;  ///< 0: how many take part is not on record
  bool waits_known = false;            ///< it could be judged who came last, and what members waited
  std::int32_t came_last = -1;  ///< by that: the member, counted from first_member; -1: not known, or several came at once
  /// `violates_raw`: as a barrier and whatever the bound. `violates`: of its own kind and beyond the bound.
  bool violates_raw = false, violates = false;
};

/// What a device is to the calls that it ran with others.
struct arriving_device {
  std::uint32_t node = 0;  ///< index
  std::int32_t device = -1;
  std::int64_t rank = -1;         ///< -1: not on record
  std::uint64_t calls = 0;        ///< that it took part in, of those that could be judged
  std::uint64_t times_last = 0;   ///< it alone
  std::int64_t waited_for_ps = 0; ///< what the others waited for it
  std::int64_t waited_ps = 0;
};
/// Calls whose last member is not known. Executions are counted where it is not known which of them are one call.
struct unjudged_arrivals {
  std::string why;
  std::uint64_t calls = 0, executions = 0;
};
/// Who comes last to calls. Where all members end together, who comes last has the shortest execution, and the others waited as
/// much longer as theirs lasts: no clock of one node is held against that of another. Members of all-reduce, all-gather,
/// reduce-scatter and an all-to-all of equal shares end together; of others, calls whose ends lie together on record are judged.
struct collective_arrivals {
  std::uint64_t judged = 0;  ///< calls
  std::uint64_t tied = 0;    ///< of them, those to which several came last at once: no device counts as the last
  std::int64_t waited_ps = 0;
  std::vector<arriving_device> devices;  ///< of calls that could be judged; by node and device
  std::int32_t latest = -1;  ///< index into devices: that the others waited for longest; -1: none, or several
  std::int64_t longest_ps = 0;  ///< the longest wait, which device waited, in which op
  std::uint32_t longest_device = 0, longest_op = 0, longest_member = 0;
  std::vector<unjudged_arrivals> unjudged;  ///< by reason, the most calls first
  [[nodiscard]] std::uint64_t unjudged_calls() const noexcept;
};

/// What a device did otherwise than the others of its process group.
struct collective_irregularity {
  // enum collective_irregularity::kind: written by scripts/generate
  enum class kind : std::uint8_t {
    missing,   ///< it lacks a call, though it ran others before and after
    late,      ///< its trace begins after calls that the others made
    stopped,   ///< its trace ends before calls that the others made
    size,      ///< it moves something of another size or type
    order,     ///< it makes calls in another order
    straggler  ///< others wait for it call after call, for what it did before
  };
  // end of enum collective_irregularity::kind
  kind what = kind::missing;
  std::uint32_t op = 0;          ///< index into ops
  std::uint32_t occurrence = 0;  ///< the call; the first of several
  std::int64_t call_start_ps = 0;  ///< when the first member of that call began
  std::uint32_t node = 0;        ///< index
  std::int32_t device = -1;
  std::int64_t rank = -1;
  std::uint64_t count = 1;       ///< calls that it is so of
  std::uint64_t of_count = 1;    ///< calls of this op and group
  std::int64_t late_ps = 0;      ///< of a straggler: by how much, in the middle of its calls
  std::string evidence;          ///< one sentence
};
[[nodiscard]] const char* collective_irregularity_name(collective_irregularity::kind k) noexcept;  ///< "missing", …

/// Calls of its groups that a device may have made: its trace is known to lack events, so nothing is said of the device.
struct unrecorded_calls {
  // enum unrecorded_calls::place: written by scripts/generate
  /// of the calls that its trace has
  enum class place : std::uint8_t { end, begin, between };
  // end of enum unrecorded_calls::place
  place where = place::end;  ///< of the calls that its trace has
  std::uint32_t op = 0;            ///< of the first of them; index into ops
  std::uint32_t occurrence = 0;    ///< likewise
  std::int64_t call_start_ps = 0;  ///< when the first member of that call began
  std::uint32_t node = 0;          ///< index; collective_node::incomplete says why
  std::int32_t device = -1;
  std::int64_t rank = -1;
  std::uint64_t count = 1;
  std::string evidence;  ///< one sentence
};
[[nodiscard]] const char* unrecorded_place_name(unrecorded_calls::place p) noexcept;  ///< "end", …

/// Something a person should know of: an execution without partners, a clock that was not corrected.
struct collective_warning {
  // enum collective_warning::kind: written by scripts/generate
  enum class kind : std::uint8_t {
    count_mismatch,
    unmatched,
    one_node,
    bound_unknown,
    clocks_uncorrected,
    suspect_clock
  };
  // end of enum collective_warning::kind
  kind what = kind::unmatched;
  std::int64_t node_id = -1;
  std::uint64_t count = 0;
  std::string op, text;
};
[[nodiscard]] const char* collective_warning_name(collective_warning::kind k) noexcept;

struct validation_result {
  std::string absent;  ///< why nothing was compared; "" when something was
  std::vector<std::string> traces;
  std::optional<std::int64_t> origin_unix_ns;  ///< what times count from
  bool corrected = false;                      ///< the trace is a merge with corrected clocks
  bool bounds_known = false;                   ///< of every node
  std::vector<collective_node> nodes;          ///< by id
  std::uint32_t clocks = 0;                    ///< different ones of the nodes
  std::vector<collective_op> ops;
  std::vector<collective_group> groups;  ///< by op, then occurrence
  std::vector<collective_member> members;
  std::uint64_t violations = 0;       ///< beyond the bound of the clocks
  std::uint64_t violations_raw = 0;   ///< latest start not before earliest end, whatever the bound
  std::uint64_t pair_violations = 0;  ///< pairs of nodes: one ended before the other began
  std::uint64_t overlaps = 0;         ///< groups in order
  /// Groups where it is unknown who waits for whom, and executions whose group is unknown.
  std::uint64_t unjudged = 0;
  /// Executions whose process groups are on record and lie within one node each: there is nothing to compare.
  std::uint64_t within_node = 0;
  bool groups_by_order = false;    ///< of some operation, the calls of ranks were put together by their order alone
  bool groups_by_time = false;     ///< of some operation, calls were put together by run id or time
  bool placed_by_order = false;    ///< of some operation it is inferred which device has which number
  bool devices_counted = false;    ///< of some it is inferred how many devices its program has
  bool groups_unknown = false;           ///< some operation has no process group on record
  bool groups_by_number = false;         ///< of some, no more than the last three digits of its group's name
  std::vector<std::string> assumptions;  ///< what is taken for granted, each a sentence
  std::uint64_t warnings = 0;
  std::vector<collective_warning> warning_list;
  std::vector<collective_irregularity> irregularities;  ///< by kind, then time
  std::vector<unrecorded_calls> unrecorded;             ///< by node, device and place
  collective_arrivals arrivals;
  double mean_gap_ns = 0;           ///< of start gaps
  events_checked checked = events_checked::some;  ///< those of an XSpace that are collectives, all of other traces
  std::vector<file_damage> damage;  ///< `file` is an index into traces
};

/// Compares collectives across nodes: one merged trace, or one trace a node. A node is known by the plane stat node_id,
/// then by a name /node:<id>/, then by plane ids as merges give them, else it is the trace; each rank's file of PyTorch
/// is a node. Nodes of one hostname are processes of one host and share its clock. A null trace could not be
/// opened: it keeps its place. Faults: invalid_argument (no trace at all), cancelled.
result<validation_result> validate_collectives(const std::vector<std::shared_ptr<const trace>>& traces,
                                               const validation_options& o = {});

/// validate_collectives() for one capture, a run directory of several hosts or a merged trace; borrowed.
result<validation_result> validate_collectives_of(const trace& t, const validation_options& o = {});
/// Whether a capture holds more than one node: several XSpace files or ranks, or a merged one. Looks at names alone.
[[nodiscard]] bool has_several_nodes(const profile& capture);
/// "rank 7", "node 1, device 0".
[[nodiscard]] std::string arriving_device_text(const validation_result& found, const arriving_device& d);
/// Whether no other member of that call began as late as its `last`.
[[nodiscard]] bool starts_last_alone(const validation_result& of, const collective_group& g) noexcept;
/// "rank 7 comes last in 5 of 8 collectives; the others wait 35.543 ms for it"; "" where no device waited.
[[nodiscard]] std::string latest_text(const validation_result& found);
/// "not judged: 1 collective (not every member recorded them)"; "" where all could be.
[[nodiscard]] std::string unjudged_text(const collective_arrivals& found);
/// Both, and how much is waited in all; "" where no device waited and all could be judged.
[[nodiscard]] std::string arrivals_text(const validation_result& found);
/// "4 nodes", "4 processes of 1 host", "8 processes of 2 hosts".
[[nodiscard]] std::string nodes_text(const validation_result& found);

// ---- clocks from collectives ----

/// How far node b's clock is from node a's: b - a = offset + drift * (t - pivot), t and pivot on a's clock.
struct clock_relation {
  std::uint32_t a = 0, b = 0;     ///< indices into alignment_result::nodes
  std::uint64_t constraints = 0;  ///< barrier-like groups both took part in
  std::int64_t pivot_ps = 0;
  /// Every offset (at the pivot) and drift that no collective contradicts lies in these; exact hulls of the feasible
  /// set.
  std::int64_t least_offset_ps = 0, most_offset_ps = 0;
  double least_drift_ppm = 0, most_drift_ppm = 0;
  bool feasible = true;    ///< false: the collectives contradict one another
  bool decidable = false;  ///< the interval is no wider than max_bound
};

struct aligned_node {
  std::int64_t id = 0;
  std::string hostname;
  bool reached = false;                            ///< joined to the reference node by collectives
  clock_relation to_reference;                     ///< a is the reference node
  double offset_ps = 0, drift_ppm = 0;             ///< point estimate: centre of the feasible set
  double spread_ps = 0;                            ///< of the ends of barriers about that estimate, robust
  /// It is sure which calls of the two belong together: corrected clocks or ids on record say so, or no clock fits calls that lie a
  /// bit earlier or later.
  bool calls_known = false;
  bool contains_zero = false;                      ///< no shift at all is possible: one clock explains everything
  std::optional<std::int64_t> snapshot_offset_ps;  ///< what snapshots say, where the trace has them
  bool agrees = true;                              ///< with the snapshots, within both bounds
};

struct alignment_options {
  std::int64_t max_bound_ps = 1000000000;  ///< 1 ms: wider intervals decide nothing
  double max_drift_ppm = 1000;             ///< no clock drifts more
  std::int64_t reference_node = 0;         ///< id
};

struct alignment_result {
  std::string absent;
  std::vector<std::string> assumptions;  ///< under which the intervals hold, each a sentence
  std::uint32_t reference = 0;  ///< index
  std::vector<aligned_node> nodes;
  std::vector<clock_relation> pairs;
  std::uint64_t undecidable = 0, contradictions = 0;
};

/// Offset and drift of every node from its barrier-like collectives alone: in each, no member ended before
/// all began. Intervals are exact for a pair and at least as wide as the truth for a node reached through others.
alignment_result align_by_collectives(const validation_result& matched, const alignment_options& o = {});

/// What the nodes of a capture say of each other, as far as a report shows it.
struct nodes_compared {
  std::optional<validation_result> validation;  ///< of a capture of several nodes, all of which are looked at
  std::optional<alignment_result> alignment;    ///< where its clocks were not corrected, of up to max_nodes_aligned
};
/// Every two nodes are compared: what that takes grows with the square of their number.
inline constexpr std::size_t max_nodes_aligned = 128;
result<nodes_compared> compare_nodes(const trace& t, const query_filters& o = {}, const hooks& host = {});

/// One JSON document, "profkit.validate"; with `alignment` its part as well. `limit`: rows of each list; 0: all.
result<document_status> write_validation(const validation_result& found, const alignment_result* alignment, sink& into,
                                         std::uint64_t limit = 0);
/// A row a group: event_idx,op_name,occurrence,start_gap_ns and, for each node, node_<id>_corr_id,node_<id>_start_ns.
result<void> write_validation_csv(const validation_result& found, sink& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
