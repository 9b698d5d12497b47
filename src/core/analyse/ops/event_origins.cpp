#include <analyse/ops/event_origins.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// What is nearest to the program first.
constexpr std::string_view stats_of_origins[] = {"hlo_op", "name", "tf_op", "source"};
constexpr std::string_view stats_of_early_origins[] = {"hlo_op", "name", "annotation", "source"};  // TensorFlow, before it wrote tf_op
enum stat_of_origin : std::size_t { at_hlo_op, at_scope_name, at_tf_op, at_source };
constexpr std::string_view no_scope = "XlaModule:";  // tf_op of all kernels of a compiled program

}  // namespace

event_origins::event_origins(const plane_index& plane)
    : plane_(&plane), stats_(plane, stat_ids(plane, "tf_op").empty() ? stats_of_early_origins : stats_of_origins) {}

program_key event_origins::of(const event_row& event, const char* readable_end) const {
  const stat_finder::found_stats stats = stats_.find(event, readable_end);
  const auto text = [&](stat_of_origin which) {
    return stats.messages[which].empty() ? std::string_view() : text_value(*plane_, stats[which]);
  };
  std::string_view scope = text(at_scope_name);
  if (scope.empty()) scope = text(at_tf_op);
  return {{}, {}, text(at_hlo_op), scope == no_scope ? std::string_view() : scope, text(at_source), 0};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
