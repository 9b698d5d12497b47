// What each device did, as lanes that a picture can show.
#pragma once
#include <export/device_gaps.hpp>
#include <page/picture/lane.hpp>
#include <profkit/core/bubbles.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {

inline constexpr std::array<const char*, 5> lane_names{"steps", "compute", "communication", "copies", "other"};
inline constexpr std::size_t steps_lane = 0;

// The name of a kernel or op as `ops` shows it.
[[nodiscard]] std::string shown_op_name(std::string_view name);

// The lanes of the first `devices`, in the order of lane_names, about `most` items each; one pass over the kernels of each
// device. Under `only` the steps that were asked for, and what ran from the first to the last of them. Names are string ids of
// the activity, those of steps their positions. Fault: of the visit.
result<std::vector<std::vector<lane>>> lanes_of_devices(const bubbles_report& of, const step_filter& only, std::size_t devices,
                                                        std::size_t most, const hooks& host);

}  // namespace picture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
