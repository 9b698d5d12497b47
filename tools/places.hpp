// Names of places in a capture, for rows and headings.
#pragma once
#include <profkit/core/anatomy.hpp>

#include <string>
#include <string_view>

namespace profkit_tool {

// Why a slice of XSpace files is absent although there are files.
std::string no_xspace_text(const profkit::profile& p, const profkit::anatomy_options& asked);

// profkit::short_plane_name(), escaped.
std::string short_plane_name(std::string_view name);
// Where the steps of a row lie, for a person: "TPU:0", "host".
std::string step_place(const profkit::step_row& row);

}  // namespace profkit_tool
