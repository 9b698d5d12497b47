// Random modules against the plainest replay and sweep that can be written.
#include <profkit/core/memory.hpp>

#include <catch.hpp>

#include "hlo_builder.hpp"

#include <algorithm>
#include <optional>
#include <map>
#include <random>
#include <set>

using namespace profkit;
using namespace profkit::test;

namespace {

using generator = std::mt19937_64;
std::int64_t below(generator& r, std::int64_t n) {
  return static_cast<std::int64_t>(r() % static_cast<std::uint64_t>(n));
}

// A program of n values: value i has id i + 10, is defined by instruction i + 1 and reads two earlier ones.
struct random_program {
  module_parts parts;
  std::vector<std::int64_t> sizes, offsets, last_use;
  std::int64_t pool_bytes = 0;
};

random_program make_program(generator& r, std::int64_t n) {
  random_program p;
  std::vector<message> code;
  std::vector<std::int64_t> order;
  std::vector<assigned> places;
  p.last_use.resize(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<std::int64_t> operands;
    for (int k = 0; k < 2 && i > 0; ++k) operands.push_back(below(r, i) + 1);
    code.push_back(instruction(i + 1, "op" + std::to_string(i), i == 0 ? "parameter" : "add", operands));
    order.push_back(i + 1);
    p.last_use[static_cast<std::size_t>(i)] = i;
    for (const std::int64_t o : operands) p.last_use[static_cast<std::size_t>(o - 1)] = i;
    p.sizes.push_back(below(r, 5) == 0 ? 0 : below(r, 1000));
    p.offsets.push_back(below(r, 2000));
    p.parts.buffers.push_back(logical_buffer(i + 10, p.sizes.back(), i + 1));
    places.push_back({i + 10, p.offsets.back(), p.sizes.back()});
    p.pool_bytes = std::max(p.pool_bytes, p.offsets.back() + p.sizes.back());
  }
  p.last_use.back() = n - 1;
  p.parts.computations = {computation(1, "main", code, n)};
  p.parts.sequences = {sequence(1, order)};
  p.parts.allocations = {allocation(0, p.pool_bytes, temporary, places)};
  return p;
}

struct plain_replay {
  std::int64_t peak = 0, event = -1;
  std::vector<std::int64_t> alive;  // ids at the peak, sorted
  std::vector<std::int64_t> curve;
  struct hold {
    std::int64_t buffer, root, from, to;  // events; -1: to the end
  };
  std::vector<hold> holds;
};

// Adds a sound trace to a program: everything is freed as often as it is taken, and sharing makes no circles.
plain_replay add_trace(generator& r, random_program& p) {
  plain_replay out;
  std::vector<message> trace;
  const auto n = static_cast<std::int64_t>(p.sizes.size());
  std::vector<std::int64_t> root(p.sizes.size()), count(p.sizes.size(), 0), taken;
  std::vector<bool> used(p.sizes.size(), false);
  for (std::int64_t i = 0; i < n; ++i) root[static_cast<std::size_t>(i)] = i;
  std::int64_t live = 0;
  for (std::int64_t step = 0; step < 4 * n; ++step) {
    const std::int64_t b = below(r, n);
    const auto at = static_cast<std::size_t>(b);
    if (!used[at]) {
      used[at] = true;
      taken.push_back(b);
      const std::int64_t with = taken[static_cast<std::size_t>(below(r, static_cast<std::int64_t>(taken.size())))];
      if (with != b && below(r, 3) == 0) {
        root[at] = root[static_cast<std::size_t>(with)];
        trace.push_back(heap_event(share, b + 10, with + 10, "op" + std::to_string(b)));
      } else {
        trace.push_back(heap_event(alloc, b + 10, 0, "op" + std::to_string(b)));
      }
      const auto of = static_cast<std::size_t>(root[at]);
      if (++count[of] == 1) live += p.sizes[of];
      out.holds.push_back({b, root[at], static_cast<std::int64_t>(trace.size()) - 1, -1});
    } else if (const auto held = std::find(taken.begin(), taken.end(), b);
               held != taken.end() && count[static_cast<std::size_t>(root[at])] > 0) {
      // A buffer that others share with is given back by each of them once.
      taken.erase(held);
      const auto of = static_cast<std::size_t>(root[at]);
      trace.push_back(heap_event(free_, b + 10));
      if (--count[of] == 0) live -= p.sizes[of];
      for (plain_replay::hold& h : out.holds)
        if (h.buffer == b) h.to = static_cast<std::int64_t>(trace.size()) - 1;
    } else {
      continue;
    }
    out.curve.push_back(live);
    if (live <= out.peak) continue;
    out.peak = live;
    out.event = static_cast<std::int64_t>(trace.size()) - 1;
    out.alive.clear();
    for (std::size_t i = 0; i < count.size(); ++i)
      if (count[i] > 0) out.alive.push_back(static_cast<std::int64_t>(i) + 10);
  }
  p.parts.traces = {heap_trace(trace, 77)};  // an index that leads nowhere, as in real files
  return out;
}

// The peak when one buffer holds its memory only when it is made and just before it is given back.
std::int64_t peak_without(const random_program& p, const plain_replay& truth, std::int64_t buffer) {
  std::int64_t peak = 0;
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(truth.curve.size()); ++at) {
    std::set<std::int64_t> roots;
    for (const plain_replay::hold& h : truth.holds) {
      if (at < h.from || (h.to >= 0 && at >= h.to)) continue;
      if (h.buffer == buffer && h.to >= 0 && at != h.from && at != h.to - 1) continue;
      roots.insert(h.root);
    }
    std::int64_t live = 0;
    for (const std::int64_t root : roots) live += p.sizes[static_cast<std::size_t>(root)];
    peak = std::max(peak, live);
  }
  return peak;
}

