// Which names overlap which gaps: many lists and many spans against the plainest computation, list by list and span by
// span; and what several devices share.
#include <analyse/bubbles/name_overlaps.hpp>

#include <catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

using namespace profkit;
using namespace profkit::bubbles;

namespace {

using named_overlaps = std::vector<std::pair<string_id, std::int64_t>>;

struct seen_span {
  interval span;
  std::uint32_t thread;
  string_id name;
  bool frame;
};
bool is_earlier(const seen_span& a, const seen_span& b) {
  return std::tuple(a.span.start_ps, -a.span.end_ps, a.thread, a.name, a.frame) <
         std::tuple(b.span.start_ps, -b.span.end_ps, b.thread, b.name, b.frame);
}
std::int64_t overlap_of(const interval& a, const interval& b) {
  return std::max<std::int64_t>(std::min(a.end_ps, b.end_ps) - std::max(a.start_ps, b.start_ps), 0);
}

// The first gap and the last one that a span overlaps count by their overlap; of the spans around those between, the
// ten names that began last count, among the 64 that began last and were not seen to have ended.
std::vector<named_overlaps> plainly(const std::vector<interval>& gaps, std::vector<seen_span> spans) {
  std::sort(spans.begin(), spans.end(), is_earlier);
  std::vector<std::map<std::pair<bool, string_id>, std::int64_t>> sums(gaps.size());
  std::vector<std::vector<std::size_t>> covers_from(gaps.size());
  std::vector<std::size_t> last_of(spans.size(), 0);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const seen_span& s = spans[i];
    std::vector<std::size_t> touched;
    for (std::size_t g = 0; g < gaps.size(); ++g)
      if (overlap_of(gaps[g], s.span) > 0) touched.push_back(g);
    if (touched.empty()) continue;
    for (const std::size_t g : std::set<std::size_t>{touched.front(), touched.back()})
      sums[g][{s.frame, s.name}] += overlap_of(gaps[g], s.span);
    if (touched.size() < 3) continue;
    covers_from[touched[1]].push_back(i);
    last_of[i] = touched.back();
  }
  std::vector<std::size_t> open;
  for (std::size_t g = 0; g < gaps.size(); ++g) {
    open.insert(open.end(), covers_from[g].begin(), covers_from[g].end());
    std::set<string_id> names;
    std::size_t looked_at = 0;
    for (std::size_t i = open.size(); i-- > 0 && names.size() < 10 && looked_at < 64; ++looked_at) {
      const seen_span& s = spans[open[i]];
      if (last_of[open[i]] <= g)
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
      else if (names.insert(s.name).second)
        sums[g][{s.frame, s.name}] += overlap_of(gaps[g], gaps[g]);
    }
  }
  std::vector<named_overlaps> found(gaps.size());
  for (std::size_t g = 0; g < gaps.size(); ++g) {
    std::vector<std::tuple<bool, std::int64_t, string_id>> order;
    for (const auto& [name, sum] : sums[g])
      order.emplace_back(name.first, -std::min(sum, overlap_of(gaps[g], gaps[g])), name.second);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 10); ++i)
      found[g].emplace_back(std::get<2>(order[i]), -std::get<1>(order[i]));
  }
  return found;
}

struct made_lists {
  std::vector<std::vector<bubble>> bubbles;
  std::vector<gap_list> lists;
  void add(const std::vector<interval>& gaps) {
    auto& own = bubbles.emplace_back(gaps.size());
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      own[i].start_ps = gaps[i].start_ps;
      own[i].end_ps = gaps[i].end_ps;
    }
    gap_list& list = lists.emplace_back();
    for (bubble& b : own) list.push_back({{b.start_ps, b.end_ps}, &b, 0, 0});
  }
};

std::vector<interval> random_gaps(std::minstd_rand& random, std::int64_t until) {
  std::vector<interval> gaps;
  for (std::int64_t at = random() % 40; at < until;) {
    const std::int64_t end = at + 1 + static_cast<std::int64_t>(random() % 25);
    gaps.push_back({at, end});
    at = end + static_cast<std::int64_t>(random() % 60);
  }
  return gaps;
}

// As the collector of host evidence does: spans of one cell are told apart.
void add_to(part_overlaps& part, const gap_cells& cells, const seen_span& s) {
  std::vector<std::size_t> touched;
  for (std::size_t i = 0; i < cells.cells().size(); ++i)
    if (overlap_of(cells.cells()[i], s.span) > 0) touched.push_back(i);
  const std::uint32_t name = number_of(s.name, s.frame);
  if (touched.size() == 1) part.add(name, touched[0], overlap_of(cells.cells()[touched[0]], s.span));
  if (touched.size() > 1) part.add_long(name, s.span, s.thread);
}

