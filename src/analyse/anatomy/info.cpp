// The inventory of a capture: one scan of every event, nothing kept but counts and times.
#include <analyse/anatomy/chrome_inventory.hpp>
#include <analyse/anatomy/hlo_parts.hpp>
#include <analyse/anatomy/line_counter.hpp>
#include <analyse/anatomy/select.hpp>
#include <analyse/anatomy/stats.hpp>
#include <analyse/anatomy/streamed.hpp>
#include <analyse/anatomy/trace_extent.hpp>
#include <base/affix.hpp>
#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <base/paths.hpp>
#include <base/progress.hpp>
#include <base/thread_pool.hpp>
#include <formats/ascend/settings_index.hpp>
#include <profkit/core/activity.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr const char* bad_stat = "a stat of an event is damaged";

void widen(std::optional<std::int64_t>& first, std::optional<std::int64_t>& last, std::int64_t from, std::int64_t to) {
  first = first ? std::min(*first, from) : from;
  last = last ? std::max(*last, to) : to;
}

// What the events of a line gave.
struct counted_line {
  line_counter counted;
  bool bad_stat = false;
  std::uint64_t bad_stat_offset = 0;  // in the line
  stream_line_end end;
};

class counting_visitor final : public stream_visitor {
 public:
  counting_visitor(std::uint32_t file, by_streamed_line<counted_line>& lines) : file_(file), lines_(lines) {}
  bool begin_line(stream_place place, std::uint64_t) override {
    line_ = &lines_.add(file_, place);
    return true;
  }
  void events(const stream_rows& rows) override {
    const char* const damage = line_->counted.add(rows.rows, rows.count, rows.readable_end);
    if (damage == nullptr || line_->bad_stat) return;
    line_->bad_stat = true;
    line_->bad_stat_offset = rows.offset_in_line(damage);
  }
  void end_line(const stream_line_end& end) override { line_->end = end; }

 private:
  std::uint32_t file_;
  by_streamed_line<counted_line>& lines_;
  counted_line* line_ = nullptr;
};

// A line in memory: where it is and, once it was read, what it gave.
struct line_in_memory {
  std::uint32_t file = 0;
  const plane_index* plane = nullptr;
  const line_index* line = nullptr;
  std::size_t filter = 0;  // which one
  counted_line found;
  line_header header;
  // What lies in reach of a line of which some does not.
  std::optional<std::int64_t> first_ps, last_ps;
  bool out_of_reach = false;
};

// Reads the lines of a profile that are in memory, on as many threads as there may be.
class line_reader {
 public:
  line_reader(const profile& p, const selection& selected, const by_streamed_line<counted_line>& streamed,
              const hooks& host)
      : profile_(p), host_(host), meter_(host, total_bytes(p)) {
    for (std::size_t file = 0; file < p.file_count(); ++file) {
      const xspace_index* const space = selected.file(file) ? p.outline(file) : nullptr;
      for (std::size_t plane = 0; space != nullptr && plane < space->planes.size(); ++plane) {
        const plane_index& index = space->planes[plane];
        if (!selected.plane(index)) continue;
        const std::size_t filter = filters_.size();
        filters_.push_back(selected.events_of(file, plane));
        for (std::size_t line = 0; line < index.lines.size(); ++line)
          if (selected.line(index.lines[line]) && streamed.find(file, plane, line) == nullptr) {
            line_in_memory& added = lines_.emplace_back();
            added.file = static_cast<std::uint32_t>(file);
            added.plane = &index;
            added.line = &index.lines[line];
            added.filter = filter;
          }
      }
    }
  }

