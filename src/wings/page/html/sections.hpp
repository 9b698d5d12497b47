// The sections of the page: each adds what it shows to the JSON inside, and nothing where the capture has no such thing. What a
// section looks like is in page/NAME.js.
#pragma once
#include <base/json_writer.hpp>
#include <page/html/names.hpp>
#include <profkit/core/report.hpp>

#include <cstddef>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace html {

void write_verdict_section(json_writer& out, const report_result& found);

// Fault: of the visit of a device's kernels.
result<void> write_timeline_section(json_writer& out, const report_result& found, page_names& names, const hooks& host);
void write_steps_section(json_writer& out, const report_result& found, page_names& names);
void write_waits_section(json_writer& out, const report_result& found);
void write_memory_section(json_writer& out, const report_result& found);
void write_collectives_section(json_writer& out, const report_result& found);
void write_nodes_section(json_writer& out, const report_result& found);
// Looks at the kernels once more, where the report found a model. Fault: of the visit of a device's kernels.
void write_model_section(json_writer& out, const report_result& found);

}  // namespace html
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
