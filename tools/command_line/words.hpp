// Words of the command line made into values; what cannot be understood says what would be.
#pragma once
#include <profkit/core/result.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace profkit_tool {

[[nodiscard]] profkit::fault wrong_value(const char* option, const std::string& typed, std::string why,
                                         std::string hint);
// What is wrong with the options as a whole; `help` is the command that explains them.
[[nodiscard]] profkit::fault wrong_options(std::string why, const char* help);

// Nothing typed keeps what `into` holds, in all of these.
std::optional<profkit::fault> understand_number(const char* option, const std::string& typed,
                                                std::optional<std::uint64_t>& into, std::uint64_t least = 0,
                                                std::uint64_t most = ~std::uint64_t{0});
// A length of time that is not negative.
std::optional<profkit::fault> understand_time(const char* option, const std::string& typed,
                                              std::optional<std::int64_t>& into_ps);
// FROM:TO.
std::optional<profkit::fault> understand_window(const std::string& typed, std::optional<std::int64_t>& from_ps,
                                                std::optional<std::int64_t>& to_ps);
// A word out of a few.
template <class T>
std::optional<profkit::fault> understand_word(const char* option, const std::string& typed, T& into,
                                              std::initializer_list<std::pair<const char*, T>> words) {
  if (typed.empty()) return std::nullopt;
  std::string choices;
  for (const auto& [word, value] : words) {
    if (typed == word) {
      into = value;
      return std::nullopt;
    }
    choices += std::string(choices.empty() ? "" : ", ") + word;
  }
  return wrong_value(option, typed, "not a choice", "choose one of: " + choices);
}

}  // namespace profkit_tool
