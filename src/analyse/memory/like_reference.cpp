// The numbers of the reference tool (the memory-profile skill, schema version 2): its sums over all memory spaces, its
// choice of file and pool, its sweeps and its replay by requested bytes. Right answers are in memory.cpp; these are
// here so that the two can be compared field by field. What the reference does is told in docs/memory.md.
#include "allocator_events.hpp"
#include "hlo_report.hpp"
#include "occupancy.hpp"
#include "rollup.hpp"
#include "runtime_report.hpp"

#include <profkit/time.hpp>

#include <base/contained.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using namespace memory;

bool ends_with(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

// ---- which files ----

struct chosen_files {
  std::optional<std::size_t> hlo, xspace;
};

// The largest *.hlo_proto.pb and the first *.xplane.pb that lie in the directory itself.
chosen_files choose_files(const profile& p) {
  chosen_files out;
  std::string folder = p.what().path;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  for (std::size_t i = 0; i < p.file_count(); ++i) {
    const std::string& path = p.what().files[i].path;
    const std::size_t slash = path.find_last_of('/');
    const bool inside = path == p.what().path || (slash != std::string::npos && path.substr(0, slash) == folder);
    if (!inside) continue;
    if (ends_with(path, ".hlo_proto.pb") && (!out.hlo || p.bytes(i).size() >= p.bytes(*out.hlo).size())) out.hlo = i;
    if (ends_with(path, ".xplane.pb") && (!out.xspace || path < p.what().files[*out.xspace].path)) out.xspace = i;
  }
  return out;
}

// ---- the HLO block ----

class hlo_like_reference {
 public:
  explicit hlo_like_reference(program& p) : program_(p) {}

  result<hlo_report> run() {
    hlo_report& r = report_;
    std::int64_t largest = 0;
    for (const allocation& a : program_.allocations) {
      const std::int64_t size = a.view.size_bytes();
      r.static_peak_bytes = saturating_add(r.static_peak_bytes, size);
      if (a.view.is_entry_computation_parameter()) {
        r.entry_params_bytes = saturating_add(r.entry_params_bytes, size);
      } else if (a.view.is_constant()) {
        r.constants_bytes = saturating_add(r.constants_bytes, size);
      } else if (a.view.is_thread_local()) {
        r.thread_local_bytes = saturating_add(r.thread_local_bytes, size);
      } else if (size > largest) {
        largest = r.temp_pool_bytes = size;
        r.temp_pool_alloc_index = a.view.index();
      }
    }
    r.n_logical_buffers = program_.buffers.size();
    r.n_buffer_allocations = program_.allocations.size();
    if (r.temp_pool_alloc_index >= 0) {
      if (static_cast<std::uint64_t>(r.temp_pool_alloc_index) >= program_.allocations.size()) return no_such_pool();
      pool_ = &program_.allocations[static_cast<std::size_t>(r.temp_pool_alloc_index)];
    }
    sweep_schedule();
    sweep_addresses();
    r.top_allocations = largest_allocations(program_);
    return std::move(r);
  }

 private:
  static fault no_such_pool() {
    fault f;
    f.code = fault_code::damaged;
    f.message =
        "the reference takes the temp pool's index for its position, and there is no such position: it ends here";
    f.hint = "the default mode analyses this module";
    return f;
  }

  struct placed {
    std::uint32_t buffer;
    std::int64_t offset;
  };

  // A buffer counts from its definition until one position after its last direct use.
  void sweep_schedule() {
    schedule_sweep_result& s = report_.sweep;
    s.scope_note =
        "The reference's sweep: buffers of the temp pool that the entry computation defines, each counted from "
        "its definition until the position after its last direct use there.";
    std::vector<std::uint32_t> order;
    if (program_.entry != nowhere) {
      const std::string_view entry = program_.computations[program_.entry].sequence;
      if (!entry.empty())
        for (const std::int64_t id : schedule_sequence_view(entry).instruction_ids())
          order.push_back(program_.instruction_by_id.find(id));
    }
    s.schedule_present = !order.empty();
    s.entry_schedule_length = order.size();
    std::vector<std::int64_t> position(program_.instructions.size(), -1), last_use(program_.instructions.size(), -1);
    for (std::size_t at = 0; at < order.size(); ++at) {
      if (order[at] == nowhere) continue;
      position[order[at]] = static_cast<std::int64_t>(at);
      for (const std::int64_t id : program_.instruction(order[at]).operand_ids()) {
        const std::uint32_t used = program_.instruction_by_id.find(id);
        if (used != nowhere) last_use[used] = static_cast<std::int64_t>(at);
      }
    }
    struct change {
      std::int64_t at;
      bool removes;
      std::uint32_t which;  // position in lives
    };
    std::vector<placed> lives;
    std::vector<change> changes;
    if (pool_ != nullptr && s.schedule_present) {
      for (const assigned_buffer_view a : pool_->view.assigned()) {
        const std::uint32_t b = program_.buffer_by_id.find(a.logical_buffer_id());
        const std::uint32_t at = b == nowhere ? nowhere : program_.buffers[b].instruction;
        if (at == nowhere || position[at] < 0) {
          ++s.n_subcomputation_lbs_skipped;
          continue;
        }
        const std::int64_t first = position[at], last = last_use[at] < 0 ? first : last_use[at];
        const auto which = static_cast<std::uint32_t>(lives.size());
        lives.push_back({b, a.offset_bytes()});
        changes.push_back({first, false, which});
        changes.push_back({std::max(first, last) + 1, true, which});
      }
    }
    std::stable_sort(changes.begin(), changes.end(), [](const change& a, const change& b) {
      return a.at < b.at || (a.at == b.at && !a.removes && b.removes);
    });
    std::int64_t live = 0;
    std::size_t peak_change = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const std::int64_t bytes = program_.buffers[lives[changes[i].which].buffer].size_bytes;
      live = saturating_add(live, changes[i].removes ? -bytes : bytes);
      if (changes[i].removes || live <= s.peak_alive_bytes) continue;
      s.peak_alive_bytes = live;
      s.peak_schedule_pos = changes[i].at;
      peak_change = i + 1;
    }
    std::vector<bool> alive(lives.size(), false);
    for (std::size_t i = 0; i < peak_change; ++i) alive[changes[i].which] = !changes[i].removes;
    for (std::size_t i = 0; i < lives.size(); ++i) {
      if (!alive[i]) continue;
      buffer_row row = describe(program_, lives[i].buffer, false);
      row.allocation_index = report_.temp_pool_alloc_index;
      row.offset_bytes = lives[i].offset;
      report_.alive_total_bytes = saturating_add(report_.alive_total_bytes, row.size_bytes);
      report_.alive.push_back(std::move(row));
    }
    by_size(report_.alive);
    roll_up(report_.alive, report_.by_opcode, report_.by_op_name);
    const auto peak = static_cast<std::size_t>(s.peak_schedule_pos);
    if (peak >= order.size() || order[peak] == nowhere) return;
    const instruction_view at = program_.instruction(order[peak]);
    s.peak_instruction_id = at.id();
    s.peak_instruction_name = at.name();
    s.peak_opcode = at.opcode();
    s.peak_op_name = at.metadata().op_name();
  }

  // Stretches of addresses with one owner; rows of the 64 largest owners that can be described.
  void sweep_addresses() {
    if (pool_ == nullptr) return;
    std::vector<owned_range> ranges;
    std::vector<std::pair<std::int64_t, std::int64_t>> assigned;  // id, offset
    for (const assigned_buffer_view a : pool_->view.assigned()) {
      const std::int64_t end = saturating_add(a.offset_bytes(), a.size_bytes());
      ranges.push_back({{a.offset_bytes(), end}, static_cast<std::uint32_t>(assigned.size())});
      assigned.emplace_back(a.logical_buffer_id(), a.offset_bytes());
    }
    std::map<std::uint32_t, std::int64_t> owned;
    visit_lone_owners(ranges, [&](std::uint32_t owner, std::int64_t bytes) {
      owned[owner] = saturating_add(owned[owner], bytes);
      report_.always_alive_total_bytes = saturating_add(report_.always_alive_total_bytes, bytes);
    });
    std::vector<std::pair<std::uint32_t, std::int64_t>> owners(owned.begin(), owned.end());
    std::stable_sort(owners.begin(), owners.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    constexpr std::size_t most_owners = 64;
    if (owners.size() > most_owners) owners.resize(most_owners);
    for (const auto& [owner, bytes] : owners) {
      const std::uint32_t b = program_.buffer_by_id.find(assigned[owner].first);
      if (b == nowhere || !program_.buffers[b].has_definition) continue;
      buffer_row row = describe(program_, b, false);
      row.size_bytes = bytes;
      row.allocation_index = report_.temp_pool_alloc_index;
      row.offset_bytes = assigned[owner].second;
      report_.always_alive.push_back(std::move(row));
    }
    roll_up(report_.always_alive, report_.always_by_opcode, report_.always_by_op_name);
  }

  static void by_size(std::vector<buffer_row>& rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const buffer_row& a, const buffer_row& b) { return a.size_bytes > b.size_bytes; });
  }

  program& program_;
  const allocation* pool_ = nullptr;
  hlo_report report_;
};

