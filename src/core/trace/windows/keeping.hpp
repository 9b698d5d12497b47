// How much is kept of what a device may have without bound.
#pragma once
#include <profkit/namespace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// What is kept of a device, and of all devices.
struct keeping {
  std::uint64_t of_device, of_all, least;
  [[nodiscard]] constexpr std::uint64_t share(std::size_t devices) const noexcept {
    return std::max(std::min(of_all / std::max<std::size_t>(devices, 1), of_device), least);
  }
};

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
