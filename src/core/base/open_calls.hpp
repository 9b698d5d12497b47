// The calls of one thread that have not ended, the innermost last, when calls come by start, of equal starts the longer one first.
#pragma once
#include <profkit/namespace.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

template <class T>
class open_calls {
 public:
  void clear() noexcept { open_.clear(); }
  void close_until(std::int64_t at_ps) noexcept {
    while (!open_.empty() && open_.back().end_ps <= at_ps) open_.pop_back();
  }
  // From the innermost call outwards, while a call ends before that and is(what) holds.
  template <class Is>
  void close_ending_before(std::int64_t end_ps, Is&& is) noexcept {
    while (!open_.empty() && open_.back().end_ps < end_ps && is(open_.back().what)) open_.pop_back();
  }
  // Null: nothing is open.
  [[nodiscard]] const T* innermost() const noexcept { return open_.empty() ? nullptr : &open_.back().what; }
  // When a call ends that begins now: no later than the one that it begins in.
  [[nodiscard]] std::int64_t end_within(std::int64_t end_ps) const noexcept {
    return open_.empty() ? end_ps : std::min(end_ps, open_.back().end_ps);
  }
  void open(std::int64_t end_ps, T what) { open_.push_back({end_within(end_ps), what}); }

 private:
  struct call {
    std::int64_t end_ps;
    T what;
  };
  std::vector<call> open_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
