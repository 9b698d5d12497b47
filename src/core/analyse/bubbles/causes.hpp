// Why a device waited in a gap, from what the host did meanwhile and when it launched what ends the gap.
#pragma once
#include <profkit/core/bubbles.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// When the kernel that ends a gap was launched, seen from the gap: `late` near its end, `early` so long before it that
// the device waited for something else than the host, `midway` between.
enum class launch_reading : std::uint8_t { unknown, late, midway, early };
[[nodiscard]] launch_reading read_launch(const bubble& b, const bubble_thresholds& t) noexcept;

// Sets `cause` and `sure`. High only where the launch was late and one known activity of the launching thread covers
// nearly all of the gap; a mere suggestion (ops of a framework, a lock, a wait that is over) is
// medium at most.
void judge_cause(bubble& of, const activity& in, const bubble_thresholds& t);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
