// What is inside a capture: the eight slices of the anatomy, over all files, hosts and planes.
//
// Everything is a pure function of an opened profile. Names and stats in the results are spans of the
// profile's bytes and live as long as it does. Times are ps relative to the capture origin.
#pragma once
#include <profkit/core/finding.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/number_type.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/trace.hpp>
#include <profkit/xspace.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// Which part of a capture to look at. Text filters are substrings, case-sensitive; empty matches all.
struct query_filters {
  std::string host, plane, line, name;
  std::optional<std::uint64_t> step;           ///< index into steps() of the event's device, or of the file
  std::optional<std::int64_t> from_ps, to_ps;  ///< half-open window, relative to the capture origin
  std::uint64_t limit = 20;                    ///< rows of a list that a person reads; 0: all
  /// The most that a JSON document takes: lists end early for it, and texts of 300 bytes. What stands around the lists takes
  /// up to 20,000, of the report more: its small form is the brief one. 0: the document's own bound.
  std::uint64_t max_bytes = 0;
  /// Of ops: kernels of one name that come from different places of the program, or work on other shapes, are ops of their own.
  bool split_by_origin = false;
  bool split_by_step = false;  ///< likewise: those of different steps, see op_origin::step
};

/// How many events were decoded.
enum class events_checked : std::uint8_t { none, some, all };
[[nodiscard]] const char* events_checked_name(events_checked c) noexcept;  ///< "none", "some", "all"

/// What was wrong with the input, carried by every slice: file index and fault; empty when sound.
struct file_damage {
  std::uint32_t file = 0;
  fault what;
};
/// Adds the first damage of a file; what comes after it is left out.
void add_damage(std::vector<file_damage>& all, std::uint32_t file, const fault& what);

/// Whether anything at all could be read: an XSpace with planes, or a sound file of another family. False
/// makes damage an error of the whole; with no file at all it is true.
[[nodiscard]] bool anything_intact(const profile& p) noexcept;

/// The name of a plane by its position, as rows of all slices give it; "" when there is no such plane.
[[nodiscard]] std::string_view plane_name_at(const profile& p, std::uint32_t file, std::int32_t plane) noexcept;

/// Why an answer is empty although nothing is wrong with the question: a filter that nothing matches, a file without
/// content, a capture of another family. "" when it is none of these.
[[nodiscard]] std::string why_nothing(const profile& p, const query_filters& o);

/// Whether each of the filters, but for the step, fits something in the capture. Else the fault (invalid_argument) names
/// what there is. Of a damaged capture nothing is said, for what was asked may have been lost; of a stream that has gone
/// by names and times are not looked at.
result<void> check_filters(const trace& t, const query_filters& o, const hooks& host = {});

/// A stat with its name resolved. `text` holds str and bytes values, and for ref values the referred name.
///
/// An argument of a trace's event and a cell of a table are stats, too (origin::argument), without a metadata id: an
/// integer of 64 bits is int64 or uint64, a text is str, and anything else JSON knows is `none` with its JSON text,
/// decimal numbers as they are written.
struct named_stat {
  std::string_view name;  ///< "" when the id has no entry
  std::int64_t metadata_id = 0;
  stat_kind kind = stat_kind::none;
  enum class origin : std::uint8_t { event, metadata, plane, argument } from = origin::event;
  std::uint64_t bits = 0;  ///< raw value of double, uint64, int64 and ref
  std::string_view text;
};
[[nodiscard]] const char* stat_kind_name(stat_kind k) noexcept;  ///< "double", "uint64", "int64", "str", "bytes", "ref"
/// The same of one stat: "json" of an argument that is neither an integer nor a text.
[[nodiscard]] const char* stat_kind_name(const named_stat& stat) noexcept;
/// The last stat of that name; nullptr where there is none.
[[nodiscard]] const named_stat* find_named_stat(const std::vector<named_stat>& stats, std::string_view name) noexcept;
/// The number of a stat of any numeric kind, else 0, as of nullptr: for rates and sizes, never for times.
[[nodiscard]] double stat_number_of(const named_stat* stat) noexcept;
/// The value as a person reads it: the number, the text, "<1.0 KiB>" for bytes, "(none)".
[[nodiscard]] std::string stat_text_of(const named_stat& stat);

