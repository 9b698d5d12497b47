// The value of a piecewise map on one segment: the hot part of a merge, without a division.
#pragma once
#include <profkit/core/clock.hpp>
#include <profkit/wire.hpp>

#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

__extension__ using wide_product = __int128;

// A segment with what makes its evaluation cheap: excess / length as a fixed-point number.
struct quick_segment {
  static constexpr int fraction_bits = 62;
  // Within these |x| and lengths no sum below can leave int64.
  static constexpr std::int64_t max_x = std::int64_t{1} << 59;
  static constexpr std::int64_t max_length = std::int64_t{1} << 60;

  std::int64_t from = 0, to = 0;  // nothing lies in an empty one: evaluate the map itself
  std::int64_t x0 = 0, y0 = 0, excess = 0, length = 1, multiplier = 0;

  quick_segment() noexcept = default;
  // Of values v that stand for x = v + base.
  quick_segment(const piecewise_map::segment& s, std::int64_t base) noexcept {
    const auto small = [](std::int64_t n) { return n <= max_x && n >= -max_x; };
    if (!small(s.x0) || !small(s.y0) || !small(base) || s.length > max_length) return;
    if (s.excess != 0 && (s.excess >= s.length / 2 || -s.excess >= s.length / 2)) return;
    from = (s.from < -max_x ? -max_x : s.from) - base;
    to = (s.to > max_x ? max_x : s.to) - base;
    x0 = s.x0 - base;
    y0 = s.y0;
    excess = s.excess;
    length = s.length;
    multiplier =
        static_cast<std::int64_t>(static_cast<wide_product>(excess) * (wide_product{1} << fraction_bits) / length);
  }
  [[nodiscard]] PROFKIT_ALWAYS_INLINE bool holds(std::int64_t x) const noexcept { return x >= from && x < to; }

  // The value that the map gives: exact, rounded half up. The product with the multiplier is off by at most one; the
  // rest of the division shows it.
  [[nodiscard]] PROFKIT_ALWAYS_INLINE std::int64_t operator()(std::int64_t x) const noexcept {
    const std::int64_t dx = x - x0;
    auto bent = static_cast<std::int64_t>((static_cast<wide_product>(dx) * multiplier) >> fraction_bits);
    auto rest = static_cast<std::int64_t>(static_cast<std::uint64_t>(dx) * static_cast<std::uint64_t>(excess) -
                                          static_cast<std::uint64_t>(bent) * static_cast<std::uint64_t>(length));
    // Half of the events are rounded up: no branch could guess which.
    const std::int64_t up = 2 * rest >= length;
    rest -= -up & length;
    bent += up;
    while (!PROFKIT_LIKELY(2 * rest < length)) {
      rest -= length;
      ++bent;
    }
    while (!PROFKIT_LIKELY(2 * rest >= -length)) {
      rest += length;
      --bent;
    }
    return y0 + dx + bent;
  }
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
