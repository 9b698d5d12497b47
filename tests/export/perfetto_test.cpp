// The Perfetto trace, decoded with the published schema.
#include "captures.hpp"

#include <profkit/core/perfetto_writer.hpp>

#include "pk_perfetto.pb.h"

#include <support.hpp>

#include <cstdlib>
#include <map>
#include <set>
#include <vector>

using namespace profkit;
namespace pb = profkit::fixture::perfetto;

namespace {

struct slice {
  std::string name;
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::vector<std::uint64_t> flows;
  std::map<std::string, std::string> args;
};

// What a reader of the format makes of it: names looked up, slices put together, everything checked on the way.
struct decoded {
  std::map<std::uint64_t, pb::TrackDescriptor> tracks;
  std::map<std::uint64_t, std::vector<slice>> slices, instants;
  std::map<std::uint64_t, std::vector<double>> counters;
  std::map<std::uint64_t, std::uint32_t> machines;                             // of each track
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>> clock_values;  // by machine and clock

  explicit decoded(const std::string& bytes) {
    pb::Trace trace;
    REQUIRE(trace.ParseFromString(bytes));
    using texts = std::map<std::uint64_t, std::string>;
    std::map<std::uint32_t, texts> names_of, keys_of, values_of;  // each machine has its own
    std::map<std::uint64_t, std::vector<slice>> open;
    // By time; of one time in the order of the file.
    std::vector<const pb::TracePacket*> events;
    std::set<std::uint32_t> begun;
    for (const pb::TracePacket& packet : trace.packet()) {
      const std::uint32_t machine = packet.machine_id();
      REQUIRE(packet.trusted_packet_sequence_id() == machine + 1);
      if (packet.has_clock_snapshot()) {
        REQUIRE(begun.count(machine) == 0);
        REQUIRE(packet.clock_snapshot().primary_trace_clock() == 6);
        for (const auto& clock : packet.clock_snapshot().clocks())
          REQUIRE(clock_values[machine].emplace(clock.clock_id(), clock.timestamp()).second);
        continue;
      }
      REQUIRE(packet.sequence_flags() == (begun.insert(machine).second ? 1 : 2));
      texts &names = names_of[machine], &keys = keys_of[machine], &values = values_of[machine];
      if (packet.has_track_descriptor()) {
        const pb::TrackDescriptor& track = packet.track_descriptor();
        REQUIRE(tracks.emplace(track.uuid(), track).second);
        machines[track.uuid()] = machine;
        if (track.has_parent_uuid()) REQUIRE(machines.at(track.parent_uuid()) == machine);
        continue;
      }
      for (const auto& n : packet.interned_data().event_names()) REQUIRE(names.emplace(n.iid(), n.name()).second);
      for (const auto& n : packet.interned_data().debug_annotation_names())
        REQUIRE(keys.emplace(n.iid(), n.name()).second);
      for (const auto& n : packet.interned_data().debug_annotation_string_values())
        REQUIRE(values.emplace(n.iid(), n.str()).second);
      REQUIRE(packet.has_track_event());
      const pb::TrackEvent& event = packet.track_event();
      REQUIRE(tracks.count(event.track_uuid()) == 1);  // described before it is used
      REQUIRE(machines.at(event.track_uuid()) == machine);
      if (event.has_name_iid()) {
        REQUIRE(event.name_iid() != 0);
        REQUIRE(names.count(event.name_iid()) == 1);
      }
      events.push_back(&packet);
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const auto* a, const auto* b) { return a->timestamp() < b->timestamp(); });
    for (const pb::TracePacket* packet : events) {
      const pb::TrackEvent& event = packet->track_event();
      const std::uint64_t track = event.track_uuid();
      const texts &names = names_of[packet->machine_id()], &keys = keys_of[packet->machine_id()],
                  &values = values_of[packet->machine_id()];
      slice s;
      s.begin_ns = s.end_ns = packet->timestamp();
      s.flows.assign(event.flow_ids().begin(), event.flow_ids().end());
      if (event.has_name_iid()) s.name = names.at(event.name_iid());
      for (const auto& a : event.debug_annotations())
        s.args[keys.at(a.name_iid())] = a.has_string_value_iid() ? values.at(a.string_value_iid())
                                        : a.has_string_value()   ? a.string_value()
                                        : a.has_uint_value()     ? std::to_string(a.uint_value())
                                        : a.has_int_value()      ? std::to_string(a.int_value())
                                                                 : std::to_string(a.double_value());
      switch (event.type()) {
        case pb::TrackEvent::TYPE_SLICE_BEGIN: open[track].push_back(s); break;
        case pb::TrackEvent::TYPE_SLICE_END: {
          REQUIRE_FALSE(open[track].empty());
          slice ended = open[track].back();
          open[track].pop_back();
          ended.end_ns = packet->timestamp();
          REQUIRE(ended.end_ns >= ended.begin_ns);
          slices[track].push_back(ended);
          break;
        }
        case pb::TrackEvent::TYPE_INSTANT: instants[track].push_back(s); break;
        case pb::TrackEvent::TYPE_COUNTER:
          REQUIRE(tracks.at(track).has_counter());
          counters[track].push_back(event.has_double_counter_value() ? event.double_counter_value()
                                                                     : static_cast<double>(event.counter_value()));
          break;
        default: FAIL("an event without a type");
      }
    }
    for (const auto& [track, left] : open) REQUIRE(left.empty());
  }
  [[nodiscard]] std::size_t slice_count() const {
    std::size_t n = 0;
    for (const auto& [track, of] : slices) n += of.size();
    return n;
  }
};

}  // namespace

