#include <analyse/bubbles/advice.hpp>
#include <analyse/bubbles/ratio.hpp>
#include <analyse/bubbles/summary.hpp>
#include <analyse/bubbles/tags.hpp>
#include <analyse/bubbles/words.hpp>
#include <trace/input_texts.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

constexpr std::size_t max_ops_named = 5;

bool is_slow_to_launch(idle_cause c) noexcept {
  return c == idle_cause::launch_bound || c == idle_cause::graph_launch_late;
}

bool is_all_of_tpus(const activity& of) {
  return !of.devices().empty() &&
         std::all_of(of.devices().begin(), of.devices().end(), [](const activity_device& d) { return d.type == accelerator::tpu; });
}

class adviser {
 public:
  adviser(bubbles_result& into, const activity& of, const bubble_thresholds& t)
      : r_(into), of_(of), t_(t), writer_(writer_of(of)), on_tpu_(is_all_of_tpus(of)) {}

  void run() {
    for (const bubble_group& g : r_.groups) issue_.push_back(has_hidden_issue(r_, g, t_));
    find_gaps_of_groups();
    for (const cause_summary& c : r_.causes) advise_cause(c);
    for (std::size_t g = 0; g < r_.groups.size(); ++g) advise_group(g);
    advise_ops();
    advise_recording();
    weigh();
    std::stable_sort(r_.recommendations.begin(), r_.recommendations.end(),
                 [](const recommendation& a, const recommendation& b) {
                   return a.recoverable_ps != b.recoverable_ps ? a.recoverable_ps > b.recoverable_ps
                                                               : a.priority < b.priority;
                 });
  }

 private:
  recommendation& add(std::string text, const char* scope, std::string target) {
    recommendation& a = r_.recommendations.emplace_back();
    a.text = std::move(text);
    a.scope = scope;
    a.target = std::move(target);
    return a;
  }

  // One rule for all advice: what it is worth at most. From 5 % of the time of the devices on it is P0, from 1 % on P1, less is P2;
  // what brings nothing itself, such as recording more, is P3. What is in steps is held against the time in steps.
  void weigh() {
    constexpr std::int64_t urgent_ppm = 50'000, worthwhile_ppm = 10'000;
    const std::int64_t in_steps_ps = time_ps_of(r_, -1, true), all_ps = saturating_add(in_steps_ps, time_ps_of(r_, -1, false));
    for (recommendation& a : r_.recommendations) {
      const std::int64_t whole_ps = a.is_of_steps() ? in_steps_ps : all_ps;
      a.priority = a.recoverable_ps <= 0                              ? 3
                   : at_least(a.recoverable_ps, whole_ps, urgent_ppm)     ? 0
                   : at_least(a.recoverable_ps, whole_ps, worthwhile_ppm) ? 1
                                                                          : 2;
    }
  }

  static void take_longest(const bubble*& longest, const bubble& b) noexcept {
    if (longest == nullptr || b.length_ps() > longest->length_ps()) longest = &b;
  }

  // Whether the parts of its step are layers that the host names.
  [[nodiscard]] bool of_layers(const bubble& b) const {
    return std::string_view(r_.steps[static_cast<std::size_t>(b.step)].structure_source) == "annotations";
  }

  // Heavy gaps between parts, before which the host was slow to launch.
  struct gaps_between {
    std::int64_t sum_ps = 0;
    const bubble* longest = nullptr;
  };
  void find_gaps_of_groups() {
    between_.resize(r_.groups.size());
    longest_.resize(r_.groups.size());
    for (const bubble& b : r_.bubbles) {
      if (b.step < 0) continue;
      const auto group = static_cast<std::size_t>(r_.steps.verdict(static_cast<std::size_t>(b.step)).group);
      take_longest(longest_[group], b);
      if (b.boundary_adjacent || !b.heavy || b.scope != bubble_scope::step_internal ||
          b.structure_before == b.structure_after || !is_slow_to_launch(b.cause.id))
        continue;
      gaps_between& of = between_[group];
      of.sum_ps = saturating_add(of.sum_ps, b.length_ps());
      take_longest(of.longest, b);
    }
  }

