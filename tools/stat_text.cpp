#include "stat_text.hpp"

#include "text.hpp"

#include <profkit/core/text.hpp>

namespace profkit_tool {

using profkit::named_stat;
using profkit::stat_kind;

std::string stat_value_text(const named_stat& stat, std::size_t columns) {
  const std::string text = profkit::escape_for_terminal(profkit::stat_text_of(stat));
  const bool is_text = stat.kind == stat_kind::str_value || stat.kind == stat_kind::ref_value ||
                       stat.from == named_stat::origin::argument;
  return columns == 0 || !is_text ? text : shorten(text, columns);
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

}  // namespace profkit_tool
