#include "op_facts.hpp"

#include "quantity.hpp"
#include "text.hpp"

#include <profkit/core/text.hpp>

namespace profkit_tool {

op_facts facts_of(const profkit::profile& capture, const profkit::op_programs& programs, const profkit::ops_line& line,
                  const profkit::op_row& op) {
  const profkit::op_details details = profkit::op_details_of(capture, programs, line, op);
  op_facts f;
  f.category = profkit::escape_for_terminal(details.category);
  f.program = profkit::escape_for_terminal(details.program);
  f.tf_op = profkit::escape_for_terminal(details.tf_op);
  f.flops = details.flops;
  f.bytes = details.bytes;
  if (op.has_metadata_id && op.entry.data() == nullptr) {
    f.name = f.full_name = '#' + std::to_string(op.metadata_id) + " (no metadata)";
    return f;
  }
  f.name = short_op_name(op.name, op.display_name);
  f.full_name = profkit::escape_for_terminal(op.name);
  return f;
}

std::string left_out_text(const std::vector<profkit::left_out_lines>& all) {
  std::string text;
  for (const profkit::left_out_lines& l : all) {
    text += (text.empty() ? "Not counted as ops: " : "; ") + l.why + ": ";
    if (l.events != 0) text += profkit::grouped(l.events);
    if (l.lines != 0) text += (l.events != 0 ? " on " : "") + count_of(l.lines, "line");
  }
  return text;
}

std::string achieved_rate(double amount, std::uint64_t count, std::int64_t total_ps, const char* unit) {
  if (amount <= 0 || total_ps <= 0) return {};
  const double per_second = amount * static_cast<double>(count) / static_cast<double>(total_ps) * 1e12;
  return profkit::si_text(per_second) + unit;
}

}  // namespace profkit_tool
