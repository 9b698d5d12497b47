// Trace JSON for people: everything that has a place in time, overlapping events on lanes of their own.
#include "chrome_slices.hpp"
#include "event_walk.hpp"
#include "json_text.hpp"
#include "lanes.hpp"
#include "parts.hpp"
#include "row_writer.hpp"
#include "track_lines.hpp"

#include "base/format.hpp"
#include "base/hash_map.hpp"
#include "base/json_writer.hpp"
#include "base/merged_losses.hpp"
#include "base/node_sections.hpp"
#include "base/unix_time.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint64_t lanes_in_sort_index = 1024;

class json_exporter final : file_writer {
 public:
  explicit json_exporter(const trace_job& job)
      : job_(job), rows_(job.into, job.o.host), several_files_(job.p.file_count() > 1), nodes_(count_nodes(job.p)) {}

  result<void> write() {
    std::string head = "{\"displayTimeUnit\":\"ns\",";
    if (const auto origin = job_.p.origin_unix_ns()) {
      head += "\"baseTimeNanoseconds\":";
      append_integer(head, *origin);
      head += ',';
    }
    if (nodes_ > 0) {
      head += '"';
      head.append(sections_key) += "\":" + std::to_string(nodes_) + ',';
    }
    std::vector<std::string> losses;
    for (std::size_t file = 0; file < job_.p.file_count(); ++file)
      if (job_.selected.file(file) && job_.p.what().files[file].export_of < 0)
        for (std::string& loss : losses_of_file(job_.p, file)) losses.push_back(std::move(loss));
    if (nodes_ == 0 && !losses.empty()) {
      append_losses(head, losses);
      head += ',';
    }
    head += "\"metadata\":{\"producer\":\"profkit\"},\"traceEvents\":[\n";
    if (result<void> written = job_.into.write(head); !written) return written;
    if (result<void> written = write_files(job_, *this); !written) return written;
    if (result<void> flushed = rows_.flush(); !flushed) return flushed;
    job_.outcome.flows += rows_.flows();
    job_.outcome.counters += rows_.counters();
    return job_.into.write("{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{}}\n]}\n");
  }

 private:
  result<void> write_xspace(std::size_t file) override {
    const xspace_index& space = *job_.p.xspace(file);
    progress_meter progress(job_.o.host, job_.p.bytes(file).size());
    for (const std::size_t at : planes_by_node(space)) {
      const plane_index& plane = space.planes[at];
      if (!job_.selected.plane(plane)) continue;
      const event_filter filter = job_.selected.events_of(file, at);
      std::shared_ptr<plane_style> style;
      std::uint32_t next_tid = static_cast<std::uint32_t>(plane.lines.size());
      for (std::size_t i = 0; i < plane.lines.size(); ++i) {
        const line_index& line = plane.lines[i];
        if (!job_.selected.line(line)) continue;
        const line_header header = complete_header(line);
        line_walk walk(job_.p, file, plane, line, header, filter, job_.damage, progress, losses_);
        lane_splitter lanes;
        std::vector<std::uint32_t> tids;
        const bool counter = line.kind == line_kind::counter;
        const auto use = [&](const placed_event* events, std::size_t count) -> result<void> {
          if (!style) {
            style = std::make_shared<plane_style>(plane, file, json_dialect::people);
            style->pid = ++processes_;
            if (result<void> begun = begin_section(file, &plane); !begun) return begun;
            if (result<void> named = name_process(process_name(job_.p, file, plane, several_files_)); !named)
              return named;
          }
          for (std::size_t e = 0; e < count; ++e) {
            const placed_event& event = events[e];
            const std::size_t place =
                counter ? 0 : lanes.place(event.start_ps, event.end_ps(), [](std::size_t, std::int64_t) {});
            const std::size_t lane = std::min(place, lane_splitter::max_lanes - 1);
            if (lane >= tids.size()) {
              tids.push_back(lane == 0 ? static_cast<std::uint32_t>(i + 1) : ++next_tid);
              if (!counter) ++(lane == 0 ? job_.outcome.tracks : job_.outcome.lanes);
              if (result<void> named = name_thread(tids.back(), lane_title(line_title(header), lane),
                                                   (i + 1) * lanes_in_sort_index + lane);
                  !named)
                return named;
            }
            const trace_row row{&style->text.prepare(event.metadata_id),
                                static_cast<std::uint64_t>(event.start_ps),
                                static_cast<std::uint64_t>(event.duration_ps),
                                event.stats,
                                event.stats_bytes,
                                tids[lane],
                                counter};
            if (result<void> added = rows_.add(style, row); !added) return added;
          }
          if (!counter) job_.outcome.events += count;
          return {};
        };
        if (result<void> walked = walk.in_time_order(use); !walked) return walked;
        job_.outcome.crowded += lanes.crowded();
      }
    }
    job_.outcome.aggregated_left_out += std::exchange(losses_.aggregated, 0);
    job_.outcome.out_of_reach += std::exchange(losses_.out_of_reach, 0);
    return {};
  }

