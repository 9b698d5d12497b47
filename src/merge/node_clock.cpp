// The clock of one node: its snapshots and offsets made into maps, steps found, errors estimated.
#include <profkit/core/clock.hpp>
#include <profkit/time.hpp>

#include <base/contained.hpp>

#include "clock_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using knot = piecewise_map::knot;

constexpr std::int64_t most_slope_parts = 1000;   // a segment is broken beyond 1 part in this: 1000 ppm
constexpr std::int64_t most_offset_parts = 2000;  // an offset jumps beyond 500 ppm of the window
constexpr double outlier_times = 8;               // of the usual deviation
constexpr double least_step_ps = 2000;
constexpr std::int64_t tracer_reading_ps = 2000;  // R and S are read in whole ns, and so are the two starts
constexpr std::int64_t host_reading_ps = 1000;
constexpr std::int64_t unknown_drift_ppt = 100'000'000;  // a clock of which nothing is known: 100 ppm
constexpr std::int64_t unknown_noise_ps = 1'000'000;     // a measurement of which nothing is known: 1 us
constexpr double ppt = 1e12;

double as_double(std::int64_t n) noexcept { return static_cast<double>(n); }

std::int64_t whole_ps(double ps) noexcept {
  constexpr double most = 4e18;
  return !(ps < most) ? static_cast<std::int64_t>(most) : static_cast<std::int64_t>(std::ceil(ps));
}

std::optional<std::int64_t> since(const clock_instant& t, std::int64_t base_ns) noexcept {
  const auto ps = relative_ps(t.ns, base_ns, t.sub_ps);
  if (!ps || *ps > piecewise_map::most_knot_ps || *ps < -piecewise_map::most_knot_ps) return std::nullopt;
  return ps;
}

fault out_of_place(std::int64_t node, const char* what) {
  fault f;
  f.code = fault_code::damaged;
  f.message = std::string(what) + " of node " + std::to_string(node) +
              " lies more than 26 days from the start of its collector";
  f.hint = "Check start_walltime_ns and start_gpu_ns in the header of the offsets file: they belong to another run.";
  return f;
}

// Deviations of each segment's advance from what the usual rate predicts.
struct rate_check {
  double usual_rate = 0;
  double scale_ps = 0;            // median of |deviation|
  std::vector<double> deviation;  // a segment
};
rate_check check_rates(const std::vector<knot>& advance) {
  rate_check found;
  std::vector<double> rates, sizes;
  for (const knot& s : advance)
    if (s.x > 0) rates.push_back(as_double(s.y) / as_double(s.x));
  found.usual_rate = median_of(rates);
  for (const knot& s : advance) found.deviation.push_back(as_double(s.y) - found.usual_rate * as_double(s.x));
  for (const double d : found.deviation) sizes.push_back(std::abs(d));
  found.scale_ps = advance.size() < 3 ? 0 : median_of(sizes);
  return found;
}

std::string ps_as_text(double ps) {
  const double size = std::abs(ps);
  const char* unit = size >= 1e9 ? " ms" : size >= 1e6 ? " us" : " ns";
  const double scaled = ps / (size >= 1e9 ? 1e9 : size >= 1e6 ? 1e6 : 1e3);
  const auto tenths = static_cast<std::int64_t>(std::llround(scaled * 10));
  return std::string(tenths < 0 ? "-" : "") + std::to_string(std::llabs(tenths) / 10) + '.' +
         std::to_string(std::llabs(tenths) % 10) + unit;
}

}  // namespace

class node_clock_builder {
 public:
  node_clock_builder(const clock_evidence& from, const clock_options& o) : from_(from), o_(o) {}

  result<node_clock> build() {
    made_.node_id_ = from_.node_id;
    if (auto ok = take_snapshots(); !ok) return std::move(ok).error();
    if (auto ok = take_offsets(); !ok) return std::move(ok).error();
    find_host_steps();
    find_offset_jumps();
    if (2 * broken_.size() > tracer_.size() - 1 && tracer_.size() > 3) return no_clock();
    if (!host_steps_.empty() && host_steps_.size() == jumps_.size() && !from_.is_reference) {
      if (!make_stepped_maps()) make_plain_maps();
    } else {
      make_plain_maps();
    }
    estimate_errors();
    return std::move(made_);
  }

 private:
  struct point {
    std::int64_t at = 0;      // S0 at the measurement
    std::int64_t offset = 0;  // S - S0, relative to the bases
    std::int64_t resolution = 0;
    std::optional<std::int64_t> drift, residual;
    [[nodiscard]] knot as_knot() const noexcept { return {at + offset, at}; }
  };

