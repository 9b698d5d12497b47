// What the reference holds to be live: allocations by pool and address.
#pragma once
#include "allocator_events.hpp"

#include <base/hash_map.hpp>

#include <map>
#include <set>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// Live allocations in the order of a Python dict: a key that is set again keeps its place.
class live_table {
 public:
  struct entry {
    std::uint32_t event;
    std::int64_t pool;
    std::uint64_t addr;
    bool alive;
  };
  void allocate(const allocator_event& e, std::uint32_t event) {
    places& at_address = by_addr_[e.addr];
    const auto [at, fresh] = at_address.by_pool.try_emplace(e.id, static_cast<std::uint32_t>(entries_.size()));
    if (!fresh) {
      total_ -= bytes_(entries_[at->second].event);
      entries_[at->second].event = event;
      total_ += static_cast<std::uint64_t>(e.requested_bytes);
      return;
    }
    at_address.oldest_first.insert(at->second);
    entries_.push_back({event, e.id, e.addr, true});
    total_ += static_cast<std::uint64_t>(e.requested_bytes);
    ++count_;
  }
  // The pool the memory was in; nothing when the address is not live.
  std::optional<std::int64_t> free(std::uint64_t addr) {
    const auto found = by_addr_.find(addr);
    if (found == by_addr_.end() || found->second.oldest_first.empty()) return std::nullopt;
    const std::uint32_t at = *found->second.oldest_first.begin();
    found->second.oldest_first.erase(found->second.oldest_first.begin());
    found->second.by_pool.erase(entries_[at].pool);
    entries_[at].alive = false;
    total_ -= bytes_(entries_[at].event);
    --count_;
    return entries_[at].pool;
  }
  explicit live_table(const std::vector<allocator_event>& events) : events_(events) {}
  [[nodiscard]] std::int64_t total() const noexcept { return static_cast<std::int64_t>(total_); }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  template <class Take>
  void visit(Take&& take) const {
    for (const entry& e : entries_)
      if (e.alive) take(e);
  }

 private:
  [[nodiscard]] std::uint64_t bytes_(std::uint32_t event) const {
    return static_cast<std::uint64_t>(events_[event].requested_bytes);
  }
  struct places {
    std::map<std::int64_t, std::uint32_t> by_pool;
    std::set<std::uint32_t> oldest_first;
  };
  const std::vector<allocator_event>& events_;
  std::vector<entry> entries_;
  hash_map<std::uint64_t, places> by_addr_;
  std::uint64_t total_ = 0;  // wraps instead of overflowing
  std::uint64_t count_ = 0;
};

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
