// Clocks from collectives alone, against known clocks and against an independent linear program.
#include "../merge/cluster_truth.hpp"
#include "cluster.hpp"

#include <support.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>

using namespace profkit;
using test::cluster;
using test::cluster_shape;

namespace {

// max c·x over A x <= b with free x, by the tableau simplex method from a point that is known to be feasible.
class linear_program {
 public:
  linear_program(std::vector<std::vector<long double>> rows, std::vector<long double> slack)
      : rows_(std::move(rows)), slack_(std::move(slack)) {}

  [[nodiscard]] long double maximum(const std::vector<long double>& objective) const {
    const std::size_t m = rows_.size(), n = objective.size(), columns = 2 * n + m;
    std::vector<std::vector<long double>> t(m + 1, std::vector<long double>(columns + 1, 0));
    std::vector<std::size_t> basis(m);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        t[i][j] = rows_[i][j];
        t[i][n + j] = -rows_[i][j];
      }
      t[i][2 * n + i] = 1;
      t[i][columns] = slack_[i];
      basis[i] = 2 * n + i;
    }
    for (std::size_t j = 0; j < n; ++j) {
      t[m][j] = -objective[j];
      t[m][n + j] = objective[j];
    }
    for (int step = 0; step < 20000; ++step) {
      // The steepest column at first, Bland's rule once it goes on for long.
      std::size_t enter = columns;
      for (std::size_t j = 0; j < columns; ++j)
        if (t[m][j] < -1e-12L && (enter == columns || (step < 5000 && t[m][j] < t[m][enter]))) enter = j;
      if (enter == columns) return t[m][columns];
      std::size_t leave = m;
      for (std::size_t i = 0; i < m; ++i)
        if (t[i][enter] > 1e-12L && (leave == m || t[i][columns] * t[leave][enter] < t[leave][columns] * t[i][enter]))
          leave = i;
      if (leave == m) return std::numeric_limits<long double>::infinity();
      const long double pivot = t[leave][enter];
      for (long double& v : t[leave]) v /= pivot;
      for (std::size_t i = 0; i <= m; ++i) {
        if (i == leave || t[i][enter] == 0) continue;
        const long double factor = t[i][enter];
        for (std::size_t j = 0; j <= columns; ++j) t[i][j] -= factor * t[leave][j];
      }
      basis[leave] = enter;
    }
    return -1;
  }

 private:
  std::vector<std::vector<long double>> rows_;
  std::vector<long double> slack_;
};

