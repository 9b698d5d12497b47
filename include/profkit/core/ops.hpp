// The ops of each line: totals over their events.
#pragma once
#include <profkit/core/filters.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/named_stat.hpp>
#include <profkit/core/number_type.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/result.hpp>
#include <profkit/core/row_iterator.hpp>
#include <profkit/core/trace.hpp>
#include <profkit/core/track.hpp>
#include <profkit/xspace.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// Where in the program kernels come from, see kernel_origin; "" where that is not recorded.
struct op_origin {
  std::string_view op, outer_op, module, range, forward_range, source, phase, program;
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
// enum ops_clock: written by scripts/generate
/// Which clock the durations, self and busy times of a line of ops are of. Which events belong to a step, a time or a
/// filter is always decided by aligned starts.
enum class ops_clock : std::uint8_t {
  aligned, ///< offset_ps and duration_ps: the device's times as the profiler fitted them to the host's clock
  device,  ///< device_offset_ps and device_duration_ps, stats of every event
  mixed    ///< device_duration_ps where an event has it, else duration_ps; starts are aligned
};
[[nodiscard]] const char* ops_clock_name(ops_clock value) noexcept;  ///< "aligned", "device", …
// end of enum ops_clock
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
  std::shared_ptr<const void> texts;  ///< owns the names of ops that do not lie in a file
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

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
