// XSpace and Chrome files as a Perfetto trace.
#include <profkit/core/perfetto_writer.hpp>

#include "chrome_slices.hpp"
#include "event_walk.hpp"
#include "flow_marks.hpp"
#include "lanes.hpp"
#include "machines.hpp"
#include "parts.hpp"
#include "track_lines.hpp"

#include "base/hash_map.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Without a known origin times count from the capture's zero; a little before it can happen (clocks were corrected,
// hosts started early), and times must not be negative: an hour of room.
constexpr std::uint64_t room_ns = std::uint64_t{3600} * 1000000000;

// The stats of one plane, by the id of their name.
class plane_names {
 public:
  explicit plane_names(const plane_index& plane) : plane_(plane) {}
  struct operation {
    std::string_view name, long_name;
    std::vector<stat_view> stats;
  };
  const operation& of(std::int64_t metadata_id) {
    const auto [at, is_new] = operations_.try_emplace(metadata_id);
    if (is_new) {
      at->second = std::make_unique<operation>();
      if (const metadata_entry found = plane_.event_metadata.find(metadata_id)) {
        const event_metadata_view entry(found.bytes);
        at->second->name = entry.display_name().empty() ? entry.name() : entry.display_name();
        if (!entry.display_name().empty()) at->second->long_name = entry.name();
        for (const stat_view stat : entry.stats()) at->second->stats.push_back(stat);
      }
    }
    return *at->second;
  }
  std::string_view stat(std::int64_t id) {
    const auto [at, is_new] = stats_.try_emplace(id);
    if (is_new) at->second = plane_.stat_name(id);
    return at->second;
  }

 private:
  const plane_index& plane_;
  hash_map<std::int64_t, std::unique_ptr<operation>> operations_;
  hash_map<std::int64_t, std::string_view> stats_;
};

bool is_numeric(const stat_view& stat) noexcept {
  return stat.kind() == stat_kind::double_value || stat.kind() == stat_kind::uint64_value ||
         stat.kind() == stat_kind::int64_value;
}

// Tracks and their events as processes, tracks and slices.
class track_writer final : public track_sink {
 public:
  track_writer(const trace_job& job, perfetto_writer& out) : job_(job), out_(out) {}

  string_id intern(std::string_view text) override {
    const auto [at, is_new] = ids_.try_emplace(std::string(text), static_cast<string_id>(texts_.size()));
    if (is_new) texts_.emplace_back(text);
    return at->second;
  }
  track_id add_track(const track& t) override {
    const auto [process, is_new] = processes_.try_emplace(t.plane_name, 0);
    const bool wanted = is_wanted(job_.o.filters.plane, t.plane_name) && is_wanted(job_.o.filters.line, t.line_name);
    tracks_.push_back({0, wanted});
    if (!wanted) return static_cast<track_id>(tracks_.size() - 1);
    if (process->second == 0) process->second = out_.add_process(texts_[t.plane_name]);
    tracks_.back().id = out_.add_track(process->second, texts_[t.line_name]);
    ++job_.outcome.tracks;
    return static_cast<track_id>(tracks_.size() - 1);
  }
  result<void> add_events(track_id on, const track_event* events, std::size_t count) override {
    if (!tracks_[on].wanted) return {};
    for (std::size_t i = 0; i < count; ++i) {
      const track_event& event = events[i];
      if (!is_wanted(job_.o.filters.name, event.name)) continue;
      ++job_.outcome.events;
      out_.begin_slice(tracks_[on].id, event.start_ps, texts_[event.name]);
      out_.end_slice(tracks_[on].id, event.start_ps + event.duration_ps);
    }
    return {};
  }

