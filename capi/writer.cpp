#include <profkit/core/xspace_writer.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "options.hpp"
#include "text.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

// Asks the host whether to go on: for cancelling at all bytes, for progress when 50 ms went by.
class asking_sink final : public sink {
 public:
  asking_sink(std::unique_ptr<sink> to, const hooks& host) : to_(std::move(to)), host_(host) {}
  result<void> write(std::string_view bytes) override {
    if (stopped_) return stopped();
    if (host_.cancel && host_.cancel->load(std::memory_order_relaxed)) return stopped();
    written_ += bytes.size();
    if (host_.progress) {
      const auto now = std::chrono::steady_clock::now();
      if (now - asked_ >= std::chrono::milliseconds(50)) {
        asked_ = now;
        if (host_.progress(host_.user, written_, 0) != 0) return stopped();
      }
    }
    return to_->write(bytes);
  }
  result<void> finish() override {
    if (stopped_ || (host_.cancel && host_.cancel->load(std::memory_order_relaxed))) return stopped();
    return to_->finish();
  }

 private:
  fault stopped() {
    stopped_ = true;
    return {fault_code::cancelled, "the host stopped the writing", {}, no_offset, {}};
  }
  std::unique_ptr<sink> to_;
  hooks host_;
  std::uint64_t written_ = 0;
  std::chrono::steady_clock::time_point asked_{};
  bool stopped_ = false;
};

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

struct pk_xspace_writer {
  pk_xspace_writer(std::unique_ptr<profkit::capi::hook_bridge> host, std::unique_ptr<profkit::sink> to, std::uint64_t max_plane_bytes)
      : bridge(std::move(host)), into(std::move(to)), core(*into, max_plane_bytes) {}
  std::unique_ptr<profkit::capi::hook_bridge> bridge;
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

// No value, or one of an unknown kind, makes a stat without a value.
stat_value value_of(const pk_value* value) noexcept {
  stat_value v;
  if (!value || value->kind < PK_VALUE_DOUBLE || value->kind > PK_VALUE_REF) return v;
  v.kind = static_cast<stat_kind>(value->kind);
  v.scalar = value->bits;
  v.text = text_in(value->text);
  return v;
}

// A writer into what `open()` gives.
template <class Open>
pk_status open_writer(const pk_writer_options* options, pk_xspace_writer** out, pk_error** err, Open&& open) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!out) return null_argument("out");
    result<pk_writer_options> given = read_sized_struct<pk_writer_options>(options, "pk_writer_options");
    if (!given) return std::move(given).error();
    if ((given->flags & ~std::uint32_t{PK_WRITER_GZIP}) != 0) return unknown_flags("pk_writer_options", given->flags);
    auto bridge = std::make_unique<hook_bridge>();
    if (result<void> taken = bridge->take(given->hooks); !taken) return std::move(taken).error();
    result<std::unique_ptr<sink>> into = open();
    if (!into) return std::move(into).error();
    const hooks& host = bridge->core();
    if ((given->flags & PK_WRITER_GZIP) != 0) *into = gzip_sink(std::move(*into), host.threads);
    if (host.cancel || host.progress) *into = std::make_unique<asking_sink>(std::move(*into), host);
    *out = new pk_xspace_writer(std::move(bridge), std::move(*into), limit_of(given->max_plane_bytes, 0));
    return PK_OK;
  });
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_xspace_writer_new(const pk_writer_options* options, pk_write_callback write, void* user, pk_xspace_writer** out,
                               pk_error** err) noexcept {
  return open_writer(options, out, err, [&]() -> result<std::unique_ptr<profkit::sink>> {
    if (!write) return null_argument("write");
    return profkit::callback_sink(write, user);
  });
}

pk_status pk_xspace_writer_open(const pk_writer_options* options, const char* path, pk_xspace_writer** out,
                                pk_error** err) noexcept {
  return open_writer(options, out, err, [&]() -> result<std::unique_ptr<profkit::sink>> {
    if (!path) return null_argument("path");
    return profkit::atomic_file_sink(path);
  });
}

void pk_xspace_writer_note(pk_xspace_writer* writer, int32_t kind, pk_str text) noexcept {
  if (!writer) return;
  if (kind == PK_NOTE_HOSTNAME) writer->core.add_hostname(text_in(text));
  if (kind == PK_NOTE_ERROR) writer->core.add_error(text_in(text));
  if (kind == PK_NOTE_WARNING) writer->core.add_warning(text_in(text));
}

void pk_xspace_writer_begin_plane(pk_xspace_writer* writer, pk_str name, int64_t id) noexcept {
  if (writer) writer->core.begin_plane(text_in(name), id);
}
void pk_xspace_writer_end_plane(pk_xspace_writer* writer) noexcept {
  if (writer) writer->core.end_plane();
}
int64_t pk_xspace_writer_event_metadata(pk_xspace_writer* writer, pk_str name, pk_str display_name) noexcept {
  return writer ? writer->core.event_metadata(text_in(name), text_in(display_name)) : 0;
}
int64_t pk_xspace_writer_stat_metadata(pk_xspace_writer* writer, pk_str name) noexcept {
  return writer ? writer->core.stat_metadata(text_in(name)) : 0;
}
void pk_xspace_writer_metadata_stat(pk_xspace_writer* writer, int64_t event_metadata, int64_t stat_metadata,
                             const pk_value* value) noexcept {
  if (writer) writer->core.add_metadata_stat(event_metadata, stat_metadata, value_of(value));
}
void pk_xspace_writer_plane_stat(pk_xspace_writer* writer, int64_t stat_metadata, const pk_value* value) noexcept {
  if (writer) writer->core.add_plane_stat(stat_metadata, value_of(value));
}
void pk_xspace_writer_begin_line(pk_xspace_writer* writer, int64_t id, pk_str name, int64_t timestamp_ns) noexcept {
  if (!writer) return;
  profkit::line_to_write line;
  line.id = id;
  line.name = text_in(name);
  line.timestamp_ns = timestamp_ns;
  writer->core.begin_line(line);
}
void pk_xspace_writer_end_line(pk_xspace_writer* writer) noexcept {
  if (writer) writer->core.end_line();
}
void pk_xspace_writer_event(pk_xspace_writer* writer, int64_t event_metadata, int64_t offset_ps,
                     int64_t duration_ps) noexcept {
  if (writer) writer->core.add_event(event_metadata, offset_ps, duration_ps);
}
void pk_xspace_writer_event_stat(pk_xspace_writer* writer, int64_t stat_metadata, const pk_value* value) noexcept {
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
