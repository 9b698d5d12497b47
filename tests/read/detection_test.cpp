// Formats that are named and not read: each by its sign, none without it, and none wrongly of a head that is cut.
#include <profkit/core/detection.hpp>

#include <read/detect.hpp>
#include <formats/foreign/foreign_format.hpp>
#include <formats/chrome/json_outline.hpp>

#include "../io/test_files.hpp"
#include "support.hpp"

#include <catch.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace profkit;
using namespace profkit::test;
using namespace std::string_literals;

namespace {

std::string varint(std::uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
  return text + static_cast<char>(value);
}
std::string message(unsigned number, const std::string& payload) {
  return varint(number << 3 | 2) + varint(payload.size()) + payload;
}
std::string number_field(unsigned number, std::uint64_t value) { return varint(number << 3) + varint(value); }

std::string big_endian(std::uint64_t value, std::size_t width) {
  std::string text;
  for (std::size_t i = width; i-- > 0;) text += static_cast<char>(value >> (8 * i));
  return text;
}

constexpr std::size_t page_bytes = 512;

// A leaf of the schema whose rows name tables, or what `what` says; `first` is the header before page 1.
std::string schema_leaf(const std::vector<std::string>& names, const std::string& first = {},
                        const std::string& what = "table") {
  std::string rows, places;
  for (const std::string& name : names) {
    // Types: two texts, two more that are left empty, and a number of one byte.
    const std::string header = varint(13 + 2 * what.size()) + varint(13 + 2 * name.size()) + "\x0d\x01\x0d"s;
    const std::string record = static_cast<char>(header.size() + 1) + header + what + name + "\x02"s;
    rows = static_cast<char>(record.size()) + "\x01"s + record + rows;
    places += big_endian(page_bytes - rows.size(), 2);
  }
  std::string page = first + "\x0d"s + big_endian(0, 2) + big_endian(names.size(), 2) + big_endian(0, 3) + places;
  page.resize(page_bytes - rows.size());
  return page + rows;
}
std::string sqlite_header() {
  std::string header = "SQLite format 3\0"s + big_endian(page_bytes, 2);
  header.resize(100);
  return header;
}
std::string database(const std::vector<std::string>& names, const std::string& what = "table") {
  return schema_leaf(names, sqlite_header(), what);
}
// The same with the schema on page 3, behind an inner page.
std::string deep_database(const std::vector<std::string>& names) {
  std::string root = sqlite_header() + "\x05"s + big_endian(0, 2) + big_endian(0, 2) + big_endian(0, 3) + big_endian(3, 4);
  root.resize(2 * page_bytes);
  return root + schema_leaf(names);
}

std::string pickle_text(const std::string& text) { return "\x8c"s + static_cast<char>(text.size()) + text + "\x94"s; }
std::string snapshot_of(const std::string& first, const std::string& second) {
  return "\x80\x04\x95\x40\0\0\0\0\0\0\0}\x94("s + pickle_text(first) + "]\x94}\x94("s + pickle_text("device") + "K\0"s +
         pickle_text(second) + "K\x05uau."s;
}

std::string saved_model(const std::string& info, const std::string& node) {
  return number_field(1, 1) + message(2, message(1, info) + message(2, message(1, node)));
}
const std::string model_info = message(4, "serve") + message(5, "2.15.0") + number_field(7, 1);
const std::string model_node = message(1, "x") + message(2, "Const");

std::string perfetto_packet(unsigned last) { return message(1, number_field(8, 7) + number_field(last, 1)); }
std::string pprof_of(const std::string& first_text, const std::string& second_text) {
  return message(1, number_field(1, 1) + number_field(2, 2)) + message(2, message(1, "\x01")) + message(6, first_text) +
         message(6, second_text);
}
std::string events_of(const std::string& version) {
  const std::string event = "\x09"s + std::string(8, 'd') + message(3, version);
  return static_cast<char>(event.size()) + std::string(11, '\0') + event + std::string(4, '\0');
}
std::string tar_of(const std::string& magic) {
  return "notes.txt" + std::string(248, '\0') + magic + std::string(250, '\0');
}

struct known_head {
  std::string format;  // "" where nothing may be named
  std::string head;
  bool may_be_cut = true;  // a part of it is never named otherwise, but for the more general names below
};

const char* const other_json = "JSON without \"traceEvents\"";
const char* const cut_json = "JSON that ends early, without \"traceEvents\" so far";

std::vector<known_head> known_heads() {
  return {
      {"an SQLite export of Nsight Systems", database({"StringIds", "CUPTI_ACTIVITY_KIND_KERNEL"})},
      {"an SQLite export of Nsight Systems", deep_database({"OSRT_API", "StringIds"})},
      {"a rocpd database of rocprofv3", database({"rocpd_string_1", "rocpd_info_agent_1", "rocpd_api", "rocpd_op"})},
      {"a database of RocmProfileData", database({"rocpd_string", "rocpd_api", "rocpd_op"})},
      {"a database of the Ascend profiler", database({"NPU_INFO", "SESSION_TIME_INFO"})},
      {"an SQLite database", database({"notes"})},
      {"a Riegeli file", "\x83\xaf\x70\xd1\x0d\x88\x4a\x3f"s},
      {"a Parquet table", "PAR1\x15\x04"s},
      {"an Arrow file", "ARROW1\0\0"s},
      {"an HDF5 file", "\x89HDF\r\n\x1a\n"s},
      {"a snapshot of PyTorch's memory, as a pickle", snapshot_of("segments", "total_size")},
      {"a Python pickle", snapshot_of("weights", "total_size")},
      {"a ZIP archive", "PK\x03\x04"s},
      {"a 7z archive", "7z\xbc\xaf\x27\x1c"s},
      {"a file packed with xz", "\xfd" "7zXZ\0"s},
      {"a file packed with bzip2", "BZh91AY&SY"s},
      {"a tar archive", tar_of("ustar")},
      {"a program", "\x7f" "ELF\x02"s},
      {"a pointer of Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:1\n"},
      {"a web page", "\n<!DOCTYPE HTML>\n<html><head>"},
      {"a file of TensorFlow events", events_of("brain.Event:2")},
      {"a SavedModel", saved_model(model_info, model_node)},
      {"a pprof profile", pprof_of("", "space")},
      {"a Perfetto trace", perfetto_packet(10) + perfetto_packet(10)},
      {"a Speedscope profile", R"({"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[]})"},
      {"a CPU profile of Chrome or Node.js",
       R"({"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"startTime":1,"endTime":2,"samples":[1]})"},
      {"a snapshot of PyTorch's memory, as JSON", R"({"segments":[{"device":0}],"device_traces":[[]]})"},
      {"an execution trace of PyTorch", R"({"schema":"1.1.1-chakra.0.0.4","pid":1,"nodes":[]})"},
      {"JSON of rocprofv3", R"({"rocprofiler-sdk-tool":[{"metadata":{}}]})"},
      {other_json, R"({"seed":1,"rate":-1.5e-3,"deep":[{},[],{"traceEvents":[]}],"none":null,"nan":NaN})"},
      {other_json, "\xef\xbb\xbf[1, 2, true]\n"},
      {other_json, "{\"a\":1}\n{\"a\":2}\n"},
      {cut_json, R"({"seed":1,"rate":)"},
  };
}

