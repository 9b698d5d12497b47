// Steps that do the same work, and what holds for most of them.
#pragma once
#include <analyse/bubbles/device_pass.hpp>
#include <base/hash_map.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// Where in a step a bubble lies, in one group: what recurs is the place. Group and structure, then the op type before
// it.
using bubble_place = std::pair<std::uint64_t, string_id>;
[[nodiscard]] bubble_place place_of(const bubble& b, const bubble_steps& steps) noexcept;
[[nodiscard]] constexpr std::size_t group_of(const bubble_place& p) noexcept {
  return static_cast<std::size_t>(p.first >> 32);
}

// Puts every step into a group. `templates`: of each device.
void make_groups(bubbles_result& into, const std::vector<std::vector<step_template>>& templates,
                 const std::vector<step_facts>& facts, const activity& of, const bubble_thresholds& t);
// Marks steps that the edge of the capture cut. Before describe_groups().
void find_cut_steps(bubbles_result& into, const std::vector<std::vector<step_template>>& templates,
                    const std::vector<step_facts>& facts, const std::vector<step_edges>& edges,
                    const bubble_thresholds& t);
// Averages and quantiles, and what recurs.
void describe_groups(bubbles_result& into, const bubble_thresholds& t);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
