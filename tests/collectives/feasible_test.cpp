// What inequalities leave of a line: the set of offsets and drifts, and how high it can be; one property each.
#include <clusters/collectives/ceiling.hpp>
#include <clusters/collectives/feasible.hpp>

#include <catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace profkit;

namespace {

feasible_set square() { return feasible_set(1, -1, 1); }  // offsets and drifts from -1 to 1

}  // namespace

TEST_CASE("a cut through corners keeps them") {
  feasible_set set = square();
  set.cut(1, 0, 1);  // offset + drift <= 0
  CHECK(set.corners().size() == 3);
  CHECK(set.contains({1, -1}, 1e-9));
  CHECK(set.contains({-1, 1}, 1e-9));
  CHECK(set.contains({-0.1, 0}, 0));
  CHECK_FALSE(set.contains({0.1, 0}, 1e-9));
  CHECK(set.most().offset == 1);
  CHECK(set.least().drift == -1);
}

TEST_CASE("a cut from below keeps what is above; one that touches nothing changes nothing") {
  feasible_set set = square();
  set.cut(0, -1, -1);
  set.cut(0, 1, 1);
  CHECK(set.corners().size() == 4);
  set.cut(0, 0.25, -1);
  CHECK(set.least().offset == 0.25);
  CHECK(set.most().offset == 1);
  set.cut(0, 0.125, 1);
  CHECK(set.empty());
  CHECK_FALSE(set.contains({0.2, 0}, 1));
}

TEST_CASE("slack is a distance outside of the edge") {
  const feasible_set set = square();
  for (const double side : {-1.0, 1.0}) {
    CHECK(set.contains({side * 0.95, 0}, 0.1));
    CHECK(set.contains({side * 1.05, 0}, 0.1));
    CHECK_FALSE(set.contains({side * 1.05, 0}, 0.01));
    CHECK(set.contains({0, side * 1.05}, 0.1));
    CHECK_FALSE(set.contains({0, side * 1.15}, 0.1));
  }
}

TEST_CASE("the centre of a set") {
  feasible_set upper = square();
  upper.cut(0, 0.5, -1);  // offsets from 0.5 to 1
  CHECK(upper.centre().offset == 0.75);
  CHECK(upper.centre().drift == 0);
}

namespace {

// The highest line at x that passes no point, of all slopes: what it may be is highest at a slope between two points, or at a limit.
double highest(const std::vector<clock_ceiling::point>& points, double min_slope, double max_slope, double x) {
  std::vector<double> slopes{min_slope, max_slope};
  for (const auto& p : points)
    for (const auto& q : points)
      if (p.x != q.x) slopes.push_back(std::clamp((q.y - p.y) / (q.x - p.x), min_slope, max_slope));
  double best = -1e300;
  for (const double slope : slopes) {
    double least = 1e300;
    for (const auto& p : points) least = std::min(least, p.y + slope * (x - p.x));
    best = std::max(best, least);
  }
  return best;
}

}  // namespace

TEST_CASE("a ceiling is as high as the highest line under all points, whatever their order") {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int round = 0; round < 300; ++round) {
    const double min_slope = number(random) - 1, max_slope = min_slope + 0.2 + 2 * std::abs(number(random));
    std::vector<clock_ceiling::point> points;
    for (int i = 0; i <= round % 12; ++i) points.push_back({number(random), number(random)});
    if (round % 3 == 0) points.push_back({points.front().x, points.front().y - 0.25});
    clock_ceiling ceiling(min_slope, max_slope);
    CHECK_FALSE(ceiling.limits());
    const auto half = points.begin() + static_cast<std::ptrdiff_t>(points.size() / 2);
    if (half != points.begin()) CHECK(ceiling.lower({points.begin(), half}));
    ceiling.lower({half, points.end()});
    for (const double x : {-1.5, -1.0, -0.3, 0.0, 0.4, 1.0, 1.5}) {
      INFO("round " << round << " at " << x);
      CHECK(std::abs(ceiling.at(x) - highest(points, min_slope, max_slope, x)) < 1e-9);
    }
    CHECK_FALSE(ceiling.lower(points, 1e-9));
  }
}

TEST_CASE("ceilings add up, and what is lower by less than a little changes nothing") {
  clock_ceiling a(-1, 1), b(-1, 1), sum(-2, 2), none(-1, 1);
  CHECK(a.lower({{-0.5, 1}, {0.5, 1}}));
  CHECK(b.lower({{0, 2}}));
  CHECK_FALSE(sum.lower_to_sum(a, none, 0));
  CHECK(sum.lower_to_sum(a, b, 0));
  CHECK(sum.at(0) == 3);
  CHECK(sum.at(0.5) == 3.5);
  CHECK(sum.at(1.5) == 5.5);
  CHECK(sum.at(-1) == 4.5);
  CHECK_FALSE(sum.lower({{0, 2.95}}, 0.1));
  CHECK(sum.at(0) == 3);
  CHECK(sum.lower({{0, 2.5}}, 0.1));
  CHECK(sum.at(0) == 2.5);
}
