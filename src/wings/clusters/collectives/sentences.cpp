// What a report says across nodes.
#include <analyse/report/parts.hpp>

#include <base/affix.hpp>
#include <base/format.hpp>
#include <profkit/core/text.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace report {
namespace {

// How the nodes' clocks stand to each other; "" where that is not known of two nodes or more.
std::string clocks_sentence(const alignment_result& alignment) {
  if (!alignment.absent.empty()) return {};
  std::int64_t least = 0, most = 0;
  std::uint64_t reached = 0, zero = 0;
  for (const aligned_node& node : alignment.nodes) {
    if (!node.reached || !node.to_reference.feasible) continue;
    ++reached;
    zero += node.contains_zero ? 1 : 0;
    least = std::min(least, static_cast<std::int64_t>(node.offset_ps));
    most = std::max(most, static_cast<std::int64_t>(node.offset_ps));
  }
  if (reached < 2) return {};
  if (reached < alignment.nodes.size())
    return "clocks: collectives bound " + grouped(reached) + " of " + grouped(alignment.nodes.size()) +
           " nodes against the first; nothing is known of the others";
  if (zero == reached) return "clocks: the collectives fit one clock for all nodes";
  return "clocks: up to " + human_duration(most - least) +
         " apart by the ends of collectives; `profkit validate --align=collectives` gives bounds";
}

std::string verdict_sentence(const validation_result& v) {
  std::string text = counted(v.groups.size(), "collective", "collectives") + " compared across " +
                     nodes_text(v) + ": " +
                     counted(v.violations, "violation", "violations");
  if (v.bounds_known)
    text += " beyond the error of the clocks (" + grouped(v.violations_raw) + " if that error is ignored)";
  else if (v.violations > 0 && v.clocks > 1)
    text += ", which may be clock skew: the clocks were not corrected";
  if (std::any_of(v.ops.begin(), v.ops.end(), [](const collective_op& op) { return op.sub_groups; }))
    text += "; " + grouped(v.unjudged) + " not judged, most of them in sub-groups of the nodes";
  return text;
}

// How many members of process groups did otherwise than the others, and who is the first of them.
std::string irregular_sentence(const validation_result& v) {
  if (v.irregularities.empty()) return {};
  std::map<collective_irregularity::kind, std::uint64_t> counts;
  for (const collective_irregularity& row : v.irregularities) ++counts[row.what];
  std::string text = "irregular in their process group:";
  for (const auto& [kind, count] : counts)
    text += std::string(counts.begin()->first == kind ? " " : ", ") + grouped(count) + ' ' + collective_irregularity_name(kind);
  const collective_irregularity& first = v.irregularities.front();
  const collective_op& op = v.ops[first.op];
  return text + "; node " + std::to_string(v.nodes[first.node].id) + ", device " + std::to_string(first.device) + ", " + op.name +
         (op.group.empty() ? "" : ' ' + op.group) + ": " + first.evidence;
}

// What files that lack events do not have of the calls of their groups.
std::string unrecorded_sentence(const validation_result& v) {
  if (v.unrecorded.empty()) return {};
  const std::size_t more = v.unrecorded.size() - 1;
  return v.unrecorded.front().evidence + (more == 0 ? "" : "; and " + grouped(std::uint64_t{more}) + " more such");
}

// How fast collectives move data once all members are there.
std::string rates_sentence(const validation_result& v) {
  struct sums {
    std::string_view collective;
    std::int64_t bytes = 0, time_ps = 0;
  };
  std::vector<sums> of;
  for (const collective_op& op : v.ops) {
    if (op.sized_groups == 0 || op.moving_ps <= 0) continue;
    const auto at = std::find_if(of.begin(), of.end(), [&](const sums& s) { return s.collective == op.collective; });
    sums& into = at == of.end() ? of.emplace_back(sums{op.collective}) : *at;
    into.bytes = saturating_add(into.bytes, link_bytes(op, op.payload_bytes));
    into.time_ps = saturating_add(into.time_ps, op.moving_ps);
  }
  std::stable_sort(of.begin(), of.end(), [](const sums& a, const sums& b) { return a.time_ps > b.time_ps; });
  constexpr std::size_t max_named = 3;
  if (of.size() > max_named) of.resize(max_named);
  std::string text;
  for (const sums& s : of)
    text += (text.empty() ? "bus bandwidth: " : ", ") +
            si_text(bytes_per_s(s.bytes, s.time_ps)) + "B/s in " + std::string(s.collective);
  return text;
}

// Which device is waited for, if the waiting matters.
std::string arrivals_sentence(const report_parts& parts, const validation_result& v) {
  const bool matters = parts.bubbles && std::any_of(parts.bubbles->found.causes.begin(), parts.bubbles->found.causes.end(),
                                                    [](const cause_summary& c) { return c.cause == idle_cause::straggler_wait; });
  return matters || (v.bounds_known && v.arrivals.waited_ps > 0) ? arrivals_text(v) : "";
}

}  // namespace

std::vector<std::string> sentences_across_nodes(const report_parts& parts) {
  const nodes_compared& nodes = parts.nodes;
  std::vector<std::string> sentences;
  if (!nodes.validation) return sentences;
  const validation_result& v = *nodes.validation;
  if (!v.absent.empty()) {
    if (v.unjudged > 0) sentences.push_back("collectives across nodes: " + v.absent);
    return sentences;
  }
  sentences.push_back(verdict_sentence(v));
  for (std::string text : {arrivals_sentence(parts, v), unrecorded_sentence(v), irregular_sentence(v), rates_sentence(v)})
    if (!text.empty()) sentences.push_back(std::move(text));
  if (nodes.alignment)
    if (std::string clocks = clocks_sentence(*nodes.alignment); !clocks.empty()) sentences.push_back(std::move(clocks));
  if (v.nodes.size() > max_nodes_aligned && !v.corrected)
    sentences.push_back("clocks were not compared by collectives here: more than " +
                        grouped(std::uint64_t{max_nodes_aligned}) + " nodes");
  return sentences;
}

}  // namespace report
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
