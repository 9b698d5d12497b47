// Any text as an offsets file and as run metadata; what is read goes into clocks, whose maps must be maps.
#include <profkit/core/clock.hpp>

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// A clock that was built answers anything, and says how wrong it may be.
void question(const node_clock& clock) {
  node_clock::cursor at;
  for (const std::int64_t ps : {std::int64_t{0}, std::int64_t{-5'000'000'000}, std::int64_t{90'000'000'000'000},
                                piecewise_map::max_value_ps, INT64_MAX, INT64_MIN}) {
    static_cast<void>(clock.from_tracer(ps, at));
    static_cast<void>(clock.from_host(ps, at));
    require(clock.bound_at(ps, clock_domain::tracer).value_or(0) >= 0 &&
            clock.bound_at(ps, clock_domain::host).value_or(0) >= 0);
  }
  const node_bounds bounds = clock.bounds(-1'000'000, 90'000'000'000);
  require(bounds.known && !bounds.windows.empty());
  for (std::size_t i = 0; i < bounds.windows.size(); ++i) {
    require(bounds.windows[i].from_ps <= bounds.windows[i].to_ps && bounds.windows[i].tracer_bound_ps >= 0);
    if (i > 0) require(bounds.windows[i - 1].to_ps == bounds.windows[i].from_ps);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(read_run_metadata(text));
  const auto table = read_offsets(text, "offsets.jsonl");
  if (!table) {
    require(table.error().byte_offset <= size);
    return 0;
  }
  const auto rows = resolve_midpoints(*table, 0);
  std::size_t nodes = 0;
  for (const node_start& start : table->nodes) {
    if (++nodes > 8) break;
    clock_evidence e;
    e.node_id = start.node_id;
    e.is_reference = start.node_id == 0;
    e.host_base_ns = start.walltime_ns.value_or(0);
    e.tracer_base_ns = start.gpu_ns.value_or(0);
    if (const node_start* zero = table->start_of(0)) e.reference_base_ns = zero->walltime_ns.value_or(0);
    e.offsets = rows_of_node(rows, start.node_id);
    for (std::int64_t k = 0; k < 10; ++k) {
      const std::int64_t at = k * 10'000'000 - k * k;
      e.snapshots.push_back(
          {{static_cast<std::int64_t>(static_cast<std::uint64_t>(e.tracer_base_ns) + static_cast<std::uint64_t>(at)),
            0},
           {static_cast<std::int64_t>(static_cast<std::uint64_t>(e.host_base_ns) + static_cast<std::uint64_t>(at)),
            0}});
    }
    if (const auto clock = node_clock::build(e)) question(*clock);
  }
  return 0;
}
