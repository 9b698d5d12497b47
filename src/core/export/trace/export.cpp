#include "parts.hpp"

#include "process_titles.hpp"

#include "base/contained.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

fault refused_export(fault_code code, std::string message, std::string hint) {
  return {code, std::move(message), "", no_offset, std::move(hint)};
}

bool filters_anything(const query_filters& o) noexcept {
  return !o.host.empty() || !o.plane.empty() || !o.line.empty() || !o.name.empty() || o.step || o.from_ps || o.to_ps;
}

// Whether what was asked for can be had from these files.
result<void> check(const trace_job& job) {
  const trace_export_options& o = job.o;
  if (o.format < trace_format::trace_json || o.format > trace_format::csv)
    return refused_export(fault_code::invalid_argument, "there is no such trace format", "");
  if (o.like_xla && o.format != trace_format::trace_json)
    return refused_export(fault_code::invalid_argument, "only trace.json can be written as XLA writes it", "");
  if (o.waits && o.format != trace_format::perfetto)
    return refused_export(fault_code::invalid_argument, "only a pftrace has room for why devices waited", "");
  if (o.like_xla && filters_anything(o.filters))
    return refused_export(fault_code::invalid_argument, "XLA's converter writes a whole XSpace: it knows no filters",
                          "leave the filters out, or write trace.json without the compatibility");
  if (o.format != trace_format::xspace && !o.like_xla) return {};
  if (o.format == trace_format::xspace && job.recorded() != nullptr) return {};
  const std::size_t files = xspace_files(job.p, job.selected).size();
  if (files == 1) return {};
  if (files == 0)
    return refused_export(fault_code::unsupported, "there is no XSpace to write this from",
                          "Chrome traces become trace.json, pftrace or csv");
  return refused_export(fault_code::invalid_argument, "this takes one XSpace, and there are " + std::to_string(files),
                        "name one file, choose one with --host, or join them with `profkit merge`");
}

// Those whose events are exported: what repeats another file is left out.
std::vector<std::size_t> files_with_events(const profile& p) {
  std::vector<std::size_t> found;
  for (const file_content held :
       {file_content::planes, file_content::trace_events, file_content::probe_records, file_content::recording})
    found.insert(found.end(), p.files_with(held).begin(), p.files_with(held).end());
  std::sort(found.begin(), found.end());
  return found;
}

std::string absence_of_events(const profile& p) {
  if (p.file_count() == 0) return "no file of the capture was recognised";
  return "no file of the capture has events: an XSpace or a Chrome trace is needed";
}

}  // namespace

result<trace_export_outcome> export_trace(const trace& t, const trace_export_options& o, sink& into) {
  return contained([&]() -> result<trace_export_outcome> {
    result<selection> selected = selection::make(t, o.filters, o.host);
    if (!selected) return std::move(selected).error();
    const profile& p = t.files();
    trace_export_outcome outcome;
    std::vector<std::size_t> files = files_with_events(p);
    if (files.empty()) {
      outcome.status = document_status::absent;
      outcome.absent = absence_of_events(p);
      return outcome;
    }
    damage_list damage(p, *selected);
    files.erase(std::remove_if(files.begin(), files.end(), [&](std::size_t file) { return !selected->file(file); }), files.end());
    for (const std::size_t file : files) damage.note_file(file);
    const trace_job job{t, p, o, *selected, files, damage, outcome, into};
    if (result<void> possible = check(job); !possible) return std::move(possible).error();
    result<void> written;
    switch (o.format) {
      case trace_format::trace_json: written = o.like_xla ? write_xla_json(job) : write_trace_json(job); break;
      case trace_format::perfetto: written = write_perfetto(job); break;
      case trace_format::xspace:
        written = job.recorded() != nullptr ? write_recording_xspace(job) : write_xspace_slice(job);
        break;
      case trace_format::csv: written = write_events_csv(job); break;
    }
    if (!written) return std::move(written).error();
    outcome.damage = damage.take();
    if (!outcome.damage.empty())
      outcome.status = anything_intact(p) ? document_status::partial : document_status::error;
    return outcome;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
