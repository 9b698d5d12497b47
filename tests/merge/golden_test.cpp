// The reference tool's goldens: exact times against rational arithmetic, and faults.
#include "merge_support.hpp"

#include <profkit/core/chrome.hpp>

#include <map>
#include <set>

namespace profkit::test {
namespace {

namespace fs = std::filesystem;

struct golden_case {
  fs::path folder;
  merge_options options;
  bool reference_succeeded = false;
};

// The combine command of a case, as options.
golden_case read_case(const fs::path& folder) {
  golden_case c;
  c.folder = folder;
  std::istringstream commands(text_of_file(folder / "commands.txt"));
  for (std::string line; std::getline(commands, line);) {
    if (line.rfind("# combine", 0) != 0) continue;
    c.reference_succeeded = line.find("exit 0") != std::string::npos;
    std::getline(commands, line);
    std::istringstream words(line);
    std::string flag;
    for (std::string word; words >> word;) {
      if (word.rfind("--", 0) == 0) {
        flag = word;
        if (flag == "--no_correction") c.options.correction = merge_correction::walltime;
        continue;
      }
      if (flag == "--traces") c.options.traces.push_back((folder / word).string());
      if (flag == "--snapshots") c.options.snapshots.push_back((folder / word).string());
      if (flag == "--offsets") c.options.offsets = (folder / word).string();
    }
  }
  return c;
}

std::int64_t start_of_node_0(const merge_options& o) {
  const auto table = read_offsets(text_of_file(o.offsets));
  REQUIRE(table);
  const node_start* s = table->start_of(0);
  REQUIRE(s != nullptr);
  return s->walltime_ns.value();
}

// node, plane, line, event -> ps since the start of node 0
using exact_table = std::map<std::array<std::int64_t, 4>, std::int64_t>;
exact_table read_exact(const fs::path& path) {
  exact_table all;
  std::istringstream rows(decoded_file(path));
  std::string row;
  std::getline(rows, row);
  while (std::getline(rows, row)) {
    std::int64_t n[5] = {};
    std::istringstream cells(row);
    std::string cell;
    for (std::int64_t& v : n) {
      std::getline(cells, cell, ',');
      v = std::stoll(cell);
    }
    all[{n[0], n[1], n[2], n[3]}] = n[4];
  }
  return all;
}

// What a merge leaves as it was, whatever the order of the events.
std::multiset<std::pair<std::int64_t, std::int64_t>> kinds_and_durations(const std::vector<event_view>& events) {
  std::multiset<std::pair<std::int64_t, std::int64_t>> all;
  for (const event_view& e : events) all.emplace(e.metadata_id(), e.duration_ps());
  return all;
}

// Largest distance to the exact table in ps.
std::int64_t worst_distance(const golden_case& c, const merged& m, const exact_table& exact) {
  const std::int64_t shift = (m.outcome->origin_ns - start_of_node_0(c.options)) * 1000;
  std::int64_t worst = 0;
  std::size_t compared = 0, out_plane = 0;
  for (std::size_t node = 0; node < c.options.traces.size(); ++node) {
    const std::string bytes = text_of_file(c.options.traces[node]);
    const xspace_index input = index_xspace(bytes);
    for (std::size_t p = 0; p < input.planes.size(); ++p, ++out_plane) {
      const plane_index& plane = m.index.planes.at(out_plane);
      REQUIRE(plane.lines.size() == input.planes[p].lines.size());
      for (std::size_t l = 0; l < plane.lines.size(); ++l) {
        const auto events = events_of(plane.lines[l]);
        REQUIRE(complete_header(plane.lines[l]).timestamp_ns == 0);
        REQUIRE(events.size() == events_of(input.planes[p].lines[l]).size());
        CHECK(kinds_and_durations(events) == kinds_and_durations(events_of(input.planes[p].lines[l])));
        for (std::size_t e = 0; e < events.size(); ++e) {
          if (events[e].data_case() == event_data_case::num_occurrences) continue;
          const auto row = exact.find({static_cast<std::int64_t>(node), static_cast<std::int64_t>(p),
                                       static_cast<std::int64_t>(l), static_cast<std::int64_t>(e)});
          REQUIRE(row != exact.end());
          worst = std::max(worst, std::abs(events[e].offset_ps() + shift - row->second));
          ++compared;
        }
      }
    }
  }
  CHECK(compared > 0);
  return worst;
}

TEST_CASE("every healthy golden is within 1 ns of rational arithmetic") {
  const auto root = corpus_path("oracles/merge/golden");
  if (!root) PROFKIT_SKIP_WITHOUT_CORPUS;
  const char* const healthy[] = {
      "n2_embedded",    "n2_file",           "n2_both",      "n2_boottime_file", "n2_zero_epoch", "n2_zero_boottime",
      "n2_extrapolate", "n2_dup_snapshot",   "n4_file_late", "n6_ids",           "n2_convert",    "n2_latestart0",
      "n2_ref_stats",   "n2_no_collectives", "n2_bad_json",  "n2_print"};
  for (const char* name : healthy) {
    INFO(name);
    golden_case c = read_case(*root / name);
    c.options.keep_order = true;
    const merged m = merge_into_memory(c.options);
    if (!m.outcome) FAIL(m.outcome.error().message);
    const fs::path fixed = c.folder / "out/exact_fixed.csv.gz";
    const auto exact = read_exact(fs::exists(fixed) ? fixed : c.folder / "out/exact.csv.gz");
    CHECK(worst_distance(c, m, exact) <= 1000);
  }
}

TEST_CASE("a node that cannot be corrected is aligned by wall time when asked to go on") {
  const auto root = corpus_path("oracles/merge/golden");
  if (!root) PROFKIT_SKIP_WITHOUT_CORPUS;
  for (const char* name : {"n2_missing_offsets", "n2_missing_snapshot", "n2_one_snapshot"}) {
    INFO(name);
    golden_case c = read_case(*root / name);
    c.options.keep_order = true;
    CHECK_FALSE(merge_into_memory(c.options).outcome);
    c.options.keep_going = true;
    const merged m = merge_into_memory(c.options);
    if (!m.outcome) FAIL(m.outcome.error().message);
    CHECK(m.outcome->nodes.back().status == node_status::walltime);
    CHECK_FALSE(m.outcome->nodes.back().bounds.known);
    CHECK(worst_distance(c, m, read_exact(c.folder / "out/exact.csv.gz")) <= 1000);
  }
}

TEST_CASE("every fault is told, and nothing is written") {
  const auto root = corpus_path("oracles/merge/golden");
  if (!root) PROFKIT_SKIP_WITHOUT_CORPUS;
  struct faulty {
    const char* name;
    fault_code code;
    const char* message;  // a part of it
  };
  const faulty all[] = {
      {"n2_count_mismatch", fault_code::invalid_argument, "2 traces, but 1 snapshot file"},
      {"n2_empty_trace", fault_code::damaged, "node 1: its trace is empty"},
      {"n2_missing_trace", fault_code::not_found, "node 1: its trace cannot be opened"},
      {"n2_missing_snapfile", fault_code::not_found, "node 1: its snapshot file cannot be read"},
      {"n2_missing_snapshot", fault_code::invalid_argument, "node 1: it has 0 clock snapshots"},
      {"n2_one_snapshot", fault_code::invalid_argument, "node 1: it has 1 clock snapshot"},
      {"n2_missing_offsets", fault_code::invalid_argument, "node 1: the offsets file has no usable row"},
      {"n2_no_offsets_file", fault_code::not_found, "the offsets file cannot be read"},
      {"n2_no_meta", fault_code::invalid_argument, "no start times"},
      {"n2_truncated", fault_code::damaged, "node 1: its trace is damaged or cut at byte"},
  };
  for (const faulty& f : all) {
    INFO(f.name);
    const golden_case c = read_case(*root / f.name);
    const merged m = merge_into_memory(c.options);
    REQUIRE_FALSE(m.outcome);
    INFO(m.outcome.error().message);
    CHECK(m.outcome.error().code == f.code);
    CHECK(m.outcome.error().message.find(f.message) != std::string::npos);
    CHECK_FALSE(m.outcome.error().hint.empty());
    CHECK(m.bytes.empty());
  }
}

}  // namespace
}  // namespace profkit::test
