// Analyses that do not need each other, at the same time.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>

#include <functional>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// Calls each piece once, two at a time where `host.threads` is two or more: in this order, so put the longest first.
/// The hooks a piece gets share the threads out between the two; it stops with `cancelled` when the host stops another
/// one, and only one at a time reports progress: the first that has not ended. Gives the outcome of each piece, in
/// their order; what a piece throws becomes its fault.
std::vector<result<void>> side_by_side(const hooks& host,
                                       const std::vector<std::function<result<void>(const hooks&)>>& pieces);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
