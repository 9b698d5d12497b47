// Whether it is sure which calls of two clocks belong together: ids say so, or no clock fits calls that lie a bit earlier or later.
#include "known_calls.hpp"

#include "instances.hpp"

#include <profkit/time.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

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
    for (const collective_group& g : matched.groups)
      if (calls_.size() < max_calls) take(matched, g);
    for (auto& [op, calls] : by_op_) std::sort(calls.begin(), calls.end());
  }

  // Not where ids say which calls belong together.
  [[nodiscard]] bool fit() {
    if (all_by_ids_ && !calls_.empty()) return false;
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

  // Nothing is taken unless both clocks take part.
  void take(const validation_result& matched, const collective_group& g) {
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
    if (taken.of_own.empty() || taken.of_reference.empty()) return;
    all_by_ids_ = all_by_ids_ && g.by_ids;
    by_op_[g.op].push_back({start, calls_.size()});
    calls_.push_back(std::move(taken));
  }

  // All operations are shifted by as much time.
  [[nodiscard]] bool fits(std::int64_t lag_ps) {
    shifted_.groups.clear();
    shifted_.members.clear();
    for (const auto& of_op : by_op_) {
      const auto& calls = of_op.second;
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
    return align_matched(shifted_, how_).contradictions == 0;
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
  bool all_by_ids_ = true;
  validation_result shifted_;
};

}  // namespace

void mark_known_calls(const validation_result& matched, const alignment_options& how, alignment_result& aligned) {
  if (!aligned.absent.empty() || aligned.nodes.empty()) return;
  if (matched.corrected) {
    for (aligned_node& node : aligned.nodes) node.calls_known = true;
    return;
  }
  const bool all_by_ids =
      std::all_of(matched.groups.begin(), matched.groups.end(), [](const collective_group& g) { return g.by_ids; });
  std::vector<std::uint32_t> reached;
  const auto add = [&](std::uint32_t node) {
    for (std::uint32_t n = 0; n < aligned.nodes.size(); ++n)
      if (have_one_clock(matched, n, node)) aligned.nodes[n].calls_known = true;
    reached.push_back(node);
  };
  add(aligned.reference);
  for (std::size_t at = 0; at < reached.size(); ++at)
    for (const clock_relation& pair : aligned.pairs) {
      const bool forward = have_one_clock(matched, pair.a, reached[at]);
      if (!pair.feasible || (!forward && !have_one_clock(matched, pair.b, reached[at]))) continue;
      const std::uint32_t other = forward ? pair.b : pair.a;
      if (!aligned.nodes[other].calls_known && (all_by_ids || !shifted_calls(matched, other, reached[at], how).fit())) add(other);
    }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
