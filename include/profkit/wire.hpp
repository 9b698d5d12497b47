// Zero-copy reader of the protobuf wire format. No allocation, no exception, no dependency; constexpr-capable.
//
// The rules are those of protobuf's own C++ parser (release 3.21): the tenth byte of a varint keeps one bit, a tag has
// at most five bytes (32 bits count), a length has at most five bytes, field number 0 and wire types 6 and 7 are
// damage, groups may nest a hundred deep. One difference: a length may exceed 2 GiB (five bytes reach 32 GiB).
//
// Everything borrows: the bytes must outlive readers, ranges and views.
#pragma once

#include <profkit/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <type_traits>

#if defined(__GNUC__)  // gcc and clang
#define PROFKIT_ALWAYS_INLINE [[gnu::always_inline]] inline
#define PROFKIT_NOINLINE [[gnu::noinline]]
#define PROFKIT_COLD [[gnu::noinline, gnu::cold]]
#define PROFKIT_LIKELY(condition) __builtin_expect(static_cast<bool>(condition), 1)
#else
#define PROFKIT_ALWAYS_INLINE inline
#define PROFKIT_NOINLINE
#define PROFKIT_COLD
#define PROFKIT_LIKELY(condition) (condition)
#endif

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// How a field is written. `end_group` never reaches a caller: a group is delivered whole.
enum class wire_type : std::uint8_t {
  varint = 0,
  fixed64 = 1,
  length_delimited = 2,
  group = 3,
  end_group = 4,
  fixed32 = 5,
};

/// One field of a message as it lies on the wire.
struct wire_field {
  std::uint32_t number = 0;
  wire_type type = wire_type::varint;
  std::uint64_t value = 0;  ///< varint, fixed64 (raw bits) or fixed32 (raw bits); signed integers are two's complement
  std::string_view bytes;   ///< payload of a length-delimited field, or what lies between a group's two tags

  constexpr bool is(std::uint32_t wanted, wire_type as) const noexcept { return number == wanted && type == as; }
  constexpr bool is_varint(std::uint32_t wanted) const noexcept { return is(wanted, wire_type::varint); }
  constexpr bool is_bytes(std::uint32_t wanted) const noexcept { return is(wanted, wire_type::length_delimited); }
};

/// Groups (a wire feature nothing here uses) may nest this deep inside one message; deeper is damage.
inline constexpr int max_group_depth = 100;

namespace detail {

constexpr unsigned byte_at(const char* p) noexcept { return static_cast<unsigned char>(*p); }

/// The two bytes at p, the first one lowest; compilers make it one load.
constexpr unsigned byte_pair_at(const char* p) noexcept { return byte_at(p) | byte_at(p + 1) << 8; }

/// Whether a pair is this one-byte tag followed by a one-byte length.
constexpr bool is_short_element(unsigned pair, unsigned tag) noexcept { return (pair & 0x80ffU) == tag; }

#if defined(__GNUC__)
constexpr bool constant_evaluated() noexcept { return __builtin_is_constant_evaluated(); }

/// The eight bytes at p, the first one lowest. Not for constant evaluation.
PROFKIT_ALWAYS_INLINE std::uint64_t load_word(const char* p) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

/// Decodes a varint of at most eight bytes from a word that starts with it. Length 0: the varint is longer.
struct word_varint {
  std::uint64_t value;
  unsigned length;
};
PROFKIT_ALWAYS_INLINE word_varint decode_word_varint(std::uint64_t word) noexcept {
  const std::uint64_t stops = ~word & 0x8080808080808080U;
  if (!PROFKIT_LIKELY(stops != 0)) return {0, 0};
  const std::uint64_t mask = stops ^ (stops - 1);  // all bits up to the last byte's top bit
  std::uint64_t v = word & mask & 0x7f7f7f7f7f7f7f7fU;
  v = (v & 0x007f007f007f007fU) | ((v & 0x7f007f007f007f00U) >> 1);
  v = (v & 0x00003fff00003fffU) | ((v & 0x3fff00003fff0000U) >> 2);
  v = (v & 0x000000000fffffffU) | ((v & 0x0fffffff00000000U) >> 4);
  return {v, static_cast<unsigned>(__builtin_ctzll(stops)) / 8 + 1};
}
#else
constexpr bool constant_evaluated() noexcept { return true; }
#endif

constexpr bool read_varint_bytes(const char*& p, const char* end, std::uint64_t& value) noexcept {
  std::uint64_t v = 0;
  const char* q = p;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (q == end) return false;
    const std::uint64_t byte = byte_at(q++);
    v |= (byte & 0x7fU) << shift;  // the tenth byte's surplus bits fall out at the top
    if (byte < 0x80U) {
      value = v;
      p = q;
      return true;
    }
  }
  return false;
}

