// The tables of an SQLite database, by name, as far as the pages of its schema are at hand
// (https://www.sqlite.org/fileformat2.html).
#pragma once
#include <profkit/namespace.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Whose tables they are; `other` also for bytes that are not a database.
enum class sqlite_kind {
  other,
  nsys,       // an export of Nsight Systems
  rocprofv3,  // rocpd of ROCm's rocprofv3
  rpd,        // RocmProfileData
  ascend,     // torch_npu and msprof
};
[[nodiscard]] sqlite_kind kind_of_sqlite(std::string_view head) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
