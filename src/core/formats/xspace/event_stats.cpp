#include <formats/xspace/event_stats.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

bool counts_in(const metadata_lookup& index, std::int64_t key, std::string_view entry) noexcept {
  return index.find(key).bytes.data() == entry.data();
}

std::vector<std::int64_t> stat_ids(const plane_index& plane, std::string_view name) {
  std::vector<std::int64_t> ids;
  for (const std::string_view bytes : plane.stat_metadata_entries) {
    const stat_metadata_view entry(bytes);
    if (entry.name() == name && counts_in(plane.stat_metadata, entry.key(), bytes)) ids.push_back(entry.key());
  }
  return ids;
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

stat_finder::stat_finder(const plane_index& plane, const std::string_view (&names)[max_names]) {
  for (const std::string_view bytes : plane.stat_metadata_entries) {
    const stat_metadata_view entry(bytes);
    const auto at = static_cast<std::size_t>(std::find(names, names + max_names, entry.name()) - names);
    if (at == max_names || !counts_in(plane.stat_metadata, entry.key(), bytes)) continue;
    known_[at] = true;
    names_[entry.key()] = static_cast<std::uint8_t>(at + 1);
  }
}

stat_finder::found_stats stat_finder::find(const event_row& event, const char* readable_end) const noexcept {
  found_stats found;
  found.readable_end = readable_end;
  const char* at = event.stats;
  const char* const end = at + event.stats_bytes;
  // Stats as writers give them: the id comes first, in one byte or two. What is wanted is one of few.
  while (end - at >= 5) {
    const std::size_t length = detail::byte_at(at + 1);
    if (detail::byte_at(at) != 0x22 || length >= 0x80 || length < 3 || detail::byte_at(at + 2) != 0x08) break;
    std::uint64_t id = detail::byte_at(at + 3);
    if (id >= 0x80) {
      if (detail::byte_at(at + 4) >= 0x80) break;
      id = (id & 0x7f) | std::uint64_t{detail::byte_at(at + 4)} << 7;
    }
    if (length > static_cast<std::size_t>(end - at - 2)) break;
    if (const std::uint8_t name = names_.find(static_cast<std::int64_t>(id)))
      found.messages[name - 1U] = {at + 2, length};
    at += 2 + length;
  }
  if (at == end) return found;
  for (const std::string_view stat :
       message_range<std::string_view, 4>(std::string_view(at, static_cast<std::size_t>(end - at))))
    if (const std::uint8_t name = names_.find(stat_view(stat).metadata_id())) found.messages[name - 1U] = stat;
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
