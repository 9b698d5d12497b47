#include "odd_measurements.hpp"

#include <algorithm>
#include <cmath>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t neighbours = 3;       // on each side: one bad one among them changes no median
constexpr std::size_t min_points = 6;     // fewer do not show what their scatter is
// The deviation that a share of all stays below, of normal ones over their standard deviation. The greater share sees
// what coarse clocks do now and then; of few deviations one bad measurement spoils as many.
constexpr double few_share = 0.5, few_of_normal = 0.6745, many_share = 0.7, many_of_normal = 1.0364;
constexpr std::size_t many = 20;
constexpr double times_scatter = 12;        // long tails of delays reach 8
constexpr double sure_count = 10;           // of deviations; the scatter of fewer is known less well
constexpr double gap_times = 4;             // of the usual distance
constexpr double slewed_share = 0.5;  // neighbours that advance alike, at least so much: a clock that is slewed, and no step

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double scatter_of_sizes(std::vector<double> sizes) {
  const bool is_many = sizes.size() >= many;
  return share_of(std::move(sizes), is_many ? many_share : few_share) / (is_many ? many_of_normal : few_of_normal);
}

// Off both sides in the same direction, by the less.
double off_both(double left, double right) {
  if ((left > 0) != (right > 0)) return 0;
  return std::abs(left) < std::abs(right) ? left : right;
}

class odd_finder {
 public:
  odd_finder(const std::vector<deviation>& points, double reading_ps) : n_(points.size()), reading_(reading_ps) {
    std::vector<double> rates;
    for (const deviation& p : points) {
      t_.push_back(as_double(p.at_ps - points.front().at_ps));
      y_.push_back(as_double(p.size_ps - points.front().size_ps));
    }
    for (std::size_t i = 0; i + 1 < n_; ++i) rates.push_back((y_[i + 1] - y_[i]) / (t_[i + 1] - t_[i]));
    const double usual = median_of(rates);
    for (std::size_t i = 0; i < n_; ++i) y_[i] -= usual * t_[i];
  }

  odd_measurements find() {
    odd_measurements found;
    if (n_ < min_points) return found;
    measure_scatter();
    for (std::size_t i = 1; i + 1 < n_; ++i)
      if (const double off = off_sides(i); std::abs(off) > tolerance_at(i)) found.outliers.push_back({i, off});
    if (found.outliers.empty()) {
      for (const bool first : {true, false})
        if (const double off = off_end(first); std::abs(off) > 2 * tolerance_)
          found.outliers.push_back({first ? 0 : n_ - 1, off});
    }
    if (!found.outliers.empty()) return found;
    find_steps(found.steps);
    find_bends(found.bends);
    return found;
  }

 private:
  // Of second differences, which a wandering clock leaves small, or of first ones, where one bad measurement spoils
  // fewer: whichever is less.
  void measure_scatter() {
    std::vector<double> second, first, products;
    for (std::size_t i = 0; i + 1 < n_; ++i) first.push_back(std::abs(y_[i + 1] - y_[i]) / std::sqrt(2.0));
    for (std::size_t i = 1; i + 1 < n_; ++i) {
      const double before = t_[i] - t_[i - 1], after = t_[i + 1] - t_[i];
      const double a = after / (before + after), b = before / (before + after);
      second.push_back(std::abs(y_[i] - a * y_[i - 1] - b * y_[i + 1]) / std::sqrt(1 + a * a + b * b));
      products.push_back(before * after);
    }
    const auto count = as_double(static_cast<std::int64_t>(second.size()));
    scatter_ = std::min(scatter_of_sizes(second), scatter_of_sizes(first));
    usual_product_ = median_of(products);
    tolerance_ = times_scatter * std::max(1.0, sure_count / count) * scatter_ + reading_;
  }

  // A clock bends more where neighbours are far.
  [[nodiscard]] double tolerance_at(std::size_t i) const {
    return tolerance_ * std::max(1.0, (t_[i] - t_[i - 1]) * (t_[i + 1] - t_[i]) / usual_product_);
  }

  [[nodiscard]] double off_sides(std::size_t i) const {
    const std::size_t from = i < neighbours ? 0 : i - neighbours, to = std::min(n_, i + 1 + neighbours);
    const double left = middle_of({y_.data() + from, y_.data() + i}),
                 right = middle_of({y_.data() + i + 1, y_.data() + to});
    return off_both(y_[i] - left, y_[i] - right);
  }

  // The first or last one against a line through those next to it. One that agrees with its neighbour is not alone.
  [[nodiscard]] double off_end(bool first) const {
    const auto place = [&](std::size_t k) { return first ? k : n_ - 1 - k; };
    std::vector<double> slopes, predicted;
    for (std::size_t a = 1; a <= neighbours; ++a)
      for (std::size_t b = a + 1; b <= neighbours; ++b)
        slopes.push_back((y_[place(b)] - y_[place(a)]) / (t_[place(b)] - t_[place(a)]));
    const double slope = middle_of(slopes), t = t_[place(0)], y = y_[place(0)];
    for (std::size_t k = 1; k <= neighbours; ++k) predicted.push_back(y_[place(k)] + slope * (t - t_[place(k)]));
    const double by_line = y - middle_of(predicted), by_neighbour = y - y_[place(1)];
    return std::abs(by_line) < std::abs(by_neighbour) ? by_line : by_neighbour;
  }

