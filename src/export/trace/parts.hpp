// The exporters that export_trace() calls: one function a format and kind of input.
#pragma once
#include <profkit/core/trace_export.hpp>

#include "analyse/filters/select.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class machines;
class perfetto_writer;

// What every exporter works with.
struct trace_job {
  const trace& t;
  const profile& p;
  const trace_export_options& o;
  const selection& selected;
  damage_list& damage;
  trace_export_outcome& outcome;
  sink& into;
};

// Texts of a file that say what was lost before it was written; in a merged trace each begins with its node.
[[nodiscard]] std::vector<std::string> losses_of_file(const profile& p, std::size_t file);

// Has each file that is asked for written by what `to` has for its kind; what repeats another file is left out.
template <class Writer>
result<void> write_files(const trace_job& job, Writer& to) {
  for (std::size_t file = 0; file < job.p.file_count(); ++file) {
    const capture_file& listed = job.p.what().files[file];
    if (!job.selected.file(file) || listed.export_of >= 0) continue;
    result<void> written;
    switch (content_of(listed.family)) {
      case file_content::planes: written = to.write_xspace(file); break;
      case file_content::trace_events: written = to.write_chrome(file); break;
      case file_content::probe_records: written = to.write_tracks(file); break;
      case file_content::recording: written = to.write_own(file); break;
      default: break;
    }
    if (!written) return written;
  }
  return {};
}

result<void> write_trace_json(const trace_job& job);    // XSpace and Chrome files
result<void> write_xla_json(const trace_job& job);      // one XSpace
result<void> write_perfetto(const trace_job& job);      // XSpace and Chrome files, and what has tracks
// Steps of devices and why they waited, beside what was written.
result<void> write_waits(const trace_job& job, const machines& of, perfetto_writer& out);
result<void> write_xspace_slice(const trace_job& job);  // one XSpace
result<void> write_events_csv(const trace_job& job);    // XSpace and Chrome files

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
