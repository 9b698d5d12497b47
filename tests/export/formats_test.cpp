// CSV, parts of an XSpace, and what is said when there is nothing to write.
#include "captures.hpp"

#include "pk_xplane_oracle.pb.h"

#include <support.hpp>

#include <limits>

using namespace profkit;
namespace pb = profkit::oracle::xplane;

namespace {

std::string two_planes() {
  return test::written([](xspace_writer& w) {
    w.add_hostname("h");
    w.begin_plane("/device:GPU:0", 1);
    const auto early = w.event_metadata("early, \"1\""), late = w.event_metadata("late"),
               unused = w.event_metadata("unused");
    w.add_metadata_stat(unused, w.stat_metadata("unused stat"), stat_value::of_int64(1));
    w.begin_line({1, "Stream #1", 0, 0, "shown"});
    w.add_event(early, 1000, 500);
    w.add_event_stat(w.stat_metadata("r"), stat_value::of_ref(w.stat_metadata("referred")));
    w.add_event(late, 5000, 500);
    w.end_line();
    w.begin_line({2, "Stream #2", 0, 0, ""});
    w.add_event(late, 9000, 1);
    w.end_line();
    w.add_plane_stat(w.stat_metadata("core_count"), stat_value::of_int64(8));
    w.end_plane();
    w.begin_plane("Task Environment");
    w.add_plane_stat(w.stat_metadata("profile_start_time"), stat_value::of_uint64(1700000000000000000));
    w.end_plane();
  });
}

pb::XSpace sliced(const std::string& bytes, const trace_export_options& how) {
  pb::XSpace space;
  REQUIRE(space.ParseFromString(test::export_as(*test::opened(bytes), how).text));
  return space;
}

}  // namespace

TEST_CASE("without filters a slice is the file itself") {
  const std::string bytes = two_planes();
  CHECK(test::export_as(*test::opened(bytes), trace_format::xspace).text == bytes);
}

TEST_CASE("a slice keeps what touches the window, with the metadata it names and no other") {
  const std::string bytes = two_planes();
  trace_export_options how;
  how.format = trace_format::xspace;
  how.filters.from_ps = 1200;
  how.filters.to_ps = 2000;
  const pb::XSpace space = sliced(bytes, how);
  CHECK(space.hostnames(0) == "h");
  REQUIRE(space.planes_size() == 2);  // the origin of times stays
  const pb::XPlane& plane = space.planes(0);
  REQUIRE(plane.lines_size() == 1);
  REQUIRE(plane.lines(0).events_size() == 1);
  CHECK(plane.lines(0).display_name() == "shown");
  CHECK(plane.lines(0).events(0).offset_ps() == 1000);
  REQUIRE(plane.event_metadata_size() == 1);
  CHECK(plane.event_metadata().at(1).name() == "early, \"1\"");
  CHECK(plane.stat_metadata().count(1) == 0);  // "unused stat"
  CHECK(plane.stat_metadata().size() == 3);    // r, referred, core_count
  CHECK(plane.stats_size() == 1);
  CHECK(space.planes(1).name() == "Task Environment");
}

TEST_CASE("a slice by line and by name") {
  const std::string bytes = two_planes();
  trace_export_options how;
  how.format = trace_format::xspace;
  how.filters.line = "#2";
  CHECK(sliced(bytes, how).planes(0).lines(0).events(0).offset_ps() == 9000);
  how.filters.line.clear();
  how.filters.name = "late";
  const pb::XSpace by_name = sliced(bytes, how);
  REQUIRE(by_name.planes(0).lines_size() == 2);
  CHECK(by_name.planes(0).lines(0).events_size() == 1);
  how.filters.plane = "TPU";
  CHECK(sliced(bytes, how).planes_size() == 1);
}

TEST_CASE("a slice of a real capture has the same events in its window") {
  const auto p = profile::open(test::data_path("xspace/tpu_v6e_inference.xplane.pb").string());
  REQUIRE(p.ok());
  trace_export_options how;
  how.filters.plane = "TPU:0";
  how.filters.from_ps = 0;
  how.filters.to_ps = 20000000000000;
  how.format = trace_format::csv;
  const std::string direct = test::export_as(**p, how).text;
  how.format = trace_format::xspace;
  const std::string part = test::export_as(**p, how).text;
  how.format = trace_format::csv;
  how.filters = {};
  how.filters.plane = "TPU:0";
  const std::string over_slice = test::export_as(*test::opened(part, "tpu_v6e_inference.xplane.pb"), how).text;
  CHECK(direct == over_slice);
  CHECK(direct.size() > 10000);
  CHECK(part.size() < (*p)->bytes(0).size());
}

