// Models made by hand: what is told apart, and how the report gives way where a capture does not carry it.
#include "made_model.hpp"

#include <base/kernel_families.hpp>
#include <model/architecture/phases.hpp>
#include <export/markdown/table.hpp>
#include <export/shortened.hpp>
#include <profkit/core/architecture.hpp>
#include <profkit/core/text.hpp>

#include <catch.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace profkit;
using namespace profkit::test;

namespace {

std::string markdown_of(const architecture_result& r, std::shared_ptr<memory_activity> a) {
  std::string text;
  const auto into = memory_sink(text);
  architecture_report report{std::move(a), r, "made|by `hand`"};
  REQUIRE(write_architecture_markdown(report, *into).ok());
  REQUIRE(into->finish().ok());
  return text;
}

void check_sections(const std::string& report) {
  std::size_t at = 0;
  for (int n = 1; n <= 10; ++n) {
    at = report.find("\n## " + std::to_string(n) + ". ", at);
    INFO("section " << n);
    REQUIRE(at != std::string::npos);
    CHECK(report.find("\n## ", at + 1) > at + 20);
  }
}

}  // namespace

TEST_CASE("layers, types and passes of a made model") {
  const auto a = std::make_shared<memory_activity>();
  model m{*a, a->add_device("NPU 0")};
  m.pass(5, 2, 12 * ms);
  m.pass(5, 2, 100 * us);
  m.pass(5, 2, 110 * us);
  const architecture_result r = look(*a);
  const device_architecture& d = r.devices[0];
  CHECK(d.source == anchor_source::attention);
  CHECK(d.layers_per_pass == 5);
  REQUIRE(d.passes.size() == 3);
  CHECK(d.passes[0].phase == model_phase::prefill);
  CHECK(d.passes[1].phase == model_phase::decode);
  CHECK(d.passes[2].first_layer == 10);
  CHECK(d.passes[2].last_layer == 14);
  CHECK(std::string(d.phase_source) == "durations");
  REQUIRE(d.layers.size() == 15);
  CHECK(d.layers[1].kind == layer_kind::dense);
  CHECK(d.layers[2].kind == layer_kind::moe_grouped);
  CHECK(!d.layers[3].sampling);
  CHECK(d.layers[4].sampling);
  CHECK(d.layers[6].index == 1);
  CHECK(d.layers[6].end_ps == d.layers[7].start_ps);
  CHECK(d.op_counts.at("GroupedMatmul") == 18);
  CHECK(d.sure == confidence::high);
  for (const cross_check& c : d.checks) {
    INFO(c.name << ' ' << c.expected << ' ' << c.actual);
    CHECK(c.result == check_outcome::pass);
  }
  check_sections(markdown_of(r, a));
}

TEST_CASE("roles of the kernels of a layer") {
  const auto a = std::make_shared<memory_activity>();
  model m{*a, a->add_device("NPU 0")};
  for (int i = 0; i < 2; ++i) m.pass(3, 1, 100 * us);
  const architecture_result r = look(*a);
  const auto dense = std::find_if(r.devices[0].anatomies.begin(), r.devices[0].anatomies.end(),
                                  [](const layer_anatomy& one) { return one.kind == layer_kind::dense; });
  REQUIRE(dense != r.devices[0].anatomies.end());
  std::vector<layer_role> roles;
  for (const tree_node& n : dense->tree) roles.push_back(n.role);
  CHECK(roles == std::vector<layer_role>{layer_role::attention, layer_role::projection, layer_role::norm,
                                         layer_role::dense_ffn, layer_role::post_ffn_norm,
                                         layer_role::next_layer_prep});
  CHECK(dense->kernels == 9);
}

TEST_CASE("a capture that begins and ends inside of a pass") {
  const auto a = std::make_shared<memory_activity>();
  model m{*a, a->add_device("NPU 0")};
  for (int l = 0; l < 2; ++l) m.layer("FusedInferAttentionScore", true, 100 * us);
  m.op("ArgMaxV2");
  m.pass(6, 2, 100 * us);
  m.op("GatherV2");
  for (int l = 0; l < 3; ++l) m.layer("FusedInferAttentionScore", l > 1, 100 * us);
  const device_architecture d = look(*a).devices[0];
  CHECK(d.layers_per_pass == 6);
  REQUIRE(d.passes.size() == 3);
  CHECK(d.passes[0].cut == pass_cut::beginning);
  CHECK(d.layers[0].index == 4);
  CHECK(d.passes[1].cut == pass_cut::none);
  CHECK(d.passes[2].cut == pass_cut::end);
  CHECK(d.sure == confidence::medium);
  CHECK(has_limit(d, "begins inside of pass 0"));
  CHECK(has_limit(d, "ends inside of pass 2"));
}

