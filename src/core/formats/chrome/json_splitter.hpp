// Splits JSON text that is valid, with simdjson. What is not valid is left to json_members, which reads as far as it
// can.
#pragma once
#include <profkit/core/chrome.hpp>
#include <profkit/core/limits.hpp>
#include <formats/chrome/chrome_event_text.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Keeps its room from one text to the next. What it gives points into the text and is good until the next call.
// A text with a byte that is not JSON counts as none, however harmless: a control character or a byte that is not UTF-8
// in a string, a NaN, a comma too many.
class json_splitter {
 public:
  explicit json_splitter(std::uint32_t max_nesting = limits{}.max_nesting);
  ~json_splitter();
  json_splitter(json_splitter&&) noexcept;
  json_splitter& operator=(json_splitter&&) noexcept;

  // The members of the one object, or the elements of the one array, that `text` is; nothing when it is not JSON.
  std::optional<json_member_list> object(std::string_view text);
  std::optional<json_member_list> array(std::string_view text);

  // The events at the start of an array of them: `text` begins with the first and is cut after one, or goes on after
  // the end of the array. Gives the list that their arguments are in; nothing when anything up to there is not JSON, or
  // an event is not an object.
  std::optional<json_member_list> events(std::string_view text, std::vector<event_text>& into);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

// Calls take(key, value) with the raw members of an object, also with those before the text breaks off or of one that is
// nearly JSON. False when not all could be read.
template <class Take>
bool each_json_member(json_splitter& splitter, std::string_view text, Take&& take) {
  if (const auto members = splitter.object(text)) {
    for (const json_member_text& m : *members) take(m.key, m.value);
    return true;
  }
  json_members members(text);
  while (members.next()) take(members.key(), members.value());
  return members.ok();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
