// What the hosts did: events on host planes by name, and the stats they carry, found out and not assumed.
#include <analyse/anatomy/host_span_names.hpp>
#include <analyse/anatomy/select.hpp>
#include <analyse/anatomy/stats.hpp>
#include <base/contained.hpp>
#include <base/id_table.hpp>
#include <base/progress.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class framework_finder {
 public:
  framework_finder(const trace& t, const anatomy_options& o, const selection& selected, const hooks& host)
      : trace_(t),
        profile_(t.files()),
        options_(o),
        selected_(selected),
        host_(host),
        damage_(profile_, selected, is_xspace),
        meter_(host) {}

  result<framework_result> run() {
    for (std::size_t file = 0; file < profile_.file_count(); ++file) {
      const xspace_index* space = selected_.file(file) ? profile_.xspace(file) : nullptr;
      if (space == nullptr) continue;
      for (std::size_t plane = 0; plane < space->planes.size(); ++plane) {
        if (space->planes[plane].kind != plane_kind::host) continue;
        any_host_plane_ = true;
        if (!selected_.plane(space->planes[plane])) continue;
        if (result<void> added = add_plane(file, plane); !added) return std::move(added).error();
      }
    }
    if (trace_.has_traces())
      if (result<void> added = add_traces(); !added) return std::move(added).error();
    finish();
    return std::move(found_);
  }

 private:
  struct event_total {
    std::uint64_t count = 0;
    std::int64_t total_ps = 0, max_ps = 0;
    bool met = false;  // aggregated events may count as none
  };
  struct stat_total {
    std::uint64_t count = 0;
    std::uint8_t kinds = 0;
  };

  result<void> add_traces() {
    auto read = trace_.all_activity(host_);
    if (!read) return std::move(read).error();
    damage_.note(**read, selected_);
    const std::uint64_t before = found_.matched;
    if (result<void> added = add_host_spans(profile_, *read, selected_, options_, host_, found_); !added) return added;
    if (const std::uint64_t spans = found_.matched - before; spans != 0) {
      stat_total& kinds = stats_[span_kind_stat];
      kinds.count += spans;
      kinds.kinds = static_cast<std::uint8_t>(kinds.kinds | 1U << static_cast<unsigned>(stat_kind::str_value));
    }
    any_host_plane_ = true;
    return {};
  }

  result<void> add_plane(std::size_t file, std::size_t plane_at) {
    const plane_index& plane = profile_.xspace(file)->planes[plane_at];
    const event_filter filter = selected_.events_of(file, plane_at);
    const char* const readable_end = end_of(profile_.bytes(file));
    id_table<event_total> events;
    id_table<stat_total> stats;
    for (std::size_t line = 0; line < plane.lines.size(); ++line) {
      const line_index& line_at = plane.lines[line];
      if (!selected_.line(line_at) || line_at.kind == line_kind::derived) continue;
      const line_clock clock(profile_, file, line_at, complete_header(line_at));
      for_each_event(line_at, file, plane, damage_, [&](const event_row& event) {
        if (!filter.keeps_all() && !filter.keeps(event, clock.start_of(event))) return true;
        ++found_.matched;
        event_total& total = events[event.metadata_id];
        total.met = true;
        total.count += (event.flags & event_has_occurrences) != 0
                           ? static_cast<std::uint64_t>(std::max<std::int64_t>(event.num_occurrences, 0))
                           : 1;
        total.total_ps = saturating_add(total.total_ps, event.duration_ps);
        total.max_ps = std::max(total.max_ps, event.duration_ps);
        for (const stat_view stat : message_range<stat_view, 4>({event.stats, event.stats_bytes}, readable_end)) {
          stat_total& seen = stats[stat.metadata_id()];
          ++seen.count;
          seen.kinds = static_cast<std::uint8_t>(seen.kinds | 1u << static_cast<unsigned>(stat.kind()));
        }
        if (options_.limit == 0 || found_.events.size() < options_.limit)
          sample(file, plane_at, line, event, clock.start_of(event));
        return true;
      });
      if (result<void> going = meter_.step(line_at.offset + line_at.body.size()); !going) return going;
    }
    add_names(file, plane_at, events);
    stats.for_each([&](std::int64_t id, const stat_total& seen) {
      if (seen.count == 0) return;
      stat_total& total = stats_[plane.stat_name(id)];
      total.count += seen.count;
      total.kinds = static_cast<std::uint8_t>(total.kinds | seen.kinds);
    });
    return {};
  }

  void sample(std::size_t file, std::size_t plane_at, std::size_t line, const event_row& event,
              std::optional<std::int64_t> start) {
    const plane_index& plane = profile_.xspace(file)->planes[plane_at];
    framework_event& row = found_.events.emplace_back();
    row.file = static_cast<std::uint32_t>(file);
    row.plane = static_cast<std::int32_t>(plane_at);
    row.line = static_cast<std::int32_t>(line);
    row.line_name = plane.lines[line].name();
    row.name = plane.event_name(event.metadata_id);
    row.start_ps = start;
    row.duration_ps = event.duration_ps;
    row.stats = name_stats(plane, stats_of(event), named_stat::origin::event);
    std::stable_sort(row.stats.begin(), row.stats.end(),
                 [](const named_stat& a, const named_stat& b) { return a.name < b.name; });
  }

  // Several ids can share a name: the name is what a person asks for.
  void add_names(std::size_t file, std::size_t plane_at, const id_table<event_total>& events) {
    const plane_index& plane = profile_.xspace(file)->planes[plane_at];
    std::map<std::string_view, event_total> by_name;
    events.for_each([&](std::int64_t id, const event_total& seen) {
      if (!seen.met) return;
      event_total& total = by_name[plane.event_name(id)];
      total.count += seen.count;
      total.total_ps = saturating_add(total.total_ps, seen.total_ps);
      total.max_ps = std::max(total.max_ps, seen.max_ps);
    });
    for (const auto& [name, total] : by_name) {
      framework_name row;
      row.file = static_cast<std::uint32_t>(file);
      row.plane = static_cast<std::int32_t>(plane_at);
      row.plane_name = plane.name;
      row.name = name;
      row.count = total.count;
      row.total_ps = total.total_ps;
      row.max_ps = total.max_ps;
      found_.names.push_back(row);
    }
  }

  void finish() {
    // Names of one plane stand in alphabetical order: ties keep file, plane, name.
    std::stable_sort(found_.names.begin(), found_.names.end(),
                 [](const framework_name& a, const framework_name& b) { return a.total_ps > b.total_ps; });
    for (const auto& [name, total] : stats_) found_.stats.push_back({name, total.count, total.kinds});
    if (found_.matched == 0)
      found_.absent =
          why_nothing_ran_or(profile_, options_, any_host_plane_ ? "no host recorded an event" : "no host plane");
    found_.damage = damage_.take();
  }

  const trace& trace_;
  const profile& profile_;
  const anatomy_options& options_;
  const selection& selected_;
  const hooks& host_;
  damage_list damage_;
  progress_meter meter_;
  framework_result found_;
  std::map<std::string_view, stat_total> stats_;
  bool any_host_plane_ = false;
};

}  // namespace

result<framework_result> anatomy_framework(const trace& t, const anatomy_options& o, const hooks& host) {
  return contained([&]() -> result<framework_result> {
    result<selection> selected = selection::make(t, o, host);
    if (!selected) return std::move(selected).error();
    return framework_finder(t, o, *selected, host).run();
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
