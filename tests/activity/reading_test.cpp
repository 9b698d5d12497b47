// What is read from small captures written out here: devices, kernels, launches, spans and markers, value by value.
#include "../fill_all.hpp"

#include "../io/test_files.hpp"

#include <profkit/core/activity.hpp>
#include <profkit/decimal.hpp>

#include <formats/ascend/ascend_names.hpp>

#include <catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace profkit;

namespace {

struct kernels_of final : kernel_visitor {
  kernels_of(const activity& a, std::size_t device) { REQUIRE(a.visit_kernels(device, *this).ok()); }
  result<void> rows(const kernel_row* first, std::size_t count) override {
    all.insert(all.end(), first, first + count);
    return {};
  }
  std::vector<kernel_row> all;
};
struct spans_of final : host_span_visitor {
  result<void> spans(const host_span* first, std::size_t count) override {
    all.insert(all.end(), first, first + count);
    return {};
  }
  std::vector<host_span> all;
};

std::shared_ptr<const activity> read_path(const std::string& path) {
  auto p = profile::open(path);
  REQUIRE(p.ok());
  auto a = read_activity(*p);
  REQUIRE(a.ok());
  return *a;
}
std::shared_ptr<const activity> read_text(std::string_view text, const char* label) {
  auto p = profile::open_buffer(text, label);
  REQUIRE(p.ok());
  auto a = read_activity(*p);
  REQUIRE(a.ok());
  return *a;
}

// Of a Kineto trace; times in µs.
std::string event(const std::string& cat, const std::string& name, const std::string& place, const std::string& ts,
                  const std::string& dur, const std::string& args = "") {
  return R"({"ph":"X","cat":")" + cat + R"(","name":")" + name + "\"," + place + R"(,"ts":)" + ts + R"(,"dur":)" + dur +
         R"(,"args":{)" + args + "}}";
}
std::string kineto(const std::vector<std::string>& events, const std::string& head = "") {
  std::string text = R"({"schemaVersion":1,)" + head + R"("traceEvents":[)";
  for (std::size_t i = 0; i < events.size(); ++i) text += (i == 0 ? "" : ",") + events[i];
  return text + "]}";
}
const std::string on_cpu = R"("pid":900,"tid":11)", on_gpu = R"("pid":0,"tid":7)";

}  // namespace

