// Soft causes of a gap: which rules its evidence meets, and how sure that makes.
#pragma once
#include <analyse/bubbles/ratio.hpp>
#include <profkit/core/bubbles.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

[[nodiscard]] bubble_labels labels_of(const bubble& b, const bubble_thresholds& t) noexcept;
// How sure the strongest label is. `recurring`: the place of the gap comes back in most steps of its group.
[[nodiscard]] confidence confidence_of(const bubble& b, bool recurring, const bubble_thresholds& t) noexcept;

// When the kernel behind a gap was launched, seen from the gap.
enum class launch_reading : std::uint8_t { unknown, host_late, in_time, device_waited };
[[nodiscard]] launch_reading read_launch(const bubble& b, const bubble_thresholds& t) noexcept;

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