memory_result analysed(const std::string& text, const memory_options& o) {
  const auto opened = profile::open_buffer(text, "random.hlo_proto.pb");
  REQUIRE(opened.ok());
  auto found = analyse_memory(trace(**opened), o);
  REQUIRE(found.ok());
  REQUIRE(found->hlo);
  for (const memory_invariant& i : found->invariants) {
    INFO(i.id << ": " << i.left << " against " << i.right);
    CHECK(i.holds == (i.id[0] == 'H' ? std::optional(true) : std::nullopt));  // there is no run time
  }
  return *found;
}

}  // namespace

TEST_CASE("random heap traces: peak, event, alive set, curve and what-if") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    generator r(seed);
    random_program p = make_program(r, 2 + below(r, 60));
    const plain_replay truth = add_trace(r, p);
    const std::string text = p.parts.text();
    memory_options o;
    o.top = static_cast<std::uint64_t>(below(r, 10));
    o.curve_points = 2 + static_cast<std::uint64_t>(below(r, 100));
    const std::int64_t left_out = below(r, static_cast<std::int64_t>(p.sizes.size()));
    o.remat = {"op" + std::to_string(left_out)};
    const memory_result found = analysed(text, o);
    const space_memory& s = *found.modules[0].space(0);
    CHECK(s.method == peak_method::heap_replay);
    CHECK(s.temp_peak_bytes == truth.peak);
    CHECK(s.peak_event == truth.event);
    CHECK(s.temp_floor_bytes == *std::min_element(truth.curve.begin(), truth.curve.end()));
    std::vector<std::int64_t> alive;
    for (const buffer_row& b : found.hlo->alive) alive.push_back(b.logical_buffer_id);
    std::sort(alive.begin(), alive.end());
    CHECK(alive == truth.alive);
    const live_curve& c = *found.hlo->curve;
    CHECK(c.n_events == truth.curve.size());
    CHECK(c.points.size() <= o.curve_points);
    std::int64_t most = 0;
    for (const curve_point& point : c.points) {
      CHECK(point.live_bytes == truth.curve[static_cast<std::size_t>(point.event)]);
      most = std::max(most, point.live_bytes);
    }
    CHECK(most == truth.peak);
    const what_if_result& w = found.hlo->what_if[0];
    CHECK(w.before_bytes == truth.peak);
    CHECK(w.after_bytes == peak_without(p, truth, left_out));
  }
}

TEST_CASE("random schedules without a trace: bytes of addresses in use at once") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    generator r(seed);
    const random_program p = make_program(r, 2 + below(r, 60));
    std::int64_t peak = 0, position = -1;
    for (std::size_t at = 0; at < p.sizes.size(); ++at) {
      std::set<std::int64_t> in_use;
      for (std::size_t b = 0; b <= at; ++b)
        if (p.last_use[b] >= static_cast<std::int64_t>(at))
          for (std::int64_t byte = 0; byte < p.sizes[b]; ++byte) in_use.insert(p.offsets[b] + byte);
      if (static_cast<std::int64_t>(in_use.size()) <= peak) continue;
      peak = static_cast<std::int64_t>(in_use.size());
      position = static_cast<std::int64_t>(at);
    }
    memory_options o;
    o.curve_points = 1000;
    const memory_result found = analysed(p.parts.text(), o);
    const space_memory& s = *found.modules[0].space(0);
    CHECK(s.temp_peak_bytes == peak);
    CHECK(s.peak_event == position);
    if (peak > 0) CHECK(s.method == peak_method::schedule_sweep);
    CHECK(found.hlo->sweep.peak_alive_bytes == peak);  // the entry computation is all there is
  }
}
