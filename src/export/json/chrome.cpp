#include <export/json/document.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

void write_process(json_writer& out, const chrome_process& process) {
  out.begin_object();
  out.field("pid", std::string_view(process.pid));
  out.field("name", std::string_view(process.name));
  out.field("sort_index", process.sort_index);
  out.key("threads");
  out.begin_array(least_notes);
  for (const auto& [tid, name] : process.threads) {
    out.begin_object();
    out.field("tid", std::string_view(tid));
    out.field("name", std::string_view(name));
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

void write_samples(json_writer& out, std::string_view key, const std::vector<chrome_sample>& samples) {
  out.key(key);
  out.begin_array();
  for (const chrome_sample& sample : samples) {
    out.begin_object();
    out.field("name", std::string_view(sample.name));
    out.field("cat", std::string_view(sample.cat));
    out.field("phase", std::string_view(sample.phase));
    out.field("pid", std::string_view(sample.pid));
    out.field("tid", std::string_view(sample.tid));
    write_optional(out, "start_ps", sample.start_ps);
    write_optional(out, "duration_ps", sample.duration_ps);
    out.key("args");
    out.begin_map();
    for (const auto& [name, json_text] : sample.args) out.field(name, std::string_view(json_text));
    out.end_object();
    out.end_object();
  }
  out.end_array();
}

void write_chrome_file(json_writer& out, const chrome_file& file) {
  out.begin_object();
  out.field("file", file.file);
  write_strings(out, "top_level_keys", file.top_level_keys);
  out.field("display_time_unit", std::string_view(file.display_time_unit));
  out.field("metadata", std::string_view(file.metadata));
  out.field("events", file.events);
  out.key("phases");
  out.begin_map();
  for (const auto& [phase, count] : file.phases) out.field(phase, count);
  out.end_object();
  out.key("processes");
  out.begin_array(least_notes);
  for (const chrome_process& process : file.processes) write_process(out, process);
  out.end_array();
  write_optional(out, "first_ps", file.first_ps);
  write_optional(out, "last_ps", file.last_ps);
  write_samples(out, "complete_samples", file.complete_samples);
  write_samples(out, "instant_samples", file.instant_samples);
  out.field("complete", !file.at_event_cap);
  out.field("broken_events", file.broken_events);
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

}  // namespace

document_status write_chrome(json_writer& out, const profile& p, const chrome_result& found, events_checked checked) {
  std::vector<file_damage> damage;
  for (const chrome_file& file : found.files)
    if (file.damage) damage.push_back({file.file, *file.damage});
  const verdict v = judge(p, found.absent, damage);
  begin_document(out, document::chrome);
  write_verdict(out, v);
  out.key("traces");
  out.begin_array(least_inputs);
  for (const chrome_file& file : found.files) write_chrome_file(out, file);
  out.end_array();
  write_files(out, p);
  write_damage(out, damage, checked);
  end_document(out);
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
