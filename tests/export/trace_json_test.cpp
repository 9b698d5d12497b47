// Trace JSON: XLA's text byte for byte, and ours for people.
#include "captures.hpp"

#include <export/trace/json_text.hpp>
#include <export/trace/lanes.hpp>

#include <simdjson.h>
#include <support.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <vector>

using namespace profkit;

namespace {

std::string printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string g17(double value) {
  std::string text;
  append_g17(text, value);
  return text;
}

// A capture with all that XLA's converter treats in a way of its own.
std::string odd_capture() {
  return test::written([](xspace_writer& w) {
    w.begin_plane("/host:CPU");
    w.begin_line({9, "python", 1000, 0, ""});
    const auto outer = w.event_metadata("outer"), dropped = w.event_metadata("MemoryAllocation");
    w.add_event(outer, 1234567, 5000000);
    w.add_event_stat(w.stat_metadata("b\"q\n"), stat_value::of_text("v\\1\x01\xc3\xa9\xf0\x9f\x98\x83"));
    w.add_event_stat(w.stat_metadata("_p"), stat_value::of_uint64(5));
    w.add_event_stat(w.stat_metadata("a"), stat_value::of_double(1234567.891));
    w.add_event_stat(w.stat_metadata("step_name"), stat_value::of_text("step 4"));
    w.add_event(dropped, 0, 0);
    w.end_line();
    w.end_plane();
    w.begin_plane("/device:TPU:0", 3);
    w.end_plane();
    w.begin_plane("/device:GPU:1", 2);
    const auto fusion = w.event_metadata("%fusion.1 = f32[8]{0} fusion(...)", "fusion.1");
    w.add_metadata_stat(fusion, w.stat_metadata("hlo_category"), stat_value::of_ref(w.stat_metadata("loop fusion")));
    w.begin_line({5, "Stream #5", 0, 0, "shown"});
    w.add_event(fusion, 3000000, 0);
    w.add_event_stat(w.stat_metadata("flops"), stat_value::of_uint64(1));
    w.add_event_stat(w.stat_metadata("hlo_category"), stat_value::of_bytes("x"));
    w.end_line();
    w.begin_line({6, "Async XLA Ops", 0, 0, ""});
    w.add_event(fusion, 0, 1);
    w.end_line();
    w.begin_line({7, "Async XLA Ops", 0, 17, "async, shown"});  // what counts is what is shown, number and name
    const auto counted = w.event_metadata("counted");
    w.add_metadata_stat(counted, w.stat_metadata("flops"), stat_value::of_uint64(2));
    w.add_event(counted, 0, 1);
    w.end_line();
    w.begin_line({8, "Stream #8", 0, 0, "Async XLA Ops"});
    w.add_event(counted, 0, 1);
    w.end_line();
    w.end_plane();
  });
}

struct slice {
  double ts = 0, dur = 0;
  std::string name;
};

// The complete events of a trace by (pid, tid).
std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<slice>> slices_of(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  REQUIRE(parser.parse(json).get(document) == simdjson::SUCCESS);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<slice>> found;
  for (const auto event : document["traceEvents"].get_array()) {
    std::string_view phase, name;
    if (event["ph"].get(phase) != simdjson::SUCCESS || phase != "X") continue;
    slice s;
    REQUIRE(event["ts"].get(s.ts) == simdjson::SUCCESS);
    REQUIRE(event["dur"].get(s.dur) == simdjson::SUCCESS);
    REQUIRE(event["name"].get(name) == simdjson::SUCCESS);
    s.name = std::string(name);
    found[{event["pid"].get_uint64(), event["tid"].get_uint64()}].push_back(s);
  }
  return found;
}

void check_nesting(const std::string& json) {
  for (const auto& [place, slices] : slices_of(json)) {
    std::vector<double> open;
    for (const slice& s : slices) {
      while (!open.empty() && open.back() <= s.ts + 1e-9) open.pop_back();
      if (!open.empty()) REQUIRE(s.ts + s.dur <= open.back() + 1e-6);
      open.push_back(s.ts + s.dur);
    }
  }
}

}  // namespace

