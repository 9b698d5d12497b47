// How far kernels of one stream may overlap.
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// How far a kernel may last over the start of a later one. In 16 captures of CUDA and ROCm 27 ns are common (the grain of a
// clock) and 3.7 us the most (a kernel that was launched early, next to the end of its predecessor).
inline constexpr std::int64_t overlap_allowed_ps = 1'000'000'000;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
