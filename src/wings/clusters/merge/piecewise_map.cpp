// A piecewise-linear map in integers: differences first, one division, one rounding.
#include <profkit/core/clock.hpp>
#include <profkit/time.hpp>

#include <algorithm>

#include "segment_value.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int64_t trillion = 1'000'000'000'000;
constexpr std::int64_t min_x = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t past_x = std::numeric_limits<std::int64_t>::max();

// product / length to the nearest whole, halves up; length > 0.
wide_product rounded_excess(wide_product product, std::int64_t length) noexcept {
  wide_product whole = product / length;
  wide_product rest = product % length;
  if (rest < 0) {
    rest += length;
    --whole;
  }
  return rest >= length - rest ? whole + 1 : whole;
}

}  // namespace

piecewise_map::piecewise_map(const std::vector<knot>& knots, const end_slopes& ends) {
  if (knots.empty()) return;
  const auto add = [&](std::int64_t from, const knot& at, std::int64_t excess, std::int64_t length) {
    if (!segments_.empty()) segments_.back().to = from;
    segments_.push_back({from, past_x, at.x, at.y, excess, length});
  };
  // The slope of the segment nearest to an end; a lone knot is a shift.
  const auto nearest = [&](bool first) -> std::pair<std::int64_t, std::int64_t> {
    for (std::size_t i = 1; i < knots.size(); ++i) {
      const std::size_t at = first ? i : knots.size() - i;
      const std::int64_t length = knots[at].x - knots[at - 1].x;
      if (length > 0) return {knots[at].y - knots[at - 1].y - length, length};
    }
    return {0, 1};
  };
  const auto [before_excess, before_length] =
      ends.before_ppt ? std::pair<std::int64_t, std::int64_t>{*ends.before_ppt, trillion} : nearest(true);
  const auto [after_excess, after_length] =
      ends.after_ppt ? std::pair<std::int64_t, std::int64_t>{*ends.after_ppt, trillion} : nearest(false);
  segments_.reserve(knots.size() + 1);
  add(min_x, knots.front(), before_excess, before_length);
  for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
    const std::int64_t length = knots[i + 1].x - knots[i].x;
    if (length > 0) add(knots[i].x, knots[i], knots[i + 1].y - knots[i].y - length, length);
  }
  add(knots.back().x, knots.back(), after_excess, after_length);
  first_x_ = knots.front().x;
  last_x_ = knots.back().x;
}

piecewise_map::segment piecewise_map::piece_at(std::int64_t x) const noexcept {
  if (segments_.empty()) return {min_x, past_x, 0, 0, 0, 1};
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), x,
                                      [](std::int64_t value, const segment& s) { return value < s.from; });
  return *(after - 1);
}

std::int64_t piecewise_map::operator()(std::int64_t x, cursor& at) const noexcept {
  if (x > max_value_ps || x < -max_value_ps) return out_of_reach_ps;
  if (segments_.empty()) return x;
  std::size_t i = at.segment < segments_.size() ? at.segment : 0;
  if (x < segments_[i].from || x >= segments_[i].to) {
    const auto after = std::upper_bound(segments_.begin(), segments_.end(), x,
                                        [](std::int64_t value, const segment& s) { return value < s.from; });
    i = static_cast<std::size_t>(after - segments_.begin()) - 1;
    at.segment = i;
  }
  const segment& s = segments_[i];
  const std::int64_t dx = x - s.x0;  // |x| <= 2^62, |x0| <= 2^61
  const wide_product y =
      static_cast<wide_product>(s.y0) + dx + rounded_excess(static_cast<wide_product>(dx) * s.excess, s.length);
  return y > past_x || y <= min_x ? out_of_reach_ps : static_cast<std::int64_t>(y);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
