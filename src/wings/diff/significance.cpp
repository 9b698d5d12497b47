#include <diff/significance.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace diff {
namespace {

constexpr std::size_t resamples = 2000, most_arrangements = 20'000;

// splitmix64: the same numbers on every machine.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t end) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<std::size_t>((z ^ (z >> 31U)) % end);
  }

 private:
  std::uint64_t state_;
};

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

std::size_t block_length(const std::vector<double>& series) {
  const double mean = mean_of(series);
  double all = 0, neighbours = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    all += (series[i] - mean) * (series[i] - mean);
    if (i > 0) neighbours += (series[i] - mean) * (series[i - 1] - mean);
  }
  const double n = static_cast<double>(series.size());
  // As measured it is too small by (1 + 4 r) / n.
  const double measured = all > 0 ? neighbours / all : 0;
  const double r = std::min(std::max(measured + (1 + 4 * measured) / n, 0.0), 0.97);
  const double length = std::cbrt(1.5 * n) * std::pow(2 * r / (1 - r * r), 2.0 / 3);
  return static_cast<std::size_t>(std::min(std::max(std::ceil(length), 1.0), n / 2));
}

// Means of blocks vary less than means of series: inside a block all is as it was.
double widening(std::size_t values, std::size_t length) noexcept {
  return std::sqrt(static_cast<double>(values) / static_cast<double>(values - length));
}

// How much further out 2.5 % of Student's distribution lie than of the normal one, by how many blocks there are.
double widening_of_few(double blocks) noexcept {
  constexpr double z = 1.96;
  return 1 + (z * z + 1) / (4 * std::max(blocks - 2, 1.0));
}

double mean_of_blocks(const std::vector<double>& series, std::size_t length, random_numbers& random) {
  double sum = 0;
  std::size_t taken = 0;
  while (taken < series.size()) {
    std::size_t at = random.below(series.size() - length + 1);
    for (std::size_t i = 0; i < length && taken < series.size(); ++i, ++taken) sum += series[at++];
  }
  return sum / static_cast<double>(series.size());
}

}  // namespace

std::optional<change_interval> change_of_series(const std::vector<double>& before, const std::vector<double>& after) {
  if (before.size() < least_of_series || after.size() < least_of_series || mean_of(before) <= 0) return std::nullopt;
  random_numbers random(before.size() * 1000003 + after.size());
  const std::size_t of_before = block_length(before), of_after = block_length(after);
  std::vector<double> changes;
  for (std::size_t i = 0; i < resamples; ++i) {
    const double was = mean_of_blocks(before, of_before, random), is = mean_of_blocks(after, of_after, random);
    if (was > 0) changes.push_back(is / was - 1);
  }
  std::sort(changes.begin(), changes.end());
  const double found = mean_of(after) / mean_of(before) - 1;
  const double blocks = static_cast<double>(before.size()) / static_cast<double>(of_before) +
                        static_cast<double>(after.size()) / static_cast<double>(of_after);
  const double wider = std::max(widening(before.size(), of_before), widening(after.size(), of_after)) * widening_of_few(blocks);
  const auto at = [&](double share) {
    return found + wider * (changes[static_cast<std::size_t>(share * static_cast<double>(changes.size() - 1))] - found);
  };
  return change_interval{at(0.025), at(0.975)};
}

bool all_above_zero(const std::vector<double>& values) noexcept {
  return std::all_of(values.begin(), values.end(), [](double v) { return v > 0; });
}

