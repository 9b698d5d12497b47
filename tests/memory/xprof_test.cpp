// Totals, peaks and positions of every module and memory space against XProf's memory viewer.
#include <profkit/core/memory.hpp>

#include <catch.hpp>

#include "oracle.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

using namespace profkit;
using profkit::test::corpus_path;

TEST_CASE("every module and memory space equals XProf's memory viewer") {
  const auto oracles = corpus_path("oracles/xspace-and-memory");
  if (!oracles) PROFKIT_SKIP_WITHOUT_CORPUS;
  simdjson::dom::parser parser;
  const std::string text = test::read_file(*oracles / "xprof_mv.json");
  const simdjson::dom::object rows = parser.parse(text).get_object();
  int compared = 0;
  for (const auto row : rows) {
    const std::string key(row.key);  // "tpu2_hlo/jit_f(…)/ms0"
    const std::size_t cut = key.rfind('/');
    const std::int64_t color = std::stoll(key.substr(cut + 3));
    const std::string bytes = test::read_file(*oracles / "in" / (key.substr(0, cut) + ".hlo_proto.pb"));
    REQUIRE_FALSE(bytes.empty());
    const auto module = analyse_hlo_memory(bytes);
    REQUIRE(module.ok());
    INFO(key);
    CHECK_FALSE(module->damage);
    const space_memory* space = module->space(color);
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
    if (space->temp_peak_bytes != 0) CHECK(space->peak_event == test::integer_or(row.value["peakHeapSizePosition"], 0));
  }
  CHECK(compared == 64);
}

TEST_CASE("every space of every module equals the exact replay, alive set included") {
  const auto oracles = corpus_path("oracles/xspace-and-memory");
  if (!oracles) PROFKIT_SKIP_WITHOUT_CORPUS;
  simdjson::dom::parser parser;
  const std::string text = test::read_file(*oracles / "improved_hlo.json");
  const simdjson::dom::object truth = parser.parse(text).get_object();
  int modules = 0;
  for (const auto row : truth) {
    const std::string key(row.key);
    const auto opened = profile::open((*oracles / "in" / key).string());
    REQUIRE(opened.ok());
    for (const simdjson::dom::element space : simdjson::dom::array(row.value)) {
      const auto expect = [&](const char* field) { return test::integer_or(space[field], -1); };
      memory_options o;
      o.memory_space = expect("color");
      const auto r = analyse_memory(trace(**opened), o);
      REQUIRE(r.ok());
      REQUIRE(r->modules.size() == 1);
      const space_memory* s = r->modules[0].space(o.memory_space);
      REQUIRE(s);
      INFO(key << " memory space " << o.memory_space);
      CHECK(s->total_bytes == expect("total_non_thread_local"));
      CHECK(s->thread_local_bytes == expect("thread_local"));
      CHECK(s->indefinite_bytes == expect("indefinite_with_buffers"));
      CHECK(s->memory_viewer_peak_bytes == expect("peak_total"));
      if (s->method == peak_method::heap_replay) {
        CHECK(s->temp_peak_bytes == expect("heap_trace_peak"));
        CHECK(s->peak_event == expect("heap_trace_peak_event"));
        std::vector<std::int64_t> wanted, found;
        for (const std::int64_t id : simdjson::dom::array(space["peak_buffers"])) wanted.push_back(id);
        for (const buffer_row& b : r->hlo->alive)
          if (b.kind == residency::temporary) found.push_back(b.logical_buffer_id);
        std::sort(wanted.begin(), wanted.end());
        std::sort(found.begin(), found.end());
        CHECK(found == wanted);
      } else {
        CHECK(expect("heap_trace_peak") == 0);
      }
      for (const memory_invariant& i : r->invariants) {
        INFO(i.id << ": " << i.left << " against " << i.right);
        CHECK(i.holds == (i.id[0] == 'H' ? std::optional(true) : std::nullopt));  // there is no run time
      }
    }
    ++modules;
  }
  CHECK(modules == 76);
}

