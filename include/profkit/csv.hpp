// Rows of comma-separated text (RFC 4180), without a copy: quoted fields with separators, line ends and doubled
// quotes in them, CRLF or LF, a byte order mark, a last row that was cut. Header-only, standard library only, no
// allocation, no exception. Sixty-four bytes are classified at a time, and some thousand fields found before the first
// is given.
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

PROFKIT_CSV_INLINE unsigned count_bits(std::uint64_t mask) noexcept {
  mask -= mask >> 1 & 0x5555555555555555ULL;
  mask = (mask & 0x3333333333333333ULL) + (mask >> 2 & 0x3333333333333333ULL);
  return static_cast<unsigned>(((mask + (mask >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * 0x0101010101010101ULL >> 56);
}

// Text that will be looked at: the processor does not foresee it beyond a page.
inline constexpr std::size_t ahead = 2048;
PROFKIT_CSV_INLINE void prefetch([[maybe_unused]] const char* at) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(at);
#endif
}

// Which of 64 bytes are what: bit i stands for byte i.
struct block_masks {
  std::uint64_t separators = 0, line_ends = 0, quotes = 0;
};

// Rows that were looked at in one go: where their fields end, counted from `base`.
struct row_index {
  static constexpr std::size_t max_ends = 2048, max_rows = 256, max_bytes = std::size_t{1} << 15;
  std::size_t base = 0;
  std::uint32_t rows = 0;
  bool to_the_end = false;  // the last row ends with the text and has no line end
  bool cut = false;         // … within quotes
  std::uint16_t ends[max_ends + 64];
  std::uint16_t row_ends[max_rows + 65];      // how many of the ends belong to this row or one before it
  std::uint16_t quoted_lines[max_rows + 65];  // line ends within quotes
};

// What every machine can do; elsewhere there may be other units with the same functions.
struct plain_unit {
#if defined(PROFKIT_CSV_SSE2)
  using bytes16 = char __attribute__((vector_size(16)));

  PROFKIT_CSV_INLINE static std::uint64_t equal_in(const bytes16* four, char wanted) noexcept {
    const bytes16 pattern = wanted - bytes16{};
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const auto equal = reinterpret_cast<bytes16>(four[i] == pattern);
      mask |= static_cast<std::uint64_t>(static_cast<std::uint16_t>(__builtin_ia32_pmovmskb128(equal))) << (16 * i);
    }
    return mask;
  }
  PROFKIT_CSV_INLINE static block_masks masks_of(const char* block, char separator) noexcept {
    bytes16 four[4];
    std::memcpy(four, block, 64);
    return {equal_in(four, separator), equal_in(four, '\n'), equal_in(four, '"')};
  }
#else
  static std::uint64_t equal_in(const char* block, char wanted) noexcept {
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < 64; ++i) mask |= std::uint64_t{block[i] == wanted} << i;
    return mask;
  }
  static block_masks masks_of(const char* block, char separator) noexcept {
    return {equal_in(block, separator), equal_in(block, '\n'), equal_in(block, '"')};
  }
#endif
  // Bit i is the parity of bits 0 to i.
  PROFKIT_CSV_INLINE static std::uint64_t prefix_parity(std::uint64_t bits) noexcept {
    for (unsigned shift = 1; shift < 64; shift <<= 1) bits ^= bits << shift;
    return bits;
  }
  PROFKIT_CSV_INLINE static unsigned count(std::uint64_t bits) noexcept { return count_bits(bits); }
  // Where the bits are, counted from `from`; up to 64 places from `at` may be written.
  PROFKIT_CSV_INLINE static void write_places(std::uint64_t bits, std::size_t from, std::uint16_t* at) noexcept {
    for (; bits != 0; bits &= bits - 1) *at++ = static_cast<std::uint16_t>(from + lowest_bit(bits));
  }
};

