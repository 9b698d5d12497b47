// profkit validate: do the collectives of several nodes happen in a possible order, and who comes late?
#include "command_line/shared_options.hpp"
#include "exit_code.hpp"
#include "grouping.hpp"
#include "interrupt.hpp"
#include "places.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/collectives.hpp>
#include <profkit/core/picture.hpp>
#include <profkit/core/text.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit_tool {
namespace {

using profkit::alignment_result;
using profkit::collective_op;
using profkit::document_status;
using profkit::escape_for_terminal;
using profkit::fault;
using profkit::grouped;
using profkit::human_duration;
using profkit::result;
using profkit::validation_result;

struct validate_asked : command_options {
  std::vector<std::string> traces;
  bool align_collectives = false;
  bool fail_on_violations = false;
  std::optional<std::int64_t> bound_ps;
  std::int64_t max_bound_ps = 1000000000;
};

int fail_without(const options& asked, const fault& why, const terminal& errors, const std::vector<std::string>& written = {}) {
  leave_with_reader(asked, why);
  std::vector<std::string> missing;
  for (const std::string& path : {asked.output_path, asked.csv_path})
    if (!path.empty() && path != "-" && std::find(written.begin(), written.end(), path) == written.end())
      missing.push_back(path);
  if (print_interrupt(why, written, missing)) return exit_unreadable;
  print_fault(why, errors);
  return exit_code_of(why.code);
}

std::string plus_minus(std::optional<std::int64_t> bound_ps) {
  return bound_ps ? "±" + human_duration(*bound_ps) : std::string("unknown");
}

// "+1.234 ms", "-12 ps".
std::string difference_text(double ps) {
  const auto whole = static_cast<std::int64_t>(std::llround(ps));
  return (whole < 0 ? "-" : "+") + human_duration(whole < 0 ? -whole : whole);
}

std::string ppm_text(double ppm) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.3f ppm", ppm);
  return text;
}

void print_compared_nodes(text_output& out, const validation_result& found, std::size_t columns) {
  table t;
  t.right("node").flexible("host", cut::middle, 12).right("devices").right("collectives").right("clock error");
  for (const profkit::collective_node& node : found.nodes)
    t.row({std::to_string(node.id), escape_for_terminal(node.hostname), grouped(std::uint64_t{node.devices}),
           grouped(node.collectives), plus_minus(node.bound_ps)});
  t.print(out, columns);
}

void print_compared_ops(text_output& out, const validation_result& found, std::uint64_t limit, std::size_t columns) {
  std::vector<const collective_op*> ops;
  for (const collective_op& op : found.ops)
    if (op.groups > 0) ops.push_back(&op);
  std::stable_sort(ops.begin(), ops.end(), [](const collective_op* a, const collective_op* b) {
    if (a->violations != b->violations) return a->violations > b->violations;
    const auto skew = [](const collective_op* op) {
      return static_cast<double>(op->mean_skew_ps) * static_cast<double>(op->groups);
    };
    return skew(a) > skew(b);
  });
  table t;
  const auto any = [&](auto&& has) { return std::any_of(ops.begin(), ops.end(), has); };
  const bool groups = any([](const collective_op* op) { return !op->group.empty(); });
  const bool devices = any([](const collective_op* op) { return op->device >= 0; });
  const bool sized = any([](const collective_op* op) { return op->sized_groups > 0; });
  t.flexible("collective", cut::middle, 20);
  if (groups) t.flexible("group", cut::middle, 14);
  if (devices) t.right("device");
  t.right("times").right("violations").right("arrival skew").right("transfer");
  if (sized) t.right("bus B/s");
  t.left("time goes to").left("last to come");
  for (const collective_op* op : ops) {
    if (t.is_full(limit)) break;
    std::string last;
    if (op->latest_node >= 0)
      last = "node " + std::to_string(found.nodes[static_cast<std::size_t>(op->latest_node)].id) +
             (op->latest_device < 0 ? "" : ", device " + std::to_string(op->latest_device)) + " (" + share_text(static_cast<std::int64_t>(op->latest_count), static_cast<std::int64_t>(op->groups)) + ")";
    std::vector<std::string> cells{short_op_name(op->name, "")};
    if (groups) cells.push_back(escape_for_terminal(op->group));
    if (devices) cells.push_back(op->device < 0 ? "all" : std::to_string(op->device));
    cells.insert(cells.end(), {grouped(op->groups), grouped(op->violations), human_duration(op->mean_skew_ps),
                               human_duration(op->mean_transfer_ps)});
    if (sized) cells.push_back(op->sized_groups > 0 ? rate_text(profkit::link_bytes(*op, op->payload_bytes), op->moving_ps) : "");
    cells.insert(cells.end(), {profkit::collective_share_name(op->cost), last});
    t.row(std::move(cells));
  }
  t.print(out, columns);
  print_more(out, ops.size(), t.size());
}