TEST_CASE("totals equal the compiler's own text dumps, every row") {
  const auto oracles = corpus_path("oracles");
  if (!oracles) PROFKIT_SKIP_WITHOUT_CORPUS;
  std::istringstream table(test::read_file(*oracles / "xprof/peaks.tsv"));
  std::string line;
  std::getline(table, line);
  int rows = 0;
  while (std::getline(table, line)) {
    std::istringstream cells(line);
    std::string run, module, dump_total, dump_thread_local, report_total, total, peak, indefinite, parts, temp;
    for (std::string* cell :
         {&run, &module, &dump_total, &dump_thread_local, &report_total, &total, &peak, &indefinite, &parts, &temp})
      std::getline(cells, *cell, '\t');
    INFO(run << ' ' << module);
    std::replace(run.begin(), run.end(), '/', '_');
    const auto m = analyse_hlo_memory(
        test::read_file(*oracles / "xspace-and-memory/in" / ("jax_" + run) / (module + ".hlo_proto.pb")));
    REQUIRE(m.ok());
    const space_memory* s = m->space(0);
    REQUIRE(s);
    CHECK(m->all_allocations_bytes == std::stoll(dump_total));
    CHECK(report_total == "[" + std::to_string(m->all_allocations_bytes) + "]");
    CHECK(s->thread_local_bytes == std::stoll(dump_thread_local));
    CHECK(s->total_bytes == std::stoll(total));
    CHECK(s->peak_bytes == std::stoll(peak));
    CHECK(s->indefinite_bytes == std::stoll(indefinite));
    CHECK(s->entry_params_bytes + s->constants_bytes + s->live_out_bytes == std::stoll(parts));
    CHECK(s->temp_bytes == std::stoll(temp));
    ++rows;
  }
  CHECK(rows == 58);
}

TEST_CASE("alive at the peak of jit_f, and the floor that is none") {
  const auto oracles = corpus_path("oracles/xspace-and-memory/in/tpu2");
  if (!oracles) PROFKIT_SKIP_WITHOUT_CORPUS;
  const auto opened = profile::open(oracles->string());
  REQUIRE(opened.ok());
  const auto r = analyse_memory(trace(**opened));
  REQUIRE(r.ok());
  const hlo_report& h = *r->hlo;
  CHECK(r->modules[h.module].label == "jit_f(12190760917235803885)");
  REQUIRE(h.alive.size() == 5);  // four buffers of 5 GiB and the result's table
  CHECK(h.alive[0].size_bytes == 5368709120);
  CHECK(h.alive[0].kind == residency::temporary);
  CHECK(h.alive_total_bytes == 4 * 5368709120 + 32);
  const space_memory* s = r->modules[h.module].space(0);
  CHECK(s->fragmentation_bytes == 98304);
  CHECK(s->temp_floor_bytes == 0);
  CHECK(s->residency_floor_bytes == 32);
  CHECK(h.always_alive_total_bytes == 10737418432);  // the reference's "floor"
  CHECK(h.static_peak_bytes == 21474934816);
  CHECK(h.all_allocations_bytes == 37581062188);
}

TEST_CASE("every invariant holds for every module of the corpus") {
  int modules = 0;
  for (const char* capture :
       {"tpu2_hlo", "jax_mlp_train", "jax_transformer", "jax_multi_device", "jax_two_process_rank0"}) {
    const auto path = corpus_path(std::string("oracles/xspace-and-memory/in/") + capture);
    if (!path) PROFKIT_SKIP_WITHOUT_CORPUS;
    const auto opened = profile::open(path->string());
    REQUIRE(opened.ok());
    memory_options o;
    o.runtime = false;
    const auto all = analyse_memory(trace(**opened), o);
    REQUIRE(all.ok());
    for (const module_memory& m : all->modules) {
      o.module = m.label;
      const auto r = analyse_memory(trace(**opened), o);
      REQUIRE(r.ok());
      REQUIRE(r->modules[r->hlo->module].label == m.label);
      for (const memory_invariant& i : r->invariants) {
        INFO(m.label << ' ' << i.id << ": " << i.left << " against " << i.right);
        CHECK(i.holds == (i.id[0] == 'H' ? std::optional(true) : std::nullopt));  // there is no run time
      }
      ++modules;
    }
  }
  CHECK(modules == 62);
}
