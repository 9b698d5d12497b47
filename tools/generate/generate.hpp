// What scripts/generate writes into the repository, from what the commands say of themselves.
#pragma once
#include "command_line/commands.hpp"

#include <memory>
#include <string>
#include <vector>

namespace profkit_tool {

struct described_command {
  const command_description* is;
  std::unique_ptr<command_options> takes;
  option_list options;
};
using described_commands = std::vector<described_command>;

// "-o" and "--output" of "-o,--output". A spelling with '_' is there for the sake of other tools and left out.
[[nodiscard]] std::vector<std::string> spellings(const listed_option& of);
// "TRACES" of "--traces,TRACES"; "" of what cannot stand without its name.
[[nodiscard]] std::string argument_name(const listed_option& of);
// Every command takes it; the parser adds it.
[[nodiscard]] const listed_option& help_option();

[[nodiscard]] std::string bash_completion(const described_commands& all);
[[nodiscard]] std::string zsh_completion(const described_commands& all);
[[nodiscard]] std::string fish_completion(const described_commands& all);
// Lines of docs/man/profkit.1.
[[nodiscard]] std::string manual_commands(const described_commands& all);
[[nodiscard]] std::string manual_options(const described_commands& all);
// Lines of README.md.
[[nodiscard]] std::string readme_commands(const described_commands& all);

}  // namespace profkit_tool