TEST_CASE("several passes in one step, and a draft head that samples on its own") {
  memory_activity steps;
  model m{steps, steps.add_device("NPU 0")};
  for (int i = 0; i < 3; ++i) m.pass(4, 1, 100 * us);
  steps.step(7, 0, m.now);
  device_architecture d = look(steps).devices[0];
  CHECK(d.passes.size() == 3);
  CHECK(d.layers_per_pass == 4);
  CHECK(std::string(d.pass_source) == "steps and sampling");
  CHECK(d.passes[2].step == "7");

  memory_activity draft;
  model n{draft, draft.add_device("NPU 0")};
  for (int i = 0; i < 3; ++i) {
    n.pass(6, 1, 100 * us);
    n.pass(2, 2, 100 * us);
  }
  d = look(draft).devices[0];
  CHECK(d.passes.size() == 3);
  CHECK(d.layers_per_pass == 8);
}

TEST_CASE("a pattern that changes while the capture runs lowers the confidence") {
  memory_activity a;
  model m{a, a.add_device("NPU 0")};
  for (int i = 0; i < 2; ++i) m.pass(4, 1, 100 * us);
  for (int i = 0; i < 2; ++i) m.pass(4, 3, 100 * us);
  const device_architecture d = look(a).devices[0];
  CHECK(d.layouts.size() == 2);
  CHECK(d.layouts[1].first_pass == 2);
  CHECK(d.sure == confidence::low);
  CHECK(has_limit(d, "changes at pass 2"));
}

TEST_CASE("one pass without marks, only attention, no attention") {
  memory_activity one;
  model m{one, one.add_device("GPU 0", accelerator::gpu)};
  for (int l = 0; l < 4; ++l) m.layer("flash_fwd_kernel", false, 100 * us);
  device_architecture d = look(one).devices[0];
  CHECK(d.layers_per_pass == 4);
  CHECK(d.sure == confidence::low);
  CHECK(has_limit(d, "nothing marks where a pass begins"));

  const auto none = std::make_shared<memory_activity>();
  model n{*none, none->add_device("GPU 0", accelerator::gpu)};
  for (int i = 0; i < 20; ++i)
    for (const char* const op : {"conv", "relu", "pool", "scale"}) n.op(op + std::string(i % 3 == 2 ? "2" : ""));
  for (int i = 0; i < 50; ++i) n.op("odd" + std::to_string(i * 7 % 23));
  const architecture_result r = look(*none);
  CHECK(r.devices[0].sure == confidence::low);
  CHECK(r.devices[0].source != anchor_source::attention);
  check_sections(markdown_of(r, none));

  const auto empty = std::make_shared<memory_activity>();
  check_sections(markdown_of(look(*empty), empty));
  empty->add_device("GPU 0");
  const architecture_result nothing = look(*empty);
  CHECK(!nothing.absent.empty());
  CHECK(nothing.devices[0].sure == confidence::low);
  check_sections(markdown_of(nothing, empty));
}

TEST_CASE("evenly spaced kernels stand in for attention") {
  memory_activity a;
  model m{a, a.add_device("GPU 0", accelerator::gpu)};
  for (int l = 0; l < 12; ++l)
    for (const char* const op : {"gemm_a", "bias", "gemm_b", "softmaxed", "gemm_c"}) m.op(op);
  const device_architecture d = look(a).devices[0];
  CHECK(d.source == anchor_source::periodic_op);
  CHECK(d.layers.size() == 12);
  CHECK(d.sure == confidence::low);
}

TEST_CASE("training: backward attention and a second attention family") {
  memory_activity a;
  model m{a, a.add_device("GPU 0", accelerator::gpu)};
  for (int step = 0; step < 2; ++step) {
    const std::int64_t from = m.now;
    for (int l = 0; l < 4; ++l) m.layer("flash_fwd_kernel", false, 100 * us);
    for (int l = 0; l < 4; ++l) m.op("flash_bwd_kernel", 200 * us);
    a.step(step, from, m.now);
  }
  device_architecture d = look(a).devices[0];
  CHECK(d.backward_anchors == 8);
  CHECK(d.layers_per_pass == 4);
  CHECK(d.passes[0].phase == model_phase::training);
  CHECK(d.sure == confidence::high);

  memory_activity hybrid;
  model n{hybrid, hybrid.add_device("GPU 0", accelerator::gpu)};
  for (int i = 0; i < 2; ++i) {
    const std::int64_t from = n.now;
    for (int l = 0; l < 8; ++l)
      n.layer(l % 4 == 3 ? "flash_fwd_kernel" : "chunk_gated_delta_rule_fwd_kernel", false, 100 * us);
    hybrid.step(i, from, n.now);
  }
  d = look(hybrid).devices[0];
  CHECK(d.sure < confidence::high);
  CHECK(has_limit(d, "more layers than are counted"));
}

