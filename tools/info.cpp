// profkit info: every file, plane and line, and whether the capture is complete.
#include "command_line/shared_options.hpp"
#include "places.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "stat_text.hpp"
#include "table.hpp"
#include "why.hpp"

#include <profkit/core/info.hpp>
#include <profkit/core/probe.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>

namespace profkit_tool {
namespace {

using profkit::escape_for_terminal;
using profkit::file_info;
using profkit::grouped;
using profkit::human_duration;
using profkit::line_info;
using profkit::plane_info;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ", ";
    text += escape_for_terminal(word);
  }
  return text;
}

std::string optional_duration(const std::optional<std::int64_t>& ps) {
  return ps ? human_duration(*ps) : std::string();
}

void print_file_facts(session& s, const file_info& file) {
  text_output& out = s.out();
  const profkit::capture_file& found = s.capture().what().files[file.file];
  std::string what = profkit::family_name(file.family);
  if (found.encoding != profkit::compression::none)
    what += std::string(", ") + profkit::compression_name(found.encoding);
  const bool is_pipe = file.bytes == 0 && !file.planes.empty();
  if (!is_pipe) what += ", " + profkit::human_bytes(file.bytes);
  if (file.export_of >= 0) what += ", an export of file " + std::to_string(file.export_of) + ", not counted";
  s.heading((s.several_files() ? '[' + std::to_string(file.file) + "] " : std::string()) +
            escape_for_terminal(file.path));
  out.line("  " + what);
  if (!file.hosts.empty()) out.line("  hosts     " + joined(file.hosts));
  // Of one file: what its times count from.
  const std::optional<std::int64_t> origin = s.several_files() ? file.origin_unix_ns : s.capture().origin_unix_ns();
  if (origin) out.line("  origin    " + date_text(*origin));
  if (file.first_ps && file.last_ps)
    out.line("  events    from " + human_duration(*file.first_ps) + " to " + human_duration(*file.last_ps) +
             (file.aligned || !s.several_files() ? "" : " (on this file's own clock)"));
  if (const profkit::probe_trace* trace = s.capture().neutrino(file.file)) {
    const profkit::probe_totals held = totals_of(*trace);
    out.line("  launches  " + grouped(held.launches) + " of " + count_of(held.kernels, "kernel"));
    out.line("  records   " + count_of(held.maps, "map") + " in " + count_of(held.bins, "file") + ", " +
             profkit::human_bytes(held.record_bytes) +
             (held.damaged_bins != 0 ? "; " + grouped(held.damaged_bins) + " damaged" : ""));
    out.line("            profkit neutrino " + escape_for_terminal(shown_path(s.asked(), s.capture().what())) + " shows what is in them");
  }
  for (const std::string& text : file.errors) out.line("  error     " + escape_for_terminal(text));
  for (const std::string& text : file.warnings) out.line("  warning   " + escape_for_terminal(text));
}

void print_plane(session& s, const plane_info& plane, std::size_t position) {
  const std::uint64_t limit = s.asked().limit.value_or(default_rows);
  text_output& out = s.out();
  out.line();
  // Positions are those in the file, which a filter hides.
  std::string facts = s.asked().plane.empty() ? "plane " + std::to_string(position) + ", " : std::string();
  facts += "id " + std::to_string(plane.id) + ", " + profkit::plane_kind_name(plane.kind);
  if (plane.event_metadata > 0) facts += ", " + count_of(plane.event_metadata, "event name");
  if (plane.stat_metadata > 0) facts += ", " + count_of(plane.stat_metadata, "stat name");
  out.line("  " +
           out.screen().paint(plane.name.empty() ? "(no name)" : escape_for_terminal(plane.name), style::heading) +
           "  " + out.screen().paint(facts, style::dim));
  for (const profkit::named_stat& stat : plane.stats) out.line("    " + stat_text(stat, s.columns() == 0 ? 0 : 80));
  table t;
  std::uint64_t shown = 0;
  t.flexible("line", cut::middle).left("kind").right("events").right("stats").minor().right("sum").right("from").minor().right("to").minor();
  for (const line_info& line : plane.lines) {
    if (limit != 0 && shown == limit) break;
    t.row({line.name.empty() ? "(no name)" : escape_for_terminal(line.name), profkit::line_kind_name(line.kind),
           grouped(line.events), grouped(line.event_stats), human_duration(line.duration_sum_ps),
           optional_duration(line.first_ps), optional_duration(line.last_ps)});
    ++shown;
  }
  t.print(out, s.columns(), 4);
  s.left_out(plane.lines.size(), shown, 4);
}

