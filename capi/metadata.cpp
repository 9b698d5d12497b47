#include "profile.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {

fault no_entry(const char* what, std::int64_t id, const plane_index& plane) {
  fault why;
  why.code = fault_code::not_found;
  why.message = std::string("plane \"") + std::string(plane.name) + "\" has no " + what + " metadata with id " +
                std::to_string(id);
  return why;
}

namespace {

enum class metadata_kind : std::uint32_t { none, event, stat };

struct metadata_cursor_state {
  const pk_profile* profile;
  std::uint64_t next;  // position in the list of entries
  std::uint32_t file;
  std::uint32_t plane;
  metadata_kind kind;
};

std::size_t count_children(const event_metadata_view& entry) noexcept {
  std::size_t count = 0;
  for ([[maybe_unused]] const std::int64_t id : entry.child_ids()) ++count;
  return count;
}

pk_event_metadata to_event_metadata(const event_metadata_view& entry) noexcept {
  return {entry.key(), borrowed(entry.name()), borrowed(entry.display_name()), borrowed(entry.metadata()),
          count_children(entry)};
}

pk_stat_metadata to_stat_metadata(const stat_metadata_view& entry) noexcept {
  return {entry.key(), borrowed(entry.name()), borrowed(entry.description())};
}

pk_status begin_entries(const pk_profile* profile, std::uint32_t file, std::uint32_t plane, metadata_kind kind,
                        pk_metadata_cursor* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    result<const plane_index*> found = require_plane(profile, file, plane);
    if (!found) return std::move(found).error();
    if (!out) return null_argument("out");
    store_cursor(*out, metadata_cursor_state{profile, 0, file, plane, kind});
    return PK_OK;
  });
}

// The next entry that no later one with its key replaces, as View shows it and `convert` writes it.
template <class View, class Out, class Convert>
pk_status next_entry(pk_metadata_cursor* cursor, metadata_kind kind, Out* out, pk_error** err,
                     Convert convert) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!cursor) return null_argument("cursor");
    if (!out) return null_argument("out");
    const cursor_use use(*cursor);
    if (!use.alone()) return cursor_of_two_threads();
    auto state = load_cursor<metadata_cursor_state>(*cursor);
    const plane_index* plane = find_plane(state.profile, state.file, state.plane);
    if (!plane || state.kind != kind)
      return invalid_argument("the cursor was not begun for this kind of metadata", "call the matching _begin first");
    const bool events = kind == metadata_kind::event;
    const auto& entries = events ? plane->event_metadata_entries : plane->stat_metadata_entries;
    const metadata_lookup& index = events ? plane->event_metadata : plane->stat_metadata;
    while (state.next < entries.size()) {
      const View entry(entries[state.next++]);
      if (index.find(entry.key()).bytes.data() != entry.bytes().data()) continue;
      *out = convert(entry);
      store_cursor(*cursor, state);
      return PK_OK;
    }
    store_cursor(*cursor, state);
    return PK_END;
  });
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_event_metadata_get(const pk_profile* profile, uint32_t file, uint32_t plane, int64_t id,
                                pk_event_metadata* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    result<const profkit::plane_index*> found = require_plane(profile, file, plane);
    if (!found) return std::move(found).error();
    if (!out) return null_argument("out");
    const profkit::metadata_entry entry = (*found)->event_metadata.find(id);
    if (!entry) return no_entry("event", id, **found);
    *out = to_event_metadata(profkit::event_metadata_view(entry.bytes));
    return PK_OK;
  });
}

pk_status pk_event_metadata_children(const pk_profile* profile, uint32_t file, uint32_t plane, int64_t id, int64_t* ids,
                                     size_t capacity, size_t* count, pk_error** err) noexcept {
  if (count) *count = 0;
  return guard(err, [&]() -> result<pk_status> {
    result<const profkit::plane_index*> found = require_plane(profile, file, plane);
    if (!found) return std::move(found).error();
    if (!ids && capacity != 0) return null_argument("ids");
    if (!count) return null_argument("count");
    const profkit::metadata_entry entry = (*found)->event_metadata.find(id);
    if (!entry) return no_entry("event", id, **found);
    for (const std::int64_t child : profkit::event_metadata_view(entry.bytes).child_ids()) {
      if (*count < capacity) ids[*count] = child;
      ++*count;
    }
    return PK_OK;
  });
}

pk_status pk_stat_metadata_get(const pk_profile* profile, uint32_t file, uint32_t plane, int64_t id,
                               pk_stat_metadata* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    result<const profkit::plane_index*> found = require_plane(profile, file, plane);
    if (!found) return std::move(found).error();
    if (!out) return null_argument("out");
    const profkit::metadata_entry entry = (*found)->stat_metadata.find(id);
    if (!entry) return no_entry("stat", id, **found);
    *out = to_stat_metadata(profkit::stat_metadata_view(entry.bytes));
    return PK_OK;
  });
}

pk_status pk_stat_metadata_find(const pk_profile* profile, uint32_t file, uint32_t plane, const char* name, size_t size,
                                int64_t* id, pk_error** err) noexcept {
  if (id) *id = 0;
  return guard(err, [&]() -> result<pk_status> {
    result<const profkit::plane_index*> found = require_plane(profile, file, plane);
    if (!found) return std::move(found).error();
    if (!name && size != 0) return null_argument("name");
    if (!id) return null_argument("id");
    const auto known = (*found)->stat_id(std::string_view(name, size));
    if (!known) {
      profkit::fault why;
      why.code = profkit::fault_code::not_found;
      why.message = "plane \"" + std::string((*found)->name) + "\" has no stat named \"";
      why.message.append(name, size).append("\"");
      return why;
    }
    *id = *known;
    return PK_OK;
  });
}

pk_status pk_event_metadata_begin(const pk_profile* profile, uint32_t file, uint32_t plane, pk_metadata_cursor* out,
                                  pk_error** err) noexcept {
  return begin_entries(profile, file, plane, metadata_kind::event, out, err);
}

pk_status pk_event_metadata_next(pk_metadata_cursor* cursor, pk_event_metadata* out, pk_error** err) noexcept {
  return next_entry<profkit::event_metadata_view>(cursor, metadata_kind::event, out, err, to_event_metadata);
}

pk_status pk_stat_metadata_begin(const pk_profile* profile, uint32_t file, uint32_t plane, pk_metadata_cursor* out,
                                 pk_error** err) noexcept {
  return begin_entries(profile, file, plane, metadata_kind::stat, out, err);
}

pk_status pk_stat_metadata_next(pk_metadata_cursor* cursor, pk_stat_metadata* out, pk_error** err) noexcept {
  return next_entry<profkit::stat_metadata_view>(cursor, metadata_kind::stat, out, err, to_stat_metadata);
}
