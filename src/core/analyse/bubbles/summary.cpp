#include <analyse/bubbles/breakdown.hpp>
#include <analyse/bubbles/ratio.hpp>
#include <analyse/bubbles/summary.hpp>
#include <analyse/bubbles/tags.hpp>
#include <analyse/bubbles/words.hpp>
#include <trace/input_texts.hpp>

#include <base/hash_map.hpp>
#include <base/list_text.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

// Sums over the steps of a group.
struct idle_sums {
  std::int64_t service_ps = 0, idle_ps = 0, prelaunch_ps = 0, internal_ps = 0, tail_ps = 0, largest_ps = 0;
  step_breakdown spent;
  void add(const bubble_step& s) noexcept {
    service_ps = saturating_add(service_ps, s.service_ps());
    idle_ps = saturating_add(idle_ps, s.underfeed_ps());
    prelaunch_ps = saturating_add(prelaunch_ps, s.prelaunch_ps);
    internal_ps = saturating_add(internal_ps, s.internal_total_ps);
    tail_ps = saturating_add(tail_ps, s.tail_ps);
    largest_ps = std::max({largest_ps, s.prelaunch_ps, s.largest_internal_ps, s.tail_ps});
    add_to(spent, s.breakdown);
  }
};
idle_sums sums_of(const bubbles_result& r, const bubble_group& g) {
  idle_sums sums;
  for (const std::uint32_t s : g.steps) sums.add(r.steps[s]);
  return sums;
}

std::string kinds_text(const idle_sums& s) {
  return share_text(s.internal_ps, s.idle_ps) + " between kernels, " + share_text(s.prelaunch_ps, s.idle_ps) +
         " before a step's first kernel, " + share_text(s.tail_ps, s.idle_ps) + " after its last";
}

// "Device time in steps, 1.200 s: compute 59.0 %, exposed copies 1.0 %, ". Parts of 0 are left out.
std::string spent_text(const step_breakdown& s, bool marked) {
  std::string text = std::string("Device time") + (marked ? " in steps, " : ", ") + human_duration(s.sum_ps()) + ": compute " +
                     share_text(computed_ps(s), s.sum_ps()) + ", ";
  const auto add = [&](const char* what, std::int64_t ps) {
    if (ps > 0) text += what + (' ' + share_text(ps, s.sum_ps())) + ", ";
  };
  add("exposed communication", s.comm_exposed_ps);
  add("exposed copies", s.copy_ps);
  add("other work", s.other_ps);
  return text;
}

// "Not known for 95.9 % (114.288 ms): 6 launches have no device record. "; "" when all have one.
std::string not_recorded_text(const bubbles_result& r, const step_breakdown& s) {
  std::uint64_t launches = 0;
  for (const device_gaps& g : r.devices) launches += g.unrecorded;
  if (launches == 0) return "";
  return "Not known for " + share_text(s.not_recorded_ps, s.sum_ps()) + " (" + human_duration(s.not_recorded_ps) +
         "): " + grouped(launches) + (launches == 1 ? " launch has" : " launches have") + " no device record. ";
}

// "idle 40.0 % (1.200 s). The longest gap in a step is 2.350 ms."
std::string idle_text(const bubbles_result& r, const idle_sums& all, bool marked) {
  std::int64_t longest_ps = 0;
  for (const bubble& b : r.bubbles)
    if (b.step < 0) longest_ps = std::max(longest_ps, b.length_ps());
  return "idle " + share_text(all.idle_ps, all.service_ps) + " (" + human_duration(all.idle_ps) +
         "). The longest gap " + (marked ? "in a step is " : "is ") + human_duration(all.largest_ps) +
         (human_duration(longest_ps) != human_duration(all.largest_ps) && longest_ps > all.largest_ps
              ? "; one of " + human_duration(longest_ps) + " is outside of steps or crosses the edge of one."
              : ".");
}

}  // namespace

std::string place_text(const activity& of, const bubble& b) {
  std::string text;
  if (b.before_count > 0) text = "after " + op_name(of, b.device, b.before[0]);
  if (b.after_count > 0)
    text += (text.empty() ? "" : ", ") + std::string("before ") + op_name(of, b.device, b.after[0]);
  return text;
}

