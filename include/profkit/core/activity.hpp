// What devices did and what their hosts recorded meanwhile: kernels, host spans and step markers, one model for
// XSpace, Chrome/Kineto JSON and Ascend captures. The bubble detector and the architecture report stand on it.
#pragma once
#include <profkit/core/number_type.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/track.hpp>
#include <profkit/interval.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// "The source does not say": of any _ps field here.
inline constexpr std::int64_t no_time_ps = std::numeric_limits<std::int64_t>::min();
/// "The source does not say": of a thread.
inline constexpr std::uint32_t no_thread = std::numeric_limits<std::uint32_t>::max();

// enum kernel_class: written by scripts/generate
/// What a kernel counts as.
enum class kernel_class : std::uint8_t {
  compute, ///< computation
  aicpu,   ///< Ascend's host-like core
  comm,    ///< communication
  copy,    ///< a memory copy or set
  other    ///< none of these; or its name is not on record
};
[[nodiscard]] const char* kernel_class_name(kernel_class value) noexcept;  ///< "compute", "aicpu", …
// end of enum kernel_class

/// Bits of kernel_row::flags.
enum kernel_flags : std::uint8_t {
  kernel_on_aicpu = 1,    ///< runs on an AI CPU, whatever its class (a collective may)
  kernel_has_stream = 2,  ///< kernel_row::stream is known
  kernel_duplicate = 4,   ///< the same collective was listed twice; this row makes no interval
  kernel_cut = 8,         ///< its duration ran over later kernels of its stream and ends at the next start here
  kernel_by_graph = 16,   ///< its launch is that of a whole graph
  kernel_by_order = 32,   ///< its origin is that of a launch in the capture of the graph, which the order of launches gives
  kernel_in_flight = 64,  ///< an asynchronous copy from its start to its arrival: the device does other things meanwhile
};

/// One execution of one kernel (on TPUs: of one op). Names are in the activity's string table.
struct kernel_row {
  std::int64_t start_ps = 0;            ///< relative to the capture origin
  std::int64_t duration_ps = 0;         ///< not negative; 0 counts but makes no interval
  std::int64_t wait_ps = no_time_ps;    ///< the source's own wait column
  std::int64_t launch_ps = no_time_ps;  ///< when the host launched it, by correlation or flow
  std::int64_t launch_end_ps = no_time_ps;  ///< when the call that launched it returned; only with launch_thread
  std::uint64_t source_row = 0;         ///< line number (tables), ordinal (JSON), byte offset (XSpace)
  string_id name = 0;
  string_id op_type = 0;     ///< derived from the name where the source has no such column
  string_id core = 0;        ///< execution unit as written, 0 when the source has none
  string_id step = 0;        ///< step id as written, 0 when the source has none
  std::uint16_t stream = 0;  ///< index into activity_device::streams
  kernel_class kind = kernel_class::compute;
  std::uint8_t flags = 0;
  std::uint32_t details = 0;  ///< 1 + index into activity_device::details; 0: none
  std::uint32_t launch_thread = no_thread;  ///< host_span::thread of the call that launched it
  std::uint32_t origin = 0;  ///< 1 + index into activity::origins(); 0: none

  /// Whether the device works on it, and not only somewhere in its time.
  [[nodiscard]] bool makes_interval() const noexcept { return (flags & (kernel_duplicate | kernel_in_flight)) == 0; }
};
static_assert(sizeof(kernel_row) == 80);

/// What an operator did, by the shapes of its inputs.
struct kernel_work {
  std::int64_t flops = 0, bytes = 0;      ///< bytes: moved from and to memory at least
  std::optional<number_type> multiplies;  ///< these operations are of; nothing if devices do not multiply the type
};

