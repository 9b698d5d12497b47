// The steps of each plane together.
#pragma once
#include "statistics.hpp"

#include <profkit/core/anatomy.hpp>

#include <cstddef>
#include <vector>

namespace profkit_tool {

struct step_group {
  profkit::step_row first;
  duration_statistics times;
  std::size_t longest = 0;  // which one is the longest
};
// Of one file, plane and source, in the order of the steps.
// Where the steps of a row lie, for a person: "TPU:0", "host".
std::string step_place(const profkit::step_row& row);

std::vector<step_group> group_steps(const profkit::step_list& steps);

}  // namespace profkit_tool
