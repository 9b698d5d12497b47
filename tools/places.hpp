// Names of places in a capture, for rows and headings.
#pragma once
#include <profkit/core/filters.hpp>
#include <profkit/core/named_stat.hpp>
#include <profkit/core/steps.hpp>

#include <string>
#include <string_view>

namespace profkit_tool {

// What a phase of the trace-event format means ("B": "begin"); "" for one that it does not name.
const char* phase_meaning(std::string_view phase) noexcept;

// Why there is neither a tree nor metadata although there are files.
std::string no_planes_text(const profkit::profile& p, const profkit::query_filters& asked);

// profkit::short_plane_name(), escaped.
std::string short_plane_name(std::string_view name);
// Where the steps of a row lie, for a person: "TPU:0", "host".
std::string step_place(const profkit::step_row& row);

}  // namespace profkit_tool
