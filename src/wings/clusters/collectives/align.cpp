// Clocks from collectives: who waits for whom bounds how far two clocks are apart, at known times. Bounds of clocks that never meet
// add up over those between them. What all of them leave of a clock is a polygon of offsets and drifts.
#include <profkit/core/collectives.hpp>

#include "ceiling.hpp"
#include "feasible.hpp"
#include "instances.hpp"
#include "known_calls.hpp"

#include "base/median.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double median(std::vector<double>& values) {
  return values.empty() ? 0 : upper_median(values);
}

// Each clock is put right by an estimate first, so that its difference to the reference is small: a line h with
// true time = c - h(c), where c is what the estimated clock shows. Where one begins (at s, on clock a) before another ends (at e, on
// clock b), h_b(e) - h_a(s) <= e - s.
class collective_aligner {
 public:
  collective_aligner(const validation_result& matched, const alignment_options& o) : matched_(matched), o_(o) {}

  alignment_result align() {
    collect();
    if (result_.absent.empty()) {
      estimate_all();
      relate_pairs();
      propagate();
      fill_result();
      fill_assumptions();
    }
    return std::move(result_);
  }

 private:
  // What a clock has of one group: the last start and the first end of its members.
  struct part {
    std::size_t group = 0;
    std::int64_t start_ps = 0, end_ps = 0;
  };
  // A member whose start lies before the end of another.
  struct order {
    std::uint32_t before = 0, after = 0;  // clocks
    std::int64_t start_ps = 0, end_ps = 0;
  };
  struct estimate {
    bool known = false;
    double offset = 0, drift = 0, spread = 0;  // the clock shows x + offset + drift * (x - pivot)
    double min_drift = 0, max_drift = 0;       // what h may drift over scale_
  };
  struct clock_pair {
    std::uint32_t a, b;
    std::uint64_t calls;
    clock_ceiling ahead, back;          // of h_b - h_a, and of h_a - h_b
    std::optional<feasible_set> lines;  // h_b as if a were the reference, where both sides are limited
  };
  using points = std::vector<clock_ceiling::point>;

  void collect() {
    result_.nodes.resize(matched_.nodes.size());
    for (std::size_t n = 0; n < matched_.nodes.size(); ++n) {
      result_.nodes[n].id = matched_.nodes[n].id;
      result_.nodes[n].hostname = matched_.nodes[n].hostname;
      if (matched_.nodes[n].id == o_.reference_node) result_.reference = static_cast<std::uint32_t>(n);
    }
    place_clocks();
    for (const collective_group& g : matched_.groups) take_group(g);
    if (matched_.nodes.size() < 2)
      result_.absent = "one node: there is nothing to align";
    else if (groups_ == 0)
      result_.absent = std::any_of(matched_.ops.begin(), matched_.ops.end(), [](const collective_op& op) { return op.sub_groups; })
                           ? "not judged: sub-groups; no collective of the whole world of which it is known who waits for whom"
                           : "no collective of which it is known who waits for whom";
    pivot_ = first_ < last_ ? std::floor((first_ + last_) / 2) : 0;
    scale_ = std::max(1.0, (last_ - first_) / 2);
  }

  void place_clocks() {
    std::map<std::uint32_t, std::uint32_t> clocks;
    for (std::uint32_t n = 0; n < matched_.nodes.size(); ++n)
      clock_of_.push_back(clocks.try_emplace(clock_shown_by(matched_, n), static_cast<std::uint32_t>(clocks.size())).first->second);
    first_node_.assign(clocks.size(), 0);
    for (std::uint32_t n = static_cast<std::uint32_t>(clock_of_.size()); n-- > 0;) first_node_[clock_of_[n]] = n;
    reference_ = clock_of_.empty() ? 0 : clock_of_[result_.reference];
    barriers_.resize(clocks.size());
    others_.resize(clocks.size());
    shared_clocks_ = clocks.size() < matched_.nodes.size();
  }

