// What the names of the folders of Ascend profilers say.
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The folder that stands for the rank that a file belongs to: up to *_ascend_pt or *_ascend_ms, else without the
// folders that exporters make (ASCEND_PROFILER_OUTPUT, mindstudio_profiler_output).
[[nodiscard]] std::string_view ascend_rank_folder(std::string_view folder) noexcept;
// Whether a folder's name says that an Ascend profiler wrote it.
[[nodiscard]] bool is_ascend_folder(std::string_view folder) noexcept;
// The number in profiler_info_3.json, rank_3_ascend_pt and ascend_pytorch_profiler_3.db; -1 when there is none.
[[nodiscard]] std::int32_t ascend_rank_number(std::string_view name) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
