// Why devices waited, and their steps, as tracks of a Perfetto trace.
#include <profkit/core/perfetto_writer.hpp>

#include "machines.hpp"
#include "parts.hpp"

#include <export/device_gaps.hpp>
#include <profkit/core/bubbles.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// The tracks of a device; 0: not begun.
struct device_tracks {
  std::uint32_t machine = 0;
  std::uint64_t process = 0, steps = 0, waits = 0;
};

void write_wait(perfetto_writer& out, std::uint64_t track, const activity& of, const bubble& b) {
  out.begin_slice(track, b.start_ps, picture::wait_words(b));
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

result<void> write_waits(const trace_job& job, const machines& hosts, perfetto_writer& out) {
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
  std::vector<device_tracks> tracks(of.devices().size());
  for (std::size_t d = 0; d < tracks.size(); ++d) {
    const activity_device& device = of.devices()[d];
    tracks[d].machine =
        hosts.of(device.file, device.plane < 0 ? nullptr : &job.p.xspace(device.file)->planes[static_cast<std::size_t>(device.plane)]);
    out.use_machine(tracks[d].machine);
    tracks[d].process = out.add_process("profkit: " + picture::device_name(of, d));
  }
  const auto begun = [&](device_tracks& device, std::uint64_t device_tracks::* which, const char* name) {
    out.use_machine(device.machine);
    std::uint64_t& track = device.*which;
    if (track == 0) {
      track = out.add_track(device.process, name);
      ++job.outcome.tracks;
    }
    ++job.outcome.events;
    return track;
  };
  for (const bubble_step& s : found.steps) {
    if (s.pseudo) continue;
    const std::uint64_t track = begun(tracks[s.device], &device_tracks::steps, "steps");
    out.begin_slice(track, s.start_ps, s.id);
    out.end_slice(track, s.end_ps);
  }
  for (const bubble* gap : gaps)
    write_wait(out, begun(tracks[gap->device], &device_tracks::waits, "waits"), of, *gap);
  return out.failed() != nullptr ? result<void>(*out.failed()) : result<void>();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