  // Outside all steps a cause counts from the length of a heavy gap on.
  void advise_cause(const cause_summary& c) {
    const bool in_group = c.group >= 0;
    const auto group = static_cast<std::size_t>(c.group);
    if (!c.is_exposed() && (in_group ? !issue_[group] : c.total_ps < t_.heavy_gap_ps)) return;
    const advice_text& says = advice_of(c.cause, r_.has_stacks, on_tpu_);
    recommendation& a = add(says.text, in_group ? "step_group" : "global", in_group ? r_.groups[group].id : "");
    a.how = advice_of_framework(c.cause, writer_);
    a.recoverable_ps = c.total_ps;
    a.followup_required = says.missing[0] != '\0' || (in_group && r_.groups[group].requires_followup);
    a.evidence_gap = c.cause == idle_cause::host_untraced && !r_.has_host_trace ? "host trace" : says.missing;
    if (c.is_exposed()) {
      a.evidence = c.evidence;
      return;
    }
    if (in_group) a.evidence.push_back(idle_fact(r_.groups[group]));
    a.evidence.push_back(gap_fact(r_.bubbles[c.longest]));
  }
  std::string gap_fact(const bubble& longest) const {
    return "the longest gap, " + human_duration(longest.length_ps()) + ": " + where_text(of_, r_, longest) +
           (longest.cause.span == 0 ? "" : ", in " + std::string(of_.text(longest.cause.span)));
  }
  static std::string idle_fact(const bubble_group& g) {
    return "idle " + share_text(g.underfeed_ppm.mean, millionths) + " of a step on average, pattern " +
           idle_pattern_name(g.pattern) +
           (g.tags.has(bubble_tag::recurring_bubble_pattern) ? ", at the same places in most steps" : "");
  }

  void advise_group(std::size_t group) {
    const bubble_group& g = r_.groups[group];
    const bool pollution = std::any_of(g.steps.begin(), g.steps.end(), [&](std::uint32_t s) {
      return r_.steps.verdict(s).tags.has(bubble_tag::wait_pollution_risk);
    });
    if (issue_[group] && !r_.has_stacks && is_of_pytorch(of_)) {
      recommendation& a = add("Record again with with_stack=true to see which code runs before the gaps.", "step_group",
                              g.id);
      a.followup_required = true;
      a.evidence_gap = "stacks";
      a.evidence.push_back(idle_fact(g));
      if (const bubble* longest = longest_[group]; longest != nullptr) a.evidence.push_back(gap_fact(*longest));
    }
    if (const gaps_between& between = between_[group]; between.longest != nullptr) {
      const bool layers = of_layers(*between.longest);
      recommendation& a = add(
          layers ? "The host launches late between layers: look at how it dispatches one layer after another."
                 : "The host launches late between the parts of a step that repeat: look at how it dispatches one after "
                   "another.",
          "structure", g.id);
      a.recoverable_ps = between.sum_ps;
      a.evidence.push_back(where_text(of_, r_, *between.longest));
    }
    if (pollution)
      add("Waits before kernels overlap collectives: take them as communication time, not as a cause, and look at "
          "the communication and synchronisation paths.",
          "step_group", g.id)
          .followup_required = true;
    if (!g.shapes_compared && r_.groups.size() > std::max<std::size_t>(g.steps.size(), 2) && g.id == "g0" &&
        is_of_pytorch(of_))
      add("Steps fall into many groups: record with record_shapes=true to see whether shapes change.", "global", "")
          .evidence_gap = "shapes";
    if (g.tags.has(bubble_tag::variable_shape_same_template))
      add("Input shapes change between steps of one template: pad or bucket them if they cause new compilations.",
          "step_group", g.id)
          .evidence.push_back(grouped(g.varying_positions) + " of " + grouped(g.aligned_positions) +
                              " aligned kernels change their shapes");
  }

  // The idle time right before the ops of a type on a device.
  struct gaps_before_op {
    const bubble* longest = nullptr;
    std::int64_t launch_bound_ps = 0;  // of gaps in which the host was slow to launch
    const bubble* longest_launch_bound = nullptr;
  };
  void find_gaps_before_ops() {
    for (const bubble& b : r_.bubbles) {
      if (b.inter_step || b.after_count == 0) continue;
      gaps_before_op& of = before_ops_[{b.device, type_of(b.after[0])}];
      take_longest(of.longest, b);
      if (!is_slow_to_launch(b.cause.id)) continue;
      of.launch_bound_ps = saturating_add(of.launch_bound_ps, b.length_ps());
      take_longest(of.longest_launch_bound, b);
    }
  }
  gaps_before_op gaps_before(const bubble_op& op) const {
    const auto at = before_ops_.find({op.device, op.op_type});
    return at == before_ops_.end() ? gaps_before_op{} : at->second;
  }

