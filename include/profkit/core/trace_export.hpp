// A capture as a file that other tools open: Chrome trace JSON, Perfetto, a smaller XSpace, CSV.
#pragma once
#include <profkit/core/export.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/sink.hpp>
#include <profkit/core/trace.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// enum trace_format: written by scripts/generate
/// Formats of other tools.
enum class trace_format : std::int32_t {
  trace_json, ///< Chrome trace-event JSON, for Perfetto and chrome://tracing
  perfetto,   ///< Perfetto's protobuf trace (.pftrace)
  xspace,     ///< an XSpace with the events that the filters keep, byte for byte
  csv         ///< one row an event
};
[[nodiscard]] const char* trace_format_name(trace_format value) noexcept;  ///< "trace.json", "pftrace", …
// end of enum trace_format

struct trace_export_options {
  trace_format format = trace_format::trace_json;
  /// trace_json only: the text that XLA's own converter writes, byte for byte, but never cut at a million events.
  /// Takes one XSpace and no filters.
  bool like_xla = false;
  /// perfetto only: of each device its steps and why it waited, as tracks of their own. Knows no host, line or name.
  bool waits = false;
  /// host, plane, line, name, step, from_ps and to_ps; `limit` is not heeded. An event is kept whole when it touches
  /// the window.
  query_filters filters;
  hooks host;
};

/// What was written, and what was not.
struct trace_export_outcome {
  document_status status = document_status::ok;  ///< absent: nothing that has events; error: nothing was intact
  std::string absent;                            ///< why, when absent
  std::uint64_t tracks = 0;                      ///< lines of the capture with an event that was kept
  std::uint64_t lanes = 0;                       ///< further tracks, for events that overlap others of their line
  std::uint64_t events = 0;                      ///< slices, instants and rows written
  std::uint64_t counters = 0, flows = 0;         ///< counter values, ends of flows
  std::uint64_t aggregated_left_out = 0;         ///< events without a place in time, where the format has none for them
  std::uint64_t out_of_reach = 0;                ///< events more than 106 days from the origin
  std::uint64_t crowded = 0;                     ///< events that still overlap: a line had more lanes than fit
  std::vector<file_damage> damage;
};

/// Writes the events of every file of the capture that has any; exports of an XSpace beside it are left out. Times
/// are those of the capture's clock: trace_json in us with six decimals (exact), perfetto in ns since the Unix epoch
/// where the origin is known (rounded down), csv in ps. Bytes do not depend on host.threads. Needs memory for a few
/// batches of events, and for all events of a line (40 bytes each) only while a line that is not sorted is written.
/// Does not finish the sink. Faults: invalid_argument (filters that fit nothing, several files where one is
/// needed), unsupported (a format that this kind of file cannot become), cancelled, those of the sink.
result<trace_export_outcome> export_trace(const trace& t, const trace_export_options& o, sink& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
