// Where the time of the devices went, in a sentence or two.
#include <analyse/report/parts.hpp>

#include <profkit/core/text.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace report {
namespace {

const char* use_words(time_use u) noexcept {
  switch (u) {
    case time_use::compute: return "compute";
    case time_use::exposed_comm: return "communication that no compute hides";
    case time_use::exposed_copy: return "copies that no compute hides";
    case time_use::other_work: return "work that is neither compute, communication nor copies, or not known";
    case time_use::idle: return "waiting";
    case time_use::not_recorded: return "work of which there is no record";
  }
  return "";
}

// One event that is most of the capture: what is said of steps or of ops is then about little else.
std::string event_verdict(const report_parts& parts, std::int64_t span_ps) {
  constexpr std::uint64_t few_events = 10;
  std::string_view name;
  std::int64_t longest_ps = 0;
  for (const ops_line& line : parts.ops.lines)
    for (const op_row& op : line.ops) {
      if (line.events < few_events || op.max_ps <= longest_ps) continue;
      name = op.name;
      longest_ps = op.max_ps;
    }
  if (longest_ps <= span_ps / 2) return {};
  return "One event, " + std::string(readable_kernel_name(name)) + ", lasts " + human_duration(longest_ps) + ", " +
         share_text(longest_ps, span_ps) + " of the capture. ";
}

std::string outside_verdict(const bubbles_result& found) {
  const std::int64_t in_steps_ps = time_ps_of(found, -1, true), outside_ps = time_ps_of(found, -1, false);
  if (outside_ps <= in_steps_ps) return {};
  idle_total outside;
  for (const time_row& row : found.time)
    if (row.device < 0 && !row.in_steps) outside.time.push_back(row);
  const use_share most = use_shares(outside).front();
  return share_text(outside_ps, saturating_add(in_steps_ps, outside_ps)) + " of the time of the devices lies outside of steps, mostly " +
         use_words(most.use) + " (" + share_text(most.time_ps, outside_ps) + " of it). ";
}

std::string idle_verdict(const idle_total& idle) {
  const std::vector<use_share> shares = use_shares(idle);
  if (shares.empty()) return {};
  const auto share = [&](std::int64_t ps) { return share_text(ps, idle.service_ps); };
  std::string text;
  // A verdict leaves out what takes less than a hundredth, except compute.
  for (const use_share& s : shares)
    if (text.empty())
      text = share(s.time_ps) + (idle.marked ? " of the time in steps" : " of the time") + " goes to " + use_words(s.use);
    else if (s.time_ps >= idle.service_ps / 100 || s.use == time_use::compute)
      text += ", " + share(s.time_ps) + " to " + use_words(s.use);
  text += '.';
  // What no compute hides is named above: what the rest waits for is still to be said.
  std::optional<leading_cause> first = find_leading_cause(idle.time);
  if (first && (first->cause == idle_cause::exposed_comm || first->cause == idle_cause::exposed_copy))
    first = find_leading_cause(idle.time, true);
  if (first)
    text += std::string(" The largest known cause of ") + (first->cause == idle_cause::straggler_wait ? "lost time" : "waiting") + ": " + std::string(idle_cause_meaning(first->cause)) + " (" +
            share(first->time_ps) + ").";
  return text;
}

}  // namespace

std::string verdict_of(const report_parts& parts, const report_summary& s) {
  if (s.idle && s.idle->service_ps > 0)
    if (std::string text = idle_verdict(*s.idle); !text.empty())
      return event_verdict(parts, s.span_ps()) + outside_verdict(parts.bubbles->found) + text;
  const std::int64_t span_ps = s.span_ps();
  const busy_line* busiest = nullptr;
  for (const busy_line& line : s.busy_lines)
    if (busiest == nullptr || line.busy_ps > busiest->busy_ps) busiest = &line;
  if (busiest != nullptr && busiest->busy_ps <= span_ps)
    return "No time of a device is on record. The busiest line ran ops for " + share_text(busiest->busy_ps, span_ps) + " of " +
           human_duration(span_ps) + '.';
  const std::vector<file_info>& files = parts.info.files;
  const auto is_probes = [](const file_info& file) { return content_of(file.family) == file_content::probe_records; };
  if (!files.empty() && std::all_of(files.begin(), files.end(), is_probes))
    return "Probes inside kernels were recorded: profkit neutrino shows them.";
  return "No time of a device is on record.";
}

}  // namespace report
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
