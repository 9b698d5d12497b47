#include "fast_deflate.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t most_length = 258, most_distance = 32768;
constexpr std::size_t least_length = 5;  // shorter ones are seldom worth their bits
constexpr unsigned hash_bits = 15;
constexpr std::size_t literal_codes = 286, distance_codes = 30, end_of_block = 256;

// Every system this is built for is little-endian or has a compiler that swaps.
std::uint64_t load_8(const char* p) noexcept {
  std::uint64_t v;
  std::memcpy(&v, p, sizeof v);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  return v;
}

std::uint32_t hash_of(std::uint64_t bytes) noexcept {
  return static_cast<std::uint32_t>(((bytes << 24) * 0x9e3779b97f4a7c15U) >> (64 - hash_bits));  // of five bytes
}

std::size_t first_difference(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__GNUC__)
  return static_cast<std::size_t>(__builtin_ctzll(a ^ b)) / 8;
#else
  std::size_t at = 0;
  for (std::uint64_t x = a ^ b; (x & 0xff) == 0; x >>= 8) ++at;
  return at;
#endif
}

// How many bytes at `a` and `b` are the same, up to `end`, of which `b` comes first.
std::size_t equal_bytes(const char* a, const char* b, const char* end) noexcept {
  const char* const begin = b;
  while (end - b >= 8) {
    const std::uint64_t of_a = load_8(a), of_b = load_8(b);
    if (of_a != of_b) return static_cast<std::size_t>(b - begin) + first_difference(of_a, of_b);
    a += 8;
    b += 8;
  }
  while (b != end && *a == *b) {
    ++a;
    ++b;
  }
  return static_cast<std::size_t>(b - begin);
}

// ---- the codes of lengths and distances (RFC 1951, 3.2.5) ----

struct extra_bits {
  std::uint16_t base;
  std::uint8_t bits;
};
constexpr extra_bits length_symbols[29] = {{3, 0},   {4, 0},   {5, 0},   {6, 0},   {7, 0},  {8, 0},  {9, 0},  {10, 0},
                                           {11, 1},  {13, 1},  {15, 1},  {17, 1},  {19, 2}, {23, 2}, {27, 2}, {31, 2},
                                           {35, 3},  {43, 3},  {51, 3},  {59, 3},  {67, 4}, {83, 4}, {99, 4}, {115, 4},
                                           {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}};
constexpr extra_bits distance_symbols[30] = {{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},
                                             {9, 2},     {13, 2},    {17, 3},    {25, 3},     {33, 4},     {49, 4},
                                             {65, 5},    {97, 5},    {129, 6},   {193, 6},    {257, 7},    {385, 7},
                                             {513, 8},   {769, 8},   {1025, 9},  {1537, 9},   {2049, 10},  {3073, 10},
                                             {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}};

struct symbol_tables {
  std::uint8_t of_length[most_length + 1] = {};
  std::uint8_t of_near[257] = {};  // distances up to 256, and beyond (distance - 1) / 128
  std::uint8_t of_far[256] = {};
  constexpr symbol_tables() noexcept {
    for (std::size_t s = 0; s < 29; ++s)
      for (std::size_t l = length_symbols[s].base;
           l <= most_length && l < length_symbols[s].base + (std::size_t{1} << length_symbols[s].bits); ++l)
        of_length[l] = static_cast<std::uint8_t>(s);
    for (std::size_t s = 0; s < 30; ++s) {
      const std::size_t from = distance_symbols[s].base, to = from + (std::size_t{1} << distance_symbols[s].bits);
      for (std::size_t d = from; d < to; ++d) {
        if (d <= 256)
          of_near[d] = static_cast<std::uint8_t>(s);
        else
          of_far[(d - 1) >> 7] = static_cast<std::uint8_t>(s);
      }
    }
  }
  [[nodiscard]] std::size_t distance_symbol(std::size_t d) const noexcept {
    return d <= 256 ? of_near[d] : of_far[(d - 1) >> 7];
  }
};
constexpr symbol_tables symbols;

// ---- Huffman codes ----

