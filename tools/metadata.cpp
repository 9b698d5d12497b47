// profkit metadata: what the ids of events and stats stand for.
#include "places.hpp"
#include "quantity.hpp"
#include "slices.hpp"
#include "stat_text.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/text.hpp>

namespace profkit_tool {
namespace {

using profkit::escape_for_terminal;

class metadata_printer final : public profkit::metadata_visitor {
 public:
  explicit metadata_printer(session& s) : s_(s), out_(s.out()), columns_(s.columns()) {}

  void begin_plane(const profkit::tree_plane& plane) override {
    found_ = true;
    stat_names_ = plane.stat_metadata;
    const std::string file = s_.file_label(plane.file);
    s_.heading((file.empty() ? "" : '[' + file + "] ") +
               (plane.name.empty() ? "(no name)" : escape_for_terminal(plane.name)));
    out_.line("  " + count_of(plane.event_metadata, "event name"));
  }
  void event_metadata(const profkit::metadata_event_row& row) override {
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
    out_.line("  " + count_of(stat_names_, "stat name"));
  }
  void stat_metadata(const profkit::metadata_stat_row& row) override {
    out_.line(
        "    [" + std::to_string(row.key) + "] " + (row.name.empty() ? "(no name)" : escape_for_terminal(row.name)) +
        (row.description.empty() ? "" : out_.screen().paint("  " + escape_for_terminal(row.description), style::dim)));
  }
  void end_stat_metadata(std::uint64_t left_out) override { s_.left_out(left_out, 0, 4); }
  void end_plane() override {}
  [[nodiscard]] bool found() const noexcept { return found_; }

 private:
  session& s_;
  text_output& out_;
  const std::size_t columns_;
  std::uint64_t stat_names_ = 0;
  bool found_ = false;
};

}  // namespace

profkit::result<void> print_metadata(session& s) {
  metadata_printer printer(s);
  auto walked = profkit::anatomy_metadata(s.capture(), printer, s.filters(default_rows), s.hooks());
  if (!walked) return std::move(walked).error();
  s.lost(*walked);
  if (!printer.found()) s.absent(no_xspace_text(s.capture(), s.filters(0)));
  return {};
}

}  // namespace profkit_tool
