// Picosecond instants and durations: units, checked arithmetic, and the parts a number is printed from.
// Header-only, standard library only, no allocation, no exception; no floating point anywhere.
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>
#include <limits>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

inline constexpr std::int64_t ps_per_ns = 1'000;
inline constexpr std::int64_t ps_per_us = 1'000'000;
inline constexpr std::int64_t ps_per_ms = 1'000'000'000;
inline constexpr std::int64_t ps_per_s = 1'000'000'000'000;
inline constexpr std::int64_t ns_per_us = 1'000;
inline constexpr std::int64_t ns_per_ms = 1'000'000;
inline constexpr std::int64_t ns_per_s = 1'000'000'000;

/// The largest distance from an origin, in whole nanoseconds, that int64 picoseconds can hold: 106.75 days.
inline constexpr std::int64_t max_relative_ns = std::numeric_limits<std::int64_t>::max() / ps_per_ns;

/// Sum, difference and product, or nothing when the true result does not fit.
[[nodiscard]] constexpr std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) noexcept {
  using bounds = std::numeric_limits<std::int64_t>;
  if (b > 0 ? a > bounds::max() - b : a < bounds::min() - b) return std::nullopt;
  return a + b;
}
[[nodiscard]] constexpr std::optional<std::int64_t> checked_sub(std::int64_t a, std::int64_t b) noexcept {
  using bounds = std::numeric_limits<std::int64_t>;
  if (b > 0 ? a < bounds::min() + b : a > bounds::max() + b) return std::nullopt;
  return a - b;
}
[[nodiscard]] constexpr std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) noexcept {
  using bounds = std::numeric_limits<std::int64_t>;
  if (a == 0 || b == 0) return 0;
  const bool fits = a > 0 ? (b > 0 ? a <= bounds::max() / b : b >= bounds::min() / a)
                          : (b > 0 ? a >= bounds::min() / b : b >= bounds::max() / a);
  if (!fits) return std::nullopt;
  return a * b;
}

/// Sum that stops at the ends of the type: for a total that is shown, never for an instant.
[[nodiscard]] constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) noexcept {
  const auto sum = checked_add(a, b);
  if (sum) return *sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}
[[nodiscard]] constexpr std::int64_t saturating_mul(std::int64_t a, std::int64_t b) noexcept {
  const auto product = checked_mul(a, b);
  if (product) return *product;
  return (a > 0) == (b > 0) ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}
[[nodiscard]] constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept {
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

/// later - earlier, exact for any two instants; 0 when later < earlier.
[[nodiscard]] constexpr std::uint64_t distance_ps(std::int64_t earlier, std::int64_t later) noexcept {
  return later <= earlier ? 0 : static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier);
}

/// The magnitude of a signed number, exact also for the least one.
[[nodiscard]] constexpr std::uint64_t magnitude(std::int64_t n) noexcept {
  return n < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
}

/// An instant relative to an origin, both in ns since the Unix epoch, plus an offset in ps: the form in which
/// an XLine (timestamp_ns) and an XEvent (offset_ps) say when something was. Nanoseconds are subtracted before
/// they are scaled, because an epoch time in ps does not fit 64 bits. Nothing when the instant lies more than
/// ±106 days from the origin.
[[nodiscard]] constexpr std::optional<std::int64_t> relative_ps(std::int64_t timestamp_ns, std::int64_t origin_ns,
                                                                std::int64_t offset_ps = 0) noexcept {
  const auto distance_ns = checked_sub(timestamp_ns, origin_ns);
  if (!distance_ns || *distance_ns > max_relative_ns || *distance_ns < -max_relative_ns) return std::nullopt;
  return checked_add(*distance_ns * ps_per_ns, offset_ps);
}

/// A time cut for printing: [-]whole.fraction in some unit. `fraction` has exactly the digits asked for.
struct time_parts {
  bool negative = false;  ///< never set when everything shown is zero
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;
};

/// Cuts `ps` into units of 10^unit_exponent ps with `digits` decimals, rounded half away from zero:
/// exponent 3 is ns, 6 µs, 9 ms, 12 s; digits <= unit_exponent <= 18.
[[nodiscard]] constexpr time_parts split_ps(std::int64_t ps, unsigned unit_exponent, unsigned digits) noexcept {
  const auto power = [](unsigned exponent) {
    std::uint64_t p = 1;
    for (unsigned i = 0; i < exponent; ++i) p *= 10;
    return p;
  };
  const std::uint64_t step = power(unit_exponent - digits);  ///< the ps that the last shown digit stands for
  const std::uint64_t size = magnitude(ps);
  const std::uint64_t steps = size / step + (size % step >= step - size % step ? 1 : 0);
  const std::uint64_t unit = power(digits);
  return {ps < 0 && steps != 0, steps / unit, steps % unit};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
