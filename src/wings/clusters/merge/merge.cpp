// The merge: align the traces, look at them, name their planes, say what came of each node, and write.
#include <profkit/core/merge.hpp>
#include <profkit/time.hpp>

#include <base/contained.hpp>

#include "applied_offsets.hpp"
#include "folded_warnings.hpp"
#include "given_line.hpp"
#include "json_writer.hpp"
#include "merge_writer.hpp"
#include "observe.hpp"
#include "trace_survey.hpp"

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class merger {
 public:
  explicit merger(const merge_options& o) : o_(o) {}

  result<merge_result> run(sink& into, const hooks& host, merge_observer* observer) {
    auto aligned = align_traces(o_, host);
    if (!aligned) return std::move(aligned).error();
    plan_.all = std::move(*aligned);
    if (o_.output == merged_format::trace_json) {
      if (observer != nullptr)
        return fault{fault_code::unsupported, "events of trace JSON are not printed", "", no_offset, "Leave out --print-events and --print-collectives."};
      return write_json(into, host);
    }
    std::uint64_t total = 0;
    for (const aligned_trace& t : plan_.all.traces) total += t.bytes.size();
    shared_progress progress(host, total * 2);
    if (auto ok = survey_traces(o_, host, progress, plan_); !ok) return std::move(ok).error();
    if (observer != nullptr)
      if (auto ok = observe_events(plan_, *observer); !ok) return std::move(ok).error();
    say_when();
    name_all();
    describe_nodes();
    plan_bytes(o_, plan_, made_);
    auto written = write_plan(o_, plan_, made_, into, host, progress);
    if (!written) return std::move(written).error();
    return finished(*written);
  }

 private:
  void say_when() {
    made_.run_id = plan_.all.run_id;
    made_.reference_node = plan_.all.reference_node;
    made_.origin_ns = saturating_add(plan_.all.base_ns, plan_.rules.zero_ps / ps_per_ns);
  }
  merge_result finished(std::uint64_t written) {
    made_.output_bytes = written;
    made_.warnings = std::move(plan_.all.warnings);
    if (o_.given) made_.assumptions = o_.given->assumptions;
    return std::move(made_);
  }

  // What a node's bounds are made of, and between which corrected times.
  void take_bounds(const aligned_trace& t, merged_node& r, std::int64_t least, std::int64_t most) const {
    r.bounds.node_id = r.id;
    r.start_unix_ns = t.start.walltime_ns;
    r.start_tracer_ns = t.start.gpu_ns;
    if (!t.clock) return;
    r.bounds = t.given != nullptr ? bounds_of_given(*o_.given, *t.given, plan_.all.base_ns, least, most)
                                  : t.clock->bounds(least, most);
    r.applied = offsets_of_clock(*t.clock, t.start.walltime_ns.value_or(plan_.all.base_ns), plan_.all.base_ns, r.bounds, least, most);
    for (clock_window& w : r.bounds.windows) {
      w.from_ps -= plan_.rules.zero_ps;
      w.to_ps -= plan_.rules.zero_ps;
      if (t.has_one_clock) w.tracer_bound_ps = clock_window::unknown_ps;
    }
  }

  // Trace JSON: the first look at it was taken when it was opened.
  result<merge_result> write_json(sink& into, const hooks& host) {
    std::vector<std::pair<std::int64_t, std::int64_t>> spans;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (aligned_trace& t : plan_.all.traces) {
      auto& [from, to] = spans.emplace_back(std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min());
      if (!t.usable || t.json->timed_events == 0) continue;
      const line_mapper mapper(correction_of_json(t, plan_.all.base_ns));
      if (!mapper.map(t.json->least_ps, from) || !mapper.map(t.json->most_ps, to)) {
        fault f{fault_code::unsupported,
                "node " + std::to_string(t.input.node_id) + ": its events lie more than 53 days from the start of the timeline, "
                "which int64 picoseconds since then cannot hold",
                t.input.path, no_offset, "Check the start times in the offsets header; --keep-going leaves the node out."};
        if (!o_.keep_going) return f;
        plan_.all.warnings.push_back(fault_text(f));
        t.usable = false;
        t.report.status = node_status::corrupt;
        t.lose(f);
        continue;
      }
      least = std::min(least, from);
    }
    plan_.rules.zero_ps = zero_before(o_.zero, least);
    say_when();
    for (std::size_t i = 0; i < plan_.all.traces.size(); ++i) {
      aligned_trace& t = plan_.all.traces[i];
      t.report.trace = t.input.path;
      auto [from, to] = spans[i];
      if (from > to) from = to = plan_.rules.zero_ps;
      take_bounds(t, t.report, from, to);
      if (t.usable && !t.report.hostname.empty() &&
          std::find(made_.hostnames.begin(), made_.hostnames.end(), t.report.hostname) == made_.hostnames.end())
        made_.hostnames.push_back(t.report.hostname);
      made_.nodes.push_back(t.report);
    }
    auto written = write_merged_json(o_, plan_.all, plan_.rules.zero_ps, made_, into, host);
    if (!written) return std::move(written).error();
    for (const merged_node& n : made_.nodes)
      if (n.out_of_reach_events > 0)
        plan_.all.warnings.push_back("node " + std::to_string(n.id) + ": " + std::to_string(n.out_of_reach_events) +
                                     (n.out_of_reach_events == 1 ? " event is" : " events are") + " out of reach and have no time");
    return finished(*written);
  }

  void name_all() {
    std::vector<plane_to_name> to_name;
    for (const plane_plan& p : plan_.planes)
      to_name.push_back({p.node, p.id, p.name, !plan_.trace_of(p).before.empty()});
    naming_rules rules;
    rules.scheme = !o_.plane_prefix.empty() ? plane_scheme::node : o_.scheme;
    rules.prefix = o_.plane_prefix;
    std::vector<plane_name> names = name_planes(to_name, rules);
    std::vector<std::string> moved;
    for (std::size_t i = 0; i < plan_.planes.size(); ++i) {
      plan_.planes[i].named = std::move(names[i]);
      plane_name& n = plan_.planes[i].named;
      if (n.moved)
        moved.push_back("plane " + std::string(plan_.planes[i].name) + " of node " +
                        std::to_string(plan_.planes[i].node) + " has the id of another plane; it is now " + n.name);
      n.name = as_utf8(n.name);
    }
    for (std::string& text : folded_warnings(moved)) plan_.all.warnings.push_back(std::move(text));
  }

  void describe_nodes() {
    for (std::size_t i = 0; i < plan_.all.traces.size(); ++i) {
      aligned_trace& t = plan_.all.traces[i];
      if (t.before.empty())
        describe_node(i);
      else
        describe_merged_before(i);
      for (const std::string& h : t.clocks.hostnames)
        if (t.usable && std::find(made_.hostnames.begin(), made_.hostnames.end(), h) == made_.hostnames.end())
          made_.hostnames.push_back(h);
    }
  }

  void describe_node(std::size_t trace) {
    aligned_trace& t = plan_.all.traces[trace];
    merged_node& r = t.report;
    r.trace = t.input.path;
    r.min_correction_ps = std::numeric_limits<std::int64_t>::max();
    wide_sum sum = 0;
    std::uint64_t placed = 0;
    std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
    for (const plane_plan& p : plan_.planes) {
      if (p.trace != trace) continue;
      ++r.planes;
      for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i) {
        const line_facts& f = plan_.lines[i].facts;
        r.events += f.events;
        placed += f.placed_events;
        r.clamped_events += f.clamped;
        r.sorted_lines += !f.in_order;
        r.snapshot_extrapolated_events += f.snapshot_extrapolated;
        r.offset_extrapolated_events += f.offset_extrapolated;
        r.out_of_reach_events += f.out_of_reach;
        greatest = std::max(greatest, f.greatest_correction_ps);
        r.min_correction_ps = std::min(r.min_correction_ps, f.min_correction_ps);
        sum += f.correction_sum_ps;
        least = std::min(least, f.least_ps);
        most = std::max(most, f.most_ps);
      }
    }
    if (placed == 0 || greatest < r.min_correction_ps) {
      r.min_correction_ps = 0;
    } else {
      const bool ahead = magnitude(greatest) >= magnitude(r.min_correction_ps);
      r.max_correction_ps = ahead ? greatest : r.min_correction_ps;
    }
    if (placed > 0) r.mean_correction_ps = static_cast<std::int64_t>(sum / static_cast<wide_sum>(placed));
    if (least > most) least = most = plan_.rules.zero_ps;
    take_bounds(t, r, least, most);
    // Snapshots that a period leads to expect.
    if (r.sampling_period_ns > 0 && t.clock) {
      const std::uint64_t span_ns = distance_ps(least, most) / static_cast<std::uint64_t>(ps_per_ns);
      const std::uint64_t expected = span_ns / static_cast<std::uint64_t>(r.sampling_period_ns) + 1;
      r.missing_snapshots = expected > r.snapshots ? expected - r.snapshots : 0;
    }
    made_.events += r.events;
    made_.nodes.push_back(r);
  }

  void describe_merged_before(std::size_t trace) {
    const aligned_trace& t = plan_.all.traces[trace];
    const std::int64_t shift_ns = saturating_add(t.before.front().origin_ns, -made_.origin_ns);
    for (const clock_metadata& m : t.before) {
      merged_node r;
      r.id = m.bounds.node_id;
      r.hostname = m.hostname;
      r.trace = t.input.path;
      r.aligned_before = true;
      r.status = m.status == "corrected"  ? node_status::corrected
                 : m.status == "walltime" ? node_status::walltime
                                          : node_status::raw;
      r.snapshots = m.snapshot_count;
      r.snapshots_from = m.snapshots;
      r.sampling_period_ns = m.sampling_period_ns;
      r.offset_windows = m.offset_window_count;
      r.offset_variance_ns2 = m.offset_variance_ns2;
      r.residual_ps = m.clock_skew_ps;
      r.bounds = m.bounds;
      if (m.corrected) r.method = m.method.empty() ? std::string(measured_method) : m.method;
      const std::int64_t shift_ps = checked_mul(shift_ns, ps_per_ns).value_or(0);
      for (clock_window& w : r.bounds.windows) {
        w.from_ps = saturating_add(w.from_ps, shift_ps);
        w.to_ps = saturating_add(w.to_ps, shift_ps);
      }
      made_.nodes.push_back(std::move(r));
    }
    // Events and planes are counted with the first node: which node each belongs to stands in the planes' stats.
    merged_node& first = made_.nodes[made_.nodes.size() - t.before.size()];
    for (const plane_plan& p : plan_.planes) {
      if (p.trace != trace) continue;
      ++first.planes;
      for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i)
        first.events += plan_.lines[i].facts.events;
    }
    made_.events += first.events;
  }

  const merge_options& o_;
  merge_plan plan_;
  merge_result made_;
};

}  // namespace

result<merge_result> merge_traces(const merge_options& o, sink& into, const hooks& host, merge_observer* observer) {
  return contained([&] { return merger(o).run(into, host, observer); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
