// One trace JSON of a merge, read once to learn what it holds.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/merge.hpp>
#include <profkit/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct json_process {
  std::string pid;   // as JSON: 4711, "Spans"; null where events have none
  std::string name;  // "" when it says none
  std::optional<std::int64_t> sort_index;
  bool is_named = false;
};

struct json_survey {
  std::string headers;  // what stands around the events, as the members of an object
  std::vector<json_process> processes;  // in the order of their first events
  std::string hostname;
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> origin_unix_ns;  // of zero of its times, where it says
  std::int64_t least_ps = std::numeric_limits<std::int64_t>::max(), most_ps = std::numeric_limits<std::int64_t>::min();
  std::uint64_t events = 0, timed_events = 0;
  bool nanoseconds = false;
  bool is_merged = false;
  std::optional<fault> damage;
  std::string lost;  // what the trace says of events that were lost before; "" when it says nothing
};

struct trace_input;
// Faults: cancelled, those of the file, and what makes it no trace at all.
result<json_survey> survey_trace_json(const trace_input& trace, const merge_options& o, const hooks& host);
// The rank that a file names in its header before its first event.
std::optional<std::int64_t> rank_in_header(const trace_input& trace, const merge_options& o, const hooks& host);

class chrome_visitor;
struct chrome_summary;
// All events of a file in windows, whatever its size.
result<chrome_summary> read_trace_json(const trace_input& trace, const merge_options& o, const hooks& host, chrome_visitor& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
