// What was not taken from a file, counted by reason.
#pragma once
#include <profkit/core/activity.hpp>
#include <profkit/core/chrome.hpp>

#include <cstdint>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Counts rows that were not taken; `line` is that of the first of them, from 1.
void reject_row(activity_input& input, const char* reason, std::uint64_t line, std::uint64_t count = 1);
// Counts an event of JSON that was not taken, by its place among the events.
void reject_event(activity_input& input, const char* reason, std::uint64_t ordinal, std::uint64_t byte_offset);

// Why a row that is not damaged is rejected: its writer knew no time, or the event began before the capture.
inline constexpr char no_start_time[] = "no start time", no_duration[] = "no duration",
                      no_begin[] = "the end of an event that did not begin";

// Rows rejected for other reasons count as damage if there is none yet. Call it after the last row.
void note_rejected(activity_input& input);

// What `input` says of launches of its host without a record of a device.
void note_unrecorded(const activity_host& host, activity_input& input);

// What a merge says around the events of a node of what was lost before.
void note_header(std::string_view key, std::string_view json, activity_input& input);

// What the JSON reader reports of a file: events, those passed over, damage.
void note_summary(const chrome_summary& summary, activity_input& input);

// An entry for a file of the profile, with the damage that is known already.
[[nodiscard]] activity_input input_of(const profile& p, std::size_t file, const char* variant);

// Whether a file has nothing to read, or times that cannot be put on the capture's clock; its damage says so.
[[nodiscard]] bool is_unusable(const profile& p, const activity_input& input);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