/// What tables and traces say beyond time; only kept where the source has it.
struct kernel_details {
  /// What the operator that launched it did, if it is the longest kernel of that call.
  std::optional<kernel_work> work;
  string_id input_shapes = 0, output_shapes = 0, input_dtypes = 0;
  string_id group = 0;  ///< the process group of a collective
  string_id group_name = 0, group_ranks = 0;  ///< its name and its members as written: "3", "[0, 4]"
  std::int32_t group_size = 0;                ///< 0: not on record
  std::int64_t group_sequence = -1;  ///< its number among the calls of its group; -1: not on record
  std::int64_t sent_bytes = -1, received_bytes = -1;  ///< by this rank, where the record has bytes and not elements; -1: it has not
  std::int32_t root_rank = -1, source_rank = -1, target_rank = -1;  ///< of a broadcast or reduce; of a recv; of a send
  std::int64_t task_id = -1, block_dim = -1;
  std::vector<std::pair<string_id, double>>
      counters;  ///< PMU columns by header name, e.g. aic_mac_ratio; ratios, never times
};

// enum training_phase: written by scripts/generate
/// Which part of a training step launched a kernel. recomputation: forward once more within the backward pass, for
/// activations that were not kept.
enum class training_phase : std::uint8_t { unknown, forward, backward, optimizer, recomputation };
[[nodiscard]] const char* training_phase_name(training_phase value) noexcept;  ///< "", "forward", …
// end of enum training_phase

/// Between the names of ranges one inside the other: "forward > attention". Names have '/' in them.
inline constexpr std::string_view range_separator = " > ";

/// Where in the program of the host kernels come from: what lay around the call that launched them. 0 where nothing does. Of what
/// runs backward, module and source are those of the operator that ran forward.
struct kernel_origin {
  string_id op = 0;        ///< the innermost operator: "aten::addmm", "AddmmBackward0"
  string_id outer_op = 0;  ///< the outermost: "aten::linear"
  string_id module = 0;    ///< modules from outside in: "BertModel_0/BertEncoder_0/Linear_3"
  string_id range = 0;     ///< ranges that the user marked and that were open then, from outside in, between them range_separator
  string_id forward_range = 0;  ///< of what runs backward or again: the ranges around the operator that ran forward first
  string_id source = 0;    ///< the innermost line of code that is not the framework's: "model.py(31): forward"
  string_id program = 0;   ///< the compiled program, where a host's own trace says it
  training_phase phase = training_phase::unknown;
};

/// When a kernel ran by the clock of its device; no_time_ps where its record does not say.
struct own_time {
  std::int64_t start_ps = no_time_ps, duration_ps = no_time_ps;
};

/// Which kernels of a stream have times by the clock of their device: none, some or only durations, all of them both.
enum class own_times : std::uint8_t { none, some, all };

/// A hardware stream (or TPU line) of a device. Lines of kind `async` repeat what lies beside the ops.
struct activity_stream {
  std::int64_t id = -1;
  string_id name = 0;
  line_kind kind = line_kind::stream;
  /// Where `info` shows it: positions of the process and of the thread in the file; -1 where the source has none.
  std::int32_t plane = -1, line = -1;
  own_times by_own_clock = own_times::none;
};

// enum accelerator: written by scripts/generate
/// What a device is. On GPUs the host's step windows lie far from the kernels that they launched.
enum class accelerator : std::uint8_t {
  other, ///< none of these
  tpu,   ///< a TPU
  gpu,   ///< a GPU
  npu    ///< an NPU
};
[[nodiscard]] const char* accelerator_name(accelerator value) noexcept;  ///< "other", "tpu", …
// end of enum accelerator

/// What a table without start times has about an op.
struct op_total {
  string_id op_type = 0, core = 0;
  kernel_class kind = kernel_class::compute;
  std::uint64_t calls = 0;
  std::int64_t duration_ps = 0;
  std::int64_t self_ps = -1;  ///< without what ran inside it; -1: not on record
  string_id full_name = 0, category = 0, framework_op = 0, program = 0;  ///< 0: not on record
  std::uint64_t program_id = 0;        ///< 0: not on record
  std::uint64_t flops = 0, bytes = 0;  ///< of all calls; 0: not on record
};

