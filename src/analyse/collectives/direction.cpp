#include "direction.hpp"

#include <profkit/time.hpp>

#include "base/collective_names.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

namespace {

// An instruction has one root; a kernel without one serves every root in turn.
bool is_instruction(const collective_op& op) {
  return !op.module.empty() || !collective_of(instruction_name(op.name)).empty();
}

}  // namespace

collective_directions::collective_directions(const validation_result& found, const error_of_time& error) {
  const auto contradicts = [&](const collective_member& begins, const collective_member& ends) {
    const std::int64_t gap = saturating_add(begins.start_ps, -ends.end_ps);
    return gap >= 0 && gap > saturating_add(error(begins, begins.start_ps), error(ends, ends.end_ps));
  };
  for (const collective_group& g : found.groups) {
    const collective_op& op = found.ops[g.op];
    const collective_member* const members = found.members.data() + g.first_member;
    const bool from = op.semantics == collective_semantics::from_one, to = op.semantics == collective_semantics::to_one;
    if ((from || to) && is_instruction(op)) {
      for (std::uint32_t root = 0; root < g.member_count; ++root) {
        bool contradicted = false;
        for (std::uint32_t i = 0; i < g.member_count; ++i)
          contradicted =
              contradicted ||
              (i != root && (from ? contradicts(members[root], members[i]) : contradicts(members[i], members[root])));
        add(roots_[g.op][members[root].node], contradicted);
      }
    }
    if (op.semantics != collective_semantics::point_to_point) continue;
    for (std::uint32_t s = 0; s < g.member_count; ++s)
      for (std::uint32_t r = 0; r < g.member_count; ++r)
        if (members[s].part == collective_part::sends && members[r].part == collective_part::receives &&
            members[s].node != members[r].node)
          add(senders_[{g.op, members[r].node}][members[s].node], contradicts(members[s], members[r]));
  }
}

void collective_directions::add(tally& to, bool contradicted) noexcept {
  ++to.invocations;
  to.contradictions += contradicted ? 1 : 0;
}

std::optional<std::uint32_t> collective_directions::best_of(const candidates& all) {
  std::optional<std::uint32_t> best;
  tally of_best;
  for (const auto& [node, t] : all) {
    // Who was there seldom had little chance to contradict.
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
  return at == senders_.end() ? std::nullopt : best_of(at->second);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
