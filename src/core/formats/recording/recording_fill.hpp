// Recordings to timeline and activity.
#pragma once
#include <profkit/core/profile.hpp>

#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct activity_parts;

// See known_format.
result<void> fill_from_recording(const profile& p, std::size_t file, track_sink& into, const tracks_wanted& wanted);
result<void> fill_activity_from_recordings(activity_parts& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
