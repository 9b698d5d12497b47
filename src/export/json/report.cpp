#include <export/json/bubbles_parts.hpp>
#include <export/json/memory_parts.hpp>
#include <export/json/report_parts.hpp>
#include <profkit/core/report.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

void write_runs(json_writer& out, const profile& p) {
  out.key("runs");
  out.begin_array();
  for (const capture_run& run : p.what().runs) {
    out.begin_object();
    out.field("name", std::string_view(run.name));
    out.field("path", std::string_view(run.path));
    out.field("chosen", run.chosen);
    out.end_object();
  }
  out.end_array();
}

void write_evidence(json_writer& out, const evidence& e) {
  out.begin_object();
  out.field("file", e.file);
  out.field("plane", e.plane);
  out.field("line", e.line);
  write_optional(out, "start_ps", e.start_ps);
  write_optional(out, "end_ps", e.end_ps);
  write_optional(out, "row", e.row);
  write_optional(out, "byte_offset", e.byte_offset);
  out.field("note", std::string_view(e.note));
  out.end_object();
}

}  // namespace

void write_finding(json_writer& out, const finding& f) {
  out.begin_object();
  out.field("id", std::string_view(f.id));
  out.field("certainty", certainty_name(f.sure));
  write_optional(out, "recoverable_ps", f.recoverable_ps);
  write_optional(out, "recoverable_bytes", f.recoverable_bytes);
  out.field("what", std::string_view(f.what));
  out.field("where", std::string_view(f.where));
  write_rows(out, "evidence", f.proof, [&](const evidence& e) { write_evidence(out, e); });
  out.field("next", std::string_view(f.next));
  out.end_object();
}

