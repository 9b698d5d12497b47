#include <read/chrome_scan.hpp>
#include <read/chrome_text.hpp>

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t block_bytes = 64;
constexpr std::uint32_t deepest = 1024;  // bound of the bracket stack, whatever limits say

// One bit a byte of a block.
struct block_masks {
  std::uint64_t quote = 0, backslash = 0;
  std::uint64_t open = 0, close = 0;        // { [ and } ]
  std::uint64_t may_follow_string = 0;      // blank , : } ]
  std::uint64_t may_precede_string = 0;     // blank , : { [
};

#if defined(__SSE2__)
block_masks classify(const char* block) noexcept {
  block_masks m;
  for (unsigned part = 0; part < 4; ++part) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * part));
    // '[' | 0x20 is '{', ']' | 0x20 is '}'
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    const auto is = [bytes](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    const __m128i blank = _mm_or_si128(_mm_or_si128(is(' '), is('\n')), _mm_or_si128(is('\r'), is('\t')));
    const __m128i separator = _mm_or_si128(blank, _mm_or_si128(is(','), is(':')));
    const __m128i open = _mm_cmpeq_epi8(folded, _mm_set1_epi8('{'));
    const __m128i close = _mm_cmpeq_epi8(folded, _mm_set1_epi8('}'));
    const auto bits = [part](__m128i v) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(v))) << (16 * part);
    };
    m.quote |= bits(is('"'));
    m.backslash |= bits(is('\\'));
    m.open |= bits(open);
    m.close |= bits(close);
    m.may_follow_string |= bits(_mm_or_si128(separator, close));
    m.may_precede_string |= bits(_mm_or_si128(separator, open));
  }
  return m;
}
#else
block_masks classify(const char* block) noexcept {
  block_masks m;
  for (unsigned i = 0; i < block_bytes; ++i) {
    const auto c = static_cast<unsigned char>(block[i]);
    const auto bit = [i](bool b) { return static_cast<std::uint64_t>(b) << i; };
    const bool separator = is_json_space(block[i]) || c == ',' || c == ':';
    const bool open = (c | 0x20) == '{';
    const bool close = (c | 0x20) == '}';
    m.quote |= bit(c == '"');
    m.backslash |= bit(c == '\\');
    m.open |= bit(open);
    m.close |= bit(close);
    m.may_follow_string |= bit(separator || close);
    m.may_precede_string |= bit(separator || open);
  }
  return m;
}
#endif

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

}  // namespace

scan_result scan_elements(const char* from, const char* end, std::size_t enough_bytes,
                          std::uint32_t max_nesting) noexcept {
  const std::uint32_t nesting_bound = std::min(max_nesting, deepest);
  bracket_stack open_brackets;
  const char* good_end = from;
  const char* element = from;         // start of the open element
  std::uint64_t escape_carry = 0;
  std::uint64_t string_carry = 0;     // all ones inside a string
  std::uint64_t closed_carry = 0;     // the last byte of the block before closed a string
  std::uint64_t precede_carry = 1;    // … and may stand before a string
  char tail[block_bytes];

  for (const char* block = from; block < end; block += block_bytes) {
    const char* bytes = block;
    const auto left = static_cast<std::size_t>(end - block);
    if (left < block_bytes) {
      std::memset(tail, ' ', block_bytes);
      std::memcpy(tail, block, left);
      bytes = tail;
    }
    const block_masks m = classify(bytes);
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
        open_brackets.push(array);
        continue;
      }
      if (open_brackets.depth() == 0) return {good_end, at, array ? scan_stop::array_end : scan_stop::broken};
      if (!open_brackets.pop(array)) return {good_end, element, scan_stop::broken};
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

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
