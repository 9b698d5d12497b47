// The header of an Ascend table: which column is what. Columns are bound by name, because their order and their
// spelling differ from version to version.
#pragma once
#include <profkit/namespace.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

enum class ascend_column : std::uint8_t {
  step,
  device,
  task,
  stream,
  name,
  type,
  core,
  task_type,
  start,
  duration,
  count,
  wait,
  block_dim,
  input_shapes,
  input_types,
  output_shapes,
  output_types,
};
inline constexpr std::size_t ascend_columns = 17;
inline constexpr std::size_t no_column = ~std::size_t{0};

struct ascend_header {
  std::array<std::size_t, ascend_columns> at;       // position of each column; no_column: not there
  std::array<int, ascend_columns> unit_exponent{};  // of the time columns: 0 µs, -3 ns, 3 ms
  struct counter {
    std::size_t at;
    std::string_view name;  // as written
  };
  std::vector<counter> counters;  // ratios of the performance monitoring unit
  std::vector<std::string> unknown, repeated;
  std::size_t columns = 0;
  std::string variant;  // "kernel_details 2025", "op_summary", …

  [[nodiscard]] std::size_t operator[](ascend_column c) const noexcept { return at[static_cast<std::size_t>(c)]; }
  [[nodiscard]] bool has(ascend_column c) const noexcept { return (*this)[c] != no_column; }
  [[nodiscard]] int unit(ascend_column c) const noexcept { return unit_exponent[static_cast<std::size_t>(c)]; }
  // op_statistic*.csv: a row an op type, with the number of its calls.
  [[nodiscard]] bool is_statistic() const noexcept { return variant == "op_statistic"; }
  // Name, start and duration, or type, count and duration of totals: without them there is nothing in the table.
  [[nodiscard]] std::vector<std::string> missing() const;
  // Columns that some analysis cannot do without.
  struct wanted_column {
    std::string_view name;
    const char* without;  // what cannot be said
  };
  [[nodiscard]] std::vector<wanted_column> missing_wanted() const;
};

// Spans of `fields` are kept.
[[nodiscard]] ascend_header bind_ascend_header(const std::string_view* fields, std::size_t count);

// The clock of a table, from its first row with a usable start.
struct ascend_clock {
  std::int64_t zero_us = 0;                    // starts are taken relative to it
  std::optional<std::int64_t> origin_unix_ns;  // Unix time of zero, when starts count from the epoch
};
[[nodiscard]] ascend_clock read_ascend_clock(std::string_view bytes);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
