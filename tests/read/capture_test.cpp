#include <profkit/core/capture.hpp>

#include <read/detect.hpp>
#include <formats/chrome/probe_json.hpp>
#include <formats/probe_wire.hpp>

#include "../io/test_files.hpp"
#include "support.hpp"

#include <catch.hpp>

#include <filesystem>
#include <random>
#include <set>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace profkit;
using namespace profkit::test;

namespace {

// A field of a message: tag, length, payload; payloads of these tests are short.
std::string field(unsigned number, const std::string& payload) {
  REQUIRE(payload.size() < 128);
  return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(payload.size()) + payload;
}
std::string varint_field(unsigned number, unsigned value) {
  return {static_cast<char>(number << 3), static_cast<char>(value)};
}

std::string small_xspace() {
  const std::string line = varint_field(1, 7) + field(2, "XLA Ops") + field(4, varint_field(1, 3));
  return field(1, varint_field(1, 2) + field(2, "/device:TPU:0") + field(3, line)) + field(4, "host");
}
std::string small_hlo() {
  const std::string computation = field(1, "main.4") + field(2, field(1, "p0") + field(2, "parameter"));
  return field(1, field(1, "jit_f") + field(2, "main.4") + field(3, computation) + varint_field(5, 1));
}
const char* const small_trace =
    R"({"displayTimeUnit":"ns","metadata":{"a":["traceEvents"]},"traceEvents":[{"ph":"M"}]})";

file_family family_of(const std::string& name, const std::string& bytes) { return detect(name, bytes).family; }

std::vector<std::string> paths_of(const capture& c) {
  std::vector<std::string> out;
  for (const capture_file& f : c.files) out.push_back(f.path);
  return out;
}
std::vector<std::string> chosen_runs(const capture& c) {
  std::vector<std::string> out;
  for (const capture_run& r : c.runs) {
    if (r.chosen) out.push_back(r.name);
  }
  return out;
}

capture opened(const std::string& path, const std::string& run = "") {
  open_options options;
  options.run = run;
  auto c = open_capture(path, options);
  if (!c.ok()) FAIL(c.error().message);
  return std::move(*c);
}

std::string all_bytes(const capture& c, std::size_t file = 0) {
  auto from = open_source_of(c, file);
  REQUIRE(from.ok());
  const auto held = hold_bytes(std::move(*from));
  REQUIRE(held.ok());
  return std::string(held->bytes);
}

void set_time(const std::string& path, int minutes_ago) {
  std::filesystem::last_write_time(path,
                                   std::filesystem::file_time_type::clock::now() - std::chrono::minutes(minutes_ago));
}

}  // namespace

TEST_CASE("formats are told by name") {
  const struct {
    const char* name;
    file_family family;
    detection_confidence sure;
    const char* host;
  } rows[] = {
      {"vm.xplane.pb", file_family::xspace, detection_confidence::certain, "vm"},
      {"a.b.xplane.pb.gz", file_family::xspace, detection_confidence::certain, "a.b"},
      {"vm.xplane.pb.zst", file_family::xspace, detection_confidence::certain, "vm"},
      {"vm.trace.json.gz", file_family::chrome_trace, detection_confidence::certain, "vm"},
      {"vm.trace.json", file_family::chrome_trace, detection_confidence::certain, "vm"},
      {"perfetto_trace.json.gz", file_family::chrome_trace, detection_confidence::certain, ""},
      {"worker0.1694128201545.pt.trace.json.gz", file_family::chrome_trace, detection_confidence::certain, "worker0"},
      {"rank1.pt.trace.json", file_family::chrome_trace, detection_confidence::certain, "rank1"},
      {"rank1..pt.trace.json", file_family::chrome_trace, detection_confidence::certain, "rank1."},
      {"20260101.pt.trace.json", file_family::chrome_trace, detection_confidence::certain, "20260101"},
      {"trace_view.json", file_family::chrome_trace, detection_confidence::certain, ""},
      {"jit_f(3).hlo_proto.pb", file_family::hlo_proto, detection_confidence::certain, ""},
      {"module_0000.jit_f.hlo.pb", file_family::hlo_proto, detection_confidence::certain, ""},
      {"ALL_HOSTS.op_stats_v2.pb", file_family::op_stats, detection_confidence::certain, ""},
      {"notes.txt", file_family::unknown, detection_confidence::none, ""},
      {"xplane", file_family::unknown, detection_confidence::none, ""},
      {"", file_family::unknown, detection_confidence::none, ""},
  };
  for (const auto& row : rows) {
    INFO(row.name);
    const detection d = detect_by_name(row.name);
    CHECK(d.family == row.family);
    CHECK(d.sure == row.sure);
    CHECK(d.host == row.host);
  }
  CHECK(detect_by_name("vm.trace.json.gz").is_export_name);
  CHECK_FALSE(detect_by_name("rank1.pt.trace.json").is_export_name);
  for (const file_family f : {file_family::unknown, file_family::xspace, file_family::chrome_trace,
                              file_family::hlo_proto, file_family::op_stats}) {
    CHECK(std::string(family_name(f)).size() > 3);
  }
}

