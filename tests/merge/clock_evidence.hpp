// Evidence of a clock, made by hand.
#pragma once
#include <profkit/core/clock.hpp>

#include <cstdint>

namespace profkit::test {

inline constexpr std::int64_t start_ns = 1'765'400'000'000'000'000, tracer_ns = 5'000'000'000, step_ns = 1'000'000'000;

// So many snapshots and offsets a second apart, of clocks that run alike; the wall clock is so far ahead.
inline clock_evidence evidence(std::int64_t snapshots, std::int64_t offsets, std::int64_t ahead_ps = 0) {
  clock_evidence e;
  e.node_id = 1;
  e.tracer_base_ns = tracer_ns;
  e.host_base_ns = e.reference_base_ns = start_ns;
  for (std::int64_t k = 0; k < snapshots; ++k)
    e.snapshots.push_back({{tracer_ns + k * step_ns, 0}, {start_ns + k * step_ns, 0}});
  for (std::int64_t k = 0; k < offsets; ++k) {
    offset_row r;
    r.node_id = 1;
    r.midpoint = {start_ns + k * step_ns, 0};
    r.offset_ps = ahead_ps;
    e.offsets.push_back(r);
  }
  return e;
}

}  // namespace profkit::test
