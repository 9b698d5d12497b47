// What an op could take at best on its device.
#pragma once
#include <analyse/ops/row_facts.hpp>
#include <profkit/core/op_groups.hpp>

#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Empty where a rate that the op needs is not known.
[[nodiscard]] op_roof roof_of(const kernel_work& work, const memory_traffic& traffic, const device_peaks& peaks,
                              std::int64_t self_ps) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