// Widths of the exact feasible set: every pair of every barrier at once. A node's clock is put right by
// t = x - offset - drift * (x - pivot), about one instant: the pivot is where that node's clock stood then. Times in
// us, drift in us over the half span.
class exact_set {
 public:
  exact_set(const cluster& c, const validation_result& found, double pivot_ps) : nodes_(c.nodes.size()) {
    double span = 1;
    for (const collective_member& m : found.members)
      span = std::max({span, std::abs(static_cast<double>(m.start_ps) - pivot_ps),
                       std::abs(static_cast<double>(m.end_ps) - pivot_ps)});
    // The true clocks: a feasible point.
    const auto& zero = c.nodes[0];
    std::vector<long double> truth(2 * (nodes_ - 1), 0);
    std::vector<double> pivots(nodes_, pivot_ps);
    for (std::size_t n = 1; n < nodes_; ++n) {
      const auto& clock = c.nodes[n];
      // x_n = o + (1 + d) t and x_0 = o0 + (1 + d0) t: x_0 as a function of x_n.
      const long double slope = (1.0L + zero.drift) / (1.0L + clock.drift);
      pivots[n] = static_cast<double>(clock.offset_ps + (pivot_ps - zero.offset_ps) / slope);
      truth[2 * (n - 1)] = (static_cast<long double>(pivots[n]) - pivot_ps) / 1e6L;
      truth[2 * (n - 1) + 1] = (1 - slope) * span / 1e6L;
    }
    const auto side = [&](std::vector<long double>& row, std::uint32_t node, std::int64_t time, long double sign) {
      if (node == 0) return;
      row[2 * (node - 1)] -= sign;
      row[2 * (node - 1) + 1] -= sign * static_cast<long double>(static_cast<double>(time) - pivots[node]) / span;
    };
    std::vector<std::vector<long double>> rows;
    std::vector<long double> slack;
    const auto add = [&](std::vector<long double> row, long double right) {
      for (std::size_t j = 0; j < row.size(); ++j) right -= row[j] * truth[j];
      REQUIRE(right >= -1e-3L);
      rows.push_back(std::move(row));
      slack.push_back(std::max(right, 0.0L));
    };
    for (const collective_group& g : found.groups)
      for (std::uint32_t i = 0; i < g.member_count; ++i)
        for (std::uint32_t j = 0; j < g.member_count; ++j) {
          if (i == j) continue;
          const collective_member &a = found.members[g.first_member + i], &b = found.members[g.first_member + j];
          std::vector<long double> row(truth.size(), 0);
          side(row, a.node, a.start_ps, 1);
          side(row, b.node, b.end_ps, -1);
          add(std::move(row), static_cast<long double>(b.end_ps - a.start_ps) / 1e6L);
        }
    // No clock is worse than 1000 ppm, so no two differ by more than 2000.
    for (std::size_t j = 1; j < truth.size(); j += 2)
      for (std::size_t k = 1; k <= j; k += 2)
        for (const int sign : {1, -1}) {
          std::vector<long double> row(truth.size(), 0);
          row[j] = sign;
          if (k != j) row[k] = -sign;
          add(std::move(row), 2000e-6L * span / 1e6L);
        }
    program_ = std::make_unique<linear_program>(std::move(rows), std::move(slack));
  }

  [[nodiscard]] double width_ps(std::size_t node) const {
    std::vector<long double> objective(2 * (nodes_ - 1), 0);
    objective[2 * (node - 1)] = 1;
    const long double most = program_->maximum(objective);
    objective[2 * (node - 1)] = -1;
    return static_cast<double>((most + program_->maximum(objective)) * 1e6L);
  }

 private:
  std::size_t nodes_;
  std::unique_ptr<linear_program> program_;
};

// What the relation of a node to the first one truly is: at the pivot of the first one's clock.
struct truth_of_relation {
  double offset_ps, drift_ppm;
};
truth_of_relation truth_between(const cluster& c, std::size_t node, std::int64_t pivot_ps) {
  const auto &zero = c.nodes[0], &clock = c.nodes[node];
  const double t = (static_cast<double>(pivot_ps) - zero.offset_ps) / (1 + zero.drift);
  return {clock.offset_ps + t + clock.drift * t - static_cast<double>(pivot_ps),
          ((1 + clock.drift) / (1 + zero.drift) - 1) * 1e6};
}

// The clock that stamped a node's collectives, a straight line from the first of them to the last: what was recorded
// against what the generator says is true.
std::optional<test::node_truth> clock_of(const validation_result& found, std::uint32_t node,
                                         const std::vector<std::int64_t>& true_starts_ps) {
  std::vector<std::int64_t> recorded;
  for (const collective_member& m : found.members)
    if (m.node == node) recorded.push_back(m.start_ps);
  if (recorded.size() != true_starts_ps.size() || recorded.size() < 2) return std::nullopt;
  const auto [first, last] = std::minmax_element(recorded.begin(), recorded.end());
  const auto [true_first, true_last] = std::minmax_element(true_starts_ps.begin(), true_starts_ps.end());
  test::node_truth clock;
  const auto span = static_cast<double>(*true_last - *true_first);
  clock.drift = (static_cast<double>(*last - *first) - span) / span;
  clock.offset_ps = static_cast<double>(*first) - (1 + clock.drift) * static_cast<double>(*true_first);
  return clock;
}

}  // namespace

