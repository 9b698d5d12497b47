// Calls of process groups that are on record: the k-th of one member is the k-th of all, on whichever node and device.
#include "instances.hpp"

#include <profkit/time.hpp>

#include "base/collective_names.hpp"
#include "base/hash_map.hpp"
#include "base/median.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Executions of a member in the order of time; of a send and its recv those of each part.
struct member_calls {
  std::uint32_t lane = 0;
  collective_part part = collective_part::both;
  std::vector<collective_instance> events;
};

// Which of two lists of executions are of the same calls. Both are in order, so the cheapest way to walk through them
// together shows it: two that lie apart in time cost the time between them, one without a partner costs half a period. No two
// are put together that begin and end nearly a period apart: those are two calls, and each member lacks one of them.
class call_alignment {
 public:
  using pairs = std::vector<std::pair<std::size_t, std::size_t>>;  // index of one and of the other

  call_alignment(const std::vector<collective_instance>& a, const std::vector<collective_instance>& b, std::int64_t shift_a,
                 std::int64_t shift_b)
      : a_(a), b_(b), shift_a_(shift_a), shift_b_(shift_b) {}

  pairs find() {
    std::size_t first = 0, ends_a = a_.size(), ends_b = b_.size();
    while (first < ends_a && first < ends_b && apart(first, first) == 0) ++first;
    while (ends_a > first && ends_b > first && apart(ends_a - 1, ends_b - 1) == 0) {
      --ends_a;
      --ends_b;
    }
    pairs found;
    for (std::size_t i = 0; i < first; ++i) found.emplace_back(i, i);
    between(first, ends_a, ends_b, found);
    for (std::size_t i = 0; ends_a + i < a_.size(); ++i) found.emplace_back(ends_a + i, ends_b + i);
    return found;
  }

 private:
  static constexpr std::size_t max_cells = std::size_t{1} << 22;
  static constexpr std::int64_t impossible_ps = std::numeric_limits<std::int64_t>::max() / 4;

  [[nodiscard]] std::int64_t apart(std::size_t i, std::size_t j) const {
    const std::int64_t start_a = a_[i].start_ps - shift_a_, end_a = a_[i].end_ps - shift_a_;
    const std::int64_t start_b = b_[j].start_ps - shift_b_, end_b = b_[j].end_ps - shift_b_;
    return std::max<std::int64_t>({0, start_a - end_b, start_b - end_a});
  }
  // Of pairs that overlap, those that end together are more likely one call.
  [[nodiscard]] std::int64_t cost(std::size_t i, std::size_t j, std::int64_t alone_ps) const {
    constexpr std::int64_t little = 64;
    const std::int64_t ends = std::abs((a_[i].end_ps - shift_a_) - (b_[j].end_ps - shift_b_));
    const std::int64_t starts = std::abs((a_[i].start_ps - shift_a_) - (b_[j].start_ps - shift_b_));
    // Nearly a period: 8/5 of the cost of one alone, which is half a period.
    if (saturating_mul(std::min(starts, ends), 5) > saturating_mul(alone_ps, 8)) return impossible_ps;
    return saturating_add(apart(i, j), ends / little);
  }

  [[nodiscard]] std::int64_t half_period() const {
    std::vector<std::int64_t> periods;
    for (const auto* events : {&a_, &b_})
      for (std::size_t i = 1; i < events->size(); ++i) periods.push_back((*events)[i].start_ps - (*events)[i - 1].start_ps);
    return periods.empty() ? impossible_ps : upper_median(periods) / 2;
  }

