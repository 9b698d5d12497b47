// The tables of schema/tables.toml, for SQL. scripts/generate writes schema.cpp.
#pragma once
#include <cstddef>
#include <cstdint>

namespace profkit_sqlite {

enum class value_kind : std::uint8_t {
  integer,  // also booleans, as 0 and 1
  text,
  numbers,  // a list
  words     // a list
};

struct schema_column {
  const char* name;
  value_kind kind;
  const char* unit;     // "" without
  const char* meaning;  // one sentence
};

enum schema_filter : unsigned {
  filter_host = 1,
  filter_plane = 2,
  filter_line = 4,
  filter_name = 8,
  filter_step = 16,
  filter_time = 32,
};

struct schema_table {
  const char* name;
  std::int32_t number;  // PK_TABLE_
  const char* meaning;
  unsigned filters;  // those of the reader that it takes
  const schema_column* columns;
  std::size_t column_count;
};

struct schema_tables {
  const schema_table* first;
  const schema_table* last;
  [[nodiscard]] const schema_table* begin() const noexcept { return first; }
  [[nodiscard]] const schema_table* end() const noexcept { return last; }
};
[[nodiscard]] schema_tables all_schema_tables() noexcept;

}  // namespace profkit_sqlite
