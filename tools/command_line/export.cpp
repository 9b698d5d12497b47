#include "command_line/command_options.hpp"
#include "command_line/words.hpp"

namespace profkit_tool {
namespace {

using profkit::fault;

class export_options final : public command_options {
 public:
  void list(option_list& all, options& into) override {
    list_path(all, into);
    filters_.list(all, into);
    all.group("Output");
    all.value("--format", into.export_format, "WHICH", "trace.json, trace.json.gz, pftrace, xspace or csv");
    all.value("--compat", compat_, "WHAT", "'xla': trace.json byte for byte as XLA's converter writes it");
    all.value("-o,--output", into.output_path, "FILE", "Write to FILE, which appears when it is complete");
    output_.list_color(all);
    all.flag("-q,--quiet", into.quiet, "No progress and no summary on standard error");
    input_.list(all, into);
  }
  [[nodiscard]] std::optional<fault> understand(options& into) const override {
    if (auto wrong = understand_word<bool>("--compat", compat_, into.compat_xla, {{"xla", true}})) return wrong;
    if (auto wrong = input_.understand(into)) return wrong;
    if (auto wrong = output_.understand(into)) return wrong;
    return filters_.understand(into);
  }

 private:
  std::string compat_;
  filter_words filters_;
  output_words output_;
  input_words input_;
};

}  // namespace

std::unique_ptr<command_options> export_command_options() { return std::make_unique<export_options>(); }

}  // namespace profkit_tool