 private:
  struct known_track {
    std::uint64_t id;
    bool wanted;
  };
  [[nodiscard]] bool is_wanted(const std::string& part, string_id name) const noexcept {
    return part.empty() || texts_[name].find(part) != std::string::npos;
  }
  const trace_job& job_;
  perfetto_writer& out_;
  std::vector<std::string> texts_{std::string()};
  hash_map<std::string, string_id> ids_{{std::string(), 0}};
  hash_map<string_id, std::uint64_t> processes_;
  std::vector<known_track> tracks_;
};

class perfetto_exporter final : file_writer {
 public:
  explicit perfetto_exporter(const trace_job& job)
      : job_(job),
        out_(job.into, base_of(job.p), has_unix_times(job.p) ? perfetto_writer::base::unix_time : perfetto_writer::base::unknown),
        machines_(job.p),
        several_files_(job.p.file_count() > 1) {}

  result<void> write() {
    write_losses();
    if (result<void> written = write_files(job_, *this); !written) return written;
    if (job_.o.waits)
      if (result<void> written = write_waits(job_, machines_, out_); !written) return written;
    return out_.finish();
  }

 private:
  static bool has_unix_times(const profile& p) noexcept { return p.origin_unix_ns().value_or(0) > 0; }
  static std::uint64_t base_of(const profile& p) noexcept {
    return has_unix_times(p) ? static_cast<std::uint64_t>(*p.origin_unix_ns()) : room_ns;
  }

  // What was lost before, as moments at zero on a track of their own: viewers show nothing else that a trace says of itself.
  void write_losses() {
    std::uint64_t track = 0;
    for (std::size_t file = 0; file < job_.p.file_count(); ++file) {
      if (!job_.selected.file(file) || job_.p.what().files[file].export_of >= 0) continue;
      for (const std::string& loss : losses_of_file(job_.p, file)) {
        if (track == 0) {
          out_.use_machine(machines_.of(file, find_plane(job_.p, static_cast<std::uint32_t>(file), 0)));
          track = out_.add_track(out_.add_process("incomplete"), "what was lost before");
        }
        out_.instant(track, 0, loss);
      }
    }
  }

  // Of files whose tracks have no overlaps: tracks and slices, no arguments.
  result<void> write_tracks(std::size_t file) override {
    out_.use_machine(machines_.of(file));
    track_writer writer(job_, out_);
    result<void> filled = fill_tracks(job_.p, file, writer);
    if (filled || filled.error().code != fault_code::damaged) return filled;
    return {};  // reported with the file's damage
  }

  result<void> write_xspace(std::size_t file) override {
    const xspace_index& space = *job_.p.xspace(file);
    progress_meter progress(job_.o.host, job_.p.bytes(file).size());
    for (std::size_t at = 0; at < space.planes.size(); ++at) {
      const plane_index& plane = space.planes[at];
      if (!job_.selected.plane(plane)) continue;
      out_.use_machine(machines_.of(file, &plane));
      const event_filter filter = job_.selected.events_of(file, at);
      plane_names names(plane);
      const flow_marks flows(plane, file);
      std::uint64_t process = 0;
      hash_map<std::string, std::uint64_t> counters;
      for (const line_index& line : plane.lines) {
        if (!job_.selected.line(line)) continue;
        const line_header header = complete_header(line);
        line_walk walk(job_.p, file, plane, line, header, filter, job_.damage, progress, losses_);
        const bool counter = line.kind == line_kind::counter;
        lane_splitter lanes;
        std::vector<std::uint64_t> tracks;
        const auto closed = [&](std::size_t lane, std::int64_t end_ps) { out_.end_slice(tracks[lane], end_ps); };
        const auto use = [&](const placed_event* events, std::size_t count) -> result<void> {
          if (process == 0) process = out_.add_process(process_name(job_.p, file, plane, several_files_));
          for (std::size_t e = 0; e < count; ++e) {
            const placed_event& event = events[e];
            const plane_names::operation& what = names.of(event.metadata_id);
            if (counter) {
              write_counters(process, counters, names, event, what.name);
              continue;
            }
            const std::size_t place = lanes.place(event.start_ps, event.end_ps(), closed);
            const std::size_t lane = std::min(place, lane_splitter::max_lanes - 1);
            if (lane >= tracks.size()) {
              tracks.push_back(out_.add_track(process, lane_title(line_title(header), lane)));
              ++(lane == 0 ? job_.outcome.tracks : job_.outcome.lanes);
            }
            ++job_.outcome.events;
            if (place == lane_splitter::max_lanes) {
              out_.instant(tracks[lane], event.start_ps, what.name);
              out_.add_argument("duration_ps", event.duration_ps);
            } else {
              out_.begin_slice(tracks[lane], event.start_ps, what.name);
            }
            if (!what.long_name.empty()) out_.add_argument("long_name", what.long_name, true);
            for (const stat_view stat : what.stats) add_argument(plane, names, stat, true);
            flows.for_each(event.all_stats(), [&](std::uint64_t id, flow_end) {
              out_.add_flow(id);
              ++job_.outcome.flows;
            });
            for (const stat_view stat : event.all_stats()) add_argument(plane, names, stat, false);
          }
          return out_.failed() != nullptr ? result<void>(*out_.failed()) : result<void>();
        };
        if (result<void> walked = walk.in_time_order(use); !walked) return walked;
        lanes.close(closed);
        job_.outcome.crowded += lanes.crowded();
      }
    }
    job_.outcome.aggregated_left_out += std::exchange(losses_.aggregated, 0);
    job_.outcome.out_of_reach += std::exchange(losses_.out_of_reach, 0);
    return {};
  }

