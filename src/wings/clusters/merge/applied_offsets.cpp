#include "applied_offsets.hpp"

#include <profkit/time.hpp>

#include <base/contained.hpp>
#include <base/json_writer.hpp>

#include <algorithm>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int64_t parts_of_span = 8;
constexpr int max_inversions = 40;  // each leaves a thousandth of the error

// Where the map gives y, to the ps.
std::int64_t inverse_at(const piecewise_map& map, std::int64_t y) noexcept {
  std::int64_t x = y;
  for (int i = 0; i < max_inversions; ++i) {
    const std::int64_t found = map(x);
    if (found == out_of_reach_ps || found == y) break;
    x += y - found;
  }
  return x;
}

// ns with its decimals, from ps.
std::string exact_nanoseconds(std::int64_t ps) {
  std::string text = std::to_string(ps / ps_per_ns);
  const std::int64_t rest = ps % ps_per_ns;
  if (rest == 0) return text;
  if (ps < 0 && ps > -ps_per_ns) text.insert(text.begin(), '-');
  std::string decimals = std::to_string(rest < 0 ? -rest : rest);
  decimals.insert(0, 3 - decimals.size(), '0');
  return text + '.' + decimals;
}

}  // namespace

std::vector<applied_offset> offsets_of_clock(const node_clock& clock, std::int64_t host_base_ns, std::int64_t reference_base_ns,
                                             const node_bounds& bounds, std::int64_t first_ps, std::int64_t last_ps) {
  const piecewise_map& map = clock.host_to_reference();
  const std::int64_t first_x = inverse_at(map, first_ps), last_x = inverse_at(map, last_ps);
  std::vector<std::int64_t> at{first_x, last_x};
  for (std::int64_t i = 1; i < parts_of_span; ++i) at.push_back(first_x + (last_x - first_x) / parts_of_span * i);
  for (std::int64_t x = first_x; x < last_x;) {
    const piecewise_map::segment piece = map.piece_at(x);
    if (piece.to <= x || piece.to >= last_x) break;
    x = piece.to;
    at.push_back(x);
  }
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  const auto between_ps = relative_ps(host_base_ns, reference_base_ns);
  std::vector<applied_offset> found;
  for (const std::int64_t x : at) {
    const std::int64_t y = map(x);
    if (y == out_of_reach_ps || !between_ps) continue;
    applied_offset row;
    const std::int64_t whole_ns = y >= 0 ? y / ps_per_ns : -((-y + ps_per_ns - 1) / ps_per_ns);
    row.at_unix_ns = saturating_add(reference_base_ns, whole_ns);
    row.offset_ps = saturating_add(x - y, *between_ps);
    row.bound_ps = bounds.at(y, clock_domain::host).value_or(clock_window::unknown_ps);
    found.push_back(row);
  }
  return found;
}

result<void> write_merge_offsets(const merge_result& r, sink& into) {
  return contained([&]() -> result<void> {
    std::string text = "{\"meta\":true,\"run_id\":";
    append_json_string(text, r.run_id);
    text += ",\"nodes\":[";
    bool first = true;
    for (const merged_node& n : r.nodes) {
      if (n.aligned_before || !n.start_unix_ns) continue;
      text += (first ? "{\"node_id\":" : ",{\"node_id\":") + std::to_string(n.id) + ",\"start_walltime_ns\":" + std::to_string(*n.start_unix_ns);
      if (n.start_tracer_ns) text += ",\"start_gpu_ns\":" + std::to_string(*n.start_tracer_ns);
      text += '}';
      first = false;
    }
    text += "]}\n";
    std::uint64_t round = 0;
    for (const merged_node& n : r.nodes)
      for (const applied_offset& row : n.applied) {
        text += "{\"round_id\":" + std::to_string(round++) + ",\"node_id\":" + std::to_string(n.id) +
                ",\"midpoint_sys_ns\":" + std::to_string(row.at_unix_ns) + ",\"offset_ns\":" + exact_nanoseconds(row.offset_ps);
        // Written as the round trip that leaves that uncertainty.
        if (row.bound_ps > 0) text += ",\"rtt_ns\":" + std::to_string(2 * ((row.bound_ps + ps_per_ns - 1) / ps_per_ns));
        text += ",\"reachable\":true,\"converged\":true}\n";
      }
    return into.write(text);
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
