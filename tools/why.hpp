// info --why: how the format of a file was detected. It opens no profile.
#pragma once
#include "options.hpp"

namespace profkit_tool {

int run_why(const options& asked);  // gives the exit status

}  // namespace profkit_tool
