// What events of a Chrome trace mean, and the tracks they lie on, by traces written here.
#include <formats/chrome/chrome_decoder.hpp>
#include <formats/chrome/chrome_tracks.hpp>

#include <catch.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace profkit;

namespace {

constexpr std::int64_t us = 1'000'000;
using texts = std::vector<std::string>;

std::string_view name_of(chrome_item_kind kind) {
  constexpr std::string_view names[] = {"complete",   "begin",         "pair",    "instant", "async begin",
                                        "async pair", "async instant", "counter", "flow",    "metadata",
                                        "other"};
  return names[static_cast<std::size_t>(kind)];
}
std::string_view name_of(chrome_defect defect) {
  constexpr std::string_view names[] = {"",
                                        " without time",
                                        " starts out of reach",
                                        " without begin",
                                        " without duration",
                                        " negative",
                                        " ends out of reach"};
  return names[static_cast<std::size_t>(defect)];
}

// "kind name @start+duration of track, #ordinal of the item and of the event": times in us.
class teller final : public chrome_sink {
 public:
  bool item(const chrome_item& found) override {
    std::string text(name_of(found.kind));
    text.append(1, ' ').append(found.event->name).append(name_of(found.defect));
    if (found.kind != chrome_item_kind::metadata && found.kind != chrome_item_kind::other)
      text += " @" + std::to_string(found.start_ps / us) + '+' + std::to_string(found.duration_ps / us);
    if (found.track != chrome_tracks::none) text += " on " + std::to_string(found.track);
    text += " #" + std::to_string(found.ordinal);
    if (found.event->ordinal != found.ordinal) text += " of #" + std::to_string(found.event->ordinal);
    told.push_back(text);
    cats.emplace_back(found.event->cat);
    args.emplace_back(found.event->args_json);
    return told.size() < most;
  }
  bool header(std::string_view key, std::string_view json) override {
    headers.push_back(std::string(key) + '=' + std::string(json));
    return true;
  }

  texts told, cats, args, headers;
  std::size_t most = 10'000;
};

struct decoded {
  explicit decoded(const std::string& json, std::int64_t shift_ps = 0) : decoder(shift_ps, tracks, sink) {
    REQUIRE(read_chrome(json, decoder).ok());
  }
  chrome_tracks tracks;
  teller sink;
  chrome_decoder decoder;
};

texts told_of(const std::string& json, std::int64_t shift_ps = 0) { return decoded(json, shift_ps).sink.told; }

// "position name/position name", for each track.
texts tracks_of(const chrome_tracks& tracks) {
  texts all;
  for (const chrome_track& t : tracks.tracks()) {
    const chrome_trace_process& p = tracks.process(t.process);
    all.push_back(std::to_string(p.position) + ' ' + p.name + '/' + std::to_string(t.position) + ' ' + t.name);
  }
  return all;
}

}  // namespace

TEST_CASE("decoder: ends are brought to the latest begin of their name on their thread") {
  CHECK(told_of(R"([
    {"ph":"B","pid":1,"tid":1,"ts":1,"name":"outer"},
    {"ph":"B","pid":1,"tid":2,"ts":2,"name":"outer"},
    {"ph":"B","pid":1,"tid":1,"ts":3,"name":"inner"},
    {"ph":"B","pid":1,"tid":1,"ts":4,"name":"inner"},
    {"ph":"E","pid":1,"tid":1,"ts":5,"name":"inner"},
    {"ph":"E","pid":1,"tid":1,"ts":7,"name":"outer"},
    {"ph":"E","pid":1,"tid":2,"ts":8,"name":"outer"},
    {"ph":"E","pid":1,"tid":1,"ts":9,"name":"inner"}])") ==
        texts{"begin outer @1+0 on 0 #0", "begin outer @2+0 on 1 #1", "begin inner @3+0 on 0 #2",
              "begin inner @4+0 on 0 #3", "pair inner @4+1 on 0 #4 of #3", "pair outer @1+6 on 0 #5 of #0",
              "pair outer @2+6 on 1 #6 of #1", "pair inner @3+6 on 0 #7 of #2"});
}

