// Gaps of devices, and what exports and pictures call them.
#pragma once
#include <profkit/core/bubbles.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {

// "GPU 3"; "rank 1, GPU 0" where devices share a name, as each rank numbers its own.
[[nodiscard]] std::string device_name(const activity& of, std::size_t device);

// "data loader"; of a gap at the edge of the capture "edge of the capture".
[[nodiscard]] std::string cause_words(idle_cause c);
[[nodiscard]] std::string wait_words(const bubble& gap);

// The causes of idle time that are known, by their time: the place of a cause is its colour, in the page and in pictures.
[[nodiscard]] std::vector<idle_cause> causes_by_time(const bubbles_result& found);
inline constexpr std::size_t cause_colours = 5;  // later ones share the last

// The gaps of the first `devices`. The idle end of a step and the idle begin of the next one stand for the gap over both.
std::vector<const bubble*> gaps_of_devices(const bubbles_result& found, std::size_t devices);

}  // namespace picture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
