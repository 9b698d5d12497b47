// The set of offsets and drifts between two clocks that a list of inequalities leaves: a convex polygon.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// y(x) = offset + drift * x, where x is time since a pivot in units that make it lie within [-1, 1].
struct clock_line {
  double offset = 0, drift = 0;
};

class feasible_set {
 public:
  feasible_set() = default;  // empty
  // |offset| <= max_offset and min_drift <= drift <= max_drift.
  feasible_set(double max_offset, double min_drift, double max_drift);

  // Keeps the lines with sign * (offset + drift * x) <= sign * y: sign +1 from above, -1 from below.
  void cut(double x, double y, double sign);

  [[nodiscard]] bool empty() const noexcept { return corners_.empty(); }
  [[nodiscard]] bool contains(const clock_line& line, double slack) const noexcept;
  [[nodiscard]] clock_line least() const noexcept;  // of each coordinate
  [[nodiscard]] clock_line most() const noexcept;
  [[nodiscard]] clock_line centre() const noexcept;
  [[nodiscard]] const std::vector<clock_line>& corners() const noexcept { return corners_; }

 private:
  std::vector<clock_line> corners_;  // counter-clockwise
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
