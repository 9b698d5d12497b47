// Host events: totals by name, stat names found out, samples under the limit.
#include "capture_builder.hpp"

using namespace profkit;
using namespace profkit::test;

TEST_CASE("host events are totalled by name over all host planes") {
  plane_builder cpu("/host:CPU");
  cpu.line("python/1", {cpu.event("Execute", 10, 5, {cpu.int_stat("size", 3), cpu.text_stat("op", "x")}),
                        cpu.event("Execute", 20, 7, {cpu.ref_stat("op", "shared text")}), cpu.event("Wait", 30, 1)});
  cpu.line("worker/2", {cpu.event("Execute", 40, 9), message().number(1, cpu.event_id("Wait")).number(5, 4)}, 0, 2);
  plane_builder tracer("/host:python-tracer");
  tracer.line("main", {tracer.event("Execute", 0, 100)});
  plane_builder device("/device:TPU:0");
  device.line("XLA Ops", {device.event("Execute", 0, 1000)});

  const opened held = open_bytes(space_of({cpu, tracer, device}));
  query_filters o;
  o.limit = 2;
  const auto found = analyse_framework(trace(*held), o);
  REQUIRE(found);
  CHECK(found->matched == 6);
  REQUIRE(found->names.size() == 3);
  CHECK(found->names[0].plane == 1);
  CHECK(found->names[0].total_ps == 100);
  CHECK(found->names[1].name == "Execute");
  CHECK(found->names[1].count == 3);
  CHECK(found->names[1].total_ps == 21);
  CHECK(found->names[1].max_ps == 9);
  CHECK(found->names[2].name == "Wait");
  CHECK(found->names[2].count == 5);  // one event and an aggregate of four

  REQUIRE(found->events.size() == 2);
  REQUIRE(found->events[0].stats.size() == 2);
  CHECK(found->events[0].stats[0].name == "op");  // by name, not as written
  CHECK(found->events[0].stats[1].name == "size");
  CHECK(found->events[0].start_ps == 10);
  CHECK(found->events[1].stats[0].kind == stat_kind::ref_value);
  CHECK(found->events[1].stats[0].text == "shared text");

  REQUIRE(found->stats.size() == 2);
  CHECK(found->stats[0].name == "op");
  CHECK(found->stats[0].count == 2);
  CHECK(found->stats[0].kinds == ((1u << 5) | (1u << 7)));
  CHECK(found->stats[1].kinds == 1u << 4);

  o.limit = 0;
  o.name = "Wait";
  const auto waits = analyse_framework(trace(*held), o);
  REQUIRE(waits);
  CHECK(waits->matched == 2);
  CHECK(waits->events.size() == 2);
  CHECK(!waits->events[1].start_ps);
}

TEST_CASE("time of a call inside another one is none of the outer one's, whatever names are asked for") {
  plane_builder cpu("/host:CPU");
  // Out of order: the line is read twice.
  cpu.line("python/1", {cpu.event("inner", 20, 30), cpu.event("outer", 10, 100), cpu.event("inner", 60, 5)});
  cpu.line("python/2", {cpu.event("outer", 10, 7)});
  const opened held = open_bytes(space_of({cpu}));
  query_filters o;
  o.name = "outer";
  const auto found = analyse_framework(trace(*held), o);
  REQUIRE(found);
  REQUIRE(found->names.size() == 1);
  CHECK(found->matched == 2);
  CHECK(found->names[0].total_ps == 107);
  CHECK(found->names[0].self_ps == 100 - 35 + 7);
}

TEST_CASE("no host plane is absent") {
  plane_builder device("/device:TPU:0");
  device.line("XLA Ops", {device.event("a", 0, 1)});
  const auto found = analyse_framework(trace(*open_bytes(space_of({device}))));
  REQUIRE(found);
  CHECK(found->absent == "no host plane");
}
