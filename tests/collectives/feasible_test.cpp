// The set of offsets and drifts that inequalities leave, one property each.
#include <analyse/collectives/feasible.hpp>

#include <catch.hpp>

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
  for (const feasible_set& set : {square(), square().negated()})
    for (const double side : {-1.0, 1.0}) {
      CHECK(set.contains({side * 0.95, 0}, 0.1));
      CHECK(set.contains({side * 1.05, 0}, 0.1));
      CHECK_FALSE(set.contains({side * 1.05, 0}, 0.01));
      CHECK(set.contains({0, side * 1.05}, 0.1));
      CHECK_FALSE(set.contains({0, side * 1.15}, 0.1));
    }
}

TEST_CASE("sums, turns and widths of sets") {
  feasible_set upper = square();
  upper.cut(0, 0.5, -1);  // offsets from 0.5 to 1
  const feasible_set sum = upper.plus(square());
  CHECK(sum.least().offset == -0.5);
  CHECK(sum.most().offset == 2);
  CHECK(sum.least().drift == -2);
  CHECK(sum.most().drift == 2);
  CHECK(upper.negated().least().offset == -1);
  CHECK(upper.negated().most().offset == -0.5);
  CHECK(upper.widened(0.25).least().offset == 0.25);
  CHECK(upper.widened(0.25).most().offset == 1.25);
  CHECK(upper.widened(0.25).most().drift == 1);
  CHECK(upper.centre().offset == 0.75);
  feasible_set both = square();
  both.intersect(upper);
  CHECK(both.least().offset == 0.5);
  CHECK(both.most().offset == 1);
  both.intersect(upper.negated());
  CHECK(both.empty());
}
