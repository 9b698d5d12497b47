// A merged time goes through the measurements themselves, so its error is the error of those next to it, and what they leave
// of a smooth clock shows how large their errors are: nothing is assumed of how they are distributed. Methods:
// * a smooth clock is a line of least squares through all measurements; residuals are studentised (Cook and Weisberg 1982);
// * whether a line leaves more than noise is seen by how the residuals of lines through a few measurements each (Cleveland
//   1979) grow with their number, as the Allan variance with its interval (Allan 1966; Riley, NIST SP 1065): those of white
//   noise do not grow, those of a random walk by the root of two for each doubling, those of a clock whose rate changes by
//   2.8 or more;
// * of a clock that bends, noise is what the bend at a measurement has unlike the bends beside it (fourth differences; the
//   Hadamard variance leaves a steady change of the rate out in the same way), and chords are off by its curvature;
// * errors that are like the one before are bounded by their innovations and the upper confidence limit of their
//   correlation (AR(1); Bartlett 1946; bias by Kendall 1954), for a line follows what lasts long;
// * reads that are only ever late are found by the deciles (Kelly 1947): the true time may then be at the edge of the
//   residuals (a hull, as Duda et al. 1987), not in their middle.
#include "clock_noise.hpp"

#include <algorithm>
#include <cmath>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// The largest error over the largest residual of n independent measurements is less than 1.05 + 12/n + 120/n^2 in 99.9 % of
// simulated clocks (uniform, normal, double exponential, lognormal errors; n from 12 to 300).
constexpr double factor_of_many = 1.05, factor_of_few = 12, factor_of_fewer = 120;
// Residuals that grow by more from one width of the fit to the doubled one are the clock's: those of a random walk grow by
// 1.41, and so much more by chance where few fits of that width lie side by side.
constexpr double walk_growth = 1.4142, chance_of_growth = 2.5, sure_growth = 2.5;
constexpr double scatter_share = 0.7;      // residuals up to here are usual ones
constexpr double min_free = 0.05;          // a measurement that its fit nearly goes through shows nothing
constexpr double sure_correlation = 2;     // standard deviations of that of independent errors
constexpr double upper_limit = 3;          // standard deviations
constexpr double least_decay = 1;          // over all measurements: errors that last longer look like drift
constexpr double largest_of_normal = 2.8;  // errors that last long: few independent ones are seen
// Of late reads: the least skewness of the deciles, of few residuals more; and how many times the residuals on one side are
// those on the other, from where the truth may not be in their middle up to where it may be at their edge.
constexpr double min_skew = 0.05, skew_of_few = 4, maybe_one_sided = 1.25, one_sided = 1.5;

class noise_finder {
 public:
  noise_finder(const std::vector<deviation>& points, const std::vector<std::size_t>& breaks) : n_(points.size()) {
    std::size_t begin = 0;
    for (std::size_t i = 0, next = 0; i < n_; ++i) {
      const bool ends = i + 1 == n_ || (next < breaks.size() && breaks[next] == i);
      if (next < breaks.size() && breaks[next] == i) ++next;
      if (!ends) continue;
      add_piece({points.data() + begin, points.data() + i + 1});
      begin = i + 1;
    }
  }

  [[nodiscard]] std::optional<double> largest() const {
    if (longest_ == 0) return std::nullopt;
    const std::vector<residual> of_lines = straight();
    if (of_lines.empty()) return bending();
    if (of_lines.size() < min_noise_points) return std::nullopt;
    return std::max(spread(of_lines) * factor(of_lines.size()), correlated(of_lines));
  }

 private:
  // Measurements that no break lies between: time and deviation from the line of all of them, and sums of those before each.
  struct piece {
    std::vector<double> t, y;
    std::vector<double> sum_t, sum_y, sum_tt, sum_ty;
  };
  struct residual {
    double size;
    bool follows;  // the one before is of the measurement before
  };

  void add_piece(const std::vector<deviation>& of) {
    if (of.size() < 3) return;
    const fitted_line line = fit_line(of);
    piece p;
    for (const deviation& d : of) {
      p.t.push_back(as_double(d.at_ps - of.front().at_ps));
      p.y.push_back(as_double(d.size_ps - of.front().size_ps) - line.slope * p.t.back());
    }
    for (auto* sums : {&p.sum_t, &p.sum_y, &p.sum_tt, &p.sum_ty}) sums->assign(of.size() + 1, 0);
    for (std::size_t i = 0; i < of.size(); ++i) {
      p.sum_t[i + 1] = p.sum_t[i] + p.t[i];
      p.sum_y[i + 1] = p.sum_y[i] + p.y[i];
      p.sum_tt[i + 1] = p.sum_tt[i] + p.t[i] * p.t[i];
      p.sum_ty[i + 1] = p.sum_ty[i] + p.t[i] * p.y[i];
    }
    longest_ = std::max(longest_, of.size());
    pieces_.push_back(std::move(p));
  }

