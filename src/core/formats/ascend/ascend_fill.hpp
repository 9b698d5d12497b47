// Tables and traces of Ascend to timeline and activity.
#pragma once
#include <profkit/core/profile.hpp>

#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct activity_parts;

// See known_format.
result<void> fill_from_ascend(const profile& p, std::size_t file, track_sink& into, const tracks_wanted& wanted);  // fill_ascend.cpp
result<void> fill_activity_from_ascend(activity_parts& into);                           // activity_ascend.cpp

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
