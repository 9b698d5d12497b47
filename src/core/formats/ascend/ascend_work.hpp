// How many operations a kernel of an NPU does, by the shapes that its table has.
#pragma once
#include <profkit/core/activity.hpp>

#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Of products of matrices; nothing for other types, and where shapes are those of another layout or do not fit each other.
// `type`: "MatMulV2"; the rest as the table writes it: "32,64;128,64;128", "FLOAT;FLOAT;FLOAT", "32,128".
[[nodiscard]] std::optional<kernel_work> work_of_ascend_kernel(std::string_view type, std::string_view input_shapes,
                                                               std::string_view input_types, std::string_view output_shapes);

// The work of a call of a PyTorch operator, whose inputs torch_npu writes in that form, too.
[[nodiscard]] std::optional<kernel_work> work_of_ascend_operator(std::string_view op, std::string_view shapes, std::string_view types);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
