// The clocks that collectives decide, as a merge takes them: the best guess of each, and how far any clock that fits can be from it.
#include <profkit/core/collectives.hpp>
#include <profkit/core/merge.hpp>
#include <profkit/time.hpp>

#include <base/contained.hpp>

#include "instances.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr double ppt_per_ppm = 1e6, ppt_per_whole = 1e12;
constexpr std::int64_t rounding_ps = 2;  // of what was computed in doubles
constexpr std::int64_t rounding_ppt = 2;

using several_traces = std::vector<std::shared_ptr<const trace>>;

class clock_decider {
 public:
  clock_decider(const merge_input_list& inputs, const several_traces& traces, std::int64_t max_bound_ps, const hooks& host)
      : inputs_(inputs), traces_(traces), max_bound_ps_(max_bound_ps), host_(host) {}

  result<given_clocks> decide() {
    validation_options asked;
    asked.host = host_;
    auto matched = validate_collectives(traces_, asked);
    if (!matched) return std::move(matched).error();
    if (auto ok = place_nodes(*matched); !ok) return std::move(ok).error();
    made_.method = "collectives";
    made_.reference_node = inputs_.reference_node;
    made_.origin_unix_ns = matched->origin_unix_ns.value_or(0);
    // Times are read in whole ns: one that seems later by less than that need not be.
    for (collective_member& m : matched->members) m.end_ps = saturating_add(m.end_ps, ps_per_ns);
    alignment_options how;
    how.max_bound_ps = max_bound_ps_;
    const std::size_t reference = index_of_reference();
    const bool known = reference < inputs_.traces.size() && node_of_[reference] != nullptr && has_wall_time(reference);
    if (known) how.reference_node = node_of_[reference]->id;
    if (known) span(*matched, static_cast<std::uint32_t>(node_of_[reference] - matched->nodes.data()));
    const alignment_result aligned = known ? align_by_collectives(*matched, how) : alignment_result();
    made_.assumptions = matched->assumptions;
    made_.assumptions.insert(made_.assumptions.end(), aligned.assumptions.begin(), aligned.assumptions.end());
    made_.assumptions.emplace_back("all lines of a node, of its host and of its devices, show the time of one clock");
    if (reference < inputs_.traces.size() && node_of_[reference] == nullptr) why_nobody_ = "the reference node has no collective";
    if (!has_wall_time(reference)) why_nobody_ = "the trace of the reference node does not show when it began";
    if (traces_[reference] == nullptr) why_nobody_ = "the trace of the reference node cannot be opened";
    for (std::size_t i = 0; i < inputs_.traces.size(); ++i) made_.nodes.push_back(clock_of(i, i == reference, *matched, aligned));
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::size_t index_of_reference() const noexcept {
    std::size_t i = 0;
    while (i < inputs_.traces.size() && inputs_.traces[i].node_id != inputs_.reference_node) ++i;
    return i;
  }
  [[nodiscard]] bool has_wall_time(std::size_t trace) const {
    return trace < traces_.size() && traces_[trace] != nullptr && traces_[trace]->files().origin_unix_ns().has_value();
  }

  result<void> place_nodes(const validation_result& matched) {
    fault f;
    f.code = fault_code::invalid_argument;
    if (index_of_reference() == inputs_.traces.size()) {
      f.message = "node " + std::to_string(inputs_.reference_node) + ", the reference node, has no trace: there is no clock to align to";
      f.hint = "Give its trace, or name another reference node in the run metadata.";
      return f;
    }
    node_of_.assign(inputs_.traces.size(), nullptr);
    for (const collective_node& n : matched.nodes) {
      if (n.trace >= node_of_.size()) continue;
      if (node_of_[n.trace] != nullptr || matched.corrected) {
        f.message = "collectives align traces of single nodes that were not merged before, which this is not";
        f.hint = "Merge the traces of the nodes themselves.";
        f.path = inputs_.traces[n.trace].trace;
        return f;
      }
      node_of_[n.trace] = &n;
    }
    return {};
  }

  // Of the calls of the reference node.
  void span(const validation_result& matched, std::uint32_t reference) {
    bool any = false;
    for (const collective_member& m : matched.members) {
      if (m.node != reference) continue;
      made_.first_ps = any ? std::min(made_.first_ps, m.start_ps) : m.start_ps;
      made_.last_ps = any ? std::max(made_.last_ps, m.end_ps) : m.end_ps;
      any = true;
    }
  }

  [[nodiscard]] given_clock clock_of(std::size_t trace, bool is_reference, const validation_result& matched,
                                     const alignment_result& aligned) {
    given_clock c;
    c.node_id = inputs_.traces[trace].node_id;
    if (has_wall_time(trace)) c.start_unix_ns = traces_[trace]->files().origin_unix_ns();
    if (traces_[trace] == nullptr) {
      c.why_not = "its trace cannot be opened";
    } else if (!c.start_unix_ns) {
      c.why_not = "its trace does not show when it began";
    } else if (is_reference) {
      c.decided = true;
    } else if (!why_nobody_.empty()) {
      c.why_not = why_nobody_;
    } else if (node_of_[trace] == nullptr) {
      c.why_not = "it has no collective";
    } else if (!matched.absent.empty() || !aligned.absent.empty()) {
      c.why_not = matched.absent.empty() ? aligned.absent : matched.absent;
    } else {
      take(aligned.nodes[static_cast<std::size_t>(node_of_[trace] - matched.nodes.data())], c);
    }
    return c;
  }

  void take(const aligned_node& node, given_clock& c) {
    const clock_relation& r = node.to_reference;
    if (!node.reached) {
      c.why_not = "no collectives bound it against the reference node from both sides";
      return;
    }
    if (!r.feasible) {
      c.why_not = "its collectives contradict one another: no straight clock fits all of them";
      return;
    }
    const std::int64_t half = r.most_offset_ps / 2 - r.least_offset_ps / 2;
    if (!node.calls_known) {
      c.why_not = "its calls fit earlier or later calls of other nodes as well, and no ids of runs say which belong together";
      return;
    }
    if (!r.decidable) {
      c.why_not = "collectives leave it +- " + std::to_string(half / ps_per_us) + " us, which is more than --max-bound";
      return;
    }
    c.decided = true;
    if (r.a == r.b || (node.offset_ps == 0 && r.least_offset_ps == 0 && r.most_offset_ps == 0)) return;  // the reference's clock
    made_.pivot_ps = r.pivot_ps;
    c.offset_ps = std::llround(node.offset_ps);
    c.drift_ppt = std::llround(node.drift_ppm * ppt_per_ppm);
    // A clock of offset o and drift d is off by (o - offset + (d - drift) * t) / (1 + d) at t from the pivot.
    const double slowest = 1 + std::min(0.0, r.least_drift_ppm) / ppt_per_ppm;
    const std::int64_t furthest = std::max(r.most_offset_ps - c.offset_ps, c.offset_ps - r.least_offset_ps);
    const double drift_ppt = static_cast<double>(c.drift_ppt);
    const double steepest =
        std::max(r.most_drift_ppm * ppt_per_ppm - drift_ppt, drift_ppt - r.least_drift_ppm * ppt_per_ppm);
    c.bound_ps = static_cast<std::int64_t>(std::ceil(static_cast<double>(furthest) / slowest)) + rounding_ps;
    c.bound_growth_ppt = static_cast<std::int64_t>(std::ceil(std::min(steepest / slowest, ppt_per_whole))) + rounding_ppt;
  }

  const merge_input_list& inputs_;
  const several_traces& traces_;
  std::int64_t max_bound_ps_;
  const hooks& host_;
  std::vector<const collective_node*> node_of_;  // by trace
  std::string why_nobody_;
  given_clocks made_;
};

}  // namespace

result<given_clocks> clocks_by_collectives(const merge_input_list& inputs, const std::vector<std::shared_ptr<const trace>>& traces,
                                           std::int64_t max_bound_ps, const hooks& host) {
  return contained([&] { return clock_decider(inputs, traces, max_bound_ps, host).decide(); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
