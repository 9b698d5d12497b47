// How far kernels of one stream may overlap.
#pragma once
#include <profkit/namespace.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// How far a kernel may last over the start of a later one. In 16 captures of CUDA and ROCm 27 ns are common (the grain of a
// clock) and 3.7 us the most (a kernel that was launched early, next to the end of its predecessor).
inline constexpr std::int64_t overlap_allowed_ps = 1'000'000'000;

// How far events of a line last over the start of one that begins after them: never less than they do, and exactly where they are in
// order.
class overrun_meter {
 public:
  // In the order of the file.
  void note(std::int64_t start_ps, std::int64_t end_ps) noexcept {
    if (__builtin_expect(reached_ps_ > start_ps, 0)) widen(max_ps_, reached_ps_, start_ps);
    reached_ps_ = std::max(reached_ps_, end_ps);
    if (__builtin_expect(start_ps >= latest_ps_, 1)) {
      latest_ps_ = start_ps;
    } else {
      widen(max_disorder_ps_, latest_ps_, start_ps);
      widen(max_ps_, end_ps, start_ps);
    }
  }
  [[nodiscard]] std::int64_t max_ps() const noexcept { return max_ps_; }
  // How much earlier an event starts than one before it, at most.
  [[nodiscard]] std::int64_t max_disorder_ps() const noexcept { return max_disorder_ps_; }

 private:
  static void widen(std::int64_t& most, std::int64_t to_ps, std::int64_t from_ps) noexcept {
    most = std::max(most, checked_sub(to_ps, from_ps).value_or(std::numeric_limits<std::int64_t>::max()));
  }
  std::int64_t max_ps_ = 0, max_disorder_ps_ = 0;
  std::int64_t latest_ps_ = std::numeric_limits<std::int64_t>::min(), reached_ps_ = latest_ps_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
