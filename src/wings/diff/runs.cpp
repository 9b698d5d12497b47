// Several runs a side: their sum, and how far a change stands out of what runs differ by.
#include <profkit/core/diff.hpp>

#include <base/contained.hpp>
#include <diff/gates.hpp>
#include <diff/op_names.hpp>
#include <diff/rest.hpp>
#include <diff/significance.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace diff {
namespace {

// All runs of a side as one. A device is known by its rank and name; its steps follow one another.
run_snapshot sum_of_runs(std::vector<run_snapshot> runs) {
  if (runs.size() == 1) return std::move(runs.front());
  run_snapshot all = runs.front();
  std::map<std::pair<time_use, std::optional<idle_cause>>, std::int64_t> time;
  std::vector<run_op> ops;
  std::map<run_op_identity, std::size_t> of_identity;  // borrows the texts of the runs
  std::size_t at = 0;
  const auto add = [&](const run_snapshot& run) {
    const double steps = static_cast<double>(std::max<std::uint64_t>(run.step_count(), 1));
    for (const time_use_sum& part : run.time) {
      std::int64_t& ps = time[{part.use, part.cause}];
      ps = saturating_add(ps, part.time_ps);
    }
    for (const run_op& op : run.ops) {
      const auto [known, added] = of_identity.try_emplace(identity_of(op), ops.size());
      if (added) ops.push_back(op);
      run_op& sum = ops[known->second];
      sum.run_ps.resize(runs.size());
      sum.run_ps[at] += static_cast<double>(op.time_ps) / steps;
      if (added) continue;
      sum.count += op.count;
      sum.time_ps = saturating_add(sum.time_ps, op.time_ps);
      sum.rest = std::max(sum.rest, op.rest);
    }
    ++at;
  };
  add(runs.front());
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const run_snapshot& run = runs[i];
    add(run);
    all.runs += run.runs;
    all.warm_up_steps += run.warm_up_steps;
    all.cut_steps += run.cut_steps;
    all.other_steps += run.other_steps;
    all.memory_bytes = std::max(all.memory_bytes, run.memory_bytes);
    all.damage.insert(all.damage.end(), run.damage.begin(), run.damage.end());
    if (all.absent.empty() && !run.absent.empty()) all.absent = run.path + ": " + run.absent;
    for (const run_device& d : run.devices) {
      const auto known = std::find_if(all.devices.begin(), all.devices.end(),
                                      [&](const run_device& other) { return other.name == d.name && other.rank == d.rank; });
      if (known == all.devices.end()) {
        all.devices.push_back(d);
      } else {
        known->step_ps.insert(known->step_ps.end(), d.step_ps.begin(), d.step_ps.end());
      }
    }
  }
  all.time.clear();
  for (const auto& [of, ps] : time) all.time.push_back({of.first, of.second, ps});
  all.ops = std::move(ops);
  // The rest, where there is one, stays the last.
  std::stable_sort(all.ops.begin(), all.ops.end(), [](const run_op& a, const run_op& b) {
    return (a.rest > 0) != (b.rest > 0) ? b.rest > 0 : a.time_ps != b.time_ps ? a.time_ps > b.time_ps : identity_of(a) < identity_of(b);
  });
  return all;
}

// The steps of a run in their order, each the sum of all devices where they have as many, else those of one device after another's.
std::vector<double> series_of(const run_snapshot& run) {
  std::vector<double> all;
  const bool alike = std::all_of(run.devices.begin(), run.devices.end(),
                                 [&](const run_device& d) { return d.step_ps.size() == run.devices.front().step_ps.size(); });
  for (const run_device& d : run.devices)
    for (std::size_t i = 0; i < d.step_ps.size(); ++i) {
      const auto ps = static_cast<double>(d.step_ps[i]);
      if (alike && &d != &run.devices.front()) {
        all[i] += ps;
      } else {
        all.push_back(ps);
      }
    }
  return all;
}

double mean_change(const run_diff& found) {
  return found.step.before_ps > 0 ? static_cast<double>(found.step.change_ps()) / static_cast<double>(found.step.before_ps) : 0;
}

// How far each change stands out of what runs differ by.
void judge_ops(const run_snapshot& before, const run_snapshot& after, run_diff& into) {
  if (before.runs < 2 || after.runs < 2) return;
  std::vector<run_numbers> all;
  const auto numbers_of_row = [](const std::vector<std::uint32_t>& row, const run_snapshot& side) {
    std::vector<double> sums(row.empty() ? 0 : static_cast<std::size_t>(side.runs));
    for (const std::uint32_t i : row)
      for (std::size_t run = 0; run < side.ops[i].run_ps.size(); ++run) sums[run] += side.ops[i].run_ps[run];
    return sums;
  };
  for (const op_delta& row : into.ops) all.push_back({numbers_of_row(row.before, before), numbers_of_row(row.after, after)});
  const auto shares = shares_by_chance(all);
  for (std::size_t i = 0; i < shares.size(); ++i) into.ops[i].by_chance = shares[i];
}

number_change change_of_step(const std::vector<run_snapshot>& before, const std::vector<run_snapshot>& after) {
  number_change step;
  if (before.size() == 1 && after.size() == 1) {
    if (const auto found = change_of_series(series_of(before.front()), series_of(after.front()))) {
      step.method = change_method::within_two_runs;
      step.low = found->low;
      step.high = found->high;
    }
    return step;
  }
  return change_of_runs(numbers_of(before, median_step), numbers_of(after, median_step));
}

}  // namespace
}  // namespace diff

std::vector<std::int64_t> run_snapshot::all_step_ps() const {
  std::vector<std::int64_t> all;
  for (const run_device& d : devices) all.insert(all.end(), d.step_ps.begin(), d.step_ps.end());
  std::sort(all.begin(), all.end());
  return all;
}
std::optional<std::int64_t> run_snapshot::shortest_step_ps() const {
  const std::vector<std::int64_t> all = all_step_ps();
  return all.empty() ? std::nullopt : std::optional(all.front());
}
std::optional<std::int64_t> run_snapshot::median_step_ps() const {
  const std::vector<std::int64_t> all = all_step_ps();
  return all.empty() ? std::nullopt : std::optional(all[all.size() / 2]);
}
std::optional<std::int64_t> run_snapshot::longest_step_ps() const {
  const std::vector<std::int64_t> all = all_step_ps();
  return all.empty() ? std::nullopt : std::optional(all.back());
}

result<void> check_gates(const std::vector<std::string>& gates) {
  return contained([&]() -> result<void> {
    for (const std::string& text : gates)
      if (auto gate = diff::parse_gate(text); !gate) return std::move(gate).error();
    return {};
  });
}

result<diff_report> compare_captures(std::vector<run_snapshot> before, std::vector<run_snapshot> after, const std::vector<std::string>& gates) {
  return contained([&]() -> result<diff_report> {
    if (before.empty() || after.empty()) return fault{fault_code::invalid_argument, "a side has no capture", "", no_offset, "name one at least"};
    diff_report all;
    for (const std::string& text : gates) {
      const auto gate = diff::parse_gate(text);
      if (!gate) return gate.error();
      all.gates.push_back(diff::judge(*gate, before, after));
    }
    all.step = diff::change_of_step(before, after);
    const bool one_each = before.size() == 1 && after.size() == 1;
    all.before = diff::sum_of_runs(std::move(before));
    all.after = diff::sum_of_runs(std::move(after));
    diff::give_both_a_rest(all.before, all.after);
    all.found = compare_runs(all.before, all.after);
    diff::judge_ops(all.before, all.after, all.found);
    if (one_each) all.step.change = diff::mean_change(all.found);
    return all;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
