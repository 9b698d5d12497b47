#include <analyse/bubbles/ratio.hpp>
#include <analyse/bubbles/summary.hpp>
#include <analyse/bubbles/tags.hpp>
#include <analyse/bubbles/words.hpp>
#include <base/stable_order.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

constexpr std::size_t most_ops_named = 5;

class adviser {
 public:
  adviser(bubbles_result& into, const activity& of, const bubble_thresholds& t) : r_(into), of_(of), t_(t) {}

  void run() {
    bubbles_of_.resize(r_.groups.size());
    for (const bubble& b : r_.bubbles)
      if (b.step >= 0)
        bubbles_of_[static_cast<std::size_t>(r_.steps.verdict(static_cast<std::size_t>(b.step)).group)].push_back(&b);
    for (std::size_t g = 0; g < r_.groups.size(); ++g) advise_group(r_.groups[g], bubbles_of_[g]);
    advise_ops();
    advise_recording();
    stable_order(r_.recommendations.begin(), r_.recommendations.end(),
                 [](const recommendation& a, const recommendation& b) { return a.priority < b.priority; });
  }

 private:
  recommendation& add(std::string text, const char* scope, std::string target, int priority) {
    recommendation& a = r_.recommendations.emplace_back();
    a.text = std::move(text);
    a.scope = scope;
    a.target = std::move(target);
    a.priority = priority;
    return a;
  }

  void advise_group(const bubble_group& g, const std::vector<const bubble*>& bubbles) {
    bubble_labels labels;
    bool issue = false, heavy_between = false, pollution = false;
    std::int64_t gc_ps = 0, listed_ps = 0;
    for (const std::uint32_t s : g.steps) {
      issue = issue || has_hidden_issue(r_.steps[s], t_);
      pollution = pollution || r_.steps.verdict(s).tags.has(bubble_tag::wait_pollution_risk);
    }
    const bubble* longest = nullptr;
    for (const bubble* const at : bubbles) {
      const bubble& b = *at;
      listed_ps = saturating_add(listed_ps, b.length_ps());
      gc_ps = saturating_add(gc_ps, b.host.gc_ps);
      if (b.boundary_adjacent) continue;
      labels.add(b.labels);
      heavy_between = heavy_between ||
                      (b.heavy && b.scope == bubble_scope::step_internal && b.structure_before != b.structure_after);
      if (longest == nullptr || b.length_ps() > longest->length_ps()) longest = &b;
    }
    const bool recurring = g.tags.has(bubble_tag::recurring_bubble_pattern);
    const int priority = issue ? (recurring && g.id == "g0" ? 0 : 1) : 2;
    const std::string fact = "idle " + share_text(g.underfeed_ppm.mean, millionths) +
                             " of a step on average, pattern " + idle_pattern_name(g.pattern) +
                             (recurring ? ", at the same places in most steps" : "");
    const auto tell = [&](std::string text, bool followup, std::string gap) {
      recommendation& a = add(std::move(text), "step_group", g.id, priority);
      a.followup_required = followup;
      a.evidence_gap = std::move(gap);
      a.evidence.push_back(fact);
      if (longest != nullptr)
        a.evidence.push_back("the longest gap, " + human_duration(longest->length_ps()) + ": " +
                             where_text(of_, r_, *longest));
    };
    if (issue) {
      if (labels.has(bubble_label::sync_or_h2d))
        tell(
            "Look for synchronisation and copies between host and device during the gaps; keep data on the device, "
            "copy asynchronously, read scalars less often.",
            false, "");
      if (labels.has(bubble_label::comm_wait))
        tell("Look at the communication that the host waits for during the gaps, and at ranks that arrive late.", false,
             "");
      if (labels.has(bubble_label::host_launch_lag))
        tell(
            "Possibly the host launches too late: fuse small ops, capture graphs, or take work off the launching "
            "thread.",
            g.requires_followup, "");
      if (labels.has(bubble_label::python_serialization_or_lock))
        tell("Possibly one thread holds the others up: sample the host's threads and locks.", true, "thread view");
      if (labels.has(bubble_label::untraced_host_blocking))
        tell("The host shows next to nothing during the gaps: sample it (thread view, scheduler, I/O).", true,
             r_.has_host_trace ? "host events during the gaps" : "host trace");
      if (!r_.has_stacks)
        tell("Record again with with_stack=true to see which code runs before the gaps.", true, "stacks");
    }
    if (heavy_between) {
      recommendation& a = add("Heavy gaps lie between layers: look at how the host dispatches one layer after another.",
                              "structure", g.id, issue && recurring ? 1 : 2);
      if (longest != nullptr) a.evidence.push_back(where_text(of_, r_, *longest));
    }
    if (pollution)
      add("Waits in front of kernels overlap collectives: take them as communication time, not as a cause, and look at "
          "the communication and synchronisation paths.",
          "step_group", g.id, 2)
          .followup_required = true;
    if (gc_ps > 0 && at_least(gc_ps, listed_ps, t_.sync_overlap_ppm))
      add("Garbage collection runs during " + share_text(gc_ps, listed_ps) +
              " of the listed gaps: freeze long-lived objects or collect between steps.",
          "step_group", g.id, issue ? 1 : 2);
    if (!g.shapes_compared && r_.groups.size() > std::max<std::size_t>(g.steps.size(), 2) && g.id == "g0")
      add("Steps fall into many groups: record_shapes=true tells whether shapes change.", "global", "", 3)
          .evidence_gap = "shapes";
    if (g.tags.has(bubble_tag::variable_shape_same_template))
      add("Input shapes change between steps of one template: pad or bucket them if they cause new compilations.",
          "step_group", g.id, 2)
          .evidence.push_back(grouped(g.varying_positions) + " of " + grouped(g.aligned_positions) +
                              " aligned kernels change their shapes");
  }