TEST_CASE("formats are told by content under any name") {
  CHECK(family_of("x", small_xspace()) == file_family::xspace);
  CHECK(family_of("x", small_hlo()) == file_family::hlo_proto);
  CHECK(family_of("x", small_trace) == file_family::chrome_trace);
  CHECK(family_of("x.json", R"( [ {"name":"ph","args":{"ph":1}} , {"ph":"X"}])") == file_family::chrome_trace);
  CHECK(family_of("x.json", R"([{"args":{"ph":"X"}}])") == file_family::unknown);  // not a key of an event
  CHECK(family_of("x.json", R"({"collective":[[0,1]]})") == file_family::unknown);
  CHECK(family_of("x.json", R"({"metadata":{"traceEvents":[]}})") == file_family::unknown);
  CHECK(family_of("x.json", R"({"a":"traceEvents", "b":"\"traceEvents\":"})") == file_family::unknown);
  CHECK(family_of("x.json", R"({"a":"x\"","traceEvents":[]})") == file_family::chrome_trace);
  CHECK(family_of("x", "\xef\xbb\xbf{\"traceEvents\" : []}") == file_family::chrome_trace);
  // Kineto begins with much metadata: the events may come after the head.
  CHECK(family_of("x", R"({"schemaVersion":1,"deviceProperties":[)" + std::string(100000, ' ')) ==
        file_family::chrome_trace);
  CHECK(family_of("x", "") == file_family::unknown);
  CHECK(family_of("x", R"({"a":1,)") == file_family::unknown);  // it may still become one, or anything else
  CHECK(family_of("x", R"({"displayTimeUnit":"ms",)") == file_family::chrome_trace);
  CHECK(family_of("x", R"({"displayTimeUnit":"ms"})") == file_family::unknown);  // it ended without events
  CHECK(family_of("t.xplane.pb", "") == file_family::xspace);
  CHECK(family_of("x", "plain text, several lines\nof it\n") == file_family::unknown);
  CHECK(family_of("x", std::string("\x7f"
                                   "ELF\x02\x01\x01\0\0\0\0\0",
                                   12)) == file_family::unknown);
  CHECK(family_of("x", "SQLite format 3") == file_family::unknown);

  // Kernel tables by columns that their reader knows, however they are written; without a name or a length, by many.
  CHECK(family_of("x.csv", "NAME, Duration(US) ,stream_id\n") == file_family::ascend_kernels);
  CHECK(family_of("x", "Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us)\n") ==
        file_family::ascend_kernels);
  CHECK(family_of("x.csv", "Device_id,OP Type,Core Type,Count,Total Time(us)\n") == file_family::ascend_kernels);
  CHECK(family_of("x.csv", "Name,Task Type,Start Time\n") == file_family::unknown);
  CHECK(family_of("x.csv", "Name,Duration(us),Colour\n") == file_family::unknown);

  // Text made of a binary file: by name, and by what is left of its names.
  std::string mangled = "\n\xef\xbf\xbd\xef\xbf\xbd\x06\x08\x02\x12\x0a/device:TPU:0";
  for (int i = 0; i < 20; ++i) mangled += "\x1a\xef\xbf\xbd";
  CHECK(family_of("x.xplane.pb", mangled) == file_family::xspace);
  CHECK(family_of("x", mangled) == file_family::xspace);

  // The name is believed unless the contents are certainly something else.
  CHECK(family_of("x.xplane.pb", "garbage") == file_family::xspace);
  CHECK(family_of("x.xplane.pb", small_trace) == file_family::chrome_trace);
  CHECK(family_of("x.hlo.pb", small_xspace()) == file_family::xspace);
  CHECK(family_of("x.trace.json", small_xspace()) == file_family::xspace);
  CHECK(family_of("ALL_HOSTS.op_stats_v2.pb", small_xspace()) == file_family::op_stats);
  CHECK(detect("x.xplane.pb", small_trace).why == "probe: traceEvents, though the name says *.xplane.pb");
}

