// Parts of the report document.
#pragma once
#include <base/json_writer.hpp>
#include <export/json/bubbles_parts.hpp>
#include <profkit/core/explain.hpp>
#include <profkit/core/report.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

// `is_brief`: without the commands to run next, and half of the bytes that are left are for what follows.
void write_report_summary(json_writer& out, const report_summary& s, bool is_brief);

// A command as a shell takes it.
struct typed_command {
  std::string command;
  std::string_view why;
};
// `what` only where no finding is explained.
struct listed_finding {
  std::string_view id;
  profkit::certainty certainty = profkit::certainty::unknown;
  std::optional<std::string_view> what;
};
[[nodiscard]] std::optional<std::int64_t> collective_exposed_of(const costliest_work& c) noexcept;
[[nodiscard]] shown_time shown(const time_row& row, const idle_total& of);
[[nodiscard]] inline std::optional<leading_cause> leading_cause_of(const idle_total& of) { return find_leading_cause(of.time); }

[[nodiscard]] verdict judge_report(const profile& p, const report_result& found);
// The frame, the verdict and the path.
void begin_with_path(json_writer& out, document which, const profile& p, const verdict& v);
// What both forms of the report begin with: what it is of, and whether that is all there was.
void begin_report(json_writer& out, document which, const profile& p, const report_result& found, const verdict& v);

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
