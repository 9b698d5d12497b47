#include <profkit/time.hpp>

#include <algorithm>

#include "profile.hpp"
#include "formats/xspace/line_time.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

static_assert(event_has_offset == PK_EVENT_HAS_OFFSET);
static_assert(event_has_occurrences == PK_EVENT_HAS_OCCURRENCES);

// Where a scan of a line's events stands: an event_scanner is made for each read, because the tail of the last
// event is where the next one starts.
struct event_cursor_state {
  const pk_profile* profile;
  const char* at;
  const char* end;  // of the line
  std::int64_t base_ps;
  std::uint32_t file;
  std::uint32_t has_base;
};

// Stack space of a batch: decoded rows stay in the first-level cache until they are handed out.
constexpr std::size_t batch_rows = 128;

pk_event to_event(const event_row& row, const event_cursor_state& cursor) noexcept {
  pk_event event{row.metadata_id,     0,         row.offset_ps,   row.duration_ps,
                 row.num_occurrences, row.stats, row.stats_bytes, row.flags};
  if (cursor.has_base == 0 || (row.flags & event_has_occurrences) != 0) return event;
  if (const auto start_ps = checked_add(cursor.base_ps, row.offset_ps)) {
    event.start_ps = *start_ps;
    event.flags |= PK_EVENT_HAS_START;
  }
  return event;
}

// Fills up to `capacity` events; 0 at the end or at damage: `scan` says which.
std::size_t read_events(event_cursor_state& cursor, event_scanner& scan, pk_event* events,
                        std::size_t capacity) noexcept {
  event_row rows[batch_rows];
  std::size_t count = 0;
  while (count < capacity) {
    const std::size_t got = scan.next(rows, std::min(batch_rows, capacity - count));
    if (got == 0) break;
    for (std::size_t i = 0; i < got; ++i) events[count + i] = to_event(rows[i], cursor);
    count += got;
    cursor.at = rows[got - 1].stats + rows[got - 1].stats_bytes;
  }
  return count;
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_events_begin(const pk_profile* profile, uint32_t file, uint32_t plane, uint32_t line, pk_event_cursor* out,
                          pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    result<const profkit::line_index*> found = require_line(profile, file, plane, line);
    if (!found) return std::move(found).error();
    if (!out) return null_argument("out");
    const std::string_view body = (*found)->body;
    const auto base_ps = profkit::line_base_ps(*profile->core, file, **found);
    store_cursor(*out, event_cursor_state{profile, body.data(), body.data() + body.size(), base_ps.value_or(0), file,
                                          base_ps ? 1U : 0U});
    return PK_OK;
  });
}

pk_status pk_event_next(pk_event_cursor* cursor, pk_event* out, pk_error** err) noexcept {
  if (!out) return guard(err, []() -> result<pk_status> { return null_argument("out"); });
  size_t count = 0;
  *out = {};
  return pk_events_read(cursor, out, 1, &count, err);
}

pk_status pk_events_read(pk_event_cursor* cursor, pk_event* events, size_t capacity, size_t* count,
                         pk_error** err) noexcept {
  if (count) *count = 0;
  return guard(err, [&]() -> result<pk_status> {
    if (!cursor) return null_argument("cursor");
    if (!events) return null_argument("events");
    if (!count) return null_argument("count");
    if (capacity == 0) return invalid_argument("capacity is 0");
    const cursor_use use(*cursor);
    if (!use.alone()) return cursor_of_two_threads();
    auto state = load_cursor<event_cursor_state>(*cursor);
    if (!state.profile) return invalid_argument("the cursor was not begun", "call pk_events_begin() first");
    const char* const start = state.at;
    profkit::event_scanner scan(std::string_view(start, static_cast<std::size_t>(state.end - start)));
    *count = read_events(state, scan, events, capacity);
    store_cursor(*cursor, state);
    if (*count != 0) return PK_OK;
    if (scan.ok()) return PK_END;
    return damage_at(*state.profile->core, state.file, start + scan.offset(), "an event");
  });
}
