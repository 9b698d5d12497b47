// Where the memory goes: what the compiler assigned (HLO buffer assignment) and what the allocators did at run time.
//
// Everything is a pure function of an opened profile or of one serialized HloProto. Bytes are exact integers; a sum
// that would not fit is a finding, never a wrapped number. Names in the results are spans of the profile's bytes and
// live as long as it does. Formats: hlo.proto and xla_data.proto of openxla/xla, xplane.proto of tsl.
#pragma once
#include <profkit/core/export.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/finding.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/sink.hpp>
#include <profkit/core/trace.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// ---- what to look at -----------------------------------------------------------------------------------

// enum step_policy: written by scripts/generate
/// Which step window the run-time part is about.
enum class step_policy : std::uint8_t { peak, last, first };
// end of enum step_policy

/// Options of the memory analysis. The defaults are those of `profkit memory PATH`.
struct memory_options {
  std::string host;                  ///< only hosts whose name contains this; empty: all
  std::string name;                  ///< only modules whose label contains this; empty: all
  std::string module;                ///< "jit_f", "jit_f(12)" or an id; empty: the module with the highest peak
  std::int64_t memory_space = 0;     ///< color of the space that is looked into
  std::uint64_t top = 30;            ///< rows of each list; 0: none, everything is then in the tail
  bool runtime = true;               ///< look at the allocators, too
  bool all_trace = false;            ///< the whole trace as one window; steps are then not asked for
  std::optional<std::int64_t> step;  ///< the N-th step window, counted from 0
  step_policy policy = step_policy::peak;
  std::int64_t persistent_threshold_steps = 2;
  bool include_host_pools = false;
  std::uint64_t time_samples = 200;
  std::optional<std::uint64_t> fit_bytes;   ///< does the highest peak fit into so many bytes?
  std::vector<std::string> remat, offload;  ///< instructions whose buffers are recomputed or offloaded in a what-if
  std::uint64_t curve_points = 0;           ///< at most so many points of the live curve; 0: no curve
};

/// Adds the question "remat=NAME" or "offload=NAME". Faults: invalid_argument.
result<void> add_what_if(std::string_view question, memory_options& o);

// ---- compile time --------------------------------------------------------------------------------------

// enum peak_method: written by scripts/generate
/// How a peak was found.
enum class peak_method : std::uint8_t {
  none,             ///< the space has no temporary memory: the peak is what lives all the time
  heap_replay,      ///< the compiler's heap simulation, event by event
  schedule_sweep,   ///< no simulation in the file: lifetimes from schedule and uses, memory from address ranges
  allocation_sizes  ///< neither simulation nor schedule: every temporary allocation in full
};
[[nodiscard]] const char* peak_method_name(peak_method value) noexcept;  ///< "none", "heap_replay", …
// end of enum peak_method
// enum peak_bound: written by scripts/generate
/// How a peak relates to the truth.
enum class peak_bound : std::uint8_t {
  exact, ///< it is the truth
  lower, ///< the truth is not below it
  upper  ///< the truth is not above it
};
[[nodiscard]] const char* peak_bound_name(peak_bound value) noexcept;  ///< "exact", "lower", …
// end of enum peak_bound
/// Where a program runs, as far as the capture shows.
enum class program_home : std::uint8_t { unknown, host, gpu, tpu };
/// What a memory space is there. Space 0 is "HBM" of a TPU, "host memory" of a host, else "device memory"; others have
/// XProf's names ("VMEM", …) of a TPU and where the home is not known; "" when it has none.
[[nodiscard]] const char* memory_space_name(std::int64_t color, program_home home) noexcept;
/// The color that a number or one of XProf's names stands for, whatever the case of its letters.
[[nodiscard]] std::optional<std::int64_t> memory_space_color(std::string_view text) noexcept;

// enum residency: written by scripts/generate
/// Why bytes are alive.
enum class residency : std::uint8_t { indefinite, temporary };
[[nodiscard]] const char* residency_name(residency value) noexcept;  ///< "indefinite", "temp"
// end of enum residency

/// One buffer and where it lies.
struct buffer_row {
  std::int64_t logical_buffer_id = -1;  ///< -1: the allocation has no assigned buffer
  std::int64_t size_bytes = 0;
  residency kind = residency::temporary;
  std::int64_t allocation_index = -1;
  std::int64_t offset_bytes = 0;  ///< in the allocation
  std::int64_t instruction_id = 0;
  bool instruction_found = false;
  std::string_view instruction_name, opcode, op_name, computation_name, source_file;
  std::int64_t source_line = 0;
  std::string shape;  ///< of the buffer: "f32[5,1024]"
  std::vector<std::int64_t> shape_index;
};

/// Bytes of one key; `n_keys` > 1 only in a row that stands for many.
struct rollup_row {
  std::string key;
  std::int64_t total_bytes = 0;
  std::uint64_t n_buffers = 0;
};