// The first `limit` rows (0: all) as sentences.
template <class Rows, class Text>
void print_sentences(text_output& out, const Rows& rows, std::uint64_t limit, std::size_t columns, Text&& text_of) {
  const std::size_t shown = rows_within(rows.size(), limit);
  for (std::size_t i = 0; i < shown; ++i) out.line("  " + wrap(text_of(rows[i]), columns, 2));
  print_more(out, rows.size(), shown);
}

// What the answer takes for granted.
void print_assumptions(text_output& out, const std::vector<std::string>& assumptions, std::size_t columns) {
  print_sentences(out, assumptions, 0, columns, [](const std::string& each) { return "assumed: " + each; });
}

// Whose order is unknown, and why; the same reason once.
void print_unjudged(text_output& out, const validation_result& found, std::size_t columns) {
  struct unjudged {
    std::uint64_t groups = 0, ops = 0;
    const collective_op* first = nullptr;
  };
  std::map<std::string_view, unjudged> reasons;
  for (const collective_op& op : found.ops) {
    if (op.unjudged == 0) continue;
    unjudged& u = reasons[op.unjudged_why];
    u.groups += op.unjudged;
    ++u.ops;
    if (u.first == nullptr) u.first = &op;
  }
  for (const auto& [why, u] : reasons) {
    std::string text = "not judged: " + grouped(u.groups) + (u.first->sub_groups ? " executions of " : " of ") +
                       short_op_name(u.first->name, "");
    if (u.ops > 1) text += " and " + count_of(u.ops - 1, "more operation");
    text += ": " + std::string(why);
    out.line("  " + wrap(text, columns, 2));
  }
}

void print_warning_list(text_output& out, const validation_result& found, std::uint64_t limit, std::size_t columns) {
  print_sentences(out, found.warning_list, limit, columns, [](const profkit::collective_warning& w) {
    return (w.node_id >= 0 ? "node " + std::to_string(w.node_id) + ": " : "") +
           (w.op.empty() ? "" : short_op_name(w.op, "") + ": ") + escape_for_terminal(w.text);
  });
}

std::string device_text(const validation_result& found, std::size_t node, std::int64_t device) {
  return "node " + std::to_string(found.nodes[node].id) + ", device " + std::to_string(device);
}

std::string call_text(const validation_result& found, std::size_t op, std::uint64_t occurrence) {
  const collective_op& of = found.ops[op];
  return "call " + grouped(occurrence) + " of " + short_op_name(of.name, "") +
         (of.group.empty() ? "" : " " + escape_for_terminal(of.group));
}

// Calls that may have been made: files that are known to lack events do not have them.
void print_unrecorded(text_output& out, const validation_result& found, std::uint64_t limit, std::size_t columns) {
  print_sentences(out, found.unrecorded, limit, columns, [&](const profkit::unrecorded_calls& row) {
    return device_text(found, row.node, row.device) + ", from " + call_text(found, row.op, row.occurrence) + ": " +
           escape_for_terminal(row.evidence);
  });
}

// Members that did otherwise than the others of their process group.
void print_irregularities(text_output& out, const validation_result& found, std::uint64_t limit, std::size_t columns) {
  print_sentences(out, found.irregularities, limit, columns, [&](const profkit::collective_irregularity& row) {
    return std::string(profkit::collective_irregularity_name(row.what)) + ": " + device_text(found, row.node, row.device) +
           (row.rank >= 0 ? " (rank " + std::to_string(row.rank) + ")" : "") + ", " +
           call_text(found, row.op, row.occurrence) + ": " + escape_for_terminal(row.evidence);
  });
}

