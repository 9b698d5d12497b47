#include <read/chrome_scan.hpp>

#include <base/instructions.hpp>
#include <read/chrome_text.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t block_bytes = 64;
constexpr std::uint32_t deepest = 1024;  // bound of the bracket stack, whatever limits say

// One bit a byte of a block.
struct block_masks {
  std::uint64_t quote = 0, backslash = 0;
  std::uint64_t open = 0, close = 0;  // { [ and } ]
  std::uint64_t blank = 0;
  std::uint64_t may_follow_string = 0;   // blank , : } ]
  std::uint64_t may_precede_string = 0;  // blank , : { [
};

// The instructions that look at a block. What is inlined into a function takes over its target: the helpers have to be.
#define PROFKIT_INLINE __attribute__((always_inline)) inline

PROFKIT_INLINE unsigned lowest_bit(std::uint64_t bits) noexcept { return static_cast<unsigned>(__builtin_ctzll(bits)); }

PROFKIT_INLINE unsigned highest_bit(std::uint64_t bits) noexcept {
  return 63U - static_cast<unsigned>(__builtin_clzll(bits));
}

// What every machine can do. A unit gives the masks of a block, the parity of bits 0 to i at bit i, the number of bits
// set, and writes where they stand, counted from `base`; up to 64 places from `at` may be written.
struct plain_unit {
  PROFKIT_INLINE static std::uint64_t prefix_parity(std::uint64_t bits) noexcept {
    for (unsigned shift = 1; shift < 64; shift <<= 1) bits ^= bits << shift;
    return bits;
  }
  PROFKIT_INLINE static unsigned count_bits(std::uint64_t bits) noexcept {
    bits -= bits >> 1 & 0x5555555555555555ULL;
    bits = (bits & 0x3333333333333333ULL) + (bits >> 2 & 0x3333333333333333ULL);
    return static_cast<unsigned>(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * 0x0101010101010101ULL >> 56);
  }
  PROFKIT_INLINE static std::uint32_t* write_places(std::uint64_t bits, std::uint32_t base,
                                                    std::uint32_t* at) noexcept {
    for (; bits != 0; bits &= bits - 1) *at++ = base + lowest_bit(bits);
    return at;
  }
};

struct bytewise_unit : plain_unit {
  PROFKIT_INLINE static block_masks masks_of(const char* block) noexcept {
    block_masks m;
    for (unsigned i = 0; i < block_bytes; ++i) {
      const char c = block[i];
      const std::uint64_t bit = std::uint64_t{1} << i;
      const bool blank = is_json_space(c);
      const bool separator = blank || c == ',' || c == ':';
      const bool open = (c | 0x20) == '{';  // '[' | 0x20 is '{'
      const bool close = (c | 0x20) == '}';
      m.quote |= c == '"' ? bit : 0;
      m.backslash |= c == '\\' ? bit : 0;
      m.open |= open ? bit : 0;
      m.close |= close ? bit : 0;
      m.blank |= blank ? bit : 0;
      m.may_follow_string |= separator || close ? bit : 0;
      m.may_precede_string |= separator || open ? bit : 0;
    }
    return m;
  }
};

#if defined(PROFKIT_X86)
struct sse2_unit : plain_unit {
  static block_masks masks_of(const char* block) noexcept {
    block_masks m;
    for (unsigned at = 0; at < block_bytes; at += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + at));
      const auto is = [](__m128i v, char c) { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); };
      const auto bits = [at](__m128i v) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(v))) << at;
      };
      const __m128i blank =
          _mm_or_si128(_mm_or_si128(is(bytes, ' '), is(bytes, '\n')), _mm_or_si128(is(bytes, '\r'), is(bytes, '\t')));
      const __m128i separator = _mm_or_si128(blank, _mm_or_si128(is(bytes, ','), is(bytes, ':')));
      const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
      const __m128i open = is(folded, '{');
      const __m128i close = is(folded, '}');
      m.quote |= bits(is(bytes, '"'));
      m.backslash |= bits(is(bytes, '\\'));
      m.open |= bits(open);
      m.close |= bits(close);
      m.blank |= bits(blank);
      m.may_follow_string |= bits(_mm_or_si128(separator, close));
      m.may_precede_string |= bits(_mm_or_si128(separator, open));
    }
    return m;
  }
};