  void between(std::size_t first, std::size_t ends_a, std::size_t ends_b, pairs& found) const {
    const std::size_t rows = ends_a - first, columns = ends_b - first;
    if (rows == 0 || columns == 0) return;
    if ((rows + 1) > max_cells / (columns + 1)) {
      for (std::size_t i = 0; i < std::min(rows, columns); ++i) found.emplace_back(first + i, first + i);
      return;
    }
    enum step : std::uint8_t { both, of_a, of_b };
    std::vector<step> steps((rows + 1) * (columns + 1), both);
    std::vector<std::int64_t> above(columns + 1), here(columns + 1);
    const std::int64_t alone = half_period();
    for (std::size_t j = 0; j <= columns; ++j) {
      above[j] = saturating_mul(alone, static_cast<std::int64_t>(j));
      steps[j] = of_b;
    }
    for (std::size_t i = 1; i <= rows; ++i) {
      here[0] = saturating_mul(alone, static_cast<std::int64_t>(i));
      steps[i * (columns + 1)] = of_a;
      for (std::size_t j = 1; j <= columns; ++j) {
        here[j] = saturating_add(above[j - 1], cost(first + i - 1, first + j - 1, alone));
        step& taken = steps[i * (columns + 1) + j];
        if (const std::int64_t lacks = saturating_add(above[j], alone); lacks < here[j]) {
          here[j] = lacks;
          taken = of_a;
        }
        if (const std::int64_t lacks = saturating_add(here[j - 1], alone); lacks < here[j]) {
          here[j] = lacks;
          taken = of_b;
        }
      }
      std::swap(above, here);
    }
    const std::size_t before = found.size();
    for (std::size_t i = rows, j = columns; i > 0 || j > 0;) {
      const step taken = steps[i * (columns + 1) + j];
      if (taken == both) found.emplace_back(first + i - 1, first + j - 1);
      i -= taken == of_b ? 0 : 1;
      j -= taken == of_a ? 0 : 1;
    }
    std::reverse(found.begin() + static_cast<std::ptrdiff_t>(before), found.end());
  }

  const std::vector<collective_instance>& a_;
  const std::vector<collective_instance>& b_;
  std::int64_t shift_a_, shift_b_;
};

class call_matcher {
 public:
  call_matcher(const collective_instances& found, const std::vector<std::int64_t>& shifts, const validation_options& o,
               validation_result& into)
      : found_(found), shifts_(shifts), o_(o), into_(into), starts_(found.lanes.size()) {
    for (const collective_instance& e : found.all) starts_[e.lane].push_back(e.start_ps);
    for (auto& starts : starts_) std::sort(starts.begin(), starts.end());
  }

  std::vector<matched_call> match() {
    // Calls that the recorder numbers are numbered over all operations of the group.
    const std::vector<bool> numbered = numbered_communicators();
    using operation = std::tuple<std::uint32_t, std::string_view, std::string_view>;  // communicator, module, name
    std::map<operation, std::vector<const collective_instance*>> operations;
    for (const collective_instance& e : found_.all) {
      if (e.communicator == 0) continue;
      const communicator& group = found_.communicators[e.communicator - 1];
      // A send and its recv are one call, under two names.
      const bool one_name = !numbered[e.communicator - 1] && !(group.pairs.size() > 0 && part_of(e) != collective_part::both);
      const std::string_view module = numbered[e.communicator - 1] ? std::string_view() : found_.texts.text(e.module);
      operations[{e.communicator - 1, module, one_name ? found_.texts.text(e.name) : std::string_view()}].push_back(&e);
    }
    for (auto& [of, events] : operations) match_operation(std::get<0>(of), numbered[std::get<0>(of)], events);
    return std::move(calls_);
  }

 private:
  using calls_of_members = std::vector<std::vector<collective_instance>>;

  // Whether all executions of a communicator have numbers. A number that recurs is that of a graph, whenever it is replayed.
  [[nodiscard]] std::vector<bool> numbered_communicators() const {
    std::vector<bool> numbered(found_.communicators.size(), true);
    std::vector<std::set<std::pair<std::uint32_t, std::int64_t>>> numbers(found_.communicators.size());
    std::vector<std::size_t> events(found_.communicators.size());
    for (const collective_instance& e : found_.all) {
      if (e.communicator == 0) continue;
      const std::size_t at = e.communicator - 1;
      if (e.sequence < 0) numbered[at] = false;
      ++events[at];
      if (numbered[at]) numbers[at].insert({e.lane, e.sequence});
    }
    for (std::size_t at = 0; at < numbered.size(); ++at)
      if (2 * numbers[at].size() < events[at]) numbered[at] = false;
    return numbered;
  }

  [[nodiscard]] collective_part part_of(const collective_instance& e) const {
    if (e.part != collective_part::both) return e.part;
    const std::string_view opcode = collective_of(instruction_name(found_.texts.text(e.kind)));
    return opcode == "send" ? collective_part::sends : opcode == "recv" ? collective_part::receives : collective_part::both;
  }
  [[nodiscard]] std::int64_t start_of(const collective_instance& e) const { return e.start_ps - shifts_[e.node]; }

