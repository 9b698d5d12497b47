#include "command_line/words.hpp"

#include "quantity.hpp"

#include <charconv>

namespace profkit_tool {

using profkit::fault;

fault wrong_value(const char* option, const std::string& typed, std::string why, std::string hint) {
  fault f;
  f.code = profkit::fault_code::invalid_argument;
  f.message = std::string(option) + " '" + typed + "': " + std::move(why);
  f.hint = std::move(hint);
  return f;
}

fault wrong_options(std::string why, const char* help) {
  fault f;
  f.code = profkit::fault_code::invalid_argument;
  f.message = std::move(why);
  f.hint = help;
  return f;
}

std::string word_list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::optional<fault> understand_number(const char* option, const std::string& typed, std::optional<std::uint64_t>& into,
                                       std::uint64_t least, std::uint64_t most) {
  if (typed.empty()) return std::nullopt;
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(typed.data(), typed.data() + typed.size(), n);
  if (error != std::errc{} || end != typed.data() + typed.size() || n < least || n > most)
    return wrong_value(option, typed, "not a number that fits",
                       "write a whole number from " + std::to_string(least) +
                           (most == ~std::uint64_t{0} ? std::string() : " to " + std::to_string(most)));
  into = n;
  return std::nullopt;
}

std::optional<fault> understand_time(const char* option, const std::string& typed,
                                     std::optional<std::int64_t>& into_ps) {
  if (typed.empty()) return std::nullopt;
  profkit::result<std::int64_t> ps = parse_time_ps(typed);
  if (!ps) return wrong_value(option, typed, ps.error().message, ps.error().hint);
  if (*ps < 0) return wrong_value(option, typed, "less than nothing", "write a time such as 5us");
  into_ps = *ps;
  return std::nullopt;
}

std::optional<fault> understand_window(const std::string& typed, std::optional<std::int64_t>& from_ps,
                                       std::optional<std::int64_t>& to_ps) {
  if (typed.empty()) return std::nullopt;
  profkit::result<time_window> window = parse_time_window(typed);
  if (!window) return wrong_value("--time", typed, window.error().message, window.error().hint);
  from_ps = window->from_ps;
  to_ps = window->to_ps;
  return std::nullopt;
}

}  // namespace profkit_tool
