#include <formats/chrome/chrome_text.hpp>

#include <base/affix.hpp>
#include <base/utf8.hpp>
#include <profkit/core/chrome.hpp>

#include <algorithm>
#include <bitset>
#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int32_t hex_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The four hex digits at text[at], -1 when they are not there.
std::int32_t hex4(std::string_view text, std::size_t at) noexcept {
  if (text.size() < at + 4) return -1;
  std::int32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::int32_t digit = hex_value(text[at + i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// The escape at text[at] == '\\'; gives how many bytes it takes, 0 when JSON has no such escape.
std::size_t append_escape(std::string& out, std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return 0;
  switch (text[at + 1]) {
    case '"': out += '"'; return 2;
    case '\\': out += '\\'; return 2;
    case '/': out += '/'; return 2;
    case 'b': out += '\b'; return 2;
    case 'f': out += '\f'; return 2;
    case 'n': out += '\n'; return 2;
    case 'r': out += '\r'; return 2;
    case 't': out += '\t'; return 2;
    case 'u': break;
    default: return 0;
  }
  const std::int32_t first = hex4(text, at + 2);
  if (first < 0) return 0;
  if (first >= 0xd800 && first < 0xdc00 && text.substr(at + 6, 2) == "\\u") {
    const std::int32_t second = hex4(text, at + 8);
    if (second >= 0xdc00 && second < 0xe000) {
      append_utf8(out, 0x10000U + (static_cast<std::uint32_t>(first - 0xd800) << 10) +
                           static_cast<std::uint32_t>(second - 0xdc00));
      return 12;
    }
  }
  append_utf8(out, static_cast<std::uint32_t>(first));
  return 6;
}

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
  return decimal_scaled_integer(number_text(raw_value), scale);
}

std::string_view json_text(std::string_view raw_value, std::string& scratch, bool* sound) {
  if (raw_value.empty() || raw_value.front() != '"') return raw_value;
  const std::string_view inner = raw_value.substr(1, raw_value.size() < 2 ? 0 : raw_value.size() - 2);
  std::size_t at = inner.find('\\');
  if (at == std::string_view::npos) return inner;
  scratch.assign(inner.substr(0, at));
  while (at < inner.size()) {
    if (inner[at] != '\\') {
      const std::size_t next = inner.find('\\', at);
      const std::size_t stop = next == std::string_view::npos ? inner.size() : next;
      scratch.append(inner, at, stop - at);
      at = stop;
      continue;
    }
    std::size_t taken = append_escape(scratch, inner, at);
    if (taken == 0) {
      taken = at + 1 < inner.size() ? 2 : 1;
      scratch.append(inner, at, taken);
      if (sound != nullptr) *sound = false;
    }
    at += taken;
  }
  return scratch;
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
