// Formats that no reader here knows, recognised by a sign that other formats lack, so that a message can name them.
// The table lies in foreign_format.cpp.
#pragma once
#include <profkit/core/result.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct foreign_format {
  const char* name;         // with its article: "a Perfetto trace"
  const char* sign;         // what it is recognised by
  const char* next;         // what to do instead
  std::string_view begins;  // its signature; "" where it has none of its own
  bool (*is)(std::string_view bytes) noexcept;  // null: the signature says it all
  std::string_view suffix;  // of a name, where only the name shows it; else ""
};

// The fault for bytes that no reader knows: what they are, as far as that is known, and what to do instead. The
// name counts only where the contents match no format.
[[nodiscard]] fault unrecognised(std::string_view bytes, std::string_view file_name = {});

// That fault for bytes with the signature of another format, whatever they were taken for; else nothing.
[[nodiscard]] std::optional<fault> why_another(std::string_view bytes);

// Of a message that is damaged before its first plane: nothing when its beginning is likely that of an XSpace.
[[nodiscard]] std::optional<fault> why_not_begun_xspace(std::string_view bytes);

// Null when the bytes are of none of them. `bytes`: a head is enough.
[[nodiscard]] const foreign_format* find_foreign_format(std::string_view bytes,
                                                        std::string_view file_name = {}) noexcept;

// The whole table, in the order in which it is asked.
struct foreign_format_list {
  const foreign_format* first;
  std::size_t count;
  [[nodiscard]] const foreign_format* begin() const noexcept { return first; }
  [[nodiscard]] const foreign_format* end() const noexcept { return first + count; }
};
[[nodiscard]] foreign_format_list foreign_formats() noexcept;
[[nodiscard]] bool is_of(const foreign_format& format, std::string_view bytes, std::string_view file_name) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