TEST_CASE("doubles are printed as %.17g prints them") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200000; ++i) {
    // Microseconds of any size that a trace has, and any double at all.
    const double value = i % 2 == 0 ? static_cast<double>(random() >> (random() % 64)) / 1e6 : [&] {
      const std::uint64_t bits = random();
      double d = 0;
      std::memcpy(&d, &bits, sizeof d);
      return std::isfinite(d) ? d : 0.5;
    }();
    REQUIRE(g17(value) == printed("%.17g", value));
  }
  for (const double value : {0.0,
                             1e-6,
                             1e-5,
                             9.9999999999999995e-07,
                             1e-4,
                             0.001,
                             0.01,
                             0.1,
                             0.5,
                             1.0,
                             9.0,
                             9.9999999999999982,
                             10.0,
                             99.999999999999986,
                             0.99999999999999989,
                             9007199254740991.0,
                             9007199254740992.0,
                             1.8446744073709552e13,
                             1e16,
                             1e17,
                             4503599627370496.5,
                             0.30000000000000004})
    CHECK(g17(value) == printed("%.17g", value));
  std::string text;
  append_g6(text, 1234567.891);
  CHECK(text == "1.23457e+06");
}

TEST_CASE("times for people are exact") {
  const auto exact = [](std::int64_t ps) {
    std::string text;
    append_exact_microseconds(text, ps);
    return text;
  };
  CHECK(exact(0) == "0");
  CHECK(exact(1) == "0.000001");
  CHECK(exact(1500000) == "1.5");
  CHECK(exact(-1) == "-0.000001");
  CHECK(exact(123456789012345678) == "123456789012.345678");
  CHECK(exact(INT64_MIN) == "-9223372036854.775808");
}

TEST_CASE("the text of XLA's converter, with all its ways") {
  const std::string bytes = odd_capture();
  const auto made = test::export_as(*test::opened(bytes), trace_format::trace_json, true);
  CHECK(made.text ==
        "{\"displayTimeUnit\":\"ns\",\"metadata\":{\"highres-ticks\":true},\"traceEvents\":["
        "{\"ph\":\"M\",\"pid\":3,\"name\":\"process_name\",\"args\":{\"name\":\"/device:GPU:1\"}},"
        "{\"ph\":\"M\",\"pid\":3,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":3}},"
        "{\"ph\":\"M\",\"pid\":3,\"tid\":5,\"name\":\"thread_name\",\"args\":{\"name\":\"shown\"}},"
        "{\"ph\":\"M\",\"pid\":3,\"tid\":5,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":5}},"
        "{\"ph\":\"M\",\"pid\":3,\"tid\":6,\"name\":\"thread_name\",\"args\":{\"name\":\"Async XLA Ops\"}},"
        "{\"ph\":\"M\",\"pid\":3,\"tid\":6,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":6}},"
        "{\"ph\":\"M\",\"pid\":3,\"tid\":8,\"name\":\"thread_name\",\"args\":{\"name\":\"Async XLA Ops\"}},"
        "{\"ph\":\"M\",\"pid\":3,\"tid\":8,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":8}},"
        "{\"ph\":\"M\",\"pid\":3,\"tid\":17,\"name\":\"thread_name\",\"args\":{\"name\":\"async, shown\"}},"
        "{\"ph\":\"M\",\"pid\":3,\"tid\":17,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":17}},"
        "{\"ph\":\"M\",\"pid\":701,\"name\":\"process_name\",\"args\":{\"name\":\"/host:CPU\"}},"
        "{\"ph\":\"M\",\"pid\":701,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":701}},"
        "{\"ph\":\"M\",\"pid\":701,\"tid\":9,\"name\":\"thread_name\",\"args\":{\"name\":\"python\"}},"
        "{\"ph\":\"M\",\"pid\":701,\"tid\":9,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":1}},"
        "{\"ph\":\"X\",\"pid\":701,\"tid\":9,\"ts\":2.2345670000000002,\"dur\":5,\"name\":\"step 4\",\"args\":{"
        "\"a\":\"1.23457e+06\",\"b\\\"q\\n\":\"v\\\\1\\u0001\\u00e9\\ud83d\\ude03\",\"step_name\":\"step 4\"}},"
        "{\"ph\":\"X\",\"pid\":3,\"tid\":5,\"ts\":3,\"dur\":9.9999999999999995e-07,\"name\":\"fusion.1\",\"args\":{"
        "\"hlo_category\":\"<opaque bytes>\",\"long_name\":\"%fusion.1 = f32[8]{0} fusion(...)\"}},"
        "{\"ph\":\"X\",\"pid\":3,\"tid\":17,\"ts\":0,\"dur\":9.9999999999999995e-07,\"name\":\"counted\"},"
        "{}]}");
}

