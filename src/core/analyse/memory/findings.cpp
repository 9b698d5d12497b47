#include "findings.hpp"

#include <profkit/time.hpp>

#include <base/format.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

std::string human(std::int64_t bytes) {
  return human_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0)));
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

void add_proof(finding& f, const module_memory& m) {
  if (m.sources.empty()) return;
  evidence& e = f.proof.emplace_back();
  e.file = m.sources.front().file;
  e.note = m.sources.front().path;
}

void add_proof(finding& f, const allocator_memory& a) {
  evidence& e = f.proof.emplace_back();
  e.file = a.file;
  e.note = "allocator " + a.name;
}

finding statement_of(const module_memory& m, std::string id, certainty sure, std::string what, std::string next) {
  finding f = statement(std::move(id), sure, std::move(what), m.label, std::move(next));
  add_proof(f, m);
  return f;
}

// Of one that may be about the module and about what was allocated.
finding statement_of(const memory_result& r, std::string id, certainty sure, std::string what, std::string where, std::string next) {
  finding f = statement(std::move(id), sure, std::move(what), std::move(where), std::move(next));
  if (r.hlo) add_proof(f, r.modules[r.hlo->module]);
  if (r.runtime && r.runtime->allocator) add_proof(f, r.allocators[*r.runtime->allocator]);
  return f;
}

std::string space_text(std::int64_t color, program_home home) {
  const std::string name = memory_space_name(color, home);
  return "memory space " + std::to_string(color) + (name.empty() ? "" : " (" + name + ')');
}

// Four lines at most.
void summarise_module(const module_memory& m, std::int64_t color, std::vector<std::string>& lines) {
  const space_memory* s = m.space(color);
  if (s == nullptr) {
    lines.push_back(m.label + " needs nothing of " + space_text(color, m.home) + '.');
  } else {
    const char* bound = s->bound == peak_bound::exact ? "" : s->bound == peak_bound::lower ? "at least " : "at most ";
    lines.push_back(m.label + " needs " + human(s->total_bytes) + " of " + space_text(color, m.home) + "; its peak is " +
                    bound + human(s->peak_bytes) +
                    (s->peak_instruction.empty() ? "" : " at " + std::string(s->peak_instruction)) + '.');
    lines.push_back("Parameters " + human(s->entry_params_bytes) + ", constants " + human(s->constants_bytes) +
                    ", results " + human(s->live_out_bytes) + ", temporary " + human(s->temp_bytes) + " (" +
                    human(s->fragmentation_bytes) + " fragmentation).");
    if (s->residency_floor_bytes >= s->peak_bytes / 100)  // less says nothing
      lines.push_back("No rematerialisation goes below " + human(s->residency_floor_bytes) + '.');
  }
  std::string others;
  std::size_t listed = 0;
  for (const space_memory& other : m.spaces) {
    if (other.color == color || other.total_bytes == 0 || listed++ >= 4) continue;
    others += (others.empty() ? "" : ", ") + human(other.total_bytes) + " of " + space_text(other.color, m.home);
  }
  if (listed > 4) others += " and " + std::to_string(listed - 4) + " more";
  if (!others.empty()) lines.push_back("Besides, it needs " + others + '.');
}

void add_hlo_findings(memory_result& r) {
  const hlo_report& h = *r.hlo;
  std::int64_t donated = 0;
  for (const donation_row& d : h.donation) donated = saturating_add(donated, d.saved_bytes);
  const module_memory& m = r.modules[h.module];
  if (donated > 0 && donated >= h.static_peak_bytes / 100) {
    finding f = statement_of(
        m, "memory.donation", certainty::possible,
        (h.donation.size() == 1 ? "1 parameter has" : std::to_string(h.donation.size()) + " parameters have") +
            std::string(" the shape of a result and no donation: ") + human(donated) + " could be shared",
        "donate them (donate_argnums) where the caller does not need them again");
    f.recoverable_bytes = donated;
    r.findings.push_back(std::move(f));
  }
  const space_memory* space = m.space(h.color);
  if (space != nullptr && space->fragmentation_bytes > space->temp_bytes / 10 && space->temp_bytes > 0) {
    finding f = statement_of(
        m, "memory.fragmentation", certainty::proved,
        human(space->fragmentation_bytes) + " of the temporary memory of " + m.label + " is never used at once",
        "smaller or fewer long-lived temporaries pack better");
    f.recoverable_bytes = space->fragmentation_bytes;
    r.findings.push_back(std::move(f));
  }
}

}  // namespace

