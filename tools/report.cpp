// profkit report: one screen about a capture, at most 60 lines of at most 100 columns.
#include "places.hpp"
#include "quantity.hpp"
#include "report_facts.hpp"
#include "slices.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/text.hpp>

#include <algorithm>
#include <utility>

namespace profkit_tool {
namespace {

using profkit::escape_for_terminal;
using profkit::file_family;
using profkit::file_info;
using profkit::grouped;
using profkit::human_duration;
using profkit::ops_line;

// Rows of each part; together with headings they make 60 lines at most.
constexpr std::size_t most_files = 4, most_models = 3, most_reasons = 2, most_lines = 6, most_ops = 8, most_modules = 4,
                      most_steps = 3, most_collectives = 4, most_notes = 2, most_commands = 4;

void print_rest(session& s, std::size_t size, std::size_t shown, const char* what = "more") {
  if (size > shown)
    s.out().line("  " + s.out().screen().paint("… " + grouped(std::uint64_t{size - shown}) + ' ' + what, style::dim));
}

void print_fact(session& s, std::string label, const std::string& text) {
  constexpr std::size_t indent = 12;
  label.resize(indent - 2, ' ');
  s.out().line("  " + s.out().screen().paint(label, style::dim) + wrap(text, report_columns, indent));
}

// ---- what it is ----------------------------------------------------------------------------------------------

std::string what_file_is(session& s, const file_info& file) {
  const profkit::capture_file& found = s.capture().what().files[file.file];
  std::string text = file.family == file_family::xspace            ? "XSpace"
                     : file.family == file_family::chrome_trace    ? "Chrome trace"
                     : file.family == file_family::hlo_proto       ? "HLO module"
                     : file.family == file_family::ascend_kernels  ? "Ascend kernels"
                     : file.family == file_family::ascend_table    ? "Ascend table"
                     : file.family == file_family::ascend_json     ? "Ascend JSON"
                     : file.family == file_family::ascend_database ? "Ascend database, not read"
                                                                   : profkit::family_name(file.family);
  text += ", " + profkit::human_bytes(file.bytes);
  if (found.encoding != profkit::compression::none)
    text += std::string(" of ") + profkit::compression_name(found.encoding);
  return text;
}

std::string file_name(const std::string& path) { return escape_for_terminal(path.substr(path.rfind('/') + 1)); }

void print_runs(session& s) {
  const profkit::capture& found = s.capture().what();
  if (found.runs.size() < 2) return;
  std::string chosen, others;
  for (const profkit::capture_run& run : found.runs) {
    std::string& list = run.chosen ? chosen : others;
    list += (list.empty() ? "" : ", ") + run.name;
  }
  if (!others.empty()) chosen += "; others (--run NAME or --run all): " + others;
  print_fact(s, "run", shorten(escape_for_terminal(chosen), 2 * (report_columns - 14)));
}

void print_files(session& s, const report_facts& f) {
  std::vector<const file_info*> files;
  std::string exports;
  for (const file_info& file : f.info.files)
    if (file.export_of < 0)
      files.push_back(&file);
    else
      exports += (exports.empty() ? "" : ", ") + file_name(file.path);
  const std::size_t shown = shown_of(files.size(), most_files);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string what = what_file_is(s, *files[i]);
    const std::string label = s.file_label(files[i]->file);
    const std::string index = label.empty() ? "" : '[' + label + "] ";
    const std::size_t room = report_columns - 14 - index.size() - std::min<std::size_t>(60, what.size());
    const std::string name = files[i]->path == s.capture().what().path && files.size() == 1
                                 ? std::string()
                                 : shorten(file_name(files[i]->path), room, cut::middle) + "  ";
    print_fact(s, i > 0 ? "" : files.size() > 1 ? "files" : "file", index + name + what);
  }
  if (files.size() > shown)
    print_fact(s, "", "… " + grouped(std::uint64_t{files.size() - shown}) + " more (profkit info)");
  if (!exports.empty()) print_fact(s, "exports", shorten(exports, report_columns - 32) + "  (not counted)");
}

void print_hardware(session& s, const report_facts& f) {
  const std::vector<std::string> models = hardware_of(f);
  for (std::size_t i = 0; i < models.size() && i < most_models; ++i)
    print_fact(s, i == 0 ? "devices" : "", shorten(models[i], report_columns - 12));
}

void print_capture(session& s, const report_facts& f) {
  text_output& out = s.out();
  out.line(out.screen().paint("profkit report", style::heading) + "  " +
           shorten(escape_for_terminal(s.capture().what().path), report_columns - 16, cut::start));
  print_runs(s);
  print_files(s, f);
  if (const std::string hosts = hosts_of(s.capture().what(), f); !hosts.empty()) print_fact(s, "host", hosts);
  if (const std::string software = software_of(f); !software.empty()) print_fact(s, "software", software);
  if (const std::vector<std::string> ranks = ranks_of(f); !ranks.empty())
    print_fact(s, "process", ranks.front() + (ranks.size() > 1 ? " … " + ranks.back() : ""));
  print_hardware(s, f);
  if (f.first_ps && f.last_ps) {
    const auto origin = s.capture().origin_unix_ns();
    print_fact(s, "time",
               human_duration(f.span_ps()) + " of events; " +
                   (origin ? "started " + date_text(*origin) : "the date is not recorded"));
  }
  std::string amount = count_of(f.info.events, "event");
  if (f.info.lines > 0) amount += " on " + count_of(f.info.lines, "line") + " of " + count_of(f.info.planes, "plane");
  print_fact(s, "amount", amount);
  if (const std::string idle = idle_of(f); !idle.empty()) print_fact(s, "idle", idle);
  if (!f.model.empty()) print_fact(s, "model", f.model);
  if (const std::string memory = memory_of(f); !memory.empty()) print_fact(s, "memory", memory);
  if (f.info.complete)
    print_fact(s, "complete", out.screen().paint("yes", style::good) + ", nothing missing or damaged");
  for (std::size_t i = 0; i < f.info.reasons.size() && i < most_reasons; ++i)
    print_fact(s, i == 0 ? "complete" : "",
               (i == 0 ? out.screen().paint("no", style::warning) + ": " : "") +
                   shorten(escape_for_terminal(f.info.reasons[i]), 2 * (report_columns - 20)));
}

// ---- where the time went -----------------------------------------------------------------------------------------

void print_busy_devices(session& s, const report_facts& f, const std::vector<busy_device>& devices) {
  if (devices.empty()) return;
  table t;
  t.right("file").flexible("device", cut::middle, 16).right("kernels").right("busy").right("of span");
  const std::size_t shown = shown_of(devices.size(), most_lines);
  for (std::size_t i = 0; i < shown; ++i)
    t.row({s.file_label(devices[i].file), devices[i].name, grouped(devices[i].kernels),
           human_duration(devices[i].busy_ps), share_text(devices[i].busy_ps, f.span_ps())});
  s.heading("Busy: time in which at least one kernel or copy ran");
  t.print(s.out(), report_columns);
  print_rest(s, devices.size(), shown, "more, each less busy");
}

void print_busy_lines(session& s, const report_facts& f) {
  // "XLA Ops" is the one line of ops of a TPU; streams and threads need their own name beside the plane's.
  const bool says_line = f.ops.source != "XLA Ops";
  // The streams of devices that traces tell of were told together.
  const std::vector<busy_device> devices = busy_devices(s.capture(), f);
  print_busy_devices(s, f, devices);
  const auto is_of_busy_device = [&](const ops_line& line) {
    return !devices.empty() && s.capture().xspace(line.file) == nullptr;
  };
  std::vector<const ops_line*> lines;
  for (const ops_line& line : f.ops.lines)
    if (line.events > 0 && !is_of_busy_device(line)) lines.push_back(&line);
  if (lines.empty()) return;
  const std::size_t shown = shown_of(lines.size(), most_lines);
  if (shown < lines.size())
    std::stable_sort(lines.begin(), lines.end(), [](const auto* a, const auto* b) { return a->busy_ps > b->busy_ps; });
  table t;
  t.right("file").flexible(says_line ? "line" : "device", cut::middle, 20).right("ops").right("events").right("busy");
  t.right("of span");
  for (std::size_t i = 0; i < shown; ++i) {
    const ops_line& line = *lines[i];
    t.row({s.file_label(line.file),
           short_plane_name(line.plane_name) + (says_line ? ' ' + escape_for_terminal(line.line_name) : ""),
           grouped(std::uint64_t{line.ops.size()}), grouped(line.events), human_duration(line.busy_ps),
           line.busy_ps <= f.span_ps() ? share_text(line.busy_ps, f.span_ps()) : ""});
  }
  const bool by_device = std::any_of(f.ops.lines.begin(), f.ops.lines.end(),
                                     [](const ops_line& line) { return line.clock != profkit::ops_clock::aligned; });
  s.heading("Busy: time in which at least one op ran (from " + escape_for_terminal(f.ops.source) +
            (by_device ? ", by the device's clock)" : ")"));
  t.print(s.out(), report_columns);
  print_rest(s, lines.size(), shown, "more, each less busy");
}

void print_busiest_ops(session& s, const report_facts& f, const op_totals& ops) {
  if (ops.top.empty()) return;
  const std::int64_t busy = f.busy_ps();
  table t;
  t.right("of busy")
      .right("self time")
      .right("count")
      .flexible("op", cut::middle, 24)
      .flexible("program", cut::middle, 12)
      .flexible("category", cut::end, 12);
  t.right("FLOP/s").right("B/s");
  programs_met met;
  for (const op_total& op : ops.top) met.add(op.facts.program);
  for (const op_total& op : ops.top)
    t.row({share_text(op.self_ps, busy), human_duration(op.self_ps), grouped(op.count), op.facts.name,
           met.several() ? op.facts.program : "", op.facts.category,
           achieved_rate(op.facts.flops, op.count, op.total_ps, ""),
           achieved_rate(op.facts.bytes, op.count, op.total_ps, "")});
  std::string title =
      "Busiest ops: " + grouped(std::uint64_t{ops.top.size()}) + " of " + grouped(std::uint64_t{ops.names});
  if (f.ops.lines.size() > 1) title += ", over all " + grouped(std::uint64_t{f.ops.lines.size()}) + " lines";
  s.heading(title);
  t.print(s.out(), report_columns);
}

// ---- modules, steps, collectives
// ---------------------------------------------------------------------------------------

void print_modules_part(session& s, const std::vector<module_total>& modules) {
  if (modules.empty()) return;
  table t;
  t.flexible("module", cut::middle, 30)
      .right("runs")
      .right("total")
      .right("longest")
      .right("instructions")
      .right("size");
  const std::size_t shown = shown_of(modules.size(), most_modules);
  for (std::size_t i = 0; i < shown; ++i) {
    const module_total& m = modules[i];
    const bool ran = m.runs > 0;
    t.row({m.name, ran ? grouped(m.runs) : "", ran ? human_duration(m.total_ps) : "",
           ran ? human_duration(m.max_ps) : "", m.instructions > 0 ? grouped(m.instructions) : "",
           m.bytes > 0 ? profkit::human_bytes(m.bytes) : ""});
  }
  s.heading("Modules: " + grouped(std::uint64_t{modules.size()}) +
            (modules.front().runs > 0 ? ", by time on the devices" : ", by size; their runs are not recorded"));
  t.print(s.out(), report_columns);
  print_rest(s, modules.size(), shown);
}

void print_steps_part(session& s, const report_facts& f) {
  const std::vector<step_group>& groups = f.steps;
  if (groups.empty()) return;
  table t;
  t.right("file").flexible("plane", cut::middle, 12).right("steps").right("median").right("shortest").right("longest");
  t.left("source");
  const auto add_row = [&](std::string file, std::string plane, const duration_statistics& d, const char* source) {
    t.row({std::move(file), std::move(plane), grouped(std::uint64_t{d.count}), human_duration(d.median_ps),
           human_duration(d.min_ps), human_duration(d.max_ps), source});
  };
  const std::size_t shown = shown_of(groups.size(), most_steps);
  for (std::size_t i = 0; i < shown; ++i)
    add_row(s.file_label(groups[i].first.file),
            step_place(groups[i].first),
            groups[i].times, profkit::step_source_name(groups[i].first.source));
  const bool stand_ins = groups.front().first.source == profkit::step_source::xla_modules;
  s.heading(stand_ins ? "Steps: none are marked, so every run of a module counts as one" : "Steps");
  t.print(s.out(), report_columns);
  print_rest(s, groups.size(), shown, "more planes");
}

void print_nodes_part(session& s, const report_facts& f) {
  const std::vector<std::string> sentences = nodes_of(f);
  if (sentences.empty()) return;
  s.heading("Across nodes");
  for (const std::string& text : sentences) s.out().line("  " + wrap(text, report_columns, 2));
}

void print_collectives_part(session& s, const report_facts& f) {
  const std::vector<collective_total> kinds = total_collectives(f);
  if (kinds.empty()) return;
  const std::int64_t busy = f.busy_ps();
  table t;
  t.flexible("kind", cut::end, 16)
      .left("")
      .right("count")
      .right("total")
      .right("longest")
      .right("of busy")
      .right("exposed");
  const std::size_t shown = shown_of(kinds.size(), most_collectives - 1);
  for (std::size_t i = 0; i < shown; ++i) {
    const collective_total& c = kinds[i];
    t.row({c.kind, c.blocking ? "blocking" : "in flight", grouped(c.count), human_duration(c.total_ps),
           human_duration(c.max_ps), c.blocking ? share_text(c.total_ps, busy) : "",
           c.exposed_ps ? human_duration(*c.exposed_ps) : c.blocking ? "" : "not recorded"});
  }
  s.heading("Collectives and asynchronous copies");
  t.print(s.out(), report_columns);
  print_rest(s, kinds.size(), shown, "more kinds");
}

// What cannot be told of a part of a capture.
std::string left_out_under(const profkit::anatomy_options& filters) {
  const bool memory = !profkit::memory_keeps_to(filters), idle = !profkit::bubbles_keep_to(filters);
  if (!memory && !idle) return {};
  return std::string("What is known of the whole capture alone, as ") +
         (memory && idle ? "memory and idle time"
          : memory       ? "memory"
                         : "idle time") +
         ", is left out under these filters.";
}

// ---- notes and what to do next
// -------------------------------------------------------------------------------------------

void print_notes(session& s, const std::vector<std::string>& notes) {
  if (notes.empty()) return;
  s.heading("Notes");
  for (std::size_t i = 0; i < notes.size() && i < most_notes; ++i)
    s.out().line("  - " + wrap(shorten(notes[i], 2 * (report_columns - 8)), report_columns, 4));
  print_rest(s, notes.size(), std::min(notes.size(), most_notes), "more (--json has all)");
}

void print_next(session& s, const std::vector<next_command>& next) {
  const std::size_t shown = std::min(next.size(), most_commands);
  const auto commands_with = [&](const std::string& path) {
    std::vector<std::string> commands;
    for (std::size_t i = 0; i < shown; ++i) {
      std::string command = "profkit " + next[i].arguments;
      command.replace(command.find("PATH"), 4, path);
      if (!s.asked().run.empty()) command += " --run " + shell_word(s.asked().run);
      commands.push_back(std::move(command));
    }
    return commands;
  };
  std::vector<std::string> commands = commands_with(shell_word(s.asked().path));
  const auto width_of = [&] {
    std::size_t width = 0;
    for (const std::string& command : commands) width = std::max(width, profkit::terminal_width(command));
    return width;
  };
  // A command that would be cut cannot be copied: then PATH stands for the path.
  const bool fits = width_of() + 2 <= report_columns;
  if (!fits) commands = commands_with("PATH");
  const std::size_t width = width_of();
  s.heading(fits ? "Next" : "Next (PATH is the path above)");
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string why = "  # " + next[i].why;
    std::string line = "  " + commands[i];
    if (2 + width + profkit::terminal_width(why) <= report_columns)
      line += std::string(width - profkit::terminal_width(commands[i]), ' ') + s.out().screen().paint(why, style::dim);
    s.out().line(line);
  }
}

}  // namespace