// Lengths of the codes of symbols that occur so often; none is longer than `limit`.
template <std::size_t Count>
std::array<std::uint8_t, Count> code_lengths(const std::array<std::uint32_t, Count>& counts, unsigned limit) {
  std::array<std::uint8_t, Count> lengths{};
  std::array<std::uint64_t, Count> by_count{};  // count, symbol
  std::size_t used = 0;
  for (std::size_t s = 0; s < Count; ++s)
    if (counts[s] != 0) by_count[used++] = std::uint64_t{counts[s]} << 16 | s;
  if (used == 0) return lengths;
  if (used == 1) {
    lengths[by_count[0] & 0xffff] = 1;
    return lengths;
  }
  std::sort(by_count.data(), by_count.data() + used);
  // The two rarest trees are joined until one is left; joined ones come in order, so that two queues do.
  std::array<std::uint64_t, 2 * Count> weight{};
  std::array<std::uint16_t, 2 * Count> parent{};
  for (std::size_t i = 0; i < used; ++i) weight[i] = by_count[i] >> 16;
  std::size_t leaf = 0, joined = used;
  const std::size_t nodes = 2 * used - 1;
  for (std::size_t made = used; made < nodes; ++made) {
    const auto take = [&] {
      return leaf < used && (joined == made || weight[leaf] <= weight[joined]) ? leaf++ : joined++;
    };
    const std::size_t a = take(), b = take();
    weight[made] = weight[a] + weight[b];
    parent[a] = parent[b] = static_cast<std::uint16_t>(made);
  }
  std::array<std::uint8_t, 2 * Count> depth{};
  for (std::size_t i = nodes - 1; i-- > 0;) depth[i] = static_cast<std::uint8_t>(std::min(depth[parent[i]] + 1, 255));
  // Codes that are too long are cut; what that takes too much of the code space, in units of the longest code, others
  // give back, the rarest first.
  const std::uint64_t space = std::uint64_t{1} << limit;
  std::uint64_t taken = 0;
  for (std::size_t i = 0; i < used; ++i) {
    depth[i] = static_cast<std::uint8_t>(std::min<unsigned>(depth[i], limit));
    taken += space >> depth[i];
  }
  for (std::size_t i = 0; taken > space; i = (i + 1) % used)
    if (depth[i] < limit) {
      taken -= space >> (depth[i] + 1);
      ++depth[i];
    }
  // And what was given back in excess is taken again, the most frequent first: decoders want all of the space used.
  while (taken < space)
    for (std::size_t i = used; i-- > 0;)
      if (depth[i] > 1 && taken + (space >> depth[i]) <= space) {
        taken += space >> depth[i];
        --depth[i];
      }
  for (std::size_t i = 0; i < used; ++i) lengths[by_count[i] & 0xffff] = depth[i];
  return lengths;
}

struct code {
  std::uint32_t bits = 0;  // the first one lowest
  std::uint32_t length = 0;
};

template <std::size_t Count>
std::array<code, Count> codes_of(const std::array<std::uint8_t, Count>& lengths) {
  std::array<std::uint32_t, 17> count{}, next{};
  for (const std::uint8_t l : lengths) ++count[l];
  count[0] = 0;
  for (std::size_t l = 1; l <= 15; ++l) next[l] = (next[l - 1] + count[l - 1]) << 1;
  std::array<code, Count> codes{};
  for (std::size_t s = 0; s < Count; ++s) {
    const std::uint32_t length = lengths[s];
    if (length == 0) continue;
    std::uint32_t forward = next[length]++, backward = 0;
    for (std::uint32_t i = 0; i < length; ++i, forward >>= 1) backward = backward << 1 | (forward & 1);
    codes[s] = {backward, length};
  }
  return codes;
}

// Bits, the first one lowest. There is room for eight bytes behind the last one.
class bit_writer {
 public:
  explicit bit_writer(char* to) noexcept : to_(to) {}
  // At most 56 bits between two calls of settle().
  void put(std::uint64_t bits, std::uint32_t count) noexcept {
    held_ |= bits << count_;
    count_ += count;
  }
  void settle() noexcept {
    std::uint64_t bytes = held_;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    std::memcpy(to_, &bytes, sizeof bytes);
    to_ += count_ / 8;
    held_ >>= count_ & ~7U;
    count_ &= 7U;
  }
  // To the next whole byte.
  char* align() noexcept {
    count_ = (count_ + 7) & ~7U;
    settle();
    return to_;
  }

 private:
  char* to_;
  std::uint64_t held_ = 0;
  std::uint32_t count_ = 0;
};

