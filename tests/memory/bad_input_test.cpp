// Broken HloProtos: a precise problem or fault each, never a wrong number told as right.
#include <profkit/core/memory.hpp>

#include <catch.hpp>

#include "hlo_builder.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <string>
#include <utility>

using namespace profkit;
using namespace profkit::test;

namespace {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

// The names in the result are spans of the bytes, so these are kept.
module_memory analysed(std::string bytes) {
  static std::deque<std::string> kept;
  auto m = analyse_hlo_memory(kept.emplace_back(std::move(bytes)));
  REQUIRE(m.ok());
  return *m;
}
bool has_problem(const module_memory& m, const std::string& id) {
  return std::any_of(m.problems.begin(), m.problems.end(), [&](const memory_problem& p) { return p.id == id; });
}

// a = parameter; b = add(a); c = multiply(b); temp pool with b and c.
module_parts sound() {
  module_parts p;
  p.computations = {computation(1, "main",
                                {instruction(1, "a", "parameter"), instruction(2, "b", "add", {1}, {}, "jit/add"),
                                 instruction(3, "c", "multiply", {2}), instruction(4, "d", "negate", {3})},
                                4)};
  p.sequences = {sequence(1, {1, 2, 3, 4})};
  p.buffers = {logical_buffer(10, 16, 1), logical_buffer(11, 100, 2), logical_buffer(12, 50, 3),
               logical_buffer(13, 16, 4)};
  p.allocations = {allocation(0, 16, parameter, {{10, 0, 16}}), allocation(1, 16, live_out, {{13, 0, 16}}),
                   allocation(2, 192, temporary, {{11, 0, 100}, {12, 128, 50}})};
  p.traces = {heap_trace(
      {heap_event(alloc, 11, 0, "b"), heap_event(alloc, 12, 0, "c"), heap_event(free_, 11), heap_event(free_, 12)}, 2)};
  return p;
}

}  // namespace

TEST_CASE("a sound module: heap replay, floor, fragmentation") {
  const module_memory m = analysed(sound().text());
  CHECK(m.problems.empty());
  CHECK_FALSE(m.damage);
  const space_memory* s = m.space(0);
  REQUIRE(s);
  CHECK(s->total_bytes == 224);
  CHECK(s->peak_bytes == 182);
  CHECK(s->peak_event == 1);
  CHECK(s->peak_instruction == "c");
  CHECK(s->indefinite_bytes == 32);
  CHECK(s->fragmentation_bytes == 42);
  CHECK(s->temp_floor_bytes == 0);
  CHECK(s->residency_floor_bytes == 32);
  CHECK(s->method == peak_method::heap_replay);
  CHECK(s->bound == peak_bound::exact);
}

TEST_CASE("without a trace the schedule is swept, with a bound and a reason") {
  module_parts p = sound();
  p.traces.clear();
  const module_memory m = analysed(p.text());
  const space_memory* s = m.space(0);
  CHECK(s->method == peak_method::schedule_sweep);
  CHECK(s->temp_peak_bytes == 150);  // b and c at c
  CHECK(s->peak_event == 2);
  CHECK(s->bound == peak_bound::lower);
  CHECK_FALSE(s->bound_reason.empty());
  CHECK(s->memory_viewer_peak_bytes == 32);

  p.sequences.clear();
  const module_memory unscheduled = analysed(p.text());
  CHECK(unscheduled.space(0)->method == peak_method::allocation_sizes);
  CHECK(unscheduled.space(0)->bound == peak_bound::upper);
  CHECK(unscheduled.space(0)->temp_peak_bytes == 192);
}

