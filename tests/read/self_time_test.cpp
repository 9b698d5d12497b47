// op_totals against a reckoning of every single instant.
#include <catch.hpp>

#include <analyse/ops/op_totals.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

using namespace profkit;

namespace {

event_row timed(std::int64_t id, std::int64_t start, std::int64_t duration) {
  return event_row{id, start, duration, 0, nullptr, 0, event_has_offset};
}
event_row aggregated(std::int64_t id, std::int64_t occurrences, std::int64_t duration) {
  return event_row{id, 0, duration, occurrences, nullptr, 0, event_has_occurrences};
}

// Every event runs in one of these instants.
constexpr std::int64_t instants = 48;

// Who owns each instant: of the running events the one that started last, then the shorter, then the later one.
std::map<std::int64_t, std::uint64_t> reckon_self(const std::vector<event_row>& rows) {
  std::map<std::int64_t, std::uint64_t> self;
  for (std::int64_t at = 0; at < instants; ++at) {
    const event_row* owner = nullptr;
    for (const event_row& row : rows) {
      if (at < row.offset_ps || at >= row.offset_ps + row.duration_ps) continue;
      if (owner == nullptr || row.offset_ps > owner->offset_ps ||
          (row.offset_ps == owner->offset_ps && row.duration_ps <= owner->duration_ps))
        owner = &row;
    }
    if (owner != nullptr) ++self[owner->metadata_id];
  }
  return self;
}

void feed(op_totals& totals, const std::vector<event_row>& rows, std::size_t batch) {
  for (std::size_t at = 0; at < rows.size(); at += batch)
    totals.add(rows.data() + at, std::min(batch, rows.size() - at));
  if (!totals.in_order()) totals.add_unordered(rows.data(), rows.size());
  totals.finish();
}

void check(const std::vector<event_row>& rows, std::size_t dense_ids, std::size_t batch) {
  op_totals totals(dense_ids);
  feed(totals, rows, batch);
  auto expected = reckon_self(rows);
  std::uint64_t busy = 0;
  std::int64_t sum = 0;
  for (const auto& [id, self] : expected) busy += self;
  for (const event_row& row : rows) sum += row.duration_ps;
  REQUIRE(totals.busy_ps() == busy);
  REQUIRE(totals.duration_sum_ps() == sum);
  REQUIRE(totals.events() == rows.size());
  std::size_t ids = 0;
  totals.for_each([&](std::int64_t id, const op_sum& found) {
    ++ids;
    std::uint64_t count = 0;
    std::int64_t total = 0, least = instants, most = 0;
    for (const event_row& row : rows) {
      if (row.metadata_id != id) continue;
      ++count;
      total += row.duration_ps;
      least = std::min(least, row.duration_ps);
      most = std::max(most, row.duration_ps);
    }
    REQUIRE(found.self_ps == expected[id]);
    REQUIRE(found.count == count);
    REQUIRE(found.total_ps == total);
    REQUIRE(found.min_ps == least);
    REQUIRE(found.max_ps == most);
  });
  std::vector<std::int64_t> distinct;
  for (const event_row& row : rows) distinct.push_back(row.metadata_id);
  std::sort(distinct.begin(), distinct.end());
  REQUIRE(ids == static_cast<std::size_t>(std::unique(distinct.begin(), distinct.end()) - distinct.begin()));
}

}  // namespace

TEST_CASE("Self times of random lines are those of every instant, and add up to the busy time") {
  std::mt19937_64 random(31337);
  std::size_t out_of_order = 0;
  for (int round = 0; round < 15000; ++round) {
    std::vector<event_row> rows;
    const std::uint64_t shape = random() % 4;
    for (std::uint64_t events = random() % 14; events > 0; --events) {
      const auto start = static_cast<std::int64_t>(random() % (instants - 8));
      // Short, long and empty events, many with equal starts or equal ends.
      std::int64_t duration = static_cast<std::int64_t>(random() % (shape == 0 ? 4 : 9));
      if (shape == 1) duration = random() % 3 == 0 ? instants - start : duration / 2;
      const auto id = static_cast<std::int64_t>(random() % 5) - (shape == 2 ? 2 : 0);
      rows.push_back(timed(id, shape == 3 ? start / 6 * 6 : start, duration));
    }
    const std::uint64_t order = random() % 3;
    if (order != 0) {
      std::stable_sort(rows.begin(), rows.end(), [&](const event_row& a, const event_row& b) {
        if (a.offset_ps != b.offset_ps) return a.offset_ps < b.offset_ps;
        return order == 2 && a.duration_ps > b.duration_ps;  // order 1: equal starts in any order
      });
    }
    op_totals probe(3);
    probe.add(rows.data(), rows.size());
    out_of_order += probe.in_order() ? 0 : 1;
    REQUIRE((order == 0 || probe.in_order()));
    check(rows, random() % 2 == 0 ? 3 : 0, random() % 5 + 1);
  }
  REQUIRE(out_of_order > 1000);
}

