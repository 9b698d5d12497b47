// What the fields of the document `merge` are found with.
#pragma once
#include <profkit/core/collectives.hpp>
#include <profkit/core/merge.hpp>

#include <optional>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

struct merged {
  const merge_result& result;
  const validation_result* checked = nullptr;
};
// What the bounds of corrected nodes rest on.
[[nodiscard]] std::vector<std::string> assumptions_of(const merged& row);

[[nodiscard]] std::optional<std::int64_t> widest_of_tracer(const node_bounds& bounds) noexcept;
[[nodiscard]] std::optional<std::int64_t> widest_of_host(const node_bounds& bounds) noexcept;
[[nodiscard]] double host_drift_of(const merged_node& node) noexcept;  // parts per million
[[nodiscard]] double tracer_drift_of(const merged_node& node) noexcept;
[[nodiscard]] const node_bounds* bounds_of_node(const merged_node& node) noexcept;

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