std::string name_of(const std::string& head) {
  const std::vector<char> exact(head.begin(), head.end());  // so that a sanitizer sees what lies behind
  const foreign_format* const found = find_foreign_format({exact.data(), exact.size()});
  return found == nullptr ? "" : found->name;
}

// Whether one name may stand for the other when less of the file is known.
bool is_more_general(const std::string& name, const std::string& than) {
  if (name.empty()) return true;
  if (name == "an SQLite database") return than.find("database") != std::string::npos || than.find("SQLite") == 3;
  if (name == "a Python pickle") return than.find("pickle") != std::string::npos;
  return name == cut_json || name == other_json;  // judged below
}

}  // namespace

TEST_CASE("formats that are not read are named by a sign that others lack") {
  for (const known_head& row : known_heads()) {
    INFO(row.format);
    CHECK(name_of(row.head) == row.format);
    CHECK(detect("x", row.head).family == file_family::unknown);
    CHECK(explain_detection("x", row.head).verdict == row.format);
    const fault why = unrecognised(row.head);
    CHECK(why.message.find("this is " + row.format) == 0);
    CHECK(why.hint.find("`profkit info --why FILE` says what was looked at.") != std::string::npos);
  }
}

TEST_CASE("what lacks the sign is not named so") {
  const known_head misses[] = {
      {"an SQLite database", database({"StringIds", "notes"})},
      {"an SQLite database", database({"CUPTI_ACTIVITY_KIND_KERNEL"})},
      {"an SQLite database", database({"StringIds", "CUPTI_ACTIVITY_KIND_KERNEL"}, "index")},
      {"an SQLite database", database({"rocpd_api", "rocpd_string"})},
      {"an SQLite database", database({"NPU_INFO"})},
      {"an SQLite database", sqlite_header()},
      {"an SQLite database", "SQLite format 3\0"s + std::string(84, '\xff') + std::string(412, '\x05')},
      {"", "SQLite format 3 is a magic"},
      {"", "PAR1 and PAR2 are names"},
      {"", "ARROW1 text"},
      {"", "\x89PNG\r\n\x1a\n"s},
      {"a Python pickle", snapshot_of("total_size", "segments")},
      {"a Python pickle", snapshot_of("segments", "weights")},
      {"a Python pickle", "\x80\x02}q\0."s},
      {"", "\x80\x02}q\0.more"s},
      {"", "\x80\x06}q\0."s},
      {"", "\x80\x02hello"s},
      {"", "PK\x05\x06"s},
      {"", "BZh9 is no block"},
      {"", tar_of("other")},
      {"", "version https://git-scm.com\n"},
      {"", "<htm"},
      {"", "<svg><html>"},
      {"", events_of("brain.Other:2")},
      {"", saved_model(number_field(1, 1), model_node)},              // it says nothing of itself
      {"", saved_model(message(1, "v1"), model_node)},
      {"", saved_model(model_info, message(1, "x"))},                 // its node has no op
      {"", number_field(1, 2) + saved_model(model_info, model_node).substr(2)},
      {"", number_field(1, 8) + message(2, "pytorch") + message(3, "2.1") + message(7, message(1, "Conv"))},  // ONNX
      {"", message(1, model_node) + message(1, model_node)},          // a GraphDef
      {"", pprof_of("space", "")},
      {"", pprof_of("", "")},
      {"", number_field(2, 1) + pprof_of("", "space")},
      {"", perfetto_packet(10) + message(1, message(2, "/host:CPU"))},
      {"", perfetto_packet(10) + number_field(2, 1)},
      {other_json, R"({"schema":"https://www.speedscope.app/file-format-schema.json.bak"})"},
      {other_json, R"({"profiles":[{"$schema":"https://www.speedscope.app/file-format-schema.json"}]})"},
      {other_json, R"({"nodes":[{"callFrame":{}}],"startTime":1})"},
      {other_json, R"({"nodes":[{"id":1}],"startTime":1,"endTime":2,"callFrame":{}})"},
      {other_json, R"({"segments":[],"traces":[]})"},
      {other_json, R"({"schema":"1.0.1","nodes":[]})"},
      {other_json, R"({"tool":"rocprofiler-sdk-tool"})"},
      {"", R"({"a":1} and more)"},
      {"", R"({"a" 1})"},
      {"", R"({"a":1,})"},
      {"", "{a: 1}"},
      {"", "{"},
      {"", "["},
      {"", R"({"key)"},
      {"", "[INFO] started"},
      {"", "[2026-11-23 12:00:00] started"},
      {"", "[12] footnote"},
      {"", R"({"metadata":{},"traceEvents":[]})"},
      {"", ""},
      {"", "some text"},
  };
  for (const known_head& row : misses) {
    INFO(row.head);
    CHECK(name_of(row.head) == row.format);
  }
}

TEST_CASE("a head that is cut is not named wrongly") {
  for (const known_head& row : known_heads()) {
    for (std::size_t end = 0; end < row.head.size(); ++end) {
      const std::string head = row.head.substr(0, end), name = name_of(head);
      INFO(row.format << " cut at " << end << " is " << name);
      if (name != row.format) REQUIRE(is_more_general(name, row.format));
      if (name == other_json) REQUIRE(outline_json(head).is_whole);
      if (name == cut_json) REQUIRE((row.head[0] == '{' || row.head[0] == '[' || row.head[0] == '\xef'));
      const detection_report told = explain_detection("x", head);
      if (told.family != file_family::unknown) FAIL(told.verdict);
    }
  }
}

TEST_CASE("any bytes are named in bounded time, and few of them at all") {
  std::mt19937_64 random(29);
  int named = 0;
  const std::vector<known_head> heads = known_heads();
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 200, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    named += name_of(bytes).empty() ? 0 : 1;
    std::string flipped = heads[random() % heads.size()].head;
    flipped[random() % flipped.size()] = static_cast<char>(random());
    static_cast<void>(explain_detection("x", flipped));
  }
  CHECK(named < 5);
  CHECK(name_of(deep_database({"a"}).replace(108, 4, big_endian(1, 4))) == "an SQLite database");  // a page of itself
  CHECK(name_of(std::string(100000, '[')).empty());
}

TEST_CASE("a name tells a format whose bytes do not") {
  REQUIRE(find_foreign_format("any bytes", "a.nsys-rep") != nullptr);
  CHECK(find_foreign_format("any bytes", "a.nsys-rep")->name == "a report of Nsight Systems"s);
  CHECK(find_foreign_format("any bytes", "a.qdrep") != nullptr);
  CHECK(find_foreign_format("any bytes", "a.nsys-rep.txt") == nullptr);
  CHECK(find_foreign_format("PK\x03\x04", "a.nsys-rep")->name == "a ZIP archive"s);
}

TEST_CASE("the explanation of a detection") {
  const auto row_of = [](const detection_report& r, const std::string& format) {
    for (const considered_format& c : r.considered)
      if (c.format == format) return c;
    FAIL("no row of " << format);
    return considered_format{};
  };
  const detection_report config = explain_detection("config.json", R"({"seed": 1, "b": 2})");
  CHECK(config.family == file_family::unknown);
  CHECK(config.first_bytes == R"({"seed": 1, "b":)");
  CHECK(row_of(config, "xspace").why == "not protobuf: byte 0 is 0x7b");
  CHECK_FALSE(row_of(config, "xspace").name_matches);
  CHECK(row_of(config, "chrome_trace").name_matches);
  CHECK(row_of(config, "chrome_trace").why == "a JSON object without \"traceEvents\"; its keys: seed, b");
  CHECK(row_of(config, "hlo_proto").names == "*.hlo_proto.pb, *.hlo.pb");
  CHECK(row_of(config, "op_stats").why == detected_by_name_only);
  CHECK(row_of(config, other_json).matches);
  CHECK_FALSE(row_of(config, other_json).is_read);
  CHECK_FALSE(row_of(config, "a SavedModel").matches);
  CHECK_FALSE(config.next.empty());

  const detection_report model = explain_detection("saved_model.pb", saved_model(model_info, model_node));
  CHECK(row_of(model, "xspace").why == "field 1 at byte 0 is a number, which it does not have");

  const std::string space = message(1, message(2, "/host:CPU") + message(3, number_field(1, 1)));
  const detection_report xspace = explain_detection("a.xplane.pb", space);
  CHECK(xspace.family == file_family::xspace);
  CHECK(row_of(xspace, "xspace").matches);
  CHECK(row_of(xspace, "xspace").name_matches);
  CHECK(row_of(xspace, "chrome_trace").why == "no JSON: byte 1 is 0x0f");
  CHECK(xspace.next.empty());

  // The name is believed, as detect() believes it, unless the bytes are surely another format.
  CHECK(explain_detection("a.xplane.pb", "garbage").family == file_family::xspace);
  CHECK(explain_detection("a.xplane.pb", "garbage").verdict ==
        "xspace: name *.xplane.pb, though its contents do not look like one");
  CHECK(xspace.verdict == "xspace: name *.xplane.pb");
  CHECK(explain_detection("analysis.db", "SQLite format 3").verdict == "ascend_database: name analysis.db");
  CHECK(explain_detection("a.xplane.pb", "PK\x03\x04...").verdict == "a ZIP archive");
  CHECK(explain_detection("a.xplane.pb", perfetto_packet(10) + perfetto_packet(10)).verdict == "a Perfetto trace");
  CHECK(explain_detection("a.trace.json", "<html>").verdict == "a web page");
  CHECK(explain_detection("a.txt", "hello\n").verdict == "no format that profkit knows");
  CHECK(row_of(explain_detection("a.txt", "hello\n"), "chrome_trace").why == "no JSON: it begins with neither { nor [");
  CHECK_FALSE(row_of(explain_detection("a", R"({"a":1,)"), "chrome_trace").matches);
  CHECK(why_another("PK\x03\x04"));
  CHECK_FALSE(why_another(perfetto_packet(10)));
  CHECK(explain_detection("a.txt", "").verdict == "empty");
  CHECK(row_of(explain_detection("a", "[1, 2]"), "chrome_trace").why == "a JSON array without objects that have \"ph\"");
}

TEST_CASE("what lies at a path is explained file by file") {
  const temporary_folder folder;
  folder.write("a/notes.txt", "hello\n");
  folder.write("a/pprof.gz", gzipped(pprof_of("", "space")));
  folder.write("b.nsys-rep", "bytes");
  const auto none = explain_path(folder.path());
  REQUIRE(none.ok());
  REQUIRE(none->size() == 3);
  CHECK((*none)[0].verdict == "a report of Nsight Systems");
  CHECK((*none)[1].verdict == "no format that profkit knows");
  CHECK((*none)[2].verdict == "a pprof profile");
  CHECK((*none)[2].encoding == compression::gzip);
  CHECK((*none)[1].bytes == 6);
  REQUIRE(why_unrecognised(folder.path(), *none));
  CHECK(why_unrecognised(folder.path(), *none)->code == fault_code::not_found);
  const auto one = explain_path(folder.path("b.nsys-rep"));
  REQUIRE(one.ok());
  CHECK(why_unrecognised(folder.path("b.nsys-rep"), *one)->code == fault_code::unrecognised);
  folder.write("c.xplane.pb", message(1, message(2, "/host:CPU")));
  CHECK_FALSE(why_unrecognised(folder.path(), *explain_path(folder.path())));
  CHECK(explain_path(folder.path("nowhere")).error().code == fault_code::not_found);
  // A sign that stands behind the head.
  const std::string samples = message(2, std::string(200000, '\x01'));
  const std::string far = message(1, number_field(1, 1)) + samples + message(6, "") + message(6, "space");
  CHECK(explain_path(folder.write("far", far))->front().verdict == "a pprof profile");
}
