#include <trace/stats.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

const char* stat_kind_name(const named_stat& stat) noexcept {
  const bool is_json = stat.from == named_stat::origin::argument && stat.kind == stat_kind::none;
  return is_json ? "json" : stat_kind_name(stat.kind);
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

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