std::string where_text(const activity& of, const bubbles_result& r, const bubble& b) {
  std::string text = device_name(of, b.device);
  if (b.step >= 0) text += ", step " + r.steps[static_cast<std::size_t>(b.step)].id;
  const std::string place = place_text(of, b);
  return place.empty() ? text : text + ", " + place;
}

void choose_idlest(bubbles_result& into) {
  into.idlest_group = into.dominant_group;
  if (into.dominant_group < 0) return;
  std::int64_t most = -1;
  for (std::size_t i = 0; i < into.groups.size(); ++i) {
    const std::int64_t idle = sums_of(into, into.groups[i]).idle_ps;
    if (idle <= most) continue;
    most = idle;
    into.idlest_group = static_cast<std::int32_t>(i);
  }
  const bubble_group& g = into.groups[static_cast<std::size_t>(into.idlest_group)];
  most = -1;
  for (const std::uint32_t s : g.steps) {
    const std::int64_t idle = into.steps[s].underfeed_ps();
    if (idle <= most) continue;
    most = idle;
    into.dominant_step = static_cast<std::int32_t>(s);
  }
}

std::uint64_t check_against_step_trace(bubbles_result& into, const activity& of) {
  std::uint64_t unknown = 0;
  if (of.step_trace().empty()) return unknown;
  // The last step of a device by its id; a capture without steps counts as one, whose row has none.
  std::vector<std::string> ids;
  ids.reserve(into.steps.size());
  hash_map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> steps;
  for (std::uint32_t i = 0; i < into.steps.size(); ++i) {
    const bubble_step& s = into.steps[i];
    ids.push_back(s.id);
    steps[{s.device, ids.back()}] = i;
    if (s.pseudo) steps[{s.device, {}}] = i;
  }
  for (const step_trace_row& row : of.step_trace()) {
    const auto step = steps.find({row.device, of.text(row.step)});
    if (step == steps.end()) {
      ++unknown;
      continue;
    }
    const std::uint32_t found = step->second;
    const bubble_step& s = into.steps[found];
    // A source that rounded its starts may be off by as much at every gap.
    constexpr std::int64_t usual_tolerance_ps = 250'000;
    const std::int64_t resolution_ps = of.devices()[row.device].timestamp_resolution_ps;
    const std::int64_t tolerance_ps =
        resolution_ps < usual_tolerance_ps
            ? usual_tolerance_ps
            : resolution_ps * static_cast<std::int64_t>(std::min<std::uint64_t>(s.bubble_count, 1'000'000) + 1);
    // A kernel over the edge of a window counts on both sides here by its part, there for one step as a whole.
    if (s.straddled) {
      ++into.steps_not_compared;
      continue;
    }
    const auto add = [&](const char* what, std::int64_t ours, std::int64_t theirs) {
      if (theirs == no_time_ps) return;
      const bool agrees = ours - theirs <= tolerance_ps && theirs - ours <= tolerance_ps;
      into.self_check.push_back({found, what, ours, theirs, agrees});
    };
    add("Free", s.internal_total_ps, row.free_ps);
    add("Stage", s.clocks.wall_ps, row.stage_ps);
    if (s.source != marker_source::step_id && !s.pseudo) add("Preparing", s.prelaunch_ps, row.preparing_ps);
  }
  return unknown;
}

