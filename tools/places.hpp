// Names of places in a capture, for rows and headings.
#pragma once
#include <profkit/core/anatomy.hpp>

#include <string>
#include <string_view>

namespace profkit_tool {

// Why a slice of XSpace files is absent although there are files.
std::string no_xspace_text(const profkit::profile& p, const profkit::anatomy_options& asked);

// "/device:TPU:0" as "TPU:0"; other names as they are, escaped; "(no name)" for none.
std::string short_plane_name(std::string_view name);

}  // namespace profkit_tool
