// What names say, found once a name.
#pragma once
#include <base/string_table.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

template <class Known>
class known_names {
 public:
  explicit known_names(string_table& strings) noexcept : strings_(strings) {}
  // `find` is asked for that of a text; it may intern others.
  template <class Find>
  const Known& of(string_id name, Find&& find) {
    if (name >= known_.size()) known_.resize(std::max<std::size_t>(strings_.size(), 2 * known_.size()));
    if (!known_[name]) known_[name] = find(strings_.text(name));
    return *known_[name];
  }

 private:
  string_table& strings_;
  std::vector<std::optional<Known>> known_;  // by name
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
