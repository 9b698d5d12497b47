// What the reference holds to be live: allocations by pool and address.
#pragma once
#include <analyse/memory/allocator_events.hpp>
#include <base/hash_map.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// Live allocations in the order of a Python dict: a key that is set again keeps its place.
class live_table {
 public:
  void allocate(const allocator_event& e) {
    places& at_address = by_addr_[e.addr];
    const auto [at, fresh] = at_address.by_pool.try_emplace(e.id);
    held& h = at->second;
    if (fresh) {
      h.rank = ++ranks_;
      at_address.oldest_first.emplace(h.rank, e.id);
      ++count_;
    } else {
      total_ -= h.bytes;
    }
    h.bytes = static_cast<std::uint64_t>(e.requested_bytes);
    h.place = e.place;
    total_ += h.bytes;
  }
  // The pool the memory was in; nothing when the address is not live.
  std::optional<std::int64_t> free(std::uint64_t addr) {
    const auto found = by_addr_.find(addr);
    if (found == by_addr_.end()) return std::nullopt;
    places& at_address = found->second;
    const auto oldest = at_address.oldest_first.begin();
    const std::int64_t pool = oldest->second;
    const auto held_at = at_address.by_pool.find(pool);
    total_ -= held_at->second.bytes;
    --count_;
    at_address.by_pool.erase(held_at);
    at_address.oldest_first.erase(oldest);
    if (at_address.by_pool.empty()) by_addr_.erase(found);
    return pool;
  }
  [[nodiscard]] std::int64_t total() const noexcept { return static_cast<std::int64_t>(total_); }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  // Where those that are live were allocated, in their order.
  [[nodiscard]] std::vector<event_place> live() const {
    std::vector<std::pair<std::uint64_t, event_place>> ranked;
    for (const auto& [addr, at_address] : by_addr_)
      for (const auto& [pool, h] : at_address.by_pool) ranked.emplace_back(h.rank, h.place);
    std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<event_place> out;
    for (const auto& [rank, place] : ranked) out.push_back(place);
    return out;
  }

 private:
  struct held {
    std::uint64_t rank = 0;
    std::uint64_t bytes = 0;
    event_place place;
  };
  struct places {  // at least one
    std::map<std::int64_t, held> by_pool;
    std::map<std::uint64_t, std::int64_t> oldest_first;  // rank -> pool
  };
  hash_map<std::uint64_t, places> by_addr_;
  std::uint64_t ranks_ = 0;
  std::uint64_t total_ = 0;  // wraps instead of overflowing
  std::uint64_t count_ = 0;
};

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
