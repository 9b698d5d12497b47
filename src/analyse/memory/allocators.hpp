// What each allocator did, replayed in the order of time.
#pragma once
#include "allocator_events.hpp"

#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// Positions of events in collected_events::events, in the order of time; events at one instant keep their order.
struct allocator_track {
  std::vector<std::uint32_t> events;
};
std::vector<allocator_track> tracks_of(const collected_events& all);

// One allocation and the event that ends it.
struct allocation_span {
  std::uint32_t allocation = 0;           // event
  std::uint32_t deallocation = no_event;  // event; no_event: alive at the end of the trace
  static constexpr std::uint32_t no_event = 0xffffffffU;
};

struct allocator_replay {
  allocator_memory facts;                    // but for names
  std::vector<allocation_span> spans;        // in the order of the allocations
  std::vector<std::int64_t> live_bytes;      // after each event of the track: seen allocated + left from before
  std::vector<std::uint32_t> live_count;     // allocations seen and alive after each event
  std::vector<std::int64_t> occupied_bytes;  // reserved for programs and allocated, after each event
  std::uint32_t occupancy_peak_at = 0;       // position in the track
  double drift_pct = 0;                      // largest disagreement with bytes_allocated, in percent of it
};
allocator_replay replay_allocator(const collected_events& all, const allocator_track& track);

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
