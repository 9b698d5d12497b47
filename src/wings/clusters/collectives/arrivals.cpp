// Who comes last to calls, and what the others wait for it.
#include "instances.hpp"

#include <profkit/core/text.hpp>
#include <profkit/time.hpp>

#include "base/collective_names.hpp"
#include "base/format.hpp"
#include "base/median.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class arrival_judge {
 public:
  arrival_judge(const collective_instances& from, const validation_options& o, validation_result& into)
      : into_(into),
        found_(into.arrivals),
        one_clock_(into.corrected || o.bound_ps),
        rank_is_twice_(from.rank_is_twice),
        why_incomplete_(why_calls_are_incomplete(from)) {}

  void run() {
    if (rank_is_twice_) return add_unjudged(found_, "two files are of one rank", into_.groups.size(), 0);
    // Those whose members end together say how far clocks are apart; with that the others can be judged.
    for (collective_group& g : into_.groups)
      if (into_.ops[g.op].semantics == collective_semantics::barrier) look_at(g);
    find_offsets();
    for (collective_group& g : into_.groups)
      if (into_.ops[g.op].semantics != collective_semantics::barrier) look_at(g);
    for (auto& [at, device] : devices_) found_.devices.push_back(device);
    choose_latest();
    std::stable_sort(found_.unjudged.begin(), found_.unjudged.end(), [](const unjudged_arrivals& a, const unjudged_arrivals& b) {
      return a.calls + a.executions > b.calls + b.executions;
    });
  }

 private:
  using place = std::pair<std::uint32_t, std::int32_t>;  // node and device
  using member_list = std::vector<std::uint32_t>;        // of members of the result

  [[nodiscard]] std::int64_t length_of(std::uint32_t m) const {
    return saturating_add(into_.members[m].end_ps, -into_.members[m].start_ps);
  }

  void look_at(collective_group& g) {
    const collective_op& op = into_.ops[g.op];
    const member_list all = members_of(g);
    if (!op.library_kernels && role_of(op.kind) == async_role::start)
      return add_unjudged(found_, "their events say when they were issued, not when data arrived", 1, 0);
    if (op.pairs.size() > 1) return look_at_pairs(g, all);
    if (g.members_expected == 0) return add_unjudged(found_, "how many members their group has is not on record", 1, 0);
    if (all.size() < g.members_expected) return add_unjudged(found_, why_incomplete_, 1, 0);
    std::optional<std::uint32_t> last;
    if (const auto [from, to] = ends_of_pair(g); from != to)
      last = judge_pair(op, g.op, from, to);
    else
      last = judge(op, g.op, all);
    if (!judged_) return;
    g.waits_known = true;
    if (last) g.came_last = static_cast<std::int32_t>(*last - g.first_member);
  }

  // A send and its recv are a call of their own.
  void look_at_pairs(const collective_group& g, const member_list& all) {
    const collective_op& op = into_.ops[g.op];
    std::map<std::int64_t, std::uint32_t> of_rank;
    std::set<std::int64_t> ranks;
    for (const std::uint32_t m : all) of_rank[into_.members[m].rank] = m;
    bool apart = of_rank.size() == all.size();
    for (const auto& [source, target] : op.pairs) apart = apart && ranks.insert(source).second && ranks.insert(target).second;
    if (!apart) return add_unjudged(found_, "each member waits for its own source alone", 1, 0);
    for (const auto& [source, target] : op.pairs) {
      const auto from = of_rank.find(source), to = of_rank.find(target);
      if (from == of_rank.end() && to == of_rank.end()) continue;
      if (from == of_rank.end() || to == of_rank.end())
        add_unjudged(found_, why_incomplete_, 1, 0);
      else
        judge_pair(op, g.op, from->second, to->second);
    }
  }

  // Positions of a send and its recv; twice the same for other groups.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> ends_of_pair(const collective_group& g) const {
    const auto first = static_cast<std::uint32_t>(g.first_member), second = first + 1;
    if (g.member_count != 2) return {first, first};
    const collective_part one = into_.members[first].part, other = into_.members[second].part;
    if (one == collective_part::sends && other == collective_part::receives) return {first, second};
    if (one == collective_part::receives && other == collective_part::sends) return {second, first};
    return {first, first};
  }

  // The sender may be done before the other comes, the receiver waits until the sender begins: where they did not end
  // together, one clock says it.
  std::optional<std::uint32_t> judge_pair(const collective_op& op, std::uint32_t op_number, std::uint32_t from, std::uint32_t to) {
    const collective_member &sender = into_.members[from], &receiver = into_.members[to];
    const auto error_ps = error_between(sender, receiver);
    if (why_apart({from, to}) == nullptr || !error_ps) return judge(op, op_number, {from, to});
    const std::int64_t later_ps = saturating_add(sender.start_ps, -receiver.start_ps);
    if (later_ps > *error_ps) return add_call(op_number, {from, to}, {0, std::min(later_ps, length_of(to))}, from);
    if (saturating_add(receiver.start_ps, -sender.end_ps) > *error_ps) return add_call(op_number, {from, to}, {0, 0}, to);
    return judge(op, op_number, {from, to});
  }

  // How far the times of two members may be from one clock; nothing where that is not known.
  [[nodiscard]] std::optional<std::int64_t> error_between(const collective_member& a, const collective_member& b) const {
    const collective_node &of_a = into_.nodes[a.node], &of_b = into_.nodes[b.node];
    if (a.node == b.node) return 0;
    if (!one_clock_) return of_a.clock == of_b.clock ? std::optional<std::int64_t>(0) : std::nullopt;
    if (!of_a.bound_ps || !of_b.bound_ps) return std::nullopt;
    return saturating_add(*of_a.bound_ps, *of_b.bound_ps);
  }

  [[nodiscard]] static member_list members_of(const collective_group& g) {
    member_list all;
    for (std::uint32_t i = 0; i < g.member_count; ++i) all.push_back(static_cast<std::uint32_t>(g.first_member + i));
    return all;
  }

  // The member that came last; nothing where several came at once, or it is not known (`judged_`).
  std::optional<std::uint32_t> judge(const collective_op& op, std::uint32_t op_number, const member_list& members) {
    judged_ = false;
    if (op.semantics != collective_semantics::barrier) {
      if (const char* const why = why_apart(members)) {
        add_unjudged(found_, why, 1, 0);
        return std::nullopt;
      }
    }
    std::uint32_t last = members.front();
    std::size_t as_short = 0;
    for (const std::uint32_t m : members)
      if (length_of(m) < length_of(last)) last = m;
    std::vector<std::int64_t> waits_ps;
    for (const std::uint32_t m : members) {
      waits_ps.push_back(length_of(m) - length_of(last));
      as_short += waits_ps.back() == 0 ? 1 : 0;
    }
    return add_call(op_number, members, waits_ps, as_short == 1 ? std::optional(last) : std::nullopt);
  }

  std::optional<std::uint32_t> add_call(std::uint32_t op_number, const member_list& members, const std::vector<std::int64_t>& waits_ps,
                                        std::optional<std::uint32_t> last) {
    judged_ = true;
    std::int64_t all_ps = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      collective_member& member = into_.members[members[i]];
      member.waited_ps = waits_ps[i];
      all_ps = saturating_add(all_ps, member.waited_ps);
      arriving_device& device = device_of(members[i]);
      ++device.calls;
      device.waited_ps = saturating_add(device.waited_ps, member.waited_ps);
      // Of as long waits the first in time.
      const bool first = found_.longest_ps > 0 && member.waited_ps == found_.longest_ps &&
                         member.start_ps < into_.members[found_.longest_member].start_ps;
      if (member.waited_ps > found_.longest_ps || first) {
        found_.longest_ps = member.waited_ps;
        found_.longest_member = members[i];
        longest_ = {member.node, member.device};
        found_.longest_op = op_number;
      }
    }
    ++found_.judged;
    found_.waited_ps = saturating_add(found_.waited_ps, all_ps);
    if (!last) {
      ++found_.tied;
      return std::nullopt;
    }
    arriving_device& late = device_of(*last);
    ++late.times_last;
    late.waited_for_ps = saturating_add(late.waited_for_ps, all_ps);
    return last;
  }

  arriving_device& device_of(std::uint32_t m) {
    const collective_member& member = into_.members[m];
    const auto [at, is_new] = devices_.try_emplace({member.node, member.device});
    if (is_new) {
      at->second.node = member.node;
      at->second.device = member.device;
      at->second.rank = into_.nodes[member.node].rank;
    }
    if (at->second.rank < 0) at->second.rank = member.rank;
    return at->second;
  }

  // ---- whether members end together ----

  // A member that sends, or begins, may be done before others come: then how long executions take does not show waiting. Null:
  // they ended together.
  [[nodiscard]] const char* why_apart(const member_list& members) const {
    if (end_together(members, false)) return nullptr;
    const std::uint32_t clock = into_.nodes[into_.members[members.front()].node].clock;
    const bool comparable = one_clock_ || std::all_of(members.begin(), members.end(), [&](std::uint32_t m) {
      return into_.nodes[into_.members[m].node].clock == clock;
    });
    const bool known = std::all_of(members.begin(), members.end(),
                                   [&](std::uint32_t m) { return offsets_.count(into_.members[m].node) != 0; });
    if (!comparable && known && end_together(members, true)) return nullptr;
    return comparable || known ? "their members need not wait for all others, and did not end together"
                               : "their members need not wait for all others, and clocks do not say whether they ended together";
  }

  [[nodiscard]] bool end_together(const member_list& members, bool by_offsets) const {
    std::int64_t first_start = std::numeric_limits<std::int64_t>::max(), last_start = std::numeric_limits<std::int64_t>::min();
    std::int64_t first_end = first_start, last_end = last_start;
    for (const std::uint32_t m : members) {
      const collective_member& member = into_.members[m];
      const std::int64_t offset_ps = by_offsets ? offsets_.at(member.node) : 0;
      const std::int64_t start_ps = saturating_add(member.start_ps, -offset_ps), end_ps = saturating_add(member.end_ps, -offset_ps);
      first_start = std::min(first_start, start_ps);
      last_start = std::max(last_start, start_ps);
      first_end = std::min(first_end, end_ps);
      last_end = std::max(last_end, end_ps);
    }
    constexpr std::int64_t little_ps = 10000000;  // 10 us: kernels of one call end so far apart
    constexpr std::int64_t small = 10;             // or a tenth of what they began apart
    return saturating_add(last_end, -first_end) <= std::max(little_ps, saturating_add(last_start, -first_start) / small);
  }

  // How far clocks are from that of the node with most calls: in the middle of the ends of calls that end together.
  void find_offsets() {
    if (one_clock_) return;
    std::map<std::uint32_t, std::size_t> calls;
    for (const collective_group& g : into_.groups)
      if (g.waits_known)
        for (const std::uint32_t m : members_of(g)) ++calls[into_.members[m].node];
    if (calls.empty()) return;
    const std::uint32_t reference =
        std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
    std::map<std::uint32_t, std::vector<std::int64_t>> differences;
    for (const collective_group& g : into_.groups) {
      if (!g.waits_known) continue;
      const member_list members = members_of(g);
      const auto of_reference =
          std::find_if(members.begin(), members.end(), [&](std::uint32_t m) { return into_.members[m].node == reference; });
      if (of_reference == members.end()) continue;
      for (const std::uint32_t m : members)
        differences[into_.members[m].node].push_back(
            saturating_add(into_.members[m].end_ps, -into_.members[*of_reference].end_ps));
    }
    for (auto& [node, of_node] : differences) offsets_[node] = lower_median(of_node);
  }

  // ---- all together ----

  void choose_latest() {
    std::int64_t most_ps = 0;
    for (std::size_t d = 0; d < found_.devices.size(); ++d) {
      const arriving_device& device = found_.devices[d];
      if (place(device.node, device.device) == longest_) found_.longest_device = static_cast<std::uint32_t>(d);
      if (device.waited_for_ps > most_ps) {
        most_ps = device.waited_for_ps;
        found_.latest = static_cast<std::int32_t>(d);
      } else if (device.waited_for_ps == most_ps) {
        found_.latest = -1;
      }
    }
  }

  validation_result& into_;
  collective_arrivals& found_;
  const bool one_clock_, rank_is_twice_;
  const std::string why_incomplete_;
  bool judged_ = false;
  std::map<place, arriving_device> devices_;
  place longest_{0, -1};
  std::map<std::uint32_t, std::int64_t> offsets_;  // by node
};