void list_evidence_gaps(bubbles_result& into, const activity& of, std::uint64_t unknown_steps) {
  std::vector<std::string>& gaps = into.evidence_gaps;
  bool shapes = true, waits = true, classes = true, streams = true, npu = false, kernels = false;
  std::set<std::string> pseudo, spans;
  std::uint64_t unlaunched = 0, all = 0, cut = 0, not_found = 0, graph_launched = 0, other_ids = 0, left_out = 0,
                idle_steps = 0, in_flight = 0;
  std::int64_t unlaunched_ps = 0, graph_launched_ps = 0, left_out_ps = 0;
  bool steps_truncated = false;
  for (std::size_t d = 0; d < into.devices.size(); ++d) {
    const device_gaps& g = into.devices[d];
    if (g.kernels == 0) continue;
    const activity_device& on = of.devices()[d];
    kernels = true;
    npu = npu || on.type == accelerator::npu;
    shapes = shapes && on.has_shapes;
    waits = waits && on.has_waits;
    classes = classes && on.has_classes;
    streams = streams && !on.streams.empty();
    if (std::string_view(g.window_source) == "none") pseudo.insert(device_name(of, static_cast<std::uint32_t>(d)));
    if (std::string_view(g.window_source) == "step ids") spans.insert(device_name(of, static_cast<std::uint32_t>(d)));
    if (has_launches_for(on)) {
      unlaunched += g.without_launch;
      unlaunched_ps = saturating_add(unlaunched_ps, g.without_launch_ps);
      all += g.kernels;
      graph_launched += on.graph_launched;
      graph_launched_ps = saturating_add(graph_launched_ps, on.graph_launched_ps);
    }
    cut += g.windows_cut;
    in_flight += g.in_flight;
    not_found += g.steps_not_found;
    idle_steps += g.steps_left_out;
    left_out += g.bubbles_left_out;
    left_out_ps = saturating_add(left_out_ps, g.bubbles_left_out_ps);
    steps_truncated = steps_truncated || on.steps_truncated;
  }
  std::uint64_t unended = 0;
  for (const bubble_step& s : into.steps) {
    other_ids += s.other_step_id_kernels;
    unended += s.tail_known ? 0 : 1;
  }
  if (!kernels) return;
  list_losses(of, gaps);
  if (!into.has_host_trace) gaps.push_back("no host trace: it is known how long the device waited, but not why");
  if (into.has_host_trace && !into.has_stacks)
    gaps.push_back(std::string("no Python stacks: causes are less specific") +
                   (is_of_pytorch(of) ? " (record with_stack=true)"
                    : is_of_xla(of)   ? " (record with python_tracer_level=1)"
                                      : ""));
  if (!shapes && npu) gaps.push_back("no input shapes: changing shapes cannot be seen (record_shapes=true)");
  if (!waits && npu) gaps.push_back("no wait column: wait anchors and polluted waits are not known");
  if (!classes) gaps.push_back("kernel classes are derived from names: no verdicts about AI CPU and units");
  if (!streams) gaps.push_back("no stream ids: the main stream is not known, all compute counts as the main path");
  if (npu && of.communication().empty())
    gaps.push_back("no communication.json: waits inside collectives are not split");
  if (!pseudo.empty())
    gaps.push_back("no step markers on " + list_text({pseudo.begin(), pseudo.end()}) +
                   ": the whole capture counts as one step");
  if (!spans.empty())
    gaps.push_back("steps are spans of step ids on " + list_text({spans.begin(), spans.end()}) +
                   ": time before the first and after the last kernel of a step is between steps");
  if (unlaunched > 0)
    gaps.push_back(grouped(unlaunched) + " of " + grouped(all) + " kernels (" + human_duration(unlaunched_ps) +
                   ") have no launch on record: graph launches and the like cannot be attributed");
  if (graph_launched > 0)
    gaps.push_back(grouped(graph_launched) + " of " + grouped(all) + " kernels (" + human_duration(graph_launched_ps) +
                   ") were launched by graphs: their launch is that of the whole graph");
  if (not_found > 0)
    gaps.push_back(count_text(not_found, "step") +
                   " of the host not found on a device: it has no annotation and no known kernel of them");
  if (idle_steps > 0)
    gaps.push_back(count_text(idle_steps, "step") +
                   " of the host without a device kernel: too many to list, left out of its steps");
  if (cut > 0) gaps.push_back(count_text(cut, "step window") + " overlapped the next one and ended there");
  if (in_flight > 0)
    gaps.push_back(grouped(in_flight) + (in_flight == 1 ? " asynchronous copy" : " asynchronous copies") +
                   " on the way count as no time of a device; what waits for them does");
  if (unended > 0)
    gaps.push_back(count_text(unended, "step") +
                   " without an end on record: counted up to the last kernel, and in no median or spread");
  if (other_ids > 0)
    gaps.push_back(grouped(other_ids) + " kernels carry the id of another step than the one they ran in");
  if (left_out > 0)
    gaps.push_back(grouped(left_out) + " shorter gaps (" + human_duration(left_out_ps) +
                   ") count in all sums, but are not listed");
  if (steps_truncated) gaps.push_back("there are too many step markers: time after the last one kept is in no step");
  if (into.structures_left_out > 0)
    gaps.push_back(grouped(into.structures_left_out) + " structures of later steps are not listed");
  if (into.block_sides_left_out > 0)
    gaps.push_back("block and side of " + count_text(into.block_sides_left_out / 2, "later step") + " are not listed");
  if (into.steps_not_compared > 0)
    gaps.push_back(count_text(into.steps_not_compared, "step") +
                   " not compared with step_trace_time: a kernel reaches over an edge, and counts as a whole for one "
                   "step there, by its parts here");
  if (unknown_steps > 0)
    gaps.push_back(count_text(unknown_steps, "step") + " of step_trace_time not compared: not found in the capture");
  if (into.steps_too_large > 0)
    gaps.push_back(count_text(into.steps_too_large, "step") +
                   " with more than 524,288 kernels: their times are exact, but their structures, clocks, block and "
                   "side need all kernels at once and are left out");
}

