// Collectives across nodes: matching, order, what is said of it, and the reference tool's numbers.
#include "cluster.hpp"

#include <simdjson.h>
#include <support.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

using namespace profkit;
using test::cluster;
using test::cluster_shape;

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

template <class Write>
std::string text_of(Write&& write) {
  std::string text;
  const auto into = memory_sink(text);
  write(*into);
  return text;
}

std::string csv(const validation_result& found) {
  return text_of([&](sink& into) { REQUIRE(write_validation_csv(found, into).ok()); });
}

cluster_shape one_clock(std::size_t nodes) {
  cluster_shape shape;
  shape.nodes = nodes;
  shape.offset_ps = 0;
  shape.drift = 0;
  return shape;
}

validation_options within(std::int64_t bound_ps) {
  validation_options o;
  o.bound_ps = bound_ps;
  return o;
}

}  // namespace

TEST_CASE("collectives in order are overlaps") {
  const test::traces t(test::random_cluster(1, one_clock(3)));
  const validation_result found = test::validated(t, within(0));
  CHECK(found.groups.size() == 16);
  CHECK(found.overlaps == 16);
  CHECK(found.violations == 0);
  CHECK(found.violations_raw == 0);
  CHECK(found.pair_violations == 0);
  CHECK(found.warnings == 0);
  REQUIRE(found.nodes.size() == 3);
  CHECK(found.nodes[2].id == 2);
  CHECK(found.nodes[2].hostname == "host-2");
  CHECK(found.nodes[2].collectives == 16);
  REQUIRE(found.ops.size() == 3);
  CHECK(found.ops[0].name == "all-reduce.0");
  CHECK(found.ops[0].semantics == collective_semantics::barrier);
}

TEST_CASE("an end before another's start is a violation only beyond the bound") {
  cluster c = test::random_cluster(1, one_clock(3));
  auto& late = c.executions[2][4];  // starts 1 us after the others ended
  late.start_ps = std::max(c.executions[0][4].end_ps, c.executions[1][4].end_ps) + 1e6;
  late.end_ps = late.start_ps + 1e6;
  const test::traces t(c);
  const validation_result strict = test::validated(t, within(0));
  CHECK(strict.violations == 1);
  CHECK(strict.violations_raw == 1);
  CHECK(strict.pair_violations == 2);
  CHECK(strict.overlaps == 15);
  const validation_result lenient = test::validated(t, within(10000000));
  CHECK(lenient.violations == 0);
  CHECK(lenient.violations_raw == 1);
}

TEST_CASE("a node that missed the first calls is matched by time, not by number") {
  cluster c = test::random_cluster(3, one_clock(2));
  auto& late = c.executions[1];
  late.erase(late.begin(), late.begin() + 6);
  const test::traces t(c);
  const validation_result found = test::validated(t, within(0));
  CHECK(found.violations_raw == 0);
  CHECK(found.groups.size() == 10);
  std::uint64_t unmatched = 0;
  for (const collective_warning& w : found.warning_list)
    if (w.what == collective_warning::kind::unmatched) unmatched += w.count;
  CHECK(unmatched == 6);
}

TEST_CASE("clocks that are milliseconds apart do not spoil the matching") {
  for (std::uint64_t seed = 20; seed < 40; ++seed) {
    cluster_shape shape;
    shape.nodes = 3;
    cluster c = test::random_cluster(seed, shape);
    auto& late = c.executions[1];
    late.erase(late.begin(), late.begin() + static_cast<std::ptrdiff_t>(seed % 5));
    const test::traces t(c);
    const validation_result found = test::validated(t);
    // Every group holds executions of one barrier: their true ends lie within 1.5 us.
    REQUIRE(found.groups.size() >= shape.barriers - 1);
    for (const collective_group& g : found.groups) {
      double first = 1e300, last = -1e300;
      for (std::uint32_t i = 0; i < g.member_count; ++i) {
        const collective_member& m = found.members[g.first_member + i];
        const auto& clock = c.nodes[m.node];
        const double t_ps = (static_cast<double>(m.end_ps) - clock.offset_ps) / (1 + clock.drift);
        first = std::min(first, t_ps);
        last = std::max(last, t_ps);
      }
      REQUIRE(last - first < 2e6);
    }
    REQUIRE(found.warning_list.front().what == collective_warning::kind::clocks_uncorrected);
    CHECK_FALSE(found.bounds_known);
  }
}

