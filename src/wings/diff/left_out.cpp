// What stands for the comparison of captures in a build without it.
#include <profkit/core/diff.hpp>

#include <base/left_out.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::uint64_t run_snapshot::step_count() const noexcept { return 0; }
result<run_snapshot> take_snapshot(const trace& t, const hooks&) { return built_without("diff", "diff", t.files().what().path); }
std::string shown_name(const run_op&) { return {}; }
result<void> write_snapshot(const run_snapshot&, sink&) { return built_without("diff", "diff"); }
bool begins_snapshot(std::string_view) noexcept { return false; }
result<run_snapshot> read_snapshot(std::string_view, const std::string& path) { return built_without("diff", "diff", path); }
result<void> check_gates(const std::vector<std::string>&) { return built_without("diff", "diff"); }
result<diff_report> compare_captures(std::vector<run_snapshot>, std::vector<run_snapshot>, const std::vector<std::string>&) {
  return built_without("diff", "diff");
}
result<document_status> write_diff_document(const diff_report&, sink&, std::uint64_t) { return built_without("diff", "diff"); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