TEST_CASE("the intervals contain the true clocks, and the best guess is near") {
  std::size_t cases = 0, contained = 0;
  double worst_ps = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    cluster_shape shape;
    shape.nodes = 2 + seed % 6;
    shape.barriers = 4 + seed % 40;
    if (seed % 5 == 0) shape.skew_ps = 2e9;  // some come very late
    const cluster c = test::random_cluster(seed, shape);
    const test::traces t(c);
    const validation_result found = test::validated(t);
    const alignment_result aligned = align_by_collectives(found);
    REQUIRE(aligned.absent.empty());
    REQUIRE(aligned.nodes.size() == shape.nodes);
    CHECK(aligned.contradictions == 0);
    for (std::size_t n = 1; n < shape.nodes; ++n) {
      const aligned_node& node = aligned.nodes[n];
      const clock_relation& r = node.to_reference;
      const truth_of_relation truth = truth_between(c, n, r.pivot_ps);
      ++cases;
      const bool inside = r.feasible && static_cast<double>(r.least_offset_ps) <= truth.offset_ps &&
                          truth.offset_ps <= static_cast<double>(r.most_offset_ps) &&
                          r.least_drift_ppm <= truth.drift_ppm && truth.drift_ppm <= r.most_drift_ppm;
      contained += inside ? 1 : 0;
      if (inside && shape.barriers >= 8) worst_ps = std::max(worst_ps, std::abs(node.offset_ps - truth.offset_ps));
    }
  }
  CHECK(cases > 1000);
  CHECK(static_cast<double>(contained) >= 0.999 * static_cast<double>(cases));
  CHECK(worst_ps < 5e6);  // ends lie within 1.5 us
}

TEST_CASE("the intervals are about as narrow as all inequalities together allow") {
  for (const std::size_t nodes : {std::size_t{2}, std::size_t{3}, std::size_t{4}})
    for (std::uint64_t seed = 50; seed < 54; ++seed) {
      cluster_shape shape;
      shape.nodes = nodes;
      shape.barriers = 6;
      shape.skew_ps = seed % 2 == 0 ? 20e6 : 500e6;
      const cluster c = test::random_cluster(seed, shape);
      const test::traces t(c);
      const validation_result found = test::validated(t);
      REQUIRE(found.groups.size() == shape.barriers);
      const alignment_result aligned = align_by_collectives(found);
      const exact_set exact(c, found, static_cast<double>(aligned.nodes[1].to_reference.pivot_ps));
      for (std::size_t n = 1; n < nodes; ++n) {
        const clock_relation& r = aligned.nodes[n].to_reference;
        const double width = static_cast<double>(r.most_offset_ps - r.least_offset_ps);
        const double least = exact.width_ps(n);
        INFO("seed " << seed << " node " << n << ": " << width << " ps, exact " << least);
        CHECK(width <= 1.2 * least);
        CHECK(width >= 0.99 * least);  // not narrower than what is possible, but for the choice of the pivot's clock
      }
    }
}

