// profkit report: one screen about a capture, at most 60 lines of at most 100 columns, fewer on a narrow terminal.
#include "command_line/shared_options.hpp"
#include "grouping.hpp"
#include "neutrino.hpp"
#include "op_facts.hpp"
#include "places.hpp"
#include "quantity.hpp"
#include "report_parts.hpp"
#include "session.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/page.hpp>
#include <profkit/core/report.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <utility>

namespace profkit_tool {
namespace {

using profkit::escape_for_terminal;
using profkit::file_info;
using profkit::grouped;
using profkit::human_duration;
using profkit::report_result;
using profkit::report_summary;

// Rows of each part; together with headings they make 60 lines at most.
constexpr std::size_t max_files = 2, max_models = 3, max_reasons = 2, max_causes = 3, max_lines = 4, max_ops = 6, max_modules = 4,
                      max_steps = 3, max_collectives = 4, max_notes = 2, max_commands = 4;

void print_rest(session& s, std::size_t size, std::size_t shown, const char* what = "more") {
  if (size > shown)
    s.out().line("  " + s.out().screen().paint("… " + grouped(std::uint64_t{size - shown}) + ' ' + what, style::dim));
}

// ---- what it is ----------------------------------------------------------------------------------------------

std::string what_file_is(session& s, const file_info& file) {
  const profkit::capture_file& found = s.capture().what().files[file.file];
  std::string text = profkit::family_title(file.family);
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
  print_fact(s, "run", shorten(escape_for_terminal(chosen), 2 * (columns_of(s) - 14)));
}

void print_files(session& s, const profkit::info_result& info) {
  std::vector<const file_info*> files;
  std::string exports;
  for (const file_info& file : info.files)
    if (file.export_of < 0)
      files.push_back(&file);
    else
      exports += (exports.empty() ? "" : ", ") + file_name(file.path);
  const std::size_t shown = shown_of(files.size(), max_files);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string what = what_file_is(s, *files[i]);
    const std::string label = s.file_label(files[i]->file);
    const std::string index = label.empty() ? "" : '[' + label + "] ";
    const std::size_t room = columns_of(s) - 14 - index.size() - std::min<std::size_t>(60, what.size());
    const std::string name = files[i]->path == s.capture().what().path && files.size() == 1
                                 ? std::string()
                                 : shorten(file_name(files[i]->path), room, cut::middle) + "  ";
    print_fact(s, i > 0 ? "" : files.size() > 1 ? "files" : "file", index + name + what);
  }
  if (files.size() > shown)
    print_fact(s, "", "… " + grouped(std::uint64_t{files.size() - shown}) + " more (profkit info)");
  if (!exports.empty()) print_fact(s, "exports", shorten(exports, columns_of(s) - 32) + "  (not counted)");
}

std::string hosts_text(const std::vector<profkit::recorded_host>& hosts) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < hosts.size() && i < most; ++i)
    text += (text.empty() ? "" : ", ") + escape_for_terminal(hosts[i].name) +
            (hosts[i].from_file_name ? " (from the file name)" : "");
  return hosts.size() > most ? text + ", … (" + grouped(std::uint64_t{hosts.size()}) + " in all)" : text;
}

std::string software_text(session& s, const std::vector<std::string>& software) {
  std::string text;
  for (const std::string& version : software) text += (text.empty() ? "" : "; ") + escape_for_terminal(version);
  return shorten(text, 2 * (columns_of(s) - 14));
}

std::string rank_text(const profkit::process_rank& rank) {
  return "rank " + std::to_string(rank.rank) + " of " + std::to_string(rank.world_size) +
         (rank.backend.empty() ? "" : " (" + escape_for_terminal(rank.backend) + ')');
}

