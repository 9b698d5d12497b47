// The documents: damage at every byte, hooks, sinks that fail, bytes that are not UTF-8.
#include "capture_builder.hpp"
#include "support.hpp"

#include <profkit/core/export.hpp>

#include <algorithm>
#include <random>

using namespace profkit;
using namespace profkit::test;

namespace {

constexpr document all_documents[] = {document::report,      document::info,  document::tree,    document::metadata,
                                      document::steps,       document::ops,   document::modules, document::framework,
                                      document::collectives};

struct written {
  std::string text;
  document_status status = document_status::error;
};
written write(document which, const profile& p, const query_filters& o = {}) {
  written w;
  const auto out = memory_sink(w.text);
  const auto status = write_document(which, trace(p), o, *out);
  REQUIRE(status);
  w.status = *status;
  return w;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string small_capture() {
  plane_builder device("/device:TPU:0");
  device.plane_stat(device.text_stat("device_type_string", "TPU test"));
  device.line("Steps", {device.event("0", 0, 50, {device.int_stat("step_num", 0)})});
  device.line("XLA Ops",
              {device.event("%fusion = x", 0, 20, {device.uint_stat("device_duration_ps", 20)}),
               device.event("%all-reduce = x", 20, 20)},
              0, 2);
  device.line("Async XLA Ops", {device.event("%copy-start = x", 5, 30, {device.uint_stat("flow", 1)})}, 0, 3);
  device.metadata("%fusion = x")
      .sub(5, device.int_stat("flops", 100))
      .sub(5, device.text_stat("hlo_category", "loop fusion"));
  plane_builder host("/host:CPU");
  host.line("python", {host.event("Execute", 0, 60, {host.text_stat("op", "x")})});
  plane_builder metadata("/host:metadata");
  const message instruction = message().text(1, "a").text(2, "parameter").number(35, 1);
  const message module = message().text(1, "jit_f").sub(3, message().sub(2, instruction).number(5, 1)).number(5, 4);
  metadata.metadata("jit_f(4)").sub(5, metadata.bytes_stat("Hlo Proto", message().sub(1, module).bytes()));
  return space_of({device, host, metadata});
}

// Offsets where a cut leaves a valid message: between top-level fields.
std::vector<std::size_t> field_boundaries(const std::string& bytes) {
  std::vector<std::size_t> ends{0};
  wire_reader reader(bytes);
  for (wire_field f; reader.next(f);) ends.push_back(offset_in(bytes, reader.position()));
  return ends;
}

}  // namespace

TEST_CASE("every document says what it is") {
  const opened held = open_bytes(small_capture());
  for (const document which : all_documents) {
    const written w = write(which, *held);
    CHECK(has(w.text, std::string("\"schema\": \"profkit.") + document_name(which) + "\""));
    CHECK(has(w.text, "\"version\": 1"));
    CHECK(has(w.text, "\"status\": \"ok\""));
    CHECK(w.text.back() == '\n');
    CHECK(write(which, *held).text == w.text);
  }
}

TEST_CASE("a report holds the parts as they are written alone") {
  const opened held = open_bytes(small_capture());
  const std::string report = write(document::report, *held).text;
  for (const document which : {document::info, document::steps, document::ops, document::modules, document::framework,
                               document::collectives}) {
    query_filters o;
    o.limit = default_limit(which);
    std::string part = write(which, *held, o).text;
    part.pop_back();
    std::string indented;
    for (const char c : part) {
      indented += c;
      if (c == '\n') indented += "  ";
    }
    CHECK(has(report, "  \"" + std::string(document_name(which)) + "\": " + indented));
  }
}

TEST_CASE("cut at every byte, no document crashes or calls itself whole") {
  const std::string whole = small_capture();
  const std::vector<std::size_t> boundaries = field_boundaries(whole);
  REQUIRE(boundaries.size() == 4);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const exact_copy cut(std::string_view(whole).substr(0, size));
    // No bytes are a message without fields, but no file.
    const bool valid = size != 0 && std::find(boundaries.begin(), boundaries.end(), size) != boundaries.end();
    const auto p = profile::open_buffer(cut.view(), "cut.xplane.pb");
    if (!p) {
      CHECK(!valid);
      CHECK(p.error().byte_offset <= size);
      continue;
    }
    for (const document which : all_documents) {
      const written w = write(which, **p);
      INFO(document_name(which) << " of the first " << size << " bytes");
      if (valid)
        CHECK((w.status == document_status::ok || w.status == document_status::absent));
      else
        CHECK((w.status == document_status::partial || w.status == document_status::error));
    }
  }
}

TEST_CASE("what lies before a cut is kept") {
  const std::string whole = small_capture();
  const std::size_t first_plane = field_boundaries(whole)[1];
  const opened held = open_bytes(whole.substr(0, first_plane + 3));
  const written info = write(document::info, *held);
  CHECK(info.status == document_status::partial);
  CHECK(has(info.text, "\"name\": \"/device:TPU:0\""));
  CHECK(has(info.text, "\"byte_offset\": " + std::to_string(first_plane)));
  CHECK(has(info.text, "\"complete\": false"));
  CHECK(has(write(document::ops, *held).text, "%fusion = x"));
  CHECK(has(write(document::report, *held).text, "\"id\": \"damage.damaged\""));
}

