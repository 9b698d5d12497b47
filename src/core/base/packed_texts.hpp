// The texts of a constant table side by side: a std::string_view takes 16 bytes and a relocation of 24 in a shared
// library, which the loader works off whether or not the table is read; here it is 2 bytes and no relocation.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

template <std::size_t Count, std::size_t Bytes>
struct packed_texts {
  char text[Bytes + 1] = {};
  std::uint16_t begin[Count + 1] = {};

  [[nodiscard]] static constexpr std::size_t size() noexcept { return Count; }
  [[nodiscard]] constexpr std::string_view operator[](std::size_t at) const noexcept {
    return {text + begin[at], static_cast<std::size_t>(begin[at + 1] - begin[at])};
  }
};

/// Of a constexpr array of std::string_view, which itself does not get into the program:
/// `constexpr auto names = pack_texts<plain_names>();`
template <const auto& Texts>
constexpr auto pack_texts() noexcept {
  constexpr std::size_t bytes = [] {
    std::size_t sum = 0;
    for (const std::string_view text : Texts) sum += text.size();
    return sum;
  }();
  static_assert(bytes <= std::numeric_limits<std::uint16_t>::max());
  packed_texts<std::size(Texts), bytes> packed;
  std::size_t at = 0, number = 0;
  for (const std::string_view text : Texts) {
    packed.begin[number++] = static_cast<std::uint16_t>(at);
    for (const char c : text) packed.text[at++] = c;
  }
  packed.begin[number] = static_cast<std::uint16_t>(at);
  return packed;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
