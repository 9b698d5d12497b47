// profkit chrome: what a Chrome trace-event file holds.
#include "command_line/shared_options.hpp"
#include "places.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/text.hpp>

#include <algorithm>

namespace profkit_tool {
namespace {

using profkit::chrome_file;
using profkit::chrome_process;
using profkit::chrome_sample;
using profkit::escape_for_terminal;
using profkit::grouped;
using profkit::human_duration;

constexpr std::uint64_t default_samples = 5;

// JSON text on one line: white space that starts with a line break stands between values, never in a string.
std::string on_one_line(std::string_view json) {
  std::string text;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] != '\n' && json[at] != '\r') {
      text += json[at];
      continue;
    }
    const std::size_t next = json.find_first_not_of(" \t\r\n", at);
    text += ' ';
    if (next == std::string_view::npos) break;
    at = next - 1;
  }
  return text;
}

std::string thread_list(const chrome_process& p, std::uint64_t limit) {
  std::string text;
  const std::size_t most = limit == 0 ? p.threads.size() : std::min<std::size_t>(p.threads.size(), limit);
  for (std::size_t i = 0; i < most; ++i) {
    std::string name = p.threads[i].second;
    while (!name.empty() && name.back() == ' ') name.pop_back();
    text += std::string(i == 0 ? "" : ", ") + escape_for_terminal(p.threads[i].first);
    if (!name.empty()) text += ' ' + escape_for_terminal(name);
  }
  return most < p.threads.size() ? text + ", …" : text;
}

void print_processes(session& s, const chrome_file& file, std::uint64_t limit) {
  table t;
  t.right("pid").flexible("process", cut::end, 16).right("threads").flexible("first threads", cut::end, 20);
  std::uint64_t shown = 0, with_threads = 0;
  for (const chrome_process& p : file.processes) {
    if (p.threads.empty()) continue;
    ++with_threads;
    if (limit != 0 && shown == limit) continue;
    t.row({escape_for_terminal(p.pid), escape_for_terminal(p.name), grouped(std::uint64_t{p.threads.size()}),
           thread_list(p, limit)});
    ++shown;
  }
  s.out().line("  Processes");
  t.print(s.out(), s.columns(), 4);
  s.left_out(with_threads, shown, 4);
  if (with_threads < file.processes.size())
    s.out().line("    " + count_of(file.processes.size() - with_threads, "process", "processes") +
                 " without named threads");
}

void print_chrome_samples(session& s, const char* title, const std::vector<chrome_sample>& samples) {
  if (samples.empty()) return;
  text_output& out = s.out();
  out.line(std::string("  ") + title);
  for (const chrome_sample& e : samples) {
    std::string when = "  pid " + escape_for_terminal(e.pid) + " tid " + escape_for_terminal(e.tid);
    if (e.start_ps) when += ", at " + human_duration(*e.start_ps);
    if (e.duration_ps) when += ", for " + human_duration(*e.duration_ps);
    const std::string name = e.name.empty() ? "(no name)" : escape_for_terminal(e.name);
    const std::size_t taken = std::min(s.columns(), 4 + profkit::terminal_width(when));
    out.line("    " + (s.columns() == 0 ? name : shorten(name, std::max<std::size_t>(20, s.columns() - taken))) +
             out.screen().paint(when, style::dim));
    std::string args;
    for (const auto& [key, value] : e.args)
      args += (args.empty() ? "" : "  ") + escape_for_terminal(key) + '=' + escape_for_terminal(on_one_line(value));
    if (!args.empty()) out.line("      " + (s.columns() == 0 ? args : shorten(args, s.columns() - 6)));
  }
}

void print_file(session& s, const chrome_file& file, std::uint64_t limit) {
  text_output& out = s.out();
  const std::string label = s.file_label(file.file);
  s.heading((label.empty() ? "" : '[' + label + "] ") + escape_for_terminal(s.capture().what().files[file.file].path));
  std::string keys;
  for (const std::string& key : file.top_level_keys) keys += (keys.empty() ? "" : ", ") + escape_for_terminal(key);
  if (!keys.empty()) out.line("  keys      " + (s.columns() == 0 ? keys : wrap(keys, s.columns(), 12)));
  if (!file.display_time_unit.empty()) out.line("  unit      " + escape_for_terminal(file.display_time_unit));
  if (!file.metadata.empty()) {
    const std::string metadata = escape_for_terminal(on_one_line(file.metadata));
    out.line("  metadata  " + (s.columns() == 0 ? metadata : shorten(metadata, s.columns() - 12)));
  }
  if (file.first_ps && file.last_ps)
    out.line("  span      " + human_duration(*file.last_ps - *file.first_ps) + " from " +
             human_duration(*file.first_ps) + " to " + human_duration(*file.last_ps));
  out.line("  events    " + grouped(file.events));
  if (file.at_event_cap)
    out.line("  " + out.screen().paint("incomplete", style::warning) +
             " at the recorder's cap of one million events: the end is missing, do not total");
  if (file.broken_events > 0) out.line("  lost      " + count_of(file.broken_events, "event") + " to damage");

  table t;
  t.left("").right("").left("");
  for (const auto& [phase, count] : file.phases)
    t.row({escape_for_terminal(phase), grouped(count), phase_meaning(phase)});
  if (!t.empty()) out.line("  Phases");
  t.print(out, s.columns(), 4);
  if (!file.processes.empty()) print_processes(s, file, limit == 0 ? 0 : std::max<std::uint64_t>(limit, 20));
  print_chrome_samples(s, "First complete events", file.complete_samples);
  print_chrome_samples(s, "First instant events", file.instant_samples);
  if (file.damage) s.lost({{file.file, *file.damage}});
}

profkit::result<void> print_chrome(session& s) {
  auto found = profkit::anatomy_chrome(s.trace(), s.filters(default_samples), s.hooks());
  if (!found) return std::move(found).error();
  if (found->files.empty()) {
    s.absent(found->absent);
    return {};
  }
  for (const chrome_file& file : found->files) print_file(s, file, s.asked().limit.value_or(default_samples));
  return {};
}

}  // namespace

extern const command_description chrome_command = {
    "chrome",
    "PATH",
    "Chrome trace files: processes, phases, samples, the event cap",
    "Reads *.trace.json[.gz] of XLA, PyTorch (Kineto) and others. A file at the recorder's cap of one\n"
    "million events is reported as incomplete: do not total it.",
    "  profkit chrome vm.trace.json.gz\n"
    "  profkit chrome rank0.json.gz --limit 20\n",
    make_options<slice_options>,
    [](const options& asked) { return run_slice(asked, profkit::document::chrome, print_chrome); },
};

}  // namespace profkit_tool
