#include "fleet_questions.hpp"

#include "fleet_questions_text.hpp"

#include <algorithm>
#include <iterator>

namespace profkit_tool {
namespace {

constexpr const char* questions_of_screen[] = {"coverage", "uses", "causes", "waits", "stragglers", "regressions", "clocks", "links", "headroom"};

std::size_t place_of_question(const std::string& name) noexcept {
  const auto* const at = std::find_if(std::begin(questions_of_screen), std::end(questions_of_screen),
                                      [&](const char* one) { return name == one; });
  return static_cast<std::size_t>(at - std::begin(questions_of_screen));
}

// The comment at the head of a query: its first line is the title.
fleet_question read_question(const shipped_question& given) {
  fleet_question made{given.name, "", "", given.query};
  std::size_t at = 0;
  while (made.query.compare(at, 3, "-- ") == 0) {
    const std::size_t end = made.query.find('\n', at);
    const std::string line = made.query.substr(at + 3, end - at - 3);
    if (at == 0)
      made.title = line;
    else
      made.note += (made.note.empty() ? "" : " ") + line;
    at = end + 1;
  }
  return made;
}

}  // namespace

std::vector<fleet_question> all_questions() {
  std::vector<fleet_question> all;
  for (const shipped_question& one : shipped_questions) all.push_back(read_question(one));
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return place_of_question(a.name) < place_of_question(b.name); });
  return all;
}

bool is_on_screen(const fleet_question& question) noexcept {
  return place_of_question(question.name) < std::size(questions_of_screen);
}

}  // namespace profkit_tool
