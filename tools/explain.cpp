// profkit explain: what a report found, one by one.
#include "command_line/shared_options.hpp"
#include "quantity.hpp"
#include "report_parts.hpp"
#include "session.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/explain.hpp>
#include <profkit/core/text.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace profkit_tool {
namespace {

using profkit::escape_for_terminal;
using profkit::evidence;
using profkit::explanation;
using profkit::finding;
using profkit::grouped;
using profkit::human_duration;
using profkit::neighbour;

constexpr std::size_t max_commands = 4;

void print_ids(session& s, const std::vector<finding>& all) {
  if (all.empty()) {
    s.absent("nothing was found that needs an explanation: `profkit report` says what there is");
    return;
  }
  for (const finding& f : all) {
    s.out().line(s.out().screen().paint(escape_for_terminal(f.id), style::heading) + "  " +
                 s.out().screen().paint(profkit::certainty_name(f.sure), style::dim));
    s.out().line("    " + wrap(escape_for_terminal(f.what), columns_of(s), 4));
  }
}

std::string place_of(session& s, const evidence& e) {
  std::string text = escape_for_terminal(e.note);
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (e.start_ps) {
    add("at " + human_duration(*e.start_ps));
    if (const auto length = profkit::checked_sub(e.end_ps.value_or(*e.start_ps), *e.start_ps); length && *length > 0)
      text += " for " + human_duration(*length);
  }
  if (const std::string_view plane = profkit::plane_name_at(s.capture(), e.file, e.plane); !plane.empty())
    add(escape_for_terminal(plane));
  if (e.row) add("row " + grouped(*e.row));
  if (e.byte_offset) add("byte " + grouped(*e.byte_offset));
  if (s.several_files() || text.empty()) add(escape_for_terminal(s.capture().what().files[e.file].path));
  return text;
}

// "+1.234 ms" from one instant to another.
std::string offset_text(std::int64_t from_ps, std::int64_t to_ps) {
  const std::optional<std::int64_t> offset = profkit::checked_sub(to_ps, from_ps);
  if (!offset) return "far";
  return (*offset > 0 ? "+" : "") + human_duration(*offset);
}

void print_neighbours(session& s, const explanation& e) {
  if (!e.around_ps || e.neighbours.empty()) return;
  s.heading("Around the first of these; starts count from its start");
  table t;
  t.left("").flexible("on").flexible("name", cut::middle).right("start").right("length");
  for (const neighbour& n : e.neighbours)
    t.row({n.on_host ? "host" : profkit::neighbour_position_name(n.position), escape_for_terminal(n.on),
           escape_for_terminal(n.name), offset_text(*e.around_ps, n.start_ps), human_duration(n.duration_ps)});
  t.print(s.out(), s.columns());
}

// Whether it names no more than a command that is printed anyway.
bool is_command(const explanation& e, const std::string& advice) {
  return std::any_of(e.next.begin(), e.next.end(),
                     [&](const profkit::next_command& next) { return advice == "profkit " + next.arguments; });
}

void print_explanation(session& s, const explanation& e) {
  const finding& f = e.found;
  s.out().line(s.out().screen().paint(escape_for_terminal(f.id), style::heading));
  print_fact(s, "what", escape_for_terminal(f.what));
  if (!f.where.empty()) print_fact(s, "where", escape_for_terminal(f.where));
  print_fact(s, "certainty", profkit::certainty_name(f.sure));
  if (f.recoverable_ps) print_fact(s, "to win", "at most " + human_duration(*f.recoverable_ps));
  if (f.recoverable_bytes && *f.recoverable_bytes > 0)
    print_fact(s, "to win", "at most " + profkit::human_bytes(static_cast<std::uint64_t>(*f.recoverable_bytes)));
  if (!f.next.empty() && !is_command(e, f.next)) print_fact(s, "advice", escape_for_terminal(f.next));
  if (!f.proof.empty()) s.heading("Evidence");
  for (const evidence& proof : f.proof) s.out().line("  - " + wrap(place_of(s, proof), columns_of(s), 4));
  print_neighbours(s, e);
  print_next(s, e.next, max_commands);
}

profkit::result<void> print_explain(session& s, const std::string& id) {
  profkit::report_options asked;
  asked.filters = s.filters(0);
  asked.samples = false;
  const profkit::result<profkit::report_result> found = profkit::analyse_report(s.trace(), asked, s.hooks());
  if (!found) return found.error();
  s.lost(found->damage);
  if (id.empty()) {
    print_ids(s, found->findings);
    return {};
  }
  const profkit::result<explanation> chosen = profkit::explain_finding(s.trace(), *found, id, s.hooks());
  if (!chosen) return chosen.error();
  print_explanation(s, *chosen);
  return {};
}

class explain_options final : public slice_options {
  void list_own(option_list& all) override {
    all.argument("ID", id_, "Which finding; without it all are listed", false);
  }
  [[nodiscard]] int run_command() const override {
    const auto document = [&](const profkit::trace& capture, profkit::sink& into, const profkit::hooks& hooks) {
      const profkit::query_filters filters = filters_of(*this, profkit::default_limit(profkit::document::explain));
      return profkit::write_explanation(capture, id_, filters, into, hooks);
    };
    return run_slice(*this, profkit::document::explain, {document, [&](session& s) { return print_explain(s, id_); }});
  }

  std::string id_;
};

}  // namespace

extern const command_description explain_command = {
    "explain",
    "PATH [ID]",
    "What was found, and for each its evidence and what happened around it",
    "Lists what the report found, each with an id. With the id of one: what it says and how sure that is,\n"
    "the evidence, the kernels and host calls around it, what helps, and the commands that show more.",
    "  profkit explain logdir                             what was found\n"
    "  profkit explain rank0_ascend_pt bubbles.idle       one of them\n"
    "  profkit explain vm.xplane.pb bubbles.idle --json   the same, in 8 KB at most\n",
    make_options<explain_options>,
};

}  // namespace profkit_tool
