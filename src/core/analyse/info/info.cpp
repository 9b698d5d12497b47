// The inventory of a capture: one scan of every event, nothing kept but counts and times.
#include <analyse/info/chrome_inventory.hpp>
#include <analyse/modules/hlo_parts.hpp>
#include <analyse/info/line_counter.hpp>
#include <analyse/questions.hpp>
#include <trace/filters/select.hpp>
#include <trace/stats.hpp>
#include <analyse/info/trace_extent.hpp>
#include <base/affix.hpp>
#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <base/merged_losses.hpp>
#include <base/paths.hpp>
#include <formats/ascend/settings_index.hpp>
#include <profkit/core/activity.hpp>
#include <trace/line_scan.hpp>

#include <algorithm>
#include <memory>
#include <optional>
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
  line_end end;
  // Of a line in memory with events out of reach: the range of the others.
  bool out_of_reach = false;
  std::optional<std::int64_t> first_ps, last_ps;
};

class counting_reader : public line_reader {
 public:
  explicit counting_reader(counted_line& into) : into_(into) {}
  void take(const line_rows& rows) override { count(rows); }
  bool end(const line_end& end) override {
    into_.end = end;
    return false;
  }

 protected:
  void count(const line_rows& rows) {
    const char* const damage = into_.counted.add(rows.rows, rows.count, rows.readable_end);
    if (damage == nullptr || into_.bad_stat) return;
    into_.bad_stat = true;
    into_.bad_stat_offset = rows.offset_in_line(damage);
  }
  counted_line& into_;
};

// Of a file that is streamed, before it is known which lines are wanted.
class streamed_counts final : public line_pass {
 public:
  bool wants(const line_place&) override { return true; }
  std::unique_ptr<line_reader> begin(const line_place& place, std::uint64_t) override {
    return std::make_unique<counting_reader>(lines.add(place));
  }
  by_line<counted_line> lines;
};

// Where a line in memory lies, and which of its events count.
struct placed_line {
  const profile& p;
  const line_place place;
  const line_index& line;
  const event_filter& filter;

  // Brings those that count to the front.
  [[nodiscard]] line_rows wanted(line_rows rows, const line_clock& clock) const {
    if (filter.keeps_all()) return rows;
    const auto unwanted = [&](const event_row& row) { return !filter.keeps(row, clock.start_of(row)); };
    rows.count = static_cast<std::size_t>(std::remove_if(rows.rows, rows.rows + rows.count, unwanted) - rows.rows);
    return rows;
  }
};

class counting_reader_in_memory final : public counting_reader {
 public:
  counting_reader_in_memory(const placed_line& at, counted_line& into) : counting_reader(into), at_(at) {
    if (!at.filter.keeps_all()) clock_.emplace(at.p, at.place.file, at.line, complete_header(at.line));
  }
  [[nodiscard]] bool changes_rows() const noexcept override { return clock_.has_value(); }
  void take(const line_rows& rows) override { count(clock_ ? at_.wanted(rows, *clock_) : rows); }
  // Whether something lies out of reach is known only now: then the line is read again.
  bool end(const line_end& end) override {
    into_.end = end;
    const line_clock clock(at_.p, at_.place.file, at_.line, *end.header);
    into_.out_of_reach = into_.counted.has_placed() && !into_.counted.span_from(clock.base_ps());
    return into_.out_of_reach;
  }

 private:
  const placed_line at_;
  std::optional<line_clock> clock_;
};

// Which events of a line lie within reach, and whether any does not.
class reach_reader final : public line_reader {
 public:
  reach_reader(const placed_line& at, counted_line& into)
      : at_(at), clock_(at.p, at.place.file, at.line, *into.end.header), into_(into) {
    into_.out_of_reach = false;
  }
  [[nodiscard]] bool changes_rows() const noexcept override { return !at_.filter.keeps_all(); }
  void take(const line_rows& rows) override {
    const line_rows wanted = at_.wanted(rows, clock_);
    for (const event_row* event = wanted.rows; event != wanted.rows + wanted.count; ++event) {
      if ((event->flags & event_has_offset) == 0) continue;
      const std::optional<std::int64_t> start = clock_.start_of(*event);
      if (start)
        widen(into_.first_ps, into_.last_ps, *start, *start + std::max<std::int64_t>(event->duration_ps, 0));
      else
        into_.out_of_reach = true;
    }
  }
  bool end(const line_end&) override { return false; }

