#include "spaces.hpp"

#include <base/contained.hpp>

#include <base/affix.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

std::string bytes_text(std::int64_t bytes) { return std::to_string(bytes) + " B"; }

// Backends have a handful of memory spaces. Of a file that names more, the others get totals alone.
constexpr std::size_t max_spaces = 64;

// Sums of the allocations of one space, each allocation in one class.
void add_up(program& p, space_study& s, const std::vector<std::uint32_t>& allocations,
            std::vector<std::uint32_t>& temporary) {
  space_memory& f = s.facts;
  std::int64_t pool = -1;
  for (const std::uint32_t at : allocations) {
    const allocation& a = p.allocations[at];
    if (a.view.is_thread_local()) {
      add_bytes(f.thread_local_bytes, a.size_bytes, p.problems);
      continue;
    }
    add_bytes(f.total_bytes, a.size_bytes, p.problems);
    if (a.is_temporary()) {
      add_bytes(f.temp_bytes, a.size_bytes, p.problems);
      temporary.push_back(at);
      if (a.size_bytes > pool) {
        pool = a.size_bytes;
        f.temp_pool_bytes = a.size_bytes;
        f.temp_pool_index = a.view.index();
      }
      continue;
    }
    add_bytes(a.assigned > 0 ? f.indefinite_bytes : f.indefinite_without_buffers_bytes, a.size_bytes, p.problems);
    std::int64_t& part = a.view.is_entry_computation_parameter() ? f.entry_params_bytes
                         : a.view.is_constant()                  ? f.constants_bytes
                                                                 : f.live_out_bytes;
    add_bytes(part, a.size_bytes, p.problems);
  }
}

void use_trace(program& p, space_study& s, std::int64_t trace, const std::vector<std::uint32_t>& temporary) {
  space_memory& f = s.facts;
  s.replay = std::make_unique<heap_replay>(p, trace);
  const replay_result& r = s.replay->result();
  f.method = peak_method::heap_replay;
  f.trace = trace;
  f.trace_events = r.events;
  f.trace_events_ignored = r.ignored;
  f.temp_peak_bytes = r.peak_bytes;
  f.peak_event = r.peak_event;
  f.peak_instruction = r.peak_instruction;
  f.peak_computation = r.peak_computation;
  f.temp_floor_bytes = r.min_bytes;
  std::int64_t inside = 0;
  for (const std::uint32_t a : temporary)
    add_bytes(r.touched[a] ? inside : f.temp_outside_bytes, p.allocations[a].size_bytes, p.problems);
  f.fragmentation_bytes = inside - r.peak_bytes;
  if (f.fragmentation_bytes < 0)
    p.problems.note("hlo.peak_above_allocation", [&] {
      return "the heap simulation of memory space " + std::to_string(f.color) + " peaks at " +
             bytes_text(r.peak_bytes) + ", above its temporary allocations of " + bytes_text(inside);
    });
  if (r.overflow) {
    f.bound = peak_bound::lower;
    f.bound_reason = "the sum of live buffers left 64 bits";
  } else if (f.temp_outside_bytes > 0) {
    f.bound = peak_bound::lower;
    f.bound_reason = "temporary allocations of " + bytes_text(f.temp_outside_bytes) + " have no heap simulation";
  } else if (r.ignored > 0) {
    f.bound = peak_bound::lower;
    f.bound_reason = std::to_string(r.ignored) + " heap events are about buffers without a place";
  } else {
    f.bound_reason = "the compiler's own simulation, event by event";
  }
}

void use_sweep(program& p, space_study& s, const execution_order& order, const std::vector<std::uint32_t>& temporary,
               const buffers_of_allocations& assigned) {
  space_memory& f = s.facts;
  if (!order.present()) {
    f.method = peak_method::allocation_sizes;
    f.temp_peak_bytes = f.temp_floor_bytes = f.temp_bytes;
    f.temp_floor_bytes = 0;
    f.bound = peak_bound::upper;
    f.bound_reason = "the module has neither heap simulation nor schedule: temporary allocations count in full";
    return;
  }
  f.method = peak_method::schedule_sweep;
  s.base = lay_out(p, temporary);
  for (const std::uint32_t a : temporary) {
    if (assigned.begin(a) == assigned.end(a) || s.base[a] < 0)
      add_bytes(f.temp_outside_bytes, p.allocations[a].size_bytes, p.problems);
    if (s.base[a] >= 0) s.swept.insert(s.swept.end(), assigned.begin(a), assigned.end(a));
  }
  s.positions = order.instructions.size();
  s.lives = lifetimes_of(p, order, s.swept);
  s.swept_result = sweep(p, s.swept, s.lives, s.base, s.positions);
  const sweep_result& r = s.swept_result;
  f.temp_peak_bytes = r.peak_bytes;
  f.temp_floor_bytes = r.min_bytes;
  f.peak_event = r.peak_position;
  if (r.peak_position >= 0) {
    const std::uint32_t at = order.instructions[static_cast<std::size_t>(r.peak_position)];
    f.peak_instruction = p.instruction(at).name();
    f.peak_computation = p.computations[p.instructions[at].computation].name;
  }
  f.fragmentation_bytes = f.temp_bytes - f.temp_outside_bytes - r.peak_bytes;
  if (r.peak_bytes == f.temp_bytes) {
    f.bound_reason = "the sweep finds every byte of the temporary allocations in use at once";
    return;
  }
  f.bound = peak_bound::lower;
  f.bound_reason = "the module has no heap simulation; lifetimes come from the schedule and may be longer";
  if (r.skipped > 0) f.bound_reason += "; " + std::to_string(r.skipped) + " buffers are defined outside the schedule";
}

