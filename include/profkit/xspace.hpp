// Views over a serialized XSpace, the profile that XLA, JAX and TensorFlow write (*.xplane.pb).
//
// Field numbers: xplane.proto of openxla/xla (third_party/tsl/tsl/profiler/protobuf/xplane.proto).
//
//   XSpace         1 planes  2 errors  3 warnings  4 hostnames
//   XPlane         1 id  2 name  3 lines  4 event_metadata (map)  5 stat_metadata (map)  6 stats
//   XLine          1 id  2 name  3 timestamp_ns  4 events  9 duration_ps  10 display_id  11 display_name
//   XEvent         1 metadata_id  2 offset_ps | 5 num_occurrences  3 duration_ps  4 stats
//   XStat          1 metadata_id  2 double | 3 uint64 | 4 int64 | 5 str | 6 bytes | 7 ref
//   XEventMetadata 1 id  2 name  3 metadata  4 display_name  5 stats  6 child_id
//   XStatMetadata  1 id  2 name  3 description
//
// A view borrows the bytes it was made from and nothing else; copying one is cheap. Fields that occur more than once
// count as protobuf counts them: the last scalar, the last member of a oneof, all pieces of a sub-message merged.
// A range ends at the end or at damage; ok() of its iterator, of the range or of the view it came from says which.
#pragma once

#include <profkit/wire.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class metadata_index;

// ---- stats ----

// enum stat_kind: written by scripts/generate
/// The type of a stat's value: the number of the field of XStat that holds it.
enum class stat_kind : std::uint8_t {
  none = 0,         ///< no value was written
  double_value = 2,
  uint64_value = 3,
  int64_value = 4,
  str_value = 5,
  bytes_value = 6,
  ref_value = 7     ///< the name of a stat metadata entry of the same plane
};
[[nodiscard]] constexpr const char* stat_kind_name(stat_kind value) noexcept {
  switch (value) {
    case stat_kind::none: return "none";
    case stat_kind::double_value: return "double";
    case stat_kind::uint64_value: return "uint64";
    case stat_kind::int64_value: return "int64";
    case stat_kind::str_value: return "str";
    case stat_kind::bytes_value: return "bytes";
    case stat_kind::ref_value: return "ref";
  }
  return "none";
}
// end of enum stat_kind

/// One fact: which (metadata_id, a key into the plane's stat metadata) and its value.
class stat_view {
 public:
  constexpr stat_view() noexcept = default;
  constexpr explicit stat_view(std::string_view bytes) noexcept : stat_view(bytes, bytes.data() + bytes.size()) {}
  /// `readable_end`: bytes up to there may be read (never used).
  PROFKIT_ALWAYS_INLINE constexpr stat_view(std::string_view bytes, const char* readable_end) noexcept
      : begin_(bytes.data()), size_(bytes.size()) {
    if (PROFKIT_LIKELY(read_usual_shape(readable_end))) return;
    const stat_fields any = read_any_shape(bytes);  // a copy: fields_ itself stays in registers
    fields_ = any;
  }

  constexpr std::int64_t metadata_id() const noexcept { return fields_.metadata_id; }
  constexpr stat_kind kind() const noexcept { return fields_.kind; }
  /// The double_value, or the number of another numeric kind; 0 for text.
  constexpr double as_double() const noexcept {
    switch (fields_.kind) {
      case stat_kind::double_value: return double_from_bits(fields_.scalar);
      case stat_kind::int64_value: return static_cast<double>(static_cast<std::int64_t>(fields_.scalar));
      case stat_kind::uint64_value: return static_cast<double>(fields_.scalar);
      default: return 0;
    }
  }
  /// The 64 bits of an integer kind (for double_value its bit pattern); 0 for text.
  constexpr std::uint64_t as_uint64() const noexcept { return fields_.scalar; }
  constexpr std::int64_t as_int64() const noexcept { return static_cast<std::int64_t>(fields_.scalar); }
  /// The payload of str_value or bytes_value; empty for other kinds. Not necessarily UTF-8.
  constexpr std::string_view as_bytes() const noexcept { return fields_.bytes; }
  /// For ref_value: the key of the stat metadata whose name is the text. As a map key it is read as int64.
  constexpr std::int64_t as_ref() const noexcept { return static_cast<std::int64_t>(fields_.scalar); }

