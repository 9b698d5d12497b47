#include <profkit/interval.hpp>
#include <profkit/time.hpp>

#include <catch.hpp>

#include <algorithm>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

using namespace profkit;

namespace {

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

// The oracle: the line of instants cut at every end point of the case; a set is one bit a piece.
class cut_line {
 public:
  explicit cut_line(std::vector<std::int64_t> points) : points_(std::move(points)) {
    std::sort(points_.begin(), points_.end());
    points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
  }
  std::vector<bool> set_of(const std::vector<interval>& spans) const {
    std::vector<bool> in(points_.size(), false);
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
      for (const interval& s : spans) {
        if (s.start_ps <= points_[i] && points_[i + 1] <= s.end_ps) in[i] = true;
      }
    }
    return in;
  }
  std::vector<interval> spans_of(const std::vector<bool>& in) const {
    std::vector<interval> out;
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
      if (!in[i]) continue;
      if (!out.empty() && out.back().end_ps == points_[i]) {
        out.back().end_ps = points_[i + 1];
      } else {
        out.push_back({points_[i], points_[i + 1]});
      }
    }
    return out;
  }
  unsigned_wide length_of(const std::vector<bool>& in) const {
    wide sum = 0;
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
      if (in[i]) sum += static_cast<wide>(points_[i + 1]) - static_cast<wide>(points_[i]);
    }
    return static_cast<unsigned_wide>(sum);
  }

 private:
  std::vector<std::int64_t> points_;
};

template <class Op>
std::vector<bool> combined(const std::vector<bool>& a, const std::vector<bool>& b, Op op) {
  std::vector<bool> out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = op(a[i], b[i]);
  return out;
}

class case_maker {
 public:
  explicit case_maker(std::uint64_t seed) : random_(seed) {}
  std::int64_t instant() {
    static constexpr std::int64_t extremes[] = {least, least + 1, least / 2, -1, 0, 1, most / 2, most - 1, most};
    switch (random_() % 4) {
      case 0: return extremes[random_() % std::size(extremes)];
      case 1: return static_cast<std::int64_t>(random_());
      default: return static_cast<std::int64_t>(random_() % 24) - 12;
    }
  }
  interval span() {
    interval s{instant(), instant()};
    if (s.end_ps < s.start_ps && random_() % 8 != 0) std::swap(s.start_ps, s.end_ps);  // some stay backwards: empty
    return s;
  }
  std::vector<interval> spans() {
    std::vector<interval> out(random_() % 9);
    for (interval& s : out) s = span();
    if (random_() % 2 == 0) {
      std::sort(out.begin(), out.end(), [](const interval& a, const interval& b) { return a.start_ps < b.start_ps; });
    }
    return out;
  }

 private:
  std::mt19937_64 random_;
};

void add_points(std::vector<std::int64_t>& points, const std::vector<interval>& spans) {
  for (const interval& s : spans) {
    points.push_back(s.start_ps);
    points.push_back(s.end_ps);
  }
}

bool same(std::uint64_t got, unsigned_wide truth) { return static_cast<unsigned_wide>(got) == truth; }

std::uint64_t swept(std::vector<interval> spans) {
  std::sort(spans.begin(), spans.end(), [](const interval& a, const interval& b) { return a.start_ps < b.start_ps; });
  union_sweep sweep;
  for (const interval& s : spans) {
    if (!sweep.add(s)) return ~std::uint64_t{0};
  }
  return sweep.covered_ps();
}

}  // namespace

