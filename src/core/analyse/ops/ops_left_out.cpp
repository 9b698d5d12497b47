#include <analyse/ops/ops_left_out.hpp>

#include <algorithm>
#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr const char* no_end = "begins or ends without the other";
constexpr const char* same_stream = "threads of one stream (one line here)";

const char* why_not(line_use use, trace_ops_of shown) noexcept {
  switch (use) {
    case line_use::kernel: return "work of devices";
    case line_use::op:
    case line_use::span:
      return shown == trace_ops_of::operators ? "host events other than operators (`profkit framework`)"
                                              : "host events (`profkit framework`)";
    case line_use::unplaced: return "events that do not say whether a device or a host ran them (`profkit framework`)";
    case line_use::device_wait: return "waits of devices";
    case line_use::asynchronous: return "asynchronous ops, which overlap the device's other ops";
    case line_use::step: return "step marks (`profkit steps`)";
    case line_use::program_run: return "program runs, whose ops are counted";
    case line_use::repeated: return "lines that repeat other lines of the device";
    case line_use::bookkeeping: return "the recorder's own events";
    case line_use::no_length: return "instants and counters";
    case line_use::overlapping: return "asynchronous events, which belong to no thread";
    case line_use::unusable: return "events without a usable duration";
    case line_use::not_known: return "unknown categories and lines";
    case line_use::elsewhere: return "device work that the tables beside the trace list";
  }
  return "";
}

bool is_shown(line_use use, trace_ops_of what) noexcept {
  switch (what) {
    case trace_ops_of::nothing: return false;
    case trace_ops_of::kernels: return use == line_use::kernel;
    case trace_ops_of::operators: return use == line_use::op;
    case trace_ops_of::host_spans: return use == line_use::op || use == line_use::span || use == line_use::unplaced;
  }
  return false;
}

}  // namespace

std::vector<left_out_lines> lines_left_out(const profile& p, const activity& of, const selection& selected,
                                           trace_ops_of what, const std::vector<ops_line>& shown) {
  std::vector<left_out_lines> found;
  const auto add = [&found](const char* why, std::uint64_t lines, std::uint64_t events) {
    const auto at = std::find_if(found.begin(), found.end(), [why](const left_out_lines& l) { return l.why == why; });
    if (at == found.end()) {
      found.push_back({why, lines, events});
    } else {
      at->lines += lines;
      at->events += events;
    }
  };
  std::uint64_t shown_tracks = 0;
  for (const line_count& line : of.lines()) {
    if (!selected.file(line.file)) continue;
    std::uint64_t taken = 0;
    std::size_t most = 0;
    for (std::size_t use = 0; use < line_uses; ++use) {
      if (is_shown(static_cast<line_use>(use), what)) taken += line.events[use];
      if (line.events[use] > line.events[most]) most = use;
    }
    shown_tracks += taken != 0;
    for (std::size_t use = 0; use < line_uses; ++use) {
      if (line.events[use] == 0 || is_shown(static_cast<line_use>(use), what)) continue;
      // A line is of what most of its events are.
      add(why_not(static_cast<line_use>(use), what), taken == 0 && use == most, line.events[use]);
    }
    if (line.events[most] == 0) add(no_end, 1, 0);
  }
  const auto in_trace = [&p](const ops_line& line) {
    return content_of(p.what().files[line.file].family) == file_content::trace_events;
  };
  const auto lines = static_cast<std::uint64_t>(std::count_if(shown.begin(), shown.end(), in_trace));
  if (shown_tracks > lines) add(same_stream, shown_tracks - lines, 0);
  std::stable_sort(found.begin(), found.end(),
                   [](const left_out_lines& a, const left_out_lines& b) { return a.events > b.events; });
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
