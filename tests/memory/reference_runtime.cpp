// The runtime block of the reference: one pool for all devices, requested bytes, nanoseconds, the first XSpace alone.
#include "like_reference.hpp"
#include "reference_live_table.hpp"

#include <analyse/memory/runtime_report.hpp>
#include <profkit/time.hpp>

#include <base/hash_map.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

std::string text_like_reference(const text_stat& t) {
  if (t.is_ref) return t.ref == 0 ? std::string() : std::to_string(t.ref);
  return std::string(t.str);
}

std::string type_like_reference(const allocator_event& e) {
  if (!e.data_type_is_number && !e.data_type.is_ref && !e.data_type.str.empty()) return std::string(e.data_type.str);
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
  std::optional<std::string_view> id;
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
      w.id = name;
      w.from_ns = saturating_add(header.timestamp_ns, floor_ns(rows[i].offset_ps));
      w.to_ns = saturating_add(w.from_ns, floor_ns(rows[i].duration_ps));
      out.push_back(std::move(w));
    }
  }
}

class reference_runtime {
 public:
  reference_runtime(const profile& p, std::size_t file, const memory_options& o, const collected_events& all,
                    const std::vector<allocator_event>& events)
      : space_(*p.xspace(file)), options_(o), all_(all), events_(events) {}

  // Gives the reason when there is no block.
  std::string run(runtime_report& r) {
    keep_pools();
    find_windows();
    replay_all(r);
    std::string why = conclude(r);
    if (why.empty()) {
      find_step_peak(r);
      snapshot(r);
      r.n_planes = space_.planes.size();
      roll_up(r);
    }
    return why;
  }

 private:
  // Hands over the events that are kept, in the reference's order, until `take` gives false.
  template <class Take>
  void for_each_event(Take&& take) {
    for (const allocator_event& e : events_)
      if ((!only_pool_0_ || !e.is_allocation || e.id == 0) && !take(e)) return;
  }

  void keep_pools() {
    bool any_zero = false;
    struct {
      bool any = false;
      std::int64_t first_ns = 0, last_ns = 0;
      void add(std::int64_t at_ns) noexcept {
        if (!any) first_ns = at_ns;
        any = true;
        last_ns = at_ns;
      }
    } all, of_pool_0;
    for_each_event([&](const allocator_event& e) {
      note_pool(e.is_allocation ? e.id : 0, e.bytes_reserved);
      any_zero = any_zero || (e.is_allocation && e.id == 0);
      all.add(e.raw_ns);
      if (!e.is_allocation || e.id == 0) of_pool_0.add(e.raw_ns);
      return true;
    });
    only_pool_0_ = !options_.include_host_pools && any_zero;
    const auto& kept = only_pool_0_ ? of_pool_0 : all;
    any_ = kept.any;
    first_ns_ = kept.first_ns;
    last_ns_ = kept.last_ns;
    if (!only_pool_0_) return;
    for (auto it = capacity_.begin(); it != capacity_.end();) it = it->first == 0 ? std::next(it) : capacity_.erase(it);
  }
  void note_pool(std::int64_t id, std::int64_t reserved) {
    const auto [at, fresh] = capacity_.try_emplace(id, reserved);
    if (!fresh) at->second = std::max(at->second, reserved);
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
    if (window_.id) r.step.id = std::string(*window_.id);
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
    std::int64_t total = 0;
    std::uint64_t count = 0;
    double fragmentation = 0;
  };

  // Samples of the state at even times, whose steps are computed as the reference does.
  class sampler {
   public:
    sampler(std::uint64_t samples, std::int64_t first_ns, std::int64_t last_ns) : first_ns_(first_ns) {
      if (samples <= 1 || first_ns == last_ns) return;
      samples_ = samples;
      step_ = static_cast<double>(distance_ps(first_ns, last_ns)) / static_cast<double>(samples - 1);
    }
    // Before an event that is not the first: samples that show what was before it.
    void before(std::int64_t event_ns, const state& s) {
      for (; next_<samples_&& static_cast<double>(event_ns)> target(); ++next_) take(target(), s);
    }
    std::vector<timeline_sample> finish(std::int64_t last_ns, const state& s) {
      if (samples_ == 0) taken_.push_back({last_ns, s.total, 0, 0, s.count, s.fragmentation});
      for (; next_ < samples_; ++next_) take(target(), s);
      return std::move(taken_);
    }

   private:
    [[nodiscard]] double target() const noexcept {
      return static_cast<double>(first_ns_) + static_cast<double>(next_) * step_;
    }
    void take(double at, const state& s) {
      taken_.push_back({static_cast<std::int64_t>(at), s.total, 0, 0, s.count, s.fragmentation});
    }
    std::int64_t first_ns_;
    std::uint64_t samples_ = 0, next_ = 0;  // 0: one sample, at the end
    double step_ = 0;
    std::vector<timeline_sample> taken_;
  };

