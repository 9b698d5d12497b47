// The tree of a Chrome trace: one pass over the file that keeps where the events of each line lie which are shown.
#include <analyse/tree/tree_parts.hpp>

#include <profkit/core/chrome.hpp>

#include <analyse/info/chrome_verdict.hpp>
#include <formats/chrome/chrome_tracks.hpp>
#include <formats/chrome/event_again.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// An event of the file that is shown.
struct shown_event {
  std::uint64_t offset = 0, bytes = 0;
  std::optional<std::int64_t> start_ps, duration_ps;
};
struct trace_line {
  std::uint64_t events = 0, fitting = 0;
  std::vector<shown_event> shown;
};

class tree_collector final : public chrome_visitor {
 public:
  tree_collector(const profile& p, std::size_t file, const query_filters& o, event_filter times)
      : options_(o), times_(std::move(times)), shift_ps_(checked_mul(p.file_shift_ns(file), ps_per_ns)) {}

  bool event(const chrome_event& e) override {
    verdict.look(e);
    std::uint32_t track = tracks.see(e);
    if (e.phase == 'M') return true;
    if (track == chrome_tracks::none) track = tracks.thread_beside(e);
    if (track >= lines.size()) lines.resize(track + std::size_t{1});
    trace_line& line = lines[track];
    ++line.events;
    const auto start_ps = e.ts_ps && shift_ps_ ? checked_add(*e.ts_ps, *shift_ps_) : std::nullopt;
    out_of_reach = out_of_reach || (e.ts_ps && !start_ps);
    if (!keeps(e, start_ps)) return true;
    ++line.fitting;
    if (options_.limit == 0 || line.shown.size() < options_.limit)
      line.shown.push_back({e.byte_offset, e.json.size(), start_ps, e.dur_ps});
    return true;
  }

  chrome_verdict verdict;
  chrome_tracks tracks;
  std::vector<trace_line> lines;  // by track
  bool out_of_reach = false;

 private:
  [[nodiscard]] bool keeps(const chrome_event& e, std::optional<std::int64_t> start_ps) const noexcept {
    if (!contains(e.name, options_.name)) return false;
    const std::int64_t length_ps = std::max<std::int64_t>(e.dur_ps.value_or(0), 0);
    return times_.keeps_time(start_ps, start_ps && checked_add(*start_ps, length_ps) ? length_ps : 0);
  }

  const query_filters& options_;
  event_filter times_;
  std::optional<std::int64_t> shift_ps_;  // nothing: the file's clock is out of reach
};

class tree_of_trace {
 public:
  tree_of_trace(std::string_view bytes, std::uint32_t file, const tree_collector& read, tree_visitor& visitor,
                const query_filters& o, const hooks& host)
      : bytes_(bytes), file_(file), read_(read), visitor_(visitor), options_(o), meter_(host) {}

  result<void> show() {
    std::vector<std::vector<std::uint32_t>> lines_of(read_.tracks.processes().size());
    for (std::uint32_t track = 0; track < read_.lines.size(); ++track)
      if (read_.lines[track].events != 0) lines_of[read_.tracks.track(track).process].push_back(track);
    std::vector<std::uint32_t> order(lines_of.size());
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    sort_by_position(order, [this](std::uint32_t process) { return read_.tracks.process(process).position; });
    for (const std::uint32_t process : order)
      if (!lines_of[process].empty())
        if (result<void> shown = show_process(process, lines_of[process]); !shown) return shown;
    return {};
  }

