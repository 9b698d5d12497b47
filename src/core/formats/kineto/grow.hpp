// Room for rows whose number shows only when a file is read.
#pragma once
#include <profkit/namespace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Before a row is added: when there is no room, makes it for as many as the part of the file read so far suggests,
// so that rows are not copied from one place to the next. A row is never expected for less than `min_bytes` of text.
template <class Row>
void make_room(std::vector<Row>& rows, std::uint64_t bytes_read, std::uint64_t bytes, std::size_t min_bytes) {
  if (rows.size() < rows.capacity()) return;
  constexpr std::size_t first_rows = 1024;
  const std::size_t doubled = std::max(first_rows, 2 * rows.size());
  if (rows.size() < first_rows || bytes_read == 0) return rows.reserve(doubled);
  const double grows = static_cast<double>(bytes) / static_cast<double>(bytes_read) * 1.05;
  const auto expected = static_cast<std::size_t>(static_cast<double>(rows.size()) * grows) + first_rows;
  rows.reserve(std::max(rows.size() + rows.size() / 2, std::min<std::size_t>(expected, bytes / min_bytes)));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
