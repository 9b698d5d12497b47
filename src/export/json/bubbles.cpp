// The document `bubbles`.
#include <export/json/bubbles_parts.hpp>

#include <base/contained.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

const char* threshold_unit_name(threshold_unit u) noexcept {
  switch (u) {
    case threshold_unit::microseconds: return "us";
    case threshold_unit::ratio: return "ratio";
    case threshold_unit::count: return "count";
  }
  return "count";
}

void write_thresholds(json_writer& out, const bubble_thresholds& t) {
  out.key("thresholds");
  out.begin_tuple();
  for (const threshold_entry& e : threshold_table()) {
    out.begin_object();
    out.field("name", e.name);
    out.key("value");
    if (e.unit == threshold_unit::count)
      out.value(t.*e.value);
    else if (e.unit == threshold_unit::microseconds)
      out.microseconds(t.*e.value);
    else
      out.number(static_cast<double>(t.*e.value) / 1e6);
    out.field("unit", threshold_unit_name(e.unit));
    out.field("meaning", e.meaning);
    out.end_object();
  }
  out.end_array();
}

void write_activity_inputs(json_writer& out, const activity& of) {
  out.key("inputs");
  out.begin_array(min_inputs);
  for (const activity_input& in : of.inputs()) {
    out.begin_object();
    out.field("file", in.file);
    out.field("path", std::string_view(in.path));
    out.field("variant", std::string_view(in.variant));
    out.field("rows", in.rows);
    out.field("rejected", in.rejected);
    out.key("reject_reasons");
    out.begin_array();
    for (const auto& [reason, count] : in.reject_reasons) {
      out.begin_object();
      out.field("reason", std::string_view(reason));
      out.field("count", count);
      out.end_object();
    }
    out.end_array();
    out.field("first_rejected_line", in.first_rejected_line);
    write_strings(out, "unknown_columns", in.unknown_columns);
    write_strings(out, "missing_columns", in.missing_columns);
    write_strings(out, "notes", in.notes);
    out.end_object();
  }
  out.end_array();
}

void write_devices(json_writer& out, const bubbles_text& t) {
  out.key("devices");
  out.begin_array();
  for (std::size_t i = 0; i < t.found.devices.size(); ++i) {
    const device_gaps& d = t.found.devices[i];
    const activity_device& on = t.of.devices()[i];
    out.begin_object();
    out.field("device", static_cast<std::uint64_t>(i));
    out.field("name", t.of.text(on.name));
    out.field("type", accelerator_name(on.type));
    out.field("file", on.file);
    out.field("rank", on.rank);
    out.field("kernels", d.kernels);
    out.field("duplicates", d.duplicates);
    out.field("timestamp_resolution_ps", on.timestamp_resolution_ps);
    out.field("window_source", d.window_source);
    out.field("windows_cut", d.windows_cut);
    out.field("kernels_before_steps", d.kernels_before_steps);
    out.field("kernels_between_steps", d.kernels_between_steps);
    out.field("kernels_after_steps", d.kernels_after_steps);
    out.field("kernels_without_launch", d.without_launch);
    out.field("gap_count", d.gaps);
    write_global_gaps(out, t, i, "gaps");
    out.field("bubbles_left_out", d.bubbles_left_out);
    out.field("bubbles_left_out_ns", in_ns(d.bubbles_left_out_ps));
    out.end_object();
  }
  out.end_array();
}