 private:
  // What has no position comes last.
  template <class Position>
  static void sort_by_position(std::vector<std::uint32_t>& list, Position&& of) {
    std::stable_sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
      return static_cast<std::uint32_t>(of(a)) < static_cast<std::uint32_t>(of(b));
    });
  }

  result<void> show_process(std::uint32_t at, std::vector<std::uint32_t>& tracks) {
    const chrome_trace_process& process = read_.tracks.process(at);
    const chrome_place any = read_.tracks.place_of(tracks.front());
    if (!process_fits(read_.tracks, at, options_.plane)) return {};
    tree_plane plane;
    plane.file = file_;
    plane.plane = process.position;
    plane.id = process.position;
    plane.name = any.plane_name;
    plane.kind = any.plane_type;
    plane.lines = tracks.size();
    plane.process.emplace();
    plane.process->pid = process.pid;
    plane.process->labels = process.labels;
    plane.process->sort_index = process.sort_index;
    visitor_.begin_plane(plane);
    sort_by_position(tracks, [this](std::uint32_t track) { return read_.tracks.track(track).position; });
    std::uint64_t fitting = 0, shown = 0;
    for (const std::uint32_t track : tracks) {
      if (!contains(read_.tracks.place_of(track).line_name, options_.line)) continue;
      ++fitting;
      if (options_.limit != 0 && shown == options_.limit) continue;
      ++shown;
      if (result<void> line = show_line(track); !line) return line;
    }
    visitor_.end_plane(fitting - shown);
    return {};
  }

  result<void> show_line(std::uint32_t at) {
    const chrome_track& track = read_.tracks.track(at);
    const chrome_place place = read_.tracks.place_of(at);
    const trace_line& line = read_.lines[at];
    tree_line entry;
    entry.line = place.line;
    entry.header.id = track.number.value_or(-1) >= 0 ? *track.number : place.line;
    entry.header.name = place.line_name;
    entry.header.event_count = line.events;
    entry.kind = place.line_type;
    entry.events = line.events;
    if (track.kind == chrome_track_kind::thread) entry.thread = {place.line, track.tid, place.line_name, track.sort_index};
    visitor_.begin_line(entry);
    for (const shown_event& event : line.shown) {
      show_event(event);
      if (result<void> going = meter_.step(event.offset); !going) return going;
    }
    visitor_.end_line(line.fitting - line.shown.size());
    return {};
  }

  void show_event(const shown_event& at) {
    chrome_event e;
    again_.read(bytes_.substr(at.offset, at.bytes), e);
    stats_.clear();
    tree_event shown;
    shown.has_metadata_id = false;
    shown.name = e.name;
    shown.start_ps = at.start_ps;
    shown.duration_ps = at.duration_ps;
    shown.category = e.cat;
    shown.phase = std::string_view(&e.phase, e.phase == 0 ? 0 : 1);
    shown.id = e.id;
    each_argument(e, [&](std::string_view key, std::string_view value) {
      if (options_.limit == 0 || shown.stat_count < options_.limit) shown.stats.push_back(stats_.of_member(key, value));
      ++shown.stat_count;
    });
    visitor_.event(shown);
  }

  std::string_view bytes_;
  std::uint32_t file_;
  const tree_collector& read_;
  tree_visitor& visitor_;
  const query_filters& options_;
  progress_meter meter_;
  event_again again_;
  json_stats stats_;
};

}  // namespace

bool process_fits(const chrome_tracks& tracks, std::uint32_t at, std::string_view wanted) {
  const chrome_trace_process& process = tracks.process(at);
  if (process.position < 0) return wanted.empty();
  return contains(process.name, wanted) || contains(process.labels, wanted) ||
         contains(process.name + ' ' + process.pid, wanted);
}

result<void> walk_trace_tree(const profile& p, std::size_t file, tree_visitor& visitor, const query_filters& o,
                             const selection& selected, damage_list& damage, const hooks& host) {
  const std::string_view bytes = p.bytes(file);
  const fault* const known = p.file_fault(file);
  if (bytes.empty() && known != nullptr) {
    damage.note(file, *known);
    return {};
  }
  chrome_options options;
  options.bounds = p.what().bounds;
  options.host = host;
  tree_collector read(p, file, o, selected.times_of(file, -1));
  result<chrome_summary> summary = read_chrome(bytes, read, options);
  if (!summary && summary.error().code == fault_code::cancelled) return summary.error();
  if (!summary) {
    damage.note(file, known != nullptr ? *known : summary.error());
    return {};
  }
  if (std::optional<fault> wrong = read.verdict.of(known, *summary)) damage.note(file, *std::move(wrong));
  if (read.out_of_reach) damage.note(file, chrome_out_of_reach(p.what().files[file].path));
  return tree_of_trace(bytes, static_cast<std::uint32_t>(file), read, visitor, o, host).show();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
