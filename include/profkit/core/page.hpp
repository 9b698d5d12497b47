// A report as one page: a file that a browser opens from disk, with its style, its script and its numbers inside.
#pragma once
#include <profkit/core/report.hpp>
#include <profkit/core/sink.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// What analyse_report() is asked for a page: no samples, and as many ops as the page's table takes.
[[nodiscard]] report_options page_options(const query_filters& filters);

/// Writes the page, 3 MB at most whatever the capture: lists end earlier then and texts are cut. It loads nothing and sends
/// nothing. Its numbers stand in it as JSON (`<script type="application/json">`). `found` is of the same trace. Does not finish
/// the sink. Faults: those of the sink and of a visit of the activity, cancelled.
result<void> write_page(const trace& t, const report_result& found, sink& into, const hooks& host = {});

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
