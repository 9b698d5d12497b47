// What measurements of clocks mean: which are left out, which are steps, what is used of two that differ.
#include "clock_evidence.hpp"

#include <clusters/merge/folded_warnings.hpp>

#include <catch.hpp>

#include <string>
#include <utility>
#include <vector>

namespace profkit::test {
namespace {

constexpr std::int64_t microsecond = 1'000'000, second = 1'000'000 * microsecond;
using kind = clock_anomaly::kind;

node_clock built(const clock_evidence& e) {
  auto clock = node_clock::build(e);
  REQUIRE(clock);
  return std::move(*clock);
}

std::size_t told(const node_clock& clock, kind what, const std::string& part) {
  std::size_t n = 0;
  for (const clock_anomaly& a : clock.anomalies()) n += a.what == what && a.text.find(part) != std::string::npos;
  return n;
}

offset_table offsets_of(const std::string& text) {
  auto table = read_offsets(text, "offsets.jsonl");
  REQUIRE(table);
  return std::move(*table);
}

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 128; value >>= 7) out += static_cast<char>((value & 127) | 128);
  return out + static_cast<char>(value);
}
std::string pair_of(std::uint64_t host, std::uint64_t tracer) {
  const std::string body = "\x08" + varint(host) + "\x10" + varint(tracer);
  return "\x0a" + varint(body.size()) + body;
}

}  // namespace

