#include <profkit/core/clock.hpp>
#include <profkit/core/collectives.hpp>
#include <profkit/time.hpp>

#include "base/contained.hpp"
#include "base/format.hpp"
#include "direction.hpp"
#include "instances.hpp"
#include "formats/xspace/xspace_index.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// What a merged trace says of its clocks. Its times count from the zero of its corrected clock, and so do its bounds.
struct trace_bounds {
  std::vector<clock_metadata> nodes;
  [[nodiscard]] const clock_metadata* find(std::int64_t id) const noexcept {
    for (const clock_metadata& m : nodes)
      if (m.bounds.node_id == id) return &m;
    return nullptr;
  }
};

trace_bounds read_bounds(const trace_list& traces) {
  trace_bounds bounds;
  if (traces.size() != 1) return bounds;
  const profile& p = traces.front()->files();
  // A merged trace JSON has a file a node.
  const std::vector<capture_file>& files = p.what().files;
  const bool of_nodes = std::all_of(files.begin(), files.end(), [](const capture_file& f) { return f.node >= 0; });
  if (!of_nodes && (files.size() != 1 || p.xspace(0)->planes.empty())) return bounds;
  for (std::size_t file = 0; file < files.size(); ++file)
    if (result<std::vector<clock_metadata>> read = read_clock_metadata(p.bytes(file)); read)
      bounds.nodes.insert(bounds.nodes.end(), std::make_move_iterator(read->begin()), std::make_move_iterator(read->end()));
  return bounds;
}

class violation_judge {
 public:
  violation_judge(validation_result& found, const trace_bounds& bounds, const collective_instances& from,
                  const validation_options& o)
      : found_(found), from_(from), o_(o) {
    for (const collective_node& node : found.nodes) {
      clocks_.push_back(bounds.find(node.id));
      one_device_a_node_ = one_device_a_node_ && node.devices < 2;
    }
  }

  void run() {
    found_.groups.erase(std::remove_if(found_.groups.begin(), found_.groups.end(),
                                       [&](const collective_group& g) { return !in_window(g); }),
                        found_.groups.end());
    double gaps_ns = 0;
    judge_arrivals(from_, o_, found_);
    directions_.emplace(found_, [this](const collective_member& m, std::int64_t t) { return error_of(m, t); });
    for (collective_group& group : found_.groups) {
      gaps_ns += judge_exactly(group);
    }
    doubt_places();
    for (const collective_group& group : found_.groups) count(group);
    if (!found_.groups.empty()) found_.mean_gap_ns = gaps_ns / static_cast<double>(found_.groups.size());
    finish_ops();
  }

 private:
  const collective_member& member(const collective_group& g, std::uint32_t i) const {
    return found_.members[g.first_member + i];
  }

  bool in_window(const collective_group& g) const {
    for (std::uint32_t i = 0; i < g.member_count; ++i)
      if (profkit::in_window(o_, member(g, i).start_ps, member(g, i).end_ps)) return true;
    return false;
  }

  // Empty: other clocks were corrected, and it is not known how far this one is wrong.
  std::optional<std::int64_t> known_error_of(const collective_member& m, std::int64_t time_ps) const {
    if (o_.bound_ps) return *o_.bound_ps;
    if (!found_.corrected) return 0;
    const clock_metadata* const clock = clocks_[m.node];
    return clock == nullptr ? std::nullopt : clock->bounds.at(time_ps, clock_domain::tracer);
  }
  std::int64_t error_of(const collective_member& m, std::int64_t time_ps) const {
    return known_error_of(m, time_ps).value_or(0);
  }

