// What a dump says, on messages written by hand.
#include <profkit/core/dump.hpp>

#include <catch.hpp>

#include <profkit/core/chrome.hpp>

using namespace profkit;

namespace {

std::string varint(std::uint64_t v) {
  std::string out;
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  return out += static_cast<char>(v);
}
std::string number(std::uint32_t field, std::uint64_t v) { return varint(field << 3) + varint(v); }
std::string block(std::uint32_t field, const std::string& bytes) {
  return varint(field << 3 | 2) + varint(bytes.size()) + bytes;
}

struct dumped {
  std::string text;
  dump_outcome outcome;
};

dumped dump(const std::string& bytes, const char* type, dump_options options = {}) {
  dumped d;
  auto into = memory_sink(d.text);
  const auto done = dump_message(bytes, type, *into, options);
  REQUIRE(done.ok());
  REQUIRE(into->finish().ok());
  d.outcome = *done;
  return d;
}
std::string text_of(const std::string& bytes, const char* type, std::uint64_t limit = 0) {
  dump_options o;
  o.limit = limit;
  return dump(bytes, type, o).text;
}
// The "message" of the JSON document, blanks left out.
std::string json_of(const std::string& bytes, const char* type, std::uint64_t limit = 0) {
  dump_options o;
  o.format = dump_format::json;
  o.limit = limit;
  const std::string document = dump(bytes, type, o).text;
  std::string out;
  bool in_string = false;
  for (const char c : json_member(document, "message")) {
    if (c == '"') in_string = !in_string;
    if (in_string || (c != ' ' && c != '\n')) out += c;
  }
  return out;
}

}  // namespace

TEST_CASE("known fields by name") {
  const std::string stat = number(1, 7) + number(4, static_cast<std::uint64_t>(-3));
  const std::string plane = number(1, 2) + block(2, "/device:\"GPU\"\n\x01\xc3\xa9") + block(6, stat);
  CHECK(text_of(block(1, plane), "XSpace") ==
        "planes {\n  id: 2\n  name: \"/device:\\\"GPU\\\"\\n\\001\xc3\xa9\"\n  stats {\n    metadata_id: 7\n"
        "    int64_value: -3\n  }\n}\n");
  CHECK(
      json_of(block(1, plane), "tensorflow.profiler.XSpace") ==
      "{\"planes\":[{\"id\":\"2\",\"name\":\"/device:\\\"GPU\\\"\\n\\u0001\xc3\xa9\",\"stats\":[{\"metadata_id\":\"7\","
      "\"int64_value\":\"-3\"}]}]}");
  CHECK(text_of(number(2, 11), "ShapeProto") == "element_type: F32\n");
  CHECK(text_of(number(2, 777), "ShapeProto") == "element_type: 777\n");
  CHECK(json_of(number(2, 11) + number(2, 777), "ShapeProto") == "{\"element_type\":777}");
}

TEST_CASE("packed and unpacked integers, maps, oneofs, split messages") {
  const std::string shape = block(3, "\x01\x02\xac\x02") + number(3, 5);
  CHECK(text_of(shape, "ShapeProto") == "dimensions: [1, 2, 300]\ndimensions: 5\n");
  CHECK(json_of(shape, "ShapeProto") == R"({"dimensions":["1","2","300","5"]})");
  CHECK(json_of(shape, "ShapeProto", 3) == R"({"dimensions":["1","2","300"],"left_out":{"dimensions":1}})");
  CHECK(text_of(shape, "ShapeProto", 2) == "dimensions: [1, 2]\n# 2 more dimensions\n");

  const std::string entry = block(4, number(1, 9) + block(2, block(2, "op")));
  CHECK(json_of(entry + block(4, ""), "XPlane") == R"({"event_metadata":{"9":{"name":"op"},"0":{}}})");
  CHECK(text_of(entry, "XPlane") == "event_metadata {\n  key: 9\n  value {\n    name: \"op\"\n  }\n}\n");
  CHECK(json_of(block(1, block(1, "k")), "FrontendAttributes") == R"({"map":{"k":""}})");

  // A later entry of a map takes the place of an earlier one; all of them were in the file.
  const std::string later = block(4, number(1, 9) + block(2, block(4, "2nd")));
  CHECK(json_of(entry + later, "XPlane") == R"({"event_metadata":{"9":{"display_name":"2nd"}}})");
  CHECK(text_of(entry + later, "XPlane").find("\"op\"") != std::string::npos);

  // The last member of a oneof counts; all of them were in the file.
  const std::string stat = number(3, 1) + block(5, "text") + number(3, 2);
  CHECK(json_of(stat, "XStat") == R"({"uint64_value":"2"})");
  CHECK(text_of(stat, "XStat") == "uint64_value: 1\nstr_value: \"text\"\nuint64_value: 2\n");

  // A singular message in two pieces is one.
  const std::string event = block(1, block(1, "a")) + block(1, block(2, "b")) + block(1, block(1, "c"));
  CHECK(json_of(event, "HloProto") == R"({"hlo_module":{"name":"c","entry_computation_name":"b"}})");
}

