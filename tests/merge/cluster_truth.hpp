// Clusters that the corpus's generator makes, and what it says is true of them.
#pragma once
#include "merge_support.hpp"

#include <profkit/core/chrome.hpp>

#include <read/json_elements.hpp>
#include <read/json_fields.hpp>

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
  return t;
}

// A cluster by the generator of the corpus.
inline bool generate_cluster(const std::filesystem::path& generator, const std::filesystem::path& into,
                             const std::string& arguments) {
  const std::string command = "python3 '" + generator.string() + "' --out '" + into.string() + "' " + arguments;
  return std::system(command.c_str()) == 0;
}

}  // namespace profkit::test
