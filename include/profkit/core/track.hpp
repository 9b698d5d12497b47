// Tracks and the events on them, as readers of traces and tables give them; times in ps relative to the capture origin.
#pragma once
#include <profkit/core/result.hpp>
#include <profkit/core/source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// enum plane_kind: written by scripts/generate
/// What a plane (a process in Chrome terms) stands for.
enum class plane_kind : std::uint8_t {
  device,
  host,
  metadata,    ///< carries compiled modules
  custom,
  environment,
  other
};
[[nodiscard]] const char* plane_kind_name(plane_kind value) noexcept;  ///< "device", "host", …
// end of enum plane_kind
// enum line_kind: written by scripts/generate
/// What the events of a line mean. `derived` lines repeat the time of another line (TC Overlay, Framework Ops,
/// negative GPU line ids) and are never summed with it.
enum class line_kind : std::uint8_t {
  steps,
  modules,
  ops,
  async,
  stream,
  derived, ///< repeats the time of another line: never sum it with that
  counter,
  thread,
  other
};
[[nodiscard]] const char* line_kind_name(line_kind value) noexcept;  ///< "steps", "modules", …
// end of enum line_kind
/// Classification by name, from one table with sources (src/core/formats/xspace/line_kinds.cpp). `line_id` marks GPU
/// derived lines (negative ids on a device plane).
[[nodiscard]] plane_kind classify_plane(std::string_view plane_name) noexcept;
[[nodiscard]] line_kind classify_line(plane_kind plane, std::string_view line_name, std::int64_t line_id) noexcept;
/// N of "/device:TPU:N" or "/device:GPU:N …"; -1 when the name has none.
[[nodiscard]] std::int32_t device_ordinal(std::string_view plane_name) noexcept;

using string_id = std::uint32_t;  ///< of a text that a sink or an activity interned; 0 is ""
using track_id = std::uint32_t;

/// One line of events. Positions are those in the file: ids repeat in real files.
struct track {
  std::uint32_t file = 0;
  std::int32_t plane = -1, line = -1;  ///< position in the file; -1 when the format has no such level
  plane_kind plane_type = plane_kind::other;
  line_kind line_type = line_kind::other;
  std::int32_t device = -1;  ///< device ordinal, -1 on hosts
  std::int64_t stream = -1;  ///< stream or thread id where the format has one
  string_id host = 0, plane_name = 0, line_name = 0;
  string_id plane_id = 0, line_id = 0;     ///< pid and tid as written, where names may be missing
  string_id unit = 0;                      ///< of a counter's values
  std::optional<std::int64_t> sort_index;  ///< where viewers put the line among those of its plane
};

/// An arrow joins the slices that lie where its events are; those of one arrow have the same texts `cat`, `name`, `id`.
enum class track_event_kind : std::uint8_t { span, instant, value, arrow_start, arrow_step, arrow_end };

struct track_event {
  std::int64_t start_ps = 0;     ///< relative to the capture origin
  std::int64_t duration_ps = 0;  ///< 0: instant
  string_id name = 0;
  track_event_kind kind = track_event_kind::span;
  std::uint64_t source_row = 0;  ///< byte offset (protobuf), ordinal (JSON) or row (tables) in the file
  std::string_view text;         ///< with tracks_wanted::texts: a JSON object whose `cat`, `name`, `id`, `args` say more
};

/// What a reader hands over beyond tracks, times and names.
struct tracks_wanted {
  bool texts = false;           ///< track_event::text, and arrows
  const hooks* host = nullptr;  ///< null: those that the profile was opened with
};

/// Where readers put what they read. intern() may be called at any time; tracks before their events.
class track_sink {
 public:
  virtual ~track_sink() = default;
  virtual string_id intern(std::string_view text) = 0;
  virtual track_id add_track(const track& t) = 0;
  virtual result<void> add_events(track_id on, const track_event* events, std::size_t count) = 0;
  /// All that is known of a track at the end, for files whose names may come after their events.
  virtual void settle(track_id of, const track& t) = 0;
  /// Keeps a text of events that stands nowhere in the bytes of the file; asked for under tracks_wanted::texts alone.
  virtual std::string_view keep(std::string_view /*text*/) { return {}; }
};

/// What was read, held: 48 bytes an event and its texts, in the order they came, by track.
class track_list final : public track_sink {
 public:
  track_list();
  ~track_list() override;
  track_list(track_list&&) noexcept;
  track_list& operator=(track_list&&) noexcept;

  string_id intern(std::string_view text) override;
  track_id add_track(const track& t) override;
  result<void> add_events(track_id on, const track_event* events, std::size_t count) override;
  void settle(track_id of, const track& t) override;
  std::string_view keep(std::string_view text) override;

  [[nodiscard]] std::string_view text(string_id id) const noexcept;
  [[nodiscard]] const std::vector<track>& tracks() const noexcept;
  [[nodiscard]] const std::vector<track_event>& events(track_id on) const noexcept;
  [[nodiscard]] std::uint64_t event_count() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