void print_alignment(text_output& out, const alignment_result& alignment, const validate_asked& asked, std::size_t columns) {
  print_heading(out, "Clocks, from collectives alone");
  if (!alignment.absent.empty()) {
    out.line("  [absent] " + alignment.absent);
    return;
  }
  out.line("  against node " + std::to_string(alignment.nodes[alignment.reference].id) +
           "; every value between least and most fits all collectives that were used");
  print_assumptions(out, alignment.assumptions, columns);
  table t;
  t.right("node")
      .right("least")
      .right("most")
      .right("best guess")
      .right("drift")
      .right("spread")
      .flexible("", cut::end, 10);
  for (const profkit::aligned_node& node : alignment.nodes) {
    if (node.to_reference.a == node.to_reference.b && node.reached) continue;
    const profkit::clock_relation& r = node.to_reference;
    if (!node.reached) {
      t.row({std::to_string(node.id), "", "", "", "", "", "not joined by any"});
    } else if (!r.feasible) {
      t.row({std::to_string(node.id), "", "", "", "", "", "contradiction"});
    } else {
      std::string remark = r.decidable ? "" : "undecidable (over " + human_duration(asked.max_bound_ps) + ")";
      if (remark.empty() && node.contains_zero) remark = "may be no shift at all";
      if (remark.empty() && !node.calls_known) remark = "or of calls before or after these, which fit, too";
      if (node.snapshot_offset_ps && !node.agrees) remark = "disagrees with the snapshots";
      t.row({std::to_string(node.id), difference_text(static_cast<double>(r.least_offset_ps)),
             difference_text(static_cast<double>(r.most_offset_ps)), difference_text(node.offset_ps),
             ppm_text(node.drift_ppm), human_duration(static_cast<std::int64_t>(node.spread_ps)), remark});
    }
  }
  t.print(out, columns);
}

void print_text(text_output& out, const validate_asked& asked, const validation_result& found,
                const alignment_result* alignment) {
  const std::size_t columns = asked.wide ? 0 : out.screen().columns;
  const std::uint64_t limit = asked.limit.value_or(20);
  if (!found.absent.empty()) {
    const std::string text = "[absent] " + found.absent;
    out.line(wrap(text, columns, 2));
    print_unjudged(out, found, columns);
    return;
  }
  out.line("Violations: " + grouped(found.violations) + ", Overlaps: " + grouped(found.overlaps) +
           ", Warnings: " + grouped(found.warnings));
  std::string sentence;
  if (found.corrected)
    sentence = "clocks were corrected; a violation exceeds the error of both clocks (" +
               grouped(found.violations_raw) + " if that error is ignored)";
  else if (found.bounds_known)
    sentence = "a violation exceeds the given bound (" + grouped(found.violations_raw) +
               " if that error is ignored)";
  else if (found.clocks == 1)
    sentence = "one host, one clock: what is out of order by more than the error of device times is no skew";
  else
    sentence =
        "clocks were not corrected: violations may be skew (`profkit merge` corrects clocks of XSpaces, "
        "--align=collectives bounds any)";
  out.line("  " + wrap(sentence, columns, 2));
  std::string counts =
      count_of(found.groups.size(), "invocation") + " compared across " + profkit::nodes_text(found);
  if (found.pair_violations > 0) counts += ", " + count_of(found.pair_violations, "pair") + " of nodes out of order";
  if (found.unjudged > 0) counts += ", " + grouped(found.unjudged) + " not judged";
  out.line("  " + counts);
  if (const std::string arrivals = profkit::arrivals_text(found); !arrivals.empty())
    out.line("  " + wrap(arrivals, columns, 2));
  print_assumptions(out, found.assumptions, columns);
  print_heading(out, "Nodes");
  print_compared_nodes(out, found, columns);
  print_heading(out, "Collectives");
  print_compared_ops(out, found, limit, columns);
  print_unjudged(out, found, columns);
  if (!found.unrecorded.empty()) {
    print_heading(out, "Not in the files");
    print_unrecorded(out, found, limit, columns);
  }
  if (!found.irregularities.empty()) {
    print_heading(out, "Irregular in their process group");
    print_irregularities(out, found, limit, columns);
  }
  if (!found.warning_list.empty()) {
    print_heading(out, "Warnings");
    print_warning_list(out, found, limit, columns);
  }
  if (alignment != nullptr) print_alignment(out, *alignment, asked, columns);
}

using trace_list = std::vector<std::shared_ptr<const profkit::trace>>;

// Before anything was written.
int fail_at_first(const options& asked, const fault& why, const terminal& errors) {
  if (why.code != profkit::fault_code::cancelled) print_error_document(asked, "validate", why);
  return fail_without(asked, why, errors);
}