std::string names_of_latest(const validation_result& found, std::int64_t waited_for_ps) {
  std::vector<const arriving_device*> latest;
  for (const arriving_device& d : found.arrivals.devices)
    if (d.waited_for_ps == waited_for_ps) latest.push_back(&d);
  constexpr std::size_t max_named = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(latest.size(), max_named); ++i)
    text += (i == 0 ? "" : i + 1 == latest.size() ? " and " : ", ") + arriving_device_text(found, *latest[i]);
  return latest.size() > max_named ? text + " and " + grouped(std::uint64_t{latest.size() - max_named}) + " more" : text;
}

}  // namespace

void add_unjudged(collective_arrivals& into, std::string_view why, std::uint64_t calls, std::uint64_t executions) {
  if (calls == 0 && executions == 0) return;
  auto at = std::find_if(into.unjudged.begin(), into.unjudged.end(), [&](const unjudged_arrivals& u) { return u.why == why; });
  if (at == into.unjudged.end()) at = into.unjudged.insert(at, {std::string(why), 0, 0});
  at->calls += calls;
  at->executions += executions;
}

void judge_arrivals(const collective_instances& from, const validation_options& o, validation_result& into) {
  arrival_judge(from, o, into).run();
}

std::string why_calls_are_incomplete(const collective_instances& found) {
  std::set<std::int64_t> ranks;
  for (const collective_node& node : found.nodes)
    if (node.rank >= 0) ranks.insert(node.rank);
  if (ranks.empty() || static_cast<std::int64_t>(ranks.size()) >= found.world_size) return "not every member recorded them";
  return "only " + counted(ranks.size(), "rank", "ranks") + " of " + grouped(static_cast<std::uint64_t>(found.world_size)) +
         (ranks.size() == 1 ? " is here" : " are here");
}