/// Something in the input that is not as it should be, and what was done about it.
struct memory_problem {
  std::string id;    ///< stable: "hlo.free_without_alloc"
  std::string what;  ///< one sentence
  std::uint64_t count = 1;
};

/// One memory space of a module.
struct space_memory {
  std::int64_t color = 0;
  std::int64_t total_bytes = 0;               ///< Σ allocations without thread-local ones: XProf's total
  std::int64_t peak_bytes = 0;                ///< indefinite + peak of the temporary memory
  std::int64_t memory_viewer_peak_bytes = 0;  ///< by XProf's rule, which counts no temporary memory without a trace
  std::int64_t temp_peak_bytes = 0;
  std::int64_t peak_event = -1;  ///< heap event, or schedule position of a sweep; -1: no temporary memory
  std::string_view peak_instruction, peak_computation;
  std::int64_t indefinite_bytes = 0;  ///< parameters, constants and results with at least one buffer
  std::int64_t indefinite_without_buffers_bytes = 0;
  std::int64_t entry_params_bytes = 0, constants_bytes = 0, live_out_bytes = 0;  ///< each allocation counted once
  std::int64_t thread_local_bytes = 0;                                           ///< not in total_bytes
  std::int64_t temp_bytes = 0;                                                   ///< Σ temporary allocations
  std::int64_t temp_outside_bytes = 0;     ///< of these, what the peak does not look at
  std::int64_t fragmentation_bytes = 0;    ///< temporary allocations the peak looks at, minus the peak in them
  std::int64_t residency_floor_bytes = 0;  ///< least value of the live curve over the schedule
  std::int64_t temp_floor_bytes = 0;       ///< that of temporary memory alone
  std::int64_t temp_pool_bytes = 0;
  std::int64_t temp_pool_index = -1;  ///< allocation index; -1: none
  peak_method method = peak_method::none;
  peak_bound bound = peak_bound::exact;
  std::string bound_reason;
  std::string coverage;     ///< what the peak counts and what it does not
  std::int64_t trace = -1;  ///< position of the heap trace replayed; -1: none
  std::uint64_t trace_events = 0, trace_events_ignored = 0;
};

/// A place where a module was found.
struct module_source {
  std::uint32_t file = 0;  ///< index into profile::what().files
  std::string path;
  std::string host;
  std::string kind;        ///< "embedded", "hlo_proto", "xla_dump"
  std::string entry_name;  ///< the metadata entry's or the file's name
  bool same_bytes = true;  ///< as the first source
};

/// One compiled program.
struct module_memory {
  std::string name;   ///< "jit_f"
  std::string label;  ///< "jit_f(12190760917235803885)"
  std::int64_t module_id = 0;
  std::string program_id;  ///< as the capture writes it; the module id when it writes none
  std::string_view blob;   ///< the serialized xla.HloProto
  std::vector<module_source> sources;
  std::vector<space_memory> spaces;  ///< by color
  std::vector<memory_problem> problems;
  std::optional<fault> damage;  ///< the blob is damaged; what was intact is analysed
  bool has_buffer_assignment = false;
  program_home home = program_home::unknown;
  std::int64_t all_allocations_bytes = 0;
  std::uint64_t n_logical_buffers = 0, n_buffer_allocations = 0;
  std::string differs_from;  ///< label and path of a module of the same name and id with other contents
  [[nodiscard]] const space_memory* space(std::int64_t color) const noexcept;
};

struct schedule_sweep_result {
  bool schedule_present = false;
  std::uint64_t entry_schedule_length = 0;
  std::int64_t peak_schedule_pos = 0;
  std::int64_t peak_instruction_id = 0;
  std::string_view peak_instruction_name, peak_opcode, peak_op_name;
  std::int64_t peak_alive_bytes = 0;
  std::uint64_t n_subcomputation_lbs_skipped = 0;
  std::string scope_note;
};

struct allocation_row {
  std::int64_t index = 0, size_bytes = 0, color = 0;
  std::uint64_t n_assigned_lbs = 0;
  std::vector<std::string> flags;
};

/// The live curve: bytes after each heap event (or at each schedule position of a sweep).
struct curve_point {
  std::int64_t event = 0;
  std::int64_t live_bytes = 0;
};
struct live_curve {
  std::vector<curve_point> points;
  std::uint64_t n_events = 0;
  bool every_extremum = true;  ///< false: more extrema than points; each bucket then keeps its least and greatest
};

/// A parameter that could share memory with a result.
struct donation_row {
  std::int64_t parameter_number = 0;
  std::vector<std::int64_t> parameter_shape_index, output_shape_index;
  std::string_view parameter_name, output_name;
  std::string shape;
  std::int64_t saved_bytes = 0;
};

