// What a report says in sentences.
#include <analyse/report/parts.hpp>

#include <base/affix.hpp>
#include <base/format.hpp>
#include <profkit/core/text.hpp>
#include <profkit/time.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace report {
namespace {

// What the filters keep out of a report.
std::string left_out_sentence(const query_filters& filters) {
  const bool memory = !memory_keeps_to(filters), idle = !bubbles_keep_to(filters);
  if (!memory && !idle) return {};
  return std::string(memory && idle ? "Memory and idle time are"
                     : memory       ? "Memory is"
                                    : "Idle time is") +
         " known of the whole capture only: these filters leave out that part.";
}

// What a reader of the report should know of it; "" where the report says it elsewhere.
std::string note_of(const finding& f, const report_summary& summary) {
  const auto is_a = [&](std::string_view kind) { return starts_with(f.id, kind); };
  // Damage and incompleteness stand at the top of a report, waiting beside the idle time.
  if (is_a("damage.") || is_a("incomplete.") || is_a("bubbles.idle")) return {};
  if (is_a("memory."))
    return f.recoverable_bytes || is_a("memory.module_differs") ? (f.where.empty() ? "" : f.where + ": ") + f.what + '.' : "";
  // How much is exposed stands beside the idle time, and who comes last among the sentences across nodes.
  if (is_a("bubbles.cause.exposed_") || is_a("bubbles.cause.straggler_wait")) return {};
  if (!is_a("bubbles.")) return f.what;
  // The causes of less stand in one line with their shares.
  const bool is_most = summary.idle && f.recoverable_ps.value_or(0) >= summary.idle->idle_ps / 2;
  return is_most ? f.what + "; " + f.where : "";
}

}  // namespace

std::vector<std::string> notes_of(const report_parts& parts, const report_summary& summary,
                                  const std::vector<finding>& findings, std::int64_t waiting_ps, const query_filters& filters) {
  std::vector<std::string> notes;
  if (std::string left_out = left_out_sentence(filters); !left_out.empty()) notes.push_back(std::move(left_out));
  for (const finding& found : findings)
    if (std::string note = note_of(found, summary); !note.empty()) notes.push_back(std::move(note));
  for (const file_info& file : parts.info.files)
    for (const std::string& text : file.warnings) notes.push_back("The recorder warns: " + text);
  const std::int64_t span = summary.span_ps(), busy = summary.busy_ps;
  if (busy > 0 && waiting_ps > busy / 5)
    notes.push_back(share_text(waiting_ps, busy) +
                    " of the busy time goes to *-done ops: waits for copies or collectives begun before.");
  const ops_line* busiest = busiest_line(parts);
  if (span > 0 && busiest != nullptr && busiest->busy_ps < span / 10)
    notes.push_back("Even the busiest line ran ops for only " + share_text(busiest->busy_ps, span) +
                    " of the span: the rest is host work, waiting, or not recorded.");
  for (const step_group& g : summary.steps)
    if (g.first.source != step_source::xla_modules && g.times.count > 2 && g.times.max_ps / 2 > g.times.median_ps) {
      notes.push_back("Step " + grouped(std::uint64_t{g.longest}) + " of " + std::string(step_place_name(g.first)) +
                      " took " + human_duration(g.times.max_ps) + ", more than twice the median.");
      break;
    }
  return notes;
}

}  // namespace report
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
