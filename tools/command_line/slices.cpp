#include "command_line/command_options.hpp"
#include "command_line/words.hpp"

namespace profkit_tool {
namespace {

using profkit::fault;

// The commands that show a part of one capture.
class slice_options final : public command_options {
 public:
  explicit slice_options(command what) : what_(what) {}

  void list(option_list& all, options& into) override {
    list_path(all, into);
    all.group("Output");
    if (what_ == command::info) all.flag("--why", into.why, "How the format of each file was told, or why it was not");
    if (what_ == command::ops) all.value("--sort", order_, "KEY", "total, self or count (default total)");
    if (what_ == command::modules)
      all.value("--dump", into.module_to_dump, "NAME", "Print the entry computation of the module NAME is part of");
    filters_.list(all, into);
    output_.list(all, into);
    input_.list(all, into);
  }
  [[nodiscard]] std::optional<fault> understand(options& into) const override {
    if (auto wrong = understand_word<op_order>(
            "--sort", order_, into.order,
            {{"total", op_order::total}, {"self", op_order::self}, {"count", op_order::count}}))
      return wrong;
    if (auto wrong = input_.understand(into)) return wrong;
    if (auto wrong = output_.understand(into)) return wrong;
    return filters_.understand(into);
  }

 private:
  command what_;
  std::string order_;
  filter_words filters_;
  output_words output_;
  input_words input_;
};

class dump_options final : public command_options {
 public:
  void list(option_list& all, options& into) override {
    all.argument("FILE", into.path, "A protobuf file; '-' is standard input", true);
    all.group("Input");
    all.value("--type", into.message_type, "TYPE", "Message type (default: found out from the file)");
    output_.list(all, into, false);
    all.group("Input");
    input_.list_io(all);
    all.flag("--strict", into.strict, "Any damage makes the exit status 4");
  }
  [[nodiscard]] std::optional<fault> understand(options& into) const override {
    if (auto wrong = input_.understand(into)) return wrong;
    return output_.understand(into);
  }

 private:
  output_words output_;
  input_words input_;
};

}  // namespace

std::unique_ptr<command_options> slice_command_options(command what) { return std::make_unique<slice_options>(what); }
std::unique_ptr<command_options> dump_command_options() { return std::make_unique<dump_options>(); }

}  // namespace profkit_tool
