// How often a gate is wrong: over many pairs whose truth is known, with steps that depend on those before them and runs that differ.
#include <diff/gates.hpp>
#include <diff/significance.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace profkit;

namespace {

constexpr double step_noise = 0.03, correlation = 0.6, run_noise = 0.01;

// Steps of a run whose mean is `level` times 1 ± run_noise.
std::vector<double> steps_of_run(std::mt19937_64& random, double level, double between_runs, std::size_t steps = 50) {
  std::normal_distribution<double> normal;
  const double mean = level * (1 + between_runs * normal(random));
  std::vector<double> all;
  double at = normal(random);
  for (std::size_t i = 0; i < steps; ++i) {
    at = correlation * at + std::sqrt(1 - correlation * correlation) * normal(random);
    all.push_back(mean * (1 + step_noise * at));
  }
  return all;
}

run_snapshot run_of(const std::vector<double>& steps) {
  run_snapshot made;
  made.devices.emplace_back();
  for (const double step : steps) made.devices.front().step_ps.push_back(static_cast<std::int64_t>(1e9 * step));
  return made;
}

std::vector<run_snapshot> side_of(std::mt19937_64& random, std::size_t runs, double level) {
  std::vector<run_snapshot> all;
  for (std::size_t i = 0; i < runs; ++i) all.push_back(run_of(steps_of_run(random, level, run_noise)));
  return all;
}

// Of 1,000 pairs, those whose gate trips.
int tripped(const std::string& text, std::size_t runs, double change, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const diff::gate gate = diff::parse_gate(text).value();
  int count = 0;
  for (int pair = 0; pair < 1000; ++pair) {
    const auto before = side_of(random, runs, 1), after = side_of(random, runs, 1 + change);
    count += diff::judge(gate, before, after).state == gate_state::tripped ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("a gate trips without a change as seldom as it says") {
  CHECK(tripped("step>0%", 5, 0, 1) <= 65);  // 5 % of 1,000, and two standard deviations
  CHECK(tripped("step>0%", 3, 0, 2) <= 65);
  CHECK(tripped("step>2%", 5, 0, 3) <= 2);
  CHECK(tripped("step>2%", 5, 0.02, 4) <= 65);  // at the limit itself
}

TEST_CASE("a change that is large enough trips it") {
  CHECK(tripped("step>2%", 5, 0.06, 5) >= 950);
  CHECK(tripped("step>0%", 5, 0.05, 6) >= 950);
}

TEST_CASE("few runs decide nothing") {
  std::mt19937_64 random(7);
  const diff::gate gate = diff::parse_gate("step>1%").value();
  for (const std::size_t runs : {1, 2}) {
    const gate_verdict found = diff::judge(gate, side_of(random, runs, 1), side_of(random, runs, 3));
    CHECK(found.state == gate_state::undecided);
    CHECK(!found.low);
    CHECK(*found.change > 1.5);
  }
  // Three a side make 20 arrangements: enough for one direction, not for both.
  const std::vector<double> before{1, 1.01, 1.02}, after{2, 2.01, 2.02};
  const diff::run_change three(before, after);
  CHECK(three.lower_bound(0.95));
  CHECK(!three.lower_bound(0.975));
  CHECK(three.two_sided_p() == Approx(0.1));
  CHECK(*three.lower_bound(0.95) > 0.9);
  CHECK(*three.lower_bound(0.95) < 1);
}

TEST_CASE("bounds of runs hold the truth between them") {
  std::mt19937_64 random(8);
  int inside = 0;
  for (int pair = 0; pair < 500; ++pair) {
    std::vector<double> before, after;
    std::normal_distribution<double> normal;
    for (int i = 0; i < 5; ++i) {
      before.push_back(1 + 0.02 * normal(random));
      after.push_back(1.1 * (1 + 0.02 * normal(random)));
    }
    const number_change found = diff::change_of_runs(before, after);
    REQUIRE((found.low && found.high));
    CHECK(*found.low <= found.change);
    CHECK(*found.high >= found.change);
    inside += *found.low <= 0.1 && 0.1 <= *found.high ? 1 : 0;
  }
  CHECK(inside >= 465);  // 95 %, less two standard deviations
}

TEST_CASE("within two runs the interval holds the truth of those runs") {
  std::mt19937_64 random(9);
  int inside = 0;
  for (int pair = 0; pair < 1000; ++pair) {
    const auto found = diff::change_of_series(steps_of_run(random, 1, 0, 100), steps_of_run(random, 1.1, 0, 100));
    REQUIRE(found);
    inside += found->low <= 0.1 && 0.1 <= found->high ? 1 : 0;
  }
  CHECK(inside >= 900);  // blocks of so short a series say a little too little
  CHECK(!diff::change_of_series({1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}));
}

namespace {

// What an op takes in runs of a side: 3 % noise over 100 steps, whose mean varies as that of 25 independent ones, and 1 % between runs that
// all ops of a run have in common.
std::vector<std::vector<double>> ops_of_side(std::mt19937_64& random, std::size_t runs, std::size_t ops) {
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> all(ops, std::vector<double>(runs));
  for (std::size_t run = 0; run < runs; ++run) {
    const double level = 1 + run_noise * normal(random);
    for (std::size_t op = 0; op < ops; ++op)
      all[op][run] = static_cast<double>(op + 1) * level * (1 + step_noise / std::sqrt(25.0) * normal(random));
  }
  return all;
}

std::vector<std::optional<double>> shares(std::mt19937_64& random, std::size_t ops, double change_of_one) {
  const auto before = ops_of_side(random, 5, ops), after = ops_of_side(random, 5, ops);
  std::vector<diff::run_numbers> all;
  for (std::size_t op = 0; op < ops; ++op) all.push_back({before[op], after[op]});
  for (double& ps : all[ops / 2].after) ps *= 1 + change_of_one;
  return diff::shares_by_chance(all);
}

}  // namespace

TEST_CASE("of 2,000 ops one that changed is found, and of none that did seldom one") {
  constexpr std::size_t ops = 2000;
  std::mt19937_64 random(10);
  int alarms = 0, found = 0;
  for (int pair = 0; pair < 200; ++pair) {
    const auto none = shares(random, ops, 0);
    alarms += std::any_of(none.begin(), none.end(), [](const auto& share) { return *share <= 0.05; }) ? 1 : 0;
    found += *shares(random, ops, 0.05)[ops / 2] <= 0.05 ? 1 : 0;
  }
  INFO("alarms " << alarms << ", found " << found);
  CHECK(alarms <= 17);  // 5 % of 200, and two standard deviations
  CHECK(found >= 190);
}

TEST_CASE("what runs have nothing of is not judged") {
  const std::vector<double> some{1, 1.01, 0.99}, none{}, zero{1, 0, 1};
  const auto found = diff::shares_by_chance({{some, some}, {some, none}, {zero, some}, {{1}, {1}}, {some, {2, 2.02, 1.98}}});
  CHECK(found[0]);
  CHECK((!found[1] && !found[2] && !found[3]));
  // Two samples of three with one variance: t = ln 2 / (s sqrt(2 / 3)), 4 degrees.
  CHECK(*found[4] < 1e-6);
  CHECK(*found[0] == Approx(1));
}

TEST_CASE("a gate is a number, '>' and a percentage") {
  for (const char* const text : {"step", "step>", "step>x", "step>-2%", "steps>2%", "op:>2%", ">2%", "step>2%%", "step>nan"}) {
    INFO(text);
    CHECK(!diff::parse_gate(text));
  }
  CHECK(diff::parse_gate("step>+2%").value().limit == Approx(0.02));
  CHECK(diff::parse_gate("op:a>b>10").value().name == "a>b");
  CHECK(diff::parse_gate("op:a>b>10").value().limit == Approx(0.1));
}
