// How many operations a call of a PyTorch operator does, and how many bytes it moves at least.
#pragma once
#include <profkit/core/activity.hpp>

#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Whether the work of this operator depends on its inputs' values, not on shapes alone: strides and padding.
[[nodiscard]] bool needs_values(std::string_view op) noexcept;

// `op`: "aten::addmm". The rest as the recorder writes it, JSON: shapes "[[512], [16, 64], [64, 512], [], []]", types
// "[\"float\", ...]", values "[\"\", \"[1, 1]\", ...]". Nothing where the operator or its shapes are not known.
[[nodiscard]] std::optional<kernel_work> work_of_operator(std::string_view op, std::string_view shapes, std::string_view types,
                                                          std::string_view values);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