/// The answer to "what if this buffer were not kept".
struct what_if_result {
  std::string action;  ///< "remat" or "offload"
  std::string name;
  std::uint64_t n_buffers = 0;
  std::int64_t buffer_bytes = 0;
  std::int64_t before_bytes = 0, after_bytes = 0;  ///< peak of the space
  std::string claim;                               ///< what the number bounds, and why
};

/// The chosen module in its chosen space, in depth.
struct hlo_report {
  std::string hlo_proto_path;
  std::size_t module = 0;  ///< index into memory_result::modules
  std::int64_t color = 0;
  std::int64_t static_peak_bytes = 0;
  std::int64_t entry_params_bytes = 0, constants_bytes = 0, thread_local_bytes = 0, temp_pool_bytes = 0;
  std::int64_t temp_pool_alloc_index = -1;
  std::int64_t other_bytes = 0;
  std::int64_t thread_local_excluded_bytes = 0, all_allocations_bytes = 0;
  std::uint64_t n_logical_buffers = 0, n_buffer_allocations = 0;
  schedule_sweep_result sweep;
  std::vector<buffer_row> alive;  ///< at the peak, largest first
  std::int64_t alive_total_bytes = 0;
  std::vector<rollup_row> by_opcode, by_op_name;
  std::vector<buffer_row> always_alive;  ///< lone owners; size_bytes is what only they own
  std::int64_t always_alive_total_bytes = 0;
  std::vector<rollup_row> always_by_opcode, always_by_op_name;
  std::vector<allocation_row> top_allocations;
  std::optional<live_curve> curve;
  std::vector<donation_row> donation;
  std::vector<what_if_result> what_if;
};

// ---- run time ------------------------------------------------------------------------------------------

/// One allocator of one host.
struct allocator_memory {
  std::string name;  ///< XProf's key, verbatim: "0", "GPU_4_bfc"
  std::string host;
  std::string device;  ///< plane name it belongs to ("/device:TPU:0"); "" for host memory
  std::uint32_t file = 0;
  std::uint64_t n_allocations = 0, n_deallocations = 0;
  std::int64_t heap_peak_bytes = 0;  ///< most that was allocated and seen allocated in the trace
  std::int64_t heap_peak_ps = 0;
  std::int64_t lifetime_peak_bytes = 0;   ///< the allocator's own peak_bytes_in_use
  std::int64_t occupancy_peak_bytes = 0;  ///< most of reserved + allocated: XProf's peak
  std::int64_t occupancy_peak_ps = 0;
  std::int64_t reserved_at_peak_bytes = 0, allocated_at_peak_bytes = 0, available_at_peak_bytes = 0;
  std::int64_t capacity_bytes = 0;   ///< reserved + allocated + available
  std::int64_t pre_trace_bytes = 0;  ///< allocated before the first event
  std::int64_t trace_end_live_bytes = 0;
  std::uint64_t unmatched_frees = 0, address_reuses = 0, disagreements = 0;
  double fragmentation_at_peak = 0;
  bool allocator_agrees = true;  ///< the replay equals bytes_allocated after every event
};

// enum lifetime_class: written by scripts/generate
enum class lifetime_class : std::uint8_t { persistent, transient, unknown };
[[nodiscard]] const char* lifetime_class_name(lifetime_class value) noexcept;  ///< "persistent", "transient", …
// end of enum lifetime_class

/// Something that occupied device memory at the peak.
struct live_row {
  std::string kind;  ///< "buffer", "program_reserved" or "pre_trace"
  std::uint64_t addr = 0;
  std::int64_t pool_id = 0;
  std::int64_t size_bytes = 0, alloc_bytes = 0, requested_bytes = 0;
  std::string shape, tf_op, data_type;  ///< placeholders where the trace says nothing
  std::int64_t alloc_ts_ps = 0, alloc_ts_ns = 0;
  std::int64_t age_ns_at_peak = 0;
  std::int64_t crossed_step_boundaries = 0;
  std::vector<std::string_view> parent_chain;  ///< enclosing host events, outermost first (at most 100)
  lifetime_class lifetime = lifetime_class::unknown;
  bool deallocated = false;
};

struct lifetime_rollup_row {
  std::string key;
  std::uint64_t n_buffers = 0;
  std::int64_t total_bytes = 0;
  std::int64_t mix_bytes[3] = {0, 0, 0};  ///< by lifetime_class
};

struct timeline_sample {
  std::int64_t ts_ns = 0;
  std::int64_t bytes_allocated = 0, bytes_reserved = 0;
  std::int64_t highest_bytes = 0;  ///< both together, the most since the sample before
  std::uint64_t live_count = 0;
  double fragmentation = 0;
};

