#include "allocators.hpp"

#include <profkit/time.hpp>

#include <base/hash_map.hpp>

#include <algorithm>
#include <cmath>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

std::vector<allocator_track> tracks_of(const collected_events& all) {
  std::vector<allocator_track> tracks(all.allocators.size());
  for (std::uint32_t i = 0; i < all.events.size(); ++i) tracks[all.events[i].allocator].events.push_back(i);
  for (allocator_track& t : tracks) {
    const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
      return all.events[a].start_ps < all.events[b].start_ps;
    };
    if (!std::is_sorted(t.events.begin(), t.events.end(), earlier))
      std::stable_sort(t.events.begin(), t.events.end(), earlier);
  }
  return tracks;
}

allocator_replay replay_allocator(const collected_events& all, const allocator_track& track) {
  allocator_replay out;
  allocator_memory& f = out.facts;
  hash_map<std::uint64_t, std::uint32_t> live;  // address -> position in spans
  std::int64_t seen = 0;                        // allocated and seen allocated
  std::int64_t before = 0;                      // still there from before the trace
  const auto bytes_of = [](const allocator_event& e) { return std::max<std::int64_t>(e.allocation_bytes, 0); };
  out.live_bytes.reserve(track.events.size());
  out.live_count.reserve(track.events.size());
  out.occupied_bytes.reserve(track.events.size());
  if (!track.events.empty()) {
    const allocator_event& first = all.events[track.events.front()];
    if (first.has_allocated) {
      const std::int64_t base = first.is_allocation
                                    ? first.bytes_allocated - std::min(bytes_of(first), first.bytes_allocated)
                                    : saturating_add(first.bytes_allocated, bytes_of(first));
      before = f.pre_trace_bytes = std::max<std::int64_t>(base, 0);
    }
  }
  bool any_peak = false;
  for (std::uint32_t at = 0; at < track.events.size(); ++at) {
    const allocator_event& e = all.events[track.events[at]];
    if (e.is_allocation) {
      ++f.n_allocations;
      const auto [place, fresh] = live.try_emplace(e.addr, static_cast<std::uint32_t>(out.spans.size()));
      if (!fresh) {
        ++f.address_reuses;
        allocation_span& old = out.spans[place->second];
        seen = saturating_add(seen, -bytes_of(all.events[old.allocation]));
        old.deallocation = track.events[at];
        place->second = static_cast<std::uint32_t>(out.spans.size());
      }
      out.spans.push_back({track.events[at]});
      seen = saturating_add(seen, bytes_of(e));
    } else {
      ++f.n_deallocations;
      const auto place = live.find(e.addr);
      if (place == live.end()) {
        ++f.unmatched_frees;
        before = std::max<std::int64_t>(before - bytes_of(e), 0);
      } else {
        allocation_span& span = out.spans[place->second];
        seen = saturating_add(seen, -bytes_of(all.events[span.allocation]));
        span.deallocation = track.events[at];
        live.erase(place);
      }
    }
    if (seen > f.heap_peak_bytes) {
      f.heap_peak_bytes = seen;
      f.heap_peak_ps = e.start_ps;
    }
    const std::int64_t ours = saturating_add(seen, before);
    out.live_bytes.push_back(ours);
    out.live_count.push_back(static_cast<std::uint32_t>(live.size()));
    if (e.has_allocated && ours != e.bytes_allocated) {
      ++f.disagreements;
      if (e.bytes_allocated > 0)
        out.drift_pct =
            std::max(out.drift_pct, std::fabs(static_cast<double>(ours) - static_cast<double>(e.bytes_allocated)) /
                                        static_cast<double>(e.bytes_allocated) * 100.0);
    }
    const std::int64_t allocated = e.has_allocated ? std::max<std::int64_t>(e.bytes_allocated, 0) : ours;
    const std::int64_t occupied = saturating_add(std::max<std::int64_t>(e.bytes_reserved, 0), allocated);
    out.occupied_bytes.push_back(occupied);
    if (!any_peak || occupied > f.occupancy_peak_bytes) {
      any_peak = true;
      f.occupancy_peak_bytes = occupied;
      f.occupancy_peak_ps = e.start_ps;
      f.reserved_at_peak_bytes = e.bytes_reserved;
      f.allocated_at_peak_bytes = allocated;
      f.available_at_peak_bytes = e.bytes_available;
      f.fragmentation_at_peak = e.fragmentation;
      out.occupancy_peak_at = at;
    }
    f.capacity_bytes =
        std::max(f.capacity_bytes, saturating_add(occupied, std::max<std::int64_t>(e.bytes_available, 0)));
    f.lifetime_peak_bytes = std::max(f.lifetime_peak_bytes, e.peak_bytes_in_use);
  }
  f.trace_end_live_bytes = out.live_bytes.empty() ? 0 : out.live_bytes.back();
  f.allocator_agrees = f.disagreements == 0;
  return out;
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
