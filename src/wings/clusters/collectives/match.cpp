#include "instances.hpp"

#include <profkit/core/text.hpp>

#include "base/collective_names.hpp"
#include "base/hash_map.hpp"
#include "base/median.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t collective_parts = 3;  // both, sends, receives

// Executions of one operation on one device number, by node and then by start.
struct op_events {
  std::uint32_t name = 0, kind = 0, module = 0, group = 0;
  participation who = participation::unknown;
  std::optional<std::uint32_t> receives;  // the recv that belongs to the send `name`; both are among the events
  std::int32_t device = 0;
  std::vector<std::vector<std::uint32_t>> by_node;  // indices of instances
  [[nodiscard]] std::size_t nodes() const noexcept {
    return static_cast<std::size_t>(
        std::count_if(by_node.begin(), by_node.end(), [](const auto& events) { return !events.empty(); }));
  }
  [[nodiscard]] collective_part part_of(const collective_instance& e) const noexcept {
    if (!receives) return collective_part::both;
    return e.name == *receives ? collective_part::receives : collective_part::sends;
  }
};

bool all_library_kernels(const collective_instances& found, const op_events& op) {
  for (const auto& events : op.by_node)
    for (const std::uint32_t e : events)
      if (!found.all[e].library_kernel) return false;
  return true;
}

collective_op& add_op(const collective_instances& found, const op_events& events, validation_result& into) {
  collective_op& op = into.ops.emplace_back();
  op.name = std::string(found.texts.text(events.name));
  op.kind = std::string(found.texts.text(events.kind));
  op.collective = std::string(collective_in(op.kind));
  op.semantics = semantics_of(op.kind);
  if (events.receives) op.name += ", " + std::string(found.texts.text(*events.receives));
  op.module = std::string(found.texts.text(events.module));
  op.group = std::string(found.texts.text(events.group));
  op.device = events.device;
  op.library_kernels = all_library_kernels(found, events);
  return op;
}

void warn(validation_result& into, collective_warning::kind what, std::int64_t node, std::uint64_t count,
          const std::string& op, std::string text) {
  collective_warning w;
  w.what = what;
  w.node_id = node;
  w.count = count;
  w.op = op;
  w.text = std::move(text);
  into.warning_list.push_back(std::move(w));
}

// Members of one node each, or (send and recv) of one node and part each, in the order of nodes.
void add_group(const collective_instances& found, const op_events& op, std::uint32_t occurrence,
               std::vector<std::uint32_t>& members, std::uint32_t expected, validation_result& into) {
  std::sort(members.begin(), members.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t of_a = found.all[a].node, of_b = found.all[b].node;
    return of_a != of_b ? of_a < of_b : op.part_of(found.all[a]) < op.part_of(found.all[b]);
  });
  collective_group& group = into.groups.emplace_back();
  group.op = static_cast<std::uint32_t>(into.ops.size() - 1);
  group.occurrence = occurrence;
  group.first_member = into.members.size();
  group.member_count = static_cast<std::uint32_t>(members.size());
  group.members_expected = expected;
  for (const std::uint32_t m : members) {
    into.members.push_back(member_of(found.all[m]));
    into.members.back().part = op.part_of(found.all[m]);
  }
  ++into.ops.back().groups;
}

// ---- by time ----

// An XLA instruction `opcode` of a known module whose executions are kernels of a communication library. What else has
// that name may talk to the host, or only say when the operation was issued.
bool is_kernel_of(std::string_view opcode, const collective_instances& found, const op_events& op) {
  return !found.texts.text(op.module).empty() && collective_of(found.texts.text(op.kind)) == opcode &&
         all_library_kernels(found, op);
}