 private:
  const placed_line at_;
  const line_clock clock_;
  counted_line& into_;
};

class count_pass final : public line_pass {
 public:
  count_pass(const profile& p, const selection& selected, const by_line<counted_line>& streamed)
      : profile_(p), selected_(selected), streamed_(streamed), filters_(selected) {}
  bool wants(const line_place& place) override {
    if (!selected_.file(place.file) || !selected_.plane(plane_at(profile_, place)) ||
        !selected_.line(line_at(profile_, place)) || streamed_.find(place) != nullptr)
      return false;
    filters_.add(place);
    lines.add(place);
    return true;
  }
  std::unique_ptr<line_reader> begin(const line_place& place, std::uint64_t) override {
    counted_line& into = *lines.find(place);
    const placed_line at{profile_, place, line_at(profile_, place), filters_.of(place)};
    if (into.out_of_reach) return std::make_unique<reach_reader>(at, into);
    return std::make_unique<counting_reader_in_memory>(at, into);
  }
  by_line<counted_line> lines;

 private:
  const profile& profile_;
  const selection& selected_;
  const by_line<counted_line>& streamed_;
  plane_filters filters_;
};

class inventory final : public line_question {
 public:
  inventory(const trace& t, const query_filters& o, const hooks& host, info_result& into)
      : trace_(t), profile_(t.files()), options_(o), host_(host), found_(into) {}

  line_pass* first_pass() override { return filters_events(options_) ? nullptr : &streamed_; }

  [[nodiscard]] bool may_read_again() const override { return false; }

  result<void> prepare() override {
    auto selected = selection::make(trace_, options_, host_);
    if (!selected) return std::move(selected).error();
    selected_.emplace(std::move(*selected));
    damage_.emplace(profile_, *selected_, damage_list::needs::outline);
    lines_.emplace(profile_, *selected_, streamed_.lines);
    return {};
  }

  line_pass& pass() override { return *lines_; }

  result<void> finish() override {
    for (std::size_t file = 0; file < profile_.file_count(); ++file)
      if (selected_->file(file)) add_file(file);
    if (result<void> added = add_traces(); !added) return added;
    if (result<void> added = count_threads(); !added) return added;
    if (result<void> noted = note_activity(); !noted) return noted;
    note_unread();
    settle_damage();
    if (found_.files.empty()) found_.absent = why_nothing(profile_, options_);
    return {};
  }