  // Times become numbers on the capture's clock, texts become sound JSON; what is no slice keeps its place.
  result<void> write_chrome(std::size_t file) override {
    const query_filters& asked = job_.o.filters;
    result<chrome_slices> read = read_chrome_slices(
        job_.p, file, {asked.plane, asked.line, asked.name, asked.from_ps, asked.to_ps}, job_.o.host);
    if (!read) return std::move(read).error();
    if (read->damage) job_.damage.note(file, *read->damage);
    job_.outcome.out_of_reach += read->out_of_reach;
    const std::string_view bytes = job_.p.bytes(file);
    std::vector<std::uint64_t> pids(read->processes.size(), 0);
    std::vector<std::uint32_t> first_tids(read->threads.size(), 0);
    const auto open_process = [&](std::size_t process) -> result<void> {
      if (pids[process] != 0) return {};
      const chrome_process_entry& entry = read->processes[process];
      pids[process] = ++processes_;
      if (result<void> begun = begin_section(file, nullptr); !begun) return begun;
      const std::string name = entry.name.empty() ? "process " + entry.pid : entry.name;
      const std::string host = place_title(job_.p, file, several_files_);
      return name_process(host.empty() ? name : host + ": " + name);
    };
    for (std::size_t t = 0; t < read->threads.size(); ++t) {
      const chrome_thread& thread = read->threads[t];
      if (thread.slices.empty()) continue;
      if (result<void> opened = open_process(thread.process); !opened) return opened;
      const std::string title = thread.name.empty() ? "thread " + thread.tid : thread.name;
      lane_splitter lanes;
      std::vector<std::uint32_t> tids;
      std::string text;
      for (const chrome_slice& slice : thread.slices) {
        const std::size_t place =
            slice.instant ? 0
                          : lanes.place(slice.start_ps, slice.start_ps + slice.duration_ps,
                                        [](std::size_t, std::int64_t) {});
        const std::size_t lane = std::min(place, lane_splitter::max_lanes - 1);
        if (lane >= tids.size()) {
          tids.push_back(++chrome_tids_);
          if (lane == 0) first_tids[t] = tids.back();
          ++(lane == 0 ? job_.outcome.tracks : job_.outcome.lanes);
          append_thread_name(text, pids[thread.process], tids.back(), lane_title(title, lane),
                             order_of(thread, t) * lanes_in_sort_index + lane);
        }
        append_chrome_slice(text, slice, bytes.substr(slice.at, slice.size), pids[thread.process], tids[lane]);
        ++job_.outcome.events;
        if (text.size() >= text_bytes) {
          if (result<void> added = rows_.add_text(std::exchange(text, {})); !added) return added;
        }
      }
      job_.outcome.crowded += lanes.crowded();
      if (result<void> added = rows_.add_text(std::move(text)); !added) return added;
    }
    std::string text;
    for (const chrome_mark& mark : read->marks) {
      if (result<void> opened = open_process(mark.process); !opened) return opened;
      if (mark.phase != 'C' && first_tids[mark.thread] == 0) continue;  // a flow between slices that were not kept
      append_chrome_mark(text, mark, bytes.substr(mark.at, mark.size), pids[mark.process],
                         mark.phase == 'C' ? 0 : first_tids[mark.thread]);
      ++(mark.phase == 'C' ? job_.outcome.counters : job_.outcome.flows);
      if (text.size() >= text_bytes) {
        if (result<void> added = rows_.add_text(std::exchange(text, {})); !added) return added;
      }
    }
    return rows_.add_text(std::move(text));
  }