TEST_CASE("decoder: an end without a name ends what began last, whatever was closed out of order before") {
  CHECK(told_of(R"([
    {"ph":"B","pid":1,"tid":1,"ts":1,"name":"a"},
    {"ph":"B","pid":1,"tid":1,"ts":2,"name":"b"},
    {"ph":"B","pid":1,"tid":1,"ts":3,"name":"a"},
    {"ph":"B","pid":1,"tid":1,"ts":4,"name":"c"},
    {"ph":"E","pid":1,"tid":1,"ts":5,"name":"b"},
    {"ph":"E","pid":1,"tid":1,"ts":6},
    {"ph":"E","pid":1,"tid":1,"ts":7},
    {"ph":"E","pid":1,"tid":1,"ts":8},
    {"ph":"E","pid":1,"tid":1,"ts":9}])") ==
        texts{"begin a @1+0 on 0 #0", "begin b @2+0 on 0 #1", "begin a @3+0 on 0 #2", "begin c @4+0 on 0 #3",
              "pair b @2+3 on 0 #4 of #1", "pair c @4+2 on 0 #5 of #3", "pair a @3+4 on 0 #6 of #2",
              "pair a @1+7 on 0 #7 of #0", "pair  without begin @9+0 on 0 #8"});
}

TEST_CASE("decoder: begins without an end are counted, those of asynchronous events are not") {
  const decoded d(R"([
    {"ph":"B","pid":1,"tid":1,"ts":1,"name":"ends"},
    {"ph":"B","pid":1,"tid":1,"ts":1,"name":"ends too"},
    {"ph":"B","pid":1,"tid":1,"ts":2,"name":"x"},
    {"ph":"b","pid":1,"tid":1,"ts":2,"name":"x","cat":"c","id":1},
    {"ph":"B","pid":1,"tid":2,"ts":3,"name":"x"},
    {"ph":"E","pid":1,"tid":1,"ts":4,"name":"ends"},
    {"ph":"E","pid":1,"tid":1,"ts":4,"name":"ends too"},
    {"ph":"B","pid":1,"tid":3,"ts":5,"name":"used again"}])");
  CHECK(d.decoder.open_count() == 3);
  CHECK(d.decoder.first_open() == 2);
  CHECK(decoded(R"([{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1}])").decoder.open_count() == 0);
}

TEST_CASE("decoder: asynchronous events are brought together by process, category, id and name") {
  CHECK(told_of(R"([
    {"ph":"b","pid":1,"tid":1,"ts":1,"name":"x","cat":"c","id":1},
    {"ph":"b","pid":1,"tid":1,"ts":2,"name":"x","cat":"c","id":2},
    {"ph":"b","pid":1,"tid":1,"ts":3,"name":"x","cat":"d","id":1},
    {"ph":"b","pid":2,"tid":1,"ts":4,"name":"x","cat":"c","id":1},
    {"ph":"n","pid":1,"tid":1,"ts":5,"name":"x","cat":"c","id":1},
    {"ph":"e","pid":1,"tid":7,"ts":6,"name":"x","cat":"c","id":1},
    {"ph":"e","pid":2,"tid":7,"ts":7,"name":"x","cat":"c","id":1},
    {"ph":"e","pid":1,"tid":7,"ts":8,"name":"x","cat":"d","id":1},
    {"ph":"e","pid":1,"tid":7,"ts":9,"name":"y","cat":"c","id":2},
    {"ph":"e","pid":1,"tid":7,"ts":10,"name":"x","cat":"c","id":2},
    {"ph":"S","pid":1,"tid":1,"ts":11,"name":"s","cat":"c","id":1},
    {"ph":"F","pid":1,"tid":1,"ts":12,"name":"s","cat":"c","id":1},
    {"ph":"E","pid":1,"tid":1,"ts":13,"name":"x","cat":"c","id":1}])") ==
        texts{"async begin x @1+0 on 0 #0", "async begin x @2+0 on 0 #1", "async begin x @3+0 on 1 #2",
              "async begin x @4+0 on 2 #3", "async instant x @5+0 on 0 #4", "async pair x @1+5 on 0 #5 of #0",
              "async pair x @4+3 on 2 #6 of #3", "async pair x @3+5 on 1 #7 of #2",
              "async pair y without begin @9+0 on 0 #8", "async pair x @2+8 on 0 #9 of #1",
              "async begin s @11+0 on 0 #10", "async pair s @11+1 on 0 #11 of #10",
              "pair x without begin @13+0 on 3 #12"});
}