void print_devices(session& s, const std::vector<profkit::device_model>& models) {
  for (std::size_t i = 0; i < models.size() && i < max_models; ++i) {
    const profkit::device_model& m = models[i];
    std::string text = (m.devices > 1 ? grouped(m.devices) + " × " : std::string()) + escape_for_terminal(m.name);
    if (m.with_events && *m.with_events == 0)
      text += "; no events";
    else if (m.with_events && *m.with_events < m.devices)
      text += "; events on " + grouped(*m.with_events) + " of them";
    print_fact(s, i == 0 ? "devices" : "", shorten(text, columns_of(s) - 12));
  }
}

std::string idle_text(const profkit::idle_total& idle) {
  const auto place = [&]() -> const char* {
    switch (idle.pattern) {
      case profkit::idle_pattern::none: return nullptr;
      case profkit::idle_pattern::internal_bubble: return "between kernels";
      case profkit::idle_pattern::prelaunch: return "before the first kernel";
      case profkit::idle_pattern::tail: return "after the last kernel";
      case profkit::idle_pattern::inter_step: return "between steps";
      case profkit::idle_pattern::mixed: return "in several places";
    }
    return nullptr;
  }();
  return share_text(idle.idle_ps, idle.service_ps) + (idle.marked ? " of the steps" : " of the time") +
         (place == nullptr ? "" : std::string(idle.pattern == profkit::idle_pattern::mixed ? ", " : ", mostly ") + place) +
         "; the longest wait is " +
         human_duration(idle.longest_ps) +
         (idle.not_recorded_ps == 0
              ? ""
              : "; for " + share_text(idle.not_recorded_ps, idle.service_ps) + " it is not known");
}

// "7.2 % of the steps is communication that waits for other ranks; rank 3 waits least"; "" where none waits.
std::string ranks_text(const profkit::idle_total& idle) {
  std::int64_t waiting_ps = 0;
  for (const profkit::use_share& share : profkit::use_shares(idle)) waiting_ps += share.waiting_ps;
  if (waiting_ps == 0) return "";
  return share_text(waiting_ps, idle.service_ps) + (idle.marked ? " of the steps" : " of the time") +
         " is communication that waits for other ranks" + (idle.rank_waited_for ? "; rank " + std::to_string(*idle.rank_waited_for) + " waits least" : "");
}

// "launch bound 11.6 % (7.1 % proved), comm host wait 2.1 %; unknown 37.5 %". What is under a hundredth of the time is
// left out, and of the others the smaller ones that do not fit a line; "" where every gap is too short to ask.
std::string causes_text(const profkit::idle_total& idle, std::size_t columns) {
  const std::vector<profkit::cause_share> causes = profkit::cause_shares(idle);
  std::int64_t unknown_ps = 0;
  bool looked_for = false;
  for (const profkit::time_row& r : idle.time) {
    if (r.use != profkit::time_use::idle) continue;
    looked_for = looked_for || r.cause;
    if (!r.cause || *r.cause == profkit::idle_cause::unexplained) unknown_ps += r.time_ps;
  }
  const auto counts = [&](std::int64_t ps) { return ps > 0 && ps >= idle.service_ps / 100; };
  if (!looked_for) return "";
  const std::string unknown = counts(unknown_ps) ? "unknown " + share_text(unknown_ps, idle.service_ps) : "";
  std::string text;
  for (std::size_t i = 0; i < causes.size() && i < max_causes; ++i) {
    const profkit::cause_share& c = causes[i];
    if (!counts(c.time_ps)) continue;
    std::string one = spaced(profkit::idle_cause_name(c.cause)) + ' ' + share_text(c.time_ps, idle.service_ps);
    if (c.proved_ps == c.time_ps)
      one += " (proved)";
    else if (c.proved_ps > 0)
      one += " (" + share_text(c.proved_ps, idle.service_ps) + " proved)";
    if (!text.empty() && text.size() + one.size() + unknown.size() + 4 > columns) break;
    text += (text.empty() ? "" : ", ") + one;
  }
  return text + (text.empty() || unknown.empty() ? "" : "; ") + unknown;
}