void check_random(std::uint32_t seed, std::size_t devices, std::size_t spans_of_part, std::size_t parts,
                  std::int64_t longest) {
  std::minstd_rand random(seed);
  constexpr std::int64_t until = 600;
  constexpr string_id names = 40;
  made_lists made;
  made.bubbles.reserve(devices);
  for (std::size_t i = 0; i < devices; ++i) made.add(random_gaps(random, until));
  const gap_cells cells(made.lists);
  name_overlaps all(made.lists, cells);
  std::vector<seen_span> spans;
  for (std::size_t p = 0; p < parts; ++p) {
    part_overlaps part(made.lists, cells);
    part.make_room_for_names(2 * names + 2);
    for (std::size_t i = 0; i < spans_of_part; ++i) {
      const auto start = static_cast<std::int64_t>(random() % until);
      const auto length = 1 + static_cast<std::int64_t>(random()) % longest;
      spans.push_back({{start, start + length},
                       static_cast<std::uint32_t>(random() % 3),
                       1 + static_cast<string_id>(random() % names),
                       random() % 4 == 0});
      add_to(part, cells, spans.back());
    }
    all.add(part);
  }
  all.take();
  for (std::size_t list = 0; list < devices; ++list) {
    std::vector<interval> gaps;
    for (const bubble& b : made.bubbles[list]) gaps.push_back({b.start_ps, b.end_ps});
    // What lies in one cell is in one gap of each list that has the cell, so it counts as the first gap does.
    const auto expected = plainly(gaps, spans);
    for (std::size_t g = 0; g < gaps.size(); ++g) {
      INFO("seed " << seed << ", list " << list << ", gap " << g);
      CHECK(made.bubbles[list][g].host.ops == expected[g]);
    }
  }
}

// Nothing of the walk's own limits is here: at most nine names, each of a frame or of an operation alone, and at most
// nine spans around anything. So a gap has to be given every name's overlap with it, whole.
void check_exactly(std::uint32_t seed) {
  std::minstd_rand random(seed);
  made_lists made;
  const std::size_t devices = 1 + seed % 4;
  made.bubbles.reserve(devices);
  for (std::size_t i = 0; i < devices; ++i) made.add(random_gaps(random, 600));
  const gap_cells cells(made.lists);
  name_overlaps all(made.lists, cells);
  std::vector<seen_span> spans;
  part_overlaps part(made.lists, cells);
  part.make_room_for_names(20);
  for (string_id name = 1; name <= 9; ++name) {
    // Spans of one name follow one another, so that what is around a gap is never more than a span a name.
    for (std::int64_t at = random() % 150; at < 600; at += 1 + random() % 40) {
      const std::int64_t end = at + 1 + static_cast<std::int64_t>(random() % 300);
      spans.push_back({{at, end}, name % 3, name, name % 4 == 0});
      add_to(part, cells, spans.back());
      at = end;
    }
  }
  all.add(part);
  all.take();
  for (std::size_t list = 0; list < devices; ++list) {
    for (const bubble& b : made.bubbles[list]) {
      std::map<string_id, std::int64_t> sums;
      for (const seen_span& s : spans) {
        const std::int64_t shared = std::min(b.end_ps, s.span.end_ps) - std::max(b.start_ps, s.span.start_ps);
        if (shared > 0) sums[s.name] += shared;
      }
      named_overlaps expected(sums.begin(), sums.end());
      std::sort(expected.begin(), expected.end(), [](const auto& x, const auto& y) {
        const bool x_frame = x.first % 4 == 0, y_frame = y.first % 4 == 0;
        return x_frame != y_frame ? y_frame : x.second != y.second ? x.second > y.second : x.first < y.first;
      });
      INFO("seed " << seed << ", list " << list << ", gap " << b.start_ps);
      CHECK(b.host.ops == expected);
    }
  }
}

}  // namespace

TEST_CASE("every name has its whole overlap with every gap") {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) check_exactly(seed);
}

TEST_CASE("names of spans over gaps of many lists are those of a plain computation") {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    check_random(seed, 1 + seed % 4, 60, 3, 400);
    check_random(seed, 1 + seed % 5, 200, 2, 60);
  }
}

TEST_CASE("more spans than are walked along at once change nothing") {
  check_random(99, 3, 6000, 2, 200);
  check_random(98, 2, 1500, 7, 300);
}

TEST_CASE("devices with the same gaps share what is found") {
  made_lists made;
  constexpr std::size_t devices = 1000;
  made.bubbles.reserve(devices);
  const std::vector<interval> a{{10, 20}, {40, 50}}, b{{10, 20}, {41, 50}}, c{{10, 20}};
  for (std::size_t i = 0; i < devices; ++i) made.add(i % 10 == 3 ? b : i % 10 == 7 ? c : a);
  const auto twins = drop_repeated(made.lists);
  // The work that comes after is that of three devices.
  REQUIRE(made.lists.size() == 3);
  CHECK(gap_cells(made.lists).cells().size() == 3);
  CHECK(twins.size() == devices / 10 * (8 * 2 + 2 + 1) - 5);
  for (const auto& [to, from] : twins) {
    CHECK(to != from);
    CHECK(to->start_ps == from->start_ps);
    CHECK(to->end_ps == from->end_ps);
  }
}
