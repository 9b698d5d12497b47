// Formats that no reader here knows, told by their first bytes so that a message can name them.
#pragma once
#include <profkit/core/result.hpp>

#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct foreign_format {
  const char* name;  // with its article: "a Perfetto trace"
  const char* next;  // what to do instead
};

// What is said of bytes that no reader knows: what they are, as far as that can be told, and what to do instead.
[[nodiscard]] fault unrecognised(std::string_view bytes);

// Of a message that is damaged before its first plane: nothing when its beginning is likely that of an XSpace.
[[nodiscard]] std::optional<fault> why_not_begun_xspace(std::string_view bytes);

// Null when the bytes are of none of them. `bytes`: a head is enough.
[[nodiscard]] const foreign_format* find_foreign_format(std::string_view bytes) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
