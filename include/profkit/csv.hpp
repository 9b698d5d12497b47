// Rows of comma-separated text (RFC 4180), without a copy: quoted fields with separators, line ends and doubled
// quotes in them, CRLF or LF, a byte order mark, a last row that was cut. Header-only, standard library only, no
// allocation, no exception. Sixty-four bytes are classified at a time.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__) && defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define PROFKIT_CSV_SSE2 1
#endif
#if defined(__GNUC__) || defined(__clang__)
#define PROFKIT_CSV_INLINE inline __attribute__((always_inline))
#else
#define PROFKIT_CSV_INLINE inline
#endif

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

namespace csv_detail {

PROFKIT_CSV_INLINE unsigned lowest_bit(std::uint64_t mask) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  return static_cast<unsigned>(__builtin_ctzll(mask));
#else
  unsigned at = 0;
  while ((mask & 1) == 0) mask >>= 1, ++at;
  return at;
#endif
}

PROFKIT_CSV_INLINE std::uint64_t below_lowest(std::uint64_t mask) noexcept { return (mask & (~mask + 1)) - 1; }

// Bit i is the parity of bits 0 to i.
PROFKIT_CSV_INLINE std::uint64_t prefix_parity(std::uint64_t bits) noexcept {
  for (unsigned shift = 1; shift < 64; shift <<= 1) bits ^= bits << shift;
  return bits;
}

// Which of 64 bytes are what: bit i stands for byte i.
struct block_masks {
  std::uint64_t separators = 0, line_ends = 0, quotes = 0;
};

PROFKIT_CSV_INLINE unsigned count_bits(std::uint64_t mask) noexcept {
  mask -= mask >> 1 & 0x5555555555555555ULL;
  mask = (mask & 0x3333333333333333ULL) + (mask >> 2 & 0x3333333333333333ULL);
  return static_cast<unsigned>(((mask + (mask >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * 0x0101010101010101ULL >> 56);
}
#if defined(PROFKIT_CSV_SSE2)
using bytes16 = char __attribute__((vector_size(16)));

PROFKIT_CSV_INLINE std::uint64_t equal_in(const bytes16* four, char wanted) noexcept {
  const bytes16 pattern = wanted - bytes16{};
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const auto equal = reinterpret_cast<bytes16>(four[i] == pattern);
    mask |= static_cast<std::uint64_t>(static_cast<std::uint16_t>(__builtin_ia32_pmovmskb128(equal))) << (16 * i);
  }
  return mask;
}
PROFKIT_CSV_INLINE block_masks classify(const char* at, char separator) noexcept {
  bytes16 four[4];
  std::memcpy(four, at, 64);
  return {equal_in(four, separator), equal_in(four, '\n'), equal_in(four, '"')};
}
#else
inline std::uint64_t equal_in(const char* at, char wanted) noexcept {
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < 64; ++i) mask |= std::uint64_t{at[i] == wanted} << i;
  return mask;
}
inline block_masks classify(const char* at, char separator) noexcept {
  return {equal_in(at, separator), equal_in(at, '\n'), equal_in(at, '"')};
}
#endif

}  // namespace csv_detail

/// Walks the rows of a text. A quote is special at the start of a field only; what stands between a closing quote
/// and the next separator belongs to the field as it is written.
class csv_reader {
 public:
  /// The text is borrowed. A byte order mark is passed over.
  explicit csv_reader(std::string_view text, char separator = ',') noexcept
      : text_(text), separator_(separator), row_end_(text.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0) {}

  /// Reads the next row that is not empty: its first `capacity` fields as written (quotes included, without a
  /// carriage return at the row's end) go to `fields`, the others are counted. False at the end of the text.
  bool next(std::string_view* fields, std::size_t capacity) noexcept {
    for (;;) {
      if (row_end_ >= text_.size()) return false;
      row_start_ = row_end_;
      row_line_ = line_;
      count_ = 0;
      cut_ = ended_by_line_ = false;
      if (block_at_ != row_start_) {
        block_.base = row_start_ & ~std::size_t{63};
        look(block_, ~std::uint64_t{0} << (row_start_ & 63), 0, std::uint64_t{1} << (row_start_ & 63));
      }
      if (!take_row(fields, capacity)) take_row_slowly(fields, capacity);
      if (count_ > 1 || !is_blank(text_.substr(row_start_, row_end_ - row_start_))) return true;
    }
  }

