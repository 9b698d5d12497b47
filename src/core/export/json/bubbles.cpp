// The document `bubbles`.
#include <export/json/bubbles_parts.hpp>

#include <base/contained.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

double ratio_of(std::int64_t part, std::int64_t whole) noexcept {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}
std::int64_t mean_of(std::int64_t sum, std::int64_t count) noexcept {
  return count > 0 ? sum / count + (sum % count * 2 >= count ? 1 : 0) : 0;
}

const char* marker_source_name(const bubble_step& s) noexcept {
  if (s.pseudo) return "none";
  switch (s.source) {
    case marker_source::profiler_step: return "profiler_step";
    case marker_source::numbered_step:
    case marker_source::step_num: return "numbered_step";
    case marker_source::pattern: return "pattern";
    case marker_source::scheduler_step:
    case marker_source::execute_step: return "serving_step";
    case marker_source::device_annotation: return "device_annotation";
    case marker_source::step_id: return "step_id";
    case marker_source::line:
    case marker_source::run: return "line";
  }
  return "none";
}

// `step`: where its structure is looked up; -1 for none.
shown_kernel shown_in(const kernel_row& k, std::uint32_t device, std::int32_t step, const bubbles_text& with) {
  const activity_device& on = with.of.devices()[device];
  shown_kernel made{k, device, {}, {}};
  if ((k.flags & kernel_has_stream) != 0 && k.stream < on.streams.size()) made.stream_id = on.streams[k.stream].id;
  if (step < 0) return made;
  const bubble_step s = with.found.steps[static_cast<std::size_t>(step)];
  std::uint32_t after = 0, end = s.structures;
  while (after < end) {
    const std::uint32_t middle = after + (end - after) / 2;
    if (k.start_ps < with.found.structures[s.first_structure + middle].start_ps)
      end = middle;
    else
      after = middle + 1;
  }
  if (after > 0 && k.start_ps < s.end_ps) made.structure_id = with.structure_id(step, after - 1);
  return made;
}

template <class Kind>
void write_set(json_writer& out, flag_set<Kind> set, std::size_t count, const char* (*name)(Kind) noexcept) {
  out.begin_tuple();
  for (std::size_t i = 0; i < count; ++i)
    if (set.has(static_cast<Kind>(i))) out.value(name(static_cast<Kind>(i)));
  out.end_array();
}

std::vector<const bubble_op*> up_to_rank(const std::vector<bubble_op>& ops, std::uint32_t bubble_op::*rank, std::uint64_t limit) {
  std::vector<const bubble_op*> chosen;
  for (const bubble_op& op : ops)
    if (limit == 0 || op.*rank <= limit) chosen.push_back(&op);
  return chosen;
}

}  // namespace

std::int64_t bubbles_text::absolute_ns(std::int64_t ps) const noexcept {
  return saturating_add(in_ns(ps), found.origin_unix_ns.value_or(0));
}

absolute_ends bubbles_text::ends_of(std::int64_t start_ps, std::int64_t end_ps) const noexcept {
  return {absolute_ns(start_ps), absolute_ns(end_ps), end_ps - start_ps};
}

std::string_view bubbles_text::group_id(std::int32_t group) const noexcept {
  return group < 0 ? std::string_view() : std::string_view(found.groups[static_cast<std::size_t>(group)].id);
}

std::string bubbles_text::device_prefix(std::uint32_t device) const {
  return of.devices().size() > 1 ? "d" + std::to_string(device) + '.' : "";
}

std::string bubbles_text::structure_id(std::int32_t step, std::uint32_t index) const {
  const bubble_step s = found.steps[static_cast<std::size_t>(step)];
  return device_prefix(s.device) + 's' + s.id + '_' + std::to_string(index);
}

std::vector<shown_threshold> bubbles_text::thresholds() const {
  std::vector<shown_threshold> all;
  for (const threshold_entry& e : threshold_table()) all.push_back({e, options.thresholds.*e.value});
  return all;
}

std::vector<shown_time> bubbles_text::time() const {
  std::vector<shown_time> all;
  std::int64_t whole_ps = 0;
  for (const time_row& r : found.time) {
    // Rows of one whole lie side by side.
    if (all.empty() || all.back().time.device != r.device || all.back().time.in_steps != r.in_steps)
      whole_ps = time_ps_of(found, r.device, r.in_steps);
    all.emplace_back(r, whole_ps);
  }
  return all;
}

