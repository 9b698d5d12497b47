// Damage: only what is broken is lost, whatever it is and wherever chunks end.
#include "recorded.hpp"

#include <formats/chrome/chrome_args.hpp>

#include <catch.hpp>

#include <zlib.h>
#include <algorithm>
#include <array>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

using namespace profkit;
using namespace profkit::test;

namespace {

std::string event(int number) {
  return R"({"ph":"X","name":"e)" + std::to_string(number) + R"(","ts":)" + std::to_string(number) +
         R"(,"dur":1,"args":{"k":[1,{"v":"w"}]}})";
}

std::vector<std::string> names_of(const recorded_trace& t) {
  std::vector<std::string> names;
  for (const recorded_event& e : t.events) names.push_back(e.name);
  return names;
}

// The same reading with chunks of every size and with both parsers.
recorded_trace record_every_way(const std::string& text, chrome_options options = {}) {
  const recorded_trace whole = record(std::string_view(text), options);
  for (std::size_t chunk = 1; chunk <= text.size() + 1; chunk += 1 + chunk / 8) {
    for (const bool tolerant : {false, true}) {
      CAPTURE(text, chunk, tolerant);
      options.chunk_bytes = chunk;
      options.tolerant_only = tolerant;
      REQUIRE(same_reading(record(std::string_view(text), options), whole));
    }
  }
  return whole;
}

}  // namespace

TEST_CASE("one broken event loses no other") {
  const std::vector<std::string> broken = {
      R"({"ph":"X","name":"lost)",                      // cut inside a string, its quote gone
      R"({"ph":"X","name":"lost","args":{"a":1)",       // braces gone
      R"({"ph":"X","name":"a "quoted" name","ts":1})",  // quotes not escaped
      R"({"ph":"X","name":lost"})",
      R"({"ph":"X","name":"lost" "ts":1})",  // no comma
      R"({"ph":"X","name":})",
      R"({"ph":"X","args":[1,2}})",  // brackets of two kinds
      R"({"ph":"X","args":{"a":1,{"b":2}}})",
      R"({"ph" "X"})",
      R"({ph:"X"})",
      R"({"ph":"X","name":"lost","args":{"a":"b"c}})",
      R"({"ph":"X",,"name":"lost"})",
      R"(null)",
      R"(12)",
      R"("text, with {\"ph\":\"X\"}")",
      R"([{"a":1}])",
      "\\",
      "}",
  };
  for (const std::string& b : broken) {
    for (const bool object : {false, true}) {
      const std::string head = object ? R"({"a":1,"traceEvents":[)" : "[";
      const std::string text = head + event(1) + "," + event(2) + ",\n" + b + ",\n" + event(3) + "," + event(4) + "]" +
                               (object ? R"(,"z":2})" : "");
      CAPTURE(text);
      const recorded_trace t = record_every_way(text);
      REQUIRE_FALSE(t.refused);
      CHECK(names_of(t) == std::vector<std::string>{"e1", "e2", "e3", "e4"});
      CHECK(t.summary.broken_events >= 1);
      REQUIRE(t.summary.damage);
      CHECK(t.summary.damage->code == fault_code::damaged);
      const std::size_t start = text.find(event(2)) + event(2).size();
      CHECK(t.summary.damage->byte_offset >= start);
      CHECK(t.summary.damage->byte_offset <= start + 2 + b.size());
      CHECK(t.summary.broken_at[0] == t.summary.damage->byte_offset);
      if (object) CHECK(t.headers.size() == 2);
    }
  }
}