  result<void> run() {
    // The longest lines first, so that threads end together.
    std::vector<std::uint32_t> order(lines_.size());
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      return lines_[a].line->body.size() > lines_[b].line->body.size();
    });
    return for_each_item(order.size(), host_, [&](std::size_t item) { return read(lines_[order[item]]); });
  }

  // In the order of file, plane and line.
  [[nodiscard]] const line_in_memory& next() noexcept { return lines_[next_++]; }

 private:
  static std::uint64_t total_bytes(const profile& p) noexcept {
    std::uint64_t total = 0;
    // Of a streamed file there is nothing left to read.
    for (std::size_t file = 0; file < p.file_count(); ++file) total += p.is_streamed(file) ? 0 : p.bytes(file).size();
    return total;
  }

  result<void> read(line_in_memory& into) {
    const event_filter& filter = filters_[into.filter];
    const std::string_view body = into.line->body;
    std::optional<line_clock> clock;
    if (!filter.keeps_all()) {
      into.header = complete_header(*into.line);
      clock.emplace(profile_, into.file, *into.line, into.header);
    }
    const char* const readable_end = end_of(profile_.bytes(into.file));
    counted_line& found = into.found;
    event_scanner scan(body);
    result<void> scanned = scan_batches(scan, meter_, [&](event_row* rows, std::size_t count) {
      if (clock) count = keep_wanted(rows, count, filter, *clock);
      const char* const damage = found.counted.add(rows, count, readable_end);
      if (damage == nullptr || found.bad_stat) return;
      found.bad_stat = true;
      found.bad_stat_offset = offset_in(body, damage);
    });
    if (!scanned) return scanned;
    found.end.damaged = !scan.ok();
    found.end.damage_offset = scan.offset();
    if (!clock) {
      into.header = scan.ok() ? scan.header() : complete_header(*into.line);
      clock.emplace(profile_, into.file, *into.line, into.header);
    }
    if (!found.counted.has_placed() || found.counted.span_from(clock->base_ps())) return {};
    // Not one by one yet which of them lie out of reach.
    event_scanner again(body);
    return scan_batches(again, meter_, [&](event_row* rows, std::size_t count) {
      if (!filter.keeps_all()) count = keep_wanted(rows, count, filter, *clock);
      for (const event_row* event = rows; event != rows + count; ++event) {
        if ((event->flags & event_has_offset) == 0) continue;
        const std::optional<std::int64_t> start = clock->start_of(*event);
        if (start)
          widen(into.first_ps, into.last_ps, *start, *start + std::max<std::int64_t>(event->duration_ps, 0));
        else
          into.out_of_reach = true;
      }
    });
  }

  static std::size_t keep_wanted(event_row* rows, std::size_t count, const event_filter& filter,
                                 const line_clock& clock) {
    const auto unwanted = [&](const event_row& row) { return !filter.keeps(row, clock.start_of(row)); };
    return static_cast<std::size_t>(std::remove_if(rows, rows + count, unwanted) - rows);
  }

  const profile& profile_;
  const hooks& host_;
  shared_meter meter_;
  std::vector<event_filter> filters_;  // of the planes
  std::vector<line_in_memory> lines_;
  std::size_t next_ = 0;
};

class inventory {
 public:
  inventory(const trace& t, const anatomy_options& o, const selection& selected,
            const by_streamed_line<counted_line>& streamed, const hooks& host)
      : trace_(t),
        profile_(t.files()),
        selected_(selected),
        streamed_(streamed),
        damage_(
            profile_, selected, [](file_family) noexcept { return true; }, damage_list::needs::outline),
        lines_(profile_, selected, streamed, host),
        options_(o),
        host_(host) {}

  result<info_result> run() {
    if (result<void> read = lines_.run(); !read) return std::move(read).error();
    for (std::size_t file = 0; file < profile_.file_count(); ++file) {
      if (!selected_.file(file)) continue;
      add_file(file);
    }
    if (result<void> added = add_traces(); !added) return std::move(added).error();
    if (result<void> added = count_threads(); !added) return std::move(added).error();
    if (result<void> noted = note_activity(); !noted) return std::move(noted).error();
    note_unread();
    settle_damage();
    return std::move(found_);
  }

 private:
  void add_file(std::size_t file) {
    const capture_file& entry = profile_.what().files[file];
    file_info& info = found_.files.emplace_back(file_header(profile_, file));
    if (entry.family == file_family::hlo_proto) look_into_module(file);
    const xspace_index* space = profile_.outline(file);
    if (space == nullptr) return;
    for (const std::string& error : info.errors)
      note_incomplete(entry.path + ": the recorder reported an error: " + error);
    for (std::size_t plane = 0; plane < space->planes.size(); ++plane)
      if (selected_.plane(space->planes[plane])) add_plane(file, plane, info);
  }

