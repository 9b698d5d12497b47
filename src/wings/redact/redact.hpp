// The bytes of a file with aliases for what is not public, in the format that they had.
#pragma once
#include <profkit/core/capture.hpp>
#include <profkit/core/redaction.hpp>

#include <redact/aliases.hpp>

#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// A protobuf message of a type that known_proto_names() has. Of fields that it lacks numbers stay and bytes are left out; damage stays damage, where it was.
void redact_message(std::string_view bytes, std::string_view type, aliaser& names, redaction& into, std::string& out);
// JSON, sound or not: texts and keys. What is neither, nor number nor punctuation, becomes '?'.
void redact_json(std::string_view bytes, aliaser& names, redaction& into, std::string& out);
// Delimited rows.
void redact_rows(std::string_view bytes, aliaser& names, std::string& out);

// One file. False: files of this kind cannot be redacted.
[[nodiscard]] bool redact_file(file_family family, std::string_view bytes, aliaser& names, redaction& into, std::string& out);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