TEST_CASE("XLA's text of every golden is identical") {
  const auto goldens = test::corpus_path("oracles/merge/golden");
  if (!goldens) PROFKIT_SKIP_WITHOUT_CORPUS;
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*goldens)) {
    const auto reference = entry.path() / "out/combined.trace.json.gz";
    if (!std::filesystem::exists(reference)) continue;
    INFO(entry.path());
    auto held = hold_bytes(std::move(*open_file_source(reference.string())));
    REQUIRE(held.ok());
    const std::string bytes = test::read_file(entry.path() / "out/combined.xspace");
    const auto made = test::export_as(*test::opened(bytes), trace_format::trace_json, true);
    CHECK(made.text == held->bytes);
    ++compared;
  }
  CHECK(compared >= 20);
}

TEST_CASE("what XLA's converter does not take is refused") {
  const std::string bytes = odd_capture();
  const auto p = test::opened(bytes);
  std::string text;
  const auto into = memory_sink(text);
  trace_export_options how;
  how.like_xla = true;
  how.filters.plane = "GPU";
  CHECK(export_trace(trace(*p), how, *into).error().code == fault_code::invalid_argument);
  how.filters.plane.clear();
  how.format = trace_format::csv;
  CHECK(export_trace(trace(*p), how, *into).error().code == fault_code::invalid_argument);
  CHECK(text.empty());
}

TEST_CASE("overlapping events go to lanes where they nest") {
  lane_splitter lanes;
  const auto place = [&](std::int64_t start, std::int64_t end) {
    return lanes.place(start, end, [](std::size_t, std::int64_t) {});
  };
  CHECK(place(0, 10) == 0);
  CHECK(place(0, 10) == 0);   // the same span nests
  CHECK(place(5, 12) == 1);   // neither inside nor behind
  CHECK(place(10, 11) == 0);  // touching is behind
  CHECK(place(10, 12) == 1);  // inside of the second lane's
  CHECK(place(11, 20) == 0);
  CHECK(place(11, 30) == 2);
  CHECK(lanes.lanes() == 3);
}

TEST_CASE("random lines nest on every lane, and no event is lost") {
  std::mt19937_64 random(3);
  const std::string bytes = test::written([&](xspace_writer& w) {
    w.begin_plane("/device:GPU:0");
    const auto e = w.event_metadata("e");
    for (int line = 0; line < 3; ++line) {
      w.begin_line({line, "line " + std::to_string(line), 0, 0, ""});
      for (int i = 0; i < 700; ++i)
        w.add_event(e, static_cast<std::int64_t>(random() % 1000000) * 1000,
                    static_cast<std::int64_t>(random() % 30000) * 1000);
      w.end_line();
    }
  });
  const auto made = test::export_as(*test::opened(bytes), trace_format::trace_json);
  CHECK(made.told.events == 2100);
  CHECK(made.told.tracks == 3);
  CHECK(made.told.lanes > 0);
  CHECK(made.told.crowded == 0);
  check_nesting(made.text);
  std::size_t events = 0;
  for (const auto& [place, slices] : slices_of(made.text)) events += slices.size();
  CHECK(events == 2100);
}