TEST_CASE("Kineto: devices, streams, ranks, classes and launches of a trace") {
  const auto a = read_text(
      kineto({event("kernel", "gemm", on_gpu, "100", "10", R"("device":1,"stream":20,"correlation":5)"),
              event("kernel", "gemm", R"("pid":2,"tid":9)", "100.5", "10", R"("correlation":6)"),
              event("kernel", "Memset (Device)", on_gpu, "120", "2", R"("device":1,"stream":20)"),
              event("kernel", "Memcpy DtoD", on_gpu, "130", "2.25", R"("device":1,"stream":21)"),
              event("gpu_memcpy", "copy", on_gpu, "140", "1", R"("device":1,"stream":20)"),
              event("kernel", "k", on_gpu, "150", "1",
                    R"("device":1,"stream":20,"Collective name":"allreduce","In msg nelems":64)"),
              event("cuda_runtime", "cudaLaunchKernel", on_cpu, "90", "3", R"("correlation":5)"),
              event("cuda_runtime", "cudaLaunchKernel", on_cpu, "95", "4", R"("correlation":5)"),
              event("cuda_sync", "Stream Sync", on_gpu, "160", "5"), event("cpu_op", "aten::mm", on_cpu, "80", "30")},
             R"("distributedInfo":{"rank":3,"world_size":8},)"),
      "trace.json");
  REQUIRE(a->devices().size() == 2);
  const activity_device &one = a->devices()[0], &two = a->devices()[1];
  CHECK(one.ordinal == 1);
  CHECK(two.ordinal == 2);
  CHECK(a->text(one.name) == "GPU 1");
  CHECK(one.type == accelerator::gpu);
  CHECK(std::tuple(one.rank, one.world_size, two.rank, two.world_size) == std::tuple(3, 8, 3, 8));
  REQUIRE(one.streams.size() == 2);
  CHECK(one.streams[0].id == 20);
  CHECK(a->text(one.streams[1].name) == "stream 21");
  REQUIRE(two.streams.size() == 1);
  CHECK(two.streams[0].id == 9);
  CHECK(one.has_launches);
  CHECK_FALSE(two.has_launches);
  const kernels_of first(*a, 0), second(*a, 1);
  REQUIRE(first.all.size() == 5);
  REQUIRE(second.all.size() == 1);
  const std::int64_t start = first.all[0].start_ps;
  CHECK(second.all[0].start_ps - start == 500'000);
  CHECK(second.all[0].launch_ps == no_time_ps);
  // Of two calls with the same correlation the first in the file launched it.
  CHECK(start - first.all[0].launch_ps == 10'000'000);
  CHECK(start - first.all[0].launch_end_ps == 7'000'000);
  CHECK(first.all[1].launch_ps == no_time_ps);
  std::vector<std::tuple<std::string, kernel_class, std::int64_t, std::uint16_t>> seen;
  for (const kernel_row& r : first.all)
    seen.emplace_back(a->text(r.name), r.kind, r.duration_ps, r.stream);
  CHECK(seen == std::vector<std::tuple<std::string, kernel_class, std::int64_t, std::uint16_t>>{
                    {"gemm", kernel_class::compute, 10'000'000, 0},
                    {"Memset (Device)", kernel_class::copy, 2'000'000, 0},
                    {"Memcpy DtoD", kernel_class::copy, 2'250'000, 1},
                    {"copy", kernel_class::copy, 1'000'000, 0},
                    {"k", kernel_class::comm, 1'000'000, 0}});
  CHECK(a->text(first.all[4].op_type) == "allreduce");
  REQUIRE(one.details.size() == 1);
  CHECK(first.all[4].details == 1);
  CHECK(one.details[0].counters.at(0).second == 64);
  const std::vector<std::string>& notes = a->inputs().at(0).notes;
  CHECK(std::find(notes.begin(), notes.end(),
                  "5 of 6 kernels have no launch in the trace: who launched them is unattributed") != notes.end());
  spans_of host;
  REQUIRE(a->visit_host_spans(one.host_group, start - 1'000'000'000, start + 1'000'000'000, host).ok());
  std::map<std::string, std::vector<host_span_kind>> kinds;
  for (const host_span& s : host.all) kinds[std::string(a->text(s.name))].push_back(s.kind);
  CHECK(kinds == std::map<std::string, std::vector<host_span_kind>>{
                     {"Stream Sync", {host_span_kind::device_marker}},
                     {"aten::mm", {host_span_kind::op}},
                     {"cudaLaunchKernel", {host_span_kind::runtime, host_span_kind::runtime}}});
}

namespace {

// "id plane/line" of each stream.
std::vector<std::string> places_of(const activity_device& d) {
  std::vector<std::string> all;
  for (const activity_stream& s : d.streams)
    all.push_back(std::to_string(s.id) + ' ' + std::to_string(s.plane) + '/' + std::to_string(s.line));
  return all;
}

// The plane and line of each event of that name in the timeline.
std::vector<std::string> places_in_timeline(const std::string& json, const std::string& name) {
  auto p = profile::open_buffer(json, "trace.json");
  REQUIRE(p.ok());
  track_list t;
  REQUIRE(profkit_tests::fill_all(**p, t).ok());
  std::vector<std::string> all;
  for (track_id on = 0; on < t.tracks().size(); ++on)
    for (const track_event& e : t.events(on))
      if (t.text(e.name) == name)
        all.push_back(std::to_string(t.tracks()[on].plane) + '/' + std::to_string(t.tracks()[on].line));
  return all;
}

}  // namespace

TEST_CASE("Kineto: a stream is shown where its first kernel lies") {
  const std::string trace =
      kineto({R"({"ph":"M","pid":900,"tid":0,"name":"process_sort_index","args":{"sort_index":1}})",
              R"({"ph":"C","pid":0,"tid":0,"ts":1,"name":"memory","args":{"bytes":1}})",
              event("cpu_op", "op", on_cpu, "80", "30"),
              R"({"ph":"b","pid":0,"tid":0,"ts":1,"name":"x","cat":"requests","id":1})",
              event("kernel", "k", R"("pid":0,"tid":"stream 7")", "100", "10", R"("device":0,"stream":7)"),
              event("kernel", "k", R"("pid":0,"tid":9)", "120", "10", R"("device":0,"stream":7)"),
              event("kernel", "late", R"("pid":0,"tid":9)", "140", "10", R"("device":0,"stream":8)"),
              event("kernel", "k", R"("pid":5,"tid":1)", "160", "10", R"("device":1,"stream":3)"),
              event("kernel", "k", R"("tid":1)", "180", "10", R"("device":1,"stream":4)")});
  const auto a = read_text(trace, "trace.json");
  REQUIRE(a->devices().size() == 2);
  CHECK(places_of(a->devices()[0]) == std::vector<std::string>{"7 1/2", "8 1/3"});
  CHECK(places_of(a->devices()[1]) == std::vector<std::string>{"3 2/0", "4 -1/-1"});
  CHECK(places_in_timeline(trace, "late") == std::vector<std::string>{"1/3"});
  CHECK(places_in_timeline(trace, "k") == std::vector<std::string>{"1/2", "1/3", "2/0", "-1/-1"});
}

TEST_CASE("Kineto: the first stretch in two parts that is passed over is told by the place of its end") {
  const auto a = read_text(
      kineto({event("kernel", "k", on_gpu, "100", "10"),
              R"({"ph":"B","pid":0,"tid":7,"ts":130,"cat":"kernel","name":"back"})",
              event("kernel", "k", on_gpu, "140", "10"), R"({"ph":"E","pid":0,"tid":7,"ts":120,"name":"back"})"}),
      "trace.json");
  const activity_input& in = a->inputs().at(0);
  CHECK(in.reject_reasons == std::vector<std::pair<std::string, std::uint64_t>>{{"the duration is negative", 1}});
  CHECK(in.first_rejected_line == 4);
}

TEST_CASE("Kineto: launches are missed where a kernel names one, or a host was seen") {
  const auto has_note = [](const std::vector<std::string>& events) {
    const auto a = read_text(kineto(events), "trace.json");
    const std::vector<std::string>& notes = a->inputs().at(0).notes;
    return std::any_of(notes.begin(), notes.end(),
                       [](const std::string& n) { return n.find("have no launch") != std::string::npos; });
  };
  const std::string linked = event("kernel", "k", on_gpu, "100", "10", R"("correlation":5)"),
                    bare = event("kernel", "k", on_gpu, "100", "10"), host = event("cpu_op", "op", on_cpu, "50", "1"),
                    launch = event("cuda_runtime", "cudaLaunchKernel", on_cpu, "90", "3", R"("correlation":5)");
  CHECK_FALSE(has_note({bare}));
  CHECK(has_note({linked}));
  CHECK(has_note({bare, host}));
  CHECK(has_note({linked, host}));
  CHECK_FALSE(has_note({linked, host, launch}));
}

TEST_CASE("Kineto: times are as fine as the finest of them") {
  for (const auto& [ts, dur, resolution] : {std::tuple{"100", "10", 1'000'000}, std::tuple{"100.5", "10", 1'000},
                                            std::tuple{"100", "10.5", 1'000}}) {
    const auto a = read_text(kineto({event("kernel", "a", on_gpu, "10", "2"), event("kernel", "b", on_gpu, ts, dur),
                                     event("kernel", "c", on_gpu, "200", "2")}),
                             "trace.json");
    CHECK(a->devices().at(0).timestamp_resolution_ps == resolution);
  }
}

TEST_CASE("Kineto: what cannot be taken is counted, the first by its place") {
  const auto a = read_text(
      kineto({event("kernel", "k", on_gpu, "100", "10"), event("kernel", "k", on_gpu, "120", "-1"),
              event("cpu_op", "op", on_cpu, "130", "-1"), event("cpu_op", "op", on_cpu, "\"soon\"", "1")}),
      "trace.json");
  const activity_input& in = a->inputs().at(0);
  CHECK(in.rows == 4);
  CHECK(in.rejected == 3);
  CHECK(in.first_rejected_line == 2);
  CHECK(in.reject_reasons == std::vector<std::pair<std::string, std::uint64_t>>{{"the duration is negative", 2},
                                                                                {"no usable time", 1}});
}

TEST_CASE("threads that mark the same step give one window around both") {
  const auto a = read_text(
      kineto({event("kernel", "k", on_gpu, "100", "10"),
              event("user_annotation", "ProfilerStep#1", on_cpu, "50", "20"),
              event("user_annotation", "ProfilerStep#1", R"("pid":900,"tid":12)", "60", "100"),
              event("user_annotation", "ProfilerStep#1", R"("pid":900,"tid":13)", "65", "10"),
              event("user_annotation", "ProfilerStep#2", on_cpu, "200", "20")}),
      "trace.json");
  REQUIRE(a->markers().size() == 2);
  const step_marker &one = a->markers()[0], &two = a->markers()[1];
  CHECK(std::tuple(one.number, two.number) == std::tuple(1, 2));
  CHECK(one.end_ps - one.start_ps == 110'000'000);
  CHECK(two.start_ps - one.start_ps == 150'000'000);
  CHECK(one.source == marker_source::profiler_step);
}

TEST_CASE("devices of one name are told apart by ranks where all of them have one, else by files") {
  const auto names = [](const std::vector<std::string>& heads) {
    const test::temporary_folder folder;
    for (std::size_t i = 0; i < heads.size(); ++i)
      folder.write("t" + std::to_string(i) + ".json", kineto({event("kernel", "k", on_gpu, "100", "10")}, heads[i]));
    const auto a = read_path(folder.path());
    std::vector<std::string> found;
    for (const activity_device& d : a->devices()) found.emplace_back(a->text(d.name));
    return found;
  };
  const std::string rank_0 = R"("distributedInfo":{"rank":0},)", rank_1 = R"("distributedInfo":{"rank":1},)";
  CHECK(names({rank_0}) == std::vector<std::string>{"GPU 0"});
  CHECK(names({rank_1, rank_0}) == std::vector<std::string>{"GPU 0 of rank 1", "GPU 0 of rank 0"});
  CHECK(names({rank_0, ""}) == std::vector<std::string>{"GPU 0 of t0.json", "GPU 0 of t1.json"});
  CHECK(names({rank_1, rank_1}) == std::vector<std::string>{"GPU 0 of t0.json", "GPU 0 of t1.json"});
}

namespace {

// Hands out what it was given, in that order.
class given_spans final : public activity {
 public:
  explicit given_spans(std::vector<host_span> spans) : spans_(std::move(spans)) {}
  const std::vector<activity_device>& devices() const noexcept override { return none_.devices; }
  const std::vector<activity_host>& hosts() const noexcept override { return none_.hosts; }
  const std::vector<activity_thread>& threads() const noexcept override { return none_.threads; }
  const std::vector<step_marker>& markers() const noexcept override { return none_.markers; }
  const std::vector<activity_input>& inputs() const noexcept override { return none_.inputs; }
  const std::vector<communication_row>& communication() const noexcept override { return none_.communication; }
  const std::vector<step_trace_row>& step_trace() const noexcept override { return none_.step_trace; }
  std::string_view text(string_id) const noexcept override { return ""; }
  std::optional<std::int64_t> origin_unix_ns() const noexcept override { return std::nullopt; }
  bool has_host_spans(std::uint32_t) const noexcept override { return true; }
  result<void> visit_kernels(std::size_t, kernel_visitor&, const hooks&) const override { return {}; }
  result<void> visit_host_spans(std::uint32_t, std::int64_t, std::int64_t, host_span_visitor& into,
                                const hooks&) const override {
    return into.spans(spans_.data(), spans_.size());
  }

 private:
  struct {
    std::vector<activity_device> devices;
    std::vector<activity_host> hosts;
    std::vector<activity_thread> threads;
    std::vector<step_marker> markers;
    std::vector<activity_input> inputs;
    std::vector<communication_row> communication;
    std::vector<step_trace_row> step_trace;
  } none_;
  std::vector<host_span> spans_;
};

}  // namespace

TEST_CASE("spans that touch a window, whatever their order") {
  const std::vector<interval> windows{{10, 20}, {40, 50}, {60, 61}};
  std::vector<host_span> spans;
  for (std::int64_t start = 70; start >= 0; --start) {
    for (const std::int64_t length : {0, 1, 5, 10, 30}) {
      host_span s;
      s.start_ps = start * 7 % 71;
      s.duration_ps = length;
      s.source_row = spans.size();
      spans.push_back(s);
    }
  }
  spans_of found;
  const auto kinds = given_spans(spans).visit_host_spans_in(0, {windows.data(), windows.size()}, found);
  REQUIRE(kinds.ok());
  CHECK(*kinds == 1U << static_cast<unsigned>(host_span_kind::other));
  std::vector<std::uint64_t> expected, rows;
  for (const host_span& s : spans) {
    bool in = false;
    for (std::int64_t at = s.start_ps; at < s.start_ps + s.duration_ps; ++at)
      in = in || (at >= 10 && at < 20) || (at >= 40 && at < 50) || at == 60;
    if (in) expected.push_back(s.source_row);
  }
  for (const host_span& s : found.all) rows.push_back(s.source_row);
  CHECK(rows == expected);
}

TEST_CASE("spans of a stretch of time are those that have a moment in it") {
  std::vector<std::string> events{event("kernel", "k", on_gpu, "1", "10")};
  for (int start = 0; start < 40; ++start)
    for (const int length : {1, 4, 9})
      events.push_back(event("cpu_op", "op", on_cpu, std::to_string(start), std::to_string(length)));
  const auto a = read_text(kineto(events), "trace.json");
  const kernels_of k(*a, 0);
  const std::int64_t us = 1'000'000, zero = k.all.at(0).start_ps - us;
  for (const auto& [from, to] : {std::pair{10, 12}, std::pair{0, 1}, std::pair{39, 60}, std::pair{20, 21}}) {
    spans_of found;
    REQUIRE(a->visit_host_spans(a->devices()[0].host_group, zero + from * us, zero + to * us, found).ok());
    std::size_t expected = 0;
    for (int start = 0; start < 40; ++start)
      for (const int length : {1, 4, 9}) expected += start < to && start + length > from ? 1U : 0U;
    CHECK(found.all.size() == expected);
  }
}

namespace {

const std::string inner = "a_ascend_pt/ASCEND_PROFILER_OUTPUT/";
const std::string table_head =
    "Step Id,Device_id,Name,Type,Accelerator Core,Stream ID,Start Time(us),Duration(us),Wait Time(us)\n";

std::string named(int pid, const char* what) {
  return R"({"ph":"M","name":"process_name","pid":)" + std::to_string(pid) + R"(,"tid":0,"args":{"name":")" + what +
         R"("}})";
}
std::string arrow(const char* phase, const char* name, int pid, int tid, const char* ts, int id) {
  return R"({"ph":")" + std::string(phase) + R"(","name":")" + name + R"(","id":)" + std::to_string(id) +
         R"(,"cat":"async","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) + R"(,"ts":")" + ts +
         "\"}";
}

}  // namespace

