// Allocators at run time against XProf's memory profile and the exact replay of the corpus.
#include <profkit/core/memory.hpp>

#include <catch.hpp>

#include "oracle.hpp"

#include <algorithm>
#include <optional>

using namespace profkit;
using profkit::test::corpus_path;

namespace {

memory_result analysed(const std::filesystem::path& path, const memory_options& o = {}) {
  const auto opened = profile::open(path.string());
  REQUIRE(opened.ok());
  const auto found = analyse_memory(trace(**opened), o);
  if (!found.ok()) FAIL(found.error().message);
  return *found;
}

const allocator_memory& named(const memory_result& r, const std::string& name) {
  const auto at =
      std::find_if(r.allocators.begin(), r.allocators.end(), [&](const allocator_memory& a) { return a.name == name; });
  REQUIRE(at != r.allocators.end());
  return *at;
}

std::int64_t number(const simdjson::dom::element& text) { return std::stoll(std::string(std::string_view(text))); }

}  // namespace

TEST_CASE("all eight allocators equal XProf's memory profile") {
  const auto oracles = corpus_path("oracles/xspace-and-memory");
  if (!oracles) PROFKIT_SKIP_WITHOUT_CORPUS;
  const memory_result tpu = analysed(*oracles / "in/tpu2/tpu_inference_2.xplane.pb");
  const memory_result gpu = analysed(*oracles / "in/gpu/gpu_training.xplane.pb");
  simdjson::dom::parser parser;
  const std::string text = test::read_file(*oracles / "xprof_mp.json");
  int compared = 0;
  for (const auto row : simdjson::dom::object(parser.parse(text))) {
    const std::string key(row.key);
    INFO(key);
    const allocator_memory& a = named(key.substr(0, 3) == "gpu" ? gpu : tpu, key.substr(key.find('/') + 1));
    const auto stats = row.value["peak_stats"];
    CHECK(a.occupancy_peak_bytes == number(stats["peakBytesInUse"]));
    CHECK(a.reserved_at_peak_bytes == number(stats["stackReservedBytes"]));
    CHECK(a.allocated_at_peak_bytes == number(stats["heapAllocatedBytes"]));
    CHECK(a.available_at_peak_bytes == number(stats["freeMemoryBytes"]));
    CHECK(a.capacity_bytes == number(row.value["capacity"]));
    ++compared;
  }
  CHECK(compared == 8);
}

TEST_CASE("the replay of every allocator equals the exact one") {
  const auto oracles = corpus_path("oracles/xspace-and-memory");
  if (!oracles) PROFKIT_SKIP_WITHOUT_CORPUS;
  simdjson::dom::parser parser;
  const std::string text = test::read_file(*oracles / "improved_runtime.json");
  const simdjson::dom::object truth = parser.parse(text);
  for (const auto capture : truth) {
    const memory_result r = analysed(*oracles / "in" / std::string(capture.key) /
                                     (capture.key == "gpu" ? "gpu_training.xplane.pb" : "tpu_inference_2.xplane.pb"));
    for (const auto row : simdjson::dom::object(capture.value)) {
      INFO(row.key);
      const allocator_memory& a = named(r, std::string(row.key));
      const auto expect = [&](const char* field) { return test::integer_or(row.value[field], -1); };
      CHECK(static_cast<std::int64_t>(a.n_allocations) == expect("n_alloc"));
      CHECK(static_cast<std::int64_t>(a.n_deallocations) == expect("n_free"));
      CHECK(a.heap_peak_bytes == expect("peak_bytes"));
      CHECK(a.heap_peak_ps == expect("peak_ts_ps"));
      CHECK(a.pre_trace_bytes == expect("base"));
      CHECK(static_cast<std::int64_t>(a.unmatched_frees) == expect("unmatched_free"));
      CHECK(a.lifetime_peak_bytes == expect("allocator_peak"));
      CHECK(a.occupancy_peak_bytes == expect("occupancy_peak"));
      CHECK(a.occupancy_peak_ps == expect("occupancy_peak_ts_ps"));
      CHECK(a.capacity_bytes == expect("max_capacity"));
      if (expect("mismatch_with_allocator") == 0) CHECK(a.allocator_agrees);
    }
  }
}

