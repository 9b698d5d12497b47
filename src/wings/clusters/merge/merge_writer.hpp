// The second pass of a merge: the bytes of the plan.
#pragma once
#include "merge_output.hpp"
#include "merge_plan.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Works out the bytes around the events and the size of every plane, and lists the planes in `made`.
void plan_bytes(const merge_options& o, merge_plan& plan, merge_result& made);

// Writes it all; gives the number of bytes.
result<std::uint64_t> write_plan(const merge_options& o, const merge_plan& plan, const merge_result& made, sink& into,
                                 const hooks& host, shared_progress& progress);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