TEST_CASE("Ascend: arrows to a kernel's moment, of its stream if one is") {
  const std::string trace =
      "[" + named(1, "Python") + "," + named(33, "Ascend Hardware") + "," +
      R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":"5","dur":1})" + "," +
      arrow("s", "torch_to_npu", 1, 1, "10", 1) + "," + arrow("f", "torch_to_npu", 33, 9, "100", 1) + "," +
      arrow("s", "torch_to_npu", 1, 1, "20", 2) + "," + arrow("f", "torch_to_npu", 33, 5, "100", 2) + "," +
      arrow("s", "torch_to_npu", 1, 1, "30", 3) + "," + arrow("f", "torch_to_npu", 33, 7, "200", 3) + "," +
      arrow("s", "torch_to_npu", 1, 1, "35", 4) + "," + arrow("f", "torch_to_npu", 33, 5, "200", 4) + "]";
  const test::temporary_folder folder;
  folder.write(inner + "kernel_details.csv",
               table_head + "1,0,a,T,AI_CORE,7,100,10,0\n1,0,b,T,AI_CORE,7,200,10,0\n1,0,c,T,AI_CORE,7,300,10,0\n");
  folder.write(inner + "trace_view.json", trace);
  const auto a = read_path(folder.path());
  const kernels_of k(*a, 0);
  REQUIRE(k.all.size() == 3);
  // None is of stream 7: the first of the others, by stream.
  CHECK(k.all[0].start_ps - k.all[0].launch_ps == 80'000'000);
  CHECK(k.all[1].start_ps - k.all[1].launch_ps == 170'000'000);
  CHECK(k.all[2].launch_ps == no_time_ps);
  const std::vector<std::string>& notes = a->inputs().at(0).notes;
  CHECK(std::find(notes.begin(), notes.end(),
                  "1 of 3 kernels have no launch in the trace: who launched them is unattributed") != notes.end());
}

