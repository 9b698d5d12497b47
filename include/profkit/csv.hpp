// Rows of comma-separated text (RFC 4180), without a copy: quoted fields with separators, line ends and doubled
// quotes in them, CRLF or LF, a byte order mark, a last row that was cut. Header-only, standard library only, no
// allocation, no exception. Sixty-four bytes are classified at a time.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

namespace csv_detail {

inline unsigned lowest_bit(std::uint64_t mask) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  return static_cast<unsigned>(__builtin_ctzll(mask));
#else
  unsigned at = 0;
  while ((mask & 1) == 0) mask >>= 1, ++at;
  return at;
#endif
}

inline unsigned count_bits(std::uint64_t mask) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  return static_cast<unsigned>(__builtin_popcountll(mask));
#else
  unsigned count = 0;
  for (; mask != 0; mask &= mask - 1) ++count;
  return count;
#endif
}

// Which of 64 bytes are what: bit i stands for byte i.
struct block_masks {
  std::uint64_t separators = 0, line_ends = 0, quotes = 0;
};

#if defined(__SSE2__) && (defined(__GNUC__) || defined(__clang__))
using bytes16 = char __attribute__((vector_size(16)));

inline std::uint64_t equal_in(const bytes16* four, char wanted) noexcept {
  bytes16 pattern;
  std::memset(&pattern, wanted, sizeof pattern);
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const auto equal = reinterpret_cast<bytes16>(four[i] == pattern);
    mask |= static_cast<std::uint64_t>(static_cast<std::uint16_t>(__builtin_ia32_pmovmskb128(equal))) << (16 * i);
  }
  return mask;
}

inline block_masks classify(const char* at, char separator) noexcept {
  bytes16 four[4];
  std::memcpy(four, at, 64);
  return {equal_in(four, separator), equal_in(four, '\n'), equal_in(four, '"')};
}
#else
inline std::uint64_t equal_in(const unsigned char* at, char wanted) noexcept {
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < 64; ++i) mask |= std::uint64_t{at[i] == static_cast<unsigned char>(wanted)} << i;
  return mask;
}

inline block_masks classify(const char* at, char separator) noexcept {
  unsigned char bytes[64];
  std::memcpy(bytes, at, 64);
  return {equal_in(bytes, separator), equal_in(bytes, '\n'), equal_in(bytes, '"')};
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
      begin_row();
      while (count_ < capacity && more_) take_field(fields[count_]);
      if (more_) skip_fields();
      row_end_ = at_;
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
  void begin_row() noexcept {
    row_start_ = at_ = row_end_;
    row_line_ = line_;
    count_ = 0;
    more_ = true;
    cut_ = ended_by_line_ = false;
  }

  // Looks at the block around `at_`.
  void load() noexcept {
    const std::size_t base = at_ & ~std::size_t{63};
    if (base == base_) return;
    base_ = base;
    if (text_.size() - base >= 64) {
      masks_ = csv_detail::classify(text_.data() + base, separator_);
      return;
    }
    char rest[64] = {};
    std::memcpy(rest, text_.data() + base, text_.size() - base);
    masks_ = csv_detail::classify(rest, separator_);
    // The padding is not part of the text, whatever the separator.
    const std::uint64_t real = (std::uint64_t{1} << (text_.size() - base)) - 1;
    masks_ = {masks_.separators & real, masks_.line_ends & real, masks_.quotes & real};
  }
  [[nodiscard]] std::uint64_t from_here() const noexcept { return ~std::uint64_t{0} << (at_ & 63); }

  // Moves at_ to the next separator or line end, or to the end of the text.
  void find_field_end() noexcept {
    while (at_ < text_.size()) {
      load();
      const std::uint64_t ends = (masks_.separators | masks_.line_ends) & from_here();
      if (ends != 0) {
        at_ = base_ + csv_detail::lowest_bit(ends);
        return;
      }
      at_ = base_ + 64;
    }
    at_ = text_.size();
  }

  // at_ stands on an opening quote; moves past the closing one.
  void pass_quoted() noexcept {
    ++at_;
    for (;;) {
      const auto* quote = at_ >= text_.size()
                              ? nullptr
                              : static_cast<const char*>(std::memchr(text_.data() + at_, '"', text_.size() - at_));
      const std::size_t end = quote == nullptr ? text_.size() : static_cast<std::size_t>(quote - text_.data());
      for (std::size_t i = at_; i < end; ++line_, ++i) {
        const auto* line_end = static_cast<const char*>(std::memchr(text_.data() + i, '\n', end - i));
        if (line_end == nullptr) break;
        i = static_cast<std::size_t>(line_end - text_.data());
      }
      if (quote == nullptr) {
        at_ = text_.size();
        cut_ = true;
        return;
      }
      at_ = end + 1;
      if (at_ >= text_.size() || text_[at_] != '"') return;
      ++at_;
    }
  }

  void take_field(std::string_view& into) noexcept {
    const std::size_t start = at_;
    if (at_ < text_.size() && text_[at_] == '"') pass_quoted();
    find_field_end();
    std::size_t end = at_;
    if (at_ < text_.size() && text_[at_] == separator_) {
      ++at_;
    } else {
      end_row();
      if (end > start && text_[end - 1] == '\r') --end;
    }
    into = text_.substr(start, end - start);
    ++count_;
  }

  // at_ stands on a line end or at the end of the text.
  void end_row() noexcept {
    more_ = false;
    if (at_ >= text_.size()) return;
    ++at_;
    ++line_;
    ended_by_line_ = true;
  }

  // Counts the fields up to the row's end, a block at a time where it has no quotes.
  void skip_fields() noexcept {
    std::string_view ignored;
    while (more_) {
      if (at_ >= text_.size()) {
        take_field(ignored);  // an empty last field
        return;
      }
      load();
      const std::uint64_t ahead = from_here();
      const std::uint64_t ends = masks_.line_ends & ahead;
      const std::uint64_t row = ends == 0 ? ahead : ahead & ((ends & (~ends + 1)) - 1);
      if ((masks_.quotes & row) != 0) {
        take_field(ignored);
        continue;
      }
      const std::uint64_t separators = masks_.separators & row;
      if (ends != 0) {
        count_ += csv_detail::count_bits(separators) + 1;
        at_ = base_ + csv_detail::lowest_bit(ends);
        end_row();
        return;
      }
      // On to the block's end, but not into the middle of a field that may begin with a quote there: the field
      // start behind the last separator is kept by taking that field whole.
      if (separators == 0) {
        take_field(ignored);
        continue;
      }
      count_ += csv_detail::count_bits(separators);
      std::uint64_t last = separators;
      while ((last & (last - 1)) != 0) last &= last - 1;
      at_ = base_ + csv_detail::lowest_bit(last) + 1;
      take_field(ignored);
    }
  }

  static bool is_blank(std::string_view row) noexcept {
    return row.empty() || row == "\n" || row == "\r\n" || row == "\r";
  }

  std::string_view text_;
  char separator_;
  std::size_t row_start_ = 0, row_end_ = 0, at_ = 0;
  std::size_t base_ = ~std::size_t{0};
  csv_detail::block_masks masks_;
  std::size_t count_ = 0;
  std::uint64_t line_ = 1, row_line_ = 1;
  bool more_ = false, cut_ = false, ended_by_line_ = false;
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
