// The runtime block of the reference: one pool for all devices, requested bytes, nanoseconds, the first XSpace alone.
#include "like_reference.hpp"
#include "reference_live_table.hpp"
#include "runtime_report.hpp"

#include <profkit/time.hpp>

#include <base/hash_map.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

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

class reference_runtime {
 public:
  reference_runtime(const profile& p, std::size_t file, const memory_options& o, const collected_events& all)
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

}  // namespace

std::string runtime_like_reference(const profile& p, std::size_t file, const memory_options& o,
                                   const collected_events& all, runtime_report& report) {
  return reference_runtime(p, file, o, all).run(report);
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