// ---- the runtime block ----

std::string text_like_reference(const text_stat& t) {
  if (t.is_ref) return t.ref == 0 ? std::string() : std::to_string(t.ref);
  return std::string(t.text);
}

std::string type_like_reference(const allocator_event& e) {
  if (!e.data_type_is_number && !e.data_type.is_ref && !e.data_type.text.empty()) return std::string(e.data_type.text);
  const std::int64_t type = e.data_type.is_ref ? static_cast<std::int64_t>(e.data_type.ref) : e.data_type_number;
  switch (type) {  // the reference's table, as it is
    case 0: return "INVALID";
    case 1: return "PRED";
    case 2: return "s8";
    case 3: return "s16";
    case 4: return "s32";
    case 5: return "s64";
    case 6: return "u8";
    case 7: return "u16";
    case 8: return "u32";
    case 9: return "u64";
    case 10: return "f16";
    case 11: return "f32";
    case 12: return "f64";
    case 16: return "bf16";
    case 19: return "f8e5m2";
    case 20: return "f8e4m3fn";
    case 23: return "f8e4m3";
    case 24: return "f8e5m2fnuz";
    case 26: return "f8e4m3fnuz";
    case 28: return "f8e3m4";
    default: return "dt" + std::to_string(type);
  }
}

struct window_ns {
  std::optional<std::string> id;
  std::int64_t from_ns = 0, to_ns = 0;
};

