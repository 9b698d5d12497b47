// The planes of several nodes in one XSpace, as a merge of their traces leaves them (docs/merge.md).
#pragma once
#include <formats/xspace/xspace_index.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// "/node:<number>/" in a name.
struct node_in_name {
  std::size_t at = 0;  // where it stands
  std::int64_t node = 0;
  std::string_view rest;  // "/device:GPU:0" of "/node:3/device:GPU:0"
};
[[nodiscard]] std::optional<node_in_name> find_node(std::string_view name) noexcept;

// The node of a plane, by its stat `node_id`, else by its name; nothing when no merge wrote it.
[[nodiscard]] std::optional<std::int64_t> node_of(const plane_index& plane) noexcept;

// Of the plane's stat `hostname`; "" where it has none.
[[nodiscard]] std::string_view hostname_of(const plane_index& plane) noexcept;

// The node of a plane, also of a host plane, whose threads a merge names by its node.
[[nodiscard]] std::optional<std::int64_t> node_of_host(const plane_index& plane) noexcept;

// How a node without a host's name is called, and asked for: "node:3".
[[nodiscard]] std::string name_of_node(std::int64_t node);
[[nodiscard]] std::optional<std::int64_t> node_of_name(std::string_view name) noexcept;

// A merge shows hosts as devices or under a name of its own, and puts the node before the names of their threads.
[[nodiscard]] bool is_host_of_merge(const plane_index& plane) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
