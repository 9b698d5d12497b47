// What stands for the analyses of Neutrino traces in a build without them.
#include <profkit/core/probe.hpp>
#include <profkit/core/probe_export.hpp>

#include <base/left_out.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

fault without_analyses() { return built_without("Neutrino", "neutrino"); }

}  // namespace

result<block_schedule> analyse_block_schedule(const probe_bin_map&, std::string_view, const schedule_options&, const hooks&) {
  return without_analyses();
}
result<lane_totals> analyse_lane_totals(const probe_bin_map&, std::string_view, std::uint64_t, const hooks&) {
  return without_analyses();
}
result<page_density> analyse_page_density(const probe_bin_map&, std::string_view, const density_options&, const hooks&) {
  return without_analyses();
}
result<lane_progress> analyse_progress(const probe_bin_map&, std::string_view, const hooks&) { return without_analyses(); }
page_table read_page_table(std::string_view) { return {}; }
std::vector<kernel_overhead> analyse_probe_overhead(const probe_trace&) { return {}; }
std::vector<double> schedule_occupancy(const sm_schedule&, std::uint64_t, std::uint64_t, std::size_t) { return {}; }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
