#include "hosts.hpp"

#include <trace/filters/select.hpp>
#include <trace/stats.hpp>
#include <base/affix.hpp>
#include <formats/xspace/plane_node.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

constexpr std::int64_t not_merged = -1;

// Threads of a merged host are named by its node.
std::optional<node_in_name> node_of_threads(const plane_index& plane) noexcept {
  if (plane.kind != plane_kind::host || plane.lines.empty()) return std::nullopt;
  const auto found = find_node(plane.lines.front().name());
  return found && found->at == 0 ? found : std::nullopt;
}

}  // namespace

bool records_allocators(const plane_index& plane) noexcept {
  // A second one of a node is "/device:GPU:50001_misc_host:CPU".
  return (plane.kind == plane_kind::host && ends_with(plane.name, "host:CPU")) || node_of_threads(plane);
}

std::string merged_host_of(const plane_index& plane) {
  const auto node = node_of_host(plane);
  if (!node) return {};
  if (const auto id = plane.stat_id("hostname"))
    for (const std::string_view bytes : plane.stats) {
      const stat_view stat(bytes);
      if (stat.metadata_id() != *id) continue;
      if (const std::string_view name = text_value(plane, stat); !name.empty()) return std::string(name);
    }
  return name_of_node(*node);
}

devices_of_nodes::devices_of_nodes(const xspace_index& space) : space_(&space) {
  for (std::size_t at = 0; at < space.planes.size(); ++at) {
    const plane_index& plane = space.planes[at];
    if (plane.kind != plane_kind::device || plane.device < 0) continue;
    if (contains(plane.name, " ")) continue;  // "/device:TPU:0 SparseCore 1" is a part of one
    devices_.push_back({node_of(plane).value_or(not_merged), plane.device, at});
  }
  std::sort(devices_.begin(), devices_.end());
}

std::string_view devices_of_nodes::find(std::optional<std::int64_t> node, std::int64_t ordinal,
                                        std::string_view kind) const {
  // As the node itself counts, or as a merge does: `--plane-scheme` node, seed, rocm.
  constexpr std::int64_t devices_of_node = 64, first_of_rocm = 100, max_nodes = std::int64_t{1} << 25;
  constexpr std::size_t most_alike = 16;  // planes of one number that are looked at
  const std::int64_t number = node.value_or(0);
  const std::int64_t shift = number > 0 && number < max_nodes ? number * devices_of_node : 0;
  for (const std::int64_t base : {std::int64_t{0}, shift, shift + first_of_rocm}) {
    const device wanted{node.value_or(not_merged), base + ordinal, 0};
    auto at = std::lower_bound(devices_.begin(), devices_.end(), wanted);
    for (std::size_t i = 0; i < most_alike && at != devices_.end(); ++i, ++at) {
      if (at->node != wanted.node || at->ordinal != wanted.ordinal) break;
      if (contains(space_->planes[at->plane].name, kind)) return space_->planes[at->plane].name;
    }
    if (!node) break;
  }
  return {};
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
