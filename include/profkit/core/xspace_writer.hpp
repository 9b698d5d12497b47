// Writes an XSpace: what a profiler needs to leave a capture that profkit, XProf and TensorBoard open.
#pragma once
#include <profkit/core/result.hpp>
#include <profkit/core/sink.hpp>
#include <profkit/xspace.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// The value of a stat that is to be written. Text is borrowed for the length of the call it is given to.
struct stat_value {
  stat_kind kind = stat_kind::none;
  std::uint64_t scalar = 0;  ///< an integer, the bits of a double, or the id of stat metadata (ref_value)
  std::string_view text;     ///< of str_value and bytes_value

  static stat_value of_double(double value) noexcept;
  static stat_value of_uint64(std::uint64_t value) noexcept { return {stat_kind::uint64_value, value, {}}; }
  static stat_value of_int64(std::int64_t value) noexcept {
    return {stat_kind::int64_value, static_cast<std::uint64_t>(value), {}};
  }
  static stat_value of_text(std::string_view value) noexcept { return {stat_kind::str_value, 0, value}; }
  static stat_value of_bytes(std::string_view value) noexcept { return {stat_kind::bytes_value, 0, value}; }
  /// A text that many events share: xspace_writer::stat_metadata() of the text.
  static stat_value of_ref(std::int64_t stat_metadata) noexcept {
    return {stat_kind::ref_value, static_cast<std::uint64_t>(stat_metadata), {}};
  }
};

/// What a line is called and which instant its events count from.
struct line_to_write {
  std::int64_t id = 0;
  std::string_view name;
  std::int64_t timestamp_ns = 0;  ///< base of the events' offsets: Unix ns, or ns since the profile's start
  std::int64_t display_id = 0;    ///< 0: none, viewers take the id
  std::string_view display_name;  ///< "": none, viewers take the name
};

/// One XSpace, written plane by plane, line by line, event by event:
///
///   begin_plane()  { begin_line()  { add_event() add_event_stat()* }*  end_line() }*  add_plane_stat()*  end_plane()
///
/// Metadata may be interned and given stats at any time while the plane is open. A plane is held in memory until it
/// ends, because its size stands before it in the file; nothing else is. The first fault, of the sink or of a call
/// out of place, is kept: later calls do nothing, and finish() gives it. Not thread-safe.
class xspace_writer {
 public:
  /// Borrows the sink. A plane that takes more than `max_plane_bytes` before it ends is a `limit`; 0: no bound.
  explicit xspace_writer(sink& into, std::uint64_t max_plane_bytes = 0);
  ~xspace_writer();
  xspace_writer(xspace_writer&&) noexcept;
  xspace_writer& operator=(xspace_writer&&) noexcept;

  /// Names of the hosts that were profiled, and remarks of the profiler. Not while a plane is open.
  void add_hostname(std::string_view name);
  void add_error(std::string_view text);
  void add_warning(std::string_view text);

  void begin_plane(std::string_view name, std::int64_t id = 0);
  void add_plane_stat(std::int64_t stat_metadata, const stat_value& value);
  void end_plane();

  /// The id of the event metadata of that name in the open plane, counted from 1 in the order of first sight; 0 when
  /// no plane is open. The display name is that of the first call.
  std::int64_t event_metadata(std::string_view name, std::string_view display_name = {});
  /// Event metadata of its own, for operations that share a name: each call gives a new id.
  std::int64_t add_event_metadata(std::string_view name, std::string_view display_name = {});
  /// A fact that all executions of an operation share.
  void add_metadata_stat(std::int64_t event_metadata, std::int64_t stat_metadata, const stat_value& value);
  /// Opaque bytes of the operation, such as an HloProto on the plane "/host:metadata".
  void set_metadata_bytes(std::int64_t event_metadata, std::string_view bytes);
  /// The id of the name of a stat, or of a text for stat_value::of_ref(), counted like event metadata.
  std::int64_t stat_metadata(std::string_view name, std::string_view description = {});

  void begin_line(const line_to_write& line);
  void add_event(std::int64_t event_metadata, std::int64_t offset_ps, std::int64_t duration_ps);
  /// Several executions without a place in time; `duration_ps` is that of all.
  void add_aggregate(std::int64_t event_metadata, std::int64_t num_occurrences, std::int64_t duration_ps);
  /// A fact of the event that was added last.
  void add_event_stat(std::int64_t stat_metadata, const stat_value& value);
  void end_line();

  /// The first fault so far; nullptr while all is well.
  [[nodiscard]] const fault* failed() const noexcept;
  /// Ends what is open and gives the first fault. Does not finish the sink. Faults: invalid_argument (a call out of
  /// place, an id that was never given), out_of_memory, those of the sink.
  result<void> finish();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