  // What lines through `half` measurements on either side leave of each.
  [[nodiscard]] std::vector<residual> residuals_of_lines(std::size_t half) const {
    std::vector<residual> all;
    all.reserve(n_);
    for (const piece& p : pieces_) add_residuals(p, half, all);
    return all;
  }
  static void add_residuals(const piece& p, std::size_t half, std::vector<residual>& into) {
    const std::size_t n = p.t.size(), width = std::min(2 * half + 1, n);
    const double count = number(width);
    bool follows = false;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t from = first_of(i, half, width, n), to = from + width;
      const double mean_t = (p.sum_t[to] - p.sum_t[from]) / count, mean_y = (p.sum_y[to] - p.sum_y[from]) / count;
      const double var = p.sum_tt[to] - p.sum_tt[from] - count * mean_t * mean_t, off_t = p.t[i] - mean_t;
      const double free = 1 - 1 / count - off_t * off_t / var;
      if (!(var > 0) || free < min_free) {
        follows = false;
        continue;
      }
      const double slope = (p.sum_ty[to] - p.sum_ty[from] - count * mean_t * mean_y) / var;
      into.push_back({(p.y[i] - mean_y - slope * off_t) / std::sqrt(free), follows});
      follows = true;
    }
  }
  // Of `width` measurements with `half` of them before the one at i; near the ends more on the other side.
  static std::size_t first_of(std::size_t i, std::size_t half, std::size_t width, std::size_t n) {
    return std::min(i < half ? 0 : i - half, n - width);
  }
  static double number(std::size_t n) { return as_double(static_cast<std::int64_t>(n)); }

  // How large residuals are: the usual ones, and all together. Where few are far larger than most, either changes by chance.
  struct scale {
    double usual = 0, rms = 0;
    [[nodiscard]] bool exceeds(const scale& of, double times) const {
      return usual > of.usual * times && rms > of.rms * times;
    }
  };
  static scale scale_of(const std::vector<residual>& of) {
    scale all;
    std::vector<double> sizes;
    for (const residual& r : of) {
      sizes.push_back(std::abs(r.size));
      all.rms += r.size * r.size;
    }
    all.rms = std::sqrt(all.rms / number(of.size()));
    all.usual = share_of(std::move(sizes), scatter_share);
    return all;
  }

  // What the line through all leaves, where it is no more than noise; else nothing.
  [[nodiscard]] std::vector<residual> straight() const {
    std::size_t half = 1;
    std::vector<residual> known = residuals_of_lines(half);
    scale narrow = scale_of(known);
    while (2 * half + 1 < longest_) {
      half *= 2;
      known = residuals_of_lines(half);
      const scale wide = scale_of(known);
      if (wide.exceeds(narrow, allowed_growth(half))) return {};
      narrow = wide;
    }
    return known;
  }
  [[nodiscard]] double allowed_growth(std::size_t half) const {
    return std::min(sure_growth, walk_growth * (1 + chance_of_growth * std::sqrt(number(half) / (2 * number(n_)))));
  }

  static double factor(std::size_t of) {
    const double count = number(of);
    return factor_of_many + factor_of_few / count + factor_of_fewer / (count * count);
  }

  // The largest residual; of reads that are late up to the whole width that residuals lie in.
  static double spread(const std::vector<residual>& of) {
    std::vector<double> sizes;
    for (const residual& r : of) sizes.push_back(r.size);
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    const double below = std::max(0.0, -*least), above = std::max(0.0, *most);
    const double low = share_of(sizes, 0.1), middle = share_of(sizes, 0.5), high = share_of(sizes, 0.9);
    const double skew = high > low ? (high + low - 2 * middle) / (high - low) : 0;
    const double larger = std::max(below, above), smaller = std::min(below, above);
    if (std::abs(skew) < std::max(min_skew, skew_of_few / number(of.size())) || (skew > 0) != (above > below)) return larger;
    const double times = smaller > 0 ? larger / smaller : one_sided;
    return larger + smaller * std::clamp((times - maybe_one_sided) / (one_sided - maybe_one_sided), 0.0, 1.0);
  }

  // Errors that are like the one before, by what a line through all leaves of them.
  [[nodiscard]] double correlated(const std::vector<residual>& of) const {
    const double count = number(of.size()), length = number(longest_);
    double mean = 0, own = 0, with_last = 0;
    for (const residual& r : of) mean += r.size / count;
    for (std::size_t i = 0; i < of.size(); ++i) {
      own += (of[i].size - mean) * (of[i].size - mean);
      if (of[i].follows) with_last += (of[i].size - mean) * (of[i - 1].size - mean);
    }
    const double seen = own > 0 ? with_last / own : 0;
    if (seen * std::sqrt(count) < sure_correlation) return 0;
    const double most =
        std::min(seen + (2 + 4 * seen) / length + upper_limit * std::sqrt((1 - seen * seen) / count), 1 - least_decay / length);
    const double innovation = own / (count - 3) * (1 - seen * seen);
    return largest_of_normal * std::sqrt(innovation / (1 - most * most));
  }

  // Of a clock that bends from measurement to measurement: its curvature (a chord is off by an eighth of it) and its
  // roughness.
  [[nodiscard]] std::optional<double> bending() const {
    constexpr double of_itself = 1.5;  // by how much an error changes its own difference
    double chord = 0, noise = 0;
    std::size_t seen = 0;
    for (const piece& p : pieces_) {
      std::vector<double> bends;
      for (std::size_t i = 1; i + 1 < p.t.size(); ++i) {
        const double before = p.t[i] - p.t[i - 1], after = p.t[i + 1] - p.t[i], longer = std::max(before, after);
        bends.push_back(p.y[i] - (p.y[i - 1] * after + p.y[i + 1] * before) / (before + after));
        chord = std::max(chord, std::abs(bends.back()) * longer * longer / (before * after) / 4);
      }
      for (std::size_t i = 1; i + 1 < bends.size(); ++i)
        noise = std::max(noise, std::abs(bends[i] - (bends[i - 1] + bends[i + 1]) / 2) / of_itself);
      seen += p.t.size();
    }
    if (seen < min_noise_points) return std::nullopt;
    return (chord + noise) * factor(seen);
  }

  std::size_t n_, longest_ = 0;
  std::vector<piece> pieces_;
};

}  // namespace

std::optional<double> largest_noise_ps(const std::vector<deviation>& points, const std::vector<std::size_t>& breaks) {
  if (points.size() < min_noise_points) return std::nullopt;
  return noise_finder(points, breaks).largest();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
