// Totals of ops that XProf worked out (OpStats) to the activity.
#pragma once
#include <profkit/core/result.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct activity_parts;

// See known_format.
result<void> fill_activity_from_op_stats(activity_parts& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
