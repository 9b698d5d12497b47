#include <analyse/bubbles/causes.hpp>
#include <analyse/bubbles/labels.hpp>
#include <analyse/bubbles/tags.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

// Sums over the reportable gaps of one or many steps, those at the edge of the capture left out.
struct gap_weights {
  std::int64_t service_ps = 0, underfeed_ps = 0, evidenced_ps = 0, host_ps = 0, early_ps = 0, sync_ps = 0;
  std::int64_t comm_ps = 0;
  bool traced = false;
  void add(const bubble_step& s) noexcept {
    service_ps = saturating_add(service_ps, s.service_ps());
    underfeed_ps = saturating_add(underfeed_ps, s.underfeed_ps());
    evidenced_ps = saturating_add(evidenced_ps, s.evidenced_ps);
    host_ps = saturating_add(host_ps, s.weighted_host_ps);
    early_ps = saturating_add(early_ps, s.launched_early_ps);
    sync_ps = saturating_add(sync_ps, s.weighted_sync_ps);
    comm_ps = saturating_add(comm_ps, s.weighted_comm_ps);
    traced = traced || s.traced;
  }
};

host_risk risk_of(const gap_weights& w, const bubble_thresholds& t) noexcept {
  if (!at_least(w.underfeed_ps, w.service_ps, t.idle_ratio_ppm)) return host_risk::low;
  if (at_least(w.sync_ps, w.evidenced_ps, t.sync_overlap_ppm) ||
      at_least(w.host_ps, w.evidenced_ps, t.high_coverage_ppm))
    return host_risk::high;
  return host_risk::medium;
}

void add_host_tags(bubble_tags& into, const gap_weights& w, bool recurring, bool boundary, const bubble_thresholds& t) {
  if (!recurring || !at_least(w.underfeed_ps, w.service_ps, t.idle_ratio_ppm)) return;
  if (!boundary && (at_least(w.host_ps, w.evidenced_ps, t.launch_lag_coverage_ppm) ||
                    at_least(w.sync_ps, w.evidenced_ps, t.sync_overlap_ppm)))
    into.add(bubble_tag::host_originated_risk);
  if (!w.traced || (w.evidenced_ps > 0 && !at_least(saturating_add(w.host_ps, w.early_ps), w.evidenced_ps, t.untraced_coverage_ppm)))
    into.add(bubble_tag::untraced_host_blocking_risk);
}

}  // namespace

bool is_heavy(std::int64_t gap_ps, std::int64_t service_ps, const bubble_thresholds& t) noexcept {
  return gap_ps >= t.heavy_gap_ps && at_least(gap_ps, service_ps, t.heavy_share_ppm);
}

bool has_hidden_issue(const bubble_step& s, const bubble_thresholds& t) noexcept {
  return at_least(s.underfeed_ps(), s.service_ps(), t.idle_ratio_ppm) || is_heavy(s.prelaunch_ps, s.service_ps(), t) ||
         is_heavy(s.tail_ps, s.service_ps(), t) || is_heavy(s.largest_internal_ps, s.service_ps(), t);
}

bool has_hidden_issue(const bubbles_result& r, const bubble_group& g, const bubble_thresholds& t) {
  return std::any_of(g.steps.begin(), g.steps.end(), [&](std::uint32_t s) { return has_hidden_issue(r.steps[s], t); });
}

void find_boundaries(bubbles_result& into, const std::vector<step_edges>& edges, const bubble_options& o) {
  const bubble_thresholds& t = o.thresholds;
  const auto touches = [&](std::uint32_t device, std::int64_t start, std::int64_t end) {
    // Whole steps begin and end where their marks say, which the capture shows.
    if (o.windows == window_policy::whole && edges[device].steps > 0) return false;
    const device_gaps& d = into.devices[device];
    return end == d.first_ps || start == d.last_ps || start == edges[device].first_ps || end == edges[device].last_ps;
  };
  for (bubble& b : into.bubbles) b.boundary_adjacent = touches(b.device, b.start_ps, b.end_ps);
  std::size_t at = 0;
  for (const bubble_step& s : into.steps) {
    const std::int64_t longest = std::max({s.prelaunch_ps, s.tail_ps, s.largest_internal_ps});
    const bool at_edge = (s.prelaunch_ps == longest && touches(s.device, s.start_ps, s.start_ps + s.prelaunch_ps)) ||
                         (s.tail_ps == longest && touches(s.device, s.end_ps - s.tail_ps, s.end_ps));
    into.steps.verdict(at++).boundary_dominated = longest >= t.reportable_gap_ps && longest > 0 && at_edge;
  }
}

void label_bubbles(bubbles_result& into, const activity& of, const bubble_options& o) {
  const bubble_thresholds& t = o.thresholds;
  for (bubble& b : into.bubbles) {
    b.labels = labels_of(b, t);
    judge_cause(b, of, t);
    if (b.step < 0) continue;
    step_verdict& s = into.steps.verdict(static_cast<std::size_t>(b.step));
    s.labels.add(b.labels);
    s.traced = s.traced || b.host.traced;
    if (b.boundary_adjacent || !b.host.traced) continue;
    s.evidenced_ps += b.length_ps();
    // The work was launched in time: what the host did meanwhile did not keep the device waiting.
    if (b.cause.id == idle_cause::device_dependency) {
      s.launched_early_ps += b.length_ps();
      continue;
    }
    s.weighted_host_ps += b.host.host_ps;
    s.weighted_sync_ps += b.host.sync_ps;
    s.weighted_comm_ps += b.host.comm_ps;
  }
}