  // Gives the start gap in ns.
  double judge_exactly(collective_group& g) {
    std::uint32_t first = 0;
    for (std::uint32_t i = 1; i < g.member_count; ++i) {
      if (member(g, i).start_ps > member(g, g.latest_start).start_ps) g.latest_start = i;
      if (member(g, i).end_ps < member(g, g.earliest_end).end_ps) g.earliest_end = i;
      if (member(g, i).start_ps < member(g, first).start_ps) first = i;
    }
    g.start_gap_ps = saturating_add(member(g, g.latest_start).start_ps, -member(g, first).start_ps);
    g.last = g.latest_start;
    measure(g, first);
    compare(g, g.latest_start, g.earliest_end);
    g.violates_raw = g.order_gap_ps >= 0;
    const collective_op& op = found_.ops[g.op];
    if (member(g, 0).part == collective_part::both && op.pairs.empty()) pair_violations(g);
    switch (op.semantics) {
      case collective_semantics::barrier: break;
      case collective_semantics::to_one: judge_rooted(g, false); break;
      case collective_semantics::from_one: judge_rooted(g, true); break;
      case collective_semantics::point_to_point: judge_send(g); break;
    }
    const collective_member &begins = member(g, g.latest_start), &ends = member(g, g.earliest_end);
    if (begins.node != ends.node && (!known_error_of(begins, begins.start_ps) || !known_error_of(ends, ends.end_ps))) {
      g.judged = false;
      found_.ops[g.op].unjudged_why = "the clock error of a node is not known";
    }
    if (!g.judged) g.violates = false;
    return static_cast<double>(g.start_gap_ps) / 1000;
  }

  // How far two times of members may be from one another's clock; nothing where that is not known.
  std::optional<std::int64_t> error_within(const collective_group& g) const {
    bool one_node = true, one_clock = true;
    std::int64_t error = 0;
    for (std::uint32_t i = 0; i < g.member_count; ++i) {
      const collective_member& m = member(g, i);
      const auto known = known_error_of(m, m.start_ps);
      if (!known) return std::nullopt;
      error = std::max(error, *known);
      one_node = one_node && m.node == member(g, 0).node;
      one_clock = one_clock && found_.nodes[m.node].clock == found_.nodes[member(g, 0).node].clock;
    }
    if (one_node) return 0;
    if (o_.bound_ps || found_.corrected) return saturating_mul(error, 2);
    return one_clock ? std::optional<std::int64_t>(0) : std::nullopt;
  }

