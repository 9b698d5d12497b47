// What the screens of `report` and `explain` share.
#pragma once
#include "session.hpp"

#include <profkit/core/report.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace profkit_tool {

// At most report_columns, fewer on a narrow terminal.
std::size_t columns_of(session& s);
// "  label     text", wrapped. The text is escaped already.
void print_fact(session& s, std::string label, const std::string& text);
// The first `most` commands under the heading Next, as a shell takes them.
void print_next(session& s, const std::vector<profkit::next_command>& next, std::size_t most);

}  // namespace profkit_tool
