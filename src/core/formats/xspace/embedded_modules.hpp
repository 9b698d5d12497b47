// The HloProtos inside an XSpace.
#pragma once
#include <formats/xspace/event_stats.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

inline constexpr std::string_view hlo_proto_stat = "Hlo Proto";  // kHloProto of XProf's xplane_schema

// Calls use(entry, blob) for every program that a plane carries. Of equal keys the last entry counts.
template <class Use>
void for_each_embedded_module(const plane_index& plane, Use&& use) {
  const std::vector<std::int64_t> ids = stat_ids(plane, hlo_proto_stat);
  if (ids.empty()) return;
  for (const std::string_view bytes : plane.event_metadata_entries) {
    const event_metadata_view entry(bytes);
    if (!counts_in(plane.event_metadata, entry.key(), bytes)) continue;
    for (const stat_view stat : entry.stats())
      if (stat.kind() == stat_kind::bytes_value && std::find(ids.begin(), ids.end(), stat.metadata_id()) != ids.end())
        use(entry, stat.as_bytes());
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
