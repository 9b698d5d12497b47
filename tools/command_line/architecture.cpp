#include "command_line/command_options.hpp"
#include "command_line/words.hpp"

namespace profkit_tool {
namespace {

using profkit::fault;

class architecture_options final : public command_options {
 public:
  void list(option_list& all, options& into) override {
    list_path(all, into);
    all.group("Architecture");
    all.value("--plane,--device", into.architecture.device, "TEXT", "Only devices whose name contains TEXT");
    all.value("--step-pattern", into.architecture.step_pattern, "REGEX", "Whole names of events that mark a step");
    all.flag("--markdown", into.markdown, "The report as Markdown; -o with a folder or a name in .md does the same");
    output_.list(all, into);
    input_.list(all, into);
  }

  [[nodiscard]] std::optional<fault> understand(options& into) const override {
    if (into.json && into.markdown)
      return wrong_options("--json and --markdown are two forms of one result", "profkit architecture --help");
    if (auto wrong = input_.understand(into)) return wrong;
    return output_.understand(into);
  }

 private:
  output_words output_;
  input_words input_;
};

}  // namespace

std::unique_ptr<command_options> architecture_command_options() { return std::make_unique<architecture_options>(); }

}  // namespace profkit_tool
