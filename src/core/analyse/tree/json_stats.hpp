// JSON values as stats: arguments of a trace's events, members of what a file says of itself.
#pragma once
#include <profkit/core/chrome.hpp>
#include <profkit/core/named_stat.hpp>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Owns the texts of the stats that it makes, and is good for one event after the other.
class json_stats {
 public:
  void clear() { texts_.clear(); }
  // `key` as it is written, without quotes, escapes not undone; `value` raw.
  named_stat of_member(std::string_view key, std::string_view value);
  // A stat that is a text.
  named_stat of_text(std::string_view name, std::string_view text);
  // The text, kept until clear().
  std::string_view keep(std::string_view text) { return texts_.emplace_back(text); }

 private:
  std::string_view plain_key(std::string_view key);

  std::deque<std::string> texts_;
};

// Calls take(key, value) with the raw members of an event's arguments, in file order.
template <class Take>
void each_argument(const chrome_event& e, Take&& take) {
  if (e.args.first != nullptr) {
    for (const json_member_text& m : e.args) take(m.key, m.value);
  } else if (!e.args_json.empty() && e.args_json.front() == '{') {
    for (json_members m(e.args_json); m.next();) take(m.key(), m.value());
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
