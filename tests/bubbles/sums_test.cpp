// What is summed over steps and settled between equals: patterns, cut steps, edges of a capture, findings, decimals.
#include "look.hpp"
#include "memory_activity.hpp"

#include <profkit/core/bubbles.hpp>

#include <catch.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace profkit;
using namespace profkit::test;

namespace {

bubble_options own_ends() {
  bubble_options o;
  o.windows = window_policy::marker;
  return o;
}

}  // namespace

TEST_CASE("of equal means the pattern of the script is the first: prelaunch, tail, internal") {
  struct row {
    std::int64_t prelaunch, internal, tail;
    const char* name;
  };
  for (const row& x : {row{1, 0, 1, "prelaunch"}, row{1, 1, 0, "prelaunch"}, row{0, 1, 1, "tail"},
                       row{1, 1, 1, "prelaunch"}, row{1, 1, 2, "tail"}, row{1, 2, 1, "internal_bubble"},
                       row{2, 1, 1, "prelaunch"}}) {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    a.step(1, 0, 20 * ms);
    const std::int64_t first = x.prelaunch * ms, second_end = 20 * ms - x.tail * ms;
    a.kernel(d, first, 5 * ms - first, "A");
    a.kernel(d, 5 * ms + x.internal * ms, second_end - 5 * ms - x.internal * ms, "B");
    INFO(x.prelaunch << x.internal << x.tail);
    CHECK(idle_pattern_name(look(a, own_ends()).groups.at(0).pattern_by_script) == std::string(x.name));
  }
}

TEST_CASE("a step is cut only beside two others") {
  for (const int steps : {2, 3, 4}) {
    for (const bool at_the_end : {false, true}) {
      memory_activity a;
      const auto d = a.add_device("NPU 0");
      for (int s = 0; s < steps; ++s) {
        a.step(s, s * 20 * ms, (s + 1) * 20 * ms);
        const bool small = s == (at_the_end ? steps - 1 : 0);
        for (int k = 0; k < (small ? 1 : 10); ++k) a.kernel(d, s * 20 * ms + k * ms, ms, "A");
      }
      const bubbles_result r = look(a);
      REQUIRE(r.steps.size() == static_cast<std::size_t>(steps));
      for (int s = 0; s < steps; ++s) {
        INFO(steps << ' ' << at_the_end << ' ' << s);
        const bool small = s == (at_the_end ? steps - 1 : 0);
        CHECK(r.steps.verdict(static_cast<std::size_t>(s)).cut == (small && steps > 2));
      }
    }
  }
}

TEST_CASE("gaps at the ends of what a device did are at an edge of the capture") {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  a.step(1, 0, 20 * ms);
  a.step(2, 20 * ms, 40 * ms);
  a.step(3, 40 * ms, 60 * ms);
  a.kernel(d, 2 * ms, 3 * ms, "A");
  a.kernel(d, 7 * ms, 13 * ms, "B");
  a.kernel(d, 20 * ms, 2 * ms, "A");
  a.kernel(d, 24 * ms, 6 * ms, "B");
  std::vector<std::pair<std::int64_t, bool>> found;
  for (const bubble& b : look(a).bubbles)
    if (b.step >= 0 && b.step < 2) found.emplace_back(b.start_ps / ms, b.boundary_adjacent);
  std::sort(found.begin(), found.end());
  CHECK(found == std::vector<std::pair<std::int64_t, bool>>{{0, true}, {5, false}, {22, false}, {30, true}});
}