TEST_CASE("text that is not quite JSON is read all the same") {
  struct row {
    const char* piece;
    const char* name;
    std::uint64_t irregular;
  };
  const row rows[] = {
      {"{\"ph\":\"X\",\"name\":\"a\x01\tb\"}", "a\x01\tb", 0},      // raw control characters
      {"{\"ph\":\"X\",\"name\":\"a\xff\xc3z\"}", "a\xff\xc3z", 0},  // not UTF-8
      {R"({"ph":"X","name":"C:\dir\q"})", "C:\\dir\\q", 1},         // escapes JSON does not have
      {R"({"ph":"X","name":"\u12"})", "\\u12", 1},
      {R"({"ph":"X","name":"\ud800"})", "\xed\xa0\x80", 0},
      {R"({"ph":"X","name":"t",})", "t", 1},  // comma at the end
      {R"({"ph":"X","name":"t","args":{"a":1,}})", "t", 0},
      {R"({"ph":"X","name":"t","ts":NaN})", "t", 0},
      {R"(,{"ph":"X","name":"t"})", "t", 1},  // comma twice
  };
  for (const row& r : rows) {
    const std::string text = "[" + event(1) + "," + r.piece + "," + event(2) + "]";
    CAPTURE(text);
    const recorded_trace t = record_every_way(text);
    CHECK(names_of(t) == std::vector<std::string>{"e1", r.name, "e2"});
    CHECK_FALSE(t.summary.damage);
    CHECK(t.summary.irregular == r.irregular);
  }
  // A bracket too many.
  for (const char* stray : {"}", "]", "}]"}) {
    const recorded_trace t = record_every_way("[" + event(1) + stray + "," + event(2) + "]");
    CHECK(names_of(t) == std::vector<std::string>{"e1", "e2"});
    CHECK(t.summary.damage);
  }
  // Between events.
  CHECK(names_of(record_every_way("[" + event(1) + event(2) + "\n" + event(3) + ",]")) ==
        std::vector<std::string>{"e1", "e2", "e3"});
  CHECK(record_every_way("[" + event(1) + event(2) + "\n" + event(3) + ",]").summary.irregular == 3);
}

TEST_CASE("a file cut at any byte keeps every whole event") {
  const std::string events = "[" + event(1) + ", " + event(2) + ",\n" + event(3) + "]";
  for (const bool object : {false, true}) {
    const std::string head = object ? R"({"unit":"ns","traceEvents":)" : "";
    const std::string text = head + events + (object ? R"(,"base":12})" : "");
    const recorded_trace whole = record(std::string_view(text));
    REQUIRE(whole.events.size() == 3);
    for (std::size_t cut = 0; cut < text.size(); ++cut) {
      CAPTURE(cut);
      const recorded_trace t = record_every_way(text.substr(0, cut));
      std::vector<recorded_event> expected;
      for (const recorded_event& e : whole.events)
        if (e.byte_offset + e.json.size() <= cut) expected.push_back(e);
      REQUIRE(t.events == expected);
      if (cut == 0) {
        REQUIRE(t.refused);
        CHECK(t.refused->code == fault_code::damaged);
        continue;
      }
      REQUIRE_FALSE(t.refused);
      CHECK_FALSE(t.summary.terminated);
      // A bare array may lack its end; inside an event it is cut.
      bool inside = object;
      for (const recorded_event& e : whole.events) inside |= cut > e.byte_offset && cut < e.byte_offset + e.json.size();
      REQUIRE(t.summary.damage.has_value() == inside);
      if (inside) CHECK(t.summary.damage->byte_offset == cut);
    }
  }
}

