#include "places.hpp"

#include <profkit/core/step_groups.hpp>
#include <profkit/core/text.hpp>
#include <profkit/core/tree.hpp>

namespace profkit_tool {

using profkit::escape_for_terminal;

std::string no_planes_text(const profkit::profile& p, const profkit::query_filters& asked) {
  if (std::string why = profkit::why_nothing(p, asked); !why.empty()) return why;
  return p.is_any_xspace() ? "nothing matches the filters" : profkit::why_no_planes(p);
}

const char* phase_meaning(std::string_view phase) noexcept {
  static constexpr struct {
    const char* phase;
    const char* meaning;
  } table[] = {{"X", "complete"},
               {"B", "begin"},
               {"E", "end"},
               {"i", "instant"},
               {"I", "instant"},
               {"C", "counter"},
               {"M", "metadata"},
               {"s", "flow start"},
               {"t", "flow step"},
               {"f", "flow end"},
               {"b", "async begin"},
               {"n", "async instant"},
               {"e", "async end"},
               {"N", "object created"},
               {"D", "object deleted"},
               {"O", "object snapshot"},
               {"R", "mark"}};
  for (const auto& row : table)
    if (phase == row.phase) return row.meaning;
  return "";
}

std::string short_plane_name(std::string_view name) {
  return escape_for_terminal(profkit::short_plane_name(name));
}

std::string step_place(const profkit::step_row& row) { return escape_for_terminal(profkit::step_place_name(row)); }

}  // namespace profkit_tool
