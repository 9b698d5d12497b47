// Random activities against the plainest computation: instants of a small clock, looked at one by one.
#include "memory_activity.hpp"

#include <profkit/core/bubbles.hpp>

#include <catch.hpp>

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

namespace {

// Kernels of one device and what each tick of its clock holds.
struct slow_device {
  std::uint32_t at = 0, group = 0;
  ticks time;
  std::vector<kernel_row> rows;  // by start and length, in the order of the file
};

// The rows that ran before an instant, the last to end first; of those that end together the one that comes later.
std::vector<std::uint64_t> rows_before(const slow_device& of, std::int64_t at_ps) {
  std::vector<std::size_t> past;
  for (std::size_t i = 0; i < of.rows.size(); ++i)
    if (of.rows[i].duration_ps > 0 && of.rows[i].start_ps + of.rows[i].duration_ps <= at_ps) past.push_back(i);
  std::sort(past.begin(), past.end(), [&](std::size_t x, std::size_t y) {
    const std::int64_t x_end = of.rows[x].start_ps + of.rows[x].duration_ps,
                       y_end = of.rows[y].start_ps + of.rows[y].duration_ps;
    return x_end != y_end ? x_end > y_end : x > y;
  });
  std::vector<std::uint64_t> found;
  for (std::size_t i = 0; i < past.size() && i < max_context; ++i) found.push_back(of.rows[past[i]].source_row);
  return found;
}

// The first rows that start from an instant on and before another.
std::vector<std::uint64_t> rows_behind(const slow_device& of, std::int64_t at_ps, std::int64_t until_ps) {
  std::vector<std::uint64_t> found;
  for (const kernel_row& k : of.rows)
    if (k.duration_ps > 0 && k.start_ps >= at_ps && k.start_ps < until_ps && found.size() < max_context)
      found.push_back(k.source_row);
  return found;
}

std::vector<std::uint64_t> rows_of(const std::array<kernel_row, max_context>& rows, std::size_t count) {
  std::vector<std::uint64_t> found;
  for (std::size_t i = 0; i < count; ++i) found.push_back(rows[i].source_row);
  return found;
}

}  // namespace

