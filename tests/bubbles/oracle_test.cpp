// Random activities against the plainest computation: instants of a small clock, looked at one by one.
#include "memory_activity.hpp"

#include <profkit/core/bubbles.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <random>
#include <set>
#include <tuple>
#include <vector>

using namespace profkit;
using namespace profkit::test;

namespace {

constexpr int length = 400;        // ticks of the clock
constexpr std::int64_t tick = us;  // so that no gap is reportable unless asked for

struct ticks {
  std::array<unsigned, length> bits{};  // by class, of each tick
};

std::int64_t in_ps(std::int64_t n) { return n * tick; }

struct slow_step {
  std::int64_t busy = 0, prelaunch = 0, tail = 0, internal = 0, largest = 0, count = 0;
  step_breakdown parts;
};

slow_step slow(const ticks& t, int from, int to) {
  slow_step s;
  int first = -1, last = -1;
  for (int i = from; i < to; ++i) {
    const unsigned bits = t.bits[static_cast<std::size_t>(i)];
    const bool compute = (bits & 3U) != 0, comm = (bits & 4U) != 0, copy = (bits & 8U) != 0;
    if (bits == 0) {
      ++s.parts.idle_ps;
      continue;
    }
    ++s.busy;
    if (first < 0) first = i;
    if (last >= 0 && last + 1 < i) {
      s.internal += i - last - 1;
      s.largest = std::max<std::int64_t>(s.largest, i - last - 1);
      ++s.count;
    }
    last = i;
    if (compute && comm)
      ++s.parts.comm_overlapped_ps;
    else if (compute)
      ++s.parts.compute_only_ps;
    else if (comm)
      ++s.parts.comm_exposed_ps;
    else if (copy)
      ++s.parts.copy_ps;
    else
      ++s.parts.other_ps;
  }
  s.prelaunch = first < 0 ? to - from : first - from;
  s.tail = first < 0 ? 0 : to - last - 1;
  return s;
}

}  // namespace

