// Totals of Chrome traces that stand alone, from one pass over each, and of Ascend captures: what ran on devices, or
// which operators ran on the host where there are none.
#pragma once
#include "statistics.hpp"

#include <profkit/core/profile.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace profkit_tool {

// What the totals are made of.
enum class trace_basis {
  none,
  device_kernels,  // kernels and copies of traces and tables
  device_ops,      // XLA Ops or streams of /device: processes
  host_operators,  // operators of a framework (cpu_op)
  host_events,     // any complete event
};

struct trace_track {
  std::uint32_t file = 0;
  std::string name;  // "GPU 0", "/device:TPU:0 XLA Ops", "python 25720"
  std::uint64_t events = 0;
  std::int64_t busy_ps = 0;  // union of the events
};
struct trace_name {
  std::string name;
  std::uint64_t count = 0;
  std::int64_t total_ps = 0;
  std::int64_t self_ps = 0;  // without what nested events of the same thread cover
  std::int64_t max_ps = 0;
};
struct trace_totals {
  std::string producer;                // "PyTorch (Kineto)"
  std::vector<std::string> hardware;   // "NVIDIA H100 80GB HBM3"
  std::vector<std::string> processes;  // "rank 0 of 8 (nccl)"
  trace_basis basis = trace_basis::none;
  std::vector<trace_track> tracks;  // by busy time, descending
  std::vector<trace_name> names;    // by self time, descending
  std::int64_t self_ps = 0;         // sum over all names
  trace_name collectives;           // kernels that communicate, together
  duration_statistics steps;        // annotations ProfilerStep#N, or Iteration#N and Step#N
  std::string steps_named;          // what they are called, without the number
};

// Damage is left to the slice that tells it; what is intact is added up.
profkit::result<trace_totals> total_traces(const profkit::profile& capture, const profkit::hooks& host);

}  // namespace profkit_tool
