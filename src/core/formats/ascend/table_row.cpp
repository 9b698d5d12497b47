#include <formats/ascend/table_row.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

struct row_shape {
  std::size_t filled = 0;  // fields up to the last one that is not empty
  bool quotes_match = true;
};

row_shape row_shape_of(std::string_view row) noexcept {
  row_shape shape;
  while (!row.empty() && (row.back() == '\n' || row.back() == '\r')) row.remove_suffix(1);
  std::size_t at = 0;
  for (std::size_t field = 1; at <= row.size(); ++field, ++at) {
    const std::size_t start = at;
    const bool quoted = at < row.size() && row[at] == '"';
    while (at < row.size() && row[at] == '"') at = std::min(row.find('"', at + 1), row.size() - 1) + 1;
    const std::size_t closed = at;
    at = std::min(row.find(',', at), row.size());
    if (quoted && !csv_trimmed(row.substr(closed, at - closed)).empty()) shape.quotes_match = false;
    if (!csv_trimmed(row.substr(start, at - start)).empty()) shape.filled = field;
  }
  return shape;
}

}  // namespace

const char* row_damage(const csv_reader& row, std::string_view text, std::size_t columns, std::size_t least) noexcept {
  if (row.cut()) return "the row ends inside a quoted field";
  if (row.fields() < least) return "the row has fewer fields than the header";
  if (row.fields() == columns && !row.spans_lines()) return nullptr;
  const row_shape shape = row_shape_of(text.substr(row.offset(), row.end_offset() - row.offset()));
  if (!shape.quotes_match) return "a quote is missing";
  return shape.filled > columns ? "the row has more fields than the header" : nullptr;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
