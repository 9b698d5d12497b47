// The chrome slice against the reference tool's output and on written traces.
#include "support.hpp"

#include <profkit/core/anatomy.hpp>

#include <catch.hpp>

#include <fstream>
#include <regex>
#include <sstream>

using namespace profkit;
using namespace profkit::test;

namespace {

chrome_file only_file(const std::string& json, const anatomy_options& o = {}) {
  auto p = profile::open_buffer(json, "x.trace.json");
  REQUIRE(p.ok());
  auto found = anatomy_chrome(trace(**p), o);
  REQUIRE(found.ok());
  REQUIRE(found->files.size() == 1);
  return found->files[0];
}

// µs text of the reference ("10.62", "8e-05") as ps.
std::int64_t picoseconds(const std::string& text) {
  return static_cast<std::int64_t>(std::llround(std::stold(text) * 1e6L));
}

struct golden_sample {
  std::string name, cat, pid, tid;
  std::int64_t start_ps, duration_ps;
};

// What read_trace_json printed: facts, not layout.
struct golden_facts {
  std::string keys, unit;
  std::uint64_t events = 0;
  std::vector<std::pair<std::string, std::string>> processes;
  std::vector<std::vector<std::string>> threads;  // pid, tid, name
  std::vector<golden_sample> complete;
};

golden_facts read_golden(const std::filesystem::path& path) {
  golden_facts g;
  std::ifstream in(path);
  std::smatch m;
  for (std::string line; std::getline(in, line);) {
    if (std::regex_match(line, m, std::regex(R"(top-level keys: \[(.*)\])"))) g.keys = m[1];
    if (std::regex_match(line, m, std::regex(R"(displayTimeUnit: '(.*)')"))) g.unit = m[1];
    if (std::regex_match(line, m, std::regex(R"(traceEvents: (\d+) total)"))) g.events = std::stoull(m[1]);
    if (std::regex_match(line, m, std::regex(R"(  pid=(\S+)  name='(.*)')"))) g.processes.emplace_back(m[1], m[2]);
    if (std::regex_match(line, m, std::regex(R"(  pid=(\S+) tid=(\S+)  name='(.*)')")))
      g.threads.push_back({m[1], m[2], m[3]});
    if (std::regex_match(line, m,
                         std::regex(R"(  name='(.*)' cat=(\S+) pid=(\S+) tid=(\S+) ts=(\S+) dur=(\S+) args_keys=.*)")))
      g.complete.push_back({m[1], m[2], m[3], m[4], picoseconds(m[5]), picoseconds(m[6])});
  }
  return g;
}

}  // namespace

TEST_CASE("the slice agrees with the reference tool") {
  const auto goldens = corpus_path("oracles/xspace-and-memory/golden");
  if (!goldens) PROFKIT_SKIP("no corpus: the reference tool's outputs are missing");
  const std::pair<const char*, const char*> cases[] = {
      {"jax_mlp_train", "jax/mlp_train"},
      {"jax_multi_device", "jax/multi_device"},
      {"jax_transformer", "jax/transformer"},
      {"jax_two_process_rank0", "jax/two_process/rank0"},
      {"jax_two_process_rank1", "jax/two_process/rank1"},
  };
  for (const auto& [name, folder] : cases) {
    CAPTURE(name);
    const golden_facts g = read_golden(*goldens / ("read_trace_json__" + std::string(name) + ".txt"));
    REQUIRE(g.complete.size() == 5);
    auto p = profile::open(corpus_path("captures/" + std::string(folder))->string());
    REQUIRE(p.ok());
    anatomy_options o;
    o.limit = 5;
    const auto found = anatomy_chrome(trace(**p), o);
    REQUIRE(found.ok());
    const chrome_file* file = nullptr;
    for (const chrome_file& f : found->files) {
      const std::string& path = (*p)->what().files[f.file].path;
      if (path.size() > 16 && path.substr(path.size() - 16) == "vm.trace.json.gz") file = &f;
    }
    REQUIRE(file != nullptr);
    CHECK_FALSE(file->damage);
    CHECK_FALSE(file->at_event_cap);
    std::string keys;
    for (const std::string& key : file->top_level_keys) keys += (keys.empty() ? "'" : ", '") + key + "'";
    CHECK(keys == g.keys);
    CHECK(file->display_time_unit == g.unit);
    CHECK(file->metadata == R"({"highres-ticks":true})");
    CHECK(file->events == g.events);
    REQUIRE(file->processes.size() == g.processes.size());
    std::vector<std::vector<std::string>> threads;
    for (std::size_t i = 0; i < g.processes.size(); ++i) {
      CHECK(file->processes[i].pid == g.processes[i].first);
      CHECK(file->processes[i].name == g.processes[i].second);
      for (const auto& [tid, thread] : file->processes[i].threads)
        threads.push_back({file->processes[i].pid, tid, thread});
    }
    REQUIRE(threads.size() >= g.threads.size());
    threads.resize(g.threads.size());
    CHECK(threads == g.threads);
    REQUIRE(file->complete_samples.size() == 5);
    CHECK(file->instant_samples.empty());
    for (std::size_t i = 0; i < 5; ++i) {
      const chrome_sample& s = file->complete_samples[i];
      CHECK(s.name.substr(0, 60) == g.complete[i].name);
      CHECK((s.cat.empty() ? "None" : s.cat) == g.complete[i].cat);
      CHECK(s.pid == g.complete[i].pid);
      CHECK(s.tid == g.complete[i].tid);
      CHECK(s.start_ps == g.complete[i].start_ps);
      CHECK(s.duration_ps == g.complete[i].duration_ps);
    }
  }
}