TEST_CASE("clusters of the corpus's generator: the intervals contain the truth and are nearly as narrow as can be") {
  const auto generator = test::corpus_path("oracles/merge/gen_cluster.py");
  if (!generator) PROFKIT_SKIP_WITHOUT_CORPUS;
  const bool slow = test::has_time();
  constexpr double reading_ps = 4000;  // the generator writes ns, twice
  std::size_t cases = 0, contained = 0, compared = 0;
  double widest = 0;
  int seed = 7000;
  for (int round = 0; round < (slow ? 20 : 1); ++round)
    for (const int nodes : slow ? std::vector<int>{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64} : std::vector<int>{2, 3, 8}) {
      test::scratch_folder folder;
      const std::string arguments =
          "--gpus 1 --steps 8 --events-per-line 16 --host-events-per-step 1 --drift-ppm 100 --offset-ns 50000000 "
          "--nodes " +
          std::to_string(nodes) + " --seed " + std::to_string(++seed);
      INFO(arguments);
      REQUIRE(test::generate_cluster(*generator, folder.path(), arguments));
      std::vector<std::shared_ptr<const trace>> traces;
      for (int n = 0; n < nodes; ++n) {
        auto p = profile::open((folder.path() / ("node" + std::to_string(n) + ".xplane.pb")).string());
        REQUIRE(p.ok());
        traces.push_back(std::make_shared<const trace>(*p));
      }
      const auto found = validate_collectives(traces);
      REQUIRE(found.ok());
      REQUIRE(found->nodes.size() == static_cast<std::size_t>(nodes));
      const alignment_result aligned = align_by_collectives(*found);
      CHECK(aligned.contradictions == 0);
      const test::truth_table truth = test::read_truth(folder.path() / "truth.json");
      cluster c;
      for (std::uint32_t n = 0; n < found->nodes.size(); ++n) {
        const auto clock = clock_of(*found, n, truth.starts_ps.at({n, 0}));
        if (clock) c.nodes.push_back(*clock);
      }
      CHECK(c.nodes.size() == found->nodes.size());
      if (c.nodes.size() != found->nodes.size()) continue;
      for (std::size_t n = 1; n < c.nodes.size(); ++n) {
        const clock_relation& r = aligned.nodes[n].to_reference;
        const truth_of_relation is = truth_between(c, n, r.pivot_ps);
        ++cases;
        contained += r.feasible && static_cast<double>(r.least_offset_ps) - reading_ps <= is.offset_ps &&
                             is.offset_ps <= static_cast<double>(r.most_offset_ps) + reading_ps &&
                             r.least_drift_ppm <= is.drift_ppm + 1 && is.drift_ppm - 1 <= r.most_drift_ppm
                         ? 1
                         : 0;
      }
      if (nodes > 4 && !(slow && nodes <= 8 && round < 3)) continue;
      const exact_set exact(c, *found, static_cast<double>(aligned.nodes[1].to_reference.pivot_ps));
      for (std::size_t n = 1; n < c.nodes.size(); ++n) {
        const clock_relation& r = aligned.nodes[n].to_reference;
        widest = std::max(widest, static_cast<double>(r.most_offset_ps - r.least_offset_ps) / exact.width_ps(n));
        ++compared;
      }
    }
  std::printf("%zu nodes against the first: %zu contain the truth; %zu intervals at most %.3f of the exact set\n",
              cases, contained, compared, widest);
  CHECK(static_cast<double>(contained) >= 0.999 * static_cast<double>(cases));
  CHECK(compared > 0);
  CHECK(widest <= 1.2);
}

TEST_CASE("nodes that never meet are joined through others, or not at all") {
  cluster_shape shape;
  shape.nodes = 4;
  shape.barriers = 12;
  cluster c = test::random_cluster(9, shape);
  // Node 0 meets 1, and 1 meets 2; node 3 runs what nobody else runs.
  for (std::size_t n = 0; n < 4; ++n)
    for (std::size_t k = 0; k < c.executions[n].size(); ++k)
      c.executions[n][k].op = k % 2 == 0 ? "all-reduce.1" : "all-gather.2";
  const auto drop = [&](std::size_t n, const std::string& op) {
    auto& all = c.executions[n];
    all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& e) { return e.op == op; }), all.end());
  };
  drop(0, "all-gather.2");
  drop(2, "all-reduce.1");
  for (auto& e : c.executions[3]) e.op = "all-to-all.3";
  const test::traces t(c);
  const validation_result found = test::validated(t);
  const alignment_result aligned = align_by_collectives(found);
  CHECK(aligned.nodes[1].reached);
  REQUIRE(aligned.nodes[2].reached);
  const clock_relation& far = aligned.nodes[2].to_reference;
  const truth_of_relation truth = truth_between(c, 2, far.pivot_ps);
  CHECK(far.constraints == 0);
  CHECK(static_cast<double>(far.least_offset_ps) <= truth.offset_ps);
  CHECK(truth.offset_ps <= static_cast<double>(far.most_offset_ps));
  CHECK_FALSE(aligned.nodes[3].reached);
  CHECK(aligned.undecidable == 1);
}

