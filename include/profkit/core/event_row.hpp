// One decoded event. This header has no function on purpose: the BMI2 translation unit includes it, and code
// that a linker may merge must never come out of that unit.
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// One event of an XSpace. `stats` is the tail of the event message from its first stat on: read it with
/// message_range<stat_view, 4>. stats + stats_bytes is always the end of the event, where the next one starts.
struct event_row {
  std::int64_t metadata_id;
  std::int64_t offset_ps;        ///< ps after the line's timestamp; 0 for aggregated events
  std::int64_t duration_ps;      ///< as written: 0 is an instant
  std::int64_t num_occurrences;  ///< of an aggregated event, else 0
  const char* stats;
  std::uint32_t stats_bytes;  ///< an event larger than 4 GiB is damage
  std::uint32_t flags;        ///< event_has_offset, event_has_occurrences
};
/// Flags of event_row: which of offset_ps and num_occurrences was written (of both the last counts: one oneof).
inline constexpr std::uint32_t event_has_offset = 1, event_has_occurrences = 2;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