  void take_group(const collective_group& g) {
    const bool barrier = matched_.ops[g.op].semantics == collective_semantics::barrier;
    const std::size_t before = orders_.size();
    if (!barrier) take_orders(g);
    if (!barrier && orders_.size() == before) return;
    for (std::uint32_t i = 0; i < g.member_count; ++i) {
      const collective_member& m = matched_.members[g.first_member + i];
      std::vector<part>& parts = (barrier ? barriers_ : others_)[clock_of_[m.node]];
      if (parts.empty() || parts.back().group != groups_) parts.push_back({groups_, m.start_ps, m.end_ps});
      parts.back().start_ps = std::max(parts.back().start_ps, m.start_ps);
      parts.back().end_ps = std::min(parts.back().end_ps, m.end_ps);
      first_ = std::min(first_, static_cast<double>(m.start_ps));
      last_ = std::max(last_, static_cast<double>(m.end_ps));
    }
    any_barrier_ = any_barrier_ || barrier;
    ++groups_;
  }

  // Of a group where not all wait for all. Kernels of other libraries may end before their data has arrived.
  void take_orders(const collective_group& g) {
    const collective_op& op = matched_.ops[g.op];
    if (!op.by_group || (op.root < 0 && (op.pairs.empty() || !op.library_kernels))) return;
    const auto add = [&](const collective_member& sends, const collective_member& receives) {
      if (clock_of_[sends.node] != clock_of_[receives.node])
        orders_.push_back({clock_of_[sends.node], clock_of_[receives.node], sends.start_ps, receives.end_ps});
    };
    // By rank, so that what it takes grows with members and pairs, and not with their product.
    by_rank_.clear();
    for (std::uint32_t i = 0; i < g.member_count; ++i) by_rank_.emplace_back(matched_.members[g.first_member + i].rank, i);
    std::stable_sort(by_rank_.begin(), by_rank_.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    const auto each_of = [&](std::int64_t rank, auto&& take) {
      auto at = std::lower_bound(by_rank_.begin(), by_rank_.end(), rank, [](const auto& x, std::int64_t wanted) { return x.first < wanted; });
      for (; at != by_rank_.end() && at->first == rank; ++at) take(matched_.members[g.first_member + at->second]);
    };
    const auto each = [&](auto&& take) {
      for (std::uint32_t i = 0; i < g.member_count; ++i) take(matched_.members[g.first_member + i]);
    };
    if (op.semantics == collective_semantics::from_one)
      return each_of(op.root, [&](const collective_member& a) { each([&](const collective_member& b) { add(a, b); }); });
    if (op.semantics == collective_semantics::to_one)
      return each_of(op.root, [&](const collective_member& b) { each([&](const collective_member& a) { add(a, b); }); });
    for (const auto& pair : op.pairs)
      each_of(pair.first, [&](const collective_member& a) {
        if (a.part == collective_part::receives) return;
        each_of(pair.second, [&](const collective_member& b) {
          if (b.part != collective_part::sends) add(a, b);
        });
      });
  }

  [[nodiscard]] std::uint32_t clocks() const noexcept { return static_cast<std::uint32_t>(barriers_.size()); }
  // Times since the pivot on a clock, and as its estimate puts them right.
  [[nodiscard]] double own(std::int64_t time_ps) const noexcept { return static_cast<double>(time_ps) - pivot_; }
  [[nodiscard]] double corrected(std::uint32_t clock, std::int64_t time_ps) const noexcept {
    const estimate& e = estimates_[clock];
    return (own(time_ps) - e.offset) / (1 + e.drift);
  }

  // Ends lie close together on a true clock: a robust line through their differences. Clocks are reached from the reference, the best
  // joined ones first; by ends of barriers, or else of other calls.
  void estimate_all() {
    estimates_.assign(clocks(), {});
    struct joined {
      const std::vector<std::vector<part>>& parts;
      std::vector<std::vector<std::uint32_t>> clocks_of;  // by group
      std::vector<std::vector<double>> ends;              // by group, those that are put right
      std::vector<std::uint64_t> calls;                   // by clock, with one whose estimate is known
    };
    joined all[] = {{barriers_, {}, {}, {}}, {others_, {}, {}, {}}};
    for (joined& j : all) {
      j.clocks_of.resize(groups_);
      j.ends.resize(groups_);
      j.calls.assign(clocks(), 0);
      for (std::uint32_t c = 0; c < clocks(); ++c)
        for (const part& p : j.parts[c]) j.clocks_of[p.group].push_back(c);
    }
    const auto add = [&](std::uint32_t clock) {
      estimates_[clock].known = true;
      for (joined& j : all)
        for (const part& p : j.parts[clock]) {
          if (j.ends[p.group].empty())
            for (const std::uint32_t other : j.clocks_of[p.group]) ++j.calls[other];
          j.ends[p.group].push_back(corrected(clock, p.end_ps));
        }
    };
    add(reference_);
    for (;;) {
      const joined* by = nullptr;
      std::uint32_t best = 0;
      for (const joined& j : all) {
        for (std::uint32_t c = 0; c < clocks(); ++c)
          if (!estimates_[c].known && j.calls[c] > (by == nullptr ? 0 : j.calls[best])) {
            by = &j;
            best = c;
          }
        if (by != nullptr) break;
      }
      if (by == nullptr) break;
      points differences;
      for (const part& p : by->parts[best]) {
        std::vector<double> ends = by->ends[p.group];
        if (ends.empty()) continue;
        const double common = median(ends);
        differences.push_back({common, own(p.end_ps) - common});
      }
      estimates_[best] = line_through(std::move(differences));
      add(best);
    }
    for (std::uint32_t c = 0; c < clocks(); ++c)
      if (c != reference_) std::tie(estimates_[c].min_drift, estimates_[c].max_drift) = drift_between(reference_, c);
  }

  // Two clocks differ by what both may be wrong.
  [[nodiscard]] double allowed_drift() const noexcept { return 2 * o_.max_drift_ppm * 1e-6; }

  [[nodiscard]] estimate line_through(points all) const {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    estimate e;
    std::vector<double> values;
    const std::size_t half = all.size() / 2;
    constexpr std::size_t min_points = 4;
    if (all.size() >= min_points)
      for (std::size_t i = 0; i + half < all.size(); ++i)
        if (all[i + half].x > all[i].x) values.push_back((all[i + half].y - all[i].y) / (all[i + half].x - all[i].x));
    const double most = o_.max_drift_ppm * 1e-6;
    e.drift = std::clamp(median(values), -most, most);
    values.clear();
    for (const auto& p : all) values.push_back(p.y - e.drift * p.x);
    e.offset = median(values);
    for (double& v : values) v = std::abs(v - e.offset);
    e.spread = 1.4826 * median(values);  // of a normal distribution: its standard deviation
    return e;
  }

  // What calls of two clocks say of their difference.
  void relate_pairs() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const order*>> orders;
    for (const order& o : orders_) orders[{std::min(o.before, o.after), std::max(o.before, o.after)}].push_back(&o);
    for (std::uint32_t a = 0; a < clocks(); ++a)
      for (std::uint32_t b = a + 1; b < clocks(); ++b) {
        if (!estimates_[a].known || !estimates_[b].known) continue;
        std::vector<order> all;
        std::uint64_t calls = 0;
        for (auto of_a = barriers_[a].begin(), of_b = barriers_[b].begin(); of_a != barriers_[a].end() && of_b != barriers_[b].end();) {
          if (of_a->group == of_b->group) {
            ++calls;
            all.push_back({a, b, of_a->start_ps, of_b->end_ps});
            all.push_back({b, a, of_b->start_ps, of_a->end_ps});
          }
          const bool next_a = of_a->group <= of_b->group, next_b = of_b->group <= of_a->group;
          of_a += next_a ? 1 : 0;
          of_b += next_b ? 1 : 0;
        }
        if (const auto more = orders.find({a, b}); more != orders.end())
          for (const order* o : more->second) {
            ++calls;
            all.push_back(*o);
          }
        if (calls > 0) pairs_.push_back(pair_of(a, b, calls, all));
      }
  }