constexpr bool read_short_varint(const char*& p, const char* end, std::uint64_t& value) noexcept {
  std::uint64_t v = 0;
  const char* q = p;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    if (q == end) return false;
    const std::uint64_t byte = byte_at(q++);
    v |= (byte & 0x7fU) << shift;
    if (byte < 0x80U) {
      value = v;
      p = q;
      return true;
    }
  }
  return false;
}

}  // namespace detail

/// Reads a varint at p and moves p past it. False, with p and v as they were, when it does not end before `end` or
/// has more than ten bytes. Never reads at or past `end`.
constexpr bool read_varint(const char*& p, const char* end, std::uint64_t& v) noexcept {
  if (PROFKIT_LIKELY(p != end) && detail::byte_at(p) < 0x80U) {
    v = detail::byte_at(p++);
    return true;
  }
#if defined(__GNUC__)
  if (!detail::constant_evaluated() && end - p >= 8) {
    const detail::word_varint decoded = detail::decode_word_varint(detail::load_word(p));
    if (PROFKIT_LIKELY(decoded.length != 0)) {
      v = decoded.value;
      p += decoded.length;
      return true;
    }
  }
#endif
  return detail::read_varint_bytes(p, end, v);
}

/// Reads the `count` (4 or 8) bytes of a fixed32 or fixed64, lowest first.
constexpr bool read_fixed(const char*& p, const char* end, unsigned count, std::uint64_t& v) noexcept {
  if (end - p < static_cast<std::ptrdiff_t>(count)) return false;
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i) value |= static_cast<std::uint64_t>(detail::byte_at(p + i)) << (8 * i);
  v = value;
  p += count;
  return true;
}

/// Reads a field's tag: at most five bytes; 32 bits of it count.
constexpr bool read_tag(const char*& p, const char* end, std::uint32_t& tag) noexcept {
  if (PROFKIT_LIKELY(p != end) && detail::byte_at(p) < 0x80U) {
    tag = detail::byte_at(p++);
    return true;
  }
  std::uint64_t wide = 0;
  if (!detail::read_short_varint(p, end, wide)) return false;
  tag = static_cast<std::uint32_t>(wide);
  return true;
}

/// Reads the length of a length-delimited field (at most five bytes). It may still exceed what is left before `end`.
constexpr bool read_length(const char*& p, const char* end, std::uint64_t& length) noexcept {
  if (PROFKIT_LIKELY(p != end) && detail::byte_at(p) < 0x80U) {
    length = detail::byte_at(p++);
    return true;
  }
  return detail::read_short_varint(p, end, length);
}

