#include <tables/description.hpp>

#include <profkit/profkit.h>

#include <cstring>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

template <class T>
T load(const void* row, std::size_t offset) noexcept {
  T value;
  std::memcpy(&value, static_cast<const char*>(row) + offset, sizeof value);
  return value;
}

// "a,b" for the bits that are set, each by its name.
std::string_view names_of(std::uint32_t bits, const table_column& column, std::string& text) {
  text.clear();
  for (unsigned bit = 0; bit < 32; ++bit) {
    if ((bits >> bit & 1) == 0) continue;
    if (!text.empty()) text += ',';
    text += column.name_of(bit);
  }
  return text;
}

template <class T>
std::string_view list_of(const table_column& column, const void* row, std::string& text) {
  text.clear();
  const T* const values = load<const T*>(row, column.offset);
  const auto count = load<std::size_t>(row, column.rule_offset);
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + std::to_string(values[i]);
  return text;
}

bool is_known(const table_column& column, const void* row, const cell& c) noexcept {
  switch (column.null) {
    case null_rule::never: return true;
    case null_rule::negative: return c.number >= 0;
    case null_rule::no_time: return c.number != std::numeric_limits<std::int64_t>::min();
    case null_rule::empty: return !c.text.empty();
    case null_rule::without_bit: return (load<std::uint32_t>(row, column.rule_offset) & column.mask) != 0;
    case null_rule::without_text: return load<pk_str>(row, column.rule_offset).size != 0;
  }
  return true;
}

}  // namespace

column_type type_of(const table_column& column) noexcept {
  switch (column.kind) {
    case cell_kind::int32:
    case cell_kind::joined_rank: return column_type::int32;
    case cell_kind::int64:
    case cell_kind::joined_node: return column_type::int64;
    case cell_kind::uint32: return column_type::uint32;
    case cell_kind::uint64: return column_type::uint64;
    case cell_kind::flag: return column_type::boolean;
    default: return column.repeats ? column_type::name : column_type::text;
  }
}

cell cell_of(const table_column& column, const void* row, std::string& text) {
  cell c;
  switch (column.kind) {
    case cell_kind::int32: c.number = load<std::int32_t>(row, column.offset); break;
    case cell_kind::int64: c.number = load<std::int64_t>(row, column.offset); break;
    case cell_kind::uint32: c.bits = load<std::uint32_t>(row, column.offset); break;
    case cell_kind::uint64: c.bits = load<std::uint64_t>(row, column.offset); break;
    case cell_kind::flag: c.bits = (load<std::uint32_t>(row, column.offset) & column.mask) != 0 ? 1 : 0; break;
    case cell_kind::named: c.text = column.name_of(load<std::uint32_t>(row, column.offset)); break;
    case cell_kind::set: c.text = names_of(load<std::uint32_t>(row, column.offset), column, text); break;
    case cell_kind::int64_list: c.text = list_of<std::int64_t>(column, row, text); break;
    case cell_kind::uint64_list: c.text = list_of<std::uint64_t>(column, row, text); break;
    default: {
      const auto value = load<pk_str>(row, column.offset);
      c.text = {value.data, value.size};
    }
  }
  c.known = is_known(column, row, c);
  return c;
}

const table_description* description_of(table_kind t) noexcept {
  for (const table_description& table : all_tables())
    if (table.kind == t) return &table;
  return nullptr;
}

const char* table_name(table_kind t) noexcept {
  const table_description* const table = description_of(t);
  return table == nullptr ? "" : table->name;
}

const char* table_meaning(table_kind t) noexcept {
  const table_description* const table = description_of(t);
  return table == nullptr ? "" : table->meaning;
}

std::optional<table_kind> table_named(std::string_view name) noexcept {
  for (const table_description& table : all_tables())
    if (table.name == name) return table.kind;
  return std::nullopt;
}

std::vector<table_kind> table_kinds() {
  std::vector<table_kind> kinds;
  for (const table_description& table : all_tables()) kinds.push_back(table.kind);
  return kinds;
}

std::vector<column_facts> columns_of(table_kind t) {
  std::vector<column_facts> columns;
  const table_description* const table = description_of(t);
  for (std::size_t i = 0; table != nullptr && i < table->column_count; ++i) {
    const table_column& column = table->columns[i];
    columns.push_back({column.name, type_of(column), column.unit, column.meaning});
  }
  return columns;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