  constexpr std::string_view bytes() const noexcept { return std::string_view(begin_, size_); }
  constexpr bool ok() const noexcept { return fields_.ok; }

 private:
  struct stat_fields {
    std::int64_t metadata_id = 0;
    std::uint64_t scalar = 0;
    std::string_view bytes;
    stat_kind kind = stat_kind::none;
    bool ok = true;
  };

  static constexpr double double_from_bits(std::uint64_t bits) noexcept {
#if defined(__GNUC__)
    if (!detail::constant_evaluated())
#endif
    {
      double value = 0;
      std::memcpy(&value, &bits, sizeof value);
      return value;
    }
    return double_from_bits_slowly(bits);
  }
  static constexpr double double_from_bits_slowly(std::uint64_t bits) noexcept {
    const auto exponent = static_cast<int>(bits >> 52 & 0x7ffU);
    const std::uint64_t fraction = bits & 0xfffffffffffffU;
    if (exponent == 0x7ff) return 0;  // no infinity or NaN at compile time
    double value = static_cast<double>(exponent == 0 ? fraction : fraction | (std::uint64_t{1} << 52));
    for (int e = (exponent == 0 ? 1 : exponent) - 1075; e > 0; --e) value *= 2;
    for (int e = (exponent == 0 ? 1 : exponent) - 1075; e < 0; ++e) value /= 2;
    return bits >> 63 ? -value : value;
  }

  // What writers write: the id, then one value, nothing else.
  PROFKIT_ALWAYS_INLINE constexpr bool read_usual_shape([[maybe_unused]] const char* readable_end) noexcept {
#if defined(__GNUC__)
    if (detail::constant_evaluated() || readable_end - begin_ < 32 || size_ < 2) return false;
    const char* p = begin_;
    const char* const end = begin_ + size_;
    if (detail::byte_at(p) != 0x08) return false;
    std::uint64_t id = detail::byte_at(p + 1);
    if (PROFKIT_LIKELY(id < 0x80U)) {
      p += 2;
    } else {
      const detail::word_varint decoded = detail::decode_word_varint(detail::load_word(p + 1));
      if (decoded.length == 0) return false;
      id = decoded.value;
      p += 1 + decoded.length;
    }
    const std::ptrdiff_t left = end - p;
    if (left < 2) return false;
    const unsigned tag = detail::byte_at(p);
    if (tag == 0x18 || tag == 0x20 || tag == 0x38) {
      const detail::word_varint value = detail::decode_word_varint(detail::load_word(p + 1));
      if (!PROFKIT_LIKELY(left == 1 + static_cast<std::ptrdiff_t>(value.length)) || value.length == 0) return false;
      fields_.scalar = value.value;
    } else if (tag == 0x2a || tag == 0x32) {
      const detail::short_element text = detail::read_short_element(p, end, tag);
      if (!text.data || text.data + text.size != end) return false;
      fields_.bytes = std::string_view(text.data, static_cast<std::size_t>(text.size));
    } else if (tag == 0x11 && left == 9) {
      fields_.scalar = detail::load_word(p + 1);
    } else {
      return false;
    }
    fields_.metadata_id = static_cast<std::int64_t>(id);
    fields_.kind = static_cast<stat_kind>(tag >> 3);
    return true;
#else
    return false;
#endif
  }

  PROFKIT_NOINLINE static constexpr stat_fields read_any_shape(std::string_view bytes) noexcept {
    stat_fields s;
    wire_reader reader(bytes);
    for (wire_field f; reader.next(f);) {
      switch (f.number) {
        case 1:
          if (f.type == wire_type::varint) s.metadata_id = static_cast<std::int64_t>(f.value);
          break;
        case 2:
          if (f.type == wire_type::fixed64) set(s, stat_kind::double_value, f.value, {});
          break;
        case 3:
        case 4:
        case 7:
          if (f.type == wire_type::varint) set(s, static_cast<stat_kind>(f.number), f.value, {});
          break;
        case 5:
        case 6:
          if (f.type == wire_type::length_delimited) set(s, static_cast<stat_kind>(f.number), 0, f.bytes);
          break;
        default: break;
      }
    }
    s.ok = reader.ok();
    return s;
  }
  static constexpr void set(stat_fields& s, stat_kind kind, std::uint64_t scalar, std::string_view bytes) noexcept {
    s.kind = kind;
    s.scalar = scalar;
    s.bytes = bytes;
  }

