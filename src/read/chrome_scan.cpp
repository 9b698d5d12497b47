#include <read/chrome_scan.hpp>
#include <read/chrome_text.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define PROFKIT_SCAN_AVX2 1
#endif

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t block_bytes = 64;
constexpr std::uint32_t deepest = 1024;  // bound of the bracket stack, whatever limits say

// One bit a byte of a block.
struct block_masks {
  std::uint64_t quote = 0, backslash = 0;
  std::uint64_t open = 0, close = 0;     // { [ and } ]
  std::uint64_t may_follow_string = 0;   // blank , : } ]
  std::uint64_t may_precede_string = 0;  // blank , : { [
};

constexpr std::size_t blocks_at_once = 16;

// Fills masks[0, count) for as many blocks of text.
using classifier = void (*)(const char* text, std::size_t count, block_masks* masks) noexcept;

[[maybe_unused]] void classify_bytewise(const char* text, std::size_t count, block_masks* masks) noexcept {
  for (std::size_t block = 0; block < count; ++block) {
    block_masks m;
    for (unsigned i = 0; i < block_bytes; ++i) {
      const char c = text[block * block_bytes + i];
      const auto bit = [i](bool b) { return static_cast<std::uint64_t>(b) << i; };
      const bool separator = is_json_space(c) || c == ',' || c == ':';
      const bool open = (c | 0x20) == '{';  // '[' | 0x20 is '{'
      const bool close = (c | 0x20) == '}';
      m.quote |= bit(c == '"');
      m.backslash |= bit(c == '\\');
      m.open |= bit(open);
      m.close |= bit(close);
      m.may_follow_string |= bit(separator || close);
      m.may_precede_string |= bit(separator || open);
    }
    masks[block] = m;
  }
}

#if defined(PROFKIT_SCAN_AVX2)
void classify_sse2(const char* text, std::size_t count, block_masks* masks) noexcept {
  for (std::size_t block = 0; block < count; ++block) {
    block_masks m;
    for (unsigned at = 0; at < block_bytes; at += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + block * block_bytes + at));
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
      m.may_follow_string |= bits(_mm_or_si128(separator, close));
      m.may_precede_string |= bits(_mm_or_si128(separator, open));
    }
    masks[block] = m;
  }
}

#define PROFKIT_AVX2 __attribute__((target("avx2")))
PROFKIT_AVX2 inline __m256i equal(__m256i bytes, char c) noexcept {
  return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c));
}
PROFKIT_AVX2 inline std::uint64_t bits_of(__m256i low, __m256i high) noexcept {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32;
}
// Blanks, commas and colons. The table has each of the first five at its own low four bits, and elsewhere a byte
// that equals no index.
PROFKIT_AVX2 inline __m256i separators(__m256i bytes) noexcept {
  const __m128i row =
      _mm_setr_epi8(' ', -128, -128, -128, -128, -128, -128, -128, -128, '\t', '\n', -128, ',', '\r', -128, -128);
  const __m256i looked_up = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(row), bytes);
  return _mm256_or_si256(_mm256_cmpeq_epi8(looked_up, bytes), equal(bytes, ':'));
}
PROFKIT_AVX2 void classify_avx2(const char* text, std::size_t count, block_masks* masks) noexcept {
  for (std::size_t block = 0; block < count; ++block) {
    const char* const at = text + block * block_bytes;
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32));
    const __m256i fold = _mm256_set1_epi8(0x20);
    const __m256i low_folded = _mm256_or_si256(low, fold), high_folded = _mm256_or_si256(high, fold);
    const __m256i low_separator = separators(low), high_separator = separators(high);
    const __m256i low_open = equal(low_folded, '{'), high_open = equal(high_folded, '{');
    const __m256i low_close = equal(low_folded, '}'), high_close = equal(high_folded, '}');
    block_masks& m = masks[block];
    m.quote = bits_of(equal(low, '"'), equal(high, '"'));
    m.backslash = bits_of(equal(low, '\\'), equal(high, '\\'));
    m.open = bits_of(low_open, high_open);
    m.close = bits_of(low_close, high_close);
    m.may_follow_string =
        bits_of(_mm256_or_si256(low_separator, low_close), _mm256_or_si256(high_separator, high_close));
    m.may_precede_string =
        bits_of(_mm256_or_si256(low_separator, low_open), _mm256_or_si256(high_separator, high_open));
  }
}

