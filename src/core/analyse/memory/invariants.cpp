#include "invariants.hpp"

#include <profkit/time.hpp>

#include <base/format.hpp>

#include <algorithm>
#include <cmath>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

std::int64_t sum_of(const std::vector<rollup_row>& rows) {
  std::int64_t sum = 0;
  for (const rollup_row& row : rows) sum = saturating_add(sum, row.total_bytes);
  return sum;
}

void check_hlo(const memory_result& r, std::vector<memory_invariant>& out) {
  if (!r.hlo) {
    for (const char* id : {"H1", "H2", "H3", "H4", "H5"}) out.push_back({id, std::nullopt, 0, 0, "no HLO block"});
    return;
  }
  const hlo_report& h = *r.hlo;
  std::int64_t parts = 0;
  for (const std::int64_t part :
       {h.entry_params_bytes, h.constants_bytes, h.thread_local_bytes, h.temp_pool_bytes, h.other_bytes})
    parts = saturating_add(parts, part);
  out.push_back({"H1", h.static_peak_bytes == parts, h.static_peak_bytes, parts,
                 "static peak = parameters + constants + thread-local + temp pool + other"});
  out.push_back({"H2", h.sweep.peak_alive_bytes <= h.temp_pool_bytes, h.sweep.peak_alive_bytes, h.temp_pool_bytes,
                 "peak of the entry sweep <= temp pool"});
  std::int64_t rows = 0;
  for (const buffer_row& row : h.alive) rows = saturating_add(rows, row.size_bytes);
  const space_memory* space = h.module < r.modules.size() ? r.modules[h.module].space(h.color) : nullptr;
  const std::int64_t peak = space == nullptr ? 0 : space->peak_bytes;
  out.push_back({"H3", rows == h.alive_total_bytes && h.alive_total_bytes == peak, rows, peak,
                 "buffers alive at the peak add up to the peak"});
  out.push_back({"H4", h.always_alive_total_bytes <= h.temp_pool_bytes, h.always_alive_total_bytes, h.temp_pool_bytes,
                 "bytes with one owner <= temp pool"});
  const std::int64_t by_opcode = sum_of(h.by_opcode), by_op_name = sum_of(h.by_op_name);
  out.push_back({"H5",
                 by_opcode == h.alive_total_bytes && by_op_name == h.alive_total_bytes &&
                     sum_of(h.always_by_opcode) == h.always_alive_total_bytes &&
                     sum_of(h.always_by_op_name) == h.always_alive_total_bytes,
                 by_opcode == h.alive_total_bytes ? by_op_name : by_opcode, h.alive_total_bytes,
                 "each rollup adds up to what it rolls up"});
}

void check_runtime(const memory_result& r, std::vector<memory_invariant>& out) {
  if (!r.runtime || !r.runtime->allocator) {
    for (const char* id : {"R1", "R2", "R2b", "R3", "R4"}) out.push_back({id, std::nullopt, 0, 0, "no runtime block"});
    return;
  }
  const runtime_report& t = *r.runtime;
  std::int64_t rows = 0;
  for (const live_row& row : t.alive) rows = saturating_add(rows, row.size_bytes);
  out.push_back({"R1", rows == t.alive_total_bytes, rows, t.alive_total_bytes, "buffers add up to the alive total"});
  out.push_back({"R2", t.alive_total_bytes == t.peak_bytes, t.alive_total_bytes, t.peak_bytes,
                 "what is alive adds up to the peak"});
  const allocator_memory& a = r.allocators[*t.allocator];
  const std::uint64_t off =
      std::max(distance_ps(t.replayed_bytes, t.allocated_bytes), distance_ps(t.allocated_bytes, t.replayed_bytes));
  const std::int64_t slack = t.peak_bytes / 100;
  out.push_back({"R2b", slack >= 0 && off <= static_cast<std::uint64_t>(slack), t.replayed_bytes, t.allocated_bytes,
                 "the replay is within 1 % of what the allocator says is allocated (soft); its count " +
                     std::string(a.allocator_agrees ? "agrees after every event" : "differs after some events")});
  out.push_back({"R3", t.peak_bytes <= t.pool_bytes, t.peak_bytes, t.pool_bytes, "peak <= capacity of the device"});
  memory_invariant r4{"R4", std::nullopt, t.peak_ts_ns, t.step.to_ns, "the peak lies in the step window"};
  if (t.step.source != "all_trace") r4.holds = t.step.from_ns <= t.peak_ts_ns && t.peak_ts_ns <= t.step.to_ns;
  out.push_back(std::move(r4));
}

void check_both(const memory_result& r, std::vector<memory_invariant>& out) {
  memory_invariant c{"C1", std::nullopt, 0, 0, "compile time and run time are not both there"};
  if (r.hlo && r.runtime && r.runtime->allocator) {
    const allocator_memory& a = r.allocators[*r.runtime->allocator];
    c.left = r.hlo->static_peak_bytes;
    c.right = a.occupancy_peak_bytes;
    if (r.hlo->color != 0 || a.device.empty()) {
      c.note = "memory space " + std::to_string(r.hlo->color) + " and allocator " + a.name +
               " are not the same memory: not compared";
    } else if (c.left > 0 && c.right > 0) {
      const double off = std::fabs(static_cast<double>(c.left) - static_cast<double>(c.right)) /
                         static_cast<double>(std::max(c.left, c.right));
      c.holds = off <= 0.05;
      c.note = "static peak of memory space 0 and highest occupancy of " + a.device + " differ by " +
               percent_text(static_cast<std::uint64_t>(c.left > c.right ? c.left - c.right : c.right - c.left),
                            static_cast<std::uint64_t>(std::max(c.left, c.right)));
    }
  }
  out.push_back(std::move(c));
}

}  // namespace

std::vector<memory_invariant> check_invariants(const memory_result& r) {
  std::vector<memory_invariant> out;
  check_hlo(r, out);
  check_runtime(r, out);
  check_both(r, out);
  return out;
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
