#include <analyse/bubbles/stragglers.hpp>
#include <analyse/bubbles/words.hpp>
#include <clusters/collectives/instances.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

// The name and the start of one kernel.
class kernel_at_row final : public kernel_visitor {
 public:
  explicit kernel_at_row(std::uint64_t source_row) : source_row_(source_row) {}
  result<void> rows(const kernel_row* first, std::size_t count) override {
    const auto* const at = std::find_if(first, first + count, [&](const kernel_row& k) { return k.source_row == source_row_; });
    if (at == first + count) return {};
    name = at->name;
    start_ps = at->start_ps;
    return {};
  }
  string_id name = 0;
  std::int64_t start_ps = no_time_ps;

 private:
  std::uint64_t source_row_;
};

}  // namespace

result<straggler_waits> find_straggler_waits(const activity& of, const hooks& host) {
  const auto& devices = of.devices();
  std::set<std::int32_t> ranks;
  std::int32_t world = 0;
  for (const activity_device& d : devices) {
    if (d.rank >= 0) ranks.insert(d.rank);
    world = std::max(world, d.world_size);
  }
  straggler_waits found;
  std::string absent;
  if (world > 1 && ranks.size() < static_cast<std::size_t>(world))
    absent = "only " + count_text(ranks.size(), "rank") + " of " + grouped(static_cast<std::uint64_t>(world)) +
             (ranks.size() == 1 ? " is here" : " are here");
  if (ranks.size() < 2) {
    found.missing = std::move(absent);
    return found;
  }
  result<collective_instances> instances = find_collectives_of_ranks(of, host);
  if (!instances) return std::move(instances).error();
  validation_result calls;
  calls.nodes = instances->nodes;
  calls.clocks = instances->clocks;
  match_by_time(*instances, false, {}, calls, false);
  judge_arrivals(*instances, {}, calls);
  const collective_arrivals& arrivals = calls.arrivals;
  found.waited_ps = arrivals.waited_ps;
  found.latest = latest_text(calls);
  if (arrivals.longest_ps > 0) {
    const collective_member& longest = calls.members[arrivals.longest_member];
    kernel_at_row kernel(longest.source_row);
    if (auto visited = of.visit_kernels(longest.activity_device, kernel, host); !visited) return std::move(visited).error();
    found.longest = "the longest, " + human_duration(arrivals.longest_ps) + ": " +
                    arriving_device_text(calls, arrivals.devices[arrivals.longest_device]) + " in " + std::string(of.text(kernel.name));
    if (kernel.start_ps != no_time_ps)
      found.longest_at = {longest.activity_device, kernel.start_ps, saturating_add(kernel.start_ps, longest.waited_ps)};
  }
  if (arrivals.judged > 0)
    found.unjudged = unjudged_text(arrivals);
  else if (!absent.empty())
    found.missing = std::move(absent);
  else if (!arrivals.unjudged.empty())
    found.missing = arrivals.unjudged.front().why;
  found.by_device.resize(devices.size());
  for (const collective_member& m : calls.members)
    if (m.waited_ps >= 0) found.by_device[m.activity_device].push_back({m.source_row, m.waited_ps});
  for (std::vector<collective_wait>& waits : found.by_device)
    std::sort(waits.begin(), waits.end(),
              [](const collective_wait& a, const collective_wait& b) { return a.source_row < b.source_row; });
  return found;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
