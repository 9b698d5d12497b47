// Made-up clusters whose clocks are known: how far corrected times are from the truth, and whether the bound says so.
#include "cluster_truth.hpp"
#include "merge_support.hpp"

#include <profkit/core/collectives.hpp>

#include <algorithm>
#include <cstdio>
#include <map>

namespace profkit::test {
namespace {

namespace fs = std::filesystem;

struct node_case {
  std::int64_t worst_ps = 0, bound_ps = 0, stated_ps = 0;
  bool contained = true;
};

// Every node of a merged cluster against its truth.
std::vector<node_case> compare(const merged& m, const truth_table& truth) {
  std::map<std::int64_t, node_case> cases;
  const std::int64_t shift_ps = (m.outcome->origin_ns - truth.wall0_ns) * 1000;
  for (std::size_t p = 0; p < m.outcome->planes.size(); ++p) {
    const merged_plane& plane = m.outcome->planes[p];
    if (plane.source.rfind("/device:GPU:", 0) != 0) continue;
    const auto wanted = truth.starts_ps.find({plane.node, std::stoll(plane.source.substr(12))});
    const auto& node = *std::find_if(m.outcome->nodes.begin(), m.outcome->nodes.end(),
                                     [&](const merged_node& n) { return n.id == plane.node; });
    for (const line_index& line : m.index.planes[p].lines) {
      if (line.name() != "Stream #2(Kernel)") continue;
      const auto events = events_of(line);
      if (wanted == truth.starts_ps.end()) {
        CHECK(events.empty());
        continue;
      }
      REQUIRE(events.size() == wanted->second.size());
      node_case& c = cases[plane.node];
      c.stated_ps = truth.bound_ps;
      for (std::size_t e = 0; e < events.size(); ++e) {
        const std::int64_t error = std::abs(events[e].offset_ps() + shift_ps - wanted->second[e]);
        const auto bound = node.bounds.at(events[e].offset_ps(), clock_domain::tracer);
        REQUIRE(bound);
        c.worst_ps = std::max(c.worst_ps, error);
        c.bound_ps = std::max(c.bound_ps, *bound);
        c.contained = c.contained && error <= *bound;
      }
    }
  }
  std::vector<node_case> all;
  for (const auto& [id, c] : cases) all.push_back(c);
  return all;
}

merge_options options_of(const fs::path& folder, int nodes) {
  merge_options o;
  for (int i = 0; i < nodes; ++i) {
    o.traces.push_back((folder / ("node" + std::to_string(i) + ".xplane.pb")).string());
    const fs::path snapshots = folder / ("node" + std::to_string(i) + ".snapshots.pb");
    if (fs::exists(snapshots)) o.snapshots.push_back(snapshots.string());
  }
  o.offsets = (folder / "offsets.jsonl").string();
  o.run_metadata = (folder / "run_metadata.json").string();
  o.keep_order = true;
  return o;
}

// Host events against the truth: how many of them lie within their bound, and how far off the worst is.
struct host_case {
  std::size_t events = 0, contained = 0;
  double worst_ps = 0;
};
host_case compare_hosts(const merged& m, const merge_options& o, const truth_table& truth) {
  host_case c;
  const std::int64_t shift_ps = (m.outcome->origin_ns - truth.wall0_ns) * 1000;
  std::size_t out_plane = 0;
  for (std::size_t n = 0; n < o.traces.size(); ++n) {
    const std::string bytes = text_of_file(o.traces[n]);
    const xspace_index input = index_xspace(bytes);
    for (const plane_index& plane : input.planes) {
      const std::size_t at = out_plane++;
      if (plane.name != "/host:CPU") continue;
      const std::int64_t id = m.outcome->planes[at].node;
      const auto& node = *std::find_if(m.outcome->nodes.begin(), m.outcome->nodes.end(),
                                       [&](const merged_node& each) { return each.id == id; });
      for (std::size_t l = 0; l < plane.lines.size(); ++l) {
        const auto before = events_of(plane.lines[l]), after = events_of(m.index.planes.at(at).lines.at(l));
        REQUIRE(before.size() == after.size());
        const std::int64_t line_ps = (complete_header(plane.lines[l]).timestamp_ns - truth.wall0_ns) * 1000;
        for (std::size_t e = 0; e < before.size(); ++e) {
          const double wanted = truth.hosts.at(id).true_ps(line_ps + before[e].offset_ps());
          const double error = std::abs(static_cast<double>(after[e].offset_ps() + shift_ps) - wanted);
          const auto bound = node.bounds.at(after[e].offset_ps(), clock_domain::host);
          REQUIRE(bound);
          ++c.events;
          c.contained += error <= static_cast<double>(*bound);
          c.worst_ps = std::max(c.worst_ps, error);
        }
      }
    }
  }
  return c;
}

struct totals {
  std::vector<node_case> cases;
  void add(std::vector<node_case> more) { cases.insert(cases.end(), more.begin(), more.end()); }
  [[nodiscard]] double contained_share() const {
    const auto in = std::count_if(cases.begin(), cases.end(), [](const node_case& c) { return c.contained; });
    return static_cast<double>(in) / static_cast<double>(cases.size());
  }
  // Median of our half-width over what the generator states (at least 5 ns).
  [[nodiscard]] double median_width() const {
    std::vector<double> widths;
    for (const node_case& c : cases)
      widths.push_back(static_cast<double>(c.bound_ps) /
                       static_cast<double>(std::max<std::int64_t>(c.stated_ps, 5000)));
    std::nth_element(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2), widths.end());
    return widths[widths.size() / 2];
  }
  [[nodiscard]] std::size_t beyond_stated() const {
    return static_cast<std::size_t>(std::count_if(cases.begin(), cases.end(), [](const node_case& c) {
      return c.worst_ps > std::max<std::int64_t>(c.stated_ps, 5000);
    }));
  }
  void print(const char* what) const {
    std::printf(
        "%s: %zu node cases, %.4f %% contained, median half-width %.2f of the stated bound, %zu errors beyond it\n",
        what, cases.size(), 100 * contained_share(), median_width(), beyond_stated());
  }
};

// What validation says of merged clusters.
struct orders {
  std::uint64_t clusters = 0, groups = 0, violations = 0, raw = 0;
  void add(const merged& m) {
    const auto p = profile::open_buffer(m.bytes, "combined.xplane.pb");
    REQUIRE(p);
    const auto found = validate_collectives_of(trace(**p));
    REQUIRE(found);
    CHECK(found->corrected);
    CHECK(found->bounds_known);
    CHECK(found->nodes.size() == m.outcome->nodes.size());
    CHECK(found->groups.size() > 0);
    ++clusters;
    groups += found->groups.size();
    violations += found->violations;
    raw += found->violations_raw;
  }
};

struct noise {
  const char* name;
  const char* arguments;
};
constexpr noise kinds[] = {
    {"still", ""},
    {"jitter", "--snapshot-jitter-ns 200"},
    {"noise", "--offset-noise-ns 200"},
    {"both", "--snapshot-jitter-ns 100 --offset-noise-ns 300"},
    {"wander", "--wander-ppm 1 --snapshot-jitter-ns 20 --offset-noise-ns 20"},
    {"six digits", "--offset-format ostream6 --snapshots file"},
    {"local windows", "--window-clock local --offset-spelling midpoint --snapshots both --offset-noise-ns 50"},
    {"inset", "--snapshot-inset 0.2 --snapshot-jitter-ns 100"},
};

TEST_CASE("the bound holds the truth on new clusters") {
  const auto generator = corpus_path("oracles/merge/gen_cluster.py");
  if (!generator) PROFKIT_SKIP_WITHOUT_CORPUS;
  const bool all = has_time();
  const int sizes_slow[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
  const int sizes_fast[] = {2, 6};
  totals sum;
  orders order;
  std::map<std::string, totals> by_kind;
  int seed = 1000;
  for (int round = 0; round < (all ? 3 : 1); ++round)
    for (const noise& kind : kinds)
      for (const int nodes : all ? std::vector<int>(std::begin(sizes_slow), std::end(sizes_slow))
                                 : std::vector<int>(std::begin(sizes_fast), std::end(sizes_fast))) {
        scratch_folder folder;
        const std::string arguments =
            "--gpus 1 --steps 4 --events-per-line 32 --host-events-per-step 2 --drift-ppm 100 "
            "--offset-ns 50000000 --nodes " +
            std::to_string(nodes) + " --seed " + std::to_string(++seed) + ' ' + kind.arguments;
        INFO(arguments);
        REQUIRE(generate_cluster(*generator, folder.path(), arguments));
        const merged m = merge_into_memory(options_of(folder.path(), nodes));
        if (!m.outcome) FAIL(m.outcome.error().message);
        const truth_table truth = read_truth(folder / "truth.json");
        const auto cases = compare(m, truth);
        CHECK(cases.size() == static_cast<std::size_t>(nodes));
        if (std::string_view(kind.arguments).find("wander") == std::string_view::npos) {
          const host_case hosts = compare_hosts(m, options_of(folder.path(), nodes), truth);
          CHECK(hosts.events >= static_cast<std::size_t>(nodes) * 10);
          CHECK(hosts.contained == hosts.events);
          if (std::string_view(kind.arguments).empty()) CHECK(hosts.worst_ps <= 1500);  // whole ns are recorded
        }
        by_kind[kind.name].add(cases);
        sum.add(cases);
        order.add(m);
      }
  for (const auto& [name, t] : by_kind) t.print(name.c_str());
  sum.print("all");
  std::printf("%llu clusters: %llu invocations, %llu violations beyond the bound, %llu raw\n",
              static_cast<unsigned long long>(order.clusters), static_cast<unsigned long long>(order.groups),
              static_cast<unsigned long long>(order.violations), static_cast<unsigned long long>(order.raw));
  CHECK(order.violations == 0);
  CHECK(sum.contained_share() >= 0.999);
  CHECK(sum.median_width() <= 2);
  CHECK(sum.beyond_stated() == 0);
  if (all) CHECK(sum.cases.size() >= 5000);
}

TEST_CASE("a wall clock that steps back is noticed, and device times stay right") {
  const auto golden = corpus_path("oracles/merge/golden/n2_clock_step/in");
  if (!golden) PROFKIT_SKIP_WITHOUT_CORPUS;
  const merged m = merge_into_memory(options_of(*golden, 2));
  if (!m.outcome) FAIL(m.outcome.error().message);
  const auto cases = compare(m, read_truth(*golden / "truth.json"));
  REQUIRE(cases.size() == 2);
  for (const node_case& c : cases) {
    CHECK(c.contained);
    CHECK(c.worst_ps <= 5000);
  }
  bool told = false;
  for (const clock_anomaly& a : m.outcome->nodes[1].anomalies)
    told = told || (a.what == clock_anomaly::kind::host_step && a.size_ps > 1'990'000'000 && a.size_ps < 2'010'000'000);
  CHECK(told);
  CHECK(*m.outcome->nodes[1].bounds.widest(clock_domain::host) >= 2'000'000'000);
}

TEST_CASE("windows in each node's own clock are read at the reference node's midpoint") {
  const auto golden = corpus_path("oracles/merge/golden/n2_midpoint_local/in");
  if (!golden) PROFKIT_SKIP_WITHOUT_CORPUS;
  const merged m = merge_into_memory(options_of(*golden, 2));
  if (!m.outcome) FAIL(m.outcome.error().message);
  for (const node_case& c : compare(m, read_truth(*golden / "truth.json"))) {
    CHECK(c.contained);
    CHECK(c.worst_ps <= 3000);
  }
}

}  // namespace
}  // namespace profkit::test
