// A capture that a host pushes: the core's reader, whose visitor calls the host's functions.
#include <profkit/core/xspace_push.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "options.hpp"
#include "profile.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

using note_kind = xspace_push_visitor::note_kind;

// Stack space of a batch that is handed on.
constexpr std::size_t pushed_at_once = 256;

pk_pushed_line to_line(const pushed_line& line) noexcept {
  return {line.plane,
          line.line,
          line.id,
          line.display_id,
          borrowed(line.name),
          borrowed(line.display_name),
          line.timestamp_ns,
          line.duration_ps,
          line.event_count,
          line.was_changed ? std::uint32_t{PK_PUSHED_LINE_CHANGED} : 0U,
          0};
}

class host_visitor final : public xspace_push_visitor {
 public:
  explicit host_visitor(const pk_push_callbacks& host) noexcept : host_(host) {}

  bool plane_begin(const pushed_plane& plane) override {
    const pk_pushed_plane known{plane.plane, 0, plane.id, borrowed(plane.name)};
    return goes_on(host_.plane_begin, &known);
  }
  bool line_begin(const pushed_line& line) override {
    const pk_pushed_line known = to_line(line);
    return goes_on(host_.line_begin, &known);
  }
  bool events(const pushed_line& line, const event_row* rows, std::size_t count) override {
    if (host_.events == nullptr) return true;
    pk_pushed_line known = to_line(line);
    std::array<pk_event, pushed_at_once> events;
    while (count != 0) {
      const std::size_t some = std::min(count, events.size());
      for (std::size_t i = 0; i < some; ++i)
        events[i] = {rows[i].metadata_id, 0, rows[i].offset_ps, rows[i].duration_ps, rows[i].num_occurrences,
                     rows[i].stats, rows[i].stats_bytes, rows[i].flags};
      if (host_.events(host_.user, &known, events.data(), some) != 0) return false;
      known.event_count += some;
      rows += some;
      count -= some;
    }
    return true;
  }
  bool line_end(const pushed_line& line) override {
    const pk_pushed_line known = to_line(line);
    return goes_on(host_.line_end, &known);
  }
  bool plane_end(std::uint32_t plane, const held_bytes& rest) override {
    if (host_.plane_end == nullptr) return true;
    auto opened = profile::open_buffer(rest.bytes, "plane.xplane.pb");
    if (!opened) throw std::runtime_error("the rest of a plane cannot be opened: " + opened.error().message);
    const std::unique_ptr<pk_profile, void (*)(pk_profile*) noexcept> handle(handle_of(std::move(*opened)).release(), pk_profile_free);
    handle->owner = rest.owner;
    return host_.plane_end(host_.user, plane, handle.get()) == 0;
  }
  bool note(note_kind kind, std::string_view text) override {
    const pk_str borrowed_text = borrowed(text);
    return host_.note == nullptr || host_.note(host_.user, static_cast<std::int32_t>(kind), &borrowed_text) == 0;
  }
  bool damage(const fault& why) override {
    if (host_.damage == nullptr) return true;
    const owned_error error(why);
    return host_.damage(host_.user, &error) == 0;
  }

 private:
  template <class Known>
  [[nodiscard]] bool goes_on(std::int32_t (*call)(void*, const Known*), const Known* known) const {
    return call == nullptr || call(host_.user, known) == 0;
  }

  const pk_push_callbacks host_;
};

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

struct pk_xspace_push {
  profkit::capi::host_visitor visitor;
  profkit::xspace_push_reader reader;
  pk_xspace_push(const pk_push_callbacks& host, profkit::xspace_push_options options)
      : visitor(host), reader(visitor, std::move(options)) {}
};

using namespace profkit::capi;
using profkit::result;

pk_status pk_xspace_push_new(const pk_push_callbacks* callbacks, const pk_push_options* options, pk_xspace_push** out,
                             pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!callbacks) return null_argument("callbacks");
    if (!out) return null_argument("out");
    const auto host = read_sized_struct<pk_push_callbacks>(callbacks, "pk_push_callbacks");
    if (!host) return host.error();
    if (host->reserved != 0) return invalid_argument("pk_push_callbacks::reserved is not 0");
    const auto given = read_sized_struct<pk_push_options>(options, "pk_push_options");
    if (!given) return given.error();
    if (given->flags != 0) return unknown_flags("pk_push_options", given->flags);
    if (!given->label.data && given->label.size != 0) return null_argument("label.data");
    profkit::xspace_push_options known;
    if (given->label.size != 0) known.label.assign(given->label.data, given->label.size);
    auto bounds = read_limits(given->limits);
    if (!bounds) return std::move(bounds).error();
    known.bounds = *bounds;
    *out = std::make_unique<pk_xspace_push>(*host, std::move(known)).release();
    return PK_OK;
  });
}

pk_status pk_xspace_push_bytes(pk_xspace_push* push, const void* data, size_t size, pk_error** err) noexcept {
  return guard(err, [&]() -> result<pk_status> {
    if (!push) return null_argument("push");
    if (!data && size != 0) return null_argument("data");
    result<void> pushed = push->reader.push({static_cast<const char*>(data), size});
    if (!pushed) return std::move(pushed).error();
    return PK_OK;
  });
}

pk_status pk_xspace_push_finish(pk_xspace_push* push, pk_error** err) noexcept {
  return guard(err, [&]() -> result<pk_status> {
    if (!push) return null_argument("push");
    result<void> done = push->reader.finish();
    if (!done) return std::move(done).error();
    return PK_OK;
  });
}

void pk_xspace_push_free(pk_xspace_push* push) noexcept { delete push; }