  void add_plane(std::size_t file, std::size_t plane, file_info& into) {
    const plane_index& index = profile_.outline(file)->planes[plane];
    plane_info info;
    info.id = index.id;
    info.name = index.name;
    info.kind = index.kind;
    info.stats = plane_stats(index);
    info.event_metadata = count_event_metadata(index);
    info.stat_metadata = count_stat_metadata(index);
    look_into_entries(file, index);
    for (std::size_t at = 0; at < index.lines.size(); ++at) {
      const line_index& line = index.lines[at];
      if (!selected_.line(line)) continue;
      const counted_line* const counted = streamed_.find(file, plane, at);
      info.lines.push_back(counted != nullptr ? line_totals(file, index, line, *counted) : line_totals(lines_.next()));
      const line_info& added = info.lines.back();
      if (added.first_ps) widen(into.first_ps, into.last_ps, *added.first_ps, *added.last_ps);
      ++found_.lines;
      found_.events += added.events;
      found_.event_stats += added.event_stats;
    }
    ++found_.planes;
    into.planes.push_back(std::move(info));
  }

  line_info line_totals(const line_in_memory& read) {
    line_info info = begin_info(*read.line, read.header);
    note_damage(read.file, *read.plane, *read.line, read.found);
    if (end_info(info, read.found.counted, line_clock(profile_, read.file, *read.line, read.header))) {
      note_sum(read.file, *read.plane, *read.line, read.found);
      return info;
    }
    info.first_ps = read.first_ps;
    info.last_ps = read.last_ps;
    if (read.out_of_reach) damage_.note_line(read.file, *read.plane, *read.line, 0, event_out_of_reach);
    note_sum(read.file, *read.plane, *read.line, read.found);
    return info;
  }

  // Of a line whose events went by. Of those that lie out of reach only that there are some is known.
  line_info line_totals(std::size_t file, const plane_index& plane, const line_index& line,
                        const counted_line& streamed) {
    line_info info = begin_info(line, line.header);
    note_damage(file, plane, line, streamed);
    if (!end_info(info, streamed.counted, line_clock(profile_, file, line, line.header)))
      damage_.note_line(file, plane, line, 0, event_out_of_reach);
    note_sum(file, plane, line, streamed);
    return info;
  }

  void note_sum(std::size_t file, const plane_index& plane, const line_index& line, const counted_line& found) {
    if (found.counted.sum_stopped()) damage_.note_line(file, plane, line, 0, sum_stops);
  }

  void note_damage(std::size_t file, const plane_index& plane, const line_index& line, const counted_line& found) {
    if (found.bad_stat) damage_.note_line(file, plane, line, found.bad_stat_offset, bad_stat);
    if (found.end.damaged) damage_.note_line(file, plane, line, found.end.damage_offset, bad_event);
    if (const std::uint64_t negative = found.counted.negative_durations(); negative != 0)
      damage_.note_line(file, plane, line, 0, negative_durations(negative));
  }

  static line_info begin_info(const line_index& line, const line_header& header) {
    line_info info;
    info.id = header.id;
    info.name = header.name.empty() ? header.display_name : header.name;
    info.kind = line.kind;
    info.timestamp_ns = header.timestamp_ns;
    return info;
  }

  // False when events lie out of reach.
  static bool end_info(line_info& info, const line_counter& counted, const line_clock& clock) {
    info.events = counted.events();
    info.event_stats = counted.event_stats();
    info.duration_sum_ps = counted.duration_sum_ps();
    const auto span = counted.span_from(clock.base_ps());
    if (span) widen(info.first_ps, info.last_ps, span->first_ps, span->last_ps);
    return span || !counted.has_placed();
  }

  void look_into_module(std::size_t file) {
    const char* const damage = count_hlo_parts(profile_.bytes(file)).damage;
    if (damage != nullptr) damage_.note(file, offset_in(profile_.bytes(file), damage), "this is no whole HloProto");
  }

  void look_into_entries(std::size_t file, const plane_index& plane) {
    for (const std::string_view bytes : plane.event_metadata_entries) {
      const event_metadata_view entry(bytes);
      const auto stats = entry.stats();
      bool sound = true;
      auto at = stats.begin();
      for (; !at.done(); ++at) sound = (*at).ok() && sound;
      if (!sound || !at.ok())
        damage_.note(file, profile_.outline(file)->offset_of(bytes.data()),
                     "a stat of event metadata " + std::to_string(entry.key()) + " of plane '" +
                         std::string(plane.name) + "' is damaged");
    }
  }