TEST_CASE("run ids join what time would not") {
  cluster c = test::random_cluster(3, one_clock(2));
  for (auto& node : c.executions)
    for (std::size_t k = 0; k < node.size(); ++k) node[k].run_id = static_cast<std::int64_t>(1000 + k);
  c.executions[1].erase(c.executions[1].begin());
  for (auto& e : c.executions[1]) {
    e.start_ps += 40e9;
    e.end_ps += 40e9;
  }
  const test::traces t(c);
  const validation_result found = test::validated(t, within(0));
  CHECK(found.groups.size() == 15);
  CHECK(found.violations == 15);
}

TEST_CASE("sends without a recv allow any order") {
  cluster c = test::random_cluster(1, one_clock(2));
  for (auto& node : c.executions)
    for (auto& e : node) e.op = "send.3";
  for (auto& e : c.executions[1]) {
    e.start_ps += 400e6;
    e.end_ps += 400e6;
  }
  const test::traces t(c);
  const validation_result found = test::validated(t, within(0));
  REQUIRE(found.ops.size() == 1);
  CHECK(found.ops[0].semantics == collective_semantics::point_to_point);
  CHECK(found.violations == 0);
  CHECK(found.unjudged == found.groups.size());
  CHECK(found.violations_raw > 0);
  CHECK(found.ops[0].unjudged_why.find("which recv belongs to which send") != std::string::npos);
}

TEST_CASE("of a permute of two nodes one receives from the other, always the same one") {
  cluster c = test::random_cluster(1, one_clock(2));
  for (auto& node : c.executions)
    for (auto& e : node) e.op = "collective-permute-start.2";
  // Node 0 sends and is through before node 1 begins.
  for (auto& e : c.executions[1]) {
    e.start_ps += 400e6;
    e.end_ps += 400e6;
  }
  const test::traces sound(c);
  const validation_result in_order = test::validated(sound, within(0));
  REQUIRE(in_order.ops.size() == 1);
  CHECK(in_order.ops[0].semantics == collective_semantics::point_to_point);
  CHECK(in_order.violations == 0);
  CHECK(in_order.unjudged == 0);
  CHECK(in_order.overlaps == 16);
  CHECK(in_order.violations_raw == 16);  // as a barrier
  // Twice node 1 is through before node 0 begins: it cannot have received.
  for (const std::size_t k : {3U, 9U}) {
    auto& e = c.executions[1][k];
    e.end_ps = c.executions[0][k].start_ps - 5e6;
    e.start_ps = e.end_ps - 100e6;
  }
  const test::traces broken(c);
  const validation_result found = test::validated(broken, within(0));
  CHECK(found.violations == 2);
  CHECK(found.overlaps == 14);
  CHECK(test::validated(broken, within(2'600'000)).violations == 0);  // each of two clocks
}

TEST_CASE("of a permute of several nodes only what no pattern of pairs allows is told") {
  cluster c = test::random_cluster(1, one_clock(3));
  for (auto& node : c.executions)
    for (std::size_t k = 0; k < node.size(); ++k) {
      node[k].op = "collective-permute.2";
      node[k].run_id = static_cast<std::int64_t>(k);
    }
  const test::traces sound(c);
  const validation_result quiet = test::validated(sound, within(0));
  CHECK(quiet.violations == 0);
  CHECK(quiet.unjudged == quiet.groups.size());
  CHECK(quiet.ops[0].unjudged_why.find("which node receives from which") != std::string::npos);
  // Node 2 runs alone: now it is through before the others begin, now it begins after they are through. Whoever its
  // partner is, and whichever way data goes, half of the invocations are impossible.
  for (std::size_t k = 0; k < 16; ++k) {
    auto& e = c.executions[2][k];
    const double away = k % 2 == 0 ? -700e6 : 700e6;
    e.start_ps += away;
    e.end_ps += away;
  }
  const test::traces broken(c);
  const validation_result found = test::validated(broken, within(0));
  REQUIRE(found.groups.size() == 16);
  CHECK(found.violations == 8);
  CHECK(found.unjudged == 8);
}

TEST_CASE("a permute that is no kernel says when it was issued, and a kernel without an instruction says nothing") {
  cluster c = test::random_cluster(1, one_clock(2));
  for (auto& e : c.executions[1]) {
    e.start_ps += 400e6;
    e.end_ps += 400e6;
  }
  for (auto& node : c.executions)
    for (auto& e : node) e.op = "collective-permute-start.2";
  c.kernel = "collective-permute-start.2";
  const test::traces issued(c);
  const validation_result no_kernel = test::validated(issued, within(0));
  CHECK(no_kernel.unjudged == 16);
  CHECK(no_kernel.ops[0].unjudged_why.find("not when its data arrived") != std::string::npos);
  for (auto& node : c.executions)
    for (auto& e : node) e.op.clear();
  c.kernel = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";
  const test::traces kernels(c);
  const validation_result no_instruction = test::validated(kernels, within(0));
  CHECK(no_instruction.unjudged == 16);
  CHECK(no_instruction.ops[0].unjudged_why.find("a different pair of nodes each time") != std::string::npos);
  CHECK(no_instruction.violations == 0);
}

