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

// What writes a file, by what it holds.
class file_writer {
 public:
  file_writer() = default;
  virtual ~file_writer() = default;
  file_writer(const file_writer&) = delete;
  file_writer& operator=(const file_writer&) = delete;
  virtual result<void> write_xspace(std::size_t file) = 0;
  virtual result<void> write_chrome(std::size_t file) = 0;
  virtual result<void> write_own(std::size_t file) = 0;
  virtual result<void> write_tracks(std::size_t) { return {}; }  // of probes
};
// All files that are asked for, but those that repeat another.
result<void> write_files(const trace_job& job, file_writer& to);

result<void> write_trace_json(const trace_job& job);    // XSpace and Chrome files
result<void> write_xla_json(const trace_job& job);      // one XSpace
result<void> write_perfetto(const trace_job& job);      // XSpace and Chrome files, and what has tracks
// Steps of devices and why they waited, beside what was written.
result<void> write_waits(const trace_job& job, const machines& of, perfetto_writer& out);
result<void> write_xspace_slice(const trace_job& job);  // one XSpace
result<void> write_events_csv(const trace_job& job);    // XSpace and Chrome files

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