void tag_steps(bubbles_result& into, const std::vector<step_facts>& facts, const std::vector<step_edges>& edges,
               const bubble_options& o) {
  const bubble_thresholds& t = o.thresholds;
  hash_set<std::uint64_t> anchors;  // op type and core, of all devices
  for (const bubble_op& op : into.ops)
    if (op.false_hotspot) anchors.insert(static_cast<std::uint64_t>(op.op_type) << 32 | op.core);
  for (const bubble& b : into.bubbles) {
    if (b.step < 0) continue;
    bubble_tags& tags = into.steps.verdict(static_cast<std::size_t>(b.step)).tags;
    if (b.after_count > 0 &&
        anchors.count(static_cast<std::uint64_t>(type_of(b.after[0])) << 32 | b.after[0].core) != 0)
      tags.add(bubble_tag::wait_anchor_false_hotspot);
    if (b.heavy && b.labels.has(bubble_label::comm_wait)) tags.add(bubble_tag::comm_sync_risk);
  }
  std::size_t at = 0;
  for (const bubble_step& s : into.steps) {
    const std::size_t i = at++;
    step_verdict& verdict = into.steps.verdict(i);
    const std::int64_t service = s.service_ps();
    if (is_heavy(s.prelaunch_ps, service, t)) verdict.tags.add(bubble_tag::prelaunch_gap_heavy);
    if (is_heavy(s.tail_ps, service, t)) verdict.tags.add(bubble_tag::tail_gap_heavy);
    if (is_heavy(s.largest_internal_ps, service, t)) verdict.tags.add(bubble_tag::internal_bubble_heavy);
    if (has_hidden_issue(s, t))
      verdict.tags.add(bubble_tag::device_idle_gap_heavy);
    gap_weights w;
    w.add(s);
    verdict.risk = risk_of(w, t);
    const bubble_group& g = into.groups[static_cast<std::size_t>(s.group)];
    add_host_tags(verdict.tags, w, g.recurring, s.boundary_dominated, t);
    if (at_least(w.comm_ps, w.evidenced_ps, t.comm_overlap_ppm)) verdict.tags.add(bubble_tag::comm_sync_risk);
    if (at_least(s.polluted_wait_ps, s.wait_sum_ps, t.polluted_wait_ppm))
      verdict.tags.add(bubble_tag::wait_pollution_risk);
    const aicpu_exposure& a = facts[i].aicpu;
    if (a.exposed_calls > 0 || (a.partly_exposed_ps >= t.aicpu_exposed_ps &&
                                at_least(a.partly_exposed_ps, service, t.aicpu_exposed_share_ppm)))
      verdict.tags.add(bubble_tag::aicpu_exposed_risk);
    const device_gaps& d = into.devices[s.device];
    const step_edges& edge = edges[s.device];
    if (s.boundary_dominated || s.cut || (s.start_ps == edge.first_ps && d.kernels_before_steps > 0) ||
        (s.end_ps == edge.last_ps && d.kernels_after_steps > 0))
      verdict.tags.add(bubble_tag::partial_capture_boundary);
  }
}

void tag_groups(bubbles_result& into, const bubble_options& o) {
  const bubble_thresholds& t = o.thresholds;
  for (bubble_group& g : into.groups) {
    gap_weights w;
    std::uint64_t on_steps[bubble_tag_count] = {};
    std::uint64_t at_edge = 0;
    std::int64_t wait_ps = 0, polluted_ps = 0;
    bubble_labels labels;
    bool issue = false;
    for (const std::uint32_t i : g.steps) {
      const bubble_step& s = into.steps[i];
      w.add(s);
      labels.add(s.labels);
      issue = issue || has_hidden_issue(s, t);
      at_edge += s.boundary_dominated ? 1 : 0;
      wait_ps = saturating_add(wait_ps, s.wait_sum_ps);
      polluted_ps = saturating_add(polluted_ps, s.polluted_wait_ps);
      for (std::size_t tag = 0; tag < bubble_tag_count; ++tag)
        on_steps[tag] += s.tags.has(static_cast<bubble_tag>(tag)) ? 1 : 0;
    }
    g.risk = risk_of(w, t);
    add_host_tags(g.tags, w, g.recurring, 2 * at_edge > g.steps.size(), t);
    if (g.recurring_places > 0) g.tags.add(bubble_tag::recurring_bubble_pattern);
    const auto half = [&](bubble_tag tag) { return 2 * on_steps[static_cast<std::size_t>(tag)] >= g.steps.size(); };
    if (at_least(w.comm_ps, w.evidenced_ps, t.comm_overlap_ppm) || half(bubble_tag::comm_sync_risk))
      g.tags.add(bubble_tag::comm_sync_risk);
    if (g.shapes_compared && g.varying_positions > 0) g.tags.add(bubble_tag::variable_shape_same_template);
    for (std::size_t tag = 0; tag < bubble_tag_count; ++tag)
      if (on_steps[tag] > 0 && 2 * on_steps[tag] >= g.steps.size())
        g.dominant_tags.push_back({static_cast<bubble_tag>(tag), on_steps[tag]});
    std::stable_sort(g.dominant_tags.begin(), g.dominant_tags.end(),
                 [](const auto& a, const auto& b) { return a.second > b.second; });
    bubble_labels specific = labels;
    specific.drop(bubble_label::untraced_host_blocking);
    specific.drop(bubble_label::insufficient_evidence);
    const bool unexplained = issue && g.recurring && specific.empty();
    const bool missing = issue && (!into.has_stacks || !g.shapes_compared);
    g.requires_followup = unexplained || missing || at_least(polluted_ps, wait_ps, t.polluted_wait_ppm);
    if (g.tags.has(bubble_tag::untraced_host_blocking_risk)) into.requires_host_followup = true;
  }
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
