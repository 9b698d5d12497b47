#include "clock_statistics.hpp"

#include <base/median.hpp>

#include <algorithm>
#include <cmath>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Largest |error| / rms that 99.95 % of simulated clocks stay below (uniform and normal noise, straight line fitted,
// error of the interpolation anywhere between the first and the last measurement), by degrees of freedom.
struct factor {
  double freedom, times;
};
constexpr factor factors[] = {{1, 800}, {2, 38},  {3, 12.5}, {4, 7.8},  {5, 6.0},
                              {6, 5.0}, {7, 4.4}, {8, 4.1},  {10, 3.8}, {14, 3.5}};
constexpr double most_certain_factor = 3.3;

double factor_of(double freedom) noexcept {
  if (freedom < 1) return factors[0].times;
  for (std::size_t i = 0; i + 1 < std::size(factors); ++i)
    if (freedom < factors[i + 1].freedom) return factors[i].times;
  return freedom < 30 ? factors[std::size(factors) - 1].times : most_certain_factor;
}

clock_scatter scatter_of_second_differences(const std::vector<deviation>& points) noexcept {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const auto before = static_cast<double>(points[i].at_ps - points[i - 1].at_ps);
    const auto after = static_cast<double>(points[i + 1].at_ps - points[i].at_ps);
    if (before <= 0 || after <= 0) continue;
    const double a = after / (before + after), b = before / (before + after);
    const double d = static_cast<double>(points[i].size_ps - points[i - 1].size_ps) * a -
                     static_cast<double>(points[i + 1].size_ps - points[i].size_ps) * b;
    sum += d * d / (1 + a * a + b * b);
    ++count;
  }
  // Neighbouring differences share measurements: about half of them are independent.
  return count == 0
             ? clock_scatter{}
             : clock_scatter{std::sqrt(sum / static_cast<double>(count)), std::floor(static_cast<double>(count) / 2)};
}

}  // namespace

std::int64_t whole_ps(double ps) noexcept {
  constexpr double most = 4e18;
  return !(ps < most) ? static_cast<std::int64_t>(most) : static_cast<std::int64_t>(std::ceil(ps));
}

double share_of(std::vector<double> values, double share) noexcept {
  if (values.empty()) return 0;
  return nth_smallest(values, static_cast<std::size_t>(as_double(static_cast<std::int64_t>(values.size())) * share));
}

fitted_line fit_line(const std::vector<deviation>& points) noexcept {
  fitted_line line;
  if (points.size() < 2) return line;
  // Relative to the first point, so that the doubles hold differences only.
  const std::int64_t t0 = points.front().at_ps, y0 = points.front().size_ps;
  double t = 0, y = 0;
  for (const deviation& p : points) {
    t += static_cast<double>(p.at_ps - t0);
    y += static_cast<double>(p.size_ps - y0);
  }
  const auto n = static_cast<double>(points.size());
  t /= n;
  y /= n;
  double tt = 0, ty = 0;
  for (const deviation& p : points) {
    const double dt = static_cast<double>(p.at_ps - t0) - t;
    tt += dt * dt;
    ty += dt * (static_cast<double>(p.size_ps - y0) - y);
  }
  line.slope = tt > 0 ? ty / tt : 0;
  double left = 0;
  for (const deviation& p : points) {
    const double r = static_cast<double>(p.size_ps - y0) - y - line.slope * (static_cast<double>(p.at_ps - t0) - t);
    left += r * r;
  }
  line.mean_square = left / n;
  line.freedom = n - 2;
  line.rms_ps = line.freedom > 0 ? std::sqrt(left / line.freedom) : 0;
  return line;
}

clock_scatter scatter_of(const std::vector<deviation>& points) noexcept {
  const fitted_line line = fit_line(points);
  const clock_scatter whole{line.rms_ps, line.freedom};
  if (line.freedom < 6) return whole;
  const clock_scatter local = scatter_of_second_differences(points);
  return local.freedom >= 3 && local.rms_ps * 3 < whole.rms_ps ? local : whole;
}

clock_scatter pooled_scatter(const std::vector<clock_scatter>& of) noexcept {
  clock_scatter all;
  double sum = 0;
  for (const clock_scatter& s : of) {
    if (!(s.freedom > 0)) continue;
    sum += s.rms_ps * s.rms_ps * s.freedom;
    all.freedom += s.freedom;
  }
  if (all.freedom > 0) all.rms_ps = std::sqrt(sum / all.freedom);
  return all;
}

clock_scatter scatter_of_nodes(std::vector<clock_scatter> of) noexcept {
  constexpr double max_times = 3;
  std::vector<double> sizes;
  for (const clock_scatter& s : of)
    if (s.freedom > 0) sizes.push_back(s.rms_ps);
  const double most = max_times * median_of(std::move(sizes));
  for (clock_scatter& s : of) s.rms_ps = std::min(s.rms_ps, most);
  return pooled_scatter(of);
}

double largest_error_ps(const clock_scatter& own, const clock_scatter& pooled) noexcept {
  const double alone = own.rms_ps * factor_of(own.freedom);
  // Two measurements alone say nothing of their scatter.
  if (own.freedom <= 0 && pooled.freedom <= 0) return 0;
  if (pooled.freedom <= own.freedom) return alone;
  // A node that scatters more than the others is judged by its own measurements.
  const double together = std::max(pooled.rms_ps * factor_of(pooled.freedom), own.rms_ps * most_certain_factor);
  return own.freedom > 0 && own.rms_ps > 2 * pooled.rms_ps ? std::max(alone, together) : together;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