namespace detail {

/// Moves p past the end tag of the group `number` whose start tag was just read; `content_end` is where that end
/// tag starts. A stack of numbers stands in for recursion.
PROFKIT_COLD constexpr bool skip_group(const char*& p, const char* end, std::uint32_t number,
                                       const char*& content_end) noexcept {
  std::uint32_t open[max_group_depth] = {};
  int depth = 0;
  open[depth++] = number;
  while (depth > 0) {
    const char* tag_at = p;
    std::uint32_t tag = 0;
    if (!read_tag(p, end, tag) || (tag >> 3) == 0) return false;
    std::uint64_t scalar = 0;
    switch (static_cast<wire_type>(tag & 7U)) {
      case wire_type::varint:
        if (!read_varint(p, end, scalar)) return false;
        break;
      case wire_type::fixed64:
        if (!read_fixed(p, end, 8, scalar)) return false;
        break;
      case wire_type::fixed32:
        if (!read_fixed(p, end, 4, scalar)) return false;
        break;
      case wire_type::length_delimited:
        if (!read_length(p, end, scalar) || scalar > static_cast<std::uint64_t>(end - p)) return false;
        p += static_cast<std::ptrdiff_t>(scalar);
        break;
      case wire_type::group:
        if (depth == max_group_depth) return false;
        open[depth++] = tag >> 3;
        break;
      case wire_type::end_group:
        if (open[--depth] != tag >> 3) return false;
        content_end = tag_at;
        break;
      default: return false;
    }
  }
  return true;
}

}  // namespace detail

/// Reads the fields of one message, one after another.
///
///     wire_reader reader(bytes);
///     for (wire_field field; reader.next(field);) use(field);
///     if (!reader.ok()) report(reader.position());
class wire_reader {
 public:
  constexpr wire_reader() noexcept = default;
  constexpr explicit wire_reader(std::string_view bytes) noexcept
      : next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  /// The next field, a group as one field. False at the end of the message and at damage; ok() says which.
  constexpr bool next(wire_field& field) noexcept {
    if (next_ == end_ || bad_) return false;
    const char* p = next_;
    std::uint32_t tag = 0;
    if (!read_tag(p, end_, tag) || (tag >> 3) == 0) return fail();
    field.number = tag >> 3;
    field.type = static_cast<wire_type>(tag & 7U);
    switch (field.type) {
      case wire_type::varint:
        if (!read_varint(p, end_, field.value)) return fail();
        break;
      case wire_type::length_delimited: {
        std::uint64_t length = 0;
        if (!read_length(p, end_, length)) return fail();
        const auto left = static_cast<std::uint64_t>(end_ - p);
        if (length > left) {
          field.bytes = std::string_view(p, static_cast<std::size_t>(left));
          clipped_ = true;
          return fail();
        }
        field.bytes = std::string_view(p, static_cast<std::size_t>(length));
        p += static_cast<std::ptrdiff_t>(length);
        break;
      }
      case wire_type::fixed64:
        if (!read_fixed(p, end_, 8, field.value)) return fail();
        break;
      case wire_type::fixed32:
        if (!read_fixed(p, end_, 4, field.value)) return fail();
        break;
      case wire_type::group: {
        const char* content = p;
        const char* content_end = p;
        if (!detail::skip_group(p, end_, field.number, content_end)) return fail();
        field.bytes = std::string_view(content, static_cast<std::size_t>(content_end - content));
        break;
      }
      default: return fail();
    }
    next_ = p;
    return true;
  }

  /// False once damage was met.
  constexpr bool ok() const noexcept { return bad_ == nullptr; }

  /// Where the next field starts; after damage, where the damaged field starts.
  constexpr const char* position() const noexcept { return next_; }

  /// True when the damage is a length-delimited field that runs past the end: the field last given to next() then
  /// holds its number and, in `bytes`, the part of the payload that is there.
  constexpr bool clipped() const noexcept { return clipped_; }

 private:
  constexpr bool fail() noexcept {
    bad_ = next_;
    return false;
  }

  const char* next_ = nullptr;
  const char* end_ = nullptr;
  const char* bad_ = nullptr;
  bool clipped_ = false;
};

/// Hops over a message by its lengths. Null when every field is whole, else where the first damaged field starts.
/// What lies inside sub-messages is not looked at.
constexpr const char* damage_position(std::string_view message) noexcept {
  wire_reader reader(message);
  for (wire_field field; reader.next(field);) {}
  return reader.ok() ? nullptr : reader.position();
}

/// Offset of a position, such as a damage position, from the start of the whole input.
constexpr std::size_t offset_in(std::string_view whole, const char* position) noexcept {
  return static_cast<std::size_t>(position - whole.data());
}

