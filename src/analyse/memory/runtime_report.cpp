#include "runtime_report.hpp"

#include <profkit/time.hpp>

#include <base/hash_map.hpp>

#include <algorithm>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

class lifetime_rollup {
 public:
  void add(std::string_view key, const live_row& row) {
    const auto [at, fresh] = places_.try_emplace(std::string(key), rows_.size());
    if (fresh) {
      rows_.emplace_back();
      rows_.back().key = std::string(key);
    }
    lifetime_rollup_row& r = rows_[at->second];
    ++r.n_buffers;
    r.total_bytes = saturating_add(r.total_bytes, row.size_bytes);
    std::int64_t& mix = r.mix_bytes[static_cast<std::size_t>(row.lifetime)];
    mix = saturating_add(mix, row.size_bytes);
  }
  std::vector<lifetime_rollup_row> take() {
    std::stable_sort(rows_.begin(), rows_.end(), [](const lifetime_rollup_row& a, const lifetime_rollup_row& b) {
      return a.total_bytes > b.total_bytes;
    });
    return std::move(rows_);
  }

 private:
  hash_map<std::string, std::size_t> places_;
  std::vector<lifetime_rollup_row> rows_;
};

std::string_view parent_of(const live_row& row) {
  if (row.parent_chain.empty()) return "<no parent>";
  for (const std::string_view name : row.parent_chain)
    if (name.find("jit_") != std::string_view::npos) return name;
  return row.parent_chain.front();
}

class reporter {
 public:
  reporter(const profile& p, const memory_options& o, const collected_events& all, const allocator_identity& of,
           const allocator_track& track, const allocator_replay& replay, const step_windows& steps)
      : profile_(p), options_(o), all_(all), of_(of), track_(track), replay_(replay), steps_(steps) {}

  std::optional<runtime_report> run(std::string& absent) {
    if (!choose_window(absent)) return std::nullopt;
    find_peak();
    add_alive();
    add_samples();
    diagnose();
    roll_up(report_);
    return std::move(report_);
  }

 private:
  [[nodiscard]] const allocator_event& event(std::size_t at) const { return all_.events[track_.events[at]]; }

  bool choose_window(std::string& absent) {
    const auto take = [&](const step_window& w) {
      from_ps_ = w.from_ps;
      to_ps_ = w.to_ps;
      report_.step.id = w.id;
      report_.step.source = steps_.source;
    };
    const std::vector<step_window>& windows = steps_.windows;
    if (options_.step && !options_.all_trace) {
      report_.step.policy = "explicit";
      if (windows.empty()) {
        absent = "step_policy_error: the capture has no steps, so there is no step " + std::to_string(*options_.step);
        return false;
      }
      if (*options_.step < 0 || static_cast<std::uint64_t>(*options_.step) >= windows.size()) {
        absent = "step_policy_error: there is no step " + std::to_string(*options_.step) + ", steps go from 0 to " +
                 std::to_string(windows.size() - 1);
        return false;
      }
      take(windows[static_cast<std::size_t>(*options_.step)]);
    } else if (options_.all_trace || windows.empty() ||
               (options_.policy == step_policy::peak && holding(windows, replay_.facts.occupancy_peak_ps) == nullptr)) {
      from_ps_ = event(0).start_ps;
      to_ps_ = event(track_.events.size() - 1).start_ps;
      report_.step.policy = "all_trace";
      report_.step.source = "all_trace";
      if (!options_.all_trace)
        report_.diagnostics.warnings.emplace_back(
            windows.empty()
                ? "the capture has no steps: the whole trace is one window"
                : "the peak lies in no step: the whole trace is one window (--step-policy last looks at a step)");
    } else if (options_.policy == step_policy::first) {
      report_.step.policy = "first";
      take(windows.front());
    } else if (options_.policy == step_policy::last) {
      report_.step.policy = "last";
      take(windows.back());
    } else {
      report_.step.policy = "peak";
      take(*holding(windows, replay_.facts.occupancy_peak_ps));
    }
    report_.step.from_ns = floor_ns(from_ps_);
    report_.step.to_ns = floor_ns(to_ps_);
    return true;
  }

  // The first window that holds an instant; nullptr when there is none.
  static const step_window* holding(const std::vector<step_window>& windows, std::int64_t at_ps) {
    for (const step_window& w : windows)
      if (w.from_ps <= at_ps && at_ps <= w.to_ps) return &w;
    return nullptr;
  }