// A recv belongs to a send. Traces do not say to which: a compiler numbers both in the order of their channels, so that
// where a module has as many of the one as of the other, the n-th belong together.
void join_sends(const collective_instances& found, std::vector<op_events>& ops) {
  struct pair_of_lists {
    std::vector<std::size_t> sends, receives;
  };
  std::map<std::pair<std::uint32_t, std::int32_t>, pair_of_lists> modules;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    pair_of_lists& lists = modules[{ops[i].module, ops[i].device}];
    if (is_kernel_of("send", found, ops[i])) lists.sends.push_back(i);
    if (is_kernel_of("recv", found, ops[i])) lists.receives.push_back(i);
  }
  const auto by_number = [&](std::size_t a, std::size_t b) {
    const std::string_view of_a = found.texts.text(ops[a].name), of_b = found.texts.text(ops[b].name);
    return of_a.size() != of_b.size() ? of_a.size() < of_b.size() : of_a < of_b;
  };
  std::vector<bool> joined(ops.size(), false);
  for (auto& [module, lists] : modules) {
    if (lists.sends.size() != lists.receives.size()) continue;
    std::sort(lists.sends.begin(), lists.sends.end(), by_number);
    std::sort(lists.receives.begin(), lists.receives.end(), by_number);
    for (std::size_t i = 0; i < lists.sends.size(); ++i) {
      op_events& send = ops[lists.sends[i]];
      op_events& receive = ops[lists.receives[i]];
      send.receives = receive.name;
      send.who = std::max(send.who, receive.who);
      for (std::size_t n = 0; n < send.by_node.size(); ++n)
        send.by_node[n].insert(send.by_node[n].end(), receive.by_node[n].begin(), receive.by_node[n].end());
      joined[lists.receives[i]] = true;
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (joined[i]) continue;
    if (kept != i) ops[kept] = std::move(ops[i]);
    ++kept;
  }
  ops.resize(kept);
}

void sort_calls_by_start(const collective_instances& found, std::vector<op_events>& ops) {
  for (op_events& op : ops)
    for (auto& events : op.by_node)
      std::stable_sort(events.begin(), events.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return found.all[a].start_ps < found.all[b].start_ps; });
}

// Executions whose process group is on record, of the first member of each node: the others end with them.
std::vector<op_events> events_by_communicator(const collective_instances& found) {
  std::map<std::tuple<std::uint32_t, std::string_view, std::string_view>, op_events> ops;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> first_lanes;  // by communicator and node
  for (std::uint32_t c = 0; c < found.communicators.size(); ++c)
    for (const communicator::member& member : found.communicators[c].members) {
      const auto at = first_lanes.try_emplace({c, found.lanes[member.lane].node}, member.lane).first;
      at->second = std::min(at->second, member.lane);
    }
  for (std::uint32_t i = 0; i < found.all.size(); ++i) {
    const collective_instance& e = found.all[i];
    if (e.communicator == 0 || first_lanes[{e.communicator - 1, e.node}] != e.lane) continue;
    op_events& op = ops[{e.communicator, found.texts.text(e.name), found.texts.text(e.module)}];
    op.by_node.resize(found.nodes.size());
    op.who = found.communicators[e.communicator - 1].pairs.empty() ? participation::own_group : participation::sub_groups;
    op.by_node[e.node].push_back(i);
  }
  std::vector<op_events> sorted;
  for (auto& [key, op] : ops) sorted.push_back(std::move(op));
  sort_calls_by_start(found, sorted);
  return sorted;
}

std::vector<op_events> events_by_op(const collective_instances& found) {
  std::map<std::tuple<std::string_view, std::string_view, std::int32_t, std::string_view>, op_events> ops;
  for (std::uint32_t i = 0; i < found.all.size(); ++i) {
    const collective_instance& e = found.all[i];
    if (e.communicator != 0) continue;
    op_events& op =
        ops[{found.texts.text(e.name), found.texts.text(e.module), e.device, found.texts.text(e.group)}];
    if (op.by_node.empty()) {
      op.name = e.name;
      op.kind = e.kind;
      op.module = e.module;
      op.device = e.device;
      op.group = e.group;
      op.by_node.resize(found.nodes.size());
    }
    op.who = std::max(op.who, e.who);
    op.by_node[e.node].push_back(i);
  }
  std::vector<op_events> sorted;
  for (auto& [key, op] : ops) sorted.push_back(std::move(op));
  join_sends(found, sorted);
  sort_calls_by_start(found, sorted);
  return sorted;
}

// How far a node's clock is from another's, roughly: the difference that most ends of equal operations share. Members
// of a collective end together, whenever they began.
class rough_shift {
 public:
  rough_shift(const collective_instances& found, const std::vector<op_events>& ops) : found_(found), ops_(ops) {}

  [[nodiscard]] bool share_an_op(std::size_t a, std::size_t b) const {
    return std::any_of(ops_.begin(), ops_.end(), [&](const op_events& op) {
      return op.who != participation::sub_groups && !op.by_node[a].empty() && !op.by_node[b].empty();
    });
  }