profkit::result<void> print_report(session& s) {
  const auto& files = s.capture().what().files;
  const bool only_probes = std::all_of(files.begin(), files.end(), [](const profkit::capture_file& file) {
    return file.family == profkit::file_family::neutrino;
  });
  if (only_probes) {
    print_neutrino_report(s);
    return {};
  }
  profkit::result<report_facts> gathered = gather_facts(s);
  if (!gathered) return std::move(gathered).error();
  const report_facts& f = *gathered;
  const op_totals ops = busiest_ops(s.capture(), f, most_ops);
  const std::vector<module_total> modules = total_modules(f);

  print_capture(s, f);
  if (f.info.events == 0 && f.ops.lines.empty() && modules.empty()) {
    const std::string why = profkit::why_nothing(s.capture(), s.filters(0));
    s.absent(why.empty() ? "the capture is empty: no events and no modules" : why);
    return {};
  }
  print_busy_lines(s, f);
  print_busiest_ops(s, f, ops);
  print_modules_part(s, modules);
  print_steps_part(s, f);
  print_collectives_part(s, f);
  print_nodes_part(s, f);
  print_neutrino_report(s);
  std::vector<std::string> notes = notes_of(s.capture(), f, ops);
  if (std::string text = left_out_under(s.filters(0)); !text.empty()) notes.insert(notes.begin(), std::move(text));
  print_notes(s, notes);
  print_next(s, next_commands(s.capture(), f, modules));
  return {};
}

}  // namespace profkit_tool
