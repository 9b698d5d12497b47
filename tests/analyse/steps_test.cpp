// Steps: which source counts, per plane and per file, and the step filter that other slices make of them.
#include "capture_builder.hpp"

using namespace profkit;
using namespace profkit::test;

namespace {

plane_builder device_with(const std::string& line, int steps, const std::string& name = "/device:TPU:0") {
  plane_builder p(name);
  std::vector<message> events;
  for (int i = 0; i < steps; ++i) events.push_back(p.event(std::to_string(10 + i), 100 * i, 90));
  p.line(line, events);
  return p;
}

plane_builder host_with_steps() {
  plane_builder p("/host:CPU");
  p.line("python", {p.event("train", 50, 10, {p.int_stat("step_num", 7)}), p.event("other", 60, 10),
                    p.event("train", 70, 10, {p.uint_stat("step_num", 8)})});
  return p;
}

}  // namespace

TEST_CASE("steps come from the Steps line first") {
  plane_builder p = device_with("Steps", 3);
  p.line("XLA Modules", {p.event("jit_f(1)", 0, 5)}, 0, 2);
  const opened o = open_bytes(space_of({p, host_with_steps()}));
  const auto steps = analyse_steps(trace(*o));
  REQUIRE(steps);
  REQUIRE(steps->steps.size() == 3);
  CHECK(steps->matched == 3);
  CHECK(steps->steps[1].source == step_source::steps_line);
  CHECK(steps->steps[1].name == "11");
  CHECK(steps->steps[1].step_num == 11);
  CHECK(steps->steps[1].start_ps == 100);
  CHECK(steps->steps[1].duration_ps == 90);
  CHECK(steps->absent.empty());
}

TEST_CASE("an empty Steps line does not count, and one source holds for the whole file") {
  plane_builder empty = device_with("Steps", 0);
  empty.line("XLA Modules", {empty.event("jit_f(1)", 7, 5)}, 0, 2);
  const auto from_modules = analyse_steps(trace(*open_bytes(space_of({empty}))));
  REQUIRE(from_modules);
  REQUIRE(from_modules->steps.size() == 1);
  CHECK(from_modules->steps[0].source == step_source::xla_modules);
  CHECK(!from_modules->steps[0].step_num);

  const auto mixed = analyse_steps(trace(*open_bytes(space_of({empty, device_with("Steps", 2, "/device:TPU:1")}))));
  REQUIRE(mixed);
  REQUIRE(mixed->steps.size() == 2);
  CHECK(mixed->steps[0].plane == 1);
  CHECK(mixed->steps[0].source == step_source::steps_line);
}

TEST_CASE("host events with step_num are the last resort") {
  const auto steps = analyse_steps(trace(*open_bytes(space_of({host_with_steps()}))));
  REQUIRE(steps);
  REQUIRE(steps->steps.size() == 2);
  CHECK(steps->steps[0].source == step_source::host_step_num);
  CHECK(steps->steps[0].step_num == 7);
  CHECK(steps->steps[1].step_num == 8);
  CHECK(steps->steps[1].name == "train");
}

TEST_CASE("no steps at all are absent with a reason") {
  plane_builder p("/device:TPU:0");
  p.line("XLA Ops", {p.event("fusion", 0, 5)});
  const auto steps = analyse_steps(trace(*open_bytes(space_of({p}))));
  REQUIRE(steps);
  CHECK(steps->steps.empty());
  CHECK(steps->absent.find("Steps") != std::string::npos);
}

TEST_CASE("steps are sorted by start, and the limit leaves the total told") {
  plane_builder p("/device:TPU:0");
  p.line("Steps", {p.event("2", 200, 90), p.event("0", 0, 90), p.event("1", 100, 90)});
  query_filters o;
  o.limit = 2;
  const opened held = open_bytes(space_of({p}));
  const auto steps = analyse_steps(trace(*held), o);
  REQUIRE(steps);
  REQUIRE(steps->steps.size() == 2);
  CHECK(steps->steps[0].name == "0");
  CHECK(steps->steps[1].name == "1");
  CHECK(steps->matched == 3);
}

