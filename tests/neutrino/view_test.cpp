// The views: where maps lie, whatever way their sections were written, and the records in them.
#include "trace_writer.hpp"

#include <profkit/core/probe.hpp>

#include <catch.hpp>

#include <random>
#include <vector>

using namespace profkit;
using namespace profkit::test;

namespace {

struct resolved {
  probe_layout layout;
  std::vector<probe_map> maps;
};

resolved resolve(std::string_view bytes, const probe_evidence& evidence = {}) {
  // An exact copy on the heap, so that a read past the end is seen.
  const std::vector<char> exact(bytes.begin(), bytes.end());
  const probe_file file(std::string_view(exact.data(), exact.size()));
  resolved found;
  found.maps.resize(file.section_count());
  found.layout = resolve_probe_maps(file, evidence, found.maps.data());
  return found;
}

void set_u32(std::string& bytes, std::size_t at, std::uint32_t value) {
  std::string word;
  put_u32(word, value);
  bytes.replace(at, 4, word);
}
void set_u64(std::string& bytes, std::size_t at, std::uint64_t value) {
  std::string word;
  put_u64(word, value);
  bytes.replace(at, 8, word);
}

bool has(const probe_map& map, probe_flag flag) { return (map.flags & flag) != 0; }

// A header and entries of total bytes or of lane bytes (drivers before 2025-07), then zeros.
std::string old_file(std::uint32_t blocks, std::uint32_t threads,
                     const std::vector<std::pair<std::uint64_t, std::uint64_t>>& sizes) {  // size, region
  std::string out;
  for (const std::uint64_t n : {std::uint64_t{blocks}, std::uint64_t{1}, std::uint64_t{1}, std::uint64_t{threads},
                                std::uint64_t{1}, std::uint64_t{1}, std::uint64_t{0}, std::uint64_t{sizes.size()}})
    put_u32(out, n);
  std::uint64_t offset = 32 + 16 * sizes.size(), all = 0;
  for (const auto& [size, region] : sizes) {
    put_u64(out, size);
    put_u64(out, offset);
    offset += region;
    all += region;
  }
  return out + std::string(all, '\1');
}

}  // namespace

TEST_CASE("view: the documented example") {
  // grid 2, block 64, a thread map of two u64 and a warp map of two 16-byte records.
  const std::string bytes = record_file(
      2, 64, {{false, 16, [](auto b, auto l) { return words({b * 64u + l + 1u}); }}, {true, 32, [](auto b, auto w) {
                                                                                        return words({b + 1u}, {w, 7});
                                                                                      }}});
  CHECK(bytes.size() == 2240);
  const resolved found = resolve(bytes);
  REQUIRE(found.layout.status == probe_status::ok);
  CHECK(found.layout.sections == probe_sections::warp_width);
  REQUIRE(found.maps.size() == 2);
  CHECK(found.maps[0].offset == 64);
  CHECK(found.maps[0].bytes == 2048);
  CHECK(found.maps[1].offset == 2112);
  CHECK(found.maps[1].bytes == 128);
  CHECK(found.maps[1].level == probe_level::warp);
  CHECK(found.maps[0].flags == 0);

  const probe_records threads(bytes, found.maps[0], 8);
  CHECK(threads.capacity() == 2);
  CHECK(threads.lane_count() == 128);
  CHECK(threads.lane(1, 5).record(0).u64(0) == 70);
  CHECK(threads.lane(1, 5).used() == 1);
  CHECK(threads.lane(2, 0).capacity() == 0);
  CHECK(threads.lane(0, 64).capacity() == 0);
  std::uint64_t sum = 0, rows = 0;
  for (const probe_records::row& row : threads) {
    CHECK(row.record.u64(0) == row.block * 64 + row.lane + 1);
    sum += row.record.u64(0);
    ++rows;
  }
  CHECK(rows == 128);
  CHECK(sum == 128 * 129 / 2);
  std::uint64_t fast = 0;
  threads.each_record([&](const probe_record& r) { fast += r.u64(0); });
  CHECK(fast == sum);
  CHECK((*threads.from(100)).record.u64(0) == 101);
}

TEST_CASE("view: fields lie in memory as u64 first, then u32, and tell where they were declared") {
  probe_field fields[] = {{"a", probe_type::u32, 0, 0},
                          {"b", probe_type::u64, 0, 0},
                          {"c", probe_type::u32, 0, 0},
                          {"d", probe_type::u64, 0, 0}};
  CHECK(store_order(fields, 4) == 24);
  CHECK(fields[0].name == "b");
  CHECK(fields[1].name == "d");
  CHECK(fields[2].name == "a");
  CHECK(fields[3].name == "c");
  CHECK(fields[3].offset == 20);
  CHECK(fields[2].declared == 0);
  CHECK(fields[1].declared == 3);
}

