// The rules of architecture, each from both sides: what marks a layer and a pass, phases, checks, streams.
#include "made_model.hpp"

#include <string>
#include <string_view>
#include <vector>

using namespace profkit;
using namespace profkit::test;

namespace {

constexpr const char* attention = "FusedInferAttentionScore";

// A device whose kernels run one behind the other, each followed by a pause of 1 us.
struct made : memory_activity {
  model m{*this, add_device("NPU 0")};
  device_architecture found() const { return look(*this).devices[0]; }
};

const cross_check& check_of(const device_architecture& d, std::string_view name) {
  const auto at = std::find_if(d.checks.begin(), d.checks.end(), [&](const cross_check& c) { return c.name == name; });
  REQUIRE(at != d.checks.end());
  return *at;
}

}  // namespace

TEST_CASE("families of attention in blocks mark layers together, those that take turns share them") {
  struct row {
    const char* order;  // f: FlashAttention; p: paged attention
    std::size_t layers;
    const char* family;
  };
  const row rows[] = {
      {"ffpppff", 7, "FlashAttention and paged attention"},  // two changes
      {"fffpfpp", 4, "FlashAttention"},                      // three
      {"fpfpfp", 3, "FlashAttention"},                       // as many: the one that is seen first
      {"pfpfpf", 3, "paged attention"},
      {"pfpfpff", 4, "FlashAttention"},  // the more frequent one
      {"fpfpfpp", 4, "paged attention"},
      {"fffpfff", 6, "FlashAttention"},  // one among many is none of the layers' own
  };
  for (const row& r : rows) {
    INFO(r.order);
    made a;
    for (const char c : std::string(r.order)) {
      a.m.op(c == 'f' ? "flash_fwd_kernel" : "paged_attention_v1");
      a.m.op("MatMulV3");
    }
    const device_architecture d = a.found();
    CHECK(d.anchors == r.layers);
    CHECK(d.layers.size() == r.layers);
    CHECK(d.anchor_family == r.family);
  }
}

TEST_CASE("all that runs among the layers' own attention is counted") {
  made a;
  for (int l = 0; l < 4; ++l)
    for (const char* const op : {"flash_fwd_kernel", "MatMulV3", "paged_attention_v1", "selective_scan_fwd_kernel"}) a.m.op(op);
  CHECK(has_limit(a.found(), "4 kernels of "));
  CHECK(has_limit(a.found(), " and 4 kernels of state space"));
}

TEST_CASE("without attention an op that comes back four times marks layers, three times do not") {
  for (const std::size_t repeats : {3, 4}) {
    made a;
    for (std::size_t l = 0; l < repeats; ++l)
      for (const char* const op : {"one", "two", "three", "four", "five"}) a.m.op(op);
    const device_architecture d = a.found();
    INFO(repeats);
    CHECK(d.source == (repeats == 4 ? anchor_source::periodic_op : anchor_source::none));
    CHECK(d.layers.size() == (repeats == 4 ? 4 : 0));
  }
}

TEST_CASE("what merely comes back is a part and no layer") {
  made a;
  for (int step = 0; step < 3; ++step) {
    const std::int64_t from = a.m.now;
    for (int l = 0; l < 4; ++l)
      for (const char* const op : {"one", "two", "three", "four", "KvRmsNormRopeCache"}) a.m.op(op);
    a.step(step, from, a.m.now);
  }
  const architecture_result r = look(a);
  const device_architecture& d = r.devices[0];
  REQUIRE(d.source == anchor_source::periodic_op);
  CHECK(d.layer_word() == std::string("part"));
  CHECK(r.summary.find("4 repeating parts a pass") != std::string::npos);
  CHECK(r.summary.find("layer") == std::string::npos);
  for (const cross_check& c : d.checks) {
    INFO(c.name);
    CHECK(c.name.find("layer") == std::string::npos);
  }
  CHECK_FALSE(d.checks.empty());
  for (const evidence_row& e : d.evidence) {
    INFO(e.what << " " << e.value << " " << e.meaning);
    CHECK(e.what.find("ayer") == std::string::npos);
    CHECK(e.value.find("layer") == std::string::npos);
  }
  made of_attention;
  of_attention.m.pass(4, 4, 100 * us);
  CHECK(of_attention.found().layer_word() == std::string("layer"));
}

