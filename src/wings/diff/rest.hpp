// Ops with least time as one.
#pragma once
#include <profkit/core/diff.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace diff {

// Ops in the order of their time, of which only the first `kept` stay; the others become one, at the end.
[[nodiscard]] std::vector<run_op> with_rest(std::vector<run_op> ops, std::size_t kept);
// Where only one side has a rest, what the other side has alone and is no longer than what the first has one by one becomes its rest.
void give_both_a_rest(run_snapshot& before, run_snapshot& after);

}  // namespace diff
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