TEST_CASE("bytes and floating point") {
  CHECK(json_of(block(6, std::string("\x00\xff\x10\x83", 4)), "XStat") == R"({"bytes_value":"AP8Qgw=="})");
  CHECK(text_of(block(6, std::string("\x00\xff\x10\xc3\xa9", 5)), "XStat") ==
        "bytes_value: \"\\000\\377\\020\\303\\251\"\n");
  const auto real = [](double d) {
    std::uint64_t bits = 0;
    static_assert(sizeof bits == sizeof d);
    std::memcpy(&bits, &d, sizeof d);
    std::string out = "\x11";
    for (int i = 0; i < 8; ++i) out += static_cast<char>(bits >> (8 * i));
    return out;
  };
  CHECK(text_of(real(0.1), "XStat") == "double_value: 0.1\n");
  CHECK(json_of(real(0.1), "XStat") == R"({"double_value":0.1})");
  CHECK(json_of(real(-std::numeric_limits<double>::infinity()), "XStat") == R"({"double_value":"-Infinity"})");
  CHECK(json_of(real(std::nan("")), "XStat") == R"({"double_value":"NaN"})");
  CHECK(text_of(real(std::nan("")), "XStat") == "double_value: nan\n");
}

TEST_CASE("fields without a name are told apart by what they look like") {
  const std::string unknown = number(99, 12) + block(98, "plain text") + block(97, number(1, 2)) +
                              block(96, "\xff\xfe") + "\xf9\x2f" + std::string("\x0a\0\0\0\0\0\0\0", 8) + block(95, "");
  const char* const text =
      "99: 12\n98: \"plain text\"\n97 {\n  1: 2\n}\n96: \"\\377\\376\"\n767: 0x000000000000000a\n95: \"\"\n";
  CHECK(text_of(unknown, "XSpace") == text);
  CHECK(text_of(unknown, "raw") == text);
  CHECK(
      json_of(unknown, "XSpace") ==
      R"({"unknown_fields":[{"number":99,"type":"varint","value":"12"},{"number":98,"type":"string","value":"plain text"},)"
      R"({"number":97,"type":"message","fields":[{"number":1,"type":"varint","value":"2"}]},)"
      R"({"number":96,"type":"bytes","value":"//4="},{"number":767,"type":"fixed64","value":"10"},)"
      R"({"number":95,"type":"string","value":""}]})");
  // A known number with a foreign wire type is no known field.
  CHECK(json_of(number(2, 3), "XSpace") == R"({"unknown_fields":[{"number":2,"type":"varint","value":"3"}]})");
  // Groups.
  CHECK(text_of("\x0b\x10\x05\x0c", "raw") == "1 {\n  2: 5\n}\n");
  CHECK(text_of(number(1, 1) + number(1, 2) + number(1, 3) + number(2, 1) + number(1, 4), "raw", 2) ==
        "1: 1\n1: 2\n2: 1\n1: 4\n# 1 more fields without a name\n");
}

