#include "reference_clock.hpp"

#include <algorithm>
#include <cmath>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using reference_knot = reference_clock::knot;

// R <= x, compared exactly.
bool not_above(std::int64_t knot_x, double x) noexcept {
  constexpr double past_int64 = 9223372036854775808.0;
  if (x >= past_int64) return true;
  return x >= -past_int64 && knot_x <= static_cast<std::int64_t>(std::floor(x));
}

// Each operation is rounded by itself: `volatile` keeps a compiler from fusing a product and a sum.
double interpolate(const std::vector<reference_knot>& knots, double x, bool whole) noexcept {
  if (knots.size() == 1) return x + (knots[0].y - knots[0].x);
  std::size_t above = 0;
  while (above < knots.size() && (whole ? not_above(knots[above].exact_x, x) : knots[above].x <= x)) ++above;
  const std::size_t i = std::min(std::max<std::size_t>(above, 1), knots.size() - 1);
  const reference_knot& a = knots[i - 1];
  const reference_knot& b = knots[i];
  const double dx = whole ? static_cast<double>(b.exact_x - a.exact_x) : b.x - a.x;
  const double dy = whole ? static_cast<double>(b.exact_y - a.exact_y) : b.y - a.y;
  if (dx == 0) return a.y;
  const volatile double slope = dy / dx;
  const volatile double product = slope * (x - a.x);
  return a.y + product;
}

double ns_as_double(const clock_instant& t) noexcept { return static_cast<double>(t.ns); }

}  // namespace

reference_clock::reference_clock(const node_start& own, const node_start& reference, const snapshot_set& snapshots,
                                 const std::vector<offset_row>& offsets, bool correct)
    : wall_ns_(static_cast<double>(own.walltime_ns.value_or(0))),
      gpu_ns_(static_cast<double>(own.gpu_ns.value_or(0))),
      zero_ns_(static_cast<double>(reference.walltime_ns.value_or(0))),
      whole_knots_(snapshots.source == snapshot_source::file) {
  if (zero_ns_ == 0) zero_ns_ = wall_ns_;
  for (std::size_t i = 0; i < snapshots.pairs.size(); ++i) {
    const clock_pair& p = snapshots.pairs[i];
    snapshots_.push_back({ns_as_double(p.tracer), snapshots.reference_host_ns[i], p.tracer.ns, p.host.ns});
  }
  const bool whole = whole_knots_;
  std::stable_sort(snapshots_.begin(), snapshots_.end(), [whole](const reference_knot& a, const reference_knot& b) {
    return whole ? a.exact_x < b.exact_x : a.x < b.x;
  });
  for (const offset_row& row : offsets) {
    if (!row.has_midpoint) continue;
    offsets_.push_back({row.reference_midpoint_ns + row.reference_offset_ns, row.reference_midpoint_ns, 0, 0});
  }
  std::stable_sort(offsets_.begin(), offsets_.end(),
                   [](const reference_knot& a, const reference_knot& b) { return a.x < b.x; });
  full_ = correct && snapshots_.size() >= 2 && !offsets_.empty();
}

double reference_clock::local_ns(bool device, std::int64_t offset_ps) const noexcept {
  const double offset_ns = static_cast<double>(offset_ps) / 1000.0;
  if (!full_ || !device) return wall_ns_ + offset_ns;
  return interpolate(snapshots_, gpu_ns_ + offset_ns, whole_knots_);
}

double reference_clock::corrected_ns(bool device, std::int64_t offset_ps) const noexcept {
  const double local = local_ns(device, offset_ps);
  return full_ ? interpolate(offsets_, local, false) : local;
}

std::optional<std::int64_t> reference_clock::offset_of(double corrected_ns) const noexcept {
  constexpr double past_int64 = 9223372036854775808.0;
  const double ps = std::trunc((corrected_ns - zero_ns_) * 1000.0);
  if (!(ps < past_int64 && ps >= -past_int64)) return std::nullopt;
  return static_cast<std::int64_t>(ps);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