  result<void> write_own(std::size_t file) override {
    const auto read = track_lines::read(job_, file);
    if (!read) return read.error();
    std::string_view process;
    for (std::size_t at = 0; at < read->all().size(); ++at) {
      const track_lines::line& line = read->all()[at];
      if (at == 0 || line.process != process) {
        process = line.process;
        ++processes_;
        if (result<void> begun = begin_section(file, nullptr); !begun) return begun;
        if (result<void> named = name_process(process_name(job_.p, file, process, several_files_)); !named) return named;
      }
      lane_splitter lanes;
      std::vector<std::uint32_t> tids;
      std::string text;
      for (const recorded_value& value : line.values) {
        append_counter(text, value, line, processes_);
        ++job_.outcome.counters;
        if (text.size() >= text_bytes) {
          if (result<void> added = rows_.add_text(std::exchange(text, {})); !added) return added;
        }
      }
      for (const track_event& event : line.events) {
        const std::size_t place =
            lanes.place(event.start_ps, event.start_ps + event.duration_ps, [](std::size_t, std::int64_t) {});
        const std::size_t lane = std::min(place, lane_splitter::max_lanes - 1);
        if (lane >= tids.size()) {
          tids.push_back(++chrome_tids_);
          ++(lane == 0 ? job_.outcome.tracks : job_.outcome.lanes);
          append_thread_name(text, processes_, tids.back(), lane_title(std::string(line.title), lane),
                             at * lanes_in_sort_index + lane);
        }
        append_slice_head(text, false, event.start_ps, event.duration_ps, processes_, tids[lane]);
        text += ",\"name\":";
        append_json_string(text, read->text(event.name));
        text += "},\n";
        ++job_.outcome.events;
        if (text.size() >= text_bytes) {
          if (result<void> added = rows_.add_text(std::exchange(text, {})); !added) return added;
        }
      }
      job_.outcome.crowded += lanes.crowded();
      if (result<void> added = rows_.add_text(std::move(text)); !added) return added;
    }
    return {};
  }

  static void append_counter(std::string& out, const recorded_value& value, const track_lines::line& of, std::uint64_t pid) {
    out += "{\"ph\":\"C\",\"pid\":";
    append_integer(out, pid);
    out += ",\"ts\":";
    append_exact_microseconds(out, value.at_ps);
    out += ",\"name\":";
    append_json_string(out, of.title);
    out += ",\"args\":{";
    append_json_string(out, of.unit.empty() ? of.title : of.unit);
    out += ':';
    append_shortest(out, value.value);
    out += "}},\n";
  }

  // Threads that say where they belong come first.
  static std::uint64_t order_of(const chrome_thread& thread, std::size_t position) noexcept {
    constexpr std::int64_t max_index = std::int64_t{1} << 32;
    if (thread.sort_index && *thread.sort_index >= 0 && *thread.sort_index < max_index)
      return static_cast<std::uint64_t>(*thread.sort_index);
    return static_cast<std::uint64_t>(max_index) + position;
  }

  void append_chrome_slice(std::string& out, const chrome_slice& slice, std::string_view json, std::uint64_t pid,
                           std::uint32_t tid) {
    append_slice_head(out, slice.instant, slice.start_ps, slice.duration_ps, pid, tid);
    append_texts(out, json, false);
    out += "},\n";
  }

  static void append_slice_head(std::string& out, bool instant, std::int64_t start_ps, std::int64_t duration_ps,
                                std::uint64_t pid, std::uint32_t tid) {
    out += instant ? "{\"ph\":\"i\",\"s\":\"t\",\"pid\":" : "{\"ph\":\"X\",\"pid\":";
    append_integer(out, pid);
    out += ",\"tid\":";
    append_integer(out, std::uint64_t{tid});
    out += ",\"ts\":";
    append_exact_microseconds(out, start_ps);
    if (!instant) {
      out += ",\"dur\":";
      append_exact_microseconds(out, duration_ps);
    }
  }

  void append_chrome_mark(std::string& out, const chrome_mark& mark, std::string_view json, std::uint64_t pid,
                          std::uint32_t tid) {
    out += "{\"ph\":\"";
    out += mark.phase;
    out += mark.phase == 'f' ? "\",\"bp\":\"e\",\"pid\":" : "\",\"pid\":";
    append_integer(out, pid);
    if (tid != 0) {
      out += ",\"tid\":";
      append_integer(out, std::uint64_t{tid});
    }
    out += ",\"ts\":";
    append_exact_microseconds(out, mark.at_ps);
    append_texts(out, json, true);
    out += "},\n";
  }

  static void append_texts(std::string& out, std::string_view json, bool with_id) {
    for (const char* const key : {"cat", "name", "id", "args"}) {
      if (!with_id && key[0] == 'i') continue;
      const std::string_view raw = json_member(json, key);
      if (raw.empty()) continue;
      out += ",\"";
      out += key;
      out += "\":";
      append_sound_json(out, raw);
    }
  }

