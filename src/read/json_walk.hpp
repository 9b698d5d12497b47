// Walks the members of an object whose quotes and brackets are known, in one go.
#pragma once
#include <profkit/core/chrome.hpp>
#include <read/chrome_text.hpp>

#include <cstdint>
#include <string_view>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct walked_object {
  const char* end = nullptr;  // past the closing brace; null: the text is not that of an object of members
  std::uint32_t last_mark = 0;
  bool trailing_comma = false;
};

// The object at text.front() == '{' has marks.first. `take` gets key (escapes not undone), raw value, and the marks of
// a value that is an object or array.
template <class Take>
inline walked_object walk_marked_object(std::string_view text, const json_marks& marks, Take&& take) {
  const char* const base = marks.base;
  const std::uint32_t* const places = marks.places;
  const char* const end = text.data() + text.size();
  const char* at = text.data();
  std::uint32_t mark = marks.first;
  walked_object walked;
  if (mark >= marks.last || base + places[mark] != at) return walked;
  ++at;
  // What comes next begins at a mark: a key, behind a comma unless it is the first, or the closing brace.
  for (bool first = true;; first = false) {
    if (++mark >= marks.last) return walked;
    const char* const next = base + places[mark];
    if (*next == '"' && (first || *at == ',') && all_json_space(first ? at : at + 1, next, end)) {
      at = next;
    } else {
      at = skip_json_space(at, next);
      if (at != next && *at == ',' && !first) {
        walked.trailing_comma = true;
        at = skip_json_space(at + 1, next);
      }
      if (at != next || *next != '}') return walked;
      walked.end = at + 1;
      walked.last_mark = mark + 1;
      return walked;
    }
    if (mark + 1 >= marks.last) return walked;
    const char* const key_end = base + places[mark + 1];
    const std::string_view key(at + 1, static_cast<std::size_t>(key_end - at) - 1);
    ++mark;
    at = key_end + 1;
    if (end - at < 3) return walked;
    if (*at != ':') {
      at = skip_json_space(at, end);
      if (at == end || *at != ':') return walked;
    }
    at += 1;
    if (at != end && *at == ' ') ++at;
    at = skip_json_space(at, end);
    if (at == end) return walked;
    const char* const value = at;
    json_marks inner;
    if (*value == '"') {
      if (mark + 2 >= marks.last || base + places[mark + 1] != value) return walked;
      at = base + places[mark + 2] + 1;
      mark += 2;
    } else if (*value == '{' || *value == '[') {
      ++mark;
      const std::uint32_t partner = mark < marks.last ? marks.partners[mark] : 0;
      if (partner <= mark || partner >= marks.last || base + places[mark] != value) return walked;
      at = base + places[partner] + 1;
      inner = {base, places, marks.partners, mark, partner + 1, marks.escapes};
      mark = partner;
    } else {
      at = end_of_scalar(value, end);
      if (at == value || at == end) return walked;
    }
    take(key, std::string_view(value, static_cast<std::size_t>(at - value)), inner);
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