/// Which clock windows and host spans belong to a device: one rank, process or file.
struct activity_device {
  std::uint32_t file = 0;   ///< index into profile::what().files
  std::int32_t plane = -1;  ///< position in an XSpace file
  std::int64_t ordinal = -1;
  std::int32_t rank = -1;
  std::int32_t world_size = 0;  ///< ranks of the whole run, as the recorder says; 0: it does not
  std::uint32_t host_group = 0;  ///< host spans and markers with this group explain it
  string_id name = 0;            ///< "/device:TPU:0", "NPU 0", "GPU 3"
  string_id model = 0;           ///< "NVIDIA H100 80GB HBM3", where its own record says it; else see activity_host::devices
  accelerator type = accelerator::other;
  std::vector<activity_stream> streams;
  std::vector<kernel_details> details;
  std::vector<own_time> own_clock;  ///< of each kernel, in the order of visits; empty where no kernel has one
  std::vector<op_total> totals;  ///< only when no file says when kernels began: there are no rows then
  std::uint64_t kernels = 0;     ///< rows the visitor will see
  std::uint64_t graph_launched = 0;   ///< of them, those launched by graphs: their launch is that of the whole graph
  std::int64_t graph_launched_ps = 0;
  std::int64_t timestamp_resolution_ps = 1000;
  bool has_waits = false, has_shapes = false, has_classes = true, has_launches = false;
  bool steps_truncated = false;  ///< more step markers than are kept: time after the last one kept is in no step
  std::optional<bool> recorded_stacks, recorded_shapes;  ///< as the recorder's own settings say; empty: not recorded
  /// How a model is spread, in the recorder's own words: "tensor_model_parallel_size", 8; groups as "group tp", 8.
  std::vector<std::pair<std::string, std::int64_t>> parallel_sizes;
};

// enum launched_work: written by scripts/generate
/// What a call of the host gave to a device.
enum class launched_work : std::uint8_t { kernel, copy, graph };
[[nodiscard]] const char* launched_work_name(launched_work value) noexcept;  ///< "kernel", "copy", …
// end of enum launched_work

/// A launch without any record of a device: what the device did for it, and when, is not known.
struct unrecorded_launch {
  std::int64_t start_ps = 0, end_ps = 0;  ///< of the call
  string_id name = 0;                     ///< "cudaGraphLaunch"
  std::uint32_t thread = no_thread;       ///< index into activity::threads()
  launched_work work = launched_work::kernel;
};

/// A call of an operator with the shapes of its inputs; kept under activity_options::operators, without those that only name or
/// move what is there.
struct operator_call {
  std::int64_t start_ps = 0, duration_ps = 0;
  string_id name = 0, shapes = 0, types = 0;
  string_id values = 0;  ///< of scalar inputs, as written; only of operators whose values say something of a model
  std::uint32_t thread = 0;
  std::uint32_t host_group = 0;
};

/// Whose record it is: what can be advised differs.
enum class trace_writer : std::uint8_t { unknown, pytorch, xla, tensorflow, rocprof, ascend };

/// A host: one rank, process or file. Devices, spans and markers name it by its index (host_group).
struct activity_host {
  std::uint32_t file = 0;            ///< index into profile::what().files: the first that names it
  trace_writer writer = trace_writer::unknown;
  std::uint64_t unplaced_spans = 0;    ///< spans that a device or a host ran: which, is not recorded
  std::string recorder;              ///< "PyTorch (Kineto)"; "" when not recorded
  std::string hostname;              ///< of the machine; "" when not recorded
  std::vector<std::string> devices;  ///< models of the machine's devices, by their numbers: "NVIDIA H100 80GB HBM3", …; "": not listed
  std::int32_t rank = -1, world_size = 0;  ///< of a distributed run; -1 and 0: not recorded
  std::string backend;                     ///< of its communication: "nccl"
  /// What the recorder notes of the model: "repo_id", "Qwen/Qwen1.5-0.5B-Chat".
  std::vector<std::pair<std::string, std::string>> notes_of_model;
  std::array<std::uint64_t, 3> launches{};  ///< by launched_work, where calls are tied to what they launched
  std::vector<unrecorded_launch> unrecorded;  ///< of them, those without a record of a device, by start
};

