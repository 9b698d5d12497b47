#include <export/json/document.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

double number_of(const named_stat& stat) noexcept {
  if (stat.kind == stat_kind::int64_value) return static_cast<double>(static_cast<std::int64_t>(stat.bits));
  if (stat.kind == stat_kind::uint64_value) return static_cast<double>(stat.bits);
  return 0;
}

std::optional<double> rate_of(const std::vector<named_stat>& stats, std::string_view name, const op_row& op) {
  const auto stat = std::find_if(stats.rbegin(), stats.rend(), [&](const named_stat& s) { return s.name == name; });
  if (stat == stats.rend() || op.total_ps <= 0) return std::nullopt;
  // What one execution does, times the executions, over the time they took together, which is not 0.
  return number_of(*stat) * static_cast<double>(op.count) / static_cast<double>(op.total_ps) * 1e12;
}

std::optional<double> share_of(const std::optional<double>& rate, double peak) {
  if (!rate || peak <= 0) return std::nullopt;
  return *rate / peak;
}

void write_op_row(json_writer& out, const profile& p, const ops_line& line, const op_row& op, const device_peaks& peaks,
                  const op_programs& programs) {
  const std::vector<named_stat> stats = op_stats(p, line, op);
  out.begin_object();
  write_optional_id(out, "metadata_id", op.has_metadata_id ? std::optional(op.metadata_id) : std::nullopt);
  out.field("name", op.name);
  out.field("display_name", op.display_name);
  out.field("program", std::string_view(programs.name_of(line, op)));
  out.field("count", op.count);
  out.field("total_ps", op.total_ps);
  out.field("self_ps", op.self_ps);
  out.field("min_ps", op.min_ps);
  out.field("max_ps", op.max_ps);
  // The start and the done of a transfer are not as long as the transfer.
  const bool is_half = is_async_half(op);
  const std::optional<double> flops = is_half ? std::nullopt : rate_of(stats, "flops", op);
  const std::optional<double> bytes = is_half ? std::nullopt : rate_of(stats, "bytes_accessed", op);
  write_optional(out, "flops_per_s", flops);
  write_optional(out, "flops_share", share_of(flops, peaks.flops_per_s));
  write_optional(out, "bytes_per_s", bytes);
  write_optional(out, "bytes_share", share_of(bytes, peaks.hbm_bytes_per_s));
  write_stat_map(out, "stats", stats);
  out.end_object();
}

void write_ops_line(json_writer& out, const profile& p, const ops_line& line, const op_programs& programs) {
  const device_peaks peaks = peaks_of(p, line);
  out.begin_object();
  out.field("file", line.file);
  out.field("plane", line.plane);
  out.field("line", line.line);
  out.field("plane_name", line.plane_name);
  out.field("line_name", line.line_name);
  out.field("kind", line_kind_name(line.kind));
  out.field("clock", ops_clock_name(line.clock));
  out.field("events", line.events);
  write_optional(out, "events_cut", line.events_cut);
  out.field("duration_sum_ps", line.duration_sum_ps);
  out.field("busy_ps", line.busy_ps);
  out.field("device_type", peaks.device_type);
  write_optional(out, "peak_flops_per_s", known_peak(peaks.flops_per_s));
  write_optional(out, "peak_hbm_bytes_per_s", known_peak(peaks.hbm_bytes_per_s));
  const auto row = [&](const op_row& op) { write_op_row(out, p, line, op, peaks, programs); };
  const std::uint64_t left_out = write_rows(out, "ops", line.ops, row);
  out.field("ops_left_out", left_out);
  out.end_object();
}

void write_left_out(json_writer& out, const std::vector<left_out_lines>& all) {
  write_objects(out, "left_out", all, [&](const left_out_lines& l) {
    out.field("why", std::string_view(l.why));
    out.field("lines", l.lines);
    out.field("events", l.events);
  }, min_notes);
}

}  // namespace

document_status write_ops(json_writer& out, const profile& p, const ops_result& found, events_checked checked) {
  const verdict v = judge(p, found.absent, found.damage);
  begin_document(out, document::ops);
  write_verdict(out, v);
  out.field("source", std::string_view(found.source));
  const op_programs programs(p);
  write_rows(out, "lines", found.lines, [&](const ops_line& line) { write_ops_line(out, p, line, programs); },
             min_notes);
  if (!found.left_out.empty()) write_left_out(out, found.left_out);
  write_unpaired(out, found.begins_without_end, found.begins_open, found.ends_without_begin);
  write_files(out, p);
  write_damage(out, found.damage, checked);
  end_document(out);
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
