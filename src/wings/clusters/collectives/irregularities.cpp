// What members of process groups did otherwise than the others: lack calls, begin late, stop early, move other sizes, call in
// another order, keep the others waiting.
#include "instances.hpp"

#include <profkit/core/text.hpp>

#include <profkit/time.hpp>

#include "base/collective_names.hpp"
#include "base/format.hpp"
#include "base/hash_map.hpp"
#include "base/median.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Where two lists of what was called have the same in another order: ranges of the first, from and until. A range is as short as can
// be: it holds the same in both, and after it they go on alike. Calls that one of them lacks are stepped over. Nothing where the
// lists differ by more.
class order_comparison {
 public:
  using names = std::vector<std::uint32_t>;
  using ranges = std::vector<std::pair<std::size_t, std::size_t>>;

  order_comparison(const names& a, const names& b, std::size_t different)
      : a_(a), b_(b), enough_(2 * different), widest_(std::min<std::size_t>(4 * different, max_step)) {}

  std::optional<ranges> find() {
    ranges found;
    std::size_t i = 0, j = 0;
    while (i < a_.size() && j < b_.size()) {
      if (a_[i] == b_[j]) {
        ++i;
        ++j;
        continue;
      }
      const std::size_t width = reordered(i, j);
      // The same calls to the end of both are in another order, however few agree after a step.
      const bool to_ends = width > 0 && i + width == a_.size() && j + width == b_.size();
      if (const auto lacks = stepped_over(i, j, width == 0 ? max_step : width - 1, to_ends)) {
        i += lacks->first;
        j += lacks->second;
        continue;
      }
      if (width == 0) return std::nullopt;
      found.emplace_back(i, i + width - 1);
      i += width;
      j += width;
    }
    return found;
  }

 private:
  static constexpr std::size_t max_step = 64;

  [[nodiscard]] std::size_t reordered(std::size_t i, std::size_t j) const {
    std::map<std::uint32_t, int> more;  // in the one than in the other
    for (std::size_t width = 1; width <= widest_; ++width) {
      const std::size_t in_a = i + width - 1, in_b = j + width - 1;
      if (in_a >= a_.size() || in_b >= b_.size()) return 0;
      if (++more[a_[in_a]] == 0) more.erase(a_[in_a]);
      if (--more[b_[in_b]] == 0) more.erase(b_[in_b]);
      const bool both_end = in_a + 1 == a_.size() && in_b + 1 == b_.size();
      const bool goes_on = in_a + 1 < a_.size() && in_b + 1 < b_.size() && a_[in_a + 1] == b_[in_b + 1];
      if (more.empty() && (both_end || goes_on)) return width;
    }
    return 0;
  }

  // The fewest calls that one of them lacks, so that both are alike for long, or (unless only that counts) as far as one of them goes.
  [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> stepped_over(std::size_t i, std::size_t j, std::size_t most,
                                                                                bool only_long) const {
    for (std::size_t step = 1; step <= most; ++step)
      for (const auto& [x, y] : {std::pair(step, std::size_t{0}), std::pair(std::size_t{0}, step)}) {
        std::size_t alike = 0;
        while (alike < enough_ && i + x + alike < a_.size() && j + y + alike < b_.size() && a_[i + x + alike] == b_[j + y + alike])
          ++alike;
        const bool ends = i + x + alike >= a_.size() || j + y + alike >= b_.size();
        if (alike == enough_ || (ends && alike > 0 && !only_long)) return std::pair(x, y);
      }
    return std::nullopt;
  }

  const names& a_;
  const names& b_;
  std::size_t enough_, widest_;
};

class irregularity_finder {
 public:
  irregularity_finder(const collective_instances& found, const std::vector<matched_call>& calls,
                      const std::vector<std::int64_t>& shifts, const validation_options& o, validation_result& into)
      : found_(found), calls_(calls), shifts_(shifts), o_(o), into_(into) {
    calls_of_op_.resize(into.ops.size());
    for (const matched_call& call : calls) calls_of_op_[call.op].push_back(&call);
    for (const collective_instance& e : found.all) {
      const auto [at, is_new] = spans_.try_emplace(e.lane, start_of(e), start_of(e));
      at->second.first = std::min(at->second.first, start_of(e));
      at->second.second = std::max(at->second.second, start_of(e));
    }
  }

  void find() {
    find_absent();
    find_sizes();
    find_orders();
    find_stragglers();
    std::stable_sort(into_.irregularities.begin(), into_.irregularities.end(),
                     [](const collective_irregularity& a, const collective_irregularity& b) {
                       return a.what != b.what ? a.what < b.what : a.call_start_ps < b.call_start_ps;
                     });
  }

