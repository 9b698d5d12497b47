// Clocks from collectives: nobody ends a barrier before everybody began it, so each one bounds how far two clocks are
// apart, from both sides and at known times. What all of them leave is a polygon of offsets and drifts.
#include <profkit/core/collectives.hpp>

#include "feasible.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// A point that bounds a clock's difference at a time, from above or from below.
struct bound_point {
  double x, y;
};

// The points of which no line through others makes one needless: the lower hull of upper bounds. For lower bounds the
// sign of y is turned.
std::vector<bound_point> tightest(std::vector<bound_point> points) {
  std::sort(points.begin(), points.end(),
            [](const bound_point& a, const bound_point& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  std::vector<bound_point> hull;
  for (const bound_point& p : points) {
    if (!hull.empty() && hull.back().x == p.x) continue;
    while (hull.size() > 1) {
      const bound_point &a = hull[hull.size() - 2], &b = hull.back();
      if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0) break;
      hull.pop_back();
    }
    hull.push_back(p);
  }
  return hull;
}

double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class collective_aligner {
 public:
  collective_aligner(const validation_result& matched, const alignment_options& o) : matched_(matched), o_(o) {}

  alignment_result align() {
    collect();
    if (result_.absent.empty()) {
      result_.assumptions = {
          "matched executions are one invocation, and all of them took part in it",
          "no member of an all-reduce, or of a collective like it, can end before the last member has begun",
          "every clock runs at a constant rate over the capture, off by no more than " +
              std::to_string(static_cast<std::int64_t>(o_.max_drift_ppm)) + " ppm"};
      estimate_all();
      relate_pairs();
      propagate();
      fill_result();
    }
    return std::move(result_);
  }

 private:
  // Executions of one barrier, by node.
  struct barrier {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> members;  // node, index into members
  };
  struct estimate {
    bool known = false;
    double offset = 0, drift = 0, spread = 0;  // x_node = x + offset + drift * (x - pivot)
  };

  void collect() {
    result_.nodes.resize(matched_.nodes.size());
    for (std::size_t n = 0; n < matched_.nodes.size(); ++n) {
      result_.nodes[n].id = matched_.nodes[n].id;
      result_.nodes[n].hostname = matched_.nodes[n].hostname;
      if (matched_.nodes[n].id == o_.reference_node) result_.reference = static_cast<std::uint32_t>(n);
    }
    double first = infinite, last = -infinite;
    for (const collective_group& g : matched_.groups) {
      if (matched_.ops[g.op].semantics != collective_semantics::barrier) continue;
      barrier b;
      for (std::uint32_t i = 0; i < g.member_count; ++i) {
        const std::uint64_t at = g.first_member + i;
        const collective_member& m = matched_.members[at];
        b.members.emplace_back(m.node, at);
        first = std::min(first, static_cast<double>(m.start_ps));
        last = std::max(last, static_cast<double>(m.end_ps));
      }
      barriers_.push_back(std::move(b));
    }
    if (matched_.nodes.size() < 2)
      result_.absent = "one node: there is nothing to align";
    else if (barriers_.empty())
      result_.absent = std::any_of(matched_.ops.begin(), matched_.ops.end(),
                                 [](const collective_op& op) { return op.sub_groups; })
                         ? "not judged: sub-groups; no collective of the whole world in which every member must "
                           "begin before any member ends"
                         : "no collective in which every member must begin before any member ends";
    pivot_ = first < last ? std::floor((first + last) / 2) : 0;
    scale_ = std::max(1.0, (last - first) / 2);
  }

  // Times since the pivot on the node's own clock, and as the estimate puts them on the reference clock.
  [[nodiscard]] double own(std::int64_t time_ps) const noexcept { return static_cast<double>(time_ps) - pivot_; }
  [[nodiscard]] double corrected(std::uint32_t node, std::int64_t time_ps) const noexcept {
    const estimate& e = estimates_[node];
    return (own(time_ps) - e.offset) / (1 + e.drift);
  }

  // Ends of barriers lie close together on a true clock: a robust line through their differences. Nodes are reached
  // from the reference, the best joined ones first.
  void estimate_all() {
    estimates_.assign(matched_.nodes.size(), {});
    estimates_[result_.reference].known = true;
    for (;;) {
      std::size_t best = matched_.nodes.size();
      std::vector<bound_point> of_best;
      for (std::uint32_t n = 0; n < matched_.nodes.size(); ++n) {
        if (estimates_[n].known) continue;
        std::vector<bound_point> differences;
        for (const barrier& b : barriers_) {
          std::vector<double> ends;
          double mine = infinite;
          for (const auto& [node, at] : b.members) {
            if (node == n) mine = own(matched_.members[at].end_ps);
            if (estimates_[node].known) ends.push_back(corrected(node, matched_.members[at].end_ps));
          }
          if (mine == infinite || ends.empty()) continue;
          const double common = median(ends);
          differences.push_back({common, mine - common});
        }
        if (!differences.empty() && (best == matched_.nodes.size() || differences.size() > of_best.size())) {
          best = n;
          of_best = std::move(differences);
        }
      }
      if (best == matched_.nodes.size()) return;
      estimates_[best] = line_through(std::move(of_best));
    }
  }

  [[nodiscard]] estimate line_through(std::vector<bound_point> points) const {
    std::sort(points.begin(), points.end(), [](const bound_point& a, const bound_point& b) { return a.x < b.x; });
    estimate e;
    e.known = true;
    std::vector<double> values;
    const std::size_t half = points.size() / 2;
    constexpr std::size_t min_points = 4;
    if (points.size() >= min_points)
      for (std::size_t i = 0; i + half < points.size(); ++i)
        if (points[i + half].x > points[i].x)
          values.push_back((points[i + half].y - points[i].y) / (points[i + half].x - points[i].x));
    const double most = o_.max_drift_ppm * 1e-6;
    e.drift = std::clamp(median(values), -most, most);
    values.clear();
    for (const bound_point& p : points) values.push_back(p.y - e.drift * p.x);
    e.offset = median(values);
    for (double& v : values) v = std::abs(v - e.offset);
    e.spread = 1.4826 * median(values);  // of a normal distribution: its standard deviation
    return e;
  }

  struct pair_set {
    std::uint32_t a, b;
    std::uint64_t barriers = 0;
    feasible_set lines;  // b - a, of corrected times
  };

  // b's corrected time less a's, at a's corrected time x: what each barrier allows.
  void relate_pairs() {
    struct span {
      double start = infinite, end = infinite;
    };
    const std::size_t nodes = matched_.nodes.size();
    std::vector<span> spans(nodes * barriers_.size());
    for (std::size_t i = 0; i < barriers_.size(); ++i)
      for (const auto& [node, at] : barriers_[i].members) {
        if (!estimates_[node].known) continue;
        // Of several devices of a node the last to begin and the first to end say most.
        span& all = spans[node * barriers_.size() + i];
        const double start = corrected(node, matched_.members[at].start_ps), end = corrected(node, matched_.members[at].end_ps);
        all.start = all.start == infinite ? start : std::max(all.start, start);
        all.end = std::min(all.end, end);
      }
    for (std::uint32_t a = 0; a < nodes; ++a)
      for (std::uint32_t b = a + 1; b < nodes; ++b) {
        std::vector<bound_point> upper, lower;
        for (std::size_t i = 0; i < barriers_.size(); ++i) {
          const span &of_a = spans[a * barriers_.size() + i], &of_b = spans[b * barriers_.size() + i];
          if (of_a.start == infinite || of_b.start == infinite) continue;
          upper.push_back({of_a.start / scale_, of_b.end - of_a.start});
          lower.push_back({of_a.end / scale_, of_a.end - of_b.start});
        }
        if (upper.empty()) continue;
        const std::uint64_t count = upper.size();
        pairs_.push_back({a, b, count, set_of(a, b, std::move(upper), std::move(lower))});
      }
  }

  [[nodiscard]] feasible_set set_of(std::uint32_t a, std::uint32_t b, std::vector<bound_point> upper,
                                    std::vector<bound_point> lower) const {
    // Two clocks differ by what both may be wrong; of that the estimates have taken a part.
    const double allowed = 2 * o_.max_drift_ppm * 1e-6;
    const double taken = (1 + estimates_[a].drift) / (1 + estimates_[b].drift);
    const double min_drift = ((1 - allowed) * taken - 1) * scale_, max_drift = ((1 + allowed) * taken - 1) * scale_;
    double most = 1;
    for (const bound_point& p : upper) most = std::max(most, std::abs(p.y));
    for (const bound_point& p : lower) most = std::max(most, std::abs(p.y));
    feasible_set set(4 * (most + max_drift - min_drift), min_drift, max_drift);
    for (const bound_point& p : tightest(std::move(upper))) set.cut(p.x, p.y + rounding_ps, 1);
    for (const bound_point& p : tightest(std::move(lower))) set.cut(p.x, -p.y - rounding_ps, -1);
    return set;
  }

  // What a node may be from the reference: what collectives of the two say, and what those with third nodes imply.
  void propagate() {
    const std::size_t nodes = matched_.nodes.size();
    sets_.assign(nodes, {});
    reached_.assign(nodes, false);
    reached_[result_.reference] = true;
    for (const pair_set& pair : pairs_) {
      if (pair.a == result_.reference) take(pair.b, pair.lines);
      if (pair.b == result_.reference) take(pair.a, pair.lines.negated());
    }
    constexpr int max_rounds = 4;
    for (int round = 0; round < max_rounds; ++round) {
      bool changed = false;
      for (const pair_set& pair : pairs_) {
        changed = extend(pair.a, pair.b, pair.lines) || changed;
        changed = extend(pair.b, pair.a, pair.lines.negated()) || changed;
      }
      if (!changed) break;
    }
  }

  void take(std::uint32_t node, const feasible_set& lines) {
    if (reached_[node])
      sets_[node].intersect(lines);
    else
      sets_[node] = lines;
    reached_[node] = true;
  }

  // From the reference over `via` to `node`.
  bool extend(std::uint32_t via, std::uint32_t node, const feasible_set& step) {
    if (!reached_[via] || via == result_.reference || node == result_.reference || sets_[via].empty() || step.empty())
      return false;
    // One clock's time stands for the other's in the argument of the drift: wrong by drift times offset.
    const clock_line most = sets_[via].most(), least = sets_[via].least(), high = step.most(), low = step.least();
    const double shift =
        std::max(std::abs(most.offset), std::abs(least.offset)) + std::max(std::abs(most.drift), std::abs(least.drift));
    const double error = shift * std::max(std::abs(high.drift), std::abs(low.drift)) / scale_;
    const feasible_set over = sets_[via].plus(step).widened(error);
    if (!reached_[node]) {
      take(node, over);
      return true;
    }
    if (sets_[node].empty()) return false;
    const clock_line before_least = sets_[node].least(), before_most = sets_[node].most();
    sets_[node].intersect(over);
    if (sets_[node].empty()) return true;
    const clock_line now_least = sets_[node].least(), now_most = sets_[node].most();
    const double before = before_most.offset - before_least.offset, now = now_most.offset - now_least.offset;
    return now < before * 0.999;
  }

  // A set about corrected times as a statement about the clocks themselves: a is the reference clock, or (for pairs of
  // others) a's own clock put right by its estimate.
  [[nodiscard]] clock_relation relation_of(std::uint32_t a, std::uint32_t b, std::uint64_t barriers,
                                           const feasible_set& lines) const {
    clock_relation r;
    r.a = a;
    r.b = b;
    r.constraints = barriers;
    r.pivot_ps = static_cast<std::int64_t>(pivot_);
    r.feasible = !lines.empty();
    if (!r.feasible) return r;
    // x_b = offset_b + (1 + drift_b) * (x_a' + line(x_a')), and x_a' = (x_a - offset_a) / (1 + drift_a).
    const estimate &ea = estimates_[a], &eb = estimates_[b];
    double min_offset = infinite, max_offset = -infinite, min_drift = infinite, max_drift = -infinite;
    for (const clock_line& corner : lines.corners()) {
      const double drift = corner.drift / scale_;
      const double zero_a = -ea.offset / (1 + ea.drift);  // the pivot of a's clock, corrected
      const double offset = eb.offset + (1 + eb.drift) * (zero_a + corner.offset + drift * zero_a);
      const double slope = (1 + eb.drift) * (1 + drift) / (1 + ea.drift) - 1;
      min_offset = std::min(min_offset, offset);
      max_offset = std::max(max_offset, offset);
      min_drift = std::min(min_drift, slope);
      max_drift = std::max(max_drift, slope);
    }
    r.least_offset_ps = static_cast<std::int64_t>(std::floor(min_offset));
    r.most_offset_ps = static_cast<std::int64_t>(std::ceil(max_offset));
    r.least_drift_ppm = min_drift * 1e6;
    r.most_drift_ppm = max_drift * 1e6;
    r.decidable = (max_offset - min_offset) / 2 <= static_cast<double>(o_.max_bound_ps);
    return r;
  }

  void fill_result() {
    for (const pair_set& pair : pairs_) {
      result_.pairs.push_back(relation_of(pair.a, pair.b, pair.barriers, pair.lines));
      if (!result_.pairs.back().feasible) ++result_.contradictions;
    }
    for (std::uint32_t n = 0; n < result_.nodes.size(); ++n) {
      aligned_node& node = result_.nodes[n];
      node.reached = reached_[n];
      if (n == result_.reference) {
        node.to_reference.a = node.to_reference.b = n;
        node.to_reference.decidable = true;
        node.contains_zero = true;
        continue;
      }
      if (!node.reached) {
        ++result_.undecidable;
        continue;
      }
      std::uint64_t barriers = 0;
      for (const pair_set& pair : pairs_)
        if ((pair.a == n && pair.b == result_.reference) || (pair.b == n && pair.a == result_.reference))
          barriers = pair.barriers;
      node.to_reference = relation_of(result_.reference, n, barriers, sets_[n]);
      const estimate& e = estimates_[n];
      // Without drift and offset: on corrected times the line that undoes the estimate.
      const clock_line still{-e.offset / (1 + e.drift), (1 / (1 + e.drift) - 1) * scale_};
      node.contains_zero = sets_[n].contains(still, 1);
      clock_line point{0, 0};
      if (!sets_[n].contains(point, 1)) point = sets_[n].centre();
      node.offset_ps = e.offset + (1 + e.drift) * point.offset;
      node.drift_ppm = ((1 + e.drift) * (1 + point.drift / scale_) - 1) * 1e6;
      node.spread_ps = e.spread;
      if (!node.to_reference.decidable) ++result_.undecidable;
      compare_with_snapshots(n, node);
    }
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
  std::vector<barrier> barriers_;
  double pivot_ = 0, scale_ = 1;
  std::vector<estimate> estimates_;
  std::vector<pair_set> pairs_;
  std::vector<feasible_set> sets_;
  std::vector<bool> reached_;
};

}  // namespace

alignment_result align_by_collectives(const validation_result& matched, const alignment_options& o) {
  return collective_aligner(matched, o).align();
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
