// The hot loop over the events of a line. Included by exactly two translation units, which define
// PROFKIT_SCAN_VARINT(word, mask) to gather the 7-bit groups of a masked word: with BMI2 and without.
//
// Everything lives in an unnamed namespace and nothing but event_row.hpp comes in: a function that the linker
// could merge with baseline code must not exist in the BMI2 unit.
#pragma once
#include <profkit/core/event_row.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using byte_pointer = const unsigned char*;

// From the start of an event this many bytes are read without looking whether they belong to it: tag, a length
// of two bytes, then three times a tag and a varint of at most nine bytes; eight are loaded at a time.
constexpr std::ptrdiff_t scan_margin = 48;

constexpr std::uintptr_t prefetch_bytes = 4096;

inline std::uint64_t load_word(byte_pointer p) noexcept {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

// A varint of up to eight bytes, in one branch that is never taken for real times. False: it is longer.
inline bool take_varint(byte_pointer& p, std::uint64_t& value) noexcept {
  const std::uint64_t word = load_word(p);
  const std::uint64_t stops = ~word & 0x8080808080808080U;
  if (__builtin_expect(stops == 0, 0)) {
    // Nine bytes hold what lies 20 hours and more from the beginning.
    if (p[8] >= 0x80) return false;
    value = PROFKIT_SCAN_VARINT(word, ~std::uint64_t{0}) | std::uint64_t{p[8]} << 56;
    p += 9;
    return true;
  }
  value = PROFKIT_SCAN_VARINT(word, stops ^ (stops - 1));
  p += static_cast<unsigned>(__builtin_ctzll(stops)) / 8 + 1;
  return true;
}

// Decodes events of the shape every writer gives them (metadata_id, offset_ps, duration_ps when not 0, stats)
// and stops before the first field that is anything else, damaged, or too near to the end for word loads.
inline std::size_t scan_usual_events(const char*& at, const char* end_of_line, event_row* rows,
                                     std::size_t capacity) noexcept {
  constexpr unsigned event_tag = 0x22, metadata_tag = 0x08, offset_tag = 0x10, duration_tag = 0x18, stat_tag = 0x22;
  byte_pointer p = reinterpret_cast<byte_pointer>(at);
  const byte_pointer end = reinterpret_cast<byte_pointer>(end_of_line);
  event_row* row = rows;
  event_row* const full = rows + capacity;
  while (row != full && end - p >= scan_margin) {
    // Hardware prefetchers stop at the end of a page, and mispredicted branches hold later loads back.
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(p) + prefetch_bytes));
    if (__builtin_expect(p[0] != event_tag, 0)) break;
    std::uint64_t length = p[1];
    byte_pointer q = p + 2;
    if (length >= 0x80) {
      if (__builtin_expect(p[2] >= 0x80, 0)) break;
      length = (length & 0x7f) | (std::uint64_t{p[2]} << 7);
      ++q;
    }
    // Strictly less: one byte after the event is looked at below.
    if (__builtin_expect(length >= static_cast<std::uint64_t>(end - q), 0)) break;
    const byte_pointer event_end = q + length;
    std::uint64_t metadata = 0, offset = 0, duration = 0;
    if (__builtin_expect(*q++ != metadata_tag, 0)) break;
    // Most ids have one byte. A branch that is predicted lets later loads start before the id is known.
    if (*q < 0x80)
      metadata = *q++;
    else if (__builtin_expect(!take_varint(q, metadata), 0))
      break;
    if (__builtin_expect(*q++ != offset_tag, 0)) break;
    if (__builtin_expect(!take_varint(q, offset), 0)) break;
    if (__builtin_expect(*q == duration_tag, 1)) {
      ++q;
      if (__builtin_expect(!take_varint(q, duration), 0)) break;
    }
    // Scalars may come after the stats (field order is free), so the stats are hopped over; the chain of hops
    // does not delay the next event, whose start is known already.
    const byte_pointer stats = q;
    while (q < event_end && q[0] == stat_tag) {
      const unsigned low = q[1];
      if (__builtin_expect(low < 0x80, 1)) {
        q += 2 + low;
        continue;
      }
      // Still inside what may be read: one byte after the event, and this stat is one of two bytes at least.
      if (q + 2 >= event_end || q[2] >= 0x80) break;
      q += 3 + ((low & 0x7f) | unsigned{q[2]} << 7);
    }
    if (__builtin_expect(q != event_end, 0)) break;
    row->metadata_id = static_cast<std::int64_t>(metadata);
    row->offset_ps = static_cast<std::int64_t>(offset);
    row->duration_ps = static_cast<std::int64_t>(duration);
    row->num_occurrences = 0;
    row->stats = reinterpret_cast<const char*>(stats);
    row->stats_bytes = static_cast<std::uint32_t>(event_end - stats);
    row->flags = event_has_offset;
    ++row;
    p = event_end;
  }
  at = reinterpret_cast<const char*>(p);
  return static_cast<std::size_t>(row - rows);
}

}  // namespace
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
