// The verdict: where the time of the devices went, in words, and what the words for causes mean.
#include <export/html/sections.hpp>

#include <profkit/core/text.hpp>

#include <algorithm>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace html {
namespace {

const char* use_words(time_use u) noexcept {
  switch (u) {
    case time_use::compute: return "compute";
    case time_use::exposed_comm: return "communication that no compute hides";
    case time_use::exposed_copy: return "copies that no compute hides";
    case time_use::other_work: return "work that is neither compute nor communication";
    case time_use::idle: return "waiting";
    case time_use::not_recorded: return "work of which there is no record";
  }
  return "";
}

std::string idle_verdict(const idle_total& idle) {
  const std::vector<use_share> shares = use_shares(idle);
  if (shares.empty()) return {};
  const auto share = [&](std::int64_t ps) { return share_text(ps, idle.service_ps); };
  std::string text;
  // What takes less than a hundredth is no part of a verdict; compute always is.
  for (const use_share& s : shares)
    if (text.empty())
      text = share(s.time_ps) + (idle.marked ? " of the time in steps" : " of the time") + " goes to " + use_words(s.use);
    else if (s.time_ps >= idle.service_ps / 100 || s.use == time_use::compute)
      text += ", " + share(s.time_ps) + " to " + use_words(s.use);
  text += '.';
  const std::vector<cause_share> causes = cause_shares(idle);
  if (!causes.empty() && causes.front().time_ps >= idle.service_ps / 50)
    text += " The largest known cause of waiting: " + std::string(idle_cause_meaning(causes.front().cause)) + " (" +
            share(causes.front().time_ps) + ").";
  return text;
}

}  // namespace

std::string verdict_of(const report_result& found) {
  const report_summary& s = found.summary;
  if (s.idle && s.idle->service_ps > 0)
    if (std::string text = idle_verdict(*s.idle); !text.empty()) return text;
  const std::int64_t span_ps = s.span_ps();
  const busy_line* busiest = nullptr;
  for (const busy_line& line : s.busy_lines)
    if (busiest == nullptr || line.busy_ps > busiest->busy_ps) busiest = &line;
  if (busiest != nullptr && busiest->busy_ps <= span_ps)
    return "No time of a device is on record. The busiest line ran ops for " + share_text(busiest->busy_ps, span_ps) + " of " +
           human_duration(span_ps) + '.';
  const std::vector<file_info>& files = found.parts.info.files;
  const auto is_probes = [](const file_info& file) { return content_of(file.family) == file_content::probe_records; };
  if (!files.empty() && std::all_of(files.begin(), files.end(), is_probes))
    return "Probes inside kernels were recorded, which this page does not show: profkit neutrino does.";
  return "No time of a device is on record.";
}

void write_verdict_section(json_writer& out, const report_result& found) {
  out.key("verdict");
  out.begin_object();
  out.field("text", std::string_view(verdict_of(found)));
  out.field("in_steps", found.summary.idle && found.summary.idle->marked);
  out.field("devices", found.parts.bubbles ? std::uint64_t{found.parts.bubbles->found.devices.size()} : 0);
  out.key("causes");
  out.begin_object();
  for (std::size_t i = 0; i < idle_cause_count; ++i)
    out.field(idle_cause_name(static_cast<idle_cause>(i)), idle_cause_meaning(static_cast<idle_cause>(i)));
  out.end_object();
  out.end_object();
}

}  // namespace html
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
