// The detector on activities built by hand: every rule at its edge.
#include "look.hpp"
#include "memory_activity.hpp"

#include <profkit/core/bubbles.hpp>

#include <catch.hpp>

using namespace profkit;
using namespace profkit::test;

namespace {

bubble_options with_windows(window_policy p) {
  bubble_options o;
  o.windows = p;
  return o;
}

// One step [0, 20 ms) with a kernel, a gap of `gap_ps` and a kernel up to the end.
memory_activity one_gap(std::int64_t gap_ps) {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  a.step(1, 0, 20 * ms);
  a.kernel(d, 0, 5 * ms, "A");
  a.kernel(d, 5 * ms + gap_ps, 15 * ms - gap_ps, "B");
  return a;
}

const bubble& the_bubble(const bubbles_result& r) {
  REQUIRE(r.bubbles.size() == 1);
  return r.bubbles.front();
}

bool only(bubble_labels labels, bubble_label wanted) {
  bubble_labels one;
  one.add(wanted);
  return labels == one;
}

}  // namespace

TEST_CASE("a step is its union and its gaps") {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  a.step(7, 1 * ms, 11 * ms);
  a.kernel(d, 2 * ms, 2 * ms, "A");
  a.kernel(d, 3 * ms, 2 * ms, "B", kernel_class::comm, 1);
  a.kernel(d, 5 * ms, 1 * ms, "C");
  a.kernel(d, 8 * ms, 1 * ms, "D", kernel_class::copy, 1);
  const auto r = look(a, with_windows(window_policy::marker));
  REQUIRE(r.steps.size() == 1);
  const bubble_step& s = r.steps[0];
  CHECK(s.id == "7");
  CHECK(s.service_ps() == 10 * ms);
  CHECK(s.busy_ps == 5 * ms);
  CHECK(s.prelaunch_ps == 1 * ms);
  CHECK(s.internal_total_ps == 2 * ms);
  CHECK(s.largest_internal_ps == 2 * ms);
  CHECK(s.tail_ps == 2 * ms);
  CHECK(s.bubble_count == 1);
  CHECK(s.breakdown.compute_only_ps == 2 * ms);
  CHECK(s.breakdown.comm_overlapped_ps == 1 * ms);
  CHECK(s.breakdown.comm_exposed_ps == 1 * ms);
  CHECK(s.breakdown.copy_ps == 1 * ms);
  CHECK(s.breakdown.idle_ps == 5 * ms);
  CHECK(s.breakdown.sum_ps() == s.service_ps());
  CHECK(s.streams == 2);
  CHECK(s.clocks.wall_ps == 7 * ms);
  CHECK(s.clocks.kernel_sum_ps == 6 * ms);
  REQUIRE(r.bubbles.size() == 3);
  CHECK(r.bubbles[0].scope == bubble_scope::prelaunch);
  CHECK(r.bubbles[0].before_count == 0);
  CHECK(a.text(r.bubbles[0].after[0].name) == "A");
  CHECK(r.bubbles[1].scope == bubble_scope::step_internal);
  CHECK(a.text(r.bubbles[1].before[0].name) == "C");
  CHECK(a.text(r.bubbles[1].before[1].name) == "B");
  CHECK(a.text(r.bubbles[1].after[0].name) == "D");
  CHECK(r.bubbles[2].scope == bubble_scope::tail);
  CHECK(r.bubbles[2].after_count == 0);
  CHECK(a.text(r.bubbles[2].before[0].name) == "D");
}

