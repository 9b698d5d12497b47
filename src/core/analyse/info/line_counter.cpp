#include <analyse/info/line_counter.hpp>

#include <trace/stats.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// How the value of a stat is written, by its tag.
enum class value_shape : std::uint8_t { other, varint, bytes, fixed64 };
struct shape_table {
  value_shape of[256] = {};
  constexpr shape_table() noexcept {
    of[0x11] = value_shape::fixed64;                       // double
    of[0x18] = of[0x20] = of[0x38] = value_shape::varint;  // uint64, int64, ref
    of[0x2a] = of[0x32] = value_shape::bytes;              // str, bytes
  }
};
constexpr shape_table shapes;

// How many bytes the stat at p takes if it has a shape that writers give it and no part of it can be damaged: the id,
// then one value. 0 for any other. 32 bytes may be read.
PROFKIT_NOINLINE std::size_t size_of_rarer_stat(const char* p) noexcept {
  const unsigned length = detail::byte_at(p + 1);
  if (detail::byte_at(p) != 0x22 || length >= 0x80 || detail::byte_at(p + 2) != 0x08) return 0;
  const char* value = p + 4;
  if (detail::byte_at(p + 3) >= 0x80 && detail::byte_at(value++) >= 0x80) return 0;
  unsigned size = 0;
  switch (shapes.of[detail::byte_at(value++)]) {
    case value_shape::varint:
      while (size < 10 && detail::byte_at(value + size) >= 0x80) ++size;
      if (size++ == 10) return 0;
      break;
    case value_shape::bytes: size = 1 + detail::byte_at(value); break;  // below 0x80, or longer than the stat
    case value_shape::fixed64: size = 8; break;
    case value_shape::other: return 0;
  }
  return value + size == p + 2 + length ? 2 + length : 0;
}

// size_of_rarer_stat(), quick for an id and a varint that are short.
inline std::size_t size_of_usual_stat(const char* p) noexcept {
  const std::uint64_t head = detail::load_word(p), value = detail::load_word(p + 5);
  if (!PROFKIT_LIKELY((head & 0x80ff80ffU) == 0x00080022U)) return size_of_rarer_stat(p);
  const std::uint64_t length = head >> 8 & 0x7fU;
  const value_shape shape = shapes.of[head >> 32 & 0xffU];
  // Kinds alternate from stat to stat: the size of the value is worked out for all of them, without a branch.
  const std::uint64_t stops = ~value & 0x8080808080808080U;
  const std::uint64_t of_varint = stops != 0 ? static_cast<unsigned>(__builtin_ctzll(stops)) / 8 + 1 : 255;
  std::uint64_t size = shape == value_shape::varint ? of_varint : 255;
  size = shape == value_shape::bytes ? 1 + (value & 0xffU) : size;
  size = shape == value_shape::fixed64 ? 8 : size;
  if (!PROFKIT_LIKELY(3 + size == length)) return size_of_rarer_stat(p);
  return static_cast<std::size_t>(2 + length);
}

// Counts stats up to the end of their event. False when one of them, or what stands between them, is damaged.
PROFKIT_NOINLINE bool count_any(const char* at, const char* end, const char* readable_end,
                                std::uint64_t& stats) noexcept {
  const message_range<stat_view, 4> range(std::string_view(at, static_cast<std::size_t>(end - at)), readable_end);
  bool sound = true;
  auto stat = range.begin();
  for (; !stat.done(); ++stat, ++stats) sound = (*stat).ok() && sound;
  return sound && stat.ok();
}

}  // namespace

const char* line_counter::add(const event_row* rows, std::size_t count, const char* readable_end) noexcept {
  const char* damage = nullptr;
  if (count == 0) return damage;
  const std::ptrdiff_t readable = readable_end - rows->stats;  // no address before the readable bytes is formed
  const char* const last_quick = readable >= 32 ? readable_end - 32 : rows->stats - 1;
  // In registers.
  std::uint64_t stats = event_stats_;
  std::int64_t duration_sum_ps = duration_sum_ps_;
  std::int64_t min_start_ps = min_start_ps_, max_start_ps = max_start_ps_;
  std::int64_t min_end_ps = min_end_ps_, max_end_ps = max_end_ps_;
  std::uint64_t negative = 0;
  std::uint32_t seen = 0;
  for (const event_row* row = rows; row != rows + count; ++row) {
    const std::int64_t duration_ps = std::max<std::int64_t>(row->duration_ps, 0);
    negative += row->duration_ps < 0 ? 1 : 0;
    duration_sum_ps = saturating_add(duration_sum_ps, duration_ps);
    if (PROFKIT_LIKELY((row->flags & event_has_offset) != 0)) {
      std::int64_t end_ps = 0;
      if (__builtin_add_overflow(row->offset_ps, duration_ps, &end_ps)) out_of_reach_ = true;
      min_start_ps = std::min(min_start_ps, row->offset_ps);
      max_start_ps = std::max(max_start_ps, row->offset_ps);
      min_end_ps = std::min(min_end_ps, end_ps);
      max_end_ps = std::max(max_end_ps, end_ps);
    }
    seen |= row->flags;
    const char* at = row->stats;
    const char* const end = at + row->stats_bytes;
    while (at < end) {
      const std::size_t size = PROFKIT_LIKELY(at <= last_quick) ? size_of_usual_stat(at) : 0;
      if (!PROFKIT_LIKELY(size != 0 && size <= static_cast<std::size_t>(end - at))) {
        if (!count_any(at, end, readable_end, stats) && damage == nullptr) damage = row->stats;
        break;
      }
      ++stats;
      at += size;
    }
  }
  events_ += count;
  negative_durations_ += negative;
  event_stats_ = stats;
  duration_sum_ps_ = duration_sum_ps;
  min_start_ps_ = min_start_ps;
  max_start_ps_ = max_start_ps;
  min_end_ps_ = min_end_ps;
  max_end_ps_ = max_end_ps;
  placed_ = placed_ || (seen & event_has_offset) != 0;
  return damage;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