std::string memory_text(const profkit::memory_total& m) {
  const auto bytes = [](std::int64_t n) { return profkit::human_bytes(n > 0 ? static_cast<std::uint64_t>(n) : 0); };
  const bool held = !m.device.empty();
  std::string text;
  if (m.needed_bytes > 0) {
    text = escape_for_terminal(m.module) + " needs " + bytes(m.needed_bytes);
    if (held && !m.space.empty()) text += " of " + m.space;
  }
  if (held) {
    text += (text.empty() ? "" : "; ") + escape_for_terminal(m.device) + " held up to " + bytes(m.held_bytes);
    if (m.capacity_bytes > 0) text += " of " + bytes(m.capacity_bytes);
  }
  if (m.agree) text += *m.agree ? "; the two agree" : "; the two differ";
  return text;
}

// The time of the devices as a bar, for a terminal: what took more of it stands first.
void print_verdict_bar(session& s, const profkit::idle_total& idle) {
  struct use_form {
    const char *fill, *name;
  };
  const auto form_of = [](profkit::time_use use) -> use_form {
    switch (use) {
      case profkit::time_use::compute: return {"█", "compute"};
      case profkit::time_use::exposed_comm: return {"▓", "communication"};
      case profkit::time_use::exposed_copy: return {"▒", "copies"};
      case profkit::time_use::other_work: return {"░", "other work"};
      case profkit::time_use::idle: return {"·", "waiting"};
      case profkit::time_use::not_recorded: return {"?", "not known"};
    }
    return {" ", ""};
  };
  const auto cells = static_cast<std::int64_t>(columns_of(s)) - 4;
  const std::int64_t unit_ps = std::max<std::int64_t>(1, idle.service_ps / (1000 * cells));  // finer than a cell
  std::string bar, legend;
  std::int64_t end_ps = 0, drawn = 0;
  for (const profkit::use_share& share : profkit::use_shares(idle)) {
    const use_form form = form_of(share.use);
    end_ps += share.time_ps;
    // Each part ends where its sum lies, so that roundings do not add up.
    const std::int64_t end = end_ps / unit_ps * cells / (idle.service_ps / unit_ps);
    if (end == drawn) continue;
    for (; drawn < end; ++drawn) bar += form.fill;
    legend += (legend.empty() ? "" : "  ") + std::string(form.fill) + ' ' + form.name;
  }
  s.out().line("  " + bar);
  s.out().line("  " + s.out().screen().paint(legend, style::dim));
}

// "op copy-done.4, 24.7 % of the time of all ops; all-reduce, 1.460 s exposed"
std::string costliest_text(const report_summary& found) {
  const profkit::costliest_work& c = found.costliest;
  std::string text;
  if (!c.op.empty())
    text = "op " + shorten(escape_for_terminal(profkit::readable_kernel_name(c.op)), 40, cut::middle) + ", " + share_text(c.op_self_ps, found.busy_ps) +
           " of the time of all ops";
  if (!c.collective.empty())
    text += (text.empty() ? "" : "; ") + escape_for_terminal(c.collective) + ", " + human_duration(c.exposed_ps) + " exposed";
  return text;
}

void print_verdict(session& s, const report_summary& found) {
  if (found.verdict.empty()) return;
  s.out().line("  " + wrap(escape_for_terminal(found.verdict), columns_of(s), 2));
  if (found.idle && found.idle->service_ps > 0 && s.out().screen().is_terminal && s.out().screen().color)
    print_verdict_bar(s, *found.idle);
}