// ---- messages in pieces ----
//
// Protobuf merges a singular sub-message that occurs several times: parsing it equals parsing the concatenation of its
// occurrences. `basic_message_bytes<Depth>` stands for such a concatenation without building it; Depth counts the
// singular sub-message fields between it and the nearest message that is in one piece (a file, or an element of a
// repeated field). Nearly always there is one piece, and then this is a span and a few null pointers.

/// Gives the pieces of a message that come after the first one.
template <unsigned Depth>
class fragment_reader {
 public:
  constexpr fragment_reader() noexcept = default;
  constexpr fragment_reader(std::uint32_t field, std::string_view parent_first,
                            const fragment_reader<Depth - 1>& parent_rest) noexcept
      : reader_(parent_first), parent_rest_(parent_rest), field_(field) {}

  /// A message that lies less deep than Depth has fewer levels that can give pieces.
  template <unsigned Less, std::enable_if_t<(Less < Depth), int> = 0>
  constexpr explicit fragment_reader(const fragment_reader<Less>& other) noexcept {
    if constexpr (Less > 0) {
      reader_ = other.reader_;
      parent_rest_ = fragment_reader<Depth - 1>(other.parent_rest_);
      field_ = other.field_;
    }
  }

  constexpr bool next(std::string_view& fragment) noexcept {
    for (;;) {
      for (wire_field f; reader_.next(f);) {
        if (f.is_bytes(field_)) {
          fragment = f.bytes;
          return true;
        }
      }
      std::string_view parent_fragment;
      if (!reader_.ok() || !parent_rest_.next(parent_fragment)) return false;
      reader_ = wire_reader(parent_fragment);
    }
  }
  constexpr bool ok() const noexcept { return reader_.ok() && parent_rest_.ok(); }
  constexpr const char* position() const noexcept {
    return reader_.ok() ? parent_rest_.position() : reader_.position();
  }

 private:
  template <unsigned>
  friend class fragment_reader;

  wire_reader reader_;  // what is left of the parent's present piece
  fragment_reader<Depth - 1> parent_rest_;
  std::uint32_t field_ = 0;
};

template <>
class fragment_reader<0> {
 public:
  constexpr bool next(std::string_view&) noexcept { return false; }
  constexpr bool ok() const noexcept { return true; }
  constexpr const char* position() const noexcept { return nullptr; }
};

/// The bytes of one message, in one piece or in several.
template <unsigned Depth>
class basic_message_bytes {
 public:
  static constexpr unsigned depth = Depth;

  constexpr basic_message_bytes() noexcept = default;
  /// A message in one piece.
  constexpr basic_message_bytes(std::string_view bytes) noexcept : first_(bytes), present_(true) {}
  constexpr basic_message_bytes(std::string_view first, const fragment_reader<Depth>& rest, bool present) noexcept
      : first_(first), rest_(rest), present_(present) {}
  template <unsigned Less, std::enable_if_t<(Less < Depth), int> = 0>
  constexpr basic_message_bytes(const basic_message_bytes<Less>& other) noexcept
      : first_(other.first()), rest_(other.rest()), present_(other.present()) {}

  /// False when the message does not occur; it then reads like an empty one.
  constexpr bool present() const noexcept { return present_; }
  constexpr std::string_view first() const noexcept { return first_; }
  constexpr const fragment_reader<Depth>& rest() const noexcept { return rest_; }

  /// The singular sub-message with this field number, merged over all its occurrences. Damage between the pieces shows
  /// when the sub-message is read.
  constexpr basic_message_bytes<Depth + 1> child(std::uint32_t field) const noexcept {
    fragment_reader<Depth + 1> pieces(field, first_, rest_);
    std::string_view first_piece;
    const bool found = pieces.next(first_piece);
    return basic_message_bytes<Depth + 1>(first_piece, pieces, found);
  }

 private:
  std::string_view first_;
  fragment_reader<Depth> rest_;
  bool present_ = false;
};

/// A message in one piece.
using message_bytes = basic_message_bytes<0>;