TEST_CASE("nobody ends a broadcast before its root begins") {
  cluster c = test::random_cluster(1, one_clock(3));
  for (auto& node : c.executions)
    for (auto& e : node) e.op = "collective-broadcast.1";
  // Node 1 is the root: it is through before the others begin.
  for (auto& e : c.executions[1]) {
    e.start_ps -= 600e6;
    e.end_ps -= 400e6;
  }
  const test::traces sound(c);
  const validation_result in_order = test::validated(sound, within(0));
  REQUIRE(in_order.ops.size() == 1);
  CHECK(in_order.ops[0].semantics == collective_semantics::from_one);
  CHECK(in_order.groups.size() == 16);
  CHECK(in_order.violations == 0);
  CHECK(in_order.overlaps == 16);
  CHECK(in_order.unjudged == 0);
  CHECK(in_order.violations_raw == 16);  // as a barrier
  // In one invocation node 2 has the data 5 us before the root begins.
  auto& early = c.executions[2][6];
  early.end_ps = c.executions[1][6].start_ps - 5e6;
  early.start_ps = early.end_ps - 100e6;
  const test::traces broken(c);
  CHECK(test::validated(broken, within(0)).violations == 1);
  CHECK(test::validated(broken, within(0)).overlaps == 15);
  CHECK(test::validated(broken, within(2'600'000)).violations == 0);  // each of two clocks
}

TEST_CASE("the root of a reduce ends after everybody began") {
  cluster c = test::random_cluster(1, one_clock(3));
  c.kernel = "ncclDevKernel_Reduce_Sum_f32_RING_LL";
  // Only node 0 waits; the others send their part, now the one first and now the other, and are gone.
  for (std::size_t k = 0; k < 16; ++k) {
    for (auto& node : c.executions) node[k].op = "reduce.7";
    c.executions[1 + k % 2][k].start_ps += 100e6;
    for (const std::size_t n : {1U, 2U}) c.executions[n][k].end_ps = c.executions[n][k].start_ps + 1e6;
  }
  c.executions[0][3].end_ps = c.executions[2][3].start_ps - 2e6;  // but not here
  const auto judged = [&] {
    test::traces t;
    for (std::size_t n = 0; n < 3; ++n) t.add(test::trace_of(c, n));
    return test::validated(t, within(0));
  };
  const validation_result kernels = judged();  // no module: whoever is the root, it may be another each time
  REQUIRE(kernels.ops.size() == 1);
  CHECK(kernels.ops[0].semantics == collective_semantics::to_one);
  CHECK(kernels.unjudged == 16);
  CHECK(kernels.violations == 0);
  c.module = "jit_step";
  const validation_result found = judged();
  CHECK(found.unjudged == 0);
  CHECK(found.violations == 1);
  CHECK(found.overlaps == 15);
  CHECK(found.violations_raw == 16);
}

TEST_CASE("a recv ends after its send began") {
  for (const bool run_ids : {false, true}) {
    cluster c = test::random_cluster(4, one_clock(2));
    c.module = "jit_step";
    for (std::size_t k = 0; k < 16; ++k) {
      auto& sends = c.executions[0][k];
      auto& receives = c.executions[1][k];
      sends.op = "send.3";
      receives.op = "recv.4";
      receives.start_ps = sends.start_ps - 50e6;  // it waits
      receives.end_ps = sends.end_ps + 2e6;
      sends.run_id = receives.run_id = run_ids ? static_cast<std::int64_t>(k) : -1;
    }
    const test::traces sound(c);
    const validation_result in_order = test::validated(sound, within(0));
    REQUIRE(in_order.ops.size() == 1);
    CHECK(in_order.ops[0].name == "send.3, recv.4");
    CHECK(in_order.ops[0].semantics == collective_semantics::point_to_point);
    CHECK(in_order.groups.size() == 16);
    CHECK(in_order.overlaps == 16);
    CHECK(in_order.violations == 0);
    CHECK(in_order.violations_raw == 0);
    CHECK(in_order.unjudged == 0);
    // A sender may be through before the receiver looks; a receiver must not.
    c.executions[1][4].start_ps = c.executions[0][4].end_ps + 5e6;
    c.executions[1][4].end_ps = c.executions[1][4].start_ps + 5e6;
    c.executions[1][5].end_ps = c.executions[1][5].start_ps + 10e6;
    const test::traces broken(c);
    const validation_result found = test::validated(broken, within(0));
    CHECK(found.violations == 1);
    CHECK(found.violations_raw == 1);
    CHECK(found.pair_violations == 1);
    CHECK(test::validated(broken, within(50'000'000)).violations == 0);
  }
}