  void advise_ops() {
    find_gaps_before_ops();
    std::size_t named = 0;
    for (const aicpu_op& a : r_.aicpu_ops) {
      if (named == max_ops_named) break;
      if (a.verdict == aicpu_verdict::unknown || a.verdict == aicpu_verdict::masked) continue;
      ++named;
      recommendation& advice = add("Move this op from the AI CPU to an AI core: change its data type or replace it.",
                                   "op", std::string(of_.text(a.op_type)));
      advice.recoverable_ps = a.duration_ps - a.masked_ps;
      advice.evidence.push_back(count_text(a.calls, "call") + ", " + human_duration(a.duration_ps - a.masked_ps) +
                                " not hidden by compute on " + device_name(of_, a.device));
    }
    named = 0;
    for (const bubble_op& op : r_.ops) {
      if (named == max_ops_named) break;
      if (!op.false_hotspot) continue;
      ++named;
      const bubble* longest = gaps_before(op).longest;
      recommendation& advice = add(longest == nullptr
                                       ? "Not a hotspot: nearly all of its cost is waiting."
                                       : "Not a hotspot: its cost is the idle time before it. Look at that gap instead.",
                                   "op", std::string(of_.text(op.op_type)));
      advice.evidence.push_back("waits " + human_duration(op.wait_ps) + ", runs " + human_duration(op.duration_ps) +
                                " in " + count_text(op.calls, "call"));
      if (longest != nullptr) advice.evidence.push_back(gap_fact(*longest));
    }
    named = 0;
    for (const bubble_op& op : r_.ops) {
      if (named == max_ops_named) break;
      if (!op.inefficient || op.false_hotspot || op.calls < 2) continue;
      const gaps_before_op before = gaps_before(op);
      if (before.launch_bound_ps <= 0) continue;  // fusing helps against late launches only
      ++named;
      recommendation& advice = add("Short kernels launched late, one by one: fusing them, or a graph, may help.", "op",
                                   std::string(of_.text(op.op_type)));
      advice.recoverable_ps = before.launch_bound_ps;
      advice.evidence.push_back(count_text(op.calls, "call") + ", " + human_duration(op.duration_ps) +
                                " of kernels and " + human_duration(before.launch_bound_ps) +
                                " of gaps with a late launch right before them on " + device_name(of_, op.device));
      advice.evidence.push_back(gap_fact(*before.longest_launch_bound));
    }
  }

  void advise_recording() {
    for (const self_check_row& row : r_.self_check) {
      if (row.agrees) continue;
      add("The capture's own table disagrees with its kernels: check that both come from one run.", "global", "")
          .evidence.push_back(std::string(row.what) + " of step " + r_.steps[row.step].id + ": " +
                              human_duration(row.ours_ps) + " here, " + human_duration(row.theirs_ps) + " there");
      break;
    }
    if (r_.has_host_trace || r_.steps.empty()) return;
    recommendation& a = add("Record the host as well: without it no gap can be explained.", "global", "");
    a.followup_required = true;
    a.evidence_gap = "host trace";
  }

  bubbles_result& r_;
  const activity& of_;
  const bubble_thresholds& t_;
  const trace_writer writer_;
  const bool on_tpu_;
  std::vector<bool> issue_;  // by group: its steps wait so long that it matters
  std::vector<gaps_between> between_;  // by group
  std::vector<const bubble*> longest_;  // by group
  std::map<std::pair<std::uint32_t, string_id>, gaps_before_op> before_ops_;  // by device and type
};

}  // namespace

void recommend(bubbles_result& into, const activity& of, const bubble_thresholds& t) { adviser(into, of, t).run(); }

