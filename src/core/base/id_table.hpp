// A value for each metadata id: by position for small numbers, as writers give them out, by hash for others.
#pragma once
#include <base/hash_map.hpp>
#include <profkit/wire.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

template <class Value>
class id_table {
 public:
  // What belongs to the id, a Value() at first; valid until the next call.
  Value& operator[](std::int64_t id) {
    const auto at = static_cast<std::uint64_t>(id);
    return __builtin_expect(at < by_position_.size(), 1) ? by_position_[at] : reach(id);
  }

  // What belongs to the id, or Value(); does not add the id.
  [[nodiscard]] PROFKIT_ALWAYS_INLINE Value find(std::int64_t id) const noexcept {
    const auto at = static_cast<std::uint64_t>(id);
    if (__builtin_expect(at < by_position_.size(), 1)) return by_position_[at];
    return at < max_positions || others_.empty() ? Value() : find_other(id);
  }

  // Calls use(id, value) for all that were asked for, and some that were not, whose value is still Value().
  template <class Use>
  void for_each(Use&& use) const {
    for (std::size_t id = 0; id < by_position_.size(); ++id) use(static_cast<std::int64_t>(id), by_position_[id]);
    for (const auto& [id, value] : others_) use(id, value);
  }

 private:
  static constexpr std::size_t max_positions = std::size_t{1} << 16;

  [[nodiscard]] PROFKIT_NOINLINE Value find_other(std::int64_t id) const noexcept {
    const auto found = others_.find(id);
    return found == others_.end() ? Value() : found->second;
  }

  Value& reach(std::int64_t id) {
    const auto at = static_cast<std::uint64_t>(id);
    if (at >= max_positions) return others_[id];
    by_position_.resize(std::min(max_positions, std::max<std::size_t>({64, at + 1, 2 * by_position_.size()})));
    return by_position_[at];
  }

  std::vector<Value> by_position_;
  hash_map<std::int64_t, Value> others_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
