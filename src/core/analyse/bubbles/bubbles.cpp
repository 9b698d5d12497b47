// The phases of the detector, in order.
#include <analyse/bubbles/host_evidence.hpp>
#include <trace/windows/markers.hpp>
#include <analyse/bubbles/summary.hpp>
#include <analyse/bubbles/tags.hpp>
#include <analyse/bubbles/unrecorded.hpp>
#include <analyse/bubbles/words.hpp>
#include <trace/input_texts.hpp>
#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <base/thread_pool.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

// "/device:TPU:0 SparseCore 1": a part of a chip that works when the chip gives it something. Its rest is not a wait.
bool is_part_of_chip(const activity& of, std::size_t device) {
  const std::string_view name = of.text(of.devices()[device].name);
  const std::size_t at = name.find(" SparseCore ");
  if (at == std::string_view::npos) return false;
  return std::any_of(of.devices().begin(), of.devices().end(),
                     [&](const activity_device& d) { return of.text(d.name) == name.substr(0, at); });
}

// What ran is kept, what is said of waiting is not.
device_found without_waits(device_found found) {
  device_found kept;
  kept.gaps = std::move(found.gaps);
  kept.gaps.outside = {};
  kept.gaps.bubbles_left_out = 0;
  kept.gaps.bubbles_left_out_ps = 0;
  kept.ops = std::move(found.ops);
  return kept;
}

result<device_found> look_at_device(const activity& of, std::size_t device, const bubble_options& o,
                                    const std::vector<kernel_row>& unrecorded,
                                    const std::vector<collective_wait>& waits, const host_steps& steps,
                                    host_layers& layers_of_hosts, const hooks& host) {
  auto windows = find_windows(of, device, steps, host);
  if (!windows) return std::move(windows).error();
  keep_to(o.only, of, *windows);
  auto layers = layers_of_hosts.take(device, host);
  if (!layers) return std::move(layers).error();
  device_pass pass(of, device, o, std::move(*windows), **layers, unrecorded, waits);
  if (result<void> seen = of.visit_kernels(device, pass, host); !seen) return std::move(seen).error();
  return is_part_of_chip(of, device) ? without_waits(pass.finish()) : pass.finish();
}

// What came of each device, in one list each; steps are counted on.
struct joined {
  std::vector<std::vector<step_template>> templates;
  std::vector<step_facts> facts;
  std::vector<step_edges> edges;
};

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  from = {};  // these lists are long: no two copies of all of them
}

void reserve_for(const std::vector<device_found>& devices, bubbles_result& into) {
  std::size_t steps = 0, bubbles = 0;
  for (const device_found& d : devices) {
    steps += d.steps.size();
    bubbles += d.bubbles.size();
  }
  into.steps.reserve(steps);
  into.bubbles.reserve(bubbles);
}

joined join(bubbles_result& into, std::vector<device_found>& devices) {
  joined all;
  reserve_for(devices, into);
  for (device_found& d : devices) {
    const auto first_step = static_cast<std::uint32_t>(into.steps.size());
    const auto first_structure = static_cast<std::uint32_t>(into.structures.size());
    for (bubble& b : d.bubbles)
      if (b.step >= 0) b.step += static_cast<std::int32_t>(first_step);
    into.devices.push_back(std::move(d.gaps));
    into.structures_left_out += d.structures_left_out;
    into.block_sides_left_out += d.block_sides_left_out;
    into.steps_too_large += d.steps_too_large;
    into.steps.append(std::move(d.steps), first_structure);
    append(all.facts, d.facts);
    into.structures.append(std::move(d.structures), first_step);
    into.block_sides.append(std::move(d.block_sides), first_step);
    append(into.bubbles, d.bubbles);
    append(into.ops, d.ops);
    append(into.aicpu_ops, d.aicpu_ops);
    all.templates.push_back(std::move(d.templates));
    all.edges.push_back(d.edges);
  }
  return all;
}

// By the steps that made the launches; a step of the host has the same number on its devices.
void count_unrecorded(bubbles_result& into, const activity& of, const std::vector<std::vector<kernel_row>>& unrecorded,
                      bool asks_all) {
  if (std::all_of(unrecorded.begin(), unrecorded.end(), [](const auto& of_device) { return of_device.empty(); })) return;
  hash_map<std::pair<std::uint32_t, std::string>, std::size_t> by_id;
  std::vector<std::vector<std::pair<std::int64_t, std::size_t>>> by_start(unrecorded.size());
  for (std::size_t i = 0; i < into.steps.size(); ++i) {
    bubble_step s = into.steps[i];
    by_start[s.device].emplace_back(s.start_ps, i);
    by_id.try_emplace({s.device, std::move(s.id)}, i);
  }
  for (std::uint32_t device = 0; device < unrecorded.size(); ++device) {
    const marker_range steps = markers_of_device(of, of.devices()[device].host_group, -1);
    for (const kernel_row& k : unrecorded[device]) {
      const step_marker* const step = last_begun_by(steps, k.launch_ps);
      if (step != nullptr && step->end_ps > k.launch_ps && step->number >= 0) {
        const auto found = by_id.find({device, std::to_string(step->number)});
        if (found != by_id.end()) ++into.steps.verdict(found->second).unrecorded_launches;
        continue;
      }
      const auto& starts = by_start[device];
      const auto next = std::upper_bound(starts.begin(), starts.end(), std::pair(k.launch_ps, into.steps.size()));
      if (next == starts.begin()) continue;
      const std::size_t before = std::prev(next)->second;
      if (asks_all || into.steps[before].end_ps > k.launch_ps) ++into.steps.verdict(before).unrecorded_launches;
    }
  }
}