  std::int64_t between(std::size_t a, std::size_t b) const {
    std::vector<std::int64_t> differences;
    std::vector<std::int64_t> durations;
    for (const op_events& op : ops_) {
      const auto& of_a = op.by_node[a];
      const auto& of_b = op.by_node[b];
      if (of_a.empty() || of_b.empty() || op.who == participation::sub_groups) continue;
      for (std::size_t i = 0; i < of_b.size(); ++i) {
        const collective_instance& e = found_.all[of_b[i]];
        durations.push_back(e.end_ps - e.start_ps);
        // Neighbours in time, and the executions of the same number from either end.
        const auto near = std::lower_bound(of_a.begin(), of_a.end(), e.start_ps, [&](std::uint32_t at, std::int64_t t) {
          return found_.all[at].start_ps < t;
        });
        const auto middle = static_cast<std::size_t>(near - of_a.begin());
        const std::size_t from = middle < neighbours ? 0 : middle - neighbours;
        for (std::size_t j = from; j < std::min(of_a.size(), middle + neighbours); ++j)
          differences.push_back(e.end_ps - found_.all[of_a[j]].end_ps);
        if (i < of_a.size()) differences.push_back(e.end_ps - found_.all[of_a[i]].end_ps);
        const std::size_t from_end = of_b.size() - i;
        if (from_end <= of_a.size() && of_a.size() != of_b.size())
          differences.push_back(e.end_ps - found_.all[of_a[of_a.size() - from_end]].end_ps);
        if (differences.size() > max_differences) break;
      }
      if (differences.size() > max_differences) break;
    }
    return densest(differences, durations);
  }

 private:
  static constexpr std::size_t neighbours = 4, max_differences = 400000;

  static std::int64_t densest(std::vector<std::int64_t>& differences, std::vector<std::int64_t>& durations) {
    if (differences.empty()) return 0;
    const std::int64_t width = std::max<std::int64_t>(upper_median(durations) / 2, 20000000);  // 20 us
    std::sort(differences.begin(), differences.end());
    std::size_t most = 0;
    for (std::size_t from = 0, to = 0; from < differences.size(); ++from) {
      while (to < differences.size() && differences[to] - differences[from] <= width) ++to;
      most = std::max(most, to - from);
    }
    // Steps that are all alike fit nearly as well one step off: then the clocks are believed.
    const std::size_t enough = most - std::min(most - 1, std::max<std::size_t>(1, most / 50));
    std::int64_t best = 0;
    bool any = false;
    for (std::size_t from = 0, to = 0; from < differences.size(); ++from) {
      while (to < differences.size() && differences[to] - differences[from] <= width) ++to;
      if (to - from < enough) continue;
      const std::int64_t middle = differences[from + (to - from) / 2];
      if (!any || std::abs(middle) < std::abs(best)) best = middle;
      any = true;
    }
    return best;
  }

  const collective_instances& found_;
  const std::vector<op_events>& ops_;
};

std::vector<std::int64_t> rough_shifts(const collective_instances& found, const std::vector<op_events>& ops) {
  std::vector<std::int64_t> shifts(found.nodes.size(), 0);
  if (shifts.empty()) return shifts;
  std::size_t backbone = 0;
  for (std::size_t n = 1; n < found.nodes.size(); ++n)
    if (found.nodes[n].collectives > found.nodes[backbone].collectives) backbone = n;
  const rough_shift shift(found, ops);
  // Nodes that share no operation with it are reached through those that do.
  std::vector<bool> known(found.nodes.size(), false);
  std::vector<std::size_t> reached;
  const auto reach = [&](std::size_t node, std::int64_t by) {
    for (std::size_t n = 0; n < found.nodes.size(); ++n) {
      if (known[n] || found.nodes[n].clock != found.nodes[node].clock) continue;
      shifts[n] = by;
      known[n] = true;
      reached.push_back(n);
    }
  };
  reach(backbone, 0);
  for (std::size_t at = 0; at < reached.size() && reached.size() < found.nodes.size(); ++at)
    for (std::size_t n = 0; n < found.nodes.size(); ++n) {
      const std::size_t via = reached[at];
      if (!known[n] && shift.share_an_op(via, n)) reach(n, shifts[via] + shift.between(via, n));
    }
  return shifts;
}

