// What was measured of one node's clock, put in order: its snapshots and offsets, those that are off left out, and the
// steps that remain in both.
#pragma once
#include <profkit/core/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct offset_point {
  std::int64_t at = 0;      // S0 at the measurement
  std::int64_t offset = 0;  // S - S0, relative to the bases
  std::int64_t resolution = 0;
  std::optional<std::int64_t> drift, residual;
  [[nodiscard]] piecewise_map::knot as_knot() const noexcept { return {at + offset, at}; }
};

struct clock_step {
  std::size_t after;  // between this measurement and the next
  double size_ps;
};

// Whether two measurements of a step may be of one step: within a fifth and 1 us.
[[nodiscard]] bool is_alike(const clock_step& a, const clock_step& b) noexcept;

// The straight line between a measurement and the next can be off by more than measurements are: the clock bends there.
struct clock_bend {
  std::size_t after;
  double size_ps;
};

struct clock_measurements {
  std::vector<piecewise_map::knot> tracer;  // R -> S, by rising R
  std::vector<offset_point> points;         // by time; none of the reference node
  std::vector<std::size_t> broken;          // segments of `tracer` that no clock has
  std::vector<clock_step> host_steps, jumps;
  std::vector<clock_bend> snapshot_bends, offset_bends;
  double path_change_ps = 0;  // how far offsets moved without a clock that did: all of them may be wrong by it
  // Between a snapshot and the next the tracer clock went back or jumped: it is not known when, nor where events of the
  // time between belong.
  bool tracer_was_reset = false;
  std::vector<std::size_t> snapshot_gaps, offset_gaps;  // after these
  double usual_host_rate = 0;    // excess of S over R
  std::int64_t spread_ps = 0;    // of host times that share one tracer time
  std::size_t offset_count = 0;  // usable rows, of the reference node, too
  std::vector<clock_anomaly> anomalies;
};

// Faults: see node_clock::build().
result<clock_measurements> take_measurements(const clock_evidence& from);

// "-2.0 ms".
[[nodiscard]] std::string step_text(double ps);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
