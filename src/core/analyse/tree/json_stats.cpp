#include <analyse/tree/json_stats.hpp>

#include <base/affix.hpp>

#include <algorithm>
#include <charconv>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Digits alone: what has a point or an exponent would not be itself as an integer.
template <class Integer>
bool is_integer(std::string_view text, Integer& value) noexcept {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end;
}

// Without the blanks between tokens.
std::string compact_json(std::string_view json) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\' && i + 1 < json.size()) {
      out += c;
      out += json[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (in_string || !blank) out += c;
  }
  return out;
}

}  // namespace

std::string_view json_stats::plain_key(std::string_view key) {
  if (!contains(key, "\\")) return keep(key);
  std::string scratch;
  return keep(json_text('"' + std::string(key) + '"', scratch));
}

named_stat json_stats::of_member(std::string_view key, std::string_view value) {
  named_stat stat;
  stat.from = named_stat::origin::argument;
  stat.name = plain_key(key);
  std::int64_t number = 0;
  if (!value.empty() && value.front() == '"') {
    std::string scratch;
    stat.kind = stat_kind::str_value;
    stat.text = keep(json_text(value, scratch));
  } else if (is_integer(value, number)) {
    stat.kind = stat_kind::int64_value;
    stat.bits = static_cast<std::uint64_t>(number);
  } else if (is_integer(value, stat.bits)) {
    stat.kind = stat_kind::uint64_value;
  } else {
    stat.text = texts_.emplace_back(compact_json(value));
  }
  return stat;
}

named_stat json_stats::of_text(std::string_view name, std::string_view text) {
  named_stat stat;
  stat.from = named_stat::origin::argument;
  stat.kind = stat_kind::str_value;
  stat.name = name;
  stat.text = keep(text);
  return stat;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
