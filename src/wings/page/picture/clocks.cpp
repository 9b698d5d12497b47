// How far corrected times can be wrong, over time.
#include <profkit/core/picture.hpp>

#include <base/contained.hpp>
#include <export/node_title.hpp>
#include <page/picture/lane.hpp>
#include <page/picture/log_scale.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <cmath>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {
namespace {

constexpr plot clock_plot{1000, 420, 80, 800, 60, 370};
constexpr std::size_t max_nodes = 12;

// What is shown of windows that lie within one pixel: the widest of them.
struct shown_window {
  std::int64_t from_ps = 0, to_ps = 0, bound_ps = 0;
  bool extrapolated = false, suspect = false;
};

std::vector<shown_window> windows_of(const node_bounds& bounds, std::int64_t pixel_ps) {
  std::vector<shown_window> shown;
  for (const clock_window& w : bounds.windows) {
    shown_window one{w.from_ps, w.to_ps, std::max<std::int64_t>(w.tracer_bound_ps, 1), w.extrapolated, w.suspect};
    if (shown.empty() || time_between(shown.back().from_ps, shown.back().to_ps) >= pixel_ps) {
      shown.push_back(one);
      continue;
    }
    shown_window& last = shown.back();
    last.to_ps = one.to_ps;
    last.bound_ps = std::max(last.bound_ps, one.bound_ps);
    last.extrapolated |= one.extrapolated;
    last.suspect |= one.suspect;
  }
  return shown;
}

// Those with the widest bounds first.
std::vector<const clock_of_node*> drawn_of(const std::vector<clock_of_node>& nodes) {
  std::vector<const clock_of_node*> drawn;
  for (const clock_of_node& node : nodes)
    if (node.bounds.widest(clock_domain::tracer)) drawn.push_back(&node);
  std::stable_sort(drawn.begin(), drawn.end(), [](const clock_of_node* a, const clock_of_node* b) {
    return a->bounds.widest(clock_domain::tracer) > b->bounds.widest(clock_domain::tracer);
  });
  return drawn;
}

result<void> draw_clocks(const std::vector<clock_of_node>& nodes, sink& into, picture_form form) {
  std::vector<const clock_of_node*> drawn = drawn_of(nodes);
  if (drawn.empty())
    return fault{fault_code::not_found, "it is not known of any node how far its times can be wrong", "", no_offset,
                 "a merge by snapshots, offsets or collectives says it"};
  const std::size_t known = drawn.size();
  if (drawn.size() > max_nodes) drawn.resize(max_nodes);
  std::int64_t from_ps = drawn.front()->bounds.windows.front().from_ps, to_ps = drawn.front()->bounds.windows.back().to_ps;
  std::int64_t least = 0, most = 0;
  for (const clock_of_node* node : drawn) {
    from_ps = std::min(from_ps, node->bounds.windows.front().from_ps);
    to_ps = std::max(to_ps, node->bounds.windows.back().to_ps);
    for (const clock_window& w : node->bounds.windows) {
      const std::int64_t bound = std::max<std::int64_t>(w.tracer_bound_ps, 1);
      least = least == 0 ? bound : std::min(least, bound);
      most = std::max(most, bound);
    }
  }
  std::string says = "How far corrected times of devices can be wrong, of " + counted(known, "node");
  if (known > drawn.size()) says += "; the " + std::to_string(drawn.size()) + " with the widest bounds";
  if (known < nodes.size()) says += "; of " + std::to_string(nodes.size() - known) + " it is not known";
  drawing out(into, clock_plot.width, clock_plot.height, "Clock bounds over time", says + ".", form);
  const scale across{from_ps, std::max(to_ps, saturating_add(from_ps, 1)), clock_plot.left, clock_plot.right};
  const log_scale up = log_scale_over(static_cast<double>(least), static_cast<double>(most), clock_plot.bottom, clock_plot.top);
  draw_log_up(out, clock_plot, up, [](double ps) { return round_duration(std::llround(ps)); });
  for (const tick& t : time_ticks(from_ps, to_ps, 0, 8)) {
    out.line(across.at(t.value), clock_plot.top, across.at(t.value), clock_plot.bottom + 4, "grid");
    out.text(across.at(t.value), clock_plot.bottom + 18, t.label, drawing::anchor::middle, "soft");
  }
  const std::int64_t pixel_ps =
      time_between(from_ps, to_ps) / static_cast<std::int64_t>(clock_plot.right - clock_plot.left);
  double label_y = clock_plot.top + 8;
  for (std::size_t n = 0; n < drawn.size(); ++n) {
    const char* const kind = distinct_kinds[n % std::size(distinct_kinds)];
    const std::string name = node_title(drawn[n]->node_id, drawn[n]->hostname);
    for (const shown_window& w : windows_of(drawn[n]->bounds, pixel_ps)) {
      const double x = across.at(w.from_ps), y = up.at(static_cast<double>(w.bound_ps));
      std::string tip = name + ", " + human_duration(w.from_ps) + " to " + human_duration(w.to_ps) + ": within " +
                        human_duration(w.bound_ps);
      if (w.extrapolated) tip += ", beyond the last measurement";
      if (w.suspect) tip += ", its clock jumped or ran at an impossible rate";
      out.box(x, y - (w.suspect ? 4 : 1.5), std::max(1.0, across.at(w.to_ps) - x), w.suspect ? 8 : 3, kind, tip);
    }
    out.box(clock_plot.right + 16, label_y - 9, 10, 10, kind);
    out.text(clock_plot.right + 32, label_y, name);
    label_y += 20;
  }
  return out.finish();
}

}  // namespace
}  // namespace picture

result<void> write_clock_picture(const std::vector<clock_of_node>& nodes, sink& into, picture_form form) {
  return contained([&] { return picture::draw_clocks(nodes, into, form); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
