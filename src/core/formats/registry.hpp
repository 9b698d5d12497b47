// The formats that profkit reads.
#pragma once
#include <formats/known_format.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// In the order in which they are asked.
[[nodiscard]] static_list<const known_format*> known_formats() noexcept;
// Of `unknown`, one without a name, a probe or a reader.
[[nodiscard]] const known_format& format_of(file_family family) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
