// The shipped questions about many captures (bindings/python/src/profkit/questions).
#pragma once
#include <string>
#include <vector>

namespace profkit_tool {

struct fleet_question {
  std::string name, title, note, query;  // note: "" where there is no more to say
};

// Those of the screen, in its order, then the others.
[[nodiscard]] std::vector<fleet_question> all_questions();
[[nodiscard]] bool is_on_screen(const fleet_question& question) noexcept;

}  // namespace profkit_tool