TEST_CASE("training: micro-batches, and activations that are computed again") {
  memory_activity batches;
  model m{batches, batches.add_device("GPU 0", accelerator::gpu)};
  for (int step = 0; step < 2; ++step) {
    const std::int64_t from = m.now;
    for (int batch = 0; batch < 3; ++batch) {
      for (int l = 0; l < 4; ++l) m.layer("flash_fwd_kernel", false, 100 * us);
      for (int l = 0; l < 4; ++l) m.op("flash_bwd_kernel", 200 * us);
    }
    batches.step(step, from, m.now);
  }
  device_architecture d = look(batches).devices[0];
  CHECK(d.layers_per_pass == 4);
  CHECK(d.passes.size() == 6);
  CHECK(std::string(d.pass_source) == "steps and backward attention");

  memory_activity again;
  model n{again, again.add_device("GPU 0", accelerator::gpu)};
  for (int step = 0; step < 2; ++step) {
    const std::int64_t from = n.now;
    for (int l = 0; l < 4; ++l) n.layer("flash_fwd_kernel", false, 100 * us);
    for (int l = 0; l < 4; ++l) {
      n.layer("flash_fwd_kernel", false, 100 * us);
      n.op("flash_bwd_kernel", 200 * us);
    }
    again.step(step, from, n.now);
  }
  d = look(again).devices[0];
  CHECK(d.sure == confidence::low);
  CHECK(has_limit(d, "half as many layers"));
}

