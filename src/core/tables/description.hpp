// What schema/tables.toml says of a table, for code that fills and shows any of them.
#pragma once
#include <profkit/core/table.hpp>

#include <cstddef>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// How a value lies in a row.
enum class cell_kind : std::uint8_t {
  int32,
  int64,
  uint32,
  uint64,
  text,
  flag,         // a bit of a uint32
  named,        // a number with a name
  set,          // bits with a name each
  int64_list,   // a pointer; the count lies at rule_offset
  uint64_list,
  joined_run,   // these are not in the row: found by its file and device
  joined_host,
  joined_rank,
  joined_node,
  joined_device_name,
};

enum class null_rule : std::uint8_t {
  never,
  negative,
  no_time,
  empty,
  without_bit,   // a bit of the uint32 at rule_offset
  without_text,  // the text at rule_offset is empty
};

struct table_column {
  const char* name;
  const char* unit;
  const char* meaning;
  cell_kind kind;
  bool repeats;  // of text
  null_rule null;
  std::size_t offset, rule_offset;
  std::uint32_t mask;  // of a flag; of without_bit
  const char* (*name_of)(std::uint32_t) noexcept;
};

enum filter_bits : std::uint32_t {
  filter_host = 1,
  filter_plane = 2,
  filter_line = 4,
  filter_name = 8,
  filter_step = 16,
  filter_time = 32,
  filter_limit = 64,
};

struct table_description {
  table_kind kind;
  const char* name;
  const char* meaning;
  std::size_t row_bytes;    // 0: no rows
  std::size_t c_row_bytes;  // of them, the struct of the C interface
  std::uint32_t filters;
  const table_column* columns;
  std::size_t column_count;
};

struct table_list {
  const table_description *first, *last;
  [[nodiscard]] const table_description* begin() const noexcept { return first; }
  [[nodiscard]] const table_description* end() const noexcept { return last; }
};
[[nodiscard]] table_list all_tables() noexcept;
// nullptr for an unknown value.
[[nodiscard]] const table_description* description_of(table_kind t) noexcept;

[[nodiscard]] column_type type_of(const table_column& column) noexcept;

// The value in a row. `text`: memory for what is put together. Not of joined columns.
[[nodiscard]] cell cell_of(const table_column& column, const void* row, std::string& text);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