TEST_CASE("an HloProto is certain by the name of its entry and a computation") {
  const std::string name = field(1, "jit_f"), entry = field(2, "main"), computation = field(3, field(1, "main"));
  const std::string rest = "\x28\x07";  // its id, and what no text holds
  CHECK(probe_hlo_proto(field(1, name + entry + computation + rest)).sure == detection_confidence::certain);
  CHECK(probe_hlo_proto(field(1, name + entry + rest)).sure == detection_confidence::likely);
  CHECK(probe_hlo_proto(field(1, name + computation + rest)).sure == detection_confidence::possible);
  CHECK(probe_hlo_proto(field(1, name + rest)).sure == detection_confidence::possible);
}

TEST_CASE("a message is foreign when more of its planes are none than are") {
  const std::string plane = field(1, field(2, "/host:CPU")), none = field(1, "\x10\x01");
  CHECK_FALSE(is_foreign_message(plane));
  CHECK_FALSE(is_foreign_message(plane + none));
  CHECK(is_foreign_message(plane + none + none));
  CHECK(is_foreign_message(none));
  CHECK_FALSE(is_foreign_message(""));
}

TEST_CASE("a head may end anywhere") {
  // Every prefix of a valid file must still look possible under its name, and never be taken for another format.
  for (const std::string& whole : {small_xspace(), small_hlo(), std::string(small_trace)}) {
    const file_family family = family_of("x", whole);
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
      const std::string head(whole, 0, cut);
      const std::vector<char> exact(head.begin(), head.end());
      const detection d = detect_by_content({exact.data(), exact.size()});
      if (d.sure >= detection_confidence::likely && d.family != family) FAIL(family_name(family) << " cut at " << cut);
    }
  }
  std::mt19937_64 random(17);
  int taken = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<char> noise(random() % 200);
    for (char& c : noise) c = static_cast<char>(random());
    taken += detect_by_content({noise.data(), noise.size()}).sure >= detection_confidence::likely ? 1 : 0;
  }
  CHECK(taken < 20);  // random bytes are no capture
}

