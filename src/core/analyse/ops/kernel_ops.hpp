// Ops of devices in traces and tables: totals of their kernels.
#pragma once
#include <trace/filters/select.hpp>
#include <profkit/core/activity.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/ops.hpp>

#include <memory>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Adds a line for each stream of each such device; for a device whose tables have no times, one line for all its ops.
// Not those of an XSpace, which come with its lines.
result<void> add_kernel_ops(const profile& p, const std::shared_ptr<const activity>& of, const selection& selected,
                            const query_filters& o, const hooks& host, ops_result& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