/// Reads the fields of a message across its pieces; used like wire_reader.
template <unsigned Depth>
class message_reader {
 public:
  constexpr message_reader() noexcept = default;
  constexpr explicit message_reader(const basic_message_bytes<Depth>& message) noexcept
      : reader_(message.first()), rest_(message.rest()) {}

  constexpr bool next(wire_field& field) noexcept {
    for (;;) {
      if (reader_.next(field)) return true;
      std::string_view fragment;
      if (!reader_.ok() || !rest_.next(fragment)) return false;
      reader_ = wire_reader(fragment);
    }
  }
  constexpr bool ok() const noexcept { return reader_.ok() && rest_.ok(); }
  /// After damage, where the damaged field starts.
  constexpr const char* position() const noexcept { return rest_.ok() ? reader_.position() : rest_.position(); }
  constexpr bool clipped() const noexcept { return reader_.clipped(); }

 private:
  wire_reader reader_;
  fragment_reader<Depth> rest_;
};

template <unsigned Depth>
message_reader(const basic_message_bytes<Depth>&) -> message_reader<Depth>;

// ---- ranges ----
//
// A range ends at the end of its message or at the first damaged field, so a loop gives everything intact before the
// damage. Afterwards the iterator's ok(), or the range's own ok() and damage(), which hop over the span once more, say
// which it was.

struct range_end {};

namespace detail {

template <class Iterator>
struct iterator_with_end {
  friend constexpr bool operator==(const Iterator& it, range_end) noexcept { return it.done(); }
  friend constexpr bool operator!=(const Iterator& it, range_end) noexcept { return !it.done(); }
  friend constexpr bool operator==(range_end, const Iterator& it) noexcept { return it.done(); }
  friend constexpr bool operator!=(range_end, const Iterator& it) noexcept { return !it.done(); }
};

/// Builds an element; some elements can use the knowledge that bytes after their own are readable.
template <class T>
PROFKIT_ALWAYS_INLINE constexpr T make_element(std::string_view bytes, const char* readable_end) noexcept {
  if constexpr (std::is_constructible_v<T, std::string_view, const char*>)
    return T(bytes, readable_end);
  else
    return T(bytes);
}

/// Where an element with a one-byte tag starts and how long it is: null unless its length has one or two bytes and it
/// ends before `end`.
struct short_element {
  const char* data;
  std::ptrdiff_t size;
};
PROFKIT_ALWAYS_INLINE constexpr short_element read_short_element(const char* p, const char* end,
                                                                 unsigned tag) noexcept {
  if (!PROFKIT_LIKELY(end - p >= 2)) return {nullptr, 0};
  const unsigned pair = byte_pair_at(p);
  auto length = static_cast<std::ptrdiff_t>(pair >> 8);
  p += 2;
  if (!PROFKIT_LIKELY(is_short_element(pair, tag))) {
    if ((pair & 0xffU) != tag || p == end || byte_at(p) >= 0x80U) return {nullptr, 0};
    length = (length & 0x7f) | static_cast<std::ptrdiff_t>(byte_at(p++)) << 7;
  }
  if (!PROFKIT_LIKELY(length <= end - p)) return {nullptr, 0};
  return {p, length};
}

/// Hops over a run of elements of one field, counting them; stops at anything else.
template <std::uint32_t Field>
PROFKIT_ALWAYS_INLINE constexpr const char* skip_short_elements(const char* p, const char* end,
                                                                std::uint64_t& count) noexcept {
  static_assert(Field < 16, "the tag must have one byte");
  for (;; ++count) {
    const short_element element = read_short_element(p, end, Field << 3 | 2U);
    if (!element.data) return p;
    p = element.data + element.size;
  }
}

/// Steps through the occurrences of one length-delimited field of a message in one piece: the hot loop of every scan.
/// Three pointers whose addresses are never taken, so that they stay in registers; what ended the loop is worked out
/// when a caller asks.
template <std::uint32_t Field>
class element_cursor {
 public:
  constexpr element_cursor() noexcept = default;
  constexpr element_cursor(const char* begin, const char* end) noexcept : next_(begin), end_(end) {}