TEST_CASE("a gzip file cut at any byte gives what could be inflated") {
  std::string text = "[";
  for (int i = 0; i < 40; ++i) text += (i ? "," : "") + event(i);
  text += "]";
  std::string packed(text.size() + 1000, '\0');
  z_stream z = {};
  REQUIRE(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  z.next_in = reinterpret_cast<Bytef*>(text.data());
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(packed.data());
  z.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
  packed.resize(z.total_out);
  deflateEnd(&z);

  const recorded_trace whole = record(std::string_view(text));
  std::size_t most = 0;
  for (std::size_t cut = 4; cut <= packed.size(); ++cut) {
    CAPTURE(cut);
    auto from = open_buffer_source(std::string_view(packed).substr(0, cut), "trace.json.gz");
    if (!from) continue;
    const recorded_trace t = record(**from);
    REQUIRE(t.events.size() <= whole.events.size());
    for (std::size_t i = 0; i < t.events.size(); ++i) REQUIRE(t.events[i] == whole.events[i]);
    if (cut < packed.size())
      REQUIRE((t.refused || t.summary.damage));
    else
      REQUIRE(same_reading(t, whole));
    most = std::max(most, t.events.size());
  }
  CHECK(most == 40);
}

TEST_CASE("what is no trace at all is refused") {
  CHECK(record(std::string_view("")).refused->code == fault_code::damaged);
  CHECK(record(std::string_view(" \n")).refused->code == fault_code::damaged);
  CHECK(record(std::string_view("hello")).refused->code == fault_code::unrecognised);
  CHECK(record(std::string_view("\x0a\x0f", 2)).refused->code == fault_code::unrecognised);
  const recorded_trace without = record(std::string_view(R"({"a":1})"));
  REQUIRE_FALSE(without.refused);
  CHECK_FALSE(without.summary.has_events_key);
}

TEST_CASE("headers behind damage, and events behind the end") {
  // The header is broken: the events are found all the same.
  const recorded_trace t = record_every_way(R"({"a":{"b":1,"traceEvents":[)" + event(1) + "," + event(2) + "]");
  CHECK(names_of(t) == std::vector<std::string>{"e1", "e2"});
  CHECK(t.summary.damage);
  // A bracket lost in an event: those behind it look like its arguments.
  const recorded_trace open =
      record_every_way("[" + event(1) + R"(,{"ph":"X","args":{"k":[1,)" + event(2) + "," + event(3) + "]");
  CHECK(names_of(open) == std::vector<std::string>{"e1", "e2", "e3"});
  const recorded_trace bad_key = record_every_way(R"({"a":tru e,"traceEvents":[)" + event(1) + "," + event(2) + "]}");
  CHECK(names_of(bad_key) == std::vector<std::string>{"e1", "e2"});
  CHECK(bad_key.summary.damage);
  // Two documents in one file.
  const recorded_trace twice = record_every_way("[" + event(1) + "]\n[" + event(2) + "]");
  CHECK(names_of(twice) == std::vector<std::string>{"e1", "e2"});
  CHECK(twice.summary.damage);
}

TEST_CASE("limits bound nesting and length") {
  std::string deep = R"({"ph":"X","name":"deep","args":)" + std::string(200, '[') + std::string(200, ']') + "}";
  recorded_trace t = record_every_way("[" + event(1) + "," + deep + "," + event(2) + "]");
  CHECK(names_of(t) == std::vector<std::string>{"e1", "e2"});
  REQUIRE(t.summary.damage);
  CHECK(t.summary.damage->code == fault_code::limit);
  // A bomb: brackets without end take neither stack nor time.
  const std::string bomb = "[" + event(1) + R"(,{"ph":"X","args":)" + std::string(1 << 20, '[');
  t = record(std::string_view(bomb));
  CHECK(names_of(t) == std::vector<std::string>{"e1"});
  CHECK(t.summary.damage);
  t = record(std::string_view("[" + event(1) + "," + std::string(1 << 20, '{')));
  CHECK(names_of(t) == std::vector<std::string>{"e1"});

  chrome_options options;
  options.bounds.max_string_bytes = 500;
  const std::string text =
      "[" + event(1) + R"(,{"ph":"X","name":"long)" + std::string(1000, 'x') + R"("},)" + event(2) + "]";
  t = record_every_way(text, options);
  CHECK(names_of(t) == std::vector<std::string>{"e1", "e2"});
  REQUIRE(t.summary.damage);
  CHECK(t.summary.damage->code == fault_code::limit);
  t = record_every_way(R"({"long":")" + std::string(1000, 'x') + R"(","traceEvents":[)" + event(1) + "]}", options);
  CHECK(names_of(t) == std::vector<std::string>{"e1"});
  CHECK(t.summary.damage->code == fault_code::limit);
}

TEST_CASE("random damage reads the same however the text is cut") {
  std::mt19937 random(7);
  const std::string base = R"({"a":1,"traceEvents":[)" + event(1) + "," + event(2) + "," + event(3) + R"(],"b":[]})";
  for (int round = 0; round < 3000; ++round) {
    std::string text = base;
    for (int flips = 1 + round % 4; flips > 0; --flips) {
      const std::size_t at = random() % text.size();
      static const char odd[] = "\"\\{}[],: x\x01\xff";
      switch (random() % 3) {
        case 0: text[at] = odd[random() % (sizeof odd - 1)]; break;
        case 1: text.erase(at, 1); break;
        default: text.insert(at, 1, odd[random() % (sizeof odd - 1)]);
      }
    }
    const recorded_trace whole = record(std::string_view(text));
    chrome_options options;
    options.chunk_bytes = 1 + random() % text.size();
    for (const bool tolerant : {false, true}) {
      CAPTURE(text, options.chunk_bytes, tolerant);
      options.tolerant_only = tolerant;
      REQUIRE(same_reading(record(std::string_view(text), options), whole));
    }
  }
}

namespace {

// Compares what is picked of arguments that were split before with what a plain walk finds.
class picking_visitor final : public chrome_visitor {
 public:
  bool event(const chrome_event& e) override {
    picker_.pick(e, values_.data());
    std::array<std::string_view, 3> plain;
    for (json_members m(e.args_json); m.next();) {
      for (std::size_t i = 0; i < plain.size(); ++i) {
        if (m.key() == names_[i]) plain[i] = m.value();
      }
    }
    if (e.args_json.empty() || e.args_json.front() != '{') plain = {};
    same = same && plain == values_;
    return true;
  }
  bool same = true;

 private:
  static constexpr std::array<std::string_view, 3> names_ = {"stream", "correlation", "name"};
  std::array<std::string_view, 3> values_;
  argument_picker picker_{names_.data(), names_.size()};
};

}  // namespace

TEST_CASE("events that are written alike, nearly alike and wrongly read as each of them alone does") {
  std::mt19937_64 random(11);
  const auto any_of = [&random](std::initializer_list<const char*> texts) {
    return texts.begin()[random() % texts.size()];
  };
  const auto rarely = [&random] { return random() % 30 == 0; };
  const auto any_value = [&]() -> std::string {
    if (!rarely()) return any_of({"1", "12.5", "123456.789", "42", "3", "\"X\""});
    return any_of({"1 ", "1\n", "1e3", "null", "[1,[2]]", "{\"name\": 1}", "\"a \\\" b\"", "", "1 2", "1, 2", "{}",
                   "\"text\"", "\"7\"", "123456789012345678901234567890123456789"});
  };
  // The keys in the order in which most objects of a text have them.
  const auto object = [&](const std::vector<std::string>& keys, const std::string& last) {
    std::string text = "{";
    bool first = true;
    for (const std::string& key : keys) {
      if (rarely()) continue;
      text += rarely() ? any_of({"", " ,", ",,", ", ,"}) : first ? "" : ",";
      text += rarely() ? any_of({"", "\t", "\n\n          ", "                                  "}) : " ";
      text += '"' + (rarely() ? std::string(any_of({"na\\u006de", "ts", "correlation"})) : key) + '"';
      text += rarely() ? any_of({" :", ":\n", " ", "::"}) : ": ";
      text += any_value();
      first = false;
    }
    if (!last.empty()) text += (first ? " \"args\": " : ", \"args\": ") + last;
    return text + (rarely() ? any_of({",}", " }", "\n}"}) : "}");
  };
  const std::vector<std::string> event_keys = {
      "ph", "pid", "tid", "ts", "dur", "name", "a key that is longer than any gap", "cat"};
  const std::vector<std::string> argument_keys = {"stream", "correlation", "name", "grid", "External id"};
  for (int round = 0; round < 400; ++round) {
    const bool many_keys = round % 4 == 0;  // more than are remembered
    const auto some = [&](std::vector<std::string> keys) {
      std::shuffle(keys.begin(), keys.end(), random);
      keys.resize(2 + random() % (keys.size() - 1));
      return keys;
    };
    const std::vector<std::string> layouts[2] = {some(event_keys), some(event_keys)};
    const std::vector<std::string> arguments = some(argument_keys);
    std::string text = "[";
    const std::size_t events = 1 + random() % 40;
    for (std::size_t i = 0; i < events; ++i) {
      text += i == 0 ? "" : ",\n";
      std::vector<std::string> keys = arguments;
      if (many_keys) {
        for (std::string& key : keys) key += std::to_string(random() % 100);
      }
      text += object(layouts[random() % 2], random() % 2 == 0 ? object(keys, "") : "");
    }
    text += "]";
    CAPTURE(text);
    chrome_options alone;
    alone.tolerant_only = true;
    REQUIRE(same_reading(record(std::string_view(text)), record(std::string_view(text), alone)));
    picking_visitor picked;
    REQUIRE(read_chrome(text, picked).ok());
    REQUIRE(picked.same);
  }
}
