#include <analyse/anatomy/stats.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

const char* stat_kind_name(stat_kind k) noexcept {
  switch (k) {
    case stat_kind::none: return "none";
    case stat_kind::double_value: return "double";
    case stat_kind::uint64_value: return "uint64";
    case stat_kind::int64_value: return "int64";
    case stat_kind::str_value: return "str";
    case stat_kind::bytes_value: return "bytes";
    case stat_kind::ref_value: return "ref";
  }
  return "none";
}

named_stat name_stat(const plane_index& plane, const stat_view& stat, named_stat::origin from) noexcept {
  named_stat named;
  named.name = plane.stat_name(stat.metadata_id());
  named.metadata_id = stat.metadata_id();
  named.kind = stat.kind();
  named.from = from;
  named.bits = stat.as_uint64();
  named.text = text_value(plane, stat);
  return named;
}

std::vector<named_stat> plane_stats(const plane_index& plane) {
  std::vector<named_stat> named;
  named.reserve(plane.stats.size());
  for (const std::string_view bytes : plane.stats)
    named.push_back(name_stat(plane, stat_view(bytes), named_stat::origin::plane));
  return named;
}

std::optional<stat_view> find_stat(const event_row& event, const std::vector<std::int64_t>& ids,
                                   const char* readable_end) noexcept {
  std::optional<stat_view> found;
  if (ids.empty() || event.stats_bytes == 0) return found;
  const std::string_view stats(event.stats, event.stats_bytes);
  if (readable_end == nullptr) readable_end = stats.data() + stats.size();
  for (const stat_view stat : message_range<stat_view, 4>(stats, readable_end))
    if (std::find(ids.begin(), ids.end(), stat.metadata_id()) != ids.end()) found = stat;
  return found;
}

std::optional<std::int64_t> integer_value(const stat_view& stat) noexcept {
  if (stat.kind() == stat_kind::int64_value || stat.kind() == stat_kind::uint64_value) return stat.as_int64();
  return std::nullopt;
}

std::string_view text_value(const plane_index& plane, const stat_view& stat) noexcept {
  if (stat.kind() == stat_kind::ref_value) return plane.stat_name(stat.as_ref());
  return stat.as_bytes();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
