// Words of the command line made into values; what cannot be understood says what would be.
#pragma once
#include <profkit/core/result.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace profkit_tool {

[[nodiscard]] profkit::fault wrong_value(const char* option, const std::string& typed, std::string why,
                                         std::string hint);
// What is wrong with the options as a whole; `help` is the command that explains them.
[[nodiscard]] profkit::fault wrong_options(std::string why, const char* help);

// "auto, map, read"
[[nodiscard]] std::string word_list(const std::vector<std::string>& words);

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
// A word out of a few: what was typed, and what each word means.
template <class T>
class choice {
 public:
  choice(std::initializer_list<std::pair<const char*, T>> meanings) : meanings_(meanings) {}

  std::string typed;

  [[nodiscard]] std::vector<std::string> words() const {
    std::vector<std::string> all;
    for (const auto& [word, meaning] : meanings_) all.emplace_back(word);
    return all;
  }
  [[nodiscard]] std::optional<profkit::fault> understand(const char* option, T& into) const {
    if (typed.empty()) return std::nullopt;
    for (const auto& [word, meaning] : meanings_) {
      if (typed != word) continue;
      into = meaning;
      return std::nullopt;
    }
    return wrong_value(option, typed, "not a choice", "choose one of: " + word_list(words()));
  }

 private:
  std::vector<std::pair<const char*, T>> meanings_;
};

}  // namespace profkit_tool
