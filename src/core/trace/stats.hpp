// Stats with their names: what every slice shows beside an event, a metadata entry or a plane.
#pragma once
#include <profkit/core/named_stat.hpp>

#include <formats/xspace/event_stats.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Looks up the stat's name, and for a ref value the text it refers to, in the plane's stat metadata.
[[nodiscard]] named_stat name_stat(const plane_index& plane, const stat_view& stat, named_stat::origin from) noexcept;

// All stats of a range (event, metadata or plane), in wire order; limit 0 takes all.
template <class Range>
[[nodiscard]] std::vector<named_stat> name_stats(const plane_index& plane, const Range& stats, named_stat::origin from,
                                                 std::uint64_t limit = 0) {
  std::vector<named_stat> named;
  for (const stat_view stat : stats) {
    if (limit != 0 && named.size() == limit) break;
    named.push_back(name_stat(plane, stat, from));
  }
  return named;
}

// The plane's own stats.
[[nodiscard]] std::vector<named_stat> plane_stats(const plane_index& plane);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
