// Why devices waited, and their steps, as tracks of a Perfetto trace.
#include <profkit/core/perfetto_writer.hpp>

#include "parts.hpp"

#include <export/picture/device_lanes.hpp>
#include <profkit/core/bubbles.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

std::string wait_name(const bubble& b) {
  if (b.boundary_adjacent) return "edge of the capture";
  std::string words = idle_cause_name(b.cause.id);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

void write_wait(perfetto_writer& out, std::uint64_t track, const activity& of, const bubble& b) {
  out.begin_slice(track, b.start_ps, wait_name(b));
  if (!b.boundary_adjacent) {
    out.add_argument("certainty", certainty_name(b.sure), true);
    out.add_argument("meaning", idle_cause_meaning(b.cause.id), true);
    if (b.cause.span != 0) out.add_argument("span of the host", of.text(b.cause.span), true);
    out.add_argument("covered by it (ns)", b.cause.covered_ps / 1000);
  }
  const auto name = [&](std::string_view what, string_id id) {
    if (id != 0) out.add_argument(what, short_op_name(of.text(id), ""), true);
  };
  name("after", b.before_count > 0 ? b.before[0].name : 0);
  name("before", b.after_count > 0 ? b.after[0].name : 0);
  out.end_slice(track, b.end_ps);
}

}  // namespace

result<void> write_waits(const trace_job& job, perfetto_writer& out) {
  const query_filters& filters = job.o.filters;
  if (!bubbles_keep_to(filters))
    return fault{fault_code::invalid_argument,
                 "why devices waited is known of whole devices: host, line and name cannot be asked for", "", no_offset,
                 "leave these filters out, or the waits"};
  const result<bubbles_report> report = analyse_bubbles(job.t, bubble_options_of(filters), job.o.host);
  if (!report) return report.error();
  const activity& of = *report->of;
  const bubbles_result& found = report->found;
  std::vector<const bubble*> gaps = picture::gaps_of_devices(found, of.devices().size());
  std::stable_sort(gaps.begin(), gaps.end(), [](const bubble* a, const bubble* b) { return a->start_ps < b->start_ps; });
  for (std::size_t d = 0; d < of.devices().size(); ++d) {
    const std::uint64_t process = out.add_process("profkit: " + picture::device_name(of, d));
    std::uint64_t steps = 0, waits = 0;
    for (const bubble_step& s : found.steps) {
      if (s.device != d || s.pseudo) continue;
      if (steps == 0) steps = out.add_track(process, "steps");
      out.begin_slice(steps, s.start_ps, s.id);
      out.end_slice(steps, s.end_ps);
      ++job.outcome.events;
    }
    for (const bubble* gap : gaps) {
      if (gap->device != d) continue;
      if (waits == 0) waits = out.add_track(process, "waits");
      write_wait(out, waits, of, *gap);
      ++job.outcome.events;
    }
    job.outcome.tracks += (steps != 0 ? 1U : 0U) + (waits != 0 ? 1U : 0U);
  }
  return out.failed() != nullptr ? result<void>(*out.failed()) : result<void>();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
