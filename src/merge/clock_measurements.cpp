#include "clock_measurements.hpp"
#include <base/stable_order.hpp>

#include <profkit/time.hpp>

#include "clock_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using knot = piecewise_map::knot;

constexpr std::int64_t most_slope_parts = 1000;   // a segment is broken beyond 1 part in this: 1000 ppm
constexpr std::int64_t most_offset_parts = 2000;  // an offset jumps beyond 500 ppm of the window
constexpr double outlier_times = 8;               // of the usual deviation
constexpr double least_step_ps = 2000;

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

class measurement_taker {
 public:
  explicit measurement_taker(const clock_evidence& from) : from_(from) {}

  result<clock_measurements> run() {
    if (auto ok = take_snapshots(); !ok) return std::move(ok).error();
    if (auto ok = take_offsets(); !ok) return std::move(ok).error();
    find_host_steps();
    find_offset_jumps();
    return std::move(found_);
  }

 private:
  void note(clock_anomaly::kind what, std::int64_t at, std::int64_t size, std::string text) {
    found_.anomalies.push_back({what, at, size, std::move(text)});
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
    stable_order(all.begin(), all.end(), [](const knot& a, const knot& b) { return a.x < b.x; });
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
      found_.points.push_back({*at, *offset, row.resolution_ps, row.drift_ppt, row.residual_ps});
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
    stable_order(found_.points.begin(), found_.points.end(),
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
          "by wall time with --no_correction.";
      return f;
    }
    found_.offset_count = found_.points.size();
    return {};
  }

  // Segments in which S does not advance like R. A snapshot that is off by itself breaks the two segments around it
  // and is left out; what remains broken is a step.
  void find_host_steps() {
    for (;;) {
      std::vector<knot> advance;
      for (std::size_t i = 0; i + 1 < found_.tracer.size(); ++i)
        advance.push_back(
            {found_.tracer[i + 1].x - found_.tracer[i].x,
             (found_.tracer[i + 1].y - found_.tracer[i].y) - (found_.tracer[i + 1].x - found_.tracer[i].x)});
      const rate_check rates = check_rates(advance);
      const double noise = outlier_times * rates.scale_ps + least_step_ps;
      found_.broken.clear();
      for (std::size_t i = 0; i < advance.size(); ++i) {
        const bool no_clock = magnitude(advance[i].y) > static_cast<std::uint64_t>(advance[i].x / most_slope_parts);
        const bool backwards = found_.tracer[i + 1].y < found_.tracer[i].y;  // wrong even where every segment does it
        if (no_clock && (backwards || advance.size() < 3 || std::abs(rates.deviation[i]) > noise))
          found_.broken.push_back(i);
      }
      const auto spike = [&](std::size_t i) {
        const double first = rates.deviation[found_.broken[i]];
        return std::abs(first) > noise &&
               std::abs(first + rates.deviation[found_.broken[i + 1]]) < 0.1 * std::abs(first) + noise;
      };
      bool left_out = false;
      for (std::size_t i = 0; i + 1 < found_.broken.size() && found_.tracer.size() > 3; ++i) {
        if (found_.broken[i + 1] != found_.broken[i] + 1 || !spike(i)) continue;
        const std::size_t at = found_.broken[i + 1];
        note(clock_anomaly::kind::slope, found_.tracer[at].y, whole_ps(std::abs(rates.deviation[found_.broken[i]])),
             "one snapshot is " + step_text(rates.deviation[found_.broken[i]]) + " off its neighbours; it is left out");
        found_.tracer.erase(found_.tracer.begin() + static_cast<std::ptrdiff_t>(at));
        left_out = true;
        break;
      }
      if (left_out) continue;
      found_.usual_host_rate = rates.usual_rate;
      for (const std::size_t i : found_.broken) {
        found_.host_steps.push_back({i, rates.deviation[i]});
        const bool backwards = found_.tracer[i + 1].y <= found_.tracer[i].y;
        note(
            backwards || std::abs(rates.deviation[i]) > 0 ? clock_anomaly::kind::host_step : clock_anomaly::kind::slope,
            found_.tracer[i].y, whole_ps(std::abs(rates.deviation[i])),
            advance.size() < 3 ? std::string("the two clocks of the node advance differently by more than 1000 ppm")
                               : "the wall clock steps by " + step_text(rates.deviation[i]) + " between two snapshots");
      }
      return;
    }
  }

  void find_offset_jumps() {
    for (;;) {
      std::vector<knot> advance;
      for (std::size_t i = 0; i + 1 < found_.points.size(); ++i)
        advance.push_back(
            {found_.points[i + 1].at - found_.points[i].at, found_.points[i + 1].offset - found_.points[i].offset});
      const rate_check rates = check_rates(advance);
      const double noise = outlier_times * rates.scale_ps + least_step_ps;
      std::vector<clock_step> jumps;
      for (std::size_t i = 0; i < advance.size(); ++i) {
        const std::int64_t usual = advance.size() < 3 ? advance[i].y : whole_ps(rates.deviation[i]);
        if (magnitude(usual) > static_cast<std::uint64_t>(advance[i].x / most_offset_parts) &&
            (advance.size() < 3 || std::abs(rates.deviation[i]) > noise))
          jumps.push_back({i, advance.size() < 3 ? as_double(advance[i].y) : rates.deviation[i]});
      }
      bool left_out = false;
      for (std::size_t i = 0; i + 1 < jumps.size() && found_.points.size() > 3; ++i) {
        if (jumps[i + 1].after != jumps[i].after + 1 ||
            std::abs(jumps[i].size_ps + jumps[i + 1].size_ps) > 0.1 * std::abs(jumps[i].size_ps) + noise)
          continue;
        const std::size_t at = jumps[i + 1].after;
        note(clock_anomaly::kind::offset_jump, found_.points[at].at, whole_ps(std::abs(jumps[i].size_ps)),
             "one offset is " + step_text(jumps[i].size_ps) + " off its neighbours; it is left out");
        found_.points.erase(found_.points.begin() + static_cast<std::ptrdiff_t>(at));
        left_out = true;
        break;
      }
      if (left_out) continue;
      found_.jumps = std::move(jumps);
      for (const clock_step& j : found_.jumps)
        note(clock_anomaly::kind::offset_jump, found_.points[j.after].at, whole_ps(std::abs(j.size_ps)),
             "the offset jumps by " + step_text(j.size_ps) + " between two windows");
      return;
    }
  }

  const clock_evidence& from_;
  clock_measurements found_;
};

}  // namespace

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
