// Any bytes as snapshots, alone and inside an XSpace, and as the clock metadata of a merge.
#include <profkit/core/clock.hpp>

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void build(const snapshot_set& snapshots) {
  if (snapshots.pairs.empty()) return;
  clock_evidence e;
  e.is_reference = true;
  e.tracer_base_ns = snapshots.pairs.front().tracer.ns;
  e.host_base_ns = e.reference_base_ns = snapshots.pairs.front().host.ns;
  e.snapshots = snapshots.pairs;
  const auto clock = node_clock::build(e);
  if (!clock) return;
  node_clock::cursor at;
  // The clock passes through what it was made of, or says that it does not.
  for (const clock_pair& p : snapshots.pairs) {
    const std::int64_t ps = static_cast<std::int64_t>(static_cast<std::uint64_t>(p.tracer.ns) -
                                                      static_cast<std::uint64_t>(e.tracer_base_ns));
    if (ps > 1'000'000'000'000 || ps < -1'000'000'000'000) continue;
    static_cast<void>(clock->from_tracer(ps * 1000, at));
  }
  const node_bounds bounds = clock->bounds(0, 1'000'000'000'000);
  for (const clock_window& w : bounds.windows) require(w.tracer_bound_ps >= 0 && w.host_bound_ps >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto pairs = read_snapshot_pairs(bytes);
  if (pairs)
    build(*pairs);
  else
    require(pairs.error().byte_offset == no_offset || pairs.error().byte_offset <= size);
  snapshot_read_options o;
  o.start_walltime_ns = 1'765'400'000'000'000'000;
  if (const auto embedded = read_embedded_snapshots(bytes, o)) build(*embedded);
  static_cast<void>(read_trace_clocks(bytes));
  static_cast<void>(read_clock_metadata(bytes));
  return 0;
}