struct avx2_unit {
  PROFKIT_AVX2 static __m256i equal(__m256i bytes, char c) noexcept {
    return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c));
  }
  PROFKIT_AVX2 static std::uint64_t bits_of(__m256i low, __m256i high) noexcept {
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
           static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32;
  }
  // The table has each blank at its own low four bits, and elsewhere a byte that equals no index.
  PROFKIT_AVX2 static __m256i blanks(__m256i bytes) noexcept {
    const __m128i row =
        _mm_setr_epi8(' ', -128, -128, -128, -128, -128, -128, -128, -128, '\t', '\n', -128, -128, '\r', -128, -128);
    return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(row), bytes), bytes);
  }
  PROFKIT_AVX2 static block_masks masks_of(const char* block) noexcept {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + 32));
    const __m256i fold = _mm256_set1_epi8(0x20);
    const __m256i low_folded = _mm256_or_si256(low, fold), high_folded = _mm256_or_si256(high, fold);
    block_masks m;
    m.blank = bits_of(blanks(low), blanks(high));
    const __m256i low_marks = _mm256_or_si256(equal(low, ','), equal(low, ':'));
    const __m256i high_marks = _mm256_or_si256(equal(high, ','), equal(high, ':'));
    const std::uint64_t separator = m.blank | bits_of(low_marks, high_marks);
    m.quote = bits_of(equal(low, '"'), equal(high, '"'));
    m.backslash = bits_of(equal(low, '\\'), equal(high, '\\'));
    m.open = bits_of(equal(low_folded, '{'), equal(high_folded, '{'));
    m.close = bits_of(equal(low_folded, '}'), equal(high_folded, '}'));
    m.may_follow_string = separator | m.close;
    m.may_precede_string = separator | m.open;
    return m;
  }
  PROFKIT_AVX2 static std::uint64_t prefix_parity(std::uint64_t bits) noexcept {
    const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(bits)), _mm_set1_epi8(-1), 0);
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
  }
  PROFKIT_AVX2 static unsigned count_bits(std::uint64_t bits) noexcept {
    return static_cast<unsigned>(__builtin_popcountll(bits));
  }
  // Eight at a time, a few too many at the end.
  PROFKIT_AVX2 static std::uint32_t* write_places(std::uint64_t bits, std::uint32_t base, std::uint32_t* at) noexcept {
    std::uint32_t* const end = at + count_bits(bits);
    for (; at < end; at += 8) {
      for (unsigned i = 0; i < 8; ++i) {
        at[i] = base + static_cast<std::uint32_t>(_tzcnt_u64(bits));
        bits &= bits - 1;
      }
    }
    return end;
  }
};

