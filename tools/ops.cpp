// profkit ops: where the time of each line went.
#include "command_line/shared_options.hpp"
#include "grouping.hpp"
#include "op_facts.hpp"
#include "op_order.hpp"
#include "places.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/op_groups.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>

namespace profkit_tool {
namespace {

using profkit::escape_for_terminal;
using profkit::grouped;
using profkit::human_duration;
using profkit::op_row;
using profkit::ops_line;

profkit::ops_order order_of(op_order asked) noexcept {
  switch (asked) {
    case op_order::total: return profkit::ops_order::total;
    case op_order::self: return profkit::ops_order::self;
    case op_order::count: return profkit::ops_order::count;
  }
  return profkit::ops_order::total;
}

// Nothing where times are as the timeline has them.
const char* clock_text(profkit::ops_clock clock) noexcept {
  switch (clock) {
    case profkit::ops_clock::aligned: return "";
    case profkit::ops_clock::device: return ", by the device's clock";
    case profkit::ops_clock::mixed: return ", by the device's clock where events have its durations";
  }
  return "";
}

void print_line(session& s, ops_line& line, const profkit::op_programs& programs, op_order order, std::uint64_t limit) {
  text_output& out = s.out();
  const std::string file = s.file_label(line.file);
  s.heading((file.empty() ? "" : '[' + file + "] ") + short_plane_name(line.plane_name) + "  " +
            escape_for_terminal(line.line_name));
  std::string facts = count_of(line.ops.size(), "op") + ", " + count_of(line.events, "event") + ", busy " +
                      human_duration(line.busy_ps) + ", sum of durations " + human_duration(line.duration_sum_ps) +
                      clock_text(line.clock);
  if (!line.events_cut)
    facts += ", durations not compared with the next kernel (`profkit report` does)";
  else if (*line.events_cut != 0)
    facts += ", " + count_of(*line.events_cut, "kernel") +
             " lasted over the start of the next one and ends there here (a false duration on record)";
  const profkit::device_peaks peaks = profkit::peaks_of(s.capture(), line);
  if (peaks.flops_per_s > 0) facts += ", peak " + profkit::si_text(peaks.flops_per_s) + "FLOP/s";
  if (peaks.hbm_bytes_per_s > 0) facts += ", peak " + profkit::si_text(peaks.hbm_bytes_per_s) + "B/s";
  out.line("  " + (s.columns() == 0 ? facts : wrap(facts, s.columns(), 2)));

  const bool wide = s.asked().wide;
  table t;
  t.flexible("op", cut::middle, 24).flexible("program", cut::middle, 12).minor().flexible("category", cut::end, 10).minor();
  t.right("count").right("total").right("self");
  t.right("of busy").minor().right("FLOP/s").minor().right("B/s").minor();
  if (wide) t.right("min").right("max").left("tf_op").left("full name");
  if (order != op_order::total) line.ops.sort_by(order_of(order));
  const std::size_t shown = rows_within(line.ops.size(), limit);
  programs_met met;
  for (std::size_t at = 0; at < shown && !met.several(); ++at) met.add(programs.name_of(line, line.ops[at]));
  // A capture can have millions of ops: no row is kept.
  t.print_each(out, s.columns(), shown, [&](std::size_t at) {
    const op_row op = line.ops[at];
    const op_facts f = facts_of(s.capture(), programs, line, op);
    std::vector<std::string> cells{
        f.name,
        met.several() ? f.program : "",
        f.category,
        grouped(op.count),
        human_duration(op.total_ps),
        human_duration(op.self_ps),
        profkit::percent_text(static_cast<std::uint64_t>(op.self_ps), static_cast<std::uint64_t>(line.busy_ps)),
        achieved_rate(f.flops, op.count, op.total_ps, ""),
        achieved_rate(f.bytes, op.count, op.total_ps, "")};
    if (wide) {
      cells.push_back(extreme_text(op.min_ps, op.max_ps, op.total_ps));
      cells.push_back(extreme_text(op.max_ps, op.max_ps, op.total_ps));
      cells.push_back(f.tf_op);
      cells.push_back(f.full_name == f.name ? "" : f.full_name);
    }
    return cells;
  });
  s.left_out(line.ops.size(), shown);
}

void print_lines_left_out(session& s, const profkit::ops_result& found) {
  for (const std::string& text : {left_out_text(found.left_out), escape_for_terminal(found.unpaired)}) {
    if (text.empty()) continue;
    s.out().line("");
    print_wrapped(s, text);
  }
}

profkit::result<void> print_ops(session& s, op_order order) {
  auto found = profkit::analyse_ops(s.trace(), s.filters(default_rows), s.hooks());
  if (!found) return std::move(found).error();
  s.lost(found->damage);
  if (found->lines.empty()) {
    s.absent(found->absent);
    print_lines_left_out(s, *found);
    return {};
  }
  // With a name filter, lines without rows are left: they say nothing.
  auto& lines = found->lines;
  lines.erase(std::remove_if(lines.begin(), lines.end(), [](const ops_line& line) { return line.ops.empty(); }),
              lines.end());
  if (lines.empty()) {
    s.absent("no op matches the filters");
    return {};
  }
  if (!found->source.empty())
    s.out().line("Operations from " + escape_for_terminal(found->source) + ", by " +
                 order_text(order));
  const profkit::op_programs programs(s.capture());
  for (ops_line& line : lines) print_line(s, line, programs, order, s.asked().limit.value_or(default_rows));
  print_lines_left_out(s, *found);
  return {};
}

// What the columns of ranges are.
void print_ranges(session& s) {
  print_wrapped(s,
                "self time: what was launched while the range was open. Backward of it: the backward pass of what was called in the range, "
                "also where that ran in another one");
}

// The keys of --by; there is one at least.
profkit::result<void> print_groups(session& s, const group_option& asked) {
  auto found = profkit::analyse_op_groups(s.trace(), asked.keys, s.filters(default_rows), s.hooks());
  if (!found) return std::move(found).error();
  s.lost(found->damage);
  if (has_ending(s.asked().output_path, ".folded")) return profkit::write_folded_stacks(*found, s.out().raw());
  if (found->rows.empty()) {
    s.absent(found->absent.empty() ? "no op matches the filters" : found->absent);
    return {};
  }
  std::string facts = "Time of " + escape_for_terminal(found->source) + " by " + asked.by + ": " + linked_text(*found);
  if (found->moving_ps.value_or(0) > 0)
    facts += "; moving data takes " + human_duration(*found->moving_ps) + " (" +
             profkit::percent_text(static_cast<std::uint64_t>(*found->moving_ps), static_cast<std::uint64_t>(found->self_ps)) +
             "), the most that avoiding it can save";
  print_wrapped(s, facts);
  table t;
  t.right("of ops").right("self time").right("count");
  if (found->flops != 0) t.right("FLOP/s").minor();
  if (found->bytes != 0) t.right("B/s").minor();
  const bool in_part = counts_in_part(*found);
  if (in_part) t.right("counted").minor();
  const bool of_ranges = found->keys.front() == profkit::group_key::range;
  if (of_ranges) t.right("backward of it");
  t.flexible(asked.by, cut::middle, 24);
  t.print_each(s.out(), s.columns(), found->rows.size(), [&](std::size_t at) {
    const profkit::op_group& g = found->rows[at];
    std::vector<std::string> row{
        profkit::percent_text(static_cast<std::uint64_t>(g.self_ps), static_cast<std::uint64_t>(found->self_ps)),
        human_duration(g.self_ps), grouped(g.count)};
    if (found->flops != 0) row.push_back(rate_text(g.flops, g.self_ps));
    if (found->bytes != 0) row.push_back(rate_text(g.bytes, g.self_ps));
    if (in_part) row.push_back(counted_text(g));
    if (of_ranges) row.push_back(g.backward_ps.value_or(0) == 0 ? "" : human_duration(*g.backward_ps));
    row.push_back(indented_name(g));
    return row;
  });
  s.left_out(found->rows.size() + found->rows_left_out, found->rows.size());
  if (in_part) print_counted(s);
  if (of_ranges) print_ranges(s);
  return {};
}

class ops_command_options final : public slice_options {
 public:
  [[nodiscard]] std::optional<profkit::fault> understand() override {
    if (auto wrong = order_.understand()) return wrong;
    const bool folded = has_ending(output_path, ".folded");
    if (folded && group_.by.empty()) group_.by = "module,op,kernel";
    if (folded) limit = 0;
    if (auto wrong = group_.understand()) return wrong;
    return slice_options::understand();
  }