TEST_CASE("without attention a pass has at least three layers") {
  for (const std::uint32_t layers : {2, 3}) {
    made a;
    for (int step = 0; step < 4; ++step) {
      const std::int64_t from = a.m.now;
      for (std::uint32_t l = 0; l < layers; ++l)
        for (const char* const op : {"one", "two", "three", "four", "five"}) a.m.op(op);
      a.step(step, from, a.m.now);
    }
    const device_architecture d = a.found();
    INFO(layers);
    CHECK(d.layers_per_pass == (layers == 3 ? 3 : 0));
    CHECK(d.passes.size() == (layers == 3 ? 4 : 0));
    CHECK(d.anchors == (layers == 3 ? 12 : 0));
  }
}

TEST_CASE("of ops that come back as often the more even one marks layers") {
  for (const bool even_first : {false, true}) {
    made a;
    for (int row = 0; row < 60; ++row) {
      const bool uneven = row == 1 || row == 12 || row == 21 || row == 32 || row == 41 || row == 52;
      const bool even = row % 10 == (even_first ? 0 : 5);
      a.m.op(even ? "even" : uneven ? "uneven" : "other" + std::to_string(row));
    }
    const device_architecture d = a.found();
    CHECK(d.anchor == "even");
    CHECK(d.layers.size() == 6);
  }
}

TEST_CASE("of ops that come back as often and as evenly the first marks layers") {
  for (const bool swapped : {false, true}) {
    made a;
    for (int row = 0; row < 60; ++row) {
      const char* const even = row % 10 == 2 ? (swapped ? "b" : "a") : row % 10 == 7 ? (swapped ? "a" : "b") : nullptr;
      a.m.op(even ? even : "other" + std::to_string(row));
    }
    CHECK(a.found().anchor == (swapped ? "b" : "a"));
  }
}

TEST_CASE("the first layers of a pass and its last ones are two layouts, though their types are the same") {
  made a;
  int step = 0;
  for (const int layers : {2, 4, 4, 2}) {
    const std::int64_t from = a.m.now;
    for (int l = 0; l < layers; ++l) a.m.layer(attention, false, 100 * us);
    a.step(step++, from, a.m.now);
  }
  const device_architecture d = a.found();
  REQUIRE(d.passes.size() == 4);
  REQUIRE(d.layers[d.passes[0].first_layer].index == 2);
  REQUIRE(d.layers[d.passes[3].first_layer].index == 0);
  CHECK(d.layouts.size() == 3);
  CHECK(d.passes[1].layout == d.passes[2].layout);
  CHECK(d.passes[0].layout != d.passes[3].layout);
}

TEST_CASE("the device that tells most is reported, of equal ones the first") {
  struct device {
    const char* anchor;
    int layers;
  };
  const auto reported = [](const std::vector<device>& devices) {
    memory_activity a;
    for (const device& one : devices) {
      model m{a, a.add_device("NPU")};
      for (int l = 0; l < one.layers; ++l)
        for (const char* const op : {one.anchor, "two", "three", "four"}) m.op(op);
    }
    return look(a).reported;
  };
  CHECK(reported({{attention, 5}, {attention, 5}, {attention, 5}}) == 0);
  CHECK(reported({{attention, 4}, {attention, 5}, {attention, 5}}) == 1);
  CHECK(reported({{attention, 4}, {"one", 9}}) == 0);
  CHECK(reported({{"one", 9}, {attention, 4}}) == 1);
  CHECK(reported({{"one", 2}, {"one", 3}}) == 1);  // no layers: the one with more kernels
  CHECK(reported({{"one", 3}, {"one", 2}}) == 0);
}

TEST_CASE("passes with other numbers of cache writes than layers") {
  struct row {
    std::vector<int> more;  // cache writes than layers, by pass
    check_outcome result;
    const char* note;
  };
  const row rows[] = {
      {{0, 0, 0, 0}, check_outcome::pass, ""},
      {{0, 1, 0, 0}, check_outcome::explained, "pass 1 has 5 for 4 layers"},
      {{0, -1, 0, 0}, check_outcome::explained, "pass 1 has 3 for 4 layers"},
      {{0, 0, 2, 0}, check_outcome::fail, "pass 2 has 6 for 4 layers"},
      {{0, 0, -2, 0}, check_outcome::fail, "pass 2 has 2 for 4 layers"},
      {{0, 1, -1, 0}, check_outcome::explained, "pass 1 has 5 for 4 layers"},  // the first one is named
      {{0, -1, 0, 1}, check_outcome::explained, "pass 1 has 3 for 4 layers"},
  };
  for (const row& r : rows) {
    made a;
    for (const int more : r.more) {
      a.m.op("GatherV2");
      for (int l = 0; l < 4; ++l) {
        a.m.op(attention, 100 * us);
        a.m.op("MatMulV3");
        const int writes = l == 1 ? 1 + std::max(more, -1) : l == 2 && more < -1 ? 0 : 1;
        for (int i = 0; i < writes; ++i) a.m.op("ReshapeAndCache");
      }
      a.m.op("ArgMaxV2");
    }
    const device_architecture d = a.found();
    const cross_check& c = check_of(d, "cache writes = layers, give or take 1");
    INFO(r.note);
    CHECK(c.result == r.result);
    CHECK(c.note.substr(0, std::string_view(r.note).size()) == r.note);
    CHECK(c.note.empty() == std::string_view(r.note).empty());
    CHECK(c.expected == 16);
  }
}

