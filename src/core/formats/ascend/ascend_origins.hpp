// Which operators of the framework gave an Ascend rank its kernels, and what they did.
#pragma once
#include <formats/ascend/ascend_kernels.hpp>
#include <formats/ascend/ascend_trace.hpp>

#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Fills kernel_row::origin, and kernel_row::details where it is known what a kernel did. Needs settled devices and the
// spans of the trace.
void find_ascend_origins(const ascend_trace& trace, std::vector<device_kernels>& devices, activity_parts& parts);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
