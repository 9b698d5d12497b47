// What ran around an event: the events of its line that enclose it.
#pragma once
#include "allocator_events.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

inline constexpr std::size_t deepest_chain = 100;

// Names of the events on a line that enclose an event, outermost first and at most `deepest_chain`, for several events
// of one line: `events` are their offsets in the line, each where the event before it ends. Holds what encloses
// one of them, not the line.
std::vector<std::vector<std::string_view>> enclosing_events(const plane_index& plane, const allocator_line& line,
                                                            const std::vector<std::uint64_t>& events);

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