TEST_CASE("the number of layers is not held against itself") {
  const auto checked = [](const device_architecture& d) {
    return std::any_of(d.checks.begin(), d.checks.end(),
                       [](const cross_check& c) { return c.name == "anchors = layers a pass x whole passes"; });
  };
  for (const int passes : {1, 2}) {
    made a;
    for (int i = 0; i < passes; ++i) a.m.pass(4, 1, 100 * us);
    const device_architecture d = a.found();
    REQUIRE(d.complete_passes() == static_cast<std::uint64_t>(passes));
    CHECK(checked(d) == (passes == 2));
  }
  // Two layers with experts behind two without, over and over: passes are where that begins anew.
  made a;
  for (int l = 0; l < 12; ++l) {
    a.m.op(attention, 100 * us);
    a.m.op(l % 4 < 2 ? "MatMulV3" : "DispatchFFNCombine");
  }
  const device_architecture d = a.found();
  REQUIRE(d.pass_source == std::string("order of layers"));
  REQUIRE(d.complete_passes() > 1);
  CHECK_FALSE(checked(d));
}

TEST_CASE("the check of orders names the pass with which another order begins") {
  made a;
  for (const int dense : {1, 1, 1, 3, 3}) a.m.pass(4, dense, 100 * us);
  const device_architecture d = a.found();
  const cross_check& c = check_of(d, "orders of layer types = phases");
  CHECK(c.result == check_outcome::fail);
  CHECK(c.expected == 1);
  CHECK(c.actual == 2);
  CHECK(c.note == "the order changes at pass 3");
}

TEST_CASE("a tenth of the time in unknown kernels is no doubt, more is one") {
  for (const std::int64_t more_ps : {0, 100}) {
    made a;
    for (int l = 0; l < 9; ++l) a.m.op(attention, 100 * us);
    a.m.op("Whatever", 100 * us + more_ps);
    CHECK(has_limit(a.found(), "of no known family take") == (more_ps > 0));
  }
}

TEST_CASE("kernels that were listed twice are counted and run once") {
  made a;
  for (int i = 0; i < 2; ++i) a.m.pass(2, 0, 100 * us);
  const device_architecture once = a.found();
  kernel_row& k = a.kernel(0, 120 * us, 40 * us, "hcom_alltoallv_", kernel_class::comm);
  k.flags |= kernel_duplicate;
  const device_architecture d = a.found();
  CHECK(once.duplicates == 0);
  CHECK(d.duplicates == 1);
  CHECK(d.kernels == once.kernels + 1);
  CHECK(d.op_counts.at("hcom_alltoallv_") == 5);
  CHECK(d.layers[0].kernels == once.layers[0].kernels);
  CHECK(d.layers[0].comm_ps == once.layers[0].comm_ps);
  CHECK(d.pipeline.kernel_sum_ps == once.pipeline.kernel_sum_ps);
}

TEST_CASE("kernels of the AI CPU are told by their class or by their flag, the most frequent first") {
  made a;
  for (int l = 0; l < 3; ++l) {
    a.m.op(attention, 100 * us);
    a.m.op("Aaa", 2 * us, kernel_class::aicpu);
    for (int i = 0; i < 2; ++i) a.m.op("Bbb", 2 * us).flags |= kernel_on_aicpu;
    a.m.op("Ccc", 2 * us, kernel_class::aicpu);
  }
  const device_architecture d = a.found();
  REQUIRE(d.layers.size() == 3);
  for (const model_layer& l : d.layers) CHECK(l.aicpu_kernels == 4);
  REQUIRE(d.anatomies.size() == 1);
  REQUIRE(!d.anatomies[0].anomalies.empty());
  CHECK(d.anatomies[0].anomalies[0] ==
        "12 kernels of these layers run on the AI CPU: Bbb x6, Aaa x3, Ccc x3");
}

