#include <formats/activity_input.hpp>

#include <base/format.hpp>
#include <base/merged_losses.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

void reject_row(activity_input& input, const char* reason, std::uint64_t line, std::uint64_t count) {
  if (count == 0) return;
  if (input.rejected == 0) input.first_rejected_line = line;
  input.rejected += count;
  for (auto& [known, so_far] : input.reject_reasons) {
    if (known != reason) continue;
    so_far += count;
    return;
  }
  input.reject_reasons.emplace_back(reason, count);
}

void reject_event(activity_input& input, const char* reason, std::uint64_t ordinal, std::uint64_t byte_offset) {
  if (input.rejected == 0) input.first_rejected_byte = byte_offset;
  reject_row(input, reason, ordinal + 1);
}

void note_rejected(activity_input& input) {
  const auto& reasons = input.reject_reasons;
  const auto is_broken = [](const auto& r) {
    return r.first != no_start_time && r.first != no_duration && r.first != no_begin;
  };
  const auto first = std::find_if(reasons.begin(), reasons.end(), is_broken);
  if (first == reasons.end() || input.damage) return;
  std::uint64_t count = 0;
  for (const auto& r : reasons) count += is_broken(r) ? r.second : 0;
  const std::uint64_t byte = input.first_rejected_byte, line = input.first_rejected_line;
  std::string what = std::to_string(count) + " of " + std::to_string(input.rows) +
                     (byte == no_offset ? " rows" : " events") + " were passed over";
  if (byte != no_offset)
    what += ", the first at byte " + std::to_string(byte);
  else if (line != 0 && first == reasons.begin())
    what += ", the first on line " + std::to_string(line);
  what += ": " + first->first + " (" + std::to_string(first->second) + ")";
  input.damage = fault{fault_code::damaged, std::move(what), input.path, byte, "the others were read"};
}

void note_summary(const chrome_summary& summary, activity_input& input) {
  input.rows = summary.events + summary.broken_events;
  if (!summary.broken_at.empty() && input.rejected == 0) input.first_rejected_byte = summary.broken_at[0];
  reject_row(input, "text that is no trace event", 0, summary.broken_events);
  if (!summary.broken_at.empty()) {
    input.notes.push_back("the first text that is no trace event stands at byte " +
                          std::to_string(summary.broken_at[0]));
  }
  if (summary.nanoseconds) input.notes.push_back("times are nanoseconds");
  if (summary.bare_array && !summary.terminated && !summary.damage) {
    input.notes.push_back("the array of events has no end: the capture may have been cut");
  }
  if (input.damage) return;
  input.damage = summary.damage;
  if (!summary.has_events_key && !summary.damage) {
    input.damage = fault{fault_code::damaged, "the object has no \"traceEvents\"", "", 0,
                         "the file may be some other JSON, or cut by the program that wrote it"};
  }
  // Times of events that no kernel and no span comes of.
  if (!input.damage && input.rejected == 0) input.damage = damage_of_times(summary);
  if (!input.damage) return;
  input.damage->path = input.path;
}

void note_unrecorded(const activity_host& host, activity_input& input) {
  if (host.unrecorded.empty()) return;
  std::array<std::uint64_t, 3> without{};
  static constexpr const char* plural_names[] = {" kernels", " copies", " graphs"};
  std::uint64_t launches = 0;
  for (const unrecorded_launch& l : host.unrecorded) ++without[static_cast<std::size_t>(l.work)];
  std::string kinds;
  for (std::size_t work = 0; work < without.size(); ++work) {
    launches += host.launches[work];
    if (without[work] == 0) continue;
    kinds += (kinds.empty() ? "" : ", ") + grouped(without[work]) + " of " +
             grouped(host.launches[work]) + plural_names[work];
  }
  input.incomplete.push_back(grouped(host.unrecorded.size()) + " of " + counted(launches, "launch", "launches") +
                             " have no record of a device (" + kinds +
                             "): what the device did for them, and when, is not known");
  if (input.lacks_events.empty()) input.lacks_events = input.incomplete.back();
}

void note_header(std::string_view key, std::string_view json, activity_input& input) {
  if (key != incomplete_key) return;
  for (const std::string& text : loss_texts(json)) {
    input.incomplete.push_back(text);
    const std::string_view why = loss_of(text);
    if (input.lacks_events.empty() && !starts_with(why, trace_missing)) input.lacks_events = why;
  }
}

activity_input input_of(const profile& p, std::size_t file, const char* variant) {
  activity_input input;
  input.file = static_cast<std::uint32_t>(file);
  input.path = p.what().files[file].path;
  input.variant = variant;
  if (const fault* const known = p.file_fault(file)) {
    input.damage = *known;
  } else if (p.bytes(file).empty() && p.recorded(file) == nullptr) {  // a recording need not come from a file
    input.damage = fault{fault_code::damaged, "the file is empty", input.path, 0, "export the capture again"};
  }
  return input;
}

bool is_unusable(const profile& p, const activity_input& input) {
  return input.damage && (p.bytes(input.file).empty() || input.damage->code == fault_code::unsupported);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
