// anomaly_discovery: the part of the bubbles document that has a contract of its own.
#include <export/json/bubbles_parts.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

// The longest of all under a limit, in the order of the result.
std::vector<const bubble*> chosen_bubbles(const bubbles_result& r, std::uint64_t limit) {
  std::vector<const bubble*> all;
  for (const bubble& b : r.bubbles) all.push_back(&b);
  if (limit == 0 || all.size() <= limit) return all;
  std::stable_sort(all.begin(), all.end(),
               [](const bubble* a, const bubble* b) { return a->length_ps() > b->length_ps(); });
  all.resize(static_cast<std::size_t>(limit));
  std::sort(all.begin(), all.end());  // they lie in one array
  return all;
}

void write_spread(json_writer& out, const std::string& name, const spread& s, bool with_p95) {
  milliseconds(out, name + "_avg", s.mean);
  milliseconds(out, name + "_median", s.median);
  milliseconds(out, name + "_p90", s.p90);
  if (with_p95) milliseconds(out, name + "_p95", s.p95);
}

void write_group(json_writer& out, const bubbles_text& t, const bubble_group& g) {
  out.begin_object();
  out.field("group_id", std::string_view(g.id));
  out.field("group_size", static_cast<std::uint64_t>(g.steps.size()));
  out.field("complete_steps", g.complete);
  write_spread(out, "service_ms", g.service_ps, true);
  write_spread(out, "device_busy_union_ms", g.busy_ps, true);
  const auto ratio = [&](std::string_view key, std::int64_t ppm) {
    out.key(key);
    out.number(static_cast<double>(ppm) / 1e6);
  };
  double sum = 0;
  std::size_t counted = 0;
  for (const std::uint32_t i : g.steps) {
    const bubble_step& s = t.found.steps[i];
    if (s.cut && g.complete >= 3) continue;
    sum += ratio_of(s.underfeed_ps(), s.service_ps());
    ++counted;
  }
  out.key("underfeed_ratio_avg");
  out.number(counted == 0 ? 0 : sum / static_cast<double>(counted));
  ratio("underfeed_ratio_median", g.underfeed_ppm.median);
  ratio("underfeed_ratio_p90", g.underfeed_ppm.p90);
  ratio("underfeed_ratio_p95", g.underfeed_ppm.p95);
  write_spread(out, "prelaunch_gap_ms", g.prelaunch_ps, true);
  write_spread(out, "tail_gap_ms", g.tail_ps, true);
  write_spread(out, "internal_bubble_total_ms", g.internal_ps, true);
  write_spread(out, "largest_internal_bubble_ms", g.largest_ps, true);
  out.field("bubble_count_median", g.bubbles.median);
  out.field("bubble_count_p95", g.bubbles.p95);
  milliseconds(out, "inter_step_gap_ms_avg", g.inter_step_ps);
  out.field("recurring_bubble_pattern", g.recurring);
  out.field("recurring_places", g.recurring_places);
  out.field("dominant_idle_pattern", idle_pattern_name(g.pattern));
  out.field("dominant_idle_pattern_script", idle_pattern_name(g.pattern_by_script));
  out.key("dominant_anomaly_tags");
  out.begin_tuple();
  for (const auto& [tag, count] : g.dominant_tags) out.value(bubble_tag_name(tag));
  out.end_array();
  write_tags(out, "anomaly_tags", g.tags);
  out.field("host_risk", host_risk_name(g.risk));
  out.key("shape_variation");
  if (!g.shapes_compared) {
    out.null();
  } else {
    out.begin_object();
    out.field("positions", g.aligned_positions);
    out.field("varying", g.varying_positions);
    out.end_object();
  }
  out.field("requires_followup", g.requires_followup);
  out.end_object();
}

void write_launch(json_writer& out, const bubble& b) {
  out.key("launch");
  const std::int64_t launch = b.launch_ps();
  if (launch == no_time_ps) {
    out.null();
    return;
  }
  out.begin_object();
  out.field("launch_rel_ns", in_ns(launch));
  microseconds(out, "launch_slack_us", b.end_ps - launch);
  out.field("host_late", launch > b.start_ps);
  out.end_object();
}

