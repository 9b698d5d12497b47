#include <formats/chrome/json_fields.hpp>

#include <formats/chrome/chrome_text.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

bool is_json_object(std::string_view text) noexcept {
  text = trim_json_space(text);
  if (text.empty() || text.front() != '{') return false;
  const char* const end = text.data() + text.size();
  const json_value_end whole = end_of_value(text.data(), end, limits{}.max_nesting);
  if (whole.why != json_end::found || whole.end != end) return false;
  json_members members(text);
  while (members.next()) {
    const std::string_view value = members.value();
    if (value.empty()) return false;
    // Other than strings, objects and arrays there are numbers and three words.
    switch (value.front()) {
      case '"':
      case '{':
      case '[': break;
      case 't':
        if (value != "true") return false;
        break;
      case 'f':
        if (value != "false") return false;
        break;
      case 'n':
        if (value != "null") return false;
        break;
      default:
        if (value.front() != '-' && (value.front() < '0' || value.front() > '9')) return false;
    }
  }
  return members.ok() && !members.trailing_comma();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