 private:
  void add_file(std::size_t file) {
    const capture_file& entry = profile_.what().files[file];
    file_info& info = found_.files.emplace_back(file_header(profile_, file));
    damage_->note_file(file);
    if (content_of(entry.family) == file_content::module) look_into_module(file);
    const xspace_index* space = profile_.outline(file);
    for (const std::string& error : info.errors)
      note_incomplete(entry.path + (is_merged_loss(error) ? ": " : ": the recorder reported an error: ") + error);
    for (std::size_t plane = 0; plane < space->planes.size(); ++plane)
      if (selected_->plane(space->planes[plane])) add_plane(file, plane, info);
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
      if (!selected_->line(line)) continue;
      const line_place place{static_cast<std::uint32_t>(file), static_cast<std::int32_t>(plane),
                             static_cast<std::int32_t>(at)};
      info.lines.push_back(line_totals(place, index, line));
      const line_info& added = info.lines.back();
      if (added.first_ps) widen(into.first_ps, into.last_ps, *added.first_ps, *added.last_ps);
      ++found_.lines;
      found_.events += added.events;
      found_.event_stats += added.event_stats;
    }
    ++found_.planes;
    into.planes.push_back(std::move(info));
  }

  line_info line_totals(const line_place& at, const plane_index& plane, const line_index& line) {
    const counted_line* const streamed = streamed_.lines.find(at);
    const counted_line& found = streamed != nullptr ? *streamed : *lines_->lines.find(at);
    const line_header& header = found.end.header ? *found.end.header : line.header;
    line_info info;
    info.id = header.id;
    info.name = header.name.empty() ? header.display_name : header.name;
    info.kind = line.kind;
    info.timestamp_ns = header.timestamp_ns;
    info.events = found.counted.events();
    info.event_stats = found.counted.event_stats();
    info.duration_sum_ps = found.counted.duration_sum_ps();
    note_damage(at.file, plane, line, found);
    const auto span = found.counted.span_from(line_clock(profile_, at.file, line, header).base_ps());
    if (span) {
      widen(info.first_ps, info.last_ps, span->first_ps, span->last_ps);
    } else if (found.counted.has_placed()) {
      // It is not known which events of a streamed line lie out of reach.
      info.first_ps = found.first_ps;
      info.last_ps = found.last_ps;
      if (streamed != nullptr || found.out_of_reach) damage_->note_line(at.file, plane, line, 0, event_out_of_reach);
    }
    if (found.counted.sum_stopped()) damage_->note_line(at.file, plane, line, 0, sum_stops);
    return info;
  }

  void note_damage(std::size_t file, const plane_index& plane, const line_index& line, const counted_line& found) {
    if (found.bad_stat) damage_->note_line(file, plane, line, found.bad_stat_offset, bad_stat);
    damage_->note_events(file, plane, line, found.end, found.counted.negative_durations());
  }

  void look_into_module(std::size_t file) {
    const char* const damage = count_hlo_parts(profile_.bytes(file)).damage;
    if (damage != nullptr) damage_->note(file, offset_in(profile_.bytes(file), damage), "this is no whole HloProto");
  }

  void look_into_entries(std::size_t file, const plane_index& plane) {
    for (const std::string_view bytes : plane.event_metadata_entries) {
      const event_metadata_view entry(bytes);
      const auto stats = entry.stats();
      bool sound = true;
      auto at = stats.begin();
      for (; !at.done(); ++at) sound = (*at).ok() && sound;
      if (!sound || !at.ok())
        damage_->note(file, profile_.outline(file)->offset_of(bytes.data()),
                     "a stat of event metadata " + std::to_string(entry.key()) + " of plane '" +
                         std::string(plane.name) + "' is damaged");
    }
  }

  // Chrome JSON has processes and threads in place of planes and lines. Exports of an XSpace repeat its events:
  // only whether they are whole is said of them.
  result<void> add_traces() {
    for (file_info& info : found_.files) {
      if (content_of(info.family) != file_content::trace_events) continue;
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
      if (extent->damage && !damage_->has(info.file)) damage_->note(info.file, *extent->damage);
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
        if (result<void> filled = fill_tracks(profile_, info.file, threads); !filled) {
          const fault& why = filled.error();
          if (why.code == fault_code::cancelled || why.code == fault_code::out_of_memory) return filled;
          damage_->note(info.file, why);
        }
      }
      info.planes = threads.planes_of(info.file);
      found_.planes += info.planes.size();
      for (const plane_info& plane : info.planes) {
        found_.lines += plane.lines.size();
        for (const line_info& line : plane.lines) {
          found_.events += line.events;
          if (content_of(info.family) != file_content::trace_events && line.first_ps) {
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
      if (in.damage) damage_->note(in.file, *in.damage);
      info->begins_without_end = in.begins_without_end;
      info->begins_open = in.begins_open;
      info->ends_without_begin = in.ends_without_begin;
      for (const std::string& reason : in.incomplete) note_incomplete(in.path + ": " + reason);
    }
    return {};
  }

  // Whether a file is an XSpace in memory with streams of a GPU: what they lack, or cannot be, is reported there as of a trace.
  [[nodiscard]] bool runs_streams(std::uint32_t file) const {
    const xspace_index* const space = profile_.outline(file);
    return !profile_.is_streamed(file) && std::any_of(space->planes.begin(), space->planes.end(), [](const plane_index& plane) {
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
    if (const char* const why = why_only_listed())
      note_incomplete(why);
    else
      note_missing_timelines();
  }

  // A folder may hold nothing but databases, which are not read.
  [[nodiscard]] const char* why_only_listed() const {
    const char* why = nullptr;
    for (const file_info& file : found_.files) {
      if (has_timeline(file.family)) return nullptr;
      if (why == nullptr) why = why_not_read(file.family);
    }
    return why;
  }

  static bool has_timeline(file_family f) noexcept {
    const file_content held = content_of(f);
    return held == file_content::kernel_table || held == file_content::trace_events || held == file_content::recording;
  }

  // Ascend ranks whose recorder was asked for the device, and whose files have no timeline.
  void note_missing_timelines() {
    const std::vector<capture_file>& files = profile_.what().files;
    using rank_name = std::pair<std::string_view, std::string_view>;  // run and folder
    hash_set<rank_name> with_timeline;
    hash_map<rank_name, const char*> listed;  // why a file of the rank is not read
    for (const capture_file& file : files) {
      if (has_timeline(file.family)) with_timeline.insert({file.run, file.host});
      // analysis.db lies beside tables, too.
      const char* const why = last_part_of(file.path) != "analysis.db" ? why_not_read(file.family) : nullptr;
      if (why != nullptr) listed.emplace(rank_name(file.run, file.host), why);
    }
    for (std::size_t at = 0; at < files.size(); ++at) {
      const capture_file& file = files[at];
      const std::string_view name = last_part_of(file.path);
      if (file.run.empty() || !selected_->file(at) || !starts_with(name, "profiler_info")) continue;
      const rank_name rank{file.run, file.host};
      if (with_timeline.contains(rank) || !settings_ask_for_device(profile_, at)) continue;
      with_timeline.insert(rank);  // reported once
      const auto known = listed.find(rank);
      const std::string why =
          known != listed.end()
              ? known->second
              : "no timeline (kernel_details.csv, op_summary*.csv or trace_view.json), although " + std::string(name) +
                    " says that the device was traced: copy the whole folder, or parse it again";
      note_incomplete(std::string(folder_of(file.path)) + ": " + why);
    }
  }

  void note_incomplete(std::string reason) {
    found_.complete = false;
    found_.reasons.push_back(std::move(reason));
  }

  void settle_damage() {
    for (file_damage& damaged : damage_->take()) {
      note_incomplete(profile_.what().files[damaged.file].path + ": " + damaged.what.message);
      info_of(damaged.file)->damage = std::move(damaged.what);
    }
  }

  const trace& trace_;
  const profile& profile_;
  const query_filters options_;
  const hooks& host_;
  streamed_counts streamed_;
  std::optional<selection> selected_;
  std::optional<damage_list> damage_;
  std::optional<count_pass> lines_;
  info_result& found_;
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
  const xspace_index* const space = p.outline(file);
  info.hosts.assign(space->hostnames.begin(), space->hostnames.end());
  info.errors.assign(space->errors.begin(), space->errors.end());
  info.warnings.assign(space->warnings.begin(), space->warnings.end());
  if (info.hosts.empty() && !entry.host.empty()) info.hosts.push_back(entry.host);
  return info;
}

std::unique_ptr<line_question> info_question(const trace& t, const query_filters& o, const hooks& host, info_result& into) {
  return std::make_unique<inventory>(t, o, host, into);
}

result<info_result> analyse_info(const trace& t, const query_filters& o, const hooks& host) {
  return contained([&] { return answer_alone(info_question, t, o, host); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
