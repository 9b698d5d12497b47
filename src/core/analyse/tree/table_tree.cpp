// The tree and the metadata of tables and of settings.
#include <analyse/tree/tree_parts.hpp>

#include <formats/ascend/settings_index.hpp>
#include <formats/ascend/table_index.hpp>

#include <algorithm>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t longest_member = std::size_t{64} << 10;

tree_plane plane_of_table(std::size_t file, std::size_t at, const table_index& table) {
  const table_plane& of = table.planes[at];
  tree_plane plane;
  plane.file = static_cast<std::uint32_t>(file);
  plane.plane = static_cast<std::int32_t>(at);
  plane.id = plane.plane;
  plane.name = table.strings.text(of.name);
  plane.kind = of.kind;
  plane.lines = of.lines.size();
  if (!table.of_kernels) plane.rows = table.rows;
  return plane;
}

class tree_of_table {
 public:
  tree_of_table(std::string_view bytes, const table_index& table, tree_visitor& visitor, const query_filters& o,
                event_filter times, const hooks& host)
      : bytes_(bytes), table_(table), visitor_(visitor), options_(o), times_(std::move(times)), meter_(host) {}

  result<void> show(std::size_t file) {
    for (std::size_t at = 0; at < table_.planes.size(); ++at) {
      const tree_plane plane = plane_of_table(file, at, table_);
      if (!contains(plane.name, options_.plane)) continue;
      visitor_.begin_plane(plane);
      std::uint64_t fitting = 0, shown = 0;
      for (const table_line& line : table_.planes[at].lines) {
        if (!contains(table_.strings.text(line.name), options_.line)) continue;
        ++fitting;
        if (options_.limit != 0 && shown == options_.limit) continue;
        ++shown;
        if (result<void> lines = show_line(line); !lines) return lines;
      }
      visitor_.end_plane(fitting - shown);
    }
    return {};
  }

 private:
  result<void> show_line(const table_line& line) {
    tree_line entry;
    entry.line = line.position;
    entry.header.id = line.id;
    entry.header.name = table_.strings.text(line.name);
    entry.header.event_count = line.rows.size();
    entry.kind = line.kind;
    entry.events = line.rows.size();
    visitor_.begin_line(entry);
    std::uint64_t fitting = 0, shown = 0;
    for (const table_row& row : line.rows) {
      if (!contains(table_.strings.text(row.name), options_.name) || !times_.keeps_time(row.start_ps, row.duration_ps.value_or(0))) continue;
      ++fitting;
      if (options_.limit != 0 && shown == options_.limit) continue;
      ++shown;
      show_row(row);
      if (result<void> going = meter_.step(row.offset); !going) return going;
    }
    visitor_.end_line(fitting - shown);
    return {};
  }

  void show_row(const table_row& row) {
    stats_.clear();
    read_table_row(bytes_, row.offset, table_.columns.size(), cells_);
    tree_event shown;
    shown.has_metadata_id = false;
    shown.name = table_.strings.text(row.name);
    shown.start_ps = row.start_ps;
    shown.duration_ps = row.duration_ps;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (cells_[i].empty()) continue;
      if (options_.limit == 0 || shown.stat_count < options_.limit)
        shown.stats.push_back(stats_.of_text(table_.columns[i].first, cells_[i]));
      ++shown.stat_count;
    }
    visitor_.event(shown);
  }

  std::string_view bytes_;
  const table_index& table_;
  tree_visitor& visitor_;
  const query_filters& options_;
  event_filter times_;
  progress_meter meter_;
  json_stats stats_;
  std::vector<std::string> cells_;
};

}  // namespace

void member_list::take(std::string_view key, std::string_view value) {
  ++met_;
  if (limit_ != 0 && members_.size() == limit_) return;
  metadata_member& member = members_.emplace_back();
  member.bytes = value.size();
  member.is_cut = value.size() > longest_member;
  if (!member.is_cut) {
    member.value = texts_.of_member(key, value);
    return;
  }
  member.value = texts_.of_member(key, "null");
  member.value.text = texts_.keep(value.substr(0, longest_member));
}

metadata_file member_list::facts(std::size_t file) const {
  metadata_file of;
  of.file = static_cast<std::uint32_t>(file);
  of.members = members_;
  of.members_left_out = met_ - members_.size();
  return of;
}

result<void> walk_table_tree(const profile& p, std::size_t file, tree_visitor& visitor, const query_filters& o,
                             const selection& selected, damage_list& damage, const hooks& host) {
  const result<table_index> table = index_table(p, file, host);
  if (!table) return table.error();
  if (table->damage) damage.note(file, *table->damage);
  return tree_of_table(p.bytes(file), *table, visitor, o, selected.times_of(file, -1), host).show(file);
}

result<void> walk_table_metadata(const profile& p, std::size_t file, metadata_visitor& visitor, const query_filters& o,
                                 const selection&, damage_list& damage, const hooks& host) {
  const result<table_index> table = index_table(p, file, host);
  if (!table) return table.error();
  if (table->damage) damage.note(file, *table->damage);
  tree_plane plane;
  plane.file = static_cast<std::uint32_t>(file);
  plane.plane = table->of_kernels ? -1 : 0;
  plane.id = plane.plane;
  plane.name = table_name(p, file);
  plane.stat_metadata = table->columns.size();
  plane.rows = table->rows;
  if (table->columns.empty() || !contains(plane.name, o.plane)) return {};
  visitor.begin_plane(plane);
  visitor.end_event_metadata(0);
  std::uint64_t fitting = 0, shown = 0;
  for (const auto& [column, filled] : table->columns) {
    if (!contains(column, o.name)) continue;
    ++fitting;
    if (o.limit != 0 && shown == o.limit) continue;
    ++shown;
    metadata_stat_row row;
    row.has_key = false;
    row.name = column;
    row.count = filled;
    visitor.stat_metadata(row);
  }
  visitor.end_stat_metadata(fitting - shown);
  visitor.end_plane();
  return {};
}

result<void> walk_settings_metadata(const profile& p, std::size_t file, metadata_visitor& visitor, const query_filters& o,
                                    const selection&, damage_list& damage, const hooks&) {
  member_list members(o.limit);
  const auto take = [&](std::string_view key, std::string_view value) { members.take(key, value); };
  if (std::optional<fault> wrong = index_settings(p, file, take)) damage.note(file, *std::move(wrong));
  visitor.file(members.facts(file));
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
