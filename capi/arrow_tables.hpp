// The tables that come by Arrow alone, column by column, because they have millions of rows.
#pragma once
#include "arrow_batch.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {

arrow_columns arrow_columns_of(const std::vector<column_facts>& columns);

// The events of files from the first one to the one before the last. What it is given has to outlive it.
std::unique_ptr<arrow_table> event_columns(const profile& core, std::shared_ptr<const capture_devices> devices,
                                           std::uint32_t first_file, std::uint32_t end_file);

// Which records, and whose.
struct record_place {
  std::uint32_t file = 0;
  std::int64_t bin = 0;
  std::string_view run, host;
};
// The records of a map. The probe has to outlive it.
result<std::unique_ptr<arrow_table>> open_records(pk_probe* probe, std::uint32_t map, const record_place& place);

// The error that a call of the C interface made, which it frees.
[[nodiscard]] fault take_fault(pk_error* error);

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