/// A thread of a host; host_span::thread is its index.
struct activity_thread {
  std::uint32_t file = 0;
  std::int32_t plane = -1, line = -1;  ///< where `info` shows it: positions of its process and of itself in the file
  std::string process, name;           ///< "/host:CPU", "python 4711"; "main thread", "thread 4712"
  /// Its number in the operating system where the trace shows one thread in several processes, as Ascend does with what
  /// Python and what CANN recorded of it; -1: it stands alone.
  std::int64_t system_thread = -1;
};

// enum host_span_kind: written by scripts/generate
/// What a span of a host is.
enum class host_span_kind : std::uint8_t {
  op,            ///< an operator of a framework
  runtime,       ///< a call of the runtime or driver of a device
  frame,         ///< python_function
  annotation,
  gc,            ///< garbage collection
  other,
  /// a wait or notify that a device process recorded: evidence of communication, never of host activity
  device_marker
};
[[nodiscard]] const char* host_span_kind_name(host_span_kind value) noexcept;  ///< "op", "runtime", …
// end of enum host_span_kind
/// One host activity with a length.
struct host_span {
  std::int64_t start_ps = 0, duration_ps = 0;
  std::uint64_t source_row = 0;  ///< ordinal (JSON) or byte offset (XSpace)
  string_id name = 0;
  std::uint32_t thread = 0;  ///< index into activity::threads()
  host_span_kind kind = host_span_kind::other;
};

/// Where a step window comes from, best first. step_num: an argument of that name. scheduler_step: "step[DECODE bs=32]" of
/// SGLang. execute_step: "execute_context_1(8)_generation_0(0)" of vLLM. run: none is marked, and every run of a program
/// counts.
enum class marker_source : std::uint8_t {
  profiler_step,
  numbered_step,
  step_num,
  pattern,
  scheduler_step,
  execute_step,
  device_annotation,
  step_id,
  line,
  run
};
struct step_marker {
  std::uint32_t host_group = 0;
  std::int32_t device = -1;  ///< index into devices(): a window in device time; -1: host time, for all of the group
  std::uint32_t thread = no_thread;  ///< of the host, that wrote it first; index into threads()
  string_id name = 0;
  string_id whole_name = 0;  ///< as it was recorded, where name is a part of that; else 0
  std::int64_t number = -1;
  std::int64_t start_ps = 0, end_ps = 0;
  marker_source source = marker_source::profiler_step;
  bool ends_itself = false;  ///< no step lasts from its end to the next one
};

/// One file that was read, and what was not taken from it.
struct activity_input {
  std::uint32_t file = 0;
  std::string path, variant;  ///< "kernel_details 2025", "trace_view.json", "kineto", "xspace"
  std::uint64_t rows = 0, rejected = 0;
  std::vector<std::pair<std::string, std::uint64_t>> reject_reasons;  ///< reason, count
  std::uint64_t first_rejected_line = 0;                              ///< 1-based; of JSON which event; 0: none
  std::uint64_t first_rejected_byte = no_offset;                      ///< of JSON
  std::vector<std::string> unknown_columns, missing_columns, notes;
  std::vector<std::string> incomplete;  ///< what is missing or not to be trusted though the file is intact
  /// Of spans that are recorded by their two ends: begins that nothing ended, those of them around which nothing ended either (they
  /// ran when the trace ended), and ends that nothing began. None is a span.
  std::uint64_t begins_without_end = 0, begins_open = 0, ends_without_begin = 0;
  std::string unpaired;      ///< these counts as a sentence, also in `incomplete`; "" when all are 0
  std::string lacks_events;  ///< why events are known to be missing though the file is intact; "" when nothing says so
  /// When the last event ends, where a false duration was cut that ends later; no_time_ps elsewhere.
  std::int64_t last_ps = no_time_ps;
  std::string why_empty;        ///< why no kernel came of it; "" when some did, or when other inputs give the reason
  /// Of the first input: the capture has devices, or steps, but none with the name that was asked for.
  bool no_device_fits = false, no_step_fits = false;
  bool is_fallback = false;       ///< a trace whose kernels are taken because no table has any
  std::optional<fault> damage;  ///< rejected rows are, too, unless a time or a begin was never on record
};