  PROFKIT_ALWAYS_INLINE constexpr void step() noexcept {
    if constexpr (Field < 16) {
      const short_element next = read_short_element(next_, end_, Field << 3 | 2U);
      if (PROFKIT_LIKELY(next.data != nullptr)) {
        element_ = next.data;
        next_ = next.data + next.size;
        return;
      }
    }
    const found f = find(next_, end_);
    element_ = f.element;
    if (f.element) next_ = f.element + f.size;
  }

  constexpr bool done() const noexcept { return element_ == nullptr; }
  constexpr std::string_view element() const noexcept {
    return std::string_view(element_, static_cast<std::size_t>(next_ - element_));
  }
  /// Only once done(): whether the message ended, rather than being damaged.
  constexpr bool ok() const noexcept { return rest().ok(); }
  constexpr const char* position() const noexcept { return rest().position(); }
  /// The part that is there of an element that runs past the end of the message; null data when there is none.
  constexpr std::string_view clipped() const noexcept {
    wire_field last;
    const wire_reader reader = rest(&last);
    return reader.clipped() && last.number == Field ? last.bytes : std::string_view();
  }

 private:
  struct found {
    const char* element;
    std::size_t size;
  };
  PROFKIT_NOINLINE static constexpr found find(const char* p, const char* end) noexcept {
    wire_reader reader(std::string_view(p, static_cast<std::size_t>(end - p)));
    for (wire_field f; reader.next(f);)
      if (f.is_bytes(Field)) return {f.bytes.data(), f.bytes.size()};
    return {nullptr, 0};
  }
  // What follows the last element.
  constexpr wire_reader rest(wire_field* last = nullptr) const noexcept {
    wire_reader reader;
    if (!done()) return reader;
    reader = wire_reader(std::string_view(next_, static_cast<std::size_t>(end_ - next_)));
    wire_field f;
    while (reader.next(f)) {}
    if (last) *last = f;
    return reader;
  }

  const char* next_ = nullptr;
  const char* end_ = nullptr;
  const char* element_ = nullptr;
};

}  // namespace detail

/// The elements of a repeated length-delimited field: sub-messages (T is a view built from their bytes), strings or
/// bytes (T is std::string_view). An input range in the sense of C++20.
template <class T, std::uint32_t Field, unsigned Depth = 0>
class message_range {
 public:
  class iterator : public detail::iterator_with_end<iterator> {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = T;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;

    constexpr iterator() noexcept = default;
    constexpr explicit iterator(const basic_message_bytes<Depth>& message) noexcept : reader_(message) { step(); }

    constexpr T operator*() const noexcept { return T(field_.bytes); }
    /// The element's bytes, without building a T.
    constexpr std::string_view bytes() const noexcept { return field_.bytes; }
    constexpr iterator& operator++() noexcept {
      step();
      return *this;
    }
    constexpr void operator++(int) noexcept { step(); }
    constexpr bool done() const noexcept { return done_; }
    /// False once damage ended the range.
    constexpr bool ok() const noexcept { return reader_.ok(); }
    /// After damage, where the damaged field starts.
    constexpr const char* position() const noexcept { return reader_.position(); }
    constexpr std::string_view clipped() const noexcept { return clipped_; }

   private:
    constexpr void step() noexcept {
      while (reader_.next(field_))
        if (field_.is_bytes(Field)) return;
      done_ = true;
      if (reader_.clipped() && field_.number == Field) clipped_ = field_.bytes;
    }
    message_reader<Depth> reader_;
    wire_field field_;
    std::string_view clipped_;
    bool done_ = false;
  };

  constexpr message_range() noexcept = default;
  constexpr explicit message_range(const basic_message_bytes<Depth>& message) noexcept : message_(message) {}

  constexpr iterator begin() const noexcept { return iterator(message_); }
  constexpr range_end end() const noexcept { return {}; }
  constexpr bool empty() const noexcept { return begin().done(); }
  /// Elements before the end or the damage; one pass by lengths.
  constexpr std::size_t count() const noexcept {
    std::size_t n = 0;
    for (iterator it = begin(); !it.done(); ++it) ++n;
    return n;
  }
  constexpr bool ok() const noexcept { return damage() == nullptr; }
  /// Null when the range ends with its message, else where the damaged field starts; one pass by lengths.
  constexpr const char* damage() const noexcept {
    iterator it = begin();
    while (!it.done()) ++it;
    return it.ok() ? nullptr : it.position();
  }

