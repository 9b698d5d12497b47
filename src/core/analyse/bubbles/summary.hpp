// What the detector says in the end.
#pragma once
#include <analyse/bubbles/groups.hpp>
#include <analyse/bubbles/stragglers.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// A cause is named first where it takes at least one part in so many of the steps' time.
inline constexpr std::int64_t least_part_named = 50;

void choose_idlest(bubbles_result& into);
// Gives how many of its steps are not here.
std::uint64_t check_against_step_trace(bubbles_result& into, const activity& of);
void list_evidence_gaps(bubbles_result& into, const activity& of, std::uint64_t unknown_steps);
// Where the time of the devices went.
void list_time(bubbles_result& into, const std::vector<step_facts>& facts);
void summarise_causes(bubbles_result& into, const activity& of, const std::vector<step_facts>& facts,
                      const straggler_waits& waits, const bubble_thresholds& t);
void judge_confidence(bubbles_result& into);
void answer_questions(bubbles_result& into, const bubble_thresholds& t);
void recommend(bubbles_result& into, const activity& of, const bubble_thresholds& t);
void list_findings(bubbles_result& into, const activity& of, const bubble_thresholds& t);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