  void note(clock_anomaly::kind what, std::int64_t at, std::int64_t size, std::string text) {
    made_.anomalies_.push_back({what, at, size, std::move(text)});
  }

  result<void> take_snapshots() {
    std::vector<knot> all;
    bool in_order = true;
    for (const clock_pair& p : from_.snapshots) {
      const auto r = since(p.tracer, from_.tracer_base_ns), s = since(p.host, from_.host_base_ns);
      if (!r || !s) return out_of_place(from_.node_id, "a snapshot");
      if (!all.empty() && *r < all.back().x) in_order = false;
      all.push_back({*r, *s});
    }
    std::stable_sort(all.begin(), all.end(), [](const knot& a, const knot& b) { return a.x < b.x; });
    std::size_t repeated = 0;
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i + 1;
      std::int64_t least = all[i].y, most = all[i].y;
      for (; end < all.size() && all[end].x == all[i].x; ++end) {
        least = std::min(least, all[end].y);
        most = std::max(most, all[end].y);
      }
      if (most != least) {
        note(clock_anomaly::kind::tracer_not_rising, least, most - least,
             "the tracer clock gives one time for host times " + ps_as_text(as_double(most - least)) +
                 " apart; their middle is used");
        spread_ps_ = std::max(spread_ps_, (most - least) / 2 + 1);
      } else {
        repeated += end - i - 1;
      }
      tracer_.push_back({all[i].x, least + (most - least) / 2});
      i = end;
    }
    if (repeated > 0)
      note(clock_anomaly::kind::duplicate, 0, 0,
           std::to_string(repeated) + " snapshots were repeated; each counts once");
    if (!in_order)
      note(clock_anomaly::kind::tracer_not_rising, 0, 0,
           "the snapshots do not stand in the order of the tracer clock; they were sorted");
    if (tracer_.size() < 2) {
      fault f;
      f.code = fault_code::invalid_argument;
      f.message = "node " + std::to_string(from_.node_id) + " has " + std::to_string(from_.snapshots.size()) +
                  (from_.snapshots.size() == 1 ? " clock snapshot" : " clock snapshots") +
                  (from_.snapshots.size() > 1 ? ", all of one instant" : "") +
                  "; two are needed to map its tracer clock to its wall clock";
      f.hint = "Give its snapshot file with --snapshots, or align by wall time with --no_correction.";
      return f;
    }
    return {};
  }

  result<void> take_offsets() {
    std::size_t repeated = 0;
    for (const offset_row& row : from_.offsets) {
      const auto at = since(row.midpoint, from_.reference_base_ns);
      const auto base = relative_ps(from_.reference_base_ns, from_.host_base_ns);
      const auto offset = base ? checked_add(*base, row.offset_ps) : base;
      if (!at || !offset || magnitude(*offset) > static_cast<std::uint64_t>(piecewise_map::most_knot_ps))
        return out_of_place(from_.node_id, "an offset");
      points_.push_back({*at, *offset, row.resolution_ps, row.drift_ppt, row.residual_ps});
    }
    if (from_.is_reference) {
      for (const point& p : points_) {
        constexpr std::uint64_t negligible_ps = 1'000'000;  // what the measurement of a clock against itself may give
        if (magnitude(p.offset) <=
            std::max<std::uint64_t>(negligible_ps, magnitude(p.resolution) + magnitude(p.residual.value_or(0))))
          continue;
        fault f;
        f.code = fault_code::invalid_argument;
        f.message = "the offsets are relative to another node than the reference, node " +
                    std::to_string(from_.node_id) + ": it has one of " + ps_as_text(as_double(p.offset));
        f.hint = "Name the node that the offsets were measured from as reference_node of the run metadata.";
        return f;
      }
      for (const point& p : points_)
        if (p.offset != 0) {
          note(clock_anomaly::kind::offset_jump, p.at, p.offset,
               "the reference node has offsets that are not 0; they are not used");
          break;
        }
      made_.offset_count_ = points_.size();
      points_.clear();
      return {};
    }
    std::stable_sort(points_.begin(), points_.end(), [](const point& a, const point& b) { return a.at < b.at; });
    std::vector<point> kept;
    for (const point& p : points_) {
      if (kept.empty() || kept.back().at != p.at) {
        kept.push_back(p);
        continue;
      }
      point& known = kept.back();
      const std::int64_t apart = std::max(known.offset, p.offset) - std::min(known.offset, p.offset);
      if (apart != 0)
        note(clock_anomaly::kind::duplicate, p.at, apart,
             "two offsets of one time are " + ps_as_text(as_double(apart)) + " apart; their middle is used");
      ++repeated;
      known.offset = std::min(known.offset, p.offset) + apart / 2;
      known.resolution = std::max(known.resolution, p.resolution) + apart / 2 + apart % 2;
    }
    points_ = std::move(kept);
    if (repeated > 0)
      note(clock_anomaly::kind::duplicate, 0, 0,
           std::to_string(repeated) + " offsets have the time of another; each time counts once");
    if (points_.empty()) {
      fault f;
      f.code = fault_code::invalid_argument;
      f.message = "the offsets have no usable row of node " + std::to_string(from_.node_id);
      f.hint =
          "Without one its clock cannot be aligned: check node ids and 'reachable' in the offsets file, or align "
          "by wall time with --no_correction.";
      return f;
    }
    made_.offset_count_ = points_.size();
    return {};
  }

  // Segments in which S does not advance like R. A snapshot that is off by itself breaks the two segments around it
  // and is left out; what remains broken is a step.
  void find_host_steps() {
    for (;;) {
      std::vector<knot> advance;
      for (std::size_t i = 0; i + 1 < tracer_.size(); ++i)
        advance.push_back(
            {tracer_[i + 1].x - tracer_[i].x, (tracer_[i + 1].y - tracer_[i].y) - (tracer_[i + 1].x - tracer_[i].x)});
      const rate_check rates = check_rates(advance);
      const double noise = outlier_times * rates.scale_ps + least_step_ps;
      broken_.clear();
      for (std::size_t i = 0; i < advance.size(); ++i) {
        const bool no_clock = magnitude(advance[i].y) > static_cast<std::uint64_t>(advance[i].x / most_slope_parts);
        const bool backwards = tracer_[i + 1].y < tracer_[i].y;  // wrong even where every segment does it
        if (no_clock && (backwards || advance.size() < 3 || std::abs(rates.deviation[i]) > noise)) broken_.push_back(i);
      }
      const auto spike = [&](std::size_t i) {
        const double first = rates.deviation[broken_[i]];
        return std::abs(first) > noise &&
               std::abs(first + rates.deviation[broken_[i + 1]]) < 0.1 * std::abs(first) + noise;
      };
      bool left_out = false;
      for (std::size_t i = 0; i + 1 < broken_.size() && tracer_.size() > 3; ++i) {
        if (broken_[i + 1] != broken_[i] + 1 || !spike(i)) continue;
        const std::size_t at = broken_[i + 1];
        note(clock_anomaly::kind::slope, tracer_[at].y, whole_ps(std::abs(rates.deviation[broken_[i]])),
             "one snapshot is " + ps_as_text(rates.deviation[broken_[i]]) + " off its neighbours; it is left out");
        tracer_.erase(tracer_.begin() + static_cast<std::ptrdiff_t>(at));
        left_out = true;
        break;
      }
      if (left_out) continue;
      usual_host_rate_ = rates.usual_rate;
      for (const std::size_t i : broken_) {
        host_steps_.push_back({i, rates.deviation[i]});
        const bool backwards = tracer_[i + 1].y <= tracer_[i].y;
        note(
            backwards || std::abs(rates.deviation[i]) > 0 ? clock_anomaly::kind::host_step : clock_anomaly::kind::slope,
            tracer_[i].y, whole_ps(std::abs(rates.deviation[i])),
            advance.size() < 3
                ? std::string("the two clocks of the node advance differently by more than 1000 ppm")
                : "the wall clock steps by " + ps_as_text(rates.deviation[i]) + " between two snapshots");
      }
      return;
    }
  }

  void find_offset_jumps() {
    for (;;) {
      std::vector<knot> advance;
      for (std::size_t i = 0; i + 1 < points_.size(); ++i)
        advance.push_back({points_[i + 1].at - points_[i].at, points_[i + 1].offset - points_[i].offset});
      const rate_check rates = check_rates(advance);
      const double noise = outlier_times * rates.scale_ps + least_step_ps;
      std::vector<step> jumps;
      for (std::size_t i = 0; i < advance.size(); ++i) {
        const std::int64_t usual = advance.size() < 3 ? advance[i].y : whole_ps(rates.deviation[i]);
        if (magnitude(usual) > static_cast<std::uint64_t>(advance[i].x / most_offset_parts) &&
            (advance.size() < 3 || std::abs(rates.deviation[i]) > noise))
          jumps.push_back({i, advance.size() < 3 ? as_double(advance[i].y) : rates.deviation[i]});
      }
      bool left_out = false;
      for (std::size_t i = 0; i + 1 < jumps.size() && points_.size() > 3; ++i) {
        if (jumps[i + 1].after != jumps[i].after + 1 ||
            std::abs(jumps[i].size_ps + jumps[i + 1].size_ps) > 0.1 * std::abs(jumps[i].size_ps) + noise)
          continue;
        const std::size_t at = jumps[i + 1].after;
        note(clock_anomaly::kind::offset_jump, points_[at].at, whole_ps(std::abs(jumps[i].size_ps)),
             "one offset is " + ps_as_text(jumps[i].size_ps) + " off its neighbours; it is left out");
        points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(at));
        left_out = true;
        break;
      }
      if (left_out) continue;
      jumps_ = std::move(jumps);
      for (const step& j : jumps_)
        note(clock_anomaly::kind::offset_jump, points_[j.after].at, whole_ps(std::abs(j.size_ps)),
             "the offset jumps by " + ps_as_text(j.size_ps) + " between two windows");
      return;
    }
  }

  [[nodiscard]] fault no_clock() const {
    fault f;
    f.code = fault_code::damaged;
    f.message = "the snapshots of node " + std::to_string(from_.node_id) +
                " describe no clock: " + std::to_string(broken_.size()) + " of " + std::to_string(tracer_.size() - 1) +
                " segments go backwards or run more than 1000 ppm off";
    f.hint = "The snapshot file may belong to another run or node.";
    return f;
  }

  // Slope of S against S0 beyond the outermost offsets, as excess of S0 over S; empty: the nearest segment's.
  [[nodiscard]] std::optional<std::int64_t> drift_slope(const std::vector<point>& points, bool first,
                                                        std::int64_t& growth_ppt) {
    const point& end = first ? points.front() : points.back();
    std::vector<deviation> offsets;
    std::int64_t resolution = 0;
    for (const point& p : points) {
      offsets.push_back({p.at, p.offset});
      resolution = std::max(resolution, p.resolution);
    }
    const fitted_line line = fit_line(offsets);
    const double span = as_double(points.back().at - points.front().at);
    if (o_.drift_slope && end.drift) {
      const double stated = as_double(*end.drift);
      const double drift_resolution = std::max(1.0, std::abs(stated) * 5e-6);  // six digits
      if (points.size() < 2) {
        growth_ppt = whole_ps(std::abs(stated) + 1e6);
        return excess_of_drift(stated);
      }
      const double apart = std::abs(line.slope * ppt - stated);
      const double tolerance = 1e6 + 6 * (line.rms_ps + as_double(resolution)) / span * ppt;
      if (apart <= tolerance) {
        growth_ppt = whole_ps(drift_resolution + apart);
        return excess_of_drift(stated);
      }
      if (first)
        note(clock_anomaly::kind::drift_disagrees, end.at, 0,
             "drift_ppm disagrees with the offsets by " + std::to_string(static_cast<std::int64_t>(apart / 1e6)) +
                 " ppm; beyond them their own slope is used");
    }
    if (points.size() < 2) growth_ppt = unknown_drift_ppt;
    return std::nullopt;
  }
  // S0 advances by 1 / (1 + drift) for each ps of S.
  static std::int64_t excess_of_drift(double drift_ppt) noexcept {
    return static_cast<std::int64_t>(std::llround(-drift_ppt / (1 + drift_ppt / ppt)));
  }

  [[nodiscard]] piecewise_map offsets_map(const std::vector<point>& points, std::int64_t& before_ppt,
                                          std::int64_t& after_ppt) {
    std::vector<knot> knots;
    for (const point& p : points) {
      const knot k = p.as_knot();
      // Only a jump backwards makes x fall; the window that holds it is suspect.
      if (!knots.empty() && k.x <= knots.back().x) {
        fold_ps_ = std::max(fold_ps_, knots.back().x - k.x + 1);
        continue;
      }
      knots.push_back(k);
    }
    piecewise_map::end_slopes ends;
    ends.before_ppt = drift_slope(points, true, before_ppt);
    ends.after_ppt = drift_slope(points, false, after_ppt);
    if (!ends.before_ppt) ends.before_ppt = sound_slope(points, true);
    if (!ends.after_ppt) ends.after_ppt = sound_slope(points, false);
    return piecewise_map(knots, ends);
  }
  // Never the slope of a window with a jump; empty when the outermost window is sound, whose slope is the default.
  [[nodiscard]] std::optional<std::int64_t> sound_slope(const std::vector<point>& points, bool first) const {
    if (jumps_.empty() || points.size() < 2) return std::nullopt;
    const std::int64_t outer = first ? points.front().at : points.back().at;
    const step& j = first ? jumps_.front() : jumps_.back();
    const bool jumped =
        j.after + 1 < points_.size() && (first ? points_[j.after].at == outer : points_[j.after + 1].at == outer);
    if (!jumped) return std::nullopt;
    std::vector<double> rates;
    for (std::size_t i = 0; i + 1 < points.size(); ++i)
      rates.push_back(as_double(points[i + 1].offset - points[i].offset) / as_double(points[i + 1].at - points[i].at));
    return points.size() < 4 ? 0 : excess_of_drift(median_of(rates) * ppt);
  }

  void make_plain_maps() {
    std::int64_t before = 0, after = 0;
    if (!points_.empty()) made_.offsets_ = offsets_map(points_, before, after);
    made_.offset_part_.growth_before_ppt = before;
    made_.offset_part_.growth_after_ppt = after;
    piecewise_map::end_slopes ends;
    const auto usual = static_cast<std::int64_t>(std::llround(usual_host_rate_ * ppt));
    const bool few = tracer_.size() < 4;
    if (!broken_.empty() && broken_.front() == 0) ends.before_ppt = few ? 0 : usual;
    if (!broken_.empty() && broken_.back() + 2 == tracer_.size()) ends.after_ppt = few ? 0 : usual;
    made_.snapshots_ = piecewise_map(tracer_, ends);
    compose_direct();
    // What is smeared over a segment is wrong by up to the whole step.
    for (const step& s : host_steps_)
      made_.suspects_.push_back({made_.offsets_(tracer_[s.after].y), made_.offsets_(tracer_[s.after + 1].y),
                                 whole_ps(std::abs(s.size_ps)), whole_ps(std::abs(s.size_ps))});
    for (const step& j : jumps_)
      made_.suspects_.push_back({points_[j.after].at, points_[j.after + 1].at, whole_ps(std::abs(j.size_ps)),
                                 whole_ps(std::abs(j.size_ps)) + fold_ps_});
    for (auto& s : made_.suspects_)
      if (s.from_ps > s.to_ps) std::swap(s.from_ps, s.to_ps);
  }

  // The wall clock stepped, and both the snapshots and the offsets saw it. Each piece between two steps has its own
  // sound maps. R and S0 know nothing of the step: in the segment that holds it device events are interpolated between
  // the corrected times of the two snapshots. S is ambiguous there, which the bound of host events says.
  [[nodiscard]] bool make_stepped_maps() {
    for (std::size_t i = 0; i < jumps_.size(); ++i)
      if (std::abs(jumps_[i].size_ps - host_steps_[i].size_ps) > 0.2 * std::abs(jumps_[i].size_ps) + 1e6) return false;
    const std::size_t pieces = jumps_.size() + 1;
    std::vector<piecewise_map> maps;
    std::vector<std::vector<point>> parts;
    std::int64_t before = 0, after = 0, unused = 0;
    const std::vector<point> whole = points_;
    for (std::size_t i = 0; i < pieces; ++i) {
      const std::size_t from = i == 0 ? 0 : jumps_[i - 1].after + 1;
      const std::size_t to = i + 1 == pieces ? whole.size() : jumps_[i].after + 1;
      parts.emplace_back(whole.begin() + static_cast<std::ptrdiff_t>(from),
                         whole.begin() + static_cast<std::ptrdiff_t>(to));
      maps.push_back(offsets_map(parts.back(), i == 0 ? before : unused, i + 1 == pieces ? after : unused));
    }
    std::vector<knot> direct, host;
    std::vector<node_clock::suspect_span> suspects;
    std::int64_t host_from = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < pieces; ++i) {
      const std::size_t from = i == 0 ? 0 : host_steps_[i - 1].after + 1;
      const std::size_t to = i + 1 == pieces ? tracer_.size() - 1 : host_steps_[i].after;
      const std::vector<knot> own(tracer_.begin() + static_cast<std::ptrdiff_t>(from),
                                  tracer_.begin() + static_cast<std::ptrdiff_t>(to) + 1);
      add_composed(own, parts[i], maps[i], direct);
      std::int64_t host_to = std::numeric_limits<std::int64_t>::max();
      std::int64_t boundary = 0;
      if (i + 1 < pieces) {
        const knot& left = tracer_[to];
        const knot& right = tracer_[to + 1];
        const std::int64_t s0_left = maps[i](left.y), s0_right = maps[i + 1](right.y);
        const std::int64_t half = (s0_right - s0_left) / 2;
        if (half <= 0) return false;
        boundary = (left.y + half) / 2 + (right.y - half) / 2;
        if (boundary <= host_from) return false;
        host_to = boundary;
        const std::int64_t size = whole_ps(std::abs(host_steps_[i].size_ps));
        suspects.push_back({s0_left - size, s0_right + size, 0, size + 2 * half});
      }
      if (i > 0) host.push_back({host_from, maps[i](host_from)});
      for (const point& p : parts[i])
        if (const knot k = p.as_knot(); k.x > host_from && k.x < host_to) host.push_back(k);
      if (i + 1 < pieces) host.push_back({host_to, maps[i](host_to)});
      host_from = host_to;
    }
    for (std::size_t i = 0; i + 1 < direct.size(); ++i)
      if (direct[i + 1].y < direct[i].y) return false;
    made_.snapshots_ = piecewise_map(tracer_);
    made_.offsets_ = piecewise_map(host);
    made_.direct_ = piecewise_map(direct);
    made_.suspects_ = std::move(suspects);
    made_.offset_part_.growth_before_ppt = before;
    made_.offset_part_.growth_after_ppt = after;
    return true;
  }

  // R -> S0 in one map: the two maps one after the other, with knots wherever either has one. Far out there is one more
  // knot on each side, so that the slopes there are exact, too.
  void compose_direct() {
    if (made_.offsets_.is_identity()) {
      made_.direct_ = made_.snapshots_;
      return;
    }
    constexpr std::int64_t far_ps = std::int64_t{1} << 58;  // 3 days
    std::vector<knot> whole{{-far_ps, made_.snapshots_(-far_ps)}};
    for (const knot& k : tracer_)
      if (k.x > -far_ps && k.x < far_ps) whole.push_back(k);
    whole.push_back({far_ps, made_.snapshots_(far_ps)});
    std::vector<knot> direct;
    bool rises = true;
    for (std::size_t i = 0; i + 1 < whole.size(); ++i) rises = rises && whole[i + 1].y > whole[i].y;
    if (rises) {
      add_composed(whole, points_, made_.offsets_, direct);
    } else {
      // S steps back and nothing tells where: no knots of the offsets between the snapshots around the step.
      for (std::size_t i = 0; i + 1 < whole.size(); ++i)
        add_composed({whole[i], whole[i + 1]}, whole[i + 1].y > whole[i].y ? points_ : std::vector<point>(),
                     made_.offsets_, direct);
      const auto same = [](const knot& a, const knot& b) { return a.x == b.x; };
      direct.erase(std::unique(direct.begin(), direct.end(), same), direct.end());
    }
    direct.erase(std::remove_if(direct.begin(), direct.end(),
                                [](const knot& k) {
                                  return k.y > piecewise_map::most_knot_ps || k.y < -piecewise_map::most_knot_ps;
                                }),
                 direct.end());
    made_.direct_ = piecewise_map(direct);
  }

  // Knots R -> S0 of one sound piece: its snapshots, and between them where the offsets have their knots.
  static void add_composed(const std::vector<knot>& snapshots, const std::vector<point>& offsets,
                           const piecewise_map& map, std::vector<knot>& into) {
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
      into.push_back({snapshots[i].x, map(snapshots[i].y)});
      if (i + 1 == snapshots.size()) break;
      const piecewise_map back({{snapshots[i].y, snapshots[i].x}, {snapshots[i + 1].y, snapshots[i + 1].x}});
      for (const point& p : offsets) {
        const knot k = p.as_knot();
        if (k.x <= snapshots[i].y || k.x >= snapshots[i + 1].y) continue;
        const std::int64_t r = back(k.x);
        if (r > into.back().x && r < snapshots[i + 1].x) into.push_back({r, k.y});
      }
    }
  }

  void estimate_errors() {
    // Snapshots: how S - R scatters about a line, a piece at a time between steps.
    std::vector<clock_scatter> scatters;
    std::vector<deviation> piece;
    std::vector<double> weights, rates;
    const auto end_piece = [&](std::vector<clock_scatter>& into) {
      if (piece.size() >= 3) into.push_back(scatter_of(piece));
      if (piece.size() >= 2) rates.push_back(fit_line(piece).slope);
      piece.clear();
    };
    for (std::size_t i = 0; i < tracer_.size(); ++i) {
      piece.push_back({tracer_[i].x, tracer_[i].y - tracer_[i].x});
      if (std::binary_search(broken_.begin(), broken_.end(), i)) end_piece(scatters);
    }
    end_piece(scatters);
    made_.snapshot_scatter_ = pooled_scatter(scatters);
    if (!rates.empty()) {
      const double s_per_r = median_of(rates);
      made_.tracer_drift_ = static_cast<std::int64_t>(std::llround(-s_per_r / (1 + s_per_r) * ppt));
    }
    rates.clear();
    std::vector<clock_scatter> offset_scatters;
    double mean_square = 0;
    std::int64_t residual = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      piece.push_back({points_[i].at, points_[i].offset});
      residual = std::max(residual, points_[i].residual.value_or(0));
      made_.marks_.push_back({points_[i].at, points_[i].resolution});
      const bool jumped = std::any_of(jumps_.begin(), jumps_.end(), [&](const step& j) { return j.after == i; });
      if (!jumped && i + 1 < points_.size()) continue;
      const auto size = as_double(static_cast<std::int64_t>(piece.size()));
      mean_square += fit_line(piece).mean_square * size / as_double(static_cast<std::int64_t>(points_.size()));
      end_piece(offset_scatters);
    }
    made_.offset_scatter_ = pooled_scatter(offset_scatters);
    made_.offset_variance_ns2_ = mean_square / 1e6;
    if (!rates.empty()) made_.host_drift_ = static_cast<std::int64_t>(std::llround(median_of(rates) * ppt));

    auto& snapshots = made_.snapshot_part_;
    snapshots.noise_ps = noise_of(made_.snapshot_scatter_, o_.snapshot_scatter) + spread_ps_;
    const knot& first = tracer_.front();
    const knot& last = tracer_.back();
    snapshots.first_ps = corrected_snapshot(first);
    snapshots.last_ps = corrected_snapshot(last);
    snapshots.growth_before_ppt = growth_of(snapshots.noise_ps + tracer_reading_ps, tracer_[1].x - first.x);
    snapshots.growth_after_ppt =
        growth_of(snapshots.noise_ps + tracer_reading_ps, last.x - tracer_[tracer_.size() - 2].x);

    auto& offsets = made_.offset_part_;
    if (!points_.empty()) {
      offsets.noise_ps = std::max(noise_of(made_.offset_scatter_, o_.offset_scatter), residual);
      offsets.first_ps = points_.front().at;
      offsets.last_ps = points_.back().at;
      if (points_.size() > 1) {
        const std::int64_t head = offsets.noise_ps + points_.front().resolution + 1;
        const std::int64_t tail = offsets.noise_ps + points_.back().resolution + 1;
        if (offsets.growth_before_ppt == 0)
          offsets.growth_before_ppt = growth_of(head, points_[1].at - offsets.first_ps);
        if (offsets.growth_after_ppt == 0)
          offsets.growth_after_ppt = growth_of(tail, offsets.last_ps - points_[points_.size() - 2].at);
      }
    }

    // Skew: how far the corrected snapshots lie from a straight line of R.
    std::vector<deviation> corrected;
    for (const knot& k : tracer_) corrected.push_back({k.x, corrected_snapshot(k) - k.x});
    made_.residual_ps_ = static_cast<std::int64_t>(std::llround(std::sqrt(fit_line(corrected).mean_square)));
  }

  // Measurements too few to show their scatter may be off by what such measurements usually are.
  static std::int64_t noise_of(const clock_scatter& own, const clock_scatter& pooled) noexcept {
    return own.freedom < 1 && pooled.freedom < 1 ? unknown_noise_ps : whole_ps(largest_error_ps(own, pooled));
  }
  [[nodiscard]] std::int64_t corrected_snapshot(const knot& k) const noexcept { return made_.direct_(k.x); }
  // An error of two knots, extrapolated: both can lean the line.
  static std::int64_t growth_of(std::int64_t error_ps, std::int64_t length_ps) noexcept {
    return length_ps <= 0 ? unknown_drift_ppt : whole_ps(2 * as_double(error_ps) / as_double(length_ps) * ppt);
  }

  struct step {
    std::size_t after;  // between this measurement and the next
    double size_ps;
  };

  const clock_evidence& from_;
  const clock_options& o_;
  node_clock made_;
  std::vector<knot> tracer_;
  std::vector<point> points_;
  std::vector<std::size_t> broken_;
  std::vector<step> host_steps_, jumps_;
  double usual_host_rate_ = 0;
  std::int64_t spread_ps_ = 0, fold_ps_ = 0;
};

