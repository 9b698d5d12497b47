#include "allocators.hpp"

#include <profkit/time.hpp>

#include <algorithm>
#include <cmath>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

std::int64_t bytes_of(const allocator_event& e) noexcept { return std::max<std::int64_t>(e.allocation_bytes, 0); }

// What was allocated before the first event, by its own count.
std::int64_t bytes_before(const allocator_event& first) noexcept {
  if (!first.has_allocated) return 0;
  const std::int64_t base = first.is_allocation
                                ? first.bytes_allocated - std::min(bytes_of(first), first.bytes_allocated)
                                : saturating_add(first.bytes_allocated, bytes_of(first));
  return std::max<std::int64_t>(base, 0);
}

}  // namespace

const allocator_replay::held_allocation* allocator_replay::take(const allocator_event& e) {
  if (n_events == 0) before_ = facts.pre_trace_bytes = bytes_before(e);
  const bool ended = apply(e);
  if (seen_ > facts.heap_peak_bytes) {
    facts.heap_peak_bytes = seen_;
    facts.heap_peak_ps = e.start_ps;
  }
  live_bytes = facts.trace_end_live_bytes = saturating_add(seen_, before_);
  compare(e);
  const std::int64_t allocated = e.has_allocated ? std::max<std::int64_t>(e.bytes_allocated, 0) : live_bytes;
  occupied_bytes = saturating_add(std::max<std::int64_t>(e.bytes_reserved, 0), allocated);
  if (n_events == 0 || occupied_bytes > facts.occupancy_peak_bytes) {
    occupancy_peak_at = n_events;
    facts.occupancy_peak_bytes = occupied_bytes;
    facts.occupancy_peak_ps = e.start_ps;
    facts.reserved_at_peak_bytes = e.bytes_reserved;
    facts.allocated_at_peak_bytes = allocated;
    facts.available_at_peak_bytes = e.bytes_available;
    facts.fragmentation_at_peak = e.fragmentation;
  }
  facts.capacity_bytes =
      std::max(facts.capacity_bytes, saturating_add(occupied_bytes, std::max<std::int64_t>(e.bytes_available, 0)));
  facts.lifetime_peak_bytes = std::max(facts.lifetime_peak_bytes, e.peak_bytes_in_use);
  ++n_events;
  return ended ? &ended_ : nullptr;
}

// False when nothing was allocated there; else it is in ended_.
bool allocator_replay::apply(const allocator_event& e) {
  if (e.is_allocation) {
    ++facts.n_allocations;
    const auto [held, fresh] = live_.try_emplace(e.addr);
    if (!fresh) {
      ++facts.address_reuses;
      ended_ = held->second;
      seen_ = saturating_add(seen_, -ended_.bytes);
    }
    held->second = {bytes_of(e), n_events, e.place};
    seen_ = saturating_add(seen_, bytes_of(e));
    return !fresh;
  }
  ++facts.n_deallocations;
  const auto held = live_.find(e.addr);
  if (held == live_.end()) {
    ++facts.unmatched_frees;
    before_ = std::max<std::int64_t>(before_ - bytes_of(e), 0);
    return false;
  }
  ended_ = held->second;
  seen_ = saturating_add(seen_, -ended_.bytes);
  live_.erase(held);
  return true;
}

// With the allocator's own count.
void allocator_replay::compare(const allocator_event& e) {
  if (!e.has_allocated || live_bytes == e.bytes_allocated) return;
  facts.allocator_agrees = false;
  ++facts.disagreements;
  if (e.bytes_allocated <= 0) return;
  const auto counted = static_cast<double>(e.bytes_allocated);
  drift_pct = std::max(drift_pct, std::fabs(static_cast<double>(live_bytes) - counted) / counted * 100.0);
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