  // How many nodes the trace has, when all that has events is of one; 0 otherwise: it is not written by nodes then.
  static std::size_t count_nodes(const profile& p) {
    std::vector<std::int64_t> nodes;
    for (std::size_t file = 0; file < p.file_count(); ++file) {
      if (p.what().files[file].export_of >= 0) continue;
      if (!has_planes(p.what().files[file].family)) nodes.push_back(node_of_place(p, file, nullptr));
      for (const plane_index& plane : p.xspace(file)->planes)
        if (!plane.lines.empty()) nodes.push_back(node_of_place(p, file, &plane));
    }
    std::sort(nodes.begin(), nodes.end());
    if (nodes.empty() || nodes.front() < 0) return 0;
    return static_cast<std::size_t>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
  }

  // Those of a node together, nodes in the order of their first planes.
  static std::vector<std::size_t> planes_by_node(const xspace_index& space) {
    std::vector<std::pair<std::size_t, std::size_t>> order;
    hash_map<std::int64_t, std::size_t> places;
    for (std::size_t at = 0; at < space.planes.size(); ++at)
      order.emplace_back(places.try_emplace(node_of_host(space.planes[at]).value_or(-1), places.size()).first->second, at);
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> planes;
    for (const auto& [place, at] : order) planes.push_back(at);
    return planes;
  }

  result<void> begin_section(std::size_t file, const plane_index* plane) {
    if (nodes_ == 0) return {};
    const std::int64_t node = node_of_place(job_.p, file, plane);
    if (std::exchange(section_, node) == node) return {};
    const std::string host = plane == nullptr ? job_.p.what().files[file].host : std::string(hostname_of(*plane));
    std::string text(section_head);
    text += "{\"node\":";
    append_integer(text, node);
    text += ",\"hostname\":";
    append_json_string(text, host == name_of_node(node) ? std::string_view() : host);
    text += ",\"label\":";
    append_json_string(text, node_title(node, host));
    if (const auto origin = job_.p.origin_unix_ns()) {
      text.append(",\"").append(base_time_key).append("\":");
      append_integer(text, *origin);
    }
    if (const std::vector<std::string> losses = losses_of_section(losses_of_file(job_.p, file), node); !losses.empty()) {
      append_losses(text += ",\"header\":{", losses);
      text += '}';
    }
    text += ",\"processes\":[]}},\n";
    return rows_.add_text(std::move(text));
  }

  // Those of one node; of the first section also those of nodes that have none.
  std::vector<std::string> losses_of_section(const std::vector<std::string>& losses, std::int64_t node) {
    std::vector<std::string> found;
    const bool is_first = !std::exchange(has_sections_, true);
    for (const std::string& loss : losses) {
      const auto said = text_of_node(loss);
      const bool has_no_section = said && starts_with(said->second, trace_missing);
      if (!said || said->first == node || (is_first && has_no_section)) found.push_back(loss);
    }
    return found;
  }

  result<void> name_process(const std::string& name) {
    std::string text = "{\"ph\":\"M\",\"pid\":";
    append_integer(text, processes_);
    text += ",\"name\":\"process_name\",\"args\":{\"name\":";
    append_json_string(text, name);
    text += "}},\n{\"ph\":\"M\",\"pid\":";
    append_integer(text, processes_);
    text += ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":";
    append_integer(text, processes_);
    text += "}},\n";
    return rows_.add_text(std::move(text));
  }
  result<void> name_thread(std::uint32_t tid, const std::string& name, std::uint64_t sort_index) {
    std::string text;
    append_thread_name(text, processes_, tid, name, sort_index);
    return rows_.add_text(std::move(text));
  }
  static void append_thread_name(std::string& text, std::uint64_t pid, std::uint32_t tid, const std::string& name,
                                 std::uint64_t sort_index) {
    const auto append_head = [&](const char* what) {
      text += "{\"ph\":\"M\",\"pid\":";
      append_integer(text, pid);
      text += ",\"tid\":";
      append_integer(text, std::uint64_t{tid});
      text.append(",\"name\":\"").append(what).append("\",\"args\":{");
    };
    append_head("thread_name");
    text += "\"name\":";
    append_json_string(text, name);
    text += "}},\n";
    append_head("thread_sort_index");
    text += "\"sort_index\":";
    append_integer(text, sort_index);
    text += "}},\n";
  }

  static constexpr std::size_t text_bytes = std::size_t{1} << 20;

  const trace_job& job_;
  row_writer rows_;
  const bool several_files_;
  const std::size_t nodes_;     // whose events stand in sections of their own; 0: no sections
  std::int64_t section_ = -1;  // the node whose section is open
  bool has_sections_ = false;
  std::uint64_t processes_ = 0;
  std::uint32_t chrome_tids_ = 0;
  walk_losses losses_;
};

}  // namespace

result<void> write_trace_json(const trace_job& job) { return json_exporter(job).write(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
