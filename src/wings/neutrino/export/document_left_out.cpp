// What stands for the documents and tables of Neutrino traces in a build without them.
#include <export/json/document.hpp>
#include <neutrino/export/parts.hpp>

#include <profkit/core/probe_export.hpp>

#include "base/left_out.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

fault without_neutrino(const profile& p) { return built_without("Neutrino", "neutrino", p.what().path); }

}  // namespace

result<probe_target> find_probe_target(const profile& p, const probe_query&) { return without_neutrino(p); }
result<document_status> write_probe_document(const profile& p, const probe_query&, sink&, const hooks&) {
  return without_neutrino(p);
}
result<probe_csv_outcome> write_probe_csv(const profile& p, const probe_query&, sink&, const hooks&) {
  return without_neutrino(p);
}
result<document_status> write_probe_svg(const profile& p, const probe_query&, std::string_view, sink&, const hooks&) {
  return without_neutrino(p);
}
result<void> write_schedule_svg(const block_schedule&, std::string_view, sink&) {
  return built_without("Neutrino", "neutrino");
}
result<void> write_density_svg(const page_density&, std::string_view, sink&) { return built_without("Neutrino", "neutrino"); }

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
