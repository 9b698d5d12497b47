// What stands for the comparison of nodes in a build without it: a capture of several is read like one of one node.
#include <profkit/core/collectives.hpp>
#include <profkit/core/merge.hpp>

#include <analyse/bubbles/stragglers.hpp>
#include <analyse/report/parts.hpp>
#include <base/left_out.hpp>
#include <export/json/document.hpp>
#include <tables/rows_of_list.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

fault without_clusters() { return built_without("the comparison of nodes", "clusters"); }

}  // namespace

result<merge_result> merge_traces(const merge_options&, sink&, const hooks&, merge_observer*) { return without_clusters(); }
result<merge_input_list> list_merge_inputs(const merge_options&, const hooks&) { return without_clusters(); }
result<void> write_merge_offsets(const merge_result&, sink&) { return without_clusters(); }
result<void> write_merge_metadata(const merge_result&, sink&, const validation_result*) { return without_clusters(); }
result<given_clocks> clocks_by_collectives(const merge_input_list&, const std::vector<std::shared_ptr<const trace>>&, std::int64_t,
                                           const hooks&) {
  return without_clusters();
}
result<snapshot_set> read_embedded_snapshots(std::string_view, const snapshot_read_options&, std::string) { return without_clusters(); }

result<node_clock> node_clock::build(const clock_evidence&, const clock_options&) { return without_clusters(); }
node_clock::corrected node_clock::from_tracer(std::int64_t, cursor&) const noexcept { return {}; }
node_clock::corrected node_clock::from_host(std::int64_t, cursor&) const noexcept { return {}; }
std::optional<std::int64_t> node_clock::bound_at(std::int64_t, clock_domain) const noexcept { return std::nullopt; }
std::optional<std::int64_t> node_bounds::widest(clock_domain) const noexcept { return std::nullopt; }

result<validation_result> validate_collectives(const std::vector<std::shared_ptr<const trace>>&, const validation_options&) {
  return without_clusters();
}
result<validation_result> validate_collectives_of(const trace&, const validation_options&) { return without_clusters(); }
alignment_result align_by_collectives(const validation_result&, const alignment_options&) { return {}; }
result<document_status> write_validation(const validation_result&, const alignment_result*, sink&, std::uint64_t) {
  return without_clusters();
}
result<void> write_validation_csv(const validation_result&, sink&) { return without_clusters(); }
std::string nodes_text(const validation_result&) { return {}; }
std::string arrivals_text(const validation_result&) { return {}; }
std::unique_ptr<row_source> call_rows(const validation_result&, std::vector<file_damage>) { return nullptr; }

namespace json {

document_status write_validation(json_writer&, const validation_result&, const alignment_result*) { return document_status::error; }

}  // namespace json

// Reports and idle time of one capture go on without them, and say so where there may be several nodes.
result<nodes_compared> compare_nodes(const trace&, const query_filters&, const hooks&) { return nodes_compared{}; }

namespace report {

std::vector<std::string> sentences_across_nodes(const report_parts& parts) {
  if (parts.info.files.size() < 2) return {};
  return {"nodes are not compared: " + without_clusters().message};
}

}  // namespace report

namespace bubbles {

result<straggler_waits> find_straggler_waits(const activity& of, const hooks&) {
  straggler_waits found;
  const auto& devices = of.devices();
  if (std::any_of(devices.begin(), devices.end(), [](const activity_device& d) { return d.world_size > 1; }))
    found.missing = without_clusters().message;
  return found;
}

}  // namespace bubbles

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