constexpr std::uint8_t order_of_lengths[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

// The head of a block with codes of its own (3.2.7).
void put_code_lengths(bit_writer& out, const std::array<std::uint8_t, literal_codes>& literals,
                      const std::array<std::uint8_t, distance_codes>& distances) {
  std::array<std::uint8_t, literal_codes + distance_codes> all{};
  std::copy(literals.begin(), literals.end(), all.begin());
  std::copy(distances.begin(), distances.end(), all.begin() + literal_codes);
  struct run {
    std::uint8_t symbol, extra, bits;
  };
  std::array<run, literal_codes + distance_codes> runs{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t same = 1;
    while (i + same < all.size() && all[i + same] == all[i]) ++same;
    std::size_t left = same;
    if (all[i] != 0) {
      runs[count++] = {all[i], 0, 0};
      --left;
    }
    while (left > 0) {
      if (all[i] == 0 && left >= 11) {
        const std::size_t n = std::min<std::size_t>(left, 138);
        runs[count++] = {18, static_cast<std::uint8_t>(n - 11), 7};
        left -= n;
      } else if (left >= 3) {
        const std::size_t n = std::min<std::size_t>(left, all[i] == 0 ? 10 : 6);
        runs[count++] = {static_cast<std::uint8_t>(all[i] == 0 ? 17 : 16), static_cast<std::uint8_t>(n - 3),
                         static_cast<std::uint8_t>(all[i] == 0 ? 3 : 2)};
        left -= n;
      } else {
        runs[count++] = {all[i], 0, 0};
        --left;
      }
    }
    i += same;
  }
  std::array<std::uint32_t, 19> counts{};
  for (std::size_t i = 0; i < count; ++i) ++counts[runs[i].symbol];
  const auto lengths = code_lengths(counts, 7);
  const auto codes = codes_of(lengths);
  std::size_t told = 19;
  while (told > 4 && lengths[order_of_lengths[told - 1]] == 0) --told;
  out.put(literal_codes - 257, 5);
  out.put(distance_codes - 1, 5);
  out.put(told - 4, 4);
  out.settle();
  for (std::size_t i = 0; i < told; ++i) {
    out.put(lengths[order_of_lengths[i]], 3);
    out.settle();
  }
  for (std::size_t i = 0; i < count; ++i) {
    out.put(codes[runs[i].symbol].bits, codes[runs[i].symbol].length);
    out.put(runs[i].extra, runs[i].bits);
    out.settle();
  }
}

}  // namespace

fast_deflate::fast_deflate() : last_seen_(std::size_t{1} << hash_bits) {}

void fast_deflate::find_matches(std::string_view window, std::size_t from) {
  std::fill(last_seen_.begin(), last_seen_.end(), 0);
  matches_.clear();
  const char* const begin = window.data();
  const char* const end = begin + window.size();
  const auto note = [&](const char* p) { last_seen_[hash_of(load_8(p))] = static_cast<std::uint32_t>(p - begin) + 1; };
  const char* p = begin + from;
  const char* unmatched = p;
  for (const char* q = p - std::min(from, most_distance); q < p && end - q >= 8; ++q) note(q);
  while (end - p >= 8) {
    const std::uint64_t here = load_8(p);
    std::uint32_t& seen = last_seen_[hash_of(here)];
    const std::size_t at = static_cast<std::size_t>(p - begin);
    const std::size_t distance = at + 1 - seen;
    const char* earlier = begin + (seen - 1);
    const bool known = seen != 0 && distance <= most_distance && ((load_8(earlier) ^ here) & 0xffffffffffU) == 0;
    seen = static_cast<std::uint32_t>(at) + 1;
    if (!known) {
      p += 1 + (static_cast<std::size_t>(p - unmatched) >> 6);  // where nothing repeats, look less often
      continue;
    }
    std::size_t length = least_length + equal_bytes(earlier + least_length, p + least_length, end);
    while (p != unmatched && earlier != begin && p[-1] == earlier[-1]) {
      --p;
      --earlier;
      ++length;
    }
    auto literals = static_cast<std::uint32_t>(p - unmatched);
    const char* const match_end = p + length;
    while (length > 0) {
      // What is left of a long one must not be shorter than a match can be.
      std::size_t part = std::min(length, most_length);
      if (length > most_length && length < most_length + least_length) part = length - least_length;
      matches_.push_back({literals, static_cast<std::uint16_t>(part), static_cast<std::uint16_t>(distance - 1)});
      literals = 0;
      length -= part;
    }
    if (end - match_end >= 8) {
      note(p + 1);
      note(match_end - 2);
    }
    p = unmatched = match_end;
  }
  literals_behind_ = static_cast<std::size_t>(end - unmatched);
}

