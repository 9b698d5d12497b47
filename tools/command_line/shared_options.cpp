#include "command_line/shared_options.hpp"

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

namespace profkit_tool {

using profkit::fault;

void list_path(option_list& all, options& into) {
  all.argument("PATH", into.path, "A profile, a run directory or one above runs; '-' is standard input", true)
      .offer_files();
}

void list_window(option_list& all, std::string& typed) {
  all.value("--time", typed, "FROM:TO", "Only this window, as in 10ms:2.5s (ps ns us ms s)")
      .add_to_manual("Times are of the capture's clock. Either side may be left out.");
}

void list_device(option_list& all, std::string& into) {
  all.value("--plane,--device", into, "TEXT", "Only devices whose name contains TEXT");
}

void list_step_pattern(option_list& all, std::string& into) {
  all.value("--step-pattern", into, "REGEX", "Whole names of events that mark a step")
      .add_to_manual("The syntax is that of RE2; a byte is a character.");
}

void list_json(option_list& all, options& into) {
  all.flag("--json", into.json, "One JSON document (schemas in docs/schemas)");
}

void list_output(option_list& all, options& into) {
  all.value("-o,--output", into.output_path, "FILE", "Write to FILE, which appears when it is complete").offer_files();
}

void list_wide(option_list& all, options& into) {
  all.flag("--wide", into.wide, "Names in full, whatever the width of the screen");
}

void list_quiet(option_list& all, options& into) {
  all.flag("-q,--quiet", into.quiet, "No progress and no warnings on standard error");
}

void list_strict(option_list& all, options& into) {
  all.flag("--strict", into.strict, "Any damage makes the exit status 4");
}

void filter_words::list(option_list& all, options& into) {
  all.group("Filters");
  all.value("--host", into.host, "TEXT", "Only hosts whose name contains TEXT");
  all.value("--node", node, "N", "Only node N of a merged trace");
  all.value("--plane", into.plane, "TEXT", "Only planes whose name contains TEXT");
  all.value("--line", into.line, "TEXT", "Only lines whose name contains TEXT");
  all.value("--name", into.name, "TEXT", "Only events, ops or modules whose name contains TEXT");
  all.value("--step", step, "N", "Only the N-th step of each device, counted from 0");
  list_window(all, time);
}

std::optional<fault> filter_words::understand(options& into) const {
  std::optional<std::uint64_t> number;
  if (auto wrong = understand_number("--node", node, number)) return wrong;
  if (number && !into.host.empty())
    return wrong_options("--host and --node both choose hosts: give one of them", "profkit --help");
  if (number) into.host = "node:" + std::to_string(*number);
  if (auto wrong = understand_number("--step", step, into.step)) return wrong;
  return understand_window(time, into.from_ps, into.to_ps);
}

void output_words::list(option_list& all, options& into, bool has_tables) {
  all.group("Output");
  all.value("--limit", limit, "N", "Rows of each list; 0 shows all")
      .add_to_manual("What was left out is always reported. A JSON document has at most 1 MB unless more is asked for.");
  list_json(all, into);
  list_output(all, into);
  if (has_tables) list_wide(all, into);
  list_color(all);
  list_quiet(all, into);
}

void output_words::list_color(option_list& all) {
  all.value("--color", color.typed, "WHEN", "auto, always or never (default auto; NO_COLOR is obeyed)")
      .offer_words(color.words());
}

std::optional<fault> output_words::understand(options& into) const {
  if (into.output_path == "-") into.output_path.clear();  // standard output, as where no file is named
  if (auto wrong = color.understand("--color", into.color)) return wrong;
  return understand_number("--limit", limit, into.limit);
}

std::filesystem::path resolved_path(const std::string& path) {
  std::error_code ignored;
  // Absolute first: a relative path of which nothing exists would not be resolved.
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
}

std::optional<fault> outputs_in_one_file(const options& asked, const std::string& help) {
  namespace fs = std::filesystem;
  const auto is_special = [](const std::string& path) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    return fs::exists(status) && !fs::is_regular_file(status);
  };
  const auto same = [](const std::string& a, const std::string& b) { return a == b || resolved_path(a) == resolved_path(b); };
  const std::pair<const char*, const std::string*> outputs[] = {{"--output", &asked.output_path},
                                                                {"--csv", &asked.csv_path},
                                                                {"--svg", &asked.svg_path},
                                                                {"--write-offsets", &asked.offsets_path},
                                                                {"--aliases", &asked.aliases_path}};
  for (const auto& [option, path] : outputs) {
    if (path->empty() || is_special(*path)) continue;
    for (const auto* other = outputs; other->second != path; ++other)
      if (same(*other->second, *path))
        return wrong_options(std::string(other->first) + " and " + option + " name the same file: " + *path, help.c_str());
  }
  return std::nullopt;
}

void input_words::list(option_list& all, options& into) {
  all.group("Input");
  all.value("--run", into.run, "NAME", "Run folder to open, or 'all' (default: the newest)").offer_words({"all"});
  list_io(all);
  list_strict(all, into);
  all.value("--fail-on", fail_on, "WHAT", "Exit with 1 when incomplete, idle>10%, exposed>5% or cause:data_loader>2%")
      .offer_words({"incomplete"})
      .add_to_manual("Several with commas between them. Shares are of the device time in steps, as `profkit bubbles` has them.");
  all.flag("--redact", into.redact, "Aliases for names, paths and texts that are not public");
  all.value("--aliases", into.aliases_path, "FILE", "With --redact: what was replaced and left out, for you alone")
      .offer_files();
  list_threads(all);
}

void input_words::list_of_captures(option_list& all, options& into) {
  all.group("Input");
  all.value("--run", into.run, "NAME", "Run folder to open (default: the newest)");
  list_io(all);
  list_strict(all, into);
  list_threads(all);
}

void input_words::list_io(option_list& all) {
  all.value("--io", io.typed, "MODE", "map or read: 'read' takes more memory and survives files that shrink")
      .offer_words(io.words())
      .add_to_manual(
          "'auto' maps regular files above 512 KiB. A mapped file that another process truncates is a crash, one that "
          "is read an error.");
}

void input_words::list_threads(option_list& all) {
  all.value("-j,--threads", threads, "N", "Threads to use (default: all cores); results are the same");
}

std::optional<fault> input_words::understand(options& into) const {
  if (auto wrong = io.understand("--io", into.io)) return wrong;
  if (!into.aliases_path.empty() && !into.redact) {
    return fault{profkit::fault_code::invalid_argument, "--aliases is about --redact", "", profkit::no_offset, "add --redact"};
  }
  auto wanted = parse_gates(fail_on);
  if (!wanted) return std::move(wanted).error();
  into.fail_on = std::move(*wanted);
  std::optional<std::uint64_t> typed_threads;
  if (auto wrong = understand_number("-j", threads, typed_threads, 1, 1024)) return wrong;
  into.threads =
      static_cast<std::uint32_t>(typed_threads.value_or(std::clamp(std::thread::hardware_concurrency(), 1u, 64u)));
  return std::nullopt;
}

void slice_options::list(option_list& all) {
  list_path(all, *this);
  all.group("Output");
  list_own(all);
  filters_.list(all, *this);
  output_.list(all, *this);
  input_.list(all, *this);
}

std::optional<fault> slice_options::understand() {
  if (auto wrong = input_.understand(*this)) return wrong;
  if (auto wrong = output_.understand(*this)) return wrong;
  return filters_.understand(*this);
}

}  // namespace profkit_tool
