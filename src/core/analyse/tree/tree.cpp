// The raw tree: files, planes, lines, events and stats in the order they lie in.
#include <trace/filters/select.hpp>
#include <trace/stats.hpp>
#include <analyse/tree/tree_parts.hpp>
#include <base/contained.hpp>
#include <base/progress.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class tree_walk {
 public:
  tree_walk(const profile& p, tree_visitor& visitor, const query_filters& o, const selection& selected,
            const hooks& host)
      : profile_(p),
        visitor_(visitor),
        options_(o),
        selected_(selected),
        damage_(p, selected),
        host_(host),
        meter_(host) {}

  result<void> run() {
    for (std::size_t file = 0; file < profile_.file_count(); ++file) {
      const auto walk_other = walks_of(profile_.what().files[file]).tree;
      if (!selected_.file(file) || (selected_.other_file(file) && walk_other == nullptr)) continue;
      visitor_.begin_file(static_cast<std::uint32_t>(file), file_header(profile_, file));
      if (walk_other != nullptr)
        if (result<void> walked = walk_other(profile_, file, visitor_, options_, selected_, damage_, host_); !walked)
          return walked;
      for (std::size_t plane = 0; plane < profile_.xspace(file)->planes.size(); ++plane)
        if (result<void> walked = walk_plane(file, plane); !walked) return walked;
      visitor_.end_file(damage_.of(file));
    }
    return {};
  }

 private:
  result<void> walk_plane(std::size_t file, std::size_t plane_at) {
    const plane_index& plane = profile_.xspace(file)->planes[plane_at];
    if (!selected_.plane(plane)) return {};
    visitor_.begin_plane(tree_plane_of(profile_, file, plane_at));
    const event_filter filter = selected_.events_of(file, plane_at);
    std::uint64_t fitting = 0, shown = 0;
    for (std::size_t line = 0; line < plane.lines.size(); ++line) {
      if (!selected_.line(plane.lines[line])) continue;
      ++fitting;
      if (options_.limit != 0 && shown == options_.limit) continue;
      ++shown;
      if (result<void> walked = walk_line(file, plane, line, filter); !walked) return walked;
    }
    visitor_.end_plane(fitting - shown);
    return {};
  }

  result<void> walk_line(std::size_t file, const plane_index& plane, std::size_t line_at, const event_filter& filter) {
    const line_index& line = plane.lines[line_at];
    tree_line entry;
    entry.line = static_cast<std::int32_t>(line_at);
    entry.header = complete_header(line);
    entry.kind = line.kind;
    entry.events = entry.header.event_count;
    visitor_.begin_line(entry);

    const line_clock clock(profile_, file, line, entry.header);
    const std::uint64_t limit = options_.limit == 0 ? ~std::uint64_t{0} : options_.limit;
    std::uint64_t fitting = 0, shown = 0;
    // Without an event filter the header says how many events there are: those beyond the limit need no look.
    const bool stop_at_limit = filter.keeps_all();
    const auto events = message_range<event_view, 4>(line.body);
    auto at = events.begin();
    for (; !at.done() && !(stop_at_limit && shown == limit); ++at) {
      const event_view event = *at;
      const event_row row = row_of(event);
      const std::optional<std::int64_t> start = clock.start_of(row);
      if (!event.ok())
        damage_.note_line(file, plane, line, offset_in(line.body, event.bytes().data()), "an event is damaged");
      if (row.duration_ps < 0) damage_.note_line(file, plane, line, 0, negative_durations(1));
      if (!start && clock.base_ps() && (row.flags & event_has_occurrences) == 0)
        damage_.note_line(file, plane, line, 0, event_out_of_reach);
      if (!filter.keeps(row, start)) continue;
      ++fitting;
      if (shown == limit) continue;
      ++shown;
      show(file, plane, line, event, start);
      if (result<void> going = meter_.step(offset_in(profile_.bytes(file), event.bytes().data())); !going) return going;
    }
    if (!at.ok())
      damage_.note_line(file, plane, line, offset_in(line.body, at.position()), bad_event);
    visitor_.end_line((stop_at_limit ? entry.events : fitting) - shown);
    return {};
  }

  void show(std::size_t file, const plane_index& plane, const line_index& line, const event_view& event,
            std::optional<std::int64_t> start) {
    tree_event shown;
    shown.metadata_id = event.metadata_id();
    if (const metadata_entry entry = plane.event_metadata.find(event.metadata_id())) {
      const event_metadata_view metadata(entry.bytes);
      shown.name = metadata.name();
      shown.display_name = metadata.display_name();
    }
    shown.raw = event;
    shown.duration_ps = event.duration_ps();
    shown.start_ps = start;
    bool sound = true;
    auto at = event.stats().begin();
    for (; !at.done(); ++at, ++shown.stat_count) {
      const stat_view stat = *at;
      sound = stat.ok() && sound;
      if (options_.limit == 0 || shown.stats.size() < options_.limit)
        shown.stats.push_back(name_stat(plane, stat, named_stat::origin::event));
    }
    if (!sound || !at.ok())
      damage_.note_line(file, plane, line, offset_in(line.body, event.bytes().data()), "a stat of an event is damaged");
    visitor_.event(shown);
  }

  static event_row row_of(const event_view& event) noexcept {
    event_row row{};
    row.metadata_id = event.metadata_id();
    row.offset_ps = event.offset_ps();
    row.duration_ps = event.duration_ps();
    row.num_occurrences = event.num_occurrences();
    if (event.data_case() == event_data_case::offset_ps) row.flags = event_has_offset;
    if (event.data_case() == event_data_case::num_occurrences) row.flags = event_has_occurrences;
    return row;
  }

  const profile& profile_;
  tree_visitor& visitor_;
  const query_filters& options_;
  const selection& selected_;
  damage_list damage_;
  const hooks& host_;
  progress_meter meter_;
};

}  // namespace

