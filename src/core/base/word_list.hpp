#pragma once
#include <profkit/namespace.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

template <std::size_t N>
[[nodiscard]] bool is_one_of(std::string_view word, const std::string_view (&list)[N]) noexcept {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