TEST_CASE("a stage of a pipeline receives and passes on") {
  cluster c = test::random_cluster(4, one_clock(3));
  c.module = "jit_step";
  std::vector<std::vector<test::execution>> made(3);
  for (std::size_t k = 0; k < 16; ++k) {
    const double at = c.executions[0][k].start_ps;
    const auto run = static_cast<std::int64_t>(k);
    made[0].push_back({"send.3", at, at + 10e6, run, 0});
    made[1].push_back({"recv.4", at - 50e6, at + 12e6, run, 0});
    made[1].push_back({"send.3", at + 100e6, at + 110e6, run, 0});
    made[2].push_back({"recv.4", at + 20e6, at + 111e6, run, 0});
  }
  c.executions = made;
  const test::traces t(c);
  const validation_result found = test::validated(t, within(0));
  REQUIRE(found.groups.size() == 16);
  CHECK(found.groups[0].member_count == 4);
  CHECK(found.overlaps == 16);
  CHECK(found.violations == 0);
  CHECK(found.warnings == 0);
}

TEST_CASE("reductions are no collectives, and node ids of planes count before anything else") {
  cluster c = test::random_cluster(2, one_clock(2));
  for (auto& node : c.executions)
    for (std::size_t k = 0; k < node.size(); k += 2) node[k].op = "input_reduce_window.2";
  test::traces t;
  t.add(test::trace_of(c, 0, 7));
  t.add(test::trace_of(c, 1, 3));
  const validation_result found = test::validated(t, within(0));
  REQUIRE(found.nodes.size() == 2);
  CHECK(found.nodes[0].id == 3);
  CHECK(found.nodes[1].id == 7);
  // The kernels are NCCL's whatever the op says: they stay. Without them only names would decide.
  CHECK(found.groups.size() == 16);
}

TEST_CASE("who comes last, and whether time goes to waiting or to moving data") {
  cluster c = test::random_cluster(2, one_clock(3));
  for (auto& e : c.executions[1]) e.start_ps += 290e6;  // of 300
  const test::traces t(c);
  const validation_result found = test::validated(t, within(1000000));
  for (const collective_op& op : found.ops) {
    CHECK(op.latest_node == 1);
    CHECK(op.latest_count == op.groups);
    CHECK(op.cost == collective_op::share::arrival);
    CHECK(op.mean_skew_ps > 250000000);
  }
  const test::traces even(test::random_cluster(2, one_clock(3)));
  for (const collective_op& op : test::validated(even, within(1000000)).ops)
    CHECK(op.cost == collective_op::share::transfer);
  for (const collective_op& op : test::validated(even, within(1000000000)).ops)
    CHECK(op.cost == collective_op::share::inconclusive);
  for (const collective_op& op : test::validated(even).ops) CHECK(op.cost == collective_op::share::inconclusive);
}

TEST_CASE("nothing to compare is absent with a reason") {
  const test::traces alone(test::random_cluster(1, one_clock(1)));
  CHECK(test::validated(alone).absent.find("one node") != std::string::npos);
  cluster none = test::random_cluster(1, one_clock(2));
  for (auto& node : none.executions) node.clear();
  const test::traces empty(none);
  CHECK(test::validated(empty).absent.find("no collectives") != std::string::npos);
  CHECK_FALSE(validate_collectives({}).ok());
  CHECK_FALSE(validate_collectives({nullptr}).ok());
}

TEST_CASE("a trace that could not be opened keeps its place") {
  test::traces t(test::random_cluster(1, one_clock(3)));
  t.all[1] = nullptr;
  const validation_result found = test::validated(t, within(0));
  REQUIRE(found.nodes.size() == 2);
  CHECK(found.groups.size() == 16);
}

TEST_CASE("work that is cancelled gives up") {
  const test::traces t(test::random_cluster(1, one_clock(2)));
  const std::atomic<bool> cancel{true};
  validation_options o;
  o.host.cancel = &cancel;
  const auto found = validate_collectives(t.all, o);
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().code == fault_code::cancelled);
}

