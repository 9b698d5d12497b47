#include <base/hash_map.hpp>

#include <limits>
#include <stdexcept>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace hash_detail {
namespace {

constexpr std::size_t few_places = 128;  // a block that is kept when a map is emptied

constexpr std::size_t most_rows(std::size_t places) noexcept { return places / 8 * 7; }

template <class Number>
std::uint64_t load(const unsigned char* at) noexcept {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

void copy_row(void* to, const void* from, std::size_t bytes) noexcept {
  auto* into = static_cast<unsigned char*>(to);
  const auto* of = static_cast<const unsigned char*>(from);
  if (bytes % sizeof(std::uint64_t) != 0) {
    std::memcpy(into, of, bytes);
    return;
  }
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t))
    std::memcpy(into + at, of + at, sizeof(std::uint64_t));
}

}  // namespace

alignas(group_places) const std::uint8_t no_marks[16] = {};

std::uint64_t hash_bytes(const void* bytes, std::size_t count) noexcept {
  // The seed is in both factors: whoever could make one of them 0 could make all hashes equal.
  const std::uint64_t seed = reinterpret_cast<std::uintptr_t>(&no_marks);
  const std::uint64_t odd = 0xa0761d6478bd642fULL ^ seed << 16, other = 0xe7037ed1a0b428dbULL;
  const auto* at = static_cast<const unsigned char*>(bytes);
  std::uint64_t hash = seed;
  std::uint64_t first = 0, last = 0;
  if (count >= 8) {
    for (std::size_t left = count; left > 16; left -= 16, at += 16)
      hash = mix(load<std::uint64_t>(at) ^ odd, load<std::uint64_t>(at + 8) ^ hash);
    // The last sixteen bytes, of which some may have been taken before.
    const unsigned char* const end = static_cast<const unsigned char*>(bytes) + count;
    first = load<std::uint64_t>(count >= 16 ? end - 16 : at);
    last = load<std::uint64_t>(end - 8);
  } else if (count >= 4) {
    first = load<std::uint32_t>(at);
    last = load<std::uint32_t>(at + count - 4);
  } else if (count > 0) {
    first = std::uint64_t{at[0]} << 16 | std::uint64_t{at[count / 2]} << 8 | at[count - 1];
  }
  return mix(other ^ count, mix(first ^ odd, last ^ hash));
}

std::size_t row_places::first_free(std::uint64_t hash) const noexcept {
  std::size_t group = hash >> 7 & last_group_;
  for (std::size_t step = 1;; ++step) {
    const std::uint32_t free = ~mark_group(marks_ + group * group_places).in_use() & 0xffff;
    if (free != 0) return group * group_places + lowest(free);
    group = (group + step) & last_group_;
  }
}

std::size_t row_places::room_for(std::uint64_t hash, row_kind kind) {
  if (places_ != 0) {
    const std::size_t place = first_free(hash);
    if (left_ != 0 || marks_[place] == erased) return place;
  }
  // Where many were erased, the same room is enough.
  move_to(places_ == 0 ? group_places : size_ < most_rows(places_) / 2 ? places_ : 2 * places_, kind);
  return first_free(hash);
}

void row_places::move_to(std::size_t places, const row_kind& kind) {
  if (places > std::numeric_limits<std::size_t>::max() / 2 / (kind.bytes + 1)) throw std::length_error("hash_map");
  auto* const marks = static_cast<std::uint8_t*>(::operator new(places*(kind.bytes + 1)));
  std::memset(marks, never_used, places);
  row_places grown;
  grown.marks_ = marks;
  grown.rows_ = marks + places;
  grown.places_ = places;
  grown.last_group_ = places / group_places - 1;
  grown.size_ = size_;
  grown.left_ = most_rows(places) - size_;
  auto* const from = static_cast<unsigned char*>(rows_);
  auto* const to = static_cast<unsigned char*>(grown.rows_);
  for (std::size_t group = 0; group < places_; group += group_places) {
    for (std::uint32_t rows = mark_group(marks_ + group).in_use(); rows != 0; rows &= rows - 1) {
      void* const row = from + (group + lowest(rows)) * kind.bytes;
      const std::uint64_t hash = kind.hash(row);
      const std::size_t place = grown.first_free(hash);
      marks[place] = static_cast<std::uint8_t>(taken | hash);
      if (kind.move) {
        kind.move(to + place * kind.bytes, row);
      } else {
        copy_row(to + place * kind.bytes, row, kind.bytes);
      }
    }
  }
  swap(grown);
}

void row_places::give_up(std::size_t place) noexcept {
  // A group that never was full stopped every search that came to it: nothing stands behind it on its account.
  const mark_group here(marks_ + place / group_places * group_places);
  const bool was_never_full = here.like(never_used) != 0;
  marks_[place] = was_never_full ? never_used : erased;
  if (was_never_full) ++left_;
  --size_;
}

void row_places::forget() noexcept {
  if (places_ > few_places) {
    row_places none;
    swap(none);
  } else if (places_ != 0) {
    std::memset(marks_, never_used, places_);
    size_ = 0;
    left_ = most_rows(places_);
  }
}

void row_places::reserve(std::size_t rows, row_kind kind) {
  if (rows <= size_ + left_) return;
  std::size_t places = group_places;
  while (most_rows(places) < rows && places <= std::numeric_limits<std::size_t>::max() / 4) places *= 2;
  move_to(places, kind);
}

}  // namespace hash_detail
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