namespace {

// Time in which a device only communicates or only copies is on record: nothing about it is guessed. False where it is
// too little to name.
bool add_exposed(bubbles_result& into, std::size_t group, idle_cause cause, std::int64_t step_breakdown::*exposed,
                 const bubble_thresholds& t) {
  const bubble_group& g = into.groups[group];
  std::int64_t total_ps = 0, service_ps = 0, most_ps = -1;
  std::uint32_t most = 0;
  for (const std::uint32_t s : g.steps) {
    const bubble_step& step = into.steps[s];
    const std::int64_t ps = step.breakdown.*exposed;
    total_ps = saturating_add(total_ps, ps);
    service_ps = saturating_add(service_ps, step.breakdown.sum_ps());
    if (ps > most_ps) {
      most = s;
      most_ps = ps;
    }
  }
  if (total_ps <= 0 || !at_least(total_ps, service_ps, t.exposed_ratio_ppm)) return false;
  cause_summary& c = into.causes.emplace_back();
  c.cause = cause;
  c.group = static_cast<std::int32_t>(group);
  c.sure = certainty::proved;
  c.most = {into.steps[most].device, into.steps[most].start_ps, into.steps[most].end_ps};
  c.target = g.id;
  c.total_ps = total_ps;
  c.evidence.push_back(human_duration(total_ps) + ", " + share_text(total_ps, service_ps) + " of the time in " +
                       count_text(g.steps.size(), "step"));
  c.evidence.push_back("the most, " + human_duration(most_ps) + ": step " + into.steps[most].id);
  return true;
}

// "the next compute kernel: for 12.3 % not launched yet, 40.1 % queued on the same stream, …"; ""
// where neither launches nor streams are on record.
std::string split_text(const exposed_split& s) {
  std::string text;
  const auto add = [&](std::int64_t ps, const char* what) {
    if (ps > 0) text += (text.empty() ? "the next compute kernel: for " : ", ") + share_text(ps, s.all_ps) + what;
  };
  add(s.not_launched_ps, " not launched yet");
  add(s.same_stream_ps, " queued on the same stream");
  add(s.queued_ps, " queued on another stream");
  return text;
}

// What a table of communication says of the collectives that begin in the steps of a group.
struct recorded_waits {
  std::int64_t elapsed_ps = 0, wait_ps = 0, transit_ps = 0;
};
std::vector<recorded_waits> recorded_waits_of_groups(const bubbles_result& r, const activity& of) {
  std::vector<recorded_waits> sums(r.groups.size());
  if (of.communication().empty()) return sums;
  struct window {
    std::uint32_t device;
    std::int64_t start_ps, end_ps;
    std::int32_t group;
  };
  std::vector<window> windows;  // by device, then start
  for (const bubble_step& s : r.steps) windows.push_back({s.device, s.start_ps, s.end_ps, s.group});
  for (const communication_row& row : of.communication()) {
    if (!row.collective || row.start_ps == no_time_ps) continue;
    const auto after = std::upper_bound(windows.begin(), windows.end(), row, [](const communication_row& c, const window& w) {
      return std::pair(c.device, c.start_ps) < std::pair(w.device, w.start_ps);
    });
    if (after == windows.begin()) continue;
    const window& w = *std::prev(after);
    if (w.device != row.device || w.end_ps <= row.start_ps || w.group < 0) continue;
    recorded_waits& sum = sums[static_cast<std::size_t>(w.group)];
    sum.elapsed_ps = saturating_add(sum.elapsed_ps, row.elapsed_ps);
    sum.wait_ps = saturating_add(sum.wait_ps, row.wait_ps);
    sum.transit_ps = saturating_add(sum.transit_ps, row.transit_ps);
  }
  return sums;
}

bool are_worth_naming(const bubbles_result& r, const straggler_waits& waits, const bubble_thresholds& t) {
  return waits.waited_ps > 0 && at_least(waits.waited_ps, time_ps_of(r, -1, true), t.exposed_ratio_ppm);
}

// Part of the communication, exposed or not, of all steps and between them.
void add_stragglers(bubbles_result& into, const straggler_waits& waits, const bubble_thresholds& t) {
  const bool exposed = std::any_of(into.causes.begin(), into.causes.end(),
                                   [](const cause_summary& c) { return c.cause == idle_cause::exposed_comm; });
  if (exposed && !waits.missing.empty())
    into.evidence_gaps.push_back("how long collectives wait for other ranks is not known: " + waits.missing);
  if (!waits.unjudged.empty())
    into.evidence_gaps.push_back("it is not known of all collectives how long ranks wait in them: " + waits.unjudged);
  if (!are_worth_naming(into, waits, t)) return;
  cause_summary& c = into.causes.emplace_back();
  c.cause = idle_cause::straggler_wait;
  c.sure = certainty::proved;
  c.scope = cause_summary::reach::global;
  c.total_ps = waits.waited_ps;
  c.most = waits.longest_at;
  c.evidence = {waits.latest, waits.longest};
}

}  // namespace

