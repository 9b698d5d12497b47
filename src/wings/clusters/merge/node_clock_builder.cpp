// The clock of one node: its measurements made into maps, and their errors estimated.
#include <profkit/core/clock.hpp>
#include <profkit/time.hpp>

#include <base/contained.hpp>

#include "clock_measurements.hpp"
#include "clock_noise.hpp"
#include "clock_statistics.hpp"
#include "given_line.hpp"
#include "odd_measurements.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using knot = piecewise_map::knot;

constexpr std::int64_t unknown_drift_ppt = 100'000'000;  // of a clock that nothing is known of: 100 ppm
constexpr std::int64_t unknown_noise_ps = 1'000'000;     // of a measurement that nothing is known of: 1 us

// Offsets to be found by the wall time S, which falls where one jumps.
class offset_knots {
 public:
  explicit offset_knots(const std::vector<offset_point>& points) {
    for (std::size_t i = 0; i < points.size(); ++i) by_host_.push_back({points[i].as_knot(), i});
    std::sort(by_host_.begin(), by_host_.end(), [](const placed& a, const placed& b) {
      return a.at.x != b.at.x ? a.at.x < b.at.x : a.place < b.place;
    });
  }
  // Those with S between, as they were measured.
  [[nodiscard]] std::vector<knot> between(std::int64_t after, std::int64_t before) const {
    std::vector<knot> found;
    if (after >= before) return found;
    const auto first = std::partition_point(by_host_.begin(), by_host_.end(),
                                            [&](const placed& p) { return p.at.x <= after; });
    const auto last = std::partition_point(first, by_host_.end(), [&](const placed& p) { return p.at.x < before; });
    std::vector<placed> inside(first, last);
    std::sort(inside.begin(), inside.end(), [](const placed& a, const placed& b) { return a.place < b.place; });
    for (const placed& p : inside) found.push_back(p.at);
    return found;
  }

 private:
  struct placed {
    knot at;
    std::size_t place;
  };
  std::vector<placed> by_host_;
};

}  // namespace

class node_clock_builder {
 public:
  node_clock_builder(const clock_evidence& from, const clock_options& o) : from_(from), o_(o) {}

  // Of host times alone.
  static node_clock of_map(std::int64_t node_id, piecewise_map host_to_reference, std::int64_t drift_ppt) {
    node_clock made;
    made.node_id_ = node_id;
    made.offsets_ = std::move(host_to_reference);
    made.host_drift_ = drift_ppt;
    return made;
  }

  result<node_clock> build() {
    auto measured = take_measurements(from_);
    if (!measured) return std::move(measured).error();
    of_ = std::move(*measured);
    made_.node_id_ = from_.node_id;
    made_.offset_count_ = of_.offset_count;
    made_.anomalies_ = std::move(of_.anomalies);
    if (2 * of_.broken.size() > of_.tracer.size() - 1 && of_.tracer.size() > 3) return no_clock();
    if (!of_.host_steps.empty() && of_.host_steps.size() == of_.jumps.size() && !from_.is_reference) {
      if (!make_stepped_maps()) make_plain_maps();
    } else {
      make_plain_maps();
    }
    estimate_errors();
    widen_segments();
    made_.tracer_was_reset_ = of_.tracer_was_reset;
    for (const clock_step& s : of_.host_steps)
      made_.wall_steps_.push_back(std::minmax(of_.tracer[s.after].y, of_.tracer[s.after + 1].y));
    return std::move(made_);
  }

 private:
  void note(clock_anomaly::kind what, std::int64_t at, std::int64_t size, std::string text) {
    made_.anomalies_.push_back({what, at, size, std::move(text)});
  }

  [[nodiscard]] fault no_clock() const {
    fault f;
    f.code = fault_code::damaged;
    f.message = "the snapshots of node " + std::to_string(from_.node_id) +
                " describe no clock: " + std::to_string(of_.broken.size()) + " of " +
                std::to_string(of_.tracer.size() - 1) + " segments go backwards or run more than 1000 ppm off";
    f.hint = "The snapshot file may belong to another run or node.";
    return f;
  }