void describe_coverage(space_memory& f) {
  std::string& c = f.coverage;
  c = "Counts parameters, constants and results for the whole program";
  switch (f.method) {
    case peak_method::none: c += "; there is no temporary memory"; break;
    case peak_method::heap_replay: c += " and temporary buffers while the heap simulation holds them"; break;
    case peak_method::schedule_sweep: c += " and temporary buffers from definition to last known use"; break;
    case peak_method::allocation_sizes: c += " and every temporary allocation in full"; break;
  }
  if (f.method != peak_method::none) c += ", those of loops, branches and calls included";
  std::string left_out;
  const auto leave_out = [&](const char* what, std::int64_t bytes) {
    if (bytes == 0) return;
    left_out += (left_out.empty() ? ". Leaves out " : ", ") + std::string(what) + " (" + bytes_text(bytes) + ")";
  };
  leave_out("thread-local allocations", f.thread_local_bytes);
  leave_out("temporary allocations without a lifetime", f.temp_outside_bytes);
  leave_out("parameters, constants and results without a buffer", f.indefinite_without_buffers_bytes);
  c += left_out + ".";
}

}  // namespace

buffers_of_allocations::buffers_of_allocations(const program& p) : first_(p.allocations.size() + 1, 0) {
  for (const logical_buffer& b : p.buffers)
    if (b.allocation != nowhere) ++first_[b.allocation + 1];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  buffers_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t b = 0; b < p.buffers.size(); ++b)
    if (p.buffers[b].allocation != nowhere) buffers_[next[p.buffers[b].allocation]++] = b;
}

std::vector<std::int64_t> lay_out(const program& p, const std::vector<std::uint32_t>& allocations) {
  std::vector<std::int64_t> base(p.allocations.size(), -1);
  std::int64_t next = 0;
  for (const std::uint32_t a : allocations) {
    if (next > std::numeric_limits<std::int64_t>::max() - p.allocations[a].size_bytes) continue;
    base[a] = next;
    next += p.allocations[a].size_bytes;
  }
  return base;
}

std::unique_ptr<program_study> study_program(std::string_view hlo_proto) {
  auto study = std::make_unique<program_study>();
  study->code = read_program(hlo_proto);
  program& p = study->code;
  study->assigned.emplace(p);
  if (!p.has_buffer_assignment) return study;
  std::map<std::int64_t, std::vector<std::uint32_t>> colors;
  for (std::uint32_t a = 0; a < p.allocations.size(); ++a) colors[p.allocations[a].view.color()].push_back(a);
  trace_choice traces(p);
  std::optional<execution_order> order;
  for (const auto& [color, allocations] : colors) {
    space_study s;
    s.facts.color = color;
    std::vector<std::uint32_t> temporary;
    add_up(p, s, allocations, temporary);
    const bool looked_into = study->spaces.size() < max_spaces;
    const std::int64_t trace = looked_into ? traces.of(color, allocations) : -1;
    if (!looked_into) {
      s.facts.method = peak_method::allocation_sizes;
      s.facts.temp_peak_bytes = s.facts.temp_bytes;
      s.facts.bound = peak_bound::upper;
      s.facts.bound_reason =
          "one of more than " + std::to_string(max_spaces) + " memory spaces: only sizes were added up";
    } else if (trace >= 0) {
      use_trace(p, s, trace, temporary);
    } else if (s.facts.temp_bytes > 0) {
      if (!order) order = order_of(p, sweep_scope::whole_program);
      use_sweep(p, s, *order, temporary, *study->assigned);
    } else {
      s.facts.bound_reason = "there is no temporary memory";
    }
    space_memory& f = s.facts;
    add_bytes(f.peak_bytes, f.indefinite_bytes, p.problems);
    add_bytes(f.peak_bytes, f.temp_peak_bytes, p.problems);
    add_bytes(f.memory_viewer_peak_bytes, f.indefinite_bytes, p.problems);
    if (trace >= 0) add_bytes(f.memory_viewer_peak_bytes, f.temp_peak_bytes, p.problems);
    add_bytes(f.residency_floor_bytes, f.indefinite_bytes, p.problems);
    add_bytes(f.residency_floor_bytes, f.temp_floor_bytes, p.problems);
    describe_coverage(f);
    study->spaces.push_back(std::move(s));
  }
  return study;
}