  const char* begin_ = nullptr;
  std::size_t size_ = 0;
  stat_fields fields_;
};

// ---- events ----

/// Which member of an event's oneof is set. An offset of zero that was written is `offset_ps`; nothing written is
/// `none`.
enum class event_data_case : std::uint8_t { none = 0, offset_ps = 2, num_occurrences = 5 };

/// One execution, or (num_occurrences) an aggregate without a place in time.
class event_view {
 public:
  constexpr event_view() noexcept = default;
  constexpr explicit event_view(std::string_view bytes) noexcept : event_view(bytes, bytes.data() + bytes.size()) {}
  /// `readable_end`: bytes up to there may be read (never used).
  PROFKIT_ALWAYS_INLINE constexpr event_view(std::string_view bytes, const char* readable_end) noexcept
      : begin_(bytes.data()), end_(bytes.data() + bytes.size()), readable_end_(readable_end) {
    if (PROFKIT_LIKELY(read_usual_shape())) return;
    const event_fields any = read_any_shape(bytes);  // a copy: fields_ itself stays in registers
    fields_ = any;
  }

  /// Key into the plane's event metadata.
  constexpr std::int64_t metadata_id() const noexcept { return fields_.metadata_id; }
  constexpr event_data_case data_case() const noexcept { return fields_.data_case; }
  /// Picoseconds after the line's timestamp_ns; 0 unless data_case() is offset_ps.
  constexpr std::int64_t offset_ps() const noexcept {
    return fields_.data_case == event_data_case::offset_ps ? fields_.data : 0;
  }
  /// 0 unless data_case() is num_occurrences.
  constexpr std::int64_t num_occurrences() const noexcept {
    return fields_.data_case == event_data_case::num_occurrences ? fields_.data : 0;
  }
  /// Picoseconds; 0 is an instant.
  constexpr std::int64_t duration_ps() const noexcept { return fields_.duration_ps; }
  /// Facts of this execution (those all executions share are in the event metadata).
  constexpr message_range<stat_view, 4> stats() const noexcept {
    return message_range<stat_view, 4>(std::string_view(fields_.tail, static_cast<std::size_t>(end_ - fields_.tail)),
                                       readable_end_);
  }
  constexpr std::string_view bytes() const noexcept {
    return std::string_view(begin_, static_cast<std::size_t>(end_ - begin_));
  }
  /// False when the event's own fields are damaged; its stats have an ok() of their own.
  constexpr bool ok() const noexcept { return fields_.ok; }

 private:
  struct event_fields {
    std::int64_t metadata_id = 0;
    std::int64_t data = 0;
    std::int64_t duration_ps = 0;
    const char* tail = nullptr;  // no stat lies before it
    event_data_case data_case = event_data_case::none;
    bool ok = true;
  };

