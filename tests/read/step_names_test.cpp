// Which names mark a step: one row a name.
#include <formats/step_names.hpp>

#include "support.hpp"

#include <catch.hpp>

#include <string>

using namespace profkit;

namespace {

struct row {
  const char* name;
  bool is_step;
  marker_source source;
  std::int64_t number;
};

}  // namespace

TEST_CASE("names of steps carry a number right behind their word") {
  const auto made = step_names::make("");
  REQUIRE(made.ok());
  constexpr auto none = marker_source::pattern;
  for (const row& r : {
           row{"ProfilerStep#0", true, marker_source::profiler_step, 0},
           row{"ProfilerStep#17", true, marker_source::profiler_step, 17},
           row{"ProfilerStep#", false, none, 0},
           row{"ProfilerStep#1a", false, none, 0},
           row{"ProfilerStep# 1", false, none, 0},
           row{"profilerstep#1", false, none, 0},
           row{"Iteration#3", true, marker_source::numbered_step, 3},
           row{"Iteration#", false, none, 0},
           row{"Step#4", true, marker_source::numbered_step, 4},
           row{"Step#", false, none, 0},
           row{"my Step#4", false, none, 0},
           row{"step_4", false, none, 0},
           row{"", false, none, 0},
           row{"Step#9223372036854775807", true, marker_source::numbered_step, 9223372036854775807},
           row{"Step#9223372036854775808", true, marker_source::numbered_step, -1},
       }) {
    INFO(r.name);
    const auto found = made->match(r.name);
    REQUIRE(found.has_value() == r.is_step);
    if (!found) continue;
    CHECK(found->source == r.source);
    CHECK(found->number == r.number);
  }
}

TEST_CASE("a pattern matches whole names of up to 1,024 bytes") {
  PROFKIT_NEEDS("re2");
  const auto made = step_names::make("train_[0-9a]+");
  REQUIRE(made.ok());
  const auto found = made->match("train_12");
  REQUIRE(found.has_value());
  CHECK(found->source == marker_source::pattern);
  CHECK(found->number == 12);
  CHECK_FALSE(made->match("a train_12").has_value());
  CHECK_FALSE(made->match("train_12 ").has_value());
  CHECK(made->match("Step#4")->source == marker_source::numbered_step);
  CHECK(made->match("train_" + std::string(1018, 'a')).has_value());
  CHECK_FALSE(made->match("train_" + std::string(1019, 'a')).has_value());
  CHECK(made->match("train_a")->number == -1);
  CHECK_FALSE(step_names::make("train_[").ok());
}

TEST_CASE("the number that a name ends in") {
  CHECK(trailing_number("a12b345") == 345);
  CHECK(trailing_number("345") == 345);
  CHECK(trailing_number("0012") == 12);
  CHECK(trailing_number("12a") == -1);
  CHECK(trailing_number("") == -1);
}
