#include "base/toml_tree.hpp"

#include <base/contained.hpp>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include <toml++/toml.h>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// toml++ bounds how deep values nest (256), but not before 3.4 how many parts a dotted key has; each part is a table,
// and a table is destroyed with a call a level.
constexpr std::size_t max_key_parts = 32;

// The position after the string that begins at `at` with a quote; the end when it does not end.
std::size_t skip_string(std::string_view text, std::size_t at) noexcept {
  const char quote = text[at];
  const bool has_lines = text.substr(at, 3) == std::string(3, quote);
  at += has_lines ? 3 : 1;
  while (at < text.size()) {
    if (text[at] == '\\' && quote == '"') {
      at += 2;
    } else if (text[at] == quote && (!has_lines || text.substr(at, 3) == std::string(3, quote))) {
      return at + (has_lines ? 3 : 1);
    } else if (text[at] == '\n' && !has_lines) {
      return at;
    } else {
      ++at;
    }
  }
  return text.size();
}

// Where a key has too many parts; npos when none has.
std::size_t find_long_key(std::string_view text) noexcept {
  std::size_t parts = 1;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = skip_string(text, at);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '.') {
      if (++parts > max_key_parts) return at;
    } else if (c == '\n' || c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}') {
      parts = 1;
    }
    ++at;
  }
  return std::string_view::npos;
}

toml_value value_of(const toml::node& from);

std::uint32_t line_of(const toml::key& key) noexcept { return static_cast<std::uint32_t>(key.source().begin.line); }

// toml++ orders a table by name; the file's order is that of the positions.
void take_members(const toml::table& from, std::vector<toml_member>& members) {
  std::vector<std::pair<const toml::key*, const toml::node*>> rows;
  rows.reserve(from.size());
  for (const auto& [key, node] : from) rows.emplace_back(&key, &node);
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.first->source().begin < b.first->source().begin;
  });
  members.reserve(rows.size());
  for (const auto& [key, node] : rows)
    members.push_back({std::string(key->str()), line_of(*key), value_of(*node)});
}

toml_value value_of(const toml::node& from) {
  toml_value value;
  if (const toml::table* table = from.as_table()) {
    value.kind = toml_kind::table;
    take_members(*table, value.members);
  } else if (const toml::array* array = from.as_array()) {
    value.kind = toml_kind::array;
    value.items.reserve(array->size());
    for (const toml::node& item : *array) value.items.push_back(value_of(item));
  } else if (const auto* text = from.as_string()) {
    value.kind = toml_kind::text;
    value.text = text->get();
  } else if (const auto* integer = from.as_integer()) {
    value.kind = toml_kind::integer;
    value.integer = integer->get();
  } else if (const auto* number = from.as_floating_point()) {
    value.kind = toml_kind::number;
    value.number = number->get();
  } else if (const auto* truth = from.as_boolean()) {
    value.kind = toml_kind::truth;
    value.truth = truth->get();
  } else {
    value.kind = toml_kind::time;
  }
  return value;
}

// The position of the first byte of a line, counted from 1.
std::uint64_t line_offset(std::string_view text, std::uint32_t line) noexcept {
  std::size_t at = 0;
  for (std::uint32_t i = 1; i < line; ++i) {
    const auto end = text.find('\n', at);
    if (end == std::string_view::npos) break;
    at = end + 1;
  }
  return at;
}

fault no_toml(std::string_view text, std::uint32_t line, const std::string& path, std::string_view why) {
  return fault{fault_code::damaged, "no valid TOML at line " + std::to_string(line) + ": " + std::string(why), path,
               line_offset(text, line), ""};
}

}  // namespace

result<toml_value> parse_toml(std::string_view text, const std::string& path) {
  if (text.size() > max_toml_bytes)
    return fault{fault_code::limit, "the TOML document is longer than 16 MiB", path, max_toml_bytes, ""};
  if (const std::size_t at = find_long_key(text); at != std::string_view::npos) {
    const auto line = static_cast<std::uint32_t>(1 + std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n'));
    return no_toml(text, line, path, "a key has more than 32 parts");
  }
  return contained([&]() -> result<toml_value> {
    try {
      return value_of(toml::parse(text));
    } catch (const toml::parse_error& wrong) {
      return no_toml(text, static_cast<std::uint32_t>(wrong.source().begin.line), path, wrong.description());
    }
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