void print_amount(session& s, const report_result& r) {
  // For a step or a stretch of time: what runs there, as in the tables.
  const profkit::info_result& info = r.parts.info;
  const report_summary& found = r.summary;
  std::uint64_t events = info.events, lines = info.lines;
  const options& asked = s.asked();
  const bool filtered = asked.step || asked.from_ps || asked.to_ps;
  if (filtered) {
    events = 0;
    lines = r.parts.ops.lines.size();
    for (const profkit::ops_line& line : r.parts.ops.lines) events += line.events;
  }
  std::string amount = filtered ? count_of(events, "run of an op", "runs of ops") : count_of(events, "event");
  if (lines > 0) amount += " on " + count_of(lines, "line");
  if (lines > 0 && !filtered) amount += " of " + count_of(info.planes, "plane");
  print_fact(s, "events", amount);
  if (!found.first_ps || !found.last_ps) return;
  const auto origin = s.capture().origin_unix_ns();
  const std::string window = time_window_text(*found.first_ps, *found.last_ps);
  print_fact(s, "time", human_duration(found.span_ps()) + (origin ? " from " + date_text(*origin) : ", the date is not recorded") +
                            (window.empty() ? "" : "; --time " + window));
}

void print_completeness(session& s, const profkit::info_result& info) {
  const terminal& screen = s.out().screen();
  if (info.complete) print_fact(s, "complete", screen.paint("yes", style::good) + ", nothing missing or damaged");
  for (std::size_t i = 0; i < info.reasons.size() && i < max_reasons; ++i)
    print_fact(s, i == 0 ? "complete" : "",
               (i == 0 ? screen.paint("no", style::warning) + ": " : "") +
                   shorten(escape_for_terminal(info.reasons[i]), 2 * (columns_of(s) - 20)));
}

// What it comes to, then what it is.
void print_capture(session& s, const report_result& r) {
  text_output& out = s.out();
  const report_summary& found = r.summary;
  out.line(out.screen().paint("profkit report", style::heading) + "  " +
           shorten(escape_for_terminal(s.capture().what().path), columns_of(s) - 16, cut::start));
  print_verdict(s, found);
  if (found.idle) {
    print_fact(s, "idle", idle_text(*found.idle));
    if (const std::string ranks = ranks_text(*found.idle); !ranks.empty()) print_fact(s, "ranks", ranks);
    if (const std::string causes = causes_text(*found.idle, columns_of(s) - 12); !causes.empty()) print_fact(s, "causes", causes);
  }
  if (const std::string costliest = costliest_text(found); !costliest.empty()) print_fact(s, "costliest", costliest);
  if (found.roofline && found.roofline->is_of_use())
    print_fact(s, "roofline", bounds_text(found.roofline->roof, found.roofline->self_ps) + " of op time");
  print_devices(s, found.devices);
  if (r.parts.model) print_fact(s, "model", r.parts.model->summary);
  if (found.memory) print_fact(s, "memory", memory_text(*found.memory));
  print_completeness(s, r.parts.info);
  print_runs(s);
  print_files(s, r.parts.info);
  if (!found.hosts.empty()) print_fact(s, "host", hosts_text(found.hosts));
  if (!found.software.empty()) print_fact(s, "software", software_text(s, found.software));
  if (!found.ranks.empty())
    print_fact(s, "process",
               rank_text(found.ranks.front()) + (found.ranks.size() > 1 ? " … " + rank_text(found.ranks.back()) : ""));
  print_amount(s, r);
}

// ---- where the time went -----------------------------------------------------------------------------------------

void print_busy_devices(session& s, const report_summary& found) {
  const std::vector<profkit::busy_device>& devices = found.busy_devices;
  if (devices.empty()) return;
  table t;
  t.right("file").flexible("device", cut::middle, 16).right("kernels").right("busy").right("of span");
  const std::size_t shown = shown_of(devices.size(), max_lines);
  for (std::size_t i = 0; i < shown; ++i)
    t.row({s.file_label(devices[i].file), escape_for_terminal(devices[i].name), grouped(devices[i].kernels),
           human_duration(devices[i].busy_ps), share_text(devices[i].busy_ps, found.span_ps())});
  s.heading("Busy: time in which at least one kernel or copy ran");
  t.print(s.out(), columns_of(s));
  print_rest(s, devices.size(), shown, "more, each less busy");
}