void write_step(json_writer& out, const bubbles_text& t, const bubble_step& s) {
  out.begin_object();
  out.field("device", s.device);
  out.field("step_id", std::string_view(s.id));
  out.key("group_id");
  if (s.group < 0)
    out.null();
  else
    out.value(std::string_view(t.found.groups[static_cast<std::size_t>(s.group)].id));
  out.field("marker", marker_source_name(s));
  out.key("start_ns");
  out.id(t.absolute_ns(s.start_ps));
  out.key("end_ns");
  out.id(t.absolute_ns(s.end_ps));
  out.field("start_rel_ns", in_ns(s.start_ps));
  out.key("marker_end_us");
  if (s.marker_end_ps == no_time_ps)
    out.null();
  else
    out.microseconds_of_ns(t.absolute_ns(s.marker_end_ps));
  out.field("service_ns", in_ns(s.service_ps()));
  out.field("device_busy_union_ns", in_ns(s.busy_ps));
  out.field("underfeed_ns", in_ns(s.underfeed_ps()));
  out.field("prelaunch_gap_ns", in_ns(s.prelaunch_ps));
  out.field("tail_gap_ns", in_ns(s.tail_ps));
  out.field("tail_known", s.tail_known);
  out.field("internal_bubble_total_ns", in_ns(s.internal_total_ps));
  out.field("largest_internal_bubble_ns", in_ns(s.largest_internal_ps));
  out.field("bubble_count", s.bubble_count);
  out.field("unrecorded_launches", s.unrecorded_launches);
  out.field("reportable_count", s.reportable);
  out.key("underfeed_ratio");
  out.number(ratio_of(s.underfeed_ps(), s.service_ps()));
  // The same in ps: sources with finer clocks than 1 ns add up exactly here.
  out.key("exact_ps");
  out.begin_object();
  out.field("start", s.start_ps);
  out.field("end", s.end_ps);
  out.field("busy", s.busy_ps);
  out.field("prelaunch", s.prelaunch_ps);
  out.field("internal", s.internal_total_ps);
  out.field("tail", s.tail_ps);
  out.end_object();
  out.key("breakdown");
  out.begin_object();
  out.field("compute_only_ps", s.breakdown.compute_only_ps);
  out.field("comm_exposed_ps", s.breakdown.comm_exposed_ps);
  out.field("comm_overlapped_ps", s.breakdown.comm_overlapped_ps);
  out.field("copy_ps", s.breakdown.copy_ps);
  out.field("other_ps", s.breakdown.other_ps);
  out.field("idle_ps", s.breakdown.idle_ps);
  out.field("not_recorded_ps", s.breakdown.not_recorded_ps);
  out.end_object();
  out.key("kernels");
  out.begin_object();
  for (std::size_t c = 0; c < s.kernels.size(); ++c)
    out.field(kernel_class_name(static_cast<kernel_class>(c)), s.kernels[c]);
  out.field("zero_length", s.zero_length_kernels);
  out.field("of_other_step_id", s.other_step_id_kernels);
  out.end_object();
  out.field("streams", s.streams);
  write_clocks(out, "clocks", s.clocks);
  out.field("wait_sum_ns", in_ns(s.wait_sum_ps));
  out.field("polluted_wait_ns", in_ns(s.polluted_wait_ps));
  out.field("structure_source", s.structure_source);
  out.field("structures_missing", s.structures_missing);
  out.field("host_risk", host_risk_name(s.risk));
  out.field("truncated", s.cut);
  write_tags(out, "anomaly_tags", s.tags);
  write_labels(out, "candidate_labels", s.labels);
  out.end_object();
}

void write_structure(json_writer& out, const bubbles_text& t, const step_structure& s) {
  const bubble_step& step = t.found.steps[s.step];
  out.begin_object();
  out.field("device", step.device);
  out.field("step_id", std::string_view(step.id));
  out.field("structure_id", std::string_view(t.structure_id(static_cast<std::int32_t>(s.step), s.index)));
  out.field("structure_type", structure_role_name(s.type));
  out.field("name", t.of.text(s.name));
  out.field("anchor", t.of.text(s.anchor));
  out.field("source", step.structure_source);
  out.key("start_us");
  out.microseconds_of_ns(t.absolute_ns(s.start_ps));
  out.key("end_us");
  out.microseconds_of_ns(t.absolute_ns(s.end_ps));
  out.field("start_rel_ns", in_ns(s.start_ps));
  out.field("kernel_count", s.clocks.kernels);
  write_clock_fields(out, s.clocks);
  out.key("ai_core_pct");
  out.number(ratio_of(s.compute_ps, s.clocks.kernel_sum_ps));
  out.key("ai_cpu_pct");
  out.number(ratio_of(s.aicpu_ps, s.clocks.kernel_sum_ps));
  out.key("hccl_pct");
  out.number(ratio_of(s.comm_ps, s.clocks.kernel_sum_ps));
  out.key("structure_share");
  out.number(ratio_of(s.clocks.wall_ps, step.service_ps()));
  out.field("bubble_count", s.bubbles);
  milliseconds(out, "bubble_total_ms", s.bubble_total_ps);
  milliseconds(out, "bubble_largest_ms", s.bubble_largest_ps);
  milliseconds(out, "gap_before_ms", s.gap_before_ps);
  out.end_object();
}