void write_bubble(json_writer& out, const bubbles_text& t, const bubble& b, const std::string& id) {
  const bubble_step& step = b.step < 0 ? bubble_step() : t.found.steps[static_cast<std::size_t>(b.step)];
  const host_evidence& h = b.host;
  out.begin_object();
  out.field("bubble_id", std::string_view(id));
  out.field("device", b.device);
  out.field("scope", bubble_scope_name(b.scope));
  out.field("inter_step", b.inter_step);
  out.field("step_id", std::string_view(step.id));
  write_text_or_null(
      out, "group_id",
      step.group < 0 ? std::string_view() : std::string_view(t.found.groups[static_cast<std::size_t>(step.group)].id));
  out.key("start_us");
  out.microseconds_of_ns(t.absolute_ns(b.start_ps));
  out.key("end_us");
  out.microseconds_of_ns(t.absolute_ns(b.end_ps));
  out.key("start_ns");
  out.id(t.absolute_ns(b.start_ps));
  out.key("end_ns");
  out.id(t.absolute_ns(b.end_ps));
  out.field("start_rel_ns", in_ns(b.start_ps));
  microseconds(out, "rel_us", b.start_ps);
  milliseconds(out, "duration_ms", b.length_ps());
  out.field("duration_ns", in_ns(b.length_ps()));
  out.field("heavy", b.heavy);
  out.field("boundary_adjacent", b.boundary_adjacent);
  write_labels(out, "candidate_labels", b.labels);
  out.key("cause");
  out.begin_object();
  out.field("id", idle_cause_name(b.cause.id));
  write_text_or_null(out, "span", t.of.text(b.cause.span));
  out.field("covered_ns", in_ns(b.cause.covered_ps));
  out.field("certainty", certainty_name(b.sure));
  out.end_object();
  const auto ratio = [&](std::string_view key, std::int64_t part, std::int64_t whole) {
    out.key(key);
    if (h.traced && whole > 0)
      out.number(ratio_of(part, whole));
    else
      out.null();
  };
  ratio("host_visible_coverage_ratio", h.host_ps, b.length_ps());
  ratio("host_leaf_coverage_ratio", h.leaf_ps, b.length_ps());
  ratio("sync_marker_overlap_ratio", h.sync_ps, b.length_ps());
  ratio("comm_marker_overlap_ratio", h.comm_ps, b.length_ps());
  ratio("gc_overlap_ratio", h.gc_ps, b.length_ps());
  ratio("host_parallelism", h.threads_ps, h.host_ps);
  out.field("covered_by_frames_only", h.host_ps > 0 && h.leaf_ps == 0);
  out.key("evidence_ops");
  out.begin_array();
  for (const auto& [name, overlap_ps] : h.ops) out.value(t.of.text(name));
  out.end_array();
  out.key("evidence_op_overlaps_us");
  out.begin_array();
  for (const auto& [name, overlap_ps] : h.ops) out.microseconds(overlap_ps);
  out.end_array();
  write_launch(out, b);
  const auto kernels = [&](std::string_view key, const auto& rows, std::size_t count) {
    out.key(key);
    out.begin_array();
    for (std::size_t i = 0; i < count; ++i) write_kernel(out, t, b.device, b.step, rows[i]);
    out.end_array();
  };
  kernels("kernels_before", b.before, b.before_count);
  out.field("before_in_previous_step", b.before_other_step);
  kernels("kernels_after", b.after, b.after_count);
  write_text_or_null(
      out, "structure_id",
      b.inside_structure() ? t.structure_id(b.step, static_cast<std::uint32_t>(b.structure_before)) : "");
  write_text_or_null(out, "relation",
                     b.scope != bubble_scope::step_internal || b.structure_before < 0 ? ""
                     : b.inside_structure()                                           ? "inside"
                                                                                      : "between");
  out.end_object();
}

