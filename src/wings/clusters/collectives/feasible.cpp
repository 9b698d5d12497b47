#include "feasible.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

double cross(const clock_line& o, const clock_line& a, const clock_line& b) noexcept {
  return (a.offset - o.offset) * (b.drift - o.drift) - (a.drift - o.drift) * (b.offset - o.offset);
}

}  // namespace

feasible_set::feasible_set(double max_offset, double min_drift, double max_drift)
    : corners_{{-max_offset, min_drift},
               {max_offset, min_drift},
               {max_offset, max_drift},
               {-max_offset, max_drift}} {}

void feasible_set::cut(double x, double y, double sign) {
  if (corners_.empty()) return;
  const auto excess = [&](const clock_line& c) { return sign * (c.offset + c.drift * x - y); };
  const std::size_t count = corners_.size();
  bool any_out = false;
  for (const clock_line& c : corners_) any_out = any_out || excess(c) > 0;
  if (!any_out) return;
  std::vector<clock_line> kept;
  for (std::size_t i = 0; i < count; ++i) {
    const clock_line& a = corners_[i];
    const clock_line& b = corners_[i + 1 == count ? 0 : i + 1];
    const double ea = excess(a), eb = excess(b);
    if (ea <= 0) kept.push_back(a);
    if ((ea < 0 && eb > 0) || (ea > 0 && eb < 0)) {
      const double share = ea / (ea - eb);
      kept.push_back({a.offset + (b.offset - a.offset) * share, a.drift + (b.drift - a.drift) * share});
    }
  }
  corners_ = std::move(kept);
}

bool feasible_set::contains(const clock_line& line, double slack) const noexcept {
  if (corners_.empty()) return false;
  for (std::size_t i = 0; i < corners_.size(); ++i) {
    const clock_line& a = corners_[i];
    const clock_line& b = corners_[i + 1 == corners_.size() ? 0 : i + 1];
    const double length = std::hypot(b.offset - a.offset, b.drift - a.drift);
    if (cross(a, b, line) < -slack * length) return false;
  }
  return true;
}

clock_line feasible_set::least() const noexcept {
  clock_line l = corners_.empty() ? clock_line{} : corners_.front();
  for (const clock_line& c : corners_) l = {std::min(l.offset, c.offset), std::min(l.drift, c.drift)};
  return l;
}
clock_line feasible_set::most() const noexcept {
  clock_line m = corners_.empty() ? clock_line{} : corners_.front();
  for (const clock_line& c : corners_) m = {std::max(m.offset, c.offset), std::max(m.drift, c.drift)};
  return m;
}
clock_line feasible_set::centre() const noexcept {
  clock_line sum;
  for (const clock_line& c : corners_) sum = {sum.offset + c.offset, sum.drift + c.drift};
  const auto n = static_cast<double>(std::max<std::size_t>(corners_.size(), 1));
  return {sum.offset / n, sum.drift / n};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
