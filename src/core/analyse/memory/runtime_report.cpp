#include "runtime_report.hpp"

#include "enclosing_events.hpp"
#include "hosts.hpp"

#include <profkit/core/ops.hpp>
#include <profkit/core/steps.hpp>
#include <profkit/time.hpp>

#include <base/hash_map.hpp>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

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
  reporter(const profile& p, const memory_options& o, const collected_events& all, std::uint32_t allocator,
           const peak_replay& whole, const step_windows& steps, const hooks& host)
      : profile_(p),
        options_(o),
        all_(all),
        allocator_(allocator),
        of_(all.allocators[allocator]),
        whole_(whole),
        replay_(whole.replay()),
        steps_(steps),
        host_(host) {
    for (const step_window& w : steps.windows)
      latest_ends_.push_back(latest_ends_.empty() ? w.to_ps : std::max(latest_ends_.back(), w.to_ps));
  }

  result<std::optional<runtime_report>> run(std::string& absent) {
    std::optional<runtime_report> nothing;
    if (!choose_window(absent)) return nothing;
    if (holds_highest_ && whole_.samples_asked() == options_.time_samples) {
      describe(whole_);
    } else {
      peak_replay::window in;
      if (!holds_highest_) in = {from_ps_, to_ps_};
      peak_replay again(all_, allocator_, in, options_.time_samples);
      ordered_allocator_events events(all_, of_.file, allocator_, host_);
      for (allocator_event e; events.next(e);) again.take(e);
      if (events.stopped()) return *events.stopped();
      again.finish();
      describe(again);
    }
    add_alive();
    diagnose();
    roll_up(report_);
    return std::optional<runtime_report>(std::move(report_));
  }

 private:
  bool choose_window(std::string& absent) {
    const auto take = [&](const step_window& w) {
      from_ps_ = w.from_ps;
      to_ps_ = w.to_ps;
      report_.step.id = std::string(w.id);
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
      from_ps_ = of_.first_ps;
      to_ps_ = of_.last_ps;
      holds_highest_ = true;
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
      holds_highest_ = true;
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

  void describe(const peak_replay& of) {
    report_.samples = of.samples();
    report_.diagnostics.shape_missing_count = of.shapes_missing();
    report_.diagnostics.tf_op_missing_count = of.tf_ops_missing();
    if (const auto& highest = of.highest()) {
      any_peak_ = true;
      report_.peak_bytes = highest->occupied_bytes;
      report_.peak_ts_ps = highest->when_ps;
      report_.reserved_bytes = std::max<std::int64_t>(highest->bytes_reserved, 0);
      report_.replayed_bytes = highest->live_bytes;
      report_.fragmentation_at_peak = highest->fragmentation;
      report_.pool_id = highest->id;
      report_.allocated_bytes = report_.peak_bytes - report_.reserved_bytes;
      for (const held_buffer& buffer : of.held()) held_.push_back({buffer, all_.event_at(buffer.place)});
      std::sort(held_.begin(), held_.end(), [](const held_event& a, const held_event& b) {
        return std::tie(a.event.start_ps, a.event.place.line, a.event.place.offset) <
               std::tie(b.event.start_ps, b.event.place.line, b.event.place.offset);
      });
    } else {  // the allocator did nothing yet: its state before the first event
      report_.peak_ts_ps = from_ps_;
      report_.peak_bytes = report_.replayed_bytes = report_.allocated_bytes = replay_.facts.pre_trace_bytes;
      report_.pool_id = of.first_id();
    }
    report_.peak_ts_ns = floor_ns(report_.peak_ts_ps);
    report_.global_peak_bytes = replay_.facts.occupancy_peak_bytes;
    report_.global_peak_ts_ns = floor_ns(replay_.facts.occupancy_peak_ps);
    report_.is_global_peak = report_.peak_bytes == report_.global_peak_bytes;
    report_.pool_bytes = replay_.facts.capacity_bytes;
    report_.peak_bytes_by_pool = {{report_.pool_id, report_.peak_bytes}};
    report_.n_planes = profile_.allocations(of_.file)->planes.size();
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
    row.alloc_ts_ps = of_.first_ps;
    row.alloc_ts_ns = floor_ns(row.alloc_ts_ps);
    row.age_ns_at_peak = std::max<std::int64_t>(report_.peak_ts_ns - row.alloc_ts_ns, 0);
    if (std::string_view(kind) == "pre_trace") row.lifetime = lifetime_class::persistent;
    report_.alive.push_back(std::move(row));
  }

  void add_alive() {
    std::int64_t seen = 0;
    if (any_peak_) {
      for (const held_event& held : held_) {
        report_.alive.push_back(row_of(held));
        seen = saturating_add(seen, report_.alive.back().size_bytes);
      }
      add_parents();
      add_special("program_reserved", "<running program>", report_.reserved_bytes);
      const std::int64_t rest = saturating_add(report_.allocated_bytes, -seen);
      if (rest > 0) add_special("pre_trace", "<allocated before the trace>", rest);
    } else {
      add_special("pre_trace", "<allocated before the trace>", report_.peak_bytes);
    }
    std::stable_sort(report_.alive.begin(), report_.alive.end(),
                 [](const live_row& a, const live_row& b) { return a.size_bytes > b.size_bytes; });
    for (const live_row& row : report_.alive)
      report_.alive_total_bytes = saturating_add(report_.alive_total_bytes, row.size_bytes);
  }

  struct held_event {
    held_buffer buffer;
    allocator_event event;
  };

  live_row row_of(const held_event& held) const {
    const allocator_event& e = held.event;
    const plane_index& plane = all_.plane_of(e.place);
    const auto or_else = [](std::string_view text, const char* nothing) {
      return text.empty() ? std::string(nothing) : std::string(text);
    };
    live_row row;
    row.kind = "buffer";
    row.addr = e.addr;
    row.pool_id = e.id;
    row.size_bytes = row.alloc_bytes = std::max<std::int64_t>(e.allocation_bytes, 0);
    row.requested_bytes = e.requested_bytes;
    row.shape = or_else(e.shape.text(plane), "<no shape>");
    row.tf_op = or_else(e.tf_op.text(plane), "<no tf_op>");
    row.data_type =
        e.data_type_is_number ? tensorflow_type_name(e.data_type_number) : or_else(e.data_type.text(plane), "invalid");
    row.alloc_ts_ps = e.start_ps;
    row.alloc_ts_ns = floor_ns(e.start_ps);
    row.age_ns_at_peak = std::max<std::int64_t>(report_.peak_ts_ns - row.alloc_ts_ns, 0);
    const bool freed = held.buffer.freed_ps.has_value();
    row.deallocated = freed;
    const std::int64_t last_ps =
        std::max(of_.last_ps, steps_.windows.empty() ? e.start_ps : steps_.windows.back().to_ps);
    const std::int64_t end_ps = held.buffer.freed_ps.value_or(last_ps);
    const auto& windows = steps_.windows;
    const auto starts_after = [](const step_window& w, std::int64_t at) { return w.from_ps < at; };
    const auto first = std::lower_bound(windows.begin(), windows.end(), e.start_ps, starts_after);
    const auto past = std::upper_bound(windows.begin(), windows.end(), end_ps,
                                       [](std::int64_t at, const step_window& w) { return at < w.from_ps; });
    row.crossed_step_boundaries = std::max<std::ptrdiff_t>(past - first, 0);
    if (!freed && row.crossed_step_boundaries >= options_.persistent_threshold_steps) {
      row.lifetime = lifetime_class::persistent;
    } else if (freed) {
      // Windows may overlap: of those that start at or before the allocation the one that ends last.
      const auto after = std::upper_bound(windows.begin(), windows.end(), e.start_ps,
                                          [](std::int64_t at, const step_window& w) { return at < w.from_ps; });
      if (after != windows.begin() && latest_ends_[static_cast<std::size_t>(after - windows.begin()) - 1] >= end_ps)
        row.lifetime = lifetime_class::transient;
    }
    return row;
  }

  void add_parents() {
    std::vector<event_place> places;
    for (const held_event& held : held_) places.push_back(held.event.place);
    auto chains = parents_of(all_, places);
    for (std::size_t i = 0; i < chains.size(); ++i) report_.alive[i].parent_chain = std::move(chains[i]);
  }

  void diagnose() {
    runtime_diagnostics& d = report_.diagnostics;
    const allocator_memory& f = replay_.facts;
    d.alloc_accounting_drift_pct = replay_.drift_pct;
    d.unmatched_dealloc_count = f.unmatched_frees;
    d.pretrace_dealloc_count = f.unmatched_frees;
    d.unmatched_alloc_count = replay_.live_count();
    d.trace_end_live_bytes = f.trace_end_live_bytes;
    d.step_line_present = steps_.source == "steps_line";
    if (!f.allocator_agrees)
      d.warnings.push_back("the replay differs from the allocator's own count after " +
                           std::to_string(f.disagreements) + " of " + std::to_string(replay_.n_events) +
                           " events: the trace misses events of " + of_.name);
    if (f.unmatched_frees > 0)
      d.warnings.push_back(std::to_string(f.unmatched_frees) + (f.unmatched_frees == 1 ? " free has" : " frees have") +
                           " no allocation in the trace: the memory was allocated before it began");
    if (f.address_reuses > 0)
      d.warnings.push_back(std::to_string(f.address_reuses) +
                           (f.address_reuses == 1 ? " address was" : " addresses were") +
                           " allocated again without a free between");
  }

  const profile& profile_;
  const memory_options& options_;
  const collected_events& all_;
  const std::uint32_t allocator_;
  const allocator_identity& of_;
  const peak_replay& whole_;
  const allocator_replay& replay_;
  const step_windows& steps_;
  const hooks& host_;
  std::vector<std::int64_t> latest_ends_;  // of the windows up to each one
  runtime_report report_;
  std::int64_t from_ps_ = 0, to_ps_ = 0;
  bool holds_highest_ = false;    // the window holds the highest peak of the trace
  bool any_peak_ = false;         // else all events come after the window
  std::vector<held_event> held_;  // at the peak
};

}  // namespace