TEST_CASE("a hundred thousand layers") {
  memory_activity a;
  model m{a, a.add_device("NPU 0")};
  for (int l = 0; l < 100'000; ++l) m.op("FusedInferAttentionScore", 10 * us);
  const architecture_result r = look(a);
  CHECK(r.devices[0].layers.size() == 100'000);
  CHECK(r.devices[0].sure == confidence::low);
}

TEST_CASE("kernels of extreme times and no streams do not overflow") {
  const auto a = std::make_shared<memory_activity>();
  const std::uint32_t device = a->add_device("NPU 0", accelerator::npu, 0, {});
  const std::int64_t far = std::int64_t{1} << 62;
  for (int i = 0; i < 6; ++i) {
    kernel_row& k = a->kernel(device, i * us, i % 2 == 0 ? far : 0, "FusedInferAttentionScore");
    k.flags = 0;
    k.details = 4000;  // beyond the list
  }
  a->kernel(device, -far, far, "hcom_allReduce_", kernel_class::comm).flags = 0;
  const architecture_result r = look(*a);
  CHECK(r.devices[0].layers.size() == 6);
  check_sections(markdown_of(r, a));
}

TEST_CASE("parts of a layer have rates while what their operators did is known, and the first page shows them") {
  const auto a = std::make_shared<memory_activity>();
  model m{*a, a->add_device("NPU 0")};
  kernel_details known;
  known.work = kernel_work{6'000'000, 3'000, std::nullopt};
  a->device(0).details.push_back(known);
  for (int l = 0; l < 8; ++l) {
    m.op("FusedInferAttentionScore", 10 * us);
    m.op("RmsNorm", 10 * us);
    m.op("RmsNorm", 20 * us);
  }
  // Of one of the two norms of each layer, the one of 20 us.
  for (kernel_row& k : a->kernels_of(0))
    if (k.duration_ps == 20 * us) k.details = 1;
  const architecture_result r = look(*a);
  const device_architecture& d = r.devices[0];
  const layer_anatomy* const costliest = d.costliest();
  REQUIRE(costliest != nullptr);
  std::int64_t worked = 0;
  for (const layer_component& c : costliest->components) {
    worked += c.worked_ps;
    if (c.worked_ps == 0) continue;
    CHECK(c.flops == 6'000'000);
    CHECK(c.bytes == 3'000);
  }
  CHECK(worked == 20 * us);
  const std::string text = markdown_of(r, a);
  const std::size_t page = text.find("Inside one "), sections = text.find("## 1. ");
  REQUIRE(page < sections);
  const std::string first = text.substr(page, sections - page);
  CHECK(first.find("FLOP/s") != std::string::npos);
  CHECK(first.find("300 G") != std::string::npos);
  CHECK(first.find("150 M") != std::string::npos);
}

TEST_CASE("the costliest type is the one whose layers take most time together") {
  device_architecture d;
  CHECK(d.costliest() == nullptr);
  for (const auto& [median, layers] : {std::pair<std::int64_t, std::uint64_t>{50, 1}, {10, 8}, {70, 1}}) {
    layer_anatomy& a = d.anatomies.emplace_back();
    a.wall_ps.median = median;
    a.layers = layers;
    a.tree.emplace_back();
  }
  CHECK(d.costliest() == &d.anatomies[1]);
  d.anatomies[1].tree.clear();  // nothing to show
  CHECK(d.costliest() == &d.anatomies[2]);
  const layer_anatomy same = d.anatomies[2];
  d.anatomies.push_back(same);  // of two that cost as much the first
  CHECK(d.costliest() == &d.anatomies[2]);
}

TEST_CASE("totals of ops without start times: counts, no passes, no trees") {
  const auto a = std::make_shared<memory_activity>();
  const std::uint32_t npu = a->add_device("NPU 0");
  const auto total = [&](const std::string& type, std::uint64_t calls, kernel_class kind = kernel_class::compute) {
    a->device(npu).totals.push_back(
        {a->id(type), a->id("AI_CORE"), kind, calls, static_cast<std::int64_t>(calls) * us});
  };
  total("FusedInferAttentionScore", 60);
  total("MoeGatingTopK", 45);
  total("GroupedMatmul", 72);
  total("hcom_alltoallv_", 72, kernel_class::comm);
  total("DispatchFFNCombine", 9);
  total("ReshapeAndCacheNdKernel", 62);
  total("rejection_random_sample_kernel", 5);  // not in every pass
  total("ArgMaxV2", 6);
  architecture_result r = look(*a);
  const device_architecture& d = r.devices[0];
  CHECK(r.absent.empty());
  CHECK(d.totals_only);
  CHECK(d.kernels == 331);
  CHECK(d.anchors == 60);
  CHECK(d.counted_passes == 6);
  CHECK(d.layers_per_pass == 10);
  CHECK(d.passes.empty());
  CHECK(d.layers.empty());
  CHECK(d.sure == confidence::low);
  REQUIRE(d.types.size() == 3);
  CHECK(d.types[0].kind == layer_kind::dense);
  CHECK(d.types[0].occurrences == 15);
  CHECK(d.types[1].kind == layer_kind::moe_fused);
  CHECK(d.types[1].occurrences == 9);
  CHECK(d.types[2].kind == layer_kind::moe_grouped);
  CHECK(d.types[2].occurrences == 36);
  REQUIRE(d.checks.size() == 2);
  CHECK(d.checks[0].result == check_outcome::pass);
  CHECK(d.checks[0].note == "k = 2");
  CHECK(d.checks[1].result == check_outcome::explained);  // two cache writes more than layers
  CHECK(has_limit(d, "no table says when kernels ran"));
  CHECK(has_limit(d, "rests on one count: ArgMaxV2"));
  CHECK(r.summary.rfind("probably 10 layers a pass and 6 passes (15 Dense, 9 MoE+DFC, 36 MoE+GMM in all)", 0) == 0);
  const std::string report = markdown_of(r, a);
  check_sections(report);
  CHECK(report.find("| `FusedInferAttentionScore`") != std::string::npos);

  // Of two kernels that run as often the first is named.
  total("ArgMaxV3", 6);
  CHECK(has_limit(look(*a).devices[0], "rests on one count: ArgMaxV2"));

  // More expert kernels than layers: no types.
  total("MoeDistributeDispatch", 200);
  r = look(*a);
  CHECK(r.devices[0].types.empty());
  CHECK(has_limit(r.devices[0], "do not fit the number of layers"));
  check_sections(markdown_of(r, a));

  const auto none = std::make_shared<memory_activity>();
  none->device(none->add_device("NPU 0")).totals.push_back({none->id("MatMul"), 0, kernel_class::compute, 5, 5 * us});
  r = look(*none);
  CHECK(has_limit(r.devices[0], "layers cannot be counted"));
  CHECK(r.devices[0].layers_per_pass == 0);
  check_sections(markdown_of(r, none));
}

TEST_CASE("parallelism: what the recorder wrote down comes before the folder's name") {
  memory_activity a;
  model m{a, a.add_device("NPU 0")};
  m.pass(2, 2, 100 * us);
  a.device(0).parallel_sizes = {{"tensor_model_parallel_size", 8}, {"pipeline_model_parallel_size", 2},
                                {"data_parallel_size", 4},         {"expert_model_parallel_size", 1},
                                {"sequence_parallel", 1},          {"world_size", 64},
                                {"group default_group", 64},       {"group tp", 8}};
  const std::vector<std::string> told = look(a, "tp4_dp2_100k_bs10").devices[0].parallelism;
  CHECK(told.at(0) == "TP 8, PP 2, DP 4, EP 1, sequence parallel, world size 64 (profiler metadata)");
  CHECK(std::none_of(told.begin(), told.end(),
                     [](const std::string& t) { return t.find("tensor parallel 4") != std::string::npos; }));
  CHECK(std::any_of(told.begin(), told.end(),
                    [](const std::string& t) { return t.find("batch size 10") != std::string::npos; }));
  CHECK(told.size() == 3);  // context, batch size: nothing that is only probable
  a.device(0).parallel_sizes = {{"group tp", 2}, {"group other", 3}};
  CHECK(look(a, "tp4").devices[0].parallelism.at(0) == "TP 2 (profiler metadata)");
  a.device(0).parallel_sizes = {{"group other", 3}};
  CHECK(look(a, "tp4").devices[0].parallelism.at(0) == "tensor parallel 4 (folder name)");
}

TEST_CASE("kernels of no known family leave a model no more than possible") {
  // Two passes of two layers are 2 x (attention 2 x 100 us, others by the table 198 us); the unknown one takes the rest.
  const auto sure = [](std::int64_t unknown_ps, kernel_class kind = kernel_class::compute) {
    memory_activity a;
    model m{a, a.add_device("NPU 0")};
    for (int i = 0; i < 2; ++i) {
      m.pass(2, 2, 100 * us);
      m.op("Whatever", unknown_ps, kind);
    }
    const architecture_result r = look(a);
    const device_architecture& d = r.devices[0];
    CHECK((r.summary.rfind("possibly ", 0) == 0) == (d.sure == confidence::low));
    CHECK(has_limit(d, "of no known family take") == (d.sure == confidence::low));
    return d.sure;
  };
  // A pass has 3 + 2 x 8 known kernels of 5 us and two of 100 us: 295 us, a ninth of which is 32.8 us.
  CHECK(sure(32 * us) == confidence::high);
  CHECK(sure(34 * us) == confidence::low);
  // Copies say nothing about a model.
  CHECK(sure(34 * us, kernel_class::copy) == confidence::high);
}

TEST_CASE("the layer in which the capture ends says nothing about the others") {
  memory_activity a;
  model m{a, a.add_device("NPU 0")};
  for (int i = 0; i < 3; ++i) m.pass(4, 1, 100 * us);
  m.op("GatherV2");
  m.layer("FusedInferAttentionScore", false, 100 * us);
  m.layer("FusedInferAttentionScore", true, 100 * us);
  m.op("FusedInferAttentionScore", 100 * us);
  m.op("MoeGatingTopK");
  const architecture_result r = look(a);
  REQUIRE(r.devices[0].passes.size() == 4);
  CHECK(r.devices[0].passes[3].cut == pass_cut::end);
  CHECK(r.devices[0].layers.back().kind == layer_kind::moe_other);
  CHECK(!has_limit(r.devices[0], "kernels of experts"));
}

TEST_CASE("what looks like experts leaves types open") {
  memory_activity a;
  model m{a, a.add_device("GPU 0", accelerator::gpu)};
  for (int i = 0; i < 2; ++i) {
    m.pass(3, 3, 100 * us);
    m.op("_p_matmul_ogs_NNT_bf16", 1 * us);
  }
  const architecture_result r = look(a);
  CHECK(r.devices[0].sure == confidence::low);
  CHECK(has_limit(r.devices[0], "_p_matmul_ogs_NNT_bf16 look like routing or experts"));
}

TEST_CASE("a forward pass that is not told from a backward pass") {
  memory_activity a;
  model m{a, a.add_device("GPU 0", accelerator::gpu)};
  for (int i = 0; i < 2; ++i) {
    m.pass(3, 3, i == 0 ? 12 * ms : 100 * us);  // by length these would be prefill and decode
    m.op("rmsnorm_bwd_kernel", 1 * us);
  }
  const architecture_result r = look(a);
  const device_architecture& d = r.devices[0];
  CHECK(d.sure == confidence::low);
  CHECK(has_limit(d, "attention kernels of a backward pass are not known by name"));
  for (const model_pass& p : d.passes) CHECK(p.phase == model_phase::undetermined);
}

TEST_CASE("there is no sampling in training") {
  memory_activity a;
  model m{a, a.add_device("NPU 0")};
  for (int i = 0; i < 2; ++i) {
    m.pass(3, 3, 100 * us, "FlashAttentionScore");  // its ArgMaxV2 is a metric
    for (int l = 0; l < 3; ++l) m.op("FlashAttentionScoreGrad", 100 * us);
  }
  const architecture_result r = look(a);
  const device_architecture& d = r.devices[0];
  REQUIRE(d.passes.size() == 2);
  CHECK(std::string_view(d.pass_source).find("sampling") == std::string_view::npos);
  for (const model_layer& l : d.layers) CHECK(!l.sampling);
  for (const layer_type& t : d.types) CHECK(!t.sampling);
  for (const layer_anatomy& one : d.anatomies)
    for (const layer_component& c : one.components) CHECK(c.role != layer_role::sampling);
}

TEST_CASE("different kernels have rows of their own") {
  memory_activity a;
  model m{a, a.add_device("GPU 0", accelerator::gpu)};
  const auto elementwise = [&](const std::string& name) {
    m.op("vectorized_elementwise_kernel", 1 * us).name = a.id(name);
  };
  for (int i = 0; i < 2; ++i) {
    m.pass(3, 3, 100 * us);
    elementwise("void vectorized_elementwise_kernel<4, AddFunctor>(int)");
    elementwise("void vectorized_elementwise_kernel<4, GeluFunctor>(int)");
  }
  const architecture_result r = look(a);
  const auto& counts = r.devices[0].op_counts;
  CHECK(counts.at("void vectorized_elementwise_kernel<4, AddFunctor>(int)") == 2);
  CHECK(counts.at("void vectorized_elementwise_kernel<4, GeluFunctor>(int)") == 2);
  CHECK(counts.count("vectorized_elementwise_kernel") == 0);
  std::vector<std::string> rows;
  for (const layer_anatomy& one : r.devices[0].anatomies)
    for (const tree_node& n : one.tree)
      for (const tree_op& op : n.ops) rows.emplace_back(a.text(op.op));
  CHECK(std::count(rows.begin(), rows.end(), "vectorized_elementwise_kernel") == 0);
}

TEST_CASE("batch or sequence first") {
  using architecture::is_layout_undecided;
  using architecture::phase_of_shapes;
  // [S,B,H] and [B,S,H] of one decode: keys of another length show which place is the batch's.
  CHECK(phase_of_shapes("1,16,7168;4096,16,1024;4096,16,1024") == model_phase::decode);
  CHECK(phase_of_shapes("16,1,7168;16,4096,1024;16,4096,1024") == model_phase::decode);
  CHECK(phase_of_shapes("4096,2,7168;8192,2,1024;8192,2,1024") == model_phase::prefill);
  // One sequence alone.
  CHECK(phase_of_shapes("2048,1,7168;2048,1,1024") == model_phase::prefill);
  // The list of lengths has an entry for each sequence.
  CHECK(phase_of_shapes("4096,2,7168;4096,2,7168;4096,2,7168;2") == model_phase::prefill);
  CHECK(phase_of_shapes("2,4096,7168;2,4096,7168;2,4096,7168;2") == model_phase::prefill);
  // Two sequences of 4096 tokens, or 4096 of two.
  CHECK(!phase_of_shapes("4096,2,7168;4096,2,7168;4096,2,7168"));
  CHECK(is_layout_undecided("4096,2,7168;4096,2,7168;4096,2,7168"));
  CHECK(!is_layout_undecided("4096,64,7168;4096,64,7168"));  // a prompt either way
  CHECK(!is_layout_undecided("16,1,7168;16,4096,1024"));
  memory_activity a;
  model m{a, a.add_device("NPU 0")};
  a.device(0).details.emplace_back().input_shapes = a.id("4096,2,7168;4096,2,7168;4096,2,7168");
  for (int i = 0; i < 2; ++i)
    for (int l = 0; l < 3; ++l) {
      m.op("FlashAttentionScore", 100 * us).details = 1;
      m.op("MatMulV3");
      m.op("MatMulV3");
      if (l == 2) m.op("ArgMaxV2");
    }
  const architecture_result r = look(a);
  CHECK(has_limit(r.devices[0], "[4096,2,7168;4096,2,7168;4096,2,7168] may be [S,B,H] or [B,S,H]"));
  CHECK(r.devices[0].sure == confidence::low);
  for (const model_pass& p : r.devices[0].passes) CHECK(p.phase == model_phase::undetermined);
}

TEST_CASE("of several inputs whose layout is open the first is named") {
  memory_activity a;
  model m{a, a.add_device("NPU 0")};
  for (const char* const shapes : {"4096,2,7168;4096,2,7168;4096,2,7168", "2048,4,7168;2048,4,7168;2048,4,7168"})
    a.device(0).details.emplace_back().input_shapes = a.id(shapes);
  for (const std::uint32_t details : {1U, 2U})
    for (int l = 0; l < 3; ++l) {
      m.op("FlashAttentionScore", 100 * us).details = details;
      m.op("MatMulV3");
      m.op("MatMulV3");
      if (l == 2) m.op("ArgMaxV2");
    }
  const architecture_result r = look(a);
  CHECK(has_limit(r.devices[0], "[4096,2,7168;4096,2,7168;4096,2,7168] may be [S,B,H] or [B,S,H]"));
  CHECK_FALSE(has_limit(r.devices[0], "[2048,4"));
}

TEST_CASE("what a kernel is called says more of its phase than its shapes do") {
  memory_activity a;
  model m{a, a.add_device("NPU 0")};
  a.device(0).details.emplace_back().input_shapes = a.id("1,2048,7168;1,2048,1024");  // a prompt
  for (const char* const attention : {"IncreFlashAttention", "FusedInferAttentionScore"}) {
    for (int l = 0; l < 4; ++l) {
      m.op(attention, 100 * us).details = 1;
      m.op("MatMulV3");
    }
    m.op("ArgMaxV2");
  }
  const device_architecture d = look(a).devices[0];
  REQUIRE(d.passes.size() == 2);
  CHECK(d.passes[0].phase == model_phase::decode);
  CHECK(d.passes[1].phase == model_phase::prefill);
}

TEST_CASE("phases from shapes") {
  using architecture::phase_of_shapes;
  CHECK(phase_of_shapes("\"8192,16,128;12307,128,128;12307,128,128;;2048,2048;7;7\"") == model_phase::prefill);
  CHECK(phase_of_shapes("16,16,1,512;1135,1,128,512") == model_phase::decode);
  CHECK(phase_of_shapes("16,16,128;9,128,128;9,128,128;;2048,2048;16;16") == model_phase::decode);
  CHECK(phase_of_shapes("16,1,7168;16,4096,1024;16,4096,1024") == model_phase::decode);
  CHECK(phase_of_shapes("1,2048,7168;1,2048,1024") == model_phase::prefill);
  CHECK(phase_of_shapes("2,16,4096,128;2,16,4096,128") == model_phase::prefill);
  CHECK(!phase_of_shapes("8192,16,128"));
  CHECK(!phase_of_shapes("4,8,64,128"));
  CHECK(!phase_of_shapes(""));
  CHECK(!phase_of_shapes("abc;1"));
  CHECK(!phase_of_shapes("99999999999999999999999,1,1"));
}

TEST_CASE("names of kernels") {
  using architecture::communication_kind;
  using architecture::find_family;
  using architecture::op_kind;
  const auto kind = [](std::string_view name) {
    const auto* const f = find_family(name);
    return f ? f->kind : op_kind::unknown;
  };
  CHECK(kind("FusedInferAttentionScore") == op_kind::attention);
  CHECK(kind("FlashAttentionScoreGrad") == op_kind::attention_backward);
  CHECK(kind("void pytorch_flash::flash_fwd_kernel<x>") == op_kind::attention);
  CHECK(kind("flash_fwd_splitkv_combine_kernel") == op_kind::unknown);
  CHECK(kind("paged_attention_ll4mi_QKV_mfma16_kernel") == op_kind::attention);
  CHECK(kind("paged_attention_ll4mi_reduce_kernel") == op_kind::unknown);
  CHECK(kind("attn_fwd") == op_kind::attention);
  CHECK(kind("fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext") ==
        op_kind::attention);
  CHECK(kind("ncclDevKernel_AllReduce_Sum_bf16_RING_LL") == op_kind::unknown);  // all commands ask another table
  CHECK(communication_kind("", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL") == op_kind::collective);
  CHECK(communication_kind("hcom_alltoallv_", "hcom_alltoallv__1") == op_kind::all_to_all);
  CHECK(communication_kind("alltoallv", "ncclDevKernel_SendRecv") == op_kind::all_to_all);
  CHECK(communication_kind("dispatch", "void deep_ep::intranode::dispatch<8>(x)") == op_kind::all_to_all);
  CHECK(communication_kind("hcom_send_", "hcom_send__1") == op_kind::point_to_point);
  CHECK(communication_kind("x", "y") == op_kind::collective);
  CHECK(kind("MoeDistributeDispatchV2") == op_kind::distributed_experts);
  CHECK(kind("Add") == op_kind::unknown);
  CHECK(kind("") == op_kind::unknown);
}

TEST_CASE("what a folder's name tells, and what it is called") {
  memory_activity a;
  model m{a, a.add_device("NPU 0")};
  m.pass(2, 2, 100 * us);
  const auto d = look(a, "dp2_tp8_ep_100k_1k_bs10").devices[0];
  const auto has = [&](std::string_view what) {
    return std::any_of(d.parallelism.begin(), d.parallelism.end(),
                       [&](const std::string& p) { return p.find(what) != std::string::npos; });
  };
  CHECK(has("data parallel 2"));
  CHECK(has("tensor parallel 8"));
  CHECK(has("expert parallel"));
  CHECK(has("context of 100k"));
  CHECK(has("generation of 1k"));
  CHECK(has("batch size 10"));
  CHECK(profile_label("/a/b/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/") == "rank0_ascend_pt");
  CHECK(profile_label("runs/a.b/rank0.pt.trace.json.gz") == "rank0");
  CHECK(profile_label("vm.xplane.pb") == "vm");
  CHECK(profile_label("-") == "capture");
  CHECK(profile_label("") == "capture");
}

TEST_CASE("tables of Markdown line up and hold what is put into them") {
  markdown::table t;
  t.left("a").right("number");
  t.row({markdown::code("x|y`z"), "1"});
  t.row({"plain", ""});
  CHECK(t.text() ==
        "| a        | number |\n"
        "| -------- | -----: |\n"
        "| `x\\|y'z` |      1 |\n"
        "| plain    |      - |\n");
  CHECK(markdown::plain("a*b_c") == "a\\*b\\_c");
}

TEST_CASE("wide characters: tables line up, names are cut between characters") {
  markdown::table t;
  t.left("a").right("number");
  t.row({markdown::plain("注意力 kernel"), "1"});
  t.row({markdown::code("é×→"), "22"});
  t.row({"plain", ""});
  std::vector<std::size_t> widths;
  const std::string text = t.text();
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    widths.push_back(terminal_width(std::string_view(text).substr(at, text.find('\n', at) - at)));
  REQUIRE(widths.size() == 5);
  CHECK(std::all_of(widths.begin(), widths.end(), [&](std::size_t w) { return w == widths[0]; }));
  const std::string cut = shortened("一二三四五六七八九十", 11);
  CHECK(cut == "一二..九十");
  CHECK(terminal_width(cut) <= 11);
  CHECK(shortened("abcdefghijklmn", 10) == "abcd..klmn");

  // A whole report of such names.
  const auto a = std::make_shared<memory_activity>();
  model m{*a, a->add_device("加速器 0")};
  for (int i = 0; i < 2; ++i) {
    for (int l = 0; l < 3; ++l) {
      m.layer("FusedInferAttentionScore", l > 0, 100 * us);
      m.op("自定义融合算子自定义融合算子自定义融合算子自定义融合算子自定义融合算子");
    }
    m.op("ArgMaxV2");
  }
  const std::string report = markdown_of(look(*a), a);
  CHECK(report.find("加速器") != std::string::npos);
  std::size_t width = 0, tables = 0;
  for (std::size_t at = 0; at < report.size();) {
    const std::size_t end = report.find('\n', at);
    const std::string_view line = std::string_view(report).substr(at, end - at);
    at = end + 1;
    if (line.empty() || line.front() != '|') {
      width = 0;
      continue;
    }
    if (width == 0) ++tables;
    if (width != 0) CHECK(terminal_width(line) == width);
    width = terminal_width(line);
  }
  CHECK(tables > 6);
}