void write_block_side(json_writer& out, const bubbles_text& t, const block_side& b, const bubble_thresholds& limits) {
  const bubble_step& step = t.found.steps[b.step];
  out.begin_object();
  out.field("device", step.device);
  out.field("step_id", std::string_view(step.id));
  out.field("part", b.is_block ? "block" : "side");
  out.field("kernel_count", b.clocks.kernels);
  write_clock_fields(out, b.clocks);
  out.field("reading", clock_reading(b.clocks, limits));
  write_text_or_null(out, "dominant_core", t.of.text(b.core));
  out.key("dominant_stream");
  if (b.stream < 0)
    out.null();
  else
    out.id(b.stream);
  const auto kernels = [&](std::string_view key, const std::vector<kernel_row>& rows) {
    out.key(key);
    out.begin_array();
    for (const kernel_row& k : rows) write_kernel(out, t, step.device, static_cast<std::int32_t>(b.step), k);
    out.end_array();
  };
  kernels("top_by_duration", b.by_duration);
  kernels("top_by_total_cost", b.by_total_cost);
  out.field("wait_heavy_kernels", b.wait_heavy);
  out.field("bubble_count", b.bubbles);
  milliseconds(out, "bubble_total_ms", b.bubble_total_ps);
  milliseconds(out, "bubble_largest_ms", b.bubble_largest_ps);
  milliseconds(out, "comm_busy_union_ms", b.comm_ps);
  milliseconds(out, "comm_over_block_ms", b.comm_over_block_ps);
  out.end_object();
}

void write_bubble_op(json_writer& out, const bubbles_text& t, const bubble_op& op, const bubble_thresholds& limits) {
  const auto calls = static_cast<std::int64_t>(op.calls);
  out.begin_object();
  out.field("device", op.device);
  out.field("op_type", t.of.text(op.op_type));
  out.field("op_name", t.of.text(op.name));
  out.field("class", kernel_class_name(op.kind));
  write_text_or_null(out, "core", t.of.text(op.core));
  out.field("calls", op.calls);
  microseconds(out, "duration_us_total", op.duration_ps);
  microseconds(out, "duration_us_avg", mean_of(op.duration_ps, calls));
  microseconds(out, "wait_us_avg", mean_of(op.wait_ps, calls));
  microseconds(out, "total_cost_us_total", op.total_cost_ps());
  microseconds(out, "total_cost_us_avg", mean_of(op.total_cost_ps(), calls));
  out.key("wait_ratio");
  out.number(ratio_of(op.wait_ps, op.total_cost_ps()));
  out.field("wait_not_reliable_for_rootcause", op.polluted_wait_ps > 0);
  out.field("gaps_before", op.gaps_before);
  microseconds(out, "gap_before_us_total", op.gap_before_ps);
  out.field("short_gaps_after", op.short_gaps_after);
  microseconds(out, "short_gap_after_us_total", op.short_gap_after_ps);
  write_text_or_null(out, "input_shapes", t.of.text(op.shapes));
  out.field("rank_by_total_cost", op.rank_by_cost);
  out.field("rank_by_duration", op.rank_by_duration);
  const std::int64_t apart =
      static_cast<std::int64_t>(op.rank_by_cost) - static_cast<std::int64_t>(op.rank_by_duration);
  out.field("ranks_disagree", (apart < 0 ? -apart : apart) >= limits.rank_disagreement);
  out.field("is_false_hotspot_risk", op.false_hotspot);
  out.key("small_op");
  if (op.small)
    out.value(op.inefficient ? "inefficient" : "noise");
  else
    out.null();
  out.key("pmu");
  if (op.bound[0] == '\0' && op.cube_utilisation_ppm < 0) {
    out.null();
  } else {
    out.begin_object();
    write_text_or_null(out, "bound", op.bound);
    const auto ratio = [&](std::string_view key, std::int64_t ppm) {
      out.key(key);
      if (ppm < 0)
        out.null();
      else
        out.number(static_cast<double>(ppm) / 1e6);
    };
    ratio("cube_utilization", op.cube_utilisation_ppm);
    ratio("compute_unit_ratio", op.compute_unit_ppm);
    ratio("memory_unit_ratio", op.memory_unit_ppm);
    out.end_object();
  }
  out.end_object();
}