file_walks walks_of(const capture_file& file) noexcept {
  if (file.export_of >= 0) return {};
  switch (content_of(file.family)) {
    case file_content::trace_events: return {walk_trace_tree, walk_trace_metadata};
    case file_content::kernel_table:
    case file_content::totals_table: return {walk_table_tree, walk_table_metadata};
    case file_content::recording: return {walk_recorded_tree, walk_recorded_metadata};
    case file_content::settings: return {nullptr, walk_settings_metadata};
    default: return {};
  }
}

tree_plane tree_plane_of(const profile& p, std::size_t file, std::size_t plane_at) {
  const plane_index& plane = p.xspace(file)->planes[plane_at];
  tree_plane entry;
  entry.file = static_cast<std::uint32_t>(file);
  entry.plane = static_cast<std::int32_t>(plane_at);
  entry.id = plane.id;
  entry.name = plane.name;
  entry.kind = plane.kind;
  entry.lines = plane.lines.size();
  entry.event_metadata = count_event_metadata(plane);
  entry.stat_metadata = count_stat_metadata(plane);
  entry.stats = plane_stats(plane);
  return entry;
}

std::string why_no_planes(const profile& p) {
  const std::vector<capture_file>& files = p.what().files;
  if (p.is_any_xspace()) return "no XSpace plane in this part of the capture";
  if (std::any_of(files.begin(), files.end(), [](const capture_file& f) { return walks_of(f).tree != nullptr; }))
    return "no event and no row in this part of the capture";
  if (const char* const why = why_unread(files)) return why;
  return "planes, lines and events are in an XSpace, a trace or Ascend tables; there are none here";
}

result<void> walk_tree(const trace& t, tree_visitor& visitor, const query_filters& o, const hooks& host) {
  return contained([&]() -> result<void> {
    result<selection> selected = selection::make(t, o, host);
    if (!selected) return std::move(selected).error();
    return tree_walk(t.files(), visitor, o, *selected, host).run();
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