class avx512_unit : public avx2_unit {
 public:
  PROFKIT_AVX512 avx512_unit() noexcept
      : fold_(kept(0x20)),
        comma_(kept(',')),
        colon_(kept(':')),
        quote_(kept('"')),
        backslash_(kept('\\')),
        open_(kept('{')),
        close_(kept('}')),
        blank_row_(kept(_mm512_broadcast_i32x4(_mm_setr_epi8(' ', -128, -128, -128, -128, -128, -128, -128, -128, '\t',
                                                             '\n', -128, -128, '\r', -128, -128)))) {}
  PROFKIT_AVX512 block_masks masks_of(const char* block) const noexcept {
    const __m512i bytes = _mm512_loadu_si512(block);
    const __m512i folded = _mm512_or_si512(bytes, fold_);
    block_masks m;
    m.blank = _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(blank_row_, bytes), bytes);
    const std::uint64_t separator =
        m.blank | _mm512_cmpeq_epi8_mask(bytes, comma_) | _mm512_cmpeq_epi8_mask(bytes, colon_);
    m.quote = _mm512_cmpeq_epi8_mask(bytes, quote_);
    m.backslash = _mm512_cmpeq_epi8_mask(bytes, backslash_);
    m.open = _mm512_cmpeq_epi8_mask(folded, open_);
    m.close = _mm512_cmpeq_epi8_mask(folded, close_);
    m.may_follow_string = separator | m.close;
    m.may_precede_string = separator | m.open;
    return m;
  }
  PROFKIT_AVX512 static std::uint32_t* write_places(std::uint64_t bits, std::uint32_t base,
                                                    std::uint32_t* at) noexcept {
    alignas(64) static constexpr unsigned char counted[block_bytes] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i places = _mm512_maskz_compress_epi8(bits, _mm512_load_si512(counted));
    const __m512i from = _mm512_set1_epi32(static_cast<int>(base));
    const unsigned count = count_bits(bits);
    _mm512_storeu_si512(at, _mm512_add_epi32(from, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places))));
    if (count > 16) {
      _mm512_storeu_si512(at + 16, _mm512_add_epi32(from, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(places, 1))));
    }
    if (count > 32) {
      _mm512_storeu_si512(at + 32, _mm512_add_epi32(from, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(places, 2))));
      _mm512_storeu_si512(at + 48, _mm512_add_epi32(from, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(places, 3))));
    }
    return at + count;
  }

 private:
  // Stays in its register: left alone, the compiler makes such constants anew for every block.
  PROFKIT_AVX512 static __m512i kept(__m512i bytes) noexcept {
    asm("" : "+v"(bytes));
    return bytes;
  }
  PROFKIT_AVX512 static __m512i kept(char c) noexcept { return kept(_mm512_set1_epi8(c)); }

  __m512i fold_, comma_, colon_, quote_, backslash_, open_, close_, blank_row_;
};
#endif

// The bytes that a backslash escapes: every second one of a run of backslashes, and what follows an odd run.
// `carry` is 1 when the first byte of the block is escaped by the block before.
PROFKIT_INLINE std::uint64_t escaped_bytes(std::uint64_t backslash, std::uint64_t& carry) noexcept {
  if (backslash == 0) {
    const std::uint64_t first = carry;
    carry = 0;
    return first;
  }
  constexpr std::uint64_t even_bits = 0x5555555555555555ULL;
  backslash &= ~carry;
  const std::uint64_t follows = (backslash << 1) | carry;
  const std::uint64_t odd_starts = backslash & ~even_bits & ~follows;
  const std::uint64_t sum = odd_starts + backslash;
  carry = sum < backslash ? 1 : 0;
  return (even_bits ^ (sum << 1)) & follows;
}

// The kinds of the open brackets, innermost last; one bit each, set for '['.
class bracket_stack {
 public:
  [[nodiscard]] PROFKIT_INLINE std::uint32_t depth() const noexcept { return depth_; }
  [[nodiscard]] PROFKIT_INLINE bool in_array() const noexcept { return top_; }
  PROFKIT_INLINE void push(bool array) noexcept {
    word() = (word() & ~bit()) | (array ? bit() : 0);
    ++depth_;
    top_ = array;
  }
  PROFKIT_INLINE bool pop(bool array) noexcept {
    if (top_ != array) return false;
    --depth_;
    if (depth_ > 0) top_ = (words_[(depth_ - 1) / 64] >> ((depth_ - 1) % 64)) & 1;
    return true;
  }

 private:
  PROFKIT_INLINE std::uint64_t& word() noexcept { return words_[depth_ / 64]; }
  [[nodiscard]] PROFKIT_INLINE std::uint64_t bit() const noexcept { return std::uint64_t{1} << (depth_ % 64); }
  std::uint64_t words_[deepest / 64] = {};
  std::uint32_t depth_ = 0;
  bool top_ = false;
};

