// What the stats of an allocator event say, read without knowing which of them come.
#pragma once
#include <base/hash_map.hpp>
#include <profkit/xspace.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// A text stat: str as it is, ref to be looked up.
struct text_stat {
  std::string_view str;
  std::uint64_t ref = 0;
  bool is_ref = false;
  [[nodiscard]] std::string_view text(const plane_index& plane) const noexcept {
    return is_ref ? plane.stat_name(static_cast<std::int64_t>(ref)) : str;
  }
};

// Stats of MemoryAllocation and MemoryDeallocation events (tsl profiler, TensorFlow's bfc_allocator and PJRT).
enum class allocator_field : std::uint8_t {
  none,
  addr,
  id,
  requested_bytes,
  allocation_bytes,
  bytes_allocated,
  peak_bytes_in_use,
  bytes_reserved,
  bytes_available,
  fragmentation,
  shape,
  tf_op,
  data_type,
  allocator_name,
  index_on_host,
  device_ordinal,
};
inline constexpr std::size_t allocator_field_count = 16;

[[nodiscard]] constexpr std::uint32_t bit_of(allocator_field f) noexcept { return 1U << static_cast<unsigned>(f); }

// Which field a stat id of one plane is.
class allocator_fields {
 public:
  explicit allocator_fields(const plane_index& plane);
  [[nodiscard]] allocator_field of(std::int64_t id) const noexcept {
    return static_cast<std::uint64_t>(id) < small_ids ? by_id_[id] : of_large(id);
  }
  // Whether any id is this field.
  [[nodiscard]] bool has(allocator_field f) const noexcept { return (known_ & bit_of(f)) != 0; }

 private:
  // A file may have very many planes: little for each, whatever its ids.
  static constexpr std::size_t small_ids = 128;
  [[nodiscard]] allocator_field of_large(std::int64_t id) const noexcept;

  allocator_field by_id_[small_ids] = {};
  hash_map<std::int64_t, allocator_field> others_;
  std::uint32_t known_ = 0;
};

// The fields of one event; of equal ones the first. Borrows the event's bytes.
class field_values {
 public:
  // Reads on until one of the `enough` fields is known; 0: all. Bytes up to `readable_end` may be read.
  void read(const allocator_fields& fields, const event_row& row, const char* readable_end,
            std::uint32_t enough = 0) noexcept;

  [[nodiscard]] bool has(allocator_field f) const noexcept { return (seen_ & bit_of(f)) != 0; }
  // An integer, or a ref; 0 for what is not there, or of another kind.
  [[nodiscard]] std::int64_t number(allocator_field f) const noexcept {
    return (numbers_ & bit_of(f)) != 0 ? static_cast<std::int64_t>(scalars_[place_of(f)]) : 0;
  }
  [[nodiscard]] bool has_integer(allocator_field f) const noexcept {
    return (numbers_ & bit_of(f)) != 0 && kinds_[place_of(f)] != stat_kind::ref_value;
  }
  [[nodiscard]] double real(allocator_field f) const noexcept;
  [[nodiscard]] text_stat text(allocator_field f) const noexcept {
    text_stat t;
    if (!has(f)) return t;
    t.is_ref = kinds_[place_of(f)] == stat_kind::ref_value;
    if (t.is_ref)
      t.ref = scalars_[place_of(f)];
    else if ((numbers_ & bit_of(f)) == 0)
      t.str = texts_[place_of(f)];
    return t;
  }

 private:
  static std::size_t place_of(allocator_field f) noexcept { return static_cast<std::size_t>(f); }
  void read_any(const allocator_fields& fields, const event_row& row, const char* readable_end,
                std::uint32_t enough) noexcept;

  std::uint32_t seen_ = 0, numbers_ = 0;
  // Of those seen; a text only if it is not a number. What is not asked for, or comes again, lies at `none`.
  std::uint64_t scalars_[allocator_field_count];
  std::string_view texts_[allocator_field_count];
  stat_kind kinds_[allocator_field_count];
};

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
