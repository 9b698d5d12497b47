// The chosen module in depth.
#pragma once
#include "spaces.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// Memory space `color` of a program. Faults: not_found when a what-if names no instruction of the program.
result<hlo_report> report_on(program_study& study, std::int64_t color, const memory_options& o);

// Parts of it.
std::vector<allocation_row> largest_allocations(const program& p);

live_curve curve_of(const program_study& study, const space_study& space, std::uint64_t max_points);
live_curve thin_out(const std::vector<curve_point>& all, std::uint64_t max_points);
std::vector<donation_row> donation_candidates(const program_study& study, std::int64_t color);
result<what_if_result> what_if(const program_study& study, const space_study& space, const std::string& action,
                               const std::string& name);

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