  // What writers write: id, offset, duration, stats, in this order and each at most once but for the stats.
  PROFKIT_ALWAYS_INLINE constexpr bool read_usual_shape() noexcept {
#if defined(__GNUC__)
    // 32 readable bytes: three tags, three varints of up to eight bytes, each loaded as a word. One byte after the
    // end: a tag and what follows it can be loaded together.
    if (detail::constant_evaluated() || readable_end_ - begin_ < 32 || readable_end_ == end_) return false;
    const char* p = begin_;
    if (end_ - p < 2 || detail::byte_at(p) != 0x08) return false;
    std::uint64_t id = detail::byte_at(p + 1);
    if (id < 0x80U) {
      p += 2;
    } else {
      const detail::word_varint decoded = detail::decode_word_varint(detail::load_word(p + 1));
      if (decoded.length == 0) return false;
      id = decoded.value;
      p += 1 + decoded.length;
    }
    event_fields fields;
    fields.metadata_id = static_cast<std::int64_t>(id);
    if (PROFKIT_LIKELY(p < end_) && PROFKIT_LIKELY(detail::byte_at(p) == 0x10)) {
      const detail::word_varint offset = detail::decode_word_varint(detail::load_word(p + 1));
      if (!PROFKIT_LIKELY(offset.length != 0)) return false;
      fields.data = static_cast<std::int64_t>(offset.value);
      fields.data_case = event_data_case::offset_ps;
      p += 1 + offset.length;
    }
    if (PROFKIT_LIKELY(p < end_) && PROFKIT_LIKELY(detail::byte_at(p) == 0x18)) {
      const detail::word_varint duration = detail::decode_word_varint(detail::load_word(p + 1));
      if (!PROFKIT_LIKELY(duration.length != 0)) return false;
      fields.duration_ps = static_cast<std::int64_t>(duration.value);
      p += 1 + duration.length;
    }
    fields.tail = p;
    while (p < end_) {  // nothing but stats may follow
      const unsigned pair = detail::byte_pair_at(p);
      if (PROFKIT_LIKELY(detail::is_short_element(pair, 0x22))) {
        p += 2 + (pair >> 8);
        continue;
      }
      const detail::short_element stat = detail::read_short_element(p, end_, 0x22);
      if (!stat.data) return false;
      p = stat.data + stat.size;
    }
    if (!PROFKIT_LIKELY(p == end_)) return false;
    fields_ = fields;
    return true;
#else
    return false;
#endif
  }

  PROFKIT_NOINLINE static constexpr event_fields read_any_shape(std::string_view bytes) noexcept {
    event_fields e;
    e.tail = bytes.data();
    wire_reader reader(bytes);
    for (wire_field f; reader.next(f);) {
      if (f.type != wire_type::varint) continue;
      switch (f.number) {
        case 1: e.metadata_id = static_cast<std::int64_t>(f.value); break;
        case 2:
        case 5:
          e.data = static_cast<std::int64_t>(f.value);
          e.data_case = static_cast<event_data_case>(f.number);
          break;
        case 3: e.duration_ps = static_cast<std::int64_t>(f.value); break;
        default: break;
      }
    }
    e.ok = reader.ok();
    return e;
  }

  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  const char* readable_end_ = nullptr;
  event_fields fields_;
};

// ---- lines ----

/// The fields of a line but for its events.
struct line_header {
  std::int64_t id = 0;  ///< lines with equal id are one timeline; may be negative
  std::int64_t display_id = 0;
  std::string_view name;
  std::string_view display_name;
  std::int64_t timestamp_ns = 0;  ///< base of the offsets of the line's events
  std::int64_t duration_ps = 0;   ///< 0 in files seen so far
  std::uint64_t event_count = 0;
  const char* damage = nullptr;  ///< where the first damaged field starts; null: every field is whole
};

/// One timeline of a plane.
class line_view {
 public:
  constexpr line_view() noexcept = default;
  constexpr explicit line_view(std::string_view bytes) noexcept : bytes_(bytes) {}

  /// One pass over the line, hopping over the events by their lengths: writers put fields after the events.
  constexpr line_header header() const noexcept {
    line_header h;
    const char* p = bytes_.data();
    const char* const end = p + bytes_.size();
    for (;;) {
      p = detail::skip_short_elements<4>(p, end, h.event_count);
      wire_reader reader(std::string_view(p, static_cast<std::size_t>(end - p)));
      wire_field f;
      if (!reader.next(f)) {
        if (!reader.ok()) h.damage = reader.position();
        return h;
      }
      p = reader.position();
      if (f.type == wire_type::varint) {
        const auto value = static_cast<std::int64_t>(f.value);
        switch (f.number) {
          case 1: h.id = value; break;
          case 3: h.timestamp_ns = value; break;
          case 9: h.duration_ps = value; break;
          case 10: h.display_id = value; break;
          default: break;
        }
      } else if (f.type == wire_type::length_delimited) {
        switch (f.number) {
          case 2: h.name = f.bytes; break;
          case 4: ++h.event_count; break;
          case 11: h.display_name = f.bytes; break;
          default: break;
        }
      }
    }
  }
  constexpr message_range<event_view, 4> events() const noexcept { return message_range<event_view, 4>(bytes_); }
  constexpr std::string_view bytes() const noexcept { return bytes_; }
  /// Null, or where the first damaged field of the line itself starts; one pass by lengths.
  constexpr const char* damage() const noexcept { return header().damage; }
  constexpr bool ok() const noexcept { return damage() == nullptr; }