// Puts down the marks of blocks and joins brackets with their partners.
template <class Unit>
class mark_writer {
 public:
  explicit mark_writer(scan_marks* into) noexcept : into_(into) {}

  PROFKIT_INLINE void put(std::uint64_t bits, std::uint32_t base) noexcept {
    if (into_ == nullptr) return;
    if (into_->capacity - into_->count < block_bytes) {
      into_ = nullptr;
      return;
    }
    bits_ = bits;
    before_ = into_->count;
    into_->count = static_cast<std::uint32_t>(Unit::write_places(bits, base, into_->places + before_) - into_->places);
  }
  PROFKIT_INLINE void open(unsigned bit, std::uint32_t depth) noexcept {
    if (into_ == nullptr) return;
    open_[depth] = index_of(bit);
    into_->partners[open_[depth]] = 0;
  }
  PROFKIT_INLINE void close(unsigned bit, std::uint32_t depth) noexcept {
    if (into_ != nullptr) into_->partners[open_[depth]] = index_of(bit);
  }
  PROFKIT_INLINE void note_escapes(std::uint64_t backslash) noexcept {
    if (into_ != nullptr && backslash != 0) into_->escapes = true;
  }

 private:
  [[nodiscard]] PROFKIT_INLINE std::uint32_t index_of(unsigned bit) const noexcept {
    return before_ + Unit::count_bits(bits_ & ((std::uint64_t{1} << bit) - 1));
  }
  scan_marks* into_;
  std::uint64_t bits_ = 0;
  std::uint32_t before_ = 0;
  std::uint32_t open_[deepest];
};

// For a scan that is not to tell where anything stands.
template <class Unit>
struct no_marks {
  explicit no_marks(scan_marks*) noexcept {}
  PROFKIT_INLINE void put(std::uint64_t, std::uint32_t) noexcept {}
  PROFKIT_INLINE void open(unsigned, std::uint32_t) noexcept {}
  PROFKIT_INLINE void close(unsigned, std::uint32_t) noexcept {}
  PROFKIT_INLINE void note_escapes(std::uint64_t) noexcept {}
};

// Text that will be looked at: the processor does not foresee it beyond a page.
constexpr std::size_t ahead = 2048;
PROFKIT_INLINE void prefetch(const char* at) noexcept { __builtin_prefetch(at); }

struct scan_task {
  const char* from;
  const char* end;
  std::size_t enough_bytes;
  std::uint32_t nesting_bound;
  scan_marks* into;
};