  // How long the group took, and how long of that data could move: all of its members were there.
  void measure(collective_group& g, std::uint32_t first) const {
    std::int64_t last_end = member(g, 0).end_ps, shortest = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t i = 0; i < g.member_count; ++i) {
      last_end = std::max(last_end, member(g, i).end_ps);
      shortest = std::min(shortest, saturating_add(member(g, i).end_ps, -member(g, i).start_ps));
    }
    const auto error = error_within(g);
    constexpr std::int64_t small = 10;  // a time is known when its error is less than a tenth of it
    const auto known = [&](std::int64_t time_ps) { return error && time_ps > 0 && saturating_mul(*error, small) < time_ps ? time_ps : -1; };
    g.span_ps = known(saturating_add(last_end, -member(g, first).start_ps));
    g.moving_ps = known(saturating_add(last_end, -member(g, g.last).start_ps));
    if (g.moving_ps < 0 && shortest > 0 && found_.ops[g.op].semantics == collective_semantics::barrier) g.moving_ps = shortest;
  }

  // The order of two members: `begins` has to begin before `ends` ends.
  void compare(collective_group& g, std::uint32_t begins, std::uint32_t ends) const {
    g.latest_start = begins;
    g.earliest_end = ends;
    const collective_member& late = member(g, begins);
    const collective_member& early = member(g, ends);
    g.order_gap_ps = saturating_add(late.start_ps, -early.end_ps);
    g.bound_ps =
        late.node == early.node ? 0 : saturating_add(error_of(late, late.start_ps), error_of(early, early.end_ps));
    g.violates = g.order_gap_ps > g.bound_ps;
  }

  // The root of a reduce ends after all began; no member ends a broadcast before its root began.
  void judge_rooted(collective_group& g, bool broadcast) const {
    const collective_op& op = found_.ops[g.op];
    const auto root = directions_->root_of(g.op);
    std::optional<std::uint32_t> at, other;
    for (std::uint32_t i = 0; i < g.member_count; ++i) {
      if (op.by_group ? op.root >= 0 && member(g, i).rank == op.root : root && member(g, i).node == *root)
        at = i;
      else if (!other || (broadcast ? member(g, i).end_ps < member(g, *other).end_ps
                                    : member(g, i).start_ps > member(g, *other).start_ps))
        other = i;
    }
    g.judged = at && other && (op.by_group || one_device_a_node_);
    if (g.judged) compare(g, broadcast ? *at : *other, broadcast ? *other : *at);
  }

  // Of two nodes one receives from the other; of more, only what no pattern of pairs allows is reported.
  void judge_permute(collective_group& g, const collective_directions::relation& pair) const {
    std::optional<std::uint32_t> sender, receiver;
    for (std::uint32_t i = 0; i < g.member_count; ++i) {
      if (member(g, i).node == pair.sender) sender = i;
      if (member(g, i).node == pair.receiver) receiver = i;
    }
    g.judged = sender && receiver && one_device_a_node_;
    if (!g.judged) return;
    const collective_group before = g;
    compare(g, *sender, *receiver);
    if (pair.nodes == 2 || g.violates) return;
    g = before;
    g.judged = false;
  }

  // A target ends after its source began. Of several pairs, the one furthest beyond its bound.
  void judge_pairs(collective_group& g) {
    const collective_op& op = found_.ops[g.op];
    std::map<std::int64_t, std::uint32_t> sources, targets;  // members by rank
    for (std::uint32_t i = 0; i < g.member_count; ++i) {
      if (member(g, i).part != collective_part::receives) sources[member(g, i).rank] = i;
      if (member(g, i).part != collective_part::sends) targets[member(g, i).rank] = i;
    }
    collective_group worst = g;
    worst.judged = false;
    bool out_of_order = false;
    for (const auto& [source, target] : op.pairs) {
      const auto from = sources.find(source), to = targets.find(target);
      if (source == target || from == sources.end() || to == targets.end()) continue;
      compare(g, from->second, to->second);
      if (g.order_gap_ps >= 0) {
        out_of_order = true;
        ++found_.pair_violations;
      }
      if (worst.judged && g.order_gap_ps - g.bound_ps <= worst.order_gap_ps - worst.bound_ps) continue;
      worst = g;
      worst.judged = true;
    }
    g = worst;
    g.judged = worst.judged && op.library_kernels;
    g.violates_raw = out_of_order;
  }

  // No member has received before the sender begins. Of several, the one furthest beyond its bound.
  void judge_send(collective_group& g) {
    if (!found_.ops[g.op].pairs.empty()) return judge_pairs(g);
    if (const auto pair = directions_->pair_of(g.op)) return judge_permute(g, *pair);
    g.judged = false;
    collective_group worst = g;
    bool out_of_order = false;
    for (std::uint32_t to = 0; to < g.member_count; ++to) {
      if (member(g, to).part != collective_part::receives) continue;
      const auto sender = directions_->sender_to(g.op, member(g, to).node);
      for (std::uint32_t from = 0; from < g.member_count; ++from) {
        if (!sender || member(g, from).part != collective_part::sends || member(g, from).node != *sender) continue;
        compare(g, from, to);
        if (g.order_gap_ps >= 0) {
          out_of_order = true;
          ++found_.pair_violations;
        }
        if (!worst.judged || g.order_gap_ps - g.bound_ps > worst.order_gap_ps - worst.bound_ps) {
          worst = g;
          worst.judged = true;
        }
      }
    }
    worst.judged = worst.judged && one_device_a_node_;
    g = worst;
    if (member(g, 0).part != collective_part::both) g.violates_raw = out_of_order;
  }

  // If many calls of one operation would be out of order, devices are probably placed wrongly: then nothing is said
  // of any group of that kind.
  void doubt_places() {
    struct tally {
      std::uint64_t judged = 0, out_of_order = 0;
    };
    std::map<std::tuple<bool, std::string_view, std::string_view>, tally> operations;
    for (const collective_group& g : found_.groups) {
      const collective_op& op = found_.ops[g.op];
      if (!op.placed_by_order || !g.judged) continue;
      tally& t = operations[{op.devices_counted, op.module, op.name}];
      ++t.judged;
      t.out_of_order += g.violates ? 1 : 0;
    }
    constexpr std::uint64_t one_in = 2, one_in_counted = 8;  // the more is inferred, the less is needed to doubt it
    bool doubted = false;
    for (const auto& [operation, t] : operations)
      doubted = doubted || (std::get<0>(operation) ? one_in_counted : one_in) * t.out_of_order > t.judged;
    if (!doubted) return;
    for (collective_group& g : found_.groups) {
      collective_op& op = found_.ops[g.op];
      if (!op.placed_by_order || !g.judged) continue;
      g.judged = g.violates = false;
      op.unjudged_why =
          "which device has which number is inferred, and too many calls would be out of order: either the clocks or the numbers are "
          "others";
    }
  }

  void pair_violations(const collective_group& g) {
    if (!g.violates_raw) return;
    // Ends by time and starts by time: for every start the number of ends before it.
    starts_.clear();
    ends_.clear();
    for (std::uint32_t i = 0; i < g.member_count; ++i) {
      starts_.push_back(member(g, i).start_ps);
      ends_.push_back(member(g, i).end_ps);
    }
    std::sort(starts_.begin(), starts_.end());
    std::sort(ends_.begin(), ends_.end());
    std::size_t ended = 0;
    for (const std::int64_t start : starts_) {
      while (ended < ends_.size() && ends_[ended] < start) ++ended;
      found_.pair_violations += ended;
    }
  }

  void count(const collective_group& g) {
    collective_op& op = found_.ops[g.op];
    found_.violations_raw += g.violates_raw ? 1 : 0;
    op.violations_raw += g.violates_raw ? 1 : 0;
    if (!g.judged) {
      ++found_.unjudged;
      ++op.unjudged;
      return;
    }
    found_.violations += g.violates ? 1 : 0;
    op.violations += g.violates ? 1 : 0;
    found_.overlaps += g.order_gap_ps < 0 ? 1 : 0;
  }

  // By their clocks; where these are not known to agree, as arrivals are judged first. None where several came at once.
  [[nodiscard]] std::optional<std::uint32_t> last_of(const collective_group& g) const {
    if (g.waits_known && !error_within(g)) return g.came_last < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(g.came_last));
    return starts_last_alone(found_, g) ? std::optional(g.last) : std::nullopt;
  }

  void finish_ops() {
    for (collective_op& op : found_.ops) op.groups = 0;
    struct sums {
      double skew = 0, transfer = 0, bound = 0;
      std::map<std::pair<std::uint32_t, std::int32_t>, std::pair<std::uint64_t, std::int64_t>> late;  // times and rank by node, device
    };
    std::vector<sums> of(found_.ops.size());
    for (const collective_group& g : found_.groups) {
      collective_op& op = found_.ops[g.op];
      sums& s = of[g.op];
      ++op.groups;
      op.max_skew_ps = std::max(op.max_skew_ps, g.start_gap_ps);
      s.skew += static_cast<double>(g.start_gap_ps);
      s.transfer += static_cast<double>(std::max<std::int64_t>(-std::max(g.order_gap_ps, -INT64_MAX), 0));
      s.bound += static_cast<double>(g.bound_ps);
      if (const auto came_last = last_of(g)) {
        const collective_member& last = member(g, *came_last);
        auto& late = s.late[{last.node, op.by_group ? last.device : -1}];
        ++late.first;
        late.second = op.by_group ? last.rank : -1;
      }
      if (g.payload_bytes < 0 || g.moving_ps <= 0) continue;
      ++op.sized_groups;
      op.payload_bytes = saturating_add(op.payload_bytes, g.payload_bytes);
      op.moving_ps = saturating_add(op.moving_ps, g.moving_ps);
    }
    for (std::size_t i = 0; i < of.size(); ++i) {
      collective_op& op = found_.ops[i];
      if (op.sub_groups) found_.unjudged += op.unjudged;
      if (op.groups == 0) continue;
      const auto n = static_cast<double>(op.groups);
      op.mean_skew_ps = static_cast<std::int64_t>(of[i].skew / n);
      op.mean_transfer_ps = static_cast<std::int64_t>(of[i].transfer / n);
      const auto latest = std::max_element(of[i].late.begin(), of[i].late.end(),
                                           [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
      const auto as_often = [&](const auto& each) { return latest != of[i].late.end() && each.second.first == latest->second.first; };
      if (std::count_if(of[i].late.begin(), of[i].late.end(), as_often) == 1) {
        op.latest_node = static_cast<std::int32_t>(latest->first.first);
        op.latest_device = latest->first.second;
        std::tie(op.latest_count, op.latest_rank) = latest->second;
      }
      op.cost = share_of(op, of[i].bound / n);
      if (op.unjudged > 0 && op.unjudged_why.empty())
        op.unjudged_why = directions_->why_unjudged(static_cast<std::uint32_t>(i), op, one_device_a_node_);
    }
  }

  // Whether time is lost to waiting for the last to come, or spent on moving data; nothing is said where the clocks
  // could turn one into the other.
  collective_op::share share_of(const collective_op& op, double bound) const {
    if (!found_.bounds_known) return collective_op::share::inconclusive;
    const auto skew = static_cast<double>(op.mean_skew_ps), transfer = static_cast<double>(op.mean_transfer_ps);
    constexpr double much = 2;
    if (skew - bound > much * (transfer + bound)) return collective_op::share::arrival;
    if (transfer - bound > much * (skew + bound)) return collective_op::share::transfer;
    return bound > (skew + transfer) / 4 ? collective_op::share::inconclusive : collective_op::share::mixed;
  }

  validation_result& found_;
  const collective_instances& from_;
  const validation_options& o_;
  std::vector<const clock_metadata*> clocks_;
  std::optional<collective_directions> directions_;
  bool one_device_a_node_ = true;  // else partners may be devices of other numbers
  std::vector<std::int64_t> starts_, ends_;
};

void warn_clock(validation_result& into, collective_warning::kind what, std::int64_t node, std::string text) {
  collective_warning w;
  w.what = what;
  w.node_id = node;
  w.text = std::move(text);
  into.warning_list.push_back(std::move(w));
}

// What is known of the clocks, per node and as a whole.
void judge_clocks(validation_result& found, const trace_bounds& bounds, const validation_options& o) {
  found.corrected = std::any_of(bounds.nodes.begin(), bounds.nodes.end(),
                                [](const clock_metadata& clock) { return clock.corrected; });
  found.bounds_known = !found.nodes.empty();
  for (collective_node& node : found.nodes) {
    const clock_metadata* const clock = bounds.find(node.id);
    if (clock != nullptr) node.bounds = clock->bounds;
    if (o.bound_ps) {
      node.bound_ps = o.bound_ps;
    } else if (clock != nullptr && clock->bounds.widest(clock_domain::tracer)) {
      node.bound_ps = clock->bounds.widest(clock_domain::tracer);
      if (std::any_of(clock->bounds.windows.begin(), clock->bounds.windows.end(),
                      [](const clock_window& w) { return w.suspect; }))
        warn_clock(found, collective_warning::kind::suspect_clock, node.id,
                   "its clock jumped, or ran at an impossible rate: the error bound is wide there");
    } else if (clock != nullptr) {
      warn_clock(found, collective_warning::kind::bound_unknown, node.id,
                 clock->corrected ? "its tracer clock was reset: the error of its device times is unknown"
                                  : "its times were aligned by wall time only: their error is unknown");
    }
    if (!node.bound_ps) found.bounds_known = false;
  }
  if (!found.corrected && !o.bound_ps && found.clocks > 1)
    warn_clock(found, collective_warning::kind::clocks_uncorrected, -1,
               "the clocks of these nodes were not corrected: an apparent violation may be clock skew");
}

std::string absence_of_comparison(const validation_result& found) {
  std::uint64_t collectives = 0;
  for (const collective_node& node : found.nodes) collectives += node.collectives;
  if (collectives == 0) return "no collectives on any device";
  if (found.nodes.size() < 2) return "all collectives are of one node: there is nothing to compare them with";
  if (found.unjudged == 0 && found.ops.empty() && found.within_node > 0)
    return "no collective spans these files: the process groups on record lie within one of them each";
  if (found.unjudged > 0)
    return "not judged: sub-groups. Every collective that several nodes ran has process groups smaller than the whole "
           "world, and the trace does not say which device is in which group";
  if (!found.ops.empty()) return "no collective that several nodes ran lies in the time asked for";
  return "no collective was run by more than one node";
}

// What the comparison takes for granted.
std::vector<std::string> assumptions_of(const validation_result& found) {
  if (found.groups.empty()) return {};
  std::vector<std::string> all;
  if (found.groups_by_time)
    all.emplace_back(
        "executions of one operation on the same device number of several nodes count as one invocation if they have "
        "the same run id, else if they are close in time");
  if (found.groups_by_order)
    all.emplace_back("ranks whose clocks are not known to agree, and that ran an operation as often each, ran it together each time");
  if (std::any_of(found.ops.begin(), found.ops.end(), [](const collective_op& op) { return op.by_group; }))
    all.emplace_back("members of a process group make the same calls in the same order");
  if (found.placed_by_order)
    all.emplace_back(
        "the devices of a program have ascending numbers in the order of the nodes and of their device numbers: traces do not say "
        "which device has which number");
  if (found.devices_counted)
    all.emplace_back("a program without a device assignment has as many devices as its process groups name, numbered from 0");
  if (found.groups_unknown)
    all.emplace_back("operations with no process group on record count as collectives of all nodes");
  if (found.groups_by_number)
    all.emplace_back("HCCL operations with the same group number (the last digits of the group's name) count as one group");
  if (std::any_of(found.ops.begin(), found.ops.end(),
                  [](const collective_op& op) { return op.semantics == collective_semantics::barrier; }))
    all.emplace_back("no member of an all-reduce, or of a collective like it, can end before the last member has begun");
  return all;
}


bool has_xspace(const std::shared_ptr<const trace>& of) {
  return of != nullptr && of->files().is_any_xspace();
}

}  // namespace

