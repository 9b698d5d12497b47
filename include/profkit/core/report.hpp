// Everything about a capture at once: each analysis, run one time, and the facts that sum them up.
//
// The screen of `profkit report` and its JSON document are two renderings of what analyse_report() gives. Names are as the capture
// has them; callers that print them to a terminal escape them (core/text.hpp). Times are ps.
#pragma once
#include <profkit/core/architecture.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/collectives.hpp>
#include <profkit/core/communication.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/framework.hpp>
#include <profkit/core/info.hpp>
#include <profkit/core/memory.hpp>
#include <profkit/core/modules.hpp>
#include <profkit/core/op_groups.hpp>
#include <profkit/core/ops.hpp>
#include <profkit/core/step_groups.hpp>
#include <profkit/core/steps.hpp>
#include <profkit/core/trace.hpp>
#include <profkit/time.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct report_options {
  query_filters filters;             ///< the limit is not looked at
  bool samples = true;                 ///< with the framework's events, which take a pass of their own
  std::uint64_t framework_events = 20; ///< so many of them; 0: all
  std::uint64_t memory_rows = 30;      ///< of each list of the memory analysis
  std::uint64_t curve_points = 0;      ///< of the memory analysis
  std::size_t busiest_ops = 8;         ///< in the summary
};

/// What bounds the ops of all devices, as op_groups sums it.
struct op_bounds {
  op_roof roof;
  std::int64_t self_ps = 0;  ///< of all ops
  /// Whether a tenth of that time is known: less says nothing of the whole.
  [[nodiscard]] bool is_of_use() const noexcept { return roof.judged_ps() >= self_ps / 10; }
};

/// What each analysis found under the filters.
struct report_parts {
  info_result info;
  steps_result steps;
  ops_result ops;
  ops_result module_runs;  ///< of the lines `XLA Modules`
  std::vector<program_runs> host_runs;  ///< of files without such lines
  modules_result modules;
  collectives_result collectives;
  framework_result framework;  ///< empty without samples
  memory_options asked_of_memory;
  std::optional<memory_result> memory;  ///< none where it cannot keep to the filters, as bubbles
  bubble_options asked_of_bubbles;
  std::optional<bubbles_report> bubbles;
  nodes_compared nodes;
  std::optional<architecture_result> model;  ///< what model ran; none where the kernels do not say
  std::optional<op_groups> work;           ///< ops by kernel, with what they did; none where that is on no record
  std::shared_ptr<const activity> traces;  ///< what trace JSON and tables hold; null where there are none

  /// What model ran, in one line; "" where the kernels do not say.
  [[nodiscard]] std::string_view model_summary() const noexcept { return model ? model->summary : std::string_view(); }
};

/// Devices of one model.
struct device_model {
  std::string name;                          ///< "TPU v6 Lite, 918 TFLOP/s, 1.64 TB/s", as far as the capture says
  std::uint64_t devices = 0;
  std::optional<std::uint64_t> with_events;  ///< of them; none where a trace names the devices of its machine
};
struct recorded_host {
  std::string name;
  bool from_file_name = false;  ///< a single file may have been renamed
};
/// A process of a distributed run.
struct process_rank {
  std::int32_t rank = 0, world_size = 0;
  std::string backend;  ///< "nccl"; "" when not recorded
};

/// How long a device of traces or tables was busy: any kernel or copy counts.
struct busy_device {
  std::uint32_t file = 0;
  std::string name;
  std::uint64_t kernels = 0;
  std::int64_t busy_ps = 0;
};
/// How long a line of an XSpace had an op.
struct busy_line {
  std::uint32_t file = 0;
  std::int32_t plane = 0, line = 0;
  std::string plane_name, line_name;
  ops_clock clock = ops_clock::aligned;
  std::uint64_t ops = 0, events = 0;
  std::int64_t busy_ps = 0;
};

/// Ops of one name and program on all lines together.
struct report_op {
  std::string short_name;  ///< short_op_name(), or "#17 (no metadata)"
  std::string name;        ///< "" where the capture has none
  op_details details;
  std::uint64_t count = 0;
  std::int64_t total_ps = 0, self_ps = 0;
};
/// Modules of one name, with their runs on all devices. Without recorded runs total_ps is the self time of their ops.
struct module_total {
  std::string name;
  std::uint64_t runs = 0, bytes = 0, instructions = 0;
  std::int64_t total_ps = 0, max_ps = 0;
};
/// Collectives or asynchronous copies of one kind on all devices.
struct collective_total {
  std::string kind;               ///< "all-reduce"; the op's short name where it has no category
  bool blocking = false;          ///< nothing else runs on its line meanwhile; else it is in flight beside other work
  std::uint64_t count = 0;
  std::int64_t total_ps = 0, max_ps = 0;
  std::optional<std::int64_t> exposed_ps;  ///< while the device did nothing else; none where that is not known
  bool on_stream = false;  ///< kernels of streams: other streams may compute meanwhile
};

