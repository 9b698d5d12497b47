// What a merge does with planes, lines and events, on traces made on the spot.
#include "../read/xspace_writer.hpp"
#include "merge_support.hpp"

#include <profkit/core/chrome.hpp>

#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <set>

namespace profkit::test {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t wall_ns = 1'765'400'000'000'000'000;

message text_stat(std::int64_t id, std::string_view value) { return message().number(1, id).text(5, value); }
message stat_name(std::int64_t id, std::string_view name) {
  return message().number(1, id).sub(2, message().number(1, id).text(2, name));
}

struct line_spec {
  std::string name;
  std::vector<message> events;
  std::int64_t id = 1, timestamp_ns = 0;
};
message line_of(const line_spec& l) {
  message m;
  m.number(1, l.id).text(2, l.name);
  if (l.timestamp_ns != 0) m.number(3, l.timestamp_ns);
  for (const message& e : l.events) m.sub(4, e);
  return m;
}
message plane_of(std::int64_t id, std::string_view name, const std::vector<line_spec>& lines) {
  message m;
  m.number(1, id).text(2, name);
  for (const line_spec& l : lines) m.sub(3, line_of(l));
  for (std::int64_t k = 1; k <= 3; ++k) m.sub(4, metadata_entry_of(k, "event " + std::to_string(k)));
  m.sub(5, stat_name(1, "bytes"));
  return m;
}

// A run of two nodes in a folder of its own.
class small_run {
 public:
  explicit small_run(std::int64_t offset_ns = 5'000'000) : offset_ns_(offset_ns) {
    for (int node = 0; node < 2; ++node) {
      const std::int64_t own = node == 0 ? 0 : offset_ns_;
      message device =
          plane_of(node, "/device:GPU:0", {{"Stream #1", {event(1, 1'000'000, 500), event(2, 3'000'000, 500)}}});
      message host = plane_of(9, "/host:CPU", {{"python", {event(1, 2'000'000, 100)}, 77, wall_ns + own}});
      write_node(
          node,
          message().sub(1, host).sub(1, device).sub(1, snapshots_of(node)).text(4, "host" + std::to_string(node)));
    }
    write_offsets(default_offsets());
  }
  message snapshots_of(int node) const { return snapshot_plane_at(node == 0 ? 0 : offset_ns_, tracer_ns(node)); }
  static std::int64_t tracer_ns(int node) { return 1'000'000'000'000 * (node + 1); }

  void write_node(int node, const message& xspace) { write_file(trace(node), xspace.bytes()); }
  void write_raw(int node, std::string_view bytes) { write_file(trace(node), bytes); }
  void write_offsets(const std::string& text) { write_file(folder_ / "offsets.jsonl", text); }
  [[nodiscard]] std::string header() const {
    return R"({"meta":true,"nodes":[{"node_id":0,"start_walltime_ns":)" + std::to_string(wall_ns) +
           R"(,"start_gpu_ns":)" + std::to_string(tracer_ns(0)) + R"(},{"node_id":1,"start_walltime_ns":)" +
           std::to_string(wall_ns + offset_ns_) + R"(,"start_gpu_ns":)" + std::to_string(tracer_ns(1)) + "}]}\n";
  }
  [[nodiscard]] std::string default_offsets() const {
    std::string text = header();
    for (int round = 0; round < 8; ++round)
      for (int node = 0; node < 2; ++node) {
        const std::int64_t mid = wall_ns + std::int64_t{round} * 20'000'000 - 10'000'000;
        text += R"({"round_id":)" + std::to_string(round) + R"(,"midpoint_sys_ns":)" + std::to_string(mid) +
                R"(,"node_id":)" + std::to_string(node) + R"(,"offset_ns":)" +
                std::to_string(node == 0 ? 0 : offset_ns_) +
                R"(,"drift_ppm":0,"reachable":true,"converged":true})"
                "\n";
      }
    return text;
  }
  [[nodiscard]] merge_options options() const {
    merge_options o;
    o.traces = {trace(0).string(), trace(1).string()};
    o.offsets = (folder_ / "offsets.jsonl").string();
    return o;
  }
  [[nodiscard]] fs::path trace(int node) const { return folder_ / ("node" + std::to_string(node) + ".xplane.pb"); }
  [[nodiscard]] const scratch_folder& folder() const { return folder_; }

