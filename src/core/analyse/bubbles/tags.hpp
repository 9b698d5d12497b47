// Which anomalies a step and a group have.
#pragma once
#include <analyse/bubbles/groups.hpp>
#include <trace/windows/windows.hpp>

#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// Marks bubbles that touch the edge of the capture, and steps whose longest gap does.
void find_boundaries(bubbles_result& into, const std::vector<step_edges>& edges, const bubble_options& o);
// Cause and labels of every bubble, and of each step the labels of its bubbles; sums of evidence.
void label_bubbles(bubbles_result& into, const activity& of, const bubble_options& o);
void tag_steps(bubbles_result& into, const std::vector<step_facts>& facts, const std::vector<step_edges>& edges,
               const bubble_options& o);
void tag_groups(bubbles_result& into, const bubble_options& o);

// A gap that weighs: at least 1 ms and a tenth of the step, by the thresholds.
[[nodiscard]] bool is_heavy(std::int64_t gap_ps, std::int64_t service_ps, const bubble_thresholds& t) noexcept;
// Idle time is an issue of this step, or of any step of this group.
[[nodiscard]] bool has_hidden_issue(const bubble_step& s, const bubble_thresholds& t) noexcept;
[[nodiscard]] bool has_hidden_issue(const bubbles_result& r, const bubble_group& g, const bubble_thresholds& t);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
