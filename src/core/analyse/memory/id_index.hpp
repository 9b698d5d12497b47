// Where a 64-bit id lies in a list: an array when ids are dense, else a hash map. Ids may be negative.
#pragma once
#include <profkit/namespace.hpp>

#include <base/hash_map.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

inline constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

class id_index {
 public:
  // ids[i] is the id of position i; of equal ids the last counts. Gives how many ids occurred before.
  std::uint64_t build(const std::vector<std::int64_t>& ids) {
    dense_.clear();
    sparse_.clear();
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
    for (const std::int64_t id : ids) {
      if (id < least) least = id;
      if (id > greatest) greatest = id;
    }
    std::uint64_t repeated = 0;
    if (ids.empty()) return 0;
    const std::uint64_t span = static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
    if (span < 4 * static_cast<std::uint64_t>(ids.size()) + 64) {
      base_ = least;
      dense_.assign(static_cast<std::size_t>(span) + 1, nowhere);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        std::uint32_t& at = dense_[offset_of(ids[i])];
        if (at != nowhere) ++repeated;
        at = static_cast<std::uint32_t>(i);
      }
      return repeated;
    }
    sparse_.reserve(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto [at, fresh] = sparse_.try_emplace(ids[i], static_cast<std::uint32_t>(i));
      if (fresh) continue;
      at->second = static_cast<std::uint32_t>(i);
      ++repeated;
    }
    return repeated;
  }

  [[nodiscard]] std::uint32_t find(std::int64_t id) const noexcept {
    if (!dense_.empty()) {
      const std::uint64_t at = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(base_);
      return at < dense_.size() ? dense_[static_cast<std::size_t>(at)] : nowhere;
    }
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? nowhere : found->second;
  }

 private:
  [[nodiscard]] std::size_t offset_of(std::int64_t id) const noexcept {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(base_));
  }
  std::int64_t base_ = 0;
  std::vector<std::uint32_t> dense_;
  hash_map<std::int64_t, std::uint32_t> sparse_;
};

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