namespace {

evidence evidence_on(const activity& of, const device_time& at, std::string note) {
  evidence e;
  e.file = of.devices()[at.device].file;
  e.plane = of.devices()[at.device].plane;
  e.device = static_cast<std::int32_t>(at.device);
  e.start_ps = at.start_ps;
  e.end_ps = at.end_ps;
  e.note = std::move(note);
  return e;
}

evidence evidence_of(const activity& of, const bubble& b) {
  const std::string place = place_text(of, b);
  return evidence_on(of, {b.device, b.start_ps, b.end_ps}, human_duration(b.length_ps()) + (place.empty() ? "" : ' ' + place));
}

void add_cause_finding(bubbles_result& into, const cause_summary& c, const activity& of) {
  finding why;
  why.id = std::string("bubbles.cause.") + idle_cause_name(c.cause);
  why.sure = c.sure;
  why.recoverable_ps = c.total_ps;
  why.what = (c.sure == certainty::proved   ? ""
              : c.sure == certainty::likely ? "Likely cause: "
                                            : "Possible cause: ") +
             std::string(idle_cause_meaning(c.cause));
  if (c.group >= 0) {
    const bubble_group& g = into.groups[static_cast<std::size_t>(c.group)];
    why.what += ", in " + count_text(g.steps.size(), "step") + " (" + g.id + ')';
  }
  why.what += ": " + c.evidence.front();
  why.where = c.evidence[1];
  if (!c.is_exposed()) {
    why.proof.push_back(evidence_of(of, into.bubbles[c.longest]));
  } else if (c.most.start_ps != no_time_ps) {
    why.proof.push_back(evidence_on(of, c.most, c.evidence[1]));
  }
  why.next = advice_of(c.cause, into.has_stacks, is_all_of_tpus(of)).text;
  if (const std::string how = advice_of_framework(c.cause, writer_of(of)); !how.empty()) why.next += ' ' + how;
  into.findings.push_back(std::move(why));
}

}  // namespace

// One finding for each kind of step that waits too long and one for its likeliest cause, and those of exposed time.
void list_findings(bubbles_result& into, const activity& of, const bubble_thresholds& t) {
  constexpr std::size_t max_findings = 6, most_proof = 3;
  for (std::size_t i = 0; i < into.groups.size() && into.findings.size() < max_findings; ++i) {
    const bubble_group& g = into.groups[i];
    std::int64_t idle = 0, service = 0;
    bool issue = false;
    for (const std::uint32_t s : g.steps) {
      const bubble_step& step = into.steps[s];
      idle = saturating_add(idle, step.underfeed_ps());
      service = saturating_add(service, step.service_ps());
      issue = issue || has_hidden_issue(step, t);
    }
    if (!issue) continue;
    std::vector<const bubble*> longest;
    for (const bubble& b : into.bubbles)
      if (b.step >= 0 && into.steps.verdict(static_cast<std::size_t>(b.step)).group == static_cast<std::int32_t>(i))
        longest.push_back(&b);
    const std::size_t shown = std::min(most_proof, longest.size());
    std::partial_sort(longest.begin(), longest.begin() + static_cast<std::ptrdiff_t>(shown), longest.end(),
                      [](const bubble* a, const bubble* b) {
                        return a->length_ps() != b->length_ps() ? a->length_ps() > b->length_ps()
                                                                : a->start_ps < b->start_ps;
                      });
    finding f;
    f.id = "bubbles.idle";  // how much of it can be won back its causes say
    f.what = "the device waits " + share_text(idle, service) + " of the time in " + count_text(g.steps.size(), "step") +
             " (" + g.id + "), " +
             (g.pattern == idle_pattern::none ? "spread over many gaps"
                                              : "mostly " + std::string(idle_pattern_name(g.pattern)) + " gaps");
    if (shown > 0) f.where = where_text(of, into, *longest.front());
    for (std::size_t b = 0; b < shown; ++b) f.proof.push_back(evidence_of(of, *longest[b]));
    f.next = "profkit bubbles PATH";
    into.findings.push_back(std::move(f));
    // The largest that is known. More may be unexplained: so its share of the idle time is in the text.
    const auto cause = std::find_if(into.causes.begin(), into.causes.end(), [&](const cause_summary& c) {
      return c.group == static_cast<std::int32_t>(i) && !c.is_exposed() && explains(c.cause) &&
             (c.sure >= certainty::likely || c.span != 0);
    });
    if (cause == into.causes.end() || cause->total_ps < service / least_part_named) continue;
    add_cause_finding(into, *cause, of);
    into.findings.back().what += ", " + share_text(cause->total_ps, idle) + " of the idle time";
  }
  for (const cause_summary& c : into.causes)
    if (c.is_exposed()) add_cause_finding(into, c, of);
  number_findings(into.findings);
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