TEST_CASE("the three window policies") {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  a.step(1, 0, 8 * ms);
  a.step(2, 10 * ms, 18 * ms);
  a.kernel(d, 1 * ms, 2 * ms);
  a.kernel(d, 9 * ms, 2 * ms);  // begins in step 1 by the guide, and reaches into step 2
  a.kernel(d, 12 * ms, 1 * ms);
  a.kernel(d, 15 * ms, 5 * ms);  // beyond the marker of step 2
  const auto guide = look(a);
  REQUIRE(guide.steps.size() == 2);
  CHECK(guide.steps[0].end_ps == 10 * ms);
  CHECK(guide.steps[1].start_ps == 10 * ms);
  CHECK(guide.steps[1].end_ps == 20 * ms);
  CHECK(guide.steps[1].marker_end_ps == 18 * ms);
  CHECK(guide.steps[0].kernel_count() == 2);
  CHECK(guide.steps[0].busy_ps == 3 * ms);
  CHECK(guide.steps[1].busy_ps == 7 * ms);
  CHECK(guide.steps[1].prelaunch_ps == 0);
  CHECK(guide.steps[1].tail_ps == 0);
  const auto marker = look(a, with_windows(window_policy::marker));
  CHECK(marker.steps[0].end_ps == 8 * ms);
  CHECK(marker.steps[0].tail_ps == 5 * ms);
  CHECK(marker.steps[1].end_ps == 18 * ms);
  CHECK(marker.devices[0].kernels_between_steps == 1);
  const auto device = look(a, with_windows(window_policy::device));
  CHECK(device.steps[0].start_ps == 1 * ms);
  CHECK(device.steps[0].end_ps == 11 * ms);
  CHECK(device.steps[1].start_ps == 12 * ms);
  CHECK(device.steps[1].end_ps == 20 * ms);
  REQUIRE(device.bubbles.size() >= 1);
  // Between the two device windows lies a gap of no step.
  CHECK(std::any_of(device.bubbles.begin(), device.bubbles.end(), [](const bubble& b) {
    return b.scope == bubble_scope::global && b.start_ps == 11 * ms && b.end_ps == 12 * ms;
  }));
}

TEST_CASE("windows of a GPU come from the device") {
  memory_activity a;
  const auto d = a.add_device("GPU 0", accelerator::gpu);
  a.device(d).has_launches = true;
  a.step(1, 0, 5 * ms);
  a.step(2, 5 * ms, 10 * ms);
  a.kernel(d, 20 * ms, 1 * ms).launch_ps = 1 * ms;
  a.kernel(d, 25 * ms, 1 * ms).launch_ps = 4 * ms;
  a.kernel(d, 30 * ms, 1 * ms).launch_ps = 6 * ms;
  a.kernel(d, 33 * ms, 1 * ms);
  const auto r = look(a);
  REQUIRE(r.steps.size() == 2);
  CHECK(std::string(r.devices[0].window_source) == "launches");
  CHECK(r.steps[0].start_ps == 20 * ms);
  CHECK(r.steps[0].end_ps == 30 * ms);
  CHECK(r.steps[1].end_ps == 34 * ms);
  CHECK(r.devices[0].without_launch == 1);
  a.step(1, 19 * ms, 27 * ms, 0, marker_source::device_annotation);
  a.step(2, 29 * ms, 40 * ms, 0, marker_source::device_annotation);
  const auto annotated = look(a, with_windows(window_policy::marker));
  CHECK(std::string(annotated.devices[0].window_source) == "device annotations");
  CHECK(annotated.steps[0].start_ps == 19 * ms);
  CHECK(annotated.steps[1].end_ps == 40 * ms);
}

namespace {

// Three steps of the host, and what they launched ten steps later on the device; -1: no launch is known.
memory_activity three_steps_on_a_gpu(const std::vector<std::int64_t>& launches_of_steps) {
  memory_activity a;
  const auto d = a.add_device("GPU 0", accelerator::gpu);
  a.device(d).has_launches = true;
  for (std::int64_t i = 0; i < 3; ++i) {
    a.step(i, 10 * i * ms, 10 * (i + 1) * ms);
    for (std::int64_t k = 0; k < 2; ++k) {
      kernel_row& row = a.kernel(d, (100 + 10 * i + 4 * k) * ms, 2 * ms);
      if (launches_of_steps[static_cast<std::size_t>(i)] >= 0) row.launch_ps = (10 * i + k) * ms;
    }
  }
  return a;
}

}  // namespace

TEST_CASE("a step of a GPU without an annotation has the window of its launches, whatever others have") {
  for (const std::int64_t with : {0, 1, 2}) {
    CAPTURE(with);
    memory_activity a = three_steps_on_a_gpu({0, 0, 0});
    a.step(with, (99 + 10 * with) * ms, (107 + 10 * with) * ms, 0, marker_source::device_annotation);
    const auto guide = look(a);
    REQUIRE(guide.steps.size() == 3);
    CHECK(std::string(guide.devices[0].window_source) == "mixed");
    CHECK(guide.devices[0].steps_not_found == 0);
    const auto r = look(a, with_windows(window_policy::marker));
    REQUIRE(r.steps.size() == 3);
    for (std::int64_t i = 0; i < 3; ++i) {
      const bubble_step& s = r.steps[static_cast<std::size_t>(i)];
      CHECK(s.id == std::to_string(i));
      CHECK(s.kernel_count() == 2);
      CHECK(guide.steps[static_cast<std::size_t>(i)].kernel_count() == 2);
      CHECK(s.start_ps == ((i == with ? 99 : 100) + 10 * i) * ms);
      CHECK(s.end_ps == ((i == with ? 107 : 106) + 10 * i) * ms);
    }
  }
}