TEST_CASE("buffers of loop bodies are swept inside the loop") {
  module_parts p;
  p.computations = {computation(2, "body", {instruction(20, "p", "parameter"), instruction(21, "x", "add", {20})}, 21),
                    computation(1, "main",
                                {instruction(1, "a", "parameter"), instruction(2, "w", "while", {1}, {2}),
                                 instruction(3, "r", "negate", {2})},
                                3)};
  p.sequences = {sequence(1, {1, 2, 3}), sequence(2, {20, 21})};
  p.buffers = {logical_buffer(11, 1000, 21), logical_buffer(12, 64, 2)};
  p.allocations = {allocation(0, 2048, temporary, {{11, 0, 1000}, {12, 1024, 64}})};
  const module_memory m = analysed(p.text());
  CHECK(m.space(0)->method == peak_method::schedule_sweep);
  CHECK(m.space(0)->temp_peak_bytes == 1000);
  CHECK(m.space(0)->peak_instruction == "x");
}

TEST_CASE("an allocation index that does not exist is told and not used") {
  module_parts p = sound();
  p.traces = {heap_trace({heap_event(alloc, 11), heap_event(free_, 11)}, 99)};
  const module_memory m = analysed(p.text());
  CHECK(has_problem(m, "hlo.allocation_index_out_of_range"));
  CHECK(m.space(0)->temp_peak_bytes == 100);
}

TEST_CASE("an allocation index that is not the position") {
  module_parts p = sound();
  p.allocations[2] = allocation(40, 192, temporary, {{11, 0, 100}, {12, 128, 50}});
  const module_memory m = analysed(p.text());
  CHECK(has_problem(m, "hlo.index_is_not_position"));
  CHECK(m.space(0)->temp_pool_index == 40);
  CHECK(m.space(0)->peak_bytes == 182);
}

TEST_CASE("buffers without definition, negative and duplicate ids") {
  module_parts p = sound();
  p.buffers.push_back(message().varint(1, 50).varint(2, 8));
  p.buffers.push_back(logical_buffer(51, 8, 999));
  p.buffers.push_back(logical_buffer(-3, 8, 2));
  p.buffers.push_back(logical_buffer(11, 100, 2));
  const module_memory m = analysed(p.text());
  CHECK(has_problem(m, "hlo.buffer_without_definition"));
  CHECK(has_problem(m, "hlo.negative_id"));
  CHECK(has_problem(m, "hlo.duplicate_id"));
  CHECK(m.space(0)->peak_bytes == 182);
}

TEST_CASE("sizes that do not add up in 64 bits, and negative ones") {
  module_parts p = sound();
  p.allocations.push_back(allocation(3, huge, live_out, {{13, 0, 16}}));
  p.allocations.push_back(allocation(4, huge, temporary, {}));
  module_memory m = analysed(p.text());
  CHECK(has_problem(m, "hlo.size_overflow"));
  CHECK(m.space(0)->total_bytes == huge);
  CHECK(m.space(0)->peak_bytes == huge);

  p = sound();
  p.buffers = {logical_buffer(11, huge, 2), logical_buffer(12, huge, 3)};
  m = analysed(p.text());
  CHECK(has_problem(m, "hlo.size_overflow"));
  CHECK(m.space(0)->bound == peak_bound::lower);

  p = sound();
  p.allocations[2] = allocation(2, -192, temporary, {{11, 0, 100}, {12, 128, 50}});
  CHECK(has_problem(analysed(p.text()), "hlo.negative_size"));
}

