// The block schedule against the plain rule, on schedules that no device makes: many blocks at once, times at the ends
// of their range, ties, any order.
#include <profkit/core/probe.hpp>

#include <catch.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace profkit;

namespace {

struct block_facts {
  std::uint64_t start;
  std::uint32_t elapsed, sm;
};

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

// One warp a block.
std::string file_of(const std::vector<block_facts>& blocks) {
  std::string out;
  for (const std::uint64_t n : {std::uint64_t{blocks.size()}, std::uint64_t{1}, std::uint64_t{1}, std::uint64_t{32},
                                std::uint64_t{1}, std::uint64_t{1}, std::uint64_t{0}, std::uint64_t{1}})
    put(out, n, 4);
  put(out, 16, 4);
  put(out, 32, 4);
  put(out, 48, 8);
  for (const block_facts& b : blocks) {
    put(out, b.start, 8);
    put(out, b.elapsed, 4);
    put(out, b.sm, 4);
  }
  return out;
}

block_schedule analyse(const std::string& file) {
  probe_bin_map map;
  REQUIRE(resolve_probe_maps(probe_file(file), {}, &map.place).status == probe_status::ok);
  const auto record = probe_tool_record(probe_tool::block_sched);
  auto shape = std::make_shared<probe_shape>();
  shape->name = record->name;
  shape->fields = record->fields;
  shape->record_bytes = record->record_bytes;
  map.shape = shape;
  auto found = analyse_block_schedule(map, file);
  REQUIRE(found.ok());
  return std::move(*found);
}

struct plain_sm {
  std::vector<scheduled_block> blocks;
  std::vector<std::uint64_t> ends;  // of the slots
  std::uint64_t busy = 0, gap = 0, gaps = 0;
};

// A block takes the free slot that ended last, the lowest of equals, else a new one.
std::map<std::uint32_t, plain_sm> plain_schedule(const std::vector<block_facts>& blocks) {
  std::map<std::uint32_t, plain_sm> sms;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const block_facts& b = blocks[i];
    if (b.start == 0 && b.elapsed == 0 && b.sm == 0) continue;
    const std::uint64_t end = b.start > ~std::uint64_t{0} - b.elapsed ? ~std::uint64_t{0} : b.start + b.elapsed;
    sms[b.sm].blocks.push_back({b.start, end, static_cast<std::uint32_t>(i), 0});
  }
  for (auto& [number, sm] : sms) {
    std::sort(sm.blocks.begin(), sm.blocks.end(), [](const scheduled_block& a, const scheduled_block& b) {
      return a.start != b.start ? a.start < b.start : a.block < b.block;
    });
    for (scheduled_block& b : sm.blocks) {
      std::size_t best = sm.ends.size();
      for (std::size_t i = 0; i < sm.ends.size(); ++i)
        if (sm.ends[i] <= b.start && (best == sm.ends.size() || sm.ends[i] > sm.ends[best])) best = i;
      if (best == sm.ends.size()) {
        sm.ends.push_back(b.end);
      } else {
        sm.gap += b.start - sm.ends[best];
        ++sm.gaps;
        sm.ends[best] = b.end;
      }
      b.slot = static_cast<std::uint32_t>(best);
      sm.busy += b.end - b.start;
    }
  }
  return sms;
}

void check(const std::vector<block_facts>& blocks) {
  const block_schedule found = analyse(file_of(blocks));
  const auto expected = plain_schedule(blocks);
  REQUIRE(found.sms.size() == expected.size());
  std::size_t at = 0;
  for (const auto& [number, sm] : expected) {
    const sm_schedule& ours = found.sms[at++];
    CHECK(ours.sm == number);
    CHECK(ours.slots == sm.ends.size());
    CHECK(ours.busy == sm.busy);
    CHECK(ours.gap == sm.gap);
    CHECK(ours.gap_count == sm.gaps);
    REQUIRE(ours.blocks.size() == sm.blocks.size());
    const bool same =
        std::equal(ours.blocks.begin(), ours.blocks.end(), sm.blocks.begin(),
                   [](const scheduled_block& a, const scheduled_block& b) {
                     return a.start == b.start && a.end == b.end && a.block == b.block && a.slot == b.slot;
                   });
    CHECK(same);
  }
}

}  // namespace

TEST_CASE("schedule: random schedules follow the plain rule") {
  std::mt19937 random(20261121);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int round = 0; round < 200; ++round) {
    std::vector<block_facts> blocks(1 + below(400));
    const std::uint64_t span = std::uint64_t{1} << below(20), sms = 1 + below(5);
    const std::uint32_t longest = 1u << below(14);
    const bool shuffled = below(2) == 0;
    for (std::size_t i = 0; i < blocks.size(); ++i)
      blocks[i] = {1000 + (shuffled ? below(span) : i * span / blocks.size() + below(4)),
                   static_cast<std::uint32_t>(below(longest)), static_cast<std::uint32_t>(below(sms))};
    INFO("round " << round);
    check(blocks);
  }
}

TEST_CASE("schedule: as many blocks at once as fit, one more, and many more") {
  for (const std::size_t at_once : {63u, 64u, 65u, 300u}) {
    std::vector<block_facts> blocks;
    for (std::size_t i = 0; i < 3 * at_once; ++i)
      blocks.push_back({100 + i / at_once * 1000, static_cast<std::uint32_t>(500 + i % 7), 3});
    check(blocks);
    CHECK(analyse(file_of(blocks)).sms[0].slots == at_once);
  }
}

TEST_CASE("schedule: times at the ends of their range, and multiprocessors of any number") {
  constexpr std::uint64_t last = ~std::uint64_t{0}, half = std::uint64_t{1} << 57;
  check({{last - 5, 10, 1}, {1, 2, 1}, {last, 0, 1}, {last, 9, 1}, {3, 4, 1}});
  check({{5, 1, 0}, {5 + half - 2, 1, 0}, {5 + half - 1, 1, 0}, {5 + half, 1, 0}, {6, 0, 0}});
  check({{0, 0, 0}, {0, 1, 0}, {0, 0, 4095}, {7, 7, 4096}, {7, 7, 0xffffffff}, {8, 1, 4096}});
}