TEST_CASE("clock measurements: of two that differ the middle is used") {
  SECTION("two wall times of one tracer time") {
    clock_evidence e = evidence(4, 4);
    e.snapshots.insert(e.snapshots.begin() + 2, clock_pair{{tracer_ns + step_ns, 0}, {start_ns + step_ns + 100, 0}});
    CHECK(built(e).tracer_to_host()(second) == second + 50'000);
  }
  SECTION("two offsets of one time") {
    for (const std::int64_t apart : {std::int64_t{100'000}, std::int64_t{-100'000}}) {
      clock_evidence e = evidence(4, 4);
      offset_row again = e.offsets[1];
      again.offset_ps = apart;
      e.offsets.push_back(again);
      const node_clock clock = built(e);
      CHECK(clock.host_to_reference()(second + apart / 2) == second);
      CHECK(clock.offset_count() == 4);
    }
  }
  SECTION("a snapshot written twice in a row") {
    clock_evidence e = evidence(4, 4);
    e.snapshots.insert(e.snapshots.begin() + 1, e.snapshots[1]);
    const node_clock clock = built(e);
    REQUIRE(clock.anomalies().size() == 1);
    CHECK(clock.anomalies()[0].what == kind::duplicate);
    CHECK(clock.anomalies()[0].text == "1 snapshots were repeated; each counts once");
    CHECK(clock.bound_at(0, clock_domain::tracer));
  }
}

TEST_CASE("clock measurements: a tracer clock that is reset") {
  // Five snapshots, then three from `from` seconds of the tracer clock on.
  const auto reset_to = [](std::int64_t from) {
    clock_evidence e = evidence(8, 8);
    for (std::size_t k = 0; k < 8; ++k)
      e.snapshots[k].tracer.ns = tracer_ns + (k < 5 ? 100 + static_cast<std::int64_t>(k)
                                                    : from + static_cast<std::int64_t>(k) - 5) * step_ns;
    return built(e);
  };
  // 97, 98, 99 are times of their own: both pieces are kept. At 100 they share one: the longer piece alone is.
  CHECK(reset_to(97).tracer_to_host()(97 * second) == 5 * second);
  CHECK(reset_to(98).tracer_to_host()(98 * second) == -2 * second);
  CHECK_FALSE(reset_to(97).bound_at(0, clock_domain::tracer));
  CHECK_FALSE(reset_to(98).bound_at(0, clock_domain::tracer));
}

TEST_CASE("clock measurements: a quarter of them may be off") {
  const auto odd_offsets = [](std::int64_t n, const std::vector<std::size_t>& off) {
    clock_evidence e = evidence(2, n);
    for (const std::size_t at : off) e.offsets[at].offset_ps = 50 * microsecond;
    return told(built(e), kind::offset_jump, "it is left out");
  };
  CHECK(odd_offsets(12, {3}) == 1);
  CHECK(odd_offsets(5, {2}) == 0);  // too few to show which is off
  CHECK(odd_offsets(6, {2}) == 1);
  CHECK(odd_offsets(8, {0, 4}) == 2);
  CHECK(odd_offsets(8, {0, 7}) == 2);
  CHECK(odd_offsets(12, {0, 5, 11}) == 3);
  CHECK(odd_offsets(12, {2, 5}) == 2);
  CHECK(odd_offsets(16, {0, 5, 10, 15}) == 4);
  CHECK(odd_offsets(15, {0, 5, 10, 14}) == 0);
  CHECK(odd_offsets(11, {0, 5, 10}) == 0);
}

TEST_CASE("clock measurements: steps") {
  SECTION("a step of less than 1000 ppm between many snapshots is told") {
    clock_evidence e = evidence(12, 1);
    for (std::size_t k = 6; k < 12; ++k) e.snapshots[k].host.ns += 100'000;
    const node_clock clock = built(e);
    CHECK(told(clock, kind::host_step, "steps by 100.0 us") == 1);
    REQUIRE(clock.anomalies().size() == 1);
    CHECK(clock.anomalies()[0].size_ps == 100 * microsecond);
  }
  SECTION("offsets that are steady tell that it was the tracer clock") {
    clock_evidence e = evidence(12, 14);
    for (offset_row& r : e.offsets) r.midpoint.ns -= step_ns / 2;
    for (std::size_t k = 6; k < 12; ++k) e.snapshots[k].host.ns += 100'000;
    const node_clock clock = built(e);
    CHECK(told(clock, kind::tracer_not_rising, "the tracer clock jumps by -100.0 us") == 1);
    CHECK(told(clock, kind::host_step, "") == 0);
  }
  SECTION("offsets that scatter more than the step cannot tell") {
    clock_evidence e = evidence(12, 14);
    for (std::size_t k = 0; k < e.offsets.size(); ++k) {
      e.offsets[k].midpoint.ns -= step_ns / 2;
      e.offsets[k].offset_ps = static_cast<std::int64_t>(k * k * 7 % 31) * microsecond;
    }
    for (std::size_t k = 6; k < 12; ++k) e.snapshots[k].host.ns += 100'000;
    const node_clock clock = built(e);
    CHECK(told(clock, kind::host_step, "the wall clock or the tracer clock steps by 100.0 us") == 1);
    CHECK(told(clock, kind::tracer_not_rising, "") == 0);
  }
}

TEST_CASE("clock measurements: one offset leaves the drift unknown, before and behind it") {
  clock_evidence e = evidence(4, 1);
  e.offsets[0].midpoint.ns += 2 * step_ns;
  const node_clock clock = built(e);
  const auto bound = [&](std::int64_t at) { return clock.bound_at(at, clock_domain::host).value(); };
  CHECK(bound(second) - bound(2 * second) >= 99 * microsecond);  // 100 ppm of a second
  CHECK(bound(3 * second) - bound(2 * second) >= 99 * microsecond);
}

TEST_CASE("clock measurements: beyond the outermost ones the bound grows as fast as the nearest pair allows") {
  clock_evidence e = evidence(4, 3);
  e.offsets[2].midpoint.ns = start_ns + 4 * step_ns;
  for (offset_row& r : e.offsets) r.residual_ps = 500 * microsecond;
  const node_clock clock = built(e);
  const auto bound = [&](std::int64_t at) { return clock.bound_at(at, clock_domain::host).value(); };
  const auto near = [](std::int64_t found, std::int64_t expected) {
    INFO(found << " for " << expected);
    CHECK(found >= expected - 10'000);
    CHECK(found <= expected + 10'000);
  };
  near(bound(2 * second), 500 * microsecond);
  // Both ends of a pair may be off by 500 us: 1 ms a second before, 1 ms in three seconds behind.
  near(bound(-second), 1'500 * microsecond);
  near(bound(-2 * second), 2'500 * microsecond);
  near(bound(7 * second), 1'500 * microsecond);
  near(bound(10 * second), 2'500 * microsecond);
}

TEST_CASE("clock windows: what lies before and behind the snapshots or the offsets is extrapolated") {
  const auto extrapolated = [](std::int64_t first_snapshot, std::int64_t first_offset) {
    clock_evidence e = evidence(4, 4);  // three seconds each
    for (clock_pair& p : e.snapshots) {
      p.tracer.ns += first_snapshot * step_ns;
      p.host.ns += first_snapshot * step_ns;
    }
    for (offset_row& r : e.offsets) r.midpoint.ns += first_offset * step_ns;
    std::string marks;
    const auto bounds = built(e).bounds(0, 8 * second);
    for (std::int64_t at = 0; at < 8; ++at)
      for (const clock_window& w : bounds.windows)
        if (w.from_ps <= at * second + second / 2 && at * second + second / 2 < w.to_ps)
          marks += w.extrapolated ? 'x' : '-';
    return marks;
  };
  CHECK(extrapolated(0, 0) == "---xxxxx");
  CHECK(extrapolated(2, 2) == "xx---xxx");
  CHECK(extrapolated(3, 2) == "xxx--xxx");
  CHECK(extrapolated(2, 3) == "xxx--xxx");
  CHECK(extrapolated(2, 4) == "xxxx-xxx");
}

TEST_CASE("clock measurements: a clock needs half of its segments to be sound") {
  const auto is_clock = [](const std::vector<std::int64_t>& wall_s) {
    clock_evidence e = evidence(static_cast<std::int64_t>(wall_s.size()), 1);
    for (std::size_t k = 0; k < wall_s.size(); ++k) e.snapshots[k].host.ns = start_ns + wall_s[k] * step_ns;
    return node_clock::build(e).ok();
  };
  CHECK(is_clock({0, 1, 2, -3, -2}));
  CHECK(is_clock({0, 1, 2, -3, -8}));
  CHECK_FALSE(is_clock({0, 1, -4, -9, -14}));
}

TEST_CASE("piecewise map: at a step the later piece counts, wherever the one before was") {
  const piecewise_map map({{0, 0}, {10, 10}, {10, 110}, {20, 120}});
  for (const std::int64_t before : {-5, 5, 9, 10, 15, 25}) {
    piecewise_map::cursor at;
    static_cast<void>(map(before, at));
    CHECK(map(10, at) == 110);
    CHECK(map(9, at) == 9);
    CHECK(map(10, at) == 110);
  }
}

TEST_CASE("clock warnings are folded with their number and the largest size") {
  const auto of = [](std::int64_t size_ps, const char* text) {
    return clock_anomaly{kind::host_step, 0, size_ps, text};
  };
  CHECK(folded_warnings(std::vector<clock_anomaly>{of(7'000, "steps by 7.0 ns"),
                                                   of(9 * microsecond, "steps by -9.0 us"),
                                                   of(8'000, "steps by 8.0 ns"), of(0, "another")}) ==
        std::vector<std::string>{"steps by 7.0 ns (3 times, up to 9.0 us)", "another"});
  CHECK(folded_warnings(std::vector<std::string>{"row 1", "row 2", "rows"}) ==
        std::vector<std::string>{"row 1 (2 times)", "rows"});
}

TEST_CASE("offsets: rows that count, digits and rounds") {
  SECTION("a row counts as unreachable or as unconverged, never as both") {
    const offset_table t = offsets_of(
        "{\"node_id\":1,\"midpoint_sys_ns\":1,\"offset_ns\":1,\"reachable\":false,\"converged\":false}\n"
        "{\"node_id\":1,\"midpoint_sys_ns\":2,\"offset_ns\":1,\"converged\":false}\n"
        "{\"node_id\":1,\"midpoint_sys_ns\":3,\"offset_ns\":1}\n{\"node_id\":1,\"offset_ns\":1}\n");
    CHECK(t.unreachable_rows == 1);
    CHECK(t.unconverged_rows == 1);
    CHECK(t.rows_without_midpoint == 1);
  }
  SECTION("zeros at the end are no digits that were measured") {
    const auto resolution = [](const std::string& offset) {
      return offsets_of("{\"node_id\":1,\"midpoint_sys_ns\":1,\"offset_ns\":" + offset + "}\n").rows[0].resolution_ps;
    };
    CHECK(resolution("12345.6") == 50);  // six digits: half of 0.1 ns
    CHECK(resolution("12345.600") == 50);
    CHECK(resolution("1234560") == 5'000);   // half of 10 ns
    CHECK(resolution("1234567") == 500);     // seven: whole ns as written
    CHECK(resolution("12345.67") == 5);
  }
  SECTION("a round of which the reference node has two times has none") {
    const std::string first = "{\"node_id\":0,\"round_id\":4,\"midpoint_sys_ns\":100,\"offset_ns\":0}\n";
    const std::string other = "{\"node_id\":0,\"round_id\":4,\"midpoint_sys_ns\":200,\"offset_ns\":0}\n";
    const std::string own = "{\"node_id\":1,\"round_id\":4,\"midpoint_sys_ns\":777,\"offset_ns\":5}\n";
    const auto midpoint = [](const std::string& text) {
      return rows_of_node(resolve_midpoints(offsets_of(text), 0), 1).at(0).midpoint.ns;
    };
    CHECK(midpoint(first + own) == 100);
    CHECK(midpoint(first + first + own) == 100);
    CHECK(midpoint(first + other + own) == 777);
    CHECK(midpoint(own) == 777);
  }
  SECTION("the middle of a window of an odd number of ns") {
    const offset_row r =
        offsets_of("{\"node_id\":1,\"window_start_ns\":10,\"window_end_ns\":13,\"offset_ns\":1}\n").rows[0];
    CHECK((r.midpoint.ns == 11 && r.midpoint.sub_ps == 500));
  }
}

TEST_CASE("snapshot files: times on both sides of what int64 holds") {
  constexpr std::uint64_t most = (std::uint64_t{1} << 63) - 1;
  CHECK(read_snapshot_pairs(pair_of(most, 1)));
  CHECK(read_snapshot_pairs(pair_of(1, most)));
  CHECK_FALSE(read_snapshot_pairs(pair_of(most + 1, 1)));
  CHECK_FALSE(read_snapshot_pairs(pair_of(1, most + 1)));
}

}  // namespace profkit::test
