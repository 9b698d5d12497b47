// What touches, what is equal and what is left out: the edges of rules, each from both sides.
#include "look.hpp"
#include "memory_activity.hpp"

#include <profkit/core/bubbles.hpp>

#include <catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace profkit;
using namespace profkit::test;

TEST_CASE("a wait that begins when a collective ends holds no time of it") {
  for (const std::int64_t more_ps : {-1, 0, 1}) {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    a.device(d).has_waits = true;
    a.step(1, 0, 20 * ms);
    a.kernel(d, 0, 5 * ms, "hcom_allReduce_", kernel_class::comm, 1);
    a.kernel(d, 8 * ms, 12 * ms, "A").wait_ps = 3 * ms + more_ps;
    const bubbles_result r = look(a);
    INFO(more_ps);
    CHECK(r.steps[0].wait_sum_ps == 3 * ms + more_ps);
    CHECK(r.steps[0].polluted_wait_ps == (more_ps > 0 ? 3 * ms + 1 : 0));
  }
}

TEST_CASE("kernels that name another step than the one they run in") {
  for (const int named : {2, 3, 4}) {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    a.step(3, 0, 10 * ms);
    a.kernel(d, 0, 5 * ms, "A").step = a.id("3");
    a.kernel(d, 5 * ms, 5 * ms, "B").step = a.id(std::to_string(named));
    INFO(named);
    CHECK(look(a).steps[0].other_step_id_kernels == (named == 3 ? 0 : 1));
  }
}

TEST_CASE("a step is at risk by the time of its AI CPU kernels that compute does not hide") {
  // Of 10 ms compute hides 7 or 8.
  for (const std::int64_t hidden : {7, 8}) {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    a.step(1, 0, 100 * ms);
    a.kernel(d, 0, 10 * ms, "Cast", kernel_class::aicpu, 1);
    a.kernel(d, 0, hidden * ms, "A");
    a.kernel(d, 10 * ms, 90 * ms, "B");
    bubble_options o;
    o.thresholds.aicpu_exposed_ps = 3 * ms;
    INFO(hidden);
    const bubbles_result r = look(a, o);
    CHECK(r.aicpu_ops.at(0).verdict == aicpu_verdict::partly_exposed);
    CHECK(r.steps[0].tags.has(bubble_tag::aicpu_exposed_risk) == (hidden == 7));
  }
}

TEST_CASE("gaps that are left out are counted, whatever step they lie in; of equal ones the first are kept") {
  // Steps of 1 ms: idle for 100 us, a kernel of 200 us, idle for 300 us, a kernel of 200 us, idle for 200 us.
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  constexpr std::int64_t steps = 400;
  for (std::int64_t s = 0; s < steps; ++s) {
    a.step(s, s * ms, (s + 1) * ms);
    a.kernel(d, s * ms + 100 * us, 200 * us, "A");
    a.kernel(d, s * ms + 600 * us, 200 * us, "B");
  }
  bubble_options o;
  o.windows = window_policy::marker;
  o.max_bubbles = 300;
  const bubbles_result r = look(a, o);
  std::uint64_t all = 0, kept = 0;
  std::int64_t all_ps = 0, kept_ps = 0;
  for (const bubble_step& s : r.steps) {
    all += s.reportable;
    all_ps += s.reportable_ps;
  }
  for (const bubble& b : r.bubbles) {
    CHECK(b.length_ps() == 300 * us);
    if (b.inter_step) continue;
    ++kept;
    kept_ps += b.length_ps();
  }
  CHECK(all == 3 * steps);
  CHECK(all_ps == 600 * us * steps);
  CHECK(r.bubbles.size() == 300);
  CHECK(r.devices[0].bubbles_left_out == all - kept);  // the gap between two steps is counted as its two parts
  CHECK(r.devices[0].bubbles_left_out_ps == all_ps - kept_ps);
}

TEST_CASE("of gaps of one length the first are kept") {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  a.step(1, 0, 2000 * ms);
  for (std::int64_t i = 0; i < 1000; ++i) a.kernel(d, 2 * i * ms, ms, "A");
  a.kernel(d, 2000 * ms - 1, 1, "A");
  bubble_options o;
  o.max_bubbles = 300;
  const bubbles_result r = look(a, o);
  REQUIRE(r.bubbles.size() == 300);
  for (std::size_t i = 0; i < r.bubbles.size(); ++i)
    CHECK(r.bubbles[i].start_ps == static_cast<std::int64_t>(2 * i + 1) * ms);
  CHECK(r.devices[0].bubbles_left_out == 700);
}

