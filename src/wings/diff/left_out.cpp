// What stands for the comparison of captures in a build without it.
#include <profkit/core/diff.hpp>

#include <base/left_out.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::uint64_t run_snapshot::step_count() const noexcept { return 0; }
result<run_snapshot> take_snapshot(const trace& t, const hooks&) { return built_without("diff", "diff", t.files().what().path); }
run_diff compare_runs(const run_snapshot&, const run_snapshot&) { return {}; }
result<document_status> write_diff_document(const run_snapshot&, const run_snapshot&, const run_diff&, sink&, std::uint64_t) {
  return built_without("diff", "diff");
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
