// A whole number among the stats of an event, looked for in the hot loops: most events do not have it.
#pragma once
#include <profkit/wire.hpp>

#include <cstdint>
#include <cstring>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The whole number that a stat of this id has; of several the last. Looks at every stat.
[[nodiscard]] std::optional<std::uint64_t> find_stat_number(const char* stats, std::uint32_t bytes,
                                                            std::int64_t stat_id) noexcept;

// False when no stat can have this id, a small one: the tag of an id followed by it is nowhere, nor the beginning
// of a tag in more bytes than it needs. Looks at 16 pairs of bytes at a time.
inline bool may_have_small_id(const char* stats, std::uint32_t bytes, unsigned char id) noexcept {
#if defined(__GNUC__)
  typedef unsigned char sixteen __attribute__((vector_size(16)));
  const sixteen seven_bits = sixteen{} + std::uint8_t{0x7f}, tag = sixteen{} + std::uint8_t{0x08},
                long_tag = sixteen{} + std::uint8_t{0x88}, ids = sixteen{} + id, none = {};
  for (const char* const end = stats + bytes; end - stats >= 2; stats += 16) {
    sixteen first, second;
    if (PROFKIT_LIKELY(end - stats > 16)) {
      std::memcpy(&first, stats, 16);
      std::memcpy(&second, stats + 1, 16);
    } else {
      unsigned char rest[17] = {};
      std::memcpy(rest, stats, static_cast<std::size_t>(end - stats));
      std::memcpy(&first, rest, 16);
      std::memcpy(&second, rest + 1, 16);
    }
    const sixteen low = second & seven_bits;
    const sixteen hits = ((first == tag) & (low == ids)) | ((first == long_tag) & (low == none));
    std::uint64_t halves[2];
    std::memcpy(halves, &hits, 16);
    if ((halves[0] | halves[1]) != 0) return true;
  }
  return false;
#else
  static_cast<void>(stats);
  static_cast<void>(bytes);
  static_cast<void>(id);
  return true;
#endif
}

// The same where most events have none.
[[nodiscard]] inline std::optional<std::uint64_t> stat_number(const char* stats, std::uint32_t bytes,
                                                              std::int64_t stat_id) noexcept {
  const bool small = stat_id > 0 && stat_id < 0x80;
  if (bytes == 0 || (small && !may_have_small_id(stats, bytes, static_cast<unsigned char>(stat_id)))) return {};
  return find_stat_number(stats, bytes, stat_id);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
