// Aligned columns for people. Cells are escaped for a terminal already.
#pragma once
#include "output.hpp"
#include "text.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit_tool {

constexpr std::uint64_t default_rows = 20;   ///< of a table, unless the command line says
constexpr std::size_t report_columns = 100;  ///< of what is made for reading, on a wide screen

/// How many of the rows to print: one more than `most` is printed rather than called "1 more".
[[nodiscard]] inline std::size_t shown_of(std::size_t rows, std::size_t most) noexcept {
  return rows <= most + 1 ? rows : most;
}

/// The rows that a limit keeps (0: all).
[[nodiscard]] inline std::size_t rows_within(std::size_t rows, std::uint64_t limit) noexcept {
  return limit == 0 || limit > rows ? rows : static_cast<std::size_t>(limit);
}

// A heading over a part of the output; a blank line before it unless it is the first.
void print_heading(text_output& out, std::string_view text);
// "… 480 more (--limit 0 shows all)" when fewer rows than `total` were shown.
void print_more(text_output& out, std::uint64_t total, std::uint64_t shown, std::size_t indent = 2);

class table {
 public:
  enum class align { left, right };

  // A flexible column gives way when a row is wider than the screen; `where` says which part of a cell
  // goes, `least` how many columns it keeps at least.
  table& left(std::string title);
  table& right(std::string title);
  table& flexible(std::string title, cut where = cut::end, std::size_t least = 16);
  // The last column given is left out where a terminal has no room for all, those further to the right first; the table names it.
  table& minor();

  void row(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  // It has `limit` rows (0: never).
  [[nodiscard]] bool is_full(std::uint64_t limit) const noexcept { return limit != 0 && rows_.size() >= limit; }

  // Prints a heading and the rows, indented, at most `columns` wide (0: as wide as needed). Columns that are
  // empty in every row are left out. The heading is left out when no column has a title.
  void print(text_output& out, std::size_t columns, std::size_t indent = 2) const;
  // The same as Markdown; cells whole.
  void print_markdown(text_output& out) const;
  // print() for rows that are not kept: `row_at` is called twice for each, and gives the same cells each time.
  void print_each(text_output& out, std::size_t columns, std::size_t rows,
                  const std::function<std::vector<std::string>(std::size_t)>& row_at, std::size_t indent = 2) const;

 private:
  template <class RowAt>
  void print_rows(text_output& out, std::size_t columns, std::size_t indent, std::size_t rows, RowAt&& row_at) const;

  struct column {
    std::string title;
    align side = align::left;
    bool gives_way = false;
    cut where = cut::end;
    std::size_t least = 0;
    bool is_minor = false;
  };
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace profkit_tool