  // Chrome JSON has processes and threads in place of planes and lines. Exports of an XSpace repeat its events:
  // only whether they are whole is told of them.
  result<void> add_traces() {
    for (file_info& info : found_.files) {
      if (info.family != file_family::chrome_trace) continue;
      const result<trace_extent> extent = extent_of_trace(profile_, info.file, host_);
      if (!extent) return extent.error();
      const std::int64_t shift_ps = profile_.file_shift_ns(info.file) * ps_per_ns;
      if (extent->first_ps) info.first_ps = saturating_add(*extent->first_ps, shift_ps);
      if (extent->last_ps) info.last_ps = saturating_add(*extent->last_ps, shift_ps);
      if (extent->is_cut_by_exporter()) {
        info.events_at_cap = extent->events;
        note_incomplete(info.path + ": " + std::to_string(extent->events) +
                        " events, the exporter's limit: the end is missing, do not add it up");
      }
      if (extent->broken > 1)  // of one its damage says enough
        note_incomplete(info.path + ": " + std::to_string(extent->broken) + " places hold no trace event");
      if (extent->damage && !damage_.has(info.file)) damage_.note(info.file, *extent->damage);
    }
    return {};
  }

  // Files that are read into the timeline: their processes and devices are shown like planes.
  [[nodiscard]] bool has_threads(const file_info& file) const noexcept {
    const capture_file& listed = profile_.what().files[file.file];
    return is_trace(listed) && listed.export_of < 0;
  }

  result<void> count_threads() {
    if (std::none_of(found_.files.begin(), found_.files.end(), [this](const file_info& f) { return has_threads(f); }))
      return {};
    chrome_inventory threads(profile_, options_);
    std::vector<bool> is_counted(profile_.file_count());
    if (!filters_events(options_)) {
      const auto read = trace_.all_activity(host_);
      if (!read) return read.error();
      threads.add_counted(**read);
      for (const line_count& line : (*read)->lines()) is_counted[line.file] = true;
    }
    for (file_info& info : found_.files) {
      if (!has_threads(info)) continue;
      if (!is_counted[info.file]) {
        if (result<void> filled = fill_file_timeline(profile_, info.file, threads); !filled) {
          const fault& why = filled.error();
          if (why.code == fault_code::cancelled || why.code == fault_code::out_of_memory) return filled;
          damage_.note(info.file, why);
        }
      }
      info.planes = threads.planes_of(info.file);
      found_.planes += info.planes.size();
      for (const plane_info& plane : info.planes) {
        found_.lines += plane.lines.size();
        for (const line_info& line : plane.lines) {
          found_.events += line.events;
          if (info.family != file_family::chrome_trace && line.first_ps) {
            widen(info.first_ps, info.last_ps, *line.first_ps, *line.last_ps);
          }
        }
      }
    }
    found_.texts = threads.take_texts();
    return {};
  }

  // What analyses of kernels meet in these files is damage here, too: one capture has one verdict.
  result<void> note_activity() {
    if (std::none_of(found_.files.begin(), found_.files.end(), [this](const file_info& f) {
          return has_threads(f) || runs_streams(f.file);
        }))
      return {};
    const auto read = trace_.all_activity(host_);
    if (!read) return read.error();
    for (const activity_input& in : (*read)->inputs()) {
      file_info* const info = info_of(in.file);
      if (info == nullptr) continue;
      if (in.last_ps != no_time_ps && info->last_ps) info->last_ps = std::min(*info->last_ps, in.last_ps);
      if (in.damage) damage_.note(in.file, *in.damage);
      for (const std::string& reason : in.incomplete) note_incomplete(in.path + ": " + reason);
    }
    return {};
  }

  // Whether a file is an XSpace in memory with streams of a GPU: what they lack, or cannot be, is told there as of a trace.
  [[nodiscard]] bool runs_streams(std::uint32_t file) const {
    const xspace_index* const space = profile_.is_streamed(file) ? nullptr : profile_.outline(file);
    return space != nullptr && std::any_of(space->planes.begin(), space->planes.end(), [](const plane_index& plane) {
             return plane.kind == plane_kind::device &&
                    std::any_of(plane.lines.begin(), plane.lines.end(),
                                [](const line_index& line) { return line.kind == line_kind::stream; });
           });
  }

  file_info* info_of(std::uint32_t file) {
    const auto at = std::find_if(found_.files.begin(), found_.files.end(),
                                 [&](const file_info& info) { return info.file == file; });
    return at == found_.files.end() ? nullptr : &*at;
  }

