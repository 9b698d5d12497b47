// Chrome events in the timeline.
#include "../fill_all.hpp"

#include <profkit/core/profile.hpp>

#include <catch.hpp>

#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace profkit;

namespace {

// "plane/line name start+duration" for each event of each track, in order.
std::vector<std::string> rows_of(const std::string& json) {
  auto p = profile::open_buffer(json, "x.trace.json");
  REQUIRE(p.ok());
  track_list t;
  (void)profkit_tests::fill_all(**p, t);
  std::vector<std::string> rows;
  for (track_id on = 0; on < t.tracks().size(); ++on) {
    const track& at = t.tracks()[on];
    for (const track_event& e : t.events(on)) {
      rows.push_back(std::string(t.text(at.plane_name)) + "/" + std::string(t.text(at.line_name)) + " " +
                     std::string(t.text(e.name)) + " " + std::to_string(e.start_ps) + "+" +
                     std::to_string(e.duration_ps) + " #" + std::to_string(e.source_row));
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("events become rows on named tracks, even when the names come last") {
  CHECK(rows_of(R"([
    {"ph":"X","pid":1,"tid":2,"ts":1.5,"dur":2,"name":"a"},
    {"ph":"i","pid":1,"tid":3,"ts":4,"name":"mark"},
    {"ph":"X","pid":"1","tid":2,"ts":0,"dur":-5,"name":"other"},
    {"ph":"C","pid":1,"tid":2,"ts":4,"name":"counter"},
    {"ph":"X","pid":1,"tid":2,"name":"timeless"},
    {"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:3 x"}},
    {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"Stream #7"}}])") ==
        std::vector<std::string>{"/device:GPU:3 x/Stream #7 a 1500000+2000000 #0", "/device:GPU:3 x/ mark 4000000+0 #1",
                                 "/ other 0+0 #2", "/device:GPU:3 x/counter counter 4000000+0 #3"});
}

TEST_CASE("names of a process without a pid are no plane's") {
  CHECK(rows_of(R"([
    {"ph":"M","name":"process_name","args":{"name":"nobody"}},
    {"ph":"M","tid":1,"name":"thread_name","args":{"name":"nothing"}},
    {"ph":"X","tid":1,"ts":1,"dur":2,"name":"a"}])") == std::vector<std::string>{"/ a 1000000+2000000 #2"});
}

TEST_CASE("tracks carry what the names say") {
  const std::string json =
      R"([{"ph":"X","pid":8,"tid":7,"ts":0,"name":"k"},{"ph":"X","pid":8,"tid":5,"ts":0,"name":"k"},
    {"ph":"X","pid":9,"tid":1,"ts":0,"name":"h"},
    {"ph":"M","pid":8,"name":"process_name","args":{"name":"/device:TPU:1"}},
    {"ph":"M","pid":8,"tid":5,"name":"thread_name","args":{"name":"XLA Ops"}},
    {"ph":"M","pid":9,"name":"process_name","args":{"name":"/host:CPU"}}])";
  auto p = profile::open_buffer(json, "x.trace.json");
  REQUIRE(p.ok());
  track_list t;
  REQUIRE(profkit_tests::fill_all(**p, t).ok());
  REQUIRE(t.tracks().size() == 3);
  CHECK(t.tracks()[0].plane_type == plane_kind::device);
  CHECK(t.tracks()[0].device == 1);
  CHECK(t.tracks()[0].stream == 7);
  CHECK(t.tracks()[0].plane == 0);
  CHECK(t.tracks()[1].line == 1);
  CHECK(t.tracks()[1].line_type == line_kind::ops);
  CHECK(t.tracks()[2].plane_type == plane_kind::host);
  CHECK(t.tracks()[2].plane == 1);
}