run_change::run_change(const std::vector<double>& before, const std::vector<double>& after) : before_(before.size()) {
  for (const std::vector<double>* const side : {&before, &after})
    for (const double v : *side) logs_.push_back(std::log(v));
  const std::size_t n = logs_.size();
  std::vector<std::uint8_t> is_after(n, 0);
  std::fill(is_after.begin() + static_cast<std::ptrdiff_t>(before_), is_after.end(), std::uint8_t{1});
  double all = 1;
  for (std::size_t i = 1; i <= before_; ++i) all *= static_cast<double>(n - before_ + i) / static_cast<double>(i);
  arrangements_.push_back(is_after);
  if (all <= static_cast<double>(most_arrangements)) {
    while (std::next_permutation(is_after.begin(), is_after.end())) arrangements_.push_back(is_after);
    return;
  }
  random_numbers random(n);
  while (arrangements_.size() < most_arrangements) {
    for (std::size_t i = n - 1; i > 0; --i) std::swap(is_after[i], is_after[random.below(i + 1)]);
    arrangements_.push_back(is_after);
  }
}

double run_change::change() const {
  const auto first_after = logs_.begin() + static_cast<std::ptrdiff_t>(before_);
  return std::exp(mean_of({first_after, logs_.end()}) - mean_of({logs_.begin(), first_after})) - 1;
}

double run_change::share_as_large(double shift, double sign) const {
  const auto difference = [&](const std::vector<std::uint8_t>& is_after) {
    double before = 0, after = 0;
    for (std::size_t i = 0; i < logs_.size(); ++i) (is_after[i] != 0 ? after : before) += logs_[i] - (i >= before_ ? shift : 0);
    return sign * (after / static_cast<double>(logs_.size() - before_) - before / static_cast<double>(before_));
  };
  const double as_it_was = difference(arrangements_.front());
  std::size_t as_large = 0;
  for (const std::vector<std::uint8_t>& one : arrangements_) as_large += difference(one) >= as_it_was - 1e-12 ? 1 : 0;
  return static_cast<double>(as_large) / static_cast<double>(arrangements_.size());
}

double run_change::two_sided_p() const { return std::min(1.0, 2 * std::min(share_as_large(0, 1), share_as_large(0, -1))); }

std::optional<double> run_change::bound(double certainty, double sign) const {
  const double most = 1 - certainty + 1e-9;
  if (static_cast<double>(arrangements_.size()) * most < 1) return std::nullopt;
  double rejected = -5 * sign, kept = 5 * sign;  // shifts, as logarithms
  if (share_as_large(rejected, sign) > most) return std::nullopt;
  for (int i = 0; i < 60; ++i) {
    const double middle = (rejected + kept) / 2;
    (share_as_large(middle, sign) <= most ? rejected : kept) = middle;
  }
  return std::exp(rejected) - 1;
}

std::optional<double> run_change::lower_bound(double certainty) const { return bound(certainty, 1); }
std::optional<double> run_change::upper_bound(double certainty) const { return bound(certainty, -1); }

