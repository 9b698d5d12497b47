// The timeline: steps and kernels of each device, in several widths for several zooms, and the longest gaps one by one.
#include <export/html/lane.hpp>
#include <export/html/sections.hpp>

#include <base/thread_pool.hpp>
#include <export/json/document.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace html {
namespace {

constexpr std::size_t max_items = 16'000;  // of the finest level, all lanes together
constexpr std::size_t max_devices = 64, max_gaps = 1500;
constexpr std::array<const char*, 5> lane_names{"steps", "compute", "communication", "copies", "other"};
constexpr std::size_t steps_lane = 0;

std::size_t lane_of(kernel_class kind) noexcept {
  switch (kind) {
    case kernel_class::compute:
    case kernel_class::aicpu: return 1;
    case kernel_class::comm: return 2;
    case kernel_class::copy: return 3;
    case kernel_class::other: return 4;
  }
  return 4;
}

struct window {
  std::int64_t from_ps = std::numeric_limits<std::int64_t>::min(), to_ps = std::numeric_limits<std::int64_t>::max();
};

class lane_filler final : public kernel_visitor {
 public:
  lane_filler(const window& shown, std::vector<lane>& lanes) : shown_(shown), lanes_(lanes) {}
  result<void> rows(const kernel_row* rows, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      const kernel_row& row = rows[i];
      if ((row.flags & kernel_duplicate) != 0) continue;
      const std::int64_t end_ps = saturating_add(row.start_ps, row.duration_ps);
      lanes_[lane_of(row.kind)].add(std::max(row.start_ps, shown_.from_ps), std::min(end_ps, shown_.to_ps), row.name);
    }
    return {};
  }

 private:
  window shown_;
  std::vector<lane>& lanes_;
};

// Under a filter only the steps that were asked for are shown, and what ran from the first to the last of them.
window window_of(const bubbles_report& of, const step_filter& asked, std::size_t device) {
  if (asked.empty()) return {};
  window w{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const bubble_step& s : of.found.steps)
    if (s.device == device) w = {std::min(w.from_ps, s.start_ps), std::max(w.to_ps, s.end_ps)};
  return w;
}

using lane_level = std::vector<lane_item>;
std::size_t count_items(const std::vector<lane_level>& all) {
  std::size_t items = 0;
  for (const lane_level& one : all) items += one.size();
  return items;
}
std::vector<lane_level> merged_all(const std::vector<lane_level>& all, std::int64_t width_ps) {
  std::vector<lane_level> fewer;
  for (const lane_level& one : all) fewer.push_back(merged(one, width_ps));
  return fewer;
}

struct level_of_lanes {
  std::int64_t width_ps = 0;
  std::vector<lane_level> lanes;
};
// The finest first. Neighbours are one item where a picture shows them as one point.
// `width_ps`: up to which neighbours are one item already.
std::vector<level_of_lanes> levels_of(std::vector<lane_level> finest, std::int64_t width_ps, std::int64_t span_ps) {
  constexpr std::size_t few_items = 1000;
  constexpr std::int64_t points = 1 << 14;
  finest = merged_all(finest, width_ps);
  while (count_items(finest) > max_items && width_ps < span_ps) {
    width_ps = std::max(width_ps * 2, span_ps / (points * 16) + 1);
    finest = merged_all(finest, width_ps);
  }
  std::vector<level_of_lanes> levels{{width_ps, std::move(finest)}};
  width_ps = std::max(width_ps * 4, span_ps / points);
  while (count_items(levels.back().lanes) > few_items && width_ps > 0 && width_ps < span_ps / 64) {
    std::vector<lane_level> fewer = merged_all(levels.back().lanes, width_ps);
    if (count_items(fewer) < count_items(levels.back().lanes) * 3 / 4) levels.push_back({width_ps, std::move(fewer)});
    width_ps *= 4;
  }
  return levels;
}

