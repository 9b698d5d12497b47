// The steps of each plane together.
#pragma once
#include <profkit/core/steps.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// Order statistics of durations, in integers.
struct duration_statistics {
  std::size_t count = 0;
  std::int64_t total_ps = 0, median_ps = 0, min_ps = 0, max_ps = 0;  ///< all 0 for none; the total stops at the end of int64
};
/// The median of an even number is the mean of the middle two, rounded down.
[[nodiscard]] duration_statistics statistics_of(std::vector<std::int64_t> durations_ps);

/// Steps of one file, plane or device, and source; groups stand in the order of their first steps.
struct step_group {
  step_row first;             ///< its names are those of the list
  duration_statistics times;
  std::size_t longest = 0;    ///< which one is the longest, counted from the first
  std::vector<std::int64_t> course_ps;  ///< course_of() its durations: 20 at most
};
/// Durations in their order as `most` at most: of neighbours the longest.
[[nodiscard]] std::vector<std::int64_t> course_of(const std::vector<std::int64_t>& durations_ps, std::size_t most = 20);
[[nodiscard]] std::vector<step_group> group_steps(const step_list& steps);

/// Where the steps of a row lie: short_plane_name(), "host".
[[nodiscard]] std::string_view step_place_name(const step_row& row) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