void add_findings(memory_result& r) {
  for (const memory_invariant& i : r.invariants) {
    if (!i.holds || *i.holds) continue;
    if (i.id == "C1") {
      r.consistency_warnings.push_back(i.note + ": static " + std::to_string(i.left) + " B, run time " +
                                       std::to_string(i.right) + " B. " +
                                       (i.left > i.right ? "The program may not have run while the trace was taken."
                                                         : "Other programs or weights share the device."));
      r.findings.push_back(statement_of(r, "memory.static_and_runtime_differ", certainty::possible,
                                        r.consistency_warnings.back(), "",
                                        "compare `modules` with the program that ran at the peak"));
      continue;
    }
    r.consistency_warnings.push_back("invariant " + i.id + " is broken (" + i.note + "): " + std::to_string(i.left) +
                                     " against " + std::to_string(i.right));
    r.findings.push_back(statement_of(r, "memory.invariant." + i.id, certainty::proved, r.consistency_warnings.back(), "",
                                      "treat the numbers it joins with care"));
  }
  for (const module_memory& m : r.modules) {
    for (const memory_problem& p : m.problems) {
      if (p.id == "hlo.no_buffer_assignment" || p.id == "hlo.allocation_index_out_of_range") continue;
      r.findings.push_back(statement_of(m, "memory." + p.id, certainty::proved,
                                        p.what + (p.count > 1 ? " (" + std::to_string(p.count) + " times)" : ""),
                                        "dump the module again if the numbers matter"));
    }
    if (!m.differs_from.empty())
      r.findings.push_back(
          statement_of(m, "memory.module_differs", certainty::proved,
                       m.label + " in " + m.sources.front().path + " has other memory than " + m.differs_from,
                       "one of the two is from another compilation"));
  }
  if (r.fit && r.fit->known() && !r.fit->fits)
    r.findings.push_back(statement_of(r, "memory.does_not_fit", certainty::proved,
                                      r.fit->needed_by + " needs " + human(r.fit->needed_bytes) + ", " +
                                          human(-r.fit->spare_bytes) + " more than the limit",
                                      r.fit->needed_by, "look at what is alive at the peak for what to keep out"));
  if (r.hlo) add_hlo_findings(r);
  number_findings(r.findings);
}

void summarise(memory_result& r) {
  if (r.hlo) summarise_module(r.modules[r.hlo->module], r.hlo->color, r.summary);
  if (r.runtime && r.runtime->allocator) {
    const allocator_memory& a = r.allocators[*r.runtime->allocator];
    std::string line =
        (a.device.empty() ? "allocator " + a.name : a.device) + " was filled up to " + human(a.occupancy_peak_bytes);
    if (a.capacity_bytes > 0) line += " of " + human(a.capacity_bytes);
    const auto devices = std::count_if(r.allocators.begin(), r.allocators.end(),
                                       [](const allocator_memory& other) { return !other.device.empty(); });
    if (devices > 1 && !a.device.empty()) line += ", the most of " + std::to_string(devices) + " devices";
    r.summary.push_back(line + '.');
  }
  if (r.fit)
    r.summary.push_back(!r.fit->known() ? "It is not known whether it fits: nothing here says how much is needed."
                        : r.fit->fits   ? "It fits, with " + human(r.fit->spare_bytes) + " to spare."
                                        : "It does not fit: " + human(-r.fit->spare_bytes) + " are missing.");
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