// Five numbers an item: time since the one before, length, name, runs, idle time inside.
void write_level(json_writer& out, const lane_level& items, std::int64_t origin_ps, std::size_t kind, const activity& of,
                 const bubble_steps& steps, page_names& names) {
  out.begin_tuple();
  std::int64_t until_ps = origin_ps;
  for (const lane_item& item : items) {
    out.value(item.start_ps - until_ps);
    out.value(item.end_ps - item.start_ps);
    out.value(kind == steps_lane ? names.of(steps[static_cast<std::size_t>(item.name)].id)
                                 : names.of(short_op_name(of.text(static_cast<string_id>(item.name)), "")));
    out.value(item.runs);
    out.value(item.end_ps - item.start_ps - item.busy_ps);
    until_ps = item.end_ps;
  }
  out.end_array();
}

// The idle end of a step and the idle begin of the next one stand for the gap over both.
std::vector<const bubble*> listed_gaps(const bubbles_result& found, std::size_t devices) {
  std::vector<const bubble*> gaps;
  for (const bubble& b : found.bubbles)
    if (!b.inter_step && b.device < devices && b.length_ps() > 0) gaps.push_back(&b);
  return gaps;
}

// They stay in their order.
void keep_longest(std::vector<const bubble*>& gaps) {
  if (gaps.size() <= max_gaps) return;
  std::nth_element(gaps.begin(), gaps.begin() + max_gaps, gaps.end(), [](const bubble* a, const bubble* b) {
    return a->length_ps() != b->length_ps() ? a->length_ps() > b->length_ps() : a < b;
  });
  gaps.resize(max_gaps);
  std::sort(gaps.begin(), gaps.end());
}

void write_gap(json_writer& out, const bubble& b, std::int64_t origin_ps, const bubbles_report& of, page_names& names) {
  const activity& a = *of.of;
  const auto name = [&](string_id id) { out.value(id == 0 ? 0 : names.of(short_op_name(a.text(id), ""))); };
  out.begin_tuple();
  out.value(b.device);
  out.value(b.start_ps - origin_ps);
  out.value(b.length_ps());
  out.value(idle_cause_name(b.cause.id));
  out.value(certainty_name(b.sure));
  out.value(b.boundary_adjacent);
  out.value(b.step < 0 ? 0 : names.of(of.found.steps[static_cast<std::size_t>(b.step)].id));
  name(b.before_count > 0 ? b.before[0].name : 0);
  name(b.next.name != 0 ? b.next.name : b.after_count > 0 ? b.after[0].name : 0);
  name(b.cause.span);
  out.value(b.cause.covered_ps);
  if (b.launch_ps() == no_time_ps || !checked_sub(b.launch_ps(), origin_ps))
    out.null();
  else
    out.value(b.launch_ps() - origin_ps);
  out.end_array();
}

struct shown_timeline {
  const bubbles_report& report;
  std::vector<level_of_lanes> levels;  // lanes of all devices, one device after the other
  std::int64_t from_ps = std::numeric_limits<std::int64_t>::max(), to_ps = std::numeric_limits<std::int64_t>::min();
};

void write_lanes(json_writer& out, const shown_timeline& shown, std::size_t device, page_names& names) {
  out.begin_tuple();
  for (std::size_t kind = 0; kind < lane_names.size(); ++kind) {
    const std::size_t at = device * lane_names.size() + kind;
    if (shown.levels.front().lanes[at].empty()) continue;
    out.begin_object();
    out.field("kind", lane_names[kind]);
    out.key("levels");
    out.begin_tuple();
    for (const level_of_lanes& level : shown.levels)
      write_level(out, level.lanes[at], shown.from_ps, kind, *shown.report.of, shown.report.found.steps, names);
    out.end_array();
    out.end_object();
  }
  out.end_array();
}