  void add_argument(const plane_index& plane, plane_names& names, const stat_view& stat, bool shared) {
    const std::string_view name = names.stat(stat.metadata_id());
    switch (stat.kind()) {
      case stat_kind::none: break;
      case stat_kind::double_value: out_.add_argument(name, stat.as_double()); break;
      case stat_kind::uint64_value: out_.add_argument(name, stat.as_uint64()); break;
      case stat_kind::int64_value: out_.add_argument(name, stat.as_int64()); break;
      case stat_kind::str_value: out_.add_argument(name, stat.as_bytes(), shared); break;
      case stat_kind::bytes_value:
        out_.add_argument(name, '<' + std::to_string(stat.as_bytes().size()) + " bytes>", shared);
        break;
      case stat_kind::ref_value: out_.add_argument(name, plane.stat_name(stat.as_ref()), true); break;
    }
  }

  // Every number among an event's stats is a value of the curve "event stat".
  void write_counters(std::uint64_t process, hash_map<std::string, std::uint64_t>& counters, plane_names& names,
                      const placed_event& event, std::string_view of) {
    for (const stat_view stat : event.all_stats()) {
      if (!is_numeric(stat)) continue;
      std::string title(of);
      title.append(title.empty() ? "" : " ").append(names.stat(stat.metadata_id()));
      const auto [at, is_new] = counters.try_emplace(std::move(title), 0);
      if (is_new) at->second = out_.add_counter(process, at->first);
      if (stat.kind() == stat_kind::double_value)
        out_.set_counter(at->second, event.start_ps, stat.as_double());
      else
        out_.set_counter(at->second, event.start_ps, stat.as_int64());
      ++job_.outcome.counters;
    }
  }

