// What an inventory says of one line, from its events in file order and without its time, which may be recorded after
// them.
#pragma once
#include <profkit/core/event_row.hpp>
#include <profkit/time.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class line_counter {
 public:
  // `readable_end`: bytes up to there may be read. Gives where the stats begin of the first of these events that has a
  // damaged one, else null. Looks into every stat, so that the inventory reports damage anywhere in a file.
  const char* add(const event_row* rows, std::size_t count, const char* readable_end) noexcept;

  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  [[nodiscard]] std::uint64_t event_stats() const noexcept { return event_stats_; }
  // Negative durations count as 0; the sum stops at the end of int64.
  [[nodiscard]] std::int64_t duration_sum_ps() const noexcept { return duration_sum_ps_; }
  [[nodiscard]] std::uint64_t negative_durations() const noexcept { return negative_durations_; }
  [[nodiscard]] bool sum_stopped() const noexcept { return duration_sum_ps_ == most_ps; }

  // Whether any event has an offset.
  [[nodiscard]] bool has_placed() const noexcept { return placed_; }
  // From the start of the first event to the greatest end, if the line begins at base_ps. Nothing when an event would
  // lie out of reach.
  struct span {
    std::int64_t first_ps, last_ps;
  };
  [[nodiscard]] std::optional<span> span_from(std::optional<std::int64_t> base_ps) const noexcept {
    if (!placed_ || out_of_reach_ || !base_ps) return std::nullopt;
    const auto first = checked_add(*base_ps, min_start_ps_), last = checked_add(*base_ps, max_end_ps_);
    if (!first || !last || !checked_add(*base_ps, max_start_ps_) || !checked_add(*base_ps, min_end_ps_))
      return std::nullopt;
    return span{*first, *last};
  }

 private:
  static constexpr std::int64_t most_ps = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t least_ps = std::numeric_limits<std::int64_t>::min();

  std::uint64_t events_ = 0, event_stats_ = 0, negative_durations_ = 0;
  std::int64_t duration_sum_ps_ = 0;
  std::int64_t min_start_ps_ = most_ps, max_start_ps_ = least_ps;  // relative to the line
  std::int64_t min_end_ps_ = most_ps, max_end_ps_ = least_ps;
  bool placed_ = false, out_of_reach_ = false;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
