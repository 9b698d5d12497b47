#include <base/name_pattern.hpp>

#include "support.hpp"

#include <catch.hpp>

#include <cstddef>
#include <random>
#include <regex>
#include <string>

using profkit::name_pattern;

TEST_CASE("patterns of names are those of std::regex") {
  PROFKIT_NEEDS("re2");
  const char* const patterns[] = {
      "",           "a",       "train_step_[0-9]+", "a|b|",      "(a|b)*c",  "(?:ab){2,3}",   "a{2}",
      "a{0,2}b{1,}", ".*",     "[^a-c_]+",          "\\d+\\w\\s?", "\\D\\W\\S", "..",        "\\w.\\w",
      "[\\d_]+",     "[[:alpha:]]", "\\x61\\.",     "^a$",       "a\\b.*",   "(a*)*b",        "(a|aa)+?",
      "(()|a)+",    "[a\\]\\-b]+", "\\[\\]\\{",     "(a|b)??c*", "a-b",      "(^a|b$)+",      "]a"};
  const std::string letters = "aabbc_-.[]{ 019\n\t";  // RE2's `.` and `\\s` know fewer line ends and blanks
  std::mt19937 random(73);
  for (const char* pattern : patterns) {
    INFO(pattern);
    auto ours = name_pattern::make(pattern);
    REQUIRE(ours);
    const std::regex theirs(pattern);
    std::size_t matched = 0;
    for (int round = 0; round < 2000; ++round) {
      std::string name;
      for (auto left = random() % 7; left > 0; --left) name += letters[random() % letters.size()];
      const char* const known[] = {"train_step_17", "abab", "[]{", "a-b"};
      if (round < 4) name = known[round];
      INFO(name);
      const bool expected = std::regex_match(name, theirs);
      matched += expected ? 1 : 0;
      REQUIRE(ours->matches(name) == expected);
    }
    CHECK(matched > 0);
  }
}

TEST_CASE("what is no pattern of names is refused with its reason") {
  PROFKIT_NEEDS("re2");
  for (const char* pattern :
       {"(", ")", "a)", "[a", "[b-a]", "*a", "a**", "a{1001}", "\\", "\\q", "\\x6", "[[:nothing:]]", "(a)\\1", "(?=a)b",
        "[\\", "a|*", "\\x6g", "\\xg6"}) {
    INFO(pattern);
    const auto made = name_pattern::make(pattern);
    REQUIRE_FALSE(made);
    CHECK(made.error().code == profkit::fault_code::invalid_argument);
    CHECK_FALSE(made.error().message.empty());
  }
}

TEST_CASE("patterns that are made to take long or much do not") {
  PROFKIT_NEEDS("re2");
  CHECK_FALSE(name_pattern::make(std::string(100000, '(')));
  CHECK_FALSE(name_pattern::make("((((a{1000}){1000}){1000}){1000})"));
  CHECK_FALSE(name_pattern::make("(((((){1000}){1000}){1000}){1000})"));
  const auto slow = name_pattern::make("(a*)*(a|aa)+b");
  REQUIRE(slow);
  CHECK_FALSE(slow->matches(std::string(100000, 'a')));
  CHECK(slow->matches(std::string(100000, 'a') + "b"));
}