TEST_CASE("machines have names and clocks of their own, and one time") {
  std::string bytes;
  const auto into = memory_sink(bytes);
  perfetto_writer w(*into, 1000, perfetto_writer::base::unix_time);
  w.use_machine(4);
  const auto there = w.add_track(w.add_process("GPU 0"), "Stream #1");
  w.begin_slice(there, 5000, "same");
  w.add_argument("key", "", true);
  w.end_slice(there, 6000);
  w.use_machine(9);
  const auto here = w.add_track(w.add_process("GPU 0"), "Stream #1");
  w.instant(here, 5000, "same");
  w.add_argument("key", "", true);
  w.use_machine(4);
  w.instant(there, 7000, "same");
  REQUIRE(w.finish().ok());
  const decoded d(bytes);
  CHECK(d.machines.at(there) == 4);
  CHECK(d.machines.at(here) == 9);
  CHECK(d.slices.at(there).front().begin_ns == 1005);
  CHECK(d.instants.at(here).front().begin_ns == 1005);
  CHECK(d.instants.at(here).front().name == "same");
  CHECK(d.instants.at(here).front().args.at("key").empty());
  CHECK(d.instants.at(there).front().begin_ns == 1007);
  for (const std::uint32_t machine : {4U, 9U})
    CHECK(d.clock_values.at(machine) == std::map<std::uint32_t, std::uint64_t>{{1, 1000}, {6, 1000}});
}

TEST_CASE("the writer's packets decode to what was written") {
  std::string bytes;
  const auto into = memory_sink(bytes);
  perfetto_writer w(*into, 1000);
  const auto gpu = w.add_process("GPU 0"), track = w.add_track(gpu, "Stream #1"),
             curve = w.add_counter(gpu, "power", "W");
  w.begin_slice(track, 1999, "outer");
  w.add_argument("text", "some", true);
  w.add_argument("number", std::int64_t{-4});
  w.begin_slice(track, 2000, "");
  w.add_flow(77);
  w.end_slice(track, 2999);
  w.end_slice(track, 5000);
  w.instant(track, 6000, "outer");
  w.add_argument("text", "some", true);
  w.set_counter(curve, 0, 1.5);
  w.set_counter(curve, -1000, std::int64_t{3});
  w.set_counter(curve, -2000000, std::int64_t{4});  // before the base
  CHECK(w.clamped() == 1);
  REQUIRE(w.finish().ok());
  const decoded d(bytes);
  CHECK(d.clock_values.empty());
  CHECK(d.tracks.at(gpu).process().process_name() == "GPU 0");
  CHECK(d.tracks.at(track).parent_uuid() == gpu);
  CHECK(d.tracks.at(track).thread().pid() == d.tracks.at(gpu).process().pid());
  CHECK(d.tracks.at(curve).counter().unit_name() == "W");
  const auto& slices = d.slices.at(track);
  REQUIRE(slices.size() == 2);
  CHECK(slices[0].name.empty());
  CHECK(slices[0].begin_ns == 1002);
  CHECK(slices[0].end_ns == 1002);
  CHECK(slices[0].flows == std::vector<std::uint64_t>{77});
  CHECK(slices[1].name == "outer");
  CHECK(slices[1].begin_ns == 1001);
  CHECK(slices[1].end_ns == 1005);
  CHECK(slices[1].args.at("text") == "some");
  CHECK(slices[1].args.at("number") == "-4");
  CHECK(d.instants.at(track).at(0).args.at("text") == "some");
  CHECK(d.counters.at(curve) == std::vector<double>{4, 3, 1.5});
}

TEST_CASE("times are rounded down, and stop at zero") {
  std::string bytes;
  const auto into = memory_sink(bytes);
  perfetto_writer w(*into, 1000);
  const auto track = w.add_track(w.add_process("p"), "t");
  // ps after the base of 1000 ns, and where it lies.
  const std::pair<std::int64_t, std::uint64_t> rows[] = {
      {-1'000'001, 0}, {-1'000'000, 0}, {-999'999, 0},  {-999'000, 1}, {-1001, 998}, {-1000, 999}, {-999, 999},
      {-1, 999},       {0, 1000},       {999, 1000},    {1000, 1001}};
  for (const auto& [at_ps, ns] : rows) w.instant(track, at_ps, std::to_string(ns));
  CHECK(w.clamped() == 1);
  REQUIRE(w.finish().ok());
  const decoded d(bytes);
  const auto& instants = d.instants.at(track);
  REQUIRE(instants.size() == std::size(rows));
  for (const slice& s : instants) CHECK(std::to_string(s.begin_ns) == s.name);
}