TEST_CASE("the step filter is a window of each device's own step") {
  const auto device = [](const char* name, std::int64_t first) {
    plane_builder p(name);
    p.line("Steps", {p.event("0", first, 100), p.event("1", first + 100, 100)});
    p.line("XLA Ops", {p.event("a", first, 50), p.event("b", first + 100, 50), p.event("c", first + 160, 20)}, 0, 2);
    return p;
  };
  const opened held = open_bytes(space_of({device("/device:TPU:0", 0), device("/device:TPU:1", 1000)}));
  query_filters o;
  o.step = 1;
  const auto ops = analyse_ops(trace(*held), o);
  REQUIRE(ops);
  REQUIRE(ops->lines.size() == 2);
  for (const ops_line& line : ops->lines) {
    CHECK(line.events == 2);
    CHECK(line.duration_sum_ps == 70);
  }
  const auto steps = analyse_steps(trace(*held), o);
  REQUIRE(steps);
  REQUIRE(steps->steps.size() == 2);
  CHECK(steps->steps[0].start_ps == 100);
  CHECK(steps->steps[1].start_ps == 1100);

  o.step = 2;
  const auto missing = analyse_ops(trace(*held), o);
  REQUIRE(!missing);
  CHECK(missing.error().code == fault_code::invalid_argument);
  CHECK(missing.error().message.find("0 to 1") != std::string::npos);
}

TEST_CASE("names and times pick among steps without renumbering them") {
  const opened held = open_bytes(space_of({device_with("Steps", 5)}));
  query_filters o;
  o.step = 3;
  o.from_ps = 300;
  o.to_ps = 301;
  auto steps = analyse_steps(trace(*held), o);
  REQUIRE(steps);
  REQUIRE(steps->steps.size() == 1);
  CHECK(steps->steps[0].name == "13");
  o.to_ps = 300;
  steps = analyse_steps(trace(*held), o);
  REQUIRE(steps);
  CHECK(steps->steps.empty());
  CHECK(steps->absent == "nothing in the capture matches the filters");
}

TEST_CASE("a step out of the clock's reach is damage, not a row") {
  plane_builder p("/device:TPU:0");
  p.line("Steps", {p.event("0", INT64_MAX, 5), p.event("1", 0, 5)}, 1000);
  const auto steps = analyse_steps(trace(*open_bytes(space_of({p}))));
  REQUIRE(steps);
  CHECK(steps->steps.size() == 1);
  REQUIRE(steps->damage.size() == 1);
  CHECK(steps->damage[0].what.message.find("106 days") != std::string::npos);
}

TEST_CASE("steps out of order are sorted by start, equal ones as in the file") {
  plane_builder p("/device:TPU:0");
  p.line("Steps", {p.event("3", 300, 9), p.event("1", 100, 9), p.event("2a", 200, 1), p.event("2b", 200, 2),
                   p.event("1", 150, 9, {p.int_stat("step_num", 77)})});
  const opened held = open_bytes(space_of({p}));
  const auto steps = analyse_steps(trace(*held));
  REQUIRE(steps);
  std::vector<std::string> names;
  std::vector<std::int64_t> numbers;
  for (const step_row step : steps->steps) {
    CHECK(step.index == names.size());
    names.emplace_back(step.name);
    numbers.push_back(step.step_num.value_or(-1));
  }
  CHECK(names == std::vector<std::string>{"1", "1", "2a", "2b", "3"});
  CHECK(numbers == std::vector<std::int64_t>{1, 77, -1, -1, 3});
  query_filters o;
  o.limit = 2;
  const auto few = analyse_steps(trace(*held), o);
  REQUIRE(few);
  CHECK(few->steps.size() == 2);
  CHECK(few->matched == 5);
  CHECK(plane_name_at(*held, 0, 0) == "/device:TPU:0");
  CHECK(plane_name_at(*held, 0, 1).empty());
  CHECK(plane_name_at(*held, 1, 0).empty());
}
