// Interned strings: each distinct text is stored once and known by a 32-bit id.
#pragma once
#include <base/arena.hpp>
#include <base/hash_map.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Ids are dense and given in the order of first sight; id 0 is the empty string. Texts keep their address
// while the table lives (also when it is moved). Bytes are kept as they are, UTF-8 or not. Not thread-safe.
class string_table {
 public:
  string_table();
  string_table(const string_table&) = delete;
  string_table& operator=(const string_table&) = delete;
  // A table that was moved from may only be destroyed or assigned to.
  string_table(string_table&&) noexcept = default;
  string_table& operator=(string_table&&) noexcept = default;

  // The id of `text`, which is copied when it is new. Throws std::length_error past 2^32 - 1 strings.
  std::uint32_t intern(std::string_view text);
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view text) const;
  // The text of an id that this table gave; "" for any other.
  [[nodiscard]] std::string_view text(std::uint32_t id) const noexcept {
    return id < texts_.size() ? texts_[id] : std::string_view();
  }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(texts_.size()); }

 private:
  arena bytes_;
  std::vector<std::string_view> texts_;
  hash_map<std::string_view, std::uint32_t> ids_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
