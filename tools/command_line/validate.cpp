#include "command_line/command_options.hpp"
#include "command_line/words.hpp"

#include <filesystem>

namespace profkit_tool {
namespace {

using profkit::fault;

class validate_options final : public command_options {
 public:
  void list(option_list& all, options& into) override {
    all.arguments("TRACE", into.traces, "A merged trace, or one trace or run directory a node");
    all.group("Validation");
    all.values("--traces", into.traces, "TRACE", "The same as the arguments; may be repeated");
    all.value("--match", match_, "HOW", "auto (run ids, else time) or occurrence (as the reference tool)");
    all.value("--bound", bound_, "TIME", "Error of every time, as in 5us, instead of the trace's own");
    all.value("--time", time_, "FROM:TO", "Only this window, as in 10ms:2.5s (ps ns us ms s)");
    all.value("--align", align_, "HOW", "'collectives': offset and drift of each node from collectives alone");
    all.value("--max-bound,--max_bound", max_bound_, "TIME",
              "An offset known less well than this is undecidable (default 1ms)");
    all.value("--fail-on,--fail_on", fail_on_, "WHAT", "'violations': exit with 1 when there are any");
    all.group("Output");
    all.value("-o,--output", into.output_path, "FILE", "Write the JSON document to FILE as well ('-': instead of text)");
    all.value("--csv", into.csv_path, "FILE", "Write the start gaps of every invocation to FILE ('-' likewise)");
    all.value("--compat", compat_, "WHAT", "'reference': matching and document of the reference tool");
    all.value("--limit", output_.limit, "N", "Rows of each list; 0 shows all (default 20)");
    all.flag("--json", into.json, "One JSON document (schemas in docs/schemas)");
    all.flag("--wide", into.wide, "Names in full, whatever the width of the screen");
    output_.list_color(all);
    all.flag("-q,--quiet", into.quiet, "No progress and no warnings on standard error");
    all.group("Input");
    all.value("--run", into.run, "NAME", "Run folder to open (default: the newest)");
    input_.list_io(all);
    all.flag("--strict", into.strict, "Any damage makes the exit status 4");
    input_.list_threads(all);
  }

  [[nodiscard]] std::optional<fault> understand(options& into) const override {
    if (into.traces.empty())
      return wrong_options("validate: no trace was named", "profkit validate combined.xplane.pb, or one trace a node");
    if (auto wrong =
            understand_word<bool>("--match", match_, into.match_occurrence, {{"auto", false}, {"occurrence", true}}))
      return wrong;
    if (auto wrong = understand_word<bool>("--compat", compat_, into.compat_reference, {{"reference", true}}))
      return wrong;
    into.match_occurrence = into.match_occurrence || into.compat_reference;
    if (auto wrong = understand_word<bool>("--align", align_, into.align_collectives, {{"collectives", true}}))
      return wrong;
    if (auto wrong = understand_word<bool>("--fail-on", fail_on_, into.fail_on_violations, {{"violations", true}}))
      return wrong;
    std::optional<std::int64_t> max_bound_ps;
    if (auto wrong = understand_time("--max-bound", max_bound_, max_bound_ps)) return wrong;
    if (max_bound_ps) into.max_bound_ps = *max_bound_ps;
    if (auto wrong = understand_time("--bound", bound_, into.bound_ps)) return wrong;
    if (auto wrong = input_.understand(into)) return wrong;
    if (auto wrong = understand_outputs(into)) return wrong;
    return understand_window(time_, into.from_ps, into.to_ps);
  }

 private:
  // '-' is standard output, which has room for one of them: the document, the rows or text for people.
  [[nodiscard]] std::optional<fault> understand_outputs(options& into) const {
    const char* const help = "profkit validate --help";
    const bool both = !into.output_path.empty() && !into.csv_path.empty();
    if (both && names_same_file(into.output_path, into.csv_path))
      return wrong_options("--output and --csv name the same file: " + into.csv_path, help);
    into.json = into.json || into.output_path == "-";
    if (into.json && into.csv_path == "-")
      return wrong_options("--csv '-': the JSON document goes to standard output already", help);
    return output_.understand(into);
  }
  static bool names_same_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    return a == b || std::filesystem::weakly_canonical(a, ignored) == std::filesystem::weakly_canonical(b, ignored);
  }

  std::string match_, bound_, time_, align_, max_bound_, fail_on_, compat_;
  output_words output_;
  input_words input_;
};

}  // namespace

std::unique_ptr<command_options> validate_command_options() { return std::make_unique<validate_options>(); }

}  // namespace profkit_tool
