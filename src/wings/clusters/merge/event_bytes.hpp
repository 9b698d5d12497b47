// One XEvent on the wire: where its time stands, and the same event with another one.
#pragma once
#include <profkit/wire.hpp>

#include <base/wire_encode.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

enum class event_shape : std::uint8_t {
  usual,    // metadata_id, offset_ps, then whatever: the offset is one run of bytes
  general,  // anything else that is whole
  damaged,
};

struct event_bytes {
  std::string_view body;  // without tag and length
  event_shape shape = event_shape::usual;
  bool aggregated = false;  // num_occurrences: it has no place in time
  std::int64_t offset_ps = 0, duration_ps = 0;
  // Of the usual shape: the fields offset_ps and duration_ps (empty: absent) within body.
  std::uint32_t offset_at = 0, offset_end = 0, duration_end = 0;
};

PROFKIT_COLD inline void read_general_event(event_bytes& e) noexcept {
  e.shape = event_shape::general;
  e.aggregated = false;
  e.offset_ps = e.duration_ps = 0;
  wire_reader reader(e.body);
  for (wire_field field; reader.next(field);) {
    if (field.is_varint(2)) {
      e.offset_ps = static_cast<std::int64_t>(field.value);
      e.aggregated = false;
    } else if (field.is_varint(5)) {
      e.offset_ps = 0;
      e.aggregated = true;
    } else if (field.is_varint(3)) {
      e.duration_ps = static_cast<std::int64_t>(field.value);
    }
  }
  if (!reader.ok()) e.shape = event_shape::damaged;
}

// Reads an event up to its end; damage inside shows as event_shape::damaged.
PROFKIT_ALWAYS_INLINE event_bytes read_event(std::string_view body) noexcept {
  event_bytes e;
  e.body = body;
  const char* const begin = body.data();
  const char* const end = begin + body.size();
  const char* p = begin;
  std::uint64_t value = 0;
  if (p != end && *p == 0x08) {
    ++p;
    if (read_varint(p, end, value) && p != end && *p == 0x10) {
      e.offset_at = static_cast<std::uint32_t>(p - begin);
      ++p;
      if (read_varint(p, end, value)) {
        e.offset_ps = static_cast<std::int64_t>(value);
        e.offset_end = e.duration_end = static_cast<std::uint32_t>(p - begin);
        bool whole = true;
        if (p != end && *p == 0x18) {
          ++p;
          whole = read_varint(p, end, value);
          e.duration_ps = static_cast<std::int64_t>(value);
          e.duration_end = static_cast<std::uint32_t>(p - begin);
        }
        std::uint64_t stats = 0;
        if (whole && detail::skip_short_elements<4>(p, end, stats) == end) return e;
      }
    }
  }
  read_general_event(e);
  return e;
}

// An event's time in the output. `duration_ps` is written only when it has changed.
struct event_time {
  std::int64_t offset_ps = 0;
  std::int64_t duration_ps = 0;
  bool new_duration = false;
};

// varint_bytes() without a loop.
PROFKIT_ALWAYS_INLINE std::size_t quick_varint_bytes(std::uint64_t value) noexcept {
#if defined(__GNUC__)
  const auto top_bit = static_cast<unsigned>(63 - __builtin_clzll(value | 1));
  return (top_bit * 9 + 73) / 64;
#else
  return varint_bytes(value);
#endif
}

inline std::uint64_t as_wire(std::int64_t n) noexcept { return static_cast<std::uint64_t>(n); }

// Bytes of the body with another time.
PROFKIT_ALWAYS_INLINE std::uint64_t rewritten_body_bytes(const event_bytes& e, const event_time& t) noexcept {
  const std::uint64_t offset = 1 + quick_varint_bytes(as_wire(t.offset_ps));
  if (PROFKIT_LIKELY(e.shape == event_shape::usual)) {
    std::uint64_t bytes = e.body.size() - (e.offset_end - e.offset_at) + offset;
    if (t.new_duration) {
      bytes -= e.duration_end - e.offset_end;
      bytes += 1 + varint_bytes(as_wire(t.duration_ps));
    }
    return bytes;
  }
  std::uint64_t bytes = offset;
  wire_reader reader(e.body);
  const char* at = e.body.data();
  for (wire_field field; reader.next(field); at = reader.position())
    if (!field.is_varint(2) && !field.is_varint(5) && !(t.new_duration && field.is_varint(3)))
      bytes += static_cast<std::uint64_t>(reader.position() - at);
  return bytes + (t.new_duration ? 1 + varint_bytes(as_wire(t.duration_ps)) : 0);
}

// The body with another time, at `to`, which has room for it; returns the end.
inline char* put_rewritten_body(char* to, const event_bytes& e, const event_time& t) noexcept {
  const auto copy = [&](const char* from, const char* end) {
    std::memcpy(to, from, static_cast<std::size_t>(end - from));
    to += end - from;
  };
  const auto put_time = [&] {
    *to++ = 0x10;
    to = put_varint(to, as_wire(t.offset_ps));
    if (!t.new_duration) return;
    *to++ = 0x18;
    to = put_varint(to, as_wire(t.duration_ps));
  };
  const char* const begin = e.body.data();
  const char* const end = begin + e.body.size();
  if (PROFKIT_LIKELY(e.shape == event_shape::usual)) {
    copy(begin, begin + e.offset_at);
    put_time();
    copy(begin + (t.new_duration ? e.duration_end : e.offset_end), end);
    return to;
  }
  // After metadata_id where that comes first, as writers have it.
  wire_reader reader(e.body);
  const char* at = begin;
  bool placed = false;
  for (wire_field field; reader.next(field); at = reader.position()) {
    if (!placed && !field.is_varint(1)) {
      put_time();
      placed = true;
    }
    if (!field.is_varint(2) && !field.is_varint(5) && !(t.new_duration && field.is_varint(3)))
      copy(at, reader.position());
  }
  if (!placed) put_time();
  return to;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
