// The parts of fill_timeline(): one function a format.
#pragma once
#include <profkit/core/profile.hpp>

#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Each adds the tracks of one file (an index into p.what().files of that family) and then their events, with
// times on the capture's clock. Damage found on the way is told after everything intact was handed over.
result<void> fill_from_xspace(const profile& p, std::size_t file, timeline_sink& into);  // fill_xspace.cpp
result<void> fill_from_chrome(const profile& p, std::size_t file, timeline_sink& into);  // chrome_fill.cpp
result<void> fill_from_ascend(const profile& p, std::size_t file, timeline_sink& into);  // fill_ascend.cpp
result<void> fill_from_neutrino(const profile& p, std::size_t file, timeline_sink& into);  // neutrino_fill.cpp
result<void> fill_from_recording(const profile& p, std::size_t file, timeline_sink& into);  // recording_fill.cpp

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
