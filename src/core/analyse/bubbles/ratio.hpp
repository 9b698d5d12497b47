// Exact comparisons and means of integers that a product would overflow.
#pragma once
#include <profkit/namespace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

__extension__ typedef __int128 wide_int;
inline constexpr std::int64_t millionths = 1'000'000;

// part / whole >= ppm / 10^6, as rationals. False when whole is 0.
[[nodiscard]] constexpr bool at_least(std::int64_t part, std::int64_t whole, std::int64_t ppm) noexcept {
  return whole > 0 && static_cast<wide_int>(part) * millionths >= static_cast<wide_int>(whole) * ppm;
}
// part / whole > ppm / 10^6.
[[nodiscard]] constexpr bool above(std::int64_t part, std::int64_t whole, std::int64_t ppm) noexcept {
  return whole > 0 && static_cast<wide_int>(part) * millionths > static_cast<wide_int>(whole) * ppm;
}
// part / whole in millionths, rounded down; 0 when whole is 0.
[[nodiscard]] constexpr std::int64_t ppm_of(std::int64_t part, std::int64_t whole) noexcept {
  return whole > 0 ? static_cast<std::int64_t>(static_cast<wide_int>(part) * millionths / whole) : 0;
}
[[nodiscard]] constexpr double ratio_of(std::int64_t part, std::int64_t whole) noexcept {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}
// a / b rounded half away from zero; 0 when b is 0.
[[nodiscard]] constexpr std::int64_t divided(wide_int a, std::int64_t b) noexcept {
  if (b <= 0) return 0;
  const wide_int half = b / 2;
  return static_cast<std::int64_t>((a >= 0 ? a + half : a - half) / b);
}
// The quantile at `percent` of `count` sorted values, between neighbours by the line that joins them (h = (n - 1) q).
template <class ValueAt>
[[nodiscard]] std::int64_t quantile_of(std::size_t count, std::uint64_t percent, ValueAt&& value_at) noexcept {
  if (count == 0) return 0;
  const std::uint64_t at = (count - 1) * percent;
  const std::size_t low = static_cast<std::size_t>(at / 100);
  const auto rest = static_cast<std::int64_t>(at % 100);
  const std::int64_t below = value_at(low);
  if (rest == 0) return below;
  return below + divided(static_cast<wide_int>(value_at(low + 1) - below) * rest, 100);
}
[[nodiscard]] inline std::int64_t quantile(const std::vector<std::int64_t>& sorted, std::uint64_t percent) noexcept {
  return quantile_of(sorted.size(), percent, [&](std::size_t i) { return sorted[i]; });
}
// The median of the others; `one` is among the values.
[[nodiscard]] inline std::int64_t median_without(const std::vector<std::int64_t>& sorted, std::int64_t one) noexcept {
  const auto skipped = static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), one) - sorted.begin());
  return quantile_of(sorted.size() - 1, 50, [&](std::size_t i) { return sorted[i < skipped ? i : i + 1]; });
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