  // The first greatest occupancy in the window; what was there when it began counts from its beginning.
  void find_peak() {
    bool any = false;
    std::optional<std::size_t> before;
    const auto offer = [&](std::size_t at, std::int64_t when_ps) {
      if (any && replay_.occupied_bytes[at] <= report_.peak_bytes) return;
      any = true;
      peak_at_ = at;
      report_.peak_bytes = replay_.occupied_bytes[at];
      report_.peak_ts_ps = when_ps;
    };
    for (std::size_t at = 0; at < track_.events.size(); ++at) {
      const std::int64_t when = event(at).start_ps;
      if (when > to_ps_) break;
      if (when < from_ps_) {
        before = at;
        continue;
      }
      if (before) offer(*before, from_ps_);
      before.reset();
      offer(at, when);
    }
    if (before) offer(*before, from_ps_);
    if (!any) {  // the allocator did nothing yet: its state before the first event
      report_.peak_ts_ps = from_ps_;
      report_.peak_bytes = replay_.facts.pre_trace_bytes;
      report_.replayed_bytes = report_.allocated_bytes = report_.peak_bytes;
      nothing_yet_ = true;
    } else {
      report_.reserved_bytes = std::max<std::int64_t>(event(peak_at_).bytes_reserved, 0);
      report_.replayed_bytes = replay_.live_bytes[peak_at_];
      report_.allocated_bytes = report_.peak_bytes - report_.reserved_bytes;
    }
    report_.peak_ts_ns = floor_ns(report_.peak_ts_ps);
    report_.global_peak_bytes = replay_.facts.occupancy_peak_bytes;
    report_.global_peak_ts_ns = floor_ns(replay_.facts.occupancy_peak_ps);
    report_.is_global_peak = report_.peak_bytes == report_.global_peak_bytes;
    report_.fragmentation_at_peak = nothing_yet_ ? 0 : event(peak_at_).fragmentation;
    report_.pool_id = nothing_yet_ ? event(0).id : event(peak_at_).id;
    report_.pool_bytes = replay_.facts.capacity_bytes;
    report_.peak_bytes_by_pool = {{report_.pool_id, report_.peak_bytes}};
    const xspace_index* space = profile_.xspace(of_.file);
    report_.n_planes = space == nullptr ? 0 : space->planes.size();
  }

  void add_special(const char* kind, const char* what, std::int64_t bytes) {
    if (bytes == 0) return;
    live_row row;
    row.kind = kind;
    row.pool_id = report_.pool_id;
    row.size_bytes = row.alloc_bytes = row.requested_bytes = bytes;
    row.shape = "<no shape>";
    row.tf_op = what;
    row.data_type = "invalid";
    row.alloc_ts_ps = event(0).start_ps;
    row.alloc_ts_ns = floor_ns(row.alloc_ts_ps);
    row.age_ns_at_peak = std::max<std::int64_t>(report_.peak_ts_ns - row.alloc_ts_ns, 0);
    if (std::string_view(kind) == "pre_trace") row.lifetime = lifetime_class::persistent;
    report_.alive.push_back(std::move(row));
  }

  void add_alive() {
    hash_map<std::uint32_t, std::uint32_t> place;  // event -> position in the track
    place.reserve(track_.events.size());
    for (std::uint32_t at = 0; at < track_.events.size(); ++at) place[track_.events[at]] = at;
    std::int64_t seen = 0;
    std::vector<std::uint32_t> rows_events;
    if (!nothing_yet_) {
      for (const allocation_span& span : replay_.spans) {
        if (place[span.allocation] > peak_at_) break;
        if (span.deallocation != allocation_span::no_event && place[span.deallocation] <= peak_at_) continue;
        report_.alive.push_back(row_of(span));
        rows_events.push_back(span.allocation);
        seen = saturating_add(seen, report_.alive.back().size_bytes);
      }
      add_parents(rows_events);
      add_special("program_reserved", "<running program>", report_.reserved_bytes);
      const std::int64_t rest = report_.allocated_bytes - seen;
      if (rest > 0) add_special("pre_trace", "<allocated before the trace>", rest);
    } else {
      add_special("pre_trace", "<allocated before the trace>", report_.peak_bytes);
    }
    std::stable_sort(report_.alive.begin(), report_.alive.end(),
                     [](const live_row& a, const live_row& b) { return a.size_bytes > b.size_bytes; });
    for (const live_row& row : report_.alive)
      report_.alive_total_bytes = saturating_add(report_.alive_total_bytes, row.size_bytes);
  }

