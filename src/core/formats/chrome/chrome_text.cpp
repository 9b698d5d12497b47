#include <formats/chrome/chrome_text.hpp>

#include <base/affix.hpp>
#include <profkit/core/chrome.hpp>

#include <algorithm>
#include <bitset>
#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// The text of a number, also out of a string around it (Ascend writes times so, at times with blanks after them).
std::string_view number_text(std::string_view raw) noexcept {
  if (!raw.empty() && is_digit(raw.front()) && !is_json_space(raw.back())) return raw;
  std::string_view text = trim_json_space(raw);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
    while (text.size() >= 2 && text.substr(text.size() - 2) == "\\t") text.remove_suffix(2);
    text = trim_json_space(text);
  }
  return text;
}

}  // namespace

json_value_end end_of_string(const char* at, const char* end) noexcept {
  const char* const start = at++;
  for (;;) {
    const auto* quote =
        at == end ? nullptr : static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
    if (quote == nullptr) return {end, json_end::more};
    const char* run = quote;
    while (run - 1 != start && run[-1] == '\\') --run;
    at = quote + 1;
    if ((quote - run) % 2 == 0) return {at, json_end::found};
  }
}

namespace {

constexpr std::uint32_t deepest_nesting = 1024;  // whatever limits say

bool may_precede_string(char c) noexcept { return is_json_space(c) || c == ',' || c == ':' || c == '{' || c == '['; }
bool may_follow_string(char c) noexcept { return is_json_space(c) || c == ',' || c == ':' || c == '}' || c == ']'; }

// Past the object or array that starts at `at`.
json_value_end end_of_nested(const char* at, const char* end, std::uint32_t max_nesting) noexcept {
  const std::uint32_t bound = std::min(std::max(max_nesting, 1U), deepest_nesting);
  std::bitset<deepest_nesting> arrays;  // the kinds of the open brackets, innermost last
  std::uint32_t depth = 0;
  char solid = 0;  // the last byte that is not blank
  while (at != end) {
    const char c = *at;
    switch (c) {
      case ' ':
      case '\n':
      case '\r':
      case '\t': ++at; continue;
      case '"': {
        if (!may_precede_string(at[-1])) return {at, json_end::broken};
        const json_value_end string = end_of_string(at, end);
        if (string.why != json_end::found) return string;
        at = string.end;
        if (at != end && !may_follow_string(*at)) return {at, json_end::broken};
        solid = c;
        continue;
      }
      case '{':
      case '[': {
        if (depth >= bound) return {at, json_end::too_nested};
        const bool placed = depth == 0 || (arrays[depth - 1] ? solid == ',' || solid == '[' : solid == ':');
        if (!placed) return {at, json_end::broken};
        arrays[depth++] = c == '[';
        break;
      }
      case '}':
      case ']':
        if (arrays[depth - 1] != (c == ']')) return {at, json_end::broken};
        if (--depth == 0) return {at + 1, json_end::found};
        break;
      case '\\': return {at, json_end::broken};
      default: break;
    }
    solid = c;
    ++at;
  }
  return {end, json_end::more};
}

}  // namespace

json_value_end end_of_value(const char* at, const char* end, std::uint32_t max_nesting) noexcept {
  if (at == end) return {at, json_end::more};
  if (*at == '"') return end_of_string(at, end);
  if (*at == '{' || *at == '[') return end_of_nested(at, end, max_nesting);
  const char* const start = at;
  at = end_of_scalar(at, end);
  if (at == start) return {at, json_end::broken};
  return {at, at == end ? json_end::more : json_end::found};
}

bool parse_duration(std::string_view raw_value, std::int64_t& ps, int unit_exponent) noexcept {
  decimal_time t;
  return parse_microseconds(raw_value, t, unit_exponent) && ps_since(t, 0, ps);
}

bool parse_microseconds(std::string_view raw_value, decimal_time& into, int unit_exponent) noexcept {
  return parse_microseconds_text(number_text(raw_value), into, unit_exponent);
}

bool ps_since(const decimal_time& t, std::int64_t zero_us, std::int64_t& ps) noexcept {
  const auto since = ps_since(t, zero_us);
  if (since) ps = *since;
  return since.has_value();
}

std::optional<std::int64_t> json_scaled_integer(std::string_view raw_value, int scale) {
  return raw_value.empty() ? std::nullopt : decimal_scaled_integer(number_text(raw_value), scale);
}

json_members::json_members(std::string_view object, std::uint32_t max_nesting) noexcept
    : at_(object.data()), end_(object.data() + object.size()), max_nesting_(max_nesting) {
  at_ = skip_json_space(at_, end_);
  if (at_ == end_ || *at_ != '{') {
    ok_ = at_ == end_ && object.empty();
    at_ = end_;
    return;
  }
  if (++at_ == end_) ok_ = false;
}

bool json_members::next() noexcept {
  if (at_ == end_) return false;
  const auto stop = [this](bool sound) {
    at_ = end_;
    ok_ = ok_ && sound;
    return false;
  };
  at_ = skip_json_space(at_, end_);
  if (at_ == end_) return stop(false);
  if (*at_ == '}') return stop(true);
  if (!first_) {
    if (*at_ != ',') return stop(false);
    at_ = skip_json_space(at_ + 1, end_);
    if (at_ != end_ && *at_ == '}') {
      trailing_comma_ = true;
      return stop(true);
    }
  }
  first_ = false;
  if (at_ == end_ || *at_ != '"') return stop(false);
  const json_value_end key = end_of_string(at_, end_);
  if (key.why != json_end::found) return stop(false);
  key_ = std::string_view(at_ + 1, static_cast<std::size_t>(key.end - at_) - 2);
  at_ = skip_json_space(key.end, end_);
  if (at_ == end_ || *at_ != ':') return stop(false);
  at_ = skip_json_space(at_ + 1, end_);
  const json_value_end value = end_of_value(at_, end_, max_nesting_);
  if (value.why != json_end::found) return stop(false);
  value_ = std::string_view(at_, static_cast<std::size_t>(value.end - at_));
  at_ = value.end;
  return true;
}

std::string_view json_member(std::string_view object, std::string_view key) {
  std::string_view found;
  std::string scratch, quoted;
  for (json_members m(object); m.next();) {
    std::string_view name = m.key();
    if (name.find('\\') != std::string_view::npos) {
      quoted.assign(1, '"').append(name).append(1, '"');
      name = json_text(quoted, scratch);
    }
    if (name == key) found = m.value();
  }
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
