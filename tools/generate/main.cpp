// Prints one of the texts that scripts/generate writes into the repository.
#include "generate.hpp"

#include <cstdio>
#include <cstring>

namespace profkit_tool {

std::vector<std::string> spellings(const listed_option& of) {
  std::vector<std::string> found;
  for (std::size_t from = 0, comma = 0; comma != std::string::npos; from = comma + 1) {
    comma = of.names.find(',', from);
    const std::string name = of.names.substr(from, comma - from);
    if (name.front() == '-' && name.find('_') == std::string::npos) found.push_back(name);
  }
  return found;
}

std::string argument_name(const listed_option& of) {
  const std::string last = of.names.substr(of.names.rfind(',') + 1);
  return last.front() == '-' ? "" : last;
}

const listed_option& help_option() {
  static bool nowhere = false;
  static const listed_option help{option_kind::flag, "Output", "-h,--help", "", "Options and examples", &nowhere};
  return help;
}

}  // namespace profkit_tool

namespace {

using namespace profkit_tool;

struct generated_text {
  const char* name;
  std::string (*write)(const described_commands& all);
};
constexpr generated_text generated_texts[] = {
    {"bash", bash_completion},           {"zsh", zsh_completion},
    {"fish", fish_completion},           {"manual-commands", manual_commands},
    {"manual-options", manual_options}, {"readme", readme_commands},
};

}  // namespace

int main(int count, char** arguments) {
  described_commands all;
  for (const command_description* command : all_commands()) {
    all.push_back({command, command->make_options(), {}});
    all.back().takes->list(all.back().options);
  }
  for (const generated_text& text : generated_texts)
    if (count == 2 && std::strcmp(arguments[1], text.name) == 0)
      return std::fputs(text.write(all).c_str(), stdout) < 0 || std::fflush(stdout) != 0;
  std::fputs("usage: generate bash|zsh|fish|manual-commands|manual-options|readme\n", stderr);
  return 2;
}