TEST_CASE("decoder: a pair has the category of its begin and the arguments of both, those of the begin last") {
  const auto pair_of = [](const std::string& begin, const std::string& end) {
    const decoded d(R"([{"ph":"B","pid":1,"tid":1,"ts":1,"name":"x")" + begin +
                    R"(},{"ph":"E","pid":1,"tid":1,"ts":2,"name":"x")" + end + "}]");
    REQUIRE(d.sink.told.size() == 2);
    return d.sink.cats[1] + ' ' + d.sink.args[1];
  };
  CHECK(pair_of(R"(,"cat":"kernel","args":{"a":1,"b":2})", R"(,"cat":"other","args":{"b":3,"c":4})") ==
        R"(kernel {"b":3,"c":4,"a":1,"b":2})");
  CHECK(pair_of(R"(,"cat":"kernel","args":{"a":1})", "") == R"(kernel {"a":1})");
  CHECK(pair_of(R"(,"cat":"kernel","args":{"a":1})", R"(,"args":{})") == R"(kernel {"a":1})");
  CHECK(pair_of(R"(,"args":{})", R"(,"cat":"other","args":{"c":4})") == R"( {"c":4})");
  CHECK(pair_of("", R"(,"args":{"c":4})") == R"( {"c":4})");
}

TEST_CASE("decoder: a pair keeps its own arguments where places of begins are used again") {
  const decoded d(R"([
    {"ph":"B","pid":1,"tid":1,"ts":1,"name":"long","args":{"v":"the first of them"}},
    {"ph":"E","pid":1,"tid":1,"ts":2,"name":"long"},
    {"ph":"B","pid":1,"tid":1,"ts":3,"name":"short","args":{"v":2}},
    {"ph":"E","pid":1,"tid":1,"ts":4,"name":"short"}])");
  CHECK(d.sink.args == texts{R"({"v":"the first of them"})", R"({"v":"the first of them"})", R"({"v":2})", R"({"v":2})"});
}

TEST_CASE("decoder: what is wrong with times is told, the rest is as written") {
  CHECK(told_of(R"([
    {"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"sound"},
    {"ph":"X","pid":1,"tid":1,"dur":2,"name":"x"},
    {"ph":"X","pid":1,"tid":1,"ts":"soon","dur":2,"name":"x"},
    {"ph":"X","pid":1,"tid":1,"ts":1,"name":"x"},
    {"ph":"X","pid":1,"tid":1,"ts":1,"dur":-2,"name":"x"},
    {"ph":"X","pid":1,"tid":1,"ts":1,"dur":0,"name":"x"},
    {"ph":"B","pid":1,"tid":1,"name":"x"},
    {"ph":"E","pid":1,"tid":1,"name":"x"},
    {"ph":"B","pid":1,"tid":1,"ts":9,"name":"back"},
    {"ph":"E","pid":1,"tid":1,"ts":4,"name":"back"},
    {"ph":"C","pid":1,"tid":1,"name":"c"},
    {"ph":"s","pid":1,"tid":1,"name":"f"}])") ==
        texts{"complete sound @1+2 on 0 #0", "complete x without time @0+0 on 0 #1",
              "complete x without time @0+0 on 0 #2", "complete x without duration @1+0 on 0 #3",
              "complete x negative @1+-2 on 0 #4", "complete x @1+0 on 0 #5", "begin x without time @0+0 on 0 #6",
              "pair x without time @0+0 on 0 #7", "begin back @9+0 on 0 #8", "pair back negative @9+-5 on 0 #9 of #8",
              "counter c without time @0+0 on 1 #10", "flow f without time @0+0 #11"});
}