  void replay_all(runtime_report& r) {
    runtime_diagnostics& d = r.diagnostics;
    live_table live;
    sampler samples(options_.time_samples, first_ns_, last_ns_);
    state now;
    std::vector<std::int64_t> pools_seen;
    bool any_event = false, any_allocation = false;
    std::uint64_t frees = 0;
    for (const auto& [id, reserved] : capacity_) in_use_[id] = 0;
    for_each_event([&](const allocator_event& e) {
      if (any_event) samples.before(e.raw_ns, now);
      if (!any_event || (e.is_allocation && !any_allocation)) first_pool_ = e.id;
      any_event = true;
      any_allocation = any_allocation || e.is_allocation;
      if (e.is_allocation) {
        ++allocations_of_[e.id];
        live.allocate(e);
        if (std::find(pools_seen.begin(), pools_seen.end(), e.id) == pools_seen.end() && pools_seen.size() < 2)
          pools_seen.push_back(e.id);
        in_use_[e.id] = std::max(in_use_[e.id], e.peak_bytes_in_use);
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
          in_use_[*pool] = std::max(in_use_[*pool], e.peak_bytes_in_use);
        else
          ++d.pretrace_dealloc_count;
      }
      if (live.total() > r.global_peak_bytes) {
        r.global_peak_bytes = live.total();
        r.global_peak_ts_ns = e.raw_ns;
      }
      now = {live.total(), live.count(), e.fragmentation};
      return true;
    });
    samples_ = samples.finish(last_ns_, now);
    d.trace_end_live_bytes = live.total();
    d.unmatched_alloc_count = live.count();
    d.n_pools_seen = capacity_.size();
    for (const auto& [id, reserved] : capacity_)
      d.pools.push_back({id, "", allocations_of_[id], frees, in_use_[id], reserved});
  }

  // What the replay says, but for the peak of the window. Gives the reason when there is no block.
  std::string conclude(runtime_report& r) {
    runtime_diagnostics& d = r.diagnostics;
    if (!any_) return "no_memory_events";
    if (std::string why = choose(r); !why.empty()) return why;
    r.pool_id = capacity_.count(0) != 0 || capacity_.empty() ? 0 : first_pool_;
    r.pool_bytes = capacity_.count(r.pool_id) != 0 ? capacity_[r.pool_id] : 0;
    r.samples = std::move(samples_);
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

  void find_step_peak(runtime_report& r) {
    live_table live;
    std::int64_t most = 0;
    bool any = false;
    for_each_event([&](const allocator_event& e) {
      if (e.raw_ns > window_.to_ns) return false;
      if (e.is_allocation)
        live.allocate(e);
      else
        static_cast<void>(live.free(e.addr));
      if (e.raw_ns < window_.from_ns || live.total() <= most) return true;
      most = live.total();
      r.peak_ts_ns = e.raw_ns;
      any = true;
      return true;
    });
    if (!any) r.peak_ts_ns = r.global_peak_ts_ns;
  }

  // What is live at the peak, in the reference's order.
  std::vector<allocator_event> live_at_peak(runtime_report& r) {
    live_table live;
    for_each_event([&](const allocator_event& e) {
      if (e.raw_ns > r.peak_ts_ns) return false;
      if (e.is_allocation)
        live.allocate(e);
      else if (!live.free(e.addr))
        return true;
      r.fragmentation_at_peak = e.fragmentation;
      return true;
    });
    std::vector<allocator_event> held;
    for (const event_place& place : live.live()) held.push_back(all_.event_at(place));
    return held;
  }

  // When each of these addresses was freed first in the whole trace.
  hash_map<std::uint64_t, std::int64_t> first_frees(const std::vector<allocator_event>& held) {
    hash_map<std::uint64_t, std::int64_t> freed;
    hash_set<std::uint64_t> wanted;
    for (const allocator_event& e : held) wanted.insert(e.addr);
    if (wanted.empty()) return freed;
    for_each_event([&](const allocator_event& e) {
      if (!e.is_allocation && wanted.erase(e.addr) != 0) freed.try_emplace(e.addr, e.raw_ns);
      return !wanted.empty();
    });
    return freed;
  }

  void snapshot(runtime_report& r) {
    const std::vector<allocator_event> held = live_at_peak(r);
    const hash_map<std::uint64_t, std::int64_t> first_free = first_frees(held);
    std::int64_t end_ns = last_ns_;
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
    std::vector<event_place> places;
    for (const allocator_event& e : held) {
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
      row.age_ns_at_peak = checked_sub(r.peak_ts_ns, e.raw_ns).value_or(std::numeric_limits<std::int64_t>::max());
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
      places.push_back(e.place);
    }
    auto chains = parents_of(all_, places);
    for (std::size_t i = 0; i < chains.size(); ++i) r.alive[i].parent_chain = std::move(chains[i]);
    r.peak_bytes = r.alive_total_bytes;
    r.peak_bytes_by_pool.assign(by_pool.begin(), by_pool.end());
    r.is_global_peak = r.peak_ts_ns == r.global_peak_ts_ns && r.peak_bytes >= r.global_peak_bytes;
    std::stable_sort(r.alive.begin(), r.alive.end(),
                 [](const live_row& a, const live_row& b) { return a.size_bytes > b.size_bytes; });
  }

  const xspace_index& space_;
  const memory_options& options_;
  const collected_events& all_;
  const std::vector<allocator_event>& events_;
  bool only_pool_0_ = false;  // of allocations
  bool any_ = false;          // events that are kept
  std::int64_t first_ns_ = 0, last_ns_ = 0;
  std::int64_t first_pool_ = 0;  // of the first allocation, else of the first event
  std::map<std::int64_t, std::int64_t> capacity_, in_use_;
  std::map<std::int64_t, std::uint64_t> allocations_of_;
  std::vector<timeline_sample> samples_;
  std::vector<window_ns> steps_;
  bool has_steps_ = false;
  window_ns window_;
};

}  // namespace

std::string runtime_like_reference(const profile& p, std::size_t file, const memory_options& o, const collected_events& all,
                                   const std::vector<allocator_event>& events, runtime_report& report) {
  return reference_runtime(p, file, o, all, events).run(report);
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