/// How long devices wait in their steps.
struct idle_total {
  std::int64_t service_ps = 0, idle_ps = 0, longest_ps = 0;
  std::int64_t not_recorded_ps = 0;  ///< neither busy nor idle: launches have no record of a device
  bool marked = false;  ///< it is all of marked steps; else the whole capture counts as one, at least on some device
  idle_pattern pattern = idle_pattern::none;  ///< of the group with most idle time, where that is significant
  std::vector<time_row> time;  ///< where the time of all devices in steps went: adds up to service_ps
  /// The rank that waits least for the others in collectives, so the one that they wait for; none where that is not one alone.
  std::optional<std::int32_t> rank_waited_for;
};
/// What cost most; "" and 0 where nothing did.
struct costliest_work {
  std::string op;  ///< short name, by self time over all lines
  std::int64_t op_self_ps = 0;
  std::string collective;  ///< kind, by the time in which its devices did nothing else; of copies, too
  std::int64_t exposed_ps = 0;
};
/// Of the time in steps, what one use of it took.
struct use_share {
  time_use use;
  std::int64_t time_ps;
  std::int64_t waiting_ps;  ///< of it, for other ranks
};
/// Of the idle time in steps, what one cause took.
struct cause_share {
  idle_cause cause;
  std::int64_t time_ps;
  std::int64_t proved_ps;  ///< of it, with a proof
};
/// The longest first. Pure.
[[nodiscard]] std::vector<use_share> use_shares(const idle_total& idle);
/// The known causes, the longest first. Pure.
[[nodiscard]] std::vector<cause_share> cause_shares(const idle_total& idle);

/// What the largest module needs and how full the fullest device was.
struct memory_total {
  std::string module, space;  ///< "" without a module; without a name of its memory
  std::int64_t needed_bytes = 0;
  std::string device;         ///< of the allocator, or the allocator's own name; "" without allocator events
  std::int64_t held_bytes = 0, capacity_bytes = 0;  ///< 0 where the capacity is not recorded
  std::optional<bool> agree;  ///< whether module and allocator do, where both can be compared
};

/// What to look at next: the arguments after `profkit`, with PATH for the path.
struct next_command {
  std::string arguments, why;
};

/// What a report says first, in the order in which it says it.
struct report_summary {
  std::string verdict;  ///< where the time of the devices went, in a sentence or two
  std::vector<device_model> devices;
  std::vector<std::string> software;   ///< what wrote it: "JAX 0.10.2"
  std::vector<recorded_host> hosts;    ///< by name
  std::vector<process_rank> ranks;
  std::optional<std::int64_t> first_ps, last_ps;  ///< of all events
  std::int64_t busy_ps = 0;                       ///< sum over the lines of ops
  std::vector<busy_device> busy_devices;          ///< by time, descending
  std::vector<busy_line> busy_lines;              ///< those of an XSpace, and of traces without a known device; by file and line
  std::vector<report_op> ops;                      ///< by self time, descending; at most report_options::busiest_ops
  std::uint64_t op_names = 0;                     ///< before that limit
  std::uint64_t op_lines = 0;                     ///< on which they ran
  std::vector<module_total> modules;              ///< by time, then by size
  bool run_ids = false;                           ///< events name the run of a module that they belong to
  std::vector<step_group> steps;                  ///< of each plane
  std::vector<collective_total> collectives;      ///< blocking first, then by time
  std::optional<idle_total> idle;
  costliest_work costliest;
  std::optional<op_bounds> roofline;  ///< none where it is on no record what ops do, or what devices do at most
  std::optional<memory_total> memory;
  std::vector<std::string> across_nodes;  ///< what collectives say of the nodes and their clocks, one sentence each
  std::vector<std::string> notes;         ///< facts worth a sentence
  std::vector<next_command> next;         ///< most useful first

  /// From the first event to the last; 0 without events. Stops at the end of int64.
  [[nodiscard]] std::int64_t span_ps() const noexcept {
    if (!first_ps || !last_ps) return 0;
    return checked_sub(*last_ps, *first_ps).value_or(std::numeric_limits<std::int64_t>::max());
  }
};

/// A report: everything that was found, and its summary.
struct report_result {
  report_parts parts;
  report_summary summary;
  std::vector<finding> findings;    ///< of all parts; what is sure before what is not, then what could be won back
  std::vector<file_damage> damage;  ///< of all parts, by file; the first of each
};

/// Runs every analysis, two at a time where the host gives two threads or more, and sums them up. Faults: those of the analyses
/// (a step or filter that fits nothing: check_filters() says so beforehand), cancelled.
result<report_result> analyse_report(const trace& t, const report_options& o = {}, const hooks& host = {});

/// A word that a shell reads as one.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