shown_ops bubbles_text::ops() const {
  shown_ops made{found.ops.size(), up_to_rank(found.ops, &bubble_op::rank_by_cost, options.limit),
                 up_to_rank(found.ops, &bubble_op::rank_by_duration, options.limit)};
  std::stable_sort(made.by_duration.begin(), made.by_duration.end(), [](const bubble_op* a, const bubble_op* b) {
    return a->device != b->device ? a->device < b->device : a->rank_by_duration < b->rank_by_duration;
  });
  return made;
}

std::optional<std::string> bubbles_text::dominant_step() const {
  if (found.dominant_step < 0) return std::nullopt;
  return found.steps[static_cast<std::size_t>(found.dominant_step)].id;
}

shown_gaps bubbles_text::longest_waiting() const {
  static const activity_device no_device;
  static const device_gaps nothing;
  if (found.devices.empty()) return {no_device, nothing, 0};
  std::size_t longest = 0;
  for (std::size_t i = 1; i < found.devices.size(); ++i)
    if (found.devices[i].idle_ps() > found.devices[longest].idle_ps()) longest = i;
  return {of.devices()[longest], found.devices[longest], longest};
}

std::uint64_t bubbles_text::bubbles_left_out() const noexcept {
  const std::uint64_t all = found.bubbles.size();
  return options.limit == 0 || all <= options.limit ? 0 : all - options.limit;
}

std::vector<chosen_bubble> bubbles_text::chosen_bubbles() const {
  std::vector<chosen_bubble> all;
  std::map<std::pair<std::uint32_t, std::int32_t>, std::uint64_t> numbers;
  for (const bubble& b : found.bubbles) all.push_back({b, numbers[{b.device, b.step}]++});
  if (bubbles_left_out() == 0) return all;
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return all[a].gap.length_ps() > all[b].gap.length_ps(); });
  order.resize(static_cast<std::size_t>(options.limit));
  std::sort(order.begin(), order.end());
  std::vector<chosen_bubble> longest;
  for (const std::size_t i : order) longest.push_back(all[i]);
  return longest;
}

std::vector<const bubble_op*> bubbles_text::wait_anchors() const {
  std::vector<const bubble_op*> anchors;
  for (const bubble_op& op : found.ops)
    if (op.wait_ps > 0 && op.rank_by_mean_cost <= options.thresholds.wait_anchor_rank) anchors.push_back(&op);
  return anchors;
}

std::vector<const cause_summary*> bubbles_text::causes_of_gaps() const {
  std::vector<const cause_summary*> causes;
  for (const cause_summary& c : found.causes)
    if (!c.is_exposed()) causes.push_back(&c);
  return causes;
}

bool bubbles_text::steps_add_up() const {
  return std::all_of(found.steps.begin(), found.steps.end(), [](const bubble_step& s) {
    return s.busy_ps + s.breakdown.not_recorded_ps + s.prelaunch_ps + s.internal_total_ps + s.tail_ps == s.service_ps() &&
           s.breakdown.sum_ps() == s.service_ps();
  });
}

shown_gaps shown(const device_gaps& gaps, const bubbles_text&, const bubbles_text& with) {
  const auto index = static_cast<std::size_t>(&gaps - with.found.devices.data());
  return {with.of.devices()[index], gaps, index};
}

shown_step shown(const bubble_step& s, const bubbles_text&, const bubbles_text& with) {
  shown_step made{s, with.group_id(s.group), marker_source_name(s), with.ends_of(s.start_ps, s.end_ps), {},
                  ratio_of(s.underfeed_ps(), s.service_ps())};
  if (s.marker_end_ps != no_time_ps) made.marker_end_ns = with.absolute_ns(s.marker_end_ps);
  return made;
}

shown_structure shown(const step_structure& s, const bubbles_text&, const bubbles_text& with) {
  shown_structure made{s, with.found.steps[s.step], with.structure_id(static_cast<std::int32_t>(s.step), s.index),
                       with.ends_of(s.start_ps, s.end_ps)};
  made.compute_share = ratio_of(s.compute_ps, s.clocks.kernel_sum_ps);
  made.aicpu_share = ratio_of(s.aicpu_ps, s.clocks.kernel_sum_ps);
  made.comm_share = ratio_of(s.comm_ps, s.clocks.kernel_sum_ps);
  made.share_of_step = ratio_of(s.clocks.wall_ps, made.step.service_ps());
  return made;
}

