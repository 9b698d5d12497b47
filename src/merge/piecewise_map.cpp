// A piecewise-linear map in integers: differences first, one division, one rounding.
#include <profkit/core/clock.hpp>
#include <profkit/time.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

__extension__ using wide = __int128;

constexpr std::int64_t ppt = 1'000'000'000'000;
constexpr std::int64_t most_narrow = std::int64_t{1} << 62;

// product / length to the nearest whole, halves up; length > 0.
template <class Integer>
std::int64_t rounded(Integer product, std::int64_t length) noexcept {
  Integer whole = product / length;
  Integer rest = product % length;
  if (rest < 0) {
    rest += length;
    --whole;
  }
  if (rest >= length - rest) ++whole;
  return static_cast<std::int64_t>(whole);
}

}  // namespace

piecewise_map::piecewise_map(const std::vector<knot>& knots, const end_slopes& ends) {
  if (knots.empty()) return;
  const auto add = [&](std::int64_t from, const knot& at, std::int64_t excess, std::int64_t length) {
    const auto size = static_cast<std::int64_t>(magnitude(excess));
    segments_.push_back({from, at.x, at.y, excess, length, size == 0 ? most_narrow : most_narrow / size});
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
      ends.before_ppt ? std::pair<std::int64_t, std::int64_t>{*ends.before_ppt, ppt} : nearest(true);
  const auto [after_excess, after_length] =
      ends.after_ppt ? std::pair<std::int64_t, std::int64_t>{*ends.after_ppt, ppt} : nearest(false);
  segments_.reserve(knots.size() + 1);
  add(std::numeric_limits<std::int64_t>::min(), knots.front(), before_excess, before_length);
  for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
    const std::int64_t length = knots[i + 1].x - knots[i].x;
    if (length > 0) add(knots[i].x, knots[i], knots[i + 1].y - knots[i].y - length, length);
  }
  add(knots.back().x, knots.back(), after_excess, after_length);
  first_x_ = knots.front().x;
  last_x_ = knots.back().x;
}

std::int64_t piecewise_map::operator()(std::int64_t x, cursor& at) const noexcept {
  if (x > most_value_ps || x < -most_value_ps) return out_of_reach_ps;
  if (segments_.empty()) return x;
  std::size_t i = at.segment < segments_.size() ? at.segment : 0;
  if (x < segments_[i].from || (i + 1 < segments_.size() && x >= segments_[i + 1].from)) {
    const auto after = std::upper_bound(segments_.begin(), segments_.end(), x,
                                        [](std::int64_t value, const segment& s) { return value < s.from; });
    i = static_cast<std::size_t>(after - segments_.begin()) - 1;
    at.segment = i;
  }
  const segment& s = segments_[i];
  const std::int64_t dx = x - s.x0;  // both within 2^62
  const std::int64_t bent =
      dx <= s.narrow_most && -dx <= s.narrow_most ? rounded<std::int64_t>(dx * s.excess, s.length) : [&] {
        const wide product = static_cast<wide>(dx) * s.excess;
        const wide whole = product / s.length;
        constexpr wide most = std::numeric_limits<std::int64_t>::max() / 4;
        return whole > most || whole < -most ? out_of_reach_ps : rounded<wide>(product, s.length);
      }();
  if (bent == out_of_reach_ps) return out_of_reach_ps;
  const auto y = checked_add(dx, bent);
  const auto sum = y ? checked_add(*y, s.y0) : y;
  return sum ? *sum : out_of_reach_ps;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
