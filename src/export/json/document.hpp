// The frame of every JSON document, and the parts that several documents share.
//
// A document is one object: schema, version, status, reason, then what it is about, then `files` (what the
// `file` numbers stand for) and `damage`. The tree and the metadata are written while the capture is read, so
// their status and reason come last.
#pragma once
#include <profkit/core/activity.hpp>
#include <profkit/core/anatomy.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/collectives.hpp>
#include <profkit/core/export.hpp>

#include <base/json_writer.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

// How a document ends and why: `reason` is null when it is complete.
struct verdict {
  document_status status = document_status::ok;
  std::string reason;
  const fault* why = nullptr;  // of an error
};
[[nodiscard]] const char* status_name(document_status s) noexcept;

// `absent` is the slice's own word for having nothing; damage counts more than that.
[[nodiscard]] verdict judge(const profile& p, const std::string& absent, const std::vector<file_damage>& damage);

// Borrows the profile for as long as the report lives.
[[nodiscard]] inline std::shared_ptr<const profile> borrowed(const profile& p) noexcept {
  return std::shared_ptr<const profile>(std::shared_ptr<const void>(), &p);
}

// Opens the object and writes schema and version.
void begin_document(json_writer& out, document which);
// status and reason; for an error also code, message, path, byte_offset and hint.
void write_verdict(json_writer& out, const verdict& v);

// The five fields of a fault, inside an object that is open.
void write_fault_fields(json_writer& out, const fault& f);
// files[] and damage[].
void write_files(json_writer& out, const profile& p);
// Damage of the inputs, one a file.
[[nodiscard]] std::vector<file_damage> damage_of(const activity& of);
[[nodiscard]] std::vector<file_damage> damage_of(const bubbles_report& of);
void write_damage(json_writer& out, const std::vector<file_damage>& damage);
// events_checked and damage[].
void write_damage(json_writer& out, const std::vector<file_damage>& damage, events_checked checked);

// Null where there is none.
void write_text_or_null(json_writer& out, std::string_view key, std::string_view text);
void write_strings(json_writer& out, std::string_view key, const std::vector<std::string>& strings);
void write_optional(json_writer& out, std::string_view key, const std::optional<std::int64_t>& n);
// What a trace says of a process, with `with_threads` of its threads, too; nothing where `plane` is no process.
void write_plane_process(json_writer& out, const tree_plane& plane, bool with_threads);
// A number that may be missing or not finite: null then.
void write_optional(json_writer& out, std::string_view key, const std::optional<std::uint64_t>& n);
void write_optional(json_writer& out, std::string_view key, const std::optional<double>& n);
void write_optional_id(json_writer& out, std::string_view key, const std::optional<std::int64_t>& n);

// A stat's value: decimal string (int64, uint64), number (double; null when not finite), string (str, and ref as
// the name referred to), lower-case hex string (bytes), null (none).
void write_stat_value(json_writer& out, const named_stat& s);
// {"name": value, …}: of equal names the last counts; a stat whose id has no entry is called "#<id>".
void write_stat_map(json_writer& out, std::string_view key, const std::vector<named_stat>& stats);
// name, metadata_id, kind, value, ref? inside an object that is open; of an argument metadata_id is null.
void write_stat_fields(json_writer& out, const named_stat& s);
// [{name, metadata_id, kind, value, ref?}, …] in wire order.
void write_stat_list(json_writer& out, std::string_view key, const std::vector<named_stat>& stats);

// Each writes one whole document. `limit` bounds lists that the slice itself does not bound; 0 writes all.
document_status write_info(json_writer& out, const profile& p, const info_result& info);
document_status write_steps(json_writer& out, const profile& p, const steps_result& found, events_checked checked);
document_status write_ops(json_writer& out, const profile& p, const ops_result& found, std::uint64_t limit,
                          events_checked checked);
document_status write_modules(json_writer& out, const profile& p, const modules_result& found, std::uint64_t limit);
// The modules document of one row with its entry computation; `limit` bounds the instructions.
document_status write_module_entry(json_writer& out, const profile& p, const modules_result& found,
                                   const module_row* only, std::uint64_t limit);
document_status write_framework(json_writer& out, const profile& p, const framework_result& found,
                                events_checked checked);
document_status write_collectives(json_writer& out, const profile& p, const collectives_result& found,
                                  std::uint64_t limit, events_checked checked);
document_status write_chrome(json_writer& out, const profile& p, const chrome_result& found, events_checked checked);
document_status write_validation(json_writer& out, const validation_result& found, const alignment_result* alignment);
// These run their slices themselves, the first two because they write while they read.
result<document_status> write_memory(json_writer& out, const profile& p, const anatomy_options& o, const hooks& host);
result<document_status> write_bubbles(json_writer& out, const profile& p, const anatomy_options& o, const hooks& host);
result<document_status> write_architecture(json_writer& out, const profile& p, const anatomy_options& o,
                                           const hooks& host);
result<document_status> write_neutrino(json_writer& out, const profile& p, const anatomy_options& o, const hooks& host);
result<document_status> write_tree(json_writer& out, const profile& p, const anatomy_options& o, const hooks& host);
result<document_status> write_metadata(json_writer& out, const profile& p, const anatomy_options& o, const hooks& host);
result<document_status> write_report(json_writer& out, const profile& p, const anatomy_options& o, const hooks& host);

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