/// "/device:TPU:0" as "TPU:0", other names of planes as they are; "(no name)" for none.
[[nodiscard]] std::string_view short_plane_name(std::string_view name) noexcept;
/// The short name of an op: the display name, else the left side of an HLO text ("%fusion.3 = f32[8] fusion(...)" gives
/// "fusion.3"), else the name without the "void " of a kernel; "(no name)" for none.
[[nodiscard]] std::string_view short_op_name(std::string_view name, std::string_view display_name) noexcept;

/// Goes over a list that makes its rows when they are asked for.
template <class Rows, class Row>
class row_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Row;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Row;
  row_iterator(const Rows& of, std::size_t at) noexcept : of_(&of), at_(at) {}
  Row operator*() const noexcept { return (*of_)[at_]; }
  row_iterator& operator++() noexcept {
    ++at_;
    return *this;
  }
  bool operator==(const row_iterator& other) const noexcept { return at_ == other.at_; }
  bool operator!=(const row_iterator& other) const noexcept { return at_ != other.at_; }

 private:
  const Rows* of_;
  std::size_t at_;
};

// ---- info ------------------------------------------------------------------------------------------
struct line_info {
  std::int64_t id = 0;
  std::string_view name;  ///< name, else display name
  line_kind kind = line_kind::other;
  std::int64_t timestamp_ns = 0;
  std::uint64_t events = 0, event_stats = 0;
  std::int64_t duration_sum_ps = 0;               ///< of all events, nested ones counted twice
  std::optional<std::int64_t> first_ps, last_ps;  ///< span of events that have an offset
};
struct plane_info {
  std::int64_t id = 0;
  std::string_view name;
  plane_kind kind = plane_kind::other;
  std::vector<named_stat> stats;
  std::uint64_t event_metadata = 0, stat_metadata = 0;  ///< distinct ids
  std::vector<line_info> lines;
};
struct file_info {
  std::uint32_t file = 0;  ///< index into profile::what().files
  std::string path;
  file_family family = file_family::unknown;
  std::int32_t export_of = -1;
  std::uint64_t bytes = 0;
  std::vector<std::string> hosts, errors, warnings;
  std::optional<std::int64_t> origin_unix_ns;
  std::optional<std::int64_t> first_ps, last_ps;
  bool aligned = false;  ///< shifted onto the capture origin
  /// As activity_input has them.
  std::uint64_t begins_without_end = 0, begins_open = 0, ends_without_begin = 0;
  std::optional<std::uint64_t> events_at_cap;  ///< of trace JSON that ends at its exporter's limit: do not add it up
  std::vector<plane_info> planes;
  std::optional<fault> damage;
};
struct info_result {
  std::vector<file_info> files;
  std::uint64_t planes = 0, lines = 0, events = 0, event_stats = 0;  ///< exports of an XSpace are not counted twice
  bool complete = true;
  std::vector<std::string> reasons;   ///< why not complete
  std::string absent;                 ///< why there is no file; empty otherwise
  std::shared_ptr<const void> texts;  ///< owns the names of Chrome files, which are no spans of a file
};
result<info_result> analyse_info(const trace& t, const query_filters& o = {}, const hooks& host = {});