TEST_CASE("begin and end events are matched by name within a thread") {
  CHECK(rows_of(R"([
    {"ph":"B","pid":1,"tid":1,"ts":1,"name":"outer"},
    {"ph":"B","pid":1,"tid":1,"ts":2,"name":"inner"},
    {"ph":"B","pid":1,"tid":2,"ts":2,"name":"inner"},
    {"ph":"E","pid":1,"tid":1,"ts":3,"name":"outer"},
    {"ph":"E","pid":1,"tid":1,"ts":5,"name":"inner"},
    {"ph":"E","pid":1,"tid":1,"ts":6,"name":"inner"},
    {"ph":"B","pid":1,"tid":1,"ts":7,"name":"x"},
    {"ph":"B","pid":1,"tid":1,"ts":8,"name":"x"},
    {"ph":"E","pid":1,"tid":1,"ts":9},
    {"ph":"E","pid":1,"tid":1,"ts":10},
    {"ph":"E","pid":1,"tid":1,"ts":11}])") ==
        std::vector<std::string>{"/ outer 1000000+2000000 #0", "/ inner 2000000+3000000 #1", "/ x 8000000+1000000 #7",
                                 "/ x 7000000+3000000 #6"});
}

TEST_CASE("asynchronous begin and end events are matched by id and name, on a line of their category") {
  CHECK(rows_of(R"([
    {"ph":"b","cat":"req","id":1,"pid":1,"tid":1,"ts":1,"name":"a"},
    {"ph":"b","cat":"req","id":"2","pid":1,"tid":9,"ts":2,"name":"a"},
    {"ph":"n","cat":"req","id":1,"pid":1,"tid":1,"ts":3,"name":"note"},
    {"ph":"e","cat":"req","id":1,"pid":1,"tid":5,"ts":4,"name":"a"},
    {"ph":"e","cat":"req","id":"2","pid":1,"tid":1,"ts":7,"name":"a"},
    {"ph":"S","cat":"old","id":1,"pid":1,"tid":1,"ts":8,"name":"s"},
    {"ph":"F","cat":"old","id":1,"pid":1,"tid":1,"ts":9,"name":"s"},
    {"ph":"e","cat":"req","id":3,"pid":1,"tid":1,"ts":9,"name":"lonely"},
    {"ph":"s","cat":"flow","id":1,"pid":1,"tid":1,"ts":9,"name":"arrow"}])") ==
        std::vector<std::string>{"/req note 3000000+0 #2", "/req a 1000000+3000000 #0", "/req a 2000000+5000000 #1",
                                 "/old s 8000000+1000000 #5"});
}

TEST_CASE("damage is told after everything intact was handed over") {
  auto p = profile::open_buffer(R"({"traceEvents":[{"ph":"X","ts":1,"name":"a"},{"ph":"X","ts")", "x.trace.json");
  REQUIRE(p.ok());
  track_list t;
  const result<void> filled = profkit_tests::fill_all(**p, t);
  REQUIRE_FALSE(filled.ok());
  CHECK(filled.error().code == fault_code::damaged);
  CHECK(filled.error().path == "x.trace.json");
  CHECK(t.event_count() == 1);
}

TEST_CASE("traces of two ranks come onto one clock") {
  const auto folder = std::filesystem::temp_directory_path() / ("profkit_chrome_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("rank0.trace.json",
        R"({"baseTimeNanoseconds":1790857026000000000,"traceEvents":[{"ph":"X","ts":4386556646275.2,"dur":1}]})");
  write("rank1.trace.json",
        R"({"traceEvents":[{"ph":"X","ts":4386558646275.2,"dur":1}],"baseTimeNanoseconds":1790857026000000000})");
  auto p = profile::open(folder.string());
  REQUIRE(p.ok());
  REQUIRE((*p)->file_count() == 2);
  CHECK((*p)->origin_unix_ns() == 1'790'857'026'000'000'000 + 4'386'556'000'000'000);
  track_list t;
  CHECK(profkit_tests::fill_all(**p, t).ok());
  REQUIRE(t.tracks().size() == 2);
  CHECK(t.events(0)[0].start_ps == 646'275'200'000);
  CHECK(t.events(1)[0].start_ps == 2'646'275'200'000);
  std::filesystem::remove_all(folder);
}