  /// How many fields the row has, also those that were not given.
  [[nodiscard]] std::size_t fields() const noexcept { return count_; }
  /// The line the row starts on, from 1.
  [[nodiscard]] std::uint64_t line() const noexcept { return row_line_; }
  /// Where the row starts, and where the one after it does.
  [[nodiscard]] std::size_t offset() const noexcept { return row_start_; }
  [[nodiscard]] std::size_t end_offset() const noexcept { return row_end_; }
  /// The text ended inside a quoted field of the row.
  [[nodiscard]] bool cut() const noexcept { return cut_; }
  /// The row ended with a line end: false for a last row without one.
  [[nodiscard]] bool terminated() const noexcept { return ended_by_line_; }
  /// The row goes over several lines.
  [[nodiscard]] bool spans_lines() const noexcept { return line_ - row_line_ > (ended_by_line_ ? 1 : 0); }

  /// Goes back to the second line of the row just read: for a row in which a quote was lost, so that it swallowed
  /// those below it.
  void resume_after_first_line() noexcept {
    const std::size_t end = text_.find('\n', row_start_);
    row_end_ = end == std::string_view::npos ? text_.size() : end + 1;
    line_ = row_line_ + 1;
    cut_ = false;
  }

 private:
  static constexpr std::size_t nowhere = ~std::size_t{0};

  // What is left of a block: the ends of fields and rows outside quotes, the line ends within them, and whether a
  // quote stands where none may open (nothing behind it is told then).
  struct block {
    std::size_t base = 0;
    std::uint64_t ends = 0, line_ends = 0, quoted_lines = 0;
    std::uint64_t inside = 0;    // all ones: the next block begins within quotes
    std::uint64_t may_open = 0;  // 1: … or may begin with one
    bool misplaced = false;
  };

  // Looks at the bytes `of` a block, which begins within quotes or not.
  PROFKIT_CSV_INLINE void look(block& b, std::uint64_t of, std::uint64_t inside_before,
                               std::uint64_t may_open) const noexcept {
    csv_detail::block_masks m;
    const std::size_t left = text_.size() - b.base;
    if (left >= 64) {
      m = csv_detail::classify(text_.data() + b.base, separator_);
    } else {
      char rest[64] = {};
      std::memcpy(rest, text_.data() + b.base, left);
      m = csv_detail::classify(rest, separator_);
      of &= (std::uint64_t{1} << left) - 1;  // the padding is not part of the text, whatever the separator
    }
    b.ends = (m.separators | m.line_ends) & of;
    b.line_ends = m.line_ends & of;
    b.misplaced = false;
    const std::uint64_t quotes = m.quotes & of;
    if ((quotes | inside_before) == 0) {
      b.may_open = b.ends >> 63;
      b.inside = b.quoted_lines = 0;
      return;
    }
    const std::uint64_t inside = csv_detail::prefix_parity(quotes) ^ inside_before;
    const std::uint64_t closing = quotes & ~inside;
    b.quoted_lines = b.line_ends & inside;
    b.ends &= ~inside;
    b.line_ends &= ~inside;
    // A quote opens a field, or follows one that closed: that is a doubled one.
    const std::uint64_t openers = b.ends | closing;
    const std::uint64_t misplaced = quotes & inside & ~(openers << 1 | may_open);
    b.may_open = openers >> 63;
    b.inside = std::uint64_t{0} - (inside >> 63);
    if (misplaced == 0) return;
    b.misplaced = true;
    b.ends &= csv_detail::below_lowest(misplaced);
    b.quoted_lines &= csv_detail::below_lowest(misplaced);
  }

  // False: a quote in the row is not where one belongs.
  PROFKIT_CSV_INLINE bool take_row(std::string_view* fields, std::size_t capacity) noexcept {
    block b = block_;
    const char* const text = text_.data();
    std::size_t start = row_start_, count = 0;
    while (count < capacity) {
      while (b.ends == 0) {
        if (b.misplaced) return false;
        if (!next_block(b)) {
          fields[count] = without_return(start, text_.size());
          end_text(b, count + 1);
          return true;
        }
      }
      const std::uint64_t bit = b.ends & (~b.ends + 1);
      const std::size_t end = b.base + csv_detail::lowest_bit(b.ends);
      b.ends ^= bit;
      if ((b.line_ends & bit) != 0) {
        fields[count] = without_return(start, end);
        end_line(b, end, count + 1);
        return true;
      }
      fields[count++] = std::string_view(text + start, end - start);
      start = end + 1;
    }
    for (;;) {
      const std::uint64_t line_ends = b.line_ends & b.ends;
      if (line_ends != 0) {
        const std::uint64_t row = csv_detail::below_lowest(line_ends);
        count += csv_detail::count_bits(b.ends & row) + 1;
        b.ends &= ~(line_ends ^ (line_ends - 1));
        end_line(b, b.base + csv_detail::lowest_bit(line_ends), count);
        return true;
      }
      count += csv_detail::count_bits(b.ends);
      b.ends = 0;
      if (b.misplaced) return false;
      if (!next_block(b)) {
        end_text(b, count + 1);
        return true;
      }
    }
  }