TEST_CASE("Ascend: a stream of a table is shown after the kernels without one") {
  const test::temporary_folder folder;
  folder.write(inner + "kernel_details.csv",
               table_head + "1,1,a,T,AI_CORE,7,100,10,0\n1,0,b,T,AI_CORE,9,200,10,0\n1,1,c,T,AI_CORE,5,300,10,0\n");
  const auto a = read_path(folder.path());
  REQUIRE(a->devices().size() == 2);
  CHECK(places_of(a->devices()[0]) == std::vector<std::string>{"7 0/1", "5 0/2"});
  CHECK(places_of(a->devices()[1]) == std::vector<std::string>{"9 1/1"});
}

TEST_CASE("Ascend: a stream of a trace is shown where its first kernel lies") {
  const auto kernel = [](int pid, int tid, const char* ts, const char* type) {
    return R"({"ph":"X","name":"k","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) +
           R"(,"ts":")" + ts + R"(","dur":1,"args":{"Task Type":")" + type + R"("}})";
  };
  const auto a = read_text("[" + named(1, "Python") + "," + kernel(34, 4, "1", "Notify Wait") + "," +
                               kernel(34, 6, "2", "AI_CORE") + "," + kernel(34, 6, "4", "AI_CORE") + "," +
                               named(34, "Ascend Hardware") + "," + kernel(34, 4, "6", "AI_CORE") + "]",
                           "trace_view.json");
  REQUIRE(a->devices().size() == 1);
  CHECK(a->devices()[0].ordinal == 2);
  CHECK(places_of(a->devices()[0]) == std::vector<std::string>{"6 1/1", "4 1/0"});
}

