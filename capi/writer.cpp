#include <profkit/core/xspace_writer.hpp>

#include <memory>
#include <utility>

#include "options.hpp"

struct pk_xspace_writer {
  explicit pk_xspace_writer(std::unique_ptr<profkit::sink> to) : into(std::move(to)), core(*into) {}
  std::unique_ptr<profkit::sink> into;
  profkit::xspace_writer core;
  bool finished = false;
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

static_assert(static_cast<std::int32_t>(stat_kind::double_value) == PK_VALUE_DOUBLE);
static_assert(static_cast<std::int32_t>(stat_kind::uint64_value) == PK_VALUE_UINT64);
static_assert(static_cast<std::int32_t>(stat_kind::int64_value) == PK_VALUE_INT64);
static_assert(static_cast<std::int32_t>(stat_kind::str_value) == PK_VALUE_TEXT);
static_assert(static_cast<std::int32_t>(stat_kind::bytes_value) == PK_VALUE_BYTES);
static_assert(static_cast<std::int32_t>(stat_kind::ref_value) == PK_VALUE_REF);

std::string_view given_text(pk_str text) noexcept { return {text.data ? text.data : "", text.data ? text.size : 0}; }

// No value, or of no kind that there is, makes a stat that says nothing.
stat_value value_of(const pk_value* value) noexcept {
  stat_value v;
  if (!value || value->kind < PK_VALUE_DOUBLE || value->kind > PK_VALUE_REF) return v;
  v.kind = static_cast<stat_kind>(value->kind);
  v.scalar = value->bits;
  v.text = given_text(value->text);
  return v;
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_xspace_writer_new(pk_write_callback write, void* user, pk_xspace_writer** out, pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!write) return null_argument("write");
    if (!out) return null_argument("out");
    *out = std::make_unique<pk_xspace_writer>(profkit::callback_sink(write, user)).release();
    return PK_OK;
  });
}

pk_status pk_xspace_writer_open(const char* path, pk_xspace_writer** out, pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!path) return null_argument("path");
    if (!out) return null_argument("out");
    result<std::unique_ptr<profkit::sink>> file = profkit::atomic_file_sink(path);
    if (!file) return std::move(file).error();
    *out = std::make_unique<pk_xspace_writer>(std::move(*file)).release();
    return PK_OK;
  });
}

void pk_xspace_note(pk_xspace_writer* writer, int32_t kind, pk_str text) noexcept {
  if (!writer) return;
  if (kind == PK_NOTE_HOSTNAME) writer->core.add_hostname(given_text(text));
  if (kind == PK_NOTE_ERROR) writer->core.add_error(given_text(text));
  if (kind == PK_NOTE_WARNING) writer->core.add_warning(given_text(text));
}

void pk_xspace_begin_plane(pk_xspace_writer* writer, pk_str name, int64_t id) noexcept {
  if (writer) writer->core.begin_plane(given_text(name), id);
}
void pk_xspace_end_plane(pk_xspace_writer* writer) noexcept {
  if (writer) writer->core.end_plane();
}
int64_t pk_xspace_event_metadata(pk_xspace_writer* writer, pk_str name, pk_str display_name) noexcept {
  return writer ? writer->core.event_metadata(given_text(name), given_text(display_name)) : 0;
}
int64_t pk_xspace_stat_metadata(pk_xspace_writer* writer, pk_str name) noexcept {
  return writer ? writer->core.stat_metadata(given_text(name)) : 0;
}
void pk_xspace_metadata_stat(pk_xspace_writer* writer, int64_t event_metadata, int64_t stat_metadata,
                             const pk_value* value) noexcept {
  if (writer) writer->core.add_metadata_stat(event_metadata, stat_metadata, value_of(value));
}
void pk_xspace_plane_stat(pk_xspace_writer* writer, int64_t stat_metadata, const pk_value* value) noexcept {
  if (writer) writer->core.add_plane_stat(stat_metadata, value_of(value));
}
void pk_xspace_begin_line(pk_xspace_writer* writer, int64_t id, pk_str name, int64_t timestamp_ns) noexcept {
  if (!writer) return;
  profkit::line_to_write line;
  line.id = id;
  line.name = given_text(name);
  line.timestamp_ns = timestamp_ns;
  writer->core.begin_line(line);
}
void pk_xspace_end_line(pk_xspace_writer* writer) noexcept {
  if (writer) writer->core.end_line();
}
void pk_xspace_event(pk_xspace_writer* writer, int64_t event_metadata, int64_t offset_ps,
                     int64_t duration_ps) noexcept {
  if (writer) writer->core.add_event(event_metadata, offset_ps, duration_ps);
}
void pk_xspace_event_stat(pk_xspace_writer* writer, int64_t stat_metadata, const pk_value* value) noexcept {
  if (writer) writer->core.add_event_stat(stat_metadata, value_of(value));
}

pk_status pk_xspace_writer_status(const pk_xspace_writer* writer) noexcept {
  if (!writer) return PK_E_INVALID_ARGUMENT;
  const profkit::fault* const failed = writer->core.failed();
  return failed ? static_cast<pk_status>(failed->code) : PK_OK;
}

pk_status pk_xspace_writer_finish(pk_xspace_writer* writer, pk_error** err) noexcept {
  return guard(err, [&]() -> result<pk_status> {
    if (!writer) return null_argument("writer");
    if (writer->finished) return invalid_argument("this writer was finished before");
    writer->finished = true;
    if (result<void> done = writer->core.finish(); !done) return std::move(done).error();
    if (result<void> done = writer->into->finish(); !done) return std::move(done).error();
    return PK_OK;
  });
}

void pk_xspace_writer_free(pk_xspace_writer* writer) noexcept { delete writer; }
