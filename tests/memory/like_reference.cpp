#include "like_reference.hpp"

#include <analyse/memory/spaces.hpp>
#include <export/json/memory_parts.hpp>
#include <base/affix.hpp>
#include <profkit/core/sink.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

// ---- which files ----

struct chosen_files {
  std::optional<std::size_t> hlo, xspace;
};

// The largest *.hlo_proto.pb and the first *.xplane.pb that lie in the directory itself.
chosen_files choose_files(const profile& p) {
  chosen_files out;
  std::string folder = p.what().path;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  for (std::size_t i = 0; i < p.file_count(); ++i) {
    const std::string& path = p.what().files[i].path;
    const std::size_t slash = path.find_last_of('/');
    const bool inside = path == p.what().path || (slash != std::string::npos && path.substr(0, slash) == folder);
    if (!inside) continue;
    if (ends_with(path, ".hlo_proto.pb") && (!out.hlo || p.bytes(i).size() >= p.bytes(*out.hlo).size())) out.hlo = i;
    if (ends_with(path, ".xplane.pb") && (!out.xspace || path < p.what().files[*out.xspace].path)) out.xspace = i;
  }
  return out;
}

result<void> add_file_hlo(const profile& p, std::size_t file, memory_result& r) {
  if (const fault* why = p.file_fault(file)) return *why;
  const std::unique_ptr<program_study> study = study_program(p.bytes(file));
  module_memory m = facts_of(*study);
  if (m.damage) {
    fault f = *m.damage;
    f.path = p.what().files[file].path;
    return f;
  }
  auto report = hlo_like_reference(study->code);
  if (!report) return std::move(report).error();
  report->hlo_proto_path = r.hlo_path = p.what().files[file].path;
  r.modules.push_back(std::move(m));
  r.hlo = std::move(*report);
  return {};
}

// Of the first plane /host:CPU: by ns, allocations first, then as they lie there.
std::vector<allocator_event> events_of(const collected_events& all, std::size_t file, std::size_t host_plane) {
  std::vector<allocator_event> events;
  const hooks none;
  ordered_allocator_events by_time(all, static_cast<std::uint32_t>(file), std::nullopt, none);
  for (allocator_event e; by_time.next(e);)
    if (all.planes[all.lines[e.place.line].plane].plane == static_cast<std::int32_t>(host_plane)) events.push_back(e);
  std::sort(events.begin(), events.end(), [](const allocator_event& a, const allocator_event& b) {
    return std::make_tuple(a.raw_ns, !a.is_allocation, a.place.line, a.place.offset) <
           std::make_tuple(b.raw_ns, !b.is_allocation, b.place.line, b.place.offset);
  });
  return events;
}

result<void> add_file_runtime(const profile& p, std::size_t file, const memory_options& o, memory_result& r) {
  if (const fault* why = p.file_fault(file)) return *why;
  const xspace_index* const space = p.xspace(file);
  const auto& planes = space->planes;
  const auto host_plane =
      std::find_if(planes.begin(), planes.end(), [](const plane_index& plane) { return plane.name == "/host:CPU"; });
  if (host_plane == planes.end()) {
    r.runtime_absent_reason = "host_plane_absent";
    return {};
  }
  const collected_events all = collect_allocator_events(p, "", {});
  if (!all.damage.empty()) return all.damage.front().what;
  const std::vector<allocator_event> events =
      events_of(all, file, static_cast<std::size_t>(host_plane - planes.begin()));
  if (events.empty()) {
    r.runtime_absent_reason = "no_memory_events";
    return {};
  }
  runtime_report report;
  r.runtime_absent_reason = runtime_like_reference(p, file, o, all, events, report);
  if (r.runtime_absent_reason.empty()) r.runtime = std::move(report);
  return {};
}

void compare(memory_result& r) {
  if (!r.hlo || !r.runtime) return;
  const auto peak = static_cast<double>(r.runtime->peak_bytes);
  const auto stated = static_cast<double>(r.hlo->static_peak_bytes);
  if (peak <= 0 || stated <= 0) return;
  const double off = std::fabs(stated - peak) / std::max(stated, peak);
  if (off <= 0.05) return;
  r.consistency_warnings.push_back("runtime_peak=" + decimals(peak / 1048576, 1) + " MiB disagrees with static_peak=" +
                                   decimals(stated / 1048576, 1) + " MiB by " + decimals(off * 100, 1) + '%');
}

}  // namespace

std::string decimals(double value, int digits) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits);
  return std::string(text, end.ptr);
}

result<memory_result> analyse_memory_like_reference(const profile& p, const memory_options& o) {
  memory_result r;
  const chosen_files files = choose_files(p);
  if (!files.hlo) r.hlo_absent_reason = "no_hlo_proto_pb";
  if (files.xspace) r.xplane_path = p.what().files[*files.xspace].path;
  if (files.hlo)
    if (result<void> added = add_file_hlo(p, *files.hlo, r); !added) return std::move(added).error();
  if (o.runtime) {
    if (!files.xspace) r.runtime_absent_reason = "no_xplane_pb";
    if (files.xspace)
      if (result<void> added = add_file_runtime(p, *files.xspace, o, r); !added) return std::move(added).error();
  }
  compare(r);
  return r;
}

std::string reference_memory_document(const profile& p, const memory_options& o, const memory_result& r) {
  std::string text;
  const auto into = memory_sink(text);
  json_writer out(*into, json_writer::style::compact);
  const bool absent = !r.hlo && !r.runtime;
  out.begin_object();
  out.field("status", absent ? "absent" : "ok");
  out.field("skill", "memory-profile");
  out.field("version", std::int64_t{2});
  if (absent) out.field("reason", "no_data_sources");
  out.key("inputs");
  out.begin_object();
  out.field("profile_dir", std::string_view(p.what().path));
  json::write_text_or_null(out, absent ? "hlo_reason" : "xplane_pb", absent ? r.hlo_absent_reason : r.xplane_path);
  json::write_text_or_null(out, absent ? "runtime_reason" : "hlo_proto_pb", absent ? r.runtime_absent_reason : r.hlo_path);
  out.end_object();
  if (!absent) json::fields_of_memory_blocks(out, r, {p, o.top});
  out.end_object();
  static_cast<void>(out.finish());
  return text;
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