// The lanes of each device, filled in one pass over its kernels.
result<std::vector<std::vector<lane>>> filled_lanes(const report_result& found, std::size_t devices, const hooks& host) {
  const bubbles_report& report = *found.parts.bubbles;
  const std::size_t most = std::max<std::size_t>(500, max_items / devices);
  auto all = map_items<std::vector<lane>>(devices, host, [&](std::size_t d) -> result<std::vector<lane>> {
    std::vector<lane> lanes(lane_names.size(), lane(most));
    lane_filler filler(window_of(report, found.parts.asked_of_bubbles.only, d), lanes);
    if (auto visited = report.of->visit_kernels(d, filler, host); !visited) return std::move(visited).error();
    return lanes;
  });
  if (!all) return all;
  std::uint64_t step = 0;
  for (const bubble_step& s : report.found.steps) {
    if (!s.pseudo && s.device < devices) (*all)[s.device][steps_lane].add(s.start_ps, s.end_ps, step);
    ++step;
  }
  for (std::vector<lane>& lanes : *all)
    for (lane& one : lanes) one.finish();
  return all;
}

}  // namespace

std::string device_name(const activity& of, std::size_t device) {
  const activity_device& d = of.devices()[device];
  std::string name(short_plane_name(of.text(d.name)));
  const auto same = [&](const activity_device& other) { return of.text(other.name) == of.text(d.name); };
  if (d.rank >= 0 && std::count_if(of.devices().begin(), of.devices().end(), same) > 1)
    name = "rank " + std::to_string(d.rank) + ", " + name;
  return name;
}

result<void> write_timeline_section(json_writer& out, const report_result& found, page_names& names, const hooks& host) {
  if (!found.parts.bubbles || found.parts.bubbles->of->devices().empty()) return {};
  shown_timeline shown{*found.parts.bubbles, {}};
  const activity& of = *shown.report.of;
  const std::size_t devices = std::min(of.devices().size(), max_devices);
  auto filled = filled_lanes(found, devices, host);
  if (!filled) return std::move(filled).error();
  const auto widen = [&](std::int64_t from_ps, std::int64_t to_ps) {
    shown.from_ps = std::min(shown.from_ps, from_ps);
    shown.to_ps = std::max(shown.to_ps, to_ps);
  };
  std::vector<lane_level> finest;
  std::int64_t width_ps = 0;
  for (const std::vector<lane>& lanes : *filled)
    for (const lane& one : lanes) {
      finest.push_back(one.items());
      width_ps = std::max(width_ps, one.width_ps());
      if (!one.items().empty()) widen(one.items().front().start_ps, one.items().back().end_ps);
    }
  std::vector<const bubble*> gaps = listed_gaps(shown.report.found, devices);
  const std::size_t all_gaps = gaps.size();
  keep_longest(gaps);
  for (const bubble* gap : gaps) widen(gap->start_ps, gap->end_ps);
  if (shown.from_ps >= shown.to_ps || !checked_sub(shown.to_ps, shown.from_ps)) return {};
  shown.levels = levels_of(std::move(finest), width_ps, shown.to_ps - shown.from_ps);

  out.key("timeline");
  out.begin_object();
  out.field("from_ps", shown.from_ps);
  out.field("to_ps", shown.to_ps);
  out.field("devices_left_out", std::uint64_t{of.devices().size() - devices});
  out.key("widths_ps");
  out.begin_tuple();
  for (const level_of_lanes& level : shown.levels) out.value(level.width_ps);
  out.end_array();
  out.key("devices");
  out.begin_tuple();
  for (std::size_t d = 0; d < devices; ++d) {
    out.begin_object();
    out.field("name", std::string_view(device_name(of, d)));
    out.key("lanes");
    write_lanes(out, shown, d, names);
    out.end_object();
  }
  out.end_array();
  out.field("gaps_left_out", std::uint64_t{all_gaps - gaps.size()});
  out.key("gaps");
  out.begin_tuple();
  for (const bubble* gap : gaps) write_gap(out, *gap, shown.from_ps, shown.report, names);
  out.end_array();
  out.end_object();
  return {};
}

}  // namespace html
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