  void note_unread() {
    for (const fault& each : profile_.what().unread)
      note_incomplete(each.path + ": " + each.message + "; " + each.hint);
    if (has_only_databases())
      note_incomplete(std::string(only_a_database));
    else
      note_missing_timelines();
  }

  // A folder may hold nothing but databases, which are not read.
  [[nodiscard]] bool has_only_databases() const {
    const auto any = [this](bool (*fits)(file_family)) {
      return std::any_of(found_.files.begin(), found_.files.end(),
                         [fits](const file_info& file) { return fits(file.family); });
    };
    return any([](file_family f) { return f == file_family::ascend_database; }) && !any(tells_when);
  }

  static bool tells_when(file_family f) noexcept {
    return f == file_family::ascend_kernels || f == file_family::chrome_trace || f == file_family::own;
  }

  // Ascend ranks whose recorder was asked for the device, and of which no file tells when it did what.
  void note_missing_timelines() {
    const std::vector<capture_file>& files = profile_.what().files;
    using rank_name = std::pair<std::string_view, std::string_view>;  // run and folder
    hash_set<rank_name> with_timeline, with_database;
    for (const capture_file& file : files) {
      if (tells_when(file.family)) with_timeline.insert({file.run, file.host});
      // analysis.db lies beside tables, too.
      if (file.family == file_family::ascend_database && last_part_of(file.path) != "analysis.db")
        with_database.insert({file.run, file.host});
    }
    for (std::size_t at = 0; at < files.size(); ++at) {
      const capture_file& file = files[at];
      const std::string_view name = last_part_of(file.path);
      if (file.run.empty() || !selected_.file(at) || !starts_with(name, "profiler_info")) continue;
      const rank_name rank{file.run, file.host};
      if (with_timeline.contains(rank) || !settings_ask_for_device(profile_, at)) continue;
      with_timeline.insert(rank);  // told once
      std::string why(only_a_database);
      if (!with_database.contains(rank))
        why = "no timeline (kernel_details.csv, op_summary*.csv or trace_view.json), although " + std::string(name) +
              " says that the device was traced: copy the whole folder, or parse it again";
      note_incomplete(std::string(folder_of(file.path)) + ": " + why);
    }
  }

  void note_incomplete(std::string reason) {
    found_.complete = false;
    found_.reasons.push_back(std::move(reason));
  }

  void settle_damage() {
    for (file_damage& damaged : damage_.take()) {
      note_incomplete(profile_.what().files[damaged.file].path + ": " + damaged.what.message);
      info_of(damaged.file)->damage = std::move(damaged.what);
    }
  }

  const trace& trace_;
  const profile& profile_;
  const selection& selected_;
  const by_streamed_line<counted_line>& streamed_;
  damage_list damage_;
  line_reader lines_;
  const anatomy_options& options_;
  const hooks& host_;
  info_result found_;
};

}  // namespace

file_info file_header(const profile& p, std::size_t file) {
  const capture_file& entry = p.what().files[file];
  file_info info;
  info.file = static_cast<std::uint32_t>(file);
  info.path = entry.path;
  info.family = entry.family;
  info.export_of = entry.export_of;
  info.bytes = p.file_bytes(file);
  info.origin_unix_ns = p.file_origin_unix_ns(file);
  info.aligned = info.origin_unix_ns.has_value();
  if (const xspace_index* space = p.outline(file)) {
    info.hosts.assign(space->hostnames.begin(), space->hostnames.end());
    info.errors.assign(space->errors.begin(), space->errors.end());
    info.warnings.assign(space->warnings.begin(), space->warnings.end());
  }
  if (info.hosts.empty() && !entry.host.empty()) info.hosts.push_back(entry.host);
  return info;
}

result<info_result> anatomy_info(const trace& t, const anatomy_options& o, const hooks& host) {
  return contained([&]() -> result<info_result> {
    const profile& p = t.files();
    by_streamed_line<counted_line> streamed;
    for (std::uint32_t file = 0; file < p.file_count() && !filters_events(o); ++file) {
      if (!p.is_streamed(file)) continue;
      counting_visitor visitor(file, streamed);
      if (result<void> passed = p.stream(file, visitor, host, false); !passed) return std::move(passed).error();
    }
    result<selection> selected = selection::make(t, o, host);
    if (!selected) return std::move(selected).error();
    result<info_result> found = inventory(t, o, *selected, streamed, host).run();
    if (found && found->files.empty()) found->absent = why_nothing(p, o);
    return found;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