TEST_CASE("the document is JSON with every part, and the CSV has a row a group") {
  cluster c = test::random_cluster(1, one_clock(3));
  c.executions[2][4].start_ps = c.executions[0][4].end_ps + 1e7;
  c.executions[2][4].end_ps = c.executions[2][4].start_ps + 1;
  c.executions[1].pop_back();
  const test::traces t(c);
  const validation_result found = test::validated(t, within(5));
  const alignment_result aligned = align_by_collectives(found);
  const std::string json = text_of([&](sink& into) { REQUIRE(write_validation(found, &aligned, into).ok()); });
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  REQUIRE(parser.parse(json).get(document) == simdjson::SUCCESS);
  CHECK(document["violations"].get_int64().value() == 1);
  CHECK(document["details"].get_array().value().size() == 1);
  CHECK(document["details"].at(0)["latest_start_node"].get_string().value() == "2");
  CHECK(document["details"].at(0)["members"].get_array().value().size() == 3);
  CHECK(document["alignment"]["nodes"].get_array().value().size() == 3);
  std::istringstream rows(csv(found));
  std::string row;
  std::size_t count = 0;
  while (std::getline(rows, row)) {
    CHECK(std::count(row.begin(), row.end(), ',') == 3 + 2 * 3);
    CHECK(row.back() == '\r');
    ++count;
  }
  CHECK(count == 1 + found.groups.size());
}

TEST_CASE("our own matching finds no violation in the reference tool's corrected traces") {
  const auto goldens = test::corpus_path("oracles/merge/golden");
  if (!goldens) PROFKIT_SKIP_WITHOUT_CORPUS;
  for (const char* name : {"n2_embedded", "n2_file", "n4_file_late", "n2_latestart0", "n6_ids", "n2_ref_stats"}) {
    const auto p = profile::open((*goldens / name / "out/combined.xspace").string());
    INFO(name);
    REQUIRE(p.ok());
    const auto found = validate_collectives_of(trace(*p));
    REQUIRE(found.ok());
    CHECK(found->violations_raw == 0);
    CHECK(!found->groups.empty());
  }
}

namespace {

// An HloProto with one program of `devices` devices whose all-reduce.1 has these replica groups.
// `mesh`: sizes of the axes of a mesh along all of which it goes; it then has no replica groups.
std::string program_with_groups(const std::vector<std::vector<int>>& groups, int devices,
                                const std::vector<std::uint64_t>& mesh = {}) {
  const auto field = [](int number, const std::string& bytes) {
    std::string out(1, static_cast<char>(number << 3 | 2));
    if (number > 15) out = {static_cast<char>(((number << 3 | 2) & 127) | 128), static_cast<char>(number >> 4)};
    return out + static_cast<char>(bytes.size()) + bytes;
  };
  const auto number = [](int at, int value) {
    return std::string{static_cast<char>(at << 3), static_cast<char>(value)};
  };
  std::string instruction = field(1, "all-reduce.1") + field(2, "all-reduce");
  for (const auto& group : groups) {
    std::string ids;
    for (const int id : group) ids += static_cast<char>(id);
    instruction += field(49, field(1, ids));
  }
  std::string axes, along;
  for (std::size_t i = 0; i < mesh.size(); ++i) {
    std::string size;
    std::uint64_t rest = mesh[i];
    for (; rest > 127; rest >>= 7) size += static_cast<char>((rest & 127) | 128);
    axes += field(1, std::string(1, '\x10') + size + static_cast<char>(rest));
    along += field(2, number(1, static_cast<int>(i)));
  }
  if (!mesh.empty()) instruction += field(93, field(1, axes) + along);
  instruction += std::string{'\xd0', '\x01', '\x01'};  // channel_id (26): 1
  instruction += std::string{'\xb8', '\x04', '\x01'};  // use_global_device_ids (71)
  const std::string assignment = number(1, 1) + number(2, devices);
  return field(1, field(1, "jit_step") + field(3, field(2, instruction)) + number(5, 7) + field(15, assignment));
}

// Two nodes of one device that run all-reduce.1 one after the other, 300 us apart, ten times.
test::traces lagging_nodes(const std::vector<std::vector<int>>& groups, int devices = 2,
                           const std::vector<std::uint64_t>& mesh = {}) {
  cluster c;
  c.nodes.resize(2);
  c.executions.resize(2);
  c.module = "jit_step";
  for (std::size_t k = 0; k < 10; ++k)
    for (std::size_t n = 0; n < 2; ++n) {
      const double start = 1e9 * static_cast<double>(k + 1) + 300e6 * static_cast<double>(n);
      c.executions[n].push_back({"all-reduce.1", start, start + 100e6, -1, 0});
    }
  test::traces t;
  for (std::size_t n = 0; n < 2; ++n) {
    std::string programs;
    const auto into = memory_sink(programs);
    xspace_writer w(*into);
    w.begin_plane("/host:metadata");
    const auto program = w.event_metadata("jit_step(7)");
    w.add_metadata_stat(program, w.stat_metadata("Hlo Proto"),
                        stat_value::of_bytes(program_with_groups(groups, devices, mesh)));
    REQUIRE(w.finish().ok());
    t.add(test::trace_of(c, n) + programs);  // planes may follow one another
  }
  return t;
}

// What one rank of PyTorch writes: all-reduces of one group, `late_us` after the second begins.
std::string rank_trace(int rank, const std::string& ranks, const std::string& group, int size, int late_us) {
  std::string text = R"({"schemaVersion":1,"distributedInfo":{"backend":"nccl","rank":)" + std::to_string(rank) +
                     R"(,"world_size":4},"baseTimeNanoseconds":1700000000000000000,"traceEvents":[)";
  for (int k = 0; k < 5; ++k)
    text += std::string(k == 0 ? "" : ",") +
            R"({"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL","pid":0,"tid":7,"ts":)" +
            std::to_string(1000 * (k + 1) + late_us) +
            R"(,"dur":100,"args":{"device":0,"stream":7,"Collective name":"allreduce","Group size":)" +
            std::to_string(size) + R"(,"Process Group Name":")" + group + R"(","Process Group Ranks":")" + ranks +
            R"("}})";
  return text + "]}";
}

}  // namespace

