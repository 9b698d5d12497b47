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

clock_line clock_difference(const clock_line& a, const clock_line& b) noexcept {
  return {a.offset - b.offset, a.drift - b.drift};
}

// Where the counter-clockwise walk of edges by angle starts.
std::size_t lowest(const std::vector<clock_line>& corners) noexcept {
  std::size_t at = 0;
  for (std::size_t i = 1; i < corners.size(); ++i)
    if (corners[i].drift < corners[at].drift ||
        (corners[i].drift == corners[at].drift && corners[i].offset < corners[at].offset))
      at = i;
  return at;
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

void feasible_set::intersect(const feasible_set& with) {
  if (with.corners_.size() < 3) {
    if (with.corners_.empty()) corners_.clear();
    return;  // a point or a segment: what is kept is at most a little too much
  }
  for (std::size_t i = 0; i < with.corners_.size() && !corners_.empty(); ++i) {
    const clock_line& a = with.corners_[i];
    const clock_line& b = with.corners_[i + 1 == with.corners_.size() ? 0 : i + 1];
    const std::size_t count = corners_.size();
    std::vector<clock_line> kept;
    for (std::size_t c = 0; c < count; ++c) {
      const clock_line& p = corners_[c];
      const clock_line& q = corners_[c + 1 == count ? 0 : c + 1];
      const double ep = cross(a, b, p), eq = cross(a, b, q);  // inside: to the left
      if (ep >= 0) kept.push_back(p);
      if ((ep > 0 && eq < 0) || (ep < 0 && eq > 0)) {
        const double share = ep / (ep - eq);
        kept.push_back({p.offset + (q.offset - p.offset) * share, p.drift + (q.drift - p.drift) * share});
      }
    }
    corners_ = std::move(kept);
  }
  simplify();
}

feasible_set feasible_set::plus(const feasible_set& other) const {
  feasible_set sum;
  if (corners_.empty() || other.corners_.empty()) return sum;
  const std::vector<clock_line>&a = corners_, &b = other.corners_;
  std::size_t i = 0, j = 0;
  const std::size_t first_a = lowest(a), first_b = lowest(b);
  const auto at = [](const std::vector<clock_line>& corners, std::size_t first, std::size_t step) -> const clock_line& {
    return corners[(first + step) % corners.size()];
  };
  while (i < a.size() || j < b.size()) {
    const clock_line& pa = at(a, first_a, i);
    const clock_line& pb = at(b, first_b, j);
    sum.corners_.push_back({pa.offset + pb.offset, pa.drift + pb.drift});
    if (i == a.size()) {
      ++j;
    } else if (j == b.size()) {
      ++i;
    } else {
      const clock_line ea = clock_difference(at(a, first_a, i + 1), pa),
                       eb = clock_difference(at(b, first_b, j + 1), pb);
      const double turn = ea.offset * eb.drift - ea.drift * eb.offset;
      if (turn >= 0) ++i;
      if (turn <= 0) ++j;
    }
  }
  sum.simplify();
  return sum;
}

feasible_set feasible_set::negated() const {
  feasible_set n;
  for (const clock_line& c : corners_) n.corners_.push_back({-c.offset, -c.drift});
  return n;  // a half turn keeps the sense of rotation
}

feasible_set feasible_set::widened(double offset) const {
  feasible_set strip;
  strip.corners_ = {{-offset, 0}, {offset, 0}};
  return plus(strip);
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

// Corners that coincide add nothing but work.
void feasible_set::simplify() {
  std::vector<clock_line> kept;
  for (const clock_line& c : corners_)
    if (kept.empty() || c.offset != kept.back().offset || c.drift != kept.back().drift) kept.push_back(c);
  while (kept.size() > 1 && kept.front().offset == kept.back().offset && kept.front().drift == kept.back().drift)
    kept.pop_back();
  corners_ = std::move(kept);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