 private:
  std::string_view bytes_;
};

// ---- metadata ----

namespace detail {

/// A map entry with an int64 key: the last key counts, the value's pieces merge, a missing one reads as 0 or empty.
struct int64_map_entry {
  std::int64_t key = 0;
  basic_message_bytes<1> value;
  bool ok = true;

  constexpr int64_map_entry() noexcept = default;
  constexpr explicit int64_map_entry(std::string_view entry) noexcept : value(message_bytes(entry).child(2)) {
    wire_reader reader(entry);
    for (wire_field f; reader.next(f);)
      if (f.is_varint(1)) key = static_cast<std::int64_t>(f.value);
    ok = reader.ok();
  }
};

}  // namespace detail

/// What all executions of one event share. Made from a map entry: key() is what XEvent.metadata_id refers to.
class event_metadata_view {
 public:
  constexpr event_metadata_view() noexcept = default;
  constexpr explicit event_metadata_view(std::string_view entry) noexcept : bytes_(entry), entry_(entry) {
    message_reader<1> reader(entry_.value);
    for (wire_field f; reader.next(f);) {
      if (f.is_varint(1)) id_ = static_cast<std::int64_t>(f.value);
      if (f.type != wire_type::length_delimited) continue;
      switch (f.number) {
        case 2: name_ = f.bytes; break;
        case 3: metadata_ = f.bytes; break;
        case 4: display_name_ = f.bytes; break;
        default: break;
      }
    }
    ok_ = entry_.ok && reader.ok();
  }

  constexpr std::int64_t key() const noexcept { return entry_.key; }
  /// The id written inside the value; equals the key in files seen so far.
  constexpr std::int64_t id() const noexcept { return id_; }
  constexpr std::string_view name() const noexcept { return name_; }
  constexpr std::string_view display_name() const noexcept { return display_name_; }
  /// Opaque bytes of the writer.
  constexpr std::string_view metadata() const noexcept { return metadata_; }
  constexpr message_range<stat_view, 5, 1> stats() const noexcept {
    return message_range<stat_view, 5, 1>(entry_.value);
  }
  /// Keys of further event metadata.
  constexpr int_range<6, 1> child_ids() const noexcept { return int_range<6, 1>(entry_.value); }
  /// The whole map entry.
  constexpr std::string_view bytes() const noexcept { return bytes_; }
  constexpr bool ok() const noexcept { return ok_; }

 private:
  std::string_view bytes_;
  detail::int64_map_entry entry_;
  std::int64_t id_ = 0;
  std::string_view name_;
  std::string_view display_name_;
  std::string_view metadata_;
  bool ok_ = true;
};

/// Name of a kind of stat. Made from a map entry: key() is what XStat.metadata_id and ref_value refer to.
class stat_metadata_view {
 public:
  constexpr stat_metadata_view() noexcept = default;
  constexpr explicit stat_metadata_view(std::string_view entry) noexcept : bytes_(entry) {
    const detail::int64_map_entry parts(entry);
    key_ = parts.key;
    message_reader<1> reader(parts.value);
    for (wire_field f; reader.next(f);) {
      if (f.is_varint(1)) id_ = static_cast<std::int64_t>(f.value);
      if (f.is_bytes(2)) name_ = f.bytes;
      if (f.is_bytes(3)) description_ = f.bytes;
    }
    ok_ = parts.ok && reader.ok();
  }

  constexpr std::int64_t key() const noexcept { return key_; }
  /// The id written inside the value; equals the key in files seen so far.
  constexpr std::int64_t id() const noexcept { return id_; }
  constexpr std::string_view name() const noexcept { return name_; }
  constexpr std::string_view description() const noexcept { return description_; }
  /// The whole map entry.
  constexpr std::string_view bytes() const noexcept { return bytes_; }
  constexpr bool ok() const noexcept { return ok_; }

 private:
  std::string_view bytes_;
  std::int64_t key_ = 0;
  std::int64_t id_ = 0;
  std::string_view name_;
  std::string_view description_;
  bool ok_ = true;
};

// ---- planes ----

