// Host events of the framework, by name.
#pragma once
#include <profkit/core/filters.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/named_stat.hpp>
#include <profkit/core/result.hpp>
#include <profkit/core/trace.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct framework_event {
  std::uint32_t file = 0;
  std::int32_t plane = 0, line = 0;
  std::string_view line_name, name;
  std::optional<std::int64_t> start_ps;
  std::int64_t duration_ps = 0;
  std::vector<named_stat> stats;  ///< by name
};
struct framework_name {  // totals of one event name on one host plane, or in one process of a trace
  std::uint32_t file = 0;
  std::int32_t plane = 0;
  std::string_view plane_name;
  std::string_view name;
  std::uint64_t count = 0;
  std::int64_t total_ps = 0, max_ps = 0;
  std::int64_t self_ps = 0;  ///< less what calls inside them, on the same thread, take
};
struct framework_stat {  // a stat name met on host events
  std::string_view name;
  std::uint64_t count = 0;
  std::uint8_t kinds = 0;  ///< bit 1 << stat_kind
};
struct framework_result {
  std::vector<framework_event> events;  ///< the first o.limit in file order
  std::uint64_t matched = 0;            ///< before the limit
  [[nodiscard]] std::uint64_t left_out() const noexcept { return matched - std::min<std::uint64_t>(matched, events.size()); }
  std::vector<framework_name> names;  ///< by total, descending
  std::vector<framework_stat> stats;  ///< by name
  std::string absent;
  std::vector<file_damage> damage;
  std::shared_ptr<const void> texts;  ///< owns the names that do not lie in a file
};
result<framework_result> analyse_framework(const trace& t, const query_filters& o = {}, const hooks& host = {});

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
