// Completions for shells.
#include "generate.hpp"
#include "text.hpp"

#include <algorithm>
#include <string_view>

namespace profkit_tool {
namespace {

std::string joined_words(const std::vector<std::string>& words, const char* between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string names_of(const described_commands& all) {
  std::vector<std::string> names;
  for (const described_command& command : all) names.emplace_back(command.is->name);
  return joined_words(names);
}

// `text` as it stands between single quotes: a backslash before each of `special`, `quote` for a single quote.
std::string between_quotes(const std::string& text, std::string_view special, const char* quote) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += quote;
      continue;
    }
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// ---- bash ----

std::string bash_case(const std::vector<std::string>& names, const std::string& body) {
  return names.empty() ? "" : "        " + joined_words(names, "|") + ") " + body + " ;;\n";
}

// What is offered after the name of an option, unless it is a file.
std::string bash_values(const described_command& command) {
  std::string cases;
  std::vector<std::string> nothing;
  for (const listed_option& o : command.options) {
    const std::vector<std::string> names = spellings(o);
    if (o.kind == option_kind::flag || names.empty()) continue;
    if (o.offer == shell_offer::nothing) nothing.insert(nothing.end(), names.begin(), names.end());
    if (o.offer == shell_offer::words)
      cases += bash_case(names, "COMPREPLY=($(compgen -W '" + joined_words(o.words) + "' -- \"$current\")); return");
    if (o.offer == shell_offer::folder)
      cases += bash_case(names, "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- \"$current\")); return");
  }
  return cases + bash_case(nothing, "return");
}

std::string bash_command(const described_command& command) {
  std::vector<std::string> options, files;
  std::string arguments;
  for (const listed_option& o : command.options) {
    const std::vector<std::string> names = spellings(o);
    options.insert(options.end(), names.begin(), names.end());
    if (names.empty()) arguments += joined_words(o.words);
    if (o.offer == shell_offer::file) files.insert(files.end(), names.begin(), names.end());
  }
  for (const std::string& name : spellings(help_option())) options.push_back(name);
  std::string values = bash_values(command);
  if (!arguments.empty()) values += bash_case(files, "arguments=");
  return std::string("    ") + command.is->name + ")\n      options='" + wrap(joined_words(options), 96, 8) + "'\n" +
         (arguments.empty() ? "" : "      arguments='" + arguments + "'\n") + "      case $previous in\n" + values +
         "      esac ;;\n";
}

// ---- zsh ----

std::string zsh_text(const std::string& text) { return between_quotes(text, "\\[]:", "'\\''"); }

std::string zsh_action(const listed_option& o) {
  switch (o.offer) {
    case shell_offer::nothing: break;
    case shell_offer::words: return "(" + joined_words(o.words) + ")";
    case shell_offer::file: return "_files";
    case shell_offer::folder: return "_files -/";
  }
  return "";
}

std::string zsh_option(const listed_option& o) {
  const std::vector<std::string> names = spellings(o);
  const bool many = o.kind == option_kind::repeated || o.kind == option_kind::values;
  std::vector<std::string> excluded;
  if (!many && names.size() > 1) excluded = names;
  if (!o.excluded.empty()) excluded.push_back(o.excluded);
  std::string before = excluded.empty() ? "" : "(" + joined_words(excluded) + ")";
  if (many) before += '*';
  std::string after = "[" + zsh_text(o.description) + "]";
  if (o.kind != option_kind::flag) after += ":" + zsh_text(o.value_name) + ":" + zsh_action(o);
  if (names.size() == 1) return "'" + before + names.front() + after + "'";
  return (before.empty() ? "" : "'" + before + "'") + "{" + joined_words(names, ",") + "}'" + after + "'";
}

std::string zsh_command(const described_command& command) {
  std::string text = std::string("        ") + command.is->name + ")\n          _arguments";
  int place = 0;
  const auto add = [&](const std::string& spec) { text += " \\\n            " + spec; };
  for (const listed_option& o : command.options) {
    if (!spellings(o).empty()) add(zsh_option(o));
    if (argument_name(o).empty()) continue;
    const bool many = o.kind == option_kind::arguments || o.kind == option_kind::values;
    add("'" + (many ? "*" : std::to_string(++place)) + ":" + argument_name(o) + ":" + zsh_action(o) + "'");
  }
  add(zsh_option(help_option()));
  return text + " ;;\n";
}

// ---- fish ----

std::string fish_text(const std::string& text) { return "'" + between_quotes(text, "\\", "\\'") + "'"; }

// What completes an option, after the condition that its command was typed.
std::string fish_option(const listed_option& o) {
  std::string text;
  for (const std::string& name : spellings(o))
    text += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (o.kind != option_kind::flag && !text.empty()) text += o.offer == shell_offer::file ? " -r" : " -x";
  if (o.offer == shell_offer::words) text += " -a " + fish_text(joined_words(o.words));
  if (o.offer == shell_offer::folder) text += " -a '(__fish_complete_directories)'";
  return text.empty() ? "" : text + " -d " + fish_text(o.description);
}

struct fish_line {
  std::string commands, option;
};

// An option that is the same for many commands is one line.
void add_to(std::vector<fish_line>& lines, const std::string& option, const char* command) {
  if (option.empty()) return;
  const auto same = std::find_if(lines.begin(), lines.end(), [&](const fish_line& l) { return l.option == option; });
  if (same == lines.end())
    lines.push_back({command, option});
  else
    same->commands += std::string(" ") + command;
}

}  // namespace

std::string bash_completion(const described_commands& all) {
  std::string text = R"(# bash completion for profkit, written by scripts/generate
_profkit() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= word
  local options= arguments= commands=')" +
                     names_of(all) + R"('
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " $commands help " in *" $word "*) command=$word; break ;; esac
  done
  case $command in
    '') COMPREPLY=($(compgen -W "$commands help --help --version" -- "$current")); return ;;
    help) COMPREPLY=($(compgen -W "$commands" -- "$current")); return ;;
)";
  for (const described_command& command : all) text += bash_command(command);
  return text + R"(  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *)
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -W "$arguments" -- "$current") $(compgen -f -- "$current"))
      ;;
  esac
}
complete -F _profkit profkit
)";
}

