// profkit framework: what the host did, by event name, and which stats its events carry.
#include "command_line/shared_options.hpp"
#include "op_order.hpp"
#include "places.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "stat_text.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/call_tree.hpp>
#include <profkit/core/framework.hpp>
#include <profkit/core/picture.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>

namespace profkit_tool {
namespace {

using profkit::escape_for_terminal;
using profkit::framework_result;
using profkit::grouped;
using profkit::human_duration;

void print_names(session& s, const framework_result& found, op_order order, std::uint64_t limit) {
  table t;
  t.right("file").flexible("event", cut::end, 24).right("count").right("total").right("self").right("max").minor();
  for (const profkit::framework_name& row : found.names) {
    if (t.is_full(limit)) break;
    t.row({s.file_label(row.file), row.name.empty() ? "(no name)" : escape_for_terminal(row.name), grouped(row.count),
           human_duration(row.total_ps), human_duration(row.self_ps), extreme_text(row.max_ps, row.max_ps, row.total_ps)});
  }
  s.print("Host events by " + std::string(order_text(order)) + ": " + count_of(found.names.size(), "name") +
          ", " + count_of(found.matched, "event"), t, found.names.size());
}

void print_stats(session& s, const framework_result& found, std::uint64_t limit) {
  table t;
  t.flexible("stat").right("count").left("kinds");
  for (const profkit::framework_stat& stat : found.stats) {
    if (t.is_full(limit)) break;
    std::string kinds;
    for (unsigned k = 1; k < 8; ++k)
      if ((stat.kinds >> k & 1u) != 0)
        kinds += std::string(kinds.empty() ? "" : ", ") + profkit::stat_kind_name(static_cast<profkit::stat_kind>(k));
    t.row({stat.name.empty() ? "(no name)" : escape_for_terminal(stat.name), grouped(stat.count), kinds});
  }
  s.heading("Stats they carry");
  if (found.stats.empty()) s.out().line("  none");
  t.print(s.out(), s.columns());
  s.left_out(found.stats.size(), t.size());
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

// They come by total.
void sort_names(std::vector<profkit::framework_name>& names, op_order by) {
  using profkit::framework_name;
  if (by == op_order::self)
    std::stable_sort(names.begin(), names.end(), [](const framework_name& a, const framework_name& b) { return a.self_ps > b.self_ps; });
  if (by == op_order::count)
    std::stable_sort(names.begin(), names.end(), [](const framework_name& a, const framework_name& b) { return a.count > b.count; });
}

profkit::result<void> print_framework(session& s, op_order order) {
  auto found = profkit::analyse_framework(s.trace(), s.filters(default_rows), s.hooks());
  if (!found) return std::move(found).error();
  s.lost(found->damage);
  if (found->names.empty()) {
    s.absent(found->absent);
    return {};
  }
  const std::uint64_t limit = s.asked().limit.value_or(default_rows);
  sort_names(found->names, order);
  print_names(s, *found, order, limit);
  print_stats(s, *found, limit);
  print_first_events(s, *found);
  return {};
}

profkit::result<void> draw_framework(const options& asked, const profkit::trace& capture, profkit::sink& into,
                                     const profkit::hooks& hooks) {
  const auto activity = capture.all_activity(hooks);
  if (!activity) return activity.error();
  profkit::call_tree_options of;
  of.plane = asked.plane;
  of.line = asked.line;
  of.from_ps = asked.from_ps.value_or(of.from_ps);
  of.to_ps = asked.to_ps.value_or(of.to_ps);
  const auto found = profkit::analyse_call_tree(**activity, of, hooks);
  if (!found) return found.error();
  return profkit::write_flame_picture(**activity, *found, into);
}

class framework_command_options final : public slice_options {
 public:
  [[nodiscard]] std::optional<profkit::fault> understand() override {
    if (auto wrong = order_.understand()) return wrong;
    if (auto wrong = slice_options::understand()) return wrong;
    if (!svg_path.empty() && (step || !name.empty() || !host.empty()))
      return profkit::fault{profkit::fault_code::invalid_argument, "--svg draws whole threads: it keeps to --plane, --line and --time", "",
                            profkit::no_offset, "leave out --step, --name and --host; --time takes the window of a step"};
    return std::nullopt;
  }

 protected:
  void list_own(option_list& all) override {
    order_.list(all);
    all.value("--svg", svg_path, "FILE", "A picture as well: a flame graph of what threads called").offer_files();
  }
  [[nodiscard]] int run_command() const override {
    const auto print = [&](session& s) { return print_framework(s, order_.value); };
    return run_slice(*this, profkit::document::framework, print, draw_framework);
  }

 private:
  order_option order_;
};

}  // namespace

extern const command_description framework_command = {
    "framework",
    "PATH",
    "Host-side framework events and the stats they carry",
    "Totals by name of the events on host planes, then samples of them. Of PyTorch and Ascend operators,\n"
    "nn.Module scopes, frames, runtime calls and annotations. Self time leaves out the calls that a call\n"
    "makes on its own thread.",
    "  profkit framework vm.xplane.pb\n"
    "  profkit framework rank0.json.gz --sort self\n"
    "  profkit framework vm.xplane.pb --name Execute --limit 50\n"
    "  profkit framework vm.xplane.pb --svg flame.svg\n",
    make_options<framework_command_options>,
};

}  // namespace profkit_tool
