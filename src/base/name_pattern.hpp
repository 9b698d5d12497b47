// Regular expressions that match whole names. std::regex is sixty kilobytes and recurses once a character; this one
// takes time in proportion to the name and the pattern, whatever they are.
#pragma once
#include <profkit/core/result.hpp>

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The syntax is ECMAScript's without back references and looking ahead: `.`, `[a-z]`, `[[:digit:]]`, `\d \w \s` and
// their opposites, `\t \n \v \f \r \0 \xHH`, groups, `|`, `* + ? {m,n}` (lazy or not is the same here), `^ $ \b \B`. A
// byte is a character, as in std::regex.
class name_pattern {
 public:
  // Fault: invalid_argument; the message says what is wrong, not in which pattern.
  static result<name_pattern> make(std::string_view pattern);
  // Whether all of `name` is described.
  [[nodiscard]] bool matches(std::string_view name) const;

 private:
  friend class pattern_states;
  using byte_set = std::bitset<256>;
  enum class step : std::uint8_t { one_of, either, at_start, at_end, at_word_edge, inside_word, done };
  struct state {
    step kind = step::done;
    std::uint32_t set = 0;  // one_of
    std::uint32_t next = 0;
    std::uint32_t other = 0;  // either
  };
  class run;

  std::vector<byte_set> sets_;
  std::vector<state> states_;
  std::uint32_t first_ = 0;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