result<node_clock> node_clock::build(const clock_evidence& from, const clock_options& o) {
  return contained([&] { return node_clock_builder(from, o).build(); });
}

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
  const double noise = as_double(noise_ps);
  if (t < first_ps) return noise + (as_double(first_ps) - as_double(t)) * as_double(growth_before_ppt) / ppt;
  if (t > last_ps) return noise + (as_double(t) - as_double(last_ps)) * as_double(growth_after_ppt) / ppt;
  return noise;
}

clock_window node_clock::window(std::int64_t from_ps, std::int64_t to_ps) const noexcept {
  clock_window w;
  w.from_ps = from_ps;
  w.to_ps = to_ps;
  const auto mark = std::upper_bound(marks_.begin(), marks_.end(), from_ps,
                                     [](std::int64_t t, const offset_mark& m) { return t < m.at_ps; });
  std::int64_t resolution = 0;
  if (mark != marks_.begin()) resolution = (mark - 1)->resolution_ps;
  if (mark != marks_.end()) resolution = std::max(resolution, mark->resolution_ps);
  const double offset = std::max(offset_part_.noise_at(from_ps), offset_part_.noise_at(to_ps));
  const double snapshot = std::max(snapshot_part_.noise_at(from_ps), snapshot_part_.noise_at(to_ps));
  w.host_bound_ps = saturating_add(whole_ps(offset), resolution + host_reading_ps);
  w.tracer_bound_ps = saturating_add(whole_ps(std::hypot(offset, snapshot)), resolution + tracer_reading_ps);
  const bool has_offsets = !marks_.empty();
  w.extrapolated = to_ps <= snapshot_part_.first_ps || from_ps >= snapshot_part_.last_ps ||
                   (has_offsets && (to_ps <= offset_part_.first_ps || from_ps >= offset_part_.last_ps));
  for (const suspect_span& s : suspects_) {
    if (s.from_ps >= to_ps || s.to_ps <= from_ps) continue;
    w.suspect = true;
    w.tracer_bound_ps = saturating_add(w.tracer_bound_ps, s.tracer_ps);
    w.host_bound_ps = saturating_add(w.host_bound_ps, s.host_ps);
  }
  return w;
}