TEST_CASE("collectives that are listed twice make no window of a step") {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  a.step(1, 0, 10 * ms);
  a.kernel(d, 1 * ms, 2 * ms, "A");
  a.kernel(d, 5 * ms, 2 * ms, "hcom_allReduce_", kernel_class::comm, 1);
  a.kernel(d, 5 * ms + us, 4 * ms, "hcom_allReduce_", kernel_class::comm, 1).flags |= kernel_duplicate;
  bubble_options o;
  o.windows = window_policy::device;
  const bubbles_result r = look(a, o);
  CHECK(r.steps[0].start_ps == 1 * ms);
  CHECK(r.steps[0].end_ps == 7 * ms);
  CHECK(r.devices[0].duplicates == 1);
}

TEST_CASE("of streams with as much compute the main one is that of the lower number") {
  for (const bool lower_first : {false, true}) {
    memory_activity a;
    const auto d = a.add_device("NPU 0", accelerator::npu, 0,
                                lower_first ? std::vector<std::int64_t>{2, 46} : std::vector<std::int64_t>{46, 2});
    a.step(1, 0, 20 * ms);
    a.kernel(d, 0, 5 * ms, "A", kernel_class::compute, 0);
    a.kernel(d, 10 * ms, 5 * ms, "B", kernel_class::compute, 1);
    const bubbles_result r = look(a);
    std::vector<std::int64_t> block;
    for (const block_side& side : r.block_sides)
      if (side.is_block) block.push_back(side.stream);
    CHECK(block == std::vector<std::int64_t>{2});
  }
}

TEST_CASE("a copy waits for pageable memory where that is what it reads") {
  for (const bool reads : {false, true}) {
    memory_activity a;
    const auto d = a.add_device("GPU 0", accelerator::gpu);
    a.device(d).has_launches = true;
    a.step(1, 0, 20 * ms, 0, marker_source::device_annotation);
    a.kernel(d, 0, 5 * ms, "A");
    kernel_row& next = a.kernel(d, 15 * ms, 5 * ms,
                                reads ? "Memcpy HtoD (Pageable -> Device)" : "Memcpy DtoH (Device -> Pageable)",
                                kernel_class::copy);
    next.launch_ps = 15 * ms - 8 * us;
    next.launch_end_ps = 15 * ms - 4 * us;
    next.launch_thread = 7;
    a.host(5 * ms, 10 * ms - 8 * us, "cudaMemcpyAsync", 7);
    const bubbles_result r = look(a);
    REQUIRE(r.bubbles.size() == 1);
    CHECK(std::string(idle_cause_name(r.bubbles[0].cause.id)) == (reads ? "h2d_pageable" : "sync_wait"));
  }
}

TEST_CASE("a place recurs by the steps that have a gap there, not by its gaps") {
  // One of four steps waits twice behind an A, the others run through.
  const auto places = [](int steps_with_gaps, int gaps) {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    for (int s = 0; s < 4; ++s) {
      const std::int64_t from = s * 20 * ms;
      a.step(s, from, from + 20 * ms);
      std::int64_t at = from;
      for (int k = 0; k < 4; ++k) {
        const std::int64_t idle = s < steps_with_gaps && k > 0 && k <= gaps ? ms : 0;
        at += idle;
        const std::int64_t length = k == 3 ? from + 20 * ms - at : 2 * ms;
        a.kernel(d, at, length, k < 2 ? "A" : k == 2 ? "B" : "C");
        at += length;
      }
    }
    bubble_options o;
    o.thresholds.recurring_share_ppm = 500'000;
    o.thresholds.structure_gap_factor = 1'000'000;  // no parts: all gaps behind an A are at one place
    const bubbles_result r = look(a, o);
    REQUIRE(r.groups.size() == 1);
    return r.groups[0].recurring_places;
  };
  CHECK(places(1, 1) == 0);
  CHECK(places(1, 2) == 0);
  CHECK(places(2, 1) == 1);
  CHECK(places(2, 2) == 1);
}

