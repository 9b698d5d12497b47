#include <export/markdown/table.hpp>
#include <export/shortened.hpp>

#include <base/utf8.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace markdown {
namespace {

void pad(std::string& into, std::size_t columns, char with = ' ') { into.append(columns, with); }

void put(std::string& into, const std::string& cell, std::size_t width, bool is_right) {
  const std::size_t has = terminal_width(cell), missing = width > has ? width - has : 0;
  into += ' ';
  if (is_right) pad(into, missing);
  into += cell;
  if (!is_right) pad(into, missing);
  into += " |";
}

}  // namespace

std::string plain(std::string_view text) {
  std::string safe;
  for (const char c : escape_for_terminal(text)) {
    if (std::string_view("\\`*_{}[]<>#|~").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string code(std::string_view text, std::size_t most) {
  if (text.empty()) return "-";
  std::string safe = shortened(text, most);
  std::replace(safe.begin(), safe.end(), '`', '\'');
  return '`' + safe + '`';
}

table& table::column(std::string title, bool is_right) {
  titles_.push_back(std::move(title));
  right_.push_back(is_right);
  return *this;
}

void table::row(std::vector<std::string> cells) {
  cells.resize(titles_.size());
  for (std::string& cell : cells) {
    if (cell.empty()) cell = "-";
    for (std::size_t at = 0; (at = cell.find('|', at)) != std::string::npos; at += 2)
      if (at == 0 || cell[at - 1] != '\\')
        cell.insert(at, 1, '\\');
      else
        --at;
  }
  rows_.push_back(std::move(cells));
}

std::string table::text() const {
  constexpr std::size_t least = 3;
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < titles_.size(); ++c) {
    std::size_t width = std::max(least, terminal_width(titles_[c]));
    for (const auto& row : rows_) width = std::max(width, terminal_width(row[c]));
    widths.push_back(width);
  }
  std::string all = "|";
  for (std::size_t c = 0; c < titles_.size(); ++c) put(all, titles_[c], widths[c], right_[c]);
  all += "\n|";
  for (std::size_t c = 0; c < titles_.size(); ++c) {
    all += ' ';
    pad(all, widths[c] - 1, '-');
    all += right_[c] ? ": |" : "- |";
  }
  all += '\n';
  for (const auto& row : rows_) {
    all += '|';
    for (std::size_t c = 0; c < titles_.size(); ++c) put(all, row[c], widths[c], right_[c]);
    all += '\n';
  }
  return all;
}

}  // namespace markdown
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
