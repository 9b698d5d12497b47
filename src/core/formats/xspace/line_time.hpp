// When the events of a line were, on the capture's clock.
#pragma once
#include <formats/xspace/xspace_index.hpp>

#include <profkit/core/profile.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Line times at or above this are Unix ns (1e17 ns is March 1973); below, they count from the profile's start.
inline constexpr std::int64_t min_unix_ns = 100'000'000'000'000'000;

// The line's timestamp in ps relative to the capture origin: the start of an event is this plus its
// offset_ps. Nothing when it lies more than ±106 days away; file_fault() then says so.
[[nodiscard]] std::optional<std::int64_t> line_base_ps(const profile& p, std::size_t file,
                                                       const line_index& line) noexcept;

// Start of an event on that line; saturates at the ends of the clock, for offsets that no writer writes.
[[nodiscard]] constexpr std::int64_t event_start_ps(std::int64_t base_ps, std::int64_t offset_ps) noexcept {
  std::int64_t start_ps = 0;
  if (__builtin_add_overflow(base_ps, offset_ps, &start_ps)) return offset_ps > 0 ? INT64_MAX : INT64_MIN;
  return start_ps;
}

// What is said of events of a line, by every reader: of the first one that does not decode, of one that cannot be placed
// within ±106 days, of negative durations, and of durations whose sum stops at the end of int64.
inline constexpr const char* bad_event = "an event breaks the protobuf format";
inline constexpr const char* event_out_of_reach = "an event lies more than 106 days from the capture's origin";
inline constexpr const char* sum_stops =
    "the durations of its events add up to more than 106 days: their sum stops there";
[[nodiscard]] inline std::string negative_durations(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " event has" : " events have") +
         " a negative duration, which counts as 0";
}

// N of a line named "Stream #N(…)".
[[nodiscard]] std::optional<std::int64_t> stream_number_of(std::string_view line_name) noexcept;  // line_kinds.cpp
// Stream or thread id of a line; -1 when it has none.
[[nodiscard]] std::int64_t stream_of(const line_index& line) noexcept;  // line_kinds.cpp

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