// ---- tree and metadata: streamed to a visitor, because they can be larger than memory --------------------
// Of traces and tables, texts live until the visitor returns.
/// A thread of a trace, as the trace names it.
struct tree_thread {
  std::int32_t line = -1;  ///< position in the process; -1: `info` shows no such line
  std::string_view tid;    ///< as written, without quotes
  std::string_view name;
  std::optional<std::int64_t> sort_index;
};
/// What a trace says of a process beside its name.
struct tree_process {
  std::string_view pid;  ///< as written, without quotes; "" for events that name no process
  std::string_view labels;
  std::optional<std::int64_t> sort_index;
  std::vector<tree_thread> threads;  ///< of the metadata alone: by position, then as the file names them; under the limit
  std::uint64_t threads_left_out = 0;
};
/// A plane of an XSpace, a process of a trace, a device of a table of kernels, or any other table.
struct tree_plane {
  std::uint32_t file = 0;
  std::int32_t plane = 0;  ///< position in the file, as of `info`; -1: it has none there
  std::int64_t id = 0;     ///< as of `info`: only an XSpace has ids that are no positions
  std::string_view name;
  plane_kind kind = plane_kind::other;
  std::uint64_t lines = 0, event_metadata = 0, stat_metadata = 0;
  std::vector<named_stat> stats;
  std::optional<tree_process> process;  ///< of a trace
  std::optional<std::uint64_t> rows;    ///< of a table that is a plane: all of them but the header
};
/// A line of an XSpace; of a trace a thread, the asynchronous events of a category or a counter; a stream; a table's rows.
struct tree_line {
  std::int32_t line = 0;  ///< position in the plane, as of `info`; -1: `info` does not show it
  line_header header;
  line_kind kind = line_kind::other;
  std::uint64_t events = 0;         ///< in the file; of a trace a begin and its end are two
  std::optional<tree_thread> thread;  ///< of a trace's thread
};
struct tree_event {
  std::int64_t metadata_id = 0;
  bool has_metadata_id = true;  ///< only an XSpace has such ids
  std::string_view name, display_name;
  event_view raw;                        ///< of an XSpace: data case, offset, duration
  std::optional<std::int64_t> start_ps;  ///< on the capture's clock; empty for aggregated events, and without a usable time
  std::optional<std::int64_t> duration_ps;  ///< as written; empty where there is none that can be read
  std::string_view category, phase, id;     ///< of a trace's event, as written; phase "X": complete
  std::vector<named_stat> stats;            ///< of the event, under the limit: stats, arguments, cells
  std::uint64_t stat_count = 0;             ///< before the limit
};
/// Called in file order, of traces and tables plane by plane and line by line. Each end_… says how many items the limit
/// left out.
class tree_visitor {
 public:
  virtual ~tree_visitor() = default;
  virtual void begin_file(std::uint32_t file, const file_info& header) = 0;  ///< header.planes is empty
  virtual void begin_plane(const tree_plane& plane) = 0;
  virtual void begin_line(const tree_line& line) = 0;
  virtual void event(const tree_event& e) = 0;
  virtual void end_line(std::uint64_t events_left_out) = 0;
  virtual void end_plane(std::uint64_t lines_left_out) = 0;
  virtual void end_file(const fault* damage) = 0;
};
/// limit bounds lines a plane, events a line and stats an event (default 5 in the command). Traces are read in
/// one pass, and 48 bytes are kept for each event that is shown; a table takes 56 bytes a row, one of kernels 136 while it
/// is read. Events of a trace are as they stand in the file: metadata
/// events are left to walk_metadata(), arrows and what else makes no line of its own stand on the thread they name.
result<void> walk_tree(const trace& t, tree_visitor& visitor, const query_filters& o = {},
                       const hooks& host = {});

/// Why there is no tree and no metadata of a capture, where why_nothing() does not know: it holds no XSpace, no trace and
/// no table, or filters left nothing.
[[nodiscard]] std::string why_no_planes(const profile& p);

/// What is known of all events of one name: an entry of an XSpace's map, or the events of one name and category in a
/// process of a trace.
struct metadata_event_row {
  std::int64_t key = 0;
  bool has_key = true;  ///< only an XSpace has such ids
  std::string_view name, display_name;
  std::vector<std::int64_t> child_ids;
  std::vector<named_stat> stats;
  std::string_view category, phases;        ///< of a trace: all phases that were met, as "BE", in their order
  std::uint64_t count = 0;                  ///< of a trace: events; a begin and its end are two
  std::vector<std::string_view> arguments;  ///< of a trace: the keys that any of them carries, by first sight
};
/// An entry of an XSpace's map; the key of arguments in a trace; a column of a table.
struct metadata_stat_row {
  std::int64_t key = 0;
  std::string_view name, description;
  bool has_key = true;
  std::uint64_t count = 0;  ///< of a trace: events that carry it; of a table: cells that are not empty
};
/// A member of the outer object of a JSON file: what a trace says of itself, the settings of an Ascend profiler.
struct metadata_member {
  named_stat value;         ///< origin::argument; objects and arrays without blanks between their tokens
  std::uint64_t bytes = 0;  ///< of the member in the file, as JSON
  bool is_cut = false;      ///< the value was longer than 64 KiB: its text is the beginning as it is written
};
/// What a file that is no XSpace says of itself.
struct metadata_file {
  std::uint32_t file = 0;
  std::vector<metadata_member> members;  ///< in file order, without traceEvents; under the limit
  std::uint64_t members_left_out = 0;
};
/// Rows of an XSpace come by ascending signed key; of several entries with one key the last counts. Those of a trace come
/// by count, descending, then by category and name; columns as they stand in the table.
class metadata_visitor {
 public:
  virtual ~metadata_visitor() = default;
  virtual void file(const metadata_file& /*facts*/) {}  ///< before the planes of a file that is no XSpace
  virtual void begin_plane(const tree_plane& plane) = 0;
  virtual void event_metadata(const metadata_event_row& row) = 0;
  virtual void end_event_metadata(std::uint64_t left_out) = 0;
  virtual void stat_metadata(const metadata_stat_row& row) = 0;
  virtual void end_stat_metadata(std::uint64_t left_out) = 0;
  virtual void end_plane() = 0;
};
result<std::vector<file_damage>> walk_metadata(const trace& t, metadata_visitor& visitor,
                                               const query_filters& o = {}, const hooks& host = {});

