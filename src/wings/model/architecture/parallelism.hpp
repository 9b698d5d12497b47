// How the model is spread over devices, as far as a capture shows.
#pragma once
#include <model/architecture/kernels.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

// A sentence each, never none: sizes that the recorder wrote down, else the words of the folder's name; then groups,
// devices, and what kernels make probable. `attends`: attention kernels mark the layers.
[[nodiscard]] std::vector<std::string> parallelism_of(const activity& of, const device_kernels& kernels,
                                                      std::uint32_t device, bool attends, std::string_view label);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
