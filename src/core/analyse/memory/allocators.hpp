// What an allocator did, replayed in the order of time.
#pragma once
#include "allocator_events.hpp"

#include <base/hash_map.hpp>

#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// Keeps what is allocated, and sums.
class allocator_replay {
 public:
  struct held_allocation {
    std::int64_t bytes = 0;
    std::uint64_t at = 0;  // which event, counted from 0
    event_place place;
  };
  // The events of one allocator, in the order of time. Gives what was allocated at the event's address until then,
  // until the next event; null when nothing was.
  const held_allocation* take(const allocator_event& e);

  allocator_memory facts;               // but for names
  double drift_pct = 0;                 // largest disagreement with bytes_allocated, in percent of it
  std::uint64_t n_events = 0;           // taken
  std::int64_t live_bytes = 0;          // seen allocated, and left from before
  std::int64_t occupied_bytes = 0;      // reserved for programs and allocated
  std::uint64_t occupancy_peak_at = 0;  // which event, counted from 0
  [[nodiscard]] const hash_map<std::uint64_t, held_allocation>& live() const noexcept { return live_; }  // by address
  [[nodiscard]] std::uint64_t live_count() const noexcept { return live_.size(); }

 private:
  bool apply(const allocator_event& e);
  void compare(const allocator_event& e);

  hash_map<std::uint64_t, held_allocation> live_;
  held_allocation ended_;
  std::int64_t seen_ = 0;    // allocated and seen allocated
  std::int64_t before_ = 0;  // still there from before the trace
};

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