  [[nodiscard]] clock_pair pair_of(std::uint32_t a, std::uint32_t b, std::uint64_t calls, const std::vector<order>& orders) const {
    // Both lines at one time, that of b; h_a may be off by what it drifts meanwhile. The reference does not.
    const std::uint32_t still = b == reference_ ? b : a;
    const estimate& moves = estimates_[still];
    const double drift = std::max(std::abs(moves.min_drift), std::abs(moves.max_drift)) / scale_;
    points ahead, back, exact_ahead, exact_back;
    for (points* each : {&ahead, &back, &exact_ahead, &exact_back}) each->reserve(orders.size());
    for (const order& o : orders) {
      const double start = corrected(o.before, o.start_ps), end = corrected(o.after, o.end_ps);
      const double apart = end - start + rounding_ps;
      const bool forward = o.before == a;
      (forward ? exact_ahead : exact_back).push_back({(forward ? end : start) / scale_, apart});
      (forward ? ahead : back).push_back({(o.before == still ? end : start) / scale_, apart + drift * std::abs(end - start)});
    }
    const auto [least, most] = drift_between(a, b);
    // Of two lines that drift: 1 - h_b' = (1 - h_a') * (1 - least)
    const double slack = 1 + 2 * allowed_drift();
    const double low = least < 0 ? least * slack : least / slack, high = most > 0 ? most * slack : most / slack;
    clock_pair pair{a, b, calls, clock_ceiling(low, high), clock_ceiling(-high, -low), std::nullopt};
    pair.ahead.lower(ahead);
    pair.back.lower(back);
    if (exact_ahead.empty() || exact_back.empty()) return pair;
    clock_ceiling over(least, most), under(-most, -least);
    over.lower(exact_ahead);
    under.lower(exact_back);
    pair.lines = lines_between(over, under, least, most);
    return pair;
  }

