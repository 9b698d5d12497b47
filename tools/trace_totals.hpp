// Totals of Chrome traces that stand alone: what ran on devices, or on threads where there are none.
#pragma once
#include <profkit/core/profile.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace profkit_tool {

struct trace_track {
  std::uint32_t file = 0;
  std::string plane, line;
  std::uint64_t events = 0;
  std::int64_t busy_ps = 0;  // union of the events
};
struct trace_name {
  std::string name;
  std::uint64_t count = 0;
  std::int64_t total_ps = 0, max_ps = 0;
};
struct trace_totals {
  bool on_devices = false;          // the tracks are device streams
  bool has_kineto_categories = true;
  std::int64_t total_ps = 0;        // sum of the durations of all names
  std::vector<trace_track> tracks;  // by busy time, descending
  std::vector<trace_name> names;    // by total, descending
};
profkit::result<trace_totals> total_traces(const profkit::profile& capture);

}  // namespace profkit_tool