 private:
  static message snapshot_plane_at(std::int64_t own_ns, std::int64_t tracer) {
    message line;
    line.number(1, 0).text(2, "Clock Snapshots").number(3, wall_ns + own_ns);
    for (int k = 0; k < 12; ++k) {
      const std::int64_t at = std::int64_t{k} * 10'000'000;
      message e;
      e.number(1, 1)
          .number(2, at * 1000)
          .sub(4, message().number(1, 1).unsigned_number(3, static_cast<std::uint64_t>(tracer + at)));
      line.sub(4, e);
    }
    message m;
    m.text(2, "/host:snapshots").sub(3, line).sub(4, metadata_entry_of(1, "Snapshot")).sub(5, stat_name(1, "rocm_ns"));
    return m;
  }
  scratch_folder folder_;
  std::int64_t offset_ns_;
};

std::vector<std::string> plane_names(const merged& m) {
  std::vector<std::string> names;
  for (const plane_index& p : m.index.planes) names.emplace_back(p.name);
  return names;
}
const plane_index& plane_named(const merged& m, std::string_view name) {
  for (const plane_index& p : m.index.planes)
    if (p.name == name) return p;
  FAIL("no plane " << name);
  return m.index.planes.front();
}
void require_merged(const merged& m) {
  if (!m.outcome) FAIL(m.outcome.error().message);
}
std::string failure(const merge_options& o) {
  const merged m = merge_into_memory(o);
  CHECK(m.bytes.empty());
  if (m.outcome) return "";
  CHECK_FALSE(m.outcome.error().hint.empty());
  return m.outcome.error().message;
}

}  // namespace