classifier fastest_classifier() noexcept { return __builtin_cpu_supports("avx2") != 0 ? classify_avx2 : classify_sse2; }
#else
classifier fastest_classifier() noexcept { return classify_bytewise; }
#endif

classifier classifier_of(scan_variant variant) noexcept {
#if defined(PROFKIT_SCAN_AVX2)
  if (variant == scan_variant::sse2) return classify_sse2;
#endif
  return variant == scan_variant::bytewise ? classify_bytewise : fastest_classifier();
}

unsigned lowest_bit(std::uint64_t bits) noexcept { return static_cast<unsigned>(__builtin_ctzll(bits)); }

// Bit i is the parity of bits 0 to i.
std::uint64_t prefix_parity(std::uint64_t bits) noexcept {
  for (unsigned shift = 1; shift < 64; shift <<= 1) bits ^= bits << shift;
  return bits;
}

// The bytes that a backslash escapes: every second one of a run of backslashes, and what follows an odd run.
// `carry` is 1 when the first byte of the block is escaped by the block before.
std::uint64_t escaped_bytes(std::uint64_t backslash, std::uint64_t& carry) noexcept {
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
  [[nodiscard]] std::uint32_t depth() const noexcept { return depth_; }
  [[nodiscard]] bool in_array() const noexcept { return top_ != 0; }
  void push(bool array) noexcept {
    word() = (word() & ~bit()) | (array ? bit() : 0);
    ++depth_;
    top_ = array;
  }
  bool pop(bool array) noexcept {
    if (top_ != array) return false;
    --depth_;
    if (depth_ > 0) top_ = (words_[(depth_ - 1) / 64] >> ((depth_ - 1) % 64)) & 1;
    return true;
  }

 private:
  std::uint64_t& word() noexcept { return words_[depth_ / 64]; }
  [[nodiscard]] std::uint64_t bit() const noexcept { return std::uint64_t{1} << (depth_ % 64); }
  std::uint64_t words_[deepest / 64] = {};
  std::uint32_t depth_ = 0;
  bool top_ = false;
};

unsigned count_bits(std::uint64_t bits) noexcept {
  bits -= bits >> 1 & 0x5555555555555555ULL;
  bits = (bits & 0x3333333333333333ULL) + (bits >> 2 & 0x3333333333333333ULL);
  return static_cast<unsigned>(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * 0x0101010101010101ULL >> 56);
}

// Puts down the marks of blocks and joins brackets with their partners.
class mark_writer {
 public:
  explicit mark_writer(scan_marks* into) noexcept : into_(into) {}

  void put(std::uint64_t bits, std::uint32_t base) noexcept {
    if (into_ == nullptr) return;
    if (into_->capacity - into_->count < block_bytes) {
      into_ = nullptr;
      return;
    }
    bits_ = bits;
    before_ = into_->count;
    std::uint32_t* at = into_->places + before_;
    for (; bits != 0; bits &= bits - 1) *at++ = base + lowest_bit(bits);
    into_->count = static_cast<std::uint32_t>(at - into_->places);
  }
  void open(unsigned bit, std::uint32_t depth) noexcept {
    if (into_ == nullptr) return;
    open_[depth] = index_of(bit);
    into_->partners[open_[depth]] = 0;
  }
  void close(unsigned bit, std::uint32_t depth) noexcept {
    if (into_ != nullptr) into_->partners[open_[depth]] = index_of(bit);
  }
  void note_escapes(std::uint64_t backslash) noexcept {
    if (into_ != nullptr && backslash != 0) into_->escapes = true;
  }

 private:
  [[nodiscard]] std::uint32_t index_of(unsigned bit) const noexcept {
    return before_ + count_bits(bits_ & ((std::uint64_t{1} << bit) - 1));
  }
  scan_marks* into_;
  std::uint64_t bits_ = 0;
  std::uint32_t before_ = 0;
  std::uint32_t open_[deepest];
};

// For a scan that is not to tell where anything stands.
struct no_marks {
  explicit no_marks(scan_marks*) noexcept {}
  void put(std::uint64_t, std::uint32_t) noexcept {}
  void open(unsigned, std::uint32_t) noexcept {}
  void close(unsigned, std::uint32_t) noexcept {}
  void note_escapes(std::uint64_t) noexcept {}
};

