// A node's clock, once it is built: corrected times, and how far they can be wrong.
#include <profkit/core/clock.hpp>
#include <profkit/time.hpp>

#include "clock_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

namespace {

__extension__ using wide_ps = __int128;

std::int64_t within_int64(wide_ps n) noexcept {
  constexpr wide_ps most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(std::clamp(n, least, most));
}

}  // namespace

node_clock::corrected node_clock::from_tracer(std::int64_t tracer_ps, cursor& at) const noexcept {
  corrected c;
  c.local_ps = snapshots_(tracer_ps, at.snapshots);
  c.snapshot_extrapolated = snapshots_.extrapolates(tracer_ps);
  c.offset_extrapolated = offsets_.extrapolates(c.local_ps);
  c.reference_ps = direct_(tracer_ps, at.direct);
  return c;
}

node_clock::corrected node_clock::from_host(std::int64_t host_ps, cursor& at) const noexcept {
  corrected c;
  c.local_ps = host_ps;
  c.offset_extrapolated = offsets_.extrapolates(host_ps);
  c.reference_ps = offsets_(host_ps, at.offsets);
  return c;
}

double node_clock::measured_part::noise_at(std::int64_t t) const noexcept {
  if (t < first_ps)
    return as_double(first_noise_ps) + (as_double(first_ps) - as_double(t)) * as_double(growth_before_ppt) / ppt;
  if (t > last_ps)
    return as_double(last_noise_ps) + (as_double(t) - as_double(last_ps)) * as_double(growth_after_ppt) / ppt;
  return as_double(noise_ps);
}

clock_window node_clock::sound_window(std::int64_t from_ps, std::int64_t to_ps) const noexcept {
  clock_window w;
  w.from_ps = from_ps;
  w.to_ps = to_ps;
  const auto mark = std::upper_bound(marks_.begin(), marks_.end(), from_ps,
                                     [](std::int64_t t, const offset_mark& m) { return t < m.at_ps; });
  std::int64_t resolution = 0, residual = 0;
  const auto add = [&](const offset_mark& m) {
    resolution = std::max(resolution, m.resolution_ps);
    residual = std::max(residual, m.residual_ps);
  };
  if (mark != marks_.begin()) add(*(mark - 1));
  if (mark != marks_.end()) add(*mark);
  const double offset =
      std::max({offset_part_.noise_at(from_ps), offset_part_.noise_at(to_ps), as_double(residual)});
  const double snapshot = std::max(snapshot_part_.noise_at(from_ps), snapshot_part_.noise_at(to_ps));
  w.host_bound_ps = saturating_add(whole_ps(offset), resolution + host_reading_ps);
  w.tracer_bound_ps = saturating_add(whole_ps(std::hypot(offset, snapshot)), resolution + tracer_reading_ps);
  const bool has_offsets = !marks_.empty();
  w.extrapolated = to_ps <= snapshot_part_.first_ps || from_ps >= snapshot_part_.last_ps ||
                   (has_offsets && (to_ps <= offset_part_.first_ps || from_ps >= offset_part_.last_ps));
  return w;
}

clock_window node_clock::window(std::int64_t from_ps, std::int64_t to_ps) const noexcept {
  clock_window w = sound_window(from_ps, to_ps);
  for (const suspect_span& s : suspects_) {
    if (s.from_ps >= to_ps || s.to_ps <= from_ps) continue;
    w.suspect = true;
    w.tracer_bound_ps = saturating_add(w.tracer_bound_ps, s.tracer_ps);
    w.host_bound_ps = saturating_add(w.host_bound_ps, s.host_ps);
  }
  return w;
}

std::optional<std::int64_t> node_clock::bound_at(std::int64_t corrected_ps, clock_domain domain) const noexcept {
  if (tracer_was_reset_) return std::nullopt;
  const clock_window w = window(corrected_ps, saturating_add(corrected_ps, 1));
  return domain == clock_domain::tracer ? w.tracer_bound_ps : w.host_bound_ps;
}

node_bounds node_clock::bounds(std::int64_t first_ps, std::int64_t last_ps) const {
  node_bounds found;
  found.node_id = node_id_;
  found.known = !tracer_was_reset_;
  if (!found.known) return found;
  if (last_ps < first_ps) last_ps = first_ps;
  std::vector<std::int64_t> edges{first_ps, last_ps};
  const auto add_edge = [&](std::int64_t t) {
    if (t > first_ps && t < last_ps) edges.push_back(t);
  };
  for (const offset_mark& m : marks_) add_edge(m.at_ps);
  add_edge(snapshot_part_.first_ps);
  add_edge(snapshot_part_.last_ps);
  for (const suspect_span& s : suspects_) {
    add_edge(s.from_ps);
    add_edge(s.to_ps);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  if (edges.size() == 1) edges.push_back(edges.front() + 1);
  // A suspect span begins and ends at edges: each window lies in it or outside.
  std::vector<suspect_span> begins;
  for (const suspect_span& s : suspects_)
    if (s.from_ps < s.to_ps) begins.push_back(s);
  std::vector<suspect_span> ends = begins;
  std::sort(begins.begin(), begins.end(),
            [](const suspect_span& a, const suspect_span& b) { return a.from_ps < b.from_ps; });
  std::sort(ends.begin(), ends.end(), [](const suspect_span& a, const suspect_span& b) { return a.to_ps < b.to_ps; });
  std::size_t begun = 0, ended = 0;
  wide_ps tracer = 0, host = 0;  // of the spans around a window
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    for (; begun < begins.size() && begins[begun].from_ps <= edges[i]; ++begun) {
      tracer += begins[begun].tracer_ps;
      host += begins[begun].host_ps;
    }
    for (; ended < ends.size() && ends[ended].to_ps <= edges[i]; ++ended) {
      tracer -= ends[ended].tracer_ps;
      host -= ends[ended].host_ps;
    }
    clock_window w = sound_window(edges[i], edges[i + 1]);
    w.suspect = begun > ended;
    w.tracer_bound_ps = within_int64(tracer + w.tracer_bound_ps);
    w.host_bound_ps = within_int64(host + w.host_bound_ps);
    const bool same = !found.windows.empty() && found.windows.back().tracer_bound_ps == w.tracer_bound_ps &&
                      found.windows.back().host_bound_ps == w.host_bound_ps &&
                      found.windows.back().extrapolated == w.extrapolated && found.windows.back().suspect == w.suspect;
    if (same)
      found.windows.back().to_ps = w.to_ps;
    else
      found.windows.push_back(w);
  }
  return found;
}

std::optional<std::int64_t> node_bounds::at(std::int64_t corrected_ps, clock_domain domain) const noexcept {
  if (!known || windows.empty()) return std::nullopt;
  auto after = std::upper_bound(windows.begin(), windows.end(), corrected_ps,
                                [](std::int64_t t, const clock_window& w) { return t < w.from_ps; });
  if (after != windows.begin()) --after;
  const std::int64_t bound_ps = domain == clock_domain::tracer ? after->tracer_bound_ps : after->host_bound_ps;
  return bound_ps == clock_window::unknown_ps ? std::nullopt : std::optional(bound_ps);
}

std::optional<std::int64_t> node_bounds::widest(clock_domain domain) const noexcept {
  if (!known || windows.empty()) return std::nullopt;
  std::int64_t most = 0;
  for (const clock_window& w : windows) {
    const std::int64_t bound_ps = domain == clock_domain::tracer ? w.tracer_bound_ps : w.host_bound_ps;
    if (bound_ps == clock_window::unknown_ps) return std::nullopt;
    most = std::max(most, bound_ps);
  }
  return most;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