shown_side shown(const block_side& side, const bubbles_text&, const bubbles_text& with) {
  return {side, with.found.steps[side.step], side.is_block ? "block" : "side", clock_reading(side.clocks, with.options.thresholds)};
}

shown_kernel shown(const kernel_row& kernel, const shown_side& of, const bubbles_text& with) {
  return shown_in(kernel, of.step.device, static_cast<std::int32_t>(of.side.step), with);
}
shown_kernel shown(const kernel_row& kernel, const shown_bubble& of, const bubbles_text& with) {
  return shown_in(kernel, of.gap.device, of.gap.step, with);
}

shown_bubble shown(const chosen_bubble& chosen, const bubbles_text&, const bubbles_text& with) {
  const bubble& b = chosen.gap;
  const host_evidence& h = b.host;
  const bubble_step step = b.step < 0 ? bubble_step() : with.found.steps[static_cast<std::size_t>(b.step)];
  const auto ratio = [&](std::int64_t part, std::int64_t whole) {
    return h.traced && whole > 0 ? std::optional(ratio_of(part, whole)) : std::nullopt;
  };
  const auto of_gap = [&](std::int64_t part) { return ratio(part, b.length_ps()); };
  const bool is_in_structure = b.inside_structure();
  const char* relation = "";
  if (b.scope == bubble_scope::step_internal && b.structure_before >= 0) relation = is_in_structure ? "inside" : "between";
  std::optional<shown_launch> launch;
  if (const std::int64_t at = b.launch_ps(); at != no_time_ps) launch = shown_launch{at, b.end_ps - at, at > b.start_ps};
  return {b,
          step,
          with.device_prefix(b.device) + 'b' + (b.step < 0 ? "global" : step.id) + '_' + std::to_string(chosen.number),
          is_in_structure ? with.structure_id(b.step, static_cast<std::uint32_t>(b.structure_before)) : "",
          with.group_id(step.group),
          relation,
          with.ends_of(b.start_ps, b.end_ps),
          of_gap(h.host_ps),
          of_gap(h.leaf_ps),
          of_gap(h.sync_ps),
          of_gap(h.comm_ps),
          of_gap(h.gc_ps),
          ratio(h.threads_ps, h.host_ps),
          h.host_ps > 0 && h.leaf_ps == 0,
          launch};
}

shown_bubble_op shown(const bubble_op* of, const bubbles_text&, const bubbles_text& with) {
  const bubble_op& op = *of;
  const auto calls = static_cast<std::int64_t>(op.calls);
  const std::int64_t apart = static_cast<std::int64_t>(op.rank_by_cost) - static_cast<std::int64_t>(op.rank_by_duration);
  return {op,
          mean_of(op.duration_ps, calls),
          mean_of(op.wait_ps, calls),
          mean_of(op.total_cost_ps(), calls),
          ratio_of(op.wait_ps, op.total_cost_ps()),
          op.polluted_wait_ps > 0,
          (apart < 0 ? -apart : apart) >= with.options.thresholds.rank_disagreement,
          !op.small       ? ""
          : op.inefficient ? "inefficient"
                           : "noise",
          op.bound[0] != '\0' || op.cube_utilisation_ppm >= 0 ? of : nullptr};
}
shown_bubble_op shown(const bubble_op* op, const shown_ops&, const bubbles_text& with) { return shown(op, with, with); }

shown_aicpu_op shown(const aicpu_op& op, const bubbles_text&, const bubbles_text&) {
  if (op.verdict == aicpu_verdict::unknown) return {op, {}, {}, {}, {}};
  return {op, ratio_of(op.masked_ps, op.duration_ps), op.min_masked_ppm, op.max_masked_ppm, aicpu_verdict_name(op.verdict)};
}

absolute_ends absolute(const std::pair<std::int64_t, std::int64_t>& ends, const device_gaps&, const bubbles_text& with) {
  return with.ends_of(ends.first, ends.second);
}
double gap_ratio_of(const device_gaps& of, const bubbles_text&) { return ratio_of(of.idle_ps(), of.span_ps()); }