void write_bubble_ops(json_writer& out, const bubbles_text& t, const bubble_options& o) {
  std::vector<const bubble_op*> order;
  for (const bubble_op& op : t.found.ops) order.push_back(&op);
  const auto list = [&](std::string_view key, std::uint32_t bubble_op::*rank) {
    // So many of each device.
    std::vector<const bubble_op*> chosen;
    for (const bubble_op* op : order)
      if (o.limit == 0 || op->*rank <= o.limit) chosen.push_back(op);
    write_rows(out, key, chosen, [&](const bubble_op* op) { write_bubble_op(out, t, *op, o.thresholds); }, chosen.size(),
               order.size() - chosen.size());
  };
  out.key("ops");
  out.begin_object();
  out.field("total", static_cast<std::uint64_t>(order.size()));
  list("by_total_cost", &bubble_op::rank_by_cost);
  std::stable_sort(order.begin(), order.end(), [](const bubble_op* a, const bubble_op* b) {
    return a->device != b->device ? a->device < b->device : a->rank_by_duration < b->rank_by_duration;
  });
  list("by_duration", &bubble_op::rank_by_duration);
  out.end_object();
}

void write_aicpu_op(json_writer& out, const bubbles_text& t, const aicpu_op& a) {
  out.begin_object();
  out.field("device", a.device);
  out.field("op_type", t.of.text(a.op_type));
  out.field("op_name", t.of.text(a.name));
  out.field("class", kernel_class_name(a.kind));
  out.field("calls", a.calls);
  microseconds(out, "duration_us_total", a.duration_ps);
  microseconds(out, "masked_us_total", a.masked_ps);
  const bool known = a.verdict != aicpu_verdict::unknown;
  const auto ratio = [&](std::string_view key, double value) {
    out.key(key);
    if (known)
      out.number(value);
    else
      out.null();
  };
  ratio("masked_ratio", ratio_of(a.masked_ps, a.duration_ps));
  ratio("masked_ratio_min", static_cast<double>(a.min_masked_ppm) / 1e6);
  ratio("masked_ratio_max", static_cast<double>(a.max_masked_ppm) / 1e6);
  write_text_or_null(out, "verdict", known ? aicpu_verdict_name(a.verdict) : "");
  out.field("exposed_calls", a.exposed_calls);
  out.field("partially_exposed_calls", a.partly_exposed_calls);
  out.field("beside_bubbles", a.beside_bubbles);
  out.end_object();
}

void write_summary(json_writer& out, const bubbles_text& t) {
  out.key("summary");
  out.begin_object();
  out.field("significant", t.found.significant);
  for (std::size_t i = 0; i < t.found.answers.size(); ++i)
    out.field("q" + std::to_string(i + 1), std::string_view(t.found.answers[i]));
  out.key("dominant_step");
  if (t.found.dominant_step < 0)
    out.null();
  else
    out.value(std::string_view(t.found.steps[static_cast<std::size_t>(t.found.dominant_step)].id));
  out.end_object();
}

void write_recommendation(json_writer& out, const recommendation& r) {
  out.begin_object();
  out.field("text", std::string_view(r.text));
  write_text_or_null(out, "how", r.how);
  out.field("scope", r.scope);
  write_text_or_null(out, "target_id", r.target);
  out.field("priority", "P" + std::to_string(r.priority));
  milliseconds(out, "recoverable_ms", r.recoverable_ps);
  out.field("followup_required", r.followup_required);
  write_text_or_null(out, "evidence_gap", r.evidence_gap);
  write_strings(out, "evidence", r.evidence);
  out.end_object();
}