TEST_CASE("process groups on record that are not everyone are not judged, and bound no clock") {
  const test::traces t = lagging_nodes({{0}, {1}});
  const validation_result found = test::validated(t, within(0));
  CHECK(found.groups.empty());
  CHECK(found.violations == 0);
  CHECK(found.violations_raw == 0);
  CHECK(found.unjudged == 20);  // ten executions of each node
  CHECK(found.warning_list.empty());
  CHECK(found.absent.find("not judged: sub-groups") == 0);
  REQUIRE(found.ops.size() == 1);
  CHECK(found.ops[0].sub_groups);
  CHECK(found.ops[0].unjudged_why.find("sub-groups") == 0);
  const alignment_result aligned = align_by_collectives(found);
  CHECK(aligned.absent.find("not judged: sub-groups") == 0);
  const std::string text = text_of([&](sink& into) { REQUIRE(write_validation(found, &aligned, into).ok()); });
  CHECK(text.find("\"unjudged\": 20") != std::string::npos);
  CHECK(text.find("\"status\": \"absent\"") != std::string::npos);
}

TEST_CASE("one process group of everyone is judged; one of a program of fewer devices is not") {
  CHECK(test::validated(lagging_nodes({{0, 1}}), within(0)).violations == 10);
  const validation_result alone = test::validated(lagging_nodes({{0}}, 1), within(0));  // each node runs its own
  CHECK(alone.violations == 0);
  CHECK(alone.unjudged == 0);
  CHECK(alone.within_node == 20);
  CHECK(alone.absent.find("no collective spans these files") == 0);
}

namespace {

// What one process of a host with two devices writes: an all-reduce whose text is `attributes`, on both of them, 2.6 ms
// after that of the process before.
std::string process_trace(int process, const std::string& attributes, const std::string& host) {
  std::string bytes;
  const auto into = memory_sink(bytes);
  xspace_writer w(*into);
  w.add_hostname(host);
  for (std::int64_t device = 0; device < 2; ++device) {
    w.begin_plane("/device:TPU:" + std::to_string(device), device);
    const auto op = w.event_metadata("%all-reduce.5 = f32[8]{0} all-reduce(f32[8]{0} %p.1), " + attributes);
    w.begin_line({3, "XLA Ops", test::epoch_ns, 0, ""});
    for (std::int64_t k = 0; k < 5; ++k)
      w.add_event(op, (20'000 * k + 2'600 * process) * 1'000'000, 400'000'000);
    w.end_plane();
  }
  w.begin_plane("Task Environment");
  w.add_plane_stat(w.stat_metadata("profile_start_time"),
                   stat_value::of_uint64(static_cast<std::uint64_t>(test::epoch_ns)));
  REQUIRE(w.finish().ok());
  return bytes;
}

validation_result of_processes(const std::string& attributes, const std::vector<std::string>& hosts) {
  test::traces t;
  for (std::size_t p = 0; p < hosts.size(); ++p)
    t.add(process_trace(static_cast<int>(p), attributes, hosts[p]));
  return test::validated(t);
}

const std::vector<std::string> one_host = {"vm", "vm", "vm", "vm"};

}  // namespace

