// <stem>.metadata.json: what a merge did with each node.
#include <base/contained.hpp>
#include <export/json/document.hpp>
#include <clusters/export/merge_parts.hpp>

#include <algorithm>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

std::vector<std::string> assumptions_of(const merged& row) {
  const auto corrected_by = [&](const char* method) {
    return std::any_of(row.result.nodes.begin(), row.result.nodes.end(),
                       [&](const merged_node& n) { return n.bounds.known && n.method == method; });
  };
  std::vector<std::string> texts = row.result.assumptions;
  if (texts.empty() && corrected_by("collectives"))
    texts.emplace_back("collectives were matched rightly, and nobody ended one before those had begun that it waited for");
  if (corrected_by("offsets"))
    texts.emplace_back("a node without clock snapshots stamps all events by its host's clock; how well its devices follow is not known");
  if (corrected_by("snapshots") || corrected_by("offsets")) {
    texts.emplace_back("paths between nodes take as long there as back: offsets do not show it when they do not");
    texts.emplace_back("clocks are straight between two measurements, but for what their scatter shows");
    texts.emplace_back("errors of measurements last less long than the measurements: those that last longer look like drift");
  }
  return texts;
}

std::optional<std::int64_t> widest_of_tracer(const node_bounds& bounds) noexcept { return bounds.widest(clock_domain::tracer); }
std::optional<std::int64_t> widest_of_host(const node_bounds& bounds) noexcept { return bounds.widest(clock_domain::host); }
double host_drift_of(const merged_node& node) noexcept { return static_cast<double>(node.host_drift_ppt) / 1e6; }
double tracer_drift_of(const merged_node& node) noexcept { return static_cast<double>(node.tracer_drift_ppt) / 1e6; }
const node_bounds* bounds_of_node(const merged_node& node) noexcept { return node.bounds.known ? &node.bounds : nullptr; }

}  // namespace json

result<void> write_merge_metadata(const merge_result& r, sink& into, const validation_result* checked) {
  return contained([&]() -> result<void> {
    const bool whole = std::all_of(r.nodes.begin(), r.nodes.end(), [](const merged_node& n) {
      return n.status != node_status::missing && n.status != node_status::corrupt && n.incomplete.empty();
    });
    json_writer out(into);
    json::begin_document(out, "merge");
    out.field("status", whole ? "ok" : "partial");
    out.key("reason");
    if (whole)
      out.null();
    else
      out.value("a trace is missing or damaged; see nodes and warnings");
    json::fields_of_merge(out, {r, checked});
    out.end_object();
    return out.finish();
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