  void match_operation(std::uint32_t communicator, bool numbered, const std::vector<const collective_instance*>& events) {
    ranks_.resize(found_.lanes.size());
    for (const communicator::member& each : found_.communicators[communicator].members) ranks_[each.lane] = each.rank;
    bool by_ids = numbered;
    calls_of_members calls = numbered ? by_number(events) : by_order(events, by_ids);
    std::stable_sort(calls.begin(), calls.end(), [&](const auto& a, const auto& b) { return first_start(a) < first_start(b); });
    // By name and root: calls that are numbered over all operations become several.
    std::map<std::pair<std::string, std::int64_t>, std::uint32_t> ops;
    std::vector<std::uint32_t> occurrences(into_.ops.size());
    for (std::vector<collective_instance>& members : calls) {
      std::sort(members.begin(), members.end(), [&](const collective_instance& a, const collective_instance& b) {
        return a.lane != b.lane ? a.lane < b.lane : part_of(a) < part_of(b);
      });
      matched_call call;
      call.communicator = communicator;
      const std::string name = name_of(members, call.mixed);
      const std::int64_t root = root_of(members, communicator, call.mixed);
      const auto [at, is_new] = ops.try_emplace({name, root}, static_cast<std::uint32_t>(into_.ops.size()));
      if (is_new) {
        add_op(name, communicator, root, members.front());
        occurrences.resize(into_.ops.size());
      }
      call.op = at->second;
      call.occurrence = occurrences[call.op]++;
      for (const collective_instance& e : members)
        into_.ops[call.op].library_kernels = into_.ops[call.op].library_kernels && e.library_kernel;
      if (members.size() > 1 && !call.mixed)
        add_group(call, members, by_ids);
      else
        count_alone(call, members);
      call.members = std::move(members);
      calls_.push_back(std::move(call));
    }
  }