TEST_CASE("nothing is compared across files that no group spans") {
  for (const char* groups :
       {"channel_id=1, replica_groups={{0,1}}", "channel_id=1, replica_groups=[1,2]<=[2], use_global_device_ids=true",
        "replica_groups={{0},{1}}", "channel_id=2, source_target_pairs={{0,1},{1,0}}"}) {
    INFO(groups);
    const validation_result found = of_processes(groups, one_host);
    CHECK(found.violations == 0);
    CHECK(found.violations_raw == 0);
    CHECK(found.unjudged == 0);
    CHECK(found.within_node == 40);
    CHECK_FALSE(found.groups_unknown);
    CHECK(found.absent == "no collective spans these files: the process groups on record lie within one of them each");
    CHECK(found.warning_list.empty());
    CHECK(nodes_text(found) == "4 processes of 1 host");
  }
}

TEST_CASE("a group on record in the text that spans files is compared, on one clock where the host is one") {
  const std::string everyone = "channel_id=1, replica_groups={{0,1,2,3,4,5,6,7}}, use_global_device_ids=true";
  const validation_result found = of_processes(everyone, one_host);
  CHECK(found.groups.size() == 10);  // five of each device number
  CHECK(found.violations == 10);     // 400 us each, 2.6 ms apart on one clock
  CHECK_FALSE(found.groups_unknown);
  CHECK(found.clocks == 1);
  CHECK(found.warning_list.empty());
  const validation_result apart = of_processes(everyone, {"a", "b", "localhost", "localhost"});
  CHECK(apart.clocks == 4);
  CHECK(nodes_text(apart) == "4 nodes");
  REQUIRE(apart.warning_list.size() == 1);
  CHECK(apart.warning_list[0].what == collective_warning::kind::clocks_uncorrected);
  CHECK(nodes_text(of_processes(everyone, {"a", "b", "a", "b"})) == "4 processes of 2 hosts");
}

TEST_CASE("groups of the text that may lie across files are not judged") {
  for (const char* groups : {"replica_groups={{0,1},{2,3}}", "replica_groups=[4,2]<=[2,4]T(1,0)",
                             "source_target_pairs={{0,1},{1,2},{2,3},{3,0}}"}) {
    INFO(groups);
    const validation_result found = of_processes(groups, one_host);
    CHECK(found.violations == 0);
    CHECK(found.unjudged == 40);
    CHECK(found.within_node == 0);
    CHECK(found.absent.find("not judged: sub-groups") == 0);
  }
  // Groups in a form that is not known are none on record.
  CHECK(of_processes("replica_groups=@mesh", one_host).groups_unknown);
}

TEST_CASE("a mesh of more devices than a number holds is not one of everyone") {
  CHECK(test::validated(lagging_nodes({}, 2, {2, 1}), within(0)).violations == 10);
  // 3 * 6148914691236517206 is 2 more than 2^64.
  const validation_result found = test::validated(lagging_nodes({}, 2, {3, 6148914691236517206}), within(0));
  CHECK(found.violations == 0);
  CHECK(found.unjudged == 20);
  CHECK(test::validated(lagging_nodes({}, 2, {1ULL << 62, 1ULL << 62}), within(0)).unjudged == 20);
}

TEST_CASE("of process groups that are not judged, those in the time asked for are counted") {
  // Node 0 begins at 1, 2, … 10 ms, node 1 300 us later; each takes 100 us.
  const test::traces t = lagging_nodes({{0}, {1}});
  validation_options o = within(0);
  o.from_ps = 1'950'000'000;
  o.to_ps = 3'050'000'000;
  CHECK(test::validated(t, o).unjudged == 3);  // at 2, 2.3 and 3 ms
  o.from_ps = 20'000'000'000;
  o.to_ps.reset();
  const validation_result none = test::validated(t, o);
  CHECK(none.unjudged == 0);
  CHECK(none.absent == "no collective that several nodes ran lies in the time asked for");
}

TEST_CASE("kernels of PyTorch are matched within the process group that they name") {
  // Groups [0, 2] and [1, 3]: the second runs 300 us later than the first, which breaks no order.
  test::traces t;
  for (int rank = 0; rank < 4; ++rank)
    t.add(rank_trace(rank, rank % 2 == 0 ? "[0, 2]" : "[1, 3]", rank % 2 == 0 ? "1" : "2", 2, rank % 2 == 0 ? 0 : 300));
  const validation_result found = test::validated(t, within(0));
  CHECK(found.groups.size() == 10);
  CHECK(found.violations == 0);
  CHECK(found.unjudged == 0);
  REQUIRE(found.ops.size() == 2);
  CHECK(found.ops[0].group == "1 [0, 2]");
  CHECK(found.ops[1].group == "2 [1, 3]");
  for (const collective_group& g : found.groups) {
    REQUIRE(g.member_count == 2);
    const std::uint32_t a = found.members[g.first_member].node, b = found.members[g.first_member + 1].node;
    CHECK(found.nodes[b].id - found.nodes[a].id == 2);
  }
  const alignment_result aligned = align_by_collectives(found);
  CHECK(aligned.nodes[2].reached);
  CHECK_FALSE(aligned.nodes[1].reached);
  CHECK_FALSE(aligned.nodes[3].reached);

  // The same as one group of all four is out of order.
  test::traces world;
  for (int rank = 0; rank < 4; ++rank) world.add(rank_trace(rank, "[0, 1, 2, 3]", "0", 4, rank % 2 == 0 ? 0 : 300));
  CHECK(test::validated(world, within(0)).violations == 5);
}