TEST_CASE("a capture lasts until its latest end, which need not be that of its last kernel") {
  made a;
  for (int l = 0; l < 4; ++l) a.m.op(attention, 10 * us);
  a.kernel(0, 30 * us, 500 * us, "hcom_allReduce_", kernel_class::comm, 1);
  a.kernel(0, 100 * us, 1 * us, "MatMulV3");
  const device_architecture d = a.found();
  CHECK(d.first_ps == 0);
  CHECK(d.last_ps == 530 * us);
  CHECK(d.pipeline.wall_ps == 530 * us);
}

TEST_CASE("a pass has the phase of most of its layers, of as many that of its first") {
  struct row {
    const char* layers;  // p: 20 ms; d: 100 us
    model_phase phase;
    std::int64_t mean_ps;  // of the layers of that phase
  };
  const row rows[] = {{"ppdd", model_phase::prefill, 20 * ms},
                      {"ddpp", model_phase::decode, 100 * us},
                      {"pddd", model_phase::decode, 100 * us},
                      {"dppp", model_phase::prefill, 20 * ms}};
  for (const row& r : rows) {
    INFO(r.layers);
    made a;
    for (int pass = 0; pass < 2; ++pass) {
      a.m.op("GatherV2");
      for (const char c : std::string(r.layers)) {
        a.m.op(attention, c == 'p' ? 20 * ms : 100 * us);
        a.m.op("MatMulV3");
      }
      a.m.op("ArgMaxV2");
    }
    const device_architecture d = a.found();
    REQUIRE(d.passes.size() == 2);
    CHECK(d.passes[1].phase == r.phase);
    CHECK(d.passes[1].anchor_ps == r.mean_ps);
  }
}

TEST_CASE("lengths of attention that tell a phase") {
  struct row {
    std::int64_t length_ps;
    model_phase phase;
  };
  const row rows[] = {{1 * ms - 1, model_phase::decode},
                      {1 * ms, model_phase::undetermined},
                      {10 * ms, model_phase::undetermined},
                      {10 * ms + 1, model_phase::prefill}};
  for (const row& r : rows) {
    made a;
    for (int l = 0; l < 2; ++l) a.m.op(attention, r.length_ps);
    const device_architecture d = a.found();
    INFO(r.length_ps);
    CHECK(d.layers[1].rule_phase == r.phase);
    CHECK(d.layers[1].phase == r.phase);
    CHECK(d.rule_prefill == (r.phase == model_phase::prefill ? 2 : 0));
    CHECK(d.rule_decode == (r.phase == model_phase::decode ? 2 : 0));
  }
}

TEST_CASE("two lengths of attention are phases where each has four kernels") {
  struct row {
    int shorter, longer;
    bool told;
  };
  const row rows[] = {{4, 4, true}, {3, 5, false}, {5, 3, false}, {9, 4, true}, {4, 9, true}};
  for (const row& r : rows) {
    made a;
    for (int l = 0; l < r.shorter; ++l) a.m.op("FlashAttentionScore", 10 * us);
    for (int l = 0; l < r.longer; ++l) a.m.op("FlashAttentionScore", 1 * ms);
    const device_architecture d = a.found();
    INFO(r.shorter << " and " << r.longer);
    CHECK(std::string(d.phase_source) == (r.told ? "clusters" : ""));
    CHECK(d.layers.front().phase == (r.told ? model_phase::decode : model_phase::undetermined));
    CHECK(d.layers.back().phase == (r.told ? model_phase::prefill : model_phase::undetermined));
  }
}

TEST_CASE("groups of communication are counted on their own device") {
  memory_activity a;
  for (int i = 0; i < 3; ++i) {
    model m{a, a.add_device("NPU " + std::to_string(i))};
    m.pass(2, 0, 100 * us);
  }
  const auto row = [&](std::uint32_t device, const std::string& group) {
    communication_row& r = a.communication_.emplace_back();
    r.device = device;
    r.group = a.id(group);
  };
  for (const char* const group : {"tp", "dp", "tp"}) row(1, group);
  row(2, "tp");
  row(2, "");
  const architecture_result r = look(a);
  const auto told = [&](std::size_t device) {
    for (const std::string& p : r.devices[device].parallelism)
      if (p.find("(communication.json)") != std::string::npos) return p;
    return std::string();
  };
  CHECK(told(0).empty());
  CHECK(told(1) == "2 communication groups (communication.json)");
  CHECK(told(2) == "1 communication group (communication.json)");
}