// Three devices, two of them of one host, whose clocks begin anywhere.
TEST_CASE("random steps equal the instants they are made of") {
  std::mt19937 random(20261121);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 250; ++round) {
    const std::int64_t zero = std::array<std::int64_t, 3>{0, -in_ps(333), in_ps(1'000'000)}[static_cast<std::size_t>(round % 3)];
    const auto at_ps = [&](std::int64_t n) { return zero + in_ps(n); };
    memory_activity a;
    std::array<slow_device, 3> devices;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      slow_device& d = devices[i];
      d.group = i == 2 ? 1 : 0;
      d.at = a.add_device("NPU " + std::to_string(i), accelerator::npu, d.group);
      for (int k = 1 + upto(50); k > 0; --k) {
        const int at = upto(length), duration = std::min(upto(4) == 0 ? upto(80) : upto(8), length - at);
        const auto kind = static_cast<kernel_class>(upto(5));
        a.kernel(d.at, at_ps(at), in_ps(duration), "K" + std::to_string(upto(4)), kind, static_cast<std::uint16_t>(upto(2)));
        for (int x = at; x < at + duration; ++x)
          d.time.bits[static_cast<std::size_t>(x)] |= 1U << static_cast<unsigned>(kind);
      }
      d.rows = a.kernels(d.at);
      std::stable_sort(d.rows.begin(), d.rows.end(), [](const kernel_row& x, const kernel_row& y) {
        return std::tie(x.start_ps, x.duration_ps) < std::tie(y.start_ps, y.duration_ps);
      });
    }
    std::array<std::vector<std::pair<int, int>>, 2> windows;  // of each host
    for (std::uint32_t group = 0; group < 2; ++group) {
      std::set<int> edges{upto(40), length};
      for (int i = upto(6); i >= 0; --i) edges.insert(upto(length));
      for (auto e = edges.begin(); std::next(e) != edges.end(); ++e) {
        // Some windows leave a hole behind them.
        const int end = *std::next(e) - (upto(3) == 0 ? std::min(upto(10), *std::next(e) - *e - 1) : 0);
        windows[group].push_back({*e, end});
        a.step(static_cast<std::int64_t>(windows[group].size()), at_ps(*e), at_ps(end), -1, marker_source::profiler_step,
               group);
      }
      for (int span = upto(30); span >= 0; --span) {
        const int at = upto(length);
        a.host(at_ps(at), in_ps(1 + std::min(upto(60), length - at)), upto(4) == 0 ? "aten::to" : "op",
               static_cast<std::uint32_t>(upto(3)), group);
      }
    }
    bubble_options o;
    o.windows = window_policy::marker;
    o.thresholds.reportable_gap_ps = 1;
    const auto found = find_bubbles(a, o);
    REQUIRE(found);
    const bubbles_result& r = *found;
    REQUIRE(r.steps.size() == 2 * windows[0].size() + windows[1].size());
    std::size_t of_steps = 0, at_step = 0;
    for (const slow_device& d : devices) {
      const std::size_t first_step = at_step;
      for (const auto& [from, to] : windows[d.group]) {
        const bubble_step& s = r.steps[at_step++];
        const slow_step w = slow(d.time, from, to);
        INFO("round " << round << " device " << d.at << " step " << s.id);
        CHECK(s.device == d.at);
        CHECK(s.start_ps == at_ps(from));
        CHECK(s.end_ps == at_ps(to));
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
        CHECK(s.reportable == static_cast<std::uint64_t>(w.count + (w.prelaunch > 0 ? 1 : 0) + (w.tail > 0 ? 1 : 0)));
        of_steps += static_cast<std::size_t>(s.reportable);
      }
      // Every gap is idle throughout, with the right kernels on both sides, and its evidence is what its host did in it.
      for (const bubble& b : r.bubbles) {
        if (b.device != d.at) continue;
        INFO("round " << round << " device " << d.at << " gap at " << b.start_ps);
        const auto first = static_cast<int>((b.start_ps - zero) / tick), behind = static_cast<int>((b.end_ps - zero) / tick);
        for (int x = first; x < behind; ++x) CHECK(d.time.bits[static_cast<std::size_t>(x)] == 0);
        CHECK(rows_of(b.before, b.before_count) == rows_before(d, b.start_ps));
        // What comes behind a gap is looked for until the step at hand ends.
        std::int64_t until = INT64_MAX;
        for (const auto& [from, to] : windows[d.group])
          if (at_ps(to) > (b.step < 0 ? b.end_ps : b.start_ps)) until = std::min(until, at_ps(to));
        if (b.step >= 0) {
          CHECK(static_cast<std::size_t>(b.step) >= first_step);
          until = r.steps[static_cast<std::size_t>(b.step)].end_ps;
        }
        CHECK(rows_of(b.after, b.after_count) ==
              (b.scope == bubble_scope::tail ? std::vector<std::uint64_t>() : rows_behind(d, b.end_ps, until)));
        std::int64_t host = 0, sync = 0, threads = 0;
        for (int x = first; x < behind; ++x) {
          std::set<std::uint32_t> on;
          bool syncs = false;
          for (const host_span& s : a.spans(d.group)) {
            if (s.start_ps > at_ps(x) || s.start_ps + s.duration_ps <= at_ps(x)) continue;
            on.insert(s.thread);
            syncs = syncs || a.text(s.name) == "aten::to";
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
    std::set<std::tuple<std::uint32_t, std::int64_t, std::int64_t>> gaps;
    for (const bubble& b : r.bubbles)
      if (!b.inter_step) CHECK(gaps.insert({b.device, b.start_ps, b.end_ps}).second);
    CHECK(static_cast<std::size_t>(std::count_if(r.bubbles.begin(), r.bubbles.end(),
                                                 [](const bubble& b) { return b.step >= 0; })) == of_steps);
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