void fast_deflate::compress(std::string_view window, std::size_t from, bool last, std::string& out) {
  find_matches(window, from);
  std::array<std::uint32_t, literal_codes> literal_counts{};
  std::array<std::uint32_t, distance_codes> distance_counts{};
  {
    // Four tables, so that equal bytes in a row do not wait for each other.
    std::array<std::array<std::uint32_t, 256>, 4> counts{};
    const auto* p = reinterpret_cast<const unsigned char*>(window.data()) + from;
    const auto count_literals = [&](std::size_t n) {
      for (; n >= 4; n -= 4, p += 4)
        for (std::size_t i = 0; i < 4; ++i) ++counts[i][p[i]];
      for (; n > 0; --n) ++counts[0][*p++];
    };
    for (const match& m : matches_) {
      count_literals(m.literals);
      p += m.length;
      ++literal_counts[257U + symbols.of_length[m.length]];
      ++distance_counts[symbols.distance_symbol(m.distance + std::size_t{1})];
    }
    count_literals(literals_behind_);
    for (std::size_t i = 0; i < 256; ++i) literal_counts[i] = counts[0][i] + counts[1][i] + counts[2][i] + counts[3][i];
  }
  literal_counts[end_of_block] = 1;
  const auto literal_lengths = code_lengths(literal_counts, 14);  // four fit between two settle()
  const auto distance_lengths = code_lengths(distance_counts, 15);
  const auto literals = codes_of(literal_lengths);
  const auto distances = codes_of(distance_lengths);
  // Lengths with their extra bits.
  std::array<code, most_length + 1> lengths{};
  for (std::size_t l = 3; l <= most_length; ++l) {
    const std::size_t symbol = symbols.of_length[l];
    const code& c = literals[257 + symbol];
    lengths[l] = {c.bits | static_cast<std::uint32_t>(l - length_symbols[symbol].base) << c.length,
                  c.length + length_symbols[symbol].bits};
  }
  std::uint64_t body_bits = 0;
  for (std::size_t i = 0; i < literal_codes; ++i) {
    const unsigned extra = i > end_of_block ? length_symbols[i - 257].bits : 0U;
    body_bits += std::uint64_t{literal_counts[i]} * (literals[i].length + extra);
  }
  for (std::size_t i = 0; i < distance_codes; ++i)
    body_bits += std::uint64_t{distance_counts[i]} * (distances[i].length + unsigned{distance_symbols[i].bits});
  constexpr std::size_t most_around = 1024;  // 19 * 3 and at most 316 * 14 bits of head, the end, eight bytes of room
  const std::size_t old = out.size();
  out.resize(old + static_cast<std::size_t>(body_bits / 8) + most_around);
  bit_writer bits(out.data() + old);
  bits.put(last ? 1 : 0, 1);
  bits.put(2, 2);
  put_code_lengths(bits, literal_lengths, distance_lengths);
  const auto* p = reinterpret_cast<const unsigned char*>(window.data()) + from;
  const auto put_literals = [&](std::size_t n) {
    for (; n >= 4; n -= 4, p += 4) {
      for (std::size_t i = 0; i < 4; ++i) bits.put(literals[p[i]].bits, literals[p[i]].length);
      bits.settle();
    }
    for (; n > 0; --n, ++p) bits.put(literals[*p].bits, literals[*p].length);
    bits.settle();
  };
  for (const match& m : matches_) {
    put_literals(m.literals);
    p += m.length;
    const std::size_t distance = m.distance + std::size_t{1}, symbol = symbols.distance_symbol(distance);
    bits.put(lengths[m.length].bits, lengths[m.length].length);
    bits.put(distances[symbol].bits, distances[symbol].length);
    bits.put(distance - distance_symbols[symbol].base, distance_symbols[symbol].bits);
    bits.settle();
  }
  put_literals(literals_behind_);
  bits.put(literals[end_of_block].bits, literals[end_of_block].length);
  bits.settle();
  if (!last) {
    // An empty stored block ends at a byte.
    bits.put(0, 3);
    char* at = bits.align();
    std::memcpy(at, "\0\0\xff\xff", 4);
    out.resize(static_cast<std::size_t>(at + 4 - out.data()));
  } else {
    out.resize(static_cast<std::size_t>(bits.align() - out.data()));
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
