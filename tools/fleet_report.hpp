// Answers to the shipped questions over many captures: for a screen, as a page, as a JSON document. A build without SQLite says so.
#pragma once
#include "options.hpp"

namespace profkit_tool {

int run_fleet(const options& asked);

}  // namespace profkit_tool
