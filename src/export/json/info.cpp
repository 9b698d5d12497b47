#include <export/json/document.hpp>
#include <profkit/core/probe.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

void write_line_info(json_writer& out, const line_info& line) {
  out.begin_object();
  out.field_id("id", line.id);
  out.field("name", line.name);
  out.field("kind", line_kind_name(line.kind));
  out.field_id("timestamp_ns", line.timestamp_ns);
  out.field("events", line.events);
  out.field("event_stats", line.event_stats);
  out.field("duration_sum_ps", line.duration_sum_ps);
  write_optional(out, "first_ps", line.first_ps);
  write_optional(out, "last_ps", line.last_ps);
  out.end_object();
}

void write_plane(json_writer& out, const plane_info& plane) {
  out.begin_object();
  out.field_id("id", plane.id);
  out.field("name", plane.name);
  out.field("kind", plane_kind_name(plane.kind));
  write_stat_map(out, "stats", plane.stats);
  out.field("event_metadata", plane.event_metadata);
  out.field("stat_metadata", plane.stat_metadata);
  write_rows(out, "lines", plane.lines, [&](const line_info& line) { write_line_info(out, line); });
  out.end_object();
}

void write_file_info(json_writer& out, const profile& p, const file_info& file) {
  out.begin_object();
  out.field("file", file.file);
  out.field("path", std::string_view(file.path));
  out.field("family", family_name(file.family));
  out.field("export_of", file.export_of);
  out.field("bytes", file.bytes);
  write_strings(out, "hosts", file.hosts);
  write_strings(out, "errors", file.errors);
  write_strings(out, "warnings", file.warnings);
  write_optional_id(out, "origin_unix_ns", file.origin_unix_ns);
  out.field("aligned", file.aligned);
  write_optional(out, "first_ps", file.first_ps);
  write_optional(out, "last_ps", file.last_ps);
  write_rows(out, "planes", file.planes, [&](const plane_info& plane) { write_plane(out, plane); });
  if (const probe_trace* trace = p.neutrino(file.file)) {
    const probe_totals held = totals_of(*trace);
    out.key("probes");
    out.begin_object();
    out.field("launches", held.launches);
    out.field("kernels", held.kernels);
    out.field("record_files", held.bins);
    out.field("damaged_record_files", held.damaged_bins);
    out.field("maps", held.maps);
    out.field("record_bytes", held.record_bytes);
    out.end_object();
  }
  write_unpaired(out, file.begins_without_end, file.begins_open, file.ends_without_begin);
  out.key("damage");
  if (file.damage) {
    out.begin_object();
    write_fault_fields(out, *file.damage);
    out.end_object();
  } else {
    out.null();
  }
  out.end_object();
}

std::vector<file_damage> damage_of_files(const info_result& info) {
  std::vector<file_damage> damage;
  for (const file_info& file : info.files)
    if (file.damage) damage.push_back({file.file, *file.damage});
  return damage;
}

// What an intact but empty input is called: nothing to analyse, and no fault either.
std::string absence_of(const profile& p, const info_result& info) {
  if (p.file_count() == 0) return "no profile file in " + p.what().path;
  if (info.files.empty()) return info.absent;
  // How many bytes come out of a pipe nobody knows.
  for (const file_info& file : info.files)
    if (file.bytes != 0 || !file.planes.empty() || !has_planes(file.family)) return {};
  return info.files.front().path + " is empty, which is a valid message without content";
}

}  // namespace

document_status write_info(json_writer& out, const profile& p, const info_result& info) {
  const std::vector<file_damage> damage = damage_of_files(info);
  const verdict v = judge(p, absence_of(p, info), damage);
  begin_document(out, document::info);
  write_verdict(out, v);
  write_optional_id(out, "origin_unix_ns", p.origin_unix_ns());
  write_rows(out, "files", info.files, [&](const file_info& file) { write_file_info(out, p, file); }, min_inputs);
  out.key("totals");
  out.begin_object();
  out.field("files", static_cast<std::uint64_t>(info.files.size()));
  out.field("planes", info.planes);
  out.field("lines", info.lines);
  out.field("events", info.events);
  out.field("event_stats", info.event_stats);
  out.end_object();
  out.field("complete", info.complete);
  write_strings(out, "reasons", info.reasons);
  end_document(out);
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
