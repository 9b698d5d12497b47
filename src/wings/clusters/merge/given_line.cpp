#include "given_line.hpp"

#include <profkit/time.hpp>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "clock_statistics.hpp"
#include "segment_value.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int64_t parts = 1'000'000'000'000;  // of a drift in ppt
constexpr std::int64_t knot_days_s = 86'400;       // knots lie a day from the pivot, beyond what a capture spans
constexpr std::int64_t windows_between = 16;       // in which the bound is given between two edges

std::optional<std::int64_t> ps_in_reach(std::int64_t unix_ns, std::int64_t more_ps, std::int64_t base_ns) noexcept {
  const auto ps = relative_ps(unix_ns, base_ns);
  const auto sum = ps ? checked_add(*ps, more_ps) : std::nullopt;
  return sum && *sum < quick_segment::max_x / 2 && *sum > -(quick_segment::max_x / 2) ? sum : std::nullopt;
}

// |from| times a rate, rounded up.
std::int64_t grown(std::int64_t from_ps, std::int64_t growth_ppt) noexcept {
  const wide_product from = from_ps < 0 ? -static_cast<wide_product>(from_ps) : static_cast<wide_product>(from_ps);
  const wide_product whole = (from * growth_ppt + parts - 1) / parts;
  constexpr wide_product most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(whole, most));
}

}  // namespace

const given_clock* given_clocks::find(std::int64_t node_id) const noexcept {
  for (const given_clock& c : nodes)
    if (c.node_id == node_id) return &c;
  return nullptr;
}

// Where the reference clock goes on by 10^12, this one does by 10^12 + drift: two such knots make the slope exact.
std::optional<node_clock> clock_of_given(const given_clocks& all, const given_clock& one, std::int64_t host_base_ns,
                                         std::int64_t reference_base_ns) {
  const auto shown = checked_add(all.pivot_ps, one.offset_ps);
  const auto x = shown ? ps_in_reach(all.origin_unix_ns, *shown, host_base_ns) : std::nullopt;
  const auto y = ps_in_reach(all.origin_unix_ns, all.pivot_ps, reference_base_ns);
  if (!x || !y || one.drift_ppt <= -parts / 2 || one.drift_ppt >= parts / 2) return std::nullopt;
  const std::int64_t across = knot_days_s * (parts + one.drift_ppt), reached = knot_days_s * parts;
  return clock_of_map(one.node_id, piecewise_map({{*x - across, *y - reached}, {*x + across, *y + reached}}), one.drift_ppt);
}

node_bounds bounds_of_given(const given_clocks& all, const given_clock& one, std::int64_t reference_base_ns,
                            std::int64_t first_ps, std::int64_t last_ps) {
  node_bounds found;
  found.node_id = one.node_id;
  const auto pivot = ps_in_reach(all.origin_unix_ns, all.pivot_ps, reference_base_ns);
  const auto from = ps_in_reach(all.origin_unix_ns, all.first_ps, reference_base_ns);
  const auto to = ps_in_reach(all.origin_unix_ns, all.last_ps, reference_base_ns);
  if (!pivot || !from || !to) return found;
  found.known = true;
  std::vector<std::int64_t> marks{std::min(first_ps, *from), *from, *pivot, *to, std::max(last_ps, *to)};
  std::sort(marks.begin(), marks.end());
  std::vector<std::int64_t> edges;
  for (std::size_t i = 0; i + 1 < marks.size(); ++i)
    for (std::int64_t k = 0; k < windows_between; ++k) edges.push_back(marks[i] + (marks[i + 1] - marks[i]) / windows_between * k);
  edges.push_back(marks.back());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  if (edges.size() == 1) edges.push_back(edges.front() + 1);
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    clock_window w;
    w.from_ps = edges[i];
    w.to_ps = edges[i + 1];
    const std::int64_t furthest = std::max(std::abs(edges[i] - *pivot), std::abs(edges[i + 1] - *pivot));
    w.host_bound_ps = saturating_add(saturating_add(one.bound_ps, grown(furthest, one.bound_growth_ppt)), host_reading_ps);
    w.tracer_bound_ps = w.host_bound_ps;
    w.extrapolated = w.to_ps <= *from || w.from_ps >= *to;
    clock_window* const before = found.windows.empty() ? nullptr : &found.windows.back();
    if (before != nullptr && before->host_bound_ps == w.host_bound_ps && before->extrapolated == w.extrapolated)
      before->to_ps = w.to_ps;
    else
      found.windows.push_back(w);
  }
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