void write_bubbles_list(json_writer& out, const bubbles_text& t, std::uint64_t limit) {
  out.field("bubble_windows_total", static_cast<std::uint64_t>(t.found.bubbles.size()));
  out.key("bubble_windows");
  out.begin_array();
  const std::vector<const bubble*> chosen = chosen_bubbles(t.found, limit);
  std::map<std::pair<std::uint32_t, std::int32_t>, std::uint64_t> numbers;
  std::size_t next = 0;
  for (const bubble& b : t.found.bubbles) {
    const std::uint64_t number = numbers[{b.device, b.step}]++;
    if (next == chosen.size() || chosen[next] != &b) continue;
    ++next;
    const std::string of_step = b.step < 0 ? "global" : t.found.steps[static_cast<std::size_t>(b.step)].id;
    write_bubble(out, t, b, t.device_prefix(b.device) + 'b' + of_step + '_' + std::to_string(number));
  }
  out.left_out(t.found.bubbles.size() - chosen.size());
  out.end_array();
}

void write_wait_anchor(json_writer& out, const bubbles_text& t, const bubble_op& op) {
  const auto calls = static_cast<std::int64_t>(op.calls);
  out.begin_object();
  out.field("op_name", t.of.text(op.op_type));
  write_text_or_null(out, "location", t.of.text(t.of.devices()[op.device].name));
  microseconds(out, "duration_us_avg", mean_of(op.duration_ps, calls));
  microseconds(out, "wait_us_avg", mean_of(op.wait_ps, calls));
  microseconds(out, "total_cost_us_avg", mean_of(op.total_cost_ps(), calls));
  out.key("wait_ratio");
  out.number(ratio_of(op.wait_ps, op.total_cost_ps()));
  out.field("is_false_hotspot_risk", op.false_hotspot);
  out.field("rank_by_mean_total_cost", op.rank_by_mean_cost);
  out.field("rank_by_total_cost", op.rank_by_cost);
  out.field("calls", op.calls);
  out.key("evidence");
  out.begin_array();
  if (op.gaps_before > 0) {
    out.value(std::to_string(op.gaps_before) + " gaps end with this op, " + std::to_string(in_ns(op.gap_before_ps)) +
              " ns together, the longest " + std::to_string(in_ns(op.largest_gap_before_ps)) + " ns");
    if (op.false_hotspot)
      for (const bubble& b : t.found.bubbles)
        if (b.device == op.device && b.after_count > 0 && b.after[0].op_type == op.op_type &&
            b.length_ps() == op.largest_gap_before_ps) {
          out.value("the longest starts at " + std::to_string(in_ns(b.start_ps)) + " ns" +
                    (b.step < 0 ? "" : " in step " + t.found.steps[static_cast<std::size_t>(b.step)].id));
          break;
        }
  }
  if (op.polluted_wait_ps > 0)
    out.value(std::to_string(in_ns(op.polluted_wait_ps)) + " ns of its waits overlap communication");
  out.end_array();
  out.end_object();
}

const char* reach_name(cause_summary::reach r) noexcept {
  switch (r) {
    case cause_summary::reach::global: return "global";
    case cause_summary::reach::group: return "group";
    case cause_summary::reach::step: return "step";
  }
  return "global";
}

}  // namespace

std::int64_t bubbles_text::absolute_ns(std::int64_t ps) const noexcept {
  return saturating_add(in_ns(ps), found.origin_unix_ns.value_or(0));
}

std::string bubbles_text::device_prefix(std::uint32_t device) const {
  return of.devices().size() > 1 ? "d" + std::to_string(device) + '.' : "";
}

std::string bubbles_text::structure_id(std::int32_t step, std::uint32_t index) const {
  const bubble_step& s = found.steps[static_cast<std::size_t>(step)];
  return device_prefix(s.device) + 's' + s.id + '_' + std::to_string(index);
}

const char* marker_source_name(const bubble_step& s) noexcept {
  if (s.pseudo) return "none";
  switch (s.source) {
    case marker_source::profiler_step: return "profiler_step";
    case marker_source::numbered_step:
    case marker_source::step_num: return "numbered_step";
    case marker_source::pattern: return "pattern";
    case marker_source::scheduler_step:
    case marker_source::execute_step: return "serving_step";
    case marker_source::device_annotation: return "device_annotation";
    case marker_source::step_id: return "step_id";
    case marker_source::line:
    case marker_source::run: return "line";
  }
  return "none";
}

