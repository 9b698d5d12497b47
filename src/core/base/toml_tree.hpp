// A TOML document as a tree that keeps the order of the file.
#pragma once
#include <profkit/core/result.hpp>
#include <profkit/namespace.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct toml_member;

enum class toml_kind : std::uint8_t { text, integer, number, truth, time, array, table };

/// One value. Only the member that `kind` names holds something.
struct toml_value {
  toml_kind kind = toml_kind::table;
  bool truth = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;                  ///< a string; empty for `time`, whose parts are not needed
  std::vector<toml_value> items;     ///< an array, in order
  std::vector<toml_member> members;  ///< a table, by first appearance in the file; names are unique

  /// The member of that name, or null when there is none or this is not a table. Linear.
  [[nodiscard]] const toml_value* find(std::string_view name) const noexcept;
};

struct toml_member {
  std::string name;
  std::uint32_t line = 0;  ///< where the name first stands, from 1
  toml_value value;
};

inline const toml_value* toml_value::find(std::string_view name) const noexcept {
  for (const toml_member& each : members)
    if (each.name == name) return &each.value;
  return nullptr;
}

/// Parses one document (TOML 1.0, UTF-8) with toml++. Damage is a fault with the byte offset of its line; so are values
/// nested more than 256 deep, keys of more than 32 parts, and numbers that do not fit. A build without toml++ reads none:
/// `unsupported`.
/// https://toml.io/en/v1.0.0
[[nodiscard]] result<toml_value> parse_toml(std::string_view text, const std::string& path);

/// The most bytes parse_toml accepts.
inline constexpr std::size_t max_toml_bytes = std::size_t{16} << 20;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
