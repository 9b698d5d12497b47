// A clock that is given as a straight line: its map, and how far that can be wrong.
#pragma once
#include <profkit/core/merge.hpp>

#include <cstdint>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// All times of the node are host times. Empty where int64 ps since the bases cannot hold it.
[[nodiscard]] std::optional<node_clock> clock_of_given(const given_clocks& all, const given_clock& one, std::int64_t host_base_ns,
                                                       std::int64_t reference_base_ns);
// Windows that cover [first_ps, last_ps] of corrected time since reference_base_ns, and where clocks were compared.
[[nodiscard]] node_bounds bounds_of_given(const given_clocks& all, const given_clock& one, std::int64_t reference_base_ns,
                                          std::int64_t first_ps, std::int64_t last_ps);

// A clock whose device and host times are all mapped by one map.
[[nodiscard]] node_clock clock_of_map(std::int64_t node_id, piecewise_map host_to_reference, std::int64_t drift_ppt);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
