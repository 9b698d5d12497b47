// Powers of ten on an axis.
#pragma once
#include <export/drawing/drawing.hpp>

#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {

struct log_scale {
  double from = 0, to = 1, first = 0, last = 0;  // powers of ten; pixels
  [[nodiscard]] double at(double value) const;
};
// From the power of ten at or below `least` to the one at or above `most`, at least one apart.
[[nodiscard]] log_scale log_scale_over(double least, double most, double first, double last);

[[nodiscard]] double power_of_ten(double power);

// A line for each power of ten, with label(value) below it, or left of it.
template <class Label>
void draw_log_across(drawing& out, const plot& in, const log_scale& across, Label&& label) {
  for (double power = across.from; power <= across.to; ++power) {
    const double value = power_of_ten(power), x = across.at(value);
    out.line(x, in.top, x, in.bottom + 4, "grid");
    out.text(x, in.bottom + 18, label(value), drawing::anchor::middle, "soft");
  }
}

template <class Label>
void draw_log_up(drawing& out, const plot& in, const log_scale& up, Label&& label) {
  for (double power = up.from; power <= up.to; ++power) {
    const double value = power_of_ten(power), y = up.at(value);
    out.line(in.left - 4, y, in.right, y, "grid");
    out.text(in.left - 8, y + 4, label(value), drawing::anchor::end, "soft");
  }
}

}  // namespace picture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