TEST_CASE("a single file") {
  const temporary_folder folder;
  const std::string bytes = small_xspace();
  const capture plain = opened(folder.write("capture.bin", bytes));
  REQUIRE(plain.files.size() == 1);
  CHECK(plain.files[0].family == file_family::xspace);
  CHECK(plain.files[0].bytes == bytes.size());
  CHECK(plain.files[0].run.empty());
  CHECK(plain.files[0].export_of == -1);
  CHECK(plain.files[0].why == "probe: shape of an XSpace");
  CHECK(plain.runs.empty());
  CHECK(all_bytes(plain) == bytes);
  CHECK(all_bytes(plain) == bytes);  // as often as one likes

  const capture zipped = opened(folder.write("h.xplane.pb", gzipped(bytes)));  // the magic decides, not the name
  CHECK(zipped.files[0].encoding == compression::gzip);
  CHECK(zipped.files[0].host == "h");
  CHECK(all_bytes(zipped) == bytes);
  const bool has_zstd = !is_left_out("zstd");
  CHECK(opened(folder.write("z", has_zstd ? zstandard(small_trace) : gzipped(small_trace))).files[0].encoding ==
        (has_zstd ? compression::zstd : compression::gzip));

  const capture unknown = opened(folder.write("notes", "some text"));
  REQUIRE(unknown.files.size() == 1);
  CHECK(unknown.files[0].family == file_family::unknown);
  const capture empty = opened(folder.write("empty", ""));
  REQUIRE(empty.files.size() == 1);
  CHECK(all_bytes(empty).empty());
  // A compressed file cut in its first bytes is still known by its name.
  CHECK(opened(folder.write("cut.xplane.pb.gz", gzipped(bytes).substr(0, 12))).files[0].family == file_family::xspace);

  CHECK(open_capture(folder.path("none")).error().code == fault_code::not_found);
  CHECK(open_capture("").error().code == fault_code::invalid_argument);
  open_options options;
  options.run = "2026";
  CHECK(open_capture(folder.path("z"), options).error().code == fault_code::invalid_argument);
  options.run = "all";
  CHECK(open_capture(folder.path("z"), options).ok());
  CHECK(open_source_of(plain, 1).error().code == fault_code::invalid_argument);
}

TEST_CASE("a pipe is looked at without losing a byte, and read once") {
  const temporary_folder folder;
  const std::string events(200000, ' ');
  for (const std::string& sent : {small_trace + events, gzipped(small_trace + events), small_xspace()}) {
    const std::string path = folder.path("pipe");
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    std::thread writer([&] {
      const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      for (std::size_t at = 0; at < sent.size();) {
        const auto count = ::write(file, sent.data() + at, sent.size() - at);
        if (count <= 0) break;
        at += static_cast<std::size_t>(count);
      }
      ::close(file);
    });
    const capture c = opened(path);
    REQUIRE(c.files.size() == 1);
    CHECK(c.files[0].family == (sent == small_xspace() ? file_family::xspace : file_family::chrome_trace));
    const capture copy = c;
    auto from = std::move(*open_source_of(copy, 0));
    char some[100];
    CHECK(*from->read(some, 10) == 10);
    CHECK(from->rewind().ok());  // what was looked at is still there
    std::string all;
    for (;;) {
      const auto count = from->read(some, sizeof some);
      REQUIRE(count.ok());
      if (*count == 0) break;
      all.append(some, *count);
    }
    CHECK(all == (sent == small_xspace() ? sent : small_trace + events));
    CHECK(from->rewind().ok());  // its encoded bytes were kept
    CHECK(open_source_of(c, 0).error().code == fault_code::unsupported);
    writer.join();
    std::filesystem::remove(path);
  }
}

TEST_CASE("a run folder, its parents, and exports that are not counted twice") {
  const temporary_folder folder;
  const std::string run = "log/plugins/profile/2026_11_21_06_43_55/";
  folder.write(run + "vm.xplane.pb", small_xspace());
  folder.write(run + "vm.trace.json.gz", gzipped(small_trace));
  folder.write(run + "perfetto_trace.json.gz", gzipped(small_trace));
  folder.write(run + "kineto.json", small_trace);
  folder.write(run + "jit_f.hlo_proto.pb", small_hlo());
  folder.write(run + "ALL_HOSTS.op_stats_v2.pb", "?");
  folder.write(run + "settings.json", R"({"a":1})");
  folder.write(run + "notes.txt", "x");
  folder.write("log/dump/module_0000.hlo.pb", small_hlo());
  folder.write("log/events.out.tfevents.1", "x");
  const std::string where = folder.path(run);
  for (const std::string& path : {where.substr(0, where.size() - 1), where, folder.path("log/plugins/profile"),
                                  folder.path("log/plugins"), folder.path("log"), folder.path(), folder.path("log/")}) {
    INFO(path);
    const capture c = opened(path);
    CHECK(c.path == path);
    REQUIRE(c.files.size() == 6);
    REQUIRE(c.runs.size() == 1);
    CHECK(c.runs[0].chosen);
    CHECK(c.runs[0].name == "2026_11_21_06_43_55");
    CHECK(c.files[0].family == file_family::op_stats);
    CHECK(c.files[1].family == file_family::hlo_proto);
    CHECK(c.files[2].why == "name *.json, probe: traceEvents");
    CHECK(c.files[2].export_of == -1);  // a trace of its own
    CHECK(c.files[3].export_of == 5);
    CHECK(c.files[4].export_of == 5);
    CHECK(c.files[5].family == file_family::xspace);
    CHECK(c.files[5].export_of == -1);
    for (const capture_file& f : c.files) CHECK(f.run == "2026_11_21_06_43_55");
    CHECK(c.ignored_count == 2);
    CHECK(c.files[0].path.compare(0, path.size(), path) == 0);  // as the user gave it
    CHECK(all_bytes(c, 5) == small_xspace());
  }
  // A compiler's dump alone is something to open as well.
  CHECK(opened(folder.path("log/dump")).files.size() == 1);
}

