// The live curve, thinned without losing its extremes.
#include "hlo_report.hpp"

#include <profkit/time.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

// First, last and every turning point; of a plateau its first point.
std::vector<curve_point> turning_points(const std::vector<curve_point>& all) {
  std::vector<curve_point> kept;
  for (const curve_point& next : all) {
    if (!kept.empty() && kept.back().live_bytes == next.live_bytes) continue;
    if (kept.size() >= 2) {
      const std::int64_t a = kept[kept.size() - 2].live_bytes, b = kept.back().live_bytes;
      if ((a < b) == (b < next.live_bytes)) kept.pop_back();
    }
    kept.push_back(next);
  }
  if (!all.empty() && kept.back().event != all.back().event) kept.push_back(all.back());
  return kept;
}

}  // namespace

live_curve thin_out(const std::vector<curve_point>& all, std::uint64_t max_points) {
  live_curve out;
  out.n_events = all.size();
  if (all.size() <= max_points) {
    out.points = all;
    return out;
  }
  out.points = turning_points(all);
  if (out.points.size() <= max_points) return out;
  out.every_extremum = false;
  const std::vector<curve_point> turns = std::move(out.points);
  out.points.clear();
  const auto lower = [](const curve_point& a, const curve_point& b) { return a.live_bytes < b.live_bytes; };
  if (max_points < 2) {
    if (max_points == 1) out.points.push_back(*std::max_element(turns.begin(), turns.end(), lower));
    return out;
  }
  const std::uint64_t buckets = max_points / 2;
  std::size_t from = 0;
  for (std::uint64_t b = 0; b < buckets; ++b) {
    const auto to =
        static_cast<std::size_t>(turns.size() / buckets * (b + 1) + turns.size() % buckets * (b + 1) / buckets);
    const auto first = turns.begin() + static_cast<std::ptrdiff_t>(from),
               last = turns.begin() + static_cast<std::ptrdiff_t>(to);
    from = to;
    if (first == last) continue;
    const auto lowest = std::min_element(first, last, lower), highest = std::max_element(first, last, lower);
    out.points.push_back(lowest < highest ? *lowest : *highest);
    if (lowest != highest) out.points.push_back(lowest < highest ? *highest : *lowest);
  }
  return out;
}

live_curve curve_of(const program_study& study, const space_study& space, std::uint64_t max_points) {
  std::vector<curve_point> all;
  if (space.replay) {
    all.reserve(space.replay->events().size());
    space.replay->visit_curve([&](std::int64_t event, std::int64_t live) { all.push_back({event, live}); });
  } else if (space.facts.method == peak_method::schedule_sweep) {
    static_cast<void>(sweep(study.code, space.swept, space.lives, space.base, space.positions, &all));
  }
  for (curve_point& point : all) point.live_bytes = saturating_add(point.live_bytes, space.facts.indefinite_bytes);
  return thin_out(all, max_points);
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