 protected:
  void list_own(option_list& all) override {
    group_.list(all);
    order_.list(all);
  }
  [[nodiscard]] int run_command() const override {
    if (group_.by.empty())
      return run_slice(*this, profkit::document::ops, [&](session& s) { return print_ops(s, order_.value); });
    slice_writer writer = group_writer(*this, group_.keys);
    writer.text = [&](session& s) { return print_groups(s, group_); };
    return run_slice(*this, profkit::document::op_groups, writer);
  }

 private:
  group_option group_;
  order_option order_;
};

}  // namespace

extern const command_description ops_command = {
    "ops",
    "PATH",
    "Operations by total and self time, with FLOP/s and bytes/s",
    "Totals over all events of an operation. Self time leaves out what nested operations cover, so that\n"
    "self times of a line add up to its busy time. Where events carry the device's own clock, times are\n"
    "by that; steps and times that are asked for are of the timeline. Programs are kept apart. Of PyTorch\n"
    "and Ascend: kernels by stream; where no device recorded anything, what threads of the host did.\n"
    "What `info` counts in trace JSON and no line here is said below them, with why.",
    "  profkit ops vm.xplane.pb --sort self\n"
    "  profkit ops rank0.json.gz --by module       time of each nn.Module, one inside the other\n"
    "  profkit ops rank0.json.gz --by phase,op     forward and backward, and their operators\n"
    "  profkit ops rank0.json.gz -o stacks.folded  for speedscope and flame graphs\n"
    "  profkit ops vm.xplane.pb --plane TPU:0 --name fusion\n"
    "  profkit ops vm.xplane.pb --step 3           only what ran in the fourth step\n"
    "  profkit ops vm.xplane.pb --time 10s:20s     only what ran in that window\n",
    make_options<ops_command_options>,
    "Kernels of NPUs are grouped by type and core. Of a step that the host marked, --step means the kernels\n"
    "that it launched: those that begin in its window on the device, as in bubbles. The clock of a device\n"
    "is what device_offset_ps and device_duration_ps of an event say.",
};

}  // namespace profkit_tool
