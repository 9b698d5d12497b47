// Meaning of events, times and headers on sound text, and independence of how the text is cut.
#include "recorded.hpp"
#include "slow_reader.hpp"

#include <catch.hpp>

#include <random>

using namespace profkit;
using namespace profkit::test;

namespace {

recorded_event only_event(const std::string& json) {
  const recorded_trace t = record(std::string_view(json));
  REQUIRE_FALSE(t.refused);
  REQUIRE(t.events.size() == 1);
  return t.events[0];
}

std::optional<std::int64_t> duration_of(const std::string& number) {
  return only_event(R"([{"ph":"X","ts":0,"dur":)" + number + "}]").dur_ps;
}

}  // namespace

TEST_CASE("an object with events and headers around them") {
  const std::string text = R"({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},
    "traceEvents":[{"ph":"M","pid":7,"name":"process_name","args":{"name":"/host:CPU"}},
                   {"ph":"X","pid":7,"tid":"a","ts":1.5,"dur":2,"name":"f","cat":"c","id":12,"args":{}} , {}],
    "baseTimeNanoseconds":1790857026000000000})";
  const recorded_trace t = record(std::string_view(text));
  REQUIRE_FALSE(t.refused);
  CHECK_FALSE(t.summary.damage);
  CHECK(t.summary.terminated);
  CHECK_FALSE(t.summary.bare_array);
  CHECK(t.summary.bytes == text.size());
  CHECK(t.summary.irregular == 0);
  REQUIRE(t.events.size() == 3);
  CHECK(t.events[0].phase == 'M');
  CHECK(t.events[0].pid == "7");
  CHECK(t.events[0].args == R"({"name":"/host:CPU"})");
  CHECK(t.events[1].byte_offset == text.find(R"({"ph":"X")"));
  CHECK(t.events[1].tid == "\"a\"");
  CHECK(t.events[1].ts_ps == 1'500'000);
  CHECK(t.events[1].dur_ps == 2'000'000);
  CHECK(t.events[1].id == "12");
  CHECK(t.events[2].json == "{}");
  CHECK(t.events[2].phase == 0);
  REQUIRE(t.headers.size() == 3);
  CHECK(t.headers[0] == std::make_pair(std::string("displayTimeUnit"), std::string("\"ns\"")));
  CHECK(t.headers[1].second == R"({"highres-ticks":true})");
  CHECK(t.headers[2].second == "1790857026000000000");
}