TEST_CASE("CSV has a row an event, quoted where it must be") {
  const std::string bytes = two_planes();
  const auto made = test::export_as(*test::opened(bytes), trace_format::csv);
  CHECK(made.text ==
        "file,host,plane,line,line_id,start_ps,duration_ps,name,stats\r\n"
        "0,test,/device:GPU:0,shown,1,1000,500,\"early, \"\"1\"\"\",\"{\"\"r\"\":\"\"referred\"\"}\"\r\n"
        "0,test,/device:GPU:0,shown,1,5000,500,late,{}\r\n"
        "0,test,/device:GPU:0,Stream #2,2,9000,1,late,{}\r\n");
  CHECK(made.told.events == 3);
}

TEST_CASE("a table is UTF-8 whatever names are made of") {
  const std::string trace =
      "{\"traceEvents\":[{\"ph\":\"X\",\"pid\":1,\"tid\":\"t\\ud800\",\"ts\":1,\"dur\":1,\"name\":\"lone \\ud800, pair "
      "\\ud83d\\ude00, \xff\",\"args\":{\"k\":\"\\udc00\"}}]}";
  const auto csv = test::export_as(*test::opened(trace, "a.json"), trace_format::csv);
  CHECK(csv.text ==
        "file,host,plane,line,line_id,start_ps,duration_ps,name,stats\r\n"
        "0,,1,,t\\xed\\xa0\\x80,1000000,1000000,\"lone \\xed\\xa0\\x80, pair \xf0\x9f\x98\x80, \\xff\","
        "\"{\"\"k\"\":\"\"\\\\xed\\\\xb0\\\\x80\"\"}\"\r\n");
}

TEST_CASE("captures without events are absent, and Chrome traces are no XSpace") {
  const std::string hlo;
  const std::string bytes = "{\"traceEvents\":[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"name\":\"a\"}]}";
  trace_export_options how;
  how.format = trace_format::xspace;
  std::string text;
  const auto into = memory_sink(text);
  const auto told = export_trace(trace(*test::opened(bytes, "a.json")), how, *into);
  REQUIRE_FALSE(told.ok());
  CHECK(told.error().code == fault_code::unsupported);
  const auto csv = test::export_as(*test::opened(bytes, "a.json"), trace_format::csv);
  CHECK(csv.told.events == 1);
}

TEST_CASE("a damaged capture gives what is intact and says so") {
  const std::string whole = two_planes();
  std::size_t partial = 0;
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    const auto p = profile::open_buffer(cut, "x.xplane.pb");
    if (!p.ok()) continue;
    for (const trace_format format :
         {trace_format::trace_json, trace_format::perfetto, trace_format::csv, trace_format::xspace}) {
      trace_export_options how;
      how.format = format;
      std::string text;
      const auto into = memory_sink(text);
      const auto told = export_trace(trace(**p), how, *into);
      if (!told.ok()) continue;
      const bool damaged = (*p)->file_fault(0) != nullptr;
      if (damaged) CHECK(told->status != document_status::ok);
      partial += told->status == document_status::partial ? 1 : 0;
    }
  }
  CHECK(partial > 100);
}

TEST_CASE("events past what int64 can place are left out and counted; the others are all there") {
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  const std::string bytes = test::written([&](xspace_writer& w) {
    w.begin_plane("Task Environment");
    w.add_plane_stat(w.stat_metadata("profile_start_time"), stat_value::of_uint64(1'700'000'000'000'000'000));
    w.end_plane();
    w.begin_plane("/device:GPU:0", 0);
    const auto kernel = w.event_metadata("kernel");
    w.begin_line({1, "Stream #1", 1'700'000'000'000'001'000, 0, ""});
    w.add_event(kernel, 0, 500);
    w.add_event(kernel, far, 1);        // beyond the origin by more than fits
    w.add_event(kernel, 1000, far);     // its end is
    w.add_event(kernel, far - 5, far);  // both
    w.add_event(kernel, 2000, 500);
    w.end_line();
    w.begin_line({2, "Stream #2", far, 0, ""});  // a line in the year 2262
    w.add_event(kernel, 0, 500);
    w.end_plane();
  });
  const auto p = test::opened(bytes);
  for (const trace_format format : {trace_format::trace_json, trace_format::perfetto, trace_format::csv}) {
    const auto made = test::export_as(*p, format);
    INFO(trace_format_name(format));
    CHECK(made.told.events + made.told.out_of_reach == 6);
    CHECK(made.told.out_of_reach >= 3);
    CHECK(made.told.events >= 2);
    CHECK(made.text.find("kernel") != std::string::npos);
  }
  // A part without filters is the file itself, whatever its times are.
  CHECK(test::export_as(*p, trace_format::xspace).text == bytes);
  static_cast<void>(test::export_as(*p, trace_format::trace_json, true));
}