TEST_CASE("Ascend: a span in two parts has the category and the task of its begin") {
  const auto a = read_text(
      "[" + named(34, "Ascend Hardware") + "," +
          R"({"ph":"B","name":"k","pid":34,"tid":6,"ts":"1","args":{"Task Type":"AI_CORE"}},)"
          R"({"ph":"E","pid":34,"tid":6,"ts":"3","cat":"HostToDevice"},)"
          R"({"ph":"B","name":"op","cat":"cpu_op","pid":8,"tid":1,"ts":"1"},{"ph":"E","pid":8,"tid":1,"ts":"2"},)"
          R"({"ph":"B","name":"back","pid":8,"tid":1,"ts":"2"},{"ph":"E","name":"back","pid":8,"tid":1,"ts":"1"}])",
      "trace_view.json");
  REQUIRE(a->devices().size() == 1);
  const kernels_of k(*a, 0);
  REQUIRE(k.all.size() == 1);
  CHECK(a->text(k.all[0].core) == "AI_CORE");
  CHECK(k.all[0].duration_ps == 2'000'000);
  spans_of host;
  REQUIRE(a->visit_host_spans(a->devices()[0].host_group, -1'000'000'000, 1'000'000'000, host).ok());
  REQUIRE(host.all.size() == 1);
  CHECK(host.all[0].kind == host_span_kind::op);
  CHECK(a->inputs().at(0).first_rejected_line == 7);
}