TEST_CASE("damage: what is intact is written, then the place") {
  const std::string plane = number(1, 2) + block(2, "name");
  const std::string whole = block(1, plane) + block(4, "host");
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    CAPTURE(cut);
    const std::string part = whole.substr(0, cut);
    const bool sound = cut == 0 || cut == block(1, plane).size();
    for (const dump_format format : {dump_format::text, dump_format::json}) {
      dump_options o;
      o.format = format;
      const dumped d = dump(part, "XSpace", o);
      CHECK((d.outcome.status == document_status::ok) == sound);
      CHECK(d.outcome.damage.has_value() == !sound);
      if (d.outcome.damage) {
        CHECK(d.outcome.damage->code == fault_code::damaged);
        CHECK(d.outcome.damage->byte_offset < cut);
      }
      if (cut >= 4) CHECK(d.text.find("id") != std::string::npos);  // the plane's first field was whole
      if (cut >= 10) CHECK(d.text.find("\"name\"") != std::string::npos);
    }
  }
  // Damage inside a message that is itself whole: what comes after it is shown.
  const std::string inner = block(1, number(1, 2) + "\x07") + block(4, "host");
  const dumped d = dump(inner, "XSpace");
  CHECK(d.text == "planes {\n  id: 2\n  # damaged at byte 4\n}\nhostnames: \"host\"\n");
  CHECK(d.outcome.status == document_status::partial);
  CHECK(d.outcome.damage->byte_offset == 4);
  CHECK(json_of(inner, "XSpace") == R"({"planes":[{"id":"2"}],"hostnames":["host"]})");
  CHECK(dump("\x07", "XSpace").outcome.status == document_status::error);
  CHECK(dump(block(3, "\x01\x80"), "ShapeProto").text == "dimensions: [1]  # damaged at byte 3\n");
}

TEST_CASE("limits and refusals") {
  std::string deep;
  for (int i = 0; i < 300; ++i) deep = block(4, deep);  // tuple_shapes
  for (const dump_format format : {dump_format::text, dump_format::json}) {
    dump_options o;
    o.format = format;
    dumped d = dump(deep, "ShapeProto", o);
    REQUIRE(d.outcome.damage);
    CHECK(d.outcome.damage->code == fault_code::limit);
    CHECK(dump(deep, "raw", o).outcome.damage->code == fault_code::limit);
    o.bounds.max_string_bytes = 3;
    d = dump(block(2, "long name"), "XPlane", o);
    REQUIRE(d.outcome.damage);
    CHECK(d.outcome.damage->code == fault_code::limit);
    CHECK(d.text.find("long name") == std::string::npos);
    CHECK(d.outcome.status == document_status::partial);
  }
  std::string ignored;
  auto into = memory_sink(ignored);
  const auto refused = dump_message("", "NoSuchType", *into);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == fault_code::invalid_argument);
  std::atomic<bool> cancel{true};
  dump_options o;
  o.host.cancel = &cancel;
  for (const dump_format format : {dump_format::text, dump_format::json}) {
    o.format = format;
    const auto stopped = dump_message(block(1, ""), "XSpace", *into, o);
    REQUIRE_FALSE(stopped.ok());
    CHECK(stopped.error().code == fault_code::cancelled);
  }
}

TEST_CASE("a sink that refuses ends the dump") {
  std::string big;
  for (int i = 0; i < 20'000; ++i) big += block(1, number(1, 2));
  int calls = 0;
  for (const dump_format format : {dump_format::text, dump_format::json}) {
    dump_options o;
    o.format = format;
    auto into = callback_sink(
        [](void* user, const void*, std::size_t) -> std::int32_t {
          ++*static_cast<int*>(user);
          return 1;
        },
        &calls);
    const auto stopped = dump_message(big, "XSpace", *into, o);
    REQUIRE_FALSE(stopped.ok());
    CHECK(stopped.error().code == fault_code::cancelled);
  }
  CHECK(calls <= 4);
}

TEST_CASE("types by family and by name") {
  CHECK(dump_type_of(file_family::xspace) == "XSpace");
  CHECK(dump_type_of(file_family::unknown) == "raw");
  const auto types = dump_types();
  for (const char* type : {"XSpace", "HloProto", "OpStats", "OpMetadata.ProfileInfo"})
    CHECK(std::find(types.begin(), types.end(), type) != types.end());
  CHECK(dump("", "xla.HloProto").outcome.type == "HloProto");
  CHECK(dump("", "raw").outcome.type.empty());
  CHECK(dump("", "XSpace").outcome.status == document_status::ok);
}
