#include <export/json/document.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

void write_kinds(json_writer& out, std::uint8_t kinds) {
  out.key("kinds");
  out.begin_tuple();
  for (unsigned kind = 0; kind < 8; ++kind)
    if ((kinds >> kind & 1u) != 0) out.value(stat_kind_name(static_cast<stat_kind>(kind)));
  out.end_array();
}

void write_event(json_writer& out, const framework_event& row) {
  out.begin_object();
  out.field("file", row.file);
  out.field("plane", row.plane);
  out.field("line", row.line);
  out.field("line_name", row.line_name);
  out.field("name", row.name);
  write_optional(out, "start_ps", row.start_ps);
  out.field("duration_ps", row.duration_ps);
  write_stat_list(out, "stats", row.stats);
  out.end_object();
}

}  // namespace

document_status write_framework(json_writer& out, const profile& p, const framework_result& found, events_checked checked) {
  const verdict v = judge(p, found.absent, found.damage);
  begin_document(out, document::framework);
  write_verdict(out, v);
  out.field("matched", found.matched);
  write_rows(out, "events", found.events, [&](const framework_event& row) { write_event(out, row); }, 0,
             found.matched - std::min<std::uint64_t>(found.matched, found.events.size()));
  out.key("names");
  out.begin_array(min_notes);
  for (const framework_name& row : found.names) {
    out.begin_object();
    out.field("file", row.file);
    out.field("plane", row.plane);
    out.field("name", row.name);
    out.field("count", row.count);
    out.field("total_ps", row.total_ps);
    out.field("self_ps", row.self_ps);
    out.field("max_ps", row.max_ps);
    out.end_object();
  }
  out.end_array();
  out.key("stat_names");
  out.begin_array(min_notes);
  for (const framework_stat& row : found.stats) {
    out.begin_object();
    out.field("name", row.name);
    out.field("count", row.count);
    write_kinds(out, row.kinds);
    out.end_object();
  }
  out.end_array();
  write_files(out, p);
  write_damage(out, found.damage, checked);
  end_document(out);
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
