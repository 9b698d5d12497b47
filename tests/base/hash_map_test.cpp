// The hash map against std::map under random insertions and erasures, with rows of each kind.
#include <base/hash_map.hpp>

#include <catch.hpp>

#include <map>
#include <memory>
#include <random>
#include <string>

using namespace profkit;

namespace {

template <class Map, class Truth>
void check_same(const Map& map, const Truth& truth) {
  REQUIRE(map.size() == truth.size());
  std::size_t rows = 0;
  for (const auto& [key, value] : map) {
    const auto at = truth.find(key);
    REQUIRE(at != truth.end());
    REQUIRE(at->second == value);
    ++rows;
  }
  REQUIRE(rows == truth.size());
}

// `key_of(number)` and `value_of(number)` make the rows.
template <class K, class V, class Key, class Value>
void walk(std::uint32_t keys, std::uint32_t steps, Key&& key_of, Value&& value_of) {
  std::mt19937 numbers(keys);
  const auto random = [&numbers] { return static_cast<std::uint32_t>(numbers()); };
  hash_map<K, V> map;
  std::map<K, V> truth;
  for (std::uint32_t step = 0; step < steps; ++step) {
    const std::uint32_t number = random() % keys;
    const K key = key_of(number);
    switch (random() % 8) {
      case 0:
      case 1: REQUIRE(map.erase(key) == truth.erase(key)); break;
      case 2:
        map[key] = value_of(step);
        truth[key] = value_of(step);
        break;
      case 3:
        map.insert_or_assign(key, value_of(step));
        truth.insert_or_assign(key, value_of(step));
        break;
      default: REQUIRE(map.try_emplace(key, value_of(step)).second == truth.try_emplace(key, value_of(step)).second);
    }
    const K other = key_of(random() % keys);
    REQUIRE(map.contains(other) == (truth.count(other) != 0));
    if (step % 4096 == 4095) {
      check_same(map, truth);
      if (step % 16384 == 16383) {
        map.clear();
        truth.clear();
      }
    }
  }
  check_same(map, truth);
  hash_map<K, V> copy = map;
  check_same(copy, truth);
  const hash_map<K, V> moved = std::move(copy);
  check_same(moved, truth);
}

}  // namespace

TEST_CASE("hash map: numbers, texts and pairs as std::map has them") {
  const auto number = [](std::uint32_t n) { return std::uint64_t{n}; };
  const auto far_apart = [](std::uint32_t n) { return std::int64_t{n} << 32; };
  const auto text = [](std::uint32_t n) { return std::string(n % 40, 'x') + std::to_string(n); };
  walk<std::uint64_t, std::uint64_t>(20, 20000, number, number);
  walk<std::uint64_t, std::string>(5000, 60000, number, text);
  walk<std::int64_t, std::uint64_t>(5000, 60000, far_apart, number);
  walk<std::string, std::uint64_t>(3000, 60000, text, number);
  walk<std::pair<std::int64_t, std::string>, std::string>(
      300, 20000, [&](std::uint32_t n) { return std::pair(far_apart(n), text(n / 2)); }, text);
}

TEST_CASE("hash map: keys are found by any text, and rows need not be copied") {
  hash_map<std::string, std::unique_ptr<int>> map;
  for (int i = 0; i < 1000; ++i) CHECK(map.try_emplace(std::to_string(i), std::make_unique<int>(i)).second);
  const std::string_view text = "9991";
  CHECK(*map.find(text.substr(0, 3))->second == 999);
  CHECK(map.find(text) == map.end());
  CHECK(map.erase("7") == 1);
  CHECK_FALSE(map.contains("7"));
  CHECK(map.size() == 999);
}

TEST_CASE("hash map: rows stay where they are within what was reserved") {
  hash_map<std::uint32_t, std::uint32_t> map;
  map.reserve(1000);
  const std::uint32_t* const first = &map.try_emplace(0, 1).first->second;
  for (std::uint32_t i = 1; i < 1000; ++i) map[i] = i;
  CHECK(&map.find(0)->second == first);
}

TEST_CASE("hash set: every member once") {
  hash_set<std::pair<std::uint64_t, std::uint32_t>> set{{1, 2}, {1, 2}};
  CHECK(set.size() == 1);
  for (std::uint32_t i = 0; i < 5000; ++i) set.insert({i % 100, i % 7});
  CHECK(set.size() == 700);
  CHECK(set.count({99, 6}) == 1);
  CHECK(set.count({99, 7}) == 0);
}

TEST_CASE("hashes: keys that differ in any one bit or byte spread over places and marks") {
  // 64 numbers with one bit each, 256 texts that differ in one byte: hardly two of them alike in 16 bits.
  hash_set<std::uint64_t> short_hashes;
  for (int bit = 0; bit < 64; ++bit) short_hashes.insert(hash_detail::hash_value(std::uint64_t{1} << bit) & 0xffff);
  CHECK(short_hashes.size() >= 60);
  for (std::size_t length : {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100}) {
    for (std::size_t at : {std::size_t{0}, length / 2, length - 1}) {
      hash_set<std::uint64_t> seen;
      std::string text(length, '\0');
      for (int byte = 0; byte < 256; ++byte) {
        text[at] = static_cast<char>(byte);
        seen.insert(hash_detail::hash_value(std::string_view(text)) & 0xffffff);
      }
      CHECK(seen.size() >= 254);
    }
  }
}
