#include "op_facts.hpp"

#include "stat_text.hpp"
#include "text.hpp"

#include <profkit/core/text.hpp>

namespace profkit_tool {

op_facts facts_of(const profkit::profile& capture, const profkit::op_programs& programs, const profkit::ops_line& line,
                  const profkit::op_row& op) {
  op_facts f;
  f.program = profkit::escape_for_terminal(programs.name_of(line, op));
  if (op.has_metadata_id && op.entry.data() == nullptr) {
    f.name = f.full_name = '#' + std::to_string(op.metadata_id) + " (no metadata)";
    return f;
  }
  f.name = short_op_name(op.name, op.display_name);
  f.full_name = profkit::escape_for_terminal(op.name);
  if (!op.has_metadata_id) {
    f.category = profkit::escape_for_terminal(op.category);
    return f;
  }
  const std::vector<profkit::named_stat> stats = profkit::op_stats(capture, line, op);
  if (const auto* category = find_stat(stats, "hlo_category")) f.category = stat_value_text(*category, 0);
  if (const auto* tf_op = find_stat(stats, "tf_op")) f.tf_op = stat_value_text(*tf_op, 0);
  if (profkit::is_async_half(op)) return f;
  f.flops = stat_number(find_stat(stats, "flops"));
  f.bytes = stat_number(find_stat(stats, "bytes_accessed"));
  return f;
}

std::string achieved_rate(double amount, std::uint64_t count, std::int64_t total_ps, const char* unit) {
  if (amount <= 0 || total_ps <= 0) return {};
  const double per_second = amount * static_cast<double>(count) / static_cast<double>(total_ps) * 1e12;
  return profkit::si_text(per_second) + unit;
}

}  // namespace profkit_tool
