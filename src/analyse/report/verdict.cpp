// Where the time of the devices went, in a sentence or two.
#include <analyse/report/parts.hpp>

#include <profkit/core/text.hpp>

#include <algorithm>
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
  // That the host was not recorded, or not waited for, explains nothing.
  const std::vector<cause_share> causes = cause_shares(idle);
  const auto first = std::find_if(causes.begin(), causes.end(),
                                  [](const cause_share& c) {
                                    return c.cause != idle_cause::host_untraced && c.cause != idle_cause::device_dependency;
                                  });
  if (first != causes.end() && first->time_ps >= idle.service_ps / 50)
    text += " The largest known cause of waiting: " + std::string(idle_cause_meaning(first->cause)) + " (" +
            share(first->time_ps) + ").";
  return text;
}

}  // namespace

std::string verdict_of(const report_parts& parts, const report_summary& s) {
  if (s.idle && s.idle->service_ps > 0)
    if (std::string text = idle_verdict(*s.idle); !text.empty()) return text;
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
