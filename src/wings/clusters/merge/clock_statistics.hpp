// How measurements of a clock scatter about a smooth line, and what that says about their largest error.
#pragma once
#include <profkit/core/clock.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// One measurement: a small deviation (ps) at a time (ps).
struct deviation {
  std::int64_t at_ps = 0, size_ps = 0;
};

// A straight line through deviations by least squares.
struct fitted_line {
  double slope = 0;        // ps a ps
  double rms_ps = 0;       // of what is left, about the degrees of freedom; 0 when there are none
  double mean_square = 0;  // of what is left, about the number of points
  double freedom = 0;
};
fitted_line fit_line(const std::vector<deviation>& points) noexcept;

// Scatter of independent errors. Smooth wandering of a clock is not noise: where second differences are much smaller
// than what is left of the line, they are used.
clock_scatter scatter_of(const std::vector<deviation>& points) noexcept;
// Of several nodes together. One that scatters far more than the usual one says nothing of the others.
clock_scatter scatter_of_nodes(std::vector<clock_scatter> of) noexcept;

// What no error of such a scatter exceeds (99.95 %), given how well the scatter is known: where measurements are too few for
// largest_noise_ps().
double largest_error_ps(const clock_scatter& own, const clock_scatter& pooled) noexcept;

// The value that such a share of all lie below; 0 of none.
[[nodiscard]] double share_of(std::vector<double> values, double share) noexcept;
[[nodiscard]] inline double median_of(std::vector<double> values) noexcept { return share_of(std::move(values), 0.5); }

inline constexpr double ppt = 1e12;                      // parts
inline constexpr std::int64_t tracer_reading_ps = 2000;  // R and S are read in whole ns, and so are the two starts
inline constexpr std::int64_t host_reading_ps = 1000;

[[nodiscard]] inline double as_double(std::int64_t n) noexcept { return static_cast<double>(n); }
// Rounded up; 4e18 at most.
[[nodiscard]] std::int64_t whole_ps(double ps) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