TEST_CASE("decoder: times are on the capture's clock, as far as it reaches") {
  // 2^63 ps are 9,223,372,036,854.775807 us.
  CHECK(told_of(R"([
    {"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"near"},
    {"ph":"X","pid":1,"tid":1,"ts":-9,"dur":2,"name":"before"},
    {"ph":"i","pid":1,"tid":1,"ts":4,"name":"at"}])",
                5 * us) ==
        texts{"complete near @6+2 on 0 #0", "complete before @-4+2 on 0 #1", "instant at @9+0 on 0 #2"});
  const std::int64_t far = 9'223'372'036'854 * us;
  CHECK(told_of(R"([
    {"ph":"X","pid":1,"tid":1,"ts":-3,"dur":2,"name":"inside"},
    {"ph":"X","pid":1,"tid":1,"ts":-3,"dur":4,"name":"over"},
    {"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"behind"},
    {"ph":"B","pid":1,"tid":1,"ts":1,"name":"behind"},
    {"ph":"s","pid":1,"tid":1,"ts":1,"name":"behind"}])",
                far) ==
        texts{"complete inside @9223372036851+2 on 0 #0", "complete over ends out of reach @9223372036851+4 on 0 #1",
              "complete behind starts out of reach @0+0 on 0 #2", "begin behind starts out of reach @0+0 on 0 #3",
              "flow behind starts out of reach @0+0 #4"});
}

TEST_CASE("decoder: ends that are too far apart are no negative duration") {
  CHECK(told_of(R"([
    {"ph":"B","pid":1,"tid":1,"ts":-9000000000000,"name":"x"},
    {"ph":"E","pid":1,"tid":1,"ts":9000000000000,"name":"x"},
    {"ph":"B","pid":1,"tid":1,"ts":9000000000000,"name":"y"},
    {"ph":"E","pid":1,"tid":1,"ts":-9000000000000,"name":"y"}])") ==
        texts{"begin x @-9000000000000+0 on 0 #0", "pair x ends out of reach @-9000000000000+0 on 0 #1 of #0",
              "begin y @9000000000000+0 on 0 #2", "pair y negative @9000000000000+0 on 0 #3 of #2"});
}

TEST_CASE("decoder: each phase has its kind") {
  const decoded d(R"({"displayTimeUnit":"ns","traceEvents":[
    {"ph":"i","pid":1,"tid":1,"ts":1,"name":"i"},
    {"ph":"I","pid":1,"tid":1,"ts":1,"name":"I"},
    {"ph":"C","pid":1,"tid":1,"ts":1,"name":"C"},
    {"ph":"s","pid":1,"tid":1,"ts":1,"name":"s"},
    {"ph":"t","pid":1,"tid":1,"ts":1,"name":"t"},
    {"ph":"f","pid":1,"tid":1,"ts":1,"name":"f"},
    {"ph":"M","pid":1,"name":"M"},
    {"ph":"R","pid":1,"tid":1,"ts":1,"name":"R"},
    {}]})");
  CHECK(d.sink.told == texts{"instant i @1+0 on 0 #0", "instant I @1+0 on 0 #1", "counter C @1+0 on 1 #2",
                             "flow s @1+0 #3", "flow t @1+0 #4", "flow f @1+0 #5", "metadata M #6", "instant R @1+0 on 0 #7",
                             "other  #8"});
  CHECK(d.sink.headers == texts{R"(displayTimeUnit="ns")"});
}