// The shortest time between two executions of one part on one node; the greatest number when no node has two.
std::int64_t min_period(const collective_instances& found, const op_events& op) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const auto& events : op.by_node) {
    std::optional<std::int64_t> last[collective_parts];
    for (const std::uint32_t e : events) {
      std::optional<std::int64_t>& before = last[static_cast<std::size_t>(op.part_of(found.all[e]))];
      if (before) least = std::min(least, found.all[e].start_ps - *before);
      before = found.all[e].start_ps;
    }
  }
  return least;
}

class time_matcher {
 public:
  time_matcher(const collective_instances& found, bool clocks_agree, const validation_options& o,
               validation_result& into)
      : found_(found), o_(o), clocks_agree_(clocks_agree), into_(into), why_incomplete_(why_calls_are_incomplete(found)), ops_(events_by_op(found)) {
    shifts_.assign(found.nodes.size(), 0);
    if (clocks_agree) return;
    std::vector<op_events> all = ops_;
    for (op_events& op : events_by_communicator(found)) all.push_back(std::move(op));
    shifts_ = rough_shifts(found, all);
  }

  void match(bool irregularities) {
    into_.groups_by_number = found_.groups_by_number;
    const std::vector<matched_call> calls = match_calls(found_, shifts_, o_, into_);
    if (irregularities) find_irregularities(found_, calls, shifts_, o_, into_);
    into_.groups_by_time = !ops_.empty();
    for (const op_events& op : ops_) {
      into_.groups_unknown = into_.groups_unknown || op.who == participation::unknown;
      if (op.who == participation::within_node) {
        for (const auto& events : op.by_node) into_.within_node += events.size();
        continue;
      }
      if (op.who == participation::sub_groups) {
        if (found_.nodes.size() > 1) leave_unmatched(op);
        continue;
      }
      const std::size_t nodes = op.nodes();
      if (nodes < 2) {
        if (found_.nodes.size() > 1 && may_miss_others(op)) note_lonely(op);
        add_unjudged(into_.arrivals, why_incomplete_, executions_in_window(op), 0);
        continue;
      }
      add_op(found_, op, into_);
      unmatched_.assign(found_.nodes.size(), 0);
      expected_ = members_expected(op);
      if (has_run_ids(op))
        match_runs(op);
      else if (may_count(op))
        match_order(op);
      else
        match_times(op);
      warn_of_unmatched(op);
      if (into_.ops.back().groups == 0) into_.ops.pop_back();
    }
    sort_ops();
  }

 private:
  [[nodiscard]] std::int64_t start_of(std::uint32_t e) const noexcept {
    return found_.all[e].start_ps - shifts_[found_.all[e].node];
  }
  [[nodiscard]] std::int64_t end_of(std::uint32_t e) const noexcept {
    return found_.all[e].end_ps - shifts_[found_.all[e].node];
  }

  [[nodiscard]] bool has_run_ids(const op_events& op) const {
    for (const auto& events : op.by_node)
      for (const std::uint32_t e : events)
        if (!found_.all[e].run_id) return false;
    return true;
  }

  // Ranks whose clocks are not known to agree ran it as often each.
  [[nodiscard]] bool may_count(const op_events& op) const {
    if (!found_.has_ranks || clocks_agree_ || op.receives || op.group != 0 || op.nodes() != found_.nodes.size()) return false;
    const bool one_clock = std::all_of(found_.nodes.begin(), found_.nodes.end(),
                                       [&](const collective_node& n) { return n.clock == found_.nodes.front().clock; });
    return !one_clock && expected_ == found_.nodes.size() &&
           std::all_of(op.by_node.begin(), op.by_node.end(),
                       [&](const auto& events) { return events.size() == op.by_node.front().size(); });
  }

  void match_order(const op_events& op) {
    into_.groups_by_order = true;
    std::uint32_t occurrence = 0;
    for (std::size_t k = 0; k < op.by_node.front().size(); ++k) {
      std::vector<std::uint32_t> members;
      for (const auto& events : op.by_node) members.push_back(events[k]);
      close(op, members, occurrence);
    }
  }

