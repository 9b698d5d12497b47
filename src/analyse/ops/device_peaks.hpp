// What devices do at most.
#pragma once
#include <profkit/core/anatomy.hpp>

#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

[[nodiscard]] device_peaks peaks_of(const std::vector<named_stat>& plane_stats);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