/// The fields of a plane that are not repeated, and how many there are of the others.
struct plane_header {
  std::int64_t id = 0;  ///< may be 0 for several planes: not a key
  std::string_view name;
  std::uint64_t line_count = 0;
  std::uint64_t event_metadata_count = 0;  ///< map entries on the wire: duplicates count
  std::uint64_t stat_metadata_count = 0;   ///< map entries on the wire: duplicates count
  std::uint64_t stat_count = 0;
  const char* damage = nullptr;  ///< where the first damaged field starts; null: every field is whole
};

/// One source of events: a device, a host, or a carrier of metadata.
class plane_view {
 public:
  constexpr plane_view() noexcept = default;
  constexpr explicit plane_view(std::string_view bytes) noexcept : bytes_(bytes) {}

  /// One pass over the plane, hopping over lines and metadata by their lengths.
  constexpr plane_header header() const noexcept {
    plane_header h;
    wire_reader reader(bytes_);
    for (wire_field f; reader.next(f);) {
      if (f.is_varint(1)) h.id = static_cast<std::int64_t>(f.value);
      if (f.type != wire_type::length_delimited) continue;
      switch (f.number) {
        case 2: h.name = f.bytes; break;
        case 3: ++h.line_count; break;
        case 4: ++h.event_metadata_count; break;
        case 5: ++h.stat_metadata_count; break;
        case 6: ++h.stat_count; break;
        default: break;
      }
    }
    if (!reader.ok()) h.damage = reader.position();
    return h;
  }
  /// Each call makes the pass of header(): take a header to read more than one of its fields.
  constexpr std::int64_t id() const noexcept { return header().id; }
  constexpr std::string_view name() const noexcept { return header().name; }

  /// Of a cut file also the line that it ends in, as far as it is there.
  constexpr range_to_cut<line_view, 3> lines() const noexcept { return range_to_cut<line_view, 3>(bytes_); }
  /// The map's entries as they lie on the wire; of equal keys the last counts (see metadata_index).
  constexpr message_range<event_metadata_view, 4> event_metadata() const noexcept {
    return message_range<event_metadata_view, 4>(bytes_);
  }
  constexpr message_range<stat_metadata_view, 5> stat_metadata() const noexcept {
    return message_range<stat_metadata_view, 5>(bytes_);
  }
  /// Facts of the whole plane.
  constexpr message_range<stat_view, 6> stats() const noexcept { return message_range<stat_view, 6>(bytes_); }
  constexpr std::string_view bytes() const noexcept { return bytes_; }
  /// Null, or where the first damaged field of the plane itself starts; one pass by lengths.
  constexpr const char* damage() const noexcept { return damage_position(bytes_); }
  constexpr bool ok() const noexcept { return damage() == nullptr; }

 private:
  std::string_view bytes_;
};

/// A whole profile.
class xspace_view {
 public:
  constexpr xspace_view() noexcept = default;
  constexpr explicit xspace_view(std::string_view bytes) noexcept : bytes_(bytes) {}

  /// Of a cut file also the plane that it ends in, as far as it is there.
  constexpr range_to_cut<plane_view, 1> planes() const noexcept { return range_to_cut<plane_view, 1>(bytes_); }
  constexpr bytes_range<2> errors() const noexcept { return bytes_range<2>(bytes_); }
  constexpr bytes_range<3> warnings() const noexcept { return bytes_range<3>(bytes_); }
  constexpr bytes_range<4> hostnames() const noexcept { return bytes_range<4>(bytes_); }
  constexpr std::string_view bytes() const noexcept { return bytes_; }
  /// Null, or where the first damaged top-level field starts; one pass by lengths.
  constexpr const char* damage() const noexcept { return damage_position(bytes_); }
  constexpr bool ok() const noexcept { return damage() == nullptr; }

 private:
  std::string_view bytes_;
};

// ---- metadata by id ----

/// One cell of a metadata_index's storage. Cells need no initialisation by the caller.
struct metadata_slot {
  std::int64_t key = 0;
  const char* field = nullptr;  // the entry's tag in the plane; null: the slot is free
};

/// What a lookup found: `bytes` is a map entry, to make an event_metadata_view or stat_metadata_view from.
struct metadata_entry {
  std::string_view bytes;
  bool found = false;
  constexpr explicit operator bool() const noexcept { return found; }
};

