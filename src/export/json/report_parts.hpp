// Parts of the report document.
#pragma once
#include <base/json_writer.hpp>
#include <profkit/core/report.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

// `is_brief`: without the commands to run next, and half of the bytes that are left are for what follows.
void write_report_summary(json_writer& out, const report_summary& s, bool is_brief);

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