// Fixed decimals of a computed rate, never of a time.
std::string decimals(double value, int digits) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits);
  return std::string(text, end.ptr);
}

std::int64_t floor_ns(std::int64_t ps) noexcept { return ps >= 0 ? ps / 1000 : -((-(ps + 1)) / 1000) - 1; }

// Events of a line as windows; `wanted` picks by name.
template <class Wanted>
void add_windows(const plane_index& plane, const line_index& line, Wanted&& wanted, std::vector<window_ns>& out) {
  const line_header header = complete_header(line);
  event_scanner scanner(line.body);
  event_row rows[64];
  while (const std::size_t n = scanner.next(rows, 64)) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::string_view name = plane.event_name(rows[i].metadata_id);
      if (!wanted(name, rows[i].duration_ps)) continue;
      window_ns w;
      w.id = std::string(name);
      w.from_ns = saturating_add(header.timestamp_ns, floor_ns(rows[i].offset_ps));
      w.to_ns = saturating_add(w.from_ns, floor_ns(rows[i].duration_ps));
      out.push_back(std::move(w));
    }
  }
}

// Live allocations in the order of a Python dict: a key that is set again keeps its place.
class live_table {
 public:
  struct entry {
    std::uint32_t event;
    std::int64_t pool;
    std::uint64_t addr;
    bool alive;
  };
  void allocate(const allocator_event& e, std::uint32_t event) {
    places& at_address = by_addr_[e.addr];
    const auto [at, fresh] = at_address.by_pool.try_emplace(e.id, static_cast<std::uint32_t>(entries_.size()));
    if (!fresh) {
      total_ -= bytes_(entries_[at->second].event);
      entries_[at->second].event = event;
      total_ += static_cast<std::uint64_t>(e.requested_bytes);
      return;
    }
    at_address.oldest_first.insert(at->second);
    entries_.push_back({event, e.id, e.addr, true});
    total_ += static_cast<std::uint64_t>(e.requested_bytes);
    ++count_;
  }
  // The pool the memory was in; nothing when the address is not live.
  std::optional<std::int64_t> free(std::uint64_t addr) {
    const auto found = by_addr_.find(addr);
    if (found == by_addr_.end() || found->second.oldest_first.empty()) return std::nullopt;
    const std::uint32_t at = *found->second.oldest_first.begin();
    found->second.oldest_first.erase(found->second.oldest_first.begin());
    found->second.by_pool.erase(entries_[at].pool);
    entries_[at].alive = false;
    total_ -= bytes_(entries_[at].event);
    --count_;
    return entries_[at].pool;
  }
  explicit live_table(const std::vector<allocator_event>& events) : events_(events) {}
  [[nodiscard]] std::int64_t total() const noexcept { return static_cast<std::int64_t>(total_); }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  template <class Take>
  void visit(Take&& take) const {
    for (const entry& e : entries_)
      if (e.alive) take(e);
  }

