// One row an event, as RFC 4180 has it.
#include "chrome_slices.hpp"
#include "event_walk.hpp"
#include "parts.hpp"
#include "plane_text.hpp"
#include "track_lines.hpp"

#include "base/format.hpp"
#include "export/csv_text.hpp"

#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t csv_flush_bytes = std::size_t{256} << 10;

class csv_exporter final : file_writer {
 public:
  explicit csv_exporter(const trace_job& job) : job_(job) {}

  result<void> write() {
    out_ = "file,host,plane,line,line_id,start_ps,duration_ps,name,stats\r\n";
    if (result<void> written = write_files(job_, *this); !written) return written;
    return flush();
  }

 private:
  result<void> flush() {
    result<void> written = job_.into.write(out_);
    out_.clear();
    return written;
  }

  std::string head_of(std::size_t file, std::string_view plane, std::string_view line, std::string_view line_id) {
    return head_of(file, host_of(job_.p, file), plane, line, line_id);
  }
  static std::string head_of(std::size_t file, const std::string& host, std::string_view plane, std::string_view line,
                             std::string_view line_id) {
    std::string head = std::to_string(file) + ',';
    append_csv_cell(head, host);
    head += ',';
    append_csv_cell(head, plane);
    head += ',';
    append_csv_cell(head, line);
    head += ',';
    append_csv_cell(head, line_id);
    head += ',';
    return head;
  }

  result<void> append_row(const std::string& head, std::int64_t start_ps, std::int64_t duration_ps,
                          std::string_view name, std::string_view stats) {
    out_ += head;
    append_integer(out_, start_ps);
    out_ += ',';
    append_integer(out_, duration_ps);
    out_ += ',';
    append_csv_cell(out_, name);
    out_ += ',';
    append_csv_cell(out_, stats);
    out_ += "\r\n";
    ++job_.outcome.events;
    return out_.size() < csv_flush_bytes ? result<void>() : flush();
  }

  result<void> write_xspace(std::size_t file) override {
    const xspace_index& space = *job_.p.xspace(file);
    progress_meter progress(job_.o.host, job_.p.bytes(file).size());
    std::string stats;
    for (std::size_t at = 0; at < space.planes.size(); ++at) {
      const plane_index& plane = space.planes[at];
      if (!job_.selected.plane(plane) || plane.lines.empty()) continue;
      const event_filter filter = job_.selected.events_of(file, at);
      plane_text text(plane, json_dialect::people);
      for (const line_index& line : plane.lines) {
        if (!job_.selected.line(line)) continue;
        const line_header header = complete_header(line);
        const std::string head = head_of(file, host_of(job_.p, file, plane), plane.name, line_title(header), std::to_string(header.id));
        line_walk walk(job_.p, file, plane, line, header, filter, job_.damage, progress, losses_);
        const std::uint64_t before = job_.outcome.events;
        const auto use = [&](const placed_event* events, std::size_t count) -> result<void> {
          for (std::size_t e = 0; e < count; ++e) {
            stats.clear();
            text.append_arguments(stats, text.prepare(events[e].metadata_id), events[e].all_stats());
            const std::string_view display = plane.event_display_name(events[e].metadata_id);
            result<void> added = append_row(head, events[e].start_ps, events[e].duration_ps,
                                            display.empty() ? plane.event_name(events[e].metadata_id) : display, stats);
            if (!added) return added;
          }
          return {};
        };
        if (result<void> walked = walk.in_time_order(use); !walked) return walked;
        if (job_.outcome.events != before) ++job_.outcome.tracks;
      }
    }
    job_.outcome.aggregated_left_out += std::exchange(losses_.aggregated, 0);
    job_.outcome.out_of_reach += std::exchange(losses_.out_of_reach, 0);
    return {};
  }

  result<void> write_chrome(std::size_t file) override {
    const query_filters& asked = job_.o.filters;
    result<chrome_slices> read = read_chrome_slices(
        job_.p, file, {asked.plane, asked.line, asked.name, asked.from_ps, asked.to_ps}, job_.o.host);
    if (!read) return std::move(read).error();
    if (read->damage) job_.damage.note(file, *read->damage);
    job_.outcome.out_of_reach += read->out_of_reach;
    const std::string_view bytes = job_.p.bytes(file);
    std::string stats, scratch;
    for (const chrome_thread& thread : read->threads) {
      if (thread.slices.empty()) continue;
      ++job_.outcome.tracks;
      const chrome_process_entry& process = read->processes[thread.process];
      const std::string head =
          head_of(file, process.name.empty() ? process.pid : process.name, thread.name, thread.tid);
      for (const chrome_slice& slice : thread.slices) {
        const std::string_view json = bytes.substr(slice.at, slice.size);
        stats.clear();
        const std::string_view args = json_member(json, "args");
        append_sound_json(stats, args.empty() ? std::string_view("{}") : args);
        result<void> added =
            append_row(head, slice.start_ps, slice.duration_ps, json_text(json_member(json, "name"), scratch), stats);
        if (!added) return added;
      }
    }
    return {};
  }

  result<void> write_own(std::size_t file) override {
    const auto read = track_lines::read(job_, file);
    if (!read) return read.error();
    for (const track_lines::line& line : read->all()) {
      ++job_.outcome.tracks;
      const std::string head = head_of(file, line.process, line.title, line.id);
      for (const recorded_value& value : line.values) {
        std::string stats = "{\"value\":";
        append_shortest(stats, value.value);
        stats += '}';
        if (result<void> added = append_row(head, value.at_ps, 0, line.title, stats); !added) return added;
      }
      for (const track_event& event : line.events)
        if (result<void> added = append_row(head, event.start_ps, event.duration_ps, read->text(event.name), "{}"); !added)
          return added;
    }
    return {};
  }

  const trace_job& job_;
  std::string out_;
  walk_losses losses_;
};

}  // namespace

result<void> write_events_csv(const trace_job& job) { return csv_exporter(job).write(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