TEST_CASE("planes, lines and stats of a merge of two nodes") {
  const small_run run;
  const merged m = merge_into_memory(run.options());
  require_merged(m);
  CHECK_FALSE(m.index.damage);
  CHECK(plane_names(m) ==
        std::vector<std::string>{"/host:CPU", "/device:GPU:0", "/device:GPU:50000_misc_host:snapshots",
                                 "/device:GPU:10000", "/device:GPU:64", "/device:GPU:50101_misc_host:snapshots",
                                 "/node:0/clock_metadata", "/node:1/clock_metadata", "Task Environment"});
  CHECK(m.index.planes[4].id == 64);
  const line_header host = complete_header(m.index.planes[3].lines.at(0));
  CHECK(host.name == "/node:1/python");
  CHECK(host.display_name == "Node 1: python");
  CHECK(host.id == 1'000'077);
  CHECK(m.outcome->origin_ns == wall_ns);
  // Both nodes did the same at the same time; the second one's clocks are 5 ms ahead.
  for (const auto& [a, b] : {std::pair{1, 4}, std::pair{0, 3}}) {
    const auto first = events_of(m.index.planes[static_cast<std::size_t>(a)].lines[0]);
    const auto second = events_of(m.index.planes[static_cast<std::size_t>(b)].lines[0]);
    REQUIRE(first.size() == second.size());
    for (std::size_t e = 0; e < first.size(); ++e) CHECK(first[e].offset_ps() == second[e].offset_ps());
  }
  const plane_index& device = m.index.planes[4];
  std::map<std::string, stat_view> stats;
  for (const std::string_view bytes : device.stats)
    stats[std::string(device.stat_name(stat_view(bytes).metadata_id()))] = stat_view(bytes);
  CHECK(stats.at("node_id").as_int64() == 1);
  CHECK(stats.at("hostname").as_bytes() == "host1");
  CHECK(stats.count("clock_skew_ns") == 1);
  CHECK(m.outcome->nodes[1].max_correction_ps == 5'000'000'000);
  CHECK(m.outcome->nodes[1].min_correction_ps == 5'000'000'000);
  CHECK(m.outcome->nodes[1].mean_correction_ps == 5'000'000'000);

  const auto clocks = read_clock_metadata(m.bytes);
  REQUIRE(clocks);
  REQUIRE(clocks->size() == 2);
  CHECK((*clocks)[1].corrected);
  CHECK((*clocks)[1].origin_ns == wall_ns);
  CHECK((*clocks)[1].hostname == "host1");
  CHECK((*clocks)[1].snapshot_count == 12);
  CHECK((*clocks)[1].offset_window_count == 8);
  REQUIRE((*clocks)[1].bounds.at(1'000'000, clock_domain::tracer));
  CHECK(*(*clocks)[1].bounds.at(1'000'000, clock_domain::tracer) ==
        *m.outcome->nodes[1].bounds.at(1'000'000, clock_domain::tracer));
}

TEST_CASE("the bytes are the same for any number of threads", "[threads]") {
  const auto folder = corpus_path("oracles/merge/golden/n4_file_late/in");
  if (!folder) PROFKIT_SKIP_WITHOUT_CORPUS;
  merge_options o;
  for (int i = 0; i < 4; ++i) {
    o.traces.push_back((*folder / ("node" + std::to_string(i) + ".xplane.pb")).string());
    o.snapshots.push_back((*folder / ("node" + std::to_string(i) + ".snapshots.pb")).string());
  }
  o.offsets = (*folder / "offsets.jsonl").string();
  const merged one = merge_into_memory(o);
  require_merged(one);
  CHECK(one.outcome->output_bytes == one.bytes.size());
  for (const std::uint32_t threads : {2u, 3u, 8u}) {
    hooks host;
    host.threads = threads;
    CHECK(merge_into_memory(o, host).bytes == one.bytes);
  }
  o.io = io_mode::read;
  CHECK(merge_into_memory(o).bytes == one.bytes);
}

TEST_CASE("long lines are written in pieces that fit each other", "[threads]") {
  small_run run;
  std::mt19937_64 random(3);
  std::vector<message> sorted, shuffled;
  for (int i = 0; i < 60000; ++i)
    sorted.push_back(event(1 + i % 3, std::int64_t{i} * 1'500'000 + static_cast<std::int64_t>(random() % 1000), 900)
                         .sub(4, text_stat(1, "some text to copy")));
  shuffled = sorted;
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  const auto with = [&](const std::vector<message>& events) {
    run.write_node(1, message()
                          .sub(1, plane_of(3, "/device:GPU:3", {{"Stream #1", events}}))
                          .sub(1, run.snapshots_of(1))
                          .text(4, "host1"));
    hooks host;
    host.threads = 3;
    return merge_into_memory(run.options(), host);
  };
  const merged in_order = with(sorted), out_of_order = with(shuffled);
  require_merged(in_order);
  require_merged(out_of_order);
  CHECK(in_order.bytes == out_of_order.bytes);
  CHECK(out_of_order.outcome->nodes[1].sorted_lines == 1);
  const auto events = events_of(plane_named(in_order, "/device:GPU:67").lines.at(0));
  REQUIRE(events.size() == sorted.size());
  for (std::size_t i = 1; i < events.size(); ++i) REQUIRE(events[i - 1].offset_ps() < events[i].offset_ps());
}

TEST_CASE("an unsorted line is sorted by start, longer events first; asked to, it keeps its order") {
  small_run run;
  run.write_node(1, message()
                        .sub(1, plane_of(0, "/device:GPU:0",
                                         {{"s",
                                           {event(1, 500'000, 10), event(2, 100'000, 5), event(3, 100'000, 50),
                                            event(1, 100'000, 50)}}}))
                        .sub(1, run.snapshots_of(1)));
  merge_options o = run.options();
  const auto ids = [&](const merged& m) {
    std::vector<std::int64_t> all;
    for (const event_view& e : events_of(plane_named(m, "/device:GPU:64").lines.at(0))) all.push_back(e.metadata_id());
    return all;
  };
  merged m = merge_into_memory(o);
  require_merged(m);
  CHECK(ids(m) == std::vector<std::int64_t>{3, 1, 2, 1});
  CHECK(m.outcome->nodes[1].clamped_events == 0);
  o.keep_order = true;
  m = merge_into_memory(o);
  CHECK(ids(m) == std::vector<std::int64_t>{1, 2, 3, 1});
}

TEST_CASE("aggregated events, absent offsets, unknown and repeated fields survive") {
  small_run run;
  message aggregated, absent, repeated, unknown;
  aggregated.number(1, 1).number(5, 9).number(3, 77);
  absent.number(1, 2).number(3, 10);
  repeated.number(2, 5).number(1, 3).number(5, 4).number(2, 2'000'000).number(3, 1).sub(4, stat(1, 8));
  unknown.number(1, 1).number(2, 3'000'000).fixed64(15, 12345).group(14, message().number(1, 2).bytes());
  message line = line_of({"s", {aggregated, absent, repeated, unknown}});
  line.number(9, 4242).number(20, 5);
  message plane;
  plane.sub(3, line).number(1, 7).sub(6, stat(1, 5)).number(30, 1).text(2, "/device:GPU:0");  // the name comes last
  run.write_node(1, message().sub(1, plane).sub(1, run.snapshots_of(1)).text(2, "an error").text(3, "a warning"));
  const merged m = merge_into_memory(run.options());
  require_merged(m);
  CHECK_FALSE(m.index.damage);
  const plane_index& p = plane_named(m, "/device:GPU:64");
  const auto events = events_of(p.lines.at(0));
  REQUIRE(events.size() == 4);
  CHECK(events[0].data_case() == event_data_case::num_occurrences);
  CHECK(events[0].num_occurrences() == 9);
  CHECK(events[0].duration_ps() == 77);
  CHECK(events[1].data_case() == event_data_case::offset_ps);
  const std::int64_t base = events[1].offset_ps();
  CHECK(events[2].offset_ps() == base + 2'000'000);
  CHECK(events[2].data_case() == event_data_case::offset_ps);
  CHECK(events[2].metadata_id() == 3);
  CHECK(events[3].offset_ps() == base + 3'000'000);
  CHECK(std::string(events[3].bytes()).find(message().fixed64(15, 12345).bytes()) != std::string::npos);
  CHECK(complete_header(p.lines[0]).duration_ps == 4242);
  CHECK(std::string(p.lines[0].body).find(message().number(20, 5).bytes()) != std::string::npos);
  REQUIRE(m.index.errors.size() == 1);
  CHECK(m.index.errors[0] == "node 1: an error");
  CHECK(m.index.warnings.at(0) == "node 1: a warning");
}

TEST_CASE("an event before the reference node's start moves time zero, unless asked otherwise") {
  small_run run;
  run.write_node(
      1, message()
             .sub(1, plane_of(0, "/device:GPU:0", {{"s", {event(1, -2'345'678'900, 10), event(2, 100'000, 5)}}}))
             .sub(1, run.snapshots_of(1)));
  merge_options o = run.options();
  const auto first = [](const merged& m) {
    return events_of(plane_named(m, "/device:GPU:64").lines.at(0)).at(0).offset_ps();
  };
  merged m = merge_into_memory(o);
  require_merged(m);
  CHECK(m.outcome->origin_ns == wall_ns - 2'345'679);
  CHECK(first(m) == 100);
  o.zero = merge_zero::reference;
  m = merge_into_memory(o);
  CHECK(m.outcome->origin_ns == wall_ns);
  CHECK(first(m) == -2'345'678'900);
  o.zero = merge_zero::none;
  m = merge_into_memory(o);
  CHECK(first(m) == -2'345'678'900);
  CHECK(complete_header(plane_named(m, "/device:GPU:64").lines.at(0)).timestamp_ns == wall_ns);
  // The earliest event may stand last in its line.
  run.write_node(
      1, message()
             .sub(1, plane_of(0, "/device:GPU:0", {{"s", {event(2, 100'000, 5), event(1, -2'345'678'900, 10)}}}))
             .sub(1, run.snapshots_of(1)));
  o.zero = merge_zero::automatic;
  m = merge_into_memory(o);
  require_merged(m);
  CHECK(m.outcome->origin_ns == wall_ns - 2'345'679);
  CHECK(first(m) == 100);
  CHECK(m.outcome->output_bytes == m.bytes.size());
  CHECK_FALSE(m.index.damage);
}

TEST_CASE("plane names: schemes, TPU runs, clashes") {
  small_run run;
  const auto planes = [](const std::string& device, int count) {
    message m;
    for (int k = 0; k < count; ++k) m.sub(1, plane_of(k, device + std::to_string(k), {}));
    return m;
  };
  merge_options o = run.options();
  o.scheme = plane_scheme::rocm;
  CHECK(plane_names(merge_into_memory(o)).at(4) == "/device:GPU:164");
  o.scheme = plane_scheme::node;
  o.plane_prefix = "/clusterA";
  auto names = plane_names(merge_into_memory(o));
  CHECK(names.at(0) == "/clusterA/node:0/host_threads");
  CHECK(names.at(4) == "/clusterA/node:1/device:GPU:0");
  CHECK(names.at(5) == "/clusterA/node:1/host:snapshots");

  o = run.options();
  o.correction = merge_correction::walltime;
  run.write_node(0, planes("/device:GPU:", 70));  // 64 and above overlap the next node
  const merged crowded = merge_into_memory(o);
  require_merged(crowded);
  std::set<std::int64_t> ids;
  for (const merged_plane& p : crowded.outcome->planes)
    if (p.source.rfind("/device:GPU:", 0) == 0) CHECK(ids.insert(p.id).second);
  const auto moved = std::find_if(crowded.outcome->planes.begin(), crowded.outcome->planes.end(),
                                  [](const merged_plane& p) { return p.moved; });
  REQUIRE(moved != crowded.outcome->planes.end());
  CHECK(moved->node == 1);
  CHECK(moved->name == "/device:GPU:" + std::to_string(moved->id));
  CHECK_FALSE(crowded.outcome->warnings.empty());

  message tpu = planes("/device:TPU:", 2);
  tpu.sub(1, plane_of(5, "/device:TPU:0 SparseCore 1", {})).sub(1, plane_of(9, "/host:CPU", {}));
  run.write_node(0, tpu);
  run.write_node(1, tpu);
  names = plane_names(merge_into_memory(o));
  CHECK(names.at(2) == "/device:TPU:5 SparseCore 1");
  CHECK(names.at(3) == "/host:CPU");
  CHECK(names.at(4) == "/device:TPU:64");
  CHECK(names.at(7) == "/device:TPU:10000");
}

TEST_CASE("merging a merge changes nothing but its bounds' home; its times are not corrected twice") {
  const small_run run;
  const merged once = merge_into_memory(run.options());
  require_merged(once);
  write_file(run.folder() / "combined.xspace", once.bytes);
  merge_options again;
  again.traces = {(run.folder() / "combined.xspace").string()};
  const merged twice = merge_into_memory(again);
  require_merged(twice);
  CHECK(twice.bytes == once.bytes);

  // With a further node: ids, times and bounds of the first two stay.
  small_run other(7'000'000);
  fs::copy_file(other.trace(1), run.folder() / "node2.xplane.pb");
  std::string offsets = run.default_offsets();
  const std::string start = R"({"meta":true,"nodes":[{"node_id":0,"start_walltime_ns":)" + std::to_string(wall_ns) +
                            R"(,"start_gpu_ns":1},{"node_id":2,"start_walltime_ns":)" +
                            std::to_string(wall_ns + 7'000'000) + R"(,"start_gpu_ns":)" +
                            std::to_string(small_run::tracer_ns(1)) + "}]}\n";
  offsets += start;
  for (int round = 0; round < 8; ++round)
    offsets += R"({"round_id":)" + std::to_string(round) + R"(,"midpoint_sys_ns":)" +
               std::to_string(wall_ns + std::int64_t{round} * 20'000'000 - 10'000'000) +
               R"(,"node_id":2,"offset_ns":7000000})"
               "\n";
  write_file(run.folder() / "offsets.jsonl", offsets);
  again.traces.push_back((run.folder() / "node2.xplane.pb").string());
  again.offsets = (run.folder() / "offsets.jsonl").string();
  const merged three = merge_into_memory(again);
  require_merged(three);
  REQUIRE(three.outcome->nodes.size() == 3);
  CHECK(three.outcome->nodes[0].aligned_before);
  const auto a = events_of(plane_named(three, "/device:GPU:64").lines.at(0));
  const auto b = events_of(plane_named(three, "/device:GPU:128").lines.at(0));
  REQUIRE(a.size() == b.size());
  for (std::size_t e = 0; e < a.size(); ++e) CHECK(a[e].offset_ps() == b[e].offset_ps());
  REQUIRE(read_clock_metadata(three.bytes));
  CHECK(read_clock_metadata(three.bytes)->size() == 3);

  again.traces.push_back(run.trace(1).string());
  CHECK(failure(again).find("node 1 comes from two of the traces") != std::string::npos);
}

TEST_CASE("runs, ids and counts that do not fit each other") {
  small_run run;
  const merge_options good = run.options();
  merge_options o = good;
  o.snapshots = {"one"};
  CHECK(failure(o).find("2 traces, but 1 snapshot file") != std::string::npos);
  o = good;
  o.traces[1] = o.traces[0];
  CHECK(failure(o).find("two traces are node 0") != std::string::npos);
  o = good;
  o.offsets.clear();
  CHECK(failure(o).find("no offsets") != std::string::npos);

  const auto metadata = [&](const std::string& text) {
    write_file(run.folder() / "run_metadata.json", text);
    o = good;
    o.run_metadata = (run.folder() / "run_metadata.json").string();
    return failure(o);
  };
  CHECK(
      metadata(
          R"({"run_id":"r","nodes":[{"node_id":1,"trace":"node0.xplane.pb"},{"node_id":0,"trace":"node1.xplane.pb"}]})")
          .find("its name says node 0") != std::string::npos);
  CHECK(metadata(R"({"run_id":"r","nodes":[{"node_id":1},{"node_id":1}]})").find("two nodes have the id 1") !=
        std::string::npos);
  CHECK(metadata(R"({"run_id":"r","nodes":[{"node_id":0}]})").find("the run metadata has no node 1") !=
        std::string::npos);
  CHECK(metadata(R"({"run_id":"r","nodes":[{"node_id":0},{"node_id":1,"start_walltime_ns":5}]})")
            .find("different start times") != std::string::npos);
  CHECK(metadata(R"([1,2])").find("no JSON object") != std::string::npos);
  CHECK(metadata(R"({"run_id":"r","nodes":[{"node_id":0},{"node_id":"one"}]})")
            .find("no node_id, or one that is no number") != std::string::npos);

  run.write_offsets(R"({"meta":true,"run_id":"other","nodes":[]})"
                    "\n" +
                    run.default_offsets());
  CHECK(metadata(R"({"run_id":"r","nodes":[{"node_id":0},{"node_id":1}]})").find("belongs to run 'other'") !=
        std::string::npos);
}

TEST_CASE("inputs that no merge can correct are told for what they are") {
  const auto fault_of = [](const merge_options& o) {
    const merged m = merge_into_memory(o);
    REQUIRE_FALSE(m.outcome);
    return m.outcome.error();
  };
  // PyTorch's traces, named and found.
  small_run run;
  const std::string kineto = R"({"schemaVersion":1,"distributedInfo":{"rank":0},"traceEvents":[)"
                             R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2}]})";
  run.write_raw(1, kineto);
  fault f = fault_of(run.options());
  CHECK(f.code == fault_code::unsupported);
  CHECK(f.message.find("node 1: this is a Chrome trace, as PyTorch (Kineto)") == 0);
  CHECK(f.hint.find("FILE.trace.json.gz") != std::string::npos);
  const scratch_folder folder;
  write_file(folder / "rank0.json", kineto);
  merge_options found;
  found.run_dir = folder.path().string();
  f = fault_of(found);
  CHECK(f.code == fault_code::unsupported);
  CHECK(f.message.find("node 0: this is a Chrome trace") == 0);

  // XSpaces without snapshots: offsets alone correct their hosts, and nothing is said of their devices.
  for (int node = 0; node < 2; ++node)
    run.write_node(node, message().sub(1, plane_of(node, "/device:GPU:0", {{"Stream #1", {event(1, 1'000'000, 500)}}})));
  const merged by_offsets = merge_into_memory(run.options());
  require_merged(by_offsets);
  for (const merged_node& n : by_offsets.outcome->nodes) {
    CHECK(n.status == node_status::corrected);
    CHECK(n.method == "offsets");
    CHECK(n.bounds.widest(clock_domain::host));
    CHECK_FALSE(n.bounds.widest(clock_domain::tracer));
  }
  merge_options bare = run.options();
  bare.offsets.clear();
  f = fault_of(bare);
  CHECK(f.code == fault_code::invalid_argument);
  CHECK(f.message.find("nothing was measured of the clocks") == 0);
  CHECK(f.hint.find("--no-correction") != std::string::npos);
}

TEST_CASE("after a reset of its tracer clock a node has no bound, and the others keep theirs") {
  small_run run;
  const auto bound_of = [](const merged& m, int node) {
    return m.outcome->nodes[static_cast<std::size_t>(node)].bounds.widest(clock_domain::tracer);
  };
  const merged sound = merge_into_memory(run.options());
  require_merged(sound);
  REQUIRE(bound_of(sound, 1));
  message line, plane;
  line.number(1, 0).text(2, "Clock Snapshots").number(3, wall_ns + 5'000'000);
  for (int k = 0; k < 12; ++k) {
    const std::int64_t at = std::int64_t{k} * 10'000'000;
    const std::int64_t tracer = k < 6 ? small_run::tracer_ns(1) + at : 5'000'000'000 + at;  // starts at 5 s again
    line.sub(4, message().number(1, 1).number(2, at * 1000).sub(
                    4, message().number(1, 1).unsigned_number(3, static_cast<std::uint64_t>(tracer))));
  }
  plane.text(2, "/host:snapshots").sub(3, line).sub(4, metadata_entry_of(1, "Snapshot")).sub(5, stat_name(1, "rocm_ns"));
  run.write_node(1, message()
                        .sub(1, plane_of(1, "/device:GPU:0", {{"Stream #1", {event(1, 1'000'000, 500)}}}))
                        .sub(1, plane));
  const merged m = merge_into_memory(run.options());
  require_merged(m);
  CHECK_FALSE(bound_of(m, 1));
  CHECK(bound_of(m, 0) == bound_of(sound, 0));
  REQUIRE(m.outcome->warnings.size() == 1);
  CHECK(m.outcome->warnings[0].find("node 1: the tracer clock goes back by") == 0);
  // Who compares nodes does not judge what that node took part in.
  const auto again = read_clock_metadata(m.bytes);
  REQUIRE(again);
  CHECK_FALSE((*again)[1].bounds.known);
  CHECK((*again)[1].corrected);
}

TEST_CASE("offsets that cannot be used") {
  small_run run;
  const auto with = [&](const std::string& text) {
    run.write_offsets(text);
    return failure(run.options());
  };
  CHECK(with("").find("the file is empty") != std::string::npos);
  CHECK(with("{not json\n[1]\n").find("holds no header and no offsets") != std::string::npos);
  CHECK(with(run.default_offsets().substr(run.header().size())).find("no start times") != std::string::npos);
  CHECK(with(run.default_offsets() + R"({"node_id":1,"midpoint_sys_ns":5,"offset_ns":null})"
                                     "\n")
            .find("line 18: offset_ns is null") != std::string::npos);
  CHECK(with(run.default_offsets() + R"({"meta":true,"nodes":[{"start_gpu_ns":1}]})"
                                     "\n")
            .find("has no node_id") != std::string::npos);
  CHECK(with(R"({"meta":true,"nodes":[{"node_id":0,"start_gpu_ns":1},{"node_id":0,"start_gpu_ns":2}]})"
             "\n")
            .find("stands twice") != std::string::npos);
  std::string unreachable = run.default_offsets();
  for (std::size_t at = 0; (at = unreachable.find("\"node_id\":1,\"offset", at)) != std::string::npos;) {
    at = unreachable.find("true", at);
    unreachable.replace(at, 4, "false");
  }
  CHECK(with(unreachable).find("no usable row") != std::string::npos);

  std::string strings = run.default_offsets();
  for (std::size_t at = 0; (at = strings.find("\"node_id\":1", at)) != std::string::npos;)
    strings.replace(at, 11, "\"node_id\":\"1\"");
  run.write_offsets(strings);
  const merged m = merge_into_memory(run.options());
  require_merged(m);
  CHECK(m.outcome->nodes[1].offset_windows == 8);
  REQUIRE_FALSE(m.outcome->warnings.empty());
  CHECK(m.outcome->warnings[0].find("node_id is a string") != std::string::npos);
}

TEST_CASE("start times in quotes are read as numbers; what is no time is told with its line") {
  small_run run;
  const auto replaced = [](std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), with);
  };
  const std::string number = "\"start_walltime_ns\":" + std::to_string(wall_ns);
  const std::string quoted = "\"start_walltime_ns\":\"" + std::to_string(wall_ns) + '"';
  const merged plain = merge_into_memory(run.options());
  require_merged(plain);
  run.write_offsets(replaced(run.default_offsets(), number, quoted));
  const merged m = merge_into_memory(run.options());
  require_merged(m);
  CHECK(m.bytes == plain.bytes);
  REQUIRE(m.outcome->warnings.size() == 1);
  CHECK(m.outcome->warnings[0].find("line 1: start_walltime_ns is a string") != std::string::npos);

  run.write_offsets(replaced(run.default_offsets(), number, "\"start_walltime_ns\":\"2025-12-10T20:53:20Z\""));
  CHECK(failure(run.options()).find("line 1: start_walltime_ns of node 0 is \"2025-12-10T20:53:20Z\"; expected") !=
        std::string::npos);
  run.write_offsets(replaced(run.default_offsets(), number, "\"start_walltime_ns\":null"));
  CHECK(failure(run.options()).find("no start times") != std::string::npos);

  run.write_offsets(run.default_offsets());
  merge_options o = run.options();
  o.run_metadata = (run.folder() / "run_metadata.json").string();
  write_file(o.run_metadata, R"({"run_id":"r","nodes":[{"node_id":0,)" + quoted + R"(},{"node_id":1}]})");
  require_merged(merge_into_memory(o));
  write_file(o.run_metadata, R"({"run_id":"r","nodes":[{"node_id":0},{"node_id":1,"start_gpu_ns":"soon"}]})");
  CHECK(failure(o).find("start_gpu_ns of node 1 is \"soon\"") != std::string::npos);
}

TEST_CASE("what repeats about a clock is told once with its number") {
  small_run run;
  std::string text = run.default_offsets();
  // Every offset of node 1 twice, the second time a little off; and rows whose window is unknown stay silent.
  std::string more;
  for (int round = 0; round < 8; ++round)
    more += R"({"round_id":)" + std::to_string(round) + R"(,"midpoint_sys_ns":)" +
            std::to_string(wall_ns + std::int64_t{round} * 20'000'000 - 10'000'000) + R"(,"node_id":1,"offset_ns":)" +
            std::to_string(5'000'000 + 10 * (round + 1)) + "}\n";
  run.write_offsets(text + more);
  const merged m = merge_into_memory(run.options());
  require_merged(m);
  CHECK(m.outcome->nodes[1].anomalies.size() >= 8);  // each stays in the metadata
  const auto& w = m.outcome->warnings;
  CHECK(std::count_if(w.begin(), w.end(), [](const std::string& one) {
          return one.find("two offsets of one time") != std::string::npos;
        }) == 1);
  REQUIRE_FALSE(w.empty());
  CHECK(w[0] == "node 1: two offsets of one time are 10.0 ns apart; their middle is used (8 times, up to 80.0 ns)");
}

TEST_CASE("traces that are cut, at every byte") {
  small_run run;
  const std::string whole = text_of_file(run.trace(1));
  std::set<std::size_t> boundaries{0};  // a cut there leaves a valid message
  wire_reader reader(whole);
  for (wire_field field; reader.next(field);) boundaries.insert(offset_in(whole, reader.position()));
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    run.write_raw(1, std::string_view(whole).substr(0, cut));
    const merged m = merge_into_memory(run.options());
    if (cut != 0 && boundaries.count(cut) != 0) continue;
    INFO(cut);
    REQUIRE_FALSE(m.outcome);
    CHECK(m.bytes.empty());
    CHECK(m.outcome.error().code == fault_code::damaged);
    CHECK(m.outcome.error().path == run.trace(1).string());
    merge_options going = run.options();
    going.keep_going = true;
    const merged kept = merge_into_memory(going);
    require_merged(kept);
    CHECK_FALSE(kept.index.damage);
    CHECK(kept.outcome->nodes[1].status == node_status::corrupt);
  }
}

TEST_CASE("an event beyond the reach of int64 is an error that says where") {
  small_run run;
  const message far = message().number(1, 1).number(2, std::numeric_limits<std::int64_t>::max() - 5);
  run.write_node(
      1, message().sub(1, plane_of(0, "/device:GPU:0", {{"s", {event(1, 5, 5), far}}})).sub(1, run.snapshots_of(1)));
  const merged m = merge_into_memory(run.options());
  REQUIRE_FALSE(m.outcome);
  CHECK(m.outcome.error().code == fault_code::unsupported);
  CHECK(m.outcome.error().message.find("node 1: 1 event of plane /device:GPU:0") != std::string::npos);
  CHECK(m.outcome.error().byte_offset != no_offset);
  merge_options going = run.options();
  going.keep_going = true;
  const merged kept = merge_into_memory(going);
  require_merged(kept);
  CHECK(kept.outcome->nodes[1].out_of_reach_events == 1);
}

TEST_CASE("a damaged event inside a plane is met before anything is written") {
  small_run run;
  run.write_node(1,
                 message()
                     .sub(1, message().text(2, "/device:GPU:0").sub(3, message().text(2, "s").text(4, "\x08\x01\x10")))
                     .sub(1, run.snapshots_of(1)));
  const merged m = merge_into_memory(run.options());
  REQUIRE_FALSE(m.outcome);
  CHECK(m.outcome.error().code == fault_code::damaged);
  CHECK(m.bytes.empty());
  merge_options going = run.options();
  going.keep_going = true;
  const merged kept = merge_into_memory(going);
  require_merged(kept);
  for (const std::string& name : plane_names(kept)) CHECK(name != "/device:GPU:64");
}

namespace {

// Fails after so many bytes.
class full_disk final : public sink {
 public:
  explicit full_disk(std::size_t room) : room_(room) {}
  result<void> write(std::string_view bytes) override {
    if (bytes.size() > room_) return fault{fault_code::output_full, "no space left", "out", no_offset, "free some"};
    room_ -= bytes.size();
    return {};
  }
  result<void> finish() override { return {}; }

 private:
  std::size_t room_;
};

}  // namespace

TEST_CASE("a full disk and a caller who stops end the merge") {
  const small_run run;
  const std::size_t size = merge_into_memory(run.options()).bytes.size();
  for (std::size_t room = 0; room < size; room += 97) {
    full_disk into(room);
    const auto outcome = merge_traces(run.options(), into);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == fault_code::output_full);
  }
  std::atomic<bool> stop{true};
  hooks host;
  host.cancel = &stop;
  const merged m = merge_into_memory(run.options(), host);
  REQUIRE_FALSE(m.outcome);
  CHECK(m.outcome.error().code == fault_code::cancelled);
  // keep_going keeps going over faults, not over the caller.
  merge_options going = run.options();
  going.keep_going = true;
  CHECK_FALSE(merge_into_memory(going, host).outcome);
}

TEST_CASE("a merge that is stopped while it writes leaves no file") {
  small_run run;
  std::vector<message> events;
  for (int i = 0; i < 60000; ++i)
    events.push_back(event(1, std::int64_t{i} * 1'500'000, 900).sub(4, text_stat(1, "some text to copy")));
  for (int node = 0; node < 2; ++node)
    run.write_node(node, message()
                             .sub(1, plane_of(node, "/device:GPU:0", {{"Stream #1", events}, {"Stream #2", events}}))
                             .sub(1, run.snapshots_of(node)));
  std::atomic<bool> stop{false};
  // Passes bytes on to the file; the caller changes its mind when so many were written.
  struct watched : sink {
    watched(sink& to, std::atomic<bool>& flag, std::size_t bytes) : into(to), stop(flag), left(bytes) {}
    result<void> write(std::string_view bytes) override {
      if (bytes.size() >= left) stop = true;
      left -= std::min(left, bytes.size());
      return into.write(bytes);
    }
    result<void> finish() override { return into.finish(); }
    sink& into;
    std::atomic<bool>& stop;
    std::size_t left;
  };
  hooks host;
  host.cancel = &stop;
  host.threads = 2;
  const std::size_t size = merge_into_memory(run.options(), host).bytes.size();
  REQUIRE(size > 4'000'000);
  const fs::path target = run.folder() / "combined.xspace";
  for (const std::size_t after : {std::size_t{1}, size / 8, size / 4, size / 2}) {
    stop = false;
    {
      const auto file = atomic_file_sink(target.string());
      REQUIRE(file);
      watched into(**file, stop, after);
      const auto outcome = merge_traces(run.options(), into, host);
      INFO("stopped after " << after << " of " << size << " bytes");
      REQUIRE_FALSE(outcome);
      CHECK(outcome.error().code == fault_code::cancelled);
    }
    CHECK(std::distance(fs::directory_iterator(target.parent_path()), fs::directory_iterator()) == 3);
  }
}

TEST_CASE("real captures of two processes merge by wall time and keep every event") {
  const auto folder = corpus_path("captures/jax/two_process");
  if (!folder) PROFKIT_SKIP_WITHOUT_CORPUS;
  merge_options o;
  for (const auto& entry : fs::recursive_directory_iterator(*folder))
    if (entry.path().filename() == "vm.xplane.pb" && entry.path().string().find("rank") != std::string::npos)
      o.traces.push_back(entry.path().string());
  if (o.traces.size() < 2) PROFKIT_SKIP_WITHOUT_CORPUS;
  std::sort(o.traces.begin(), o.traces.end());
  o.correction = merge_correction::walltime;
  const merged m = merge_into_memory(o);
  require_merged(m);
  CHECK_FALSE(m.index.damage);
  std::uint64_t in = 0, out = 0;
  for (const std::string& path : o.traces) {
    const std::string bytes = text_of_file(path);
    for (const plane_index& p : index_xspace(bytes).planes)
      for (const line_index& l : p.lines) in += count_events(l.body);
  }
  for (const plane_index& p : m.index.planes)
    for (const line_index& l : p.lines) out += count_events(l.body);
  CHECK(in == out);
  CHECK(m.outcome->nodes[0].status == node_status::raw);
}

}  // namespace profkit::test