 private:
  using kind = collective_irregularity::kind;

  [[nodiscard]] std::int64_t start_of(const collective_instance& e) const { return e.start_ps - shifts_[e.node]; }
  [[nodiscard]] const communicator& group_of(const matched_call& call) const { return found_.communicators[call.communicator]; }
  [[nodiscard]] bool everybody_waits(const matched_call& call) const {
    return into_.ops[call.op].semantics == collective_semantics::barrier;
  }
  [[nodiscard]] bool asked_for(const matched_call& call) const {
    return std::any_of(call.members.begin(), call.members.end(),
                       [&](const collective_instance& e) { return in_window(o_, e.start_ps, e.end_ps); });
  }

  template <class Row>
  void set_place(const matched_call& call, std::uint32_t lane, Row& row) const {
    row.op = call.op;
    row.occurrence = call.occurrence;
    row.call_start_ps = call.start_ps();
    row.node = found_.lanes[lane].node;
    row.device = found_.lanes[lane].device;
    for (const communicator::member& member : group_of(call).members)
      if (member.lane == lane) row.rank = member.rank;
  }

  collective_irregularity& add(kind what, const matched_call& call, std::uint32_t lane, std::string evidence) {
    collective_irregularity& row = into_.irregularities.emplace_back();
    row.what = what;
    set_place(call, lane, row);
    row.of_count = calls_of_op_[call.op].size();
    row.evidence = std::move(evidence);
    if (const std::string& why = into_.nodes[row.node].incomplete; !why.empty()) row.evidence += "; its file is incomplete: " + why;
    return row;
  }

  // ---- who is not there ----

  void find_absent() {
    struct absence {
      const matched_call* first = nullptr;
      std::uint64_t calls = 0;
    };
    std::map<std::pair<std::uint32_t, kind>, absence> at_the_ends, unrecorded;  // by lane
    for (const auto& calls : calls_of_op_) {
      // Members that never run an operation are not in the way of it.
      std::set<std::uint32_t> run_it;
      for (const matched_call* call : calls)
        for (const collective_instance& e : call->members) run_it.insert(e.lane);
      warn_of_lonely(calls, run_it);
      std::vector<collective_irregularity> lacking;
      std::size_t incomplete = 0;
      for (const matched_call* call : calls) {
        const communicator& group = group_of(*call);
        if (!group.pairs.empty() || call->mixed || call->members.size() == group.members.size() || !asked_for(*call)) continue;
        std::set<std::uint32_t> there;
        std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = std::numeric_limits<std::int64_t>::min();
        for (const collective_instance& e : call->members) {
          there.insert(e.lane);
          first = std::min(first, start_of(e));
          last = std::max(last, start_of(e));
        }
        bool lacks_some = false;
        for (const communicator::member& member : group.members) {
          if (there.count(member.lane) != 0 || run_it.count(member.lane) == 0) continue;
          const auto span = spans_.find(member.lane);
          if (span == spans_.end()) continue;
          const bool before = last < span->second.first, after = first > span->second.second;
          const bool is_lost = !into_.nodes[found_.lanes[member.lane].node].incomplete.empty();
          if (is_lost && !before && !after) missing_[member.lane].push_back(first);
          if (is_lost || before || after) {
            const kind what = before ? kind::late : after ? kind::stopped : kind::missing;
            absence& whole = (is_lost ? unrecorded : at_the_ends)[{member.lane, what}];
            if (whole.first == nullptr || (call->start_ps() < whole.first->start_ps())) whole.first = call;
            ++whole.calls;
            continue;
          }
          missing_[member.lane].push_back(first);
          lacks_some = true;
          add(kind::missing, *call, member.lane,
              counted(there.size(), "member", "members") + " of " + grouped(std::uint64_t{group.members.size()}) +
                  " ran this call; this one ran collectives before and after it");
          lacking.push_back(std::move(into_.irregularities.back()));
          into_.irregularities.pop_back();
        }
        incomplete += lacks_some ? 1 : 0;
      }
      // If most calls are incomplete, they were probably matched wrongly.
      if (2 * incomplete <= calls.size())
        for (collective_irregularity& row : lacking) into_.irregularities.push_back(std::move(row));
    }
    for (const auto& [at, whole] : at_the_ends) {
      const bool late = at.second == kind::late;
      collective_irregularity& row =
          add(at.second, *whole.first, at.first,
              (late ? "its first collective comes after " : "its last collective comes before ") +
                  counted(whole.calls, "call", "calls") + " of its groups that other members ran");
      row.count = whole.calls;
      row.of_count = whole.calls;
    }
    for (const auto& [at, whole] : unrecorded) add_unrecorded(at.second, *whole.first, at.first, whole.calls);
  }