TEST_CASE("random steps equal the instants they are made of") {
  std::mt19937 random(20261121);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 400; ++round) {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    ticks t;
    const int kernels = upto(60);
    std::set<int> starts;
    for (int i = 0; i < kernels; ++i) {
      const int at = upto(length), duration = std::min(upto(4) == 0 ? upto(80) : upto(8), length - at);
      const auto kind = static_cast<kernel_class>(upto(5));
      a.kernel(d, in_ps(at), in_ps(duration), "K" + std::to_string(upto(4)), kind, static_cast<std::uint16_t>(upto(2)));
      starts.insert(at);
      for (int x = at; x < at + duration; ++x) t.bits[static_cast<std::size_t>(x)] |= 1U << static_cast<unsigned>(kind);
    }
    std::set<int> edges{upto(40)};
    for (int i = upto(6); i >= 0; --i) edges.insert(upto(length));
    edges.insert(length);
    std::vector<std::pair<int, int>> windows;
    for (auto e = edges.begin(); std::next(e) != edges.end(); ++e) {
      // Some windows leave a hole behind them.
      const int end = *std::next(e) - (upto(3) == 0 ? std::min(upto(10), *std::next(e) - *e - 1) : 0);
      windows.push_back({*e, end});
      a.step(static_cast<std::int64_t>(windows.size()), in_ps(*e), in_ps(end));
    }
    bubble_options o;
    o.windows = window_policy::marker;
    o.thresholds.reportable_gap_ps = 1;
    for (int span = upto(30); span > 0; --span) {
      const int at = upto(length);
      a.host(in_ps(at), in_ps(std::min(upto(60), length - at)), upto(4) == 0 ? "aten::to" : "op",
             static_cast<std::uint32_t>(upto(3)));
    }
    a.trace();
    const auto found = find_bubbles(a, o);
    REQUIRE(found);
    const bubbles_result& r = *found;
    if (kernels == 0) {
      CHECK(r.steps.empty());
      continue;
    }
    REQUIRE(r.steps.size() == windows.size());
    std::set<std::pair<std::int64_t, std::int64_t>> gaps;
    for (const bubble& b : r.bubbles)
      if (!b.inter_step) CHECK(gaps.insert({b.start_ps, b.end_ps}).second);
    std::size_t of_steps = 0;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const bubble_step& s = r.steps[i];
      const slow_step w = slow(t, windows[i].first, windows[i].second);
      INFO("round " << round << " step " << i);
      CHECK(s.start_ps == in_ps(windows[i].first));
      CHECK(s.end_ps == in_ps(windows[i].second));
      CHECK(s.busy_ps == in_ps(w.busy));
      CHECK(s.prelaunch_ps == in_ps(w.prelaunch));
      CHECK(s.tail_ps == in_ps(w.tail));
      CHECK(s.internal_total_ps == in_ps(w.internal));
      CHECK(s.largest_internal_ps == in_ps(w.largest));
      CHECK(s.bubble_count == static_cast<std::uint64_t>(w.count));
      CHECK(s.breakdown.compute_only_ps == in_ps(w.parts.compute_only_ps));
      CHECK(s.breakdown.comm_exposed_ps == in_ps(w.parts.comm_exposed_ps));
      CHECK(s.breakdown.comm_overlapped_ps == in_ps(w.parts.comm_overlapped_ps));
      CHECK(s.breakdown.copy_ps == in_ps(w.parts.copy_ps));
      CHECK(s.breakdown.other_ps == in_ps(w.parts.other_ps));
      CHECK(s.breakdown.idle_ps == in_ps(w.parts.idle_ps));
      CHECK(s.busy_ps + s.prelaunch_ps + s.tail_ps + s.internal_total_ps == s.service_ps());
      CHECK(s.breakdown.sum_ps() == s.service_ps());
      CHECK(s.reportable == static_cast<std::uint64_t>(w.count + (w.prelaunch > 0 ? 1 : 0) + (w.tail > 0 ? 1 : 0)));
      of_steps += static_cast<std::size_t>(s.reportable);
    }
    CHECK(static_cast<std::size_t>(std::count_if(r.bubbles.begin(), r.bubbles.end(),
                                                 [](const bubble& b) { return b.step >= 0; })) == of_steps);
    // Every gap is idle throughout, with the right kernels on both sides, and its evidence is what the host did in it.
    for (const bubble& b : r.bubbles) {
      const auto first = static_cast<int>(b.start_ps / tick), behind = static_cast<int>(b.end_ps / tick);
      for (int x = first; x < behind; ++x) CHECK(t.bits[static_cast<std::size_t>(x)] == 0);
      std::int64_t latest = -1, next = INT64_MAX;
      for (const kernel_row& k : a.kernels(d)) {
        if (k.duration_ps == 0) continue;
        if (k.start_ps + k.duration_ps <= b.start_ps) latest = std::max(latest, k.start_ps + k.duration_ps);
        if (k.start_ps >= b.end_ps) next = std::min(next, k.start_ps);
      }
      if (latest >= 0) CHECK((b.before_count > 0 && b.before[0].start_ps + b.before[0].duration_ps == latest));
      if (b.after_count > 0 && b.scope != bubble_scope::tail) CHECK(b.after[0].start_ps == next);
      if (b.scope == bubble_scope::step_internal) CHECK((b.after_count > 0 && b.before_count > 0));
      std::int64_t host = 0, sync = 0, threads = 0;
      for (int x = first; x < behind; ++x) {
        std::set<std::uint32_t> on;
        bool syncs = false;
        if (a.has_host_spans(0) && !a.all_markers().empty()) {
          static const std::vector<host_span> none;
          const std::vector<host_span>* all = &none;
          try {
            all = &a.spans();
          } catch (const std::out_of_range&) {}
          for (const host_span& s : *all) {
            if (s.start_ps > in_ps(x) || s.start_ps + s.duration_ps <= in_ps(x)) continue;
            on.insert(s.thread);
            syncs = syncs || a.text(s.name) == "aten::to";
          }
        }
        host += on.empty() ? 0 : 1;
        threads += static_cast<std::int64_t>(on.size());
        sync += syncs ? 1 : 0;
      }
      CHECK(b.host.host_ps == in_ps(host));
      CHECK(b.host.sync_ps == in_ps(sync));
      CHECK(b.host.threads_ps == in_ps(threads));
    }
  }
}