// ---- steps -----------------------------------------------------------------------------------------------
/// Where steps come from. Of an XSpace the first two are tried in this order, then the best that host events have: one
/// source a file; of traces and tables the best that a host has, else the best of each device.
enum class step_source : std::uint8_t {
  steps_line,         ///< a device's line of steps
  xla_modules,        ///< every run of a program
  host_step_num,      ///< host events with the stat step_num
  profiler_step,      ///< host spans named "ProfilerStep#5"
  annotation,         ///< host spans named like a step: "Iteration#3"
  device_annotation,  ///< the time in which a device worked for such a span
  step_id,            ///< a table's column
  launches,           ///< the time of what the host's steps launched on a device
};
[[nodiscard]] const char* step_source_name(step_source s) noexcept;  ///< "Steps", "XLA Modules", "step_num", …
/// Whether its rows are the host's, for all devices of the file.
[[nodiscard]] bool is_host_source(step_source s) noexcept;
struct step_row {
  std::uint32_t file = 0;
  std::int32_t plane = 0, line = 0;  ///< -1 where the capture does not say
  std::int32_t device = -1;          ///< index into activity::devices(); -1: of a plane, or a host's
  std::uint32_t host_file = 0;       ///< that of its host: activity_host::file; `file` where the host has one alone
  std::string_view plane_name;       ///< of the plane, or of the device
  step_source source = step_source::steps_line;
  std::uint64_t index = 0;  ///< among the steps of its plane, or of its host_file for host steps: what options.step takes
  std::string_view name;
  std::optional<std::int64_t> step_num;
  std::int64_t start_ps = 0, duration_ps = 0;
};
/// Steps by file, plane, start. Rows are made when they are asked for, from 40 bytes a step and 16 a name: keep a row
/// by value, not a pointer to it. A copy shares them.
class step_list {
 public:
  using iterator = row_iterator<step_list, step_row>;
  struct packed;  ///< of the core

  step_list() = default;
  explicit step_list(std::shared_ptr<const packed> of) noexcept : packed_(std::move(of)) {}
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] step_row operator[](std::size_t at) const noexcept;  ///< at < size()
  [[nodiscard]] iterator begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] iterator end() const noexcept { return {*this, size()}; }

 private:
  std::shared_ptr<const packed> packed_;
};
struct steps_result {
  step_list steps;
  std::uint64_t matched = 0;  ///< before the limit
  std::string absent;         ///< why there are none; empty otherwise
  std::vector<file_damage> damage;
};
result<steps_result> analyse_steps(const trace& t, const query_filters& o = {}, const hooks& host = {});

