// Every analysis equals the corpus's independent values.
#include "generated.hpp"

#include <profkit/core/probe.hpp>

#include <simdjson.h>
#include "support.hpp"

#include <catch.hpp>

#include <vector>

using namespace profkit;
using profkit::test::read_file;
namespace dom = simdjson::dom;
namespace fs = std::filesystem;

namespace {

std::uint64_t number(dom::element e) { return std::uint64_t(e); }

void check_histogram(const log2_histogram& read, dom::object expected) {
  std::uint64_t counted = 0, all = 0;
  for (const auto [bucket, count] : expected) {
    CHECK(read.buckets.at(std::stoul(std::string(bucket))) == number(count));
    counted += number(count);
  }
  for (const std::uint64_t count : read.buckets) all += count;
  CHECK(all == counted);
}

void check_schedule(const probe_bin_map& map, std::string_view file, dom::element expected) {
  const auto read = analyse_block_schedule(map, file);
  REQUIRE(read);
  const dom::object sms = expected["sms"].get_object();
  REQUIRE(read->sms.size() == sms.size());
  for (const sm_schedule& sm : read->sms) {
    const dom::element e = sms[std::to_string(sm.sm)];
    CHECK(sm.blocks.size() == number(e["blocks"]));
    CHECK(sm.slots == number(e["slots"]));
    CHECK(sm.first_start == number(e["first_start"]));
    CHECK(sm.last_end == number(e["last_end"]));
    CHECK(sm.busy == number(e["busy"]));
    CHECK(sm.gap == number(e["gap_total"]));
    CHECK(sm.gap_count == number(e["gap_count"]));
    CHECK(sm.residency == double(e["residency"]));
    if (e["order"].is_null()) continue;
    std::size_t i = 0;
    for (const dom::element block : e["order"].get_array()) CHECK(sm.blocks[i++].block == number(block));
  }
  CHECK(read->mean_busy == double(expected["mean_busy"]));
  CHECK(read->mean_gap == double(expected["mean_gap"]));
  CHECK(read->max_start_skew == number(expected["max_start_skew"]));
  CHECK(read->max_end_skew == number(expected["max_end_skew"]));
  CHECK(read->mean_imbalance == double(expected["mean_imbalance"]));
}

void check_bytes(const probe_bin_map& map, std::string_view file, dom::element expected) {
  const auto read = analyse_lane_totals(map, file, 64);
  REQUIRE(read);
  REQUIRE(read->fields.size() == 2);
  CHECK(read->fields[0].sum == number(expected["sync"]));
  CHECK(read->fields[1].sum == number(expected["async_"]));
  CHECK(read->total == number(expected["total"]));
  CHECK(read->lanes == number(expected["threads"]));
  CHECK(read->zero_lanes == number(expected["zero_threads"]));
  check_histogram(read->fields[0].histogram, expected["hist_sync"].get_object());
  const dom::array blocks = expected["per_block"].get_array();
  REQUIRE(read->per_block.size() == blocks.size());
  std::size_t i = 0;
  for (const dom::element block : blocks) CHECK(read->per_block[i++] == number(block));
}

void check_tensorop(const probe_bin_map& map, std::string_view file, dom::element expected) {
  const auto read = analyse_lane_totals(map, file);
  REQUIRE(read);
  CHECK(read->total == number(expected["total"]));
  CHECK(read->warp_sum == number(expected["warp_instructions"]));
  check_histogram(read->fields[0].histogram, expected["hist"].get_object());
}

void check_density(const probe_bin_map& map, std::string_view file, dom::element expected) {
  const auto read = analyse_page_density(map, file);
  REQUIRE(read);
  CHECK(read->records == number(expected["records"]));
  CHECK(read->unwritten == number(expected["unwritten"]));
  CHECK(read->pages.size() == number(expected["pages"]));
  CHECK(read->clocks == number(expected["clocks"]));
  CHECK(read->max_clock == number(expected["max_clock"]));
  CHECK(read->cells == number(expected["cells"]));
  std::size_t i = 0;
  for (const dom::element row : expected["density_16x10"].get_array())
    for (const dom::element cell : row.get_array()) CHECK(read->grid.at(i++) == number(cell));
  CHECK(read->grid.size() == i);
  i = 0;
  for (const dom::element cell : expected["top"].get_array()) {
    REQUIRE(i < read->top.size());
    CHECK(read->top[i].clock == number(cell.at(0)));
    CHECK(read->top[i].page == std::stoull(std::string(std::string_view(cell.at(1))), nullptr, 16));
    CHECK(read->top[i].count == number(cell.at(2)));
    ++i;
  }
  CHECK(read->top.size() == i);
}

void check_progress(const probe_bin_map& map, std::string_view file, dom::element expected) {
  const auto read = analyse_progress(map, file);
  REQUIRE(read);
  CHECK(read->samples == number(expected["samples"]));
  CHECK(read->lanes == number(expected["lanes"]));
  CHECK(read->full_lanes == number(expected["full_lanes"]));
  check_histogram(read->samples_of_lanes, expected["hist_count"].get_object());
}

// The map that the golden values name; where no description names it, the one that has its fields.
const probe_bin_map* find_map(const probe_bin& bin, const std::string& name, const char* field) {
  for (const probe_bin_map& map : bin.maps)
    if (map.shape->name == name || map.shape->find(field) != nullptr) return &map;
  return nullptr;
}

std::size_t check_case(const fs::path& golden, const fs::path& generated) {
  fs::path folder;
  for (const auto& entry : fs::directory_iterator(generated))
    if (entry.is_directory()) folder = entry.path();
  probe_trace_options options;
  const std::string name = generated.filename().string();
  if (name == "v0_gmem_bytes" || name == "v0_partial_warp48") options.assume = probe_tool::gmem_bytes;
  const auto opened = probe_trace::open(folder.string(), options);
  REQUIRE(opened);
  const probe_trace& trace = **opened;
  dom::parser parser;
  const dom::object bins = parser.parse(simdjson::padded_string(read_file(golden / "analysis.json"))).get_object();
  std::size_t checked = 0;
  for (const auto [bin_name, analyses] : bins) {
    CAPTURE(std::string(bin_name));
    const probe_bin* bin = nullptr;
    for (const probe_bin& each : trace.bins)
      if (each.name == bin_name) bin = &each;
    REQUIRE(bin);
    const auto held = trace.hold(static_cast<std::size_t>(bin - trace.bins.data()));
    REQUIRE(held);
    const struct {
      const char *key, *map, *field;
      void (*check)(const probe_bin_map&, std::string_view, dom::element);
    } kinds[] = {{"block_sched", "block_sched", "elapsed", check_schedule},
                 {"gmem_bytes", "GMEMBytes", "sync_bytes", check_bytes},
                 {"tensorop", "TensorOpCount", "count", check_tensorop},
                 {"dmat", "DMAT", "addr", check_density},
                 {"progress", "Sample", "clock", check_progress}};
    for (const auto& kind : kinds) {
      auto expected = analyses[kind.key];
      if (expected.error() != simdjson::SUCCESS) continue;
      CAPTURE(kind.key);
      const probe_bin_map* map = find_map(*bin, kind.map, kind.field);
      REQUIRE(map);
      kind.check(*map, held->bytes, expected.value());
      ++checked;
    }
  }
  return checked;
}

}  // namespace