  // A file that is known to be incomplete may lack what its node did.
  void add_unrecorded(kind what, const matched_call& call, std::uint32_t lane, std::uint64_t count) {
    using place = unrecorded_calls::place;
    unrecorded_calls& row = into_.unrecorded.emplace_back();
    row.where = what == kind::late ? place::begin : what == kind::stopped ? place::end : place::between;
    set_place(call, lane, row);
    row.count = count;
    const collective_node& node = into_.nodes[row.node];
    row.evidence = "the file of " + (row.rank >= 0 ? "rank " + std::to_string(row.rank) : "node " + std::to_string(node.id)) +
                   (row.where == place::end     ? " ends here: "
                    : row.where == place::begin ? " has nothing before here: "
                                                : " lacks events: ") +
                   counted(count, "call", "calls") + " of its groups that other members ran " + (count == 1 ? "is" : "are") +
                   " not in it (" + node.incomplete + ")";
  }

  // What one node alone runs, though others are of its group.
  void warn_of_lonely(const std::vector<const matched_call*>& calls, const std::set<std::uint32_t>& run_it) {
    if (calls.empty() || !group_of(*calls.front()).pairs.empty()) return;
    const std::uint32_t node = found_.lanes[*run_it.begin()].node;
    const auto elsewhere = [&](std::uint32_t lane) { return found_.lanes[lane].node != node; };
    const auto& members = group_of(*calls.front()).members;
    if (std::any_of(run_it.begin(), run_it.end(), elsewhere)) return;
    if (std::none_of(members.begin(), members.end(), [&](const communicator::member& m) { return elsewhere(m.lane); })) return;
    collective_warning w;
    w.what = collective_warning::kind::one_node;
    w.node_id = found_.nodes[node].id;
    for (const matched_call* call : calls) w.count += call->members.size();
    w.op = into_.ops[calls.front()->op].name;
    w.text = "only this node ran it, though devices of other nodes are in its process group";
    std::set<std::uint32_t> others;
    for (const communicator::member& m : members)
      if (elsewhere(m.lane)) others.insert(found_.lanes[m.lane].node);
    w.text += incomplete_traces(into_, {others.begin(), others.end()});
    into_.warning_list.push_back(std::move(w));
  }

  // ---- sizes ----

  // Calls in which all members move the same size.
  [[nodiscard]] bool moves_equal_sizes(const matched_call& call) const {
    const std::string_view kind_of = into_.ops[call.op].kind;
    const std::string_view opcode = collective_of(instruction_name(kind_of));
    if (!opcode.empty()) return group_of(call).pairs.empty() && opcode.find("ragged") == std::string_view::npos;
    const std::string text = squeezed(kind_of);
    return text.find("allreduce") != std::string::npos || text.find("allgather") != std::string::npos ||
           text.find("reducescatter") != std::string::npos;
  }

  void find_sizes() {
    for (const auto& calls : calls_of_op_) {
      if (calls.empty() || !moves_equal_sizes(*calls.front())) continue;
      std::map<std::uint32_t, std::size_t> usual;
      std::size_t differing = 0;
      for (const matched_call* call : calls) {
        bool differs = false;
        for (const collective_instance& e : call->members) {
          ++usual[e.size];
          differs = differs || e.size != call->members.front().size;
        }
        differing += differs ? 1 : 0;
      }
      // Where most calls differ, the recorder writes something else down.
      if (differing == 0 || 2 * differing > calls.size()) continue;
      for (const matched_call* call : calls)
        if (!call->mixed && asked_for(*call)) compare_sizes(*call, usual);
    }
  }

  void compare_sizes(const matched_call& call, const std::map<std::uint32_t, std::size_t>& usual) {
    std::map<std::uint32_t, std::size_t> here;
    for (const collective_instance& e : call.members)
      if (e.size != 0) ++here[e.size];
    if (here.size() < 2) return;
    // Most members are right; of as many each, what this operation moves otherwise is.
    const auto right = std::max_element(here.begin(), here.end(), [&](const auto& a, const auto& b) {
      if (a.second != b.second) return a.second < b.second;
      return usual.at(a.first) < usual.at(b.first);
    });
    for (const collective_instance& e : call.members)
      if (e.size != 0 && e.size != right->first)
        add(kind::size, call, e.lane,
            std::string(found_.texts.text(e.size)) + "; " + grouped(std::uint64_t{right->second}) + " of " +
                grouped(std::uint64_t{call.members.size()}) + " members: " + std::string(found_.texts.text(right->first)));
  }