  void advise_ops() {
    std::size_t named = 0;
    for (const aicpu_op& a : r_.aicpu_ops) {
      if (named == most_ops_named) break;
      if (a.verdict == aicpu_verdict::unknown || a.verdict == aicpu_verdict::masked) continue;
      ++named;
      recommendation& advice = add("Move this op from the AI CPU to an AI core: change its data type or replace it.",
                                   "op", std::string(of_.text(a.op_type)), a.verdict == aicpu_verdict::exposed ? 1 : 2);
      advice.evidence.push_back(count_text(a.calls, "call") + ", " + human_duration(a.duration_ps - a.masked_ps) +
                                " not hidden behind compute on " + device_name(of_, a.device));
    }
    named = 0;
    for (const bubble_op& op : r_.ops) {
      if (named == most_ops_named) break;
      if (!op.false_hotspot) continue;
      ++named;
      recommendation& advice = add("Not a hotspot: its cost is the idle time before it. Look at that gap instead.",
                                   "op", std::string(of_.text(op.op_type)), 2);
      advice.evidence.push_back("waits " + human_duration(op.wait_ps) + ", runs " + human_duration(op.duration_ps) +
                                " in " + count_text(op.calls, "call"));
    }
    named = 0;
    for (const bubble_op& op : r_.ops) {
      if (named == most_ops_named) break;
      if (!op.inefficient || op.false_hotspot || op.calls < 2) continue;
      ++named;
      recommendation& advice = add("Small op that costs more than it computes: fuse it, or remove it.", "op",
                                   std::string(of_.text(op.op_type)), 2);
      advice.evidence.push_back(count_text(op.calls, "call") + ", " + human_duration(op.duration_ps) +
                                " of kernels and " + human_duration(op.gap_before_ps) +
                                " of gaps right before them on " + device_name(of_, op.device));
    }
  }

  void advise_recording() {
    for (const self_check_row& row : r_.self_check) {
      if (row.agrees) continue;
      add("The capture's own table disagrees with its kernels: check that both come from one run.", "global", "", 3)
          .evidence.push_back(std::string(row.what) + " of step " + r_.steps[row.step].id + ": " +
                              human_duration(row.ours_ps) + " here, " + human_duration(row.theirs_ps) + " there");
      break;
    }
    if (r_.has_host_trace || r_.steps.empty()) return;
    recommendation& a = add("Record the host as well: without it no gap can be explained.", "global", "", 3);
    a.followup_required = true;
    a.evidence_gap = "host trace";
  }

  bubbles_result& r_;
  const activity& of_;
  const bubble_thresholds& t_;
  std::vector<std::vector<const bubble*>> bubbles_of_;  // by group
};

}  // namespace

void recommend(bubbles_result& into, const activity& of, const bubble_thresholds& t) { adviser(into, of, t).run(); }

// One finding for each kind of step that waits too long, and one for its likeliest cause.
void list_findings(bubbles_result& into, const activity& of, const bubble_thresholds& t) {
  constexpr std::size_t most_findings = 6, most_proof = 3;
  for (std::size_t i = 0; i < into.groups.size() && into.findings.size() < most_findings; ++i) {
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
    f.id = "bubbles.idle";
    f.recoverable_ps = idle;
    f.what = "the device waits " + share_text(idle, service) + " of the time in " + count_text(g.steps.size(), "step") +
             " (" + g.id + "), " +
             (g.pattern == idle_pattern::none ? "spread over many gaps"
                                              : "mostly " + std::string(idle_pattern_name(g.pattern)) + " gaps");
    if (shown > 0) f.where = where_text(of, into, *longest.front());
    for (std::size_t b = 0; b < shown; ++b) {
      evidence& e = f.proof.emplace_back();
      const activity_device& on = of.devices()[longest[b]->device];
      e.file = on.file;
      e.plane = on.plane;
      e.start_ps = longest[b]->start_ps;
      e.end_ps = longest[b]->end_ps;
      e.note = human_duration(longest[b]->length_ps()) + ' ' + place_text(of, *longest[b]);
    }
    f.next = "profkit bubbles PATH";
    into.findings.push_back(std::move(f));
    const auto cause = std::find_if(into.causes.begin(), into.causes.end(), [&](const label_summary& c) {
      return c.scope == label_summary::reach::group && c.target == g.id && c.sure != confidence::low;
    });
    if (cause == into.causes.end()) continue;
    finding why;
    why.id = std::string("bubbles.cause.") + bubble_label_name(cause->label);
    why.sure = cause->sure == confidence::high ? certainty::probable : certainty::possible;
    why.what = std::string(bubble_label_meaning(cause->label)) + ", in " + count_text(g.steps.size(), "step") + " (" +
               g.id + "): " + cause->evidence.front();
    why.where = cause->evidence.size() > 1 ? cause->evidence[1] : "";
    why.next = "profkit bubbles PATH";
    into.findings.push_back(std::move(why));
  }
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