  // The k-th execution of a run on each node.
  void match_runs(const op_events& op) {
    std::map<std::pair<std::int64_t, std::uint32_t>, std::vector<std::uint32_t>> runs;
    for (const auto& events : op.by_node) {
      hash_map<std::int64_t, std::uint32_t> seen[collective_parts];
      for (const std::uint32_t e : events) {
        const std::int64_t run = *found_.all[e].run_id;
        const std::uint32_t k = seen[static_cast<std::size_t>(op.part_of(found_.all[e]))][run]++;
        runs[{run, k}].push_back(e);
      }
    }
    std::vector<std::vector<std::uint32_t>> groups;
    for (auto& [run, members] : runs) groups.push_back(std::move(members));
    std::stable_sort(groups.begin(), groups.end(),
                 [&](const auto& a, const auto& b) { return start_of(a.front()) < start_of(b.front()); });
    std::uint32_t occurrence = 0;
    const std::size_t before = into_.groups.size();
    for (std::vector<std::uint32_t>& members : groups) close(op, members, occurrence);
    for (std::size_t g = before; g < into_.groups.size(); ++g) into_.groups[g].by_ids = true;
  }

  void match_times(const op_events& op) {
    std::vector<std::uint32_t> order;
    for (const auto& events : op.by_node) order.insert(order.end(), events.begin(), events.end());
    std::stable_sort(order.begin(), order.end(),
                 [&](std::uint32_t a, std::uint32_t b) { return start_of(a) < start_of(b); });
    const std::int64_t near = min_period(found_, op) / 2;
    std::vector<std::uint32_t> open;
    std::vector<std::size_t> last_group(collective_parts * found_.nodes.size());  // of each part of each node
    std::size_t group = 0;
    std::int64_t first_start = 0, first_end = 0;
    std::uint32_t occurrence = 0;
    for (const std::uint32_t e : order) {
      std::size_t& last =
          last_group[collective_parts * found_.all[e].node + static_cast<std::size_t>(op.part_of(found_.all[e]))];
      const bool is_member =
          !open.empty() && last != group && (start_of(e) < first_end || start_of(e) - first_start < near);
      if (!is_member) {
        close(op, open, occurrence);
        ++group;
        first_start = start_of(e);
        first_end = end_of(e);
      }
      last = group;
      open.push_back(e);
      first_end = std::min(first_end, end_of(e));
    }
    close(op, open, occurrence);
  }

  void close(const op_events& op, std::vector<std::uint32_t>& members, std::uint32_t& occurrence) {
    const bool lonely = std::all_of(members.begin(), members.end(), [&](std::uint32_t m) {
      return found_.all[m].node == found_.all[members.front()].node;
    });
    if (lonely)
      for (const std::uint32_t m : members) {
        ++unmatched_[found_.all[m].node];
        if (in_window(o_, found_.all[m].start_ps, found_.all[m].end_ps)) add_unjudged(into_.arrivals, why_incomplete_, 1, 0);
      }
    else
      add_group(found_, op, occurrence++, members, expected_, into_);
    members.clear();
  }

