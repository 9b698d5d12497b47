// What `info` counts in trace JSON and `ops` does not, by reason.
#pragma once
#include <profkit/core/activity.hpp>
#include <profkit/core/ops.hpp>

#include <trace/filters/select.hpp>

#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Which rows of traces the lines of `ops` are totals of.
enum class trace_ops_of : std::uint8_t { nothing, kernels, operators, host_spans };

// `shown`: the lines of ops that came of traces.
[[nodiscard]] std::vector<left_out_lines> lines_left_out(const profile& p, const activity& of,
                                                         const selection& selected, trace_ops_of what,
                                                         const std::vector<ops_line>& shown);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
