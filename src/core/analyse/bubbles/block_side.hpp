// The dominant chain of compute of a step, and everything beside it.
#pragma once
#include <analyse/bubbles/kernels.hpp>

#include <array>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// The stream with the most compute time, of equal ones the lower id; -1 when no kernel has a stream.
[[nodiscard]] std::int32_t main_stream(const step_rows& rows, const activity_device& on);

// Block first. `main` as main_stream() gives it.
[[nodiscard]] std::array<block_side, 2> split_block_side(const step_rows& rows, const activity_device& on,
                                                         std::int32_t main, const bubble_thresholds& t);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
