// What each device did, as lanes that a picture can show, and its gaps.
#pragma once
#include <export/picture/lane.hpp>
#include <profkit/core/bubbles.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {

inline constexpr std::array<const char*, 5> lane_names{"steps", "compute", "communication", "copies", "other"};
inline constexpr std::size_t steps_lane = 0;

// "GPU 3"; "rank 1, GPU 0" where devices share a name, as each rank numbers its own.
[[nodiscard]] std::string device_name(const activity& of, std::size_t device);

// "data loader"; of a gap at the edge of the capture "edge of the capture".
[[nodiscard]] std::string cause_words(idle_cause c);
[[nodiscard]] std::string wait_words(const bubble& gap);

// The lanes of the first `devices`, in the order of lane_names, about `most` items each; one pass over the kernels of each
// device. Under `only` the steps that were asked for, and what ran from the first to the last of them. Names are string ids of
// the activity, those of steps their positions. Fault: of the visit.
result<std::vector<std::vector<lane>>> lanes_of_devices(const bubbles_report& of, const step_filter& only, std::size_t devices,
                                                        std::size_t most, const hooks& host);
// The gaps of the first `devices`. The idle end of a step and the idle begin of the next one stand for the gap over both.
std::vector<const bubble*> gaps_of_devices(const bubbles_result& found, std::size_t devices);

}  // namespace picture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