TEST_CASE("nodes without a common collective are lined up over those they share one with") {
  // Rank 0 shares a group with 1, and 1 with 3; clocks of 0 and 1 agree, that of 3 is 7.3 ms ahead.
  test::traces t;
  t.add(rank_trace(0, "[0, 1]", "1", 2, 0));
  std::string middle = rank_trace(1, "[0, 1]", "1", 2, 0), other = rank_trace(1, "[1, 3]", "2", 2, 400);
  middle.resize(middle.size() - 2);
  middle += "," + other.substr(other.find("{\"ph\""));
  t.add(middle);
  t.add(rank_trace(3, "[1, 3]", "2", 2, 400 + 7300));
  const validation_result found = test::validated(t);
  CHECK(found.groups.size() == 10);
  const alignment_result aligned = align_by_collectives(found);
  CHECK(aligned.contradictions == 0);
  REQUIRE(aligned.nodes[2].reached);
  CHECK(aligned.nodes[2].to_reference.least_offset_ps <= 7'300'000'000);
  CHECK(aligned.nodes[2].to_reference.most_offset_ps >= 7'300'000'000);
}

TEST_CASE("what is taken for granted stands beside the answer") {
  const test::traces t(test::random_cluster(1, one_clock(3)));
  const validation_result found = test::validated(t, within(0));
  const auto says = [](const std::vector<std::string>& all, const char* part) {
    return std::any_of(all.begin(), all.end(),
                       [&](const std::string& each) { return each.find(part) != std::string::npos; });
  };
  CHECK(says(found.assumptions, "close in time"));
  CHECK(says(found.assumptions, "with no process group on record"));
  CHECK(says(found.assumptions, "before the last member has begun"));
  CHECK(says(align_by_collectives(found).assumptions, "at a constant rate over the capture"));
  CHECK_FALSE(says(test::validated(lagging_nodes({{0, 1}}), within(0)).assumptions, "with no process group on record"));
}

TEST_CASE("a broadcast of nodes with several devices is not judged: its root may be another device") {
  cluster c = test::random_cluster(1, one_clock(2));
  for (auto& node : c.executions)
    for (auto& e : node) e.op = "collective-broadcast.1";
  // Each node is through before the other begins, once: whichever is taken for the root, one contradicts it.
  for (const std::size_t n : {0U, 1U}) {
    auto& early = c.executions[n][4 + n];
    early.start_ps -= 400e6;
    early.end_ps -= 400e6;
  }
  const auto judged = [&](bool second_device) {
    test::traces t;
    for (std::size_t n = 0; n < 2; ++n) {
      std::string more;
      const auto into = memory_sink(more);
      xspace_writer w(*into);
      w.begin_plane("/device:GPU:1", 1);
      w.begin_line({2, "Stream #2(Kernel)", test::epoch_ns, 0, ""});
      w.add_event(w.event_metadata(c.kernel), 0, 1000);
      REQUIRE(w.finish().ok());
      t.add(test::trace_of(c, n) + (second_device ? more : ""));
    }
    return test::validated(t, within(0));
  };
  CHECK(judged(false).violations == 1);
  const validation_result found = judged(true);
  CHECK(found.violations == 0);
  CHECK(found.unjudged == found.groups.size() - 1);  // all but that of the second devices
  const auto broadcast = std::find_if(found.ops.begin(), found.ops.end(),
                                      [](const collective_op& op) { return op.name == "collective-broadcast.1"; });
  REQUIRE(broadcast != found.ops.end());
  CHECK(broadcast->unjudged_why.find("several devices") != std::string::npos);
}

TEST_CASE("traces without any device have nothing to compare") {
  test::traces t;
  for (int rank = 0; rank < 2; ++rank)
    t.add(R"({"schemaVersion":1,"distributedInfo":{"rank":)" + std::to_string(rank) +
          R"(,"world_size":2},"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":2}]})");
  CHECK(test::validated(t).absent == "no collectives on any device");
}
