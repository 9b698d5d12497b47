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

std::string human(std::int64_t bytes) {
  return human_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0)));
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
  std::int64_t rows = 0, heap = 0;
  for (const live_row& row : t.alive) {
    rows = saturating_add(rows, row.size_bytes);
    if (row.kind != "program_reserved") heap = saturating_add(heap, row.size_bytes);
  }
  out.push_back({"R1", rows == t.alive_total_bytes, rows, t.alive_total_bytes, "buffers add up to the alive total"});
  out.push_back({"R2", t.alive_total_bytes == t.peak_bytes, t.alive_total_bytes, t.peak_bytes,
                 "what is alive adds up to the peak"});
  const allocator_memory& a = r.allocators[*t.allocator];
  const std::int64_t said = t.is_global_peak ? a.allocated_at_peak_bytes : heap;
  const std::int64_t off = heap > said ? heap - said : said - heap;
  out.push_back({"R2b", off <= t.peak_bytes / 100, heap, said,
                 "within 1 % of what the allocator says is allocated (soft); its own count " +
                     std::string(a.allocator_agrees ? "agrees after every event" : "disagrees at some events")});
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

finding statement(std::string id, certainty sure, std::string what, std::string where, std::string next) {
  finding f;
  f.id = std::move(id);
  f.sure = sure;
  f.what = std::move(what);
  f.where = std::move(where);
  f.next = std::move(next);
  return f;
}

}  // namespace

std::vector<memory_invariant> check_invariants(const memory_result& r) {
  std::vector<memory_invariant> out;
  check_hlo(r, out);
  check_runtime(r, out);
  check_both(r, out);
  return out;
}

void add_findings(memory_result& r) {
  for (const memory_invariant& i : r.invariants) {
    if (!i.holds || *i.holds) continue;
    if (i.id == "C1") {
      r.consistency_warnings.push_back(i.note + ": static " + std::to_string(i.left) + " B, run time " +
                                       std::to_string(i.right) + " B. " +
                                       (i.left > i.right ? "The program may not have run while the trace was taken."
                                                         : "Other programs or weights share the device."));
      r.findings.push_back(statement("memory.static_and_runtime_differ", certainty::possible,
                                     r.consistency_warnings.back(), "",
                                     "compare `modules` with the program that ran at the peak"));
      continue;
    }
    r.consistency_warnings.push_back("invariant " + i.id + " is broken (" + i.note + "): " + std::to_string(i.left) +
                                     " against " + std::to_string(i.right));
    r.findings.push_back(statement("memory.invariant." + i.id, certainty::fact, r.consistency_warnings.back(), "",
                                   "treat the numbers it joins with care"));
  }
  for (const module_memory& m : r.modules) {
    for (const memory_problem& p : m.problems) {
      if (p.id == "hlo.no_buffer_assignment" || p.id == "hlo.allocation_index_out_of_range") continue;
      r.findings.push_back(statement("memory." + p.id, certainty::fact,
                                     p.what + (p.count > 1 ? " (" + std::to_string(p.count) + " times)" : ""), m.label,
                                     "dump the module again if the numbers matter"));
    }
    if (!m.differs_from.empty())
      r.findings.push_back(
          statement("memory.module_differs", certainty::fact,
                    m.label + " in " + m.sources.front().path + " has other memory than " + m.differs_from, m.label,
                    "one of the two is from another compilation"));
  }
  if (r.fit && !r.fit->fits)
    r.findings.push_back(statement("memory.does_not_fit", certainty::fact,
                                   r.fit->needed_by + " needs " + human(r.fit->needed_bytes) + ", " +
                                       human(-r.fit->spare_bytes) + " more than the limit",
                                   r.fit->needed_by, "see alive_at_peak for what to keep out"));
  if (!r.hlo) return;
  const hlo_report& h = *r.hlo;
  std::int64_t donated = 0;
  for (const donation_row& d : h.donation) donated = saturating_add(donated, d.saved_bytes);
  const std::string& label = r.modules[h.module].label;
  if (donated > 0 && donated >= h.static_peak_bytes / 100) {
    finding f = statement("memory.donation", certainty::possible,
                          std::to_string(h.donation.size()) +
                              " parameters have the shape of a result and are not donated: " + human(donated) +
                              " could be shared",
                          label, "donate them (donate_argnums) where the caller does not need them again");
    f.recoverable_bytes = donated;
    r.findings.push_back(std::move(f));
  }
  const space_memory* space = r.modules[h.module].space(h.color);
  if (space != nullptr && space->fragmentation_bytes > space->temp_bytes / 10 && space->temp_bytes > 0) {
    finding f =
        statement("memory.fragmentation", certainty::fact,
                  human(space->fragmentation_bytes) + " of the temporary memory of " + label + " is never used at once",
                  label, "smaller or fewer long-lived temporaries pack better");
    f.recoverable_bytes = space->fragmentation_bytes;
    r.findings.push_back(std::move(f));
  }
}

void summarise(memory_result& r) {
  if (r.hlo) {
    const module_memory& m = r.modules[r.hlo->module];
    const space_memory* s = m.space(r.hlo->color);
    if (s != nullptr) {
      const char* bound = s->bound == peak_bound::exact ? "" : s->bound == peak_bound::lower ? "at least " : "at most ";
      const std::string name = memory_space_name(s->color);
      r.summary.push_back(m.label + " needs " + human(s->total_bytes) + " of memory space " + std::to_string(s->color) +
                          (name.empty() ? "" : " (" + name + ")") + "; its peak is " + bound + human(s->peak_bytes) +
                          (s->peak_instruction.empty() ? "" : " at " + std::string(s->peak_instruction)) + '.');
      r.summary.push_back("Parameters " + human(s->entry_params_bytes) + ", constants " + human(s->constants_bytes) +
                          ", results " + human(s->live_out_bytes) + ", temporary " + human(s->temp_bytes) + " (" +
                          human(s->fragmentation_bytes) + " fragmentation).");
      r.summary.push_back("No rematerialisation goes below " + human(s->residency_floor_bytes) + '.');
    }
  }
  if (r.runtime && r.runtime->allocator) {
    const allocator_memory& a = r.allocators[*r.runtime->allocator];
    r.summary.push_back((a.device.empty() ? "allocator " + a.name : a.device) + " was filled up to " +
                        human(a.occupancy_peak_bytes) +
                        (a.capacity_bytes > 0 ? " of " + human(a.capacity_bytes) : std::string()) + '.');
  }
  if (r.fit)
    r.summary.push_back(r.fit->fits ? "It fits, with " + human(r.fit->spare_bytes) + " to spare."
                                    : "It does not fit: " + human(-r.fit->spare_bytes) + " are missing.");
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
