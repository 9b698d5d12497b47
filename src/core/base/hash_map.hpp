// The hash map and set of the core: abseil's, with a hash that no input can make collide.
//
// abseil's own hash of bytes multiplies them, mixed with known constants, by a seeded state: input that makes the first
// factor 0 makes all hashes equal, whatever the seed. Here a secret is in both factors.
#pragma once
#include <profkit/namespace.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace hash_detail {

[[nodiscard]] std::uint64_t draw_secret() noexcept;
inline std::uint64_t secret() noexcept {
  static const std::uint64_t drawn = draw_secret();
  return drawn;
}
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 wide;
  const wide product = static_cast<wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
  a = (a ^ b ^ (a >> 32)) * 0xd6e8feb86659fd93ULL;
  a = (a ^ (a >> 29)) * 0xd6e8feb86659fd93ULL;
  return a ^ (a >> 32);
#endif
}
inline std::uint64_t hash_number(std::uint64_t number) noexcept {
  return mix(number ^ secret(), 0x9ddfea08eb382d69ULL);
}
[[nodiscard]] std::uint64_t hash_bytes(const void* bytes, std::size_t count) noexcept;

template <class T, std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>, int> = 0>
std::uint64_t hash_value(T number) noexcept {
  return hash_number(static_cast<std::uint64_t>(number));
}
template <class T>
std::uint64_t hash_value(const T* place) noexcept {
  return hash_number(reinterpret_cast<std::uintptr_t>(place));
}
inline std::uint64_t hash_value(std::string_view text) noexcept { return hash_bytes(text.data(), text.size()); }
template <class T, std::size_t N>
std::uint64_t hash_value(const std::array<T, N>& numbers) noexcept {
  static_assert(std::has_unique_object_representations_v<T>);
  return hash_bytes(numbers.data(), sizeof numbers);
}
template <class T>
std::uint64_t hash_value(const std::optional<T>& value) noexcept {
  return value ? hash_value(*value) : hash_number(~std::uint64_t{0});
}
template <class... T>
std::uint64_t hash_values(const T&... values) noexcept {
  std::uint64_t hash = 0;
  ((hash = hash_number(hash ^ hash_value(values))), ...);
  return hash;
}
template <class A, class B>
std::uint64_t hash_value(const std::pair<A, B>& both) noexcept {
  return hash_values(both.first, both.second);
}
template <class... T>
std::uint64_t hash_value(const std::tuple<T...>& all) noexcept {
  return std::apply([](const T&... values) { return hash_values(values...); }, all);
}

template <class Key>
struct hasher {
  std::size_t operator()(const Key& key) const noexcept { return hash_value(key); }
};
// Texts are looked for by any other kind of text.
struct text_hasher {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return hash_value(text); }
};
struct text_equal {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const noexcept { return a == b; }
};
template <class Key>
inline constexpr bool is_text = std::is_same_v<Key, std::string> || std::is_same_v<Key, std::string_view>;

}  // namespace hash_detail

/// The hash of a key, for callers that keep hashes instead of keys. It differs from run to run.
template <class Key>
using hash_of = std::conditional_t<hash_detail::is_text<Key>, hash_detail::text_hasher, hash_detail::hasher<Key>>;
template <class Key>
using equal_keys = std::conditional_t<hash_detail::is_text<Key>, hash_detail::text_equal, std::equal_to<Key>>;

// Rows move when a map grows. The order of iteration differs from run to run: never let it reach an output.
template <class Key, class Value>
using hash_map = absl::flat_hash_map<Key, Value, hash_of<Key>, equal_keys<Key>>;
template <class Key>
using hash_set = absl::flat_hash_set<Key, hash_of<Key>, equal_keys<Key>>;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
