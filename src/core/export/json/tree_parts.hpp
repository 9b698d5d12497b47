// What the fields of the documents `tree` and `metadata` are found with.
#pragma once
#include <export/json/document.hpp>

#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

[[nodiscard]] inline std::optional<std::int64_t> metadata_id_of(const tree_event& e) noexcept {
  return e.has_metadata_id ? std::optional(e.metadata_id) : std::nullopt;
}
template <class Row>
[[nodiscard]] std::optional<std::int64_t> metadata_id_of(const Row& row) noexcept {
  return row.has_key ? std::optional(row.key) : std::nullopt;
}
[[nodiscard]] inline const tree_event* of_trace(const tree_event& e) noexcept { return e.has_metadata_id ? nullptr : &e; }
[[nodiscard]] inline const metadata_event_row* of_trace(const metadata_event_row& row) noexcept { return row.has_key ? nullptr : &row; }
[[nodiscard]] inline std::optional<std::uint64_t> count_of(const metadata_stat_row& row) noexcept {
  return row.has_key ? std::nullopt : std::optional(row.count);
}
[[nodiscard]] inline std::optional<std::int64_t> offset_ps_of(const tree_event& e) noexcept {
  return e.raw.data_case() == event_data_case::offset_ps ? std::optional(e.raw.offset_ps()) : std::nullopt;
}
[[nodiscard]] inline std::optional<std::int64_t> num_occurrences_of(const tree_event& e) noexcept {
  return e.raw.data_case() == event_data_case::num_occurrences ? std::optional(e.raw.num_occurrences()) : std::nullopt;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
