// Renderings of findings. The command line's --json and the C ABI's documents are the same bytes: both
// call write_document().
#pragma once
#include <profkit/core/filters.hpp>
#include <profkit/core/op_groups.hpp>
#include <profkit/core/sink.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// enum document: written by scripts/generate
/// The JSON documents, byte for byte those of `profkit <command> --json`.
enum class document : std::int32_t {
  report = 1,
  info,
  tree,
  metadata,
  steps,
  ops,
  modules,
  framework,
  collectives,
  memory,
  bubbles,
  architecture,
  neutrino = 20,
  brief,          ///< Of a report what matters most, in 16 KB, with the commands for more.
  op_groups = 23, ///< Ops summed by operator, or by what pk_document_options::of says.
  explain = 22    ///< The findings of a report with their ids; of one of them: pk_document_options::of.
};
// end of enum document
[[nodiscard]] const char* document_name(document d) noexcept;  ///< "report", "info", …
/// query_filters::limit of a document when the caller names none: 5 for tree, 20 for metadata and
/// framework, whose lists are samples, 20 for the report, 30 for memory, 5 for the brief report, default_document_limit
/// for the others. Up to it a document takes 1 MB at most, whatever the capture: lists end earlier then, and texts are
/// cut. A higher limit lifts that, but for the brief report (16 KB) and explain (8 KB). `limited` of each document says
/// what was left out.
[[nodiscard]] std::uint64_t default_limit(document d) noexcept;
inline constexpr std::uint64_t default_document_limit = 100;

/// About how many of the events of a capture the status and the damage of a document are, `events_checked` in it: bytes
/// that were not decoded for it may be damaged. `info` and `report` decode all.
[[nodiscard]] events_checked checked_by(document d, const profile& p, const query_filters& o = {});

// enum document_status: written by scripts/generate
/// How a document ended, which decides the command's exit code.
enum class document_status : std::int32_t {
  ok,      ///< all is well
  partial, ///< some input was damaged; what was intact is shown
  absent,  ///< the capture has nothing of this kind; `reason` says why
  error    ///< nothing usable
};
// end of enum document_status

/// Writes one document as indented JSON: {"schema","version","status","reason",…}, docs/schemas/<name>.json.
/// Damage of the input is not a fault: it makes the status partial or, when nothing could be read, error. A fault
/// is returned when writing failed, the host cancelled, or `o` asks for what is not there (no such step); with
/// the last two nothing or only a part was written. The limit of a report is that of the lists of its parts. Does not
/// finish the sink.
result<document_status> write_document(document which, const trace& t, const query_filters& o, sink& into,
                                       const hooks& host = {});
/// The modules document of one module, the first that find_module() finds, with its `entry`: the instructions of the
/// entry computation in proto order (at most o.limit; 0: all) and the schedule. Faults as of write_document(), and
/// not_found when there is no such module; a module that does not parse has no entry and gives its damage.
result<document_status> write_entry_document(const trace& t, std::string_view module, const query_filters& o,
                                             sink& into, const hooks& host = {});
/// The document of ops grouped by these keys (core/op_groups.hpp); with none by operator, as write_document().
result<document_status> write_op_groups(const trace& t, const std::vector<group_key>& keys, const query_filters& o, sink& into,
                                        const hooks& host = {});
/// The explain document of one finding, by the id that the report gives it; with "" of all, as write_document(). Faults as of
/// write_document(), and not_found when the report under these filters has no such finding.
result<document_status> write_explanation(const trace& t, std::string_view id, const query_filters& o, sink& into,
                                          const hooks& host = {});
/// The error document of a capture that could not be opened: status "error" with code, message, path,
/// byte_offset, hint.
result<void> write_error_document(document which, const fault& why, sink& into);
/// write_error_document() for a document that is not of one capture, by its name: "validate", "merge".
result<void> write_error_document(std::string_view name, const fault& why, sink& into);
/// What open_options::redact replaced, with what each alias stands for: only for the person who shares the capture.
result<void> write_redaction(const redaction& done, sink& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
