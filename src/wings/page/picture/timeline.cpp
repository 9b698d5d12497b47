// When each device ran what, and why it waited.
#include <profkit/core/picture.hpp>

#include <base/contained.hpp>
#include <page/picture/device_lanes.hpp>
#include <export/drawing/drawing.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {
namespace {

constexpr double drawn_width = 1200, first_x = 130, last_x = drawn_width - 20, first_y = 56;
constexpr double row_height = 14, between_devices = 10;
constexpr std::size_t max_devices = 16, most_items = 2200, max_gaps = 4000;

struct shown_time {
  std::int64_t from_ps = std::numeric_limits<std::int64_t>::max(), to_ps = std::numeric_limits<std::int64_t>::min();
  void widen(std::int64_t from, std::int64_t to) noexcept {
    from_ps = std::min(from_ps, from);
    to_ps = std::max(to_ps, to);
  }
};

std::string kind_of(const bubble& gap, const std::vector<idle_cause>& causes) {
  if (gap.boundary_adjacent) return "idle";
  const auto at = std::find(causes.begin(), causes.end(), gap.cause.id);
  if (at == causes.end()) return "unknown";
  return "cause" + std::to_string(std::min(static_cast<std::size_t>(at - causes.begin()), cause_colours - 1));
}

std::string tip_of(const lane_item& item, std::size_t lane, const bubbles_report& found) {
  const std::string length = human_duration(item.end_ps - item.start_ps);
  if (lane == steps_lane) return length + ": step " + std::string(found.found.steps[static_cast<std::size_t>(item.name)].id);
  const std::string name = shown_op_name(found.of->text(static_cast<string_id>(item.name)));
  return length + ": " + (item.runs <= 1 ? name : counted(item.runs, "run") + ", the longest " + name);
}

class timeline_drawer {
 public:
  timeline_drawer(const bubbles_report& found, const shown_time& time, drawing& out)
      : found_(found), across_{time.from_ps, time.to_ps, first_x, last_x}, out_(out) {}

  // Gives the position below what it drew.
  double draw_lane(const lane& one, std::size_t kind, double y) {
    // As fine as a screen shows.
    for (const lane_item& item : merged(one.items(), (across_.to - across_.from) / 2400))
      draw_span(item.start_ps, item.end_ps, y, lane_names[kind], tip_of(item, kind, found_));
    return y + row_height;
  }
  void draw_span(std::int64_t from_ps, std::int64_t to_ps, double y, std::string_view kind, const std::string& tip) {
    const double x = across_.at(from_ps);
    out_.box(x, y, std::max(across_.at(to_ps) - x, 0.3), row_height - 2, kind, tip);
  }

 private:
  const bubbles_report& found_;
  scale across_;
  drawing& out_;
};

void draw_legend(drawing& out, double y, const std::vector<std::vector<lane>>& lanes,
                 const std::vector<idle_cause>& causes) {
  double x = first_x;
  const auto entry = [&](std::string_view kind, const std::string& words) {
    const double needs = 20 + 6.6 * static_cast<double>(words.size());
    if (x + needs > last_x) {
      x = first_x;
      y += 20;
    }
    out.box(x, y - 10, 12, 12, kind);
    out.text(x + 16, y, words, drawing::anchor::start, "soft");
    x += needs + 8;
  };
  for (std::size_t kind = steps_lane + 1; kind < lane_names.size(); ++kind)
    if (std::any_of(lanes.begin(), lanes.end(), [kind](const std::vector<lane>& of) { return !of[kind].items().empty(); }))
      entry(lane_names[kind], lane_names[kind]);
  for (std::size_t i = 0; i < causes.size() && i < cause_colours; ++i)
    entry("cause" + std::to_string(i), "waits: " + cause_words(causes[i]) + (i + 1 == cause_colours && i + 1 < causes.size() ? ", other" : ""));
  entry("unknown", "waits: unknown");
  entry("idle", "edge of the capture");
}

result<void> draw_timeline(const bubbles_report& found, const step_filter& only, sink& into, const hooks& host) {
  const activity& of = *found.of;
  const std::size_t devices = std::min(of.devices().size(), max_devices);
  auto lanes = lanes_of_devices(found, only, devices, most_items, host);
  if (!lanes) return std::move(lanes).error();
  std::vector<const bubble*> gaps = gaps_of_devices(found.found, devices);
  shown_time time;
  std::size_t rows = 0;
  for (const std::vector<lane>& of_device : *lanes)
    for (const lane& one : of_device)
      if (!one.items().empty()) {
        time.widen(one.items().front().start_ps, one.items().back().end_ps);
        ++rows;
      }
  for (const bubble* gap : gaps) time.widen(gap->start_ps, gap->end_ps);
  if (rows == 0 || time.from_ps >= time.to_ps || !checked_sub(time.to_ps, time.from_ps))
    return fault{fault_code::not_found, "no device of this capture ran anything that could be drawn", "", no_offset, ""};
  const std::vector<idle_cause> causes = causes_by_time(found.found);
  const std::size_t all_gaps = gaps.size();
  if (gaps.size() > max_gaps) {
    std::nth_element(gaps.begin(), gaps.begin() + max_gaps, gaps.end(),
                     [](const bubble* a, const bubble* b) { return a->length_ps() > b->length_ps(); });
    gaps.resize(max_gaps);
  }

  const double field = static_cast<double>(rows + devices) * row_height + static_cast<double>(devices) * between_devices;
  std::string says = human_duration(time.to_ps - time.from_ps) + " of " + counted(of.devices().size(), "device");
  if (devices < of.devices().size()) says += ", the first " + std::to_string(devices) + " are drawn";
  says += "; " + counted(all_gaps, "gap");
  if (gaps.size() < all_gaps) says += ", the longest " + grouped(std::uint64_t{gaps.size()}) + " are drawn";
  drawing out(into, drawn_width, first_y + field + 100, "When devices ran, and why they waited", says + ".");
  const scale across{time.from_ps, time.to_ps, first_x, last_x};
  for (const tick& t : time_ticks(time.from_ps, time.to_ps, 0, 9)) {
    out.line(across.at(t.value), first_y, across.at(t.value), first_y + field + 4, "grid");
    out.text(across.at(t.value), first_y + field + 18, t.label, drawing::anchor::middle, "soft");
  }
  out.text((first_x + last_x) / 2, first_y + field + 34, "time since the capture's origin", drawing::anchor::middle, "soft");
  timeline_drawer drawer(found, time, out);
  double y = first_y;
  for (std::size_t d = 0; d < devices; ++d) {
    out.text(first_x - 8, y + row_height - 3, device_name(of, d), drawing::anchor::end);
    for (std::size_t kind = 0; kind < lane_names.size(); ++kind)
      if (const lane& one = (*lanes)[d][kind]; !one.items().empty()) y = drawer.draw_lane(one, kind, y);
    for (const bubble* gap : gaps)
      if (gap->device == d)
        drawer.draw_span(gap->start_ps, gap->end_ps, y, kind_of(*gap, causes),
                         human_duration(gap->length_ps()) + ": " + wait_words(*gap) + " (" + certainty_name(gap->sure) + ")");
    y += row_height + between_devices;
  }
  draw_legend(out, first_y + field + 62, *lanes, causes);
  return out.finish();
}

}  // namespace
}  // namespace picture

result<void> write_timeline_picture(const bubbles_report& found, const step_filter& only, sink& into, const hooks& host) {
  return contained([&] { return picture::draw_timeline(found, only, into, host); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