void write_tags(json_writer& out, std::string_view key, bubble_tags tags) {
  out.key(key);
  out.begin_tuple();
  for (std::size_t i = 0; i < bubble_tag_count; ++i)
    if (tags.has(static_cast<bubble_tag>(i))) out.value(bubble_tag_name(static_cast<bubble_tag>(i)));
  out.end_array();
}

void write_labels(json_writer& out, std::string_view key, bubble_labels labels) {
  out.key(key);
  out.begin_tuple();
  for (std::size_t i = 0; i < bubble_label_count; ++i)
    if (labels.has(static_cast<bubble_label>(i))) out.value(bubble_label_name(static_cast<bubble_label>(i)));
  out.end_array();
}

void write_clock_fields(json_writer& out, const four_clocks& c) {
  milliseconds(out, "wall_ms", c.wall_ps);
  milliseconds(out, "device_busy_union_ms", c.busy_union_ps);
  milliseconds(out, "kernel_sum_ms", c.kernel_sum_ps);
  milliseconds(out, "total_cost_ms", c.total_cost_ps);
}

void write_clocks(json_writer& out, std::string_view key, const four_clocks& c) {
  out.key(key);
  out.begin_object();
  write_clock_fields(out, c);
  out.end_object();
}

void write_kernel(json_writer& out, const bubbles_text& t, std::uint32_t device, std::int32_t step,
                  const kernel_row& k) {
  const activity_device& on = t.of.devices()[device];
  out.begin_object();
  out.field("name", t.of.text(k.name));
  out.field("op_type", t.of.text(k.op_type));
  write_text_or_null(out, "task_type", t.of.text(k.core));
  out.field("class", kernel_class_name(k.kind));
  out.field("start_rel_ns", in_ns(k.start_ps));
  microseconds(out, "duration_us", k.duration_ps);
  out.key("wait_us");
  if (k.wait_ps == no_time_ps)
    out.null();
  else
    out.microseconds(k.wait_ps);
  out.key("stream_id");
  if ((k.flags & kernel_has_stream) == 0 || k.stream >= on.streams.size())
    out.null();
  else
    out.id(on.streams[k.stream].id);
  out.field("device", device);
  std::string structure;
  if (step >= 0) {
    const bubble_step& s = t.found.steps[static_cast<std::size_t>(step)];
    std::uint32_t after = 0, end = s.structures;
    while (after < end) {
      const std::uint32_t middle = after + (end - after) / 2;
      if (k.start_ps < t.found.structures[s.first_structure + middle].start_ps)
        end = middle;
      else
        after = middle + 1;
    }
    if (after > 0 && k.start_ps < s.end_ps) structure = t.structure_id(step, after - 1);
  }
  write_text_or_null(out, "structure_id", structure);
  out.field_id("source_row", k.source_row);
  out.end_object();
}

void write_global_gaps(json_writer& out, const bubbles_text& t, std::size_t device, std::string_view key) {
  static const device_gaps nothing;
  const device_gaps& d = device < t.found.devices.size() ? t.found.devices[device] : nothing;
  out.key(key);
  out.begin_object();
  milliseconds(out, "capture_span_ms", d.span_ps());
  milliseconds(out, "device_busy_union_ms", d.busy_ps);
  milliseconds(out, "device_gap_ms", d.idle_ps());
  out.key("device_gap_ratio");
  out.number(ratio_of(d.idle_ps(), d.span_ps()));
  milliseconds(out, "largest_gap_ms", d.largest_ps);
  out.key("top_gap_windows");
  out.begin_array();
  for (const auto& [start, end] : d.top) {
    out.begin_object();
    out.key("start_us");
    out.microseconds_of_ns(t.absolute_ns(start));
    out.key("end_us");
    out.microseconds_of_ns(t.absolute_ns(end));
    milliseconds(out, "duration_ms", end - start);
    out.key("start_ns");
    out.id(t.absolute_ns(start));
    out.key("end_ns");
    out.id(t.absolute_ns(end));
    out.end_object();
  }
  out.end_array();
  if (key != "gaps") out.field("device", static_cast<std::uint64_t>(device));
  out.end_object();
}