TEST_CASE("several hosts in a run: each export belongs to its host") {
  const temporary_folder folder;
  for (const char* name : {"r/h0.xplane.pb", "r/h1.xplane.pb"}) folder.write(name, small_xspace());
  for (const char* name :
       {"r/h0.trace.json.gz", "r/h1.trace.json.gz", "r/h2.trace.json.gz", "r/perfetto_trace.json.gz"}) {
    folder.write(name, small_trace);
  }
  const capture c = opened(folder.path("r"));
  REQUIRE(c.files.size() == 6);
  CHECK(c.files[0].export_of == 1);   // h0.trace
  CHECK(c.files[2].export_of == 3);   // h1.trace
  CHECK(c.files[4].export_of == -1);  // h2 has no XSpace here
  CHECK(c.files[5].export_of == 1);   // of one of them: not counted twice
  CHECK(c.files[1].host == "h0");
}

TEST_CASE("tasks of the hardware beside a table of the same kernels are not counted twice") {
  const temporary_folder folder;
  const std::string kernels = "Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us)\n";
  const std::string tasks =
      "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)\n";
  folder.write("r/kernel_details.csv", kernels);
  folder.write("r/task_time_1.csv", tasks);
  folder.write("alone/task_time_1.csv", tasks);
  const capture both = opened(folder.path("r"));
  REQUIRE(both.files.size() == 2);
  CHECK(both.files[0].export_of == -1);
  CHECK(both.files[1].export_of == 0);
  CHECK(opened(folder.path("alone")).files.at(0).export_of == -1);
}

TEST_CASE("the newest run is chosen, by its name where names are times") {
  const temporary_folder folder;
  for (const char* run : {"2025_12_31_23_59_59", "2026_01_02_00_00_00", "2026_01_01_00_00_00"}) {
    folder.write(std::string("p/plugins/profile/") + run + "/vm.xplane.pb", small_xspace());
  }
  set_time(folder.path("p/plugins/profile/2026_01_02_00_00_00/vm.xplane.pb"), 1000);  // copied: its time says nothing
  capture c = opened(folder.path("p"));
  CHECK(chosen_runs(c) == std::vector<std::string>{"2026_01_02_00_00_00"});
  REQUIRE(c.runs.size() == 3);
  CHECK(c.runs[1].name == "2026_01_01_00_00_00");
  CHECK(c.runs[2].name == "2025_12_31_23_59_59");
  CHECK(c.files.size() == 1);
  c = opened(folder.path("p"), "2025_12_31_23_59_59");
  CHECK(chosen_runs(c) == std::vector<std::string>{"2025_12_31_23_59_59"});
  CHECK(c.files.size() == 1);
  CHECK(c.files[0].run == "2025_12_31_23_59_59");
  // By its path, as `info` lists it.
  c = opened(folder.path("p"), folder.path("p/plugins/profile/2025_12_31_23_59_59"));
  CHECK(chosen_runs(c) == std::vector<std::string>{"2025_12_31_23_59_59"});
  c = opened(folder.path("p"), "all");
  CHECK(c.files.size() == 3);
  CHECK(c.files[0].run == "2026_01_02_00_00_00");
  open_options options;
  options.run = "2024";
  const auto none = open_capture(folder.path("p"), options);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().code == fault_code::invalid_argument);
  CHECK(none.error().message.find("2026_01_01_00_00_00, 2025_12_31_23_59_59") != std::string::npos);

  // A day alone is a time as well.
  for (const char* run : {"20260101", "20260301", "20260201"})
    folder.write(std::string("days/") + run + "/a.trace.json", small_trace);
  set_time(folder.path("days/20260301/a.trace.json"), 1000);
  CHECK(chosen_runs(opened(folder.path("days"))) == std::vector<std::string>{"20260301"});

  for (const char* run : {"first", "second", "third"})
    folder.write(std::string("q/") + run + "/a.trace.json", small_trace);
  set_time(folder.path("q/first/a.trace.json"), 20);
  set_time(folder.path("q/second/a.trace.json"), 10);
  set_time(folder.path("q/third/a.trace.json"), 30);
  CHECK(chosen_runs(opened(folder.path("q"))) == std::vector<std::string>{"second"});
  CHECK(opened(folder.path("q")).runs[2].name == "third");
}

