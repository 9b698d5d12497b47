#include <export/json/memory_parts.hpp>
#include <export/json/report_parts.hpp>
#include <profkit/core/report.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

std::optional<std::int64_t> collective_exposed_of(const costliest_work& c) noexcept {
  return c.collective.empty() ? std::nullopt : std::optional(c.exposed_ps);
}

shown_time shown(const time_row& row, const idle_total& of) { return {row, of.service_ps}; }

void write_report_summary(json_writer& out, const report_summary& s, bool is_brief) {
  out.key("summary");
  out.begin_object(is_brief ? 2 : 0);
  fields_of_report_summary(out, s);
  if (!is_brief)
    write_objects(out, "next", s.next, [&](const next_command& next) { fields_of_report_next(out, next); }, min_notes);
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
  write_objects(out, "runs", p.what().runs, [&](const capture_run& run) { fields_of_report_run(out, run); });
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
  write_objects(out, "findings", found.findings, [&](const finding& f) { fields_of_report_finding(out, f); });
  out.key("info");
  write_info(out, p, parts.info);
  out.key("steps");
  write_steps(out, p, parts.steps, o);
  out.key("ops");
  write_ops(out, p, parts.ops, o);
  out.key("modules");
  write_modules(out, p, parts.modules);
  out.key("framework");
  write_framework(out, p, parts.framework, o);
  out.key("collectives");
  write_collectives(out, p, parts.collectives, o);
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
