// Why devices wait: causes with their evidence, and advice.
#include <page/html/sections.hpp>

#include <export/json/document.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace html {
namespace {

void write_cause(json_writer& out, const cause_summary& c, const bubbles_result& found) {
  out.field("cause", idle_cause_name(c.cause));
  out.field("certainty", certainty_name(c.sure));
  out.field("time_ps", c.total_ps);
  out.field("in_steps", c.group >= 0);
  out.field("gaps", c.bubbles);
  json::write_strings(out, "evidence", c.evidence);
  out.key("longest");
  if (c.is_exposed() || c.longest >= found.bubbles.size()) return out.null();
  const bubble& b = found.bubbles[c.longest];
  out.begin_object();
  out.field("device", b.device);
  out.field("start_ps", b.start_ps);
  out.end_object();
}

void write_advice(json_writer& out, const recommendation& r) {
  out.field("text", std::string_view(r.text));
  json::write_text_or_null(out, "how", r.how);
  out.field("priority", r.priority);
  out.field("recoverable_ps", r.recoverable_ps);
  out.field("in_steps", r.is_of_steps());
  out.field("target", std::string_view(r.target));
  json::write_strings(out, "evidence", r.evidence);
}

}  // namespace

void write_waits_section(json_writer& out, const report_result& found) {
  if (!found.parts.bubbles) return;
  const bubbles_result& b = found.parts.bubbles->found;
  if (b.causes.empty() && b.recommendations.empty()) return;
  out.key("waits");
  out.begin_object(4);
  out.field("in_steps_ps", time_ps_of(b, -1, true));
  out.field("outside_ps", time_ps_of(b, -1, false));
  json::write_objects(out, "causes", b.causes, [&](const cause_summary& c) { write_cause(out, c, b); });
  json::write_objects(out, "advice", b.recommendations, [&](const recommendation& r) { write_advice(out, r); });
  out.end_object();
}

}  // namespace html
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