TEST_CASE("how much of the idle time can be won back its cause says, and the finding of the idle time does not") {
  memory_activity a;
  const auto d = a.add_device("NPU 0");
  std::int64_t idle = 0;
  for (int s = 0; s < 4; ++s) {
    a.step(s, s * 30 * ms, (s + 1) * 30 * ms);
    const std::int64_t gap = (6 + s) * ms;
    a.kernel(d, s * 30 * ms, 10 * ms, "A");
    a.kernel(d, s * 30 * ms + 10 * ms + gap, 20 * ms - gap, "B");
    idle += gap;
  }
  const bubbles_result r = look(a);
  REQUIRE(r.groups.size() == 1);
  REQUIRE_FALSE(r.findings.empty());
  CHECK_FALSE(r.findings[0].recoverable_ps);
  REQUIRE_FALSE(r.recommendations.empty());
  CHECK(r.recommendations[0].recoverable_ps == idle);
}

TEST_CASE("the answer is sure when fewer than half of the steps wait most at an edge of the capture") {
  for (const bool waits_at_the_end : {false, true}) {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    for (int s = 0; s < 4; ++s) {
      const std::int64_t at = s * 30 * ms;
      a.step(s, at, at + 30 * ms);
      const std::int64_t before = s == 0 ? 12 * ms : 0, behind = s == 3 && waits_at_the_end ? 12 * ms : 0;
      a.kernel(d, at + before, 14 * ms - before, "A");
      a.kernel(d, at + 16 * ms, 14 * ms - behind, "B");
    }
    a.host(0, 120 * ms, "AscendCL@aclrtLaunchKernel", 0, 0, host_span_kind::runtime);
    const bubbles_result r = look(a, own_ends());
    int at_edge = 0;
    for (std::size_t s = 0; s < 4; ++s) at_edge += r.steps.verdict(s).boundary_dominated ? 1 : 0;
    CHECK(at_edge == (waits_at_the_end ? 2 : 1));
    CHECK(confidence_name(r.sure) == std::string(waits_at_the_end ? "medium" : "high"));
  }
}

TEST_CASE("thresholds have six decimals, none of which is lost") {
  bubble_thresholds t;
  const auto millionths = [&](const char* text) {
    REQUIRE(set_threshold(t, "recurring_share", text).ok());
    for (const threshold_entry& e : threshold_table())
      if (e.name == std::string_view("recurring_share")) return t.*e.value;
    FAIL("no such threshold");
    return std::int64_t{0};
  };
  CHECK(millionths("0.123457") == 123'457);
  CHECK(millionths("0.000001") == 1);
  CHECK(millionths("0.999999000") == 999'999);
  CHECK(millionths("1") == 1'000'000);
  CHECK_FALSE(set_threshold(t, "recurring_share", "0.1234571").ok());
}

TEST_CASE("time outside of steps is what no step covers between the first and the last kernel") {
  // Steps by their own markers, from before the first kernel to behind the last one, and kernels between them.
  memory_activity a;
  const auto d = a.add_device("GPU 0", accelerator::gpu);
  a.step(1, -2 * ms, 5 * ms, static_cast<std::int32_t>(d), marker_source::device_annotation);
  a.step(2, 20 * ms, 30 * ms, static_cast<std::int32_t>(d), marker_source::device_annotation);
  a.kernel(d, 0, 2 * ms, "A");
  a.kernel(d, 4 * ms, 3 * ms, "B");
  a.kernel(d, 10 * ms, 1 * ms, "Memcpy", kernel_class::copy);
  a.kernel(d, 12 * ms, 1 * ms, "all-reduce", kernel_class::comm);
  a.kernel(d, 22 * ms, 1 * ms, "C");
  const auto r = find_bubbles(a, own_ends());
  REQUIRE(r);
  const step_breakdown& outside = r->devices[0].outside;
  CHECK(outside.compute_only_ps == 2 * ms);  // of B, from 5 ms
  CHECK(outside.copy_ps == 1 * ms);
  CHECK(outside.comm_exposed_ps == 1 * ms);
  CHECK(outside.idle_ps == (3 + 1 + 7) * ms);
  CHECK(time_ps_of(*r, 0, false) == 15 * ms);
  CHECK(time_ps_of(*r, 0, true) == (7 + 10) * ms);
  CHECK(time_ps_of(*r, -1, true) == (7 + 10) * ms);
}