// ---- ops -------------------------------------------------------------------------------------------------
/// Where in the program kernels come from, see kernel_origin; "" where that is not recorded.
struct op_origin {
  std::string_view op, outer_op, module, range, forward_range, source, phase;
  std::string_view shapes;  ///< of the operator's inputs, as written: "[[8, 4], [4, 4]]"
  std::string_view types;   ///< of the same: "[\"float\", \"c10::BFloat16\"]"
  /// Of an XSpace, as its events say: the instruction ("fusion.3") and the scope that it comes from ("jit(f)/dot_general").
  std::string_view instruction, scope;
  std::int64_t step = -1;   ///< under query_filters::split_by_step, where they began, as query_filters::step counts; -1: in none
  bool by_graph = false;    ///< a graph launched them: what lay around its launch is not what lay around them
  bool by_order = false;    ///< the same, but the order of launches in the capture of the graph says what lay around them
};
/// Totals of one op on one line, over all its events. In an XSpace an op is a metadata id of one program; in traces and
/// tables a kernel's name, on NPUs its op type and core.
struct op_row {
  std::int64_t metadata_id = 0;
  bool has_metadata_id = true;  ///< only an XSpace has such ids
  std::string_view entry;   ///< the map entry in the file; data() is null when the id has no entry
  std::string_view name, display_name;  ///< "" when not recorded
  /// What a trace or table says of its kernels: kernel_class_name() or the category as written ("loop fusion"), the
  /// type and the core as written ("allreduce", "AI_CORE"); "" when not recorded. op_stats() has all of it, and what an
  /// XSpace says.
  std::string_view category, op_type, core;
  /// What one execution does, from a table of totals, or by the shapes of the operator that launched it (under
  /// query_filters::split_by_origin); 0: not on record. And the framework's op, from a table.
  std::string_view framework_op;
  std::uint64_t flops = 0, bytes = 0;
  std::optional<number_type> multiplies;  ///< of these operations, where that is on record
  std::uint64_t count = 0;  ///< executions: events, and num_occurrences of aggregated events
  std::int64_t total_ps = 0;
  std::int64_t self_ps = 0;             ///< total minus what nested later events cover; Σ self = busy time of the line
  std::int64_t min_ps = 0, max_ps = 0;  ///< 0 when all its events are aggregated (num_occurrences)
  std::optional<std::int64_t> program_id;  ///< as its events say, with their module; op_programs names the program
  std::string_view module;
  op_origin origin;  ///< under query_filters::split_by_origin
  [[nodiscard]] event_metadata_view metadata() const noexcept;  ///< empty view when there is no entry
};
/// Which clock the durations, self and busy times of a line of ops are of. Which events belong to a step, a time or a
/// filter is always decided by aligned starts.
enum class ops_clock : std::uint8_t {
  aligned,  ///< offset_ps and duration_ps: the device's times as the profiler fitted them to the host's clock
  device,   ///< device_offset_ps and device_duration_ps, stats of every event
  mixed,    ///< device_duration_ps where an event has it, else duration_ps; starts are aligned
};
[[nodiscard]] const char* ops_clock_name(ops_clock c) noexcept;  ///< "aligned", "device", "mixed"
enum class ops_order : std::uint8_t { total, self, count };
/// The ops of one line. Rows are made when they are asked for, from sums that take 44 bytes an op (60 where its events
/// name their program): keep a row by value, not a pointer to it. A copy shares the sums.
class op_rows {
 public:
  using iterator = row_iterator<op_rows, op_row>;
  struct sums;  ///< of the core

