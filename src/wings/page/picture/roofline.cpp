// Ops under the roof of their device.
#include <profkit/core/picture.hpp>

#include <base/contained.hpp>
#include <page/picture/log_scale.hpp>
#include <export/shortened.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {
namespace {

constexpr plot roof_plot{900, 560, 90, 876, 60, 510};
constexpr std::size_t max_dots = 1000, max_names = 6;

struct op_point {
  double per_byte = 0, per_second = 0;  // operations
  std::int64_t self_ps = 0;
  std::string name, tip;
};

// "0.01", "1", "1000".
std::string per_byte_label(double value) {
  const double power = std::round(std::log10(value));
  const std::string zeros(static_cast<std::size_t>(std::abs(power)), '0');
  return power < 0 ? "0." + zeros.substr(1) + '1' : '1' + zeros;
}

void draw_axes(drawing& out, const log_scale& across, const log_scale& up) {
  draw_log_across(out, roof_plot, across, per_byte_label);
  out.text(roof_plot.right, roof_plot.bottom + 38, "operations a byte", drawing::anchor::end, "soft");
  draw_log_up(out, roof_plot, up, [](double value) { return si_text(value) + "FLOP/s"; });
}

// Of the rows that lie deepest.
std::vector<op_point> points_of(const op_groups& found) {
  std::vector<op_point> points;
  for (const op_group& g : found.rows) {
    if (g.key != found.keys.back() || g.flops <= 0 || g.bytes <= 0 || g.worked_ps <= 0) continue;
    const auto each_second = [&](std::int64_t amount) { return static_cast<double>(amount) / static_cast<double>(g.worked_ps) * 1e12; };
    op_point point{static_cast<double>(g.flops) / static_cast<double>(g.bytes), each_second(g.flops), g.self_ps, g.name, {}};
    point.tip = point.name + ": " + si_text(point.per_second) + "FLOP/s, " + si_text(each_second(g.bytes)) + "B/s, " +
                human_duration(g.self_ps);
    points.push_back(std::move(point));
  }
  std::stable_sort(points.begin(), points.end(), [](const op_point& a, const op_point& b) { return a.self_ps > b.self_ps; });
  if (points.size() > max_dots) points.resize(max_dots);
  return points;
}

// The longest have their names beside them, where there is room.
void name_longest(drawing& out, const std::vector<op_point>& points, const log_scale& across, const log_scale& up) {
  std::vector<drawing::point> taken;
  for (const op_point& point : points) {
    if (taken.size() == max_names) break;
    const double x = across.at(point.per_byte), y = up.at(point.per_second) + 4;
    const auto is_near = [&](const drawing::point& other) { return std::abs(other.x - x) < 260 && std::abs(other.y - y) < 14; };
    if (std::any_of(taken.begin(), taken.end(), is_near)) continue;
    taken.push_back({x, y});
    const bool is_left = x < (roof_plot.left + roof_plot.right) / 2;
    const std::string name = shortened(readable_kernel_name(point.name), 44);
    out.text(is_left ? x + 20 : x - 20, y, name, is_left ? drawing::anchor::start : drawing::anchor::end);
  }
}

result<void> draw_roofline(const op_groups& found, sink& into, picture_form form) {
  std::set<std::pair<double, double>> roofs;
  for (const peak_group& each : found.peaks)
    if (each.peaks.flops_per_s > 0 && each.peaks.hbm_bytes_per_s > 0) roofs.insert({each.peaks.flops_per_s, each.peaks.hbm_bytes_per_s});
  const std::vector<op_point> points = points_of(found);
  if (points.empty())
    return fault{fault_code::not_found, "no op of this capture has counts of operations and of bytes", "", no_offset,
                 "XSpaces of TPUs have them, and of GPUs and CPUs where the program is inside"};
  double least_x = points.front().per_byte, most_x = least_x, least_y = points.front().per_second, most_y = least_y;
  for (const op_point& point : points) {
    least_x = std::min(least_x, point.per_byte);
    most_x = std::max(most_x, point.per_byte);
    least_y = std::min(least_y, point.per_second);
    most_y = std::max(most_y, point.per_second);
  }
  for (const auto& [flops, bandwidth] : roofs) {
    most_y = std::max(most_y, flops);
    most_x = std::max(most_x, flops / bandwidth);
    least_x = std::min(least_x, flops / bandwidth);
  }
  std::string says = counted(points.size(), "op") + "; the larger the dot, the longer it ran";
  for (const auto& [flops, bandwidth] : roofs)
    says += "; at most " + si_text(flops) + "FLOP/s and " + si_text(bandwidth) + "B/s";
  drawing out(into, roof_plot.width, roof_plot.height, "Roofline", says + ".", form);
  const log_scale across = log_scale_over(least_x, most_x, roof_plot.left, roof_plot.right);
  const log_scale up = log_scale_over(least_y, most_y, roof_plot.bottom, roof_plot.top);
  draw_axes(out, across, up);
  for (const auto& [flops, bandwidth] : roofs) {
    const double begins = power_of_ten(across.from), floor = power_of_ten(up.from), ridge = flops / bandwidth;
    const double start = std::max(begins, floor / bandwidth);
    const drawing::point first{across.at(start), up.at(start * bandwidth)}, turn{across.at(ridge), up.at(flops)};
    out.curve({first, turn, {roof_plot.right, turn.y}}, "roof");
  }
  const double longest = static_cast<double>(std::max<std::int64_t>(points.front().self_ps, 1));
  for (const op_point& point : points)
    out.dot(across.at(point.per_byte), up.at(point.per_second),
            3 + 13 * std::sqrt(static_cast<double>(point.self_ps) / longest), "dot", point.tip);
  name_longest(out, points, across, up);
  return out.finish();
}

}  // namespace
}  // namespace picture

result<void> write_roofline_picture(const op_groups& found, sink& into, picture_form form) {
  return contained([&] { return picture::draw_roofline(found, into, form); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
