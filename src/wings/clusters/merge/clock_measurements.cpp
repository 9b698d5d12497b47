#include "clock_measurements.hpp"

#include <profkit/time.hpp>

#include "clock_statistics.hpp"
#include "odd_measurements.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using knot = piecewise_map::knot;

constexpr std::int64_t max_slope_parts = 1000;   // a segment is broken beyond 1 part in this: 1000 ppm
constexpr std::int64_t max_offset_parts = 2000;  // an offset jumps beyond 500 ppm of the window
constexpr double max_slew = 0.001;               // a clock that is slewed has another rate for a while, up to this
constexpr double outlier_times = 8;               // of the usual deviation
constexpr double min_step_ps = 2000;
constexpr int max_rounds = 32;  // of leaving out what is off: more of them find a clock that bends, not bad readings

std::optional<std::int64_t> since(const clock_instant& t, std::int64_t base_ns) noexcept {
  const auto ps = relative_ps(t.ns, base_ns, t.sub_ps);
  if (!ps || *ps > piecewise_map::max_knot_ps || *ps < -piecewise_map::max_knot_ps) return std::nullopt;
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
  std::vector<double> length;
  // Whether a neighbour deviates alike: the clock has another rate there, and does not step.
  [[nodiscard]] bool slewed(std::size_t i) const {
    const double rate = deviation[i] / length[i];
    if (std::abs(rate) > max_slew) return false;
    for (const std::size_t beside : {i - 1, i + 1})
      if (beside < length.size() && 2 * deviation[beside] / length[beside] / rate > 1) return true;
    return false;
  }
};
rate_check check_rates(const std::vector<knot>& advance) {
  rate_check found;
  std::vector<double> rates, sizes;
  for (const knot& s : advance)
    if (s.x > 0) rates.push_back(as_double(s.y) / as_double(s.x));
  found.usual_rate = median_of(rates);
  for (const knot& s : advance) {
    found.deviation.push_back(as_double(s.y) - found.usual_rate * as_double(s.x));
    found.length.push_back(as_double(s.x));
  }
  for (const double d : found.deviation) sizes.push_back(std::abs(d));
  found.scale_ps = advance.size() < 3 ? 0 : median_of(sizes);
  return found;
}

class measurement_taker {
 public:
  explicit measurement_taker(const clock_evidence& from) : from_(from) {}

  result<clock_measurements> run() {
    if (auto ok = take_snapshots(); !ok) return std::move(ok).error();
    if (auto ok = take_offsets(); !ok) return std::move(ok).error();
    find_host_steps();
    const auto before_offsets = static_cast<std::ptrdiff_t>(found_.anomalies.size());
    find_offset_jumps();
    report_offset_jumps();
    // A step of the snapshots is judged by the offsets, but listed before the steps of the offsets.
    const auto after_offsets = static_cast<std::ptrdiff_t>(found_.anomalies.size());
    report_host_steps();
    std::rotate(found_.anomalies.begin() + before_offsets, found_.anomalies.begin() + after_offsets,
                found_.anomalies.end());
    found_.snapshot_gaps = gaps_in(snapshot_deviations(), "snapshots", found_.broken);
    found_.offset_gaps = gaps_in(offset_deviations(), "offsets", {});
    return std::move(found_);
  }

 private:
  void note(clock_anomaly::kind what, std::int64_t at, std::int64_t size, std::string text) {
    found_.anomalies.push_back({what, at, size, std::move(text)});
  }