TEST_CASE("hosts with a folder each and one time are one run") {
  const temporary_folder folder;
  folder.write("rank0/plugins/profile/2026_11_21_06_45_11/vm.xplane.pb", small_xspace());
  folder.write("rank1/plugins/profile/2026_11_21_06_45_11/vm.xplane.pb", small_xspace());
  folder.write("rank1/plugins/profile/2026_11_21_06_45_10/vm.xplane.pb", small_xspace());
  const capture c = opened(folder.path());
  CHECK(c.files.size() == 2);
  CHECK(chosen_runs(c).size() == 2);
}

TEST_CASE("a folder that is a run itself is chosen before the runs below it") {
  const temporary_folder folder;
  folder.write("2020_01_01/vm.xplane.pb", small_xspace());
  folder.write("2020_01_01/2026_01_01/vm.xplane.pb", small_xspace());
  CHECK(chosen_runs(opened(folder.path("2020_01_01"))) == std::vector<std::string>{"2020_01_01"});
  CHECK(chosen_runs(opened(folder.path("2020_01_01/."))) == std::vector<std::string>{"2020_01_01"});
  CHECK(opened(folder.path("2020_01_01"), "all").files.size() == 2);
}

TEST_CASE("raw data of Ascend is told from what was parsed") {
  const temporary_folder folder;
  const std::string data = "/PROF_1_2_A/device_0/data/x";
  const auto unread = [&](const std::string& path) {
    std::vector<std::string> paths;
    for (const fault& each : opened(folder.path(path)).unread) paths.push_back(each.path);
    return paths;
  };
  folder.write("a/w_ascend_pt" + data, "x");
  CHECK(unread("a") == std::vector<std::string>{folder.path("a/w_ascend_pt")});
  // Only the driver's data in a folder that is parsed, and the other way round.
  folder.write("a/w_ascend_pt/ASCEND_PROFILER_OUTPUT/op_statistic.csv", "Device_id,OP Type,Core Type,Count\n");
  CHECK(unread("a").empty());
  CHECK(unread("a/w_ascend_pt").empty());
  CHECK(unread("a/w_ascend_pt/PROF_1_2_A") == std::vector<std::string>{folder.path("a/w_ascend_pt/PROF_1_2_A")});
  // Exported by msprof, in the layouts of now and of before CANN 7, or as a database.
  for (const char* made : {"/mindstudio_profiler_output/a.txt", "/device_0/summary/a.txt", "/host/timeline/a.txt",
                           "/msprof_1.db"}) {
    const std::string name = "b" + std::to_string(std::string_view(made).size());
    folder.write(name + data, "x");
    CHECK(unread(name) == std::vector<std::string>{folder.path(name + "/PROF_1_2_A")});
    folder.write(name + "/PROF_1_2_A" + made, "x");
    CHECK(unread(name).empty());
  }
  // No raw data at all, or only names that look like it.
  folder.write("c/w_ascend_pt/profiler_info_0.json", "{}");
  folder.write("c/PROF_1/notes/data", "x");
  CHECK(unread("c").empty());
  // A file of settings above does not make what lies below one folder of raw data.
  folder.write("d/profiler_info.json", "{}");
  folder.write("d/e/w_ascend_pt" + data, "x");
  CHECK(unread("d") == std::vector<std::string>{folder.path("d/e/w_ascend_pt")});
  // Another capture beside it is whole.
  folder.write("d/e/a.xplane.pb", small_xspace());
  CHECK(unread("d").empty());
}