  live_row row_of(const allocation_span& span) const {
    const allocator_event& e = all_.events[span.allocation];
    live_row row;
    row.kind = "buffer";
    row.addr = e.addr;
    row.pool_id = e.id;
    row.size_bytes = row.alloc_bytes = std::max<std::int64_t>(e.allocation_bytes, 0);
    row.requested_bytes = e.requested_bytes;
    row.shape = e.shape.text.empty() ? std::string("<no shape>") : std::string(e.shape.text);
    row.tf_op = e.tf_op.text.empty() ? std::string("<no tf_op>") : std::string(e.tf_op.text);
    row.data_type = e.data_type_is_number      ? tensorflow_type_name(e.data_type_number)
                    : e.data_type.text.empty() ? std::string("invalid")
                                               : std::string(e.data_type.text);
    row.alloc_ts_ps = e.start_ps;
    row.alloc_ts_ns = floor_ns(e.start_ps);
    row.age_ns_at_peak = std::max<std::int64_t>(report_.peak_ts_ns - row.alloc_ts_ns, 0);
    const bool freed = span.deallocation != allocation_span::no_event;
    row.deallocated = freed;
    const std::int64_t last_ps = std::max(event(track_.events.size() - 1).start_ps,
                                          steps_.windows.empty() ? e.start_ps : steps_.windows.back().to_ps);
    const std::int64_t end_ps = freed ? all_.events[span.deallocation].start_ps : last_ps;
    const auto& windows = steps_.windows;
    const auto starts_after = [](const step_window& w, std::int64_t at) { return w.from_ps < at; };
    const auto first = std::lower_bound(windows.begin(), windows.end(), e.start_ps, starts_after);
    const auto past = std::upper_bound(windows.begin(), windows.end(), end_ps,
                                       [](std::int64_t at, const step_window& w) { return at < w.from_ps; });
    row.crossed_step_boundaries = std::max<std::ptrdiff_t>(past - first, 0);
    if (!freed && row.crossed_step_boundaries >= options_.persistent_threshold_steps) {
      row.lifetime = lifetime_class::persistent;
    } else if (freed) {
      // The last window that starts at or before the allocation is the one that can hold both ends.
      auto holder = std::upper_bound(windows.begin(), windows.end(), e.start_ps,
                                     [](std::int64_t at, const step_window& w) { return at < w.from_ps; });
      if (holder != windows.begin() && (holder - 1)->to_ps >= end_ps) row.lifetime = lifetime_class::transient;
    }
    return row;
  }

  void add_parents(const std::vector<std::uint32_t>& rows_events) {
    const xspace_index* space = profile_.xspace(of_.file);
    if (space == nullptr) return;
    const plane_index& plane = space->planes[static_cast<std::size_t>(of_.plane)];
    std::vector<std::pair<std::int32_t, std::size_t>> by_line;  // line, row
    for (std::size_t row = 0; row < rows_events.size(); ++row)
      by_line.emplace_back(all_.events[rows_events[row]].line, row);
    std::sort(by_line.begin(), by_line.end());
    for (std::size_t from = 0; from < by_line.size();) {
      std::size_t to = from;
      std::vector<std::uint32_t> events;
      for (; to < by_line.size() && by_line[to].first == by_line[from].first; ++to)
        events.push_back(all_.events[rows_events[by_line[to].second]].event);
      auto chains = enclosing_events(plane, plane.lines[static_cast<std::size_t>(by_line[from].first)], events);
      for (std::size_t i = from; i < to; ++i)
        report_.alive[by_line[i].second].parent_chain = std::move(chains[i - from]);
      from = to;
    }
  }

  void add_samples() {
    const std::size_t n = track_.events.size();
    const std::int64_t first = event(0).start_ps, last = event(n - 1).start_ps;
    const auto sample = [&](std::size_t at, std::int64_t when_ps) {
      report_.samples.push_back({floor_ns(when_ps), replay_.live_bytes[at],
                                 std::max<std::int64_t>(event(at).bytes_reserved, 0), replay_.live_count[at],
                                 event(at).fragmentation});
    };
    if (options_.time_samples <= 1 || first == last) {
      sample(n - 1, last);
      return;
    }
    const std::uint64_t parts = options_.time_samples - 1, span = distance_ps(first, last);
    std::size_t at = 0;
    for (std::uint64_t k = 0; k <= parts; ++k) {
      const auto offset = static_cast<std::int64_t>(span / parts * k + span % parts * k / parts);
      while (at + 1 < n && event(at + 1).start_ps <= first + offset) ++at;
      sample(at, first + offset);
    }
  }