  PROFKIT_CSV_INLINE bool next_block(block& b) noexcept {
    if (text_.size() - b.base <= 64) return false;
    if (b.quoted_lines != 0) line_ += csv_detail::count_bits(b.quoted_lines);
    b.base += 64;
    look(b, ~std::uint64_t{0}, b.inside, b.may_open);
    return true;
  }

  PROFKIT_CSV_INLINE void end_line(block& b, std::size_t end, std::size_t count) noexcept {
    if (b.quoted_lines != 0) {
      const std::uint64_t row = (std::uint64_t{1} << (end - b.base)) - 1;
      line_ += csv_detail::count_bits(b.quoted_lines & row);
      b.quoted_lines &= ~row;
    }
    ++line_;
    ended_by_line_ = true;
    count_ = count;
    row_end_ = block_at_ = end + 1;
    // The row may end with its block: what is kept stands for the next one all the same.
    block_ = b;
  }

  void end_text(const block& b, std::size_t count) noexcept {
    line_ += csv_detail::count_bits(b.quoted_lines);
    cut_ = b.inside != 0;
    count_ = count;
    row_end_ = text_.size();
    block_at_ = nowhere;
  }

  [[nodiscard]] std::string_view without_return(std::size_t start, std::size_t end) const noexcept {
    if (end > start && text_[end - 1] == '\r') --end;
    return text_.substr(start, end - start);
  }

  // The row byte by byte, for text whose quotes are not what they should be.
  void take_row_slowly(std::string_view* fields, std::size_t capacity) noexcept {
    line_ = row_line_;
    block_at_ = nowhere;
    std::size_t at = row_start_;
    for (count_ = 0;;) {
      const std::size_t start = at;
      if (at < text_.size() && text_[at] == '"') at = past_quoted(at);
      while (at < text_.size() && text_[at] != separator_ && text_[at] != '\n') ++at;
      const bool more = at < text_.size() && text_[at] == separator_;
      if (count_ < capacity) fields[count_] = more ? text_.substr(start, at - start) : without_return(start, at);
      ++count_;
      if (more) {
        ++at;
        continue;
      }
      if (at < text_.size()) {
        ++at;
        ++line_;
        ended_by_line_ = true;
      }
      row_end_ = at;
      return;
    }
  }

  // `at` stands on an opening quote; gives what follows the closing one.
  std::size_t past_quoted(std::size_t at) noexcept {
    for (++at; at < text_.size(); ++at) {
      if (text_[at] == '\n') ++line_;
      if (text_[at] != '"') continue;
      if (at + 1 >= text_.size() || text_[at + 1] != '"') return at + 1;
      ++at;
    }
    cut_ = true;
    return text_.size();
  }

  static bool is_blank(std::string_view row) noexcept {
    return row.empty() || row == "\n" || row == "\r\n" || row == "\r";
  }

  std::string_view text_;
  char separator_;
  bool cut_ = false, ended_by_line_ = false;
  std::size_t row_start_ = 0, row_end_ = 0;
  std::size_t block_at_ = nowhere;  // from where on block_ stands
  block block_;
  std::size_t count_ = 0;
  std::uint64_t line_ = 1, row_line_ = 1;
};

/// A field without the blanks, tabs and quotes around it, however many: what a number or a plain word of a table
/// means. Doubled quotes inside are kept.
[[nodiscard]] inline std::string_view csv_trimmed(std::string_view field) noexcept {
  const auto around = [](char c) { return c == ' ' || c == '\t' || c == '"' || c == '\r'; };
  while (!field.empty() && around(field.front())) field.remove_prefix(1);
  while (!field.empty() && around(field.back())) field.remove_suffix(1);
  return field;
}

/// Takes the quotes of a field away as RFC 4180 says. `into` has room for field.size() bytes; gives how many were
/// written. A field that is not quoted is copied.
inline std::size_t csv_decode(std::string_view field, char* into) noexcept {
  if (field.empty() || field.front() != '"') {
    if (!field.empty()) std::memcpy(into, field.data(), field.size());
    return field.size();
  }
  std::size_t size = 0;
  std::size_t at = 1;
  for (; at < field.size(); ++at) {
    if (field[at] == '"') {
      if (at + 1 >= field.size() || field[at + 1] != '"') break;
      ++at;
    }
    into[size++] = field[at];
  }
  for (++at; at < field.size(); ++at) into[size++] = field[at];
  return size;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

#undef PROFKIT_CSV_INLINE
#undef PROFKIT_CSV_SSE2
