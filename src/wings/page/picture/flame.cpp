// A flame graph: what the threads of the hosts called, as wide as it took time.
#include <profkit/core/picture.hpp>

#include <base/contained.hpp>
#include <base/utf8.hpp>
#include <export/drawing/drawing.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {
namespace {

constexpr double flame_width = 1200, flame_left = 16, flame_right = flame_width - 16, flame_top = 56, call_height = 17;
constexpr double least_width = 0.5, letter_width = 6.8;
constexpr std::size_t max_depth = 80, max_boxes = 2000;
constexpr double max_tip_name = 90;  // letters; the numbers follow

std::string_view kind_of_call(const call_node& n) {
  switch (n.kind) {
    case host_span_kind::op: return "op";
    case host_span_kind::runtime: return "runtime";
    case host_span_kind::frame: return "frame";
    case host_span_kind::annotation: return "annotation";
    case host_span_kind::gc: return "gc";
    case host_span_kind::other:
    case host_span_kind::device_marker: return "host";
  }
  return "host";
}

// As much of it as has room, in whole characters of UTF-8.
std::string fitting_text(const std::string& text, double width) {
  const auto room = static_cast<std::size_t>(std::max(0.0, (width - 6) / letter_width));
  if (room < 3) return {};
  std::size_t letters = 0, cut = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_continuation(text[i])) continue;
    if (++letters == room) cut = i;
  }
  return letters <= room ? text : text.substr(0, cut) + "…";
}

// What is drawn of each node; a node that is too narrow or too deep has no width.
struct call_box {
  double x = 0, width = 0;
  std::size_t depth = 0;
};

std::vector<call_box> boxes_of(const call_tree& tree, std::int64_t whole_ps) {
  std::vector<call_box> boxes(tree.nodes.size());
  std::vector<double> free_x(tree.nodes.size()), widths;
  double thread_x = flame_left;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const call_node& n = tree.nodes[i];
    const bool is_thread = n.parent == no_call;
    double& x = is_thread ? thread_x : free_x[n.parent];
    const double width = (flame_right - flame_left) * static_cast<double>(n.total_ps) / static_cast<double>(whole_ps);
    boxes[i] = {x, width, is_thread ? 0 : boxes[n.parent].depth + 1};
    free_x[i] = x;
    x += width;
    if (boxes[i].depth >= max_depth || width < least_width)
      boxes[i].width = 0;
    else
      widths.push_back(width);
  }
  if (widths.size() <= max_boxes) return boxes;
  // A call is at most as wide as its caller, so that none is left without its caller.
  std::nth_element(widths.begin(), widths.begin() + max_boxes, widths.end(), std::greater<>());
  for (call_box& box : boxes)
    if (box.width <= widths[max_boxes]) box.width = 0;
  return boxes;
}

std::string name_of_call(const activity& of, const call_node& n) {
  if (n.parent != no_call) return std::string(of.text(n.name));
  const activity_thread& t = of.threads()[n.thread];
  return t.name.empty() ? t.process : t.process.empty() ? t.name : t.process + ", " + t.name;
}

void draw_calls(const activity& of, const call_tree& tree, const std::vector<call_box>& boxes, std::int64_t whole_ps, drawing& out) {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const call_box& box = boxes[i];
    if (box.width <= 0) continue;
    const call_node& n = tree.nodes[i];
    const bool is_thread = n.parent == no_call;
    const std::string name = name_of_call(of, n);
    std::string tip = fitting_text(name, max_tip_name * letter_width) + ": " + human_duration(n.total_ps) + ", " + share_text(n.total_ps, whole_ps);
    if (!is_thread) tip += "; " + counted(n.calls, "call") + ", itself " + human_duration(n.self_ps);
    const double y = flame_top + static_cast<double>(box.depth) * call_height;
    out.box(box.x, y, std::max(box.width - 0.5, 0.3), call_height - 1, is_thread ? "steps" : kind_of_call(n), tip);
    if (const std::string shown = fitting_text(name, box.width); !shown.empty())
      out.text(box.x + 3, y + call_height - 5, shown, drawing::anchor::start, is_thread ? "" : "call");
  }
}

}  // namespace
}  // namespace picture

result<void> write_flame_picture(const activity& of, const call_tree& found, sink& into, picture_form form) {
  return contained([&]() -> result<void> {
    std::int64_t whole_ps = 0;
    std::uint64_t threads = 0;
    for (const call_node& n : found.nodes)
      if (n.parent == no_call) {
        whole_ps = saturating_add(whole_ps, n.total_ps);
        ++threads;
      }
    if (whole_ps <= 0) return fault{fault_code::not_found, "no thread of a host recorded a call", "", no_offset, ""};
    const std::vector<picture::call_box> boxes = picture::boxes_of(found, whole_ps);
    std::size_t rows = 1;
    for (const picture::call_box& box : boxes)
      if (box.width > 0) rows = std::max(rows, box.depth + 1);
    picture::drawing out(into, picture::flame_width, picture::flame_top + static_cast<double>(rows) * picture::call_height + 16,
                         "Calls of the hosts",
                         human_duration(whole_ps) + " of " + picture::counted(threads, "thread") + ", " +
                             picture::counted(found.spans, "call") + "; as wide as they took time, callers above what they call.",
                         form);
    picture::draw_calls(of, found, boxes, whole_ps, out);
    return out.finish();
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
