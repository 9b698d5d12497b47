// The two tables of every plane: what event and stat metadata ids stand for.
#include <trace/filters/select.hpp>
#include <trace/stats.hpp>
#include <analyse/tree/tree_parts.hpp>
#include <base/contained.hpp>
#include <base/progress.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Entries that count, by ascending signed key.
template <class View>
std::vector<View> entries_by_key(const metadata_entries& entries, const metadata_lookup& index) {
  std::vector<View> rows;
  rows.reserve(entries.size());
  for (const std::string_view bytes : entries) {
    const View entry(bytes);
    if (counts_in(index, entry.key(), bytes)) rows.push_back(entry);
  }
  std::sort(rows.begin(), rows.end(), [](const View& a, const View& b) { return a.key() < b.key(); });
  return rows;
}

class metadata_walk {
 public:
  metadata_walk(const profile& p, metadata_visitor& visitor, const query_filters& o, const selection& selected,
                const hooks& host)
      : profile_(p),
        visitor_(visitor),
        options_(o),
        selected_(selected),
        damage_(p, selected),
        host_(host),
        meter_(host),
        limit_(o.limit == 0 ? ~std::uint64_t{0} : o.limit) {}

  result<std::vector<file_damage>> run() {
    for (std::size_t file = 0; file < profile_.file_count(); ++file) {
      if (!selected_.file(file)) continue;
      const xspace_index* space = profile_.xspace(file);
      if (selected_.other_file(file)) {
        const auto walk = walks_of(profile_.what().files[file]).metadata;
        if (walk == nullptr) continue;
        result<void> walked = walk(profile_, file, visitor_, options_, selected_, damage_, host_);
        if (!walked) return std::move(walked).error();
      }
      for (std::size_t plane = 0; plane < space->planes.size(); ++plane) {
        if (!selected_.plane(space->planes[plane])) continue;
        visitor_.begin_plane(tree_plane_of(profile_, file, plane));
        walk_events(file, space->planes[plane]);
        walk_stats(space->planes[plane]);
        visitor_.end_plane();
        const std::uint64_t end = space->planes[plane].offset + space->planes[plane].body.size();
        if (result<void> going = meter_.step(end); !going) return std::move(going).error();
      }
    }
    return damage_.take();
  }

 private:
  void walk_events(std::size_t file, const plane_index& plane) {
    std::uint64_t fitting = 0, shown = 0;
    for (const event_metadata_view& entry :
         entries_by_key<event_metadata_view>(plane.event_metadata_entries, plane.event_metadata)) {
      if (!selected_.name(entry.name(), entry.display_name())) continue;
      ++fitting;
      if (shown == limit_) continue;
      ++shown;
      show(file, plane, entry);
    }
    visitor_.end_event_metadata(fitting - shown);
  }

  void show(std::size_t file, const plane_index& plane, const event_metadata_view& entry) {
    metadata_event_row row;
    row.key = entry.key();
    row.name = entry.name();
    row.display_name = entry.display_name();
    for (const std::int64_t id : entry.child_ids()) row.child_ids.push_back(id);
    bool sound = entry.ok() && entry.child_ids().ok();
    const auto stats = entry.stats();
    auto at = stats.begin();
    for (; !at.done(); ++at) {
      const stat_view stat = *at;
      sound = stat.ok() && sound;
      row.stats.push_back(name_stat(plane, stat, named_stat::origin::metadata));
    }
    if (!sound || !at.ok())
      damage_.note(
          file, offset_in(profile_.bytes(file), entry.bytes().data()),
          "event metadata " + std::to_string(entry.key()) + " of plane '" + std::string(plane.name) + "' is damaged");
    visitor_.event_metadata(row);
  }

  void walk_stats(const plane_index& plane) {
    std::uint64_t fitting = 0, shown = 0;
    for (const stat_metadata_view& entry :
         entries_by_key<stat_metadata_view>(plane.stat_metadata_entries, plane.stat_metadata)) {
      if (!selected_.name(entry.name())) continue;
      ++fitting;
      if (shown == limit_) continue;
      ++shown;
      metadata_stat_row row;
      row.key = entry.key();
      row.name = entry.name();
      row.description = entry.description();
      visitor_.stat_metadata(row);
    }
    visitor_.end_stat_metadata(fitting - shown);
  }

  const profile& profile_;
  metadata_visitor& visitor_;
  const query_filters& options_;
  const selection& selected_;
  damage_list damage_;
  const hooks& host_;
  progress_meter meter_;
  const std::uint64_t limit_;
};

}  // namespace

result<std::vector<file_damage>> walk_metadata(const trace& t, metadata_visitor& visitor, const query_filters& o,
                                               const hooks& host) {
  return contained([&]() -> result<std::vector<file_damage>> {
    // Metadata is the plane's: a step or a time picks nothing here.
    query_filters of_planes = o;
    of_planes.step.reset();
    result<selection> selected = selection::make(t, of_planes, host);
    if (!selected) return std::move(selected).error();
    return metadata_walk(t.files(), visitor, o, *selected, host).run();
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
