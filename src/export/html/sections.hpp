// The sections of the page: each adds what it shows to the JSON inside, and nothing where the capture has no such thing. What a
// section looks like is in page/NAME.js.
#pragma once
#include <base/json_writer.hpp>
#include <export/html/names.hpp>
#include <profkit/core/report.hpp>

#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace html {

// Where the time went, in one or two sentences.
[[nodiscard]] std::string verdict_of(const report_summary& s);

void write_verdict_section(json_writer& out, const report_result& found);

// Fault: of the visit of a device's kernels.
result<void> write_timeline_section(json_writer& out, const report_result& found, page_names& names, const hooks& host);

}  // namespace html
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
