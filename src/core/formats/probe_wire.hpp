// What kind of protobuf message some bytes are, by the shapes of their fields.
#pragma once
#include <formats/known_format.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// tensorflow.profiler.XSpace by the shape of its fields, also after a text conversion broke it.
[[nodiscard]] probe_result probe_xspace(std::string_view head) noexcept;
// xla.HloProto by the shape of its fields.
[[nodiscard]] probe_result probe_hlo_proto(std::string_view head) noexcept;
// Whether a whole message is of another kind than an XSpace: the fields of its planes do not have the shapes of theirs,
// or there are none of them. Single damaged fields among sound ones do not make it foreign, nor do fields that a later
// version may add; a message without fields, or with empty planes, is none.
[[nodiscard]] bool is_foreign_message(std::string_view bytes) noexcept;
// Whether there is no control character other than those of text. Messages always hold some (tags and lengths). Looks
// at every byte.
[[nodiscard]] bool is_plain_text(std::string_view head) noexcept;
// Why bytes are not a message of a kind whose outer fields have these numbers and are all messages or texts.
[[nodiscard]] std::string why_no_message(std::string_view head, std::uint32_t last_field, const char* parts);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
