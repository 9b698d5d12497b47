// Totals, peaks and positions of every module and memory space against XProf's memory viewer.
#include <profkit/core/memory.hpp>

#include <catch2/catch.hpp>

#include "oracle.hpp"

using namespace profkit;
using profkit::test::corpus_path;

TEST_CASE("every module and memory space equals XProf's memory viewer") {
  const auto oracles = corpus_path("oracles/xspace-and-memory");
  if (!oracles) PROFKIT_SKIP("the corpus is not here");
  simdjson::dom::parser parser;
  const std::string text = test::read_file(*oracles / "xprof_mv.json");
  const simdjson::dom::object rows = parser.parse(text).get_object();
  int compared = 0;
  for (const auto row : rows) {
    const std::string key(row.key);                                   // "tpu2_hlo/jit_f(…)/ms0"
    const std::size_t cut = key.rfind('/');
    const std::int64_t color = std::stoll(key.substr(cut + 3));
    const std::string bytes = test::read_file(*oracles / "in" / (key.substr(0, cut) + ".hlo_proto.pb"));
    REQUIRE_FALSE(bytes.empty());
    const auto module = analyse_hlo_memory(bytes);
    REQUIRE(module.ok());
    INFO(key);
    CHECK_FALSE(module->damage);
    const space_memory *space = module->space(color);
    const std::int64_t total = test::bytes_of_mib(row.value["totalBufferAllocationMib"]);
    const std::int64_t peak = test::bytes_of_mib(row.value["peakHeapMib"]);
    if (space == nullptr) {
      CHECK(total == 0);
      CHECK(peak == 0);
      continue;
    }
    if (total != 0) ++compared;
    CHECK(space->total_bytes == total);
    CHECK(space->peak_bytes == peak);
    CHECK(space->memory_viewer_peak_bytes == peak);
    CHECK(space->indefinite_bytes == test::bytes_of_mib(row.value["indefiniteBufferAllocationMib"]));
    if (space->temp_peak_bytes != 0)
      CHECK(space->peak_event == test::integer_or(row.value["peakHeapSizePosition"], 0));
  }
  CHECK(compared == 64);
}