  // How h_b drifts over scale_ as if a were the reference: 1 - h_b' = (1 + estimate of b) / (1 + estimate of a) / (1 + drift).
  [[nodiscard]] std::pair<double, double> drift_between(std::uint32_t a, std::uint32_t b) const noexcept {
    const double taken = (1 + estimates_[b].drift) / (1 + estimates_[a].drift), most = allowed_drift();
    return {(1 - taken / (1 - most)) * scale_, (1 - taken / (1 + most)) * scale_};
  }

  static feasible_set lines_between(const clock_ceiling& ahead, const clock_ceiling& back, double least, double most) {
    double widest = 1;
    for (const clock_ceiling* each : {&ahead, &back})
      for (const auto& p : each->corners()) widest = std::max(widest, std::abs(p.y));
    feasible_set set(4 * (widest + most - least), least, most);
    for (const auto& p : ahead.corners()) set.cut(p.x, p.y, 1);
    for (const auto& p : back.corners()) set.cut(p.x, -p.y, -1);
    return set;
  }

  // How far each clock is from the reference at most, on both sides: what the two say, or what adds up over others. Pairs that
  // contradict themselves say nothing.
  void propagate() {
    for (std::uint32_t c = 0; c < clocks(); ++c) {
      const double least = estimates_[c].min_drift, most = estimates_[c].max_drift;
      ahead_.emplace_back(least, most);
      back_.emplace_back(-most, -least);
    }
    for (auto* each : {&ahead_, &back_}) (*each)[reference_].lower({{0, 0}});
    constexpr double little_ps = 1;
    for (std::uint32_t round = 0; round < clocks(); ++round) {
      bool changed = false;
      for (const clock_pair& pair : pairs_) {
        if (pair.lines && pair.lines->empty()) continue;
        const auto extend = [&](std::vector<clock_ceiling>& to, std::uint32_t from, std::uint32_t clock, const clock_ceiling& by) {
          if (clock != reference_) changed = to[clock].lower_to_sum(to[from], by, little_ps) || changed;
        };
        extend(ahead_, pair.a, pair.b, pair.ahead);
        extend(ahead_, pair.b, pair.a, pair.back);
        extend(back_, pair.b, pair.a, pair.ahead);
        extend(back_, pair.a, pair.b, pair.back);
      }
      if (!changed) return;
    }
  }

