#include "profile.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

constexpr std::uint32_t all_origins = PK_ORIGIN_EVENT | PK_ORIGIN_METADATA | PK_ORIGIN_PLANE;

// A span of bytes that is being consumed.
struct span_left {
  const char* at;
  const char* end;
};

// Where a walk over the stats of an event, its metadata entry and its plane stands.
struct stat_cursor_state {
  const pk_profile* profile;
  std::uint32_t file;
  std::uint32_t plane;
  std::int64_t metadata_id;
  span_left stats;           // of the event, or of one piece of the metadata entry's value
  span_left entry;           // the rest of the metadata entry: its value may be written in pieces
  std::uint32_t plane_stat;  // position of the next stat of the plane
  std::uint8_t origin;       // being read; 0: none yet
  std::uint8_t origins_left;
  std::uint8_t by_bytes;   // `stats` alone, which may lie anywhere; the profile, if any, is there for names
  std::uint8_t unused[1];  // the last byte of a cursor is not ours: cursor_use
};

enum class step : std::uint8_t { found, nothing, damaged };

// The next element of a repeated field in a span that is consumed up to its end.
template <std::uint32_t Field>
step take_element(span_left& from, const char* readable_end, std::string_view& element) noexcept {
  if (from.at == from.end) return step::nothing;
  const typename message_range<std::string_view, Field>::iterator it(from.at, from.end, readable_end);
  if (!it.done()) {
    element = it.bytes();
    from.at = element.data() + element.size();
    return step::found;
  }
  from.at = it.ok() ? from.end : it.position();
  return it.ok() ? step::nothing : step::damaged;
}

span_left span_of(std::string_view bytes) noexcept { return {bytes.data(), bytes.data() + bytes.size()}; }

step next_of_metadata(stat_cursor_state& cursor, const char* readable_end, std::string_view& stat) noexcept {
  for (;;) {
    const step inner = take_element<5>(cursor.stats, readable_end, stat);
    if (inner != step::nothing) return inner;
    std::string_view piece;
    const step outer = take_element<2>(cursor.entry, readable_end, piece);
    if (outer == step::damaged) cursor.stats = cursor.entry;  // where the caller looks for the place
    if (outer != step::found) return outer;
    cursor.stats = span_of(piece);
  }
}

step next_of_plane(stat_cursor_state& cursor, const plane_index& plane, std::string_view& stat) noexcept {
  if (cursor.plane_stat >= plane.stats.size()) return step::nothing;
  stat = plane.stats[cursor.plane_stat++];
  return step::found;
}

// Goes on to the next origin that was asked for; false after the last.
bool next_origin(stat_cursor_state& cursor, const plane_index& plane) noexcept {
  for (const std::uint8_t origin : {PK_ORIGIN_EVENT, PK_ORIGIN_METADATA, PK_ORIGIN_PLANE}) {
    if ((cursor.origins_left & origin) == 0) continue;
    cursor.origins_left = static_cast<std::uint8_t>(cursor.origins_left & ~origin);
    cursor.origin = origin;
    if (origin == PK_ORIGIN_METADATA) {
      cursor.stats = {};
      cursor.entry = span_of(plane.event_metadata.find(cursor.metadata_id).bytes);
    }
    return true;
  }
  return false;
}

step next_stat(stat_cursor_state& cursor, const plane_index& plane, const char* readable_end,
               std::string_view& stat) noexcept {
  for (;;) {
    step found = step::nothing;
    switch (cursor.origin) {
      case PK_ORIGIN_EVENT: found = take_element<4>(cursor.stats, readable_end, stat); break;
      case PK_ORIGIN_METADATA: found = next_of_metadata(cursor, readable_end, stat); break;
      case PK_ORIGIN_PLANE: found = next_of_plane(cursor, plane, stat); break;
      default: break;
    }
    if (found != step::nothing || !next_origin(cursor, plane)) return found;
  }
}

pk_stat to_stat(const stat_view& view, const metadata_lookup& names, std::uint8_t origin) noexcept {
  const resolved_stat known = resolve_stat(view, stat_origin::event, names);
  return {view.metadata_id(),
          borrowed(known.name),
          borrowed(known.text),
          view.as_uint64(),
          static_cast<std::int32_t>(view.kind()),
          origin};
}

stat_cursor_state begin(const pk_profile* profile, std::uint32_t file, std::uint32_t plane,
                        std::uint32_t origins) noexcept {
  stat_cursor_state cursor{};
  cursor.profile = profile;
  cursor.file = file;
  cursor.plane = plane;
  cursor.origins_left = static_cast<std::uint8_t>(origins);
  return cursor;
}