enum class metadata_index_status : std::uint8_t {
  complete,
  damaged,            ///< the plane is damaged; entries before the damage are indexed
  storage_too_small,  ///< more entries than slots; lookups may miss
};

/// Lookup of a plane's event metadata or stat metadata by key, O(1), in storage the caller gives and keeps alive.
/// Of entries with equal keys the last on the wire counts. Keys that were made to collide cannot make it slow: the
/// index then sorts itself and looks up in O(log n).
class metadata_index {
 public:
  /// Slots for so many map entries (plane_header counts them); 16 bytes each.
  static constexpr std::size_t slots_needed(std::uint64_t entries) noexcept {
    return static_cast<std::size_t>(entries + entries / 2 + 1);
  }

  constexpr metadata_index() noexcept = default;

  static constexpr metadata_index of_event_metadata(plane_view plane, metadata_slot* slots,
                                                    std::size_t count) noexcept {
    return metadata_index(plane.bytes(), 4, slots, count);
  }
  static constexpr metadata_index of_stat_metadata(plane_view plane, metadata_slot* slots, std::size_t count) noexcept {
    return metadata_index(plane.bytes(), 5, slots, count);
  }

  constexpr metadata_entry find(std::int64_t key) const noexcept {
    const metadata_slot* slot = sorted_ ? find_sorted(key) : find_hashed(key);
    if (!slot) return {};
    wire_reader reader(std::string_view(slot->field, static_cast<std::size_t>(plane_end_ - slot->field)));
    wire_field entry;
    if (!reader.next(entry)) return {};
    return {entry.bytes, true};
  }

  constexpr metadata_index_status status() const noexcept { return status_; }
  constexpr bool ok() const noexcept { return status_ == metadata_index_status::complete; }
  /// After damage, where the plane's damaged field starts; else null.
  constexpr const char* damage() const noexcept { return damage_; }

 private:
  // At a load of two thirds, linear probing over 10^8 honest keys stays below 300 steps.
  static constexpr std::size_t longest_probe = 512;
  static constexpr std::size_t max_slots = 0xffffffffU;

  constexpr metadata_index(std::string_view plane, std::uint32_t field, metadata_slot* slots,
                           std::size_t count) noexcept
      : slots_(slots), count_(count < max_slots ? count : max_slots), plane_end_(plane.data() + plane.size()) {
    for (std::size_t i = 0; i < count_; ++i) slots_[i] = metadata_slot{};
    wire_reader reader(plane);
    for (;;) {
      const char* const at = reader.position();
      wire_field f;
      if (!reader.next(f)) break;
      if (!f.is_bytes(field)) continue;
      if (!insert(detail::int64_map_entry(f.bytes).key, at)) {
        status_ = metadata_index_status::storage_too_small;
        break;
      }
    }
    if (!reader.ok()) {
      damage_ = reader.position();
      status_ = metadata_index_status::damaged;
    }
    if (sorted_) sort();
  }

  constexpr std::size_t home(std::int64_t key) const noexcept {
    auto x = static_cast<std::uint64_t>(key);
    x ^= x >> 32;
    x *= 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>((x >> 32) * count_ >> 32);
  }

  constexpr bool insert(std::int64_t key, const char* field) noexcept {
    if (!sorted_) {
      std::size_t at = home(key);
      const std::size_t probes = count_ < longest_probe ? count_ : longest_probe;
      for (std::size_t i = 0; i < probes; ++i) {
        metadata_slot& slot = slots_[at];
        if (!slot.field) ++used_;
        if (!slot.field || slot.key == key) {
          slot.key = key;
          slot.field = field;
          return true;
        }
        at = at + 1 == count_ ? 0 : at + 1;
      }
      if (used_ == count_) return false;
      give_up_hashing();
    }
    if (used_ == count_) return false;
    slots_[used_].key = key;
    slots_[used_].field = field;
    ++used_;
    return true;
  }