  // What clock b shows when a shows the pivot, less that, and how it drifts against a, if its h is this line as if a were the
  // reference: b put right = (a put right + h(0)) / (1 - h').
  [[nodiscard]] clock_line shown(std::uint32_t a, std::uint32_t b, const clock_line& h) const noexcept {
    const estimate &ea = estimates_[a], &eb = estimates_[b];
    const double zero = -ea.offset / (1 + ea.drift), rate = (1 + eb.drift) / (1 - h.drift / scale_);
    return {eb.offset + rate * (zero + h.offset), rate / (1 + ea.drift) - 1};
  }
  [[nodiscard]] clock_relation relation_of(std::uint32_t node_a, std::uint32_t node_b, std::uint64_t calls, const feasible_set& lines) const {
    clock_relation r;
    r.a = node_a;
    r.b = node_b;
    r.constraints = calls;
    r.pivot_ps = static_cast<std::int64_t>(pivot_);
    r.feasible = !lines.empty();
    if (!r.feasible) return r;
    clock_line least{infinite, infinite}, most{-infinite, -infinite};
    for (const clock_line& corner : lines.corners()) {
      const clock_line at = shown(clock_of_[node_a], clock_of_[node_b], corner);
      least = {std::min(least.offset, at.offset), std::min(least.drift, at.drift)};
      most = {std::max(most.offset, at.offset), std::max(most.drift, at.drift)};
    }
    r.least_offset_ps = static_cast<std::int64_t>(std::floor(least.offset));
    r.most_offset_ps = static_cast<std::int64_t>(std::ceil(most.offset));
    r.least_drift_ppm = least.drift * 1e6;
    r.most_drift_ppm = most.drift * 1e6;
    r.decidable = (most.offset - least.offset) / 2 <= static_cast<double>(o_.max_bound_ps);
    return r;
  }

  void fill_result() {
    std::vector<std::uint64_t> calls(clocks());
    contradicted_.assign(clocks(), false);
    for (const clock_pair& pair : pairs_) {
      if (pair.a == reference_) calls[pair.b] = pair.calls;
      if (pair.b == reference_) calls[pair.a] = pair.calls;
      if (pair.lines && pair.lines->empty() && (pair.a == reference_ || pair.b == reference_))
        contradicted_[pair.a == reference_ ? pair.b : pair.a] = true;
      if (!pair.lines) continue;
      result_.pairs.push_back(relation_of(first_node_[pair.a], first_node_[pair.b], pair.calls, *pair.lines));
      if (!result_.pairs.back().feasible) ++result_.contradictions;
    }
    for (std::uint32_t n = 0; n < result_.nodes.size(); ++n) fill_node(n, calls[clock_of_[n]]);
  }

  void fill_node(std::uint32_t n, std::uint64_t calls) {
    aligned_node& node = result_.nodes[n];
    const std::uint32_t clock = clock_of_[n];
    node.reached = contradicted_[clock] || (ahead_[clock].limits() && back_[clock].limits());
    if (clock == reference_) {
      node.to_reference.a = result_.reference;
      node.to_reference.b = n;
      node.to_reference.decidable = true;
      node.contains_zero = true;
      return;
    }
    if (!node.reached) {
      ++result_.undecidable;
      return;
    }
    const estimate& e = estimates_[clock];
    const feasible_set lines = contradicted_[clock] ? feasible_set() : lines_between(ahead_[clock], back_[clock], e.min_drift, e.max_drift);
    node.to_reference = relation_of(result_.reference, n, calls, lines);
    // Without drift and offset: the line that undoes the estimate.
    node.contains_zero = lines.contains({-e.offset, -e.drift * scale_}, 1);
    clock_line point{0, 0};
    if (!lines.contains(point, 1)) point = lines.centre();
    const clock_line guess = shown(reference_, clock, point);
    node.offset_ps = guess.offset;
    node.drift_ppm = guess.drift * 1e6;
    node.spread_ps = e.spread;
    if (!node.to_reference.decidable) ++result_.undecidable;
    compare_with_snapshots(n, node);
  }

