// profkit steps: how long each step took, and where that is known from.
#include "places.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "table.hpp"

#include <profkit/core/step_groups.hpp>
#include <profkit/core/text.hpp>

#include <utility>

namespace profkit_tool {
namespace {

using profkit::escape_for_terminal;
using profkit::grouped;
using profkit::human_duration;
using profkit::step_row;

void print_step_summary(session& s, const profkit::step_list& steps) {
  table t;
  t.right("file").flexible("plane", cut::middle).left("source").minor().right("steps").right("median").right("min").minor();
  t.right("max").minor().right("total");
  for (const profkit::step_group& g : profkit::group_steps(steps)) {
    const profkit::duration_statistics& d = g.times;
    t.row({s.file_label(g.first.file), step_place(g.first), profkit::step_source_name(g.first.source),
           grouped(std::uint64_t{d.count}), human_duration(d.median_ps), human_duration(d.min_ps),
           human_duration(d.max_ps), human_duration(d.total_ps)});
  }
  s.print("Steps", t);
}

void print_step_rows(session& s, const profkit::step_list& steps, std::uint64_t limit) {
  table t;
  t.right("file").flexible("plane", cut::middle).right("index").flexible("step", cut::middle).right("number").minor();
  t.right("start").right("duration");
  for (std::size_t i = 0; i < steps.size() && !t.is_full(limit); ++i) {
    const step_row step = steps[i];
    t.row({s.file_label(step.file), step_place(step), grouped(step.index), escape_for_terminal(step.name),
           step.step_num ? std::to_string(*step.step_num) : "", human_duration(step.start_ps),
           human_duration(step.duration_ps)});
  }
  s.print("In order", t, steps.size());
}

profkit::result<void> print_steps(session& s) {
  profkit::query_filters all = s.filters(0);
  const std::uint64_t limit = s.asked().limit.value_or(default_rows);
  all.limit = 0;  // the summary is over all of them
  auto found = profkit::analyse_steps(s.trace(), all, s.hooks());
  if (!found) return std::move(found).error();
  s.lost(found->damage);
  if (found->steps.empty()) {
    s.absent(found->absent);
    return {};
  }
  print_step_summary(s, found->steps);
  print_step_rows(s, found->steps, limit);
  return {};
}

}  // namespace

extern const command_description steps_command = {
    "steps",
    "PATH",
    "Training or program steps with their durations",
    "Steps come from the 'Steps' line of a device, else from its 'XLA Modules' line, else from\n"
    "names of host events such as ProfilerStep#5 or their step_num. The source is named.",
    "  profkit steps vm.xplane.pb\n"
    "  profkit steps vm.xplane.pb --limit 0 --json\n",
    make_options<plain_slice<profkit::document::steps, print_steps>>,
    "Marks are those of the host, as in Iteration#3, else those of each device or table.",
};

}  // namespace profkit_tool