TEST_CASE("Ascend: files without an origin share the clock of the first") {
  const test::temporary_folder folder;
  folder.write(inner + "kernel_details.csv", table_head + "1,0,a,T,AI_CORE,7,10000000000.5,10,0\n");
  folder.write(inner + "trace_view.json",
               "[" + named(1, "Python") +
                   R"(,{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":"10002000001","dur":1}])");
  const auto a = read_path(folder.path());
  const kernels_of k(*a, 0);
  REQUIRE(k.all.size() == 1);
  spans_of host;
  REQUIRE(a->visit_host_spans(a->devices()[0].host_group, -20'000'000'000'000, 20'000'000'000'000, host).ok());
  REQUIRE(host.all.size() == 1);
  CHECK(host.all[0].start_ps - k.all[0].start_ps == 2'000'000'500'000);
}

TEST_CASE("Ascend: step ids, communication and the columns of a table") {
  const test::temporary_folder folder;
  folder.write(inner + "kernel_details.csv",
               table_head +
                   "1,0,a,T,AI_CORE,7,10.0005,100.0004,3\n"
                   "1,0,b,T,AI_CORE,7,20,5,0\n"
                   "2,0,allgatherAicpuKernel,AllGatherAicpuKernel,AI_CPU,7,200,5,0\n"
                   "2,1,a,T,AI_CORE,7,300,5,0\n");
  folder.write(inner + "communication.json",
               R"j({"step2":{"collective":{"hcom_allReduce__1@77":{"Communication Time Info":{)j"
               R"j("Start Timestamp(us)":30,"Elapse Time(ms)":2,"Transit Time(ms)":1.25,"Wait Time(ms)":0.5}}},)j"
               R"j("p2p":{"hcom_send__1@78":{"Communication Time Info":{)j"
               R"j("Start Timestamp(us)":40,"Elapse Time(ms)":1}}}}})j");
  const auto a = read_path(folder.path());
  REQUIRE(a->devices().size() == 2);
  const kernels_of k(*a, 0);
  REQUIRE(k.all.size() == 3);
  std::map<std::pair<std::int32_t, std::int64_t>, std::pair<std::int64_t, std::int64_t>> steps;
  for (const step_marker& m : a->markers())
    steps[{m.device, m.number}] = {m.start_ps - k.all[1].start_ps, m.end_ps - k.all[1].start_ps};
  const std::int64_t us = 1'000'000;
  CHECK(steps == decltype(steps){{{0, 1}, {-9'999'000, 90'001'000}},
                                 {{0, 2}, {180 * us, 185 * us}},
                                 {{1, 2}, {280 * us, 285 * us}}});
  CHECK(k.all[0].wait_ps == 3 * us);
  REQUIRE(a->communication().size() == 2);
  const communication_row &reduce = a->communication()[0], &send = a->communication()[1];
  CHECK(std::tuple(reduce.device, reduce.collective, reduce.elapsed_ps, reduce.transit_ps, reduce.wait_ps) ==
        std::tuple(0U, true, 2'000 * us, 1'250 * us, 500 * us));
  CHECK(std::tuple(send.device, send.collective, send.elapsed_ps, send.transit_ps, send.wait_ps) ==
        std::tuple(0U, false, 1'000 * us, std::int64_t{0}, std::int64_t{0}));
  CHECK(reduce.start_ps - k.all[1].start_ps == 10 * us);
  CHECK(a->text(reduce.step) == "2");
  CHECK(a->text(reduce.op) == "hcom_allReduce__1");
  CHECK(a->text(reduce.group) == "77");
}

TEST_CASE("Ascend: the device of a trace's kernel is in the number of its process") {
  for (const int device : {0, 7, 16, 31}) {
    const int pid = (1234 << 10) | (3 << 5) | device;
    const std::string place = R"("pid":)" + std::to_string(pid) + R"(,"tid":4)";
    const auto a = read_text("[" + named(pid, "Ascend Hardware") + "," + named(1, "CANN") +
                                 R"(,{"ph":"X","name":"MatMul","ts":"100","dur":5,"args":{"Task Type":"AI_CORE"},)" +
                                 place + "}]",
                             "trace_view.json");
    REQUIRE(a->devices().size() == 1);
    CHECK(a->devices()[0].ordinal == device);
  }
}

TEST_CASE("Ascend: a collective of an AI CPU is known by either name") {
  for (const auto& [name, type] :
       {std::pair{"allgatherAicpuKernel", "Other"}, std::pair{"k", "AllGatherAicpuKernel"}}) {
    const ascend_class c = classify_ascend("AI_CPU", type, name);
    CHECK(c.kind == kernel_class::comm);
    CHECK(c.on_aicpu);
  }
  CHECK(classify_ascend("AI_CPU", "Cast", "Cast").kind == kernel_class::aicpu);
}

TEST_CASE("Ascend: a row has to reach the last column that a kernel needs") {
  const auto a = read_text(table_head + "1,0,a,T,AI_CORE,7,100,5,1\n1,0,a,T,AI_CORE,7,200,5\n1,0,a,T,AI_CORE,7,300\n",
                           "kernel_details.csv");
  CHECK(a->devices().at(0).kernels == 2);
  CHECK(a->inputs().at(0).reject_reasons ==
        std::vector<std::pair<std::string, std::uint64_t>>{{"the row has fewer fields than the header", 1}});
}

TEST_CASE("Chrome: only of spans a negative duration is damage") {
  const std::string kernel = event("kernel", "k", on_gpu, "100", "10");
  const auto a = read_text(kineto({kernel, R"({"ph":"i","name":"i","pid":1,"tid":1,"ts":5,"dur":-1})"}), "trace.json");
  CHECK_FALSE(a->inputs().at(0).damage.has_value());
  const auto b = read_text(kineto({kernel, event("cpu_op", "op", on_cpu, "5", "-1")}), "trace.json");
  CHECK(b->inputs().at(0).damage.has_value());
}

TEST_CASE("decimals are rounded half away from zero") {
  for (const auto& [text, scale, value] :
       {std::tuple{"2.5", 0, 3}, std::tuple{"2.4999999", 0, 2}, std::tuple{"-2.5", 0, -3}, std::tuple{"-2.4", 0, -2},
        std::tuple{"1.0005", 3, 1001}, std::tuple{"1.00049", 3, 1000}, std::tuple{"0.5", 0, 1},
        std::tuple{"7", 2, 700}}) {
    INFO(text);
    CHECK(decimal_scaled_integer(text, scale) == value);
  }
}
