// Markdown tables whose columns line up in the source, too, and names that cannot break out of it.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace markdown {

// A name of the capture as plain text: no control characters, no markup, no table border.
[[nodiscard]] std::string plain(std::string_view text);
// That name in code font, with the middle left out when it is longer than `most` columns.
[[nodiscard]] std::string code(std::string_view text, std::size_t most = 48);

class table {
 public:
  table& left(std::string title) { return column(std::move(title), false); }
  table& right(std::string title) { return column(std::move(title), true); }
  // Cells are Markdown already; `|` in them is escaped. Missing cells are "-".
  void row(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
  // Heading, alignment row and rows, with a line break after each.
  [[nodiscard]] std::string text() const;

 private:
  table& column(std::string title, bool is_right);
  std::vector<std::string> titles_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace markdown
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
