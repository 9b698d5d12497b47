// Clusters that the corpus's generator makes, and what it says is true of them.
#pragma once
#include "merge_support.hpp"

#include <profkit/core/chrome.hpp>

#include <formats/chrome/json_elements.hpp>
#include <formats/chrome/json_fields.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace profkit::test {

// PROFKIT_SLOW=1: the long form of tests that have one.
inline bool has_time() {
  const char* const slow = std::getenv("PROFKIT_SLOW");
  return slow != nullptr && *slow == '1';
}

struct truth_table {
  std::int64_t wall0_ns = 0;
  std::int64_t bound_ps = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> starts_ps;  // node, gpu -> since wall0
  struct host_clock {
    std::int64_t ahead_ns = 0, parts_per_billion = 0;
    // The true time, ps since wall0, at which the host's clock shows so many ps since wall0.
    [[nodiscard]] double true_ps(std::int64_t shown_ps) const noexcept {
      return static_cast<double>(shown_ps - ahead_ns * 1000) / (1 + static_cast<double>(parts_per_billion) / 1e9);
    }
  };
  std::map<std::int64_t, host_clock> hosts;  // but for how they wander
};

inline truth_table read_truth(const std::filesystem::path& path) {
  const std::string text = text_of_file(path);
  truth_table t;
  t.wall0_ns = json_integer(json_member(text, "wall0_ns")).value();
  t.bound_ps = json_integer(json_member(json_member(text, "bound_ns"), "exact_arithmetic"), 3).value();
  json_elements rows(json_member(text, "collectives"));
  while (rows.next()) {
    std::int64_t n[6] = {};
    std::size_t i = 0;
    json_elements cells(rows.value());
    while (cells.next() && i < 6) {
      if (i != 3) n[i] = json_integer(cells.value(), i >= 4 ? 3 : 0).value();
      ++i;
    }
    t.starts_ps[{n[0], n[1]}].push_back(n[4]);
  }
  REQUIRE(rows.ok());
  json_elements nodes(json_member(text, "nodes"));
  while (nodes.next())
    t.hosts[json_integer(json_member(nodes.value(), "node_id")).value()] = {
        json_integer(json_member(nodes.value(), "host_offset_ns")).value(),
        json_integer(json_member(nodes.value(), "host_ppb")).value()};
  REQUIRE(nodes.ok());
  return t;
}

// A cluster by the generator of the corpus.
inline bool generate_cluster(const std::filesystem::path& generator, const std::filesystem::path& into,
                             const std::string& arguments) {
  const std::string command = "python3 '" + generator.string() + "' --out '" + into.string() + "' " + arguments;
  return std::system(command.c_str()) == 0;
}

}  // namespace profkit::test