TEST_CASE("interval algebra agrees with a brute-force oracle over big integers") {
  case_maker make(20240611);
  int partitions = 0, broken = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::vector<interval> a_raw = make.spans(), b_raw = make.spans();
    const interval window = make.span();
    std::vector<std::int64_t> points;
    add_points(points, a_raw);
    add_points(points, b_raw);
    add_points(points, {window});
    const cut_line line(points);
    const auto a_set = line.set_of(a_raw), b_set = line.set_of(b_raw), w_set = line.set_of({window});

    std::vector<interval> a = a_raw, b = b_raw;
    normalise(a);
    normalise(b);
    INFO("round " << round);
    const auto and_ = [](bool x, bool y) { return x && y; };
    const auto or_ = [](bool x, bool y) { return x || y; };
    const auto minus = [](bool x, bool y) { return x && !y; };
    const auto idle_set = combined(w_set, a_set, minus);
    bool ok = a == line.spans_of(a_set) && is_normal(a) && is_normal(b);
    ok = ok && same(covered_ps(a), line.length_of(a_set)) && same(swept(a_raw), line.length_of(a_set));
    ok = ok && union_of(a, b) == line.spans_of(combined(a_set, b_set, or_));
    ok = ok && intersection(a, b) == line.spans_of(combined(a_set, b_set, and_));
    ok = ok && difference(a, b) == line.spans_of(combined(a_set, b_set, minus));
    ok = ok && clipped(a, window) == line.spans_of(combined(a_set, w_set, and_));
    ok = ok && gaps(a, window) == line.spans_of(idle_set);
    ok = ok && same(covered_ps(a, window), line.length_of(combined(a_set, w_set, and_)));

    // Busy and idle time fill the window, and do not any more when one of them is changed.
    std::vector<interval> busy = clipped(a, window), idle = gaps(a, window);
    ok = ok && is_partition(busy, idle, window);
    ok = ok && same(covered_ps(busy), line.length_of(w_set) - line.length_of(idle_set));
    ++partitions;
    if (!idle.empty()) {
      std::vector<interval> shorter = idle;
      shorter.back().end_ps -= 1;
      ok = ok && !is_partition(busy, shorter, window);
      shorter = idle;
      shorter.erase(shorter.begin());
      ok = ok && !is_partition(busy, shorter, window);
      ok = ok && is_partition(busy, union_of(busy, idle), window) == busy.empty();
      ++broken;
    }
    REQUIRE(ok);
  }
  CHECK(partitions == 20000);
  CHECK(broken > 5000);
}

TEST_CASE("interval borders") {
  const interval all{least, most};
  CHECK(all.length_ps() == std::numeric_limits<std::uint64_t>::max());
  CHECK(all.contains(least));
  CHECK_FALSE(all.contains(most));
  CHECK(interval{5, 3}.empty());
  CHECK(interval{5, 3}.length_ps() == 0);
  CHECK(common({0, 5}, {7, 9}).empty());
  // Touching spans become one; lengths of overlapping spans saturate instead of wrapping.
  std::vector<interval> touching{{3, 4}, {1, 3}, {9, 9}, {2, 2}};
  touching.resize(3);  // gcc 12 warns without cause where it sees that std::sort gets three
  normalise(touching);
  CHECK(touching == std::vector<interval>{{1, 4}});
  CHECK(sum_of_lengths_ps(std::vector<interval>{all, all}) == std::numeric_limits<std::uint64_t>::max());
  CHECK(is_partition({}, {}, {4, 4}));
  CHECK_FALSE(is_partition({}, {}, {4, 5}));
  union_sweep sweep;
  CHECK(sweep.add({5, 9}));
  CHECK_FALSE(sweep.add({4, 20}));
  CHECK(sweep.covered_ps() == 4);
  const auto take = [](const interval&) noexcept {};
  static_assert(noexcept(visit_gaps(interval_sequence(), interval{}, take)),
                "a visitor throws only what its taker does");
  static constexpr interval some[] = {{0, 2}, {4, 5}};
  static_assert(covered_ps(some, interval{1, 10}) == 2 && is_normal(some), "usable in constant expressions");
}

