// The map between clocks against arithmetic of its own, and what is made of measurements that are no clock.
#include <profkit/core/clock.hpp>

#include <clusters/merge/segment_value.hpp>

#include <catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace profkit::test {
namespace {

__extension__ using wide = __int128;

// floor((2 n + d) / (2 d)): halves up.
std::int64_t rounded(wide n, wide d) {
  const wide top = 2 * n + d, bottom = 2 * d;
  return static_cast<std::int64_t>(top / bottom - (top % bottom != 0 && (top < 0) != (bottom < 0) ? 1 : 0));
}

std::int64_t by_hand(const std::vector<piecewise_map::knot>& knots, std::int64_t x) {
  if (knots.size() == 1) return x - knots[0].x + knots[0].y;
  std::size_t i = 1;
  while (i + 1 < knots.size() && knots[i].x <= x) ++i;
  const auto& a = knots[i - 1];
  const auto& b = knots[i];
  return a.y + rounded(static_cast<wide>(b.y - a.y) * (x - a.x), b.x - a.x);
}

constexpr std::int64_t ms = 1'000'000'000;

// Snapshots every 10 ms of clocks that run alike, and offsets every 20 ms.
clock_evidence still_clock(int snapshots = 12, int offsets = 8, std::int64_t offset_ps = 3 * ms) {
  clock_evidence e;
  e.node_id = 1;
  e.tracer_base_ns = 5'000'000'000;
  e.host_base_ns = e.reference_base_ns = 1'765'400'000'000'000'000;
  for (std::int64_t k = 0; k < snapshots; ++k)
    e.snapshots.push_back({{e.tracer_base_ns + k * 10'000'000, 0}, {e.host_base_ns + k * 10'000'000, 0}});
  for (int k = 0; k < offsets; ++k) {
    offset_row r;
    r.node_id = 1;
    r.midpoint = {e.reference_base_ns + std::int64_t{k - 1} * 20'000'000, 0};
    r.offset_ps = offset_ps;
    e.offsets.push_back(r);
  }
  return e;
}

node_clock built(const clock_evidence& e, const clock_options& o = {}) {
  auto clock = node_clock::build(e, o);
  if (!clock) FAIL(clock.error().message);
  return *clock;
}

std::int64_t from_tracer(const node_clock& c, std::int64_t ps) {
  node_clock::cursor at;
  return c.from_tracer(ps, at).reference_ps;
}

bool has(const node_clock& c, clock_anomaly::kind what) {
  return std::any_of(c.anomalies().begin(), c.anomalies().end(),
                     [&](const clock_anomaly& a) { return a.what == what; });
}

std::string text_of(const node_clock& c) {
  std::string text;
  for (const clock_anomaly& a : c.anomalies()) text += a.text + '\n';
  return text;
}

// Thirty snapshots and offsets 10 ms apart, of a clock read to 40 ns.
clock_evidence jittering_clock() {
  std::mt19937_64 random(5);
  clock_evidence e = still_clock(30, 30);
  for (std::size_t k = 0; k < 30; ++k) {
    e.snapshots[k].host.ns += static_cast<std::int64_t>(random() % 81) - 40;
    e.offsets[k].midpoint.ns = e.reference_base_ns + (static_cast<std::int64_t>(k) - 1) * 10'000'000;
    e.offsets[k].offset_ps += (static_cast<std::int64_t>(random() % 81) - 40) * 1000;
  }
  return e;
}

}  // namespace

