#include <analyse/bubbles/stragglers.hpp>
#include <analyse/bubbles/words.hpp>
#include <analyse/collectives/instances.hpp>

#include <base/thread_pool.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

// A collective of one process group: name of the kernel; id, name, members and size of the group.
using collective_key = std::tuple<string_id, string_id, string_id, string_id, std::int32_t>;
struct execution {
  std::int64_t duration_ps;
  std::uint64_t source_row;
};
using executions_of = std::map<collective_key, std::vector<execution>>;  // in the order of starts

class collective_runs final : public kernel_visitor {
 public:
  collective_runs(const activity& of, const activity_device& on) : of_(of), on_(on) {}
  result<void> rows(const kernel_row* first, std::size_t count) override {
    for (const kernel_row* k = first; k != first + count; ++k) {
      if (k->kind != kernel_class::comm || (k->flags & kernel_duplicate) != 0) continue;
      collective_key key{k->name, 0, 0, 0, 0};
      if (k->details != 0) {
        const kernel_details& d = on_.details[k->details - 1];
        key = {k->name, d.group, d.group_name, d.group_ranks, d.group_size};
      }
      const auto [at, is_new] = ends_together_.try_emplace(k->name, false);
      if (is_new) at->second = semantics_of(of_.text(k->name)) == collective_semantics::barrier;
      if (at->second) found[key].push_back({k->duration_ps, k->source_row});
    }
    return {};
  }
  executions_of found;

 private:
  const activity& of_;
  const activity_device& on_;
  std::map<string_id, bool> ends_together_;
};

class comparison {
 public:
  comparison(const activity& of, const std::vector<executions_of>& devices) : of_(of), devices_(devices) {}

  straggler_waits run() {
    found_.by_device.resize(devices_.size());
    std::set<collective_key> keys;
    for (const executions_of& device : devices_)
      for (const auto& [key, runs] : device) keys.insert(key);
    for (const collective_key& key : keys) compare(key);
    for (std::vector<collective_wait>& waits : found_.by_device)
      std::sort(waits.begin(), waits.end(),
                [](const collective_wait& a, const collective_wait& b) { return a.source_row < b.source_row; });
    for (const auto& [rank, late] : late_)
      if (late.waited_ps > found_.waited_for_late_ps) {
        found_.late_rank = rank;
        found_.waited_for_late_ps = late.waited_ps;
        found_.times_late = late.times;
      }
    if (found_.collectives == 0 && !keys.empty()) found_.missing = "the ranks did not record the same number of them";
    return std::move(found_);
  }

 private:
  struct lateness {
    std::int64_t waited_ps = 0;
    std::uint64_t times = 0;
  };

  void compare(const collective_key& key) {
    struct member {
      std::int32_t rank;
      std::size_t device;
      const std::vector<execution>* runs;
    };
    std::vector<member> members;  // by rank
    std::int32_t wanted = std::get<4>(key);
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      const auto runs = devices_[d].find(key);
      if (runs == devices_[d].end()) continue;
      members.push_back({of_.devices()[d].rank, d, &runs->second});
      if (std::get<4>(key) == 0) wanted = std::max(wanted, of_.devices()[d].world_size);
    }
    std::sort(members.begin(), members.end(), [](const member& a, const member& b) { return a.rank < b.rank; });
    const auto same_rank = [](const member& a, const member& b) { return a.rank == b.rank; };
    if (members.size() < 2 || members.size() != static_cast<std::size_t>(wanted) || members.front().rank < 0 ||
        std::adjacent_find(members.begin(), members.end(), same_rank) != members.end())
      return;
    const std::size_t times = members.front().runs->size();
    if (std::any_of(members.begin(), members.end(), [&](const member& m) { return m.runs->size() != times; })) return;
    for (std::size_t i = 0; i < times; ++i) {
      const auto shorter = [&](const member& a, const member& b) {
        return (*a.runs)[i].duration_ps < (*b.runs)[i].duration_ps;
      };
      const auto last = std::min_element(members.begin(), members.end(), shorter);
      const std::int64_t transfer_ps = (*last->runs)[i].duration_ps;
      lateness& late = late_[last->rank];
      ++late.times;
      ++found_.collectives;
      for (const auto& [rank, device, runs] : members) {
        const std::int64_t waited_ps = (*runs)[i].duration_ps - transfer_ps;
        found_.by_device[device].push_back({(*runs)[i].source_row, waited_ps});
        late.waited_ps = saturating_add(late.waited_ps, waited_ps);
        found_.waited_ps = saturating_add(found_.waited_ps, waited_ps);
        if (waited_ps <= found_.longest_ps) continue;
        found_.longest_ps = waited_ps;
        found_.longest_rank = rank;
        found_.longest_name = std::get<0>(key);
      }
    }
  }

  const activity& of_;
  const std::vector<executions_of>& devices_;
  std::map<std::int32_t, lateness> late_;  // by rank
  straggler_waits found_;
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
  auto runs = map_items<executions_of>(devices.size(), host, [&](std::size_t d) -> result<executions_of> {
    collective_runs visitor(of, devices[d]);
    if (auto visited = of.visit_kernels(d, visitor, host); !visited) return std::move(visited).error();
    return std::move(visitor.found);
  });
  if (!runs) return std::move(runs).error();
  found = comparison(of, *runs).run();
  if (found.collectives == 0 && !absent.empty()) found.missing = std::move(absent);
  return found;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