int run_validate(const validate_asked& asked) {
  const terminal errors = look_at_terminal(STDERR_FILENO, asked.color);
  progress_line progress(!asked.quiet);
  const profkit::hooks hooks = progress.hooks(asked.threads);
  trace_list traces;
  std::vector<profkit::file_damage> unopened;
  for (const std::string& path : asked.traces) {
    profkit::open_options how;
    how.standard_input = true;
    how.io = asked.io;
    how.run = asked.run;
    how.host = hooks;
    auto opened = profkit::profile::open(path, how);
    progress.clear();
    if (!opened) {
      // One of several: the others are compared, and its fault is reported.
      if (asked.traces.size() == 1 || opened.error().code == profkit::fault_code::cancelled)
        return fail_at_first(asked, opened.error(), errors);
      unopened.push_back({static_cast<std::uint32_t>(traces.size()), opened.error()});
      traces.push_back(nullptr);
      continue;
    }
    for (const std::string& output : {asked.output_path, asked.csv_path, asked.svg_path})
      if (is_input_of((*opened)->what(), output)) return fail_at_first(asked, output_is_input(output), errors);
    traces.push_back(std::make_shared<const profkit::trace>(std::move(*opened)));
  }
  if (!asked.output_path.empty() || !asked.csv_path.empty()) catch_interrupts();

  profkit::validation_options how;
  how.bound_ps = asked.bound_ps;
  how.from_ps = asked.from_ps;
  how.to_ps = asked.to_ps;
  how.host = hooks;
  result<validation_result> found = profkit::validate_collectives(traces, how);
  progress.clear();
  if (!found) return fail_at_first(asked, unopened.empty() ? found.error() : unopened.front().what, errors);
  for (profkit::file_damage& loss : unopened) {
    found->traces[loss.file] = asked.traces[loss.file];
    found->damage.push_back(std::move(loss));
  }
  std::optional<alignment_result> alignment;
  if (asked.align_collectives) {
    profkit::alignment_options align;
    align.max_bound_ps = asked.max_bound_ps;
    if (!found->nodes.empty()) align.reference_node = found->nodes.front().id;
    alignment = profkit::align_by_collectives(*found, align);
  }
  const alignment_result* const aligned = alignment ? &*alignment : nullptr;

  const auto document = [&](profkit::sink& into) -> result<void> {
    result<document_status> written = profkit::write_validation(
        *found, aligned, into, asked.limit.value_or(profkit::default_document_limit));
    if (!written) return std::move(written).error();
    return {};
  };
  result<text_output> out = text_output::open("", asked.color);
  if (!out) return fail_without(asked, out.error(), errors);
  const bool prints_rows = asked.csv_path == "-";
  const auto rows = [&](profkit::sink& into) { return profkit::write_validation_csv(*found, into); };
  if (asked.json) {
    if (result<void> written = document(out->raw()); !written) return fail_without(asked, written.error(), errors);
  } else if (prints_rows) {
    if (result<void> written = rows(out->raw()); !written) return fail_without(asked, written.error(), errors);
  } else {
    print_text(*out, asked, *found, aligned);
  }
  if (result<void> finished = out->finish(); !finished) return fail_without(asked, finished.error(), errors);
  std::vector<std::string> in_place;
  if (!asked.output_path.empty()) {
    if (result<void> written = write_file(asked.output_path, document); !written)
      return fail_without(asked, written.error(), errors);
    in_place.push_back(asked.output_path);
  }
  if (!asked.csv_path.empty() && !prints_rows) {
    if (result<void> written = write_file(asked.csv_path, rows); !written)
      return fail_without(asked, written.error(), errors, in_place);
    in_place.push_back(asked.csv_path);
  }
  if (!asked.svg_path.empty()) {
    const auto picture = [&](profkit::sink& into) { return profkit::write_bandwidth_picture(*found, into); };
    if (result<void> drawn = write_file(asked.svg_path, picture); !drawn)
      return fail_without(asked, drawn.error(), errors, in_place);
  }

  std::vector<profkit::file_damage> losses = found->damage;
  for (profkit::file_damage& loss : losses)
    if (loss.what.path.empty() && loss.file < found->traces.size()) loss.what.path = found->traces[loss.file];
  const bool usable =
      std::any_of(traces.begin(), traces.end(), [](const auto& t) { return t != nullptr && anything_intact(t->files()); });
  const int status = print_losses(asked, losses, usable, errors);
  if (status != exit_ok) return status;
  return asked.fail_on_violations && found->violations > 0 ? exit_gate : exit_ok;
}

