#include <diff/rest.hpp>

#include <diff/op_names.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <set>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace diff {
namespace {

bool has_rest(const run_snapshot& s) noexcept { return !s.ops.empty() && s.ops.back().rest > 0; }

void fold_like(run_snapshot& full, const run_snapshot& kept) {
  std::set<run_op_identity> known;
  for (const run_op& o : kept.ops) known.insert(identity_of(o));
  // Of one step, as far as whole picoseconds say it.
  const std::size_t last = kept.ops.size() - 1;
  const std::int64_t least_ps = last == 0 ? 0 : kept.ops[last - 1].time_ps / static_cast<std::int64_t>(std::max<std::uint64_t>(kept.step_count(), 1));
  const auto steps = static_cast<std::int64_t>(std::max<std::uint64_t>(full.step_count(), 1));
  const auto stays = [&](const run_op& o) { return known.count(identity_of(o)) > 0 || o.time_ps / steps > least_ps; };
  const auto first_of_rest = std::stable_partition(full.ops.begin(), full.ops.end(), stays);
  full.ops = with_rest(std::move(full.ops), static_cast<std::size_t>(first_of_rest - full.ops.begin()));
}

}  // namespace

std::vector<run_op> with_rest(std::vector<run_op> ops, std::size_t kept) {
  if (ops.size() <= kept) return ops;
  run_op rest;
  rest.kind = kernel_class::other;
  for (std::size_t i = kept; i < ops.size(); ++i) {
    rest.rest += std::max<std::uint64_t>(ops[i].rest, 1);
    rest.count += ops[i].count;
    rest.time_ps = saturating_add(rest.time_ps, ops[i].time_ps);
  }
  ops.resize(kept);
  ops.push_back(std::move(rest));
  return ops;
}

void give_both_a_rest(run_snapshot& before, run_snapshot& after) {
  if (has_rest(before) && !has_rest(after)) fold_like(after, before);
  if (has_rest(after) && !has_rest(before)) fold_like(before, after);
}

}  // namespace diff
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