void summarise_causes(bubbles_result& into, const activity& of, const std::vector<step_facts>& facts,
                      const straggler_waits& waits, const bubble_thresholds& t) {
  struct sum {
    std::uint64_t bubbles = 0, launched_in_gap = 0;
    std::int64_t total_ps = 0, covered_ps = 0, high_ps = 0, medium_ps = 0;
    std::uint32_t longest = 0;
    std::set<std::int32_t> steps;
    std::map<string_id, std::int64_t> spans;
  };
  std::map<std::pair<std::int32_t, idle_cause>, sum> sums;
  for (std::uint32_t i = 0; i < into.bubbles.size(); ++i) {
    const bubble& b = into.bubbles[i];
    if (b.boundary_adjacent || b.inter_step) continue;
    sum& s = sums[{b.step < 0 ? -1 : into.steps.verdict(static_cast<std::size_t>(b.step)).group, b.cause.id}];
    if (s.bubbles++ == 0 || b.length_ps() > into.bubbles[s.longest].length_ps()) s.longest = i;
    const auto add = [](std::int64_t& to, std::int64_t ps) { to = saturating_add(to, ps); };
    add(s.total_ps, b.length_ps());
    add(s.covered_ps, b.cause.covered_ps);
    if (b.sure == certainty::proved) add(s.high_ps, b.length_ps());
    if (b.sure >= certainty::likely) add(s.medium_ps, b.length_ps());
    if (s.steps.size() < 2) s.steps.insert(b.step);
    if (b.launch_ps() != no_time_ps && b.launch_ps() > b.start_ps) ++s.launched_in_gap;
    if (b.cause.span != 0) add(s.spans[b.cause.span], b.cause.covered_ps);
  }
  for (const auto& [key, s] : sums) {
    cause_summary& c = into.causes.emplace_back();
    c.group = key.first;
    c.cause = key.second;
    c.bubbles = s.bubbles;
    c.total_ps = s.total_ps;
    c.longest = s.longest;
    // As sure as most of its time.
    c.sure = c.cause == idle_cause::unexplained                           ? certainty::unknown
             : at_least(s.high_ps, s.total_ps, t.high_confidence_ppm)     ? certainty::proved
             : at_least(s.medium_ps, s.total_ps, t.medium_confidence_ppm) ? certainty::likely
                                                                          : certainty::possible;
    c.scope = cause_summary::reach::global;
    if (c.group >= 0) {
      const bubble_group& g = into.groups[static_cast<std::size_t>(c.group)];
      const bool one_step = s.steps.size() == 1 && g.steps.size() > 1;
      c.scope = one_step ? cause_summary::reach::step : cause_summary::reach::group;
      c.target = one_step ? into.steps[static_cast<std::size_t>(*s.steps.begin())].id : g.id;
    }
    const bubble& longest = into.bubbles[s.longest];
    c.evidence.push_back(count_text(s.bubbles, "gap") + ", " + human_duration(s.total_ps) + " together");
    c.evidence.push_back("the longest, " + human_duration(longest.length_ps()) + ": " + where_text(of, into, longest));
    const auto most = std::max_element(s.spans.begin(), s.spans.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != s.spans.end()) {
      c.span = most->first;
      c.evidence.push_back("mostly in " + std::string(of.text(most->first)));
    }
    if (s.covered_ps > 0) c.evidence.push_back("the evidence covers " + share_text(s.covered_ps, s.total_ps));
    if (s.launched_in_gap > 0)
      c.evidence.push_back("the kernel after " + count_text(s.launched_in_gap, "gap") +
                           " was launched after the gap had begun");
  }
  const std::vector<recorded_waits> recorded = recorded_waits_of_groups(into, of);
  const bool waits_count = are_worth_naming(into, waits, t);
  for (std::size_t g = 0; g < into.groups.size(); ++g) {
    if (add_exposed(into, g, idle_cause::exposed_comm, &step_breakdown::comm_exposed_ps, t)) {
      std::vector<std::string>& evidence = into.causes.back().evidence;
      exposed_split split;
      for (const std::uint32_t s : into.groups[g].steps) split.add(facts[s].exposed);
      if (std::string text = split_text(split); !text.empty()) evidence.push_back(std::move(text));
      // What ranks wait for each other counts as straggler_wait: no time is in two causes.
      if (waits_count && split.waiting_ps > 0) {
        into.causes.back().total_ps = std::max<std::int64_t>(into.causes.back().total_ps - split.waiting_ps, 0);
        evidence.push_back(human_duration(split.waiting_ps) + " of it waits for other ranks");
      }
      if (const recorded_waits& listed = recorded[g]; listed.elapsed_ps > 0)
        evidence.push_back("its collectives last " + human_duration(listed.elapsed_ps) + ", of which " +
                           share_text(listed.wait_ps, listed.elapsed_ps) + " wait for other ranks and " +
                           share_text(listed.transit_ps, listed.elapsed_ps) + " move bytes");
    }
    add_exposed(into, g, idle_cause::exposed_copy, &step_breakdown::copy_ps, t);
  }
  add_stragglers(into, waits, t);
  std::stable_sort(into.causes.begin(), into.causes.end(),
               [](const cause_summary& a, const cause_summary& b) { return a.total_ps > b.total_ps; });
}

