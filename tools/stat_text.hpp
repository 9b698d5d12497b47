// Stats as people read them.
#pragma once
#include <profkit/core/named_stat.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace profkit_tool {

constexpr std::size_t stat_columns = 60;  ///< of a stat among others in a line

// The value alone: numbers as they are, text escaped, bytes as "<1,024 bytes>". Long text is cut to `columns`
// (0: never).
std::string stat_value_text(const profkit::named_stat& stat, std::size_t columns);
// "flops=123"; a stat whose id has no entry shows as "#17".
std::string stat_text(const profkit::named_stat& stat, std::size_t columns);
std::string stats_text(const std::vector<profkit::named_stat>& stats, std::size_t columns);

}  // namespace profkit_tool
