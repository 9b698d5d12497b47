// profkit metadata: what the ids of events and stats stand for.
#include "places.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "stat_text.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/text.hpp>
#include <profkit/core/tree.hpp>

namespace profkit_tool {
namespace {

using profkit::escape_for_terminal;
using profkit::grouped;

class metadata_printer final : public profkit::metadata_visitor {
 public:
  explicit metadata_printer(session& s) : s_(s), out_(s.out()), columns_(s.columns()) {}

  void file(const profkit::metadata_file& facts) override {
    const std::string label = s_.file_label(facts.file);
    if (facts.members.empty() && label.empty()) return;
    found_ = found_ || !facts.members.empty();
    s_.heading((label.empty() ? "" : '[' + label + "] ") +
               escape_for_terminal(s_.capture().what().files[facts.file].path));
    for (const profkit::metadata_member& member : facts.members)
      print_member(member);
    s_.left_out(facts.members_left_out, 0, 2);
  }
  void begin_plane(const profkit::tree_plane& plane) override {
    found_ = true;
    stat_names_ = plane.stat_metadata;
    of_xspace_ = !plane.process && !plane.rows;
    if (!of_xspace_) return begin_other_plane(plane);
    const std::string file = s_.file_label(plane.file);
    s_.heading((file.empty() ? "" : '[' + file + "] ") +
               (plane.name.empty() ? "(no name)" : escape_for_terminal(plane.name)));
    out_.line("  " + count_of(plane.event_metadata, "event name"));
  }
  void event_metadata(const profkit::metadata_event_row& row) override {
    if (!of_xspace_) return print_counted(row);
    const std::string key = '[' + std::to_string(row.key) + "] ";
    std::string name = row.name.empty() ? "(no name)" : escape_for_terminal(row.name);
    if (columns_ != 0) name = shorten(name, columns_ - std::min<std::size_t>(columns_ - 20, 4 + key.size()));
    out_.line("    " + key + name);
    if (!row.display_name.empty() && row.display_name != row.name)
      out_.line("        display name " + escape_for_terminal(row.display_name));
    if (!row.child_ids.empty()) {
      std::string children;
      for (const std::int64_t id : row.child_ids) children += ' ' + std::to_string(id);
      out_.line("        children" + children);
    }
    for (const profkit::named_stat& stat : row.stats)
      out_.line("        " + stat_text(stat, columns_ == 0 ? 0 : stat_columns) +
                out_.screen().paint(std::string("  ") + profkit::stat_kind_name(stat.kind), style::dim));
  }
  void end_event_metadata(std::uint64_t left_out) override {
    s_.left_out(left_out, 0, 4);
    if (!of_xspace_ && stat_names_ == 0) return;
    out_.line("  " + count_of(stat_names_, of_xspace_ ? "stat name" : stat_word_));
  }
  void stat_metadata(const profkit::metadata_stat_row& row) override {
    if (!of_xspace_) {
      const std::string name = row.name.empty() ? "(no name)" : escape_for_terminal(row.name);
      out_.line("    " + name + dim("  " + grouped(row.count)));
      return;
    }
    out_.line(
        "    [" + std::to_string(row.key) + "] " + (row.name.empty() ? "(no name)" : escape_for_terminal(row.name)) +
        (row.description.empty() ? "" : out_.screen().paint("  " + escape_for_terminal(row.description), style::dim)));
  }
  void end_stat_metadata(std::uint64_t left_out) override { s_.left_out(left_out, 0, 4); }
  void end_plane() override {}
  [[nodiscard]] bool found() const noexcept { return found_; }