template <class Marks>
scan_result scan(const char* from, const char* end, std::size_t enough_bytes, std::uint32_t max_nesting,
                 scan_variant variant, scan_marks* into) noexcept {
  Marks marks(into);
  const classifier classify = classifier_of(variant);
  const std::uint32_t nesting_bound = std::min(max_nesting, deepest);
  bracket_stack open_brackets;
  const char* good_end = from;
  const char* element = from;  // start of the open element
  std::uint64_t escape_carry = 0;
  std::uint64_t string_carry = 0;   // all ones inside a string
  std::uint64_t closed_carry = 0;   // the last byte of the block before closed a string
  std::uint64_t precede_carry = 1;  // … and may stand before a string
  block_masks masks[blocks_at_once];
  std::size_t next_mask = 0, mask_count = 0;
  std::size_t blocks_wanted = 4;  // an element alone is short

  for (const char* block = from; block < end; block += block_bytes) {
    const auto left = static_cast<std::size_t>(end - block);
    if (next_mask == mask_count) {
      next_mask = 0;
      mask_count = std::min(blocks_wanted, left / block_bytes);
      blocks_wanted = blocks_at_once;
      if (mask_count > 0) {
        classify(block, mask_count, masks);
      } else {
        char tail[block_bytes];
        std::memset(tail, ' ', block_bytes);
        std::memcpy(tail, block, left);
        mask_count = 1;
        classify(tail, 1, masks);
      }
    }
    const block_masks& m = masks[next_mask++];
    const std::uint64_t quotes = m.quote & ~escaped_bytes(m.backslash, escape_carry);
    const std::uint64_t in_string = prefix_parity(quotes) ^ string_carry;  // from opening quote to before closing one
    string_carry = std::uint64_t{0} - (in_string >> 63);
    const std::uint64_t closing = quotes & ~in_string;
    const std::uint64_t opening = quotes & in_string;
    std::uint64_t bad = ((closing << 1 | closed_carry) & ~m.may_follow_string) |
                        (opening & ~(m.may_precede_string << 1 | precede_carry)) | (m.backslash & ~in_string);
    closed_carry = closing >> 63;
    precede_carry = m.may_precede_string >> 63;
    if (left < block_bytes) bad &= (std::uint64_t{1} << left) - 1;

    std::uint64_t brackets = (m.open | m.close) & ~in_string;
    if (bad != 0) brackets &= (std::uint64_t{1} << lowest_bit(bad)) - 1;
    marks.note_escapes(m.backslash);
    marks.put(quotes | ((m.open | m.close) & ~in_string), static_cast<std::uint32_t>(block - from));
    for (; brackets != 0; brackets &= brackets - 1) {
      const unsigned bit = lowest_bit(brackets);
      const char* const at = block + bit;
      const bool array = (static_cast<unsigned char>(*at) & 0x20) == 0;
      if ((m.open >> bit & 1) != 0) {
        if (open_brackets.depth() == 0) {
          element = at;
        } else {
          if (open_brackets.depth() >= nesting_bound) return {good_end, element, scan_stop::too_nested};
          const char* before = at - 1;
          while (is_json_space(*before)) --before;
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
      if (static_cast<std::size_t>(good_end - from) >= enough_bytes) return {good_end, good_end, scan_stop::enough};
    }
    if (bad != 0) {
      const char* const at = open_brackets.depth() == 0 ? block + lowest_bit(bad) : element;
      return {good_end, at, scan_stop::broken};
    }
  }
  return {good_end, open_brackets.depth() == 0 ? end : element, scan_stop::more};
}

}  // namespace

scan_result scan_elements(const char* from, const char* end, std::size_t enough_bytes, std::uint32_t max_nesting,
                          scan_variant variant, scan_marks* marks) noexcept {
  if (marks == nullptr) return scan<no_marks>(from, end, enough_bytes, max_nesting, variant, nullptr);
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  const bool countable = static_cast<std::size_t>(end - from) <= most;
  return scan<mark_writer>(from, end, enough_bytes, max_nesting, variant, countable ? marks : nullptr);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