 private:
  basic_message_bytes<Depth> message_;
};

template <class T, std::uint32_t Field>
class message_range<T, Field, 0> {
 public:
  class iterator : public detail::iterator_with_end<iterator> {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = T;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;

    constexpr iterator() noexcept = default;
    constexpr iterator(const char* begin, const char* end, const char* readable_end) noexcept
        : cursor_(begin, end), readable_end_(readable_end) {
      cursor_.step();
    }

    PROFKIT_ALWAYS_INLINE constexpr T operator*() const noexcept {
      return detail::make_element<T>(cursor_.element(), readable_end_);
    }
    /// The element's bytes, without building a T.
    constexpr std::string_view bytes() const noexcept { return cursor_.element(); }
    PROFKIT_ALWAYS_INLINE constexpr iterator& operator++() noexcept {
      cursor_.step();
      return *this;
    }
    constexpr void operator++(int) noexcept { cursor_.step(); }
    constexpr bool done() const noexcept { return cursor_.done(); }
    /// False once damage ended the range.
    constexpr bool ok() const noexcept { return cursor_.ok(); }
    /// After damage, where the damaged field starts.
    constexpr const char* position() const noexcept { return cursor_.position(); }
    /// After damage: the part that is there of an element that runs past the end; null data when there is none.
    constexpr std::string_view clipped() const noexcept { return cursor_.clipped(); }

   private:
    detail::element_cursor<Field> cursor_;
    const char* readable_end_ = nullptr;
  };

  constexpr message_range() noexcept = default;
  constexpr explicit message_range(std::string_view message) noexcept
      : message_range(message, message.data() + message.size()) {}
  constexpr explicit message_range(const message_bytes& message) noexcept : message_range(message.first()) {}
  /// `readable_end`: bytes up to there may be read (never used), which makes short elements faster to decode.
  constexpr message_range(std::string_view message, const char* readable_end) noexcept
      : begin_(message.data()), end_(message.data() + message.size()), readable_end_(readable_end) {}

  constexpr iterator begin() const noexcept { return iterator(begin_, end_, readable_end_); }
  constexpr range_end end() const noexcept { return {}; }
  constexpr bool empty() const noexcept { return begin().done(); }
  /// Elements before the end or the damage; one pass by lengths.
  constexpr std::size_t count() const noexcept {
    std::size_t n = 0;
    for (iterator it = begin(); !it.done(); ++it) ++n;
    return n;
  }
  constexpr bool ok() const noexcept { return damage() == nullptr; }
  /// Null when the range ends with its message, else where the damaged field starts; one pass by lengths.
  constexpr const char* damage() const noexcept {
    const iterator it = last();
    return it.ok() ? nullptr : it.position();
  }
  /// The part that is there of a last element that runs past the end (null data when there is none). A view over it
  /// reads what is intact inside; one pass by lengths.
  constexpr std::string_view clipped() const noexcept { return last().clipped(); }

 private:
  constexpr iterator last() const noexcept {
    iterator it = begin();
    while (!it.done()) ++it;
    return it;
  }
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  const char* readable_end_ = nullptr;
};

/// Elements as of message_range, and last what is there of one that runs past the end of the message, to read what is whole in it.
/// ok() and damage() still say that the message is cut.
template <class T, std::uint32_t Field>
class range_to_cut : public message_range<T, Field> {
 public:
  class iterator : public detail::iterator_with_end<iterator> {
    using whole_elements = typename message_range<T, Field>::iterator;

   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = T;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;