TEST_CASE("neutrino: every analysis equals the golden values") {
  PROFKIT_NEEDS("toml");
  const auto golden = test::corpus_path("oracles/neutrino/golden");
  const test::scratch_folder generated;
  if (!golden || !test::generate_traces(generated.path(), 1)) PROFKIT_SKIP_WITHOUT_CORPUS;
  std::size_t cases = 0, analyses = 0;
  for (const auto& entry : fs::directory_iterator(*golden)) {
    if (!fs::exists(entry.path() / "analysis.json")) continue;
    CAPTURE(entry.path().filename().string());
    analyses += check_case(entry.path(), generated.path() / entry.path().filename());
    ++cases;
  }
  CHECK(cases >= 15);
  CHECK(analyses >= cases);
}

TEST_CASE("neutrino: the reference's page table is read, and counts zero padding where the records do not") {
  const auto golden = test::corpus_path("oracles/neutrino/golden/main_dmat");
  if (!golden) PROFKIT_SKIP_WITHOUT_CORPUS;
  std::size_t tables = 0;
  for (const auto& entry : fs::directory_iterator(*golden)) {
    if (entry.path().extension() != ".dmat") continue;
    ++tables;
    const std::string bytes = read_file(entry.path());
    const page_table table = read_page_table(bytes);
    CHECK_FALSE(table.damage);
    std::uint64_t references = 0, padding = 0;
    for (const page_cell& cell : table.cells) {
      references += cell.count;
      if (cell.clock == 0 && cell.page == 0) padding += cell.count;
    }
    CHECK(table.pages.size() == 65);
    CHECK(references == 1024);
    CHECK(references - padding == 640);
    for (std::size_t length = 0; length < bytes.size(); length += 7) {
      const page_table cut = read_page_table(std::string_view(bytes).substr(0, length));
      CHECK(cut.damage);
      CHECK(cut.cells.size() <= table.cells.size());
    }
  }
  CHECK(tables == 1);
}
