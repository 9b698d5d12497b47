// The first pass of a merge: what planes and lines there are, how large they become, and where time zero lies.
#pragma once
#include "merge_plan.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

inline constexpr std::string_view environment_plane_name = "Task Environment";

// The corrected time that becomes 0, when the earliest event begins at `least_ps`: whole ns.
[[nodiscard]] std::int64_t zero_before(merge_zero which, std::int64_t least_ps) noexcept;

// Fills the plan from its aligned traces and settles time zero. With keep_going, what is damaged is left out.
result<void> survey_traces(const merge_options& o, const hooks& host, shared_progress& progress, merge_plan& plan);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
