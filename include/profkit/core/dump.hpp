// Any protobuf message as text or JSON, by a walk over its wire format: nothing is hidden, fields without a
// known name are shown by number.
#pragma once
#include <profkit/core/capture.hpp>
#include <profkit/core/export.hpp>
#include <profkit/core/sink.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// text: fields in the order of the file, in protobuf's text format, with remarks after '#'.
/// json: one document {"schema":"profkit.dump","version","type","message","status","reason","damage"};
///   messages follow protobuf's JSON mapping with the field names of the schema (64-bit integers are strings,
///   bytes are base64, maps are objects), fields by number, what is unknown in "unknown_fields"
///   [{"number","type","value" or "fields"}], what a limit left out in "left_out" {field: count}.
enum class dump_format { text, json };

struct dump_options {
  dump_format format = dump_format::text;
  std::uint64_t limit = 0;  ///< elements shown of each repeated field of a message; 0: all
  limits bounds;            ///< max_nesting; max_string_bytes bounds one value
  hooks host;
};

struct dump_outcome {
  document_status status = document_status::ok;  ///< error: nothing was intact
  std::string_view type;                         ///< of the outermost message; "" when it has no known name
  std::uint64_t left_out = 0;                    ///< elements, because of the limit
  std::optional<fault> damage;                   ///< the first, with its byte offset; what was intact has been written
};

/// Message types with known field names, "XSpace" to "OpMetadata.ProfileInfo".
std::vector<std::string_view> dump_types();
/// The message a file of this family holds; "raw" when that is not known.
std::string_view dump_type_of(file_family family) noexcept;

/// The bytes of one file that is to be shown, and what kind of file it is.
struct dump_source {
  held_bytes held;
  capture_file found;
};
/// Whether dump_message() can show a file: invalid_argument when it is not protobuf and no type is given.
result<void> check_dump(const capture_file& file, std::string_view type);
/// Opens it. `type` is as for dump_message(), "" where the kind of file says it. Faults: those of opening;
/// invalid_argument (a directory; a file that is not protobuf, while no type is given).
result<dump_source> open_dump_source(const std::string& path, std::string_view type, const open_options& how);

/// Writes one message. `type` is one of dump_types(), with or without a package before it, or "raw": every
/// field by its number. Strings, messages and bytes that have no name are distinguished by their contents.
/// Faults: invalid_argument (no such type), cancelled, those of the sink. Does not finish the sink.
result<dump_outcome> dump_message(std::string_view bytes, std::string_view type, sink& into,
                                  const dump_options& options = {});

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