  // Slope of S against S0 beyond the outermost offsets, as excess of S0 over S; empty: the nearest segment's.
  [[nodiscard]] std::optional<std::int64_t> drift_slope(const std::vector<offset_point>& points, bool first,
                                                        std::int64_t& growth_ppt) {
    const offset_point& end = first ? points.front() : points.back();
    std::vector<deviation> offsets;
    std::int64_t resolution = 0;
    for (const offset_point& p : points) {
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

  [[nodiscard]] piecewise_map offsets_map(const std::vector<offset_point>& points, std::int64_t& before_ppt,
                                          std::int64_t& after_ppt) {
    std::vector<knot> knots;
    for (const offset_point& p : points) {
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
  [[nodiscard]] std::optional<std::int64_t> sound_slope(const std::vector<offset_point>& points, bool first) const {
    if (of_.jumps.empty() || points.size() < 2) return std::nullopt;
    const std::int64_t outer = first ? points.front().at : points.back().at;
    const clock_step& j = first ? of_.jumps.front() : of_.jumps.back();
    const bool jumped = j.after + 1 < of_.points.size() &&
                        (first ? of_.points[j.after].at == outer : of_.points[j.after + 1].at == outer);
    if (!jumped) return std::nullopt;
    std::vector<double> rates;
    for (std::size_t i = 0; i + 1 < points.size(); ++i)
      rates.push_back(as_double(points[i + 1].offset - points[i].offset) / as_double(points[i + 1].at - points[i].at));
    return points.size() < 4 ? 0 : excess_of_drift(median_of(rates) * ppt);
  }

  void make_plain_maps() {
    std::int64_t before = 0, after = 0;
    if (!of_.points.empty()) made_.offsets_ = offsets_map(of_.points, before, after);
    made_.offset_part_.growth_before_ppt = before;
    made_.offset_part_.growth_after_ppt = after;
    piecewise_map::end_slopes ends;
    const auto usual = static_cast<std::int64_t>(std::llround(of_.usual_host_rate * ppt));
    const bool few = of_.tracer.size() < 4;
    if (!of_.broken.empty() && of_.broken.front() == 0) ends.before_ppt = few ? 0 : usual;
    if (!of_.broken.empty() && of_.broken.back() + 2 == of_.tracer.size()) ends.after_ppt = few ? 0 : usual;
    made_.snapshots_ = piecewise_map(of_.tracer, ends);
    compose_direct();
    // What is smeared over a segment is wrong by up to the whole step.
    for (const clock_step& s : of_.host_steps)
      made_.suspects_.push_back({made_.offsets_(of_.tracer[s.after].y), made_.offsets_(of_.tracer[s.after + 1].y),
                                 whole_ps(std::abs(s.size_ps)), whole_ps(std::abs(s.size_ps))});
    for (const clock_step& j : of_.jumps)
      made_.suspects_.push_back({of_.points[j.after].at, of_.points[j.after + 1].at, whole_ps(std::abs(j.size_ps)),
                                 whole_ps(std::abs(j.size_ps)) + fold_ps_});
    for (auto& s : made_.suspects_)
      if (s.from_ps > s.to_ps) std::swap(s.from_ps, s.to_ps);
  }

  // The wall clock stepped, and both the snapshots and the offsets saw it. Each piece between two steps has its own
  // sound maps. R and S0 know nothing of the step: in the segment that holds it device events are interpolated between
  // the corrected times of the two snapshots. S is ambiguous there, which the bound of host events says.
  [[nodiscard]] bool make_stepped_maps() {
    for (std::size_t i = 0; i < of_.jumps.size(); ++i)
      if (!is_alike(of_.jumps[i], of_.host_steps[i])) return false;
    const std::size_t pieces = of_.jumps.size() + 1;
    std::vector<piecewise_map> maps;
    std::vector<std::vector<offset_point>> parts;
    std::int64_t before = 0, after = 0, unused = 0;
    const std::vector<offset_point> whole = of_.points;
    for (std::size_t i = 0; i < pieces; ++i) {
      const std::size_t from = i == 0 ? 0 : of_.jumps[i - 1].after + 1;
      const std::size_t to = i + 1 == pieces ? whole.size() : of_.jumps[i].after + 1;
      parts.emplace_back(whole.begin() + static_cast<std::ptrdiff_t>(from),
                         whole.begin() + static_cast<std::ptrdiff_t>(to));
      maps.push_back(offsets_map(parts.back(), i == 0 ? before : unused, i + 1 == pieces ? after : unused));
    }
    std::vector<knot> direct, host;
    std::vector<node_clock::suspect_span> suspects;
    std::int64_t host_from = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < pieces; ++i) {
      const std::size_t from = i == 0 ? 0 : of_.host_steps[i - 1].after + 1;
      const std::size_t to = i + 1 == pieces ? of_.tracer.size() - 1 : of_.host_steps[i].after;
      const std::vector<knot> own(of_.tracer.begin() + static_cast<std::ptrdiff_t>(from),
                                  of_.tracer.begin() + static_cast<std::ptrdiff_t>(to) + 1);
      add_composed(own, offset_knots(parts[i]), maps[i], direct);
      std::int64_t host_to = std::numeric_limits<std::int64_t>::max();
      std::int64_t boundary = 0;
      if (i + 1 < pieces) {
        const knot& left = of_.tracer[to];
        const knot& right = of_.tracer[to + 1];
        const std::int64_t s0_left = maps[i](left.y), s0_right = maps[i + 1](right.y);
        const std::int64_t half = (s0_right - s0_left) / 2;
        if (half <= 0) return false;
        boundary = (left.y + half) / 2 + (right.y - half) / 2;
        if (boundary <= host_from) return false;
        host_to = boundary;
        const std::int64_t size = whole_ps(std::abs(of_.host_steps[i].size_ps));
        suspects.push_back({s0_left - size, s0_right + size, 0, size + 2 * half});
      }
      if (i > 0) host.push_back({host_from, maps[i](host_from)});
      for (const offset_point& p : parts[i])
        if (const knot k = p.as_knot(); k.x > host_from && k.x < host_to) host.push_back(k);
      if (i + 1 < pieces) host.push_back({host_to, maps[i](host_to)});
      host_from = host_to;
    }
    for (std::size_t i = 0; i + 1 < direct.size(); ++i)
      if (direct[i + 1].y < direct[i].y) return false;
    made_.snapshots_ = piecewise_map(of_.tracer);
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
    for (const knot& k : of_.tracer)
      if (k.x > -far_ps && k.x < far_ps) whole.push_back(k);
    whole.push_back({far_ps, made_.snapshots_(far_ps)});
    std::vector<knot> direct;
    bool rises = true;
    for (std::size_t i = 0; i + 1 < whole.size(); ++i) rises = rises && whole[i + 1].y > whole[i].y;
    if (rises) {
      add_composed(whole, offset_knots(of_.points), made_.offsets_, direct);
    } else {
      // S steps back and it is not known where: no knots of the offsets between the snapshots around the step.
      const offset_knots points(of_.points);
      for (std::size_t i = 0; i + 1 < whole.size(); ++i)
        add_composed({whole[i], whole[i + 1]}, points, made_.offsets_, direct);
      const auto same = [](const knot& a, const knot& b) { return a.x == b.x; };
      direct.erase(std::unique(direct.begin(), direct.end(), same), direct.end());
    }
    direct.erase(std::remove_if(direct.begin(), direct.end(),
                                [](const knot& k) {
                                  return k.y > piecewise_map::max_knot_ps || k.y < -piecewise_map::max_knot_ps;
                                }),
                 direct.end());
    made_.direct_ = piecewise_map(direct);
  }

  // Knots R -> S0 of one sound piece: its snapshots, and between them where the offsets have their knots.
  static void add_composed(const std::vector<knot>& snapshots, const offset_knots& offsets,
                           const piecewise_map& map, std::vector<knot>& into) {
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
      into.push_back({snapshots[i].x, map(snapshots[i].y)});
      if (i + 1 == snapshots.size()) break;
      const piecewise_map back({{snapshots[i].y, snapshots[i].x}, {snapshots[i + 1].y, snapshots[i + 1].x}});
      for (const knot& k : offsets.between(snapshots[i].y, snapshots[i + 1].y)) {
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
    for (std::size_t i = 0; i < of_.tracer.size(); ++i) {
      piece.push_back({of_.tracer[i].x, of_.tracer[i].y - of_.tracer[i].x});
      if (std::binary_search(of_.broken.begin(), of_.broken.end(), i)) end_piece(scatters);
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
    std::size_t jump = 0;  // the next; they are by rising place
    for (std::size_t i = 0; i < of_.points.size(); ++i) {
      piece.push_back({of_.points[i].at, of_.points[i].offset});
      made_.marks_.push_back({of_.points[i].at, of_.points[i].resolution, of_.points[i].residual.value_or(0)});
      const bool jumped = jump < of_.jumps.size() && of_.jumps[jump].after == i;
      jump += jumped ? 1 : 0;
      if (!jumped && i + 1 < of_.points.size()) continue;
      const auto size = as_double(static_cast<std::int64_t>(piece.size()));
      mean_square += fit_line(piece).mean_square * size / as_double(static_cast<std::int64_t>(of_.points.size()));
      end_piece(offset_scatters);
    }
    made_.offset_scatter_ = pooled_scatter(offset_scatters);
    made_.offset_variance_ns2_ = mean_square / 1e6;
    if (!rates.empty()) made_.host_drift_ = static_cast<std::int64_t>(std::llround(median_of(rates) * ppt));

    auto& snapshots = made_.snapshot_part_;
    std::vector<std::size_t> steps;
    for (const clock_step& j : of_.jumps) steps.push_back(j.after);
    snapshots.noise_ps = noise_of(snapshot_deviations(), of_.broken, of_.snapshot_gaps, of_.snapshot_bends,
                                  made_.snapshot_scatter_, o_.snapshot_scatter) +
                         of_.spread_ps;
    snapshots.first_noise_ps = snapshots.last_noise_ps = snapshots.noise_ps;
    const knot& first = of_.tracer.front();
    const knot& last = of_.tracer.back();
    snapshots.first_ps = corrected_snapshot(first);
    snapshots.last_ps = corrected_snapshot(last);
    snapshots.growth_before_ppt = growth_of(snapshots.noise_ps + tracer_reading_ps, of_.tracer[1].x - first.x);
    snapshots.growth_after_ppt =
        growth_of(snapshots.noise_ps + tracer_reading_ps, last.x - of_.tracer[of_.tracer.size() - 2].x);

    auto& offsets = made_.offset_part_;
    if (!of_.points.empty()) {
      offsets.noise_ps =
          noise_of(offset_deviations(), steps, of_.offset_gaps, of_.offset_bends, made_.offset_scatter_,
                   o_.offset_scatter);
      // How far a path moved is known by two measurements.
      if (of_.path_change_ps > 0) offsets.noise_ps = 3 * offsets.noise_ps + whole_ps(of_.path_change_ps);
      offsets.first_ps = of_.points.front().at;
      offsets.last_ps = of_.points.back().at;
      const offset_point &front = of_.points.front(), &back = of_.points.back();
      offsets.first_noise_ps = std::max(offsets.noise_ps, front.residual.value_or(0));
      offsets.last_noise_ps = std::max(offsets.noise_ps, back.residual.value_or(0));
      if (of_.points.size() > 1) {
        const std::int64_t head = offsets.first_noise_ps + front.resolution + 1;
        const std::int64_t tail = offsets.last_noise_ps + back.resolution + 1;
        if (offsets.growth_before_ppt == 0)
          offsets.growth_before_ppt = growth_of(head, of_.points[1].at - offsets.first_ps);
        if (offsets.growth_after_ppt == 0)
          offsets.growth_after_ppt = growth_of(tail, offsets.last_ps - of_.points[of_.points.size() - 2].at);
      }
    }

    // Skew: how far the corrected snapshots lie from a straight line of R.
    std::vector<deviation> corrected;
    for (const knot& k : of_.tracer) corrected.push_back({k.x, corrected_snapshot(k) - k.x});
    made_.residual_ps_ = static_cast<std::int64_t>(std::llround(std::sqrt(fit_line(corrected).mean_square)));
  }

  [[nodiscard]] std::vector<deviation> snapshot_deviations() const {
    std::vector<deviation> points;
    for (const knot& k : of_.tracer) points.push_back({k.x, k.y - k.x});
    return points;
  }
  [[nodiscard]] std::vector<deviation> offset_deviations() const {
    std::vector<deviation> points;
    for (const offset_point& p : of_.points) points.push_back({p.at, p.offset});
    return points;
  }
  // Corrected times around a segment.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> snapshot_span(std::size_t segment) const {
    return {corrected_snapshot(of_.tracer[segment]), corrected_snapshot(of_.tracer[segment + 1])};
  }
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> offset_span(std::size_t segment) const {
    return {of_.points[segment].at, of_.points[segment + 1].at};
  }

  // Between measurements a clock may bend: where they show that it did, and where they are far apart, unseen.
  void widen_segments() {
    for (const clock_bend& b : of_.snapshot_bends) add_span(snapshot_span(b.after), whole_ps(b.size_ps), 0);
    for (const clock_bend& b : of_.offset_bends)
      add_span(offset_span(b.after), whole_ps(b.size_ps), whole_ps(b.size_ps));
    std::vector<double> errors = errors_across_gaps(snapshot_deviations(), of_.snapshot_gaps);
    for (std::size_t i = 0; i < errors.size(); ++i) add_gap(snapshot_span(of_.snapshot_gaps[i]), errors[i], 1, 0);
    errors = errors_across_gaps(offset_deviations(), of_.offset_gaps);
    for (std::size_t i = 0; i < errors.size(); ++i) add_gap(offset_span(of_.offset_gaps[i]), errors[i], 1, 1);
  }
  void add_span(std::pair<std::int64_t, std::int64_t> span, std::int64_t tracer_ps, std::int64_t host_ps) {
    made_.suspects_.push_back({span.first, span.second, tracer_ps, host_ps});
  }
  // A clock of steady curvature strays from its chord by a parabola: most in the middle, nothing at the measurements.
  void add_gap(std::pair<std::int64_t, std::int64_t> span, double middle_ps, int tracer, int host) {
    constexpr std::int64_t parts = 8;
    const std::int64_t length = span.second - span.first;
    for (std::int64_t k = 0; k < parts; ++k) {
      const double inner = as_double(k < parts / 2 ? k + 1 : k) / as_double(parts);
      const std::int64_t error = whole_ps(4 * inner * (1 - inner) * middle_ps);
      add_span({span.first + length / parts * k, k + 1 == parts ? span.second : span.first + length / parts * (k + 1)},
               tracer * error, host * error);
    }
  }

  // By what the measurements themselves leave of a smooth clock; where they are too few for that, by what all nodes'
  // scatter, or by what such measurements usually are off.
  static std::int64_t noise_of(const std::vector<deviation>& points, std::vector<std::size_t> breaks,
                               const std::vector<std::size_t>& gaps, const std::vector<clock_bend>& bends,
                               const clock_scatter& own, const clock_scatter& pooled) {
    breaks.insert(breaks.end(), gaps.begin(), gaps.end());
    for (const clock_bend& b : bends) breaks.push_back(b.after);
    std::sort(breaks.begin(), breaks.end());
    breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
    if (const auto largest = largest_noise_ps(points, breaks)) return whole_ps(*largest);
    return own.freedom < 1 && pooled.freedom < 1 ? unknown_noise_ps : whole_ps(largest_error_ps(own, pooled));
  }
  [[nodiscard]] std::int64_t corrected_snapshot(const knot& k) const noexcept { return made_.direct_(k.x); }
  // An error of two knots, extrapolated: both can lean the line.
  static std::int64_t growth_of(std::int64_t error_ps, std::int64_t length_ps) noexcept {
    return length_ps <= 0 ? unknown_drift_ppt : whole_ps(2 * as_double(error_ps) / as_double(length_ps) * ppt);
  }

  const clock_evidence& from_;
  const clock_options& o_;
  node_clock made_;
  clock_measurements of_;
  std::int64_t fold_ps_ = 0;
};

node_clock clock_of_map(std::int64_t node_id, piecewise_map host_to_reference, std::int64_t drift_ppt) {
  return node_clock_builder::of_map(node_id, std::move(host_to_reference), drift_ppt);
}

result<node_clock> node_clock::build(const clock_evidence& from, const clock_options& o) {
  return contained([&] { return node_clock_builder(from, o).build(); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
