// The exporters that export_trace() calls: one function a format and kind of input.
#pragma once
#include <profkit/core/trace_export.hpp>

#include "trace/filters/select.hpp"

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
  const std::vector<std::size_t>& files;  // that have events and are asked for
  damage_list& damage;
  trace_export_outcome& outcome;
  sink& into;

  // All that is written, where that is one recording; else null.
  [[nodiscard]] const recording* recorded() const { return files.size() == 1 ? p.recorded(files.front()) : nullptr; }
};

// Texts of a file that say what was lost before it was written; in a merged trace each begins with its node.
[[nodiscard]] std::vector<std::string> losses_of_file(const profile& p, std::size_t file);

result<void> write_trace_json(const trace_job& job);
result<void> write_xla_json(const trace_job& job);      // one XSpace
result<void> write_perfetto(const trace_job& job);
// Steps of devices and why they waited, beside what was written.
result<void> write_waits(const trace_job& job, const machines& of, perfetto_writer& out);
result<void> write_xspace_slice(const trace_job& job);      // one XSpace
result<void> write_recording_xspace(const trace_job& job);  // one recording
result<void> write_events_csv(const trace_job& job);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
