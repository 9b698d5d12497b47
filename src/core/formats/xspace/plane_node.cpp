#include <formats/xspace/plane_node.hpp>

#include <formats/xspace/event_stats.hpp>

#include <profkit/xspace.hpp>

#include <charconv>
#include <system_error>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::optional<node_in_name> find_node(std::string_view name) noexcept {
  constexpr std::string_view mark = "/node:";
  node_in_name found;
  found.at = name.find(mark);
  if (found.at == std::string_view::npos) return std::nullopt;
  const char* const first = name.data() + found.at + mark.size();
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(first, end, found.node);
  if (error != std::errc() || found.node < 0 || rest == end || *rest != '/') return std::nullopt;
  found.rest = name.substr(static_cast<std::size_t>(rest - name.data()));
  return found;
}

std::optional<std::int64_t> node_of(const plane_index& plane) noexcept {
  if (const auto id = plane.stat_id("node_id"))
    for (const std::string_view bytes : plane.stats) {
      const stat_view stat(bytes);
      if (stat.metadata_id() != *id || !stat.ok()) continue;
      if (stat.kind() == stat_kind::int64_value || stat.kind() == stat_kind::uint64_value) return stat.as_int64();
    }
  if (const auto named = find_node(plane.name)) return named->node;
  return std::nullopt;
}

std::optional<std::int64_t> node_of_host(const plane_index& plane) noexcept {
  if (const auto node = node_of(plane)) return node;
  if (plane.kind != plane_kind::host || plane.lines.empty()) return std::nullopt;
  const auto of_threads = find_node(plane.lines.front().name());
  return of_threads && of_threads->at == 0 ? std::optional(of_threads->node) : std::nullopt;
}

std::string name_of_node(std::int64_t node) { return "node:" + std::to_string(node); }

std::optional<std::int64_t> node_of_name(std::string_view name) noexcept {
  constexpr std::string_view before = "node:";
  if (name.substr(0, before.size()) != before) return std::nullopt;
  std::int64_t node = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + before.size(), end, node);
  return error == std::errc() && rest == end && node >= 0 ? std::optional(node) : std::nullopt;
}

std::string_view hostname_of(const plane_index& plane) noexcept {
  std::string_view hostname;
  for (const std::string_view bytes : plane.stats) {
    const stat_view stat(bytes);
    if (plane.stat_name(stat.metadata_id()) == "hostname") hostname = text_value(plane, stat);
  }
  return hostname;
}

bool is_host_of_merge(const plane_index& plane) noexcept {
  if (plane.lines.empty() || (plane.kind != plane_kind::device && plane.kind != plane_kind::other)) return false;
  const auto thread = find_node(plane.lines.front().name());
  return thread && thread->at == 0;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