 private:
  // A process of a trace, or a table.
  void begin_other_plane(const profkit::tree_plane& plane) {
    stat_word_ = plane.rows ? "column" : "argument name";
    const std::string file = s_.file_label(plane.file);
    std::string facts;
    if (plane.rows) facts = "  " + count_of(*plane.rows, "row");
    if (plane.process) {
      const profkit::tree_process& process = *plane.process;
      facts = process.pid.empty() ? "  no pid" : "  pid " + escape_for_terminal(process.pid);
      if (!process.labels.empty()) facts += ", labels " + escape_for_terminal(process.labels);
      if (process.sort_index) facts += ", sort index " + std::to_string(*process.sort_index);
    }
    s_.heading((file.empty() ? "" : '[' + file + "] ") +
               (plane.name.empty() ? "(no name)" : escape_for_terminal(plane.name)) + facts);
    if (!plane.process) return;
    for (const profkit::tree_thread& thread : plane.process->threads) print_thread(thread);
    s_.left_out(plane.process->threads_left_out, 0, 2);
    out_.line(plane.event_metadata == 0 ? "  no events" : "  " + count_of(plane.event_metadata, "event name"));
  }
  void print_member(const profkit::metadata_member& member) {
    const std::size_t taken = 3 + profkit::terminal_width(member.value.name);
    out_.line("  " + stat_text(member.value, columns_ == 0 ? 0 : columns_ - std::min(columns_ - 20, taken)) +
              (member.is_cut ? dim("  the beginning of " + profkit::human_bytes(member.bytes)) : ""));
  }
  void print_thread(const profkit::tree_thread& thread) {
    const std::string name = thread.name.empty() ? "" : ' ' + escape_for_terminal(thread.name);
    const std::string order = thread.sort_index ? "  sort index " + std::to_string(*thread.sort_index) : std::string();
    out_.line("  thread " + (thread.tid.empty() ? "(no tid)" : escape_for_terminal(thread.tid)) + name + dim(order));
  }
  void print_counted(const profkit::metadata_event_row& row) {
    std::string facts = "  " + grouped(row.count);
    if (!row.category.empty()) facts += ", " + escape_for_terminal(row.category);
    if (row.phases != "X") facts += row.phases.empty() ? ", no phase" : ", phase " + escape_for_terminal(row.phases);
    const std::string name = row.name.empty() ? "(no name)" : escape_for_terminal(row.name);
    const std::size_t taken = 4 + profkit::terminal_width(facts);
    out_.line("    " + (columns_ == 0 ? name : shorten(name, columns_ - std::min(columns_ - 20, taken))) + dim(facts));
    std::string arguments;
    for (const std::string_view key : row.arguments)
      arguments += (arguments.empty() ? "" : ", ") + escape_for_terminal(key);
    if (!arguments.empty()) out_.line("        " + (columns_ == 0 ? arguments : wrap(arguments, columns_, 8)));
  }
  [[nodiscard]] std::string dim(std::string_view text) const { return out_.screen().paint(text, style::dim); }

  session& s_;
  text_output& out_;
  const std::size_t columns_;
  std::uint64_t stat_names_ = 0;
  const char* stat_word_ = "";
  bool found_ = false, of_xspace_ = true;
};

profkit::result<void> print_metadata(session& s) {
  metadata_printer printer(s);
  auto walked = profkit::walk_metadata(s.trace(), printer, s.filters(default_rows), s.hooks());
  if (!walked) return std::move(walked).error();
  s.lost(*walked);
  if (!printer.found()) s.absent(no_planes_text(s.capture(), s.filters(0)));
  s.note_unchecked(profkit::document::metadata);
  return {};
}

}  // namespace

extern const command_description metadata_command = {
    "metadata",
    "PATH",
    "Event and stat metadata tables; what a trace says of itself",
    "Every event names its operation by a metadata id; facts of an operation (flops, bytes, source) stand\n"
    "here, once, and not at its events. Of a trace: members beside its events (deviceProperties,\n"
    "distributedInfo, ...), names of processes and threads, names of events with category, count and keys\n"
    "of arguments; of Ascend the settings of the profiler and the columns of tables.",
    "  profkit metadata vm.xplane.pb --plane TPU:0\n"
    "  profkit metadata vm.xplane.pb --name fusion --limit 0\n"
    "  profkit metadata rank0.json.gz\n",
    make_options<plain_slice<profkit::document::metadata, print_metadata>>,
};

}  // namespace profkit_tool