struct step_choice {
  std::optional<std::string> id;
  std::string policy;
  std::int64_t from_ns = 0, to_ns = 0;
  std::string source;
};

struct pool_summary {
  std::int64_t id = 0;
  std::string name;
  std::uint64_t n_alloc = 0, n_dealloc = 0;
  std::int64_t max_peak_bytes_in_use = 0, bytes_reserved = 0;
};

struct runtime_diagnostics {
  double alloc_accounting_drift_pct = 0;
  std::uint64_t unmatched_dealloc_count = 0, pretrace_dealloc_count = 0, unmatched_alloc_count = 0;
  std::int64_t trace_end_live_bytes = 0;
  std::uint64_t n_pools_seen = 0;
  std::vector<pool_summary> pools;
  bool step_line_present = false;
  std::uint64_t shape_missing_count = 0, tf_op_missing_count = 0;
  std::vector<std::string> warnings;
};

/// The device with the highest occupancy.
struct runtime_report {
  std::optional<std::size_t> allocator;  ///< index into memory_result::allocators; none with compat
  step_choice step;
  std::int64_t pool_id = 0;
  std::int64_t pool_bytes = 0;  ///< its capacity (in compat: the largest bytes_reserved stat)
  std::int64_t peak_ts_ns = 0, peak_ts_ps = 0;
  std::int64_t peak_bytes = 0;
  std::int64_t reserved_bytes = 0;   ///< of peak_bytes: held for running programs
  std::int64_t replayed_bytes = 0;   ///< of peak_bytes: allocated, by our replay
  std::int64_t allocated_bytes = 0;  ///< of peak_bytes: allocated, by the allocator's own count
  std::vector<std::pair<std::int64_t, std::int64_t>> peak_bytes_by_pool;
  double fragmentation_at_peak = 0;
  bool is_global_peak = false;
  std::vector<live_row> alive;
  std::int64_t alive_total_bytes = 0;
  std::vector<lifetime_rollup_row> by_lifetime_class, by_shape, by_tf_op, by_parent_jit, by_dtype;
  std::vector<timeline_sample> samples;
  std::int64_t global_peak_ts_ns = 0, global_peak_bytes = 0;
  std::uint64_t n_planes = 0;
  runtime_diagnostics diagnostics;
};

// ---- both ----------------------------------------------------------------------------------------------

/// A rule the numbers must obey, and whether they do.
struct memory_invariant {
  std::string id;             ///< "H1" … "H5", "R1" … "R4", "R2b", "C1"
  std::optional<bool> holds;  ///< nothing: it does not apply here
  std::int64_t left = 0, right = 0;
  std::string note;
};

/// Does the highest peak fit?
struct fit_result {
  std::uint64_t limit_bytes = 0;
  std::int64_t needed_bytes = 0;
  std::string needed_by;  ///< "": nothing says what is needed, and whether it fits is unknown
  bool fits = false;
  std::int64_t spare_bytes = 0;  ///< negative: what is missing
  [[nodiscard]] bool known() const noexcept { return !needed_by.empty(); }
};

/// Whether the analysis can keep to these filters: it knows hosts and modules, no planes and no times.
[[nodiscard]] inline bool memory_keeps_to(const query_filters& o) noexcept {
  return o.plane.empty() && o.line.empty() && !o.step && !o.from_ps && !o.to_ps;
}

struct memory_result {
  std::vector<module_memory> modules;  ///< by peak in space 0, then total, then label
  std::optional<hlo_report> hlo;
  std::string hlo_absent_reason;
  std::string selection;  ///< how the module was chosen
  std::vector<allocator_memory> allocators;
  std::optional<runtime_report> runtime;
  std::string runtime_absent_reason;  ///< "" when present or not asked for
  std::vector<std::string> consistency_warnings;
  std::vector<memory_invariant> invariants;
  std::optional<fit_result> fit;
  std::vector<std::string> summary;  ///< at most six lines
  std::vector<finding> findings;
  std::string hlo_path, xplane_path;  ///< of the chosen module and allocator; "" when none
  std::vector<file_damage> damage;
};

/// Everything. Faults: not_found when the module, the memory space or an instruction of a what-if is not there;
/// cancelled.
result<memory_result> analyse_memory(const trace& t, const memory_options& o = {}, const hooks& host = {});

/// Whether damage left nothing: the capture has files of HLO alone, and no module of them has a buffer assignment.
[[nodiscard]] bool is_all_damaged(const profile& p, const memory_result& found) noexcept;

/// One serialized HloProto without a profile: its spaces and its problems. Damage is reported in module_memory::damage.
result<module_memory> analyse_hlo_memory(std::string_view hlo_proto);

/// The document `memory` (docs/schemas/memory.json), of what analyse_memory() found.
result<document_status> write_memory_document(const profile& p, const memory_options& o, const memory_result& found,
                                              sink& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
