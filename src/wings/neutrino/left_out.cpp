// What stands for Neutrino in a build without it: its traces are recognised and not read.
#include <profkit/core/probe.hpp>
#include <profkit/core/probe_export.hpp>
#include <profkit/core/probe_trace.hpp>

#include <base/left_out.hpp>
#include <export/json/document.hpp>
#include <formats/neutrino/neutrino_fill.hpp>
#include <neutrino/export/parts.hpp>
#include <tables/rows_of_list.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

fault without_neutrino(const std::string& path = {}) { return built_without("Neutrino", "neutrino", path); }

}  // namespace

result<std::shared_ptr<const probe_trace>> probe_trace::open(const std::string& path, const probe_trace_options&) {
  return without_neutrino(path);
}
result<held_bytes> probe_trace::hold(std::size_t) const { return without_neutrino(); }
const fault* probe_trace::first_damage() const noexcept { return nullptr; }
bool probe_trace::anything_intact() const noexcept { return false; }

result<void> fill_from_neutrino(const profile& p, std::size_t file, track_sink&, const tracks_wanted&) {
  return without_neutrino(p.what().files[file].path);
}

result<block_schedule> analyse_block_schedule(const probe_bin_map&, std::string_view, const schedule_options&, const hooks&) {
  return without_neutrino();
}
result<lane_totals> analyse_lane_totals(const probe_bin_map&, std::string_view, std::uint64_t, const hooks&) {
  return without_neutrino();
}
result<page_density> analyse_page_density(const probe_bin_map&, std::string_view, const density_options&, const hooks&) {
  return without_neutrino();
}
result<lane_progress> analyse_progress(const probe_bin_map&, std::string_view, const hooks&) { return without_neutrino(); }
page_table read_page_table(std::string_view) { return {}; }
std::vector<kernel_overhead> analyse_probe_overhead(const probe_trace&) { return {}; }
std::vector<double> schedule_occupancy(const sm_schedule&, std::uint64_t, std::uint64_t, std::size_t) { return {}; }

result<probe_target> find_probe_target(const profile& p, const probe_query&) { return without_neutrino(p.what().path); }
result<document_status> write_probe_document(const profile& p, const probe_query&, sink&, const hooks&) {
  return without_neutrino(p.what().path);
}
result<probe_csv_outcome> write_probe_csv(const profile& p, const probe_query&, sink&, const hooks&) {
  return without_neutrino(p.what().path);
}
result<document_status> write_probe_svg(const profile& p, const probe_query&, std::string_view, sink&, const hooks&) {
  return without_neutrino(p.what().path);
}
result<void> write_schedule_svg(const block_schedule&, std::string_view, sink&) {
  return without_neutrino();
}
result<void> write_density_svg(const page_density&, std::string_view, sink&) { return without_neutrino(); }
std::unique_ptr<row_source> rows_of(std::vector<trace_of_file>) { return nullptr; }

namespace json {

// A capture without such a trace is absent here as it is elsewhere, so that a report of it is whole.
result<document_status> write_neutrino(json_writer& out, const trace& t, const query_filters&, const hooks&) {
  const profile& p = t.files();
  const std::vector<file_damage> damage = damage_without_probes(p);
  const verdict found = judge(p, why_no_probes(p), damage);
  begin_document(out, document::neutrino);
  write_verdict(out, found);
  out.field("slice", probe_slice_name(probe_slice::summary));
  write_files(out, p);
  write_damage(out, damage);
  end_document(out);
  return found.status;
}

}  // namespace json

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
