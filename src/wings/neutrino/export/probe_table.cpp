// Launches of a Neutrino trace as rows.
#include <tables/rows_of_list.hpp>

#include <profkit/core/probe_trace.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

void fill_launch(const probe_trace& trace, const probe_launch& l, rows::probe_launches& row) {
  if (l.kernel >= 0) row.kernel = borrowed(trace.kernels[static_cast<std::size_t>(l.kernel)].name());
  row.function = borrowed(l.function);
  row.bin = borrowed(l.bin_name);
  for (std::size_t i = 0; i < 3; ++i) {
    row.grid[i] = l.grid[i];
    row.block[i] = l.block[i];
  }
  row.shared_bytes = l.shared_bytes;
  row.outcome = static_cast<std::int32_t>(l.outcome);
  const bool timed = l.prologue_ps && l.kernel_ps && l.epilogue_ps;
  row.flags = bit_if(l.has_geometry, PK_PROBE_HAS_GEOMETRY) | bit_if(l.time_ns.has_value(), PK_PROBE_HAS_TIME) |
              bit_if(l.probe_memory_bytes.has_value(), PK_PROBE_HAS_MEMORY) | bit_if(timed, PK_PROBE_HAS_DURATIONS);
  row.params_count = l.params.size();
  row.params = l.params.data();
  row.time_ns = l.time_ns.value_or(0);
  row.probe_memory_bytes = l.probe_memory_bytes.value_or(0);
  if (timed) {
    row.prologue_ps = *l.prologue_ps;
    row.kernel_ps = *l.kernel_ps;
    row.epilogue_ps = *l.epilogue_ps;
  }
  row.bin_position = l.bin;
}

}  // namespace

std::unique_ptr<row_source> rows_of(std::vector<trace_of_file> traces) {
  std::vector<std::uint64_t> ends;  // of the rows of each
  std::uint64_t count = 0;
  for (const trace_of_file& each : traces) ends.push_back(count += each.trace->launches.size());
  return make_rows<rows::probe_launches>(
      table_kind::probe_launches, count,
      [traces = std::move(traces), ends = std::move(ends)](std::uint64_t at, rows::probe_launches& row) {
        const auto which = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), at) - ends.begin());
        const trace_of_file& of = traces[which];
        row.file = of.file;
        row.launch = which == 0 ? at : at - ends[which - 1];
        fill_launch(*of.trace, of.trace->launches[static_cast<std::size_t>(row.launch)], row);
      });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
