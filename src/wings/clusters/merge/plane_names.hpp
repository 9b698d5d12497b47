// What the planes and lines of each node are called in the merged trace.
#pragma once
#include <profkit/core/merge.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct plane_to_name {
  std::int64_t node = 0;
  std::int64_t id = 0;
  std::string_view name;
  bool named_before = false;  // of a merged trace: it keeps its name and id unless they are taken
};

struct plane_name {
  std::string name;
  std::int64_t id = 0;
  bool moved = false;
  bool is_host = false;       // its lines are distinguished by node
  bool shifts_lines = false;  // line ids get the node's million
};

struct naming_rules {
  plane_scheme scheme = plane_scheme::seed;
  std::string prefix;
  std::int64_t first_node = 0;  // whose /host:CPU stays
};

// Names for all planes of the output, in their order. An id that would name two device planes, or give one the process
// number of the host plane, is replaced by the next free one.
std::vector<plane_name> name_planes(const std::vector<plane_to_name>& planes, const naming_rules& rules);

inline constexpr std::int64_t line_ids_per_node = 1'000'000;

// The text with a '?' for each byte that is not UTF-8.
[[nodiscard]] std::string as_utf8(std::string_view text);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
