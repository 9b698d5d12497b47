// Ops of hosts in traces, for captures whose devices have no ops.
#pragma once
#include <trace/filters/select.hpp>
#include <profkit/core/activity.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/ops.hpp>

#include <memory>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Adds a line for each thread: totals of the framework's operators; where a capture has none, of all its spans. Not
// those of an XSpace, which come with its lines. Gives whether they are of operators alone.
result<bool> add_host_ops(const profile& p, const std::shared_ptr<const activity>& of, const selection& selected,
                          const query_filters& o, const hooks& host, ops_result& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