void write_self_check(json_writer& out, const bubbles_text& t) {
  out.key("self_check");
  out.begin_object();
  bool sums = true;
  for (const bubble_step& s : t.found.steps)
    sums = sums && s.busy_ps + s.breakdown.not_recorded_ps + s.prelaunch_ps + s.internal_total_ps + s.tail_ps == s.service_ps() &&
           s.breakdown.sum_ps() == s.service_ps();
  out.field("busy_and_idle_fill_every_step", sums);
  out.key("step_trace_time");
  out.begin_array();
  for (const self_check_row& row : t.found.self_check) {
    out.begin_object();
    out.field("device", t.found.steps[row.step].device);
    out.field("step_id", std::string_view(t.found.steps[row.step].id));
    out.field("what", row.what);
    microseconds(out, "ours_us", row.ours_ps);
    microseconds(out, "theirs_us", row.theirs_ps);
    out.field("agrees", row.agrees);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

}  // namespace

document_status write_bubbles(json_writer& out, const profile& p, const bubble_options& o,
                              const bubbles_report& report) {
  const bubbles_text t{*report.of, report.found};
  const std::vector<file_damage> damage = damage_of(report);
  const verdict v = judge(p, t.found.absent, damage);
  begin_document(out, document::bubbles);
  write_verdict(out, v);
  write_activity_inputs(out, t.of);
  out.field("window_policy", window_policy_name(o.windows));
  write_thresholds(out, o.thresholds);
  write_devices(out, t);
  write_time(out, t);
  write_causes(out, t);
  write_anomaly_discovery(out, t, o);
  const auto total = [&](std::string_view key, std::size_t count) {
    out.field(key, static_cast<std::uint64_t>(count));
  };
  total("steps_total", t.found.steps.size());
  write_rows(out, "steps", t.found.steps, [&](const bubble_step& s) { write_step(out, t, s); });
  total("structures_total", t.found.structures.size() + t.found.structures_left_out);
  write_rows(out, "structures", t.found.structures, [&](const step_structure& s) { write_structure(out, t, s); }, 0,
             t.found.structures_left_out);
  total("block_side_total", t.found.block_sides.size() + t.found.block_sides_left_out);
  write_rows(out, "block_side", t.found.block_sides, [&](const block_side& b) { write_block_side(out, t, b, o.thresholds); }, 0,
             t.found.block_sides_left_out);
  write_bubble_ops(out, t, o);
  write_rows(out, "aicpu_ops", t.found.aicpu_ops, [&](const aicpu_op& a) { write_aicpu_op(out, t, a); });
  write_summary(out, t);
  write_rows(out, "recommendations", t.found.recommendations, [&](const recommendation& r) { write_recommendation(out, r); });
  write_strings(out, "evidence_gaps", t.found.evidence_gaps);
  write_self_check(out, t);
  write_files(out, p);
  write_damage(out, damage, checked_by(document::bubbles, p));
  end_document(out);
  return v.status;
}

result<document_status> write_bubbles(json_writer& out, const trace& t, const query_filters& o, const hooks& host) {
  const profile& p = t.files();
  bubble_options wanted = bubble_options_of(o);
  wanted.limit = o.limit;
  auto found = analyse_bubbles(t, wanted, host);
  if (!found) return std::move(found).error();
  return write_bubbles(out, p, wanted, *found);
}

}  // namespace json

result<document_status> write_bubbles_document(const profile& p, const bubble_options& o, const bubbles_report& found,
                                               sink& into) {
  return contained([&]() -> result<document_status> {
    json_writer out(into);
    out.bound(json::bounds_of(document::bubbles, o.limit));
    const document_status status = json::write_bubbles(out, p, o, found);
    if (result<void> finished = out.finish(); !finished) return std::move(finished).error();
    return status;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
