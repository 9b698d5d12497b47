// Whether a row of a table is whole.
#pragma once
#include <profkit/csv.hpp>

#include <cstddef>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

inline constexpr std::size_t max_csv_columns = 4096;  // of a table that is read

// Why the row last read from `text` is damaged, under a header of so many columns; null when it is not. Fields after
// the first `least` may be missing, and fields past the header may be there when they are empty.
[[nodiscard]] const char* row_damage(const csv_reader& row, std::string_view text, std::size_t columns,
                                     std::size_t least) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
