// Answers to the shipped questions over many captures: for a screen, as a page, as a JSON document. A build without SQLite says so.
#pragma once
#include "options.hpp"

#include <string>
#include <vector>

namespace profkit_tool {

// No questions: those of the screen.
int run_fleet(const options& asked, const std::vector<std::string>& captures, const std::vector<std::string>& questions);

}  // namespace profkit_tool
