#include "table.hpp"

#include <profkit/core/text.hpp>

#include <algorithm>
#include <utility>

namespace profkit_tool {

using profkit::terminal_width;

namespace {
constexpr std::size_t gutter = 2;
}  // namespace

void print_heading(text_output& out, std::string_view text) {
  if (out.wrote_anything()) out.line();
  out.line(out.screen().paint(wrap(text, out.screen().columns, 0), style::heading));
}

void print_more(text_output& out, std::uint64_t total, std::uint64_t shown, std::size_t indent) {
  if (total <= shown) return;
  const std::string text = "… " + profkit::grouped(total - shown) + " more (--limit 0 shows all)";
  out.line(std::string(indent, ' ') + out.screen().paint(text, style::dim));
}

table& table::left(std::string title) {
  columns_.push_back({std::move(title), align::left, false, cut::end, 0, false});
  return *this;
}

table& table::right(std::string title) {
  columns_.push_back({std::move(title), align::right, false, cut::end, 0, false});
  return *this;
}

table& table::flexible(std::string title, cut where, std::size_t least) {
  columns_.push_back({std::move(title), align::left, true, where, least, false});
  return *this;
}

table& table::minor() {
  columns_.back().is_minor = true;
  return *this;
}

void table::row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

void table::print(text_output& out, std::size_t columns, std::size_t indent) const {
  print_rows(out, columns, indent, rows_.size(),
             [this](std::size_t at) -> const std::vector<std::string>& { return rows_[at]; });
}

void table::print_markdown(text_output& out) const {
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (std::any_of(rows_.begin(), rows_.end(), [&](const std::vector<std::string>& cells) { return !cells[c].empty(); })) shown.push_back(c);
  const auto line = [&](auto&& cell_of) {
    std::string text = "|";
    for (const std::size_t c : shown) {
      text += ' ';
      for (const char each : cell_of(c)) text.append(each == '|' || each == '<' || each == '*' || each == '_' ? "\\" : "") += each;
      text += " |";
    }
    out.line(text);
  };
  line([&](std::size_t c) { return columns_[c].title; });
  std::string rule = "|";
  for (const std::size_t c : shown) rule += columns_[c].side == align::right ? "---:|" : "---|";
  out.line(rule);
  for (const std::vector<std::string>& cells : rows_) line([&](std::size_t c) { return cells[c]; });
}

void table::print_each(text_output& out, std::size_t columns, std::size_t rows,
                       const std::function<std::vector<std::string>(std::size_t)>& row_at, std::size_t indent) const {
  print_rows(out, columns, indent, rows, [&](std::size_t at) {
    std::vector<std::string> cells = row_at(at);
    cells.resize(columns_.size());
    return cells;
  });
}

template <class RowAt>
void table::print_rows(text_output& out, std::size_t columns, std::size_t indent, std::size_t rows,
                       RowAt&& row_at) const {
  std::vector<std::size_t> shown, width(columns_.size(), 0);
  for (std::size_t at = 0; at < rows; ++at) {
    const auto& cells = row_at(at);
    for (std::size_t c = 0; c < columns_.size(); ++c) width[c] = std::max(width[c], terminal_width(cells[c]));
  }
  bool has_titles = false;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (width[c] == 0) continue;
    width[c] = std::max(width[c], terminal_width(columns_[c].title));
    has_titles = has_titles || !columns_[c].title.empty();
    shown.push_back(c);
  }
  if (shown.empty()) return;

  std::size_t total = indent + gutter * (shown.size() - 1);
  for (const std::size_t c : shown) total += width[c];
  // The widest flexible column gives way first, so that several of them end up alike.
  while (columns != 0 && total > columns) {
    std::size_t widest = columns_.size();
    for (const std::size_t c : shown)
      if (columns_[c].gives_way && width[c] > std::max(columns_[c].least, terminal_width(columns_[c].title)) &&
          (widest == columns_.size() || width[c] > width[widest]))
        widest = c;
    if (widest == columns_.size()) break;
    --width[widest];
    --total;
  }
  std::string left_out;
  for (std::size_t at = shown.size(); out.screen().has_width && columns != 0 && total > columns && at-- > 1;) {
    const std::size_t c = shown[at];
    if (!columns_[c].is_minor) continue;
    total -= gutter + width[c];
    left_out = columns_[c].title + (left_out.empty() ? "" : ", ") + left_out;
    shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(at));
  }

  const auto print_row = [&](const std::vector<std::string>& cells, bool heading) {
    std::string text(indent, ' ');
    std::size_t pending = 0;  // blanks owed before the next cell, so that no line ends in blanks
    for (const std::size_t c : shown) {
      const std::string cell = shorten(cells[c], width[c], columns_[c].where);
      const std::size_t fill = width[c] - std::min(width[c], terminal_width(cell));
      if (columns_[c].side == align::right) pending += fill;
      if (!cell.empty()) {
        text.append(pending, ' ');
        text += cell;
        pending = 0;
      }
      pending += gutter + (columns_[c].side == align::left ? fill : 0);
    }
    out.line(heading ? out.screen().paint(text, style::dim) : text);
  };
  if (has_titles) {
    std::vector<std::string> titles;
    for (const column& c : columns_) titles.push_back(c.title);
    print_row(titles, true);
  }
  for (std::size_t at = 0; at < rows; ++at) print_row(row_at(at), false);
  if (left_out.empty()) return;
  const std::string note = wrap("no room in " + std::to_string(columns) + " columns for: " + left_out, columns, indent);
  out.line(std::string(indent, ' ') + out.screen().paint(note, style::dim));
}

}  // namespace profkit_tool
