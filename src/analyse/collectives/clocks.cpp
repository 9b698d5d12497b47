// The clocks that collectives decide, as a merge takes them: the best guess of each, and how far any clock that fits can be from it.
#include <profkit/core/collectives.hpp>
#include <profkit/core/merge.hpp>
#include <profkit/time.hpp>

#include <base/contained.hpp>

#include "instances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr double ppt_per_ppm = 1e6, ppt_per_whole = 1e12;
constexpr std::int64_t rounding_ps = 2;  // of what was computed in doubles
constexpr std::int64_t rounding_ppt = 2;

using several_traces = std::vector<std::shared_ptr<const trace>>;

// Whether runs have ids that all nodes share: they say which calls belong together.
bool are_known_by_runs(const validation_result& matched) {
  for (const collective_group& g : matched.groups) {
    const std::optional<std::int64_t> first = matched.members[g.first_member].run_id;
    for (std::uint32_t i = 0; i < g.member_count; ++i)
      if (!first || matched.members[g.first_member + i].run_id != first) return false;
  }
  return !matched.groups.empty();
}

bool have_one_clock(const validation_result& matched, std::uint32_t a, std::uint32_t b) noexcept {
  return clock_shown_by(matched, a) == clock_shown_by(matched, b);
}

// The calls of one clock put together with calls of another that lie a bit earlier or later: where clocks fit those, too, the order
// of calls alone does not show which belong together. Several clocks may lack the same calls, so it is about two alone.
class shifted_calls {
 public:
  shifted_calls(const validation_result& matched, std::uint32_t node, std::uint32_t reference, const alignment_options& how)
      : how_(how) {
    how_.reference_node = matched.nodes[reference].id;
    // Of all nodes those of the two clocks: what it takes must not grow with the others.
    shifted_.ops = matched.ops;
    shifted_.clocks = matched.clocks;
    places_.assign(matched.nodes.size(), place());
    for (std::uint32_t n = 0; n < matched.nodes.size(); ++n) {
      const bool own = have_one_clock(matched, n, node);
      if (!own && !have_one_clock(matched, n, reference)) continue;
      places_[n] = {static_cast<std::int32_t>(shifted_.nodes.size()), own};
      shifted_.nodes.push_back(matched.nodes[n]);
      is_own_.push_back(own);
    }
    std::size_t taken = 0;
    for (std::size_t g = 0; g < matched.groups.size() && taken < max_calls; ++g) {
      if (!take(matched, matched.groups[g])) continue;
      ++taken;
    }
    for (auto& [op, calls] : by_op_) std::sort(calls.begin(), calls.end());
  }

  [[nodiscard]] bool fit() {
    const call_list* most = nullptr;
    for (const auto& [op, calls] : by_op_)
      if (most == nullptr || calls.size() > most->size()) most = &calls;
    if (most == nullptr || most->size() < min_calls) return true;
    const auto middle = static_cast<std::ptrdiff_t>(most->size() / 2);
    for (std::ptrdiff_t k = 1; k <= max_shift && k <= middle; ++k)
      for (const std::ptrdiff_t by : {k, -k}) {
        const std::ptrdiff_t at = middle + by;
        if (at < 0 || at >= static_cast<std::ptrdiff_t>(most->size())) continue;
        if (fits((*most)[static_cast<std::size_t>(at)].first - (*most)[static_cast<std::size_t>(middle)].first)) return true;
      }
    return false;
  }

 private:
  static constexpr std::size_t min_calls = 8;  // fewer show nothing
  static constexpr std::size_t max_calls = 1024;
  static constexpr std::ptrdiff_t max_shift = 64;
  using call_list = std::vector<std::pair<std::int64_t, std::size_t>>;  // when it began on this clock, and the call

  // Of a node in `shifted_`, and whether it shows the clock in question; the others show the reference's.
  struct place {
    std::int32_t node = -1;
    bool own = false;
  };
  // A call of both clocks, with the members of these alone: those of the reference first.
  struct call {
    collective_group group;
    std::vector<collective_member> of_reference, of_own;
  };

