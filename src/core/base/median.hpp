// The middle one of some values, at least one. Puts them in another order.
#pragma once
#include <profkit/namespace.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

template <class Value>
[[nodiscard]] Value nth_smallest(std::vector<Value>& values, std::size_t n) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(n);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

// Of an even number of values, the lower of the two in the middle.
template <class Value>
[[nodiscard]] Value lower_median(std::vector<Value>& values) {
  return nth_smallest(values, (values.size() - 1) / 2);
}
// The upper of the two.
template <class Value>
[[nodiscard]] Value upper_median(std::vector<Value>& values) {
  return nth_smallest(values, values.size() / 2);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