std::vector<std::vector<std::string_view>> parents_of(const collected_events& all,
                                                      const std::vector<event_place>& places) {
  std::vector<std::vector<std::string_view>> found(places.size());
  std::vector<std::pair<std::uint32_t, std::size_t>> by_line;  // line, position in the answer
  for (std::size_t i = 0; i < places.size(); ++i) by_line.emplace_back(places[i].line, i);
  std::sort(by_line.begin(), by_line.end());
  for (std::size_t from = 0; from < by_line.size();) {
    std::size_t to = from;
    std::vector<std::uint64_t> offsets;
    for (; to < by_line.size() && by_line[to].first == by_line[from].first; ++to)
      offsets.push_back(places[by_line[to].second].offset);
    const allocator_line& line = all.lines[by_line[from].first];
    auto chains = enclosing_events(*all.planes[line.plane].index, line, offsets);
    for (std::size_t i = from; i < to; ++i) found[by_line[i].second] = std::move(chains[i - from]);
    from = to;
  }
  return found;
}

result<step_windows> windows_of(const trace& t, const allocator_identity& of, const hooks& host) {
  step_windows out;
  query_filters o;
  o.limit = 0;
  o.plane = of.device;  // most have steps of their own, and nothing is made of the others then
  auto found = analyse_steps(t, o, host);
  const auto is_own = [&](const step_row& row) { return row.file == of.file && row.plane_name == of.device; };
  if (!of.device.empty() && found && std::none_of(found->steps.begin(), found->steps.end(), is_own)) {
    o.plane.clear();
    found = analyse_steps(t, o, host);
  }
  if (!found) return std::move(found).error();
  using owner = std::pair<std::int32_t, std::int32_t>;  // the plane and the device of a step
  std::optional<owner> taken, other;                    // whose rows are taken; one of another node
  for (const step_row row : found->steps) {
    const owner by{row.plane, row.device};
    if (row.file != of.file || by == taken || by == other) continue;
    const plane_index* const plane = find_plane(t.files(), row.file, row.plane);
    if (of.node && plane != nullptr && of.node != node_of_host(*plane)) {
      other = by;
      continue;
    }
    if (!taken) taken = by;
    if (!of.device.empty() && row.plane_name == of.device) {
      taken = by;
      break;
    }
  }
  for (const step_row row : found->steps) {
    if (row.file != of.file || owner{row.plane, row.device} != taken) continue;
    out.source = row.source == step_source::steps_line      ? "steps_line"
                 : row.source == step_source::xla_modules   ? "xla_modules"
                 : row.source == step_source::host_step_num ? "host_step_num"
                                                            : "marks";
    step_window w;
    w.id = row.name;
    w.from_ps = row.start_ps;
    w.to_ps = saturating_add(row.start_ps, std::max<std::int64_t>(row.duration_ps, 0));
    out.windows.push_back(std::move(w));
  }
  std::stable_sort(out.windows.begin(), out.windows.end(),
               [](const step_window& a, const step_window& b) { return a.from_ps < b.from_ps; });
  return out;
}

result<std::optional<runtime_report>> report_runtime(const profile& p, const memory_options& o,
                                                     const collected_events& all, std::uint32_t allocator,
                                                     const peak_replay& whole, const step_windows& steps,
                                                     std::string& absent, const hooks& host) {
  return reporter(p, o, all, allocator, whole, steps, host).run(absent);
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

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
