// The frame of every JSON document, and the parts that several documents share.
//
// A document is one object: schema, version, status, reason, then what it is about, then `files` (what the
// `file` numbers stand for) and `damage`, at last, where lists were not written whole, `limited`:
// which. The tree and the metadata are written while the capture is read, so
// their status and reason come last.
#pragma once
#include <profkit/core/activity.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/collectives.hpp>
#include <profkit/core/communication.hpp>
#include <profkit/core/export.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/framework.hpp>
#include <profkit/core/info.hpp>
#include <profkit/core/modules.hpp>
#include <profkit/core/named_stat.hpp>
#include <profkit/core/ops.hpp>
#include <profkit/core/steps.hpp>
#include <profkit/core/tree.hpp>
#include <profkit/time.hpp>

#include <base/json_writer.hpp>

#include <export/json/fields.hpp>

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

// `absent`: why the slice has nothing; damage counts more than that.
[[nodiscard]] verdict judge(const profile& p, const std::string& absent, const std::vector<file_damage>& damage);

// What a limit means for a document: so many items of each list, and up to the default of the document no more bytes
// than a reader of documents can hold, and no text of any length. 0: no bounds.
[[nodiscard]] json_bounds bounds_of(document which, std::uint64_t limit) noexcept;
// Bounds for documents that are never a part of another.
[[nodiscard]] json_bounds bounds_of(std::uint64_t limit, std::uint64_t otherwise) noexcept;

// For begin_object(): a document in another one takes a quarter of the bytes that are left.
[[nodiscard]] inline std::uint64_t share_of_part(const json_writer& out) noexcept { return out.depth() == 0 ? 0 : 4; }
// Opens the object and writes schema and version. In another document it takes a quarter of the bytes that are left.
void begin_document(json_writer& out, document which);
// Begins a document that is not of one capture, by its name.
void begin_document(json_writer& out, std::string_view name, std::int64_t version = 1);
// `limited`, where something was left out; in another document that one lists it for all its parts. Closes the object.
void end_document(json_writer& out);

// Lists that others need, as indices or reasons: a limit below these does not cut them.
constexpr std::uint64_t min_inputs = 1000, min_notes = 100;

// One list, written as far as the writer takes it; gives how many rows were left out. `missing`: how many more there
// are that `rows` lacks.
template <class Rows, class Write>
std::uint64_t write_rows(json_writer& out, std::string_view key, const Rows& rows, Write&& write,
                         std::uint64_t least = 0, std::uint64_t missing = 0) {
  out.key(key);
  out.begin_array(least);
  std::uint64_t handed = 0;
  for (const auto& row : rows) {
    if (out.is_full()) break;
    ++handed;
    write(row);
  }
  out.left_out(static_cast<std::uint64_t>(rows.size()) - handed + missing);
  return out.end_array();
}
// write_rows() for rows that are objects: `write` gives the fields.
template <class Rows, class Write>
std::uint64_t write_objects(json_writer& out, std::string_view key, const Rows& rows, Write&& write,
                            std::uint64_t least = 0, std::uint64_t missing = 0) {
  const auto object = [&](const auto& row) {
    out.begin_object();
    write(row);
    out.end_object();
  };
  return write_rows(out, key, rows, object, least, missing);
}
// One object; `write` gives the fields.
template <class Write>
void write_object(json_writer& out, std::string_view key, Write&& write) {
  out.key(key);
  out.begin_object();
  write();
  out.end_object();
}
// status and reason; for an error also code, message, path, byte_offset and hint.
void write_verdict(json_writer& out, const verdict& v);

// Of the five fields of a fault.
[[nodiscard]] inline const char* code_of(const fault& f) noexcept { return fault_name(f.code); }
[[nodiscard]] inline std::optional<std::uint64_t> offset_of(const fault& f) noexcept {
  return f.byte_offset == no_offset ? std::nullopt : std::optional(f.byte_offset);
}
// files[] and damage[].
void write_files(json_writer& out, const profile& p);
// Damage of the inputs, one a file.
[[nodiscard]] std::vector<file_damage> damage_of(const activity& of);
[[nodiscard]] std::vector<file_damage> damage_of(const bubbles_report& of);
void write_damage(json_writer& out, const std::vector<file_damage>& damage);
// events_checked and damage[].
void write_damage(json_writer& out, const std::vector<file_damage>& damage, events_checked checked);

// For the fields of records.
[[nodiscard]] inline bool is_empty(const char* text) noexcept { return *text == '\0'; }
template <class Rows>
[[nodiscard]] bool is_empty(const Rows& rows) noexcept { return rows.empty(); }
[[nodiscard]] constexpr std::int64_t whole_ns(std::int64_t ps) noexcept { return ps / ps_per_ns; }
// To whole ns, half away from zero.
[[nodiscard]] constexpr std::int64_t in_ns(std::int64_t ps) noexcept {
  const std::int64_t rest = ps % ps_per_ns;
  return ps / ps_per_ns + (rest >= ps_per_ns / 2 ? 1 : rest <= -ps_per_ns / 2 ? -1 : 0);
}

