// How sure it is that a number changed.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace diff {

// Of after / before - 1.
struct change_interval {
  double low = 0, high = 0;
};

// 95 %, of the means of two series whose values depend on those before them: moving blocks, as long as the correlation of neighbours
// asks for (Politis and White 2004, for a series of first order). What differs from run to run it does not know. None of fewer than
// `least_of_series` values. The same series give the same interval.
inline constexpr std::size_t least_of_series = 8;
[[nodiscard]] std::optional<change_interval> change_of_series(const std::vector<double>& before, const std::vector<double>& after);

[[nodiscard]] bool all_above_zero(const std::vector<double>& values) noexcept;

// Numbers of runs, one each; all above 0. By which of them are before and which after: every arrangement, or 20,000 at random.
class run_change {
 public:
  run_change(const std::vector<double>& before, const std::vector<double>& after);
  [[nodiscard]] double change() const;  // of the geometric means
  // How many of all arrangements differ as much, in either direction.
  [[nodiscard]] double two_sided_p() const;
  // The most that after / before - 1 exceeds with this certainty; none where so few runs cannot show that.
  [[nodiscard]] std::optional<double> lower_bound(double certainty) const;
  [[nodiscard]] std::optional<double> upper_bound(double certainty) const;

 private:
  [[nodiscard]] std::optional<double> bound(double certainty, double sign) const;
  [[nodiscard]] double share_as_large(double shift, double sign) const;  // of arrangements, where after were divided by exp(shift)
  std::vector<double> logs_;  // before, then after
  std::size_t before_;
  std::vector<std::vector<std::uint8_t>> arrangements_;  // whether each is after; as it was among them
};

// The same number of each run, of one of many things.
struct run_numbers {
  std::vector<double> before, after;
};
// Of many things that may have changed, the share of those as sure as it or surer that chance alone would give (Benjamini and Hochberg 1995);
// none where a side has fewer than two runs, or a run has nothing of it. By t tests of the logarithms, whose variances are drawn towards
// what those of all are (Smyth 2004): few runs know little of one thing, but much of all together.
[[nodiscard]] std::vector<std::optional<double>> shares_by_chance(const std::vector<run_numbers>& all);

}  // namespace diff
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