TEST_CASE("annotations of other stretches than the host's steps are the steps of a device") {
  memory_activity a = three_steps_on_a_gpu({0, 0, 0});
  a.step(7, 99 * ms, 128 * ms, 0, marker_source::device_annotation);
  a.all_markers().back().name = a.id("epoch_7");
  const auto r = look(a);
  REQUIRE(r.steps.size() == 1);
  CHECK(r.steps[0].kernel_count() == 6);
  CHECK(std::string(r.devices[0].window_source) == "device annotations");
}

TEST_CASE("a step of a GPU that is not found there is counted, and no other step takes its kernels") {
  const auto unknown = three_steps_on_a_gpu({0, -1, -1});
  for (const window_policy policy : {window_policy::guide, window_policy::marker}) {
    const auto r = look(unknown, with_windows(policy));
    REQUIRE(r.steps.size() == 1);
    CHECK(r.steps[0].kernel_count() == 2);
    CHECK(r.steps[0].end_ps == 106 * ms);
    CHECK(r.devices[0].steps_not_found == 2);
    CHECK(r.devices[0].without_launch == 4);
    CHECK(std::any_of(r.evidence_gaps.begin(), r.evidence_gaps.end(),
                      [](const std::string& g) { return g.rfind("2 steps of the host not found", 0) == 0; }));
  }
  // In the middle: the step before it ends with its own kernels, the one behind it is not touched.
  const auto middle = look(three_steps_on_a_gpu({0, -1, 0}));
  REQUIRE(middle.steps.size() == 2);
  CHECK(middle.steps[0].end_ps == 106 * ms);
  CHECK(middle.steps[1].id == "2");
  CHECK(middle.devices[0].steps_not_found == 1);
  CHECK(middle.devices[0].kernels_between_steps == 2);
}

TEST_CASE("kernels without a launch in the time of a step without a window give it that time") {
  memory_activity a = three_steps_on_a_gpu({0, 0, 0});
  a.step(3, 200 * ms, 210 * ms);
  a.kernel(0, 202 * ms, 3 * ms);
  const auto r = look(a, with_windows(window_policy::marker));
  REQUIRE(r.steps.size() == 4);
  CHECK(r.steps[3].start_ps == 200 * ms);
  CHECK(r.steps[3].end_ps == 210 * ms);
  CHECK(r.steps[3].busy_ps == 3 * ms);
  CHECK(std::string(r.devices[0].window_source) == "mixed");
  CHECK(r.devices[0].steps_not_found == 0);
}

TEST_CASE("kernels of a GPU without any launch on record are counted with their time") {
  memory_activity a;
  const auto gpu = a.add_device("GPU 0", accelerator::gpu);
  const auto npu = a.add_device("NPU 0");
  for (const auto d : {gpu, npu}) {
    a.kernel(d, 0, 1 * ms);
    a.kernel(d, 5 * ms, 2 * ms);
  }
  const auto r = look(a);
  CHECK(r.devices[gpu].without_launch == 2);
  CHECK(r.devices[gpu].without_launch_ps == 3 * ms);
  CHECK(r.devices[npu].without_launch == 0);
  CHECK(std::any_of(r.evidence_gaps.begin(), r.evidence_gaps.end(), [](const std::string& g) {
    return g.rfind("2 of 2 kernels (3.000 ms) have no launch on record", 0) == 0;
  }));
}

TEST_CASE("thresholds of tags are met by equality") {
  struct row {
    std::int64_t gap_ps;
    bool tagged;
  };
  // The step is 20 ms, so 2 ms is a tenth of it.
  for (const row& c : {row{2 * ms, true}, row{2 * ms - 1, false}, row{6 * ms, true}}) {
    const auto r = look(one_gap(c.gap_ps));
    CHECK(r.steps[0].tags.has(bubble_tag::internal_bubble_heavy) == c.tagged);
    CHECK(r.steps[0].tags.has(bubble_tag::device_idle_gap_heavy) == c.tagged);
  }
}