// One document in its frame; `fields` writes what it is about.
template <class Fields>
document_status write_framed(json_writer& out, document which, const profile& p, const query_filters& o, const std::string& absent,
                             const std::vector<file_damage>& damage, Fields&& fields) {
  const verdict v = judge(p, absent, damage);
  begin_document(out, which);
  write_verdict(out, v);
  fields();
  write_files(out, p);
  write_damage(out, damage, checked_by(which, p, o));
  end_document(out);
  return v.status;
}

// Null where there is none.
void write_text_or_null(json_writer& out, std::string_view key, std::string_view text);
void write_strings(json_writer& out, std::string_view key, const std::vector<std::string>& strings);
// Begins of spans without an end, and ends without a begin; none where there are none.
struct unpaired_spans {
  std::uint64_t begins = 0, open_begins = 0, ends = 0;
};
template <class Row, class Context>
[[nodiscard]] std::optional<unpaired_spans> unpaired_of(const Row& row, const Context&) {
  if (row.begins_without_end == 0 && row.ends_without_begin == 0) return std::nullopt;
  return unpaired_spans{row.begins_without_end, row.begins_open, row.ends_without_begin};
}
void write_optional(json_writer& out, std::string_view key, const std::optional<std::int64_t>& n);
// A number that may be missing or not finite: null then.
void write_optional(json_writer& out, std::string_view key, const std::optional<std::uint64_t>& n);
void write_optional(json_writer& out, std::string_view key, const std::optional<double>& n);
// A rate of device_peaks, where 0 stands for none.
[[nodiscard]] inline std::optional<double> known_peak(double rate) noexcept { return rate > 0 ? std::optional(rate) : std::nullopt; }
void write_optional_id(json_writer& out, std::string_view key, const std::optional<std::int64_t>& n);

// Lower-case hexadecimal.
[[nodiscard]] std::string hex_text(std::string_view bytes);

// A stat's value: decimal string (int64, uint64), number (double; null when not finite), string (str, and ref as
// the name referred to), lower-case hex string (bytes), null (none).
void write_stat_value(json_writer& out, const named_stat& s);
// {"name": value, …}: of equal names the last counts; a stat whose id has no entry is called "#<id>".
void write_stat_map(json_writer& out, const std::vector<named_stat>& stats);
[[nodiscard]] std::optional<std::int64_t> metadata_id_of(const named_stat& s) noexcept;  // none of an argument
[[nodiscard]] std::optional<std::uint64_t> ref_of(const named_stat& s) noexcept;

[[nodiscard]] std::optional<double> rate_of(const recorded_link& link) noexcept;  // none when its time is not above 0
void write_kinds(json_writer& out, std::uint8_t kinds);  // the names of the stat_kind whose bits are set

// Each writes one whole document, within the bounds of the writer.
document_status write_info(json_writer& out, const profile& p, const info_result& info);
document_status write_steps(json_writer& out, const profile& p, const steps_result& found, const query_filters& o);
document_status write_ops(json_writer& out, const profile& p, const ops_result& found, const query_filters& o);
document_status write_modules(json_writer& out, const profile& p, const modules_result& found);
// The modules document of one row with its entry computation.
document_status write_module_entry(json_writer& out, const profile& p, const modules_result& found,
                                   const module_row* only);
document_status write_framework(json_writer& out, const profile& p, const framework_result& found, const query_filters& o);
document_status write_collectives(json_writer& out, const profile& p, const collectives_result& found, const query_filters& o);
document_status write_validation(json_writer& out, const validation_result& found, const alignment_result* alignment);
// These run their slices themselves, the first two because they write while they read.
result<document_status> write_memory(json_writer& out, const trace& t, const query_filters& o, const hooks& host);
result<document_status> write_bubbles(json_writer& out, const trace& t, const query_filters& o, const hooks& host);
result<document_status> write_architecture(json_writer& out, const trace& t, const query_filters& o,
                                           const hooks& host);
result<document_status> write_neutrino(json_writer& out, const trace& t, const query_filters& o, const hooks& host);
result<document_status> write_tree(json_writer& out, const trace& t, const query_filters& o, const hooks& host);
result<document_status> write_metadata(json_writer& out, const trace& t, const query_filters& o, const hooks& host);
result<document_status> write_report(json_writer& out, const trace& t, const query_filters& o, const hooks& host);
result<document_status> write_brief(json_writer& out, const trace& t, const query_filters& o, const hooks& host);
result<document_status> write_explain(json_writer& out, const trace& t, const query_filters& o, const hooks& host);
// Of one finding; with the id "" of all.
result<document_status> write_op_groups(json_writer& out, const trace& t, const std::vector<group_key>& keys, const query_filters& o,
                                        const hooks& host);
result<document_status> write_explanation(json_writer& out, const trace& t, std::string_view id, const query_filters& o,
                                          const hooks& host);

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