std::uint64_t collective_arrivals::unjudged_calls() const noexcept {
  std::uint64_t calls = 0;
  for (const unjudged_arrivals& u : unjudged) calls += u.calls;
  return calls;
}

std::string arriving_device_text(const validation_result& found, const arriving_device& d) {
  if (d.rank >= 0) return "rank " + std::to_string(d.rank);
  const collective_node& node = found.nodes[d.node];
  return "node " + std::to_string(node.id) + (node.devices > 1 ? ", device " + std::to_string(d.device) : "");
}

std::string latest_text(const validation_result& found) {
  const collective_arrivals& a = found.arrivals;
  if (a.waited_ps <= 0) return {};
  const std::string collectives = counted(a.judged, "collective", "collectives");
  if (a.latest >= 0) {
    const arriving_device& d = a.devices[static_cast<std::size_t>(a.latest)];
    return arriving_device_text(found, d) + " comes last in " + grouped(d.times_last) + " of " + collectives +
           "; the others wait " + human_duration(d.waited_for_ps) + " for it";
  }
  std::int64_t most_ps = 0;
  for (const arriving_device& d : a.devices) most_ps = std::max(most_ps, d.waited_for_ps);
  if (most_ps == 0)
    return "no one comes last alone in " + collectives + "; all together wait " + human_duration(a.waited_ps);
  return "nobody is waited for most in " + collectives + ": " + names_of_latest(found, most_ps) + " for " +
         human_duration(most_ps) + " each";
}

std::string unjudged_text(const collective_arrivals& found) {
  std::string text;
  for (const unjudged_arrivals& u : found.unjudged) {
    text += text.empty() ? "not judged: " : "; ";
    if (u.calls > 0) text += counted(u.calls, "collective", "collectives");
    if (u.executions > 0) text += (u.calls > 0 ? " and " : "") + counted(u.executions, "execution", "executions");
    text += " (" + u.why + ")";
  }
  return text;
}

std::string arrivals_text(const validation_result& found) {
  const collective_arrivals& a = found.arrivals;
  std::string text = latest_text(found);
  if (text.empty() && a.judged > 0 && !a.unjudged.empty()) text = "nobody waits in " + counted(a.judged, "collective", "collectives");
  if (a.latest >= 0 && a.devices[static_cast<std::size_t>(a.latest)].waited_for_ps < a.waited_ps)
    text += ", of " + human_duration(a.waited_ps) + " in all";
  if (a.tied > 0 && a.waited_ps > 0) text += "; to " + grouped(a.tied) + " of them several come last at once";
  if (const std::string unjudged = unjudged_text(a); !unjudged.empty()) text += (text.empty() ? "" : "; ") + unjudged;
  return text;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
