#include <base/stable_order.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using profkit::stable_order;

namespace {

struct row {
  std::int64_t key;
  std::uint64_t place;
  char rest[5];
};

bool earlier(const row& a, const row& b) { return a.key < b.key; }

std::vector<row> random_rows(std::size_t count, std::int64_t keys, std::mt19937& random) {
  std::vector<row> rows(count);
  for (std::size_t at = 0; at < count; ++at) rows[at] = {std::int64_t(random() % std::uint64_t(keys)), at, "rest"};
  return rows;
}

}  // namespace

TEST_CASE("rows are ordered as std::stable_sort orders them") {
  std::mt19937 random(71);
  for (const std::size_t count : {0u, 1u, 2u, 3u, 11u, 12u, 13u, 24u, 25u, 100u, 1000u}) {
    for (const std::int64_t keys : {1, 2, 7, 1000000}) {
      std::vector<row> rows = random_rows(count, keys, random);
      std::vector<row> expected = rows;
      std::stable_sort(expected.begin(), expected.end(), earlier);
      stable_order(rows.begin(), rows.end(), earlier);
      for (std::size_t at = 0; at < count; ++at) {
        REQUIRE(rows[at].place == expected[at].place);
        REQUIRE(rows[at].key == expected[at].key);
        REQUIRE(std::string(rows[at].rest) == "rest");
      }
    }
  }
}

TEST_CASE("rows that own memory are moved, the others of a vector stay") {
  std::mt19937 random(72);
  std::vector<std::pair<std::string, std::vector<int>>> rows;
  for (int at = 0; at < 200; ++at) rows.push_back({std::to_string(random() % 9) + std::string(at % 40, 'x'), {at}});
  auto expected = rows;
  const auto first_digit = [](const auto& a, const auto& b) { return a.first[0] < b.first[0]; };
  std::stable_sort(expected.begin() + 3, expected.end() - 4, first_digit);
  stable_order(rows.begin() + 3, rows.end() - 4, first_digit);
  CHECK(rows == expected);
}

TEST_CASE("rows are as they were when the comparison throws") {
  std::vector<std::string> rows = {"c", "b", "a"};
  int calls = 0;
  const auto fails = [&](const std::string& a, const std::string& b) {
    if (++calls == 3) throw std::runtime_error("no");
    return a < b;
  };
  CHECK_THROWS_AS(stable_order(rows.begin(), rows.end(), fails), std::runtime_error);
  CHECK(rows == std::vector<std::string>{"c", "b", "a"});
}