TEST_CASE("view: sections of regions, of lanes, and of lanes of a size that was not known") {
  const probe_hint thread_then_warp[] = {{probe_level::thread, 0, false, 0, 0, 0},
                                         {probe_level::warp, 0, false, 0, 0, 0}};
  const probe_evidence hinted{thread_then_warp, 2, probe_writer::unknown, false};
  SECTION("regions") {
    const resolved found = resolve(old_file(4, 64, {{4 * 64 * 8, 4 * 64 * 8}, {4 * 2 * 16, 4 * 2 * 16}}), hinted);
    REQUIRE(found.layout.status == probe_status::ok);
    CHECK(found.layout.sections == probe_sections::total_bytes);
    CHECK(found.maps[0].lane_bytes == 8);
    CHECK(found.maps[1].lane_bytes == 16);
    CHECK(found.maps[1].level == probe_level::warp);
  }
  SECTION("regions alone: what arithmetic cannot tell is flagged") {
    const resolved found = resolve(old_file(4, 64, {{4 * 64 * 8, 4 * 64 * 8}, {4 * 2 * 16, 4 * 2 * 16}}));
    CHECK(has(found.maps[0], probe_level_guessed));
    CHECK(found.maps[1].level == probe_level::warp);
    CHECK_FALSE(has(found.maps[1], probe_level_guessed));
  }
  SECTION("lanes") {
    const resolved found = resolve(old_file(4, 48, {{8, 4 * 48 * 8}, {16, 4 * 2 * 16}}));
    CHECK(found.layout.sections == probe_sections::lane_bytes);
    CHECK(found.maps[0].level == probe_level::thread);
    CHECK(found.maps[1].level == probe_level::warp);
    CHECK(found.maps[1].lanes_per_block == 1);
    CHECK(found.maps[1].lanes_in_file == 2);
    CHECK(has(found.maps[1], probe_aliased));
  }
  SECTION("lanes of no known size") {
    const resolved found = resolve(old_file(4, 64, {{~std::uint64_t{0}, 4 * 64 * 48}}));
    CHECK(found.layout.sections == probe_sections::dynamic_lane_bytes);
    CHECK(found.maps[0].lane_bytes == 48);
  }
  SECTION("lanes of no known size before others, whose offsets are garbage") {
    std::string bytes = old_file(4, 64, {{~std::uint64_t{0}, 4 * 64 * 48}, {16, 4 * 2 * 16}});
    set_u64(bytes, 32 + 16 + 8, 64 - 4 * 64);
    const resolved found = resolve(bytes, hinted);
    REQUIRE(found.layout.status == probe_status::ok);
    CHECK(found.maps[0].lane_bytes == 48);
    CHECK(found.maps[1].offset == 64 + 4 * 64 * 48);
    CHECK(has(found.maps[1], probe_offset_recomputed));
  }
  SECTION("a region of 4 GiB and more looks like a width, and is none") {
    // The bytes need not be there to be found.
    const std::uint64_t region = std::uint64_t{1} << 32;
    std::string head = old_file(1 << 20, 512, {{region, 0}});
    const probe_file file(head, 48 + region);
    probe_map map;
    const probe_layout layout = resolve_probe_maps(file, {}, &map);
    CHECK(layout.sections == probe_sections::total_bytes);
    CHECK(map.lane_bytes == 8);
  }
  SECTION("HIP: a number that was never set") {
    std::string bytes = old_file(4, 128, {{4 * 2 * 16, 4 * 2 * 16}});
    set_u32(bytes, 36, 0x5566);
    const probe_hint warp[] = {{probe_level::warp, 0, false, 0, 0, 0}};
    CHECK(resolve(bytes).layout.status == probe_status::unknown_section_variant);
    const resolved found = resolve(bytes, {warp, 1, probe_writer::v0_to_v2, true});
    CHECK(found.layout.sections == probe_sections::hip);
    CHECK(found.maps[0].width == 64);
    CHECK(found.maps[0].lane_bytes == 16);
  }
}

