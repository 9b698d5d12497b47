#include "stat_text.hpp"

#include "text.hpp"

#include <profkit/core/text.hpp>

#include <charconv>
#include <cstring>

namespace profkit_tool {

using profkit::named_stat;
using profkit::stat_kind;

namespace {

double double_of(std::uint64_t bits) noexcept {
  double d = 0;
  static_assert(sizeof d == sizeof bits);
  std::memcpy(&d, &bits, sizeof d);
  return d;
}

std::string shortest(double d) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, d).ptr;
  return std::string(text, end);
}

}  // namespace

std::string stat_value_text(const named_stat& stat, std::size_t columns) {
  switch (stat.kind) {
    case stat_kind::double_value: return shortest(double_of(stat.bits));
    case stat_kind::uint64_value: return std::to_string(stat.bits);
    case stat_kind::int64_value: return std::to_string(static_cast<std::int64_t>(stat.bits));
    case stat_kind::str_value:
    case stat_kind::ref_value: {
      const std::string text = profkit::escape_for_terminal(stat.text);
      return columns == 0 ? text : shorten(text, columns);
    }
    case stat_kind::bytes_value: return '<' + profkit::human_bytes(stat.text.size()) + '>';
    case stat_kind::none: break;
  }
  return "(none)";
}

std::string stat_text(const named_stat& stat, std::size_t columns) {
  std::string name =
      stat.name.empty() ? '#' + std::to_string(stat.metadata_id) : profkit::escape_for_terminal(stat.name);
  return name + '=' + stat_value_text(stat, columns);
}

std::string stats_text(const std::vector<named_stat>& stats, std::size_t columns) {
  std::string text;
  for (const named_stat& stat : stats) {
    if (!text.empty()) text += "  ";
    text += stat_text(stat, columns);
  }
  return text;
}

const named_stat* find_stat(const std::vector<named_stat>& stats, std::string_view name) noexcept {
  const named_stat* found = nullptr;
  for (const named_stat& stat : stats)
    if (stat.name == name) found = &stat;
  return found;
}

double stat_number(const named_stat* stat) noexcept {
  if (stat == nullptr) return 0;
  switch (stat->kind) {
    case stat_kind::double_value: return double_of(stat->bits);
    case stat_kind::uint64_value: return static_cast<double>(stat->bits);
    case stat_kind::int64_value: return static_cast<double>(static_cast<std::int64_t>(stat->bits));
    default: return 0;
  }
}

}  // namespace profkit_tool