TEST_CASE("What sticks out of an inner event goes back to those around it") {
  op_totals totals(8);
  const std::vector<event_row> rows = {timed(1, 0, 100), timed(2, 10, 20), timed(3, 20, 30), timed(4, 200, 5)};
  feed(totals, rows, 2);
  std::map<std::int64_t, std::uint64_t> self;
  totals.for_each([&](std::int64_t id, const op_sum& sum) { self[id] = sum.self_ps; });
  REQUIRE(self == std::map<std::int64_t, std::uint64_t>{{1, 60}, {2, 10}, {3, 30}, {4, 5}});
  REQUIRE(totals.busy_ps() == 105);
}

TEST_CASE("Aggregated events count, but have no place among the timed ones") {
  op_totals totals(8);
  feed(totals,
       {timed(1, 0, 10), aggregated(1, 5, 1000), aggregated(2, 3, 50), aggregated(3, 0, 0), aggregated(4, -9, 7)}, 8);
  REQUIRE(totals.events() == 5);
  REQUIRE(totals.duration_sum_ps() == 1067);
  REQUIRE(totals.busy_ps() == 10);
  std::size_t ids = 0;
  totals.for_each([&](std::int64_t id, const op_sum& sum) {
    ++ids;
    if (id == 1)
      REQUIRE((sum.count == 6 && sum.total_ps == 1010 && sum.self_ps == 10 && sum.min_ps == 10 && sum.max_ps == 10));
    if (id == 2) REQUIRE((sum.count == 3 && sum.total_ps == 50 && sum.self_ps == 0 && sum.max_ps < 0));
    if (id == 4) REQUIRE((sum.count == 0 && sum.total_ps == 7));
  });
  REQUIRE(ids == 4);

  op_totals alone(8);
  feed(alone, {aggregated(2, 3, 50), aggregated(7, 1, 5)}, 8);
  REQUIRE(alone.busy_ps() == 55);
}

TEST_CASE("Negative durations count as none, and times at the ends of the clock do not overflow") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  op_totals totals(8);
  feed(totals, {timed(1, least, most), timed(2, -5, most), timed(3, most - 1, most), timed(4, most, -3)}, 8);
  REQUIRE(totals.negative_durations() == 1);
  REQUIRE(totals.duration_sum_ps() == most);
  std::map<std::int64_t, std::uint64_t> self;
  totals.for_each([&](std::int64_t id, const op_sum& sum) { self[id] = sum.self_ps; });
  // The first ends at -1; the second owns all from -5 on, to its end at most - 5; the third one instant.
  REQUIRE(self[1] == static_cast<std::uint64_t>(most) - 4);
  REQUIRE(self[2] == static_cast<std::uint64_t>(most));
  REQUIRE(self[3] == 1);
  REQUIRE(self[4] == 0);
  REQUIRE(totals.busy_ps() == self[1] + self[2] + self[3]);
}

TEST_CASE("A deep nest is taken apart in full") {
  op_totals totals(1);
  std::vector<event_row> rows;
  constexpr std::int64_t depth = 100000;
  for (std::int64_t i = 0; i < depth; ++i) rows.push_back(timed(i, i, 2 * (depth - i)));
  feed(totals, rows, 256);
  REQUIRE(totals.busy_ps() == 2 * depth);
  totals.for_each([&](std::int64_t id, const op_sum& sum) { REQUIRE(((void)id, sum.self_ps == 2)); });
}