  void diagnose() {
    runtime_diagnostics& d = report_.diagnostics;
    const allocator_memory& f = replay_.facts;
    d.alloc_accounting_drift_pct = replay_.drift_pct;
    d.unmatched_dealloc_count = f.unmatched_frees;
    d.pretrace_dealloc_count = f.unmatched_frees;
    d.unmatched_alloc_count = replay_.live_count.back();
    d.trace_end_live_bytes = f.trace_end_live_bytes;
    d.step_line_present = steps_.source == "steps_line";
    for (const std::uint32_t at : track_.events) {
      const allocator_event& e = all_.events[at];
      if (!e.is_allocation) continue;
      if (e.shape.text.empty()) ++d.shape_missing_count;
      if (e.tf_op.text.empty()) ++d.tf_op_missing_count;
    }
    if (!f.allocator_agrees)
      d.warnings.push_back("the replay differs from the allocator's own count after " +
                           std::to_string(f.disagreements) + " of " + std::to_string(track_.events.size()) +
                           " events: the trace misses events of " + of_.name);
    if (f.unmatched_frees > 0)
      d.warnings.push_back(std::to_string(f.unmatched_frees) +
                           " frees have no allocation in the trace: the memory was "
                           "allocated before it began");
    if (f.address_reuses > 0)
      d.warnings.push_back(std::to_string(f.address_reuses) + " addresses were allocated again without a free between");
  }

  const profile& profile_;
  const memory_options& options_;
  const collected_events& all_;
  const allocator_identity& of_;
  const allocator_track& track_;
  const allocator_replay& replay_;
  const step_windows& steps_;
  runtime_report report_;
  std::int64_t from_ps_ = 0, to_ps_ = 0;
  std::size_t peak_at_ = 0;
  bool nothing_yet_ = false;
};

}  // namespace

result<step_windows> windows_of(const profile& p, const allocator_identity& of, const hooks& host) {
  anatomy_options o;
  o.limit = 0;
  auto found = anatomy_steps(p, o, host);
  if (!found) return std::move(found).error();
  step_windows out;
  const xspace_index* space = p.xspace(of.file);
  std::int32_t plane = -1;  // the plane whose rows are taken
  for (const step_row row : found->steps) {
    if (row.file != of.file || space == nullptr) continue;
    if (plane < 0) plane = row.plane;
    if (!of.device.empty() && space->planes[static_cast<std::size_t>(row.plane)].name == of.device) {
      plane = row.plane;
      break;
    }
  }
  for (const step_row row : found->steps) {
    if (row.file != of.file || row.plane != plane) continue;
    out.source = row.source == step_source::steps_line    ? "steps_line"
                 : row.source == step_source::xla_modules ? "xla_modules"
                                                          : "host_step_num";
    step_window w;
    w.id = std::string(row.name);
    w.from_ps = row.start_ps;
    w.to_ps = saturating_add(row.start_ps, std::max<std::int64_t>(row.duration_ps, 0));
    out.windows.push_back(std::move(w));
  }
  std::stable_sort(out.windows.begin(), out.windows.end(),
                   [](const step_window& a, const step_window& b) { return a.from_ps < b.from_ps; });
  return out;
}

std::optional<runtime_report> report_runtime(const profile& p, const memory_options& o, const collected_events& all,
                                             const allocator_identity& of, const allocator_track& track,
                                             const allocator_replay& replay, const step_windows& steps,
                                             std::string& absent) {
  return reporter(p, o, all, of, track, replay, steps).run(absent);
}

void roll_up(runtime_report& r) {
  lifetime_rollup by_class, by_shape, by_tf_op, by_parent, by_dtype;
  for (const live_row& row : r.alive) {
    by_class.add(lifetime_class_name(row.lifetime), row);
    by_shape.add(row.shape, row);
    by_tf_op.add(row.tf_op, row);
    by_parent.add(parent_of(row), row);
    by_dtype.add(row.data_type, row);
  }
  r.by_lifetime_class = by_class.take();
  r.by_shape = by_shape.take();
  r.by_tf_op = by_tf_op.take();
  r.by_parent_jit = by_parent.take();
  r.by_dtype = by_dtype.take();
}

}  // namespace memory

const char* lifetime_class_name(lifetime_class c) noexcept {
  switch (c) {
    case lifetime_class::persistent: return "persistent";
    case lifetime_class::transient: return "transient";
    case lifetime_class::unknown: return "unknown";
  }
  return "unknown";
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