  result<void> write_chrome(std::size_t file) override {
    out_.use_machine(machines_.of(file));
    const query_filters& asked = job_.o.filters;
    result<chrome_slices> read = read_chrome_slices(
        job_.p, file, {asked.plane, asked.line, asked.name, asked.from_ps, asked.to_ps}, job_.o.host);
    if (!read) return std::move(read).error();
    if (read->damage) job_.damage.note(file, *read->damage);
    job_.outcome.out_of_reach += read->out_of_reach;
    const std::string_view bytes = job_.p.bytes(file);
    progress_meter progress(job_.o.host, bytes.size());
    // Flows are identified by the time and the thread of the slices they join.
    hash_map<std::size_t, std::vector<const chrome_mark*>> flows;
    for (const chrome_mark& mark : read->marks)
      if (mark.phase != 'C') flows[mark.thread].push_back(&mark);
    std::vector<std::uint64_t> processes(read->processes.size(), 0);
    const auto process_of = [&](std::size_t process) {
      if (processes[process] == 0) {
        const chrome_process_entry& entry = read->processes[process];
        const std::string name = entry.name.empty() ? "process " + entry.pid : entry.name;
        const std::string host = place_title(job_.p, file, several_files_);
        processes[process] = out_.add_process(host.empty() ? name : host + ": " + name);
      }
      return processes[process];
    };
    std::string scratch;
    for (std::size_t t = 0; t < read->threads.size(); ++t) {
      const chrome_thread& thread = read->threads[t];
      if (thread.slices.empty()) continue;
      const std::uint64_t process = process_of(thread.process);
      const std::string title = thread.name.empty() ? "thread " + thread.tid : thread.name;
      std::vector<const chrome_mark*>& marks = flows[t];
      std::stable_sort(marks.begin(), marks.end(),
                   [](const chrome_mark* a, const chrome_mark* b) { return a->at_ps < b->at_ps; });
      std::size_t next_mark = 0;
      lane_splitter lanes;
      std::vector<std::uint64_t> tracks;
      const auto closed = [&](std::size_t lane, std::int64_t end_ps) { out_.end_slice(tracks[lane], end_ps); };
      for (std::size_t i = 0; i < thread.slices.size(); ++i) {
        const chrome_slice& slice = thread.slices[i];
        if ((i & 1023) == 0) {
          if (result<void> step = progress.step(slice.at); !step) return step;
          if (out_.failed() != nullptr) return *out_.failed();
        }
        const std::size_t place =
            slice.instant ? 0 : lanes.place(slice.start_ps, slice.start_ps + slice.duration_ps, closed);
        const std::size_t lane = std::min(place, lane_splitter::max_lanes - 1);
        if (lane >= tracks.size()) {
          tracks.push_back(out_.add_track(process, lane_title(title, lane)));
          ++(lane == 0 ? job_.outcome.tracks : job_.outcome.lanes);
        }
        ++job_.outcome.events;
        const std::string_view json = bytes.substr(slice.at, slice.size);
        const std::string_view name = json_text(json_member(json, "name"), scratch);
        if (slice.instant || place == lane_splitter::max_lanes)
          out_.instant(tracks[lane], slice.start_ps, name);
        else
          out_.begin_slice(tracks[lane], slice.start_ps, name);
        if (place == lane_splitter::max_lanes) out_.add_argument("duration_ps", slice.duration_ps);
        add_chrome_arguments(json);
        // The last of the slices that start together is the innermost: flows belong to it, as in Chrome.
        const bool innermost = i + 1 == thread.slices.size() || thread.slices[i + 1].start_ps > slice.start_ps;
        while (next_mark < marks.size() && marks[next_mark]->at_ps < slice.start_ps) ++next_mark;
        for (; innermost && next_mark < marks.size() && marks[next_mark]->at_ps == slice.start_ps; ++next_mark) {
          out_.add_flow(flow_id(bytes.substr(marks[next_mark]->at, marks[next_mark]->size), file));
          ++job_.outcome.flows;
        }
      }
      lanes.close(closed);
      job_.outcome.crowded += lanes.crowded();
    }
    hash_map<std::string, std::uint64_t> counters;
    for (const chrome_mark& mark : read->marks) {
      if (mark.phase != 'C') continue;
      const std::string_view json = bytes.substr(mark.at, mark.size);
      const std::string name(json_text(json_member(json, "name"), scratch));
      const std::uint64_t process = process_of(mark.process);
      for (json_members values(json_member(json, "args")); values.next();) {
        const std::optional<double> number = number_of(values.value());
        if (!number) continue;
        const std::string title = name + ' ' + std::string(values.key());
        const auto [at, is_new] = counters.try_emplace(std::to_string(mark.process) + '\0' + title, 0);
        if (is_new) at->second = out_.add_counter(process, title);
        out_.set_counter(at->second, mark.at_ps, *number);
        ++job_.outcome.counters;
      }
    }
    return out_.failed() != nullptr ? result<void>(*out_.failed()) : result<void>();
  }