  op_rows() = default;
  /// Rows of these slots of the sums, by total.
  op_rows(std::shared_ptr<const sums> of, std::vector<std::uint32_t> slots);
  [[nodiscard]] std::size_t size() const noexcept { return order_.size(); }
  [[nodiscard]] bool empty() const noexcept { return order_.empty(); }
  [[nodiscard]] op_row operator[](std::size_t at) const noexcept;  ///< at < size()
  [[nodiscard]] iterator begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] iterator end() const noexcept { return {*this, size()}; }
  /// Descending; ties by total, then by metadata id, then by which program was met first.
  void sort_by(ops_order order);

 private:
  std::shared_ptr<const sums> sums_;
  std::vector<std::uint32_t> order_;
};
struct ops_line {
  std::uint32_t file = 0;
  std::int32_t plane = 0, line = 0;
  std::string_view plane_name, line_name;
  std::string_view device_model;  ///< as a trace says: "NVIDIA H100 80GB HBM3"; "" of an XSpace, whose planes say it
  line_kind kind = line_kind::ops;
  ops_clock clock = ops_clock::aligned;
  std::uint64_t events = 0;
  /// That ran over the next kernel of their stream; they end at its start here. None: not looked for, in one pass.
  std::optional<std::uint64_t> events_cut = 0;
  std::int64_t duration_sum_ps = 0;
  std::int64_t busy_ps = 0;  ///< union of the events
  op_rows ops;               ///< by total, descending; ties by metadata id
};
/// Lines of trace JSON that `info` counts and `ops` does not, with their events, and events of lines that it does.
struct left_out_lines {
  std::string why;
  std::uint64_t lines = 0, events = 0;
};
struct ops_result {
  std::vector<ops_line> lines;
  std::vector<left_out_lines> left_out;  ///< by reason; empty under filters, which ask for a part
  /// Of all traces that were read, as activity_input has them; `unpaired` says it in a sentence, "" when there are none.
  std::uint64_t begins_without_end = 0, begins_open = 0, ends_without_begin = 0;
  std::string unpaired;
  std::string source;  ///< "XLA Ops", "device streams", "host events with hlo_op"; empty when absent
  std::string absent;
  std::vector<file_damage> damage;
  std::shared_ptr<const void> texts;  ///< owns the names of ops that are no spans of a file
};
/// Picks the lines that carry ops: XLA Ops, else device streams, else (no device plane has events) host
/// events with an hlo_op stat. With o.line set, the lines of that name (else those whose name contains it),
/// derived or not. o.name picks rows and leaves a line's own totals alone; o.limit is not applied here.
/// Times are the device's own where events carry them, see ops_clock. Events of one metadata id that name different
/// programs are different ops.
/// Sums stop at the end of int64. Aggregated events count into count and total, never into self, min and max,
/// unless a line has no others: then all its time is their own. An event with a negative duration counts as 0
/// long and is reported as damage. Memory: for each line 44 bytes for every op, or for every metadata entry of its
/// plane where an eighth of them or more are ops of the line; for each thread, while it reads a line, 43 bytes for
/// every metadata entry of the plane; and for a line whose events are not in the order of their starts 24 bytes an
/// event while it is read.
result<ops_result> analyse_ops(const trace& t, const query_filters& o = {}, const hooks& host = {});
/// The facts of an op from its metadata stats, resolved: hlo_category, flops, model_flops, bytes_accessed,
/// tf_op, source, … as written.
std::vector<named_stat> op_stats(const profile& p, const ops_line& line, const op_row& row);
/// What the programs of ops are called.
class op_programs {
 public:
  explicit op_programs(const profile& p);  ///< borrows the profile
  ~op_programs();
  /// "jit_f(12190760917235803885)": the module and the id of the program, or what is known of the two, as the op's
  /// events say, else its metadata; "" when neither does.
  [[nodiscard]] std::string name_of(const ops_line& line, const op_row& op) const;

 private:
  struct names;
  const profile& profile_;
  std::unique_ptr<const names> names_;
};
/// Whether an op is the start or the done of an asynchronous one: it is not as long as what it starts or awaits, so
/// that its facts make no rate.
[[nodiscard]] bool is_async_half(const op_row& op) noexcept;

/// What is known of an op beside its times.
struct op_details {
  std::string category;         ///< hlo_category; of a kernel its class; "" where not recorded
  std::string program;          ///< op_programs::name_of()
  std::string tf_op;            ///< where it comes from in the program
  double flops = 0, bytes = 0;  ///< of one execution; 0 where not recorded, and of half of an asynchronous op
};
op_details op_details_of(const profile& p, const op_programs& programs, const ops_line& line, const op_row& op);

/// What a device does at most in a second, from its plane, else from its maker's data sheet; 0 where that is not known.
struct device_peaks {
  std::array<double, number_types> flops_by_type{};  ///< dense products; 0 too where the device has no unit for the type
  double flops_per_s = 0;      ///< of products of 16-bit numbers, or what the plane says without naming a type
  double hbm_bytes_per_s = 0;  ///< of the device's main memory
  /// Of the memories of a TPU that lie nearer to its units.
  double vmem_read_bytes_per_s = 0, vmem_write_bytes_per_s = 0, cmem_read_bytes_per_s = 0, cmem_write_bytes_per_s = 0;
  std::string device_type;     ///< "TPU v6 Lite", "NVIDIA H100 80GB HBM3", "AMD"; "" where it is not recorded
  std::string source;          ///< "the plane", "NVIDIA A100 Tensor Core GPU datasheet"; "" without peaks
};
device_peaks peaks_of(const profile& p, const ops_line& line);

