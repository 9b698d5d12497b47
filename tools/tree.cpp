// profkit tree: the raw data as an indented tree.
#include "places.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "stat_text.hpp"
#include "text.hpp"

#include <profkit/core/info.hpp>
#include <profkit/core/text.hpp>
#include <profkit/core/tree.hpp>

#include <algorithm>

namespace profkit_tool {
namespace {

using profkit::escape_for_terminal;
using profkit::grouped;
using profkit::human_duration;

constexpr std::uint64_t default_children = 5;

class tree_printer final : public profkit::tree_visitor {
 public:
  explicit tree_printer(session& s) : s_(s), out_(s.out()), columns_(s.columns()) {}

  void begin_file(std::uint32_t file, const profkit::file_info& header) override {
    file_ = file;
    of_xspace_ = profkit::has_planes(header.family);
    s_.heading((s_.several_files() ? '[' + std::to_string(file) + "] " : std::string()) +
               escape_for_terminal(header.path));
    for (const std::string& host : header.hosts) out_.line("  host " + escape_for_terminal(host));
    for (const std::string& text : header.errors) out_.line("  error " + escape_for_terminal(text));
    for (const std::string& text : header.warnings) out_.line("  warning " + escape_for_terminal(text));
  }
  void begin_plane(const profkit::tree_plane& plane) override {
    found_ = true;
    out_.line();
    if (!of_xspace_) return begin_other_plane(plane);
    out_.line("  plane " + std::to_string(plane.plane) + ' ' + bold(name_or_none(plane.name)) +
              dim("  id " + std::to_string(plane.id) + ", " + profkit::plane_kind_name(plane.kind) + ", " +
                  count_of(plane.lines, "line") + ", " + count_of(plane.event_metadata, "event name") + ", " +
                  count_of(plane.stat_metadata, "stat name")));
    for (const profkit::named_stat& stat : plane.stats) fit(4, stat_line(stat));
  }
  void begin_line(const profkit::tree_line& line) override {
    if (!of_xspace_) return begin_other_line(line);
    const profkit::line_header& h = line.header;
    std::string facts = "  id " + std::to_string(h.id) + ", " + profkit::line_kind_name(line.kind) + ", at " +
                        std::to_string(h.timestamp_ns) + " ns, " + count_of(line.events, "event");
    if (h.display_id != 0) facts += ", display id " + std::to_string(h.display_id);
    if (!h.display_name.empty() && h.display_name != h.name)
      facts += ", display name " + escape_for_terminal(h.display_name);
    print_line(line, facts);
  }
  void event(const profkit::tree_event& e) override {
    std::string when = e.start_ps ? "at " + human_duration(*e.start_ps) : std::string();
    if (e.raw.data_case() == profkit::event_data_case::num_occurrences)
      when = std::to_string(e.raw.num_occurrences()) + (e.raw.num_occurrences() == 1 ? " time" : " times");
    if (e.duration_ps.value_or(0) != 0) when += (when.empty() ? "" : ", ") + ("for " + human_duration(*e.duration_ps));
    if (!e.phase.empty() && e.phase != "X") when += (when.empty() ? "" : ", ") + phase_text(e.phase);
    if (!e.id.empty()) when += (when.empty() ? "id " : ", id ") + escape_for_terminal(e.id);
    if (!e.category.empty()) when += (when.empty() ? "" : ", ") + escape_for_terminal(e.category);
    const std::string tail = when.empty() && !of_xspace_ ? "" : "  " + when;
    const std::string name = e.name.empty() && e.display_name.empty()
                                 ? (e.has_metadata_id ? '#' + std::to_string(e.metadata_id) : "(no name)")
                                 : escape_for_terminal(e.name.empty() ? e.display_name : e.name);
    out_.line("      " + fitted(name, 6 + profkit::terminal_width(tail)) + dim(tail));
    for (const profkit::named_stat& stat : e.stats) fit(8, stat_line(stat));
    s_.left_out(e.stat_count, e.stats.size(), 8);
  }
  void end_line(std::uint64_t left_out) override { s_.left_out(left_out, 0, 6); }
  void end_plane(std::uint64_t left_out) override { s_.left_out(left_out, 0, 4); }
  void end_file(const profkit::fault* damage) override {
    if (damage != nullptr) s_.lost({{file_, *damage}});
  }
  [[nodiscard]] bool found() const noexcept { return found_; }