module_memory facts_of(program_study& study) {
  program& p = study.code;
  module_memory m;
  m.name = std::string(p.module.name());
  m.module_id = p.module.id();
  m.blob = p.blob;
  m.has_buffer_assignment = p.has_buffer_assignment;
  m.n_logical_buffers = p.buffers.size();
  m.n_buffer_allocations = p.allocations.size();
  for (const allocation& a : p.allocations) add_bytes(m.all_allocations_bytes, a.size_bytes, p.problems);
  for (const space_study& s : study.spaces) m.spaces.push_back(s.facts);
  if (!p.has_buffer_assignment && !p.damage)
    p.problems.note("hlo.no_buffer_assignment", [] {
      return std::string("the HloProto has no buffer assignment: it was written before memory was assigned");
    });
  m.damage = p.damage;
  m.problems = p.problems.take();
  return m;
}

std::vector<buffer_row> alive_at_peak(const program_study& study, const space_study& space, std::uint64_t described) {
  const program& p = study.code;
  const space_memory& f = space.facts;
  struct item {
    std::uint32_t buffer, allocation;
    std::int64_t bytes;
    residency kind;
  };
  std::vector<item> items;
  const buffers_of_allocations& assigned = *study.assigned;
  const auto whole_allocation = [&](std::uint32_t a, residency kind) {
    std::uint32_t largest = nowhere;
    for (const std::uint32_t* b = assigned.begin(a); b != assigned.end(a); ++b)
      if (largest == nowhere || p.buffers[*b].size_bytes > p.buffers[largest].size_bytes) largest = *b;
    items.push_back({largest, a, p.allocations[a].size_bytes, kind});
  };
  for (std::uint32_t a = 0; a < p.allocations.size(); ++a) {
    const allocation& candidate = p.allocations[a];
    if (candidate.view.color() != f.color || candidate.view.is_thread_local()) continue;
    if (candidate.is_fixed()) {
      if (candidate.assigned > 0) whole_allocation(a, residency::indefinite);
    } else if (f.method == peak_method::allocation_sizes) {
      whole_allocation(a, residency::temporary);
    }
  }
  if (space.replay) {
    for (const std::uint32_t b : space.replay->alive_at_peak())
      items.push_back({b, p.buffers[b].allocation, p.buffers[b].size_bytes, residency::temporary});
  } else if (f.method == peak_method::schedule_sweep) {
    // Largest first, so that of buffers that share addresses the largest owns them.
    std::vector<std::uint32_t> alive = space.swept_result.alive;
    std::stable_sort(alive.begin(), alive.end(), [&](std::uint32_t a, std::uint32_t b) {
      return p.buffers[a].assigned_bytes > p.buffers[b].assigned_bytes;
    });
    const std::vector<std::int64_t> own = distinct_bytes(p, alive, space.base);
    for (std::size_t i = 0; i < alive.size(); ++i)
      items.push_back({alive[i], p.buffers[alive[i]].allocation, own[i], residency::temporary});
  }
  std::stable_sort(items.begin(), items.end(), [](const item& a, const item& b) { return a.bytes > b.bytes; });
  std::vector<buffer_row> rows;
  rows.reserve(items.size());
  for (const item& i : items) {
    buffer_row row;
    if (i.buffer != nowhere) row = describe(p, i.buffer, rows.size() < described);
    row.size_bytes = i.bytes;
    row.kind = i.kind;
    row.allocation_index = p.allocations[i.allocation].view.index();
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace memory

const char* memory_space_name(std::int64_t color, program_home home) noexcept {
  constexpr const char* names[] = {"HBM", "VMEM", "Sflag", "CMEM", "SMEM", "Host", "SparseCore"};
  if (color < 0 || color >= 7) return "";
  if (color == 0 && home == program_home::host) return "host memory";
  if (color == 0 && home != program_home::tpu) return "device memory";
  // The other spaces are a TPU's. Space 5 is a host's for all compilers.
  const bool is_host = color == 5 && home != program_home::host;
  return home == program_home::tpu || home == program_home::unknown || is_host ? names[color] : "";
}

std::optional<std::int64_t> memory_space_color(std::string_view text) noexcept {
  std::int64_t color = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), color);
  if (error == std::errc{} && end == text.data() + text.size()) return color;
  for (color = 0; *memory_space_name(color, program_home::tpu) != '\0'; ++color) {
    const std::string_view name = memory_space_name(color, program_home::tpu);
    if (std::equal(name.begin(), name.end(), text.begin(), text.end(), [](char a, char b) { return folded(a) == folded(b); }))
      return color;
  }
  return std::nullopt;
}

const space_memory* module_memory::space(std::int64_t color) const noexcept {
  for (const space_memory& s : spaces)
    if (s.color == color) return &s;
  return nullptr;
}

result<module_memory> analyse_hlo_memory(std::string_view hlo_proto) {
  return contained([&]() -> result<module_memory> {
    const std::unique_ptr<memory::program_study> study = memory::study_program(hlo_proto);
    return memory::facts_of(*study);
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
