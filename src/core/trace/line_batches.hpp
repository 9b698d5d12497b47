// The events of one line that is in memory, in batches, for callers that walk a few lines on their own. Callers with many
// lines, or lines that others read as well, use scan_lines().
#pragma once
#include <formats/xspace/xspace_index.hpp>
#include <formats/xspace/xspace_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

inline constexpr std::size_t max_batch_events = 256;

// Calls `use(event_row* rows, std::size_t count, std::uint64_t end)`, `end`: of the batch in the line. The rows may be changed;
// false stops. Gives how the line ended; a line that was stopped is not damaged.
template <class Use>
line_end for_each_batch(const line_index& line, Use&& use) {
  event_row rows[max_batch_events];
  event_scanner scanner(line.body);
  line_end end;
  while (const std::size_t count = scanner.next(rows, max_batch_events))
    if (!use(rows, count, std::uint64_t{scanner.offset()})) return end;
  end.damaged = !scanner.ok();
  end.damage_offset = scanner.offset();
  return end;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
