// Opens any bytes as an XSpace, scans every event with both walkers, and totals the ops. The walkers must agree, self
// times must add up, and nothing may be read outside the bytes.
#include <profkit/core/filters.hpp>
#include <profkit/core/ops.hpp>
#include <profkit/core/profile.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>

namespace {

using namespace profkit;

void check(bool holds) {
  if (!holds) std::abort();
}

void scan_line(const plane_index& plane, std::string_view body) {
  event_row fast_rows[5], portable_rows[5];
  event_scanner fast(body), portable(body, scan_variant::portable);
  std::uint64_t count = 0;
  for (;;) {
    const std::size_t n = fast.next(fast_rows, 5);
    check(portable.next(portable_rows, 5) == n);
    if (n == 0) break;
    count += n;
    for (std::size_t i = 0; i < n; ++i) {
      const event_row &a = fast_rows[i], &b = portable_rows[i];
      check(a.metadata_id == b.metadata_id && a.offset_ps == b.offset_ps && a.duration_ps == b.duration_ps);
      check(a.num_occurrences == b.num_occurrences && a.flags == b.flags);
      check(a.stats == b.stats && a.stats_bytes == b.stats_bytes);
      check(a.stats >= body.data() && a.stats + a.stats_bytes <= body.data() + body.size());
      static_cast<void>(plane.event_name(a.metadata_id));
      for (const stat_view stat : message_range<stat_view, 4>(std::string_view(a.stats, a.stats_bytes)))
        static_cast<void>(plane.stat_name(stat.metadata_id()));
    }
  }
  check(fast.ok() == portable.ok() && fast.offset() == portable.offset() && fast.offset() <= body.size());
  check(count <= count_events(body));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // An own block of this size, so that a read past its end is seen.
  const std::unique_ptr<char[]> block(new char[size]);
  if (size != 0) std::memcpy(block.get(), data, size);
  const std::string_view bytes(block.get(), size);

  const xspace_index index = index_xspace(bytes);
  check(!index.damage || index.damage->byte_offset <= size);
  for (const plane_index& plane : index.planes)
    for (const line_index& line : plane.lines) scan_line(plane, line.body);

  const auto opened = profile::open_buffer(bytes, "fuzz.xplane.pb");
  if (!opened.ok()) return 0;
  const profile& p = **opened;
  for (const char* line : {"", "e"}) {
    query_filters o;
    o.line = line;
    const auto ops = analyse_ops(trace(p), o);
    check(ops.ok());
    for (const ops_line& totals : ops->lines) {
      std::uint64_t self = 0;
      for (const op_row op : totals.ops) {
        self += static_cast<std::uint64_t>(op.self_ps);
        static_cast<void>(op_stats(p, totals, op));
      }
      // Sums that stopped at the end of int64 no longer add up.
      if (totals.busy_ps != std::numeric_limits<std::int64_t>::max())
        check(self == static_cast<std::uint64_t>(totals.busy_ps));
      static_cast<void>(peaks_of(p, totals));
    }
  }
  return 0;
}