// Looks at the rows that begin at `from`, until there are enough of them, to the end of the text, or up to the row in
// which a quote stands where none may open.
template <class Unit>
PROFKIT_CSV_INLINE void index_rows(const char* text, std::size_t size, std::size_t from, char separator,
                                   row_index& into) noexcept {
  into.base = from & ~std::size_t{63};
  into.rows = 0;
  into.to_the_end = into.cut = false;
  std::uint64_t of = ~std::uint64_t{0} << (from & 63);       // the bytes that count
  std::uint64_t may_open = std::uint64_t{1} << (from & 63);  // where a quote may open a field
  std::uint64_t inside_before = 0;                           // all ones: the block begins within quotes
  std::size_t ends_so_far = 0, quoted_so_far = 0, at = into.base;
  for (; at < size; at += 64) {
    if (ends_so_far > row_index::max_ends - 64 || into.rows > row_index::max_rows ||
        at - into.base > row_index::max_bytes) {
      return;
    }
    block_masks m;
    const std::size_t left = size - at;
    if (left >= 64) {
      if (left > ahead) prefetch(text + at + ahead);
      m = Unit::masks_of(text + at, separator);
    } else {
      char rest[64] = {};
      std::memcpy(rest, text + at, left);
      m = Unit::masks_of(rest, separator);
      of &= (std::uint64_t{1} << left) - 1;  // the padding is not part of the text, whatever the separator
    }
    std::uint64_t ends = (m.separators | m.line_ends) & of;
    std::uint64_t line_ends = m.line_ends & of;
    std::uint64_t quoted = 0;
    bool stop = false;
    const std::uint64_t quotes = m.quotes & of;
    if ((quotes | inside_before) == 0) {
      may_open = ends >> 63;
    } else {
      const std::uint64_t inside = Unit::prefix_parity(quotes) ^ inside_before;
      const std::uint64_t closing = quotes & ~inside;
      quoted = line_ends & inside;
      ends &= ~inside;
      // A quote opens a field, or follows one that closed: that is a doubled one.
      const std::uint64_t openers = ends | closing;
      const std::uint64_t misplaced = quotes & inside & ~(openers << 1 | may_open);
      may_open = openers >> 63;
      inside_before = std::uint64_t{0} - (inside >> 63);
      stop = misplaced != 0;
      if (stop) ends &= below_lowest(misplaced);
      line_ends &= ends;
    }
    of = ~std::uint64_t{0};
    Unit::write_places(ends, at - into.base, into.ends + ends_so_far);
    if ((quoted | quoted_so_far) == 0 && (line_ends & (line_ends - 1)) == 0) {
      // One line end or none, mostly unforeseeable: what is written for none is written over.
      const std::uint64_t row = below_lowest(line_ends);
      into.row_ends[into.rows] = static_cast<std::uint16_t>(ends_so_far + Unit::count(ends & row) + 1);
      into.quoted_lines[into.rows] = 0;
      into.rows += line_ends != 0 ? 1 : 0;
      line_ends = 0;
    }
    for (; line_ends != 0; line_ends &= line_ends - 1) {
      const std::uint64_t row = below_lowest(line_ends);
      into.row_ends[into.rows] = static_cast<std::uint16_t>(ends_so_far + Unit::count(ends & row) + 1);
      into.quoted_lines[into.rows++] = static_cast<std::uint16_t>(quoted_so_far + Unit::count(quoted & row));
      quoted_so_far = 0;
      quoted &= ~row;
    }
    if (quoted != 0) quoted_so_far += Unit::count(quoted);
    ends_so_far += Unit::count(ends);
    if (stop) return;
  }
  const std::size_t ended = into.rows == 0 ? 0 : into.row_ends[into.rows - 1];
  const std::size_t last_row = ended == 0 ? from : into.base + into.ends[ended - 1] + 1;
  if (last_row >= size) return;
  into.to_the_end = true;
  into.cut = inside_before != 0;
  into.ends[ends_so_far] = static_cast<std::uint16_t>(size - into.base);
  into.row_ends[into.rows] = static_cast<std::uint16_t>(ends_so_far + 1);
  into.quoted_lines[into.rows++] = static_cast<std::uint16_t>(quoted_so_far);
}

inline void index_rows_plainly(const char* text, std::size_t size, std::size_t from, char separator,
                               row_index& into) noexcept {
  index_rows<plain_unit>(text, size, from, separator, into);
}

}  // namespace csv_detail

/// How rows are looked at; a faster one than the plain one gives the same.
using csv_indexer = void (*)(const char* text, std::size_t size, std::size_t from, char separator,
                             csv_detail::row_index& into) noexcept;

/// Walks the rows of a text. A quote is special at the start of a field only; what stands between a closing quote
/// and the next separator belongs to the field as it is written.
class csv_reader {
 public:
  /// The text is borrowed. A byte order mark is passed over.
  explicit csv_reader(std::string_view text, char separator = ',',
                      csv_indexer indexer = csv_detail::index_rows_plainly) noexcept
      : text_(text), separator_(separator), indexer_(indexer), row_end_(text.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0) {}

  /// Reads the next row that is not empty: its first `capacity` fields as written (quotes included, without a
  /// carriage return at the row's end) go to `fields`, the others are counted. False at the end of the text.
  bool next(std::string_view* fields, std::size_t capacity) noexcept {
    for (;;) {
      if (row_end_ >= text_.size()) return false;
      row_start_ = row_end_;
      row_line_ = line_;
      cut_ = ended_by_line_ = false;
      if (row_ == index_.rows) {
        indexer_(text_.data(), text_.size(), row_start_, separator_, index_);
        row_ = 0;
      }
      if (index_.rows == 0) {
        take_row_slowly(fields, capacity);
      } else {
        take_row(fields, capacity);
      }
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
    forget_index();
  }

 private:
  void forget_index() noexcept { row_ = index_.rows = 0; }

  void take_row(std::string_view* fields, std::size_t capacity) noexcept {
    const std::size_t first = row_ == 0 ? 0 : index_.row_ends[row_ - 1];
    const std::size_t last = index_.row_ends[row_];
    const bool to_the_end = index_.to_the_end && row_ + 1 == index_.rows;
    count_ = last - first;
    const std::size_t given = count_ < capacity ? count_ : capacity;
    const char* const base = text_.data() + index_.base;
    const char* start = text_.data() + row_start_;
    for (std::size_t i = 0; i < given; ++i) {
      const char* const end = base + index_.ends[first + i];
      fields[i] = std::string_view(start, static_cast<std::size_t>(end - start));
      start = end + 1;
    }
    if (given == count_ && !fields[given - 1].empty() && fields[given - 1].back() == '\r') {
      fields[given - 1].remove_suffix(1);
    }
    row_end_ = index_.base + index_.ends[last - 1] + (to_the_end ? 0 : 1);
    line_ += index_.quoted_lines[row_] + (to_the_end ? 0U : 1U);
    ended_by_line_ = !to_the_end;
    cut_ = to_the_end && index_.cut;
    ++row_;
  }

  [[nodiscard]] std::string_view without_return(std::size_t start, std::size_t end) const noexcept {
    if (end > start && text_[end - 1] == '\r') --end;
    return text_.substr(start, end - start);
  }

  // The row byte by byte, for text whose quotes are not what they should be.
  void take_row_slowly(std::string_view* fields, std::size_t capacity) noexcept {
    line_ = row_line_;
    forget_index();
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
  csv_indexer indexer_;
  bool cut_ = false, ended_by_line_ = false;
  std::size_t row_start_ = 0, row_end_ = 0;
  std::uint32_t row_ = 0;  // the next one of index_
  csv_detail::row_index index_;
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