TEST_CASE("view: warps of partial blocks, and blocks smaller than a warp") {
  std::string bytes = old_file(4, 48, {{0, 4 * 2 * 16}, {0, 4 * 48 * 8}});
  // As the current driver writes it: the second offset leaves the partial warps out.
  set_u32(bytes, 32, 16);
  set_u32(bytes, 36, 32);
  set_u32(bytes, 48, 8);
  set_u32(bytes, 52, 1);
  set_u64(bytes, 56, 64 + 4 * 48 * 16 / 32);
  const resolved found = resolve(bytes);
  REQUIRE(found.layout.status == probe_status::ok);
  CHECK(found.maps[1].offset == 64 + 4 * 2 * 16);
  CHECK(has(found.maps[1], probe_offset_recomputed));
  const probe_records warps(bytes, found.maps[0], 16);
  CHECK(warps.lane_count() == 5);  // one of each block, and the last block's second
  CHECK(warps.lane_at(4).block() == 3);
  CHECK(warps.lane_at(4).lane() == 1);
  CHECK(warps.lane(3, 1).capacity() == 1);
  CHECK(warps.lane(2, 1).capacity() == 0);

  std::string small = old_file(4, 16, {{0, 4 * 1 * 16}});
  set_u32(small, 32, 16);
  set_u32(small, 36, 32);
  const resolved tiny = resolve(small);
  const probe_records shared(small, tiny.maps[0], 16);
  CHECK(shared.lane_count() == 1);
  CHECK(shared.lane_at(0).block() == no_block);
  CHECK(shared.lane(no_block, 0).capacity() == 1);
  CHECK(shared.lane(0, 0).capacity() == 0);
}

TEST_CASE("view: what a lane used, and what is slack") {
  const std::string bytes = record_file(1, 32, {{false, 28, [](auto, auto lane) {
                                                   std::string slot;
                                                   for (std::uint32_t k = 0; k < lane % 4; ++k) put_u64(slot, lane + k);
                                                   return slot;
                                                 }}});
  const resolved found = resolve(bytes);
  const probe_records records(bytes, found.maps[0], 8);
  CHECK(records.capacity() == 3);
  for (std::uint64_t lane = 0; lane < 32; ++lane) CHECK(records.lane(0, lane).used() == lane % 4);
  // A record of zeros between others was saved.
  std::string with_hole = bytes;
  set_u64(with_hole, 48 + 3 * 28 + 8, 0);
  CHECK(probe_records(with_hole, found.maps[0], 8).lane(0, 3).used() == 3);
  std::uint64_t rows = 0;
  for (const auto& row : records) rows += row.record.u64(0) != 0;
  CHECK(rows == 8 * (1 + 2 + 3));
  CHECK(probe_records(bytes, found.maps[0], 0).lane_count() == 0);
  CHECK(probe_records(bytes, found.maps[0], 100).lane_count() == 0);
}

