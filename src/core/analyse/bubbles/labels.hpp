// Soft labels of a gap: what overlaps it.
#pragma once
#include <analyse/bubbles/ratio.hpp>
#include <profkit/core/bubbles.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

[[nodiscard]] bubble_labels labels_of(const bubble& b, const bubble_thresholds& t) noexcept;

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