// ---- modules ---------------------------------------------------------------------------------------------
/// How often a program ran on a host's devices, by the stats `run_id` of its ops. A run takes as long as its ops span.
struct program_runs {
  std::uint32_t file = 0;
  std::int64_t program_id = 0;
  std::string module;  ///< "jit_f"; "" where no op names it
  std::uint64_t runs = 0;
  std::int64_t total_ps = 0, max_ps = 0;
};
/// How an embedded module compares with a *.hlo_proto.pb beside the XSpace.
enum class sibling_state : std::uint8_t { none, same_bytes, same_content, differs };
[[nodiscard]] const char* sibling_state_name(sibling_state s) noexcept;
struct module_row {
  std::uint32_t file = 0;
  std::int32_t plane = -1;  ///< -1: a file of its own (hlo_proto family)
  std::int64_t metadata_id = 0;
  std::string_view name;         ///< as the metadata entry or file name says, "jit_f(12190760917235803885)"
  std::string_view module_name;  ///< as the HloProto says
  std::int64_t module_id = 0;
  std::uint64_t computations = 0, instructions = 0, bytes = 0;
  std::string_view blob;  ///< the serialized xla.HloProto
  sibling_state sibling = sibling_state::none;
  std::string sibling_path;
  std::optional<fault> damage;  ///< the blob does not parse
};
struct modules_result {
  std::vector<module_row> modules;  ///< by bytes, descending, stable
  std::string absent;
  std::vector<file_damage> damage;
};
result<modules_result> analyse_modules(const trace& t, const query_filters& o = {}, const hooks& host = {});
/// The first module whose name contains the text. Fault: not_found, which names the modules there are.
result<const module_row*> find_module(const modules_result& found, std::string_view name);
/// One instruction of a module's entry computation.
struct instruction_row {
  std::int64_t id = 0;
  std::string_view name, opcode, op_name, source_file;
  std::int64_t source_line = 0;
  std::string shape;  ///< as XLA writes it: "f32[5,1024]{1,0}", "(f32[2]{0}, s32[])"
};
struct entry_dump {
  std::string_view module_name, computation_name;
  std::vector<instruction_row> proto_order;
  std::vector<std::size_t> schedule_order;  ///< indexes into proto_order; empty when the module has no schedule
};
result<entry_dump> analyse_entry(const module_row& m);

// ---- framework -------------------------------------------------------------------------------------------
struct framework_event {
  std::uint32_t file = 0;
  std::int32_t plane = 0, line = 0;
  std::string_view line_name, name;
  std::optional<std::int64_t> start_ps;
  std::int64_t duration_ps = 0;
  std::vector<named_stat> stats;  ///< by name
};
struct framework_name {  // totals of one event name on one host plane, or in one process of a trace
  std::uint32_t file = 0;
  std::int32_t plane = 0;
  std::string_view plane_name;
  std::string_view name;
  std::uint64_t count = 0;
  std::int64_t total_ps = 0, max_ps = 0;
  std::int64_t self_ps = 0;  ///< less what calls inside them, on the same thread, take
};
struct framework_stat {  // a stat name met on host events
  std::string_view name;
  std::uint64_t count = 0;
  std::uint8_t kinds = 0;  ///< bit 1 << stat_kind
};
struct framework_result {
  std::vector<framework_event> events;  ///< the first o.limit in file order
  std::uint64_t matched = 0;
  std::vector<framework_name> names;  ///< by total, descending
  std::vector<framework_stat> stats;  ///< by name
  std::string absent;
  std::vector<file_damage> damage;
  std::shared_ptr<const void> texts;  ///< owns the names that are no spans of a file
};
result<framework_result> analyse_framework(const trace& t, const query_filters& o = {}, const hooks& host = {});

