// Clocks from collectives in two parts: those that the calls leave, as they were put together, and whether other calls fit as well.
#pragma once
#include <profkit/core/collectives.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// align_by_collectives() without a look at whether calls may belong together otherwise: calls_known is false of all nodes.
[[nodiscard]] alignment_result align_matched(const validation_result& matched, const alignment_options& how);

// Sets calls_known where it is sure which calls of a node belong to which of the reference's, or of another such node.
void mark_known_calls(const validation_result& matched, const alignment_options& how, alignment_result& aligned);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