TEST_CASE("labels are given by exact shares of the gap") {
  constexpr std::int64_t gap = 3 * ms, at = 5 * ms;
  const auto label = [&](auto&& fill) {
    memory_activity a = one_gap(gap);
    a.trace();
    fill(a);
    return the_bubble(look(a)).labels;
  };
  const auto none = [](memory_activity&) {};
  CHECK(only(the_bubble(look(one_gap(gap))).labels, bubble_label::untraced_host_blocking));  // no trace at all
  CHECK(only(label(none), bubble_label::untraced_host_blocking));
  CHECK(only(label([&](memory_activity& a) { a.host(at, gap / 10); }), bubble_label::host_launch_lag));
  CHECK(only(label([&](memory_activity& a) { a.host(at, gap / 10 - 1); }), bubble_label::python_serialization_or_lock));
  CHECK(only(label([&](memory_activity& a) {
               a.host(at, gap / 20);
               a.host(at, gap / 20, "x", 1);
             }),
             bubble_label::insufficient_evidence));
  CHECK(only(label([&](memory_activity& a) { a.host(at, gap / 20 - 1); }), bubble_label::untraced_host_blocking));
  CHECK(only(label([&](memory_activity& a) { a.host(at, gap / 5, "aten::copy_"); }), bubble_label::sync_or_h2d));
  CHECK(
      only(label([&](memory_activity& a) { a.host(at, gap / 5 - 1, "aten::copy_"); }), bubble_label::host_launch_lag));
  CHECK(only(label([&](memory_activity& a) { a.host(at, gap / 5, "aten::topk"); }), bubble_label::host_launch_lag));
  CHECK(only(label([&](memory_activity& a) { a.host(at, gap / 5, "c10d::allreduce_"); }), bubble_label::comm_wait));
  const auto both = label([&](memory_activity& a) {
    a.host(at, gap / 5, "AscendCL@aclrtSynchronizeStream");
    a.host(at + gap / 2, gap / 5, "Hccl@wait");
  });
  CHECK(both.has(bubble_label::sync_or_h2d));
  CHECK(both.has(bubble_label::comm_wait));
  // A marker on the device is evidence of communication, and no host activity.
  const auto device =
      label([&](memory_activity& a) { a.host(at, gap, "Notify Wait", 9, 0, host_span_kind::device_marker); });
  CHECK(device.has(bubble_label::comm_wait));
  CHECK(device.has(bubble_label::untraced_host_blocking));
  // The marker of a step covers everything and says nothing.
  CHECK(only(label([&](memory_activity& a) { a.host(0, 20 * ms, "ProfilerStep#1"); }),
             bubble_label::untraced_host_blocking));
}

TEST_CASE("host evidence is measured once, whatever nests") {
  memory_activity a = one_gap(4 * ms);  // [5, 9) ms
  a.host(4 * ms, 2 * ms, "outer");      // 1 ms of the gap
  a.host(5 * ms, 500 * us, "inner");
  a.host(8 * ms, 3 * ms, "late", 1);  // 1 ms of the gap
  a.host(8 * ms, 3 * ms, "late", 2);
  a.host(0, 20 * ms, "module.py(3): run", 3, 0, host_span_kind::frame);
  a.host(6 * ms, 100 * us, "gc", 4, 0, host_span_kind::gc);
  const bubbles_result r = look(a);
  const host_evidence& h = the_bubble(r).host;
  CHECK(h.host_ps == 4 * ms);
  CHECK(h.leaf_ps == 2 * ms + 100 * us);
  CHECK(h.gc_ps == 100 * us);
  CHECK(h.threads_ps == 1 * ms + 1 * ms + 1 * ms + 4 * ms + 100 * us);
  REQUIRE(h.ops.size() == 5);
  CHECK(a.text(h.ops[0].first) == "late");
  CHECK(h.ops[0].second == 2 * ms);
  CHECK(a.text(h.ops[1].first) == "outer");
  CHECK(a.text(h.ops.back().first) == "module.py(3): run");  // frames stand last
  CHECK(r.has_stacks);
}

