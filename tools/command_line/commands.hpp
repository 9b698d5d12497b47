#pragma once
#include "command_line/command.hpp"

#include <vector>

namespace profkit_tool {

// In the order of the help.
[[nodiscard]] std::vector<const command_description*> all_commands();

}  // namespace profkit_tool