    constexpr iterator() noexcept = default;
    constexpr explicit iterator(const whole_elements& from) noexcept : at_(from) { look_for_cut(); }
    constexpr T operator*() const noexcept { return in_cut_ ? T(cut_) : *at_; }
    /// The element's bytes, without building a T.
    constexpr std::string_view bytes() const noexcept { return in_cut_ ? cut_ : at_.bytes(); }
    constexpr iterator& operator++() noexcept {
      if (in_cut_) {
        in_cut_ = false;
        return *this;
      }
      ++at_;
      look_for_cut();
      return *this;
    }
    constexpr void operator++(int) noexcept { ++*this; }
    constexpr bool done() const noexcept { return at_.done() && !in_cut_; }
    /// False once damage ended the range.
    constexpr bool ok() const noexcept { return in_cut_ || at_.ok(); }
    /// After damage, where the damaged field starts.
    constexpr const char* position() const noexcept { return at_.position(); }

   private:
    constexpr void look_for_cut() noexcept {
      if (!at_.done() || at_.ok()) return;
      cut_ = at_.clipped();
      in_cut_ = !cut_.empty();
    }
    whole_elements at_;
    std::string_view cut_;
    bool in_cut_ = false;
  };

  using message_range<T, Field>::message_range;
  constexpr iterator begin() const noexcept { return iterator(message_range<T, Field>::begin()); }
  constexpr bool empty() const noexcept { return begin().done(); }
  /// Elements that a loop goes over; one pass by lengths.
  constexpr std::size_t count() const noexcept {
    std::size_t n = 0;
    for (iterator it = begin(); !it.done(); ++it) ++n;
    return n;
  }
};

/// The strings or byte strings of a repeated field.
template <std::uint32_t Field, unsigned Depth = 0>
using bytes_range = message_range<std::string_view, Field, Depth>;

/// The values of a repeated varint field, packed and unpacked mixed. Damage inside a packed run ends the range, too.
template <std::uint32_t Field, unsigned Depth = 0, class T = std::int64_t>
class int_range {
 public:
  class iterator : public detail::iterator_with_end<iterator> {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = T;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;

    constexpr iterator() noexcept = default;
    constexpr explicit iterator(const basic_message_bytes<Depth>& message) noexcept : reader_(message) { step(); }

    constexpr T operator*() const noexcept { return static_cast<T>(value_); }
    constexpr iterator& operator++() noexcept {
      step();
      return *this;
    }
    constexpr void operator++(int) noexcept { step(); }
    constexpr bool done() const noexcept { return done_; }
    constexpr bool ok() const noexcept { return !bad_ && reader_.ok(); }
    constexpr const char* position() const noexcept { return bad_ ? bad_ : reader_.position(); }

   private:
    constexpr void step() noexcept {
      for (;;) {
        if (packed_ != packed_end_) {
          if (read_varint(packed_, packed_end_, value_)) return;
          bad_ = packed_;
          break;
        }
        wire_field field;
        if (!reader_.next(field)) break;
        if (field.is_varint(Field)) {
          value_ = field.value;
          return;
        }
        if (field.is_bytes(Field)) {
          packed_ = field.bytes.data();
          packed_end_ = packed_ + field.bytes.size();
        }
      }
      done_ = true;
    }

    message_reader<Depth> reader_;
    const char* packed_ = nullptr;
    const char* packed_end_ = nullptr;
    const char* bad_ = nullptr;
    std::uint64_t value_ = 0;
    bool done_ = false;
  };

  constexpr int_range() noexcept = default;
  constexpr explicit int_range(const basic_message_bytes<Depth>& message) noexcept : message_(message) {}

  constexpr iterator begin() const noexcept { return iterator(message_); }
  constexpr range_end end() const noexcept { return {}; }
  constexpr bool empty() const noexcept { return begin().done(); }
  constexpr std::size_t count() const noexcept {
    std::size_t n = 0;
    for (iterator it = begin(); !it.done(); ++it) ++n;
    return n;
  }
  constexpr bool ok() const noexcept { return damage() == nullptr; }
  constexpr const char* damage() const noexcept {
    iterator it = begin();
    while (!it.done()) ++it;
    return it.ok() ? nullptr : it.position();
  }

 private:
  basic_message_bytes<Depth> message_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
