#include <formats/ascend/probe_table.hpp>

#include <profkit/csv.hpp>
#include <formats/ascend/ascend_columns.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

probe_result probe_ascend_kernels(std::string_view head) {
  // A table of so many columns that lacks a name or a duration is still one, and its reader says what it lacks.
  constexpr std::ptrdiff_t enough_columns = 5;
  csv_reader reader(head.substr(0, head.find('\n')));
  std::array<std::string_view, 128> fields;
  if (!reader.next(fields.data(), fields.size())) return {};
  const ascend_header h = bind_ascend_header(fields.data(), std::min(reader.fields(), fields.size()));
  if (!h.has(ascend_column::core) && !h.has(ascend_column::task_type) && !h.has(ascend_column::stream)) return {};
  if (h.has(ascend_column::name) && h.has(ascend_column::duration))
    return {detection_confidence::certain, "columns Name, Duration, Accelerator Core or Task Type"};
  const auto missing = std::count(h.at.begin(), h.at.end(), no_column);
  const bool named = h.has(ascend_column::name) || h.has(ascend_column::duration);
  if (!named || static_cast<std::ptrdiff_t>(ascend_columns) - missing < enough_columns) return {};
  return {detection_confidence::likely, "columns of a kernel table"};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