// Ops of tables without start times, by their time.
bool take_totals(bubbles_result& into, const activity& of) {
  std::size_t first = into.ops.size();
  for (std::size_t d = 0; d < of.devices().size(); ++d) {
    for (const op_total& t : of.devices()[d].totals) {
      bubble_op& op = into.ops.emplace_back();
      op.device = static_cast<std::uint32_t>(d);
      op.op_type = op.name = t.op_type;
      op.core = t.core;
      op.kind = t.kind;
      op.calls = t.calls;
      op.duration_ps = t.duration_ps;
    }
  }
  const auto ops = into.ops.begin() + static_cast<std::ptrdiff_t>(first);
  const auto mean = [](const bubble_op& op) { return op.duration_ps / static_cast<std::int64_t>(op.calls); };
  std::stable_sort(ops, into.ops.end(), [&](const auto& a, const auto& b) { return mean(a) > mean(b); });
  for (std::size_t i = first; i < into.ops.size(); ++i)
    into.ops[i].rank_by_mean_cost = static_cast<std::uint32_t>(i - first + 1);
  std::stable_sort(ops, into.ops.end(), [](const auto& a, const auto& b) { return a.duration_ps > b.duration_ps; });
  for (std::size_t i = first; i < into.ops.size(); ++i)
    into.ops[i].rank_by_cost = into.ops[i].rank_by_duration = static_cast<std::uint32_t>(i - first + 1);
  return into.ops.size() > first;
}

std::string why_no_step(const std::vector<step_edges>& edges) {
  step_edges all;
  for (const step_edges& e : edges)
    all = {std::min(all.first_ps, e.first_ps), std::max(all.last_ps, e.last_ps), std::max(all.steps, e.steps)};
  if (all.steps == 0) return "no step fits: none is marked on a device; only the time can be chosen";
  return "no step fits: devices have up to " + count_text(all.steps, "step") + ", from " + human_duration(all.first_ps) +
         " to " + human_duration(all.last_ps);
}

std::string why_absent(const activity& of, const bubbles_result& r, const std::vector<step_edges>& edges) {
  if (!r.steps.empty()) return "";
  const bool any = std::any_of(r.devices.begin(), r.devices.end(), [](const auto& d) { return d.kernels > 0; });
  return any ? why_no_step(edges) : why_no_kernels(of);
}

result<bubbles_result> look(const activity& of, const bubble_options& o, const hooks& host) {
  bubbles_result r;
  r.origin_unix_ns = of.origin_unix_ns();
  auto unrecorded = find_unrecorded_work(of, host);
  if (!unrecorded) return std::move(unrecorded).error();
  auto waiting = find_straggler_waits(of, host);
  if (!waiting) return std::move(waiting).error();
  straggler_waits waits = std::move(*waiting);
  waits.by_device.resize(of.devices().size());
  const host_steps steps(of, o.windows);
  host_layers layers(of);
  auto devices = map_items<device_found>(of.devices().size(), host, [&](std::size_t device) {
    return look_at_device(of, device, o, (*unrecorded)[device], waits.by_device[device], steps, layers, host);
  });
  if (!devices) return std::move(devices).error();
  const joined all = join(r, *devices);
  devices->clear();
  count_unrecorded(r, of, *unrecorded, o.only.empty());
  if (take_totals(r, of))
    r.evidence_gaps.push_back(
        "no start times on record: ops are totals of a table, so idle time, steps and causes are not known");
  else
    r.absent = why_absent(of, r, all.edges);
  for (const activity_device& d : of.devices())
    if (of.has_host_spans(d.host_group)) r.has_host_trace = true;
  auto facts = collect_host_evidence(of, r.bubbles, host);
  if (!facts) return std::move(facts).error();
  r.damage = std::move(facts->damage);
  r.has_stacks = facts->stacks;
  for (const activity_device& d : of.devices()) r.has_stacks = r.has_stacks || d.recorded_stacks.value_or(false);
  r.has_runtime_events = facts->runtime;
  make_groups(r, all.templates, all.facts, of, o.thresholds);
  find_cut_steps(r, all.templates, all.facts, all.edges, o.thresholds);
  find_boundaries(r, all.edges, o);
  describe_groups(r, o.thresholds);
  label_bubbles(r, of, o);
  tag_steps(r, all.facts, all.edges, o);
  tag_groups(r, o);
  choose_idlest(r);
  if (!r.has_host_trace && !r.steps.empty()) r.requires_host_followup = true;
  list_evidence_gaps(r, of, check_against_step_trace(r, of));
  if (r.steps.empty() || !o.only.empty()) waits = {};  // those are of the whole capture
  list_time(r, all.facts);
  summarise_causes(r, of, all.facts, waits, o.thresholds);
  judge_confidence(r);
  answer_questions(r, o.thresholds);
  recommend(r, of, o.thresholds);
  list_findings(r, of, o.thresholds);
  return r;
}

}  // namespace
}  // namespace bubbles

result<bubbles_result> find_bubbles(const activity& of, const bubble_options& o, const hooks& host) {
  return contained([&] { return bubbles::look(of, o, host); });
}

result<bubbles_report> analyse_bubbles(const trace& t, const bubble_options& o, const hooks& host) {
  return contained([&]() -> result<bubbles_report> {
    activity_options what;
    what.device = o.device;
    what.step_pattern = o.step_pattern;
    auto read = t.some_activity(what, host);
    if (!read) return std::move(read).error();
    auto found = find_bubbles(**read, o, host);
    if (!found) return std::move(found).error();
    return bubbles_report{std::move(*read), std::move(*found)};
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
