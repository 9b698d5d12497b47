// The pieces of a report's summary; each is a pure look at what the analyses found.
#pragma once
#include <profkit/core/report.hpp>

#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace report {

// Where it ran and what wrote it.
std::vector<device_model> devices_of(const report_parts& parts);
std::vector<std::string> software_of(const report_parts& parts);
std::vector<recorded_host> hosts_of(const capture& found, const report_parts& parts);
std::vector<process_rank> ranks_of(const report_parts& parts);

// Sums.
std::vector<busy_device> busy_devices_of(const profile& p, const report_parts& parts);
// `devices`: those of busy_devices_of(), whose streams are not repeated.
std::vector<busy_line> busy_lines_of(const profile& p, const report_parts& parts, bool devices);
struct op_sums {
  std::vector<report_op> top;
  std::uint64_t names = 0;
  std::int64_t waiting_ps = 0;  // self time of *-done ops: the device waits for what was started before
};
op_sums busiest_ops(const profile& p, const report_parts& parts, std::size_t most);
std::vector<module_total> total_modules(const profile& p, const report_parts& parts);
// Whether events name the run of a module that they belong to.
bool names_runs(const profile& p);
std::vector<collective_total> total_collectives(const report_parts& parts);
std::optional<idle_total> idle_of(const report_parts& parts);
std::optional<memory_total> memory_of(const report_parts& parts);
// Whether it is on record what ops do: in the metadata of a TPU's, in a program, in the shapes of operators.
[[nodiscard]] bool has_work(const report_parts& parts);
costliest_work costliest_of(const report_summary& s);  // of its ops and collectives

[[nodiscard]] const ops_line* busiest_line(const report_parts& parts) noexcept;

// Sentences; their subjects are in the summary already.
std::string verdict_of(const report_parts& parts, const report_summary& summary);
std::vector<std::string> sentences_across_nodes(const report_parts& parts);
std::vector<std::string> notes_of(const report_parts& parts, const report_summary& summary,
                                  const std::vector<finding>& findings, std::int64_t waiting_ps, const query_filters& filters);
std::vector<next_command> next_commands(const report_parts& parts, const report_summary& summary,
                                        const std::vector<finding>& findings);

}  // namespace report
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
