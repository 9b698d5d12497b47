// What stands in first bytes, in words.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

inline std::string byte_text(std::string_view head, std::size_t at) {
  if (at >= head.size()) return "it ends at byte " + std::to_string(at);
  constexpr char digits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(head[at]);
  return "byte " + std::to_string(at) + " is 0x" + digits[byte >> 4] + digits[byte & 15];
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
