#include <analyse/anatomy/line_counter.hpp>

#include <analyse/anatomy/stats.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint64_t bit(unsigned tag) noexcept { return std::uint64_t{1} << tag; }
// The tags of a stat's value: uint64, int64 and ref; str and bytes; double.
constexpr std::uint64_t varint_tags = bit(0x18) | bit(0x20) | bit(0x38), bytes_tags = bit(0x2a) | bit(0x32),
                        double_tags = bit(0x11);

// The stat at p if it has the shape that writers give it, of which nothing can be damaged: the id, then one value. Gives
// its end, null for any other shape. 32 bytes may be read.
inline const char* end_of_usual_stat(const char* p) noexcept {
  const unsigned length = detail::byte_at(p + 1);
  const char* const end = p + 2 + length;
  if (!PROFKIT_LIKELY(detail::byte_at(p) == 0x22 && length < 0x80 && detail::byte_at(p + 2) == 0x08)) return nullptr;
  const char* value = p + 4;
  if (detail::byte_at(p + 3) >= 0x80) {
    if (detail::byte_at(p + 4) >= 0x80) return nullptr;
    ++value;
  }
  const unsigned tag = detail::byte_at(value);
  if (!PROFKIT_LIKELY(tag < 64)) return nullptr;
  // Kinds alternate from stat to stat: the size of the value is worked out for all of them, without a branch.
  const std::uint64_t stops = ~detail::load_word(value + 1) & 0x8080808080808080U;
  unsigned of_varint = static_cast<unsigned>(__builtin_ctzll(stops | bit(63))) / 8 + 1;
  if (!PROFKIT_LIKELY(stops != 0)) of_varint = detail::byte_at(value + 9) < 0x80 ? 9 : 10;
  const unsigned of_bytes = 1 + detail::byte_at(value + 1);
  const unsigned size = (bit(tag) & varint_tags) != 0 ? of_varint : (bit(tag) & bytes_tags) != 0 ? of_bytes : 8;
  const bool has_stop = stops != 0 || detail::byte_at(value + 9) < 0x80 || detail::byte_at(value + 10) < 0x80;
  const bool fits = (bit(tag) & (varint_tags | bytes_tags | double_tags)) != 0 && value + 1 + size == end &&
                    (has_stop || (bit(tag) & varint_tags) == 0) &&
                    (of_bytes <= 0x80 || (bit(tag) & bytes_tags) == 0);
  return fits ? end : nullptr;
}

// Counts stats up to the end of their event. False when one of them, or what stands between them, is damaged.
bool count_any(const char* at, const char* end, const char* readable_end, std::uint64_t& stats) noexcept {
  const message_range<stat_view, 4> range(std::string_view(at, static_cast<std::size_t>(end - at)), readable_end);
  bool sound = true;
  auto stat = range.begin();
  for (; !stat.done(); ++stat, ++stats) sound = (*stat).ok() && sound;
  return sound && stat.ok();
}

inline bool count_stats(const event_row& event, const char* readable_end, std::uint64_t& stats) noexcept {
  const char* at = event.stats;
  const char* const end = at + event.stats_bytes;
  while (at < end) {
    const char* const next = readable_end - at >= 32 ? end_of_usual_stat(at) : nullptr;
    if (!PROFKIT_LIKELY(next != nullptr && next <= end)) return count_any(at, end, readable_end, stats);
    ++stats;
    at = next;
  }
  return true;
}

}  // namespace

const char* line_counter::add(const event_row* rows, std::size_t count, const char* readable_end) noexcept {
  const char* damage = nullptr;
  line_counter sums = *this;  // in registers
  sums.events_ += count;
  for (const event_row* row = rows; row != rows + count; ++row) {
    sums.duration_sum_ps_ = saturating_add(sums.duration_sum_ps_, row->duration_ps);
    if (PROFKIT_LIKELY((row->flags & event_has_offset) != 0)) {
      const std::optional<std::int64_t> end_ps = checked_add(row->offset_ps, row->duration_ps);
      sums.placed_ = true;
      sums.out_of_reach_ = sums.out_of_reach_ || !end_ps;
      sums.least_start_ps_ = std::min(sums.least_start_ps_, row->offset_ps);
      sums.greatest_start_ps_ = std::max(sums.greatest_start_ps_, row->offset_ps);
      sums.least_end_ps_ = std::min(sums.least_end_ps_, end_ps.value_or(0));
      sums.greatest_end_ps_ = std::max(sums.greatest_end_ps_, end_ps.value_or(0));
    }
    if (row->stats_bytes == 0) continue;
    if (!PROFKIT_LIKELY(count_stats(*row, readable_end, sums.event_stats_)) && damage == nullptr) damage = row->stats;
  }
  *this = sums;
  return damage;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
