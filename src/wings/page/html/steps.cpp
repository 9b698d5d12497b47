// Where the time of each step went.
#include <page/html/sections.hpp>
#include <page/picture/device_lanes.hpp>

#include <analyse/bubbles/breakdown.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace html {
namespace {

constexpr std::size_t max_bars = 300, max_bar_devices = 8;

// A step, or several neighbours.
struct step_bar {
  std::uint64_t steps = 0;
  std::int64_t start_ps = 0, end_ps = 0;
  step_breakdown spent;
  std::string first, last;
};

void write_bar(json_writer& out, const step_bar& bar, page_names& names) {
  out.begin_tuple();
  out.value(bar.steps);
  out.value(bar.start_ps);
  out.value(bar.end_ps);
  out.value(names.of(bar.steps == 1 ? bar.first : bar.first + " to " + bar.last));
  const step_breakdown& s = bar.spent;
  for (const std::int64_t part : {bubbles::computed_ps(s), s.comm_exposed_ps, s.copy_ps, s.other_ps, s.idle_ps, s.not_recorded_ps}) out.value(part);
  out.end_array();
}

// The steps of one device, as many together as keep the picture small.
std::vector<step_bar> bars_of(const bubbles_result& found, std::uint32_t device) {
  const auto is_shown = [&](const bubble_step& s) { return s.device == device && !s.pseudo; };
  const auto steps = static_cast<std::size_t>(std::count_if(found.steps.begin(), found.steps.end(), is_shown));
  const std::size_t together = steps / max_bars + (steps % max_bars == 0 ? 0 : 1);
  std::vector<step_bar> bars;
  for (const bubble_step& s : found.steps) {
    if (!is_shown(s)) continue;
    if (bars.empty() || bars.back().steps == together) bars.push_back({0, s.start_ps, s.end_ps, {}, s.id, s.id});
    step_bar& bar = bars.back();
    ++bar.steps;
    bar.end_ps = s.end_ps;
    bar.last = s.id;
    bubbles::add_to(bar.spent, s.breakdown);
  }
  return bars;
}

}  // namespace

void write_steps_section(json_writer& out, const report_result& found, page_names& names) {
  if (!found.parts.bubbles || !has_marked_steps(found.parts.bubbles->found)) return;
  const bubbles_report& report = *found.parts.bubbles;
  const std::size_t devices = std::min(report.of->devices().size(), max_bar_devices);
  out.key("step_bars");
  out.begin_tuple();
  for (std::size_t d = 0; d < devices; ++d) {
    const std::vector<step_bar> bars = bars_of(report.found, static_cast<std::uint32_t>(d));
    if (bars.size() < 2) continue;
    out.begin_object();
    out.field("device", std::uint64_t{d});
    out.field("name", std::string_view(picture::device_name(*report.of, d)));
    out.key("bars");
    out.begin_tuple();
    for (const step_bar& bar : bars) write_bar(out, bar, names);
    out.end_array();
    out.end_object();
  }
  out.end_array();
}

}  // namespace html
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