  void warn_of_unmatched(const op_events& op) {
    const std::string name = into_.ops.back().name;
    std::size_t least = std::numeric_limits<std::size_t>::max(), most = 0;
    for (const auto& events : op.by_node) {
      if (events.empty()) continue;
      least = std::min(least, events.size());
      most = std::max(most, events.size());
    }
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t n = 0; n < op.by_node.size(); ++n)
      if (!op.by_node[n].empty()) nodes.push_back(n);
    const std::string incomplete = incomplete_traces(into_, nodes);
    if (least != most && !op.receives)
      warn(into_, collective_warning::kind::count_mismatch, -1, most - least, name,
           "nodes ran it " + grouped(std::uint64_t{least}) + " to " + grouped(std::uint64_t{most}) +
               " times on device " + std::to_string(op.device) + incomplete);
    for (std::size_t n = 0; n < unmatched_.size(); ++n)
      if (unmatched_[n] > 0)
        warn(into_, collective_warning::kind::unmatched, found_.nodes[n].id, unmatched_[n], name,
             grouped(unmatched_[n]) + " of its executions on device " + std::to_string(op.device) +
                 " have no partner on any other node" + incomplete);
  }

  // How many take part in a call; 0: not on record.
  [[nodiscard]] std::uint32_t members_expected(const op_events& op) const {
    if (op.receives) return 2;
    std::int64_t devices = 0;
    for (const auto& events : op.by_node)
      for (const std::uint32_t e : events) devices = std::max(devices, found_.all[e].group_devices);
    if (op.group != 0) return static_cast<std::uint32_t>(devices);
    if (found_.has_ranks && found_.world_size <= 0) return 0;
    // A number of a device has one member a node.
    return static_cast<std::uint32_t>(std::max<std::int64_t>(found_.world_size, static_cast<std::int64_t>(found_.nodes.size())));
  }

  [[nodiscard]] std::uint64_t executions_in_window(const op_events& op) const {
    std::uint64_t count = 0;
    for (const auto& events : op.by_node)
      for (const std::uint32_t e : events) count += in_window(o_, found_.all[e].start_ps, found_.all[e].end_ps) ? 1 : 0;
    return count;
  }

  // By name, whichever way they were matched.
  void sort_ops() {
    std::vector<std::uint32_t> order(into_.ops.size()), place_of(into_.ops.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto key = [&](std::uint32_t i) {
      const collective_op& op = into_.ops[i];
      return std::tie(op.name, op.module, op.device, op.group);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    std::vector<collective_op> sorted;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      place_of[order[i]] = i;
      sorted.push_back(std::move(into_.ops[order[i]]));
    }
    into_.ops = std::move(sorted);
    for (collective_group& group : into_.groups) group.op = place_of[group.op];
    std::stable_sort(into_.groups.begin(), into_.groups.end(),
                     [](const collective_group& a, const collective_group& b) { return a.op < b.op; });
    for (collective_irregularity& row : into_.irregularities) row.op = place_of[row.op];
    for (unrecorded_calls& row : into_.unrecorded) row.op = place_of[row.op];
  }

  // Which executions are one invocation is not known: nothing is compared.
  void leave_unmatched(const op_events& op) {
    collective_op& unmatched = add_op(found_, op, into_);
    unmatched.unjudged = executions_in_window(op);
    unmatched.sub_groups = true;
    unmatched.unjudged_why = why_unmatched(op);
    add_unjudged(into_.arrivals, unmatched.unjudged_why, 0, unmatched.unjudged);
  }

  [[nodiscard]] const char* why_unmatched(const op_events& op) const {
    bool members_known = true, ranks_known = true;
    for (const auto& events : op.by_node)
      for (const std::uint32_t e : events) {
        members_known = members_known && found_.all[e].members != 0 && found_.memberships[found_.all[e].members - 1]->devices == nullptr;
        ranks_known = ranks_known && found_.all[e].ranks_on_record;
      }
    if (members_known) return "sub-groups: the other ranks of its process groups are not here";
    if (ranks_known) return "sub-groups: its process groups are on record, but not which of their ranks send to which";
    return "sub-groups: it runs in groups of devices, and which of them wait for each other is not known from what is on record";
  }

  // Members of a group need not be among the traces, and a sender need not receive.
  [[nodiscard]] bool may_miss_others(const op_events& op) const {
    return op.group == 0 && semantics_of(found_.texts.text(op.kind)) != collective_semantics::point_to_point;
  }

  void note_lonely(const op_events& op) {
    std::vector<std::uint32_t> others;
    for (std::uint32_t n = 0; n < op.by_node.size(); ++n)
      if (op.by_node[n].empty()) others.push_back(n);
    for (std::size_t n = 0; n < op.by_node.size(); ++n)
      if (!op.by_node[n].empty())
        warn(into_, collective_warning::kind::one_node, found_.nodes[n].id, op.by_node[n].size(),
             std::string(found_.texts.text(op.name)),
             "only this node ran it on device " + std::to_string(op.device) + incomplete_traces(into_, others));
  }

  const collective_instances& found_;
  const validation_options& o_;
  const bool clocks_agree_;
  validation_result& into_;
  const std::string why_incomplete_;
  std::vector<op_events> ops_;
  std::vector<std::int64_t> shifts_;
  std::vector<std::uint64_t> unmatched_;
  std::uint32_t expected_ = 0;  // members of a call of the operation that is looked at
};

}  // namespace

void match_by_time(const collective_instances& found, bool clocks_agree, const validation_options& o,
                   validation_result& into, bool irregularities) {
  time_matcher(found, clocks_agree, o, into).match(irregularities);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
