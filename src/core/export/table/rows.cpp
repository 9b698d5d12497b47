// Rows of a table as text: CSV, or one JSON object a line.
#include <profkit/core/table.hpp>

#include <base/json_writer.hpp>
#include <export/csv_text.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t rows_flush_bytes = std::size_t{256} << 10;

void append_number(std::string& out, column_type type, const cell& c) {
  if (type == column_type::int32 || type == column_type::int64)
    out += std::to_string(c.number);
  else
    out += std::to_string(c.bits);
}

bool is_text(column_type type) noexcept { return type == column_type::text || type == column_type::name; }

void append_csv(std::string& out, column_type type, const cell& c) {
  if (!c.known) return;
  if (is_text(type)) return append_csv_cell(out, c.text);
  if (type == column_type::boolean) {
    out += c.bits != 0 ? "true" : "false";
    return;
  }
  append_number(out, type, c);
}

void append_json(std::string& out, column_type type, const cell& c) {
  if (!c.known)
    out += "null";
  else if (is_text(type))
    append_json_string(out, c.text);
  else if (type == column_type::boolean)
    out += c.bits != 0 ? "true" : "false";
  else
    append_number(out, type, c);
}

// append_row(out, row) of every row that is left.
template <class Append>
result<void> write_rows(table_reader& from, sink& into, std::string out, Append&& append_row) {
  for (;;) {
    result<std::size_t> count = from.read(std::size_t{1} << 20);
    if (!count || *count == 0) {
      // What was read before damage is still given.
      result<void> written = into.write(out);
      if (!count) return std::move(count).error();
      return written;
    }
    for (std::size_t row = 0; row < *count; ++row) {
      append_row(out, row);
      if (out.size() < rows_flush_bytes) continue;
      if (result<void> written = into.write(out); !written) return written;
      out.clear();
    }
  }
}

}  // namespace

result<void> write_table_csv(table_reader& from, const std::vector<std::size_t>& columns, sink& into) {
  const std::vector<column_facts>& all = from.columns();
  std::string head;
  for (const std::size_t column : columns) head += (head.empty() ? "" : ",") + std::string(all[column].name);
  return write_rows(from, into, head + "\r\n", [&](std::string& out, std::size_t row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i != 0) out += ',';
      append_csv(out, all[columns[i]].type, from.at(row, columns[i]));
    }
    out += "\r\n";
  });
}

result<void> write_table_json(table_reader& from, const std::vector<std::size_t>& columns, sink& into) {
  const std::vector<column_facts>& all = from.columns();
  return write_rows(from, into, "", [&](std::string& out, std::size_t row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      out += i == 0 ? "{\"" : ",\"";
      out += all[columns[i]].name;
      out += "\":";
      append_json(out, all[columns[i]].type, from.at(row, columns[i]));
    }
    out += "}\n";
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
