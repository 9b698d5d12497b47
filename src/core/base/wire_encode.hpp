// Writes the protobuf wire format, the counterpart of profkit/wire.hpp: sizes first, then bytes.
#pragma once
#include <profkit/namespace.hpp>
#include <profkit/wire.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

inline constexpr std::size_t max_varint_bytes = 10;

constexpr std::size_t varint_bytes(std::uint64_t value) noexcept {
  std::size_t bytes = 1;
  for (; value >= 0x80; value >>= 7) ++bytes;
  return bytes;
}
constexpr std::uint64_t tag_of(std::uint32_t field, wire_type type) noexcept {
  return std::uint64_t{field} << 3 | static_cast<std::uint64_t>(type);
}
/// Size of a whole length-delimited field: tag, length, payload.
constexpr std::uint64_t delimited_field_bytes(std::uint32_t field, std::uint64_t payload_bytes) noexcept {
  return varint_bytes(tag_of(field, wire_type::length_delimited)) + varint_bytes(payload_bytes) + payload_bytes;
}
constexpr std::size_t varint_field_bytes(std::uint32_t field, std::uint64_t value) noexcept {
  return varint_bytes(tag_of(field, wire_type::varint)) + varint_bytes(value);
}

/// Writes at `at`, which has room for max_varint_bytes; returns the end.
inline char* put_varint(char* at, std::uint64_t value) noexcept {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
  *at++ = static_cast<char>(value);
  return at;
}
inline void append_varint(std::string& to, std::uint64_t value) {
  char bytes[max_varint_bytes];
  to.append(bytes, static_cast<std::size_t>(put_varint(bytes, value) - bytes));
}
inline void append_varint_field(std::string& to, std::uint32_t field, std::uint64_t value) {
  append_varint(to, tag_of(field, wire_type::varint));
  append_varint(to, value);
}
/// The head of a length-delimited field, its payload to follow.
inline void append_delimited_head(std::string& to, std::uint32_t field, std::uint64_t payload_bytes) {
  append_varint(to, tag_of(field, wire_type::length_delimited));
  append_varint(to, payload_bytes);
}
inline void append_bytes_field(std::string& to, std::uint32_t field, std::string_view payload) {
  append_delimited_head(to, field, payload.size());
  to.append(payload);
}
/// A double or other 64-bit value, its raw bits.
inline void append_fixed64_field(std::string& to, std::uint32_t field, std::uint64_t bits) {
  append_varint(to, tag_of(field, wire_type::fixed64));
  for (int shift = 0; shift < 64; shift += 8) to += static_cast<char>(bits >> shift);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
