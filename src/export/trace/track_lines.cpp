#include "track_lines.hpp"

#include <profkit/time.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

bool holds(std::string_view text, const std::string& part) noexcept { return text.find(part) != std::string_view::npos; }

bool lies_in(std::int64_t start_ps, std::int64_t duration_ps, const query_filters& asked) noexcept {
  const std::int64_t end_ps = saturating_add(start_ps, duration_ps);
  if (asked.to_ps && start_ps >= *asked.to_ps) return false;
  return !asked.from_ps || start_ps >= *asked.from_ps || end_ps > *asked.from_ps;
}

// Those on the capture's clock that were asked for, by time.
std::vector<recorded_value> values_of(const recorded_counter& counter, std::int64_t shift_ps, const query_filters& asked) {
  std::vector<recorded_value> kept;
  if (!holds(counter.name, asked.name)) return kept;
  for (recorded_value v : *counter.values) {
    v.at_ps = saturating_add(v.at_ps, shift_ps);
    if (lies_in(v.at_ps, 0, asked)) kept.push_back(v);
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [](const recorded_value& a, const recorded_value& b) { return a.at_ps < b.at_ps; });
  return kept;
}

}  // namespace

result<track_lines> track_lines::read(const trace_job& job, std::size_t file) {
  track_lines made;
  if (result<void> filled = fill_tracks(job.p, file, made.texts_);
      !filled && filled.error().code != fault_code::damaged)
    return std::move(filled).error();
  const query_filters& asked = job.o.filters;
  const std::vector<track>& tracks = made.texts_.tracks();
  const recording* const from = job.p.recorded(file);
  const std::vector<recorded_counter> counters = from == nullptr ? std::vector<recorded_counter>() : from->counters();
  auto counter = counters.begin();
  for (track_id at = 0; at < tracks.size(); ++at) {
    const track& of = tracks[at];
    const recorded_counter* const counted = of.line_type == line_kind::counter ? &*counter++ : nullptr;
    line kept;
    kept.process = made.texts_.text(of.plane_name);
    kept.title = made.texts_.text(of.line_name);
    kept.id = std::to_string(of.stream >= 0 ? of.stream : of.line);
    if (!holds(kept.process, asked.plane) || !holds(kept.title, asked.line)) continue;
    if (counted != nullptr) {
      kept.unit = counted->unit;
      kept.values = values_of(*counted, job.p.file_shift_ns(file) * ps_per_ns, asked);
      if (!kept.values.empty()) made.lines_.push_back(std::move(kept));
      continue;
    }
    for (const track_event& e : made.texts_.events(at))
      if (lies_in(e.start_ps, e.duration_ps, asked) && holds(made.texts_.text(e.name), asked.name)) kept.events.push_back(e);
    if (kept.events.empty()) continue;
    std::stable_sort(kept.events.begin(), kept.events.end(), [](const track_event& a, const track_event& b) {
      return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.duration_ps > b.duration_ps;
    });
    made.lines_.push_back(std::move(kept));
  }
  return made;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