  constexpr void give_up_hashing() noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i)
      if (slots_[i].field) slots_[kept++] = slots_[i];
    sorted_ = true;
  }

  constexpr const metadata_slot* find_hashed(std::int64_t key) const noexcept {
    if (count_ == 0) return nullptr;
    std::size_t at = home(key);
    const std::size_t probes = count_ < longest_probe ? count_ : longest_probe;
    for (std::size_t i = 0; i < probes; ++i) {
      const metadata_slot& slot = slots_[at];
      if (!slot.field) return nullptr;
      if (slot.key == key) return &slot;
      at = at + 1 == count_ ? 0 : at + 1;
    }
    return nullptr;
  }

  // By key, then by place on the wire: the last of equal keys stands last.
  static constexpr bool before(const metadata_slot& a, const metadata_slot& b) noexcept {
    return a.key < b.key || (a.key == b.key && a.field < b.field);
  }

  constexpr const metadata_slot* find_sorted(std::int64_t key) const noexcept {
    std::size_t low = 0;
    std::size_t high = used_;
    while (low < high) {  // the first slot with a greater key
      const std::size_t middle = low + (high - low) / 2;
      if (slots_[middle].key <= key)
        low = middle + 1;
      else
        high = middle;
    }
    return low > 0 && slots_[low - 1].key == key ? &slots_[low - 1] : nullptr;
  }

  constexpr void sift_down(std::size_t root, std::size_t size) noexcept {
    for (std::size_t child = 2 * root + 1; child < size; child = 2 * root + 1) {
      if (child + 1 < size && before(slots_[child], slots_[child + 1])) ++child;
      if (!before(slots_[root], slots_[child])) return;
      const metadata_slot moved = slots_[root];
      slots_[root] = slots_[child];
      slots_[child] = moved;
      root = child;
    }
  }

  constexpr void sort() noexcept {
    for (std::size_t i = used_ / 2; i-- > 0;) sift_down(i, used_);
    for (std::size_t size = used_; size > 1;) {
      --size;
      const metadata_slot greatest = slots_[0];
      slots_[0] = slots_[size];
      slots_[size] = greatest;
      sift_down(0, size);
    }
  }

  metadata_slot* slots_ = nullptr;
  std::size_t count_ = 0;
  std::size_t used_ = 0;
  const char* plane_end_ = nullptr;
  const char* damage_ = nullptr;
  bool sorted_ = false;
  metadata_index_status status_ = metadata_index_status::complete;
};

namespace detail {

constexpr metadata_entry find_linear(std::string_view plane, std::uint32_t field, std::int64_t key) noexcept {
  metadata_entry found;
  wire_reader reader(plane);
  for (wire_field f; reader.next(f);)
    if (f.is_bytes(field) && int64_map_entry(f.bytes).key == key) found = {f.bytes, true};
  return found;
}

}  // namespace detail

/// One lookup without an index: reads every entry of the plane. For many lookups build a metadata_index.
constexpr metadata_entry find_event_metadata_linear(plane_view plane, std::int64_t key) noexcept {
  return detail::find_linear(plane.bytes(), 4, key);
}
constexpr metadata_entry find_stat_metadata_linear(plane_view plane, std::int64_t key) noexcept {
  return detail::find_linear(plane.bytes(), 5, key);
}

// ---- stats with their names ----

/// Which message a stat was found in.
enum class stat_origin : std::uint8_t { event, metadata, plane };

/// A stat with its name and, for ref_value, the text it refers to.
struct resolved_stat {
  stat_view stat;
  stat_origin origin = stat_origin::event;
  std::string_view name;    ///< empty when unknown
  bool name_found = false;  ///< false: the plane has no stat metadata with this id
  std::string_view text;    ///< of str_value, bytes_value and (looked up) ref_value
  bool text_found = true;   ///< false: a ref_value that refers to nothing
};

/// `stat_metadata`: a metadata_index, or anything else with its find().
template <class Index>
constexpr resolved_stat resolve_stat(stat_view stat, stat_origin origin, const Index& stat_metadata) noexcept {
  resolved_stat r;
  r.stat = stat;
  r.origin = origin;
  if (const metadata_entry entry = stat_metadata.find(stat.metadata_id())) {
    r.name = stat_metadata_view(entry.bytes).name();
    r.name_found = true;
  }
  r.text = stat.as_bytes();
  if (stat.kind() == stat_kind::ref_value) {
    const metadata_entry entry = stat_metadata.find(stat.as_ref());
    r.text_found = entry.found;
    if (entry.found) r.text = stat_metadata_view(entry.bytes).name();
  }
  return r;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