// The next of stats that are given by their bytes.
result<pk_status> next_by_bytes(pk_stat_cursor& cursor, pk_stat& out) {
  auto state = load_cursor<stat_cursor_state>(cursor);
  const plane_index* const plane = find_plane(state.profile, state.file, state.plane);
  std::string_view element;
  const step found = take_element<4>(state.stats, state.stats.end, element);
  const stat_view view(element);
  if (found == step::damaged || !view.ok())
    return fault{fault_code::damaged, "a stat is damaged; those before it were read", "", no_offset, ""};
  store_cursor(cursor, state);
  if (found == step::nothing) return PK_END;
  out = to_stat(view, plane ? plane->stat_metadata : metadata_lookup(), PK_ORIGIN_EVENT);
  return PK_OK;
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_event_stats(const pk_profile* profile, uint32_t file, uint32_t plane, const pk_event* event,
                         uint32_t origins, pk_stat_cursor* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    result<const profkit::plane_index*> found = require_plane(profile, file, plane);
    if (!found) return std::move(found).error();
    if (!event) return null_argument("event");
    if (!out) return null_argument("out");
    if ((origins & ~all_origins) != 0)
      return invalid_argument("origins is " + std::to_string(origins), "use PK_ORIGIN_ bits");
    // A row of another plane would be read with the wrong names; of another file, outside these bytes.
    const std::string_view body = (*found)->body;
    const auto stats = reinterpret_cast<std::uintptr_t>(event->stats);
    const auto start = reinterpret_cast<std::uintptr_t>(body.data());
    if (event->stats_bytes != 0 &&
        (stats < start || stats - start > body.size() || event->stats_bytes > body.size() - (stats - start)))
      return invalid_argument("the event was not read from this plane");
    stat_cursor_state cursor = begin(profile, file, plane, origins);
    cursor.metadata_id = event->metadata_id;
    if (event->stats_bytes != 0) cursor.stats = span_of({static_cast<const char*>(event->stats), event->stats_bytes});
    store_cursor(*out, cursor);
    return PK_OK;
  });
}

pk_status pk_event_stat_find(const pk_profile* profile, uint32_t file, uint32_t plane, const pk_event* event,
                             uint32_t origins, pk_str name, pk_stat* out, pk_error** err) noexcept {
  if (out) *out = {};
  if (!out || (!name.data && name.size != 0))
    return guard(err, [&]() -> result<pk_status> { return null_argument(out ? "name.data" : "out"); });
  pk_stat_cursor cursor;
  pk_status status = pk_event_stats(profile, file, plane, event, origins, &cursor, err);
  while (status == PK_OK) {
    pk_stat one;
    status = pk_stat_next(&cursor, &one, err);
    if (status != PK_OK || text_in(one.name) != text_in(name)) continue;
    *out = one;
    return PK_OK;
  }
  if (status != PK_END) return status;
  return guard(err, [&]() -> result<pk_status> {
    return profkit::fault{profkit::fault_code::not_found, "the event has no stat \"" + std::string(text_in(name)) + "\"", "", profkit::no_offset, ""};
  });
}

pk_status pk_event_metadata_stats(const pk_profile* profile, uint32_t file, uint32_t plane, int64_t id,
                                  pk_stat_cursor* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    result<const profkit::plane_index*> found = require_plane(profile, file, plane);
    if (!found) return std::move(found).error();
    if (!out) return null_argument("out");
    if (!(*found)->event_metadata.find(id)) return no_entry("event", id, **found);
    stat_cursor_state cursor = begin(profile, file, plane, PK_ORIGIN_METADATA);
    cursor.metadata_id = id;
    store_cursor(*out, cursor);
    return PK_OK;
  });
}

pk_status pk_plane_stats(const pk_profile* profile, uint32_t file, uint32_t plane, pk_stat_cursor* out,
                         pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    result<const profkit::plane_index*> found = require_plane(profile, file, plane);
    if (!found) return std::move(found).error();
    if (!out) return null_argument("out");
    store_cursor(*out, begin(profile, file, plane, PK_ORIGIN_PLANE));
    return PK_OK;
  });
}

pk_status pk_stats_begin(const void* stats, size_t size, const pk_profile* names, uint32_t file, uint32_t plane,
                         pk_stat_cursor* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!stats && size != 0) return null_argument("stats");
    if (!out) return null_argument("out");
    if (names || file != 0 || plane != 0) {
      result<const profkit::plane_index*> found = require_plane(names, file, plane);
      if (!found) return std::move(found).error();
    }
    stat_cursor_state cursor = begin(names, file, plane, 0);
    cursor.by_bytes = 1;
    if (size != 0) cursor.stats = span_of({static_cast<const char*>(stats), size});
    store_cursor(*out, cursor);
    return PK_OK;
  });
}

pk_status pk_stat_next(pk_stat_cursor* cursor, pk_stat* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!cursor) return null_argument("cursor");
    if (!out) return null_argument("out");
    const cursor_use use(*cursor);
    if (!use.alone()) return cursor_of_two_threads();
    auto state = load_cursor<stat_cursor_state>(*cursor);
    if (state.by_bytes != 0) return next_by_bytes(*cursor, *out);
    const profkit::plane_index* plane = find_plane(state.profile, state.file, state.plane);
    if (!plane) return invalid_argument("the cursor was not begun", "call pk_event_stats() or its like first");
    const std::string_view bytes = state.profile->core->bytes(state.file);
    std::string_view element;
    step found = next_stat(state, *plane, bytes.data() + bytes.size(), element);
    const profkit::stat_view view(found == step::found ? element : std::string_view());
    if (found == step::found && view.ok()) {
      store_cursor(*cursor, state);
      *out = to_stat(view, plane->stat_metadata, state.origin);
      return PK_OK;
    }
    if (found == step::nothing) {
      store_cursor(*cursor, state);
      return PK_END;
    }
    // The cursor stays before the damage, and every further call reports it again.
    return damage_at(*state.profile->core, state.file, found == step::found ? element.data() : state.stats.at,
                     "a stat");
  });
}
