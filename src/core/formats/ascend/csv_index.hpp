// Rows of a table, looked at with the best instructions of the machine.
#pragma once
#include <profkit/csv.hpp>

#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// One the machine or the build lacks becomes the next best.
enum class csv_variant : std::uint8_t { fastest, avx2, plain };

[[nodiscard]] csv_indexer csv_indexer_of(csv_variant variant = csv_variant::fastest) noexcept;

// A reader of a large table.
[[nodiscard]] inline csv_reader fast_csv_reader(std::string_view text, char separator = ',') noexcept {
  return csv_reader(text, separator, csv_indexer_of());
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