TEST_CASE("every invariant holds on the TPU and the GPU capture") {
  for (const char* file : {"in/tpu2/tpu_inference_2.xplane.pb", "in/gpu/gpu_training.xplane.pb"}) {
    const auto path = corpus_path(std::string("oracles/xspace-and-memory/") + file);
    if (!path) PROFKIT_SKIP_WITHOUT_CORPUS;
    const memory_result r = analysed(*path);
    REQUIRE(r.runtime);
    REQUIRE(r.invariants.size() == 11);
    for (const memory_invariant& i : r.invariants) {
      INFO(file << ' ' << i.id << ": " << i.left << " against " << i.right << ", " << i.note);
      const bool is_tpu = std::string(file).find("tpu") != std::string::npos;
      // The peak of the TPU lies in no step; the GPU capture has no compiled module.
      const bool judged = is_tpu ? i.id != "R4" : i.id[0] == 'R';
      CHECK(i.holds == (judged ? std::optional(true) : std::nullopt));
    }
    if (std::string(file).find("tpu") != std::string::npos) {
      CHECK(r.hlo->static_peak_bytes == 21474934816);
      CHECK(r.invariants.back().id == "C1");
      CHECK(r.invariants.back().holds == true);
      CHECK(r.consistency_warnings.empty());
    }
  }
}

TEST_CASE("refs, TensorFlow types and wide addresses are told as they are") {
  const auto path = corpus_path("oracles/xspace-and-memory/in/syn_statkinds");
  if (!path) PROFKIT_SKIP_WITHOUT_CORPUS;
  const memory_result r = analysed(*path);
  REQUIRE(r.runtime);
  const auto row = std::find_if(r.runtime->alive.begin(), r.runtime->alive.end(),
                                [](const live_row& live) { return live.addr == 18446744073709551600U; });
  REQUIRE(row != r.runtime->alive.end());
  CHECK(row->shape == "f32[999]");   // a ref
  CHECK(row->data_type == "qint8");  // 11 of tensorflow.DataType
  CHECK(row->size_bytes == 768);     // allocation_bytes, not requested_bytes
}

TEST_CASE("several files and several devices are all there") {
  const auto path = corpus_path("oracles/xspace-and-memory/in/two_xplanes");
  if (!path) PROFKIT_SKIP_WITHOUT_CORPUS;
  const memory_result r = analysed(*path);
  REQUIRE(r.allocators.size() == 5);  // one of a.xplane.pb, four TPUs of b.xplane.pb
  CHECK(r.allocators.front().file == 0);
  CHECK(r.allocators.back().file == 1);
  CHECK(r.allocators[*r.runtime->allocator].occupancy_peak_bytes == 21492671104);  // the fullest of all
}

TEST_CASE("step windows and policies") {
  const auto path = corpus_path("oracles/xspace-and-memory/in/syn_peak_between_steps");
  if (!path) PROFKIT_SKIP_WITHOUT_CORPUS;
  // The peak lies between two steps: the peak policy then looks at the whole trace; what lives when a step begins
  // counts in it, so that R4 holds.
  for (const step_policy policy : {step_policy::peak, step_policy::first, step_policy::last}) {
    memory_options o;
    o.policy = policy;
    const memory_result r = analysed(*path, o);
    REQUIRE(r.runtime);
    for (const memory_invariant& i : r.invariants) {
      INFO(i.id << ": " << i.left << " against " << i.right);
      if (i.id == "R1") CHECK(i.holds.value_or(false));
      if (i.id == "R4") CHECK(i.holds.value_or(policy == step_policy::peak));
    }
  }
  memory_options o;
  o.step = 99;
  CHECK(analysed(*path, o).runtime_absent_reason.find("step_policy_error") == 0);
}
