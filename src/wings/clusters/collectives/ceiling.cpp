#include "ceiling.hpp"

#include <algorithm>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

double clock_ceiling::at(double x) const noexcept {
  if (x <= corners_.front().x) return corners_.front().y + min_slope_ * (x - corners_.front().x);
  if (x >= corners_.back().x) return corners_.back().y + max_slope_ * (x - corners_.back().x);
  const auto right = std::lower_bound(corners_.begin(), corners_.end(), x, [](const point& p, double value) { return p.x < value; });
  const auto left = std::prev(right);
  return left->y + (right->y - left->y) * ((x - left->x) / (right->x - left->x));
}

bool clock_ceiling::lower(const std::vector<point>& points, double little) {
  const bool had = limits();
  std::vector<point> all;
  all.reserve(points.size() + corners_.size());
  for (const point& p : points)
    if (!had || p.y < at(p.x) - little) all.push_back(p);
  if (all.empty()) return false;
  all.insert(all.end(), corners_.begin(), corners_.end());
  const auto is_before = [](const point& a, const point& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; };
  // Calls come in the order of time.
  if (!std::is_sorted(all.begin(), all.end(), is_before)) std::sort(all.begin(), all.end(), is_before);
  std::vector<point> hull;
  for (const point& p : all) {
    if (!hull.empty() && hull.back().x == p.x) continue;
    // Points above the steepest line from the last corner do not matter.
    if (!hull.empty() && p.y >= hull.back().y + max_slope_ * (p.x - hull.back().x)) continue;
    while (!hull.empty()) {
      const point& b = hull.back();
      const bool needless = hull.size() == 1 ? b.y >= p.y + min_slope_ * (b.x - p.x)
                                             : (b.x - hull[hull.size() - 2].x) * (p.y - hull[hull.size() - 2].y) <=
                                                   (b.y - hull[hull.size() - 2].y) * (p.x - hull[hull.size() - 2].x);
      if (!needless) break;
      hull.pop_back();
    }
    hull.push_back(p);
  }
  corners_ = std::move(hull);
  return true;
}

bool clock_ceiling::lower_to_sum(const clock_ceiling& a, const clock_ceiling& b, double little) {
  if (!a.limits() || !b.limits()) return false;
  std::vector<point> sums;
  for (const clock_ceiling* each : {&a, &b})
    for (const point& p : each->corners_) sums.push_back({p.x, a.at(p.x) + b.at(p.x)});
  return lower(sums, little);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