std::int64_t node_clock::bound_at(std::int64_t corrected_ps, clock_domain domain) const noexcept {
  const clock_window w = window(corrected_ps, saturating_add(corrected_ps, 1));
  return domain == clock_domain::tracer ? w.tracer_bound_ps : w.host_bound_ps;
}

node_bounds node_clock::bounds(std::int64_t first_ps, std::int64_t last_ps) const {
  node_bounds found;
  found.node_id = node_id_;
  found.known = true;
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
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const clock_window w = window(edges[i], edges[i + 1]);
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
  return domain == clock_domain::tracer ? after->tracer_bound_ps : after->host_bound_ps;
}

std::optional<std::int64_t> node_bounds::widest(clock_domain domain) const noexcept {
  if (!known || windows.empty()) return std::nullopt;
  std::int64_t most = 0;
  for (const clock_window& w : windows)
    most = std::max(most, domain == clock_domain::tracer ? w.tracer_bound_ps : w.host_bound_ps);
  return most;
}

const char* snapshot_source_name(snapshot_source s) noexcept {
  switch (s) {
    case snapshot_source::none: return "none";
    case snapshot_source::file: return "file";
    case snapshot_source::embedded: return "embedded";
  }
  return "none";
}

const char* clock_anomaly_name(clock_anomaly::kind k) noexcept {
  switch (k) {
    case clock_anomaly::kind::tracer_not_rising: return "tracer_not_rising";
    case clock_anomaly::kind::host_step: return "host_step";
    case clock_anomaly::kind::slope: return "slope";
    case clock_anomaly::kind::offset_jump: return "offset_jump";
    case clock_anomaly::kind::duplicate: return "duplicate";
    case clock_anomaly::kind::drift_disagrees: return "drift_disagrees";
  }
  return "host_step";
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
