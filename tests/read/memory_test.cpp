// How much memory reading takes, counted allocation by allocation.
#include <catch.hpp>

#include <profkit/core/export.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/info.hpp>
#include <profkit/core/ops.hpp>
#include <profkit/core/sink.hpp>
#include <profkit/core/xspace_push.hpp>

#include <formats/xspace/xspace_index.hpp>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "../../bench/amplify.hpp"
#include "../io/test_files.hpp"
#include "counted_memory.hpp"
#include "support.hpp"
#include "xspace_writer.hpp"

using namespace profkit;
using namespace profkit::test;

namespace {

constexpr std::uint64_t mb = 1'000'000;

// A device whose ops line has an event for each of `entries` ids.
std::string capture_of(std::int64_t entries, std::int64_t (*id_of)(std::int64_t)) {
  std::string line = message().text(2, "XLA Ops").bytes(), plane = message().text(2, "/device:TPU:0").bytes();
  std::string maps;
  for (std::int64_t i = 0; i < entries; ++i) {
    line += message().sub(4, event(id_of(i), i * 100, 1 + i % 90)).bytes();
    maps += message().sub(4, metadata_entry_of(id_of(i), "op." + std::to_string(i))).bytes();
  }
  plane += message().text(3, line).bytes() + maps;
  return message().text(1, plane).bytes();
}

// A real capture, grown to about so many bytes, as a gzip file; gives how often its events are in it.
std::uint64_t write_grown(const std::string& capture, std::uint64_t bytes, const std::string& path) {
  const bench::amplifier grow(capture, bytes);
  auto file = atomic_file_sink(path);
  REQUIRE(file.ok());
  const std::unique_ptr<sink> into = gzip_sink(std::move(*file));
  grow.write([&](std::string_view piece) { REQUIRE(into->write(piece).ok()); });
  REQUIRE(into->finish().ok());
  return grow.copies();
}

class no_sink final : public sink {
 public:
  result<void> write(std::string_view bytes) override {
    written += bytes.size();
    return {};
  }
  result<void> finish() override { return {}; }
  std::uint64_t written = 0;
};

// What opening, totalling and writing the document of all ops takes.
std::uint64_t memory_of_ops(const std::string& capture, std::int64_t entries) {
  const peak_memory peak;
  const auto opened = profile::open_buffer(capture, "many.xplane.pb");
  REQUIRE(opened.ok());
  REQUIRE((*opened)->file_fault(0) == nullptr);
  {
    auto found = analyse_ops(trace(**opened));
    REQUIRE(found.ok());
    REQUIRE(found->lines.size() == 1);
    op_rows& ops = found->lines[0].ops;
    REQUIRE(ops.size() == static_cast<std::size_t>(entries));
    REQUIRE(ops[0].total_ps == 90);
    ops.sort_by(ops_order::self);
    REQUIRE(ops[ops.size() - 1].self_ps == 1);
    REQUIRE(ops[ops.size() - 1].metadata().name().substr(0, 3) == "op.");
  }
  no_sink into;
  query_filters all;
  all.limit = 0;
  REQUIRE(write_document(document::ops, trace(**opened), all, into).ok());
  REQUIRE(into.written > static_cast<std::uint64_t>(entries) * 100);
  return peak.bytes();
}

}  // namespace