TEST_CASE("the last pass may be shorter than the others, not longer") {
  struct row {
    std::vector<int> layers;
    std::size_t passes;
  };
  for (const row& r : {row{{3, 3, 3}, 3}, row{{3, 3, 2}, 3}, row{{2, 3, 3}, 3}, row{{3, 3, 5}, 1}, row{{5, 3, 3}, 1}}) {
    made a;
    for (const int layers : r.layers) a.m.pass(layers, layers, 100 * us);
    const device_architecture d = a.found();
    INFO(r.layers[0] << ' ' << r.layers[1] << ' ' << r.layers[2]);
    CHECK(d.passes.size() == r.passes);
    CHECK(d.layers_per_pass == (r.passes == 1 ? 11 : 3));
  }
}

TEST_CASE("a pass begins behind the sampling of the one in front of it") {
  made a;
  for (int pass = 0; pass < 3; ++pass) {
    a.m.op("RmsNorm");
    for (int l = 0; l < 3; ++l) {
      a.m.op(attention, 100 * us);
      a.m.op("MatMulV3");
    }
    a.m.op("ArgMaxV2");
  }
  const device_architecture d = a.found();
  REQUIRE(d.passes.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const model_pass& p = d.passes[i];
    CHECK(p.kernels == 8);
    CHECK(p.prologue_kernels == 1);
    CHECK(p.start_ps == a.kernels(0)[i * 8].start_ps);
    CHECK(d.layers[p.first_layer + 1].kernels == 2);
    CHECK(d.layers[p.last_layer].kernels == 3);
    CHECK(d.layers[p.last_layer].sampling);
  }
}

TEST_CASE("pauses that part passes") {
  // Layers begin every 10 us, but for one pause.
  for (const std::int64_t more_ps : {0, 5}) {
    made a;
    const std::int64_t pause_ps = 50 * us + more_ps;
    for (int l = 0; l < 6; ++l) a.kernel(0, l * 10 * us + (l >= 3 ? pause_ps - 10 * us : 0), 5 * us, attention);
    const device_architecture d = a.found();
    CHECK(d.passes.size() == (more_ps > 0 ? 2 : 1));
    CHECK(std::string(d.pass_source) == (more_ps > 0 ? "pauses" : ""));
  }
  // A kernel stands in the pause: the pass begins behind the longer part, of equal parts behind the first.
  for (const std::int64_t at_us : {54, 55, 56}) {
    made a;
    for (int l = 0; l < 6; ++l) a.kernel(0, (l * 10 + (l >= 3 ? 56 : 0)) * us, 5 * us, attention);
    a.kernel(0, at_us * us, 1 * us, "Cast");  // the pause is from 25 us to 86 us
    const device_architecture d = a.found();
    INFO(at_us);
    REQUIRE(d.passes.size() == 2);
    CHECK(d.passes[0].kernels == (at_us == 54 ? 4 : 3));
    CHECK(d.passes[1].kernels == (at_us == 54 ? 3 : 4));
    CHECK(d.passes[1].prologue_kernels == (at_us == 54 ? 0 : 1));
  }
}

TEST_CASE("what streams are for") {
  made a;
  std::int64_t at = 0;
  const auto op = [&](std::uint16_t stream, const char* type, std::int64_t length, kernel_class kind) {
    kernel_row& k = a.kernel(0, at, length, type, kind, stream);
    at += length + 1 * us;
    return &k;
  };
  a.device(0).streams = {{10, 0}, {11, 0}, {12, 0}, {13, 0}, {14, 0}, {15, 0}, {16, 0}};
  for (int i = 0; i < 9; ++i) op(0, "Cast", 1 * us, kernel_class::compute);     // many, and short
  for (int i = 0; i < 4; ++i) op(1, attention, 50 * us, kernel_class::compute);  // few, and long
  op(2, "hcom_allReduce_", 5 * us, kernel_class::comm);                         // half of them
  op(2, "MatMulV3", 5 * us, kernel_class::compute);
  for (int i = 0; i < 2; ++i) op(3, "hcom_allReduce_", 5 * us, kernel_class::comm);
  op(3, "MatMulV3", 5 * us, kernel_class::compute);
  for (int i = 0; i < 2; ++i) op(4, "hcom_alltoall_", 5 * us, kernel_class::comm);
  op(4, "hcom_allReduce_", 5 * us, kernel_class::comm);
  for (int i = 0; i < 2; ++i) op(5, "hcom_alltoall_", 5 * us, kernel_class::comm);
  for (int i = 0; i < 2; ++i) op(5, "hcom_allReduce_", 5 * us, kernel_class::comm);
  op(6, "Unique2", 5 * us, kernel_class::aicpu);
  op(6, "Cast", 5 * us, kernel_class::compute);
  const device_architecture d = a.found();
  std::vector<std::string> roles;
  for (const model_stream& s : d.streams) roles.push_back(s.name + ' ' + s.role);
  CHECK(roles == std::vector<std::string>{"10 side compute", "11 main compute", "12 side compute", "13 collectives",
                                          "14 all-to-all", "15 collectives", "16 side compute"});
}