namespace {

// Derivatives of the logarithm of the gamma function, of x > 0: recursion up to where the series is exact enough.
double digamma(double x) noexcept {
  double sum = 0;
  for (; x < 10; ++x) sum -= 1 / x;
  const double y = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x - y * (1.0 / 12 - y * (1.0 / 120 - y / 252));
}
double trigamma(double x) noexcept {
  double sum = 0;
  for (; x < 10; ++x) sum += 1 / (x * x);
  const double y = 1 / (x * x);
  return sum + 1 / x + y / 2 + y / x * (1.0 / 6 - y * (1.0 / 30 - y / 42));
}
// The x whose trigamma is y > 0; it falls with x.
double inverse_trigamma(double y) noexcept {
  double low = 1e-6, high = 1e6;
  for (int i = 0; i < 100; ++i) {
    const double middle = std::sqrt(low * high);
    (trigamma(middle) > y ? low : high) = middle;
  }
  return low;
}

// What lies further out than t, in both directions, of Student's distribution with `df` degrees: the incomplete beta function as a continued
// fraction (Lentz).
double outside_of_student(double t, double df) noexcept {
  if (df > 1e5) return std::erfc(std::fabs(t) / std::sqrt(2.0));
  const double x = df / (df + t * t), a = df / 2, b = 0.5;
  const bool swapped = x > (a + 1) / (a + b + 2);
  const double p = swapped ? b : a, q = swapped ? a : b, at = swapped ? 1 - x : x;
  constexpr double tiny = 1e-300;
  double c = 1, d = 1 - (p + q) * at / (p + 1);
  d = 1 / (std::fabs(d) < tiny ? tiny : d);
  double fraction = d;
  for (int m = 1; m < 300; ++m) {
    for (const double factor : {m * (q - m) * at / ((p + 2 * m - 1) * (p + 2 * m)), -(p + m) * (p + q + m) * at / ((p + 2 * m) * (p + 2 * m + 1))}) {
      d = 1 + factor * d;
      d = 1 / (std::fabs(d) < tiny ? tiny : d);
      c = 1 + factor / c;
      if (std::fabs(c) < tiny) c = tiny;
      fraction *= c * d;
    }
    if (std::fabs(c * d - 1) < 1e-14) break;
  }
  const double front = std::exp(std::lgamma(p + q) - std::lgamma(p) - std::lgamma(q) + p * std::log(at) + q * std::log1p(-at));
  const double inside = front * fraction / p;
  return swapped ? 1 - inside : inside;
}

// Mean of the logarithms, and the sum of squares about it.
struct log_sums {
  double mean = 0, squares = 0;
};
log_sums log_sums_of(const std::vector<double>& values) {
  log_sums found;
  for (const double v : values) found.mean += std::log(v) / static_cast<double>(values.size());
  for (const double v : values) found.squares += (std::log(v) - found.mean) * (std::log(v) - found.mean);
  return found;
}

}  // namespace

std::vector<std::optional<double>> shares_by_chance(const std::vector<run_numbers>& all) {
  std::vector<std::optional<double>> shares(all.size());
  struct tested {
    std::size_t which;
    double change, variance, df, of_means;  // of_means: of the difference of means, over the variance
  };
  std::vector<tested> tests;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::vector<double>&before = all[i].before, &after = all[i].after;
    if (before.size() < 2 || after.size() < 2 || !all_above_zero(before) || !all_above_zero(after)) continue;
    const log_sums was = log_sums_of(before), is = log_sums_of(after);
    const double n = static_cast<double>(before.size()), m = static_cast<double>(after.size()), df = n + m - 2;
    tests.push_back({i, is.mean - was.mean, std::max((was.squares + is.squares) / df, 1e-12), df, 1 / n + 1 / m});
  }
  if (tests.empty()) return shares;
  // Of the logarithms of variances, less what chance adds to them: mean and variance, and so the distribution that they are drawn from.
  double mean = 0, square = 0, by_chance = 0;
  const double count = static_cast<double>(tests.size());
  const auto drawn = [](const tested& t) { return std::log(t.variance) - digamma(t.df / 2) + std::log(t.df / 2); };
  for (const tested& t : tests) mean += drawn(t) / count;
  for (const tested& t : tests) {
    square += (drawn(t) - mean) * (drawn(t) - mean) / std::max(count - 1, 1.0);
    by_chance += trigamma(t.df / 2) / count;
  }
  const double spread = square - by_chance;
  const double prior_df = tests.size() < 3 ? 0 : spread > 0 ? 2 * inverse_trigamma(spread) : 1e9;
  const double prior = prior_df > 1e5 ? std::exp(mean) : prior_df > 0 ? std::exp(mean + digamma(prior_df / 2) - std::log(prior_df / 2)) : 0;
  std::vector<std::pair<double, std::size_t>> p_values;
  for (const tested& t : tests) {
    const double variance = (prior_df * prior + t.df * t.variance) / (prior_df + t.df);
    p_values.emplace_back(outside_of_student(t.change / std::sqrt(variance * t.of_means), prior_df + t.df), t.which);
  }
  std::sort(p_values.begin(), p_values.end());
  double least = 1;
  for (std::size_t i = p_values.size(); i-- > 0;) {
    least = std::min(least, p_values[i].first * count / static_cast<double>(i + 1));
    shares[p_values[i].second] = least;
  }
  return shares;
}

}  // namespace diff
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