  // False: not both clocks take part.
  bool take(const validation_result& matched, const collective_group& g) {
    call taken;
    taken.group = g;
    std::int64_t start = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t i = 0; i < g.member_count; ++i) {
      const collective_member& m = matched.members[g.first_member + i];
      const place at = places_[m.node];
      if (at.node < 0) continue;
      std::vector<collective_member>& side = at.own ? taken.of_own : taken.of_reference;
      side.push_back(m);
      side.back().node = static_cast<std::uint32_t>(at.node);
      if (at.own) start = std::min(start, m.start_ps);
    }
    if (taken.of_own.empty() || taken.of_reference.empty()) return false;
    by_op_[g.op].push_back({start, calls_.size()});
    calls_.push_back(std::move(taken));
    return true;
  }

  // All operations are shifted by as much time.
  [[nodiscard]] bool fits(std::int64_t lag_ps) {
    shifted_.groups.clear();
    shifted_.members.clear();
    for (const auto& [op, calls] : by_op_) {
      const std::size_t middle = calls.size() / 2;
      const std::int64_t wanted = saturating_add(calls[middle].first, lag_ps);
      const auto apart = [&](std::size_t i) {
        const auto [less, more] = std::minmax(calls[i].first, wanted);
        return distance_ps(less, more);
      };
      std::size_t nearest = middle;
      for (std::size_t i = 0; i < calls.size(); ++i)
        if (apart(i) < apart(nearest)) nearest = i;
      for (std::size_t i = 0; i < calls.size(); ++i) {
        const std::size_t own = i + nearest - middle;  // below 0 it wraps, beyond the last
        if (nearest != middle && own < calls.size()) add(calls_[calls[i].second], calls_[calls[own].second]);
      }
    }
    if (contradict_at_once()) return false;
    const alignment_result aligned = align_by_collectives(shifted_, how_);
    return aligned.contradictions == 0;
  }

  // Barriers leave no offset, however clocks drift: seen without looking for one.
  [[nodiscard]] bool contradict_at_once() const {
    std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
    std::int64_t first = most, last = least;
    for (const collective_group& g : shifted_.groups) {
      if (shifted_.ops[g.op].semantics != collective_semantics::barrier) continue;
      bool any[2] = {};
      std::int64_t starts[2] = {}, ends[2] = {};
      for (std::uint32_t i = 0; i < g.member_count; ++i) {
        const collective_member& m = shifted_.members[g.first_member + i];
        const bool own = is_own_[m.node];
        starts[own] = any[own] ? std::max(starts[own], m.start_ps) : m.start_ps;
        ends[own] = any[own] ? std::min(ends[own], m.end_ps) : m.end_ps;
        any[own] = true;
        first = std::min(first, m.start_ps);
        last = std::max(last, m.end_ps);
      }
      if (!any[0] || !any[1]) continue;
      least = std::max(least, saturating_add(starts[1], -ends[0]));
      most = std::min(most, saturating_add(ends[1], -starts[0]));
    }
    if (least <= most) return false;
    const double drifted = 2.01 * how_.max_drift_ppm / 1e6 * static_cast<double>(distance_ps(first, last));
    return static_cast<double>(distance_ps(most, least)) > drifted;
  }

  void add(const call& of_reference, const call& of_own) {
    collective_group g = of_reference.group;
    g.first_member = shifted_.members.size();
    for (const auto* side : {&of_reference.of_reference, &of_own.of_own}) shifted_.members.insert(shifted_.members.end(), side->begin(), side->end());
    g.member_count = static_cast<std::uint32_t>(shifted_.members.size() - g.first_member);
    shifted_.groups.push_back(g);
  }

  alignment_options how_;
  std::vector<place> places_;  // by node
  std::vector<bool> is_own_;   // by node of `shifted_`
  std::vector<call> calls_;
  std::map<std::uint32_t, call_list> by_op_;
  validation_result shifted_;
};

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
    known_by_runs_ = are_known_by_runs(*matched);
    alignment_options& how = how_;
    how.max_bound_ps = max_bound_ps_;
    const std::size_t reference = index_of_reference();
    const bool known = reference < inputs_.traces.size() && node_of_[reference] != nullptr && has_wall_time(reference);
    if (known) how.reference_node = node_of_[reference]->id;
    if (known) span(*matched, static_cast<std::uint32_t>(node_of_[reference] - matched->nodes.data()));
    const alignment_result aligned = known ? align_by_collectives(*matched, how) : alignment_result();
    if (aligned.absent.empty() && !aligned.nodes.empty()) find_sure(*matched, aligned);
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

  // Nodes of which it is sure which of their calls belong to which of the reference's, or of another such node.
  void find_sure(const validation_result& matched, const alignment_result& aligned) {
    is_sure_.assign(matched.nodes.size(), known_by_runs_);
    std::vector<std::uint32_t> reached;
    const auto add = [&](std::uint32_t node) {
      for (std::uint32_t n = 0; n < is_sure_.size(); ++n)
        if (have_one_clock(matched, n, node)) is_sure_[n] = true;
      reached.push_back(node);
    };
    add(aligned.reference);
    for (std::size_t at = 0; at < reached.size(); ++at)
      for (const clock_relation& pair : aligned.pairs) {
        const bool forward = have_one_clock(matched, pair.a, reached[at]);
        if (!pair.feasible || (!forward && !have_one_clock(matched, pair.b, reached[at]))) continue;
        const std::uint32_t other = forward ? pair.b : pair.a;
        if (!is_sure_[other] && !shifted_calls(matched, other, reached[at], how_).fit()) add(other);
      }
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
      const auto n = static_cast<std::uint32_t>(node_of_[trace] - matched.nodes.data());
      take(aligned.nodes[n], c);
      if (!c.decided || is_sure_[n]) return c;
      c.decided = false;
      c.why_not = "its calls fit earlier or later calls of other nodes as well, and no ids of runs say which belong together";
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
  bool known_by_runs_ = false;
  std::vector<bool> is_sure_;  // by node
  alignment_options how_;
  given_clocks made_;
};

}  // namespace

result<given_clocks> clocks_by_collectives(const merge_input_list& inputs, const std::vector<std::shared_ptr<const trace>>& traces,
                                           std::int64_t max_bound_ps, const hooks& host) {
  return contained([&] { return clock_decider(inputs, traces, max_bound_ps, host).decide(); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
