// One layer of the model: its parts in the order in which they run, as wide as their time.
#include <profkit/core/picture.hpp>

#include <base/contained.hpp>
#include <export/drawing/drawing.hpp>
#include <page/picture/device_lanes.hpp>
#include <page/picture/lane.hpp>
#include <export/shortened.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {
namespace {

constexpr double box_height = 46, row_step = 60, first_row = 84;
struct box_column {
  double left, width;
};
constexpr box_column main_column{16, 560}, side_column{610, 360};

bool communicates(layer_role role) noexcept {
  return role == layer_role::tp_comm || role == layer_role::ep_comm || role == layer_role::expert_dispatch;
}

std::string kernels_text(const activity& of, const tree_node& n, std::size_t room) {
  std::string text;
  for (std::size_t i = 0; i < n.ops.size() && i < 3; ++i) {
    text += text.empty() ? "" : ", ";
    if (n.ops[i].count > 1) text += std::to_string(n.ops[i].count) + " × ";
    text += shortened(shown_op_name(of.text(n.ops[i].op)), 44);
  }
  if (n.ops.size() > 3) text += ", " + std::to_string(n.ops.size() - 3) + " more";
  return shortened(text, room);
}

void draw_part(drawing& out, const activity& of, const tree_node& n, std::int64_t layer_ps, double y) {
  const box_column& column = n.side ? side_column : main_column;
  const double share = static_cast<double>(std::min(n.wall_ps, layer_ps)) / static_cast<double>(std::max<std::int64_t>(layer_ps, 1));
  std::string tip;
  for (const tree_op& op : n.ops)
    tip += (tip.empty() ? "" : "; ") + std::to_string(op.count) + " × " + std::string(of.text(op.op)).substr(0, 200) + ", " +
           human_duration(op.duration_ps);
  out.box(column.left, y, column.width, box_height, "steps", tip);
  out.box(column.left, y + box_height - 5, std::max(1.0, column.width * share), 5, communicates(n.role) ? "communication" : "compute");
  std::string time = human_duration(n.wall_ps) + ", " + share_text(n.wall_ps, layer_ps);
  if (n.overlapped_ps > 0) time += ", " + share_text(std::min(n.overlapped_ps, n.wall_ps), n.wall_ps) + " beside other streams";
  out.text(column.left + 10, y + 17, layer_role_title(n.role));
  out.text(column.left + column.width - 10, y + 17, time, drawing::anchor::end, "soft");
  out.text(column.left + 10, y + 34, kernels_text(of, n, static_cast<std::size_t>(column.width / 6.6)), drawing::anchor::start, "soft");
}

result<void> draw_layer(const activity& of, const architecture_result& found, sink& into, picture_form form) {
  const std::vector<device_architecture>& devices = found.devices;
  const layer_anatomy* const a = found.reported < devices.size() ? devices[found.reported].costliest() : nullptr;
  if (a == nullptr)
    return fault{fault_code::not_found, "no layer was found whose parts could be drawn", "", no_offset, "profkit architecture says what was"};
  const device_architecture& d = devices[found.reported];
  const model_layer& typical = d.layers[a->typical];
  const std::int64_t layer_ps = time_between(typical.start_ps, typical.end_ps);
  std::string title = "One layer: " + d.type_text(a->kind);
  if (a->phase != model_phase::undetermined) title += std::string(", ") + model_phase_name(a->phase);
  std::string says = human_duration(layer_ps) + ", " + counted(a->kernels, "kernel");
  says += a->layers > 1 ? "; the one of median length, of " + grouped(a->layers) : "";
  if (a->tree_left_out > 0) says += "; " + counted(a->tree_left_out, "kernel") + " not drawn";
  const double rows = static_cast<double>(a->tree.size());
  const bool any_side = std::any_of(a->tree.begin(), a->tree.end(), [](const tree_node& n) { return n.side; });
  // The same width whatever runs beside it, so that texts are as large as those of other pictures.
  drawing out(into, side_column.left + side_column.width + 30, first_row + rows * row_step + 10, title, says + ".", form);
  out.text(main_column.left, first_row - 12, "main stream " + d.streams[a->tree.front().lane].name, drawing::anchor::start, "soft");
  if (any_side) out.text(side_column.left, first_row - 12, "other streams", drawing::anchor::start, "soft");
  double y = first_row, previous = -1;
  for (const tree_node& n : a->tree) {
    const double middle = main_column.left + main_column.width / 2;
    if (!n.side) {
      if (previous >= 0) out.line(middle, previous, middle, y, "roof");
      previous = y + box_height;
    }
    draw_part(out, of, n, layer_ps, y);
    y += row_step;
  }
  return out.finish();
}

}  // namespace
}  // namespace picture

result<void> write_layer_picture(const activity& of, const architecture_result& found, sink& into, picture_form form) {
  return contained([&] { return picture::draw_layer(of, found, into, form); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
