// The timeline: steps and kernels of each device, in several widths for several zooms, and the longest gaps one by one.
#include <page/html/sections.hpp>

#include <export/json/document.hpp>
#include <page/picture/device_lanes.hpp>

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

using picture::lane;
using picture::lane_item;
using picture::lane_names;
using picture::merged;
using picture::steps_lane;

constexpr std::size_t max_items = 16'000;  // of the finest level, all lanes together
constexpr std::size_t max_devices = 64, max_gaps = 1500;

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
                                 : names.of(picture::shown_op_name(of.text(static_cast<string_id>(item.name)))));
    out.value(item.runs);
    out.value(item.end_ps - item.start_ps - item.busy_ps);
    until_ps = item.end_ps;
  }
  out.end_array();
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
  const auto name = [&](const kernel_row* k) {
    out.value(k == nullptr ? 0 : names.of(picture::shown_op_name(a.text(op_name_of(a.devices()[b.device], *k)))));
  };
  out.begin_tuple();
  out.value(b.device);
  out.value(b.start_ps - origin_ps);
  out.value(b.length_ps());
  out.value(idle_cause_name(b.cause.id));
  out.value(certainty_name(b.sure));
  out.value(b.boundary_adjacent);
  out.value(b.step < 0 ? 0 : names.of(of.found.steps[static_cast<std::size_t>(b.step)].id));
  name(b.before_count > 0 ? &b.before[0] : nullptr);
  name(b.next.name != 0 ? &b.next : b.after_count > 0 ? &b.after[0] : nullptr);
  out.value(b.cause.span == 0 ? 0 : names.of(short_op_name(a.text(b.cause.span), "")));
  out.value(b.cause.covered_ps);
  if (b.launch_ps() == no_time_ps || !checked_sub(b.launch_ps(), origin_ps))
    out.null();
  else
    out.value(b.launch_ps() - origin_ps);
  out.end_array();
}

// What a device idles beside the gaps that are shown: shorter gaps, and more than there is room for.
struct unlisted_idle {
  std::optional<std::uint64_t> gaps;  // nothing where only some steps were asked for: gaps are counted over the whole capture
  std::int64_t time_ps = 0;
};
unlisted_idle unlisted_of(const bubbles_result& found, std::size_t device, const std::vector<const bubble*>& shown, bool is_whole) {
  unlisted_idle rest;
  for (const time_row& row : found.time)
    if (row.use == time_use::idle && row.device >= 0 && static_cast<std::size_t>(row.device) == device)
      rest.time_ps = saturating_add(rest.time_ps, row.time_ps);
  std::uint64_t listed = 0;
  std::int64_t until_ps = std::numeric_limits<std::int64_t>::min();
  const device_gaps& all = found.devices[device];
  for (const bubble* b : shown) {
    if (b->device != device) continue;
    rest.time_ps = std::max<std::int64_t>(rest.time_ps - b->length_ps(), 0);
    // Steps divide a gap between two kernels; what lies before the first one or after the last is none.
    if (b->start_ps > until_ps && b->start_ps >= all.first_ps && b->end_ps <= all.last_ps) ++listed;
    until_ps = std::max(until_ps, b->end_ps);
  }
  if (is_whole && all.gaps > listed) rest.gaps = all.gaps - listed;
  return rest;
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

}  // namespace

result<void> write_timeline_section(json_writer& out, const report_result& found, page_names& names, const hooks& host) {
  if (!found.parts.bubbles || found.parts.bubbles->of->devices().empty()) return {};
  shown_timeline shown{*found.parts.bubbles, {}};
  const activity& of = *shown.report.of;
  const std::size_t devices = std::min(of.devices().size(), max_devices);
  auto filled = picture::lanes_of_devices(shown.report, found.parts.asked_of_bubbles.only, devices,
                                          std::max<std::size_t>(500, max_items / devices), host);
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
  std::vector<const bubble*> gaps = picture::gaps_of_devices(shown.report.found, devices);
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
    out.field("name", std::string_view(picture::device_name(of, d)));
    out.key("lanes");
    write_lanes(out, shown, d, names);
    const unlisted_idle rest = unlisted_of(shown.report.found, d, gaps, found.parts.asked_of_bubbles.only.empty());
    json::write_optional(out, "unlisted_gaps", rest.gaps);
    out.field("unlisted_ps", rest.time_ps);
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
