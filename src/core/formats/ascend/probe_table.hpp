// Whether some first bytes are a table of kernels of an Ascend NPU.
#pragma once
#include <formats/known_format.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// By its header: kernel_details.csv, op_summary*.csv.
[[nodiscard]] probe_result probe_ascend_kernels(std::string_view head);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