void print_busy_lines(session& s, const report_result& r) {
  const report_summary& found = r.summary;
  const std::string& source = r.parts.ops.source;
  // "XLA Ops" is the one line of ops of a TPU; streams and threads need their own name beside the plane's.
  const bool says_line = source != "XLA Ops";
  print_busy_devices(s, found);
  if (found.busy_lines.empty()) return;
  std::vector<const profkit::busy_line*> lines;
  for (const profkit::busy_line& line : found.busy_lines) lines.push_back(&line);
  const std::size_t shown = shown_of(lines.size(), max_lines);
  if (shown < lines.size())
    std::stable_sort(lines.begin(), lines.end(), [](const auto* a, const auto* b) { return a->busy_ps > b->busy_ps; });
  table t;
  t.right("file").flexible(says_line ? "line" : "device", cut::middle, 20).right("ops").right("events").right("busy");
  t.right("of span");
  for (std::size_t i = 0; i < shown; ++i) {
    const profkit::busy_line& line = *lines[i];
    t.row({s.file_label(line.file),
           short_plane_name(line.plane_name) + (says_line ? ' ' + escape_for_terminal(line.line_name) : ""),
           grouped(line.ops), grouped(line.events), human_duration(line.busy_ps),
           line.busy_ps <= found.span_ps() ? share_text(line.busy_ps, found.span_ps()) : ""});
  }
  const std::vector<profkit::ops_line>& all = r.parts.ops.lines;
  const bool by_device = std::any_of(all.begin(), all.end(), [](const profkit::ops_line& line) {
    return line.clock != profkit::ops_clock::aligned;
  });
  s.heading("Busy: time in which at least one op ran (from " + escape_for_terminal(source) +
            (by_device ? ", by the device's clock)" : ")"));
  t.print(s.out(), columns_of(s));
  print_rest(s, lines.size(), shown, "more, each less busy");
}

void print_left_out(session& s, const std::vector<profkit::left_out_lines>& all) {
  if (all.empty()) return;
  s.out().line("");
  s.out().line(wrap(left_out_text(all), columns_of(s), 2));
}

void print_busiest_ops(session& s, const report_summary& found) {
  if (found.ops.empty()) return;
  table t;
  t.right("of ops")
      .right("self time")
      .right("count")
      .flexible("op", cut::middle, 24)
      .flexible("program", cut::middle, 12).minor()
      .flexible("category", cut::end, 12).minor();
  t.right("FLOP/s").minor().right("B/s").minor();
  programs_met met;
  for (const profkit::report_op& op : found.ops) met.add(op.details.program);
  for (const profkit::report_op& op : found.ops)
    t.row({share_text(op.self_ps, found.busy_ps), human_duration(op.self_ps), grouped(op.count),
           escape_for_terminal(profkit::readable_kernel_name(op.short_name)), met.several() ? escape_for_terminal(op.details.program) : "",
           escape_for_terminal(op.details.category), achieved_rate(op.details.flops, op.count, op.total_ps, ""),
           achieved_rate(op.details.bytes, op.count, op.total_ps, "")});
  std::string title =
      "Busiest ops: " + grouped(std::uint64_t{found.ops.size()}) + " of " + grouped(found.op_names);
  if (found.op_lines > 1) title += ", over all " + grouped(found.op_lines) + " lines";
  s.heading(title);
  t.print(s.out(), columns_of(s));
}

// ---- modules, steps, collectives ---------------------------------------------------------------------------------

