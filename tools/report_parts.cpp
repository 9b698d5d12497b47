#include "report_parts.hpp"

#include "table.hpp"
#include "text.hpp"

#include <profkit/core/text.hpp>

#include <algorithm>

namespace profkit_tool {

using profkit::escape_for_terminal;

std::size_t columns_of(session& s) { return std::min(report_columns, s.out().screen().columns); }

void print_fact(session& s, std::string label, const std::string& text) {
  constexpr std::size_t indent = 12;
  label.resize(indent - 2, ' ');
  s.out().line("  " + s.out().screen().paint(label, style::dim) + wrap(text, columns_of(s), indent));
}

void print_next(session& s, const std::vector<profkit::next_command>& next, std::size_t most) {
  const std::size_t shown = std::min(next.size(), most);
  const auto commands_with = [&](const std::string& path) {
    std::vector<std::string> commands;
    for (std::size_t i = 0; i < shown; ++i) {
      std::string command = "profkit " + next[i].arguments;
      command.replace(command.find("PATH"), 4, path);
      if (!s.asked().run.empty()) command += " --run " + profkit::shell_word(s.asked().run);
      commands.push_back(escape_for_terminal(command));
    }
    return commands;
  };
  std::vector<std::string> commands = commands_with(profkit::shell_word(shown_path(s.asked(), s.capture().what())));
  const auto width_of = [&] {
    std::size_t width = 0;
    for (const std::string& command : commands) width = std::max(width, profkit::terminal_width(command));
    return width;
  };
  // A command that would be cut cannot be copied: then PATH stands for the path.
  const bool fits = width_of() + 2 <= columns_of(s);
  if (!fits) commands = commands_with("PATH");
  const std::size_t width = width_of();
  s.heading(fits ? "Next" : "Next (PATH is the path above)");
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string why = "  # " + next[i].why;
    std::string line = "  " + commands[i];
    if (2 + width + profkit::terminal_width(why) <= columns_of(s))
      line += std::string(width - profkit::terminal_width(commands[i]), ' ') + s.out().screen().paint(why, style::dim);
    s.out().line(line);
  }
}

}  // namespace profkit_tool