void judge_confidence(bubbles_result& into) {
  into.sure = confidence::low;
  if (!into.has_host_trace || into.idlest_group < 0) return;
  into.sure = confidence::medium;
  const bubble_group& g = into.groups[static_cast<std::size_t>(into.idlest_group)];
  std::uint64_t at_edge = 0;
  for (const std::uint32_t s : g.steps) at_edge += into.steps.verdict(s).boundary_dominated ? 1 : 0;
  if (into.has_runtime_events && g.complete >= 3 && 2 * at_edge < g.steps.size()) into.sure = confidence::high;
}

bool has_known_launch(const bubbles_result& r) {
  return std::any_of(r.bubbles.begin(), r.bubbles.end(), [](const bubble& b) { return b.launch_ps() != no_time_ps; });
}

// "In part: causes are known for 71.6 % of the idle time, proved for 30.2 %."
std::string proved_text(const bubbles_result& r, const bubble_thresholds& t) {
  std::int64_t proved_ps = 0, known_ps = 0, all_ps = 0;
  for (const time_row& row : r.time) {
    if (row.device >= 0 || !row.in_steps || row.use != time_use::idle) continue;
    all_ps = saturating_add(all_ps, row.time_ps);
    if (!row.cause || *row.cause == idle_cause::unexplained || *row.cause == idle_cause::host_untraced) continue;
    known_ps = saturating_add(known_ps, row.time_ps);
    if (row.sure == certainty::proved) proved_ps = saturating_add(proved_ps, row.time_ps);
  }
  if (known_ps == 0) return "No: no cause of the idle time is known.";
  return std::string(at_least(proved_ps, all_ps, t.high_confidence_ppm) ? "Yes" : "In part") + ": causes are known for " +
         share_text(known_ps, all_ps) + " of the idle time, proved for " + share_text(proved_ps, all_ps) + '.';
}