TEST_CASE("heap traces that make no sense") {
  module_parts p = sound();
  p.traces = {heap_trace({heap_event(alloc, 11), heap_event(share, 12, 11), heap_event(share, 11, 12),
                          heap_event(free_, 11), heap_event(free_, 12)},
                         2)};
  module_memory m = analysed(p.text());
  CHECK(has_problem(m, "hlo.share_with_cycle"));
  CHECK(m.space(0)->temp_peak_bytes == 100);

  p.traces = {
      heap_trace({heap_event(free_, 11), heap_event(alloc, 12), heap_event(free_, 12), heap_event(free_, 12)}, 2)};
  m = analysed(p.text());
  CHECK(has_problem(m, "hlo.free_without_alloc"));
  CHECK(m.space(0)->temp_peak_bytes == 50);

  p.traces = {
      heap_trace({heap_event(alloc, 11), heap_event(alloc, 11), heap_event(free_, 11), heap_event(free_, 11)}, 2)};
  m = analysed(p.text());
  CHECK(has_problem(m, "hlo.allocated_twice"));
  CHECK(m.space(0)->temp_peak_bytes == 100);

  p.traces = {heap_trace({heap_event(alloc, 11), heap_event(alloc, 777), heap_event(share, 12, 888)}, 2)};
  m = analysed(p.text());
  CHECK(has_problem(m, "hlo.event_of_unassigned_buffer"));
  CHECK(has_problem(m, "hlo.unknown_buffer"));
  CHECK(m.space(0)->bound == peak_bound::lower);
}

TEST_CASE("a buffer that shares memory counts once, and again when it outlives the first") {
  module_parts p = sound();
  p.traces = {heap_trace({heap_event(alloc, 11), heap_event(share, 12, 11), heap_event(free_, 11),
                          heap_event(free_, 12), heap_event(share, 12, 11), heap_event(free_, 12)},
                         2)};
  const module_memory m = analysed(p.text());
  CHECK(m.space(0)->temp_peak_bytes == 100);
  CHECK(m.space(0)->peak_event == 0);
  CHECK(m.space(0)->temp_floor_bytes == 0);
}

TEST_CASE("a buffer outside its allocation") {
  module_parts p = sound();
  p.allocations[2] = allocation(2, 192, temporary, {{11, 150, 100}, {12, -5, 50}});
  p.traces.clear();
  const module_memory m = analysed(p.text());
  CHECK(has_problem(m, "hlo.buffer_outside_allocation"));
  CHECK(m.space(0)->temp_peak_bytes <= 192);
}

TEST_CASE("a module without a buffer assignment") {
  const module_memory m = analysed(message().sub(1, message().bytes(1, "jit_early").varint(5, 3)).text());
  CHECK(m.name == "jit_early");
  CHECK_FALSE(m.has_buffer_assignment);
  CHECK(m.spaces.empty());
  CHECK(has_problem(m, "hlo.no_buffer_assignment"));
}

TEST_CASE("a 2 GiB length is damage at its offset") {
  const std::string start = message().sub(1, message().bytes(1, "jit_big")).text();
  const module_memory m = analysed(start + message().claim(3, 0x80000000U).text());
  REQUIRE(m.damage);
  CHECK(m.damage->code == fault_code::damaged);
  CHECK(m.damage->byte_offset == start.size());
  CHECK(m.name == "jit_big");
  CHECK_FALSE(m.has_buffer_assignment);
}

TEST_CASE("an HloProto cut at any byte is damaged, unless a field ends there") {
  const std::string whole = sound().text();
  // The top level has two fields: the module and the buffer assignment.
  const std::size_t module_end = [&] {
    std::string only_module;
    for (std::size_t cut = 1; cut < whole.size(); ++cut)
      if (!analysed(whole.substr(0, cut)).damage) return cut;
    return whole.size();
  }();
  CHECK(module_end < whole.size());
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    const module_memory m = analysed(whole.substr(0, cut));
    INFO("cut at " << cut);
    CHECK(m.damage.has_value() == (cut != module_end));
    if (m.damage) CHECK(m.damage->byte_offset <= cut);
  }
}