TEST_CASE("arguments need an event") {
  std::string bytes;
  const auto into = memory_sink(bytes);
  perfetto_writer w(*into);
  w.add_argument("a", std::int64_t{1});
  REQUIRE_FALSE(w.finish().ok());
  CHECK(w.failed() != nullptr);
}

TEST_CASE("captures become traces that nest, with every event") {
  // Events, lines that have any, and the sum of durations: counted on the wire by tests/truth/wire.py.
  struct counted {
    std::string path;
    std::size_t events, lines;
    std::int64_t duration_ps;
  };
  const auto [path, events, lines, duration_ps] =
      GENERATE(counted{"xspace/jax08_gemm_mi300.xplane.pb", 3782, 7, 89'979'977'000},
               counted{"xspace/tpu_v6e_inference.xplane.pb", 26723, 135, 1'889'540'529'928'898});
  const auto p = profile::open(test::data_path(path).string());
  REQUIRE(p.ok());
  const auto made = test::export_as(**p, trace_format::perfetto);
  const decoded d(made.text);
  CHECK(d.slice_count() == events);
  CHECK(made.told.events == events);
  CHECK(made.told.tracks == lines);
  std::int64_t slices_ns = 0;
  for (const auto& [track, slices] : d.slices)
    for (const slice& s : slices) slices_ns += static_cast<std::int64_t>(s.end_ns - s.begin_ns);
  CHECK(std::abs(slices_ns - duration_ps / 1000) <= static_cast<std::int64_t>(events));  // each end is rounded down
  CHECK(made.told.crowded == 0);
  CHECK(made.told.flows > 0);
  std::size_t threads = 0;
  std::set<std::int32_t> tids;
  for (const auto& [uuid, track] : d.tracks)
    if (track.has_thread()) {
      ++threads;
      CHECK(tids.insert(track.thread().tid()).second);
    }
  CHECK(threads == made.told.tracks + made.told.lanes);
}

TEST_CASE("a Chrome trace becomes one too, with its flows and counters") {
  const std::string trace =
      "{\"traceEvents\":[{\"ph\":\"M\",\"pid\":7,\"name\":\"process_name\",\"args\":{\"name\":\"GPU\"}},"
      "{\"ph\":\"X\",\"pid\":7,\"tid\":1,\"ts\":10,\"dur\":10,\"name\":\"launch\",\"cat\":\"cuda\",\"args\":{\"n\":5,"
      "\"s\":\"t\"}},"
      "{\"ph\":\"X\",\"pid\":7,\"tid\":1,\"ts\":15,\"dur\":10,\"name\":\"over\"},"
      "{\"ph\":\"X\",\"pid\":7,\"tid\":2,\"ts\":30,\"dur\":1,\"name\":\"kernel\"},"
      "{\"ph\":\"s\",\"id\":3,\"pid\":7,\"tid\":1,\"ts\":10,\"name\":\"f\",\"cat\":\"ac2g\"},"
      "{\"ph\":\"f\",\"id\":3,\"pid\":7,\"tid\":2,\"ts\":30,\"name\":\"f\",\"cat\":\"ac2g\",\"bp\":\"e\"},"
      "{\"ph\":\"i\",\"pid\":7,\"tid\":2,\"ts\":31,\"name\":\"mark\"},"
      "{\"ph\":\"C\",\"pid\":7,\"ts\":2,\"name\":\"mem\",\"args\":{\"bytes\":5}}]}";
  const auto made = test::export_as(*test::opened(trace, "rank0.json"), trace_format::perfetto);
  const decoded d(made.text);
  CHECK(d.slice_count() == 3);
  CHECK(made.told.lanes == 1);
  CHECK(made.told.flows == 2);
  CHECK(d.counters.size() == 1);
  CHECK(d.instants.size() == 1);
  std::vector<std::uint64_t> flows;
  for (const auto& [track, slices] : d.slices)
    for (const slice& s : slices) {
      flows.insert(flows.end(), s.flows.begin(), s.flows.end());
      if (s.name == "launch") {
        CHECK(s.args.at("n") == "5");
        CHECK(s.args.at("s") == "t");
        CHECK(s.args.at("cat") == "cuda");
        CHECK(s.end_ns - s.begin_ns == 10000);
      }
    }
  REQUIRE(flows.size() == 2);
  CHECK(flows[0] == flows[1]);
}
