#pragma once
#include <formats/xspace/plane_node.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// A node of a merged trace for people: "node 3 (alpha)".
[[nodiscard]] inline std::string node_title(std::int64_t node, std::string_view hostname) {
  std::string title = "node " + std::to_string(node);
  if (!hostname.empty() && hostname != name_of_node(node)) title.append(" (").append(hostname).append(")");
  return title;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