TEST_CASE("random bytes in a capture never crash a document") {
  const std::string whole = small_capture();
  std::mt19937 random(20261121);
  for (int round = 0; round < 1500; ++round) {
    std::string bytes = whole;
    for (int flips = 0; flips < 1 + round % 4; ++flips) bytes[random() % bytes.size()] = static_cast<char>(random());
    const exact_copy flipped(bytes);
    const auto p = profile::open_buffer(flipped.view(), "flipped.xplane.pb");
    if (!p) continue;
    write(document::report, **p);
    write(document::tree, **p);
    write(document::metadata, **p);
  }
}

TEST_CASE("names that are not UTF-8 stay valid JSON and keep their bytes") {
  plane_builder p(
      "/host:\xff"
      "CPU");
  p.line("\"line\"\n", {p.event(std::string("e\0\x80", 3), 0, 1, {p.text_stat("s\xc3", "\xed\xa0\x80")})});
  const opened held = open_bytes(space_of({p}));
  const std::string text = write(document::tree, *held).text;
  CHECK(has(text, R"("name": "/host:\\xffCPU")"));
  CHECK(has(text, R"("name": "\"line\"\n")"));
  CHECK(has(text, R"("name": "e\u0000\\x80")"));
  CHECK(has(text, R"("name": "s\\xc3")"));
  CHECK(has(text, R"("value": "\\xed\\xa0\\x80")"));
}

TEST_CASE("of equal stat names the last counts, and nameless stats keep their number") {
  plane_builder p("/device:TPU:0");
  p.plane_stat(p.int_stat("x", 1))
      .plane_stat(p.int_stat("y", 2))
      .plane_stat(p.int_stat("x", 3))
      .plane_stat(stat(99, 4));
  p.plane_stat(message().number(1, p.stat_id("nan")).fixed64(2, 0x7ff8000000000000))
      .plane_stat(p.bytes_stat("b", "\x0f\xa0"));
  const opened held = open_bytes(space_of({p}));
  const std::string text = write(document::info, *held).text;
  CHECK(has(text,
            "\"y\": \"2\",\n            \"x\": \"3\",\n            \"#99\": \"4\",\n            \"nan\": null,\n       "
            "     \"b\": \"0fa0\""));
}

TEST_CASE("rates and shares are those of the plane's peaks") {
  plane_builder p("/device:TPU:0");
  const auto number = [&](const char* name, std::uint64_t bits) {
    return message().number(1, p.stat_id(name)).fixed64(2, bits);
  };
  p.plane_stat(number("peak_teraflops_per_second", 0x4000000000000000));         // 2
  p.plane_stat(number("peak_hbm_bw_gigabytes_per_second", 0x4059000000000000));  // 100
  p.line("XLA Ops", {p.event("a", 0, 1000), p.event("a", 2000, 3000), p.event("b", 6000, 10)});
  p.metadata("a").sub(5, p.int_stat("flops", 1000)).sub(5, p.uint_stat("bytes_accessed", 50));
  const opened held = open_bytes(space_of({p}));
  const std::string text = write(document::ops, *held).text;
  CHECK(has(text, "\"flops_per_s\": 5e+11"));  // 2000 in 4 ns
  CHECK(has(text, "\"flops_share\": 0.25"));
  CHECK(has(text, "\"bytes_per_s\": 2.5e+10"));
  CHECK(has(text, "\"bytes_share\": 0.25"));
  CHECK(has(text, "\"flops_per_s\": null"));  // of b
}

TEST_CASE("a host that cancels gets the fault, and so does one whose sink fails") {
  const opened held = open_bytes(small_capture());
  const std::atomic<bool> cancelled{true};
  hooks host;
  host.cancel = &cancelled;
  for (const document which : all_documents) {
    std::string text;
    const auto out = memory_sink(text);
    const auto status = write_document(which, trace(*held), {}, *out, host);
    INFO(document_name(which));
    REQUIRE(!status);
    CHECK(status.error().code == fault_code::cancelled);
  }
  const auto refusing = callback_sink([](void*, const void*, std::size_t) -> std::int32_t { return 1; }, nullptr);
  const auto status = write_document(document::info, trace(*held), {}, *refusing);
  REQUIRE(!status);
  CHECK(status.error().code == fault_code::cancelled);
}

TEST_CASE("the error document carries the fault") {
  fault f;
  f.code = fault_code::not_found;
  f.message = "nothing there";
  f.path = "a\"b";
  std::string text;
  const auto out = memory_sink(text);
  REQUIRE(write_error_document(document::steps, f, *out));
  CHECK(text ==
        "{\n  \"schema\": \"profkit.steps\",\n  \"version\": 1,\n  \"status\": \"error\",\n"
        "  \"reason\": \"nothing there\",\n  \"code\": \"not_found\",\n  \"message\": \"nothing there\",\n"
        "  \"path\": \"a\\\"b\",\n  \"byte_offset\": null,\n  \"hint\": \"\"\n}\n");
}

TEST_CASE("a step that is not there is a fault, before anything is written") {
  const opened held = open_bytes(small_capture());
  query_filters o;
  o.step = 5;
  std::string text;
  const auto out = memory_sink(text);
  const auto status = write_document(document::tree, trace(*held), o, *out);
  REQUIRE(!status);
  CHECK(status.error().code == fault_code::invalid_argument);
  CHECK(text.empty());
}

TEST_CASE("several files: one bad file leaves the others whole, and positions tell them apart") {
  const auto p = profile::open(data_path("jax/mlp_nohlo").string());
  REQUIRE(p);
  const written info = write(document::info, **p);
  CHECK(info.status == document_status::ok);
  CHECK(has(info.text, "\"family\": \"chrome_trace\""));
  CHECK(has(info.text, "\"family\": \"xspace\""));
}
