// XSpace captures: kernels merged from lines as they are decoded, and every step filled exactly by busy and idle time.
#include "../analyse/capture_builder.hpp"

#include <support.hpp>

#include <profkit/core/bubbles.hpp>
#include <profkit/xspace.hpp>

#include <catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace profkit;
using namespace profkit::test;

namespace {

struct kernels_of final : kernel_visitor {
  std::vector<kernel_row> all;
  result<void> rows(const kernel_row* rows, std::size_t count) override {
    all.insert(all.end(), rows, rows + count);
    return {};
  }
};

std::shared_ptr<const activity> read(const opened& capture) {
  auto a = read_activity(capture.held);
  REQUIRE(a);
  return *a;
}

std::vector<kernel_row> kernels(const activity& of, std::size_t device) {
  kernels_of seen;
  REQUIRE(of.visit_kernels(device, seen));
  return seen.all;
}

bubbles_result look(const activity& of, window_policy windows = window_policy::guide) {
  bubble_options o;
  o.windows = windows;
  auto r = find_bubbles(of, o);
  REQUIRE(r);
  return std::move(*r);
}

using span = std::pair<std::int64_t, std::int64_t>;

// When the kernels of a device ran, read from the file with the views: the events of the lines that are its streams. ps
// from the time of the first line of the file that has one.
std::vector<span> spans_in_file(const profile& p, const activity& of, std::size_t device) {
  const activity_device& on = of.devices()[device];
  std::int64_t zero_ns = 0;
  for (const plane_view plane : xspace_view(p.bytes(on.file)).planes())
    for (const line_view line : plane.lines())
      if (zero_ns == 0) zero_ns = line.header().timestamp_ns;
  std::vector<std::string_view> lines;
  for (const activity_stream& s : on.streams) lines.push_back(of.text(s.name));
  std::vector<span> spans;
  std::int32_t at = 0;
  const xspace_view space(p.bytes(on.file));
  for (const plane_view plane : space.planes()) {
    if (at++ != on.plane) continue;
    for (const line_view line : plane.lines()) {
      const line_header header = line.header();
      const std::string_view name = header.display_name.empty() ? header.name : header.display_name;
      if (std::find(lines.begin(), lines.end(), name) == lines.end()) continue;
      for (const event_view e : line.events()) {
        const std::int64_t start = (header.timestamp_ns - zero_ns) * 1000 + e.offset_ps();
        spans.emplace_back(start, start + e.duration_ps());
      }
    }
  }
  std::sort(spans.begin(), spans.end());
  return spans;
}

// Busy time of every step, summed up from those spans one by one.
void check_steps(const profile& p, const activity& of, const bubbles_result& r) {
  std::optional<std::int64_t> zero_ps;  // of the capture, the same for all of its devices
  for (std::size_t d = 0; d < of.devices().size(); ++d) {
    std::vector<span> wanted = spans_in_file(p, of, d), rows, counted;  // counted: without copies on their way
    for (const kernel_row& k : kernels(of, d)) {
      rows.emplace_back(k.start_ps, k.start_ps + k.duration_ps);
      if ((k.flags & kernel_in_flight) == 0) counted.push_back(rows.back());
    }
    REQUIRE_FALSE((rows.empty() || wanted.empty()));
    if (!zero_ps) zero_ps = rows.front().first - wanted.front().first;
    for (span& s : wanted) s = {s.first + *zero_ps, s.second + *zero_ps};
    CHECK(std::is_sorted(rows.begin(), rows.end()));
    CHECK(rows == wanted);
    CHECK(of.devices()[d].kernels == wanted.size());
    for (const bubble_step& s : r.steps) {
      if (s.device != d) continue;
      std::int64_t busy = 0, gaps = 0, largest = 0, reached = s.start_ps, first = -1, count = 0;
      for (const auto& [start, end] : counted) {
        const std::int64_t from = std::max(start, s.start_ps), to = std::min(end, s.end_ps);
        if (from >= to || to <= reached) continue;
        if (first < 0) {
          first = from;
        } else if (from > reached) {
          gaps += from - reached;
          largest = std::max(largest, from - reached);
          ++count;
        }
        busy += to - std::max(from, reached);
        reached = to;
      }
      CHECK(s.busy_ps == busy);
      CHECK(s.prelaunch_ps == (first < 0 ? s.end_ps : first) - s.start_ps);
      CHECK(s.internal_total_ps == gaps);
      CHECK(s.largest_internal_ps == largest);
      CHECK(s.bubble_count == static_cast<std::uint64_t>(count));
      CHECK(s.tail_ps == (first < 0 ? 0 : s.end_ps - reached));
      CHECK(s.breakdown.sum_ps() == s.service_ps());
      CHECK(s.breakdown.idle_ps == s.underfeed_ps());
    }
  }
}

}  // namespace

