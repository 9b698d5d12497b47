// One line of a trace, read once to learn how large it becomes, and again to write it.
#pragma once
#include "alignment.hpp"
#include "event_bytes.hpp"
#include "segment_value.hpp"

#include <profkit/time.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// How the times of a line become corrected ones.
struct line_correction {
  enum class how : std::uint8_t { tracer, host, shift };
  how kind = how::shift;
  std::int64_t base_ps = 0;      // from the event's offset to the clock's own ps; shift: to corrected ps
  std::int64_t to_local_ps = 0;  // what S, relative to its base, lies ahead of corrected zero's base
  const node_clock* clock = nullptr;
};

// Corrected times lie within this, so that the difference of any two of them is an int64.
inline constexpr std::int64_t max_corrected_ps = piecewise_map::max_value_ps - ps_per_us;
__extension__ using wide_sum = __int128;

// The state in which the events of a line are written, one after another.
class line_mapper {
 public:
  explicit line_mapper(const line_correction& how) noexcept : how_(how) {}

  // Corrected time of an offset, never before the last one when the line is in order. False: it is out of reach.
  PROFKIT_ALWAYS_INLINE bool place(std::int64_t offset_ps, bool in_order, std::int64_t& at_ps, bool& clamped) noexcept {
    clamped = false;
    if (PROFKIT_LIKELY(quick_.holds(offset_ps))) {
      at_ps = quick_(offset_ps);
    } else if (!place_slowly(offset_ps, at_ps)) {
      return false;
    }
    if (!in_order) return true;
    clamped = at_ps < last_ps_;
    if (clamped) at_ps = last_ps_;
    last_ps_ = at_ps;
    return true;
  }
  // S of an offset that was placed, of a line that has a clock.
  PROFKIT_ALWAYS_INLINE std::int64_t host_time(std::int64_t offset_ps) noexcept {
    if (how_.kind == line_correction::how::host) return offset_ps + how_.base_ps;
    return PROFKIT_LIKELY(quick_local_.holds(offset_ps)) ? quick_local_(offset_ps) : host_time_slowly(offset_ps);
  }
  // No guard, no state: of an end of an event.
  [[nodiscard]] bool map(std::int64_t offset_ps, std::int64_t& at_ps) const noexcept;

  [[nodiscard]] std::int64_t last_ps() const noexcept { return last_ps_; }
  void resume(std::int64_t last_ps) noexcept { last_ps_ = last_ps; }

 private:
  PROFKIT_NOINLINE bool place_slowly(std::int64_t offset_ps, std::int64_t& at_ps) noexcept;
  PROFKIT_NOINLINE std::int64_t host_time_slowly(std::int64_t offset_ps) noexcept;

  line_correction how_;
  quick_segment quick_, quick_local_;  // in terms of offsets
  std::int64_t last_ps_ = std::numeric_limits<std::int64_t>::min();
};

// From where a line can be written on, without what stands before.
struct line_mark {
  std::uint64_t at = 0;          // of an event's tag, in the line
  std::uint64_t written_at = 0;  // of its bytes, in all of the line's events as they will be written
  std::int64_t last_ps = 0;
};

// What one look at a line finds.
struct line_facts {
  std::int64_t id = 0, timestamp_ns = 0, display_id = 0;
  std::string_view name, display_name;
  std::uint64_t events = 0;
  std::uint64_t event_bytes = 0;  // of all events as they will be written, tags and lengths included
  std::uint64_t other_bytes = 0;  // of fields that are copied
  bool in_order = true;
  bool usual = true;             // every event is of the usual shape
  std::vector<line_mark> marks;  // of a long line that is in order

  std::int64_t least_ps = std::numeric_limits<std::int64_t>::max();
  std::int64_t most_ps = std::numeric_limits<std::int64_t>::min();
  std::uint64_t placed_events = 0, clamped = 0, snapshot_extrapolated = 0, offset_extrapolated = 0, out_of_reach = 0;
  std::int64_t greatest_correction_ps = std::numeric_limits<std::int64_t>::min();
  std::int64_t min_correction_ps = std::numeric_limits<std::int64_t>::max();
  wide_sum correction_sum_ps = 0;
  std::optional<std::uint64_t> damage, unreachable;  // where, in the line
  std::optional<fault> stopped;                      // by the caller
};

struct line_rules {
  std::int64_t zero_ps = 0;  // corrected time that becomes 0
  bool keep_order = false;
  bool scale_durations = false;
  std::uint64_t bytes_between_marks = std::uint64_t{1} << 20;
};

// The fields of a line before its first event, and their count of bytes: enough to know its time base.
line_facts read_line_head(std::string_view body) noexcept;

// Reads the whole line. An unsorted line is only found to be so: survey_unsorted() has to follow.
// `passed` is called for every piece that was read, and may stop it.
using passed_piece = std::function<result<void>(std::uint64_t from, std::uint64_t to)>;
line_facts survey_line(std::string_view body, const line_correction& clock, const line_rules& rules,
                       const passed_piece& passed);
// The part of the facts that depends on the order of the events, for a line that is not in order.
void survey_unsorted(std::string_view body, const line_correction& clock, const line_rules& rules, line_facts& facts);

// Where events are written to: `take` gets whole events, a buffer at a time.
class event_output {
 public:
  virtual ~event_output() = default;
  virtual result<void> take(std::string_view bytes) = 0;
};

// So many bytes past the events may be written over, too: short events are copied in long steps.
inline constexpr std::size_t write_slack_bytes = 128;

// Writes the events of a line in order, from one mark to the next (or the end), to where there is room for exactly
// their bytes.
void write_events(std::string_view body, const line_correction& clock, const line_rules& rules, const line_facts& facts,
                  std::size_t mark, char* to);
[[nodiscard]] std::uint64_t written_bytes(const line_facts& facts, std::size_t mark) noexcept;
// Writes the events of an unsorted line in the order of their starts (longer ones first).
result<void> write_unsorted(std::string_view body, const line_correction& clock, const line_rules& rules,
                            std::uint64_t events, event_output& into);

// Whether a field of a line is copied as it is.
[[nodiscard]] constexpr bool is_copied_line_field(std::uint32_t number) noexcept {
  return number != 1 && number != 2 && number != 3 && number != 4 && number != 10 && number != 11;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