TEST_CASE("one damaged module leaves the others as they are") {
  const std::string good = sound().text();
  std::string bad = good;
  bad[bad.size() / 2] = '\x07';  // a wire type that does not exist, somewhere in the middle
  message plane;
  plane.bytes(2, "/host:metadata");
  const auto entry = [](std::int64_t key, std::string_view name, const std::string& blob) {
    const message value = message().varint(1, key).bytes(2, name).sub(5, message().varint(1, 1).bytes(6, blob));
    return message().varint(1, key).sub(2, value);
  };
  plane.sub(4, entry(1, "jit_test(7)", good)).sub(4, entry(2, "jit_bad(8)", good.substr(0, good.size() - 5)));
  plane.sub(5, message().varint(1, 1).sub(2, message().varint(1, 1).bytes(2, "Hlo Proto")));
  const std::string space = message().sub(1, plane).text();
  const auto opened = profile::open_buffer(space, "t.xplane.pb");
  REQUIRE(opened.ok());
  const auto found = analyse_memory(trace(**opened));
  REQUIRE(found.ok());
  REQUIRE(found->modules.size() == 2);
  CHECK(found->modules[0].label == "jit_test(7)");
  CHECK(found->modules[0].space(0)->peak_bytes == 182);
  CHECK(found->modules[1].damage);
  REQUIRE(found->damage.size() == 1);
  CHECK(found->damage[0].what.byte_offset < space.size());
  CHECK(found->damage[0].what.message.find("jit_bad(8)") != std::string::npos);
}

TEST_CASE("the same memory in other bytes is one module, and each place says whether its bytes are the first's") {
  const std::string first = sound().text();
  module_parts renamed = sound();
  renamed.sequences.push_back(sequence(99, {}));  // of a computation that the module does not have
  const std::string second = renamed.text();
  const auto entry = [](std::int64_t key, const std::string& blob) {
    const message value =
        message().varint(1, key).bytes(2, "jit_test(7)").sub(5, message().varint(1, 1).bytes(6, blob));
    return message().varint(1, key).sub(2, value);
  };
  message plane;
  plane.bytes(2, "/host:metadata");
  plane.sub(4, entry(1, first)).sub(4, entry(2, second)).sub(4, entry(3, second)).sub(4, entry(4, first));
  plane.sub(5, message().varint(1, 1).sub(2, message().varint(1, 1).bytes(2, "Hlo Proto")));
  const std::string space = message().sub(1, plane).text();
  const auto opened = profile::open_buffer(space, "t.xplane.pb");
  REQUIRE(opened.ok());
  const auto found = analyse_memory(trace(**opened));
  REQUIRE(found.ok());
  REQUIRE(found->modules.size() == 1);
  std::vector<bool> same;
  for (const module_source& s : found->modules[0].sources) same.push_back(s.same_bytes);
  CHECK(same == std::vector<bool>{true, false, false, true});
}

TEST_CASE("the same module in two places is one; another of its name and id is told") {
  const std::string a = sound().text();
  module_parts other = sound();
  other.allocations[1] = allocation(1, 4096, live_out, {{13, 0, 16}});
  const auto entry = [](std::int64_t key, std::string_view name, const std::string& blob) {
    const message value = message().varint(1, key).bytes(2, name).sub(5, message().varint(1, 1).bytes(6, blob));
    return message().varint(1, key).sub(2, value);
  };
  message plane;
  plane.bytes(2, "/host:metadata");
  plane.sub(4, entry(1, "jit_test(7)", a))
      .sub(4, entry(2, "jit_test(7)", a))
      .sub(4, entry(3, "jit_test(7)", other.text()));
  plane.sub(5, message().varint(1, 1).sub(2, message().varint(1, 1).bytes(2, "Hlo Proto")));
  const std::string space = message().sub(1, plane).text();
  const auto opened = profile::open_buffer(space, "t.xplane.pb");
  REQUIRE(opened.ok());
  const auto found = analyse_memory(trace(**opened));
  REQUIRE(found.ok());
  REQUIRE(found->modules.size() == 2);
  CHECK(found->modules[1].sources.size() == 2);
  CHECK_FALSE(found->modules[0].differs_from.empty());
  CHECK(std::any_of(found->findings.begin(), found->findings.end(),
                    [](const finding& f) { return f.id == "memory.module_differs"; }));
}
