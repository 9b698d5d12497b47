// The times of ops by the device's own clock. A profiler fits them to the host's clock for the timeline, which
// stretches and squeezes them: what an op took is what the device says, where its events do.
#pragma once
#include <profkit/core/event_row.hpp>
#include <profkit/core/ops.hpp>
#include <profkit/xspace.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Puts device times in the place of aligned ones, event by event. Nesting needs one clock: starts are those of the
// device only where every event of the line has one, which the first event promises.
class device_clock {
 public:
  // `aligned_starts`: whether it is known that events break that promise.
  explicit device_clock(bool aligned_starts) : starts_(aligned_starts ? starts::aligned : starts::unknown) {}

  // `offset` and `duration`: the stats device_offset_ps and device_duration_ps of the event.
  void apply(event_row& row, const stat_view& offset, const stat_view& duration) noexcept;

  [[nodiscard]] bool takes_starts() const noexcept { return starts_ == starts::device; }
  // An event broke the promise: the line has to be read again, with aligned starts.
  [[nodiscard]] bool is_contradicted() const noexcept { return contradicted_; }
  // Whether aligned starts are in order, as far as starts are the device's.
  [[nodiscard]] bool in_order() const noexcept { return in_order_; }
  [[nodiscard]] ops_clock clock() const noexcept {
    if (!any_duration_) return ops_clock::aligned;
    return all_durations_ && starts_ != starts::aligned ? ops_clock::device : ops_clock::mixed;
  }

 private:
  enum class starts : unsigned char { unknown, device, aligned };
  starts starts_;
  bool contradicted_ = false, any_duration_ = false, all_durations_ = true, in_order_ = true;
  std::int64_t last_aligned_ps_ = std::numeric_limits<std::int64_t>::min();
};

// Puts events in the order of their starts by the device's clock, in which real captures have them up to four places
// from where aligned starts have them. A start that lies before all within reach is one of a clock that began anew: what
// follows is placed after all that was before. Only for lines whose aligned starts are in order.
class start_order {
 public:
  // Calls take(rows, count).
  template <class Take>
  void add(const event_row* rows, std::size_t count, Take&& take) {
    hold(rows, count);
    take(held_.data(), ready_);
    held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(ready_));
    ready_ = 0;
  }
  template <class Take>
  void finish(Take&& take) {
    take(held_.data(), held_.size());
    held_.clear();
  }

 private:
  static constexpr std::size_t reach = 16;
  void hold(const event_row* rows, std::size_t count);
  void place(std::size_t at);

  std::vector<event_row> held_;
  std::size_t ready_ = 0;  // of those held, the first ones, which nothing goes before any more
  std::int64_t last_ready_ps_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t end_ps_ = std::numeric_limits<std::int64_t>::min();  // of all
  std::int64_t base_ps_ = 0;                                        // what the clock's beginning anew adds to starts
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
