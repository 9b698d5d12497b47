// What a merge adds to a trace: whose a plane is, what is known of each node's clock, and when time zero was.
#pragma once
#include "merge_plan.hpp"

#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The stats tag_names of a plane, with the stat metadata that is new to it: fields of the plane.
std::string tags_of(const plane_plan& p, const merged_node& node);

// The plane /node:<id>/clock_metadata, as a field of the XSpace. `index` counts such planes.
std::string clock_plane_field(const merged_node& n, std::int64_t index, const merge_result& made,
                              const std::string& prefix);

// "[[from,to,tracer,host,flags],…]": times and bounds in ps; 1: extrapolated, 2: suspect. A bound of -1 is not known.
std::string windows_text(const node_bounds& bounds);

// The plane Task Environment, as a field of the XSpace.
std::string environment_field(const merge_plan& plan, std::int64_t origin_ns);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