// Planes, lines and events, launches and maps: what the kinds of file at hand have.
std::string totals_text(session& s, const profkit::info_result& info) {
  std::uint64_t launches = 0, maps = 0, folders = 0;
  for (const file_info& file : info.files) {
    const profkit::probe_trace* trace = s.capture().neutrino(file.file);
    if (trace == nullptr) continue;
    const profkit::probe_totals held = totals_of(*trace);
    ++folders;
    launches += held.launches;
    maps += held.maps;
  }
  std::string text = count_of(info.files.size(), "file");
  if (folders != info.files.size())
    text += ", " + count_of(info.planes, "plane") + ", " + count_of(info.lines, "line") + ", " +
            count_of(info.events, "event") + ", " + count_of(info.event_stats, "event stat");
  if (folders != 0) text += ", " + count_of(launches, "launch", "launches") + ", " + count_of(maps, "map");
  return text;
}

profkit::result<void> print_info(session& s) {
  profkit::result<profkit::info_result> found = profkit::analyse_info(s.trace(), s.filters(0), s.hooks());
  if (!found) return std::move(found).error();
  const profkit::info_result& info = *found;
  if (info.files.empty()) {
    const std::string why = profkit::why_nothing(s.capture(), s.filters(0));
    s.absent(why);
    return {};
  }
  for (const file_info& file : info.files) {
    print_file_facts(s, file);
    for (std::size_t p = 0; p < file.planes.size(); ++p) print_plane(s, file.planes[p], p);
    if (file.damage) s.lost({{file.file, *file.damage}});
  }
  s.heading("Totals");
  s.out().line("  " + totals_text(s, info));
  if (info.events == 0)
    if (const std::string why = profkit::why_nothing(s.capture(), s.filters(0)); !why.empty()) s.absent(why);
  if (const profkit::capture& what = s.capture().what(); what.ignored_count != 0) {
    constexpr std::size_t most_named = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(what.ignored.size(), most_named); ++i)
      names += (i == 0 ? " (" : ", ") + what.ignored[i].substr(what.ignored[i].rfind('/') + 1);
    s.out().line("  " + count_of(what.ignored_count, "file") + " not read" + escape_for_terminal(names) +
                 (what.ignored_count > most_named ? ", …" : "") + "); --why says why");
  }
  if (info.complete) s.out().line("  " + s.out().screen().paint("complete", style::good));
  for (const std::string& reason : info.reasons)
    s.out().line("  " + s.out().screen().paint("not complete: ", style::warning) + escape_for_terminal(reason));
  return {};
}

class info_command_options final : public slice_options {
  void list_own(option_list& all) override {
    all.flag("--why", why_, "How the format of each file was recognised, or why not")
        .add_to_manual(
            "Size, compression, the first bytes, every format that was considered, and what to do with a file that is "
            "not read. Filters, --run and --strict do not count then.");
  }
  [[nodiscard]] int run_command() const override { return why_ ? run_why(*this) : run_slice(*this, profkit::document::info, print_info); }

  bool why_ = false;
};

}  // namespace

extern const command_description info_command = {
    "info",
    "PATH",
    "Inventory: files, hosts, planes, lines, events, completeness",
    "Lists every file, plane and line with its kind, number of events, summed duration and span.\n"
    "--why says how the format of a file, or of every file below a folder, was recognised, or why not.",
    "  profkit info vm.xplane.pb\n"
    "  profkit info --why unknown.bin         what was looked at, and what to do instead\n"
    "  profkit info logdir --run all          every run below the directory\n"
    "  profkit info vm.xplane.pb --plane TPU:0     only planes whose name contains TPU:0\n",
    make_options<info_command_options>,
};

}  // namespace profkit_tool