  [[nodiscard]] std::int64_t first_start(const std::vector<collective_instance>& members) const {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const collective_instance& e : members) first = std::min(first, start_of(e));
    return first;
  }

  [[nodiscard]] std::int64_t root_of(const std::vector<collective_instance>& members, std::uint32_t communicator, bool& mixed) const {
    if (found_.communicators[communicator].root >= 0) return found_.communicators[communicator].root;
    for (const collective_instance& e : members) mixed = mixed || e.root != members.front().root;
    return members.front().root;
  }

  // What most of its members are called, the send first.
  std::string name_of(const std::vector<collective_instance>& members, bool& mixed) const {
    std::map<std::pair<collective_part, std::string_view>, std::size_t> names;
    for (const collective_instance& e : members) ++names[{part_of(e), found_.texts.text(e.name)}];
    std::string name;
    for (const collective_part part : {collective_part::both, collective_part::sends, collective_part::receives}) {
      std::string_view most;
      std::size_t count = 0;
      for (const auto& [called, times] : names) {
        if (called.first != part) continue;
        mixed = mixed || count > 0;
        if (times > count) most = called.second;
        count = std::max(count, times);
      }
      if (count > 0) name += (name.empty() ? "" : ", ") + std::string(most);
    }
    return name;
  }

  // Calls of one number. Of several kernels for one call the whole time counts.
  static calls_of_members by_number(const std::vector<const collective_instance*>& events) {
    std::map<std::int64_t, std::map<std::pair<std::uint32_t, collective_part>, collective_instance>> numbers;
    for (const collective_instance* e : events) {
      const auto [at, is_new] = numbers[e->sequence].try_emplace({e->lane, e->part}, *e);
      if (is_new) continue;
      at->second.start_ps = std::min(at->second.start_ps, e->start_ps);
      at->second.end_ps = std::max(at->second.end_ps, e->end_ps);
    }
    calls_of_members calls;
    for (auto& [number, members] : numbers) {
      calls.emplace_back();
      for (auto& [at, e] : members) calls.back().push_back(std::move(e));
    }
    return calls;
  }

  // `by_ids`: whether runs were found to have ids that all share.
  calls_of_members by_order(const std::vector<const collective_instance*>& events, bool& by_ids) const {
    std::map<std::pair<std::uint32_t, collective_part>, member_calls> of;
    for (const collective_instance* e : events) {
      member_calls& member = of[{e->lane, part_of(*e)}];
      member.lane = e->lane;
      member.part = part_of(*e);
      member.events.push_back(*e);
    }
    std::vector<member_calls> members;
    for (auto& [at, member] : of) {
      // Where lines of instructions repeat what kernels do, the kernels count.
      const auto is_kernel = [](const collective_instance& e) { return e.library_kernel; };
      if (std::any_of(member.events.begin(), member.events.end(), is_kernel))
        member.events.erase(std::remove_if(member.events.begin(), member.events.end(), [&](const auto& e) { return !is_kernel(e); }),
                            member.events.end());
      std::stable_sort(member.events.begin(), member.events.end(),
                       [](const collective_instance& a, const collective_instance& b) { return a.start_ps < b.start_ps; });
      members.push_back(std::move(member));
    }
    by_ids = share_runs(members);
    if (by_ids) return calls_of_runs(members);
    // A member that only receives may come at any later time: of as many calls each, the k-th are one. But each may lack another
    // call: then what it ran besides says so.
    const collective_semantics semantics = semantics_of(found_.texts.text(events.front()->kind));
    const bool as_many = std::all_of(members.begin(), members.end(), [&](const member_calls& member) {
      return member.events.size() == members.front().events.size();
    });
    if (semantics == collective_semantics::barrier || !as_many) return aligned(members);
    const bool complete = std::none_of(members.begin(), members.end(), [&](const member_calls& member) { return lacks_a_call(member); });
    return complete ? numbered_calls(members) : aligned(members);
  }

  // Whether a device ran more other collectives between its first call of an operation and its last than it does between as many
  // calls as there are.
  [[nodiscard]] bool lacks_a_call(const member_calls& member) const {
    const std::vector<std::int64_t>& all = starts_[member.lane];
    std::vector<std::int64_t> between;
    for (std::size_t k = 1; k < member.events.size(); ++k) {
      const auto from = std::upper_bound(all.begin(), all.end(), member.events[k - 1].start_ps);
      between.push_back(std::lower_bound(from, all.end(), member.events[k].start_ps) - from);
    }
    if (between.empty()) return false;
    const std::int64_t ran = std::accumulate(between.begin(), between.end(), std::int64_t{0});
    const auto calls = static_cast<std::int64_t>(between.size());
    const std::int64_t usual = upper_median(between), more = ran - usual * calls;
    // Much more is a program whose steps differ.
    return usual > 0 && 2 * more >= usual && more <= usual * (1 + calls / 8);
  }

  // Whether runs have the same ids on all members, at least most of them: else each node counts its own.
  static bool share_runs(const std::vector<member_calls>& members) {
    std::map<std::int64_t, std::set<std::uint32_t>> lanes_of_run;
    std::set<std::uint32_t> lanes;
    for (const member_calls& member : members)
      for (const collective_instance& e : member.events) {
        if (!e.run_id) return false;
        lanes_of_run[*e.run_id].insert(e.lane);
        lanes.insert(e.lane);
      }
    const auto shared = std::count_if(lanes_of_run.begin(), lanes_of_run.end(),
                                      [&](const auto& run) { return run.second.size() == lanes.size(); });
    return 2 * static_cast<std::size_t>(shared) >= lanes_of_run.size();
  }

  // The k-th execution of a run on each member.
  static calls_of_members calls_of_runs(const std::vector<member_calls>& members) {
    std::map<std::pair<std::int64_t, std::uint32_t>, std::vector<collective_instance>> runs;
    for (const member_calls& member : members) {
      hash_map<std::int64_t, std::uint32_t> seen;
      for (const collective_instance& e : member.events) runs[{*e.run_id, seen[*e.run_id]++}].push_back(e);
    }
    calls_of_members calls;
    for (auto& [run, executions] : runs) calls.push_back(std::move(executions));
    return calls;
  }

  static calls_of_members numbered_calls(const std::vector<member_calls>& members) {
    calls_of_members calls(members.front().events.size());
    for (const member_calls& member : members)
      for (std::size_t k = 0; k < calls.size(); ++k) calls[k].push_back(member.events[k]);
    return calls;
  }

  // The members with most calls first; each is compared with the first execution of every call so far.
  calls_of_members aligned(std::vector<member_calls>& members) const {
    std::stable_sort(members.begin(), members.end(),
                     [](const member_calls& a, const member_calls& b) { return a.events.size() > b.events.size(); });
    calls_of_members calls;
    std::vector<collective_instance> firsts;
    for (const member_calls& member : members) {
      std::vector<collective_instance> events = member.events;
      for (collective_instance& e : events) {
        e.start_ps = start_of(e);
        e.end_ps -= shifts_[e.node];
      }
      const call_alignment::pairs same = call_alignment(firsts, events, 0, 0).find();
      calls_of_members merged;
      std::vector<collective_instance> merged_firsts;
      std::size_t of_calls = 0, of_events = 0;
      const auto copy_until = [&](std::size_t call, std::size_t event) {
        // What has no partner goes in by time.
        while (of_calls < call || of_events < event) {
          const bool take_event = of_calls == call || (of_events < event && events[of_events].start_ps < firsts[of_calls].start_ps);
          if (take_event) {
            merged.push_back({member.events[of_events]});
            merged_firsts.push_back(events[of_events++]);
          } else {
            merged.push_back(std::move(calls[of_calls]));
            merged_firsts.push_back(firsts[of_calls++]);
          }
        }
      };
      for (const auto& [call, event] : same) {
        copy_until(call, event);
        merged.push_back(std::move(calls[call]));
        merged.back().push_back(member.events[event]);
        merged_firsts.push_back(firsts[call]);
        of_calls = call + 1;
        of_events = event + 1;
      }
      copy_until(firsts.size(), events.size());
      calls = std::move(merged);
      firsts = std::move(merged_firsts);
    }
    return calls;
  }

  void add_op(const std::string& name, std::uint32_t communicator, std::int64_t root, const collective_instance& like) {
    const struct communicator& group = found_.communicators[communicator];
    collective_op& op = into_.ops.emplace_back();
    op.name = name;
    op.kind = std::string(found_.texts.text(like.kind));
    op.collective = std::string(collective_in(op.kind));
    op.semantics = semantics_of(op.kind);
    op.module = std::string(found_.texts.text(like.module));
    op.group = group.everyone ? std::string() : std::string(found_.texts.text(group.name));
    op.by_group = true;
    op.library_kernels = true;
    op.pairs = group.pairs;
    const link_share share = link_share_of(op.collective, group.size);
    op.link_numerator = share.numerator;
    op.link_denominator = share.denominator;
    if (op.semantics == collective_semantics::from_one || op.semantics == collective_semantics::to_one) op.root = root;
    op.placed_by_order = group.numbered_by_place && !group.everyone;
    op.devices_counted = group.devices_counted;
    into_.placed_by_order = into_.placed_by_order || op.placed_by_order || (group.numbered_by_place && op.root >= 0);
    into_.devices_counted = into_.devices_counted || group.devices_counted;
  }

  void add_group(const matched_call& call, const std::vector<collective_instance>& members, bool by_ids) {
    collective_group& group = into_.groups.emplace_back();
    group.op = call.op;
    group.by_ids = by_ids;
    group.occurrence = call.occurrence;
    group.first_member = into_.members.size();
    group.member_count = static_cast<std::uint32_t>(members.size());
    const communicator& who = found_.communicators[call.communicator];
    group.members_expected = static_cast<std::uint32_t>(who.pairs.size() == 1 ? 2 : who.size);
    group.payload_bytes = payload_of_call(members, found_.communicators[call.communicator].size);
    for (const collective_instance& e : members) {
      collective_member& m = into_.members.emplace_back(member_of(e));
      m.rank = ranks_[e.lane];
      m.part = part_of(e);
    }
    ++into_.ops[call.op].groups;
  }

  // Other members have a trace, and no such call in it.
  void count_alone(const matched_call& call, const std::vector<collective_instance>& members) {
    if (std::none_of(members.begin(), members.end(),
                     [&](const collective_instance& e) { return profkit::in_window(o_, e.start_ps, e.end_ps); }))
      return;
    add_unjudged(into_.arrivals, call.mixed ? "their members did not do the same" : "not every member recorded them", 1, 0);
  }

  // -1 where it is not known, or members move different sizes.
  [[nodiscard]] std::int64_t payload_of_call(const std::vector<collective_instance>& members, std::int64_t devices) const {
    std::optional<std::int64_t> all;
    for (const collective_instance& e : members) {
      const auto of_one = payload_of(collective_in(found_.texts.text(e.kind)), devices, e.message);
      if (!of_one || (all && *all != *of_one) || e.size != members.front().size) return -1;
      all = of_one;
    }
    return all.value_or(-1);
  }

  const collective_instances& found_;
  const std::vector<std::int64_t>& shifts_;
  const validation_options& o_;
  validation_result& into_;
  std::vector<std::vector<std::int64_t>> starts_;  // of all collectives, by lane
  std::vector<matched_call> calls_;
  std::vector<std::int64_t> ranks_;  // by lane, of the members of a communicator
};

}  // namespace

std::int64_t matched_call::start_ps() const noexcept {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const collective_instance& e : members) first = std::min(first, e.start_ps);
  return first;
}

std::vector<matched_call> match_calls(const collective_instances& found, const std::vector<std::int64_t>& shifts,
                                      const validation_options& o, validation_result& into) {
  return call_matcher(found, shifts, o, into).match();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
