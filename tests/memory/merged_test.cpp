// A merge of several captures tells of every host what the capture of that host tells; and how little many planes take.
#include <profkit/core/memory.hpp>
#include <profkit/core/merge.hpp>
#include <profkit/core/sink.hpp>

#include <catch.hpp>

#include "../analyse/capture_builder.hpp"
#include "../merge/merge_support.hpp"
#include "../read/counted_memory.hpp"
#include "support.hpp"

#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace profkit;
using namespace profkit::test;

namespace {

constexpr std::int64_t origin_ns = 1'700'000'000'000'000'000;

// A host that allocates on two devices and in its own memory, takes three steps, and has one program of its own and one
// that all have.
std::string capture_of_host(std::uint64_t seed, const std::string& hostname) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  std::vector<plane_builder> planes;
  for (const char* const device : {"/device:TPU:0", "/device:TPU:0 SparseCore 0", "/device:TPU:1"}) {
    plane_builder& plane = planes.emplace_back(device);
    std::vector<message> steps;
    for (std::int64_t i = 0; i < 3; ++i)
      steps.push_back(plane.event(std::to_string(i), 300'000 * i + 1000 * below(50), 200'000));
    plane.line("Steps", steps, origin_ns).line("XLA Ops", {plane.event("add", 5000, 1000)}, origin_ns, 2);
  }
  // A second plane of the same name is read, too.
  for (const std::int64_t lines : {2, 1}) {
    plane_builder& plane = planes.emplace_back("/host:CPU");
    for (std::int64_t line = 0; line < lines; ++line) {
      std::vector<message> events{plane.event("jit_f", 0, 500'000)};
      for (std::int64_t i = 1; i < 200; ++i) {
        const bool allocates = below(5) < 3;
        const std::int64_t allocator = below(3);
        std::vector<message> stats{
            plane.uint_stat("addr", static_cast<std::uint64_t>(256 * below(20))),
            plane.int_stat("allocation_bytes", 64 + below(1000)), plane.int_stat("bytes_reserved", below(100)),
            plane.int_stat("bytes_available", 5000), plane.ref_stat("shape", "f32[" + std::to_string(below(9)) + ']')};
        stats.push_back(plane.text_stat("allocator_name", allocator == 0   ? "0"
                                                          : allocator == 1 ? "TPU_1_bfc"
                                                                           : "host_pool"));
        events.push_back(plane.event(allocates ? "MemoryAllocation" : "MemoryDeallocation", 4000 * i, 0, stats));
      }
      plane.line("thread " + std::to_string(line), events, origin_ns, line);
    }
  }
  plane_builder& programs = planes.emplace_back("/host:metadata");
  for (const std::string& name : {"jit_own_" + std::to_string(seed), std::string("jit_shared")})
    programs.metadata(name + "(7)")
        .sub(5, programs.bytes_stat("Hlo Proto", message().sub(1, message().text(1, name)).bytes()));
  planes.emplace_back("Task Environment");
  planes.back().plane_stat(planes.back().uint_stat("profile_start_time", static_cast<std::uint64_t>(origin_ns)));
  message space;
  for (const plane_builder& plane : planes) space.sub(1, plane.build());
  if (!hostname.empty()) space.text(4, hostname);
  return space.bytes();
}

// All of a result but for what the host, the file and its devices are called.
std::string told_of(const memory_result& r) {
  std::ostringstream out;
  for (const module_memory& m : r.modules) out << m.label << ' ' << m.sources.size() << '\n';
  for (const allocator_memory& a : r.allocators)
    out << a.name << ' ' << a.device.empty() << ' ' << a.n_allocations << ' ' << a.n_deallocations << ' '
        << a.heap_peak_bytes << ' ' << a.heap_peak_ps << ' ' << a.occupancy_peak_bytes << ' ' << a.occupancy_peak_ps
        << ' ' << a.capacity_bytes << ' ' << a.trace_end_live_bytes << ' ' << a.unmatched_frees << ' '
        << a.address_reuses << '\n';
  REQUIRE(r.runtime);
  const runtime_report& t = *r.runtime;
  out << *t.allocator << ' ' << t.step.policy << ' ' << t.step.id.value_or("none") << ' ' << t.step.from_ns << ' '
      << t.step.to_ns << ' ' << t.peak_bytes << ' ' << t.peak_ts_ps << ' ' << t.diagnostics.n_pools_seen << '\n';
  for (const live_row& row : t.alive) {
    out << row.kind << ' ' << row.addr << ' ' << row.size_bytes << ' ' << row.shape << ' ' << row.alloc_ts_ps << ' '
        << row.crossed_step_boundaries << ' ' << lifetime_class_name(row.lifetime);
    for (const std::string_view parent : row.parent_chain) out << ' ' << parent;
    out << '\n';
  }
  for (const timeline_sample& s : t.samples) out << s.ts_ns << ' ' << s.bytes_allocated << ' ' << s.live_count << '\n';
  return out.str();
}

memory_result analysed(const std::string& capture, const std::string& host = {}) {
  memory_options o;
  o.host = host;
  auto found = analyse_memory(trace(*open_bytes(capture)), o);
  REQUIRE(found.ok());
  return *found;
}

// `count` planes, each with an allocation whose ids are as large as a table by position would take.
std::string many_planes(std::int64_t count) {
  std::string space;
  for (std::int64_t i = 0; i < count; ++i) {
    message line;
    line.sub(4, event(65'535, i, 0).sub(4, stat(65'535, 256)).sub(4, stat(65'534, 1)));
    message plane;
    plane.text(2, "/host:CPU").sub(3, line).sub(4, metadata_entry_of(65'535, "MemoryAllocation"));
    plane.sub(5, metadata_entry_of(65'535, "addr")).sub(5, metadata_entry_of(65'534, "allocation_bytes"));
    space += message().sub(1, plane).bytes();
  }
  return space;
}

}  // namespace

TEST_CASE("a merge tells of every host what its own capture tells") {
  const std::vector<std::string> hostnames = {"alpha", "beta", ""};
  const std::vector<std::string> asked = {"alpha", "beta", "node:2"};
  scratch_folder folder;
  std::vector<std::string> captures;
  merge_options o;
  o.keep_going = true;  // there are no snapshots
  for (std::size_t i = 0; i < hostnames.size(); ++i) {
    captures.push_back(capture_of_host(i + 1, hostnames[i]));
    o.traces.push_back((folder / ("node" + std::to_string(i) + ".xplane.pb")).string());
    write_file(o.traces.back(), captures.back());
  }
  struct {
    plane_scheme scheme;
    std::vector<std::string> second_devices;  // of each node
  } const schemes[] = {
      {plane_scheme::seed, {"/device:TPU:1", "/device:TPU:65", "/device:TPU:129"}},
      {plane_scheme::rocm, {"/device:TPU:101", "/device:TPU:165", "/device:TPU:229"}},
      {plane_scheme::node, {"/node:0/device:TPU:1", "/node:1/device:TPU:1", "/node:2/device:TPU:1"}},
  };
  for (const auto& [scheme, second_devices] : schemes) {
    o.scheme = scheme;
    const merged m = merge_into_memory(o);
    REQUIRE(m.outcome);
    const memory_result all = analysed(m.bytes);
    std::size_t allocators = 0;
    for (std::size_t i = 0; i < captures.size(); ++i) {
      INFO("scheme " << static_cast<int>(scheme) << ", node " << i);
      const memory_result single = analysed(captures[i]);
      REQUIRE(single.allocators.size() == 6);
      REQUIRE(single.modules.size() == 2);
      const memory_result own = analysed(m.bytes, asked[i]);
      CHECK(told_of(own) == told_of(single));
      for (const module_memory& module : own.modules) CHECK(module.sources.front().host == asked[i]);
      // And the same rows stand among those of all hosts.
      for (const allocator_memory& a : own.allocators) {
        REQUIRE(allocators < all.allocators.size());
        const allocator_memory& same = all.allocators[allocators++];
        CHECK(a.host == asked[i]);
        CHECK(same.host == asked[i]);
        CHECK(same.device == a.device);
        CHECK(same.occupancy_peak_bytes == a.occupancy_peak_bytes);
        if (a.name == "TPU_1_bfc") CHECK(a.device == second_devices[i]);
        if (a.name == "host_pool") CHECK(a.device.empty());
      }
    }
    CHECK(allocators == all.allocators.size());
    REQUIRE(all.modules.size() == 4);  // one each, and one that all have
    for (const module_memory& module : all.modules) {
      INFO(module.label);
      CHECK(module.sources.size() == (module.name == "jit_shared" ? 3 : 1));
    }
  }
}

TEST_CASE("a host that a merge does not have is told") {
  scratch_folder folder;
  merge_options o;
  o.keep_going = true;
  for (const std::uint64_t i : {0U, 1U}) {
    o.traces.push_back((folder / ("node" + std::to_string(i) + ".xplane.pb")).string());
    write_file(o.traces.back(), capture_of_host(i, i == 0 ? "alpha" : "beta"));
  }
  const merged m = merge_into_memory(o);
  REQUIRE(m.outcome);
  for (const char* const host : {"gamma", "node:2", "node:"}) {
    const memory_result r = analysed(m.bytes, host);
    CHECK(r.allocators.empty());
    CHECK(r.runtime_absent_reason == "no_such_host");
    CHECK(r.hlo_absent_reason == "no_such_host");
  }
  CHECK(analysed(m.bytes, "node:1").allocators.size() == 6);
}

TEST_CASE("every allocator of many hosts is told") {
  scratch_folder folder;
  merge_options o;
  o.keep_going = true;
  constexpr std::size_t nodes = 60;  // of six allocators each
  for (std::size_t i = 0; i < nodes; ++i) {
    o.traces.push_back((folder / ("node" + std::to_string(i) + ".xplane.pb")).string());
    write_file(o.traces.back(), capture_of_host(i, "host" + std::to_string(i)));
  }
  const merged m = merge_into_memory(o);
  REQUIRE(m.outcome);
  const memory_result r = analysed(m.bytes);
  REQUIRE(r.allocators.size() == 6 * nodes);
  for (std::size_t i = 0; i < r.allocators.size(); ++i) {
    CHECK(r.allocators[i].name != "(others)");
    CHECK(r.allocators[i].host == "host" + std::to_string(i / 6));
  }
}

TEST_CASE("past 256 allocators of a host plane the others are one") {
  std::vector<plane_builder> planes;
  for (const std::int64_t allocators : {300, 2}) {
    plane_builder& plane = planes.emplace_back("/host:CPU");
    std::vector<message> events;
    for (std::int64_t i = 0; i < 2 * allocators; ++i)  // each comes twice
      events.push_back(plane.event("MemoryAllocation", 1000 * i, 0,
                                   {plane.int_stat("addr", 256 * i), plane.int_stat("allocation_bytes", 10),
                                    plane.int_stat("index_on_host", i % allocators)}));
    plane.line("thread", events);
  }
  const memory_result r = analysed(space_of(planes));
  REQUIRE(r.allocators.size() == 256 + 1 + 2);
  for (std::size_t i = 0; i < r.allocators.size(); ++i) {
    const allocator_memory& a = r.allocators[i];
    const bool is_other = i == 256;
    CHECK(a.name == (is_other ? "(others)" : std::to_string(i < 256 ? i : i - 257)));
    CHECK(a.n_allocations == (is_other ? 2 * (300 - 256) : 2));
  }
}

TEST_CASE("many planes with large ids take little memory each") {
  if (!counts_memory()) PROFKIT_SKIP("allocations cannot be counted here");
  constexpr std::int64_t count = 4000;
  const std::string space = many_planes(count);
  const auto opened = open_bytes(space);
  const peak_memory peak;
  const auto found = analyse_memory(trace(*opened));
  REQUIRE(found.ok());
  CHECK(found->allocators.size() == count);
  CAPTURE(space.size(), peak.bytes());
  CHECK(peak.bytes() <= 4000 * static_cast<std::uint64_t>(count));  // two tables by position would be 131,072 each
}