TEST_CASE("launches tell whether the host was late") {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  a.device(d).has_launches = true;
  for (int step = 0; step < 3; ++step) {
    const std::int64_t at = step * 20 * ms;
    a.step(step, at, at + 20 * ms);
    a.kernel(d, at, 5 * ms, "A").launch_ps = at;
    a.kernel(d, at + 9 * ms, 11 * ms, "B").launch_ps = at + 8 * ms;
    a.host(at + 5 * ms, 4 * ms);
  }
  const auto r = look(a);
  REQUIRE(r.bubbles.size() == 3);
  CHECK(r.bubbles[0].sure == certainty::possible);  // of which thread is not on record
  REQUIRE(!r.causes.empty());
  CHECK(r.causes[0].cause == idle_cause::launch_bound);
  CHECK(std::any_of(r.causes[0].evidence.begin(), r.causes[0].evidence.end(), [](const std::string& e) {
    return e == "the kernel after 3 gaps was launched after the gap had begun";
  }));
  CHECK(r.groups.size() == 1);
  CHECK(r.groups[0].tags.has(bubble_tag::recurring_bubble_pattern));
}

TEST_CASE("groups, quantiles and patterns") {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  const std::int64_t gaps[] = {1, 2, 3, 4, 10};
  std::int64_t at = 0;
  for (int step = 0; step < 5; ++step) {
    a.step(step, at, at + 40 * ms);
    a.kernel(d, at, 5 * ms, "A");
    a.kernel(d, at + 5 * ms + gaps[step] * ms, 35 * ms - gaps[step] * ms, "B");
    at += 40 * ms;
  }
  const auto r = look(a);
  REQUIRE(r.groups.size() == 1);
  const bubble_group& g = r.groups[0];
  CHECK(g.internal_ps.mean == 4 * ms);
  CHECK(g.internal_ps.median == 3 * ms);
  CHECK(g.internal_ps.p90 == 7'600'000'000);
  CHECK(g.internal_ps.p95 == 8'800'000'000);
  CHECK(g.recurring);
  CHECK(g.pattern == idle_pattern::internal_bubble);
  CHECK(r.dominant_group == 0);
  CHECK(r.steps[static_cast<std::size_t>(r.dominant_step)].id == "4");
  CHECK(g.tags.has(bubble_tag::recurring_bubble_pattern));
}

TEST_CASE("wait anchors, pollution and small ops") {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  a.step(1, 0, 100 * ms);
  a.kernel(d, 0, 10 * ms, "MatMul");
  kernel_row& tiny = a.kernel(d, 40 * ms, 2 * us, "ZerosLike");
  tiny.wait_ps = 30 * ms;
  a.kernel(d, 41 * ms, 30 * ms, "hcom_allReduce", kernel_class::comm, 1);
  a.kernel(d, 80 * ms, 20 * ms, "MatMul").wait_ps = 20 * ms;
  const auto r = look(a);
  const auto op = [&](const char* name) {
    for (const bubble_op& o : r.ops)
      if (a.text(o.op_type) == name) return o;
    FAIL(name);
    return bubble_op{};
  };
  CHECK(op("ZerosLike").false_hotspot);
  CHECK(op("ZerosLike").small);
  CHECK(op("ZerosLike").inefficient);  // a 30 ms gap stands before it
  CHECK(op("ZerosLike").gap_before_ps == 30 * ms);
  CHECK(op("ZerosLike").rank_by_mean_cost == 1);
  CHECK(std::any_of(r.recommendations.begin(), r.recommendations.end(), [](const recommendation& given) {
    return given.target == "ZerosLike" && given.text.find("Look at that gap") != std::string::npos &&
           given.evidence.back() == "the longest gap, 30.000 ms: NPU 0, step 1, after MatMul, before ZerosLike";
  }));
  CHECK_FALSE(op("MatMul").false_hotspot);
  CHECK(op("MatMul").polluted_wait_ps == 20 * ms);
  CHECK(r.steps[0].tags.has(bubble_tag::wait_anchor_false_hotspot));
  CHECK(r.steps[0].tags.has(bubble_tag::wait_pollution_risk));
  CHECK(r.steps[0].polluted_wait_ps == 20 * ms);
}

TEST_CASE("AI CPU kernels hide behind compute only") {
  struct row {
    std::int64_t covered_ps;
    aicpu_verdict verdict;
  };
  for (const row& c : {row{900 * us, aicpu_verdict::masked}, row{900 * us - 1, aicpu_verdict::partly_exposed},
                       row{200 * us, aicpu_verdict::partly_exposed}, row{200 * us - 1, aicpu_verdict::exposed}}) {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    a.step(1, 0, 100 * ms);
    a.kernel(d, 0, 1000 * us, "NonZero", kernel_class::aicpu, 1);
    a.kernel(d, 0, c.covered_ps, "MatMul");
    a.kernel(d, 0, 1000 * us, "hcom", kernel_class::comm, 1);
    a.kernel(d, 50 * us, 800 * us, "Other", kernel_class::aicpu, 1);
    const auto r = look(a);
    REQUIRE(r.aicpu_ops.size() == 2);
    const auto& op = a.text(r.aicpu_ops[0].op_type) == "NonZero" ? r.aicpu_ops[0] : r.aicpu_ops[1];
    CHECK(op.masked_ps == c.covered_ps);
    CHECK(op.verdict == c.verdict);
  }
}

TEST_CASE("structures follow the anchor") {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  a.step(1, 0, 100 * ms);
  std::int64_t at = 0;
  const auto put = [&](const char* type, std::int64_t duration, std::int64_t gap = 0) {
    at += gap;
    a.kernel(d, at, duration, type);
    at += duration;
  };
  put("Gather", 1 * ms);
  for (int layer = 0; layer < 3; ++layer) {
    put("FusedInferAttentionScore", 2 * ms, layer == 1 ? 3 * ms : 0);
    put("MatMul", 3 * ms, layer == 2 ? 4 * ms : 0);
    put("Norm", 1 * ms);
  }
  put("ArgMax", 1 * ms);
  const auto r = look(a);
  REQUIRE(r.structures.size() == 5);
  CHECK(r.structures[0].type == step_structure::role::head);
  CHECK(r.structures[1].type == step_structure::role::part);  // an attention kernel is no name of a layer
  CHECK(r.structures[1].name == 0);
  CHECK(r.structures[4].type == step_structure::role::tail);
  CHECK(std::string(r.steps[0].structure_source) == "attention");
  CHECK(r.structures[3].clocks.kernels == 3);
  CHECK(r.structures[3].bubbles == 1);
  CHECK(r.structures[3].bubble_total_ps == 4 * ms);
  CHECK(r.structures[2].gap_before_ps == 3 * ms);
  REQUIRE(r.bubbles.size() == 2);
  CHECK_FALSE(r.bubbles[0].inside_structure());
  CHECK(r.bubbles[0].structure_after == 2);
  CHECK(r.bubbles[1].inside_structure());
}

TEST_CASE("layers that the host names come before all others") {
  memory_activity a;
  const auto d = a.add_device("GPU 0", accelerator::gpu);
  a.device(d).has_launches = true;
  a.step(1, 0, 100 * ms);
  const char* names[] = {"Embed", "FlashAttentionScore", "MatMul", "MatMul", "FlashAttentionScore", "MatMul", "Head"};
  for (int i = 0; i < 7; ++i) a.kernel(d, (10 + i) * ms, ms, names[i]).launch_ps = (1 + i) * ms;
  a.host(2 * ms, 3 * ms, "layers.0");  // launches 2 to 4
  a.host(5 * ms, 2 * ms, "layers.1");  // launches 5 and 6
  a.host(5 * ms, 1 * ms, "sub_block_7");
  const auto r = look(a);
  CHECK(std::string(r.steps[0].structure_source) == "annotations");
  REQUIRE(r.structures.size() == 4);
  CHECK(r.structures[0].type == step_structure::role::head);
  CHECK(r.structures[0].name == 0);
  CHECK(r.structures[1].type == step_structure::role::layer);
  CHECK(a.text(r.structures[1].name) == "layers.0");
  CHECK(r.structures[1].clocks.kernels == 3);
  CHECK(a.text(r.structures[2].name) == "layers.1");
  CHECK(r.structures[2].clocks.kernels == 2);
  CHECK(r.structures[3].type == step_structure::role::tail);
}

TEST_CASE("block and side keep four clocks each") {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  a.step(1, 0, 100 * ms);
  a.kernel(d, 0, 10 * ms, "MatMul");
  a.kernel(d, 5 * ms, 10 * ms, "hcom_allReduce", kernel_class::comm, 1);
  a.kernel(d, 20 * ms, 10 * us - 1, "Tiny").wait_ps = 5 * ms;
  a.kernel(d, 21 * ms, 10 * us, "JustBig");
  a.kernel(d, 22 * ms, 5 * ms, "Elsewhere", kernel_class::compute, 1);
  const auto r = look(a);
  REQUIRE(r.block_sides.size() == 2);
  const block_side &block = r.block_sides[0], &side = r.block_sides[1];
  CHECK(block.is_block);
  CHECK(block.clocks.kernels == 2);
  CHECK(block.clocks.kernel_sum_ps == 10 * ms + 10 * us);
  CHECK(block.clocks.wall_ps == 21 * ms + 10 * us);
  CHECK(block.bubble_total_ps == 11 * ms);
  CHECK(block.stream == 2);
  CHECK(side.clocks.kernels == 3);
  CHECK(side.clocks.total_cost_ps == 10 * ms + 10 * us - 1 + 5 * ms + 5 * ms);
  CHECK(side.wait_heavy == 1);
  CHECK(side.comm_ps == 10 * ms);
  CHECK(side.comm_over_block_ps == 5 * ms);
}

TEST_CASE("the edge of the capture is no cause") {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  a.step(1, 0, 20 * ms);
  a.kernel(d, 10 * ms, 5 * ms);
  a.host(0, 10 * ms);
  const auto r = look(a, with_windows(window_policy::marker));
  CHECK(r.steps[0].tags.has(bubble_tag::prelaunch_gap_heavy));
  CHECK(r.steps[0].tags.has(bubble_tag::partial_capture_boundary));
  CHECK_FALSE(r.steps[0].tags.has(bubble_tag::host_originated_risk));
  CHECK(r.bubbles[0].boundary_adjacent);
  CHECK(r.bubbles[0].sure == certainty::possible);
  CHECK(r.causes.empty());
}

TEST_CASE("odd captures") {
  SECTION("nothing") {
    memory_activity a;
    const auto r = look(a);
    CHECK(r.absent == "device and host activity is in an XSpace, a trace or Ascend tables; there are none here");
    CHECK(r.steps.empty());
  }
  SECTION("a device without kernels beside one with") {
    memory_activity a;
    a.add_device("NPU 0");
    const auto d = a.add_device("NPU 1");
    a.step(1, 0, ms);
    a.kernel(d, 0, ms);
    const auto r = look(a);
    REQUIRE(r.steps.size() == 1);
    CHECK(r.steps[0].device == 1);
    CHECK(r.devices[0].kernels == 0);
  }
  SECTION("no steps at all: one pseudo-step from first to last") {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    a.kernel(d, 5 * ms, ms);
    a.kernel(d, 8 * ms, ms);
    const auto r = look(a);
    REQUIRE(r.steps.size() == 1);
    CHECK(r.steps[0].pseudo);
    CHECK(r.steps[0].start_ps == 5 * ms);
    CHECK(r.steps[0].end_ps == 9 * ms);
    CHECK(r.steps[0].internal_total_ps == 2 * ms);
  }
  SECTION("a step without kernels is idle throughout") {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    a.step(1, 0, 10 * ms);
    a.step(2, 10 * ms, 20 * ms);
    a.step(3, 20 * ms, 30 * ms);
    a.kernel(d, 0, 10 * ms);
    a.kernel(d, 20 * ms, 10 * ms);
    const auto r = look(a);
    REQUIRE(r.steps.size() == 3);
    CHECK(r.steps[1].prelaunch_ps == 10 * ms);
    CHECK(r.steps[1].tail_ps == 0);
    CHECK(r.steps[1].underfeed_ps() == 10 * ms);
    CHECK(r.steps[1].tags.has(bubble_tag::prelaunch_gap_heavy));
  }
  SECTION("kernels without length make no interval") {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    a.step(1, 0, 10 * ms);
    a.kernel(d, 0, 2 * ms);
    a.kernel(d, 5 * ms, 0, "Event");
    a.kernel(d, 8 * ms, 2 * ms);
    const auto r = look(a);
    CHECK(r.steps[0].bubble_count == 1);
    CHECK(r.steps[0].largest_internal_ps == 6 * ms);
    CHECK(r.steps[0].zero_length_kernels == 1);
    CHECK(r.steps[0].kernel_count() == 3);
  }
  SECTION("a collective that is listed twice counts once") {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    a.step(1, 0, 10 * ms);
    a.kernel(d, 0, 10 * ms, "hcom", kernel_class::comm);
    a.kernel(d, 0, 10 * ms, "hcom", kernel_class::comm).flags |= kernel_duplicate;
    const auto r = look(a);
    CHECK(r.steps[0].kernel_count() == 1);
    CHECK(r.steps[0].clocks.kernel_sum_ps == 10 * ms);
    CHECK(r.devices[0].duplicates == 1);
  }
  SECTION("times at the ends of the clock") {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    for (int i = 0; i < 5; ++i) a.kernel(d, INT64_MIN / 2, INT64_MAX).wait_ps = INT64_MAX;
    a.kernel(d, INT64_MAX - 5, 5);
    a.kernel(d, INT64_MIN + 1, 1).wait_ps = INT64_MAX;
    const auto r = look(a);
    CHECK(r.steps.size() == 1);
    CHECK(r.steps[0].breakdown.sum_ps() == r.steps[0].service_ps());
  }
  SECTION("a million intervals on top of each other") {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    a.step(1, 0, 3000 * ms);
    for (std::int64_t i = 0; i < 1'000'000; ++i)
      a.kernel(d, i, 2000 * ms - i, "K", i % 2 == 0 ? kernel_class::compute : kernel_class::aicpu);
    const auto r = look(a, with_windows(window_policy::marker));
    CHECK(r.steps[0].busy_ps == 2000 * ms);
    CHECK(r.steps[0].tail_ps == 1000 * ms);
  }
}

TEST_CASE("only so many bubbles are kept, the longest") {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  a.step(1, 0, 1000 * ms);
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < 2000; ++i) {
    a.kernel(d, at, 10 * us);
    at += 10 * us + (60 + i % 500) * us;
  }
  bubble_options o = guided();
  o.max_bubbles = 300;
  const auto r = look(a, o);
  CHECK(r.bubbles.size() <= 300);
  CHECK(r.devices[0].bubbles_left_out == 1999 - r.bubbles.size());
  CHECK(r.steps[0].reportable == 1999);
  for (const bubble& b : r.bubbles) CHECK(b.length_ps() >= 400 * us);
}

TEST_CASE("thresholds are set by name") {
  bubble_thresholds t;
  CHECK(set_threshold(t, "heavy_gap_us", "500.5"));
  CHECK(t.heavy_gap_ps == 500'500'000);
  CHECK(set_threshold(t, "sync_overlap", "0.25"));
  CHECK(t.sync_overlap_ppm == 250'000);
  CHECK(set_threshold(t, "wait_anchor_rank", "3"));
  CHECK(t.wait_anchor_rank == 3);
  CHECK_FALSE(set_threshold(t, "wait_anchor_rank", "3.5"));
  CHECK_FALSE(set_threshold(t, "no_such", "1"));
  CHECK_FALSE(set_threshold(t, "idle_ratio", "-1"));
  CHECK_FALSE(set_threshold(t, "idle_ratio", "0.1234567"));
  CHECK_FALSE(set_threshold(t, "idle_ratio", ""));
  CHECK_FALSE(set_threshold(t, "idle_ratio", "99999999999999999999"));
  CHECK(set_threshold(t, "idle_ratio", "0.300000000"));
}

TEST_CASE("a part of a chip that rests is no wait of the device") {
  for (const bool with_chip : {true, false}) {
    memory_activity a;
    if (with_chip) {
      const auto chip = a.add_device("/device:TPU:0", accelerator::tpu);
      a.kernel(chip, 0, 100 * ms, "A");
    }
    const auto core = a.add_device("/device:TPU:0 SparseCore 1", accelerator::tpu);
    a.kernel(core, 0, 10 * ms, "B");
    a.kernel(core, 90 * ms, 10 * ms, "B");
    const bubbles_result r = look(a);
    CHECK(r.devices[core].busy_ps == 20 * ms);
    CHECK(r.bubbles.size() == (with_chip ? 0 : 1));
    std::int64_t idle_ps = 0;
    for (const time_row& row : r.time)
      if (row.device < 0 && row.use == time_use::idle) idle_ps += row.time_ps;
    CHECK(idle_ps == (with_chip ? 0 : 80 * ms));
  }
}