bool starts_last_alone(const validation_result& of, const collective_group& g) noexcept {
  const collective_member* const first = of.members.data() + g.first_member;
  const auto began_then = [&](const collective_member& m) { return m.start_ps == first[g.last].start_ps; };
  return std::count_if(first, first + g.member_count, began_then) == 1;
}

result<validation_result> validate_collectives(const std::vector<std::shared_ptr<const trace>>& traces,
                                               const validation_options& o) {
  return contained([&]() -> result<validation_result> {
    if (std::all_of(traces.begin(), traces.end(), [](const auto& trace) { return trace == nullptr; }))
      return fault{fault_code::invalid_argument, "no trace to validate", "", no_offset, "name one trace or one a node"};
    validation_result found;
    found.checked = std::any_of(traces.begin(), traces.end(), has_xspace) ? events_checked::some : events_checked::all;
    for (const auto& trace : traces) found.traces.push_back(trace == nullptr ? std::string() : trace->files().what().path);
    result<collective_instances> instances = find_collectives(traces, o.host);
    if (!instances) return std::move(instances).error();
    found.nodes = instances->nodes;
    found.clocks = instances->clocks;
    found.damage = instances->damage;
    found.origin_unix_ns = instances->origin_unix_ns;
    const trace_bounds bounds = read_bounds(traces);
    judge_clocks(found, bounds, o);
    match_by_time(*instances, found.corrected || o.bound_ps.has_value(), o, found);
    violation_judge(found, bounds, *instances, o).run();
    if (found.groups.empty()) found.absent = absence_of_comparison(found);
    found.assumptions = assumptions_of(found);
    found.warnings = found.warning_list.size();
    return found;
  });
}

