// Asynchronous operations: starts and dones on the async lines of TPUs, joined by flow.
#pragma once
#include <trace/filters/select.hpp>
#include <base/progress.hpp>
#include <profkit/core/communication.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Adds the rows of `async` and `transfers`, and counts the flows.
result<void> find_async_ops(const profile& p, const selection& selected, damage_list& damage, progress_meter& meter,
                            collectives_result& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