  result<void> write_own(std::size_t file) override {
    out_.use_machine(machines_.of(file));
    const auto read = track_lines::read(job_, file);
    if (!read) return read.error();
    std::string_view name;
    std::uint64_t process = 0;
    for (const track_lines::line& line : read->all()) {
      if (process == 0 || line.process != name) {
        name = line.process;
        process = out_.add_process(process_name(job_.p, file, name, several_files_));
      }
      lane_splitter lanes;
      std::vector<std::uint64_t> tracks;
      const auto closed = [&](std::size_t lane, std::int64_t end_ps) { out_.end_slice(tracks[lane], end_ps); };
      const std::uint64_t counter = line.values.empty() ? 0 : out_.add_counter(process, line.title, line.unit);
      for (const recorded_value& value : line.values) {
        out_.set_counter(counter, value.at_ps, value.value);
        ++job_.outcome.counters;
      }
      for (const track_event& event : line.events) {
        const std::size_t place = lanes.place(event.start_ps, event.start_ps + event.duration_ps, closed);
        const std::size_t lane = std::min(place, lane_splitter::max_lanes - 1);
        if (lane >= tracks.size()) {
          tracks.push_back(out_.add_track(process, lane_title(std::string(line.title), lane)));
          ++(lane == 0 ? job_.outcome.tracks : job_.outcome.lanes);
        }
        ++job_.outcome.events;
        if (place < lane_splitter::max_lanes) {
          out_.begin_slice(tracks[lane], event.start_ps, read->text(event.name));
        } else {
          out_.instant(tracks[lane], event.start_ps, read->text(event.name));
          out_.add_argument("duration_ps", event.duration_ps);
        }
      }
      lanes.close(closed);
      job_.outcome.crowded += lanes.crowded();
    }
    return out_.failed() != nullptr ? result<void>(*out_.failed()) : result<void>();
  }

  static std::optional<double> number_of(std::string_view raw) noexcept {
    double value = 0;
    const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
    return error == std::errc() && end == raw.data() + raw.size() ? std::optional<double>(value) : std::nullopt;
  }

  // Category, name and id name a flow; 64 bits of FNV-1a stand for them.
  static std::uint64_t flow_id(std::string_view json, std::size_t file) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325ULL ^ file;
    for (const char* const key : {"cat", "name", "id"}) {
      for (const char c : json_member(json, key)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
      hash = (hash ^ 0xff) * 0x100000001b3ULL;
    }
    return hash;
  }

  void add_chrome_arguments(std::string_view json) {
    std::string key_scratch, value_scratch;
    const std::string_view category = json_member(json, "cat");
    if (!category.empty()) out_.add_argument("cat", json_text(category, value_scratch), true);
    for (json_members members(json_member(json, "args")); members.next();) {
      const std::string_view raw = members.value();
      std::int64_t whole = 0;
      const std::string_view key = members.key();
      const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), whole);
      if (error == std::errc() && end == raw.data() + raw.size()) {
        out_.add_argument(key, whole);
      } else if (const std::optional<double> number = number_of(raw)) {
        out_.add_argument(key, *number);
      } else {
        out_.add_argument(key, json_text(raw, value_scratch));
      }
    }
  }

  const trace_job& job_;
  perfetto_writer out_;
  const machines machines_;
  const bool several_files_;
  walk_losses losses_;
};

}  // namespace

result<void> write_perfetto(const trace_job& job) { return perfetto_exporter(job).write(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