class validate_command_options final : public validate_asked {
 public:
  void list(option_list& all) override {
    all.arguments("TRACE", traces, "A merged trace, or one trace or run directory a node").offer_files();
    all.group("Validation");
    all.values("--traces", traces, "TRACE", "The same as the arguments; may be repeated").offer_files();
    all.value("--bound", bound_, "TIME", "Error of every time, as in 5us, instead of the trace's own");
    list_window(all, time_);
    all.value("--align", align_.typed, "HOW", "'collectives': offset and drift of each node from collectives alone")
        .offer_words(align_.words())
        .add_to_manual("They are intervals, under the assumptions that are printed with them.");
    all.value("--max-bound,--max_bound", max_bound_, "TIME",
              "An offset known less well than this is undecidable (default 1ms)");
    all.value("--fail-on,--fail_on", fail_on_.typed, "WHAT", "'violations': exit with 1 when there are any")
        .offer_words(fail_on_.words());
    all.group("Output");
    all.value("-o,--output", output_path, "FILE", "Write the JSON document to FILE as well ('-': instead of text)")
        .offer_files();
    all.value("--csv", csv_path, "FILE", "Write the start gaps of every invocation to FILE ('-' likewise)")
        .offer_files();
    all.value("--svg", svg_path, "FILE", "A picture as well: bytes a call and bandwidth of collectives").offer_files();
    all.value("--limit", output_.limit, "N", "Rows of each list; 0 shows all (default 20, of --json 100)");
    list_json(all, *this);
    list_wide(all, *this);
    output_.list_color(all);
    list_quiet(all, *this);
    input_.list_of_captures(all, *this);
  }

  [[nodiscard]] std::optional<fault> understand() override {
    if (traces.empty())
      return wrong_options("validate: no trace was named", "profkit validate combined.xplane.pb, or one trace a node");
    if (auto wrong = align_.understand("--align", align_collectives)) return wrong;
    if (auto wrong = fail_on_.understand("--fail-on", fail_on_violations)) return wrong;
    std::optional<std::int64_t> bound;
    if (auto wrong = understand_time("--max-bound", max_bound_, bound)) return wrong;
    if (bound) max_bound_ps = *bound;
    if (auto wrong = understand_time("--bound", bound_, bound_ps)) return wrong;
    if (auto wrong = input_.understand(*this)) return wrong;
    if (auto wrong = understand_outputs()) return wrong;
    return understand_window(time_, from_ps, to_ps);
  }
  [[nodiscard]] int run_command() const override { return run_validate(*this); }

 private:
  // '-' is standard output, which has room for one of them: the document, the rows or text for people.
  [[nodiscard]] std::optional<fault> understand_outputs() {
    const char* const help = "profkit validate --help";
    if (svg_path == "-") return wrong_options("--svg '-': a picture goes to a file", help);
    json = json || output_path == "-";
    if (json && csv_path == "-")
      return wrong_options("--csv '-': the JSON document goes to standard output already", help);
    return output_.understand(*this);
  }

  choice<bool> align_{{"collectives", true}};
  choice<bool> fail_on_{{"violations", true}};
  std::string bound_, time_, max_bound_;
  output_words output_;
  input_words input_;
};

}  // namespace

extern const command_description validate_command = {
    "validate",
    "TRACE...",
    "Collectives across nodes: order, arrival skew, what they say of clocks",
    "Nobody ends an all-reduce before everybody began it. Takes one merged trace, or one trace a node, and\n"
    "counts where that order is broken beyond the error of the clocks; says who comes last and whether time\n"
    "goes to waiting or to moving data. --align=collectives bounds the clocks from the collectives alone.\n"
    "Collectives are compared within their process groups, as programs (HLO) and ranks have them on record; who\n"
    "lacks calls, begins late, moves other sizes, calls in another order or keeps its group waiting is listed.\n"
    "What cannot be judged counts as no violation. What the answers take for granted is printed.",
    "  profkit validate combined.xplane.pb\n"
    "  profkit validate node0.xplane.pb node1.xplane.pb --align=collectives\n"
    "  profkit validate --traces combined.xplane.pb --output violations.json --csv gaps.csv\n"
    "  profkit validate combined.xplane.pb --svg bandwidth.svg\n"
    "  profkit validate combined.xplane.pb --fail-on violations   exit status 1 when there are any\n",
    make_options<validate_command_options>,
};

}  // namespace profkit_tool