TEST_CASE("maps, samples and filters") {
  const std::string json = R"({"displayTimeUnit":"ns","metadata":{ "a b" : [1, "x y"] },"traceEvents":[
    {"ph":"X","pid":10,"tid":2,"ts":1,"dur":2,"name":"early","args":{"e":1,"d":{"k":2},"c":"s","b":3,"a":4,"f":5}},
    {"ph":"M","pid":10,"name":"process_name","args":{"name":"GPU"}},
    {"ph":"M","pid":10,"name":"process_sort_index","args":{"sort_index":-3}},
    {"ph":"M","pid":9,"name":"process_name","args":{"name":"python"}},
    {"ph":"M","pid":"Spans","name":"process_name","args":{"name":"spans"}},
    {"ph":"M","pid":9,"tid":10,"name":"thread_name","args":{"name":"t10"}},
    {"ph":"M","pid":9,"tid":9,"name":"thread_name","args":{"name":"t9"}},
    {"ph":"i","pid":9,"tid":9,"ts":5,"name":"mark"},
    {"ph":"X","pid":9,"tid":10,"ts":7,"dur":1,"name":"late"},{}]})";
  const chrome_file f = only_file(json);
  CHECK_FALSE(f.damage);
  CHECK(f.top_level_keys == std::vector<std::string>{"displayTimeUnit", "metadata", "traceEvents"});
  CHECK(f.metadata == R"({"a b":[1,"x y"]})");
  CHECK(f.events == 10);
  CHECK(f.phases == std::map<std::string, std::uint64_t>{{"", 1}, {"M", 6}, {"X", 2}, {"i", 1}});
  REQUIRE(f.processes.size() == 3);
  CHECK(f.processes[0].pid == "9");
  CHECK(f.processes[0].threads == std::vector<std::pair<std::string, std::string>>{{"9", "t9"}, {"10", "t10"}});
  CHECK(f.processes[1].name == "GPU");
  CHECK(f.processes[1].sort_index == -3);
  CHECK(f.processes[2].pid == "Spans");
  CHECK(f.first_ps == 1'000'000);
  CHECK(f.last_ps == 8'000'000);
  REQUIRE(f.complete_samples.size() == 2);
  CHECK(f.complete_samples[0].args == std::vector<std::pair<std::string, std::string>>{
                                          {"a", "4"}, {"b", "3"}, {"c", "\"s\""}, {"d", "{\"k\":2}"}, {"e", "1"}});
  CHECK(f.instant_samples.size() == 1);

  const auto names = [](const std::vector<chrome_sample>& samples) {
    std::string all;
    for (const chrome_sample& s : samples) all += s.name + ' ';
    return all;
  };
  anatomy_options o;
  o.plane = "GPU";
  CHECK(names(only_file(json, o).complete_samples) == "early ");
  CHECK(only_file(json, o).processes.size() == 1);
  CHECK(only_file(json, o).events == 10);
  o = {};
  o.line = "t10";
  CHECK(names(only_file(json, o).complete_samples) == "late ");
  o = {};
  o.name = "ar";
  CHECK(names(only_file(json, o).complete_samples) == "early ");
  CHECK(names(only_file(json, o).instant_samples) == "mark ");
  o = {};
  o.from_ps = 4'000'000;
  CHECK(names(only_file(json, o).complete_samples) == "late ");
  o.to_ps = 7'000'000;
  CHECK(names(only_file(json, o).complete_samples).empty());
  o = {};
  o.limit = 1;
  CHECK(names(only_file(json, o).complete_samples) == "early ");
}

TEST_CASE("damage and the recorder's cap are told") {
  CHECK(only_file(R"({"traceEvents":[{"ph":"X"},{"ph":"X")").damage->code == fault_code::damaged);
  CHECK(only_file(R"({"traceEvents":[{"ph":"X"},{"ph":"X")").events == 1);
  CHECK(only_file(R"([{"ph":"X","ts":"soon"}])").damage->code == fault_code::damaged);
  CHECK(only_file(R"([{"ph":"X"},x,{"ph":"X"}])").broken_events == 1);
  std::string events = "[{}";
  for (int i = 1; i < 998'999; ++i) events += ",{}";
  CHECK_FALSE(only_file(events + "]").at_event_cap);
  CHECK(only_file(events + ",{}]").at_event_cap);
  REQUIRE_FALSE(profile::open_buffer("", "empty").ok());
  // A plane with a name and nothing else: an XSpace.
  const auto none = profile::open_buffer("\x0a\x0b\x12\x09/host:CPU", "a.xplane.pb");
  REQUIRE(none.ok());
  CHECK(anatomy_chrome(trace(**none))->absent == "no trace-event JSON (*.trace.json, *.trace.json.gz) in the capture");
}
