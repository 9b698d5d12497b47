// What json_splitter takes for JSON, and what it leaves to those who read damaged text.
#include <formats/chrome/json_splitter.hpp>

#include <catch.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace profkit;

namespace {

using members = std::vector<std::pair<std::string, std::string>>;

members written(json_member_list list) {
  members all;
  for (const json_member_text& m : list) all.emplace_back(m.key, m.value);
  return all;
}

bool is_object(std::string_view text, std::uint32_t max_nesting = 100) {
  json_splitter splitter(max_nesting);
  return splitter.object(text).has_value();
}

}  // namespace

TEST_CASE("members come as they are written, elements without a key") {
  json_splitter splitter;
  const std::string_view object = "\n{ \"a\" : 1 , \"b\\u0041\":\"x,}\" ,\"c\":{\"d\":[1, 2 ]}\t,\"a\":null,\"\":[]} ";
  REQUIRE(splitter.object(object));
  CHECK(written(*splitter.object(object)) ==
        members{{"a", "1"}, {"b\\u0041", "\"x,}\""}, {"c", "{\"d\":[1, 2 ]}"}, {"a", "null"}, {"", "[]"}});
  REQUIRE(splitter.array("[1.50, \"\\\"\", {} , [ ],true]"));
  CHECK(written(*splitter.array("[1.50, \"\\\"\", {} , [ ],true]")) ==
        members{{"", "1.50"}, {"", "\"\\\"\""}, {"", "{}"}, {"", "[ ]"}, {"", "true"}});
  CHECK(splitter.object("{}")->count == 0);
  CHECK(splitter.array(" [ ] ")->count == 0);
  CHECK_FALSE(splitter.array("{}"));
  CHECK_FALSE(splitter.object("[]"));
}

TEST_CASE("every value is looked at, also those that nobody asks for") {
  for (const char* value :
       {"0", "-0", "12", "1.5", "-1.50e+10", "1E5", "0.0", "true", "false", "null", "\"\"", "\"\\\\\"", "\"\\q\"",
        "\"\xc3\xa9\"", "[]", "{}", "[1,[2,{\"a\":[\"b\",\"c\"]}]]", "{\"a\":\"b\",\"c\":\"d\"}"}) {
    CAPTURE(value);
    CHECK(is_object("{\"k\":" + std::string(value) + "}"));
    CHECK(is_object("{\"k\":{\"l\":[" + std::string(value) + "]}}"));
    CHECK(is_object("{\"k\":[" + std::string(value) + " , 1],\"l\":" + value + " }"));
  }
  for (const char* value :
       {"", ",", "1 2", "01", "+1", ".5", "1.", "1e", "1e+", "-", "0x1", "NaN", "nan", "-Infinity", "tru", "truee",
        "True", "nul", "fals", "falsey", "abc", "\"", "\"a\"b", "\"a\" \"b\"", "\"a\":1", "\"a\x01\"", "\"\xff\"", "[1 2]",
        "[1,]", "[,1]", "[1,,2]", "[1:2]", "[\"a\":1]", "[1,\"v\":\"w\"]", "[\"a\" \"b\"]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
        "{,}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\":1:2}", "{1:2}", "{a:1}", "{\"a\":1]", "[1}", "{\"a\":[1}]",
        "[1 2 : tru, ,]"}) {
    CAPTURE(value);
    CHECK_FALSE(is_object("{\"k\":" + std::string(value) + "}"));
    CHECK_FALSE(is_object("{\"k\":{\"l\":[0," + std::string(value) + "]}}"));
    CHECK_FALSE(is_object("{\"k\":{\"l\":" + std::string(value) + "},\"m\":1}"));
  }
}

TEST_CASE("a text is one value and nothing else") {
  for (const char* text : {"", " ", "{", "}", "{}{}", "{},{}", "{} 1", "{}]", "{},[{}", "{}],[{}", "\"a\"", "1", "null",
                           "{\"a\":1", "{\"a\":\"b}", "[{}]"}) {
    CAPTURE(text);
    CHECK_FALSE(is_object(text));
  }
}

TEST_CASE("what nests deeper than the limit is left alone") {
  CHECK(is_object("{\"a\":1}", 1));
  CHECK_FALSE(is_object("{\"a\":[]}", 1));
  CHECK(is_object("{\"a\":[]}", 2));
  CHECK_FALSE(is_object("{\"a\":[{}]}", 2));
  CHECK(is_object("{\"a\":[{}],\"b\":[{}]}", 3));
  const auto nested = [](int depth) { return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}"; };
  CHECK(is_object(nested(100)));
  CHECK_FALSE(is_object(nested(101)));
  CHECK(is_object(nested(1024), 100'000));  // never deeper, whatever limits say
  CHECK_FALSE(is_object(nested(1025), 100'000));
}

TEST_CASE("events end where their array does, or where the text was cut") {
  json_splitter splitter;
  std::vector<event_text> events;
  const auto names = [&events] {
    std::string all;
    for (const event_text& e : events) all.append(e[event_field::name]).append(e.json).append(";");
    return all;
  };
  REQUIRE(splitter.events(R"({"name":"a"} , {"x":[{}],"name":"b" })", events));
  CHECK(names() == R"("a"{"name":"a"};"b"{"x":[{}],"name":"b" };)");
  REQUIRE(splitter.events(R"({"name":1}],"other":[{"a":1 , tru)", events));  // what stands behind is for others
  CHECK(names() == R"(1{"name":1};)");
  for (const char* text : {R"({"name":"a"} {"name":"b"})", R"({"name":"a"},1)", R"({"name":"a"},)", R"({"name":"a"},{"n)",
                           R"({"name":"a"},[])", R"({"name":"a"},{"k":tru})", R"({"name":"a"}},{"k":1})"}) {
    CAPTURE(text);
    CHECK_FALSE(splitter.events(text, events));
  }
}

TEST_CASE("of equal keys of an event the last counts, with its arguments") {
  json_splitter splitter;
  std::vector<event_text> events;
  const auto list = splitter.events(
      R"({"args":{"a":1},"args":{"b":2,"c":{"d":3}}},{"args":{"e":1},"args":[5]},{"args":{}},{"\u0061rgs":{"f":6}},{})", events);
  REQUIRE(list);
  REQUIRE(events.size() == 5);
  CHECK(written(events[0].args(list->first)) == members{{"b", "2"}, {"c", "{\"d\":3}"}});
  CHECK(events[1].args(list->first).first == nullptr);
  CHECK(events[1][event_field::args] == "[5]");
  CHECK(events[2].args(list->first).count == 0);
  CHECK(written(events[3].args(list->first)) == members{{"f", "6"}});
  CHECK(events[4].args(list->first).first == nullptr);
}

TEST_CASE("members that are not all JSON are read as far as they go") {
  json_splitter splitter;
  members seen;
  const auto take = [&seen](std::string_view key, std::string_view value) { seen.emplace_back(key, value); };
  CHECK(each_json_member(splitter, R"({"a":1,"b":[2]})", take));
  CHECK(seen == members{{"a", "1"}, {"b", "[2]"}});
  seen.clear();
  CHECK(each_json_member(splitter, R"({"a":NaN,"b":2})", take));
  CHECK(seen == members{{"a", "NaN"}, {"b", "2"}});
  seen.clear();
  CHECK_FALSE(each_json_member(splitter, R"({"a":1,"b)", take));
  CHECK(seen == members{{"a", "1"}});
}
