// What stands in a table of Ascend: its columns, and where the rows lie that its planes and lines are made of.
#pragma once
#include <profkit/core/profile.hpp>

#include <base/string_table.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct table_row {
  std::uint64_t offset = 0;  // of its first byte
  std::uint64_t line = 0;    // from 1
  string_id name = 0;
  std::optional<std::int64_t> start_ps, duration_ps;  // on the capture's clock
};
struct table_line {
  std::int32_t position = 0;
  std::int64_t id = 0;
  string_id name = 0;
  line_kind kind = line_kind::other;
  std::vector<table_row> rows;  // as they stand in the table
};
struct table_plane {
  string_id name = 0;
  plane_kind kind = plane_kind::other;
  std::vector<table_line> lines;
};

// Planes of a table of kernels are its devices, and lines their streams, as `info` shows them; any other table is one plane
// with one line.
struct table_index {
  string_table strings;
  bool of_kernels = false;
  std::vector<table_plane> planes;
  std::vector<std::pair<std::string, std::uint64_t>> columns;  // with the number of cells that are not empty
  std::uint64_t rows = 0;                                      // those that are damaged, too
  std::optional<fault> damage;
};

// The name of a table: that of its file.
[[nodiscard]] std::string_view table_name(const profile& p, std::size_t file) noexcept;

// `file` is of family ascend_kernels or ascend_table. Faults: cancelled.
result<table_index> index_table(const profile& p, std::size_t file, const hooks& host);

// The cells of one row, without blanks and quotes around them, to `into`, which has a text for each column.
void read_table_row(std::string_view bytes, std::uint64_t offset, std::size_t columns, std::vector<std::string>& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
