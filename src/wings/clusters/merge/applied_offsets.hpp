// What a merge took the offsets between clocks for, as measurements that another merge can read.
#pragma once
#include <profkit/core/merge.hpp>

#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Offsets of a node's host clock at instants between two corrected times, close enough that straight lines between them are its map.
// Both bases are Unix ns: of the map's own zeros. `bounds` are relative to the second.
[[nodiscard]] std::vector<applied_offset> offsets_of_clock(const node_clock& clock, std::int64_t host_base_ns, std::int64_t reference_base_ns,
                                                           const node_bounds& bounds, std::int64_t first_ps, std::int64_t last_ps);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
