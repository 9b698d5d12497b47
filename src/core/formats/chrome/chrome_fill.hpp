// Chrome traces to the timeline.
#pragma once
#include <profkit/core/profile.hpp>

#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// See known_format.
result<void> fill_from_chrome(const profile& p, std::size_t file, track_sink& into, const tracks_wanted& wanted);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
