// Writes Perfetto's protobuf trace: any timeline that has tracks, slices, counters and flows.
#pragma once
#include <profkit/core/result.hpp>
#include <profkit/core/sink.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// One trace, packet by packet, in bounded memory but for the names, which are interned. Slices of a track must nest:
/// use one track for each row of overlapping events. Times are ps; the format holds ns, so they are rounded down,
/// which keeps nesting. The first fault is kept: later calls do nothing, and finish() gives it. Not thread-safe.
///
/// Source of the format: Perfetto's published protos (trace_packet, track_event, track_descriptor, interned_data, clock_snapshot).
class perfetto_writer {
 public:
  /// What `base_ns` is: no known time, or the Unix time of zero. The trace then says so for each machine, in a snapshot of its clocks.
  enum class base { unknown, unix_time };
  /// Borrows the sink. `base_ns` is added to every time, which must not be negative then.
  explicit perfetto_writer(sink& into, std::uint64_t base_ns = 0, base what = base::unknown);
  ~perfetto_writer();
  perfetto_writer(perfetto_writer&&) noexcept;
  perfetto_writer& operator=(perfetto_writer&&) noexcept;

  /// Whose what follows is, processes and events alike: 0, as at first, for the machine of a trace of one, else a number of the
  /// caller's. All machines have one time. An event is written on the machine of its track.
  void use_machine(std::uint32_t machine);
  /// A group of tracks: a device, a host, a process.
  std::uint64_t add_process(std::string_view name);
  /// A row of slices below a process.
  std::uint64_t add_track(std::uint64_t process, std::string_view name);
  /// A curve below a process.
  std::uint64_t add_counter(std::uint64_t process, std::string_view name, std::string_view unit = {});

  /// Opens a slice; what follows until the next slice, instant or value belongs to it.
  void begin_slice(std::uint64_t track, std::int64_t start_ps, std::string_view name);
  /// Ends the innermost open slice of the track.
  void end_slice(std::uint64_t track, std::int64_t end_ps);
  void instant(std::uint64_t track, std::int64_t at_ps, std::string_view name);
  void set_counter(std::uint64_t counter, std::int64_t at_ps, std::int64_t value);
  void set_counter(std::uint64_t counter, std::int64_t at_ps, double value);

  /// Arguments of the slice or instant that was opened last. Shared text is interned: for what many events say.
  void add_argument(std::string_view name, std::int64_t value);
  void add_argument(std::string_view name, std::uint64_t value);
  void add_argument(std::string_view name, double value);
  void add_argument(std::string_view name, std::string_view text, bool shared = false);
  /// Joins the events that carry the same number by arrows, in the order of their times.
  void add_flow(std::uint64_t flow);

  /// Times that lay before `base_ns` allows and were written as 0.
  [[nodiscard]] std::uint64_t clamped() const noexcept;
  [[nodiscard]] const fault* failed() const noexcept;
  /// Writes what is open and gives the first fault. Does not finish the sink.
  result<void> finish();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
