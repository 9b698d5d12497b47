#include "places.hpp"

#include <profkit/core/step_groups.hpp>
#include <profkit/core/text.hpp>

namespace profkit_tool {

using profkit::escape_for_terminal;

std::string no_xspace_text(const profkit::profile& p, const profkit::anatomy_options& asked) {
  if (std::string why = profkit::why_nothing(p, asked); !why.empty()) return why;
  const profkit::capture& found = p.what();
  if (found.files.size() == 1 && found.runs.empty() && found.files.front().family != profkit::file_family::xspace) {
    const bool is_trace = found.files.front().family == profkit::file_family::chrome_trace;
    return "this needs an XSpace (*.xplane.pb), and " + found.path + " is none" +
           (is_trace ? "; `profkit chrome` shows Chrome traces" : "");
  }
  std::string families;
  for (const profkit::capture_file& file : found.files) {
    const std::string family = profkit::family_name(file.family);
    if (families.find(family) == std::string::npos) families += (families.empty() ? "" : ", ") + family;
    if (file.family == profkit::file_family::xspace) return "nothing matches the filters";
  }
  return "no *.xplane.pb in " + found.path + " (found: " + families + ')';
}

std::string short_plane_name(std::string_view name) {
  return escape_for_terminal(profkit::short_plane_name(name));
}

std::string step_place(const profkit::step_row& row) { return escape_for_terminal(profkit::step_place_name(row)); }

}  // namespace profkit_tool
