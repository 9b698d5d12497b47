// What devices do at most.
#pragma once
#include <profkit/core/named_stat.hpp>
#include <profkit/core/ops.hpp>

#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

[[nodiscard]] device_peaks peaks_of(const std::vector<named_stat>& plane_stats);
// By the name of its model alone: "NVIDIA H100 80GB HBM3".
[[nodiscard]] device_peaks peaks_of_device(std::string device_type);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
