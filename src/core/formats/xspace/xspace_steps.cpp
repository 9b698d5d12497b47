#include <formats/xspace/xspace_steps.hpp>

#include <formats/xspace/event_stats.hpp>
#include <formats/xspace/stat_number.hpp>

#include <algorithm>
#include <charconv>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::vector<std::size_t> step_lines_of(const plane_index& plane, line_kind kind) {
  const std::string_view own_name = kind == line_kind::steps ? "Steps" : "XLA Modules";
  std::vector<std::size_t> named, others;
  for (std::size_t at = 0; at < plane.lines.size(); ++at) {
    const line_index& line = plane.lines[at];
    if (line.kind != kind || message_range<std::string_view, 4>(line.body).empty()) continue;
    (line.name() == own_name ? named : others).push_back(at);
  }
  return named.empty() ? others : named;
}

std::optional<std::int64_t> step_number_in(std::string_view name) noexcept {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

step_num_stat::step_num_stat(const plane_index& plane) : ids_(stat_ids(plane, "step_num")) {}

std::optional<stat_view> step_num_stat::find(const char* stats, std::uint32_t bytes, const char* readable_end) const noexcept {
  const auto may_be_here = [&](std::int64_t id) {
    return id <= 0 || id >= 0x80 || may_have_small_id(stats, bytes, static_cast<unsigned char>(id));
  };
  if (bytes == 0 || std::none_of(ids_.begin(), ids_.end(), may_be_here)) return std::nullopt;
  event_row event{};
  event.stats = stats;
  event.stats_bytes = bytes;
  return find_stat(event, ids_, readable_end);
}

host_step_marks::host_step_marks(const plane_index& plane, const step_names& names) : number_(plane) {
  for (const std::string_view entry : plane.event_metadata_entries) {
    const event_metadata_view metadata(entry);
    if (const auto match = names.match(metadata.name())) names_[metadata.key()] = *match;
  }
}

std::optional<host_step_marks::mark> host_step_marks::of(const event_row& event, const char* readable_end) const noexcept {
  const std::optional<stat_view> stat = number_.find(event.stats, event.stats_bytes, readable_end);
  const auto name = names_.empty() ? names_.end() : names_.find(event.metadata_id);
  if (!stat && name == names_.end()) return std::nullopt;
  mark found;
  if (stat) found.number = integer_value(*stat);
  if (name != names_.end()) {
    found.source = name->second.source;
    if (!found.number && name->second.number >= 0) found.number = name->second.number;
  }
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
