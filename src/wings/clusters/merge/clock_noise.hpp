// How large the errors of a clock's measurements are, by what a smooth clock leaves of them.
#pragma once
#include "clock_statistics.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Of fewer measurements the residuals do not show what their largest errors are.
inline constexpr std::size_t min_noise_points = 12;

// The largest error (ps) of measurements by rising time, and of straight lines between them. The clock breaks after each
// measurement whose place stands in `breaks` (rising): no line goes across. Empty where the measurements are too few.
std::optional<double> largest_noise_ps(const std::vector<deviation>& points, const std::vector<std::size_t>& breaks);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
