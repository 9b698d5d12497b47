// <stem>.metadata.json: what a merge did with each node.
#include <profkit/core/collectives.hpp>
#include <profkit/core/merge.hpp>
#include <profkit/time.hpp>

#include <algorithm>

#include <base/contained.hpp>
#include <base/format.hpp>
#include <base/json_writer.hpp>

#include "document.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// ns with three decimals, from the integer.
void nanoseconds(json_writer& json, std::string_view key, std::int64_t ps) {
  json.key(key);
  json.microseconds(ps > std::numeric_limits<std::int64_t>::max() / 1000   ? std::numeric_limits<std::int64_t>::max()
                    : ps < std::numeric_limits<std::int64_t>::min() / 1000 ? std::numeric_limits<std::int64_t>::min()
                                                                           : ps * 1000);
}

// Parts per million with six decimals.
void parts_per_million(json_writer& json, std::string_view key, std::int64_t ppt) {
  json.key(key);
  json.number(static_cast<double>(ppt) / 1e6);
}

void write_bounds(json_writer& json, const node_bounds& bounds) {
  json.key("bound");
  if (!bounds.known) {
    json.null();
    return;
  }
  json.begin_object();
  const auto widest = [&](std::string_view key, clock_domain domain) {
    if (const auto ps = bounds.widest(domain)) return nanoseconds(json, key, *ps);
    json.key(key);
    json.null();
  };
  const auto bound = [&](std::string_view key, std::int64_t ps) {
    json::write_optional(json, key, ps == clock_window::unknown_ps ? std::nullopt : std::optional(ps));
  };
  widest("tracer_ns", clock_domain::tracer);
  widest("host_ns", clock_domain::host);
  json.key("windows");
  json.begin_array();
  for (const clock_window& w : bounds.windows) {
    json.begin_object();
    json.field("from_ps", w.from_ps);
    json.field("to_ps", w.to_ps);
    bound("tracer_bound_ps", w.tracer_bound_ps);
    bound("host_bound_ps", w.host_bound_ps);
    json.field("extrapolated", w.extrapolated);
    json.field("suspect", w.suspect);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_node(json_writer& json, const merged_node& n) {
  json.begin_object();
  json.field("id", n.id);
  json.field("snapshots", n.snapshots);
  json.field("offset_windows", n.offset_windows);
  nanoseconds(json, "max_correction_ns", n.max_correction_ps);
  json.field("missing_snapshots", n.missing_snapshots);
  json.field("hostname", std::string_view(n.hostname));
  json.field("trace", std::string_view(n.trace));
  json.field("status", node_status_name(n.status));
  json.field("aligned_before", n.aligned_before);
  json::write_text_or_null(json, "incomplete", n.incomplete);
  json::write_text_or_null(json, "method", n.method);
  json.field("snapshot_source", snapshot_source_name(n.snapshots_from));
  json.field("events", n.events);
  json.field("planes", n.planes);
  json.field("clamped_events", n.clamped_events);
  json.field("sorted_lines", n.sorted_lines);
  json.field("snapshot_extrapolated_events", n.snapshot_extrapolated_events);
  json.field("offset_extrapolated_events", n.offset_extrapolated_events);
  json.field("out_of_reach_events", n.out_of_reach_events);
  nanoseconds(json, "min_correction_ns", n.min_correction_ps);
  nanoseconds(json, "mean_correction_ns", n.mean_correction_ps);
  nanoseconds(json, "residual_ns", n.residual_ps);
  parts_per_million(json, "host_drift_ppm", n.host_drift_ppt);
  parts_per_million(json, "tracer_drift_ppm", n.tracer_drift_ppt);
  json.key("offset_variance_ns2");
  json.number(n.offset_variance_ns2);
  json.field("sampling_period_ns", n.sampling_period_ns);
  write_bounds(json, n.bounds);
  json.key("anomalies");
  json.begin_array();
  for (const clock_anomaly& a : n.anomalies) {
    json.begin_object();
    json.field("kind", clock_anomaly_name(a.what));
    nanoseconds(json, "at_ns", a.at_ps);
    nanoseconds(json, "size_ns", a.size_ps);
    json.field("text", std::string_view(a.text));
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace

result<void> write_merge_metadata(const merge_result& r, sink& into, const validation_result* checked) {
  return contained([&]() -> result<void> {
    bool whole = true;
    for (const merged_node& n : r.nodes)
      whole = whole && n.status != node_status::missing && n.status != node_status::corrupt && n.incomplete.empty();
    json_writer json(into);
    profkit::json::begin_document(json, "merge");
    json.field("status", whole ? "ok" : "partial");
    json.key("reason");
    if (whole)
      json.null();
    else
      json.value("a trace is missing or damaged; see nodes and warnings");
    json.field("run_id", std::string_view(r.run_id));
    json.field("reference_node", r.reference_node);
    json.field_id("origin_ns", r.origin_ns);
    json.field("events", r.events);
    json.field("output_bytes", r.output_bytes);
    json.key("hostnames");
    json.begin_array();
    for (const std::string& h : r.hostnames) json.value(std::string_view(h));
    json.end_array();
    // What the bounds of corrected nodes rest on.
    json.key("assumptions");
    json.begin_array();
    const auto corrected_by = [&](const char* method) {
      return std::any_of(r.nodes.begin(), r.nodes.end(), [&](const merged_node& n) { return n.bounds.known && n.method == method; });
    };
    for (const std::string& text : r.assumptions) json.value(std::string_view(text));
    if (r.assumptions.empty() && corrected_by("collectives"))
      json.value("collectives were matched rightly, and nobody ended one before those had begun that it waited for");
    if (corrected_by("offsets")) json.value("a node without clock snapshots stamps all events by its host's clock; how well its devices follow is not known");
    if (corrected_by("snapshots") || corrected_by("offsets")) {
      json.value("paths between nodes take as long there as back: offsets do not show it when they do not");
      json.value("clocks are straight between two measurements, but for what their scatter shows");
      json.value("errors of measurements last less long than the measurements: those that last longer look like drift");
    }
    json.end_array();
    json.key("nodes");
    json.begin_array();
    for (const merged_node& n : r.nodes) write_node(json, n);
    json.end_array();
    json.key("planes");
    json.begin_array();
    for (const merged_plane& p : r.planes) {
      json.begin_object();
      json.field("name", std::string_view(p.name));
      json.field_id("id", p.id);
      json.field("node", p.node);
      json.field("source", std::string_view(p.source));
      json.field("moved", p.moved);
      json.end_object();
    }
    json.end_array();
    json.key("validation");
    if (checked == nullptr) {
      json.null();
    } else {
      json.begin_object();
      json.field("violations", checked->violations);
      json.field("violations_raw", checked->violations_raw);
      json.field("pair_violations", checked->pair_violations);
      json.field("overlaps", checked->overlaps);
      json.field("warnings", checked->warnings);
      json.end_object();
    }
    json.key("warnings");
    json.begin_array();
    for (const std::string& w : r.warnings) json.value(std::string_view(w));
    json.end_array();
    json.end_object();
    return json.finish();
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
