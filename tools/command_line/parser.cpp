#include "command_line/commands.hpp"
#include "command_line/shared_options.hpp"
#include "exit_code.hpp"

#include <CLI/CLI.hpp>
#include <profkit/core/text.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <utility>

#ifndef PROFKIT_VERSION
#error "PROFKIT_VERSION comes from the build"
#endif

namespace profkit_tool {
namespace {

using profkit::fault;

constexpr const char* exit_status_help =
    "Exit status: 0 fine (also when a part is absent), 1 --fail-on tripped, 2 usage or a filter that\n"
    "matches nothing, 3 no capture at PATH, 4 nothing usable, 5 damaged (what was intact was printed),\n"
    "70 a bug in profkit.\n";

const command_description* find_command(const std::string& name) {
  for (const command_description* c : all_commands())
    if (name == c->name) return c;
  return nullptr;
}

// Help at most 100 columns wide: "Usage: profkit ops PATH [OPTIONS]", options with the name of their value.
class help_formatter final : public CLI::Formatter {
 public:
  help_formatter() {
    column_width(26);
    label("Positionals", "Argument");
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_positional() || option->get_type_size() == 0 ? std::string{} : " " + option->get_type_name();
  }
  std::string make_usage(const CLI::App* app, std::string) const override {
    const command_description* const command = find_command(app->get_name());
    if (command == nullptr) return "\nUsage: profkit [COMMAND] PATH [OPTIONS]; without a command: report\n";
    return "\nUsage: profkit " + app->get_name() + ' ' + command->arguments + " [OPTIONS]\n";
  }
  std::string make_description(const CLI::App* app) const override { return app->get_description() + ".\n"; }
};

CLI::Option* add_option(CLI::App& app, const listed_option& o) {
  if (o.kind == option_kind::flag) return app.add_flag(o.names, *std::get<bool*>(o.into), o.description);
  if (o.kind == option_kind::argument || o.kind == option_kind::value)
    return app.add_option(o.names, *std::get<std::string*>(o.into), o.description);
  CLI::Option* const added = app.add_option(o.names, *std::get<std::vector<std::string>*>(o.into), o.description);
  return o.kind == option_kind::repeated ? added->expected(1)->take_all() : added;
}

void add_options(CLI::App& app, const option_list& all) {
  for (const listed_option& o : all) {
    CLI::Option* const added = add_option(app, o)->required(o.required);
    if (!o.heading.empty()) added->group(o.heading);
    if (!o.value_name.empty()) added->type_name(o.value_name);
  }
  for (const listed_option& o : all)
    if (!o.excluded.empty()) app.get_option(o.names)->excludes(app.get_option(o.excluded));
}

void add_command(CLI::App& app, const command_description& command, command_options& takes) {
  CLI::App& sub = *app.add_subcommand(command.name, command.summary)->group("Commands");
  sub.set_help_flag();
  option_list all;
  takes.list(all);
  add_options(sub, all);
  sub.set_help_flag("-h,--help", "This text")->group("Output");
  sub.footer(std::string(command.details) + "\n\nExamples:\n" + command.examples);
}

parsed_command_line usage_error(const std::string& message, const std::string& hint) {
  return {nullptr, "profkit: " + message + (hint.empty() ? "\n" : "\n  hint: " + hint + "\n"), exit_usage};
}
parsed_command_line usage_error(const fault& wrong) {
  return usage_error((wrong.path.empty() ? "" : wrong.path + ": ") + wrong.message, wrong.hint);
}

bool is_no_command(const std::string& first) {
  return !first.empty() && first.front() != '-' && find_command(first) == nullptr;
}

// Whether the first word is what to look at: it lies there, or has a form that no command has.
bool is_path(const std::string& first) {
  if (first == "-") return true;
  struct stat status {};
  return is_no_command(first) &&
         (first.find_first_of("/.") != std::string::npos || stat(first.c_str(), &status) == 0);
}

// "did you mean 'ops'? "; "" where no name is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  const std::string* const near = profkit::closest_to(word, names);
  return near == nullptr ? std::string() : "did you mean '" + *near + "'? ";
}

// The same for the first word that looks like an option and is none of `of`.
std::string did_you_mean(const std::vector<std::string>& words, const CLI::App& of) {
  std::vector<std::string> names;
  for (const CLI::Option* option : of.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (name.rfind("--", 0) == 0 && std::find(names.begin(), names.end(), name) == names.end()) return did_you_mean(name, names);
  }
  return {};
}

std::optional<parsed_command_line> refuse_unknown(const std::string& first) {
  if (!is_no_command(first)) return std::nullopt;
  std::vector<std::string> names;
  std::string listed;
  for (const command_description* c : all_commands()) listed += ' ' + names.emplace_back(c->name);
  return usage_error("there is no command '" + first + "', and no file or folder", did_you_mean(first, names) + "the commands are:" + listed);
}

// The words after the program's name, in the one spelling that is parsed.
std::vector<std::string> spelled(int count, const char* const* arguments) {
  std::vector<std::string> words(arguments + 1, arguments + count);
  if (!words.empty() && words.front() == "help") {  // "profkit help ops" is "profkit ops --help"
    words.erase(words.begin());
    words.insert(words.begin() + (words.empty() ? 0 : 1), "--help");
  }
  if (words.empty()) words.emplace_back("--help");
  if (is_path(words.front())) words.emplace(words.begin(), "report");
  // The reference tool writes --no_correction where others write --no-correction.
  if (words.front() == "merge")
    for (std::string& word : words)
      if (word.rfind("--", 0) == 0)
        std::replace(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(std::min(word.find('='), word.size())),
                     '_', '-');
  return words;
}

std::string help_text(const CLI::App& of) {
  std::string text = of.help();
  for (std::size_t at; (at = text.find("\n\n\n")) != std::string::npos;) text.erase(at, 1);
  while (text.size() > 1 && text.compare(text.size() - 2, 2, "\n\n") == 0) text.pop_back();
  return text;
}

}  // namespace

