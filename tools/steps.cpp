// profkit steps: how long each step took, and where that is known from.
#include "places.hpp"
#include "quantity.hpp"
#include "slices.hpp"
#include "statistics.hpp"
#include "table.hpp"

#include <profkit/core/text.hpp>

#include <algorithm>
#include <utility>

namespace profkit_tool {
namespace {

using profkit::escape_for_terminal;
using profkit::grouped;
using profkit::human_duration;
using profkit::step_row;

constexpr std::uint64_t default_limit = 20;

// Steps of one plane lie together.
bool same_plane(const step_row& a, const step_row& b) noexcept {
  return a.file == b.file && a.plane == b.plane && a.source == b.source;
}

void print_summary(session& s, const std::vector<step_row>& steps, const place_names& places) {
  table t;
  t.right("file").flexible("plane", cut::middle).left("source").right("steps").right("median").right("min");
  t.right("max").right("total");
  for (std::size_t first = 0; first < steps.size();) {
    std::vector<std::int64_t> durations;
    std::size_t last = first;
    while (last < steps.size() && same_plane(steps[first], steps[last])) durations.push_back(steps[last++].duration_ps);
    const duration_statistics d = statistics_of(std::move(durations));
    t.row({s.file_label(steps[first].file), short_plane_name(places.plane(steps[first].file, steps[first].plane)),
           profkit::step_source_name(steps[first].source), grouped(std::uint64_t{d.count}), human_duration(d.median_ps),
           human_duration(d.min_ps), human_duration(d.max_ps), human_duration(d.total_ps)});
    first = last;
  }
  s.heading("Steps");
  t.print(s.out(), s.columns());
}

void print_rows(session& s, const std::vector<step_row>& steps, const place_names& places, std::uint64_t limit) {
  table t;
  t.right("file").flexible("plane", cut::middle).right("index").flexible("step", cut::middle).right("number");
  t.right("start").right("duration");
  std::uint64_t shown = 0;
  for (std::size_t i = 0; i < steps.size() && (limit == 0 || shown < limit); ++i, ++shown) {
    const step_row& step = steps[i];
    t.row({s.file_label(step.file), short_plane_name(places.plane(step.file, step.plane)), grouped(step.index),
           escape_for_terminal(step.name), step.step_num ? std::to_string(*step.step_num) : "",
           human_duration(step.start_ps), human_duration(step.duration_ps)});
  }
  s.heading("In order");
  t.print(s.out(), s.columns());
  s.left_out(steps.size(), shown);
}

}  // namespace

profkit::result<void> print_steps(session& s) {
  profkit::anatomy_options all = s.filters(0);
  const std::uint64_t limit = s.asked().limit.value_or(default_limit);
  all.limit = 0;  // the summary is over all of them
  auto found = profkit::anatomy_steps(s.capture(), all, s.hooks());
  if (!found) return std::move(found).error();
  s.lost(found->damage);
  if (found->steps.empty()) {
    s.absent(found->absent);
    return {};
  }
  auto info = profkit::anatomy_info(s.capture(), {}, s.hooks());
  if (!info) return std::move(info).error();
  const place_names places(*info);
  print_summary(s, found->steps, places);
  print_rows(s, found->steps, places, limit);
  return {};
}

}  // namespace profkit_tool
