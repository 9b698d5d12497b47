#include <export/json/document.hpp>
#include <export/json/ops_parts.hpp>

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

std::optional<double> executed_rate(const std::vector<named_stat>& stats, std::string_view name, const op_row& op) {
  const auto stat = std::find_if(stats.rbegin(), stats.rend(), [&](const named_stat& s) { return s.name == name; });
  if (stat == stats.rend() || op.total_ps <= 0) return std::nullopt;
  // What one execution does, times the executions, over the time they took together, which is not 0.
  return number_of(*stat) * static_cast<double>(op.count) / static_cast<double>(op.total_ps) * 1e12;
}

std::optional<double> share_of(const std::optional<double>& rate, double peak) {
  if (!rate || peak <= 0) return std::nullopt;
  return *rate / peak;
}

}  // namespace

std::optional<double> shown_line::flops_per_s() const noexcept { return known_peak(peaks.flops_per_s); }
std::optional<double> shown_line::hbm_bytes_per_s() const noexcept { return known_peak(peaks.hbm_bytes_per_s); }

shown_line shown(const ops_line& line, const ops_result&, const ops_sight& with) { return {line, peaks_of(with.p, line)}; }

shown_op shown(const op_row& op, const shown_line& of, const ops_sight& with) {
  shown_op made;
  made.op = op;
  if (op.has_metadata_id) made.metadata_id = op.metadata_id;
  made.program = with.programs.name_of(of.line, op);
  made.stats = op_stats(with.p, of.line, op);
  if (is_async_half(op)) return made;  // the start and the done of a transfer are not as long as the transfer
  made.flops_per_s = executed_rate(made.stats, "flops", op);
  made.flops_share = share_of(made.flops_per_s, of.peaks.flops_per_s);
  made.bytes_per_s = executed_rate(made.stats, "bytes_accessed", op);
  made.bytes_share = share_of(made.bytes_per_s, of.peaks.hbm_bytes_per_s);
  return made;
}

document_status write_ops(json_writer& out, const profile& p, const ops_result& found, const query_filters& o) {
  const op_programs programs(p);
  return write_framed(out, document::ops, p, o, found.absent, found.damage, [&] { fields_of_ops(out, found, {p, programs}); });
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