  result<void> take_snapshots() {
    std::vector<knot> all;
    bool in_order = true, host_in_order = true;
    for (const clock_pair& p : from_.snapshots) {
      const auto r = since(p.tracer, from_.tracer_base_ns), s = since(p.host, from_.host_base_ns);
      if (!r || !s) return out_of_place(from_.node_id, "a snapshot");
      if (!all.empty() && *r < all.back().x) in_order = false;
      if (!all.empty() && *s < all.back().y) host_in_order = false;
      all.push_back({*r, *s});
    }
    // Taken one after the other, says the wall clock.
    if (!in_order && host_in_order) {
      keep_one_tracer_time(all);
      in_order = true;
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
             "the tracer clock gives one time for host times " + step_text(as_double(most - least)) +
                 " apart; their middle is used");
        found_.spread_ps = std::max(found_.spread_ps, (most - least) / 2 + 1);
      } else {
        repeated += end - i - 1;
      }
      found_.tracer.push_back({all[i].x, least + (most - least) / 2});
      i = end;
    }
    if (repeated > 0)
      note(clock_anomaly::kind::duplicate, 0, 0,
           std::to_string(repeated) + " snapshots were repeated; each counts once");
    if (!in_order)
      note(clock_anomaly::kind::tracer_not_rising, 0, 0,
           "the snapshots do not stand in the order of the tracer clock; they were sorted");
    if (found_.tracer.size() < 2) {
      fault f;
      f.code = fault_code::invalid_argument;
      f.message = "node " + std::to_string(from_.node_id) + " has " + std::to_string(from_.snapshots.size()) +
                  (from_.snapshots.size() == 1 ? " clock snapshot" : " clock snapshots") +
                  (from_.snapshots.size() > 1 ? ", all of one instant" : "") +
                  "; two are needed to map its tracer clock to its wall clock";
      f.hint = "Give its snapshot file with --snapshots, or align by wall time with --no-correction.";
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
      if (!at || !offset || magnitude(*offset) > static_cast<std::uint64_t>(piecewise_map::max_knot_ps))
        return out_of_place(from_.node_id, "an offset");
      std::optional<std::int64_t> residual = row.residual_ps;
      // There and back: the offset is off by at most half of what that took.
      if (row.round_trip_ps) residual = std::max(residual.value_or(0), *row.round_trip_ps / 2);
      found_.points.push_back({*at, *offset, row.resolution_ps, row.drift_ppt, residual});
    }
    if (from_.is_reference) {
      for (const offset_point& p : found_.points) {
        constexpr std::uint64_t negligible_ps = 1'000'000;  // what the measurement of a clock against itself may give
        if (magnitude(p.offset) <=
            std::max<std::uint64_t>(negligible_ps, magnitude(p.resolution) + magnitude(p.residual.value_or(0))))
          continue;
        fault f;
        f.code = fault_code::invalid_argument;
        f.message = "the offsets are relative to another node than the reference, node " +
                    std::to_string(from_.node_id) + ": it has one of " + step_text(as_double(p.offset));
        f.hint = "Name the node that the offsets were measured from as reference_node of the run metadata.";
        return f;
      }
      for (const offset_point& p : found_.points)
        if (p.offset != 0) {
          note(clock_anomaly::kind::offset_jump, p.at, p.offset,
               "the reference node has offsets that are not 0; they are not used");
          break;
        }
      found_.offset_count = found_.points.size();
      found_.points.clear();
      return {};
    }
    std::stable_sort(found_.points.begin(), found_.points.end(),
                 [](const offset_point& a, const offset_point& b) { return a.at < b.at; });
    std::vector<offset_point> kept;
    for (const offset_point& p : found_.points) {
      if (kept.empty() || kept.back().at != p.at) {
        kept.push_back(p);
        continue;
      }
      offset_point& known = kept.back();
      const std::int64_t apart = std::max(known.offset, p.offset) - std::min(known.offset, p.offset);
      if (apart != 0)
        note(clock_anomaly::kind::duplicate, p.at, apart,
             "two offsets of one time are " + step_text(as_double(apart)) + " apart; their middle is used");
      ++repeated;
      known.offset = std::min(known.offset, p.offset) + apart / 2;
      known.resolution = std::max(known.resolution, p.resolution) + apart / 2 + apart % 2;
    }
    found_.points = std::move(kept);
    if (repeated > 0)
      note(clock_anomaly::kind::duplicate, 0, 0,
           std::to_string(repeated) + " offsets have the time of another; each time counts once");
    if (found_.points.empty()) {
      fault f;
      f.code = fault_code::invalid_argument;
      f.message = "the offsets have no usable row of node " + std::to_string(from_.node_id);
      f.hint =
          "Without one its clock cannot be aligned: check node ids and 'reachable' in the offsets file, or align "
          "by wall time with --no-correction.";
      return f;
    }
    found_.offset_count = found_.points.size();
    return {};
  }

  // The tracer clock went back. If each piece has tracer times of its own, all are kept, else the longest.
  void keep_one_tracer_time(std::vector<knot>& all) {
    std::vector<std::vector<knot>> pieces(1);
    for (const knot& k : all) {
      if (!pieces.back().empty() && k.x < pieces.back().back().x) {
        const std::int64_t back = pieces.back().back().x - k.x;
        note(clock_anomaly::kind::tracer_not_rising, k.y, back,
             "the tracer clock goes back by " + step_text(as_double(back)) + " between two snapshots: it was reset; " +
                 unknown_times);
        pieces.emplace_back();
      }
      pieces.back().push_back(k);
    }
    found_.tracer_was_reset = true;
    std::vector<std::vector<knot>> by_time = pieces;
    std::stable_sort(by_time.begin(), by_time.end(),
                 [](const auto& a, const auto& b) { return a.front().x < b.front().x; });
    for (std::size_t i = 0; i + 1 < by_time.size(); ++i) {
      if (by_time[i].back().x < by_time[i + 1].front().x) continue;
      all = *std::max_element(pieces.begin(), pieces.end(),
                              [](const auto& a, const auto& b) { return a.size() < b.size(); });
      return;
    }
    for (std::size_t i = 0; i + 1 < by_time.size(); ++i) pieces_end_.push_back(by_time[i].back().x);
  }

  [[nodiscard]] std::vector<deviation> snapshot_deviations() const {
    std::vector<deviation> points;
    for (const knot& k : found_.tracer) points.push_back({k.x, k.y - k.x});
    return points;
  }
  [[nodiscard]] std::vector<deviation> offset_deviations() const {
    std::vector<deviation> points;
    for (const offset_point& p : found_.points) points.push_back({p.at, p.offset});
    return points;
  }
  [[nodiscard]] double offset_reading_ps() const {
    std::int64_t most = 0;
    for (const offset_point& p : found_.points) most = std::max(most, p.resolution);
    return min_step_ps + 4 * as_double(most);
  }

  // Takes out what is odd, which is by rising place.
  template <class Measured>
  static void remove_at(std::vector<Measured>& from, const std::vector<odd_measurement>& odd) {
    std::size_t kept = 0, next = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (next < odd.size() && odd[next].at == i)
        ++next;
      else
        from[kept++] = from[i];
    }
    from.resize(kept);
  }

  // Takes outliers out of `from`, and gives the steps and bends that are left. If many are off, it is not known which.
  template <class Measured, class Deviations, class Note>
  odd_measurements leave_out(std::vector<Measured>& from, Deviations&& deviations, double reading_ps,
                                         Note&& note_one) {
    constexpr std::size_t max_share = 4;
    const std::vector<Measured> all = from;
    const std::size_t anomalies = found_.anomalies.size();
    for (int round = 0;; ++round) {
      odd_measurements odd = find_odd_measurements(deviations(), reading_ps);
      if (odd.outliers.empty()) return odd;
      if (round == max_rounds || (all.size() - from.size() + odd.outliers.size()) * max_share > all.size()) {
        from = all;
        found_.anomalies.erase(found_.anomalies.begin() + static_cast<std::ptrdiff_t>(anomalies),
                               found_.anomalies.end());
        return {};
      }
      for (std::size_t i = odd.outliers.size(); i-- > 0;) note_one(odd.outliers[i]);
      remove_at(from, odd.outliers);
    }
  }

  // Segments in which S does not advance like R. A snapshot that is off by itself is left out; what remains broken is a
  // step.
  void find_host_steps() {
    constexpr double reading_ps = 2 * min_step_ps;
    odd_measurements odd;
    if (pieces_end_.empty())
      odd = leave_out(found_.tracer, [&] { return snapshot_deviations(); }, reading_ps,
                      [&](const odd_measurement& one) {
                        note(clock_anomaly::kind::slope, found_.tracer[one.at].y, whole_ps(std::abs(one.size_ps)),
                             "one snapshot is " + step_text(one.size_ps) + " off its neighbours; it is left out");
                      });
    std::vector<knot> advance;
    for (std::size_t i = 0; i + 1 < found_.tracer.size(); ++i) {
      const knot &here = found_.tracer[i], &next = found_.tracer[i + 1];
      advance.push_back({next.x - here.x, (next.y - here.y) - (next.x - here.x)});
    }
    const rate_check rates = check_rates(advance);
    const double noise = outlier_times * rates.scale_ps + min_step_ps;
    found_.usual_host_rate = rates.usual_rate;
    auto step = odd.steps.begin();
    for (std::size_t i = 0; i < advance.size(); ++i) {
      const bool no_clock = magnitude(advance[i].y) > static_cast<std::uint64_t>(advance[i].x / max_slope_parts);
      const bool backwards = found_.tracer[i + 1].y < found_.tracer[i].y;  // wrong even where every segment does it
      const bool steps_here = step != odd.steps.end() && step->at == i;
      step += steps_here ? 1 : 0;
      if (!steps_here && !(no_clock && (backwards || advance.size() < 3 || std::abs(rates.deviation[i]) > noise)))
        continue;
      found_.broken.push_back(i);
      const bool between_pieces =
          std::binary_search(pieces_end_.begin(), pieces_end_.end(), found_.tracer[i].x);
      if (!between_pieces) found_.host_steps.push_back({i, rates.deviation[i]});
    }
    found_.snapshot_bends = bends_of(odd.bends, found_.broken, snapshot_deviations(), "the wall clock or the tracer clock");
  }

  // Segments beside a bend, by rising place; those next to a step are that step's. Where the rate changes inside a segment by
  // what it changes at both of its ends, the chord is off by up to a quarter of that times its length.
  std::vector<clock_bend> bends_of(const std::vector<odd_measurement>& odd, const std::vector<std::size_t>& steps,
                                   const std::vector<deviation>& points, const char* what) {
    std::vector<clock_bend> segments;
    const auto steps_at = [&](std::size_t segment) { return std::binary_search(steps.begin(), steps.end(), segment); };
    const auto change_at = [&](std::size_t i) {
      const bool is_inner = i > 0 && i + 1 < points.size() && !steps_at(i - 1) && !steps_at(i);
      return is_inner ? std::abs(slope_at(points, i) - slope_at(points, i - 1)) : 0;
    };
    std::size_t last = 0;
    for (const odd_measurement& bend : odd) {
      if (steps_at(bend.at - 1) || steps_at(bend.at)) continue;
      if (segments.empty() || bend.at > last + 1)
        note(clock_anomaly::kind::slope, points[bend.at].at_ps, whole_ps(bend.size_ps),
             std::string(what) + " changes its rate by " + std::to_string(std::llround(change_at(bend.at) * 1e6)) +
                 " ppm between measurements; the bound is wider there");
      last = bend.at;
      for (const std::size_t segment : {bend.at - 1, bend.at}) {
        if (!segments.empty() && segments.back().after == segment) continue;
        const double length = as_double(points[segment + 1].at_ps - points[segment].at_ps);
        segments.push_back({segment, length * (change_at(segment) + change_at(segment + 1)) / 4});
      }
    }
    return segments;
  }
  static double slope_at(const std::vector<deviation>& points, std::size_t segment) {
    const deviation &from = points[segment], &to = points[segment + 1];
    return as_double(to.size_ps - from.size_ps) / as_double(to.at_ps - from.at_ps);
  }

  // Wall times around a step in the snapshots.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> span_of(const clock_step& s) const {
    return std::minmax({found_.tracer[s.after].y, found_.tracer[s.after + 1].y});
  }
  [[nodiscard]] bool offsets_jump_at(const clock_step& s) const {
    const auto [from, to] = span_of(s);
    const auto later = std::partition_point(jump_spans_.begin(), jump_spans_.end(),
                                            [to = to](const auto& span) { return span.first <= to; });
    return later != jump_spans_.begin() && (later - 1)->second >= from;
  }
  // Whether the offsets say that the wall clock did not step between two snapshots.
  [[nodiscard]] bool wall_clock_was_steady(const clock_step& s) const {
    const auto [from, to] = span_of(s);
    const bool covered = !found_.points.empty() && found_.points.front().as_knot().x <= from &&
                         found_.points.back().as_knot().x >= to;
    return covered && std::abs(s.size_ps) > 4 * offset_noise_ps_ && !offsets_jump_at(s);
  }

  void report_host_steps() {
    for (const clock_step& s : found_.host_steps) {
      const knot &before = found_.tracer[s.after], &after = found_.tracer[s.after + 1];
      const std::int64_t size = whole_ps(std::abs(s.size_ps));
      if (wall_clock_was_steady(s)) {
        const bool reset = size > (after.x - before.x) / max_slope_parts;
        found_.tracer_was_reset = found_.tracer_was_reset || reset;
        note(clock_anomaly::kind::tracer_not_rising, before.y, size,
             "the tracer clock jumps by " + step_text(-s.size_ps) +
                 " between two snapshots, of which the offsets know nothing" +
                 (reset ? std::string(": it was reset; ") + unknown_times : ""));
        continue;
      }
      const bool backwards = after.y <= before.y;
      note(backwards || std::abs(s.size_ps) > 0 ? clock_anomaly::kind::host_step : clock_anomaly::kind::slope, before.y,
           size,
           found_.tracer.size() < 4
               ? std::string("the two clocks of the node advance differently by more than 1000 ppm")
               : std::string(offsets_jump_at(s) ? "the wall clock" : "the wall clock or the tracer clock") +
                     " steps by " + step_text(s.size_ps) + " between two snapshots");
    }
  }

  std::vector<std::size_t> gaps_in(const std::vector<deviation>& points, const char* what,
                                   const std::vector<std::size_t>& but) {
    std::vector<std::size_t> gaps = find_gaps(points);
    gaps.erase(std::remove_if(gaps.begin(), gaps.end(),
                              [&](std::size_t gap) { return std::binary_search(but.begin(), but.end(), gap); }),
               gaps.end());
    for (const std::size_t gap : gaps)
      note(clock_anomaly::kind::slope, points[gap].at_ps, 0,
           std::string("no ") + what + " for " + step_text(as_double(points[gap + 1].at_ps - points[gap].at_ps)) +
               ", far longer than usual; the clock is taken as straight there");
    return gaps;
  }

  void find_offset_jumps() {
    const odd_measurements odd = leave_out(
        found_.points, [&] { return offset_deviations(); }, offset_reading_ps(), [&](const odd_measurement& one) {
          note(clock_anomaly::kind::offset_jump, found_.points[one.at].at, whole_ps(std::abs(one.size_ps)),
               "one offset is " + step_text(one.size_ps) + " off its neighbours; it is left out");
        });
    std::vector<knot> advance;
    for (std::size_t i = 0; i + 1 < found_.points.size(); ++i)
      advance.push_back(
          {found_.points[i + 1].at - found_.points[i].at, found_.points[i + 1].offset - found_.points[i].offset});
    const rate_check rates = check_rates(advance);
    const double noise = outlier_times * rates.scale_ps + min_step_ps;
    offset_noise_ps_ = noise;
    auto step = odd.steps.begin();
    for (std::size_t i = 0; i < advance.size(); ++i) {
      const std::int64_t usual = advance.size() < 3 ? advance[i].y : whole_ps(rates.deviation[i]);
      const bool steps_here = step != odd.steps.end() && step->at == i;
      step += steps_here ? 1 : 0;
      if (steps_here || (magnitude(usual) > static_cast<std::uint64_t>(advance[i].x / max_offset_parts) &&
                         (advance.size() < 3 || (std::abs(rates.deviation[i]) > noise && !rates.slewed(i)))))
        found_.jumps.push_back({i, advance.size() < 3 ? as_double(advance[i].y) : rates.deviation[i]});
    }
    for (const clock_step& j : found_.jumps)
      jump_spans_.push_back(
          std::minmax({found_.points[j.after].as_knot().x, found_.points[j.after + 1].as_knot().x}));
    std::sort(jump_spans_.begin(), jump_spans_.end());
    for (std::size_t i = 1; i < jump_spans_.size(); ++i)
      jump_spans_[i].second = std::max(jump_spans_[i].second, jump_spans_[i - 1].second);
    std::vector<std::size_t> jumped;
    for (const clock_step& j : found_.jumps) jumped.push_back(j.after);
    found_.offset_bends = bends_of(odd.bends, jumped, offset_deviations(), "the wall clock");
  }

  // Whether a clock shows the jump: the node's in its snapshots, by about as much, or the reference node's.
  [[nodiscard]] bool is_of_a_clock(const clock_step& jump) const {
    const offset_point &before = found_.points[jump.after], &after = found_.points[jump.after + 1];
    const auto [from, to] = std::minmax({before.as_knot().x, after.as_knot().x});
    for (const clock_step& s : found_.host_steps) {
      const auto span = span_of(s);
      if (span.first <= to && span.second >= from && is_alike(jump, s)) return true;
    }
    // A clock that is slewed in haste has no step, but gains as much on the tracer clock over the same time or more.
    const auto later = [](std::int64_t t, const knot& k) { return t < k.y; };
    const auto end = std::lower_bound(found_.tracer.begin(), found_.tracer.end(), to,
                                      [](const knot& k, std::int64_t t) { return k.y < t; });
    const auto begin = std::upper_bound(found_.tracer.begin(), found_.tracer.end(), from, later);
    if (begin != found_.tracer.begin() && end != found_.tracer.end()) {
      const knot &first = *(begin - 1), &last = *end;
      const double gained = as_double((last.y - first.y) - (last.x - first.x)) -
                            found_.usual_host_rate * as_double(last.x - first.x);
      const double sign = jump.size_ps < 0 ? -1 : 1;
      if (gained * sign > std::abs(jump.size_ps) || is_alike(jump, {0, gained})) return true;
    }
    return std::any_of(from_.reference_steps.begin(), from_.reference_steps.end(),
                       [&](const auto& span) { return span.first <= after.at && span.second >= before.at; });
  }

  // A jump that no clock shows is a path that takes longer on the way there or back than before. The offsets do not say
  // whether those before it or after it are right; round trips do.
  void report_offset_jumps() {
    const bool has_round_trips = std::all_of(from_.offsets.begin(), from_.offsets.end(),
                                             [](const offset_row& row) { return row.round_trip_ps.has_value(); });
    double level = 0, least = 0, most = 0;
    for (const clock_step& j : found_.jumps) {
      const bool path = !has_round_trips && !is_of_a_clock(j);
      note(clock_anomaly::kind::offset_jump, found_.points[j.after].at, whole_ps(std::abs(j.size_ps)),
           "the offset jumps by " + step_text(j.size_ps) + " between two windows" +
               (path ? ", of which the snapshots know nothing: a path may have changed, and all offsets may be off by it" : ""));
      if (!path) continue;
      level += j.size_ps;
      least = std::min(least, level);
      most = std::max(most, level);
    }
    found_.path_change_ps = most - least;
  }

  static constexpr const char* unknown_times = "how far its device times are wrong is not known";
  const clock_evidence& from_;
  clock_measurements found_;
  std::vector<std::int64_t> pieces_end_;  // R of the last snapshot before the tracer clock's next reset, by R
  // Wall times around each jump of the offsets, by the first; the second is the last of this one and all before it.
  std::vector<std::pair<std::int64_t, std::int64_t>> jump_spans_;
  double offset_noise_ps_ = 0;
};

}  // namespace

bool is_alike(const clock_step& a, const clock_step& b) noexcept {
  return std::abs(a.size_ps - b.size_ps) <= 0.2 * std::abs(a.size_ps) + 1e6;
}

std::string step_text(double ps) {
  const double size = std::abs(ps);
  const char* unit = size >= 1e9 ? " ms" : size >= 1e6 ? " us" : " ns";
  const double scaled = ps / (size >= 1e9 ? 1e9 : size >= 1e6 ? 1e6 : 1e3);
  const auto tenths = static_cast<std::int64_t>(std::llround(scaled * 10));
  return std::string(tenths < 0 ? "-" : "") + std::to_string(std::llabs(tenths) / 10) + '.' +
         std::to_string(std::llabs(tenths) % 10) + unit;
}

result<clock_measurements> take_measurements(const clock_evidence& from) { return measurement_taker(from).run(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