void write_anomaly_discovery(json_writer& out, const bubbles_text& t, const bubble_options& o) {
  const bubbles_result& r = t.found;
  out.key("anomaly_discovery");
  out.begin_object();
  out.field("enabled", true);
  write_text_or_null(out, "dominant_group_id",
                     r.dominant_group < 0 ? "" : r.groups[static_cast<std::size_t>(r.dominant_group)].id);
  // Devices are never added up: this is the one that waits longest, and `devices` has them all.
  std::size_t worst = 0;
  for (std::size_t i = 1; i < r.devices.size(); ++i)
    if (r.devices[i].idle_ps() > r.devices[worst].idle_ps()) worst = i;
  write_global_gaps(out, t, worst, "global_device_gap_analysis");
  write_rows(out, "step_group_anomalies", r.groups, [&](const bubble_group& g) { write_group(out, t, g); });
  write_bubbles_list(out, t, o.limit);
  out.key("wait_anchor_ops");
  out.begin_array();
  for (const bubble_op& op : r.ops)
    if (op.wait_ps > 0 && op.rank_by_mean_cost <= o.thresholds.wait_anchor_rank) write_wait_anchor(out, t, op);
  out.end_array();
  out.key("soft_root_cause_summary");
  out.begin_array();
  for (const cause_summary& c : r.causes) {
    if (c.is_exposed()) continue;
    out.begin_object();
    out.field("label", idle_cause_label(c.cause));
    out.field("cause", idle_cause_name(c.cause));
    write_text_or_null(out, "span", t.of.text(c.span));
    out.field("scope", reach_name(c.scope));
    write_text_or_null(out, "target_id", c.target);
    out.field("bubbles", c.bubbles);
    milliseconds(out, "total_ms", c.total_ps);
    write_strings(out, "evidence", c.evidence);
    out.end_object();
  }
  out.end_array();
  out.field("requires_host_followup", r.requires_host_followup);
  out.field("confidence", confidence_name(r.sure));
  out.end_object();
}

void write_time_row(json_writer& out, const time_row& row, std::int64_t whole_ps) {
  out.field("use", time_use_name(row.use));
  write_text_or_null(out, "cause", row.cause ? idle_cause_name(*row.cause) : "");
  out.field("certainty", certainty_name(row.sure));
  out.field("gaps", row.gaps);
  out.field("time_ps", row.time_ps);
  out.key("share");
  out.number(static_cast<double>(row.time_ps) / static_cast<double>(whole_ps));
}

void write_time(json_writer& out, const bubbles_text& t) {
  std::pair<std::int32_t, bool> of{};
  std::int64_t whole_ps = 0;
  write_objects(out, "time", t.found.time, [&](const time_row& r) {
    if (whole_ps == 0 || of != std::pair(r.device, r.in_steps)) {
      of = {r.device, r.in_steps};
      whole_ps = time_ps_of(t.found, r.device, r.in_steps);
    }
    out.key("device");
    if (r.device < 0)
      out.null();
    else
      out.value(r.device);
    out.field("in_steps", r.in_steps);
    write_time_row(out, r, whole_ps);
  });
}

void write_causes(json_writer& out, const bubbles_text& t) {
  write_objects(out, "causes", t.found.causes, [&](const cause_summary& c) {
    out.field("cause", idle_cause_name(c.cause));
    out.field("meaning", idle_cause_meaning(c.cause));
    out.field("certainty", certainty_name(c.sure));
    out.field("scope", reach_name(c.scope));
    write_text_or_null(out, "target_id", c.target);
    out.field("gaps", c.bubbles);
    out.field("time_ns", in_ns(c.total_ps));
    write_text_or_null(out, "span", t.of.text(c.span));
    write_strings(out, "evidence", c.evidence);
  });
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