namespace {

struct shown_member {
  std::uint32_t node;
  std::int32_t device;
  std::int64_t start_us, end_us;
};
// Barriers whose members are at these times on the clocks of their nodes. hosts: the clock of each node.
validation_result barriers_of(const std::vector<std::uint32_t>& hosts, const std::vector<std::vector<shown_member>>& groups) {
  validation_result found;
  for (std::uint32_t n = 0; n < hosts.size(); ++n) {
    collective_node& node = found.nodes.emplace_back();
    node.id = n;
    node.clock = hosts[n];
    found.clocks = std::max(found.clocks, hosts[n] + 1);
  }
  found.ops.emplace_back().by_group = true;
  for (const auto& members : groups) {
    collective_group& g = found.groups.emplace_back();
    g.first_member = found.members.size();
    g.member_count = static_cast<std::uint32_t>(members.size());
    for (const shown_member& each : members) {
      collective_member& m = found.members.emplace_back();
      m.node = each.node;
      m.device = each.device;
      m.start_ps = each.start_us * 1'000'000;
      m.end_ps = each.end_us * 1'000'000;
    }
  }
  return found;
}

}  // namespace

TEST_CASE("of several devices of a node the last to begin and the first to end bound its clock") {
  const validation_result found =
      barriers_of({0, 1}, {{{0, 0, 0, 100}, {0, 1, 10, 90}, {1, 0, 5, 120}, {1, 1, 30, 110}},
                           {{0, 0, 1010, 1090}, {0, 1, 1000, 1100}, {1, 0, 1030, 1110}, {1, 1, 1005, 1120}}});
  alignment_options steady;
  steady.max_drift_ppm = 1e-6;
  const alignment_result aligned = align_by_collectives(found, steady);
  REQUIRE((aligned.nodes[1].reached && aligned.nodes[1].to_reference.feasible));
  // Node 1 ends at 110 after node 0 began at 10, and begins at 30 before node 0 ends at 90.
  CHECK(std::abs(aligned.nodes[1].to_reference.most_offset_ps - 100'000'000) <= 100);
  CHECK(std::abs(aligned.nodes[1].to_reference.least_offset_ps + 60'000'000) <= 100);
}

TEST_CASE("processes of one host have one clock, unless all are of one") {
  const std::vector<std::vector<shown_member>> groups = {{{1, 0, 0, 100}, {2, 0, 10, 90}}, {{1, 0, 1000, 1100}, {2, 0, 1010, 1090}}};
  const alignment_result two = align_by_collectives(barriers_of({0, 0, 1, 1}, groups));
  for (const aligned_node& node : two.nodes) CHECK(node.reached);
  CHECK(two.nodes[2].to_reference.most_offset_ps == two.nodes[3].to_reference.most_offset_ps);
  CHECK(two.nodes[1].to_reference.most_offset_ps == 0);
  const alignment_result one = align_by_collectives(barriers_of({0, 0, 0, 0}, groups));
  CHECK_FALSE(one.nodes[2].reached);
}