TEST_CASE("times of 1e17 and more are nanoseconds, by the first of a file") {
  for (const char* quote : {"", "\""}) {
    const std::string q(quote);
    const recorded_trace t = record(std::string_view(
        "[{\"ph\":\"M\",\"ts\":0},{\"ph\":\"X\",\"ts\":" + q + "1736405443863674400" + q + ",\"dur\":" + q + "10000.5" +
        q + "},{\"ph\":\"X\",\"ts\":" + q + "1736405443863724401" + q + ",\"dur\":1}]"));
    CHECK(t.summary.nanoseconds);
    CHECK(t.summary.unusable_times == 0);
    CHECK(t.summary.zero_us == 1'736'405'443'000'000);
    REQUIRE(t.events.size() == 3);
    CHECK(t.events[1].ts_ps == 863'674'400'000);
    CHECK(t.events[1].dur_ps == 10'000'500);
    CHECK(t.events[2].ts_ps == 863'724'401'000);
    CHECK(t.events[2].dur_ps == 1'000);
  }
  const auto nanoseconds = [](const std::string& first) {
    return record(std::string_view(R"([{"ph":"X","ts":)" + first + R"(},{"ph":"X","ts":1736405443863674400}])"))
        .summary.nanoseconds;
  };
  CHECK(nanoseconds("100000000000000000"));
  CHECK_FALSE(nanoseconds("99999999999999999"));
  CHECK_FALSE(nanoseconds("1736405443863674.400"));
}

TEST_CASE("a phase is a string of one character") {
  for (const char* phase : {R"("ph":5,)", R"("ph":"XX",)", R"("ph":null,)", ""}) {
    CHECK(only_event("[{" + std::string(phase) + R"("name":"a"}])").phase == 0);
  }
  CHECK(only_event(R"([{"ph":"5"}])").phase == '5');
}

TEST_CASE("a bare array, closed or not, is sound") {
  for (const char* text : {R"([{"ph":"X","name":"a"}])", R"([{"ph":"X","name":"a"})", R"([{"ph":"X","name":"a"},)",
                           R"( [ {"ph":"X","name":"a"} , )", "\xef\xbb\xbf[{\"ph\":\"X\",\"name\":\"a\"}]\n"}) {
    CAPTURE(text);
    const recorded_trace t = record(std::string_view(text));
    REQUIRE_FALSE(t.refused);
    CHECK_FALSE(t.summary.damage);
    CHECK(t.summary.bare_array);
    CHECK(t.events.size() == 1);
  }
  CHECK(record(std::string_view("[]")).summary.terminated);
  CHECK_FALSE(record(std::string_view("[")).summary.terminated);
}

TEST_CASE("a list that is null is an empty one, anything else in its place is none") {
  const recorded_trace null = record(std::string_view(R"({"traceEvents": null , "displayTimeUnit":"ns"})"));
  CHECK(null.summary.has_events_key);
  CHECK(null.summary.terminated);
  CHECK(null.events.empty());
  CHECK_FALSE(null.summary.damage);
  CHECK_FALSE(record(std::string_view(R"({"traceEvents":{}})")).summary.has_events_key);
  CHECK_FALSE(record(std::string_view(R"({"traceEvents":"null"})")).summary.has_events_key);
  CHECK_FALSE(record(std::string_view(R"({"events":null})")).summary.has_events_key);
}

TEST_CASE("times are exact") {
  CHECK(duration_of("0") == 0);
  CHECK(duration_of("\"12.345678\"") == 12'345'678);
  CHECK(duration_of("10.619999999999999") == 10'620'000);
  CHECK(duration_of("0.0000005") == 1);  // half a ps, away from zero
  CHECK(duration_of("-0.0000005") == -1);
  CHECK(duration_of("1.12345678") == 1'123'457);  // eight digits are read at once
  CHECK(duration_of("0.99999950") == 1'000'000);
  CHECK(duration_of("0.99999949999999999999") == 999'999);
  CHECK(duration_of("12345678.87654321") == 12'345'678'876'543);
  CHECK(duration_of("0000000012345678.5") == 12'345'678'500'000);
  CHECK(duration_of("\"1234567890123.123456\"") == 1'234'567'890'123'123'456);
  CHECK(duration_of("1.1234567x") == std::nullopt);
  CHECK(duration_of("0.00000049999999") == 0);
  CHECK(duration_of("-1.5") == -1'500'000);
  CHECK(duration_of("1.5e3") == 1'500'000'000);
  CHECK(duration_of("15E-1") == 1'500'000);
  CHECK(duration_of("1e+2") == 100'000'000);
  CHECK(duration_of("123456789e-20") == 0);
  CHECK(duration_of("0e999999999999") == 0);
  CHECK(duration_of("9007199254740993e-3") == 9'007'199'254'740'993'000);  // 2^53 + 1: no double holds it
  CHECK(duration_of("9223372036854.775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(duration_of("-9223372036854.775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(duration_of("000001.50000000000000000000000000000") == 1'500'000);
  CHECK(duration_of("\" 3.25\\t\"") == 3'250'000);  // Ascend writes blanks behind numbers
  for (const char* bad : {"9223372036854.775808", "1e99999999999", "\"\"", "\"x\"", "true", "1.2.3", "1e", "\"1 2\"",
                          "[]", "{}", "NaN", "-"}) {
    CAPTURE(bad);
    const recorded_trace t = record(std::string_view("[{\"ph\":\"X\",\"dur\":" + std::string(bad) + "}]"));
    REQUIRE(t.events.size() == 1);
    CHECK_FALSE(t.events[0].dur_ps);
    CHECK(t.summary.unusable_times == 1);
    CHECK(t.summary.first_unusable_time == 1);
  }
}

TEST_CASE("displayTimeUnit does not change what ts means") {
  for (const char* unit : {"ns", "ms"}) {
    const recorded_trace t = record(std::string_view(R"({"displayTimeUnit":")" + std::string(unit) +
                                                     R"(","traceEvents":[{"ph":"X","ts":3,"dur":0.001}]})"));
    CHECK(t.events.at(0).ts_ps == 3'000'000);
    CHECK(t.events.at(0).dur_ps == 1'000);
  }
}

TEST_CASE("far timestamps are told from a zero near them") {
  const recorded_trace t = record(std::string_view(
      R"([{"ph":"M","ts":0},{"ph":"X","ts":"1742490378358140.950"},{"ph":"X","ts":1742490377358140.1234565},
          {"ph":"i","ts":1},{"ph":"i","ts":"1742490378358140.950001"}])"));
  CHECK(t.summary.zero_us == 1'742'490'378'000'000);
  CHECK_FALSE(t.events[0].ts_ps);
  CHECK(t.events[1].ts_ps == 358'140'950'000);
  CHECK(t.events[2].ts_ps == -641'859'876'543);
  CHECK_FALSE(t.events[3].ts_ps);  // 55 years before zero
  CHECK(t.events[3].has_time);
  CHECK(t.events[4].ts_ps == 358'140'950'001);
  CHECK(t.summary.unusable_times == 1);
  CHECK(record(std::string_view(R"([{"ph":"X","ts":999999999.5}])")).summary.zero_us == 0);
}

TEST_CASE("the clock of a file") {
  const auto clock_of = [](std::string_view text) { return read_chrome_clock(text); };
  const std::string events = R"("traceEvents":[{"ph":"M","ts":1},{"ph":"X","ts":4386556646275.200}])";
  const chrome_clock head = clock_of(R"({"baseTimeNanoseconds":1790857026000000000,)" + events + "}");
  CHECK(head.zero_us == 4'386'556'000'000);
  CHECK(head.origin_unix_ns == 1'790'857'026'000'000'000 + 4'386'556'000'000'000);
  const chrome_clock tail =
      clock_of("{" + events + R"(,"a":{"b":[1]},"baseTimeNanoseconds" : 1790857026000000000, "c":"}"} )");
  CHECK(tail.origin_unix_ns == head.origin_unix_ns);
  // The key inside something else says nothing.
  CHECK_FALSE(clock_of("{" + events + R"(,"a":{"baseTimeNanoseconds":17}})").origin_unix_ns);
  CHECK_FALSE(clock_of("{" + events + "}").origin_unix_ns);
  CHECK(clock_of(R"([{"ph":"X","ts":1742490378358140}])").origin_unix_ns == 1'742'490'378'000'000'000);
  CHECK_FALSE(clock_of("[]").origin_unix_ns);
  CHECK_FALSE(clock_of("").origin_unix_ns);
}

TEST_CASE("strings, duplicate keys and odd types") {
  const recorded_event e = only_event(
      R"([{"name":"first","ph":"X","na\u006de":"a\"b\\\u00e9\ud83d\ude00\n","cat":7,"id":"x","pid":"7","tid":null,"pid":[1]}])");
  CHECK(e.name == "a\"b\\\xc3\xa9\xf0\x9f\x98\x80\n");
  CHECK(e.cat == "7");
  CHECK(e.id == "x");
  CHECK(e.pid == "");
  CHECK(e.tid == "");
  CHECK(only_event(R"([{"ph":"XY"}])").phase == 0);
  CHECK(only_event(R"([{"ph":"X","args":[1,{"a":2}]}])").args == R"([1,{"a":2}])");
  CHECK(only_event(R"([{"ph":"X","args":"text"}])").args == "\"text\"");
}

TEST_CASE("members of arguments") {
  json_members m(R"( { "a" : 1 , "b":"x,}" ,"c":{"d":[1,2]},"e":null } )");
  std::string seen;
  while (m.next()) seen += std::string(m.key()) + '=' + std::string(m.value()) + ';';
  CHECK(m.ok());
  CHECK(seen == "a=1;b=\"x,}\";c={\"d\":[1,2]};e=null;");
  CHECK(json_member(R"({"a":1,"\u0061":2})", "a") == "2");
  CHECK(json_member("", "a").empty());
  for (const char* bad : {"{", "{\"a\"", "{\"a\":}", "{\"a\":1 2}", "{a:1}", "[1]", "{\"a\":1,", "{,}", "{\"a\":{]}"}) {
    CAPTURE(bad);
    json_members broken(bad);
    while (broken.next()) {}
    CHECK_FALSE(broken.ok());
  }
}

TEST_CASE("a visitor stops the reading") {
  struct : chrome_visitor {
    bool event(const chrome_event&) override { return ++events < 2; }
    int events = 0;
  } two;
  const auto read = read_chrome(R"([{"ph":"X"},{"ph":"X"},{"ph":"X"}])", two);
  REQUIRE(read.ok());
  CHECK(two.events == 2);
  CHECK(read->events == 2);
}

TEST_CASE("a cancelled reading is a fault") {
  std::atomic<bool> cancel{true};
  chrome_options options;
  options.host.cancel = &cancel;
  CHECK(record(std::string_view("[{}]"), options).refused->code == fault_code::cancelled);
}

// ---- against a plain second reader -------------------------------------------------------------------------

namespace {

class trace_writer {
 public:
  explicit trace_writer(std::uint32_t seed) : random_(seed) {}

  std::string trace() {
    std::string events = "[";
    const int count = pick(12);
    for (int i = 0; i < count; ++i) events += (i ? "," : "") + blank() + event() + blank();
    events += "]";
    if (pick(3) == 0) return blank() + events + blank();
    std::string out = blank() + "{" + blank();
    for (int i = pick(3); i > 0; --i) out += string() + blank() + ":" + blank() + value(3) + ",";
    out += "\"traceEvents\"" + blank() + ":" + blank() + events;
    for (int i = pick(3); i > 0; --i) out += blank() + "," + blank() + string() + ":" + value(3);
    return out + blank() + "}" + blank();
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint32_t>(below)); }
  std::string blank() {
    std::string out;
    for (int i = pick(6) == 0 ? pick(70) : pick(2); i > 0; --i) out += " \n\t\r"[pick(4)];
    return out;
  }
  std::string string() {
    std::string out = "\"";
    for (int i = pick(5) == 0 ? pick(150) : pick(8); i > 0; --i) {
      static const char* const pieces[] = {"a", "b",    " ",    "{",   "}",       "[",        "]",         ",",
                                           ":", "\\\"", "\\\\", "\\n", "\\u0041", "\xc3\xa9", "},{\\\"ph", "\\\\\\\""};
      out += pieces[pick(16)];
    }
    return out + "\"";
  }
  std::string number() {
    std::string out = pick(4) == 0 ? "-" : "";
    out += std::to_string(pick(100'000'000));
    if (pick(2)) out += "." + std::to_string(pick(1'000'000));
    return out;
  }
  std::string value(int depth) {
    switch (pick(depth > 0 ? 7 : 5)) {
      case 0: return "null";
      case 1: return "true";
      case 2: return number();
      case 3:
      case 4: return string();
      case 5: {
        std::string out = "[" + blank();
        for (int i = pick(4), first = 1; i > 0; --i, first = 0)
          out += (first ? "" : ",") + blank() + value(depth - 1) + blank();
        return out + "]";
      }
      default: {
        std::string out = "{" + blank();
        for (int i = pick(4), first = 1; i > 0; --i, first = 0)
          out += (first ? "" : ",") + blank() + string() + blank() + ":" + blank() + value(depth - 1) + blank();
        return out + "}";
      }
    }
  }
  std::string event() {
    std::string out = "{" + blank();
    for (int i = pick(12), first = 1; i > 0; --i, first = 0) {
      if (!first) out += "," + blank();
      const auto member = [&](const char* key, const std::string& text) {
        out += key + blank() + ":" + blank() + text + blank();
      };
      switch (pick(10)) {
        case 0: member("\"ph\"", pick(3) ? "\"X\"" : "\"M\""); break;
        case 1: member("\"name\"", pick(5) ? string() : value(2)); break;
        case 2: member("\"cat\"", string()); break;
        case 3: member("\"ts\"", pick(2) ? number() : '"' + number() + '"'); break;
        case 4: member("\"dur\"", pick(2) ? number() : '"' + number() + '"'); break;
        case 5: member("\"pid\"", pick(2) ? number() : string()); break;
        case 6: member("\"tid\"", pick(2) ? number() : string()); break;
        case 7: member("\"args\"", value(3)); break;
        case 8: member("\"\\u0069d\"", number()); break;
        default: out += string() + ":" + value(2);
      }
    }
    return out + "}";
  }
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("any sound trace reads as a plain reader reads it, however it is cut") {
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    CAPTURE(seed);
    const std::string text = trace_writer(seed).trace();
    CAPTURE(text);
    const recorded_trace expected = slow_reader(text).read();
    const recorded_trace read = record(std::string_view(text));
    REQUIRE_FALSE(read.refused);
    REQUIRE_FALSE(read.summary.damage);
    REQUIRE(read.summary.irregular == 0);
    REQUIRE(read.summary.terminated);
    REQUIRE(read.events == expected.events);
    REQUIRE(read.headers == expected.headers);
    chrome_options options;
    options.chunk_bytes = seed % 97 + 1;
    options.tolerant_only = seed % 3 == 0;
    REQUIRE(same_reading(record(std::string_view(text), options), read));
  }
}

TEST_CASE("every chunk size gives the same reading") {
  const std::string text =
      R"({"a":{"k":[1,2,{"x":"}]\""}]},"traceEvents":[{"ph":"M","pid":1,"name":"process_name","args":{"name":"p\\"}},)"
      R"( {"ph":"X","name":"n,}{","ts":1.25,"dur":"3","args":{"l":[[],{}],"s":"\\\\\""}}  ,{},)"
      R"({"ph":"i","ts":-2e0,"name":"\u00e9"}],"z":"end", "y" : 12})";
  const recorded_trace whole = record(std::string_view(text));
  REQUIRE(whole.events.size() == 4);
  for (std::size_t chunk = 1; chunk <= text.size() + 1; ++chunk) {
    for (const bool tolerant : {false, true}) {
      CAPTURE(chunk, tolerant);
      chrome_options options;
      options.chunk_bytes = chunk;
      options.tolerant_only = tolerant;
      REQUIRE(same_reading(record(std::string_view(text), options), whole));
      auto from = open_buffer_source(text, "text");
      REQUIRE(from.ok());
      REQUIRE(same_reading(record(**from, options), whole));
    }
  }
}