TEST_CASE("a line with more events at once than lanes says so") {
  const std::string bytes = test::written([](xspace_writer& w) {
    w.begin_plane("/device:GPU:0");
    const auto e = w.event_metadata("e");
    w.begin_line({});
    for (int i = 0; i < 700; ++i) w.add_event(e, i, 1000 + i);
  });
  const auto made = test::export_as(*test::opened(bytes), trace_format::trace_json);
  CHECK(made.told.events == 700);
  CHECK(made.told.crowded == 700 - lane_splitter::max_lanes);
}

TEST_CASE("numbers stay numbers, ids that a double cannot hold become text, bad bytes stay valid JSON") {
  const std::string bytes = test::written([](xspace_writer& w) {
    w.begin_plane("/host:CPU");
    w.begin_line({1, "t\xff", 0, 0, ""});
    w.add_event(w.event_metadata("e\xfe"), 1, 2);
    w.add_event_stat(w.stat_metadata("small"), stat_value::of_int64(-5));
    w.add_event_stat(w.stat_metadata("large"), stat_value::of_uint64(1ULL << 60));
    w.add_event_stat(w.stat_metadata("nan"), stat_value::of_double(std::nan("")));
    w.add_event_stat(w.stat_metadata("ref"), stat_value::of_ref(w.stat_metadata("text")));
    w.add_event_stat(w.stat_metadata("small"), stat_value::of_int64(-6));  // the last counts
    w.add_aggregate(w.event_metadata("sum"), 2, 3);
  });
  const auto made = test::export_as(*test::opened(bytes), trace_format::trace_json);
  CHECK(made.text.find("\"args\":{\"large\":\"1152921504606846976\",\"nan\":\"nan\",\"ref\":\"text\",\"small\":-6}") !=
        std::string::npos);
  CHECK(made.text.find("\"ts\":0.000001,\"dur\":0.000002,\"name\":\"e\\\\xfe\"") != std::string::npos);
  CHECK(made.told.events == 1);
  CHECK(made.told.aggregated_left_out == 1);
}

TEST_CASE("events with many stats keep one of each name") {
  const std::string bytes = test::written([](xspace_writer& w) {
    w.begin_plane("/host:CPU");
    w.begin_line({});
    w.add_event(w.event_metadata("e"), 0, 1);
    for (int round = 0; round < 2; ++round)
      for (int i = 99; i >= 0; --i)
        w.add_event_stat(w.stat_metadata("s" + std::to_string(100 + i)), stat_value::of_int64(i + round));
  });
  const auto made = test::export_as(*test::opened(bytes), trace_format::trace_json);
  std::size_t names = 0;
  for (std::size_t at = 0; (at = made.text.find("\"s1", at)) != std::string::npos; ++at) ++names;
  CHECK(names == 100);
  CHECK(made.text.find("\"args\":{\"s100\":1,\"s101\":2,") != std::string::npos);
}

TEST_CASE("flows have both ends, and counters their values") {
  const std::string bytes = test::written([](xspace_writer& w) {
    w.begin_plane("/host:CPU");
    w.begin_line({1, "main", 0, 0, ""});
    w.add_event(w.event_metadata("launch"), 0, 10);
    w.add_event_stat(w.stat_metadata("correlation_id"), stat_value::of_uint64(77));
    w.end_line();
    w.end_plane();
    w.begin_plane("/device:GPU:0");
    w.begin_line({1, "Stream #1", 0, 0, ""});
    w.add_event(w.event_metadata("kernel"), 20, 10);
    w.add_event_stat(w.stat_metadata("correlation_id"), stat_value::of_uint64(77));
    w.end_line();
    w.begin_line({2, "_counters_", 0, 0, ""});
    w.add_event(w.event_metadata("power"), 5, 0);
    w.add_event_stat(w.stat_metadata("watts"), stat_value::of_double(1.5));
    w.add_event_stat(w.stat_metadata("note"), stat_value::of_text("x"));
    w.end_line();
  });
  const auto made = test::export_as(*test::opened(bytes), trace_format::trace_json);
  CHECK(made.told.flows == 2);
  CHECK(made.told.counters == 1);
  const auto id_behind = [&](const char* head) {
    const std::size_t at = made.text.find(head);
    REQUIRE(at != std::string::npos);
    const std::size_t id = made.text.find("\"id\":", at) + 5;
    return made.text.substr(id, made.text.find(',', id) - id);
  };
  CHECK(id_behind("{\"ph\":\"s\"") == id_behind("{\"ph\":\"f\",\"bp\":\"e\""));
  CHECK(made.text.find("\"name\":\"power\",\"args\":{\"watts\":1.5}}") != std::string::npos);
}