  // Between two measurements the clock advances differently than before and after.
  void find_steps(std::vector<odd_measurement>& into) const {
    std::vector<double> rates, sizes;
    for (std::size_t i = 0; i + 1 < n_; ++i) rates.push_back((y_[i + 1] - y_[i]) / (t_[i + 1] - t_[i]));
    for (std::size_t i = 1; i + 1 < rates.size(); ++i) {
      const std::size_t from = i < neighbours ? 0 : i - neighbours, to = std::min(rates.size(), i + 1 + neighbours);
      const double left = middle_of({rates.data() + from, rates.data() + i}),
                   right = middle_of({rates.data() + i + 1, rates.data() + to});
      const double off = off_both(rates[i] - left, rates[i] - right), usual = (left + right) / 2;
      const double beside = std::max((rates[i - 1] - usual) / off, (rates[i + 1] - usual) / off);
      sizes.push_back(off == 0 || beside > slewed_share ? 0 : off * (t_[i + 1] - t_[i]));
    }
    std::vector<double> magnitudes;
    for (const double size : sizes) magnitudes.push_back(std::abs(size));
    const double tolerance = std::max(std::sqrt(2.0) * tolerance_, times_scatter * median_of(magnitudes) + reading_);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double usual = std::sqrt(usual_product_), length = t_[i + 2] - t_[i + 1];
      if (std::abs(sizes[i]) > tolerance * std::max(1.0, length * length / (usual * usual)))
        into.push_back({i + 1, sizes[i]});
    }
  }

  // Against the chord of its neighbours. What lies off by itself has both neighbours on the other side of theirs.
  void find_bends(std::vector<odd_measurement>& into) const {
    std::vector<double> off(n_, 0);
    for (std::size_t i = 1; i + 1 < n_; ++i) {
      const double before = t_[i] - t_[i - 1], after = t_[i + 1] - t_[i];
      off[i] = y_[i] - (y_[i - 1] * after + y_[i + 1] * before) / (before + after);
    }
    for (std::size_t i = 1; i + 1 < n_; ++i) {
      const bool alone = off[i] * off[i - 1] < 0 && off[i] * off[i + 1] < 0;
      if (!alone && std::abs(off[i]) > tolerance_at(i)) into.push_back({i, std::abs(off[i])});
    }
    constexpr std::size_t max_share = 4;  // with more bends it is not known how the clock runs without them
    if (into.size() * max_share > n_) into.clear();
  }

  std::size_t n_;
  double reading_, scatter_ = 0, tolerance_ = 0, usual_product_ = 1;
  std::vector<double> t_, y_;
};

}  // namespace

odd_measurements find_odd_measurements(const std::vector<deviation>& points, double reading_ps) {
  return odd_finder(points, reading_ps).find();
}

std::vector<std::size_t> find_gaps(const std::vector<deviation>& points) {
  std::vector<std::size_t> gaps;
  if (points.size() < min_points) return gaps;
  std::vector<double> lengths;
  for (std::size_t i = 0; i + 1 < points.size(); ++i)
    lengths.push_back(as_double(points[i + 1].at_ps - points[i].at_ps));
  const double usual = median_of(lengths);
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] > gap_times * usual) gaps.push_back(i);
  return gaps;
}

namespace {

// The farthest that a measurement lies from a chord between two others, about a half of `length` before and after it.
struct chord_error {
  double length, most = 0;
  std::size_t seen = 0;
};
chord_error errors_of_chords(const std::vector<deviation>& points, double length) {
  chord_error found{length};
  std::size_t left = 0, right = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto since = [&](std::size_t k) { return as_double(points[k].at_ps - points[i].at_ps); };
    while (left + 1 < i && -since(left + 1) >= length / 2) ++left;
    right = std::max(right, i);
    while (right + 1 < points.size() && since(right) < length / 2) ++right;
    const double before = -since(left), after = since(right);
    if (std::min(before, after) < length / 2 || std::max(before, after) > length) continue;
    const double of_left = as_double(points[left].size_ps - points[i].size_ps),
                 of_right = as_double(points[right].size_ps - points[i].size_ps);
    found.most = std::max(found.most, std::abs(of_left * after + of_right * before) / (before + after));
    ++found.seen;
  }
  return found;
}

}  // namespace

std::vector<double> errors_across_gaps(const std::vector<deviation>& points, const std::vector<std::size_t>& gaps) {
  std::vector<double> errors;
  if (gaps.empty()) return errors;
  constexpr std::size_t min_seen = 3;
  constexpr double more_than_seen = 1.5;  // few chords of such a length lie side by side
  const double whole = as_double(points.back().at_ps - points.front().at_ps);
  const auto length_of = [&](std::size_t gap) { return as_double(points[gap + 1].at_ps - points[gap].at_ps); };
  double shortest = whole;
  for (const std::size_t gap : gaps) shortest = std::min(shortest, length_of(gap));
  // Of chords of the whole time, of half of it, and so on.
  std::vector<chord_error> known;
  constexpr double least_part = 1e-6;
  for (double length = whole; length >= (known.empty() ? whole * least_part : shortest); length /= 2)
    if (const chord_error e = errors_of_chords(points, length); e.seen >= min_seen) known.push_back(e);
  for (const std::size_t gap : gaps) {
    double error = 0;
    for (const chord_error& k : known) {
      // The shortest chord that is as long as the gap. Longer than all that were seen: what a bending clock strays by grows
      // with the square of the length.
      const double times = std::max(1.0, length_of(gap) / k.length);
      if (times <= 1 || &k == known.data()) error = more_than_seen * k.most * times * times;
    }
    errors.push_back(error);
  }
  return errors;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