TEST_CASE("any node can be the reference: the intervals between two are the same, seen from the other side") {
  cluster_shape shape;
  shape.nodes = 3;
  shape.drift = 0;
  const cluster c = test::random_cluster(11, shape);
  const test::traces t(c);
  const validation_result found = test::validated(t);
  alignment_options first, last;
  last.reference_node = 2;
  const alignment_result of_first = align_by_collectives(found, first), of_last = align_by_collectives(found, last);
  REQUIRE(of_last.reference == 2);
  const clock_relation& there = of_first.nodes[2].to_reference;
  const clock_relation& back = of_last.nodes[0].to_reference;
  CHECK(back.a == 2);
  CHECK(back.b == 0);
  CHECK(back.constraints == there.constraints);
  // Drifts of up to 2000 ppm lie between the two pivots: 50 ms apart, they are 100 us.
  CHECK(std::abs(back.least_offset_ps + there.most_offset_ps) <= 200'000'000);
  CHECK(std::abs(back.most_offset_ps + there.least_offset_ps) <= 200'000'000);
  const double truth = c.nodes[0].offset_ps - c.nodes[2].offset_ps;
  CHECK(static_cast<double>(back.least_offset_ps) <= truth);
  CHECK(truth <= static_cast<double>(back.most_offset_ps));
  CHECK(std::abs(of_last.nodes[1].offset_ps - (c.nodes[1].offset_ps - c.nodes[2].offset_ps)) < 20e6);
  // Where clocks hardly drift, the two intervals are each other's mirror image.
  first.max_drift_ppm = last.max_drift_ppm = 1e-6;
  const alignment_result steady = align_by_collectives(found, first), mirrored = align_by_collectives(found, last);
  const clock_relation &to = steady.nodes[2].to_reference, &fro = mirrored.nodes[0].to_reference;
  REQUIRE((to.feasible && fro.feasible));
  CHECK(std::abs(fro.least_offset_ps + to.most_offset_ps) <= 1'000);
  CHECK(std::abs(fro.most_offset_ps + to.least_offset_ps) <= 1'000);
}

TEST_CASE("one clock for all: no shift at all is possible") {
  cluster_shape shape;
  shape.nodes = 4;
  shape.offset_ps = 0;
  shape.drift = 0;
  const cluster c = test::random_cluster(5, shape);
  const test::traces t(c);
  for (const aligned_node& node : align_by_collectives(test::validated(t)).nodes) CHECK(node.contains_zero);
}

TEST_CASE("an interval that is too wide decides nothing") {
  const cluster c = test::random_cluster(5, {});
  const test::traces t(c);
  const validation_result found = test::validated(t);
  alignment_options o;
  CHECK(align_by_collectives(found, o).undecidable == 0);
  o.max_bound_ps = 1000000;
  CHECK(align_by_collectives(found, o).undecidable == 1);
}

TEST_CASE("collectives that contradict one another are told, not averaged") {
  cluster c = test::random_cluster(6, {});
  // In the middle node 1's clock jumps by more than any collective lasts, and back.
  for (std::size_t k = 6; k < 9; ++k) {
    c.executions[1][k].start_ps += 2e9;
    c.executions[1][k].end_ps += 2e9;
  }
  const test::traces t(c);
  validation_options by_runs;
  for (auto& node : c.executions)
    for (std::size_t k = 0; k < node.size(); ++k) node[k].run_id = static_cast<std::int64_t>(k);
  const test::traces with_runs(c);
  const alignment_result aligned = align_by_collectives(test::validated(with_runs, by_runs));
  CHECK(aligned.contradictions == 1);
  CHECK_FALSE(aligned.nodes[1].to_reference.feasible);
}

TEST_CASE("without collectives of several nodes there is nothing to align") {
  cluster_shape shape;
  shape.nodes = 1;
  const cluster c = test::random_cluster(1, shape);
  const test::traces t(c);
  CHECK_FALSE(align_by_collectives(test::validated(t)).absent.empty());
}

TEST_CASE("eight ranks of one host: one clock fits all their collectives") {
  const auto folder = test::corpus_path("captures/kineto/dlrm_8_ranks");
  if (!folder) PROFKIT_SKIP_WITHOUT_CORPUS;
  const auto p = profile::open(folder->string());
  REQUIRE(p.ok());
  CHECK(has_several_nodes(**p));
  const auto found = validate_collectives_of(trace(**p));
  REQUIRE(found.ok());
  REQUIRE(found->nodes.size() == 8);
  CHECK(found->groups.size() == 8);  // three all-reduces and five all-to-alls on each rank
  const alignment_result aligned = align_by_collectives(*found);
  CHECK(aligned.contradictions == 0);
  for (const aligned_node& node : aligned.nodes) {
    INFO("rank " << node.id);
    CHECK(node.reached);
    CHECK(node.contains_zero);
  }
}
