#include "command_line/command_options.hpp"
#include "command_line/words.hpp"

#include <algorithm>
#include <thread>

namespace profkit_tool {

using profkit::fault;

void list_path(option_list& all, options& into) {
  all.argument("PATH", into.path, "A profile, a run directory or one above runs; '-' is standard input", true);
}

void filter_words::list(option_list& all, options& into) {
  all.group("Filters");
  all.value("--host", into.host, "TEXT", "Only hosts whose name contains TEXT");
  all.value("--plane", into.plane, "TEXT", "Only planes whose name contains TEXT");
  all.value("--line", into.line, "TEXT", "Only lines whose name contains TEXT");
  all.value("--name", into.name, "TEXT", "Only events, ops or modules whose name contains TEXT");
  all.value("--step", step, "N", "Only the N-th step of each device, counted from 0");
  all.value("--time", time, "FROM:TO", "Only this window, as in 10ms:2.5s (ps ns us ms s)");
}

std::optional<fault> filter_words::understand(options& into) const {
  if (auto wrong = understand_number("--step", step, into.step)) return wrong;
  return understand_window(time, into.from_ps, into.to_ps);
}

void output_words::list(option_list& all, options& into, bool has_tables) {
  all.group("Output");
  all.value("--limit", limit, "N", "Rows of each list; 0 shows all");
  all.flag("--json", into.json, "One JSON document (schemas in docs/schemas)");
  all.value("-o,--output", into.output_path, "FILE", "Write to FILE, which appears when it is complete");
  if (has_tables) all.flag("--wide", into.wide, "Names in full, whatever the width of the screen");
  list_color(all);
  all.flag("-q,--quiet", into.quiet, "No progress and no warnings on standard error");
}

void output_words::list_color(option_list& all) {
  all.value("--color", color, "WHEN", "auto, always or never (default auto; NO_COLOR is heeded)");
}

std::optional<fault> output_words::understand(options& into) const {
  if (into.output_path == "-") into.output_path.clear();  // standard output, as where no file is named
  if (auto wrong = understand_word<color_mode>(
          "--color", color, into.color,
          {{"auto", color_mode::automatic}, {"always", color_mode::always}, {"never", color_mode::never}}))
    return wrong;
  return understand_number("--limit", limit, into.limit);
}

void input_words::list(option_list& all, options& into) {
  all.group("Input");
  all.value("--run", into.run, "NAME", "Run folder to open, or 'all' (default: the newest)");
  list_io(all);
  all.flag("--strict", into.strict, "Any damage makes the exit status 4");
  all.value("--fail-on", fail_on, "WHAT", "'incomplete': exit with 1 when the capture is not complete");
  list_threads(all);
}

void input_words::list_io(option_list& all) {
  all.value("--io", io, "MODE", "auto, map or read: 'read' survives files that shrink");
}

void input_words::list_threads(option_list& all) {
  all.value("-j,--threads", threads, "N", "Threads to use (default: all cores); results are the same");
}

std::optional<fault> input_words::understand(options& into) const {
  using profkit::io_mode;
  if (auto wrong = understand_word<io_mode>(
          "--io", io, into.io, {{"auto", io_mode::automatic}, {"map", io_mode::map}, {"read", io_mode::read}}))
    return wrong;
  if (auto wrong = understand_word<bool>("--fail-on", fail_on, into.fail_on_incomplete, {{"incomplete", true}}))
    return wrong;
  std::optional<std::uint64_t> typed_threads;
  if (auto wrong = understand_number("-j", threads, typed_threads, 1, 1024)) return wrong;
  into.threads =
      static_cast<std::uint32_t>(typed_threads.value_or(std::clamp(std::thread::hardware_concurrency(), 1u, 64u)));
  return std::nullopt;
}

}  // namespace profkit_tool