TEST_CASE("folders with nothing in them, circles, and files that cannot be reached") {
  const temporary_folder folder;
  std::filesystem::create_directories(folder.path("empty/below"));
  const capture nothing = opened(folder.path("empty"));
  CHECK(nothing.files.empty());
  CHECK(nothing.runs.empty());
  CHECK(nothing.ignored_count == 0);
  open_options options;
  options.run = "x";
  CHECK(open_capture(folder.path("empty"), options).error().code == fault_code::invalid_argument);

  for (int i = 0; i < 150; ++i) folder.write("other/" + std::to_string(i) + ".txt", "x");
  const capture other = opened(folder.path("other"));
  CHECK(other.files.empty());
  CHECK(other.ignored_count == 150);
  CHECK(other.ignored.size() == 100);

  // A file that went away is listed by its name; the fault comes when its bytes are wanted.
  folder.write("run/a.xplane.pb", small_xspace());
  std::filesystem::create_symlink("gone", folder.path("run/b.xplane.pb"));
  std::filesystem::create_symlink("gone", folder.path("run/c.json"));
  std::filesystem::create_directory_symlink("..", folder.path("run/loop"));
  const capture c = opened(folder.path("run"));
  REQUIRE(paths_of(c) == std::vector<std::string>{folder.path("run/a.xplane.pb"), folder.path("run/b.xplane.pb")});
  CHECK(open_source_of(c, 1).error().code == fault_code::not_found);
  CHECK(c.ignored == std::vector<std::string>{folder.path("run/c.json")});

  // So is a pipe; what comes of it is never asked for.
  REQUIRE(::mkfifo(folder.path("run/aa.xplane.pb").c_str(), 0600) == 0);
  REQUIRE(::mkfifo(folder.path("run/notes").c_str(), 0600) == 0);
  const capture piped = opened(folder.path("run"));
  REQUIRE(paths_of(piped) == std::vector<std::string>{folder.path("run/a.xplane.pb"), folder.path("run/aa.xplane.pb"),
                                                      folder.path("run/b.xplane.pb")});
  CHECK(piped.files[1].family == file_family::xspace);
  CHECK(open_source_of(piped, 1).error().message == "a named pipe in a folder, which is not read");
  CHECK(piped.ignored == std::vector<std::string>{folder.path("run/c.json"), folder.path("run/notes")});

  options = {};
  options.bounds.max_files = 10;
  CHECK(open_capture(folder.path(), options).error().code == fault_code::limit);
}

TEST_CASE("every capture of the corpus is recognised, also without its name") {
  const auto corpus = corpus_path("captures");
  if (!corpus) PROFKIT_SKIP_WITHOUT_CORPUS;
  std::size_t seen = 0;
  const temporary_folder folder;
  for (const char* part : {"xspace", "jax", "kineto", "hlo"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(*corpus / part)) {
      const std::string path = entry.path().string();
      const detection named = detect_by_name(entry.path().filename().string());
      if (!entry.is_regular_file() || named.sure == detection_confidence::none) continue;
      std::filesystem::copy_file(path, folder.path("anonymous"), std::filesystem::copy_options::overwrite_existing);
      const capture by_name = opened(path), by_content = opened(folder.path("anonymous"));
      INFO(path);
      CHECK(by_name.files[0].family == named.family);
      CHECK(by_content.files[0].family == named.family);
      ++seen;
    }
  }
  CHECK(seen > 100);
}