std::string zsh_completion(const described_commands& all) {
  std::string text = R"(#compdef profkit
# zsh completion for profkit, written by scripts/generate

_profkit() {
  local -a commands
  commands=(
)";
  for (const described_command& command : all)
    text += std::string("    '") + command.is->name + ":" + zsh_text(command.is->summary) + "'\n";
  text += R"(    'help:Help of a command'
  )
  local context state line
  _arguments -C '(- *)'{-h,--help}'[Help]' '(- *)--version[The version]' '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe 'command' commands ;;
    argument)
      case $words[1] in
        help) _describe 'command' commands ;;
)";
  for (const described_command& command : all) text += zsh_command(command);
  return text + R"(      esac
      ;;
  esac
}

_profkit "$@"
)";
}

std::string fish_completion(const described_commands& all) {
  std::string text = "# fish completion for profkit, written by scripts/generate\nset -l commands " + names_of(all) +
                     "\n\n";
  const std::string first = "complete -c profkit -n \"not __fish_seen_subcommand_from $commands help\"";
  text += first + " -f\n";
  for (const described_command& command : all)
    text += first + " -a " + command.is->name + " -d " + fish_text(command.is->summary) + "\n";
  text += first + " -a help -d 'Help of a command'\n" + first + " -l version -d 'The version'\n" + first +
          " -s h -l help -d 'Help'\n" +
          "complete -c profkit -n \"__fish_seen_subcommand_from help\" -f -a \"$commands\"\n\n";
  std::vector<fish_line> lines;
  for (const described_command& command : all) {
    for (const listed_option& o : command.options) add_to(lines, fish_option(o), command.is->name);
    add_to(lines, fish_option(help_option()), command.is->name);
  }
  for (const fish_line& line : lines)
    text += "complete -c profkit -n \"__fish_seen_subcommand_from " + line.commands + "\"" + line.option + "\n";
  return text;
}

}  // namespace profkit_tool