TEST_CASE("annotations and garbage collection are no work of the thread that launches") {
  struct row {
    host_span_kind kind;
    std::int64_t work_ps;
  };
  const row rows[] = {{host_span_kind::op, 4 * ms}, {host_span_kind::annotation, 0}, {host_span_kind::gc, 0}};
  for (const row& x : rows) {
    memory_activity a;
    const auto d = a.add_device("GPU 0", accelerator::gpu);
    a.device(d).has_launches = true;
    a.step(1, 0, 20 * ms, 0, marker_source::device_annotation);
    a.kernel(d, 0, 5 * ms, "A");
    kernel_row& next = a.kernel(d, 15 * ms, 5 * ms, "B");
    next.launch_ps = 15 * ms - 8 * us;
    next.launch_end_ps = 15 * ms - 8 * us;
    next.launch_thread = 7;
    a.host(6 * ms, 4 * ms, "something", 7, 0, x.kind);
    const bubbles_result r = look(a);
    REQUIRE(r.bubbles.size() == 1);
    CHECK(r.bubbles[0].host.launcher_ps == x.work_ps);
  }
}

TEST_CASE("a cause is sure when nearly all of its time is") {
  // Two gaps of the loader; that of `weak_ms` has a launch early in the gap's last quarter, which is less sure.
  bubble_options o;
  const auto sure = [&](std::int64_t strong_ms, std::int64_t weak_ms) {
    memory_activity a;
    const auto d = a.add_device("GPU 0", accelerator::gpu);
    a.device(d).has_launches = true;
    a.step(1, 0, 200 * ms, 0, marker_source::device_annotation);
    std::int64_t at = 0;
    const auto kernel = [&](std::int64_t gap_ms, bool covered) {
      const std::int64_t from = at;
      at += gap_ms * ms;
      kernel_row& k = a.kernel(d, at, 10 * ms, "A");
      k.launch_ps = at - 8 * us;
      k.launch_end_ps = at - 4 * us;
      k.launch_thread = 7;
      const std::int64_t of_gap = covered ? gap_ms * ms - 8 * us : gap_ms * ms * 7 / 10;
      if (gap_ms > 0) a.host(from, of_gap, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 7);
      at += 10 * ms;
    };
    kernel(0, true);
    kernel(strong_ms, true);
    kernel(weak_ms, false);
    a.kernel(d, at, 200 * ms - at, "B");
    const bubbles_result r = look(a, o);
    REQUIRE(r.bubbles.size() == 2);
    CHECK(r.bubbles[0].sure == certainty::proved);
    CHECK(r.bubbles[1].sure == certainty::likely);
    REQUIRE(r.causes.size() == 1);
    return r.causes[0].sure;
  };
  CHECK(sure(90, 10) == certainty::proved);
  CHECK(sure(89, 11) == certainty::likely);
  CHECK(sure(60, 40) == certainty::likely);
}

TEST_CASE("shapes of the last entry count like those of the others") {
  for (const std::uint32_t other : {1U, 2U}) {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    a.device(d).has_shapes = true;
    a.device(d).details.emplace_back().input_shapes = a.id("8,16");
    a.device(d).details.emplace_back().input_shapes = a.id("9,16");
    for (int s = 0; s < 3; ++s) {
      a.step(s, s * 10 * ms, (s + 1) * 10 * ms);
      a.kernel(d, s * 10 * ms, 5 * ms, "A").details = 2;
      a.kernel(d, s * 10 * ms + 5 * ms, 5 * ms, "B").details = s == 1 ? other : 2;
    }
    const bubbles_result r = look(a);
    REQUIRE(r.groups.size() == 1);
    CHECK(r.groups[0].shapes_compared);
    CHECK(r.groups[0].aligned_positions == 2);
    CHECK(r.groups[0].varying_positions == (other == 1 ? 1 : 0));
  }
  // Only the last entry differs from having no shapes.
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  a.device(d).has_shapes = true;
  a.device(d).details.emplace_back().input_shapes = a.id("8,16");
  for (int s = 0; s < 3; ++s) {
    a.step(s, s * 10 * ms, (s + 1) * 10 * ms);
    a.kernel(d, s * 10 * ms, 10 * ms, "A").details = s == 1 ? 1 : 0;
  }
  CHECK(look(a).groups.at(0).varying_positions == 1);
}