/// What an event of a line of trace JSON was taken for.
enum class line_use : std::uint8_t {
  kernel,        ///< of a device
  op,            ///< an operator of a framework
  span,          ///< what else a host did
  unplaced,      ///< of a device or of a host: which, is not recorded
  device_wait,   ///< a device that waits, which is evidence and no work
  asynchronous,  ///< an op that runs beside those of its device
  step,          ///< marks a step
  program_run,   ///< a run of a program, which its ops repeat
  repeated,      ///< stands on another line of its device, too
  bookkeeping,   ///< of the recorder
  no_length,     ///< a moment or a value
  overlapping,   ///< an asynchronous event ("b", "e"), which nests in nothing
  unusable,      ///< its length is missing, negative or out of reach
  not_known,     ///< on a device, of a category or on a line that no rule knows
  elsewhere,     ///< a table beside the trace has it, too, and is used instead
};
inline constexpr std::size_t line_uses = static_cast<std::size_t>(line_use::elsewhere) + 1;
/// A line of trace JSON as `info` shows it, and how many of its events were taken for what. Lines are in the order of
/// their first events.
struct line_count {
  std::uint32_t file = 0;
  std::int32_t plane = -1, line = -1;
  string_id plane_name = 0, line_name = 0;
  plane_kind plane_type = plane_kind::other;
  line_kind line_type = line_kind::other;
  std::int64_t id = -1;  ///< number of the thread; `line` where it has none
  std::array<std::uint64_t, line_uses> events{};
  std::int64_t duration_sum_ps = 0;  ///< negative durations count as 0
  std::int64_t first_ps = no_time_ps, last_ps = no_time_ps;  ///< no_time_ps: it has no event that ended
};

/// What went over one kind of link during a communication operation, as communication.json lists it.
struct communication_link {
  string_id link = 0;  ///< "HCCS", "RDMA"; "SDMA" has again what went over others by that engine
  std::int64_t bytes = 0, transit_ps = 0;
};
/// A communication operation as communication.json lists it.
struct communication_row {
  string_id step = 0, op = 0, group = 0;
  std::int64_t start_ps = no_time_ps, elapsed_ps = 0, transit_ps = 0, wait_ps = 0;
  std::int64_t synchronization_ps = 0, idle_ps = 0;  ///< the first is a part of wait_ps: before the first byte
  std::vector<communication_link> links;             ///< that anything went over
  std::uint32_t device = 0;
  bool collective = true;
};
/// A row of step_trace_time.csv, for the self check.
struct step_trace_row {
  std::uint32_t device = 0;
  string_id step = 0;
  std::int64_t computing_ps = 0, exposed_ps = 0, overlapped_ps = 0, communication_ps = 0, free_ps = 0, stage_ps = 0,
               preparing_ps = no_time_ps;
};

class kernel_visitor {
 public:
  virtual ~kernel_visitor() = default;
  virtual result<void> rows(const kernel_row* rows, std::size_t count) = 0;
};
class host_span_visitor {
 public:
  virtual ~host_span_visitor() = default;
  virtual result<void> spans(const host_span* spans, std::size_t count) = 0;
  /// Whether spans of that name matter: a source may leave out those of other names. Asked any number of times.
  virtual bool wants(string_id name) {
    static_cast<void>(name);
    return true;
  }
};

/// Takes host spans in parts, several of which may be read at the same time.
class host_span_parts {
 public:
  virtual ~host_span_parts() = default;
  /// A visitor for the spans of one part, which one thread uses. Called from any thread.
  virtual std::unique_ptr<host_span_visitor> begin() = 0;
  /// A part that was read, its visitor given back. One at a time and in an order that does not depend on the number of
  /// threads: spans of a thread of the host come in a row. Of what was begun some may never come.
  virtual result<void> keep(std::unique_ptr<host_span_visitor> part) = 0;
  /// Spans of a file are missing because of this. Called like keep().
  virtual void note_damage(std::uint32_t /*file*/, const fault& /*why*/) {}
};

