// Begin and end events of Chrome traces, brought together.
#pragma once
#include <profkit/core/timeline.hpp>

#include <base/hash_map.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Begin events that wait for their end, on one thread.
class open_begins {
 public:
  struct begin {
    std::int64_t start_ps;
    std::uint64_t ordinal;
    string_id name;
    std::uint32_t extra = 0;  // the reader's own
  };

  void push(const begin& b) {
    by_name_[b.name].push_back(b);
    order_.push_back({b.ordinal, b.name});
  }
  // The latest of that name, or the latest of all when the end event has none (name 0).
  std::optional<begin> pop(string_id name) {
    drop_closed();
    if (name == 0 && !order_.empty()) name = order_.back().name;
    const auto found = by_name_.find(name);
    if (found == by_name_.end() || found->second.empty()) return std::nullopt;
    const begin latest = found->second.back();
    found->second.pop_back();
    drop_closed();
    return latest;
  }
  // How many wait; `first` becomes the least ordinal among it and theirs.
  [[nodiscard]] std::uint64_t count(std::uint64_t& first) const {
    std::uint64_t waiting = 0;
    for (const auto& same_name : by_name_) {
      waiting += same_name.second.size();
      if (!same_name.second.empty()) first = std::min(first, same_name.second.front().ordinal);
    }
    return waiting;
  }

 private:
  struct entry {
    std::uint64_t ordinal;
    string_id name;
  };
  void drop_closed() {
    while (!order_.empty()) {
      const std::vector<begin>& same_name = by_name_[order_.back().name];
      if (!same_name.empty() && same_name.back().ordinal == order_.back().ordinal) return;
      order_.pop_back();
    }
  }
  hash_map<string_id, std::vector<begin>> by_name_;
  std::vector<entry> order_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