// What is summed on the way does not depend on which gaps somebody asks for.
TEST_CASE("gaps that nobody asks for are summed like the others") {
  std::mt19937 random(1122);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 60; ++round) {
    memory_activity a;
    const auto d = a.add_device("NPU 0");
    const int classes = 1 + round % 5;
    std::int64_t at = upto(50);
    for (int i = 0; i < 600; ++i) {
      const int duration = upto(5) == 0 ? upto(60) : upto(9);
      kernel_row& k =
          a.kernel(d, in_ps(at), in_ps(duration), "K" + std::to_string(upto(4)),
                   static_cast<kernel_class>(upto(4) == 0 ? upto(classes) : 0), static_cast<std::uint16_t>(upto(2)));
      if (upto(9) == 0) k.wait_ps = in_ps(upto(30));
      if (i % 97 == 0 && round % 3 != 0) a.step(i / 97, in_ps(at - upto(5)), in_ps(at + 300));
      at += std::max(duration + upto(12) - 6, 0) + (upto(80) == 0 ? 300 : 0);
    }
    bubble_options all, few;
    all.windows = few.windows = round % 2 == 0 ? window_policy::marker : window_policy::guide;
    all.thresholds.reportable_gap_ps = 1;
    few.thresholds.reportable_gap_ps = in_ps(200);
    const auto slowly = find_bubbles(a, all);
    a.batch = static_cast<std::size_t>(1 + round % 4 * 99);
    const auto fast = find_bubbles(a, few);
    REQUIRE((slowly && fast));
    INFO("round " << round);
    const device_gaps &x = slowly->devices[0], &y = fast->devices[0];
    CHECK(x.gaps > 50);
    CHECK(std::tie(x.gaps, x.largest_ps, x.top, x.busy_ps, x.last_ps, x.kernels_after_steps, x.kernels_between_steps) ==
          std::tie(y.gaps, y.largest_ps, y.top, y.busy_ps, y.last_ps, y.kernels_after_steps, y.kernels_between_steps));
    REQUIRE(slowly->steps.size() == fast->steps.size());
    for (std::size_t i = 0; i < fast->steps.size(); ++i) {
      const bubble_step &s = slowly->steps[i], &f = fast->steps[i];
      const step_breakdown &p = s.breakdown, &q = f.breakdown;
      CHECK(
          std::tie(s.busy_ps, s.prelaunch_ps, s.tail_ps, s.internal_total_ps, s.largest_internal_ps, s.bubble_count) ==
          std::tie(f.busy_ps, f.prelaunch_ps, f.tail_ps, f.internal_total_ps, f.largest_internal_ps, f.bubble_count));
      CHECK(std::tie(p.compute_only_ps, p.comm_exposed_ps, p.comm_overlapped_ps, p.copy_ps, p.other_ps, p.idle_ps) ==
            std::tie(q.compute_only_ps, q.comm_exposed_ps, q.comm_overlapped_ps, q.copy_ps, q.other_ps, q.idle_ps));
      CHECK(std::tie(s.kernels, s.streams, s.duration_sum_ps, s.wait_sum_ps, s.polluted_wait_ps, s.straddled) ==
            std::tie(f.kernels, f.streams, f.duration_sum_ps, f.wait_sum_ps, f.polluted_wait_ps, f.straddled));
      CHECK(std::tie(s.clocks.kernels, s.clocks.wall_ps, s.clocks.busy_union_ps, s.clocks.total_cost_ps) ==
            std::tie(f.clocks.kernels, f.clocks.wall_ps, f.clocks.busy_union_ps, f.clocks.total_cost_ps));
    }
    // The kernels around what is asked for.
    std::size_t shared = 0;
    for (const bubble& f : fast->bubbles)
      for (const bubble& s : slowly->bubbles) {
        if (std::tie(s.start_ps, s.end_ps, s.scope) != std::tie(f.start_ps, f.end_ps, f.scope)) continue;
        ++shared;
        const auto rows = [](const auto& kernels, std::size_t count) {
          std::vector<std::uint64_t> of;
          for (std::size_t i = 0; i < count; ++i) of.push_back(kernels[i].source_row);
          return of;
        };
        CHECK(rows(s.before, s.before_count) == rows(f.before, f.before_count));
        CHECK(rows(s.after, s.after_count) == rows(f.after, f.after_count));
      }
    CHECK(shared >= fast->bubbles.size());
    REQUIRE(slowly->ops.size() == fast->ops.size());
    for (std::size_t i = 0; i < fast->ops.size(); ++i) {
      const bubble_op &s = slowly->ops[i], &f = fast->ops[i];
      CHECK(std::tie(s.op_type, s.calls, s.gaps_before, s.gap_before_ps, s.largest_gap_before_ps) ==
            std::tie(f.op_type, f.calls, f.gaps_before, f.gap_before_ps, f.largest_gap_before_ps));
      CHECK(std::tie(s.duration_ps, s.wait_ps, s.polluted_wait_ps) ==
            std::tie(f.duration_ps, f.wait_ps, f.polluted_wait_ps));
    }
    // Kernels on AI CPUs are told by what passes.
    REQUIRE(slowly->aicpu_ops.size() == fast->aicpu_ops.size());
    for (std::size_t i = 0; i < fast->aicpu_ops.size(); ++i)
      CHECK(slowly->aicpu_ops[i].masked_ps == fast->aicpu_ops[i].masked_ps);
  }
}