std::string nodes_text(const validation_result& found) {
  if (found.clocks == found.nodes.size()) return counted(found.nodes.size(), "node", "nodes");
  return counted(found.nodes.size(), "process", "processes") + " of " +
         counted(std::uint64_t{found.clocks}, "host", "hosts");
}

result<validation_result> validate_collectives_of(const trace& t, const validation_options& o) {
  // A pointer without an owner: the caller keeps the capture open.
  return validate_collectives({std::shared_ptr<const trace>(std::shared_ptr<const trace>(), &t)}, o);
}

bool has_several_nodes(const profile& capture) {
  std::size_t spaces = 0, traces = 0;
  std::set<std::string_view> ascend_ranks;
  for (std::size_t file = 0; file < capture.file_count(); ++file) {
    const capture_file& listed = capture.what().files[file];
    switch (content_of(listed.family)) {
      case file_content::planes: ++spaces; break;
      case file_content::kernel_table: ascend_ranks.insert(listed.host); break;
      default: traces += is_trace(listed);
    }
    std::size_t nodes = 0;
    for (const plane_index& plane : capture.xspace(file)->planes) {
      constexpr std::string_view head = "/node:", tail = "/clock_metadata";
      nodes += plane.name.substr(0, head.size()) == head && plane.name.size() > tail.size() &&
                       plane.name.substr(plane.name.size() - tail.size()) == tail
                   ? 1
                   : 0;
    }
    if (nodes > 1) return true;
  }
  return spaces > 1 || traces > 1 || ascend_ranks.size() > 1;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
