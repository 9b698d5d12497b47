// How far one clock can at most be ahead of another, as a function of time.
#pragma once
#include <profkit/namespace.hpp>

#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The difference of two clocks is a line, of a slope within limits. Where points are known that it does not pass, all such lines lie
// below a convex function of straight pieces: its corners are some of these points, and beyond the first and the last it goes on as
// steeply as a line can.
class clock_ceiling {
 public:
  struct point {
    double x = 0, y = 0;
  };
  // Without points: the difference may be as large as it likes.
  clock_ceiling(double min_slope, double max_slope) : min_slope_(min_slope), max_slope_(max_slope) {}

  [[nodiscard]] bool limits() const noexcept { return !corners_.empty(); }
  [[nodiscard]] const std::vector<point>& corners() const noexcept { return corners_; }
  [[nodiscard]] double at(double x) const noexcept;

  // Lines stay below these points, too. Whether that says more than before, by at least `little` somewhere.
  bool lower(const std::vector<point>& points, double little = 0);
  // lower() by the sum of two differences: from one clock to a second, and from there to a third.
  bool lower_to_sum(const clock_ceiling& a, const clock_ceiling& b, double little);

 private:
  double min_slope_, max_slope_;
  std::vector<point> corners_;  // by x
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