parsed_command_line parse_command_line(int count, const char* const* arguments) {
  const std::vector<std::string> words = spelled(count, arguments);
  if (std::optional<parsed_command_line> refused = refuse_unknown(words.front())) return std::move(*refused);

  CLI::App app{"Opens the profile of an ML accelerator and says what is inside", "profkit"};
  app.formatter(std::make_shared<help_formatter>());
  app.set_help_flag("-h,--help", "This text");
  app.set_version_flag("--version", "profkit " PROFKIT_VERSION, "The version");
  app.require_subcommand(1);
  app.footer(std::string("Examples:\n"
                         "  profkit logdir                      what is in the newest run below a directory\n"
                         "  profkit ops vm.xplane.pb            where the time went\n"
                         "  profkit ops --help                  options and examples of a command\n\n") +
             exit_status_help);
  std::map<std::string, std::unique_ptr<command_options>> takers;
  for (const command_description* command : all_commands()) {
    takers[command->name] = command->make_options();
    add_command(app, *command, *takers[command->name]);
  }

  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app.parse(reversed);
  } catch (const CLI::CallForVersion&) {
    return {nullptr, "profkit " PROFKIT_VERSION "\n", exit_ok};
  } catch (const CLI::CallForHelp&) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    return {nullptr, help_text(chosen.empty() ? app : *chosen.front()), exit_ok};
  } catch (const CLI::ParseError& e) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    if (chosen.empty()) return usage_error(e.what(), "profkit --help");
    return usage_error(e.what(), did_you_mean(words, *chosen.front()) + "profkit " + chosen.front()->get_name() + " --help");
  }
  const std::string name = app.get_subcommands().front()->get_name();
  std::unique_ptr<command_options>& asked = takers[name];
  if (std::optional<fault> wrong = asked->understand()) return usage_error(*wrong);
  if (std::optional<fault> wrong = outputs_in_one_file(*asked, "profkit " + name + " --help")) return usage_error(*wrong);
  return {std::move(asked), {}, exit_ok};
}

}  // namespace profkit_tool