// ---- collectives -----------------------------------------------------------------------------------------
/// One asynchronous operation: a start and a done event joined by `flow`, or the one event that real TPU
/// captures write per flow, whose duration spans start to done.
struct async_row {
  std::uint32_t file = 0;
  std::int32_t plane = 0, line = 0;
  std::optional<std::uint64_t> flow;
  enum class form : std::uint8_t { pair, single, unmatched_start, unmatched_done } shape = form::single;
  std::string_view name, hlo_op, category;
  std::int64_t start_ps = 0;
  std::int64_t duration_ps = 0;  ///< start of the start to end of the done
  /// The same by the clock of exposed_stall_ps: the device's, where it has both; else duration_ps.
  std::int64_t in_flight_ps = 0;
  /// How long the device waited for it, at most in_flight_ps: device_duration_ps of the done event, where it is carried;
  /// else of the done operation on `XLA Ops` that ends when the done event, or the one event of the flow, ends.
  /// Nothing, too, where the device's clock has the wait alone and it is longer than the flight by the other clock.
  std::optional<std::int64_t> exposed_stall_ps;
  std::string_view exposed_from;  ///< "done event" or "XLA Ops"; empty when not carried
  std::uint32_t events = 1;       ///< events with this flow
  /// Of copies and slices, by the shapes in the text of the start: what is moved, without the padding of tiles; from and to
  /// which memory ("HBM", "Host", "VMEM"; empty where that is not known).
  std::optional<std::int64_t> bytes;
  std::string_view from_space, to_space;
};
/// The asynchronous copies of a plane from one memory to another.
struct transfer_total {
  std::uint32_t file = 0;
  std::int32_t plane = 0;
  std::string_view from_space, to_space;  ///< "Host", "HBM"
  std::uint64_t count = 0;
  std::int64_t bytes = 0;
  std::int64_t in_flight_ps = 0;  ///< while one or more were in flight
  std::optional<std::int64_t> exposed_stall_ps;  ///< how long the device waited for them; none where that is not known of all
};
/// Collectives on ops lines and kernels on streams that communicate: totals of an op name. The ops of hosts are looked
/// up in the programs inside the file, by the event's program_id or hlo_module and its hlo_op ("psum.7" may be an
/// all-reduce), and so are kernels whose names do not decide it; one name then has a row for each category.
struct collective_op_row {
  std::uint32_t file = 0;
  std::int32_t plane = 0, line = 0;
  std::string_view plane_name;
  std::string_view name, category;  ///< "all-reduce", …; of kernels whose names spell none the library ("nccl")
  bool on_stream = false;  ///< a kernel: other streams of its device may compute meanwhile
  bool is_half = false;    ///< the start or the done of an asynchronous operation ("all-gather-start")
  std::uint64_t count = 0;
  std::int64_t total_ps = 0, min_ps = 0, max_ps = 0;
};
/// What went over one kind of link, as the recorder says ("HCCS", "RDMA", "SDMA").
struct recorded_link {
  std::string_view link;
  std::int64_t bytes = 0, transit_ps = 0;
};
/// Waits and links of the communication of a device, as its recorder adds them up (communication.json of Ascend): operations of a name.
struct recorded_communication {
  std::uint32_t file = 0;  ///< of the device
  std::string_view device, name;  ///< "NPU 0", "hcom_allReduce"
  std::uint64_t count = 0;
  std::int64_t elapsed_ps = 0, wait_ps = 0, synchronization_ps = 0, transit_ps = 0, idle_ps = 0;
  std::vector<recorded_link> links;  ///< that anything went over, as recorded first
};
struct collectives_result {
  std::vector<async_row> async;  ///< by file, plane, first occurrence of the flow (copies, too)
  std::uint64_t flows = 0, events_without_flow = 0;
  std::vector<transfer_total> transfers;  ///< by file, plane, spaces
  std::vector<collective_op_row> ops;  ///< by total, descending
  std::vector<recorded_communication> recorded;  ///< by elapsed time, descending; none of a chosen step
  std::shared_ptr<const void> recorded_texts;    ///< owns its names
  std::string absent;
  std::vector<file_damage> damage;
  std::shared_ptr<const void> texts;  ///< owns the names that are no spans of a file
};
/// `ops` is what analyse_ops() gave for the same capture and options.
result<collectives_result> analyse_collectives(const trace& t, const ops_result& ops, const query_filters& o = {},
                                               const hooks& host = {});
result<collectives_result> analyse_collectives(const trace& t, const query_filters& o = {}, const hooks& host = {});

// ---- findings --------------------------------------------------------------------------------------------
/// What the slices say taken together: damage, incompleteness, files on no common clock, modules that differ
/// from their dump, time that devices waited for asynchronous operations. Most recoverable first.
std::vector<finding> analyse_findings(const profile& p, const info_result& info, const modules_result& modules,
                                      const collectives_result& collectives);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
