#include "allocator_stats.hpp"

#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

constexpr unsigned double_tag = 0x11, str_tag = 0x2a, bytes_tag = 0x32;

constexpr bool is_varint_tag(unsigned tag) noexcept { return tag == 0x18 || tag == 0x20 || tag == 0x38; }  // with refs

}  // namespace

void field_values::read(const allocator_fields& fields, const event_row& row, const char* readable_end,
                        std::uint32_t enough) noexcept {
  seen_ = bit_of(allocator_field::none);
  numbers_ = 0;
  const char* at = row.stats;
  const char* const end = at + row.stats_bytes;
  constexpr std::ptrdiff_t max_read = 16;  // of a stat at once
  while (at < end) {
    // What writers give nearly all stats: an id below 128, then one value, in less than 128 bytes.
    if (readable_end - at < max_read) return read_any(fields, row, readable_end, enough);
    const std::uint64_t head = detail::load_word(at), word = detail::load_word(at + 5);
    const std::ptrdiff_t size = 2 + static_cast<std::ptrdiff_t>(head >> 8 & 0x7fU);
    const auto tag = static_cast<unsigned>(head >> 32 & 0xffU);
    if (!PROFKIT_LIKELY((head & 0x80ff80ffU) == 0x00080022U && size <= end - at))
      return read_any(fields, row, readable_end, enough);
    const allocator_field found = fields.of(static_cast<std::int64_t>(head >> 24 & 0x7fU));
    const std::uint32_t bit = bit_of(found);
    const std::size_t place = (seen_ & bit) != 0 ? 0 : place_of(found);
    if (PROFKIT_LIKELY(is_varint_tag(tag))) {
      detail::word_varint number{word & 0x7fU, 1};  // half of them have one byte
      if ((word & 0x80U) != 0) number = detail::decode_word_varint(word);
      scalars_[place] = number.value;
      if (number.length == 0 || size != 5 + static_cast<std::ptrdiff_t>(number.length))
        return read_any(fields, row, readable_end, enough);
      numbers_ |= bit & ~seen_;
    } else if (tag == double_tag && size == 5 + 8) {
      scalars_[place] = word;
      texts_[place] = {};
    } else if ((tag == str_tag || tag == bytes_tag) && size == 6 + static_cast<std::ptrdiff_t>(word & 0xffU)) {
      texts_[place] = std::string_view(at + 6, static_cast<std::size_t>(word & 0xffU));
    } else {
      return read_any(fields, row, readable_end, enough);
    }
    kinds_[place] = static_cast<stat_kind>(tag >> 3);
    at += size;
    seen_ |= bit;
    if ((seen_ & enough) != 0) return;
  }
}

PROFKIT_NOINLINE void field_values::read_any(const allocator_fields& fields, const event_row& row,
                                             const char* readable_end, std::uint32_t enough) noexcept {
  seen_ = numbers_ = 0;
  const std::string_view stats(row.stats, row.stats_bytes);
  for (const stat_view stat : message_range<stat_view, 4>(stats, readable_end)) {
    const allocator_field f = fields.of(stat.metadata_id());
    if (f == allocator_field::none || has(f)) continue;
    const stat_kind kind = stat.kind();
    scalars_[place_of(f)] = stat.as_uint64();
    texts_[place_of(f)] = stat.as_bytes();
    kinds_[place_of(f)] = kind;
    seen_ |= bit_of(f);
    if (kind == stat_kind::uint64_value || kind == stat_kind::int64_value || kind == stat_kind::ref_value)
      numbers_ |= bit_of(f);
    if ((seen_ & enough) != 0) return;
  }
}

double field_values::real(allocator_field f) const noexcept {
  if (!has(f)) return 0;
  const std::uint64_t scalar = scalars_[place_of(f)];
  const stat_kind kind = kinds_[place_of(f)];
  if (kind == stat_kind::int64_value) return static_cast<double>(static_cast<std::int64_t>(scalar));
  if (kind == stat_kind::uint64_value) return static_cast<double>(scalar);
  double number = 0;
  if (kind == stat_kind::double_value) std::memcpy(&number, &scalar, sizeof number);
  return number;
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
