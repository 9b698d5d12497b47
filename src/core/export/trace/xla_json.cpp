// The text that XLA's converter writes of an XSpace, byte for byte.
//
// Source: tsl/profiler/convert (ConvertXSpaceToTraceEventsString) and xplane_to_trace_events; what it does with names,
// ids and numbers was checked against its output.
#include "process_titles.hpp"
#include "json_text.hpp"
#include "parts.hpp"
#include "row_writer.hpp"

#include "base/affix.hpp"
#include "base/format.hpp"
#include "trace/line_batches.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint32_t host_pid = 701;

struct thread_of_viewer {
  std::string_view name;
  std::uint64_t sort_index = 0;
};
struct process_of_viewer {
  std::string_view name;
  std::map<std::uint32_t, thread_of_viewer> threads;
};
struct shown_plane {
  std::size_t position;
  std::uint32_t pid;
};

// The first plane "/host:CPU", and the devices of the first family that there is any of.
std::vector<shown_plane> planes_to_show(const xspace_index& space) {
  std::vector<shown_plane> shown;
  for (std::size_t i = 0; i < space.planes.size(); ++i)
    if (space.planes[i].name == "/host:CPU") {
      shown.push_back({i, host_pid});
      break;
    }
  for (const std::string_view prefix : {"/device:GPU:", "/device:TPU:", "/device:CUSTOM:"}) {
    const std::size_t before = shown.size();
    for (std::size_t i = 0; i < space.planes.size(); ++i)
      if (starts_with(space.planes[i].name, prefix))
        shown.push_back({i, static_cast<std::uint32_t>(1 + static_cast<std::uint64_t>(space.planes[i].id))});
    if (shown.size() != before) break;
  }
  return shown;
}

std::uint32_t tid_of(const line_header& header) noexcept {
  return static_cast<std::uint32_t>(header.display_id != 0 ? header.display_id : header.id);
}
std::string_view shown_name(const line_header& header) noexcept {
  return header.display_name.empty() ? header.name : header.display_name;
}

void append_metadata_event(std::string& out, std::uint32_t pid, const std::uint32_t* tid, const char* what,
                           const std::string& arguments) {
  out += "{\"ph\":\"M\",\"pid\":";
  append_integer(out, std::uint64_t{pid});
  if (tid != nullptr) {
    out += ",\"tid\":";
    append_integer(out, std::uint64_t{*tid});
  }
  out.append(",\"name\":\"").append(what).append("\",\"args\":{").append(arguments).append("}},");
}

std::string name_argument(std::string_view name) {
  std::string text = "\"name\":";
  append_xla_string(text, name);
  return text;
}
std::string sort_argument(std::uint64_t index) { return "\"sort_index\":" + std::to_string(index); }

std::string viewer_head(const std::map<std::uint32_t, process_of_viewer>& processes) {
  std::string head = "{\"displayTimeUnit\":\"ns\",\"metadata\":{\"highres-ticks\":true},\"traceEvents\":[";
  for (const auto& [pid, process] : processes) {
    if (!process.name.empty()) append_metadata_event(head, pid, nullptr, "process_name", name_argument(process.name));
    append_metadata_event(head, pid, nullptr, "process_sort_index", sort_argument(pid));
    for (const auto& [tid, thread] : process.threads) {
      if (!thread.name.empty()) append_metadata_event(head, pid, &tid, "thread_name", name_argument(thread.name));
      append_metadata_event(head, pid, &tid, "thread_sort_index",
                            sort_argument(thread.sort_index != 0 ? thread.sort_index : tid));
    }
  }
  return head;
}

}  // namespace

result<void> write_xla_json(const trace_job& job) {
  const std::vector<std::size_t> files = xspace_files(job.p, job.selected);
  const std::size_t file = files.front();
  const xspace_index& space = *job.p.xspace(file);
  const std::vector<shown_plane> shown = planes_to_show(space);

  std::map<std::uint32_t, process_of_viewer> processes;
  std::vector<std::vector<line_header>> headers;
  for (const shown_plane& plane : shown) {
    process_of_viewer& process = processes[plane.pid];
    process.name = space.planes[plane.position].name;
    headers.emplace_back();
    std::uint64_t number = 0;
    for (const line_index& line : space.planes[plane.position].lines) {
      headers.back().push_back(complete_header(line));
      const line_header& header = headers.back().back();
      process.threads[tid_of(header)] = {shown_name(header), plane.pid == host_pid ? ++number : 0};
    }
  }
  if (result<void> written = job.into.write(viewer_head(processes)); !written) return written;

  row_writer rows(job.into, job.o.host);
  progress_meter progress(job.o.host, job.p.bytes(file).size());
  for (std::size_t at = 0; at < shown.size(); ++at) {
    const plane_index& plane = space.planes[shown[at].position];
    const auto style = std::make_shared<row_style>(plane, file, json_dialect::xla);
    style->pid = shown[at].pid;
    for (std::size_t i = 0; i < plane.lines.size(); ++i) {
      const line_header& header = headers[at][i];
      if (shown_name(header) == "Async XLA Ops") continue;
      const std::uint64_t base_ps = static_cast<std::uint64_t>(header.timestamp_ns) * 1000;
      const std::uint32_t tid = tid_of(header);
      const std::uint64_t before = job.outcome.events;
      result<void> added;
      const line_end end = for_each_batch(plane.lines[i], [&](const event_row* events, std::size_t count, std::uint64_t offset) {
        added = progress.step(plane.lines[i].offset + offset);
        for (const event_row* event = events; added && event != events + count; ++event) {
          const plane_text::operation& what = style->text->prepare(event->metadata_id);
          if (what.left_out) continue;
          const auto duration_ps = static_cast<std::uint64_t>(event->duration_ps);
          const placed_event placed{static_cast<std::int64_t>(base_ps + static_cast<std::uint64_t>(event->offset_ps)),
                                    static_cast<std::int64_t>(std::max<std::uint64_t>(duration_ps, 1)),
                                    event->metadata_id,
                                    event->stats,
                                    event->stats_bytes,
                                    track_event_kind::span};
          added = rows.add(style, {placed, &what, tid, false});
          ++job.outcome.events;
        }
        return added.ok();
      });
      if (!added) return added;
      if (job.outcome.events != before) ++job.outcome.tracks;
      if (end.damaged) job.damage.note_line(file, plane, plane.lines[i], end.damage_offset, bad_event);
    }
  }
  if (result<void> flushed = rows.flush(); !flushed) return flushed;
  return job.into.write("{}]}");
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
