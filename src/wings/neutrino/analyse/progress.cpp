// How far threads got: samples of a clock, and the time between them.
#include "fields.hpp"

#include <profkit/time.hpp>

#include <base/contained.hpp>
#include <base/progress.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

void take_lane(const probe_lane& lane, const probe_field& clock, lane_progress& found) noexcept {
  std::uint64_t samples = 0, before = 0;
  for (; samples < lane.capacity(); ++samples) {
    const std::uint64_t now = lane.record(samples).value(clock);
    if (now == 0) break;
    if (samples != 0) {
      ++found.deltas;
      if (now < before) {
        ++found.backward;
      } else {
        const std::uint64_t delta = now - before;
        found.delta_sum = saturating_add(found.delta_sum, delta);
        found.least_delta = std::min(found.least_delta, delta);
        found.most_delta = std::max(found.most_delta, delta);
        found.delta_histogram.add(delta);
      }
    }
    before = now;
  }
  ++found.lanes;
  found.samples += samples;
  found.samples_of_lanes.add(samples);
  found.full_lanes += lane.capacity() != 0 && lane.record(lane.capacity() - 1).value(clock) != 0;
}

}  // namespace

result<lane_progress> analyse_progress(const probe_bin_map& map, std::string_view file, const hooks& host) {
  return contained([&]() -> result<lane_progress> {
    if (map.shape->fields.empty()) return wrong_map(map, "samples", "clock");
    const probe_field clock = find_field(*map.shape, {"clock", "clk"}).value_or(view_of(map.shape->fields.front()));
    lane_progress found;
    found.least_delta = ~std::uint64_t{0};
    progress_meter meter(host, map.place.present_bytes);
    result<void> go_on;
    std::uint64_t until = 0;
    records_of(map, file).each_lane([&](const probe_lane& lane) {
      if (until-- == 0) {
        until = lanes_per_step;
        go_on = meter.step(0);
        if (!go_on) return false;
      }
      take_lane(lane, clock, found);
      return true;
    });
    if (!go_on) return std::move(go_on).error();
    if (found.least_delta > found.most_delta) found.least_delta = 0;
    return found;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
