#include <profkit/core/bubbles.hpp>
#include <profkit/core/packed_list.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

std::uint64_t word_at(const void* words, std::size_t i) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, static_cast<const std::uint8_t*>(words) + i * 8, 8);
  return word;
}

}  // namespace

// Two words at a time: how many bytes each needs, four bits each, then those bytes, the lowest first.
void number_packer::put_words(const void* row, const void* usual, std::size_t words) {
  for (std::size_t i = 0; i < words; i += 2) {
    const std::size_t counts_at = into_.size();
    into_.push_back(0);
    for (std::size_t half = 0; half < 2 && i + half < words; ++half) {
      std::uint8_t count = 0;
      for (std::uint64_t word = word_at(row, i + half) ^ word_at(usual, i + half); word != 0; word >>= 8, ++count)
        into_.push_back(static_cast<std::uint8_t>(word));
      into_[counts_at] = static_cast<std::uint8_t>(into_[counts_at] | count << (4 * half));
    }
  }
}

void number_unpacker::take_words(void* row, std::size_t words) noexcept {
  auto* const bytes = static_cast<std::uint8_t*>(row);
  for (std::size_t i = 0; i < words; i += 2) {
    unsigned counts = *from_++;
    for (std::size_t half = 0; counts != 0; ++half, counts >>= 4) {
      const unsigned count = counts & 15U;
      if (count == 0) continue;
      std::uint64_t word = word_at(row, i + half);
      for (unsigned at = 0; at < count; ++at) word ^= static_cast<std::uint64_t>(*from_++) << (8 * at);
      std::memcpy(bytes + (i + half) * 8, &word, 8);
    }
  }
}

namespace {

struct length {
  std::uint64_t count = 0;
};
struct letters {
  std::array<char, 8> of{};
};

void pack_rows(const std::vector<kernel_row>& rows, number_packer& into) {
  into.put(length{rows.size()});
  for (const kernel_row& k : rows) into.put(k);
}
void unpack_rows(std::vector<kernel_row>& rows, number_unpacker& from) {
  length rows_count;
  from.take(rows_count);
  rows.resize(static_cast<std::size_t>(rows_count.count));
  for (kernel_row& k : rows) from.take(k);
}

// Where nothing waits, total cost is duration.
bool is_same(const std::vector<kernel_row>& a, const std::vector<kernel_row>& b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const kernel_row& x, const kernel_row& y) { return std::memcmp(&x, &y, sizeof x) == 0; });
}

}  // namespace

void pack_row(const bubble_step& row, number_packer& into) {
  into.put(static_cast<const step_measures&>(row));
  into.put(length{row.id.size()});
  for (std::size_t at = 0; at < row.id.size(); at += 8) {
    letters some;
    row.id.copy(some.of.data(), some.of.size(), at);
    into.put(some);
  }
}

void unpack_row(bubble_step& row, number_unpacker& from) {
  from.take(static_cast<step_measures&>(row));
  length letters_count;
  from.take(letters_count);
  row.id.resize(static_cast<std::size_t>(letters_count.count));
  for (std::size_t at = 0; at < row.id.size(); at += 8) {
    letters some;
    from.take(some);
    row.id.replace(at, 8, some.of.data(), std::min<std::size_t>(row.id.size() - at, 8));
  }
}

void pack_row(const block_side& row, number_packer& into) {
  into.put(static_cast<const side_measures&>(row));
  pack_rows(row.by_duration, into);
  const bool same = is_same(row.by_duration, row.by_total_cost);
  into.put(length{same ? 1U : 0U});
  if (!same) pack_rows(row.by_total_cost, into);
}

void unpack_row(block_side& row, number_unpacker& from) {
  from.take(static_cast<side_measures&>(row));
  unpack_rows(row.by_duration, from);
  length same;
  from.take(same);
  if (same.count != 0)
    row.by_total_cost = row.by_duration;
  else
    unpack_rows(row.by_total_cost, from);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