 private:
  [[nodiscard]] std::uint64_t bytes_(std::uint32_t event) const {
    return static_cast<std::uint64_t>(events_[event].requested_bytes);
  }
  struct places {
    std::map<std::int64_t, std::uint32_t> by_pool;
    std::set<std::uint32_t> oldest_first;
  };
  const std::vector<allocator_event>& events_;
  std::vector<entry> entries_;
  hash_map<std::uint64_t, places> by_addr_;
  std::uint64_t total_ = 0;  // wraps instead of overflowing
  std::uint64_t count_ = 0;
};

class runtime_like_reference {
 public:
  runtime_like_reference(const profile& p, std::size_t file, const memory_options& o, const collected_events& all)
      : profile_(p), space_(*p.xspace(file)), options_(o), events_(all.events) {}

  // Gives the reason when there is no block.
  std::string run(runtime_report& r) {
    keep_pools();
    order_events();
    find_windows();
    if (std::string why = replay_all(r); !why.empty()) return why;
    find_step_peak(r);
    snapshot(r);
    r.n_planes = space_.planes.size();
    roll_up(r);
    return {};
  }

 private:
  void keep_pools() {
    bool any_zero = false;
    for (const allocator_event& e : events_) {
      if (e.is_allocation) {
        any_zero = any_zero || e.id == 0;
        note_pool(e.id, e.bytes_reserved);
      } else {
        note_pool(0, e.bytes_reserved);
      }
    }
    const bool filters = !options_.include_host_pools && any_zero;
    keep_.assign(events_.size(), true);
    if (!filters) return;
    for (std::size_t i = 0; i < events_.size(); ++i) keep_[i] = !events_[i].is_allocation || events_[i].id == 0;
    for (auto it = capacity_.begin(); it != capacity_.end();) it = it->first == 0 ? std::next(it) : capacity_.erase(it);
  }
  void note_pool(std::int64_t id, std::int64_t reserved) {
    const auto [at, fresh] = capacity_.try_emplace(id, reserved);
    if (!fresh) at->second = std::max(at->second, reserved);
  }