  void fill_assumptions() {
    std::vector<std::string>& all = result_.assumptions;
    all.emplace_back("matched executions are one invocation, and all of them took part in it");
    if (any_barrier_)
      all.emplace_back("no member of an all-reduce, or of a collective like it, can end before the last member has begun");
    if (!orders_.empty()) all.emplace_back("nobody has received before the sender has begun");
    if (matched_.placed_by_order)
      all.emplace_back("the devices of a program have ascending numbers in the order of the nodes and of their device numbers");
    if (shared_clocks_) all.emplace_back("processes of one host show the time of one clock");
    all.emplace_back("every clock runs at a constant rate over the capture, off by no more than " +
                     std::to_string(static_cast<std::int64_t>(o_.max_drift_ppm)) + " ppm");
  }

  // Corrected clocks are said to agree with the reference: within both bounds the difference must be able to be 0.
  void compare_with_snapshots(std::uint32_t n, aligned_node& node) const {
    const auto &mine = matched_.nodes[n].bound_ps, &others = matched_.nodes[result_.reference].bound_ps;
    if (!matched_.corrected || !mine || !others) return;
    node.snapshot_offset_ps = 0;
    const std::int64_t slack = *mine + *others;
    node.agrees = node.to_reference.feasible && node.to_reference.least_offset_ps <= slack &&
                  node.to_reference.most_offset_ps >= -slack;
  }

  // Times are whole ps, and doubles hold them to a few more.
  static constexpr double rounding_ps = 2;

  const validation_result& matched_;
  const alignment_options& o_;
  alignment_result result_;
  std::vector<std::uint32_t> clock_of_, first_node_;  // by node, by clock
  std::uint32_t reference_ = 0;
  std::vector<std::vector<part>> barriers_, others_;  // by clock, in the order of groups
  std::vector<order> orders_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> by_rank_;  // of a group: rank, and which member
  std::size_t groups_ = 0;
  bool any_barrier_ = false, shared_clocks_ = false;
  double first_ = infinite, last_ = -infinite, pivot_ = 0, scale_ = 1;
  std::vector<estimate> estimates_;
  std::vector<clock_pair> pairs_;
  std::vector<clock_ceiling> ahead_, back_;  // by clock: of h, and of -h
  std::vector<bool> contradicted_;           // by clock: its calls with the reference contradict one another
};

}  // namespace

alignment_result align_matched(const validation_result& matched, const alignment_options& how) {
  return collective_aligner(matched, how).align();
}

alignment_result align_by_collectives(const validation_result& matched, const alignment_options& o) {
  alignment_result aligned = align_matched(matched, o);
  mark_known_calls(matched, o, aligned);
  return aligned;
}

result<nodes_compared> compare_nodes(const trace& t, const query_filters& o, const hooks& host) {
  nodes_compared found;
  if (!o.host.empty() || !has_several_nodes(t.files())) return found;
  validation_options asked;
  asked.host = host;
  result<validation_result> validation = validate_collectives_of(t, asked);
  if (!validation) return std::move(validation).error();
  found.validation = std::move(validation).value();
  if (found.validation->corrected || !found.validation->absent.empty() || found.validation->clocks < 2) return found;
  if (found.validation->nodes.size() > max_nodes_aligned) return found;
  alignment_options from;
  from.reference_node = found.validation->nodes.front().id;
  found.alignment = align_by_collectives(*found.validation, from);
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