TEST_CASE("decoder: the event of a pair has the times of the whole, on the file's clock") {
  struct keeper final : chrome_sink {
    bool item(const chrome_item& found) override {
      last = *found.event;
      start_ps = found.start_ps;
      return true;
    }
    chrome_event last;
    std::int64_t start_ps = 0;
  } sink;
  chrome_tracks tracks;
  chrome_decoder decoder(7 * us, tracks, sink);
  REQUIRE(read_chrome(R"([{"ph":"B","ts":2,"name":"a"},{"ph":"E","ts":5}])", decoder).ok());
  CHECK(sink.last.ts_ps == 2 * us);
  CHECK(sink.last.dur_ps == 3 * us);
  CHECK(sink.last.byte_offset == 30);
  CHECK(sink.start_ps == 9 * us);
}

TEST_CASE("decoder: a sink stops the reading") {
  chrome_tracks tracks;
  teller sink;
  sink.most = 2;
  chrome_decoder decoder(0, tracks, sink);
  const std::string json = R"([{"ph":"B","ts":1,"name":"a"},{"ph":"E","ts":2,"name":"a"},{"ph":"X","ts":3,"dur":1}])";
  REQUIRE(read_chrome(json, decoder).ok());
  CHECK(sink.told.size() == 2);
}

TEST_CASE("tracks: 7 and \"7\" are two threads and two processes") {
  const decoded d(R"([
    {"ph":"X","pid":7,"tid":7,"ts":1,"dur":1,"name":"a"},
    {"ph":"X","pid":"7","tid":7,"ts":1,"dur":1,"name":"b"},
    {"ph":"X","pid":7,"tid":"7","ts":1,"dur":1,"name":"c"},
    {"ph":"X","pid":7,"tid":7,"ts":2,"dur":1,"name":"d"},
    {"ph":"X","pid":"7","tid":7,"ts":2,"dur":1,"name":"e"}])");
  CHECK(d.sink.told == texts{"complete a @1+1 on 0 #0", "complete b @1+1 on 1 #1", "complete c @1+1 on 2 #2",
                             "complete d @2+1 on 0 #3", "complete e @2+1 on 1 #4"});
  REQUIRE(d.tracks.processes().size() == 2);
  CHECK(d.tracks.process(0).number == 7);
  CHECK_FALSE(d.tracks.process(0).pid_is_string);
  CHECK_FALSE(d.tracks.process(1).number.has_value());
  CHECK(d.tracks.process(1).pid_is_string);
  CHECK(d.tracks.process(1).pid == "7");
  CHECK(d.tracks.track(0).number == 7);
  CHECK_FALSE(d.tracks.track(2).number.has_value());
  CHECK(d.tracks.track(2).tid_is_string);
  CHECK(tracks_of(d.tracks) == texts{"0 /0 ", "1 /0 ", "0 /1 "});
}

TEST_CASE("tracks: positions are of first sight, names may come last") {
  const decoded d(R"([
    {"ph":"s","pid":5,"tid":1,"ts":1,"name":"flow"},
    {"ph":"X","pid":9,"tid":1,"ts":1,"dur":1,"name":"a"},
    {"ph":"C","pid":5,"tid":3,"ts":1,"name":"memory"},
    {"ph":"b","pid":9,"tid":1,"ts":1,"name":"x","cat":"requests","id":1},
    {"ph":"i","pid":5,"tid":1,"name":"no time"},
    {"ph":"C","pid":5,"tid":1,"ts":1,"name":"memory"},
    {"ph":"M","pid":9,"tid":1,"name":"thread_name","args":{"name":"old"}},
    {"ph":"M","pid":9,"tid":1,"name":"thread_name","args":{"name":"main"}},
    {"ph":"M","pid":9,"tid":4,"name":"thread_name","args":{"name":"idle"}},
    {"ph":"M","pid":9,"name":"process_name","args":{"name":"host \"A\""}},
    {"ph":"M","pid":9,"name":"process_labels","args":{"labels":"CPU"}},
    {"ph":"M","pid":9,"name":"process_sort_index","args":{"sort_index":-3}},
    {"ph":"M","pid":9,"tid":4,"name":"thread_sort_index","args":{"sort_index":"8"}}])");
  CHECK(tracks_of(d.tracks) == texts{"1 host \"A\"/0 main", "0 /0 memory", "1 host \"A\"/1 requests", "0 /1 ",
                                     "1 host \"A\"/2 idle"});
  CHECK(d.tracks.process(1).labels == "CPU");
  CHECK(d.tracks.process(1).sort_index == -3);
  CHECK(d.tracks.track(4).sort_index == 8);
  CHECK(d.tracks.track(2).kind == chrome_track_kind::async);
  CHECK(d.tracks.track(1).kind == chrome_track_kind::counter);
}