  void order_events() {
    for (const bool allocations : {true, false})
      for (std::uint32_t i = 0; i < events_.size(); ++i)
        if (keep_[i] && events_[i].is_allocation == allocations) order_.push_back(i);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return events_[a].raw_ns < events_[b].raw_ns; });
  }

  void find_windows() {
    for (const plane_index& plane : space_.planes) {
      if (plane.name != "/device:TPU:0") continue;
      for (const line_index& line : plane.lines)
        if (line.header.name == "Steps" && steps_.empty())
          add_windows(
              plane, line, [](std::string_view, std::int64_t) { return true; }, steps_);
      if (!steps_.empty()) break;
    }
    has_steps_ = !steps_.empty();
    if (has_steps_) return;
    for (const plane_index& plane : space_.planes) {
      if (plane.name != "/host:CPU") continue;
      for (const line_index& line : plane.lines)
        add_windows(
            plane, line,
            [](std::string_view name, std::int64_t duration_ps) {
              return duration_ps > 0 && name.find("Execute (jit_") != std::string_view::npos;
            },
            steps_);
      break;
    }
    std::stable_sort(steps_.begin(), steps_.end(),
                     [](const window_ns& a, const window_ns& b) { return a.from_ns < b.from_ns; });
  }

  std::string choose(runtime_report& r) {
    r.step.policy = options_.all_trace                      ? "all_trace"
                    : options_.step                         ? "explicit"
                    : options_.policy == step_policy::first ? "first"
                    : options_.policy == step_policy::last  ? "last"
                                                            : "peak";
    if (options_.all_trace) {
      window_ = {std::nullopt, 0, std::numeric_limits<std::int64_t>::max()};
      r.step.source = "all_trace";
    } else if (options_.step) {
      if (!has_steps_) return "step_policy_error: explicit --step requires a 'Steps' line on /device:TPU:0";
      if (*options_.step < 0 || static_cast<std::uint64_t>(*options_.step) >= steps_.size())
        return "step_policy_error: --step " + std::to_string(*options_.step) + " out of range; Steps line has " +
               std::to_string(steps_.size()) + " events";
      window_ = steps_[static_cast<std::size_t>(*options_.step)];
      r.step.source = "steps_line";
    } else {
      if (steps_.empty()) return "no_step_data";
      r.step.source = has_steps_ ? "steps_line" : "execute_event";
      if (options_.policy == step_policy::last)
        window_ = steps_.back();
      else if (options_.policy == step_policy::first || r.global_peak_bytes == 0)
        window_ = steps_.front();
      else
        window_ = nearest(r.global_peak_ts_ns);
    }
    r.step.id = window_.id;
    r.step.from_ns = window_.from_ns;
    r.step.to_ns = window_.to_ns;
    return {};
  }

  [[nodiscard]] const window_ns& nearest(std::int64_t at_ns) const {
    const window_ns* best = &steps_.front();
    std::uint64_t best_distance = std::numeric_limits<std::uint64_t>::max();
    for (const window_ns& w : steps_) {
      if (w.from_ns <= at_ns && at_ns <= w.to_ns) return w;
      const std::uint64_t distance = std::min(std::max(distance_ps(w.from_ns, at_ns), distance_ps(at_ns, w.from_ns)),
                                              std::max(distance_ps(w.to_ns, at_ns), distance_ps(at_ns, w.to_ns)));
      if (distance >= best_distance) continue;
      best = &w;
      best_distance = distance;
    }
    return *best;
  }

  struct state {
    std::int64_t ts_ns, total;
    std::uint64_t count;
    double fragmentation;
  };

  std::string replay_all(runtime_report& r) {
    runtime_diagnostics& d = r.diagnostics;
    live_table live(events_);
    std::vector<state> states;
    states.reserve(order_.size());
    std::map<std::int64_t, std::int64_t> in_use;
    std::vector<std::int64_t> pools_seen;
    double fragmentation = 0;
    std::uint64_t allocations = 0, frees = 0;
    for (const auto& [id, reserved] : capacity_) in_use[id] = 0;
    for (const std::uint32_t at : order_) {
      const allocator_event& e = events_[at];
      fragmentation = e.fragmentation;
      if (e.is_allocation) {
        ++allocations;
        ++allocations_of_[e.id];
        live.allocate(e, at);
        if (std::find(pools_seen.begin(), pools_seen.end(), e.id) == pools_seen.end() && pools_seen.size() < 2)
          pools_seen.push_back(e.id);
        in_use[e.id] = std::max(in_use[e.id], e.peak_bytes_in_use);
        if (pools_seen.size() == 1 && e.bytes_allocated > 0) {
          const double off = std::fabs(static_cast<double>(live.total()) - static_cast<double>(e.bytes_allocated));
          d.alloc_accounting_drift_pct =
              std::max(d.alloc_accounting_drift_pct, off / static_cast<double>(e.bytes_allocated) * 100.0);
        }
        if (text_like_reference(e.shape).empty()) ++d.shape_missing_count;
        if (text_like_reference(e.tf_op).empty()) ++d.tf_op_missing_count;
      } else {
        ++frees;
        if (const auto pool = live.free(e.addr))
          in_use[*pool] = std::max(in_use[*pool], e.peak_bytes_in_use);
        else
          ++d.pretrace_dealloc_count;
      }
      if (live.total() > r.global_peak_bytes) {
        r.global_peak_bytes = live.total();
        r.global_peak_ts_ns = e.raw_ns;
      }
      states.push_back({e.raw_ns, live.total(), live.count(), fragmentation});
    }
    if (order_.empty()) return "no_memory_events";
    d.trace_end_live_bytes = live.total();
    d.unmatched_alloc_count = live.count();
    d.n_pools_seen = capacity_.size();
    for (const auto& [id, reserved] : capacity_)
      d.pools.push_back({id, "", allocations_of_[id], frees, in_use[id], reserved});
    if (std::string why = choose(r); !why.empty()) return why;
    r.pool_id = capacity_.count(0) != 0 || capacity_.empty() ? 0 : events_[first_pool()].id;
    r.pool_bytes = capacity_.count(r.pool_id) != 0 ? capacity_[r.pool_id] : 0;
    add_samples(states, r);
    d.step_line_present = r.step.source != "execute_event";
    if (d.alloc_accounting_drift_pct > 1.0)
      d.warnings.push_back("alloc_accounting_drift_pct=" + decimals(d.alloc_accounting_drift_pct, 3) +
                           "% exceeds 1% threshold");
    if (d.pretrace_dealloc_count > 0)
      d.warnings.push_back(std::to_string(d.pretrace_dealloc_count) +
                           " MemoryDeallocation event(s) reference pre-trace allocations");
    if (!d.step_line_present)
      d.warnings.emplace_back("/device:TPU:0 'Steps' line absent; using outer Execute (jit_*) event as step window");
    return {};
  }

  [[nodiscard]] std::size_t first_pool() const {
    for (const std::uint32_t at : order_)
      if (events_[at].is_allocation) return at;
    return order_.front();
  }

  void add_samples(const std::vector<state>& states, runtime_report& r) const {
    const std::int64_t first = states.front().ts_ns, last = states.back().ts_ns;
    const std::uint64_t n = options_.time_samples;
    const auto sample = [&](const state& s, std::int64_t ts) {
      r.samples.push_back({ts, s.total, 0, s.count, s.fragmentation});
    };
    if (n <= 1 || first == last) {
      sample(states.back(), last);
      return;
    }
    const double step = static_cast<double>(last - first) / static_cast<double>(n - 1);
    std::size_t at = 0;
    for (std::uint64_t k = 0; k < n; ++k) {
      const double target = static_cast<double>(first) + static_cast<double>(k) * step;
      while (at + 1 < states.size() && static_cast<double>(states[at + 1].ts_ns) <= target) ++at;
      sample(states[at], static_cast<std::int64_t>(target));
    }
  }

  void find_step_peak(runtime_report& r) {
    live_table live(events_);
    std::int64_t most = 0;
    bool any = false;
    for (const std::uint32_t at : order_) {
      const allocator_event& e = events_[at];
      if (e.raw_ns > window_.to_ns) break;
      if (e.is_allocation)
        live.allocate(e, at);
      else
        static_cast<void>(live.free(e.addr));
      if (e.raw_ns < window_.from_ns || live.total() <= most) continue;
      most = live.total();
      r.peak_ts_ns = e.raw_ns;
      any = true;
    }
    if (!any) r.peak_ts_ns = r.global_peak_ts_ns;
  }

  void snapshot(runtime_report& r) {
    live_table live(events_);
    hash_map<std::uint64_t, std::int64_t> first_free;
    for (const std::uint32_t at : order_) {
      const allocator_event& e = events_[at];
      if (!e.is_allocation) first_free.try_emplace(e.addr, e.raw_ns);
      if (e.raw_ns > r.peak_ts_ns) continue;
      if (e.is_allocation) {
        live.allocate(e, at);
        r.fragmentation_at_peak = e.fragmentation;
      } else if (live.free(e.addr)) {
        r.fragmentation_at_peak = e.fragmentation;
      }
    }
    std::int64_t end_ns = order_.empty() ? 0 : events_[order_.back()].raw_ns;
    if (!steps_.empty()) end_ns = std::max(end_ns, steps_.back().to_ns);
    std::vector<window_ns> by_start(steps_);
    std::stable_sort(by_start.begin(), by_start.end(),
                     [](const window_ns& a, const window_ns& b) { return a.from_ns < b.from_ns; });
    std::vector<std::int64_t> starts, ends;  // ends[i]: the latest end of the windows up to i
    for (const window_ns& w : by_start) {
      starts.push_back(w.from_ns);
      ends.push_back(ends.empty() ? w.to_ns : std::max(ends.back(), w.to_ns));
    }
    const auto latest_end = [&](std::int64_t start) {
      const auto at = std::upper_bound(starts.begin(), starts.end(), start) - starts.begin();
      return at == 0 ? std::numeric_limits<std::int64_t>::min() : ends[static_cast<std::size_t>(at) - 1];
    };
    std::map<std::int64_t, std::int64_t> by_pool;
    std::vector<std::uint32_t> sources;
    live.visit([&](const live_table::entry& held) {
      const allocator_event& e = events_[held.event];
      live_row row;
      row.kind = "buffer";
      row.addr = e.addr;
      row.pool_id = e.id;
      row.size_bytes = row.requested_bytes = e.requested_bytes;
      row.alloc_bytes = e.allocation_bytes;
      row.shape = text_like_reference(e.shape);
      if (row.shape.empty()) row.shape = "<no shape>";
      row.tf_op = text_like_reference(e.tf_op);
      if (row.tf_op.empty()) row.tf_op = "<no tf_op>";
      row.data_type = type_like_reference(e);
      row.alloc_ts_ns = e.raw_ns;
      row.age_ns_at_peak = r.peak_ts_ns - e.raw_ns;
      const auto freed = first_free.find(e.addr);
      const bool has_free = freed != first_free.end();
      const std::int64_t until = has_free ? freed->second : end_ns;
      row.crossed_step_boundaries =
          std::max<std::ptrdiff_t>(std::upper_bound(starts.begin(), starts.end(), until) -
                                       std::lower_bound(starts.begin(), starts.end(), e.raw_ns),
                                   0);
      row.deallocated = has_free && freed->second >= r.peak_ts_ns;
      if (!has_free && row.crossed_step_boundaries >= options_.persistent_threshold_steps)
        row.lifetime = lifetime_class::persistent;
      else if (has_free && latest_end(std::min(e.raw_ns, freed->second)) >= std::max(e.raw_ns, freed->second))
        row.lifetime = lifetime_class::transient;
      by_pool[e.id] = saturating_add(by_pool[e.id], row.size_bytes);
      r.alive_total_bytes = saturating_add(r.alive_total_bytes, row.size_bytes);
      r.alive.push_back(std::move(row));
      sources.push_back(held.event);
    });
    add_parents(r, sources);
    r.peak_bytes = r.alive_total_bytes;
    r.peak_bytes_by_pool.assign(by_pool.begin(), by_pool.end());
    r.is_global_peak = r.peak_ts_ns == r.global_peak_ts_ns && r.peak_bytes >= r.global_peak_bytes;
    std::stable_sort(r.alive.begin(), r.alive.end(),
                     [](const live_row& a, const live_row& b) { return a.size_bytes > b.size_bytes; });
  }

  void add_parents(runtime_report& r, const std::vector<std::uint32_t>& sources) {
    const plane_index* host = nullptr;
    for (const plane_index& plane : space_.planes)
      if (plane.name == "/host:CPU" && host == nullptr) host = &plane;
    std::map<std::int32_t, std::vector<std::size_t>> by_line;
    for (std::size_t i = 0; i < sources.size(); ++i) by_line[events_[sources[i]].line].push_back(i);
    for (const auto& [line, rows] : by_line) {
      std::vector<std::uint32_t> wanted;
      for (const std::size_t row : rows) wanted.push_back(events_[sources[row]].event);
      auto chains = enclosing_events(*host, host->lines[static_cast<std::size_t>(line)], wanted);
      for (std::size_t i = 0; i < rows.size(); ++i) r.alive[rows[i]].parent_chain = std::move(chains[i]);
    }
  }

  const profile& profile_;
  const xspace_index& space_;
  const memory_options& options_;
  const std::vector<allocator_event>& events_;
  std::vector<bool> keep_;
  std::vector<std::uint32_t> order_;
  std::map<std::int64_t, std::int64_t> capacity_;
  std::map<std::int64_t, std::uint64_t> allocations_of_;
  std::vector<window_ns> steps_;
  bool has_steps_ = false;
  window_ns window_;
};