void print_modules_part(session& s, const report_summary& found) {
  const std::vector<profkit::module_total>& modules = found.modules;
  if (modules.empty()) return;
  table t;
  t.flexible("module", cut::middle, 22)
      .right("runs")
      .right("total")
      .right("longest")
      .right("instructions").minor()
      .right("size").minor();
  const std::size_t shown = shown_of(modules.size(), max_modules);
  for (std::size_t i = 0; i < shown; ++i) {
    const profkit::module_total& m = modules[i];
    t.row({escape_for_terminal(m.name), m.runs > 0 ? grouped(m.runs) : "", m.total_ps > 0 ? human_duration(m.total_ps) : "",
           m.runs > 0 ? human_duration(m.max_ps) : "", m.instructions > 0 ? grouped(m.instructions) : "",
           m.bytes > 0 ? profkit::human_bytes(m.bytes) : ""});
  }
  const bool ran = modules.front().runs > 0;
  s.heading("Modules: " + grouped(std::uint64_t{modules.size()}) +
            (ran                            ? ", by time on the devices"
             : modules.front().total_ps > 0 ? ", by the time of their ops"
                                            : ", by size") +
            (ran || found.run_ids ? "" : "; their runs are not recorded"));
  t.print(s.out(), columns_of(s));
  print_rest(s, modules.size(), shown);
}

// How long its steps were, in their order; "" where all have one length or the output is not a terminal.
std::string course_text(session& s, const profkit::step_group& g) {
  static constexpr const char* heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::int64_t levels = std::size(heights);
  if (!s.out().screen().is_terminal || g.times.max_ps == g.times.min_ps) return "";
  const std::int64_t unit_ps = g.times.max_ps / levels + 1;
  std::string text;
  for (const std::int64_t ps : g.course_ps) text += heights[std::clamp<std::int64_t>(ps / unit_ps, 0, levels - 1)];
  return text;
}

void print_steps_part(session& s, const std::vector<profkit::step_group>& groups) {
  if (groups.empty()) return;
  table t;
  t.right("file").flexible("plane", cut::middle, 12).right("steps").right("median").right("shortest").minor().right("longest");
  t.left("in order").minor().left("source").minor();
  const std::size_t shown = shown_of(groups.size(), max_steps);
  for (std::size_t i = 0; i < shown; ++i) {
    const profkit::duration_statistics& d = groups[i].times;
    t.row({s.file_label(groups[i].first.file), step_place(groups[i].first), grouped(std::uint64_t{d.count}),
           human_duration(d.median_ps), human_duration(d.min_ps), human_duration(d.max_ps), course_text(s, groups[i]),
           profkit::step_source_name(groups[i].first.source)});
  }
  const bool stand_ins = groups.front().first.source == profkit::step_source::xla_modules;
  s.heading(stand_ins ? "Steps: none are marked, so every run of a module counts as one" : "Steps");
  t.print(s.out(), columns_of(s));
  print_rest(s, groups.size(), shown, "more planes");
}

void print_across_nodes(session& s, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  s.heading("Across nodes");
  for (const std::string& text : sentences)
    s.out().line("  " + wrap(escape_for_terminal(text), columns_of(s), 2));
}

void print_collectives_part(session& s, const report_summary& found) {
  const std::vector<profkit::collective_total>& kinds = found.collectives;
  if (kinds.empty()) return;
  table t;
  t.flexible("kind", cut::end, 12)
      .left("")
      .right("count")
      .right("total")
      .right("longest").minor()
      .right("of ops").minor()
      .right("exposed");
  const std::size_t shown = shown_of(kinds.size(), max_collectives - 1);
  for (std::size_t i = 0; i < shown; ++i) {
    const profkit::collective_total& c = kinds[i];
    t.row({escape_for_terminal(c.kind), c.on_stream ? "kernels" : c.blocking ? "blocking" : "in flight", grouped(c.count),
           human_duration(c.total_ps), extreme_text(c.max_ps, c.max_ps, c.total_ps),
           c.blocking ? share_text(c.total_ps, found.busy_ps) : "",
           c.exposed_ps ? human_duration(*c.exposed_ps) : c.blocking ? "" : "not recorded"});
  }
  s.heading("Collectives and asynchronous copies");
  t.print(s.out(), columns_of(s));
  print_rest(s, kinds.size(), shown, "more kinds");
}

// ---- notes and what to do next -----------------------------------------------------------------------------------

