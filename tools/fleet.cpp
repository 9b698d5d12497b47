// profkit fleet: the shipped questions over any number of captures.
#include "command_line/shared_options.hpp"
#include "fleet_questions.hpp"
#include "fleet_report.hpp"
#include "text.hpp"

#include <algorithm>
#include <string_view>

namespace profkit_tool {
namespace {

using profkit::fault;

std::vector<std::string> words_for_questions() {
  std::vector<std::string> names;
  for (const fleet_question& one : all_questions()) names.push_back(one.name);
  return names;
}

class fleet_command_options final : public command_options {
 public:
  void list(option_list& all) override {
    all.arguments("PATH", captures_, "Captures, folders of them, patterns as in 'runs/**/*.xplane.pb'").offer_files();
    all.group("Output");
    all.repeated("--question", questions_, "NAME", "Only this question; may be repeated").offer_words(words_for_questions());
    output_.list(all, *this);
    all.group("Input");
    list_strict(all, *this);
    input_.list_threads(all);
  }

  [[nodiscard]] std::optional<fault> understand() override {
    if (captures_.empty()) return wrong_options("fleet: no capture was named", "profkit fleet runs/");
    const std::vector<std::string> names = words_for_questions();
    for (const std::string& question : questions_)
      if (std::find(names.begin(), names.end(), question) == names.end())
        return wrong_value("--question", question, "not a question", "choose one of: " + word_list(names));
    json = json || has_ending(output_path, ".json");
    if (auto wrong = input_.understand(*this)) return wrong;
    return output_.understand(*this);
  }
  [[nodiscard]] int run_command() const override { return run_fleet(*this, captures_, questions_); }

 private:
  std::vector<std::string> captures_, questions_;
  output_words output_;
  input_words input_;
};

}  // namespace

extern const command_description fleet_command = {
    "fleet",
    "PATH...",
    "Many captures at once: coverage, causes of idle, stragglers, regressions",
    "What captures there are, where the time of devices went and why they waited, who works longer than\n"
    "the others of a run, how steps changed from folder to folder, whose clock may be off, whose collectives are\n"
    "slow, how much memory is left. Each is a query that is shipped as SQL (docs/start/fleet.md): a start for\n"
    "questions of your own, for `profkit sql`. Captures are read once, one at a time. What cannot be read is\n"
    "named, all else is counted, and the exit status is 5.",
    "  profkit fleet runs/\n"
    "  profkit fleet runs/ -o fleet.html                     a page\n"
    "  profkit fleet runs/ --question ops --limit 50\n"
    "  profkit fleet 'runs/2026-11-*' --json\n",
    make_options<fleet_command_options>,
};

}  // namespace profkit_tool