TEST_CASE("view: bad input by the table of the format's description") {
  const std::string sound = block_sched_file(4);
  SECTION("cut at every byte: whole records only, and never past the end") {
    for (std::size_t length = 0; length < sound.size(); ++length) {
      const std::vector<char> exact(sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(length));
      const std::string_view bytes(exact.data(), exact.size());
      const resolved found = resolve(bytes);
      if (length < 32) {
        CHECK(found.layout.status == probe_status::short_header);
        continue;
      }
      if (length < 64) {
        CHECK(found.layout.status == probe_status::section_table_truncated);
        continue;
      }
      REQUIRE(found.layout.status == probe_status::ok);
      std::uint64_t warps = 0, threads = 0;
      probe_records(bytes, found.maps[0], 16).each_record([&](const probe_record& r) { warps += r.u64(0) != 0; });
      for (const auto& row : probe_records(bytes, found.maps[1], 8)) threads += row.record.u32(0) != 0;
      CHECK(warps == std::min<std::size_t>((length - 64) / 16, 8));
      CHECK(threads == (length < 192 ? 0 : (length - 192) / 8));
      CHECK(has(found.maps[1], probe_truncated));
      CHECK(has(found.maps[0], probe_truncated) == (length < 192));
    }
  }
  SECTION("too many maps") {
    for (const std::uint32_t maps : {0x80000000u, 0xffffffffu, 200u}) {
      std::string bytes = sound;
      set_u32(bytes, 28, maps);
      CHECK(resolve(bytes).layout.status == probe_status::section_table_truncated);
      CHECK(probe_file(bytes).header().grid[0] == 4);
    }
  }
  SECTION("no maps") {
    std::string bytes = sound;
    set_u32(bytes, 28, 0);
    CHECK(resolve(bytes).layout.status == probe_status::ok);
  }
  SECTION("a grid or a block of nothing") {
    for (const std::size_t at : {0u, 12u}) {
      std::string bytes = sound;
      set_u32(bytes, at, 0);
      const resolved found = resolve(bytes);
      CHECK(found.layout.no_records);
      for (const probe_map& map : found.maps) CHECK(probe_records(bytes, map, 8).lane_count() == 0);
    }
  }
  SECTION("offsets beyond the file, that wrap, or in the header") {
    for (const std::uint64_t offset :
         {std::uint64_t{1} << 40, ~std::uint64_t{8}, std::uint64_t{0}, std::uint64_t{63}}) {
      std::string bytes = sound;
      set_u64(bytes, 40, offset);
      const resolved found = resolve(bytes);
      CHECK(found.maps[0].offset == 64);
      CHECK(has(found.maps[0], probe_offset_recomputed));
      bytes += "??";  // now nothing adds up: that map alone is lost
      const resolved odd = resolve(bytes);
      CHECK(has(odd.maps[0], probe_bad_offset));
      CHECK(probe_records(bytes, odd.maps[0], 16).present_lanes() == 0);
      CHECK(odd.maps[1].offset == 192);
      CHECK_FALSE(has(odd.maps[1], probe_bad_offset));
      CHECK(probe_records(bytes, odd.maps[1], 8).present_lanes() == 256);
    }
  }
  SECTION("overlapping sections") {
    std::string bytes = sound;
    set_u64(bytes, 56, 64);
    const resolved settled = resolve(bytes);
    CHECK(settled.maps[1].offset == 192);
    bytes += "?";
    const resolved found = resolve(bytes);
    CHECK(has(found.maps[0], probe_overlap));
    CHECK(has(found.maps[1], probe_overlap));
    CHECK(found.maps[1].offset == 64);
  }
  SECTION("trailing bytes") {
    const resolved found = resolve(sound + "0123456789abc");
    CHECK(found.layout.trailing_bytes == 13);
    CHECK(found.maps[1].offset == 192);
    CHECK(found.maps[1].present_bytes == found.maps[1].bytes);
  }
  SECTION("sizes of nothing and of everything") {
    std::string bytes = sound;
    set_u32(bytes, 32, 0);
    const resolved none = resolve(bytes);
    CHECK(none.maps[0].bytes == 0);
    CHECK(probe_records(bytes, none.maps[0], 16).lane_count() == 0);
    set_u32(bytes, 32, 0xffffffff);
    set_u32(bytes, 0, 0xffffffff);
    set_u32(bytes, 12, 0xffffffff);
    const resolved all = resolve(bytes);
    CHECK(all.maps[0].bytes == ~std::uint64_t{0});
    CHECK(has(all.maps[0], probe_truncated));
    CHECK(probe_records(bytes, all.maps[0], 16).present_lanes() <= bytes.size() / 16);
  }
  SECTION("a width that is none") {
    std::string bytes = sound;
    set_u32(bytes, 36, 7);
    CHECK(resolve(bytes).layout.status == probe_status::unknown_section_variant);
    const probe_hint logged[] = {{probe_level::warp, 0, true, 2, 16, 128}, {probe_level::thread, 0, true, 64, 8, 2048}};
    const resolved found = resolve(bytes, {logged, 2, probe_writer::v3, false});
    CHECK(found.layout.sections == probe_sections::from_log);
    CHECK(has(found.maps[0], probe_table_ignored));
    CHECK(found.maps[1].offset == 192);
  }
}

TEST_CASE("view: damaged tables never lead out of the file") {
  std::mt19937_64 random(7);
  const std::string sound = block_sched_file(3);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = sound.substr(0, random() % (sound.size() + 1));
    const int flips = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < flips && !bytes.empty(); ++i) {
      const std::size_t at = random() % std::min<std::size_t>(bytes.size(), 64);
      constexpr char values[] = {0, 1, 2, 31, 32, 64, 127, -128, -1};
      bytes[at] = values[random() % sizeof values];
    }
    const std::vector<char> exact(bytes.begin(), bytes.end());
    const std::string_view file(exact.data(), exact.size());
    const probe_writer writer = static_cast<probe_writer>(random() % 5);
    const resolved found = resolve(file, {nullptr, 0, writer, random() % 2 == 0});
    if (found.layout.status != probe_status::ok) continue;
    for (const probe_map& map : found.maps) {
      const probe_records records(file, map, static_cast<std::uint32_t>(random() % 24));
      std::uint64_t sum = 0, seen = 0;
      records.each_record([&](const probe_record& r) { sum += static_cast<unsigned char>(*r.data()); });
      for (const auto& row : records) {
        sum += static_cast<unsigned char>(row.record.data()[records.record_bytes() - 1]);
        ++seen;
      }
      CHECK(seen <= file.size());
      const probe_lane lane = records.lane(random() % 4, random() % 70);
      if (lane.capacity() != 0) sum += lane.used();
      static_cast<void>(sum);
    }
  }
}