void print_notes(session& s, const std::vector<std::string>& notes) {
  if (notes.empty()) return;
  s.heading("Notes");
  // Two lines each; where some are left out, the last one has one line.
  for (std::size_t i = 0; i < notes.size() && i < max_notes; ++i) {
    const std::size_t lines = i + 1 == max_notes && notes.size() > max_notes ? 1 : 2;
    s.out().line("  - " + wrap(shorten(escape_for_terminal(notes[i]), lines * (columns_of(s) - 8)), columns_of(s), 4));
  }
  print_rest(s, notes.size(), std::min(notes.size(), max_notes), "more (--json has all)");
}

profkit::result<void> print_report(session& s, bool brief) {
  const std::size_t probes = s.capture().files_with(profkit::file_content::probe_records).size();
  if (probes == s.capture().file_count()) {
    print_neutrino_report(s);
    return {};
  }
  profkit::report_options asked;
  asked.filters = s.filters(0);
  asked.samples = false;
  asked.busiest_ops = max_ops;
  const profkit::result<report_result> found = profkit::analyse_report(s.trace(), asked, s.hooks());
  if (!found) return found.error();
  const report_result& r = *found;
  s.lost(r.damage);

  print_capture(s, r);
  if (r.parts.info.events == 0 && r.parts.ops.lines.empty() && r.summary.modules.empty()) {
    const std::string why = profkit::why_nothing(s.capture(), s.filters(0));
    s.absent(why.empty() ? "the capture is empty: no events and no modules" : why);
    return {};
  }
  print_across_nodes(s, r.summary.across_nodes);
  if (!brief) {
    print_busy_lines(s, r);
    print_left_out(s, r.parts.ops.left_out);
    print_busiest_ops(s, r.summary);
    print_modules_part(s, r.summary);
    print_steps_part(s, r.summary.steps);
    print_collectives_part(s, r.summary);
    print_neutrino_report(s);
  }
  print_notes(s, r.summary.notes);
  print_next(s, r.summary.next, max_commands);
  return {};
}

// -o NAME.html: the page that a browser opens.
profkit::result<void> print_page(session& s) {
  const profkit::result<report_result> found = profkit::analyse_report(s.trace(), profkit::page_options(s.filters(0)), s.hooks());
  if (!found) return found.error();
  s.lost(found->damage);
  return profkit::write_page(s.trace(), *found, s.out().raw(), s.hooks());
}

bool names_page(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot != std::string::npos && (path.compare(dot, path.npos, ".html") == 0 || path.compare(dot, path.npos, ".htm") == 0);
}

class report_options final : public slice_options {
 protected:
  void list_own(option_list& all) override {
    all.flag("--brief", brief_, "Less: 16 KB of --json at most, or the screen without its tables");
  }
  [[nodiscard]] int run_command() const override {
    const bool page = names_page(output_path);
    if (brief_ && !json && page)
      return fail(*this, {profkit::fault_code::invalid_argument, "--brief makes no page", output_path, profkit::no_offset,
                          "leave out --brief, or give a name that does not end in .html"},
                  look_at_terminal(2, color));
    return run_slice(*this, brief_ ? profkit::document::brief : profkit::document::report,
                     [&](session& s) { return page ? print_page(s) : print_report(s, brief_); });
  }

 private:
  bool brief_ = false;
};

}  // namespace

extern const command_description report_command = {
    "report",
    "PATH",
    "One screen: what the capture is and where its time went",
    "Says what was captured, on which devices, whether it is complete, which operations and modules were\n"
    "busiest, how long steps took, what collectives cost, and which command to run next.\n"
    "-o NAME.html writes the report as a page for any browser: one file, for people without profkit, too.",
    "  profkit report logdir                  newest run below a TensorBoard log directory\n"
    "  profkit report vm.xplane.pb\n"
    "  profkit report logdir -o report.html   a page to look at and to send\n"
    "  profkit report logdir --json           the same and more, for programs, in 1 MB at most\n"
    "  profkit report logdir --brief --json   what matters most in 16 KB, and the commands for more\n",
    make_options<report_options>,
};

}  // namespace profkit_tool
