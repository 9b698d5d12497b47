// The part of the clock in which the distance of two instants fits int64 ps: ±53 days, which no capture leaves.
#pragma once
#include <profkit/core/activity.hpp>

#include <algorithm>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

inline constexpr std::int64_t farthest_ps = (std::int64_t{1} << 62) - 1;

[[nodiscard]] inline bool is_within_reach(const kernel_row& k) noexcept {
  return k.start_ps >= -farthest_ps && k.start_ps <= farthest_ps && k.duration_ps >= 0 &&
         k.duration_ps <= farthest_ps - k.start_ps && k.wait_ps <= farthest_ps;
}

// A kernel as far as it lies within reach.
[[nodiscard]] inline kernel_row within_reach(kernel_row k) noexcept {
  k.start_ps = std::clamp(k.start_ps, -farthest_ps, farthest_ps);
  k.duration_ps = std::clamp<std::int64_t>(k.duration_ps, 0, farthest_ps - k.start_ps);
  k.wait_ps = std::min(k.wait_ps, farthest_ps);
  return k;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
