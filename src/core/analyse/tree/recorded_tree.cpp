// The tree and the metadata of files in a format of the host's own.
#include <analyse/tree/tree_parts.hpp>

#include <profkit/core/recording.hpp>
#include <profkit/core/track.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// The tracks of a plane: those of a device or of a process.
struct recorded_plane {
  tree_plane facts;
  std::vector<track_id> tracks;
};

class recorded_walk {
 public:
  recorded_walk(const query_filters& o, event_filter times) : options_(o), times_(std::move(times)) {}

  // Faults: cancelled, limit. What is damaged is noted.
  result<void> read(const profile& p, std::size_t file, damage_list& damage) {
    if (const fault* known = p.file_fault(file)) damage.note(file, *known);
    result<void> filled = fill_tracks(p, file, rows_);
    if (!filled && filled.error().code != fault_code::damaged) return filled;
    if (!filled && !damage.has(file)) damage.note(file, filled.error());
    const std::vector<track>& tracks = rows_.tracks();
    for (track_id at = 0; at < tracks.size(); ++at) take_track(at, tracks[at]);
    return {};
  }

  result<void> show_tree(tree_visitor& visitor, const hooks& host) const {
    progress_meter meter(host);
    for (const recorded_plane& plane : planes_) {
      visitor.begin_plane(plane.facts);
      std::uint64_t fitting = 0, shown = 0;
      for (const track_id at : plane.tracks) {
        if (!contains(line_name(at), options_.line)) continue;
        ++fitting;
        if (shown == limit()) continue;
        ++shown;
        if (result<void> going = meter.step(0); !going) return going;
        show_line(visitor, at);
      }
      visitor.end_plane(fitting - shown);
    }
    return {};
  }

  void show_metadata(metadata_visitor& visitor) const {
    for (const recorded_plane& plane : planes_) {
      visitor.begin_plane(plane.facts);
      show_names(visitor, plane);
      visitor.end_stat_metadata(0);
      visitor.end_plane();
    }
  }

 private:
  [[nodiscard]] std::uint64_t limit() const noexcept { return options_.limit == 0 ? ~std::uint64_t{0} : options_.limit; }
  [[nodiscard]] std::string_view line_name(track_id at) const noexcept { return rows_.text(rows_.tracks()[at].line_name); }

  void take_track(track_id at, const track& of) {
    const std::string_view name = rows_.text(of.plane_name);
    if (!contains(name, options_.plane)) return;
    recorded_plane& on = plane_of(of, name);
    ++on.facts.lines;
    on.tracks.push_back(at);
  }

  // Threads of several processes may take turns.
  recorded_plane& plane_of(const track& of, std::string_view name) {
    const auto known = std::find_if(planes_.begin(), planes_.end(),
                                    [&](const recorded_plane& plane) { return plane.facts.plane == of.plane; });
    if (known != planes_.end()) return *known;
    recorded_plane& added = planes_.emplace_back();
    added.facts.file = of.file;
    added.facts.plane = of.plane;
    added.facts.id = of.plane;
    added.facts.name = name;
    added.facts.kind = of.plane_type;
    return added;
  }

  void show_line(tree_visitor& visitor, track_id at) const {
    const track& of = rows_.tracks()[at];
    const std::vector<track_event>& events = rows_.events(at);
    tree_line entry;
    entry.line = of.line;
    entry.header.id = of.stream >= 0 ? of.stream : of.line;
    entry.header.name = line_name(at);
    entry.header.event_count = entry.events = events.size();
    entry.kind = of.line_type;
    visitor.begin_line(entry);
    std::uint64_t fitting = 0, shown = 0;
    for (const track_event& e : events) {
      if (!contains(rows_.text(e.name), options_.name) || !times_.keeps_time(e.start_ps, e.duration_ps)) continue;
      ++fitting;
      if (shown == limit()) continue;
      ++shown;
      tree_event row;
      row.has_metadata_id = false;
      row.name = rows_.text(e.name);
      row.start_ps = e.start_ps;
      row.duration_ps = e.duration_ps;
      visitor.event(row);
    }
    visitor.end_line(fitting - shown);
  }

  // By count, then by name.
  void show_names(metadata_visitor& visitor, const recorded_plane& plane) const {
    std::map<std::string_view, std::uint64_t> counts;
    for (const track_id at : plane.tracks)
      for (const track_event& e : rows_.events(at))
        if (contains(rows_.text(e.name), options_.name)) ++counts[rows_.text(e.name)];
    std::vector<std::pair<std::string_view, std::uint64_t>> names(counts.begin(), counts.end());
    std::stable_sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    const std::size_t shown = std::min<std::uint64_t>(names.size(), limit());
    for (std::size_t i = 0; i < shown; ++i) {
      metadata_event_row row;
      row.has_key = false;
      row.name = names[i].first;
      row.count = names[i].second;
      visitor.event_metadata(row);
    }
    visitor.end_event_metadata(names.size() - shown);
  }

  const query_filters& options_;
  event_filter times_;
  track_list rows_;
  std::vector<recorded_plane> planes_;
};

}  // namespace

result<void> walk_recorded_tree(const profile& p, std::size_t file, tree_visitor& visitor, const query_filters& o,
                                const selection& selected, damage_list& damage, const hooks& host) {
  recorded_walk walk(o, selected.times_of(file, -1));
  if (result<void> read = walk.read(p, file, damage); !read) return read;
  return walk.show_tree(visitor, host);
}

result<void> walk_recorded_metadata(const profile& p, std::size_t file, metadata_visitor& visitor, const query_filters& o,
                                    const selection& selected, damage_list& damage, const hooks&) {
  recorded_walk walk(o, selected.times_of(file, -1));
  if (result<void> read = walk.read(p, file, damage); !read) return read;
  walk.show_metadata(visitor);
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
