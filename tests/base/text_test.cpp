#include <base/format.hpp>
#include <base/json_writer.hpp>
#include <base/sound_json.hpp>
#include <base/string_table.hpp>
#include <base/utf8.hpp>
#include <profkit/core/text.hpp>

#include <catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace profkit;

namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

template <class Write>
std::string written(Write write, json_writer::style style = json_writer::style::compact) {
  std::string text;
  const auto out = memory_sink(text);
  json_writer json(*out, style);
  write(json);
  REQUIRE(json.finish().ok());
  REQUIRE(text.back() == '\n');
  text.pop_back();
  return text;
}

// The bytes that a JSON string literal of ours stands for; escapes only as the writer makes them.
std::string unescaped(const std::string& literal) {
  REQUIRE(literal.size() >= 2);
  std::string out;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    if (literal[i] != '\\') {
      out += literal[i];
      continue;
    }
    const char kind = literal[++i];
    const std::string plain = "\"\\bfnrt", meant = "\"\\\b\f\n\r\t";
    if (kind == 'u') {
      const auto unit = std::stoul(literal.substr(i + 1, 4), nullptr, 16);
      i += 4;
      REQUIRE(unit < 0x80);
      out += static_cast<char>(unit);
    } else if (kind == '\\' && literal[i + 1] == 'x' && std::strchr("89abcdef", literal[i + 2]) != nullptr) {
      out += static_cast<char>(std::stoul(literal.substr(i + 2, 2), nullptr, 16));
      i += 3;
    } else {
      REQUIRE(plain.find(kind) != std::string::npos);
      out += meant[plain.find(kind)];
    }
  }
  return out;
}

class failing_sink final : public sink {
 public:
  explicit failing_sink(int good) : good_(good) {}
  result<void> write(std::string_view) override {
    ++calls;
    if (good_-- > 0) return {};
    return fault{fault_code::output_full, "full", "", no_offset, ""};
  }
  result<void> finish() override { return {}; }
  int calls = 0;

 private:
  int good_;
};

}  // namespace

TEST_CASE("JSON layout") {
  const auto document = [](json_writer& json) {
    json.begin_object();
    json.field("name", "a");
    json.key("empty");
    json.begin_array();
    json.end_array();
    json.key("list");
    json.begin_array();
    json.value(1);
    json.begin_object();
    json.end_object();
    json.value(true);
    json.null();
    json.end_array();
    json.field_id("id", std::int64_t{-8800332967749297542});
    json.end_object();
  };
  CHECK(written(document) == R"({"name":"a","empty":[],"list":[1,{},true,null],"id":"-8800332967749297542"})");
  CHECK(written(document, json_writer::style::indented) == R"({
  "name": "a",
  "empty": [],
  "list": [
    1,
    {},
    true,
    null
  ],
  "id": "-8800332967749297542"
})");
}

