#include "allocator_stats.hpp"

#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

constexpr unsigned varint_tags[] = {0x18, 0x20, 0x38};  // uint64, int64, ref
constexpr unsigned double_tag = 0x11, str_tag = 0x2a, bytes_tag = 0x32;

}  // namespace

void field_values::read(const allocator_fields& fields, const event_row& row, const char* readable_end,
                        std::uint32_t enough) noexcept {
  seen_ = 0;
  if (row.stats_bytes == 0) return;
  const char* at = row.stats;
  const char* const end = at + row.stats_bytes;
  constexpr std::ptrdiff_t most_read = 16;  // of a stat at once
  while (at < end) {
    // What writers give nearly all stats: an id below 128, then one value, in less than 128 bytes.
    if (readable_end - at < most_read) return read_any(fields, row, readable_end, enough);
    const std::uint64_t head = detail::load_word(at), word = detail::load_word(at + 5);
    const std::ptrdiff_t size = 2 + static_cast<std::ptrdiff_t>(head >> 8 & 0x7fU);
    const auto tag = static_cast<unsigned>(head >> 32 & 0xffU);
    if (!PROFKIT_LIKELY((head & 0x80ff80ffU) == 0x00080022U && size <= end - at))
      return read_any(fields, row, readable_end, enough);
    value v{};
    v.kind = static_cast<stat_kind>(tag >> 3);
    if (PROFKIT_LIKELY(tag == varint_tags[0] || tag == varint_tags[1] || tag == varint_tags[2])) {
      const detail::word_varint number = detail::decode_word_varint(word);
      v.scalar = number.value;
      if (number.length == 0 || size != 5 + static_cast<std::ptrdiff_t>(number.length))
        return read_any(fields, row, readable_end, enough);
    } else if (tag == double_tag && size == 5 + 8) {
      v.scalar = word;
    } else if ((tag == str_tag || tag == bytes_tag) && size == 6 + static_cast<std::ptrdiff_t>(word & 0xffU)) {
      v.text = std::string_view(at + 6, static_cast<std::size_t>(word & 0xffU));
    } else {
      return read_any(fields, row, readable_end, enough);
    }
    at += size;
    const allocator_field f = fields.of(static_cast<std::int64_t>(head >> 24 & 0x7fU));
    if ((seen_ & bit_of(f)) != 0 || f == allocator_field::none) continue;
    values_[static_cast<std::size_t>(f)] = v;
    seen_ |= bit_of(f);
    if ((seen_ & enough) != 0) return;
  }
}

PROFKIT_NOINLINE void field_values::read_any(const allocator_fields& fields, const event_row& row,
                                             const char* readable_end, std::uint32_t enough) noexcept {
  seen_ = 0;
  const std::string_view stats(row.stats, row.stats_bytes);
  for (const stat_view stat : message_range<stat_view, 4>(stats, readable_end)) {
    const allocator_field f = fields.of(stat.metadata_id());
    if (f == allocator_field::none || has(f)) continue;
    values_[static_cast<std::size_t>(f)] = {stat.as_uint64(), stat.as_bytes(), stat.kind()};
    seen_ |= bit_of(f);
    if ((seen_ & enough) != 0) return;
  }
}

double field_values::real(allocator_field f) const noexcept {
  if (!has(f)) return 0;
  const value& v = of(f);
  if (v.kind == stat_kind::int64_value) return static_cast<double>(static_cast<std::int64_t>(v.scalar));
  if (v.kind == stat_kind::uint64_value) return static_cast<double>(v.scalar);
  double number = 0;
  if (v.kind == stat_kind::double_value) std::memcpy(&number, &v.scalar, sizeof number);
  return number;
}

text_stat field_values::text(allocator_field f) const noexcept {
  text_stat t;
  if (!has(f)) return t;
  const value& v = of(f);
  t.str = v.text;
  t.is_ref = v.kind == stat_kind::ref_value;
  t.ref = t.is_ref ? v.scalar : 0;
  return t;
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
