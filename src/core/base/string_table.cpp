#include <base/string_table.hpp>

#include <limits>
#include <stdexcept>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

string_table::string_table() {
  texts_.emplace_back();
  ids_.emplace(std::string_view(), 0);
}

std::uint32_t string_table::intern(std::string_view text) {
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  if (texts_.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("a string table holds at most 2^32 - 1 strings");
  }
  const std::string_view kept = bytes_.copy(text);
  const auto id = static_cast<std::uint32_t>(texts_.size());
  texts_.push_back(kept);
  ids_.emplace(kept, id);
  return id;
}

std::optional<std::uint32_t> string_table::find(std::string_view text) const {
  const auto known = ids_.find(text);
  if (known == ids_.end()) return std::nullopt;
  return known->second;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
