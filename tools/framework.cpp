// profkit framework: what the host did, by event name, and which stats its events carry.
#include "command_line/shared_options.hpp"
#include "places.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "stat_text.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/text.hpp>

#include <algorithm>

namespace profkit_tool {
namespace {

using profkit::escape_for_terminal;
using profkit::framework_result;
using profkit::grouped;
using profkit::human_duration;

void print_names(session& s, const framework_result& found, std::uint64_t limit) {
  table t;
  t.right("file").flexible("event", cut::end, 24).right("count").right("total").right("max");
  std::uint64_t shown = 0;
  for (const profkit::framework_name& row : found.names) {
    if (limit != 0 && shown == limit) break;
    t.row({s.file_label(row.file), row.name.empty() ? "(no name)" : escape_for_terminal(row.name), grouped(row.count),
           human_duration(row.total_ps), human_duration(row.max_ps)});
    ++shown;
  }
  s.heading("Host events by name: " + count_of(found.names.size(), "name") + ", " + count_of(found.matched, "event"));
  t.print(s.out(), s.columns());
  s.left_out(found.names.size(), shown);
}

void print_stats(session& s, const framework_result& found, std::uint64_t limit) {
  table t;
  t.flexible("stat").right("count").left("kinds");
  std::uint64_t shown = 0;
  for (const profkit::framework_stat& stat : found.stats) {
    if (limit != 0 && shown == limit) break;
    std::string kinds;
    for (unsigned k = 1; k < 8; ++k)
      if ((stat.kinds >> k & 1u) != 0)
        kinds += std::string(kinds.empty() ? "" : ", ") + profkit::stat_kind_name(static_cast<profkit::stat_kind>(k));
    t.row({stat.name.empty() ? "(no name)" : escape_for_terminal(stat.name), grouped(stat.count), kinds});
    ++shown;
  }
  s.heading("Stats they carry");
  if (found.stats.empty()) s.out().line("  none");
  t.print(s.out(), s.columns());
  s.left_out(found.stats.size(), shown);
}

void print_first_events(session& s, const framework_result& found) {
  s.heading("First events");
  text_output& out = s.out();
  std::string line_before;
  for (const profkit::framework_event& e : found.events) {
    const std::string file = s.file_label(e.file);
    const std::string line = (file.empty() ? "" : '[' + file + "] ") + escape_for_terminal(e.line_name);
    if (line != line_before) out.line("  " + out.screen().paint(line, style::heading));
    line_before = line;
    const std::string when =
        (e.start_ps ? "  at " + human_duration(*e.start_ps) + "," : " ") + " for " + human_duration(e.duration_ps);
    const std::string name = e.name.empty() ? "(no name)" : escape_for_terminal(e.name);
    out.line("    " + (s.columns() == 0 ? name : shorten(name, 60)) + out.screen().paint(when, style::dim));
    const std::string stats = stats_text(e.stats, s.columns() == 0 ? 0 : 60);
    if (!stats.empty()) out.line("      " + (s.columns() == 0 ? stats : wrap(stats, s.columns(), 6)));
  }
  s.left_out(found.matched, found.events.size());
}

profkit::result<void> print_framework(session& s) {
  auto found = profkit::analyse_framework(s.trace(), s.filters(default_rows), s.hooks());
  if (!found) return std::move(found).error();
  s.lost(found->damage);
  if (found->names.empty()) {
    s.absent(found->absent);
    return {};
  }
  const std::uint64_t limit = s.asked().limit.value_or(default_rows);
  print_names(s, *found, limit);
  print_stats(s, *found, limit);
  print_first_events(s, *found);
  return {};
}

}  // namespace

extern const command_description framework_command = {
    "framework",
    "PATH",
    "Host-side framework events and the stats they carry",
    "Totals by name of the events on host planes, then samples of them. Of PyTorch and Ascend operators,\n"
    "nn.Module scopes, frames, runtime calls and annotations.",
    "  profkit framework vm.xplane.pb\n"
    "  profkit framework vm.xplane.pb --name Execute --limit 50\n",
    make_options<slice_options>,
    [](const options& asked) { return run_slice(asked, profkit::document::framework, print_framework); },
};

}  // namespace profkit_tool