result<void> add_hlo(const profile& p, std::size_t file, memory_result& r) {
  if (const fault* why = p.file_fault(file)) return *why;
  const std::unique_ptr<program_study> study = study_program(p.bytes(file));
  module_memory m = facts_of(*study);
  if (m.damage) {
    fault f = *m.damage;
    f.path = p.what().files[file].path;
    return f;
  }
  auto report = hlo_like_reference(study->code).run();
  if (!report) return std::move(report).error();
  report->hlo_proto_path = r.hlo_path = p.what().files[file].path;
  r.modules.push_back(std::move(m));
  r.hlo = std::move(*report);
  return {};
}

result<void> add_runtime(const profile& p, std::size_t file, const memory_options& o, const hooks& host,
                         memory_result& r) {
  if (const fault* why = p.file_fault(file)) return *why;
  const collected_events all = collect_allocator_events(p, "", file, host);
  if (all.stopped) return *all.stopped;
  if (!all.damage.empty()) return all.damage.front().what;
  if (!all.host_plane_present) {
    r.runtime_absent_reason = "host_plane_absent";
  } else if (all.events.empty()) {
    r.runtime_absent_reason = "no_memory_events";
  } else {
    runtime_report report;
    r.runtime_absent_reason = runtime_like_reference(p, file, o, all).run(report);
    if (r.runtime_absent_reason.empty()) r.runtime = std::move(report);
  }
  return {};
}