// Why the evidence is not enough.
std::string why_not_sure(const bubbles_result& into) {
  if (!into.has_host_trace) return "the host was not traced";
  if (!into.has_runtime_events)
    return has_known_launch(into) ? "no calls of the runtime are on record" : "no launches of the host are on record";
  if (into.sure != confidence::high) {
    const bubble_group& g = into.groups[static_cast<std::size_t>(into.idlest_group)];
    if (g.complete == 0) return "no whole step of " + g.id + " was recorded";
    return g.complete < 3 ? "only " + count_text(g.complete, "whole step") + " of " + g.id +
                                (g.complete == 1 ? " was recorded; it" : " were recorded; they") + " may not be typical"
                          : "most waiting of " + g.id + " is at the edge of the capture";
  }
  return "the host's events point to no single cause";
}

void answer_questions(bubbles_result& into, const bubble_thresholds& t) {
  std::vector<std::string> with_issue;
  idle_sums all;
  for (const bubble_group& g : into.groups) {
    const idle_sums s = sums_of(into, g);
    all.service_ps = saturating_add(all.service_ps, s.service_ps);
    all.idle_ps = saturating_add(all.idle_ps, s.idle_ps);
    all.largest_ps = std::max(all.largest_ps, s.largest_ps);
    add_to(all.spent, s.spent);
    if (has_hidden_issue(into, g, t))
      with_issue.push_back(g.id + " (" + count_text(g.steps.size(), "step") + ", " +
                           share_text(s.idle_ps, s.service_ps) + " idle)");
  }
  into.significant = !with_issue.empty();
  const bool marked = has_only_marked_steps(into);
  const bool all_compute = at_least(computed_ps(all.spent), all.spent.sum_ps(), t.compute_bound_ppm);
  into.answers[0] = all.spent.sum_ps() == 0 ? "Not known: no step takes any time."
                                            : not_recorded_text(into, all.spent) +
                                                  (into.significant ? "Yes. " : all_compute ? "No. " : "Little. ") +
                                                  spent_text(all.spent, marked) + idle_text(into, all, marked);
  if (with_issue.size() > 4) {
    const std::size_t more = with_issue.size() - 4;
    with_issue.resize(4);
    with_issue.push_back(std::to_string(more) + " more");
  }
  into.answers[1] = into.significant ? "In " + list_text(with_issue) + "."
                                     : std::string("Nowhere: no ") + (marked ? "group of steps" : "device") + " waits long enough to matter.";
  if (into.idlest_group < 0 && !into.ops.empty()) {
    into.answers = {"Not known.", "There is no step to look at.", "There is no step to look at.",
                    "There is no step to look at.", "No: " + into.evidence_gaps.front() + "."};
    return;
  }
  if (into.idlest_group < 0) {
    into.answers[2] = into.answers[3] = "There is no step to look at.";
    into.answers[4] = "No: the capture has no kernel.";
    return;
  }
  const bubble_group& g = into.groups[static_cast<std::size_t>(into.idlest_group)];
  const idle_sums own = sums_of(into, g);
  into.answers[2] = g.pattern == idle_pattern::none
                        ? "No kind dominates in " + g.id + " (" + kinds_text(own) + ")."
                        : std::string(idle_pattern_name(g.pattern)) + " in " + g.id + ": " + kinds_text(own) + ".";
  into.answers[3] = std::string(host_risk_name(g.risk)) + " in " + g.id +
                    (g.tags.has(bubble_tag::host_originated_risk)          ? ": host activity overlaps the gaps."
                     : g.tags.has(bubble_tag::untraced_host_blocking_risk) ? ": no host event overlaps the gaps."
                                                                           : ".");
  const bool enough = into.sure == confidence::high && !into.requires_host_followup;
  if (!into.significant && all_compute)
    into.answers[4] = "Nothing needs an explanation.";
  else if (!into.significant)
    into.answers[4] = "Idle time needs none. Exposed communication and copies are not judged here.";
  else if (enough)
    into.answers[4] = proved_text(into, t);
  else
    into.answers[4] = "No: " + why_not_sure(into) + ".";
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