TEST_CASE("JSON numbers") {
  const auto number = [](auto write) { return written(write); };
  CHECK(number([](json_writer& j) { j.value(least); }) == "-9223372036854775808");
  CHECK(number([](json_writer& j) { j.value(std::numeric_limits<std::uint64_t>::max()); }) == "18446744073709551615");
  CHECK(number([](json_writer& j) { j.id(std::numeric_limits<std::uint64_t>::max()); }) == "\"18446744073709551615\"");
  CHECK(number([](json_writer& j) { j.number(0.1); }) == "0.1");
  CHECK(number([](json_writer& j) { j.number(-0.0); }) == "-0.0");
  CHECK(number([](json_writer& j) { j.number(std::nan("")); }) == "null");
  CHECK(number([](json_writer& j) { j.number(-HUGE_VAL); }) == "null");
  CHECK(number([](json_writer& j) { j.milliseconds(1'234'567'500); }) == "1.234568");
  CHECK(number([](json_writer& j) { j.microseconds(-1'500); }) == "-0.002");
  CHECK(number([](json_writer& j) { j.microseconds(-499); }) == "0.000");
  CHECK(number([](json_writer& j) { j.microseconds_of_ns(1'700'000'000'000'000'007); }) == "1700000000000000.007");
  CHECK(number([](json_writer& j) { j.microseconds_of_ns(-1'050); }) == "-1.050");
  CHECK(number([](json_writer& j) { j.microseconds(least); }) == "-9223372036854.776");
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t bits = random();
    double d;
    std::memcpy(&d, &bits, sizeof d);
    if (!std::isfinite(d)) continue;
    if (std::strtod(number([d](json_writer& j) { j.number(d); }).c_str(), nullptr) != d) FAIL(d);
  }
}

TEST_CASE("JSON that no strict reader takes becomes sound") {
  const auto sound = [](std::string_view raw) {
    std::string out;
    append_sound_json(out, raw);
    return out;
  };
  CHECK(sound(R"({"a": [1, 2.5e-3, "x\"y"], "b": {}})") == R"({"a":[1,2.5e-3,"x\"y"],"b":{}})");
  CHECK(sound(R"({"x":NaN,"y":[1,2,],})") == R"({"x":"NaN","y":[1,2]})");
  CHECK(sound(R"({"n":01,"m":1.,"p":+1,"q":-,"r":-0})") == R"({"n":"01","m":"1.","p":"+1","q":"-","r":-0})");
  CHECK(sound(R"({1:2,key:3,null:4})") == R"({"1":2,"key":3,"null":4})");
  CHECK(sound(R"({"bytes":5,"t"})") == R"({"bytes":5})");      // a key without a value
  CHECK(sound(R"({"t","bytes":5})") == R"({"bytes":5})");
  CHECK(sound(R"({"t":,"bytes":5})") == R"({"bytes":5})");
  CHECK(sound(R"({"n":"ts":-9})") == R"({"n":"ts"})");         // what follows a value, up to the next comma
  CHECK(sound(R"([1 2 {"a":[3]},4])") == "[1,4]");
  CHECK(sound(R"({"a":[1,{"b":2)") == R"({"a":[1,{"b":2}]})");  // cut
  CHECK(sound(R"([{"a":1]])") == R"([{"a":1}])");              // brackets that do not fit
  CHECK(sound("1]") == "1");
  CHECK(sound("") == "null");
  CHECK(sound(",:") == "null");
}

TEST_CASE("JSON strings give every byte back") {
  const auto literal = [](const std::string& text) { return written([&](json_writer& j) { j.value(text); }); };
  CHECK(literal("a\"b\\c\n\x01\x7f") == R"("a\"b\\c\n\u0001\u007f")");
  CHECK(literal("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80") == "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
  CHECK(literal("\xff"
                "a\xc3") == R"("\\xffa\\xc3")");
  CHECK(literal("\xed\xa0\x80") == R"("\\xed\\xa0\\x80")");  // a surrogate is not UTF-8
  CHECK(literal(std::string("\0", 1)) == R"("\u0000")");
  std::mt19937_64 random(5);
  for (int i = 0; i < 5000; ++i) {
    std::string bytes(random() % 40, ' ');
    for (char& c : bytes) c = static_cast<char>(random() % 3 == 0 ? random() % 128 : random());
    const std::string text = literal(bytes);
    if (!is_valid_utf8(text) || unescaped(text) != bytes) FAIL(text);
  }
}

TEST_CASE("JSON writer keeps to its bounds and counts what it leaves out") {
  const auto rows = [](json_writer& json, int count) {
    json.begin_array();
    for (int i = 0; i < count; ++i) json.value(i);
    return json.end_array();
  };
  const std::string text = written([&](json_writer& json) {
    json.bound({2, 0, 0});
    json.begin_object();
    json.key("a");
    CHECK(rows(json, 2) == 0);
    json.key("b");
    json.begin_array();
    for (int i = 0; i < 3; ++i) {
      CHECK(json.is_full() == (i == 2));
      json.begin_object();
      json.key("c");
      rows(json, 5);
      json.field("d", i);
      json.end_object();
    }
    json.left_out(4);
    CHECK(json.end_array() == 5);
    json.key("least");
    json.begin_array(3);
    for (int i = 0; i < 5; ++i) json.value(i);
    CHECK(json.end_array() == 2);
    json.key("tuple");
    json.begin_tuple();
    for (int i = 0; i < 5; ++i) json.value(i);
    json.end_array();
    json.key("map");
    json.begin_map();
    for (int i = 0; i < 200; ++i) json.field(std::to_string(i), true);
    json.end_object();
    json.end_object();
    const auto cuts = json.cuts();
    REQUIRE(cuts.size() == 4);
    CHECK(cuts[0].path == "b");
    CHECK(cuts[0].written == 2);
    CHECK(cuts[0].total == 7);
    CHECK(cuts[1].path == "b[].c");
    CHECK(cuts[1].written == 4);
    CHECK(cuts[1].total == 10);
    CHECK(cuts[2].path == "least");
    CHECK(cuts[3].path == "map");
    CHECK(cuts[3].written == 100);
    CHECK(cuts[3].total == 200);
  });
  const std::string first = R"({"a":[0,1],"b":[{"c":[0,1],"d":0},{"c":[0,1],"d":1}],"least":[0,1,2],"tuple":[0,1,2,3,4],)";
  CHECK(text.substr(0, first.size()) == first);
}

TEST_CASE("JSON writer ends lists and cuts texts where the bytes end") {
  const std::string wide(5000, '\x01');
  for (const std::size_t bytes : {1000u, 20000u, 100000u}) {
    std::uint64_t first = 0, texts = 0;
    const std::string text = written([&](json_writer& json) {
      json.bound({0, bytes, 400});
      json.begin_object();
      for (int list = 0; list < 12; ++list) {
        json.key("list" + std::to_string(list));
        json.begin_array();
        for (int i = 0; i < 10000; ++i) json.value(i % 2 == 0 ? std::string("\xc3\xa9") + std::string(300, 'x') : wide);
        const std::uint64_t left_out = json.end_array();
        if (list == 0) first = 10000 - left_out;
        if (bytes > 50000) CHECK(left_out < 10000);  // each has something
      }
      json.key("whole");
      json.whole(wide);
      json.end_object();
      texts = json.texts_cut();
    });
    CHECK(is_valid_utf8(text));
    CHECK(text.size() < bytes + 12 * 1000 + 6 * wide.size());
    CHECK(first >= 1);
    CHECK(texts > 0);
    CHECK(text.find("…\"") != std::string::npos);
  }
  CHECK(written([](json_writer& json) {
          json.bound({0, 1000000, 7});
          json.value(std::string(6, 'a') + "\xc3\xa9 and more");
        }) == "\"" + std::string(6, 'a') + "…\"");
}

TEST_CASE("JSON writer keeps the first fault of its sink and stops writing") {
  failing_sink out(1);
  json_writer json(out);
  json.begin_array();
  for (int i = 0; i < 100000; ++i) json.value("some text that fills the buffer");
  json.end_array();
  const auto done = json.finish();
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().code == fault_code::output_full);
  CHECK(out.calls == 2);
}

TEST_CASE("UTF-8 validation agrees with its definition") {
  // Every code point is accepted in its one form.
  for (std::uint32_t c = 0; c < 0x110000; ++c) {
    std::string text;
    if (c < 0x80) {
      text = {static_cast<char>(c)};
    } else if (c < 0x800) {
      text = {static_cast<char>(0xc0 | (c >> 6)), static_cast<char>(0x80 | (c & 63))};
    } else if (c < 0x10000) {
      text = {static_cast<char>(0xe0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 63)),
              static_cast<char>(0x80 | (c & 63))};
    } else {
      text = {static_cast<char>(0xf0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 63)),
              static_cast<char>(0x80 | ((c >> 6) & 63)), static_cast<char>(0x80 | (c & 63))};
    }
    const bool surrogate = c >= 0xd800 && c < 0xe000;
    const utf8_step step = decode_utf8(text, 0);
    if (step.valid == surrogate || (!surrogate && (step.code_point != c || step.bytes != text.size()))) FAIL(c);
    if (text.size() > 1 && is_valid_utf8(text.substr(0, text.size() - 1))) FAIL(c);
  }
  for (const char* bad : {"\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80",
                          "\xf5\x80\x80\x80", "\x80", "a\xff"}) {
    CHECK_FALSE(is_valid_utf8(bad));
  }
  CHECK(is_valid_utf8("twenty ASCII characters and \xc3\xa9"));
}

TEST_CASE("text for terminals carries no control characters") {
  CHECK(escape_for_terminal("plain \xc3\xa9 \xe2\x82\xac") == "plain \xc3\xa9 \xe2\x82\xac");
  CHECK(escape_for_terminal("\x1b[31mred\n") == "\\x1b[31mred\\x0a");
  CHECK(escape_for_terminal("\xc2\x9b") == "\\xc2\\x9b");           // C1: CSI in one character
  CHECK(escape_for_terminal("\xe2\x80\xae") == "\\xe2\\x80\\xae");  // right-to-left override
  CHECK(escape_for_terminal("\xff") == "\\xff");
  CHECK(terminal_width("\xc3\xa9\xff") == 5);
  CHECK(terminal_width("e\xcc\x81") == 1);  // an accent of its own stands above the letter
}

TEST_CASE("strings are interned once") {
  string_table table;
  CHECK(table.intern("") == 0);
  const auto a = table.intern("alpha");
  CHECK(a == 1);
  std::string long_text(100000, 'x');
  const auto b = table.intern(long_text);
  CHECK(table.intern("alpha") == a);
  const char* const where = table.text(a).data();
  for (int i = 0; i < 20000; ++i) table.intern("name " + std::to_string(i));
  CHECK(table.text(a).data() == where);
  CHECK(table.text(a) == "alpha");
  CHECK(table.text(b) == long_text);
  CHECK(table.size() == 20003);
  CHECK(table.text(table.size()).empty());
  CHECK(table.find("name 7") == a + 1 + 1 + 7);
  CHECK_FALSE(table.find("other"));
  const string_table moved = std::move(table);
  CHECK(moved.text(a).data() == where);
  CHECK(moved.find("alpha") == a);
}

TEST_CASE("numbers for people") {
  CHECK(human_duration(0) == "0 ps");
  CHECK(human_duration(999) == "999 ps");
  CHECK(human_duration(-1'000) == "-1.000 ns");
  CHECK(human_duration(1'234'567'000) == "1.235 ms");
  CHECK(human_duration(999'999'499) == "999.999 us");
  CHECK(human_duration(999'999'500) == "1.000 ms");
  CHECK(human_duration(std::int64_t{59'000'000'000'000}) == "59.000 s");
  CHECK(human_duration(184'500'000'000'000) == "3 min 04.500 s");
  CHECK(human_duration(59'999'999'999'999) == "1 min 00.000 s");
  CHECK(human_duration(7'500'000'000'000'000) == "2 h 05 min");
  CHECK(human_duration(3'599'999'000'000'000) == "59 min 59.999 s");
  CHECK(human_duration(3'600'000'000'000'000) == "1 h 00 min");
  CHECK(human_duration(least) == "-2,562 h 03 min");
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(1023) == "1023 B");
  CHECK(human_bytes(1024) == "1.0 KiB");
  CHECK(human_bytes(1024 * 1024 - 1) == "1.0 MiB");
  CHECK(human_bytes(std::uint64_t{1288490188}) == "1.2 GiB");
  CHECK(human_bytes(std::numeric_limits<std::uint64_t>::max()) == "16.0 EiB");
  CHECK(grouped(std::uint64_t{0}) == "0");
  CHECK(grouped(std::uint64_t{26723}) == "26,723");
  CHECK(grouped(std::uint64_t{999}) == "999");
  CHECK(grouped(std::uint64_t{100'000}) == "100,000");
  CHECK(grouped(least) == "-9,223,372,036,854,775,808");
  CHECK(percent_text(1, 3) == "33.3 %");
  CHECK(percent_text(5, 0) == "-");
  CHECK(percent_text(std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint64_t>::max()) ==
        "100.0 %");
  CHECK(si_text(0) == "0 ");
  CHECK(si_text(918e12) == "918 T");
  CHECK(si_text(1.234e9) == "1.23 G");
  CHECK(si_text(999.6) == "1.00 k");
  CHECK(si_text(-12) == "-12 ");
  CHECK(si_text(std::nan("")) == "-");
  CHECK(milliseconds_text(most) == "9223372036.854776");
}

TEST_CASE("A name that was written a little wrong is known") {
  const std::vector<std::string> names{"ops", "bubbles", "XLA Ops", "/device:TPU:0", "--json", "report"};
  const auto near = [&](const char* wanted) {
    const std::string* const found = closest_to(wanted, names);
    return found == nullptr ? std::string() : *found;
  };
  CHECK(near("bubles") == "bubbles");
  CHECK(near("bubblse") == "bubbles");   // two letters changed places
  CHECK(near("XLA Opss") == "XLA Ops");
  CHECK(near("xla ops") == "XLA Ops");
  CHECK(near("tpu") == "/device:TPU:0");  // a part of it
  CHECK(near("opps") == "ops");
  CHECK(near("--jsn") == "--json");
  CHECK(near("repot") == "report");
  CHECK(near("nothing") == "");
  CHECK(near("gpu") == "");  // of three letters each counts
  CHECK(near("") == "");
  CHECK(near("xy") == "");
  CHECK(closest_to("report", {}) == nullptr);
  CHECK(near(std::string(100'000, 'a').c_str()) == "");
}
