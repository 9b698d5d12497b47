// The commands: their names, their help, and who takes their options.
#pragma once
#include "command_line/command_options.hpp"
#include "options.hpp"

#include <memory>

namespace profkit_tool {

struct command_help {
  command what;
  const char* name;
  const char* arguments;  // as the usage line shows them
  const char* summary;
  const char* details;
  const char* examples;
};

struct command_table {
  const command_help *first, *last;
  [[nodiscard]] const command_help* begin() const noexcept { return first; }
  [[nodiscard]] const command_help* end() const noexcept { return last; }
};
[[nodiscard]] command_table all_commands() noexcept;

[[nodiscard]] std::unique_ptr<command_options> options_of(command what);

}  // namespace profkit_tool
