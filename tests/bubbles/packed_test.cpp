// Rows that are held packed come back as they were, in every list that they are moved to, and take few bytes.
#include <analyse/bubbles/ratio.hpp>
#include <profkit/core/bubbles.hpp>

#include <catch.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace profkit;

namespace {

// Of any size, most often small; now and then the edges.
std::int64_t some_number(std::mt19937_64& random) {
  switch (random() % 8) {
    case 0: return 0;
    case 1: return no_time_ps;
    case 2: return INT64_MAX;
    case 3: return -1;
    default: return static_cast<std::int64_t>(random() >> (random() % 64));
  }
}

bubble_step some_step(std::mt19937_64& random) {
  bubble_step s;
  s.device = static_cast<std::uint32_t>(random() % 5000);
  s.id = std::string(random() % 30, 'a');
  for (char& c : s.id) c = static_cast<char>(random());
  s.source = static_cast<marker_source>(random() % 6);
  s.pseudo = random() % 2 == 0;
  s.straddled = random() % 2 == 0;
  s.marker_end_ps = some_number(random);
  for (std::int64_t* p : {&s.start_ps, &s.end_ps, &s.busy_ps, &s.breakdown.copy_ps, &s.polluted_wait_ps,
                          &s.clocks.wall_ps, &s.reportable_ps})
    *p = some_number(random);
  for (std::uint64_t& k : s.kernels) k = random() % 1000;
  s.streams = static_cast<std::uint32_t>(random());
  s.first_structure = static_cast<std::uint32_t>(random() % 100'000);
  s.structure_source = random() % 2 == 0 ? "gaps" : "";
  if (random() % 2 == 0) s.structures_missing = "no kernel";
  return s;
}
bool same(const bubble_step& a, const bubble_step& b, std::uint32_t base) {
  return a.device == b.device && a.id == b.id && a.source == b.source && a.pseudo == b.pseudo &&
         a.straddled == b.straddled && a.marker_end_ps == b.marker_end_ps && a.start_ps == b.start_ps &&
         a.end_ps == b.end_ps && a.busy_ps == b.busy_ps && a.tail_ps == b.tail_ps &&
         a.breakdown.copy_ps == b.breakdown.copy_ps && a.polluted_wait_ps == b.polluted_wait_ps &&
         a.clocks.wall_ps == b.clocks.wall_ps && a.reportable_ps == b.reportable_ps && a.kernels == b.kernels &&
         a.streams == b.streams && a.first_structure + base == b.first_structure &&
         a.structure_source == b.structure_source && a.structures_missing == b.structures_missing;
}

kernel_row some_kernel(std::mt19937_64& random) {
  kernel_row k;
  k.start_ps = some_number(random);
  k.launch_ps = some_number(random);
  k.wait_ps = some_number(random);
  k.name = static_cast<string_id>(random());
  k.flags = static_cast<std::uint8_t>(random());
  k.details = static_cast<std::uint32_t>(random());
  return k;
}
bool same(const std::vector<kernel_row>& a, const std::vector<kernel_row>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const kernel_row& x, const kernel_row& y) {
    return x.start_ps == y.start_ps && x.launch_ps == y.launch_ps && x.wait_ps == y.wait_ps && x.name == y.name &&
           x.flags == y.flags && x.details == y.details;
  });
}

}  // namespace

TEST_CASE("packed steps come back as they were, list after list") {
  std::mt19937_64 random(3);
  std::vector<std::pair<bubble_step, std::uint32_t>> expected;
  bubble_steps all;
  std::uint32_t structures = 0;
  for (const std::size_t count : {0, 1, 3000, 2, 0, 700}) {  // the long one takes several blocks
    packed_list<bubble_step> of_device;
    for (std::size_t i = 0; i < count; ++i) {
      expected.emplace_back(some_step(random), structures);
      of_device.push_back(expected.back().first);
    }
    of_device.shrink_to_fit();
    all.append(std::move(of_device), structures);
    structures += 1000;
  }
  REQUIRE(all.size() == expected.size());
  all.verdict(2).group = 7;
  std::size_t at = 0;
  for (const bubble_step& s : all) {
    CHECK(same(expected[at].first, s, expected[at].second));
    CHECK(s.group == (at == 2 ? 7 : -1));
    ++at;
  }
  CHECK(at == expected.size());
  for (std::size_t i = 0; i < 2000; ++i) {
    const std::size_t some = random() % expected.size();
    CHECK(same(expected[some].first, all[some], expected[some].second));
  }
}

