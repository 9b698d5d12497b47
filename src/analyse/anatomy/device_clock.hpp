// The times of ops by the device's own clock. A profiler fits them to the host's clock for the timeline, which stretches
// and squeezes them: what an op took is what the device says, where its events do.
#pragma once
#include <profkit/core/anatomy.hpp>
#include <read/event_row.hpp>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Puts device times in the place of aligned ones, event by event. Nesting needs one clock: starts are those of the device
// only where every event of the line has one, which the first event promises.
class device_clock {
 public:
  // `aligned_starts`: whether it is known that events break that promise.
  explicit device_clock(bool aligned_starts) : starts_(aligned_starts ? starts::aligned : starts::unknown) {}

  // `offset` and `duration`: the stats device_offset_ps and device_duration_ps of the event, empty where it has none.
  void apply(event_row& row, std::string_view offset, std::string_view duration) noexcept;

  [[nodiscard]] bool takes_starts() const noexcept { return starts_ == starts::device; }
  // An event broke the promise: the line has to be read again, with aligned starts.
  [[nodiscard]] bool is_contradicted() const noexcept { return contradicted_; }
  [[nodiscard]] ops_clock clock() const noexcept {
    if (!any_duration_) return ops_clock::aligned;
    return all_durations_ && starts_ != starts::aligned ? ops_clock::device : ops_clock::mixed;
  }

 private:
  enum class starts : unsigned char { unknown, device, aligned };
  starts starts_;
  bool contradicted_ = false, any_duration_ = false, all_durations_ = true;
};

// Hands events on in the order of their starts where none lies more than `reach` places from its own: a device's clock
// has the events of a real capture up to four places from where the aligned one has them.
class start_order {
 public:
  // Calls take(rows, count).
  template <class Take>
  void add(const event_row* rows, std::size_t count, Take&& take) {
    for (const event_row* row = rows; row != rows + count; ++row) {
      if ((row->flags & event_has_occurrences) != 0)
        take(row, std::size_t{1});  // without a place in time
      else
        insert(*row);
    }
    if (held_.size() <= reach) return;
    const std::size_t ready = held_.size() - reach;
    take(held_.data(), ready);
    held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(ready));
  }
  template <class Take>
  void finish(Take&& take) {
    take(held_.data(), held_.size());
    held_.clear();
  }

 private:
  static constexpr std::size_t reach = 64;
  void insert(const event_row& row);
  std::vector<event_row> held_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
