#include "grouping.hpp"

#include "quantity.hpp"
#include "text.hpp"

#include <profkit/core/text.hpp>

#include <algorithm>

namespace profkit_tool {

using profkit::grouped;
using profkit::human_duration;

void group_option::list(option_list& all) {
  all.value("--by", by, "KEYS", "Sums by op, outer-op, module, range, phase, source, shape, …")
      .offer_words({"kernel", "function", "instruction", "op", "outer-op", "module", "module-kind", "range", "source", "phase", "shape", "step", "kind",
                    "category", "program", "stream", "device"})
      .add_to_manual(
          "Several with commas between them make a tree. Ranges are those that the user marked (record_function, NVTX, rocTX). "
          "The others are module-kind, step (that of the device in which an op began), kind (compute, communication, or how data is moved: transpose, "
          "cast, copy to device), kernel, function (what a kernel runs, without template arguments), instruction (of a compiled program), "
          "category, program, stream and device.");
}

std::optional<profkit::fault> group_option::understand() {
  if (by.empty()) return std::nullopt;
  auto found = profkit::parse_group_keys(by);
  if (!found) return found.error();
  keys = std::move(found).value();
  return std::nullopt;
}

std::string linked_text(const profkit::op_groups& found) {
  std::string text = human_duration(found.self_ps) + " in " + count_of(found.count, "execution");
  if (found.by_order != 0) text += "; " + grouped(found.by_order) + " that graphs launched belong to launches by their order in a capture";
  if (found.unlinked == 0) return text;
  text += "; of " + grouped(found.unlinked) + " (" +
          profkit::percent_text(static_cast<std::uint64_t>(found.unlinked_ps), static_cast<std::uint64_t>(found.self_ps)) + ") no " +
          profkit::group_key_name(found.keys.front()) + " is on record";
  if (found.by_graph != 0) text += ", " + grouped(found.by_graph) + " of which a graph launched";
  if (found.in_ranges != 0) text += "; " + grouped(found.in_ranges) + " of them were launched in ranges: `--by range`";
  return text;
}

std::string rate_text(std::int64_t amount, std::int64_t time_ps) {
  if (amount == 0 || time_ps == 0) return "";
  return profkit::si_text(static_cast<double>(amount) / static_cast<double>(time_ps) * 1e12);
}

bool counts_in_part(const profkit::op_groups& found) {
  const auto in_part = [](const profkit::op_group& g) { return g.worked_ps > 0 && g.worked_ps < g.self_ps; };
  return std::any_of(found.rows.begin(), found.rows.end(), in_part);
}

std::string counted_text(const profkit::op_group& g) {
  return g.worked_ps > 0 ? profkit::share_text(g.worked_ps, g.self_ps) : "";
}

void print_wrapped(session& s, const std::string& text) {
  s.out().line(s.columns() == 0 ? text : wrap(text, s.columns(), 2));
}

void print_counted(session& s) {
  print_wrapped(s, "  Rates are over the self time. counted: the share of it of which it is on record what the ops do.");
}

slice_writer group_writer(const options& asked, const std::vector<profkit::group_key>& keys) {
  slice_writer writer;
  writer.document = [&](const profkit::trace& of, profkit::sink& into, const profkit::hooks& hooks) {
    const std::uint64_t limit = profkit::default_limit(profkit::document::op_groups);
    return profkit::write_op_groups(of, keys, filters_of(asked, limit), into, hooks);
  };
  return writer;
}

std::string bounds_text(const profkit::op_roof& roof, std::int64_t self_ps) {
  std::string text;
  const auto add = [&](std::int64_t part_ps, const char* words) {
    if (part_ps > 0) text += (text.empty() ? "" : ", ") + std::string(words) + ' ' + profkit::share_text(part_ps, self_ps);
  };
  const auto add_bound = [&](std::int64_t part_ps, const char* by) {
    add(part_ps, ((text.empty() ? "bound by " : "by ") + std::string(by)).c_str());
  };
  add_bound(roof.compute_bound_ps, "compute");
  add_bound(roof.memory_bound_ps - roof.vmem_bound_ps - roof.cmem_bound_ps, "memory");
  add_bound(roof.vmem_bound_ps, "VMEM");
  add_bound(roof.cmem_bound_ps, "CMEM");
  add_bound(roof.neither_ps, "neither");
  add(self_ps - roof.judged_ps(), "not known");
  return text;
}

std::string indented_name(const profkit::op_group& group) {
  std::string name = group.key == profkit::group_key::kernel ? profkit::readable_kernel_name(group.name) : group.name;
  if (name.empty()) name = group.key == profkit::group_key::step ? "(outside of steps)" : "(not on record)";
  return std::string(std::size_t{2} * group.depth, ' ') + profkit::escape_for_terminal(name);
}

}  // namespace profkit_tool