TEST_CASE("packed structures and sides come back as they were") {
  std::mt19937_64 random(5);
  packed_list<step_structure> structures, more;
  packed_list<block_side> sides;
  std::vector<step_structure> expected;
  std::vector<block_side> expected_sides;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    step_structure s;
    s.step = i / 3;
    s.index = i % 3;
    s.type = static_cast<step_structure::role>(i % 3);
    s.anchor = static_cast<string_id>(random());
    s.start_ps = some_number(random);
    s.gap_before_ps = some_number(random);
    expected.push_back(s);
    (i < 1200 ? structures : more).push_back(s);
    block_side b;
    b.step = i;
    b.is_block = i % 2 == 0;
    b.comm_ps = some_number(random);
    for (std::uint32_t k = 0; k < i % 6; ++k) b.by_duration.push_back(some_kernel(random));
    b.by_total_cost = b.by_duration;
    if (i % 4 == 1) b.by_total_cost.push_back(some_kernel(random));
    if (i % 4 == 2 && !b.by_total_cost.empty()) b.by_total_cost.back().wait_ps = 5;
    expected_sides.push_back(b);
    sides.push_back(b);
  }
  structures.append(std::move(more), 50);
  REQUIRE(structures.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const step_structure& s = structures[i];
    CHECK(s.step == expected[i].step + (i < 1200 ? 0U : 50U));
    CHECK((s.index == expected[i].index && s.type == expected[i].type && s.anchor == expected[i].anchor));
    CHECK((s.start_ps == expected[i].start_ps && s.gap_before_ps == expected[i].gap_before_ps && s.end_ps == 0));
    const block_side& b = sides[i];
    CHECK((b.step == i && b.is_block == expected_sides[i].is_block && b.comm_ps == expected_sides[i].comm_ps));
    CHECK(same(b.by_duration, expected_sides[i].by_duration));
    CHECK(same(b.by_total_cost, expected_sides[i].by_total_cost));
  }
}

TEST_CASE("a usual step takes a third of its size") {
  constexpr std::size_t devices = 500, steps = 20;
  bubble_steps all;
  std::size_t bytes = 0;
  for (std::size_t d = 0; d < devices; ++d) {
    packed_list<bubble_step> of_device;
    for (std::size_t i = 0; i < steps; ++i) {
      bubble_step s;
      s.device = static_cast<std::uint32_t>(d);
      s.id = std::to_string(i);
      s.start_ps = static_cast<std::int64_t>(i) * 51'234'567'890;
      s.end_ps = s.marker_end_ps = s.start_ps + 49'234'567'890;
      s.busy_ps = s.breakdown.compute_only_ps = s.duration_sum_ps = 38'123'456'789;
      s.prelaunch_ps = s.tail_ps = s.largest_internal_ps = 2'123'456'789;
      s.internal_total_ps = s.breakdown.idle_ps = 9'123'456'789;
      s.kernels[0] = s.clocks.kernels = 700;
      s.clocks.wall_ps = s.clocks.busy_union_ps = s.clocks.kernel_sum_ps = s.clocks.total_cost_ps = 38'123'456'789;
      s.bubble_count = 300;
      of_device.push_back(s);
    }
    of_device.shrink_to_fit();
    bytes += of_device.bytes();
    all.append(std::move(of_device), 0);
  }
  CHECK(bytes < devices * steps * sizeof(bubble_step) / 3);
}

TEST_CASE("a median without one of the values") {
  std::mt19937_64 random(9);
  for (std::size_t count = 1; count < 40; ++count) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<std::int64_t>(random() % 30));
    std::sort(values.begin(), values.end());
    for (const std::int64_t one : values) {
      std::vector<std::int64_t> others = values;
      others.erase(std::find(others.begin(), others.end(), one));
      CHECK(bubbles::median_without(values, one) == bubbles::quantile(others, 50));
    }
  }
}