void compare(memory_result& r) {
  if (!r.hlo || !r.runtime) return;
  const auto peak = static_cast<double>(r.runtime->peak_bytes);
  const auto stated = static_cast<double>(r.hlo->static_peak_bytes);
  if (peak <= 0 || stated <= 0) return;
  const double off = std::fabs(stated - peak) / std::max(stated, peak);
  if (off <= 0.05) return;
  r.consistency_warnings.push_back("runtime_peak=" + decimals(peak / 1048576, 1) + " MiB disagrees with static_peak=" +
                                   decimals(stated / 1048576, 1) + " MiB by " + decimals(off * 100, 1) + '%');
}

}  // namespace

result<memory_result> analyse_memory_like_reference(const profile& p, const memory_options& o, const hooks& host) {
  return contained([&]() -> result<memory_result> {
    memory_result r;
    const chosen_files files = choose_files(p);
    if (!files.hlo) r.hlo_absent_reason = "no_hlo_proto_pb";
    if (files.xspace) r.xplane_path = p.what().files[*files.xspace].path;
    if (files.hlo)
      if (result<void> added = add_hlo(p, *files.hlo, r); !added) return std::move(added).error();
    if (o.runtime) {
      if (!files.xspace) r.runtime_absent_reason = "no_xplane_pb";
      if (files.xspace)
        if (result<void> added = add_runtime(p, *files.xspace, o, host, r); !added) return std::move(added).error();
    }
    compare(r);
    return r;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
