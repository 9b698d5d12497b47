// Memory over time.
#include <profkit/core/picture.hpp>

#include <base/contained.hpp>
#include <export/drawing/drawing.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {
namespace {

constexpr plot memory_plot{1000, 360, 90, 976, 60, 320};

struct memory_point {
  std::int64_t at = 0;  // ps, or an event
  std::int64_t bytes = 0;
};

std::int64_t most_of(const std::vector<memory_point>& points) {
  std::int64_t most = 0;
  for (const memory_point& p : points) most = std::max(most, p.bytes);
  return most;
}

// Each value holds until the next one.
void draw_memory(drawing& out, const std::vector<memory_point>& points, std::int64_t most) {
  const scale across{points.front().at, points.back().at, memory_plot.left, memory_plot.right};
  const scale up{0, most, memory_plot.bottom, memory_plot.top};
  for (const tick& t : byte_ticks(most, 8)) {
    const double y = up.at(t.value);
    out.line(memory_plot.left, y, memory_plot.right, y, "grid");
    out.text(memory_plot.left - 8, y + 4, t.label, drawing::anchor::end, "soft");
  }
  std::vector<drawing::point> through;
  for (const memory_point& p : points) {
    const double x = across.at(p.at);
    if (!through.empty()) through.push_back({x, through.back().y});
    through.push_back({x, up.at(p.bytes)});
  }
  out.curve(through, "curve", true, memory_plot.bottom);
}

fault nothing_to_draw(const char* why) { return {fault_code::not_found, why, "", no_offset, ""}; }

std::string bytes_text(std::int64_t bytes) { return human_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0))); }

result<void> draw_runtime(const memory_result& found, sink& into) {
  const runtime_report& r = *found.runtime;
  std::vector<memory_point> points;
  for (const timeline_sample& s : r.samples)
    if (const std::optional<std::int64_t> ps = checked_mul(s.ts_ns, 1000))
      points.push_back({*ps, s.highest_bytes});
  if (points.empty()) return nothing_to_draw("no sample of the memory lies in the time that was asked for");
  const allocator_memory* const of = r.allocator ? &found.allocators[*r.allocator] : nullptr;
  std::string name = "the device";
  if (of != nullptr) name = short_plane_name(of->device.empty() ? of->name : of->device);
  // A pool that is nearly empty would press the curve onto the axis.
  const std::int64_t used = most_of(points), most = r.pool_bytes / 4 < used ? std::max(used, r.pool_bytes) : used;
  drawing out(into, memory_plot.width, memory_plot.height, "Memory of " + name,
              "Held at most " + bytes_text(r.peak_bytes) + (r.pool_bytes > 0 ? " of " + bytes_text(r.pool_bytes) : "") + ", at " +
                  human_duration(r.peak_ts_ps) + " of the capture.");
  draw_memory(out, points, most);
  const scale across{points.front().at, points.back().at, memory_plot.left, memory_plot.right};
  for (const tick& t : time_ticks(points.front().at, points.back().at, 0, 8)) {
    out.line(across.at(t.value), memory_plot.top, across.at(t.value), memory_plot.bottom + 5, "grid");
    out.text(across.at(t.value), memory_plot.bottom + 20, t.label, drawing::anchor::middle, "soft");
  }
  out.text((memory_plot.left + memory_plot.right) / 2, memory_plot.bottom + 36, "time since the capture's origin", drawing::anchor::middle,
           "soft");
  const double peak = across.at(r.peak_ts_ps);
  out.line(peak, memory_plot.top, peak, memory_plot.bottom, "mark");
  if (r.pool_bytes > 0 && r.pool_bytes <= most) {
    const double capacity = scale{0, most, memory_plot.bottom, memory_plot.top}.at(r.pool_bytes);
    out.line(memory_plot.left, capacity, memory_plot.right, capacity, "mark");
  }
  return out.finish();
}

result<void> draw_plan(const memory_result& found, sink& into) {
  const hlo_report& h = *found.hlo;
  std::vector<memory_point> points;
  for (const curve_point& p : h.curve->points) points.push_back({p.event, p.live_bytes});
  drawing out(into, memory_plot.width, memory_plot.height, "Memory that " + found.modules[h.module].label + " plans",
              "At most " + bytes_text(most_of(points)) +
                  " live at once, from event to event of its schedule: a buffer comes or goes.");
  draw_memory(out, points, most_of(points));
  out.text(memory_plot.left, memory_plot.bottom + 20, "first event", drawing::anchor::start, "soft");
  out.text(memory_plot.right, memory_plot.bottom + 20, "last event", drawing::anchor::end, "soft");
  return out.finish();
}

}  // namespace
}  // namespace picture

result<void> write_memory_picture(const memory_result& found, sink& into) {
  return contained([&]() -> result<void> {
    if (found.runtime && !found.runtime->samples.empty()) return picture::draw_runtime(found, into);
    if (found.hlo && found.hlo->curve && !found.hlo->curve->points.empty()) return picture::draw_plan(found, into);
    return picture::nothing_to_draw("there is no memory over time to draw: neither an allocator nor a schedule was recorded");
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