TEST_CASE("Ops take 64 bytes a metadata entry and a fixed sum") {
  if (!counts_memory()) PROFKIT_SKIP("allocations cannot be counted here");
  constexpr std::int64_t few = 1000, many = 400'000;
  struct {
    const char* what;
    std::int64_t (*id_of)(std::int64_t);
  } const kinds[] = {
      {"numbered through", [](std::int64_t i) { return i + 1; }},
      {"with a few far away", [](std::int64_t i) { return i % 1000 == 7 ? -i : i; }},
      {"anywhere",
       [](std::int64_t i) {
         return static_cast<std::int64_t>((static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15U);
       }},
  };
  for (const auto& kind : kinds) {
    INFO(kind.what);
    const std::uint64_t fixed = memory_of_ops(capture_of(few, kind.id_of), few);
    const std::uint64_t all = memory_of_ops(capture_of(many, kind.id_of), many);
    CAPTURE(fixed, all, static_cast<double>(all - fixed) / static_cast<double>(many - few));
    CHECK(fixed <= 4 * mb);
    CHECK(all <= 16 * mb + 64 * static_cast<std::uint64_t>(many));
    CHECK(all - fixed <= 64 * static_cast<std::uint64_t>(many - few));
  }
}

TEST_CASE("A capture that is pushed takes what one plane keeps, however many there are and however large their events") {
  if (!counts_memory()) PROFKIT_SKIP("allocations cannot be counted here");
  message plane, line;
  plane.text(2, "/device:TPU:0");
  for (int e = 0; e < 70'000; ++e) line.sub(4, event(e % 3000, 100 * e, 50));
  plane.sub(3, line.text(2, "XLA Ops"));
  for (int id = 0; id < 3000; ++id) plane.sub(4, metadata_entry_of(id, std::string(80, 'n')));
  const std::string one = message().sub(1, plane).bytes();
  REQUIRE(one.size() > mb);
  struct : xspace_push_visitor {
    std::uint64_t seen = 0, planes = 0;
    bool events(const pushed_line&, const event_row*, std::size_t count) override {
      seen += count;
      return true;
    }
    bool plane_end(std::uint32_t, const held_bytes&) override { return ++planes != 0; }
  } counts;
  const peak_memory peak;
  xspace_push_reader reader(counts);
  for (int p = 0; p < 50; ++p)
    for (std::size_t at = 0; at < one.size(); at += 10'000) REQUIRE(reader.push(std::string_view(one).substr(at, 10'000)).ok());
  REQUIRE(reader.finish().ok());
  CHECK(counts.planes == 50);
  CHECK(counts.seen == 50 * 70'000);
  CHECK(peak.bytes() <= mb);
}

TEST_CASE("A pass over a compressed capture of any size takes a fixed sum and its metadata") {
  if (!counts_memory()) PROFKIT_SKIP("allocations cannot be counted here");
  const std::string capture = file_bytes(data_path("xspace/tpu_v6e_inference.xplane.pb").string());
  const std::uint64_t decoded = (std::getenv("PROFKIT_SLOW") != nullptr ? 600 : 40) * mb;
  const temporary_folder folder;
  const std::string path = folder.path("grown.xplane.pb.gz");
  const std::uint64_t copies = write_grown(capture, decoded, path);
  const auto small = profile::open_buffer(capture, "small.xplane.pb");
  REQUIRE(small.ok());
  std::uint64_t entries = 0, metadata_bytes = 0;
  for (const plane_index& plane : (*small)->xspace(0)->planes) {
    entries += plane.event_metadata_entries.size() + plane.stat_metadata_entries.size();
    for (const std::string_view entry : plane.event_metadata_entries) metadata_bytes += entry.size();
    for (const std::string_view entry : plane.stat_metadata_entries) metadata_bytes += entry.size();
  }
  const auto few_ops = analyse_ops(trace(**small));
  const auto few_info = analyse_info(trace(**small));

  const peak_memory peak;
  open_options how;
  how.access = access_mode::one_pass;
  how.bounds.max_materialised_bytes = 8 * mb;
  const auto opened = profile::open(path, how);
  REQUIRE(opened.ok());
  const auto info = analyse_info(trace(**opened));
  REQUIRE(info.ok());
  REQUIRE(info->reasons == std::vector<std::string>());
  REQUIRE(info->events == few_info->events * copies);
  REQUIRE(info->event_stats == few_info->event_stats * copies);
  const auto ops = analyse_ops(trace(**opened));
  REQUIRE(ops.ok());
  REQUIRE(ops->damage.empty());
  REQUIRE(ops->lines.size() == few_ops->lines.size());
  for (std::size_t i = 0; i < ops->lines.size(); ++i) {
    const ops_line &many = ops->lines[i], &one = few_ops->lines[i];
    REQUIRE(many.duration_sum_ps == one.duration_sum_ps * static_cast<std::int64_t>(copies));
    REQUIRE(many.ops.size() == one.ops.size());
    for (std::size_t op = 0; op < one.ops.size(); ++op)
      REQUIRE(many.ops[op].total_ps == one.ops[op].total_ps * static_cast<std::int64_t>(copies));
  }
  REQUIRE((*opened)->is_streamed(0));
  CAPTURE(peak.bytes(), entries, metadata_bytes);
  CHECK(peak.bytes() <= 16 * mb + 2 * metadata_bytes + 64 * entries);
}