double mean_underfeed_of(const bubble_group& of, const bubbles_text& with) {
  double sum = 0;
  std::size_t counted = 0;
  for (const std::uint32_t i : of.steps) {
    const bubble_step s = with.found.steps[i];
    if (s.cut && of.complete >= 3) continue;
    sum += ratio_of(s.underfeed_ps(), s.service_ps());
    ++counted;
  }
  return counted == 0 ? 0 : sum / static_cast<double>(counted);
}

const bubble_group* compared_shapes_of(const bubble_group& of, const bubbles_text&) { return of.shapes_compared ? &of : nullptr; }
std::vector<kernel_row> kernels_before(const shown_bubble& of, const bubbles_text&) {
  return {of.gap.before.begin(), of.gap.before.begin() + of.gap.before_count};
}
std::vector<kernel_row> kernels_after(const shown_bubble& of, const bubbles_text&) {
  return {of.gap.after.begin(), of.gap.after.begin() + of.gap.after_count};
}
string_id device_name_of(const shown_bubble_op& of, const bubbles_text& with) { return with.of.devices()[of.op.device].name; }

std::vector<std::string> evidence_of(const shown_bubble_op& of, const bubbles_text& with) {
  const bubble_op& op = of.op;
  std::vector<std::string> evidence;
  if (op.gaps_before > 0)
    evidence.push_back(std::to_string(op.gaps_before) + " gaps end with this op, " + std::to_string(in_ns(op.gap_before_ps)) +
                       " ns together, the longest " + std::to_string(in_ns(op.largest_gap_before_ps)) + " ns");
  if (op.gaps_before > 0 && op.false_hotspot) {
    const auto longest = std::find_if(with.found.bubbles.begin(), with.found.bubbles.end(), [&](const bubble& b) {
      return b.device == op.device && b.after_count > 0 && b.after[0].op_type == op.op_type && b.length_ps() == op.largest_gap_before_ps;
    });
    if (longest != with.found.bubbles.end())
      evidence.push_back("the longest starts at " + std::to_string(in_ns(longest->start_ps)) + " ns" +
                         (longest->step < 0 ? "" : " in step " + with.found.steps[static_cast<std::size_t>(longest->step)].id));
  }
  if (op.polluted_wait_ps > 0) evidence.push_back(std::to_string(in_ns(op.polluted_wait_ps)) + " ns of its waits overlap communication");
  return evidence;
}

std::string priority_of(const recommendation& of) { return "P" + std::to_string(of.priority); }
std::uint32_t device_of(const self_check_row& of, const bubbles_text& with) { return with.found.steps[of.step].device; }
std::string step_id_of(const self_check_row& of, const bubbles_text& with) { return with.found.steps[of.step].id; }

void write_threshold_value(json_writer& out, const shown_threshold& of) {
  switch (of.entry.unit) {
    case threshold_unit::count: return out.value(of.value);
    case threshold_unit::microseconds: return out.microseconds(of.value);
    case threshold_unit::ratio: return out.number(static_cast<double>(of.value) / 1e6);
  }
}

void write_tags(json_writer& out, bubble_tags tags, const bubbles_text&) { write_set(out, tags, bubble_tag_count, bubble_tag_name); }
void write_labels(json_writer& out, bubble_labels labels, const bubbles_text&) {
  write_set(out, labels, bubble_label_count, bubble_label_name);
}

document_status write_bubbles(json_writer& out, const profile& p, const bubble_options& o, const bubbles_report& report) {
  const bubbles_text t{*report.of, report.found, o};
  return write_framed(out, document::bubbles, p, {}, t.found.absent, damage_of(report), [&] { fields_of_bubbles(out, t, t); });
}

result<document_status> write_bubbles(json_writer& out, const trace& t, const query_filters& o, const hooks& host) {
  const profile& p = t.files();
  bubble_options wanted = bubble_options_of(o);
  wanted.limit = o.limit;
  auto found = analyse_bubbles(t, wanted, host);
  if (!found) return std::move(found).error();
  return write_bubbles(out, p, wanted, *found);
}

}  // namespace json

result<document_status> write_bubbles_document(const profile& p, const bubble_options& o, const bubbles_report& found,
                                               sink& into) {
  return contained([&]() -> result<document_status> {
    json_writer out(into);
    out.bound(json::bounds_of(document::bubbles, o.limit));
    const document_status status = json::write_bubbles(out, p, o, found);
    if (result<void> finished = out.finish(); !finished) return std::move(finished).error();
    return status;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
