// What is said of the inputs of an activity.
#pragma once
#include <profkit/core/activity.hpp>
#include <profkit/core/text.hpp>

#include <base/format.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

constexpr const char* nothing_recorded =
    "device and host activity is in an XSpace, a trace or Ascend tables; there are none here";

constexpr const char* only_totals = "only totals of ops were recorded, without times";

[[nodiscard]] inline std::string why_no_kernels(const activity& of) {
  for (const activity_input& in : of.inputs())
    if (!in.why_empty.empty()) return in.why_empty;
  if (of.inputs().empty()) return nothing_recorded;
  return of.devices().empty() ? "the capture has no device" : "no device of the capture has a kernel";
}

[[nodiscard]] inline bool is_written_by(const activity& of, trace_writer one, trace_writer other) {
  return std::any_of(of.hosts().begin(), of.hosts().end(),
                     [&](const activity_host& h) { return h.writer == one || h.writer == other; });
}
// torch_npu's profiler has the options of PyTorch's.
[[nodiscard]] inline bool is_of_pytorch(const activity& of) {
  return is_written_by(of, trace_writer::pytorch, trace_writer::ascend);
}
[[nodiscard]] inline bool is_of_xla(const activity& of) {
  return is_written_by(of, trace_writer::xla, trace_writer::tensorflow);
}

// What of an input was passed over, or stands in for another.
inline void list_losses(const activity& of, std::vector<std::string>& into) {
  constexpr std::uint64_t max_shown = 20;
  std::uint64_t lossy = 0;
  for (const activity_input& in : of.inputs()) {
    if (lossy <= max_shown) into.insert(into.end(), in.incomplete.begin(), in.incomplete.end());
    if ((in.rejected == 0 || in.reject_reasons.empty()) && !in.is_fallback) continue;
    if (++lossy > max_shown) continue;
    const std::string name = in.path.substr(in.path.find_last_of('/') + 1);
    if (in.rejected > 0 && !in.reject_reasons.empty())
      into.push_back(grouped(in.rejected) + " of " + grouped(in.rows) + " rows of " + name + " were skipped (" +
                     in.reject_reasons.front().first +
                     (in.first_rejected_line > 0 ? ", the first in line " + std::to_string(in.first_rejected_line) : "") +
                     "): their contents are missing here");
    if (in.is_fallback)
      into.push_back("no kernel table has rows: those of " + name + " are used, which may be fewer");
  }
  if (lossy > max_shown) into.push_back("the same holds for " + counted(lossy - max_shown, "more file", "more files"));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