TEST_CASE("the bytes do not depend on the number of threads") {
  const auto path = test::data_path("xspace/jax08_gemm_mi300.xplane.pb");
  const auto p = profile::open(path.string());
  REQUIRE(p.ok());
  for (const bool like_xla : {false, true}) {
    trace_export_options how;
    how.like_xla = like_xla;
    const std::string one = test::export_as(**p, how).text;
    how.host.threads = 5;
    CHECK(test::export_as(**p, how).text == one);
    CHECK(one.size() > 100000);
  }
  check_nesting(test::export_as(**p, trace_format::trace_json).text);
}

TEST_CASE("an export that is cancelled gives up") {
  const std::string bytes = odd_capture();
  const std::atomic<bool> cancel{true};
  for (const trace_format format : {trace_format::trace_json, trace_format::perfetto, trace_format::csv}) {
    trace_export_options how;
    how.format = format;
    how.host.cancel = &cancel;
    std::string text;
    const auto into = memory_sink(text);
    const auto told = export_trace(trace(*test::opened(bytes)), how, *into);
    REQUIRE_FALSE(told.ok());
    CHECK(told.error().code == fault_code::cancelled);
  }
}

TEST_CASE("Chrome traces are written again as sound JSON with lanes") {
  const std::string trace =
      "{\"traceEvents\":[{\"ph\":\"M\",\"pid\":7,\"name\":\"process_name\",\"args\":{\"name\":\"GPU\"}},"
      "{\"ph\":\"X\",\"pid\":7,\"tid\":1,\"ts\":\"10.5\",\"dur\":10,\"name\":\"a\\q\",\"args\":{\"x\":NaN,\"y\":[1,2,],"
      "}},"
      "{\"ph\":\"X\",\"pid\":7,\"tid\":1,\"ts\":15,\"dur\":10,\"name\":\"b\",\"cat\":\"kernel\"},"
      "{\"ph\":\"B\",\"pid\":7,\"tid\":2,\"ts\":1,\"name\":\"c\"},{\"ph\":\"E\",\"pid\":7,\"tid\":2,\"ts\":3},"
      "{\"ph\":\"C\",\"pid\":7,\"ts\":2,\"name\":\"mem\",\"args\":{\"bytes\":5}},"
      "{\"ph\":\"s\",\"id\":3,\"pid\":7,\"tid\":2,\"ts\":1,\"name\":\"f\",\"cat\":\"ac2g\"}]}";
  const auto p = test::opened(trace, "rank0.json");
  const auto made = test::export_as(*p, trace_format::trace_json);
  CHECK(made.told.events == 3);
  CHECK(made.told.tracks == 2);
  CHECK(made.told.lanes == 1);
  CHECK(made.told.counters == 1);
  CHECK(made.told.flows == 1);
  CHECK(made.text.find("\"ts\":10.5,\"dur\":10,\"name\":\"a") != std::string::npos);
  CHECK(made.text.find("\"args\":{\"x\":\"NaN\",\"y\":[1,2]}") != std::string::npos);
  CHECK(made.text.find("\"ts\":1,\"dur\":2,\"name\":\"c\"") != std::string::npos);
  check_nesting(made.text);
}
