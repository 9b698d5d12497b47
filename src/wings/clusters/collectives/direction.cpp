#include "direction.hpp"

#include <profkit/time.hpp>

#include "base/collective_names.hpp"

#include <algorithm>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

namespace {

// An instruction has one root; a kernel without one serves every root in turn.
bool is_instruction(const collective_op& op) {
  return !op.module.empty() || !collective_of(instruction_name(op.kind)).empty();
}

// With more members pairs are not compared.
constexpr std::uint32_t max_paired = 512;

bool is_permute(const collective_op& op) { return collective_of(instruction_name(op.kind)) == "collective-permute"; }

}  // namespace

collective_directions::collective_directions(const validation_result& found, const error_of_time& error) {
  const auto contradicts = [&](const collective_member& begins, const collective_member& ends) {
    const std::int64_t gap = saturating_add(begins.start_ps, -ends.end_ps);
    return gap >= 0 && gap > saturating_add(error(begins, begins.start_ps), error(ends, ends.end_ps));
  };
  for (const collective_group& g : found.groups) {
    const collective_op& op = found.ops[g.op];
    if (op.by_group) continue;  // what is on record needs no guess
    const collective_member* const members = found.members.data() + g.first_member;
    const bool from = op.semantics == collective_semantics::from_one, to = op.semantics == collective_semantics::to_one;
    if ((from || to) && is_instruction(op)) add_roots(roots_[g.op], members, g.member_count, from, error);
    if (op.semantics != collective_semantics::point_to_point) continue;
    if (g.member_count > max_paired) {
      too_many_.insert(g.op);
      continue;
    }
    if (is_permute(op) && op.library_kernels) {
      pair_tallies& pairs = pairs_[g.op];
      for (std::uint32_t s = 0; s < g.member_count; ++s)
        for (std::uint32_t r = 0; r < g.member_count; ++r)
          if (s != r) add(pairs[{members[s].node, members[r].node}], contradicts(members[s], members[r]));
    }
    for (std::uint32_t s = 0; s < g.member_count; ++s) {
      if (members[s].part != collective_part::sends) continue;
      for (std::uint32_t r = 0; r < g.member_count; ++r)
        if (members[r].part == collective_part::receives && members[s].node != members[r].node)
          add(senders_[{g.op, members[r].node}][members[s].node], contradicts(members[s], members[r]));
    }
  }
}

// Members that might be the root: no other ends before it begins (`from`), or no other begins after its end. A member's
// own times are never against it.
void collective_directions::add_roots(candidates& roots, const collective_member* members, std::uint32_t count,
                                      bool from, const error_of_time& error) {
  const auto earliest_start = [&](const collective_member& m) {
    return saturating_add(m.start_ps, -error(m, m.start_ps));
  };
  const auto latest_end = [&](const collective_member& m) { return saturating_add(m.end_ps, error(m, m.end_ps)); };
  std::int64_t first_end = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_start = std::numeric_limits<std::int64_t>::min();
  for (const collective_member* m = members; m != members + count; ++m) {
    first_end = std::min(first_end, latest_end(*m));
    last_start = std::max(last_start, earliest_start(*m));
  }
  for (const collective_member* m = members; m != members + count; ++m)
    add(roots[m->node], from ? earliest_start(*m) > first_end : latest_end(*m) < last_start);
}

void collective_directions::add(tally& to, bool contradicted) noexcept {
  ++to.invocations;
  to.contradictions += contradicted ? 1 : 0;
}

std::optional<std::uint32_t> collective_directions::best_of(const candidates& all) {
  std::optional<std::uint32_t> best;
  tally of_best;
  for (const auto& [node, t] : all) {
    // A member with few invocations had little chance to contradict.
    const bool better = !best || t.invocations - t.contradictions > of_best.invocations - of_best.contradictions;
    if (!better) continue;
    best = node;
    of_best = t;
  }
  return best;
}

std::optional<std::uint32_t> collective_directions::root_of(std::uint32_t op) const {
  const auto at = roots_.find(op);
  return at == roots_.end() ? std::nullopt : best_of(at->second);
}

std::optional<std::uint32_t> collective_directions::sender_to(std::uint32_t op, std::uint32_t node) const {
  const auto at = senders_.find({op, node});
  return at == senders_.end() || too_many_.count(op) != 0 ? std::nullopt : best_of(at->second);
}

std::optional<collective_directions::relation> collective_directions::pair_of(std::uint32_t op) const {
  const auto at = pairs_.find(op);
  if (at == pairs_.end() || too_many_.count(op) != 0) return std::nullopt;
  struct partner {
    std::uint32_t sender = 0, receiver = 0;
    tally of;
  };
  std::map<std::uint32_t, partner> best;  // of each node
  for (const auto& [pair, t] : at->second)
    for (const std::uint32_t node : {pair.first, pair.second}) {
      const auto [known, is_new] = best.try_emplace(node, partner{pair.first, pair.second, t});
      const tally& old = known->second.of;
      if (!is_new && t.invocations - t.contradictions > old.invocations - old.contradictions)
        known->second = {pair.first, pair.second, t};
    }
  const auto worst = std::max_element(best.begin(), best.end(), [](const auto& a, const auto& b) {
    return a.second.of.contradictions < b.second.of.contradictions;
  });
  return relation{worst->second.sender, worst->second.receiver, best.size()};
}

const char* collective_directions::why_unjudged(std::uint32_t at, const collective_op& op,
                                                bool one_device_a_node) const {
  if (too_many_.count(at) != 0) return "more than 512 members: not every pair is compared";
  const bool kernel = !is_instruction(op);
  if (op.by_group && op.semantics == collective_semantics::point_to_point && op.pairs.empty())
    return "the trace does not say who sends to whom";
  if (op.by_group && op.semantics == collective_semantics::point_to_point)
    return op.library_kernels ? "no two of those that took part are a pair, as far as that is on record"
                              : "the event says when the operation was issued, not when its data arrived";
  if (op.by_group && op.semantics != collective_semantics::barrier)
    return op.root < 0 ? "the trace does not say who is the root" : "the root is not among those that took part";
  if (!one_device_a_node && !kernel)
    return "nodes have several devices, and the partner may be a device with another number";
  switch (op.semantics) {
    case collective_semantics::barrier: break;
    case collective_semantics::to_one:
    case collective_semantics::from_one:
      return kernel ? "a kernel without an HLO instruction may serve each root in turn"
                    : "the node that seems to be the root did not take part";
    case collective_semantics::point_to_point:
      if (is_permute(op))
        return op.library_kernels ? "the trace does not say which node receives from which, and at least one pairing fits"
                                  : "the event says when the operation was issued, not when its data arrived";
      if (kernel) return "a kernel without an HLO instruction may join a different pair of nodes each time";
      return "it is not known which recv belongs to which send";
  }
  return "";
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