  // ---- order ----

  // What a stream of a device called, one after the other.
  struct call_list {
    std::uint32_t lane = 0;
    std::vector<std::uint32_t> names;       // numbers of what was called
    std::vector<const matched_call*> calls;
    std::vector<std::int64_t> starts;
    std::set<std::uint32_t> of_names;
  };

  std::vector<call_list> lists_of_calls() {
    struct placed {
      std::int64_t start_ps;
      std::uint32_t name;
      const matched_call* call;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<placed>> streams;  // lane and stream
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::int64_t>, std::uint32_t> names;
    for (const matched_call& call : calls_) {
      if (!group_of(call).pairs.empty()) continue;
      for (const collective_instance& e : call.members) {
        const auto name = names.try_emplace({e.name, e.module, e.role, e.group_devices}, static_cast<std::uint32_t>(names.size()));
        streams[{e.lane, e.stream}].push_back({start_of(e), name.first->second, &call});
      }
    }
    std::vector<call_list> lists;
    for (auto& [at, events] : streams) {
      std::stable_sort(events.begin(), events.end(), [](const placed& a, const placed& b) { return a.start_ps < b.start_ps; });
      call_list& list = lists.emplace_back();
      list.lane = at.first;
      for (const placed& each : events) {
        list.names.push_back(each.name);
        list.calls.push_back(each.call);
        list.starts.push_back(each.start_ps);
        list.of_names.insert(each.name);
      }
    }
    return lists;
  }

  // Devices of one group run one program: what one calls in another order than most that share a group with it, is out of order.
  void find_orders() {
    constexpr std::size_t max_peers = 16;
    const std::vector<call_list> lists = lists_of_calls();
    std::map<std::uint32_t, std::set<std::uint32_t>> together;  // lanes that share a communicator
    for (const communicator& group : found_.communicators)
      if (group.pairs.empty())
        for (const communicator::member& a : group.members)
          for (const communicator::member& b : group.members)
            if (a.lane != b.lane && together[a.lane].size() < max_peers) together[a.lane].insert(b.lane);
    for (const call_list& list : lists) {
      if (list.of_names.size() < 2) continue;
      std::map<std::size_t, std::pair<std::size_t, const call_list*>> begins;  // of ranges: how many say so, and one of them
      std::size_t peers = 0;
      bool last = true;
      for (const call_list& other : lists) {
        if (together[list.lane].count(other.lane) == 0 || other.of_names != list.of_names) continue;
        const auto ranges = order_comparison(list.names, other.names, list.of_names.size()).find();
        if (!ranges) continue;
        ++peers;
        last = last && other.lane < list.lane;
        for (const auto& range : *ranges) {
          if (lacks_near(list, range, other.lane)) continue;
          auto& known = begins[range.first];
          ++known.first;
          known.second = &other;
        }
      }
      for (const auto& [begin, said] : begins)
        // Of two alone either may be right: the second is said to differ from the first.
        if (peers == 1 ? last : 2 * said.first > peers) add_order(list, begin, said.first, peers);
    }
  }

  // Where one of them lacks calls, what follows only seems to be in another order. Of equal calls any may be missing.
  [[nodiscard]] bool lacks_near(const call_list& list, std::pair<std::size_t, std::size_t> range, std::uint32_t other) const {
    std::size_t before = range.first > 0 ? range.first - 1 : 0, after = range.second + 1;
    while (before > 0 && list.names[before - 1] == list.names[before]) --before;
    while (after + 1 < list.names.size() && list.names[after + 1] == list.names[after]) ++after;
    const std::int64_t from = list.starts[before];
    const std::int64_t until = after < list.starts.size() ? list.starts[after] : std::numeric_limits<std::int64_t>::max();
    for (const std::uint32_t lane : {list.lane, other}) {
      const auto lacks = missing_.find(lane);
      if (lacks == missing_.end()) continue;
      for (const std::int64_t at : lacks->second)
        if (at >= from && at <= until) return true;
    }
    return false;
  }

  void add_order(const call_list& list, std::size_t begin, std::size_t said, std::size_t peers) {
    const matched_call& call = *list.calls[begin];
    if (!asked_for(call)) return;
    const std::size_t next = std::min(begin + 1, list.calls.size() - 1);
    add(kind::order, call, list.lane,
        "order differs at call " + grouped(std::uint64_t{begin}) + ": " + into_.ops[call.op].name + " before " +
            into_.ops[list.calls[next]->op].name + ", unlike " + grouped(std::uint64_t{said}) + " of " +
            counted(peers, "device", "devices") + " of its groups that make the same calls");
  }

  // ---- who comes late by what it did itself ----

  // Time between the end of a call and the start of the next on the same device: what it did before it came. A device that is late
  // because it waited in an earlier call took no longer than others.
  void find_stragglers() {
    hash_map<std::uint32_t, std::vector<std::int64_t>> ends;  // by lane
    for (const collective_instance& e : found_.all)
      if (e.end_ps > e.start_ps) ends[e.lane].push_back(e.end_ps);
    for (auto& [at, of_lane] : ends) std::sort(of_lane.begin(), of_lane.end());
    for (const auto& calls : calls_of_op_) {
      if (calls.empty() || !everybody_waits(*calls.front())) continue;
      struct lateness {
        std::vector<std::int64_t> late;
        std::uint64_t last = 0;
      };
      std::map<std::uint32_t, lateness> of_lane;
      std::vector<std::int64_t> scatter, usual;
      std::uint64_t compared = 0;
      for (const matched_call* call : calls) {
        if (call->mixed || call->members.size() < 2) continue;
        std::vector<std::pair<std::uint32_t, std::int64_t>> own;
        for (const collective_instance& e : call->members) {
          const std::vector<std::int64_t>& before = ends[e.lane];
          const auto at = std::upper_bound(before.begin(), before.end(), e.start_ps);
          if (at != before.begin()) own.emplace_back(e.lane, e.start_ps - *std::prev(at));
        }
        if (own.size() != call->members.size()) continue;
        ++compared;
        std::vector<std::int64_t> times;
        for (const auto& [lane, time] : own) times.push_back(time);
        const std::int64_t middle = lower_median(times);
        usual.push_back(middle);
        for (const auto& [lane, time] : own) {
          of_lane[lane].late.push_back(time - middle);
          scatter.push_back(time > middle ? time - middle : middle - time);
        }
      }
      if (compared < min_calls) continue;
      const std::int64_t noise = lower_median(scatter), typical = lower_median(usual);
      const std::int64_t bound = saturating_add(o_.bound_ps.value_or(0), o_.bound_ps.value_or(0));
      const std::int64_t least = std::max({saturating_add(4 * std::min(noise, INT64_MAX / 8), bound), typical / 10, min_late_ps});
      for (auto& [lane, seen] : of_lane) {
        const auto late = static_cast<std::uint64_t>(
            std::count_if(seen.late.begin(), seen.late.end(), [&](std::int64_t by) { return by > least; }));
        if (4 * late < 3 * compared) continue;
        collective_irregularity& row = add(kind::straggler, *calls.front(), lane, {});
        row.count = late;
        row.of_count = compared;
        row.late_ps = lower_median(seen.late);
        row.evidence = "from its collective before to this one it takes longer than the middle member of the group, by " +
                       human_duration(row.late_ps) + " in the middle, in " + grouped(late) + " of " +
                       counted(compared, "call", "calls");
      }
    }
  }
  static constexpr std::uint64_t min_calls = 3;
  static constexpr std::int64_t min_late_ps = 10000000;  // 10 us

  const collective_instances& found_;
  const std::vector<matched_call>& calls_;
  const std::vector<std::int64_t>& shifts_;
  const validation_options& o_;
  validation_result& into_;
  std::vector<std::vector<const matched_call*>> calls_of_op_;
  hash_map<std::uint32_t, std::vector<std::int64_t>> missing_;  // starts of the calls that a lane lacks
  hash_map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> spans_;  // first and last start of each lane
};

}  // namespace

void find_irregularities(const collective_instances& found, const std::vector<matched_call>& calls,
                         const std::vector<std::int64_t>& shifts, const validation_options& o, validation_result& into) {
  irregularity_finder(found, calls, shifts, o, into).find();
}

std::string incomplete_traces(const validation_result& of, const std::vector<std::uint32_t>& nodes) {
  std::string text;
  for (const std::uint32_t n : nodes)
    if (const collective_node& node = of.nodes[n]; !node.incomplete.empty())
      text += "; the trace of node " + std::to_string(node.id) + " is incomplete: " + node.incomplete;
  return text;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