 private:
  // A process of a trace, a device of a table of kernels, or another table.
  void begin_other_plane(const profkit::tree_plane& plane) {
    of_table_ = plane.rows.has_value();
    std::string facts;
    if (plane.process && !plane.process->pid.empty()) facts += "pid " + escape_for_terminal(plane.process->pid) + ", ";
    if (plane.process && !plane.process->labels.empty()) facts += escape_for_terminal(plane.process->labels) + ", ";
    if (plane.kind != profkit::plane_kind::other) facts += profkit::plane_kind_name(plane.kind) + std::string(", ");
    facts += plane.rows ? count_of(*plane.rows, "row") : count_of(plane.lines, "line");
    out_.line("  plane " + position_text(plane.plane) + bold(name_or_none(plane.name)) + dim("  " + facts));
  }
  void begin_other_line(const profkit::tree_line& line) {
    if (of_table_) return;
    std::string facts;
    if (line.thread && !line.thread->tid.empty()) facts += "tid " + escape_for_terminal(line.thread->tid) + ", ";
    if (line.kind != profkit::line_kind::other) facts += profkit::line_kind_name(line.kind) + std::string(", ");
    print_line(line, "  " + facts + count_of(line.events, "event"));
  }
  void print_line(const profkit::tree_line& line, const std::string& facts) {
    const std::string place = "    line " + position_text(line.line);
    out_.line(place + bold(fitted(name_or_none(line.header.name), place.size() + profkit::terminal_width(facts))) + dim(facts));
  }
  static std::string phase_text(std::string_view phase) {
    const std::string meaning = phase_meaning(phase);
    return meaning.empty() ? "phase " + escape_for_terminal(phase) : meaning;
  }
  // What `info` does not show has no position.
  static std::string position_text(std::int32_t position) {
    return position < 0 ? std::string() : std::to_string(position) + ' ';
  }
  [[nodiscard]] std::string dim(std::string_view text) const { return out_.screen().paint(text, style::dim); }
  [[nodiscard]] std::string bold(std::string_view text) const { return out_.screen().paint(text, style::heading); }
  static std::string name_or_none(std::string_view name) {
    return name.empty() ? "(no name)" : escape_for_terminal(name);
  }
  // A name beside `taken` other columns; it keeps at least 20.
  [[nodiscard]] std::string fitted(const std::string& name, std::size_t taken) const {
    return columns_ == 0 ? name : shorten(name, columns_ - std::min(columns_ - 20, taken), cut::middle);
  }
  [[nodiscard]] std::string stat_line(const profkit::named_stat& stat) const {
    const std::string text = stat_text(stat, columns_ == 0 ? 0 : stat_columns);
    if (stat.from == profkit::named_stat::origin::argument) return text;  // says what it is by how it is written
    return text + dim(std::string("  ") + profkit::stat_kind_name(stat.kind));
  }
  void fit(std::size_t indent, const std::string& text) { out_.line(std::string(indent, ' ') + text); }

  session& s_;
  text_output& out_;
  const std::size_t columns_;
  std::uint32_t file_ = 0;
  bool found_ = false, of_xspace_ = true, of_table_ = false;
};

profkit::result<void> print_tree(session& s) {
  tree_printer printer(s);
  profkit::result<void> walked = profkit::walk_tree(s.trace(), printer, s.filters(default_children), s.hooks());
  if (!walked) return walked;
  if (!printer.found()) s.absent(no_planes_text(s.capture(), s.filters(0)));
  s.note_unchecked(profkit::document::tree);
  return {};
}

}  // namespace

extern const command_description tree_command = {
    "tree",
    "PATH",
    "Planes, lines, events and stats as an indented tree",
    "A first look at the raw data. --limit bounds the lines of a plane, the events of a line and the\n"
    "stats of an event (default 5). Of a trace: processes, threads, events with their arguments; of\n"
    "Ascend tables devices, streams, rows with their cells. Positions are those of info.",
    "  profkit tree vm.xplane.pb\n"
    "  profkit tree vm.xplane.pb --plane TPU:0 --line 'XLA Ops' --limit 50\n"
    "  profkit tree rank0.json.gz --limit 2\n",
    make_options<plain_slice<profkit::document::tree, print_tree>>,
    "Of a trace a begin and its end are two events.",
};

}  // namespace profkit_tool