template <class Unit, class Marks>
PROFKIT_INLINE scan_result scan(const scan_task& task) noexcept {
  const Unit unit;
  Marks marks(task.into);
  const char* const from = task.from;
  const char* const end = task.end;
  bracket_stack open_brackets;
  const char* good_end = from;
  const char* element = from;  // start of the open element
  std::uint64_t escape_carry = 0;
  std::uint64_t string_carry = 0;   // all ones inside a string
  std::uint64_t closed_carry = 0;   // the last byte of the block before closed a string
  std::uint64_t precede_carry = 1;  // … and may stand before a string
  const char* last_solid = from;    // the last byte so far that is not blank

  for (const char* block = from; block < end; block += block_bytes) {
    const auto left = static_cast<std::size_t>(end - block);
    block_masks m;
    if (left >= block_bytes) {
      if (left > ahead) prefetch(block + ahead);
      m = unit.masks_of(block);
    } else {
      char tail[block_bytes];
      std::memset(tail, ' ', block_bytes);
      std::memcpy(tail, block, left);
      m = unit.masks_of(tail);
    }
    const std::uint64_t quotes = m.quote & ~escaped_bytes(m.backslash, escape_carry);
    // From opening quote to before the closing one.
    const std::uint64_t in_string = Unit::prefix_parity(quotes) ^ string_carry;
    string_carry = std::uint64_t{0} - (in_string >> 63);
    const std::uint64_t closing = quotes & ~in_string;
    const std::uint64_t opening = quotes & in_string;
    std::uint64_t bad = ((closing << 1 | closed_carry) & ~m.may_follow_string) |
                        (opening & ~(m.may_precede_string << 1 | precede_carry)) | (m.backslash & ~in_string);
    closed_carry = closing >> 63;
    precede_carry = m.may_precede_string >> 63;
    if (left < block_bytes) bad &= (std::uint64_t{1} << left) - 1;

    const std::uint64_t solid = ~m.blank;
    std::uint64_t brackets = (m.open | m.close) & ~in_string;
    marks.note_escapes(m.backslash);
    marks.put(quotes | brackets, static_cast<std::uint32_t>(block - from));
    if (bad != 0) brackets &= (std::uint64_t{1} << lowest_bit(bad)) - 1;
    for (; brackets != 0; brackets &= brackets - 1) {
      const unsigned bit = lowest_bit(brackets);
      const char* const at = block + bit;
      const bool array = (static_cast<unsigned char>(*at) & 0x20) == 0;
      if ((m.open >> bit & 1) != 0) {
        if (open_brackets.depth() == 0) {
          element = at;
        } else {
          if (open_brackets.depth() >= task.nesting_bound) return {good_end, element, scan_stop::too_nested};
          const std::uint64_t solid_before = solid & ((std::uint64_t{1} << bit) - 1);
          const char* const before = solid_before != 0 ? block + highest_bit(solid_before) : last_solid;
          const bool placed = open_brackets.in_array() ? *before == ',' || *before == '[' : *before == ':';
          if (!placed) return {good_end, element, scan_stop::broken};
        }
        marks.open(bit, open_brackets.depth());
        open_brackets.push(array);
        continue;
      }
      if (open_brackets.depth() == 0) return {good_end, at, array ? scan_stop::array_end : scan_stop::broken};
      if (!open_brackets.pop(array)) return {good_end, element, scan_stop::broken};
      marks.close(bit, open_brackets.depth());
      if (open_brackets.depth() != 0) continue;
      good_end = at + 1;
      if (static_cast<std::size_t>(good_end - from) >= task.enough_bytes)
        return {good_end, good_end, scan_stop::enough};
    }
    if (solid != 0) last_solid = block + highest_bit(solid);
    if (bad != 0) {
      const char* const at = open_brackets.depth() == 0 ? block + lowest_bit(bad) : element;
      return {good_end, at, scan_stop::broken};
    }
  }
  return {good_end, open_brackets.depth() == 0 ? end : element, scan_stop::more};
}

template <class Unit>
PROFKIT_INLINE scan_result scan_either(const scan_task& task) noexcept {
  return task.into == nullptr ? scan<Unit, no_marks<Unit>>(task) : scan<Unit, mark_writer<Unit>>(task);
}

scan_result scan_bytewise(const scan_task& task) noexcept { return scan_either<bytewise_unit>(task); }
#if defined(PROFKIT_X86)
scan_result scan_sse2(const scan_task& task) noexcept { return scan_either<sse2_unit>(task); }
PROFKIT_AVX2 scan_result scan_avx2(const scan_task& task) noexcept { return scan_either<avx2_unit>(task); }
PROFKIT_AVX512 scan_result scan_avx512(const scan_task& task) noexcept { return scan_either<avx512_unit>(task); }

#endif

}  // namespace

scan_result scan_elements(const char* from, const char* end, std::size_t enough_bytes, std::uint32_t max_nesting,
                          json_scan_variant variant, scan_marks* marks) noexcept {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  const bool countable = static_cast<std::size_t>(end - from) <= most;
  const scan_task task{from, end, enough_bytes, std::min(max_nesting, deepest), countable ? marks : nullptr};
  if (variant == json_scan_variant::bytewise) return scan_bytewise(task);
#if defined(PROFKIT_X86)
  if (variant == json_scan_variant::fastest && has_avx512()) return scan_avx512(task);
  if (variant != json_scan_variant::sse2 && has_avx2()) return scan_avx2(task);
  return scan_sse2(task);
#else
  return scan_bytewise(task);
#endif
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
