// What is made of each kind of evidence of a clock, on both sides of every limit: a row a case.
#include "clock_evidence.hpp"

#include <catch.hpp>

#include <functional>
#include <string>
#include <vector>

namespace profkit::test {
namespace {

constexpr std::int64_t ahead_ps = 3'000'000'000;  // of the wall clock

using change = std::function<void(clock_evidence&)>;

struct row {
  const char* what;
  int snapshots, offsets;
  change with;
  std::vector<clock_anomaly::kind> told;  // every anomaly, in order
  bool bound_known = true;
};

using kind = clock_anomaly::kind;
const change nothing = [](clock_evidence&) {};
change host_later(std::size_t at, std::int64_t ns) {
  return [=](clock_evidence& e) { e.snapshots[at].host.ns += ns; };
}
change offset_more(std::size_t at, std::int64_t ps) {
  return [=](clock_evidence& e) { e.offsets[at].offset_ps += ps; };
}

}  // namespace

TEST_CASE("clock evidence: what is told of every kind, on both sides of its limit") {
  const row rows[] = {
      {"two snapshots and one offset", 2, 1, nothing, {}},
      {"two snapshots and two offsets", 2, 2, nothing, {}},
      {"many", 12, 12, nothing, {}},
      // 1 part in 1000 of a second is 1 ms.
      {"two snapshots at the limit", 2, 1, host_later(1, 1'000'000), {}},
      {"two snapshots beyond it", 2, 1, host_later(1, 1'000'001), {kind::host_step}},
      {"two snapshots beyond it, slow", 2, 1, host_later(1, -1'000'001), {kind::host_step}},
      {"three snapshots at the limit", 3, 1, host_later(2, 1'000'000), {}},
      {"three snapshots beyond it", 3, 1, host_later(2, 1'000'001), {kind::host_step}},
      // 1 part in 2000 of a second is 500 us.
      {"two offsets at the limit", 2, 2, offset_more(1, 500'000'000), {}},
      {"two offsets beyond it", 2, 2, offset_more(1, 500'000'001), {kind::offset_jump}},
      {"two offsets beyond it, down", 2, 2, offset_more(1, -500'000'001), {kind::offset_jump}},
      {"a snapshot repeated",
       3,
       1,
       [](clock_evidence& e) { e.snapshots.push_back(e.snapshots[1]); },
       {kind::duplicate, kind::tracer_not_rising}},
      {"one tracer time for two wall times",
       3,
       1,
       [](clock_evidence& e) {
         e.snapshots.insert(e.snapshots.begin() + 1, {e.snapshots[1].tracer, {start_ns + step_ns - 10, 0}});
       },
       {kind::tracer_not_rising}},
      {"snapshots in another order", 3, 1, [](clock_evidence& e) { std::swap(e.snapshots[0], e.snapshots[2]); },
       {kind::tracer_not_rising}},
      {"an offset repeated", 2, 3, [](clock_evidence& e) { e.offsets[1].midpoint = e.offsets[0].midpoint; },
       {kind::duplicate}},
      {"two offsets of one time that differ",
       2,
       3,
       [](clock_evidence& e) {
         e.offsets[1].midpoint = e.offsets[0].midpoint;
         e.offsets[1].offset_ps += 7;
       },
       {kind::duplicate, kind::duplicate}},
      {"the tracer clock is reset", 6, 6,
       [](clock_evidence& e) {
         for (std::size_t k = 3; k < 6; ++k) e.snapshots[k].tracer.ns -= 100 * step_ns;
       },
       {kind::tracer_not_rising}, false},
      {"of six offsets the drift that is stated is another", 2, 6,
       [](clock_evidence& e) {
         for (offset_row& r : e.offsets) r.drift_ppt = 50'000'000;
       },
       {kind::drift_disagrees}},
      {"of six offsets the drift that is stated is that of the offsets", 2, 6,
       [](clock_evidence& e) {
         for (offset_row& r : e.offsets) r.drift_ppt = 0;
       },
       {}},
      // 1 ppm of what is stated is let pass.
      {"a drift just within what is let pass", 2, 6,
       [](clock_evidence& e) {
         for (offset_row& r : e.offsets) r.drift_ppt = 1'000'000;
       },
       {}},
      {"a drift just beyond it", 2, 6,
       [](clock_evidence& e) {
         for (offset_row& r : e.offsets) r.drift_ppt = 1'000'001;
       },
       {kind::drift_disagrees}},
  };
  for (const row& r : rows) {
    INFO(r.what);
    clock_evidence e = evidence(r.snapshots, r.offsets, ahead_ps);
    r.with(e);
    const auto clock = node_clock::build(e);
    REQUIRE(clock);
    std::vector<clock_anomaly::kind> told;
    std::string text;
    for (const clock_anomaly& a : clock->anomalies()) {
      told.push_back(a.what);
      text += a.text + '\n';
    }
    INFO(text);
    CHECK(told == r.told);
    CHECK(clock->bound_at(0, clock_domain::tracer).has_value() == r.bound_known);
    CHECK(clock->bounds(0, step_ns).known == r.bound_known);
  }
}

TEST_CASE("clock evidence: what no clock can be made of") {
  struct refused {
    const char* what;
    int snapshots, offsets;
    change with;
    bool is_refused;
    fault_code code;
  };
  constexpr std::int64_t max_ns = (std::int64_t{1} << 61) / 1000;  // 26 days
  const auto all_apart = [](std::int64_t ns) {
    return [=](clock_evidence& e) {
      for (clock_pair& p : e.snapshots) p.host.ns += ns;
    };
  };
  const auto as_reference = [](std::int64_t offset_ps) {
    return [=](clock_evidence& e) {
      e.is_reference = true;
      for (offset_row& r : e.offsets) r.offset_ps = offset_ps;
    };
  };
  const refused rows[] = {
      {"no snapshot", 0, 1, nothing, true, fault_code::invalid_argument},
      {"one snapshot", 1, 1, nothing, true, fault_code::invalid_argument},
      {"two snapshots of one instant", 2, 1, [](clock_evidence& e) { e.snapshots[1] = e.snapshots[0]; }, true,
       fault_code::invalid_argument},
      {"no offset", 2, 0, nothing, true, fault_code::invalid_argument},
      {"no offset of the reference", 2, 0, [](clock_evidence& e) { e.is_reference = true; }, false, {}},
      {"snapshots as far as can be", 2, 1, all_apart(max_ns - step_ns), false, {}},
      {"snapshots further than can be", 2, 1, all_apart(max_ns - step_ns + 1), true, fault_code::damaged},
      // A clock measured against itself may be 1 us off.
      {"offsets of the reference at the limit", 2, 2, as_reference(1'000'000), false, {}},
      {"offsets of the reference beyond it", 2, 2, as_reference(1'000'001), true, fault_code::invalid_argument},
      {"offsets of the reference beyond it, down", 2, 2, as_reference(-1'000'001), true, fault_code::invalid_argument},
  };
  for (const refused& r : rows) {
    INFO(r.what);
    clock_evidence e = evidence(r.snapshots, r.offsets, ahead_ps);
    r.with(e);
    const auto clock = node_clock::build(e);
    REQUIRE(clock.ok() != r.is_refused);
    if (r.is_refused) CHECK(clock.error().code == r.code);
  }
}

TEST_CASE("clock evidence: bounds of few measurements") {
  const auto bounds_of = [](const clock_evidence& e, std::int64_t at_ps) {
    const auto clock = node_clock::build(e);
    REQUIRE(clock);
    return std::pair(clock->bound_at(at_ps, clock_domain::tracer).value(),
                     clock->bound_at(at_ps, clock_domain::host).value());
  };
  constexpr std::int64_t second = 1'000'000'000'000, microsecond = 1'000'000;
  // Two measurements show no scatter: each may be 1 us off, and the reading of whole ns comes on top.
  CHECK(bounds_of(evidence(2, 2, ahead_ps), second / 2) ==
        std::pair<std::int64_t, std::int64_t>(1'414'214 + 2'000, microsecond + 1'000));
  // Three agree.
  CHECK(bounds_of(evidence(3, 3, ahead_ps), second / 2) == std::pair<std::int64_t, std::int64_t>(2'000, 1'000));
  // Of one offset the drift is unknown: 100 ppm of the time since.
  const auto near = bounds_of(evidence(3, 1, ahead_ps), 0), far = bounds_of(evidence(3, 1, ahead_ps), second);
  CHECK(near.second == microsecond + 1'000 + 1);  // half open: 1 ps on, rounded up
  CHECK(far.second - near.second == 100 * microsecond);
  // Round trips bound by half of them, and of those around an instant the greater counts.
  for (const std::int64_t trip : {std::int64_t{0}, std::int64_t{2'000}, std::int64_t{2'001}, std::int64_t{9'000}}) {
    clock_evidence e = evidence(3, 3, ahead_ps);
    for (offset_row& r : e.offsets) r.round_trip_ps = trip;
    CHECK(bounds_of(e, second / 2).second == trip / 2 + 1'000);
    e.offsets[1].round_trip_ps = trip + 400;
    CHECK(bounds_of(e, second / 2).second == trip / 2 + 200 + 1'000);
    e.offsets[2].residual_ps = trip + 1;  // the solver's residual where that is more
    CHECK(bounds_of(e, second / 2).second == trip / 2 + 200 + 1'000);
    CHECK(bounds_of(e, second + second / 2).second == std::max(trip / 2 + 200, trip + 1) + 1'000);
  }
  // The resolution of the offsets around counts, that of others does not.
  clock_evidence e = evidence(4, 4, ahead_ps);
  e.offsets[2].resolution_ps = 50;
  CHECK(bounds_of(e, second / 2).second == 1'000);
  CHECK(bounds_of(e, second + second / 2).second == 1'050);
  CHECK(bounds_of(e, 2 * second + second / 2).second == 1'050);
}

}  // namespace profkit::test
