// Whose a plane is: a file is of one host, but for a merge, which has one a node (docs/merge.md).
#pragma once
#include <profkit/core/profile.hpp>
#include <formats/xspace/plane_node.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// Where allocators record what they do: "/host:CPU", whatever a merge calls it.
[[nodiscard]] bool records_allocators(const plane_index& plane) noexcept;

// The host of a plane as a merge names it, "node:3" when it knows none; "" of a plane that no merge wrote.
[[nodiscard]] std::string merged_host_of(const plane_index& plane);

// The device planes of a file by the numbers that allocators know them by, those of their own node.
class devices_of_nodes {
 public:
  explicit devices_of_nodes(const xspace_index& space);
  // The name of the first plane of this kind ("GPU", "TPU"; "": any) and number; "" when there is none.
  [[nodiscard]] std::string_view find(std::optional<std::int64_t> node, std::int64_t ordinal,
                                      std::string_view kind) const;

 private:
  struct device {
    std::int64_t node, ordinal;
    std::size_t plane;
    friend bool operator<(const device& a, const device& b) noexcept {
      if (a.node != b.node) return a.node < b.node;
      return a.ordinal != b.ordinal ? a.ordinal < b.ordinal : a.plane < b.plane;
    }
  };
  const xspace_index* space_;
  std::vector<device> devices_;  // in order
};

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