TEST_CASE("lines of a plane become streams of a device") {
  plane_builder tpu("/device:TPU:0"), host("/host:CPU"), gpu("/device:GPU:1"), empty("/device:TPU:1");
  tpu.metadata("%all-reduce.1 = f32[8] all-reduce(%p)").sub(5, tpu.text_stat("hlo_category", "all-reduce"));
  tpu.metadata("%fusion.3 = f32[8] fusion(%p)").sub(5, tpu.text_stat("hlo_category", "loop fusion"));
  tpu.line("XLA Ops",
           {tpu.event("%fusion.3 = f32[8] fusion(%p)", 100, 50),
            tpu.event("%all-reduce.1 = f32[8] all-reduce(%p)", 200, 100)},
           1, 3);
  tpu.line("Async XLA Ops", {tpu.event("%copy-start.2 = f32[8] copy-start(%p)", 120, 30)}, 1, 4);
  tpu.line("Overlay", {tpu.event("%fusion.3 = f32[8] fusion(%p)", 0, 1000)}, 1, 5);
  tpu.line("Steps", {tpu.event("7", 90, 500), tpu.event("8", 700, 100)}, 1, 1);
  gpu.line("Stream #16(Kernel)",
           {gpu.event("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 5, 10, {gpu.uint_stat("correlation_id", 9)}),
            gpu.event("MemcpyH2D", 30, 10, {gpu.uint_stat("correlation_id", 10)})},
           1, 16);
  host.line("python",
            {host.event("hipLaunchKernel", 1, 2, {host.uint_stat("correlation_id", 9)}),
             host.event("$threading.py:1 run", 0, 600), host.event("train", 0, 600, {host.int_stat("step_num", 3)})},
            1, 77);
  const auto capture = open_bytes(space_of({tpu, host, gpu, empty}));
  const auto of = read(capture);
  REQUIRE(of->devices().size() == 2);
  const activity_device& d = of->devices()[0];
  CHECK(of->text(d.name) == "/device:TPU:0");
  CHECK(d.type == accelerator::tpu);
  CHECK(d.kernels == 3);
  REQUIRE(d.streams.size() == 2);
  const std::vector<kernel_row> rows = kernels(*of, 0);
  REQUIRE(rows.size() == 3);
  CHECK(of->text(rows[0].name) == "fusion.3");
  CHECK(of->text(rows[0].op_type) == "loop fusion");
  CHECK(rows[0].kind == kernel_class::compute);
  CHECK(rows[1].kind == kernel_class::copy);
  CHECK(rows[1].stream == 1);
  CHECK(rows[2].kind == kernel_class::comm);
  CHECK(rows[2].duration_ps == 100);
  const std::string_view bytes = capture.held->bytes(0);
  CHECK(rows[0].source_row < bytes.size());
  const std::vector<kernel_row> on_gpu = kernels(*of, 1);
  REQUIRE(on_gpu.size() == 2);
  CHECK(on_gpu[0].kind == kernel_class::comm);
  CHECK(on_gpu[1].kind == kernel_class::copy);
  CHECK(on_gpu[0].launch_ps != no_time_ps);
  CHECK(on_gpu[1].launch_ps == no_time_ps);
  CHECK(of->devices()[1].has_launches);
  CHECK(of->devices()[1].streams[0].id == 16);
  // Steps of the device; the host's step_num is not looked at beside them.
  REQUIRE(of->markers().size() == 2);
  CHECK(of->markers()[0].number == 7);
  CHECK(of->markers()[0].device == 0);
  CHECK(of->has_host_spans(d.host_group));
  check_steps(*capture.held, *of, look(*of));
}

TEST_CASE("steps come from modules, else from the host") {
  SECTION("modules") {
    plane_builder tpu("/device:TPU:0");
    tpu.line("XLA Ops", {tpu.event("a", 100, 50), tpu.event("a", 300, 50)});
    tpu.line("XLA Modules", {tpu.event("jit_f(12345)", 90, 100), tpu.event("jit_f(12345)", 290, 100)}, 0, 2);
    const auto of = read(open_bytes(space_of({tpu})));
    const auto r = look(*of, window_policy::marker);
    REQUIRE(r.steps.size() == 2);
    CHECK(r.steps[0].id == "jit_f#0");
    CHECK(r.steps[1].id == "jit_f#1");
    CHECK(r.steps[1].prelaunch_ps == 10);
    CHECK(r.steps[1].tail_ps == 40);
  }
  SECTION("step_num, and the device windows by launches") {
    plane_builder gpu("/device:GPU:0"), host("/host:CPU");
    gpu.line("Stream #1", {gpu.event("k", 1000, 10, {gpu.uint_stat("correlation_id", 1)}),
                           gpu.event("k", 2000, 10, {gpu.uint_stat("correlation_id", 2)})});
    host.line("main", {host.event("train", 0, 100, {host.int_stat("step_num", 0)}),
                       host.event("train", 100, 100, {host.int_stat("step_num", 1)}),
                       host.event("cuLaunchKernel", 50, 5, {host.uint_stat("correlation_id", 1)}),
                       host.event("cuLaunchKernel", 150, 5, {host.uint_stat("correlation_id", 2)})});
    const auto of = read(open_bytes(space_of({gpu, host})));
    const auto r = look(*of);
    REQUIRE(r.steps.size() == 2);
    CHECK(std::string(r.devices[0].window_source) == "launches");
    CHECK(r.steps[0].start_ps == 1000);
    CHECK(r.steps[0].end_ps == 2000);
    CHECK(r.steps[1].id == "1");
  }
}

TEST_CASE("events out of order come in order") {
  std::mt19937 random(5);
  for (int round = 0; round < 30; ++round) {
    plane_builder gpu("/device:GPU:0");
    std::vector<std::pair<std::int64_t, std::int64_t>> wanted;
    for (int line = 0; line < 4; ++line) {
      std::vector<message> events;
      const int count = static_cast<int>(random() % 3000);
      std::int64_t at = 0;
      for (int i = 0; i < count; ++i) {
        at += static_cast<std::int64_t>(random() % 5);
        // Now and then far back, and often at the same instant.
        const std::int64_t start =
            round % 3 == 0 || random() % 50 != 0 ? at : at - static_cast<std::int64_t>(random() % 700);
        const auto duration = static_cast<std::int64_t>(random() % 9);
        if (start < 0) continue;
        events.push_back(gpu.event("k", start, duration));
        wanted.push_back({start, start + duration});
      }
      gpu.line("Stream #" + std::to_string(line), events, 0, line);
    }
    std::sort(wanted.begin(), wanted.end());
    const auto of = read(open_bytes(space_of({gpu})));
    if (wanted.empty()) continue;
    std::vector<std::pair<std::int64_t, std::int64_t>> seen;
    for (const kernel_row& k : kernels(*of, 0)) seen.push_back({k.start_ps, k.start_ps + k.duration_ps});
    REQUIRE(seen == wanted);
  }
}

TEST_CASE("recordings of more than 20 hours have offsets of nine bytes") {
  plane_builder gpu("/device:GPU:0");
  constexpr std::int64_t day = std::int64_t{86'400} * ps_per_s;
  std::vector<message> events;
  for (int i = 0; i < 100; ++i) events.push_back(gpu.event("k", day + 100 * i, 50 + i));
  gpu.line("Stream #1", events);
  const auto of = read(open_bytes(space_of({gpu})));
  const std::vector<kernel_row> rows = kernels(*of, 0);
  REQUIRE(rows.size() == 100);
  for (int i = 0; i < 100; ++i) {
    CHECK(rows[static_cast<std::size_t>(i)].start_ps - rows[0].start_ps == 100 * i);
    CHECK(rows[static_cast<std::size_t>(i)].duration_ps == 50 + i);
  }
}

namespace {

struct spans_of final : host_span_visitor {
  std::vector<host_span> all;
  result<void> spans(const host_span* spans, std::size_t count) override {
    all.insert(all.end(), spans, spans + count);
    return {};
  }
};

std::int64_t covered_in(std::vector<interval> spans, const interval& window) {
  normalise(spans);
  return static_cast<std::int64_t>(covered_ps(spans, window));
}

// What the host did during each gap, span by span. There are fewer names than are listed.
void check_evidence(const activity& of, const bubbles_result& r) {
  spans_of host;
  REQUIRE(of.visit_host_spans(0, INT64_MIN + 1, INT64_MAX, host));
  std::size_t explained = 0;
  for (const bubble& b : r.bubbles) {
    const interval gap{b.start_ps, b.end_ps};
    std::vector<interval> all, leaf, sync;
    std::map<std::uint32_t, std::vector<interval>> threads;
    std::map<string_id, std::int64_t> names;
    for (const host_span& s : host.all) {
      const interval during{s.start_ps, s.start_ps + s.duration_ps};
      const interval both = common(during, gap);
      if (both.empty()) continue;
      all.push_back(during);
      if (s.kind != host_span_kind::frame) leaf.push_back(during);
      if (of.text(s.name) == "hipMemcpy") sync.push_back(during);
      threads[s.thread].push_back(during);
      names[s.name] += static_cast<std::int64_t>(both.length_ps());
    }
    CHECK(b.host.traced);
    CHECK(b.host.host_ps == covered_in(all, gap));
    CHECK(b.host.leaf_ps == covered_in(leaf, gap));
    CHECK(b.host.sync_ps == covered_in(sync, gap));
    std::int64_t of_threads = 0;
    for (const auto& [thread, spans] : threads) of_threads += covered_in(spans, gap);
    CHECK(b.host.threads_ps == of_threads);
    std::map<string_id, std::int64_t> listed(b.host.ops.begin(), b.host.ops.end());
    for (auto& [name, overlap_ps] : names) overlap_ps = std::min(overlap_ps, b.length_ps());
    CHECK(listed == names);
    explained += names.empty() ? 0 : 1;
  }
  CHECK(explained > r.bubbles.size() / 2);
}

}  // namespace

TEST_CASE("host evidence is what each span tells") {
  std::mt19937 random(11);
  const auto up_to = [&](std::int64_t most) { return static_cast<std::int64_t>(random()) % most; };
  for (int round = 0; round < 12; ++round) {
    std::vector<plane_builder> planes;
    // Devices that wait at nearly the same time.
    for (int device = 0; device < 3; ++device) {
      plane_builder& gpu = planes.emplace_back("/device:GPU:" + std::to_string(device));
      std::vector<message> kernels;
      for (std::int64_t i = 0; i < 40; ++i)
        kernels.push_back(gpu.event("k", i * 300'000'000 + up_to(3) * 1'000'000, 200'000'000 + up_to(50'000'000)));
      gpu.line("Stream #1", kernels, 0, 1);
    }
    plane_builder& host = planes.emplace_back("/host:CPU");
    for (int thread = 0; thread < 4; ++thread) {
      std::vector<message> spans;
      std::int64_t at = 0;
      for (int i = 0; i < 600; ++i) {
        at += up_to(40'000'000);
        const char* names[] = {"work", "hipMemcpy", "$a.py:1 f", "more", "$b.py:2 g"};
        // In order in two rounds of three; few are longer than a gap.
        const std::int64_t start = round % 3 != 0 || random() % 10 != 0 ? at : at / 2;
        const std::int64_t length = random() % 40 == 0 ? up_to(2'000'000'000) : up_to(30'000'000);
        spans.push_back(host.event(names[random() % 5], start, length));
      }
      host.line("thread " + std::to_string(thread), spans, 0, 10 + thread);
    }
    const auto of = read(open_bytes(space_of(planes)));
    const auto r = look(*of);
    REQUIRE(r.bubbles.size() > 60);
    check_evidence(*of, r);
  }
}

TEST_CASE("what has no place in time is counted") {
  plane_builder gpu("/device:GPU:0");
  message aggregated;
  aggregated.number(1, gpu.event_id("k")).number(5, 3).number(3, 10);
  gpu.line("Stream #1", {gpu.event("k", 10, 10), gpu.event("k", 20, -5), aggregated});
  const auto of = read(open_bytes(space_of({gpu})));
  REQUIRE(of->inputs().size() == 1);
  // A negative duration is damage and counts as 0, as for every reader; only the total has no place.
  CHECK(of->inputs()[0].rejected == 1);
  CHECK(of->inputs()[0].rows == 2);
  REQUIRE(of->inputs()[0].damage);
  CHECK(of->inputs()[0].damage->message.find("1 event has a negative duration, which counts as 0") != std::string::npos);
  REQUIRE(kernels(*of, 0).size() == 2);
  CHECK(kernels(*of, 0)[1].duration_ps == 0);
}

TEST_CASE("a capture without device kernels says so") {
  plane_builder host("/host:CPU");
  host.line("main", {host.event("work", 0, 10)});
  const auto r = look(*read(open_bytes(space_of({host}))));
  CHECK(r.steps.empty());
  CHECK_FALSE(r.absent.empty());
}

TEST_CASE("a capture that is cut anywhere gives what was intact") {
  plane_builder gpu("/device:GPU:0"), host("/host:CPU");
  std::vector<message> events;
  for (int i = 0; i < 20; ++i) events.push_back(gpu.event("k" + std::to_string(i % 3), 100 * i, 60));
  gpu.line("Stream #1", events).line("Steps", {gpu.event("1", 0, 1000), gpu.event("2", 1000, 1000)}, 0, 2);
  host.line("main", {host.event("work", 0, 1500)});
  const std::string whole = space_of({gpu, host});
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const auto p = profile::open_buffer(std::string_view(whole).substr(0, size), "cut.xplane.pb");
    if (!p) continue;
    const auto of = read_activity(*p);
    REQUIRE(of);
    const auto r = find_bubbles(**of);
    REQUIRE(r);
    for (const bubble_step& s : r->steps) CHECK(s.breakdown.sum_ps() == s.service_ps());
  }
}

TEST_CASE("busy and idle time fill every step of real captures") {
  std::vector<std::string> paths{data_path("xspace/tpu_v6e_inference.xplane.pb").string(),
                                 data_path("xspace/jax08_gemm_mi300.xplane.pb").string()};
  for (const char* more :
       {"captures/xspace/gpu_tf_2020_8gpu.xplane.pb", "captures/xspace/jax08_attention_mi300.xplane.pb",
        "captures/xspace/jax_te_fused_attn_934987a2fc2f.xplane.pb"})
    if (const auto path = corpus_path(more)) paths.push_back(path->string());
  for (const std::string& path : paths) {
    INFO(path);
    const auto p = profile::open(path);
    REQUIRE(p);
    const auto of = read_activity(*p);
    REQUIRE(of);
    REQUIRE_FALSE((*of)->devices().empty());
    for (const window_policy windows : {window_policy::guide, window_policy::marker, window_policy::device}) {
      const bubbles_result r = look(**of, windows);
      CHECK_FALSE(r.steps.empty());
      check_steps(**p, **of, r);
    }
  }
}