TEST_CASE("checked arithmetic agrees with big integers") {
  std::mt19937_64 random(7);
  const std::int64_t special[] = {least, least + 1, -3037000500, -1000,      -1,       0,
                                  1,     1000,      3037000499,  3037000500, most - 1, most};
  const auto pick = [&] {
    const auto n = static_cast<std::int64_t>(random());
    switch (random() % 3) {
      case 0: return special[random() % std::size(special)];
      case 1: return n >> (random() % 64);
      default: return n;
    }
  };
  const auto fits = [](wide w) { return w >= least && w <= most; };
  const auto agrees = [&](std::optional<std::int64_t> got, wide truth) {
    return got.has_value() == fits(truth) && (!got || static_cast<wide>(*got) == truth);
  };
  int overflowed = 0;
  for (int i = 0; i < 200000; ++i) {
    const std::int64_t a = pick(), b = pick(), c = pick();
    const wide wa = a, wb = b, wc = c;
    bool ok =
        agrees(checked_add(a, b), wa + wb) && agrees(checked_sub(a, b), wa - wb) && agrees(checked_mul(a, b), wa * wb);
    const std::int64_t sum = saturating_add(a, b);
    ok = ok && static_cast<wide>(sum) == std::clamp<wide>(wa + wb, least, most);
    ok = ok && static_cast<wide>(saturating_mul(a, b)) == std::clamp<wide>(wa * wb, least, most);
    ok = ok && static_cast<wide>(distance_ps(a, b)) == std::max<wide>(wb - wa, 0);
    // The nanoseconds alone must fit, whatever the offset would bring back.
    const wide ns = wa - wb;
    const bool near = ns <= max_relative_ns && ns >= -max_relative_ns;
    const auto relative = relative_ps(a, b, c);
    ok = ok && (near ? agrees(relative, ns * 1000 + wc) : !relative.has_value());
    overflowed += relative ? 0 : 1;
    if (!ok) FAIL(a << " " << b << " " << c);
  }
  CHECK(overflowed > 1000);
  CHECK(overflowed < 199000);
  // Epoch nanoseconds of a real capture; 106.75 days is the reach.
  CHECK(relative_ps(1741722099081044120, 1741722099081044000, 7) == 120007);
  CHECK(relative_ps(106 * 86400 * ns_per_s, 0));
  CHECK_FALSE(relative_ps(107 * 86400 * ns_per_s, 0));
  CHECK(relative_ps(max_relative_ns, 0) == max_relative_ns * 1000);
  CHECK(relative_ps(0, max_relative_ns) == -max_relative_ns * 1000);
  CHECK_FALSE(relative_ps(max_relative_ns + 1, 0));
  CHECK_FALSE(relative_ps(0, max_relative_ns + 1));
  CHECK_FALSE(relative_ps(max_relative_ns, 0, 808));
}

TEST_CASE("times are cut for printing without losing a digit") {
  std::mt19937_64 random(11);
  for (int i = 0; i < 100000; ++i) {
    const std::int64_t ps = static_cast<std::int64_t>(random()) >> (random() % 64);
    const unsigned exponent = 3 * static_cast<unsigned>(1 + random() % 4),
                   digits = static_cast<unsigned>(random() % (exponent + 1));
    const time_parts parts = split_ps(ps, exponent, digits);
    wide step = 1, unit = 1;
    for (unsigned d = digits; d < exponent; ++d) step *= 10;
    for (unsigned d = 0; d < digits; ++d) unit *= 10;
    const wide shown = static_cast<wide>(parts.whole) * unit + static_cast<wide>(parts.fraction);
    const wide size = ps < 0 ? -static_cast<wide>(ps) : static_cast<wide>(ps);
    const wide off = shown * step - size;  // half away from zero: within (-step/2, step/2]
    if (!(2 * off > -step && 2 * off <= step) || static_cast<wide>(parts.fraction) >= unit ||
        parts.negative != (ps < 0 && shown != 0)) {
      FAIL(ps << " " << exponent << " " << digits);
    }
  }
}