TEST_CASE("of two streams that compute as long the first is the main one") {
  made a;
  a.device(0).streams = {{10, 0}, {11, 0}};
  for (int l = 0; l < 4; ++l)
    for (const std::uint16_t stream : {std::uint16_t{1}, std::uint16_t{0}})
      a.kernel(0, (4 * l + 2 * stream) * 100 * us, 50 * us, attention, kernel_class::compute, stream);
  const device_architecture d = a.found();
  REQUIRE(d.streams.size() == 2);
  CHECK(d.streams[0].role == std::string("main compute"));
  CHECK(d.streams[1].role == std::string("side compute"));
}

TEST_CASE("a router is one matmul in front of the kernel that chooses experts") {
  made a;
  for (int pass = 0; pass < 2; ++pass) {
    for (int l = 0; l < 3; ++l) {
      for (const char* const op : {attention, "MatMulV3", "RmsNorm", "MatMulV3", "MatMulV3", "MoeGatingTopK"})
        a.m.op(op);
      a.m.op("hcom_alltoallv_", 10 * us, kernel_class::comm);
      a.m.op("GroupedMatmul");
      a.m.op("RmsNorm");
    }
    a.m.op("ArgMaxV2");
  }
  const device_architecture d = a.found();
  REQUIRE(!d.anatomies.empty());
  std::vector<layer_role> roles;
  for (const tree_node& n : d.anatomies[0].tree) roles.push_back(n.role);
  REQUIRE(roles.size() > 4);
  CHECK(roles[3] == layer_role::expert_ffn);  // the first of both
  CHECK(roles[4] == layer_role::moe_routing);
}

TEST_CASE("the summary tells how much of the time of communication is hidden") {
  made a;
  a.device(0).streams = {{2, 0}, {46, 0}, {47, 0}};
  for (int l = 0; l < 4; ++l) {
    const std::int64_t at = l * 100 * us;
    a.kernel(0, at, 60 * us, attention);
    // Two at once: 40 us of communication, of which 20 us run beside attention.
    a.kernel(0, at + 40 * us, 40 * us, "hcom_allReduce_", kernel_class::comm, 1);
    a.kernel(0, at + 40 * us, 40 * us, "hcom_allGather_", kernel_class::comm, 2);
  }
  const architecture_result r = look(a);
  CHECK(r.devices[0].pipeline.comm_ps == 160 * us);
  CHECK(r.devices[0].pipeline.comm_sum_ps == 320 * us);
  CHECK(r.devices[0].pipeline.hidden_ps == 80 * us);
  INFO(r.summary);
  CHECK(r.summary.find(", 50.0 % of communication hidden") != std::string::npos);
}

TEST_CASE("totals: a layer of distributed experts has a dispatch and a combine") {
  for (const std::uint64_t kernels : {17, 18, 19}) {
    memory_activity a;
    const std::uint32_t npu = a.add_device("NPU 0");
    const auto total = [&](const char* type, std::uint64_t calls) {
      a.device(npu).totals.push_back({a.id(type), a.id("AI_CORE"), kernel_class::compute, calls,
                                      static_cast<std::int64_t>(calls) * us});
    };
    total(attention, 20);
    total("MoeDistributeDispatch", kernels);  // by name both are of one family
    total("ArgMaxV2", 2);
    const device_architecture d = look(a).devices[0];
    INFO(kernels);
    REQUIRE(d.types.size() == 2);
    CHECK(d.types[0].kind == layer_kind::dense);
    CHECK(d.types[0].occurrences == (kernels == 19 ? 10 : 11));
    CHECK(d.types[1].kind == layer_kind::moe_distributed);
    CHECK(d.types[1].occurrences == (kernels == 19 ? 10 : 9));
  }
}