/// What `ops` names a kernel by: those of NPUs are known by their type.
[[nodiscard]] inline string_id op_name_of(const activity_device& on, const kernel_row& k) noexcept {
  return on.type == accelerator::npu && k.op_type != 0 ? k.op_type : k.name;
}

/// The activity of a capture. Tables and JSON are held in memory; an XSpace is walked on the wire each time it
/// is visited, so that its size does not matter. Immutable: visit from any thread.
class activity {
 public:
  virtual ~activity() = default;
  [[nodiscard]] virtual const std::vector<activity_device>& devices() const noexcept = 0;
  [[nodiscard]] virtual const std::vector<activity_host>& hosts() const noexcept = 0;  ///< by host_group
  [[nodiscard]] virtual const std::vector<activity_thread>& threads() const noexcept = 0;
  [[nodiscard]] virtual const std::vector<step_marker>& markers() const noexcept = 0;  ///< by group, device, start
  [[nodiscard]] virtual const std::vector<activity_input>& inputs() const noexcept = 0;
  [[nodiscard]] virtual const std::vector<communication_row>& communication() const noexcept = 0;
  [[nodiscard]] virtual const std::vector<step_trace_row>& step_trace() const noexcept = 0;
  [[nodiscard]] virtual const std::vector<line_count>& lines() const noexcept;  ///< of trace JSON
  /// Of kernels: where in the program of the host they come from.
  [[nodiscard]] virtual const std::vector<kernel_origin>& origins() const noexcept;
  /// Under activity_options::operators, in no promised order.
  [[nodiscard]] virtual const std::vector<operator_call>& operator_calls() const noexcept;
  [[nodiscard]] virtual std::string_view text(string_id id) const noexcept = 0;
  /// Unix ns of time zero; nothing when the capture does not carry it.
  [[nodiscard]] virtual std::optional<std::int64_t> origin_unix_ns() const noexcept = 0;
  [[nodiscard]] virtual bool has_host_spans(std::uint32_t host_group) const noexcept = 0;
  /// The kernels of a device by (start, end, row), in batches.
  virtual result<void> visit_kernels(std::size_t device, kernel_visitor& into, const hooks& host = {}) const = 0;
  /// Host spans of a group that touch [from_ps, to_ps), in no promised order.
  virtual result<void> visit_host_spans(std::uint32_t host_group, std::int64_t from_ps, std::int64_t to_ps,
                                        host_span_visitor& into, const hooks& host = {}) const = 0;
  /// Host spans of a group that touch one of the windows, which are normal; of the others between the first window
  /// and the last one only their kinds are given. Gives a bit for each kind, 1 << host_span_kind.
  virtual result<std::uint32_t> visit_host_spans_in(std::uint32_t host_group, interval_sequence windows,
                                                    host_span_visitor& into, const hooks& host = {}) const;
  /// visit_host_spans_in() in parts, on up to hooks::threads threads.
  virtual result<std::uint32_t> visit_host_spans_in_parts(std::uint32_t host_group, interval_sequence windows,
                                                          host_span_parts& into, const hooks& host = {}) const;
};

/// Options of read_activity().
struct activity_options {
  std::string device;        ///< substring of a device's name; "" all
  std::string step_pattern;  ///< whole names that mark a step: a regular expression of RE2
  bool details = true;       ///< keep shapes and counters
  bool operators = false;    ///< keep calls of operators with their shapes
};

/// Reads kernels, host spans and markers of everything in the profile that has them. Damage is reported in inputs();
/// a capture without any device has no devices() and says why in `notes` of its inputs.
result<std::shared_ptr<const activity>> read_activity(std::shared_ptr<const profile> from,
                                                      const activity_options& options = {}, const hooks& host = {});

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