namespace {

// ---- the summary: what the screen of `profkit report` shows --------------------------------------------------

void write_device_models(json_writer& out, const report_summary& s) {
  out.key("devices");
  out.begin_array();
  for (const device_model& m : s.devices) {
    out.begin_object();
    out.field("model", std::string_view(m.name));
    out.field("devices", m.devices);
    write_optional(out, "with_events", m.with_events);
    out.end_object();
  }
  out.end_array();
}

void write_origins(json_writer& out, const report_summary& s) {
  write_strings(out, "software", s.software);
  out.key("hosts");
  out.begin_array();
  for (const recorded_host& host : s.hosts) {
    out.begin_object();
    out.field("name", std::string_view(host.name));
    out.field("from_file_name", host.from_file_name);
    out.end_object();
  }
  out.end_array();
  out.key("ranks");
  out.begin_array();
  for (const process_rank& rank : s.ranks) {
    out.begin_object();
    out.field("rank", rank.rank);
    out.field("world_size", rank.world_size);
    write_text_or_null(out, "backend", rank.backend);
    out.end_object();
  }
  out.end_array();
}

void write_busy(json_writer& out, const report_summary& s) {
  out.field("busy_ps", s.busy_ps);
  out.key("busy_devices");
  out.begin_array();
  for (const busy_device& device : s.busy_devices) {
    out.begin_object();
    out.field("file", device.file);
    out.field("device", std::string_view(device.name));
    out.field("kernels", device.kernels);
    out.field("busy_ps", device.busy_ps);
    out.end_object();
  }
  out.end_array();
  out.key("busy_lines");
  out.begin_array();
  for (const busy_line& line : s.busy_lines) {
    out.begin_object();
    out.field("file", line.file);
    out.field("plane", line.plane);
    out.field("line", line.line);
    out.field("plane_name", std::string_view(line.plane_name));
    out.field("line_name", std::string_view(line.line_name));
    out.field("clock", ops_clock_name(line.clock));
    out.field("ops", line.ops);
    out.field("events", line.events);
    out.field("busy_ps", line.busy_ps);
    out.end_object();
  }
  out.end_array();
}

void write_rate_amount(json_writer& out, std::string_view key, double amount) {
  out.key(key);
  if (amount > 0)
    out.number(amount);
  else
    out.null();
}

void write_busiest_ops(json_writer& out, const report_summary& s) {
  out.key("ops");
  out.begin_object();
  out.field("names", s.op_names);
  out.field("lines", s.op_lines);
  out.key("top");
  out.begin_array();
  for (const report_op& op : s.ops) {
    out.begin_object();
    out.field("short_name", std::string_view(op.short_name));
    out.field("name", std::string_view(op.name));
    write_text_or_null(out, "program", op.details.program);
    write_text_or_null(out, "category", op.details.category);
    out.field("count", op.count);
    out.field("total_ps", op.total_ps);
    out.field("self_ps", op.self_ps);
    write_rate_amount(out, "flops", op.details.flops);
    write_rate_amount(out, "bytes", op.details.bytes);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

void write_module_totals(json_writer& out, const report_summary& s) {
  out.key("modules");
  out.begin_array();
  for (const module_total& m : s.modules) {
    out.begin_object();
    out.field("name", std::string_view(m.name));
    out.field("runs", m.runs);
    out.field("total_ps", m.total_ps);
    out.field("max_ps", m.max_ps);
    out.field("instructions", m.instructions);
    out.field("bytes", m.bytes);
    out.end_object();
  }
  out.end_array();
}

void write_step_groups(json_writer& out, const report_summary& s) {
  out.key("steps");
  out.begin_array();
  for (const step_group& g : s.steps) {
    out.begin_object();
    out.field("file", g.first.file);
    out.field("plane", g.first.plane);
    out.field("plane_name", g.first.plane_name);
    out.field("source", step_source_name(g.first.source));
    out.field("count", std::uint64_t{g.times.count});
    out.field("total_ps", g.times.total_ps);
    out.field("median_ps", g.times.median_ps);
    out.field("min_ps", g.times.min_ps);
    out.field("max_ps", g.times.max_ps);
    out.field("longest", std::uint64_t{g.longest});
    out.end_object();
  }
  out.end_array();
}

void write_collective_totals(json_writer& out, const report_summary& s) {
  out.key("collectives");
  out.begin_array();
  for (const collective_total& c : s.collectives) {
    out.begin_object();
    out.field("kind", std::string_view(c.kind));
    out.field("blocking", c.blocking);
    out.field("count", c.count);
    out.field("total_ps", c.total_ps);
    out.field("max_ps", c.max_ps);
    write_optional(out, "exposed_ps", c.exposed_ps);
    out.end_object();
  }
  out.end_array();
}

void write_idle(json_writer& out, const std::optional<idle_total>& idle) {
  out.key("idle");
  if (!idle) return out.null();
  out.begin_object();
  out.field("service_ps", idle->service_ps);
  out.field("idle_ps", idle->idle_ps);
  out.field("not_recorded_ps", idle->not_recorded_ps);
  out.field("longest_ps", idle->longest_ps);
  out.field("pattern", idle_pattern_name(idle->pattern));
  write_objects(out, "time", idle->time, [&](const time_row& row) { write_time_row(out, row, idle->service_ps); });
  write_optional(out, "rank_waited_for", idle->rank_waited_for ? std::optional<std::int64_t>(*idle->rank_waited_for) : std::nullopt);
  out.end_object();
}

void write_costliest(json_writer& out, const costliest_work& c) {
  out.key("costliest");
  out.begin_object();
  write_text_or_null(out, "op", c.op);
  out.field("op_self_ps", c.op_self_ps);
  write_text_or_null(out, "collective", c.collective);
  write_optional(out, "collective_exposed_ps", c.collective.empty() ? std::nullopt : std::optional(c.exposed_ps));
  out.end_object();
}

void write_roofline(json_writer& out, const std::optional<op_bounds>& bounds) {
  out.key("roofline");
  if (!bounds) return out.null();
  out.begin_object();
  out.field("self_ps", bounds->self_ps);
  out.field("attainable_ps", bounds->roof.attainable_ps);
  out.field("compute_bound_ps", bounds->roof.compute_bound_ps);
  out.field("memory_bound_ps", bounds->roof.memory_bound_ps);
  write_nearer_memories(out, bounds->roof);
  out.field("neither_bound_ps", bounds->roof.neither_ps);
  out.end_object();
}

void write_memory_total(json_writer& out, const std::optional<memory_total>& memory) {
  out.key("memory");
  if (!memory) return out.null();
  out.begin_object();
  write_text_or_null(out, "module", memory->module);
  write_text_or_null(out, "space", memory->space);
  out.field("needed_bytes", memory->needed_bytes);
  write_text_or_null(out, "device", memory->device);
  out.field("held_bytes", memory->held_bytes);
  out.field("capacity_bytes", memory->capacity_bytes);
  out.key("agree");
  if (memory->agree)
    out.value(*memory->agree);
  else
    out.null();
  out.end_object();
}

}  // namespace

void write_report_summary(json_writer& out, const report_summary& s, bool is_brief) {
  out.key("summary");
  out.begin_object(is_brief ? 2 : 0);
  out.field("verdict", std::string_view(s.verdict));
  write_device_models(out, s);
  write_origins(out, s);
  write_optional(out, "first_ps", s.first_ps);
  write_optional(out, "last_ps", s.last_ps);
  write_busy(out, s);
  write_busiest_ops(out, s);
  write_module_totals(out, s);
  write_step_groups(out, s);
  write_collective_totals(out, s);
  write_idle(out, s.idle);
  write_costliest(out, s.costliest);
  write_roofline(out, s.roofline);
  write_memory_total(out, s.memory);
  write_strings(out, "across_nodes", s.across_nodes);
  write_strings(out, "notes", s.notes);
  if (!is_brief)
    write_objects(out, "next", s.next, [&](const next_command& next) {
      out.field("arguments", std::string_view(next.arguments));
      out.field("why", std::string_view(next.why));
    }, min_notes);
  out.end_object();
}

verdict judge_report(const profile& p, const report_result& found) {
  return judge(p, p.file_count() == 0 ? "no profile file in " + p.what().path : "", found.damage);
}

void begin_with_path(json_writer& out, document which, const profile& p, const verdict& v) {
  begin_document(out, which);
  write_verdict(out, v);
  if (v.status == document_status::error) return;  // whose path is a part of the verdict
  out.key("path");
  out.whole(p.what().path);
}

void begin_report(json_writer& out, document which, const profile& p, const report_result& found, const verdict& v) {
  begin_with_path(out, which, p, v);
  write_runs(out, p);
  out.field("complete", found.parts.info.complete);
  write_strings(out, "reasons", found.parts.info.reasons);
}

result<document_status> write_report(json_writer& out, const trace& t, const query_filters& o, const hooks& host) {
  const profile& p = t.files();
  report_options asked;
  asked.filters = o;
  asked.framework_events = o.limit;
  asked.memory_rows = o.limit == 0 ? ~std::uint64_t{0} : o.limit;
  result<report_result> made = analyse_report(t, asked, host);
  if (!made) return std::move(made).error();
  const report_result& found = *made;
  const report_parts& parts = found.parts;
  const verdict v = judge_report(p, found);
  begin_report(out, document::report, p, found, v);
  write_report_summary(out, found.summary, false);
  write_rows(out, "findings", found.findings, [&](const finding& f) { write_finding(out, f); });
  out.key("info");
  write_info(out, p, parts.info);
  out.key("steps");
  write_steps(out, p, parts.steps, checked_by(document::steps, p, o));
  out.key("ops");
  write_ops(out, p, parts.ops, checked_by(document::ops, p, o));
  out.key("modules");
  write_modules(out, p, parts.modules);
  out.key("framework");
  write_framework(out, p, parts.framework, checked_by(document::framework, p, o));
  out.key("collectives");
  write_collectives(out, p, parts.collectives, checked_by(document::collectives, p, o));
  out.key("memory");
  if (parts.memory)
    write_memory(out, p, parts.asked_of_memory, *parts.memory);
  else
    out.null();
  out.key("validation");
  if (parts.nodes.validation)
    write_validation(out, *parts.nodes.validation, parts.nodes.alignment ? &*parts.nodes.alignment : nullptr);
  else
    out.null();
  out.key("bubbles");
  if (parts.bubbles) {
    bubble_options of_bubbles = parts.asked_of_bubbles;
    of_bubbles.limit = o.limit;
    write_bubbles(out, p, of_bubbles, *parts.bubbles);
  } else {
    out.null();
  }
  write_text_or_null(out, "model", parts.model_summary());
  out.key("neutrino");
  if (const auto written = write_neutrino(out, t, o, host); !written) return written.error();
  write_damage(out, found.damage, checked_by(document::report, p, o));
  end_document(out);
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