TEST_CASE("a piecewise map is exact, with and without division") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<piecewise_map::knot> knots;
    std::int64_t x = -static_cast<std::int64_t>(random() % 1'000'000'000'000),
                 y = static_cast<std::int64_t>(random() % 1'000'000'000);
    const int count = 1 + static_cast<int>(random() % 6);
    for (int i = 0; i < count; ++i) {
      knots.push_back({x, y});
      const auto length = static_cast<std::int64_t>(1 + random() % (round % 3 == 0 ? 50 : 20'000'000'000));
      const std::int64_t bend = static_cast<std::int64_t>(random() % 2001) - 1000;
      x += length;
      y += length + (round % 4 == 0 ? bend : length / 1'000'000 * bend);
    }
    const piecewise_map map(knots);
    piecewise_map::cursor at;
    for (int k = 0; k < 200; ++k) {
      const std::int64_t value =
          knots.front().x - 5'000'000 +
          static_cast<std::int64_t>(random() %
                                    static_cast<std::uint64_t>(knots.back().x - knots.front().x + 10'000'000));
      const std::int64_t wanted = by_hand(knots, value);
      REQUIRE(map(value, at) == wanted);
      const std::int64_t base = static_cast<std::int64_t>(random() % 1000) - 500;
      const quick_segment quick(map.piece_at(value), base);
      if (quick.holds(value - base)) REQUIRE(quick(value - base) == wanted);
    }
  }
}

TEST_CASE("a piecewise map knows its limits, steps and slopes") {
  CHECK(piecewise_map()(42) == 42);
  CHECK(piecewise_map()(INT64_MAX) == out_of_reach_ps);
  const piecewise_map shift({{5, 8}});
  CHECK(shift(0) == 3);
  CHECK(shift.extrapolates(4));
  CHECK_FALSE(shift.extrapolates(5));
  const piecewise_map step({{0, 0}, {10, 10}, {10, 30}, {20, 40}});
  CHECK(step(9) == 9);
  CHECK(step(10) == 30);
  CHECK(step(100) == 120);
  const piecewise_map drift({{0, 0}}, {std::nullopt, 1'000'000});
  CHECK(drift(-1'000'000'000'000) == -1'000'000'000'000);
  CHECK(drift(1'000'000'000'000) == 1'000'001'000'000);
  const piecewise_map wild({{0, 0}, {1, piecewise_map::max_knot_ps}});
  CHECK(wild(1000) == out_of_reach_ps);
}

TEST_CASE("a still clock: maps, bounds, drift") {
  const node_clock c = built(still_clock());
  CHECK(from_tracer(c, 0) == -3 * ms);
  CHECK(from_tracer(c, 55 * ms + 7) == 52 * ms + 7);
  CHECK(c.anomalies().empty());
  CHECK(c.residual_ps() == 0);
  const node_bounds b = c.bounds(0, 100 * ms);
  CHECK(*b.widest(clock_domain::tracer) < 5000);
  CHECK(*b.at(50 * ms, clock_domain::host) == c.bound_at(50 * ms, clock_domain::host));
  // Far beyond the last measurement less is known.
  CHECK(*c.bound_at(100'000 * ms, clock_domain::tracer) > 1000 * *c.bound_at(50 * ms, clock_domain::tracer));
}

TEST_CASE("what scatters widens the bound; scatter of the other nodes counts, too") {
  clock_evidence e = still_clock();
  for (std::size_t k = 0; k < e.offsets.size(); ++k) e.offsets[k].offset_ps += k % 2 == 0 ? 200'000 : -200'000;
  const node_clock c = built(e);
  CHECK(c.bound_at(50 * ms, clock_domain::host) > 200'000);
  CHECK(c.bound_at(50 * ms, clock_domain::host) < 2'000'000);
  clock_options o;
  o.offset_scatter = {200'000, 400};
  CHECK(built(still_clock(), o).bound_at(50 * ms, clock_domain::host) > 600'000);
  // Two measurements show no scatter at all: then as much is allowed for as such measurements usually are off.
  CHECK(built(still_clock(2, 8)).bound_at(5 * ms, clock_domain::tracer) > 900'000);
  CHECK(built(still_clock(2, 8)).bound_at(5 * ms, clock_domain::host) < 5000);
  clock_evidence coarse = still_clock();
  for (offset_row& r : coarse.offsets) r.resolution_ps = 50'000;
  CHECK(built(coarse).bound_at(50 * ms, clock_domain::host) >= 50'000);
  clock_evidence told = still_clock();
  told.offsets[3].residual_ps = 77'000;
  CHECK(built(told).bound_at(50 * ms, clock_domain::host) >= 77'000);
}

TEST_CASE("drift is the slope beyond the offsets, where it agrees with them") {
  clock_evidence e = still_clock(12, 1);
  e.offsets[0].drift_ppt = 50'000'000;  // 50 ppm
  const std::int64_t late = 10'000 * ms;
  CHECK(from_tracer(built(e), late) == Approx(static_cast<double>(late - 3 * ms) * (1 - 50e-6)).margin(20'000));
  clock_options own;
  own.drift_slope = false;
  CHECK(from_tracer(built(e, own), late) == late - 3 * ms);
  e = still_clock();
  for (offset_row& r : e.offsets) r.drift_ppt = 50'000'000;  // of another edge of the solver's tree, perhaps
  const node_clock c = built(e);
  CHECK(has(c, clock_anomaly::kind::drift_disagrees));
  CHECK(from_tracer(c, late) == late - 3 * ms);
}

TEST_CASE("one snapshot or offset that is off is left out") {
  clock_evidence e = still_clock();
  e.snapshots[5].host.ns += 700'000;
  node_clock c = built(e);
  CHECK(has(c, clock_anomaly::kind::slope));
  CHECK(from_tracer(c, 50 * ms) == 47 * ms);
  e = still_clock();
  e.offsets[4].offset_ps += 80 * ms;
  c = built(e);
  CHECK(has(c, clock_anomaly::kind::offset_jump));
  CHECK(from_tracer(c, 60 * ms) == 57 * ms);
}

TEST_CASE("a step of the wall clock that the offsets see, too, leaves device times right") {
  for (const std::int64_t size : {-2 * ms, 2 * ms, -30 * ms}) {
    clock_evidence e = still_clock(12, 10, 0);
    for (int k = 6; k < 12; ++k) e.snapshots[static_cast<std::size_t>(k)].host.ns += size / 1000;
    for (std::size_t k = 0; k < e.offsets.size(); ++k)
      if (static_cast<int>(k) - 1 >= 3) e.offsets[k].offset_ps += size;  // the step is at 55 ms
    const node_clock c = built(e);
    CHECK(has(c, clock_anomaly::kind::host_step));
    for (std::int64_t at = 0; at <= 110 * ms; at += ms) {
      INFO(size << " at " << at);
      REQUIRE(std::abs(from_tracer(c, at) - at) <= 2);
      REQUIRE(c.bound_at(at, clock_domain::tracer) < 10'000);
    }
    CHECK(c.bound_at(55 * ms, clock_domain::host) >= std::abs(size));
    CHECK(c.bound_at(200 * ms, clock_domain::host) < std::abs(size));
  }
}

TEST_CASE("a step of which no offset knows is told and bounded") {
  clock_evidence e = still_clock(12, 2);  // offsets end before it
  for (int k = 6; k < 12; ++k) e.snapshots[static_cast<std::size_t>(k)].host.ns -= 2'000'000;
  const node_clock c = built(e);
  CHECK(has(c, clock_anomaly::kind::host_step));
  CHECK(text_of(c).find("the wall clock or the tracer clock steps") != std::string::npos);
  CHECK(c.bound_at(from_tracer(c, 55 * ms), clock_domain::tracer) >= 1'900'000'000);
}

TEST_CASE("a step that the offsets rule out is one of the tracer clock, after which nothing is known") {
  for (const std::int64_t size_ns : {300'000'000LL, 2'000'000LL, -2'000'000LL, -4'000'000'000LL}) {
    INFO(size_ns);
    clock_evidence e = still_clock();
    for (std::size_t k = 6; k < 12; ++k) e.snapshots[k].tracer.ns += size_ns;
    const node_clock c = built(e);
    CHECK(has(c, clock_anomaly::kind::tracer_not_rising));
    CHECK(text_of(c).find("the tracer clock") != std::string::npos);
    CHECK(text_of(c).find("it was reset") != std::string::npos);
    CHECK(text_of(c).find("wall clock") == std::string::npos);
    CHECK_FALSE(c.bounds(0, 100 * ms).known);
    CHECK_FALSE(c.bound_at(20 * ms, clock_domain::tracer));
    CHECK(from_tracer(c, 20 * ms) == 17 * ms);  // before the reset times are what they were
  }
}

TEST_CASE("one snapshot or offset that is off is left out, whatever its size and its place") {
  const std::int64_t usual = *built(jittering_clock()).bound_at(150 * ms, clock_domain::tracer);
  CHECK(usual < 300'000);
  for (const std::int64_t size_ns : {2'000, -5'000, 20'000, 900'000, 3'500'000, -40'000'000})
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{15}, std::size_t{29}}) {
      INFO(size_ns << " ns at " << at);
      clock_evidence e = jittering_clock();
      e.snapshots[at].host.ns += size_ns;
      node_clock c = built(e);
      CHECK(has(c, clock_anomaly::kind::slope));
      CHECK(text_of(c).find("one snapshot is") == 0);
      const auto knot = static_cast<std::int64_t>(at) * 10 * ms;
      CHECK(std::abs(from_tracer(c, knot) - (knot - 3 * ms)) < 300'000);
      CHECK(c.bound_at(150 * ms, clock_domain::tracer) < 2 * usual);
      e = jittering_clock();
      e.offsets[at].offset_ps += size_ns * 1000;
      c = built(e);
      CHECK(has(c, clock_anomaly::kind::offset_jump));
      CHECK(text_of(c).find("one offset is") == 0);
      CHECK(c.bound_at(150 * ms, clock_domain::tracer) < 2 * usual);
    }
  clock_evidence several = jittering_clock();
  for (const std::size_t at : {4U, 11U, 12U}) several.snapshots[at].host.ns += 100'000 * static_cast<int>(at);
  const node_clock c = built(several);
  CHECK(c.anomalies().size() == 3);
  CHECK(c.bound_at(150 * ms, clock_domain::tracer) < 2 * usual);
}

TEST_CASE("what only scatters or wanders is not left out") {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal(0, 50);
  std::exponential_distribution<double> delay(1 / 90.0);
  std::size_t clocks = 0, told = 0;
  for (int round = 0; round < 400; ++round) {
    clock_evidence e = still_clock(6 + round % 50, 6 + round % 50);
    const double period = 4 + round % 60, size = round % 3 == 0 ? 3000 : 0;
    for (std::size_t k = 0; k < e.snapshots.size(); ++k)
      e.snapshots[k].host.ns += std::llround((round % 2 == 0 ? normal(random) : delay(random)) +
                                             size * std::sin(6.283 * static_cast<double>(k) / period));
    const node_clock c = built(e);
    ++clocks;
    told += c.anomalies().empty() ? 0 : 1;
  }
  INFO(told << " of " << clocks);
  CHECK(told * 100 < clocks);
}

TEST_CASE("a gap in the measurements is told, and the bound is wider there") {
  clock_evidence e = jittering_clock();
  e.snapshots.erase(e.snapshots.begin() + 8, e.snapshots.begin() + 20);
  const node_clock c = built(e);
  CHECK(text_of(c).find("no snapshots for 130.0 ms") == 0);
  // It grows with the distance from the measurements at both ends.
  const auto more_than_usual = [&](std::int64_t at) {
    return *c.bound_at(at, clock_domain::tracer) - *c.bound_at(30 * ms, clock_domain::tracer);
  };
  CHECK(more_than_usual(131 * ms) > *c.bound_at(30 * ms, clock_domain::tracer));
  CHECK(more_than_usual(75 * ms) > 0);
  CHECK(more_than_usual(75 * ms) < more_than_usual(100 * ms));
  CHECK(more_than_usual(190 * ms) < more_than_usual(131 * ms));
  CHECK(*c.bound_at(135 * ms, clock_domain::host) < 2 * *c.bound_at(30 * ms, clock_domain::host));
}

TEST_CASE("what other nodes scatter changes no bound of a node with measurements enough of its own") {
  const node_clock alone = built(jittering_clock());
  clock_options o;
  o.offset_scatter = o.snapshot_scatter = {900'000'000, 4000};
  const node_clock beside = built(jittering_clock(), o);
  for (const clock_domain domain : {clock_domain::tracer, clock_domain::host})
    CHECK(beside.bound_at(150 * ms, domain) == alone.bound_at(150 * ms, domain));
}

TEST_CASE("an offset that jumps without a clock makes all times of the node doubtful, unless round trips are known") {
  clock_evidence e = jittering_clock();
  for (std::size_t k = 15; k < 30; ++k) e.offsets[k].offset_ps += 6'000'000;
  const node_clock c = built(e);
  CHECK(text_of(c).find("of which the snapshots know nothing") != std::string::npos);
  for (const std::int64_t at : {20 * ms, 250 * ms}) CHECK(c.bound_at(at, clock_domain::host) > 5'900'000);
  // The reference node's clock stepped then: its snapshots say so.
  e.reference_steps = {{130 * ms, 140 * ms}};
  const node_clock of_reference = built(e);
  CHECK(text_of(of_reference).find("know nothing") == std::string::npos);
  CHECK(of_reference.bound_at(20 * ms, clock_domain::host) < 300'000);
  e.reference_steps = {{230 * ms, 240 * ms}};
  CHECK(built(e).bound_at(20 * ms, clock_domain::host) > 5'900'000);
  // Half of a round trip is what an offset may be off by, and those far away say nothing of it.
  e.reference_steps.clear();
  for (std::size_t k = 0; k < 30; ++k) e.offsets[k].round_trip_ps = k < 15 ? 16'000'000 : 28'000'000;
  const node_clock known = built(e);
  CHECK(known.bound_at(20 * ms, clock_domain::host) == 8'001'000);
  CHECK(known.bound_at(250 * ms, clock_domain::host) == 14'001'000);
}

TEST_CASE("a clock that is slewed is known less well where it begins and ends, and as well as before elsewhere") {
  const std::int64_t usual = *built(jittering_clock()).bound_at(150 * ms, clock_domain::tracer);
  clock_evidence e = jittering_clock();
  // The wall clock gains 400 ppm from 104 ms of R on, until 204 ms. S0 is 3 ms less than R.
  const auto gained_ns = [](std::int64_t r_ms) { return std::clamp<std::int64_t>(r_ms - 104, 0, 100) * 400; };
  for (std::size_t k = 0; k < 30; ++k) {
    const auto tens = static_cast<std::int64_t>(k) * 10;
    e.snapshots[k].host.ns += gained_ns(tens);
    e.offsets[k].offset_ps += gained_ns(tens - 10 + 3) * 1000;
  }
  const node_clock c = built(e);
  CHECK(has(c, clock_anomaly::kind::slope));
  CHECK_FALSE(has(c, clock_anomaly::kind::offset_jump));
  // The corner lies 4 ms after a snapshot and 6 before the next: the chord is off by 400 ppm * 10 ms * 0.4 * 0.6 there.
  for (const std::int64_t at : {101 * ms, 201 * ms}) {
    CHECK(c.bound_at(at, clock_domain::tracer) >= 960'000);
    CHECK(c.bound_at(at, clock_domain::host) >= 360'000);  // 1 ms after an offset
  }
  for (const std::int64_t at : {50 * ms, 150 * ms, 270 * ms}) CHECK(c.bound_at(at, clock_domain::tracer) < 2 * usual);
  for (std::int64_t r_ms = 0; r_ms < 290; ++r_ms) {
    const std::int64_t right = (r_ms - 3) * ms;
    REQUIRE(std::abs(from_tracer(c, r_ms * ms) - right) <= *c.bound_at(right, clock_domain::tracer));
  }
}

TEST_CASE("a clock that is slewed for a moment does not step") {
  clock_evidence e = jittering_clock();
  for (std::size_t k = 0; k < 30; ++k)
    e.snapshots[k].host.ns += std::clamp<std::int64_t>(static_cast<std::int64_t>(k) * 10 - 104, 0, 22) * 400;
  const node_clock c = built(e);
  CHECK(text_of(c).find("changes its rate") != std::string::npos);
  CHECK(text_of(c).find("step") == std::string::npos);
  CHECK(text_of(c).find("jump") == std::string::npos);
}

TEST_CASE("the bound in a gap holds what a clock of steady curvature strays") {
  clock_evidence e = still_clock(30, 30);
  for (std::size_t k = 0; k < 30; ++k) {
    e.offsets[k].midpoint.ns = e.reference_base_ns + (static_cast<std::int64_t>(k) - 1) * 10'000'000;
    e.snapshots[k].host.ns += static_cast<std::int64_t>(30 * k * k);
  }
  e.snapshots.erase(e.snapshots.begin() + 9, e.snapshots.begin() + 21);
  const node_clock c = built(e);
  // At 145 ms of R, in the middle of 130 ms without a snapshot: 30 ns * 6.5^2 off the chord.
  const std::int64_t off_ps = std::llround(30'000 * 6.5 * 6.5);
  CHECK(c.bound_at(142 * ms, clock_domain::tracer) >= off_ps);
  CHECK(c.bound_at(142 * ms, clock_domain::tracer) < 3 * off_ps);
  CHECK(c.bound_at(60 * ms, clock_domain::tracer) < off_ps / 2);
}

TEST_CASE("reads that are only late: the truth is at the edge of what they leave") {
  constexpr std::size_t many = 300;
  clock_evidence e = still_clock(many, 8);
  double most = 0;
  for (std::size_t k = 0; k < many; ++k) {
    // Each of 300 equally likely delays once, in no order.
    const double share = (static_cast<double>(k * 7919 % many) + 0.5) / many, late = -90 * std::log(share);
    e.snapshots[k].host.ns -= std::llround(late);
    most = std::max(most, late);
  }
  const node_clock c = built(e);
  CHECK(c.anomalies().empty());
  CHECK(static_cast<double>(*c.bound_at(1000 * ms, clock_domain::tracer)) >= most * 1000);
  CHECK(static_cast<double>(*c.bound_at(1000 * ms, clock_domain::tracer)) < most * 1000 * 1.3);
}

TEST_CASE("clocks of a hundred thousand bad measurements take time in proportion") {
  constexpr int many = 100'000, tail = 20'000;
  clock_evidence bending = still_clock(many, many), bending_both = bending;
  for (int k = 0; k < tail; ++k) {
    // 20 ns times the square: each but the last lies between its neighbours.
    const std::int64_t bend_ns = std::int64_t{20} * k * k;
    bending.offsets[static_cast<std::size_t>(many - tail + k)].offset_ps += bend_ns * 1000;
    bending_both.snapshots[static_cast<std::size_t>(many - tail + k)].host.ns += bend_ns;
  }
  bending_both.offsets = bending.offsets;
  CHECK(text_of(built(bending_both)).find("left out") == std::string::npos);
  const node_clock bent = built(bending);
  CHECK(has(bent, clock_anomaly::kind::offset_jump));
  CHECK(text_of(bent).find("left out") == std::string::npos);
  const node_bounds of_bent = bent.bounds(0, std::int64_t{many} * 20 * ms);
  CHECK(of_bent.windows.size() > tail / 2);
  for (std::size_t i = 0; i < of_bent.windows.size(); i += 1000)
    CHECK(bent.bound_at(of_bent.windows[i].to_ps - 1, clock_domain::tracer) == of_bent.windows[i].tracer_bound_ps);

  // Two of three follow at once.
  clock_evidence gaps = still_clock(many, 8);
  for (int k = 0; k < many; ++k) {
    clock_pair& p = gaps.snapshots[static_cast<std::size_t>(k)];
    const std::int64_t at_ns = std::int64_t{10'000'000} * (k / 3) + 100'000 * (k % 3);
    p.tracer.ns = gaps.tracer_base_ns + at_ns;
    p.host.ns = gaps.host_base_ns + at_ns;
  }
  const node_clock gapped = built(gaps);
  CHECK(gapped.anomalies().size() == many / 3);
  const node_bounds of_gaps = gapped.bounds(0, std::int64_t{many} * 4 * ms);
  CHECK(std::any_of(of_gaps.windows.begin(), of_gaps.windows.end(), [](const clock_window& w) { return w.suspect; }));

  clock_evidence falling = still_clock(many, many);
  for (int k = 0; k < many; ++k)
    falling.snapshots[static_cast<std::size_t>(k)].tracer.ns = falling.tracer_base_ns - std::int64_t{10'000'000} * k;
  const auto fallen = node_clock::build(falling);
  REQUIRE_FALSE(fallen.ok());
  CHECK(fallen.error().message.find("describe no clock: 99999 of 99999 segments") != std::string::npos);
}

TEST_CASE("an offset is known no better than half of the round trip that is told") {
  clock_evidence e = still_clock();
  for (offset_row& r : e.offsets) r.round_trip_ps = 16'000'000;
  CHECK(built(e).bound_at(50 * ms, clock_domain::host) >= 8'000'000);
}

TEST_CASE("snapshots that are none: too few, backwards, far away, repeated") {
  clock_evidence e = still_clock(1);
  CHECK(node_clock::build(e).error().code == fault_code::invalid_argument);
  e = still_clock(12, 0);
  CHECK(node_clock::build(e).error().message.find("no usable row of node 1") != std::string::npos);
  e.is_reference = true;
  CHECK(node_clock::build(e));
  e = still_clock();
  for (std::size_t k = 0; k < e.snapshots.size(); ++k)
    e.snapshots[k].host.ns = e.host_base_ns - static_cast<std::int64_t>(k) * 10'000'000;
  auto backwards = node_clock::build(e);
  REQUIRE_FALSE(backwards);
  CHECK(backwards.error().code == fault_code::damaged);
  CHECK(backwards.error().message.find("describe no clock") != std::string::npos);
  e = still_clock();
  e.snapshots[3].tracer.ns += std::int64_t{1} << 60;
  CHECK(node_clock::build(e).error().message.find("26 days") != std::string::npos);
  e = still_clock();
  for (clock_pair& p : e.snapshots) p = e.snapshots[0];
  CHECK(node_clock::build(e).error().message.find("all of one instant") != std::string::npos);
  e = still_clock();
  e.snapshots.push_back(e.snapshots[4]);
  e.snapshots.push_back(e.snapshots[4]);
  const node_clock c = built(e);
  CHECK(has(c, clock_anomaly::kind::duplicate));
  CHECK(from_tracer(c, 55 * ms) == 52 * ms);
  e = still_clock();
  std::reverse(e.snapshots.begin(), e.snapshots.end());
  CHECK(from_tracer(built(e), 55 * ms) == 52 * ms);
}

// ---- readers ----

TEST_CASE("offsets: both spellings, digits, clocks") {
  const auto table = read_offsets(
      R"({"meta":true,"nodes":[{"node_id":0,"start_walltime_ns":1765400000000000001,"start_gpu_ns":7}]})"
      "\n"
      R"({"round_id":1,"window_start_ns":1765400000000000001,"window_end_ns":1765400000000000004,"node_id":0,"offset_ns":0})"
      "\n"
      R"({"round_id":1,"window_start_ns":5,"window_end_ns":9,"node_id":1,"offset_ns":-750.8125,"drift_ppm":0.4362,"residual":1.5,"converged":false})"
      "\n"
      R"({"round_id":2,"midpoint_sys_ns":100,"window_start_ns":5,"window_end_ns":9,"node_id":1,"offset_ns":-1.23457e+06})"
      "\n"
      "\n{broken\n"
      R"({"round_id":3,"node_id":1,"offset_ns":4})"
      "\n"
      R"({"round_id":1,"midpoint_sys_ns":4,"node_id":2,"offset_ns":1,"reachable":false})"
      "\n");
  REQUIRE(table);
  REQUIRE(table->start_of(0) != nullptr);
  CHECK(table->start_of(0)->walltime_ns == 1'765'400'000'000'000'001);
  REQUIRE(table->rows.size() == 5);
  CHECK(table->rows[0].midpoint.ns == 1'765'400'000'000'000'002);
  CHECK(table->rows[0].midpoint.sub_ps == 500);
  CHECK(table->rows[1].offset_ps == -750'813);  // rounded half away from zero
  CHECK(table->rows[1].drift_ppt == 436'200);
  CHECK(table->rows[1].residual_ps == 1500);
  CHECK(table->rows[2].offset_ps == -1'234'570'000);
  CHECK(table->rows[2].midpoint.ns == 100);
  CHECK(table->broken_lines == 1);
  CHECK(table->rows_without_midpoint == 1);
  CHECK(table->unreachable_rows == 1);
  CHECK(table->unconverged_rows == 1);
  // In this file a number has seven digits: what is short is exact to its last digit.
  CHECK(table->rows[2].resolution_ps == 5000);
  const auto rows = resolve_midpoints(*table, 0);
  CHECK(rows_of_node(rows, 2).empty());
  const auto own = rows_of_node(rows, 1);
  REQUIRE(own.size() == 2);
  CHECK(own[0].midpoint.ns == 1'765'400'000'000'000'002);  // the reference node's, of round 1
  CHECK(own[1].midpoint.ns == 100);                        // round 2 has none
  // Six digits everywhere: half of the sixth.
  const auto six = read_offsets(R"({"node_id":1,"midpoint_sys_ns":4,"offset_ns":-1.2e+07})"
                                "\n");
  REQUIRE(six);
  CHECK(six->rows[0].resolution_ps == 50'000);
}

TEST_CASE("snapshot files that are something else, or cut") {
  const auto pair = [](std::int64_t s, std::int64_t r) {
    std::string p, m;
    const auto put = [](std::string& to, std::uint64_t n) {
      for (; n >= 0x80; n >>= 7) to += static_cast<char>(n | 0x80);
      to += static_cast<char>(n);
    };
    put(p, 1 << 3);
    put(p, static_cast<std::uint64_t>(s));
    put(p, 2 << 3);
    put(p, static_cast<std::uint64_t>(r));
    put(m, 1 << 3 | 2);
    put(m, p.size());
    return m + p;
  };
  const std::string whole =
      pair(1'765'400'000'000'000'000, 55) + pair(1'765'400'000'010'000'000, 10'000'055) + std::string("\x10\x05");
  const auto read = read_snapshot_pairs(whole, "s.pb");
  REQUIRE(read);
  REQUIRE(read->pairs.size() == 2);
  CHECK(read->pairs[1].tracer.ns == 10'000'055);
  CHECK(read->sampling_period_ns == 5);
  const std::size_t one = pair(1'765'400'000'000'000'000, 55).size(), both = whole.size() - 2;
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    if (cut == one || cut == both) continue;  // a valid, shorter message
    INFO(cut);
    const auto broken = read_snapshot_pairs(std::string_view(whole).substr(0, cut), "s.pb");
    REQUIRE_FALSE(broken);
    CHECK(broken.error().code == fault_code::damaged);
    CHECK(broken.error().path == "s.pb");
  }
  CHECK_FALSE(read_snapshot_pairs("\x0a\x03\x12\x01x", "trace.pb"));
  CHECK_FALSE(read_snapshot_pairs(pair(-1, 5)));
  CHECK(read_snapshot_pairs("")->pairs.empty());
}

}  // namespace profkit::test
