// How fast an op was.
#pragma once
#include <profkit/core/anatomy.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// What one execution does, times the executions, over the time they took together, which is not 0.
[[nodiscard]] inline double achieved_per_second(double of_one, const op_row& op) noexcept {
  return of_one * static_cast<double>(op.count) / static_cast<double>(op.total_ps) * 1e12;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