TEST_CASE("tracks: a sort index alone shows no thread, and what has no pid has no position") {
  const decoded d(R"([
    {"ph":"M","pid":1,"tid":8,"name":"thread_sort_index","args":{"sort_index":2}},
    {"ph":"X","tid":1,"ts":1,"dur":1,"name":"nowhere"},
    {"ph":"X","pid":1,"tid":9,"ts":1,"dur":1,"name":"first"},
    {"ph":"X","pid":1,"tid":8,"ts":1,"dur":1,"name":"second"},
    {"ph":"X","pid":2,"tid":1,"ts":1,"dur":1,"name":"third"}])");
  CHECK(tracks_of(d.tracks) == texts{"0 /1 ", "-1 /-1 ", "0 /0 ", "1 /0 "});
}

TEST_CASE("tracks: the last name counts") {
  const auto names = [](const std::string& name) {
    return R"([{"ph":"M","pid":1,"name":"process_name","args":{"name":")" + name +
           R"("}},{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":")" + name +
           R"("}},{"ph":"M","pid":1,"name":"process_labels","args":{"labels":")" + name + R"("}}])";
  };
  chrome_tracks tracks;
  teller sink;
  chrome_decoder decoder(0, tracks, sink);
  REQUIRE(read_chrome(names("old"), decoder).ok());
  REQUIRE(read_chrome(names("new"), decoder).ok());
  CHECK(tracks_of(tracks) == texts{"0 new/0 new"});
  CHECK(tracks.process(0).labels == "new");
}

TEST_CASE("tracks: threads of one number in processes that look alike are told apart") {
  CHECK(told_of(R"([
    {"ph":"X","pid":17,"tid":1,"ts":1,"dur":1,"name":"a"},
    {"ph":"X","pid":27,"tid":1,"ts":1,"dur":1,"name":"b"},
    {"ph":"X","pid":17,"tid":1,"ts":2,"dur":1,"name":"c"}])") ==
        texts{"complete a @1+1 on 0 #0", "complete b @1+1 on 1 #1", "complete c @2+1 on 0 #2"});
}

TEST_CASE("tracks: many of them are told apart, in turns too") {
  std::string json = "[";
  for (int turn = 0; turn < 2; ++turn)
    for (int pid = 0; pid < 20; ++pid)
      for (int tid = 0; tid < 30; ++tid)
        json += (json.size() > 1 ? "," : "") + std::string(R"({"ph":"X","ts":1,"dur":1,"name":"x","pid":)") +
                std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) + "}";
  const decoded d(json + "]");
  REQUIRE(d.tracks.tracks().size() == 600);
  for (std::uint32_t i = 0; i < 600; ++i) {
    REQUIRE(d.tracks.process_of_track(i).number == i / 30);
    REQUIRE(d.tracks.track(i).number == i % 30);
    REQUIRE(d.tracks.track(i).position == static_cast<std::int32_t>(i % 30));
    REQUIRE(d.sink.told[i + 600] == "complete x @1+1 on " + std::to_string(i) + " #" + std::to_string(i + 600));
  }
}
