// Every threshold from both sides: an activity measures exactly some value, and the answer that the threshold decides is
// looked at with the threshold one unit below that value, at it and one unit above.
#include "look.hpp"
#include "memory_activity.hpp"

#include <profkit/core/bubbles.hpp>

#include <catch.hpp>

#include <functional>
#include <set>
#include <string>

using namespace profkit;
using namespace profkit::test;

namespace {

using build = std::function<void(memory_activity&)>;
using ask = std::function<std::string(const memory_activity&, const bubbles_result&)>;

struct cell {
  const char* name;
  std::int64_t measured;  // ps, millionths or a count
  build make;
  ask answer;
  const char *below, *at, *above;  // with the threshold one less than what is measured, the same, one more
  window_policy windows = window_policy::guide;
};

std::string yes(bool is) { return is ? "yes" : "no"; }

// A step [0, 10 ms) that waits from 1 ms to 1 ms + gap.
void one_gap(memory_activity& a, std::int64_t gap_ps) {
  const auto d = a.add_device("NPU 0");
  a.step(1, 0, 10 * ms);
  a.kernel(d, 0, ms, "A");
  a.kernel(d, ms + gap_ps, 9 * ms - gap_ps, "B");
}
build gap_of(std::int64_t gap_ps) {
  return [=](memory_activity& a) { one_gap(a, gap_ps); };
}

// A step [0, 20 ms) of a GPU that waits from 5 to 15 ms; a thread of the host launches what ends the gap.
constexpr std::int64_t from = 5 * ms, to = 15 * ms;
build launched(std::int64_t returned_ps, std::int64_t loading_ps) {
  return [=](memory_activity& a) {
    const auto d = a.add_device("GPU 0", accelerator::gpu);
    a.device(d).has_launches = true;
    a.step(1, 0, 20 * ms, 0, marker_source::device_annotation);
    a.kernel(d, 0, from, "A");
    kernel_row& next = a.kernel(d, to, 5 * ms, "B");
    next.launch_ps = returned_ps - us;
    next.launch_end_ps = returned_ps;
    next.launch_thread = 7;
    a.host(from, loading_ps, "DataLoaderIter.__next__", 7);
  };
}
std::string cause(const memory_activity&, const bubbles_result& r) {
  REQUIRE(r.bubbles.size() == 1);
  return std::string(idle_cause_name(r.bubbles[0].cause.id)) + ' ' + certainty_name(r.bubbles[0].sure);
}

// The host does something for some part of a gap of 10 ms.
build host_for(std::int64_t length_ps, const char* what, std::int64_t beside_ps = 0) {
  return [=](memory_activity& a) {
    const auto d = a.add_device("NPU 0");
    a.step(1, 0, 20 * ms);
    a.kernel(d, 0, from, "A");
    a.kernel(d, to, 5 * ms, "B");
    a.host(6 * ms, length_ps, what, 0);
    if (beside_ps > 0) a.host(6 * ms, beside_ps, "op", 1);
  };
}
ask has_label(bubble_label wanted) {
  return [=](const memory_activity&, const bubbles_result& r) {
    REQUIRE(r.bubbles.size() == 1);
    return yes(r.bubbles[0].labels.has(wanted));
  };
}
ask has_tag(bubble_tag wanted) {
  return [=](const memory_activity&, const bubbles_result& r) { return yes(r.steps[0].tags.has(wanted)); };
}
std::string is_heavy(const memory_activity&, const bubbles_result& r) {
  return yes(r.bubbles[0].heavy) + yes(r.steps[0].tags.has(bubble_tag::internal_bubble_heavy));
}
std::string pattern(const memory_activity&, const bubbles_result& r) { return idle_pattern_name(r.groups[0].pattern); }
std::string parts(const memory_activity&, const bubbles_result& r) { return r.steps[0].structure_source; }
std::string groups(const memory_activity&, const bubbles_result& r) { return std::to_string(r.groups.size()); }
const bubble_op& op_named(const memory_activity& a, const bubbles_result& r, const char* type) {
  for (const bubble_op& op : r.ops)
    if (a.text(op.op_type) == type) return op;
  FAIL("no op " << type);
  return r.ops.front();
}
ask is_hotspot(const char* type) {
  return [=](const memory_activity& a, const bubbles_result& r) { return yes(op_named(a, r, type).false_hotspot); };
}

// An op that waits for `wait_ps` and runs for 5 us, and one that costs more.
build waits(std::int64_t wait_ps) {
  return [=](memory_activity& a) {
    const auto d = a.add_device("NPU 0");
    a.device(d).has_waits = true;
    a.step(1, 0, 20 * ms);
    a.kernel(d, 0, 9 * ms, "Big");
    a.kernel(d, 10 * ms, 5 * us, "Waiting").wait_ps = wait_ps;
  };
}
// An AI CPU kernel of 10 ms, of which compute hides some.
build aicpu(std::int64_t hidden_ps) {
  return [=](memory_activity& a) {
    const auto d = a.add_device("NPU 0");
    a.step(1, 0, 100 * ms);
    a.kernel(d, 0, 10 * ms, "Cast", kernel_class::aicpu, 1);
    a.kernel(d, 0, hidden_ps, "A");
    a.kernel(d, 20 * ms, 80 * ms, "B");
  };
}
std::string verdict(const memory_activity&, const bubbles_result& r) {
  REQUIRE(r.aicpu_ops.size() == 1);
  return aicpu_verdict_name(r.aicpu_ops[0].verdict);
}
// Steps of so many kernels of A and B each, one behind the other.
void two_kinds(memory_activity& a, std::uint32_t d, std::int64_t number, bool b_first, int as, int bs) {
  std::int64_t at = number * 100 * us;
  a.step(number, at, at + 100 * us);
  for (int i = 0; i < (b_first ? bs : as); ++i, at += us) a.kernel(d, at, us, b_first ? "B" : "A");
  for (int i = 0; i < (b_first ? as : bs); ++i, at += us) a.kernel(d, at, us, b_first ? "A" : "B");
}
// Two kernels that share `both_ps` of their time.
build beside(std::int64_t first_ps, std::int64_t second_at_ps, std::int64_t second_ps, std::int64_t wait_ps = 0) {
  return [=](memory_activity& a) {
    const auto d = a.add_device("NPU 0");
    a.step(1, 0, 200 * us);
    a.kernel(d, 0, first_ps, "A");
    a.kernel(d, second_at_ps, second_ps, "B", kernel_class::compute, 1).wait_ps = wait_ps;
  };
}
void with_unit(memory_activity& a) {
  const auto d = a.add_device("NPU 0");
  a.step(1, 0, 10 * ms);
  kernel_details details;
  details.counters = {{a.id("aic_mac_ratio"), 0.5}, {a.id("aic_mte2_ratio"), 0.25}};
  a.device(d).details.push_back(details);
  a.kernel(d, 0, ms, "A").details = 1;
}
// Three holes of 50 us and one of 300, between kernels that are all different.
void holes(memory_activity& a) {
  const auto d = a.add_device("NPU 0");
  a.step(1, 0, 10 * ms);
  std::int64_t at = 0;
  int n = 0;
  for (const std::int64_t hole : {50, 50, 300, 50, 0}) {
    a.kernel(d, at, 100 * us, "K" + std::to_string(n++));
    at += 100 * us + hole * us;
  }
}

const cell cells[] = {
    {"heavy_gap_us", 5 * ms, gap_of(5 * ms), is_heavy, "yesyes", "yesyes", "nono"},
    {"heavy_share", 500'000, gap_of(5 * ms), is_heavy, "yesyes", "yesyes", "nono"},
    {"reportable_gap_us", 5 * ms, gap_of(5 * ms),
     [](const memory_activity&, const bubbles_result& r) {
       return std::to_string(r.bubbles.size()) + std::to_string(r.steps[0].reportable);
     },
     "11", "11", "00"},
    {"idle_ratio", 500'000, gap_of(5 * ms),
     [](const memory_activity&, const bubbles_result& r) { return host_risk_name(r.steps[0].risk); }, "medium", "medium",
     "low"},
    {"exposed_ratio", 400'000,
     [](memory_activity& a) {
       const auto d = a.add_device("NPU 0");
       a.step(1, 0, 10 * ms);
       a.kernel(d, 0, 6 * ms, "A");
       a.kernel(d, 6 * ms, 4 * ms, "B", kernel_class::copy, 1);
     },
     [](const memory_activity&, const bubbles_result& r) {
       return r.causes.size() == 1 && r.causes[0].cause == idle_cause::exposed_copy && r.causes[0].total_ps == 4 * ms &&
                      r.causes[0].sure == certainty::proved && r.causes[0].longest == no_bubble
                  ? std::string("exposed")
                  : std::to_string(r.causes.size());
     },
     "exposed", "exposed", "0"},
    {"compute_bound", 600'000,
     [](memory_activity& a) {
       const auto d = a.add_device("NPU 0");
       a.step(1, 0, 10 * ms);
       a.kernel(d, 0, 6 * ms, "A");
       a.kernel(d, 6 * ms, 4 * ms, "B", kernel_class::comm, 1);
     },
     [](const memory_activity&, const bubbles_result& r) { return r.answers[0].substr(0, r.answers[0].find('.')); }, "No",
     "No", "Little"},
    {"merge_tolerance_us", 1000, gap_of(1000),
     [](const memory_activity&, const bubbles_result& r) {
       return std::to_string(r.steps[0].bubble_count) + std::to_string(r.steps[0].breakdown.other_ps);
     },
     "10", "01000", "01000"},
    {"recurring_share", 500'000,
     [](memory_activity& a) {
       const auto d = a.add_device("NPU 0");
       for (int n = 0; n < 4; ++n) {
         const std::int64_t at = n * 10 * ms;
         a.step(n, at, at + 10 * ms);
         a.kernel(d, at, n < 2 ? 4 * ms : 5 * ms, "A");
         a.kernel(d, at + 5 * ms, 5 * ms, "B");
       }
     },
     [](const memory_activity&, const bubbles_result& r) {
       return yes(r.groups[0].recurring) + std::to_string(r.groups[0].recurring_places);
     },
     "yes1", "yes1", "no0"},
    {"sync_overlap", 200'000, host_for(2 * ms, "aclrtSynchronizeStream"), has_label(bubble_label::sync_or_h2d), "yes",
     "yes", "no"},
    {"comm_overlap", 200'000, host_for(2 * ms, "c10d::all_reduce"), has_label(bubble_label::comm_wait), "yes", "yes",
     "no"},
    {"untraced_coverage", 100'000, host_for(ms, "op"), has_label(bubble_label::untraced_host_blocking), "no", "no", "yes"},
    {"launch_lag_coverage", 100'000, host_for(ms, "op"), has_label(bubble_label::host_launch_lag), "yes", "yes", "no"},
    {"serial_parallelism", 1'500'000, host_for(800 * us, "op", 400 * us),
     has_label(bubble_label::python_serialization_or_lock), "no", "no", "yes"},
    {"high_coverage", 500'000, host_for(5 * ms, "op"),
     [](const memory_activity&, const bubbles_result& r) { return host_risk_name(r.steps[0].risk); }, "high", "high",
     "medium"},
    {"known_cause", 200'000, launched(to - us, 2 * ms), cause, "data_loader possible", "data_loader possible",
     "unexplained unknown"},
    {"high_confidence", 800'000, launched(to - us, 8 * ms), cause, "data_loader proved", "data_loader proved",
     "data_loader likely"},
    {"medium_confidence", 500'000, launched(to - us, 5 * ms), cause, "data_loader likely", "data_loader likely",
     "data_loader possible"},
    {"late_launch", 800'000, launched(from + 8 * ms, 9500 * us), cause, "data_loader proved", "data_loader proved",
     "data_loader likely"},
    {"early_launch", 500'000, launched(from + 5 * ms, 9 * ms), cause, "data_loader likely", "data_loader likely",
     "device_dependency likely"},
    {"wait_anchor_ratio", 500'000, waits(5 * us), is_hotspot("Waiting"), "yes", "no", "no"},
    {"wait_anchor_duration_us", 5 * us, waits(995 * us), is_hotspot("Waiting"), "no", "no", "yes"},
    {"wait_anchor_rank", 2, waits(995 * us), is_hotspot("Waiting"), "no", "yes", "yes"},
    {"wait_heavy", 500'000, waits(5 * us),
     [](const memory_activity&, const bubbles_result& r) {
       return std::to_string(r.block_sides[0].wait_heavy + r.block_sides[1].wait_heavy);
     },
     "1", "0", "0"},
    {"polluted_wait", 500'000,
     [](memory_activity& a) {
       const auto d = a.add_device("NPU 0");
       a.device(d).has_waits = true;
       a.step(1, 0, 10 * ms);
       a.kernel(d, 0, 10 * us, "A");
       a.kernel(d, 200 * us, 10 * us, "B").wait_ps = 100 * us;
       a.kernel(d, 300 * us, 100 * us, "AllReduce", kernel_class::comm, 1);
       a.kernel(d, 410 * us, 10 * us, "C").wait_ps = 100 * us;
     },
     has_tag(bubble_tag::wait_pollution_risk), "yes", "yes", "no"},
    {"aicpu_masked", 500'000, aicpu(5 * ms), verdict, "AICPU_MASKED_BUT_UNDESIRABLE", "AICPU_MASKED_BUT_UNDESIRABLE",
     "AICPU_PARTIALLY_EXPOSED"},
    {"aicpu_exposed", 500'000, aicpu(5 * ms), verdict, "AICPU_PARTIALLY_EXPOSED", "AICPU_PARTIALLY_EXPOSED",
     "AICPU_EXPOSED_NOT_ALLOWED"},
    {"aicpu_exposed_us", 5 * ms, aicpu(5 * ms), has_tag(bubble_tag::aicpu_exposed_risk), "yes", "yes", "no"},
    {"aicpu_exposed_share", 50'000, aicpu(5 * ms), has_tag(bubble_tag::aicpu_exposed_risk), "yes", "yes", "no"},
    {"aicpu_adjacent_us", 3 * us,
     [](memory_activity& a) {
       const auto d = a.add_device("NPU 0");
       a.step(1, 0, 10 * ms);
       a.kernel(d, 0, 7 * us, "Cast", kernel_class::aicpu, 1);
       a.kernel(d, 0, 10 * us, "A");
       a.kernel(d, 5 * ms, ms, "B");
       a.kernel(d, 5 * ms + 3 * us, us, "Cast", kernel_class::aicpu, 1);
     },
     [](const memory_activity&, const bubbles_result& r) { return std::to_string(r.aicpu_ops[0].beside_bubbles); }, "0",
     "2", "2"},
    {"small_kernel_us", 5 * us, waits(0),
     [](const memory_activity& a, const bubbles_result& r) {
       return std::to_string(r.block_sides[0].clocks.kernels) + yes(op_named(a, r, "Waiting").small);
     },
     "2no", "2no", "1yes"},
    {"small_op_share", 10'000,
     [](memory_activity& a) {
       const auto d = a.add_device("NPU 0");
       a.step(1, 0, 100 * ms);
       a.kernel(d, 0, 99 * ms, "A");
       a.kernel(d, 99 * ms + 995 * us, 5 * us, "B");
     },
     [](const memory_activity& a, const bubbles_result& r) { return yes(op_named(a, r, "B").inefficient); }, "yes", "yes",
     "no"},
    {"group_count_tolerance", 50'000,
     [](memory_activity& a) {
       const auto d = a.add_device("NPU 0");
       two_kinds(a, d, 0, false, 10, 10);
       two_kinds(a, d, 1, true, 9, 10);
     },
     groups, "2", "1", "1"},
    {"group_overlap", 950'000,
     [](memory_activity& a) {
       const auto d = a.add_device("NPU 0");
       two_kinds(a, d, 0, false, 10, 10);
       two_kinds(a, d, 1, true, 9, 11);
     },
     groups, "1", "1", "2"},
    {"cut_step", 800'000,
     [](memory_activity& a) {
       const auto d = a.add_device("NPU 0");
       two_kinds(a, d, 0, true, 4, 4);
       for (int n = 1; n < 4; ++n) two_kinds(a, d, n, false, 5, 5);
     },
     [](const memory_activity&, const bubbles_result& r) { return yes(r.steps[0].cut) + yes(r.steps[3].cut); }, "nono",
     "nono", "yesno"},
    {"structure_gap_factor", 6, holes, parts, "gaps", "gaps", ""},
    {"structure_gap_us", 300 * us, holes, parts, "gaps", "gaps", ""},
    {"pattern_share", 500'000, gap_of(5 * ms), pattern, "internal_bubble", "internal_bubble", "none"},
    {"pattern_gap_us", 5 * ms, gap_of(5 * ms), pattern, "internal_bubble", "internal_bubble", "none"},
    {"mixed_pattern", 800'000,
     [](memory_activity& a) {
       const auto d = a.add_device("NPU 0");
       a.step(1, 0, 20 * ms);
       a.kernel(d, 4 * ms, ms, "A");
       a.kernel(d, 10 * ms, ms, "B");
     },
     pattern, "mixed", "mixed", "internal_bubble"},
    {"inter_step_factor", 3,
     [](memory_activity& a) {
       const auto d = a.add_device("NPU 0");
       for (int n = 0; n < 2; ++n) {
         const std::int64_t at = n * 13 * ms;
         a.step(n, at, at + 10 * ms);
         a.kernel(d, at, 4 * ms, "A");
         a.kernel(d, at + 5 * ms, 5 * ms, "B");
       }
     },
     pattern, "inter_step", "inter_step", "internal_bubble", window_policy::marker},
    {"unit_bound", 500'000, with_unit,
     [](const memory_activity& a, const bubbles_result& r) { return op_named(a, r, "A").bound; }, "compute", "compute",
     "low_utilisation"},
};

struct clock_cell {
  const char* name;
  std::int64_t measured;
  build make;
  const char *below, *at, *above;
};
const clock_cell clock_cells[] = {
    {"parallel", 1'500'000, beside(100 * us, 0, 50 * us), "stream_parallelism", "", ""},
    {"sparse", 500'000, beside(25 * us, 75 * us, 25 * us), "", "", "bubbles"},
    {"wait_danger", 3'000'000, beside(50 * us, 50 * us, 50 * us, 200 * us), "wait_anchor_danger", "", ""},
    {"serial", 100'000, beside(100 * us, 90 * us, 10 * us), "", "clean_serial", "clean_serial"},
};

const threshold_entry& entry(std::string_view name) {
  for (const threshold_entry& e : threshold_table())
    if (e.name == name) return e;
  FAIL("no threshold " << name);
  return threshold_table().front();
}

}  // namespace

TEST_CASE("each threshold decides at exactly its value") {
  for (const cell& c : cells) {
    memory_activity a;
    c.make(a);
    for (const auto& [by, expected] : {std::pair{-1, c.below}, std::pair{0, c.at}, std::pair{1, c.above}}) {
      bubble_options o;
      o.windows = c.windows;
      o.thresholds.*entry(c.name).value = c.measured + by;
      INFO(c.name << ' ' << by);
      CHECK(c.answer(a, look(a, o)) == expected);
    }
  }
}

TEST_CASE("each reading of the four clocks begins at exactly its threshold") {
  for (const clock_cell& c : clock_cells) {
    memory_activity a;
    c.make(a);
    for (const auto& [by, expected] : {std::pair{-1, c.below}, std::pair{0, c.at}, std::pair{1, c.above}}) {
      bubble_options o;
      o.thresholds.*entry(c.name).value = c.measured + by;
      INFO(c.name << ' ' << by);
      const bubbles_result r = look(a, o);
      REQUIRE(r.steps.size() == 1);
      CHECK(std::string(clock_reading(r.steps[0].clocks, o.thresholds)) == expected);
    }
  }
}

TEST_CASE("no threshold is left out, and none changes what another decides") {
  std::set<std::string> named{"rank_disagreement"};  // of the document alone: tests/truth
  for (const cell& c : cells) named.insert(c.name);
  for (const clock_cell& c : clock_cells) named.insert(c.name);
  CHECK(named.size() == threshold_table().size());
  for (const threshold_entry& e : threshold_table()) CHECK(named.count(e.name) == 1);
  // One unit more or less of the usual value of another threshold changes no answer.
  for (const cell& c : cells) {
    memory_activity a;
    c.make(a);
    for (const threshold_entry& other : threshold_table()) {
      if (other.name == std::string_view(c.name)) continue;
      for (const int by : {-1, 1}) {
        bubble_options o;
        o.windows = c.windows;
        o.thresholds.*entry(c.name).value = c.measured;
        const std::string usual = c.answer(a, look(a, o));
        if (o.thresholds.*other.value + by < 0) continue;
        o.thresholds.*other.value += by;
        INFO(c.name << " beside " << other.name << ' ' << by);
        // Some measured values are another threshold's usual one: there the answer may change with either.
        bubble_options plain;
        const bool same_value = plain.thresholds.*other.value == c.measured;
        if (!same_value) CHECK(c.answer(a, look(a, o)) == usual);
      }
    }
  }
}