TEST_CASE("a launch at the very start of a gap is no launch in it") {
  for (const std::int64_t into_ps : {-1, 0, 1}) {
    memory_activity a;
    const auto d = a.add_device("GPU 0", accelerator::gpu);
    a.device(d).has_launches = true;
    a.step(1, 0, 20 * ms, 0, marker_source::device_annotation);
    a.kernel(d, 0, 5 * ms, "A");
    kernel_row& next = a.kernel(d, 15 * ms, 5 * ms, "B");
    next.launch_ps = 5 * ms + into_ps;
    next.launch_end_ps = 5 * ms + into_ps + us;
    next.launch_thread = 7;
    a.host(0, ms, "op", 7);
    const bubbles_result r = look(a);
    REQUIRE(r.causes.size() == 1);
    std::string evidence;
    for (const std::string& fact : r.causes[0].evidence) evidence += fact + '\n';
    INFO(into_ps << ' ' << evidence);
    CHECK((evidence.find("launched") != std::string::npos) == (into_ps > 0));
  }
}

TEST_CASE("the end of a step and the beginning of the next are one gap where the steps touch") {
  for (const std::int64_t between : {0, 5}) {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    a.step(1, 0, 10 * ms);
    a.step(2, (10 + between) * ms, 30 * ms);
    a.kernel(d, 1 * ms, 4 * ms, "A");
    a.kernel(d, 17 * ms, 13 * ms, "B");
    bubble_options o;
    o.windows = window_policy::marker;
    const bubbles_result r = look(a, o);
    std::vector<std::int64_t> ends;
    for (const bubble& b : r.bubbles)
      if (b.inter_step) ends.insert(ends.end(), {b.start_ps, b.end_ps});
    INFO(between);
    CHECK(ends == (between == 0 ? std::vector<std::int64_t>{5 * ms, 17 * ms} : std::vector<std::int64_t>{}));
  }
}

TEST_CASE("time of a copy is its own beside kernels of no class") {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  a.step(1, 0, 10 * ms);
  a.kernel(d, 0, 4 * ms, "Memcpy", kernel_class::copy, 0);
  a.kernel(d, 2 * ms, 3 * ms, "Event", kernel_class::other, 1);
  const bubbles_result r = look(a);
  CHECK(r.steps[0].breakdown.copy_ps == 4 * ms);
  CHECK(r.steps[0].breakdown.sum_ps() == r.steps[0].service_ps());
}

TEST_CASE("what is launched at the end of a step is not of that step") {
  for (const std::int64_t before_ps : {0, 1}) {
    memory_activity a;
    const auto d = a.add_device("GPU 0", accelerator::gpu);
    a.device(d).has_launches = true;
    a.step(1, 0, 5 * ms);
    a.step(2, 7 * ms, 10 * ms);
    a.kernel(d, 20 * ms, 1 * ms).launch_ps = 1 * ms;
    a.kernel(d, 25 * ms, 1 * ms).launch_ps = 5 * ms - before_ps;
    a.kernel(d, 30 * ms, 1 * ms).launch_ps = 8 * ms;
    bubble_options o;
    o.windows = window_policy::marker;
    const bubbles_result r = look(a, o);
    REQUIRE(r.steps.size() == 2);
    CHECK(r.steps[0].end_ps == (before_ps == 0 ? 21 : 26) * ms);
  }
}

TEST_CASE("kernels in the annotation of another step still are their own step") {
  memory_activity a;
  const auto d = a.add_device("GPU 0", accelerator::gpu);
  a.device(d).has_launches = true;
  a.step(1, 0, 5 * ms);
  a.step(2, 5 * ms, 10 * ms);
  a.step(1, 20 * ms, 30 * ms, 0, marker_source::device_annotation);
  a.kernel(d, 20 * ms, 4 * ms, "A").launch_ps = 1 * ms;
  a.kernel(d, 28 * ms, 4 * ms, "B").launch_ps = 6 * ms;
  const bubbles_result r = look(a);
  REQUIRE(r.steps.size() == 2);
  CHECK(r.steps[0].id == "1");
  CHECK(r.steps[1].id == "2");
  CHECK(r.steps[1].start_ps == 28 * ms);
  CHECK(std::string(r.devices[0].window_source) == "mixed");
}
