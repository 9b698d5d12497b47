#include "sql_results.hpp"

#include "quantity.hpp"
#include "table.hpp"

#include <profkit/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace profkit_tool {
namespace {

// The shortest text of 15 to 17 digits that reads back equal.
std::string number_text(double value) {
  char text[40];
  for (const int digits : {15, 16, 17}) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  const std::string_view made(text);
  return std::string(made) + (made.find_first_of(".en") == std::string_view::npos ? ".0" : "");
}

// How many bytes from `at` on are one character of UTF-8; 0: none is.
std::size_t character_bytes(std::string_view text, std::size_t at) noexcept {
  const auto byte = [&](std::size_t more) {
    return at + more < text.size() ? static_cast<unsigned char>(text[at + more]) : static_cast<unsigned char>(0);
  };
  const auto follows = [&](std::size_t more) { return (byte(more) & 0xc0) == 0x80; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    const bool is_short = first == 0xe0 && second < 0xa0, is_surrogate = first == 0xed && second >= 0xa0;
    return follows(1) && follows(2) && !is_short && !is_surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first < 0xf5) {
    const bool is_short = first == 0xf0 && second < 0x90, is_beyond = first == 0xf4 && second >= 0x90;
    return follows(1) && follows(2) && follows(3) && !is_short && !is_beyond ? 4 : 0;
  }
  return 0;
}

// Bytes that are not UTF-8 become U+FFFD.
std::string valid_text(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = character_bytes(text, at);
    out += bytes == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(at, bytes);
    at += std::max<std::size_t>(bytes, 1);
  }
  return out;
}

std::string quoted_json(std::string_view given) {
  std::string out = "\"";
  for (const char c : valid_text(given)) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

void print_cells(text_output& into, const std::vector<std::string>& names, const std::vector<bool>& are_numbers,
                 const std::vector<std::vector<std::string>>& rows, std::size_t columns, std::size_t indent) {
  table shown;
  for (std::size_t at = 0; at < names.size(); ++at) {
    const std::string name = profkit::escape_for_terminal(names[at]);
    if (are_numbers[at])
      shown.right(name);
    else
      shown.flexible(name, cut::middle, 12);
  }
  shown.print_each(into, columns, rows.size(), [&](std::size_t at) { return rows[at]; }, indent);
}

std::string json_row(const std::vector<sql_value>& values) {
  std::string line = "[";
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (at != 0) line += ", ";
    if (const auto* const text = std::get_if<std::string>(&values[at]))
      line += quoted_json(*text);
    else if (const auto* const number = std::get_if<double>(&values[at]))
      line += std::isfinite(*number) ? number_text(*number) : "null";
    else if (const auto* const whole = std::get_if<std::int64_t>(&values[at]))
      line += std::to_string(*whole);
    else
      line += "null";
  }
  return line + ']';
}

std::string json_names(const std::vector<std::string>& names) {
  std::string line = "  \"columns\": [";
  for (std::size_t at = 0; at < names.size(); ++at) line += (at == 0 ? "" : ", ") + quoted_json(names[at]);
  return line + "],\n  \"rows\": [";
}

class shown_rows final : public sql_results {
 public:
  shown_rows(text_output& into, std::size_t columns) : into_(into), columns_(columns) {}
  void begin(const std::vector<std::string>& names) override {
    names_ = names;
    are_numbers_.assign(names.size(), true);
  }
  void row(const std::vector<sql_value>& values) override {
    std::vector<std::string> cells;
    for (std::size_t at = 0; at < values.size(); ++at) {
      if (const auto* const text = std::get_if<std::string>(&values[at])) {
        are_numbers_[at] = false;
        cells.push_back(text->empty() ? "''" : profkit::escape_for_terminal(*text));
      } else if (const auto* const number = std::get_if<double>(&values[at])) {
        cells.push_back(number_text(*number));
      } else if (const auto* const whole = std::get_if<std::int64_t>(&values[at])) {
        cells.push_back(std::to_string(*whole));
      } else {
        cells.emplace_back("NULL");
      }
    }
    rows_.push_back(std::move(cells));
  }
  void end(const sql_outcome& of) override {
    if (!rows_.empty())
      print_cells(into_, names_, are_numbers_, rows_, columns_, 0);
    else if (of.error.empty())
      into_.line("no rows");
  }

 private:
  text_output& into_;
  const std::size_t columns_;
  std::vector<std::string> names_;
  std::vector<bool> are_numbers_;
  std::vector<std::vector<std::string>> rows_;
};

// RFC 4180, with a line of names. NULL is an empty cell, an empty text is "".
class csv_rows final : public sql_results {
 public:
  explicit csv_rows(text_output& into) : into_(into) {}
  void begin(const std::vector<std::string>& names) override {
    std::string line;
    for (std::size_t at = 0; at < names.size(); ++at) line += (at == 0 ? "" : ",") + csv_cell(names[at]);
    into_.write(line + "\r\n");
  }
  void row(const std::vector<sql_value>& values) override {
    std::string line;
    for (std::size_t at = 0; at < values.size(); ++at) {
      if (at != 0) line += ',';
      if (const auto* const text = std::get_if<std::string>(&values[at]))
        line += csv_cell(*text);
      else if (const auto* const number = std::get_if<double>(&values[at]))
        line += number_text(*number);
      else if (const auto* const whole = std::get_if<std::int64_t>(&values[at]))
        line += std::to_string(*whole);
    }
    into_.write(line + "\r\n");
  }
  void end(const sql_outcome&) override {}

 private:
  static std::string csv_cell(const std::string& text) {
    const std::string valid = valid_text(text);
    if (!valid.empty() && valid.find_first_of(",\"\r\n") == std::string::npos) return valid;
    std::string out = "\"";
    for (const char c : valid)  // on one line, for many programs read a line at a time
      out += c == '"' ? std::string("\"\"") : c == '\n' ? std::string("\\n") : c == '\r' ? std::string("\\r") : std::string(1, c);
    return out + '"';
  }

  text_output& into_;
};

class json_rows final : public sql_results {
 public:
  json_rows(text_output& into, std::string query) : into_(into), query_(std::move(query)) {}
  void begin(const std::vector<std::string>& names) override {
    is_begun_ = true;
    into_.write("{\n  \"schema\": \"profkit.sql\",\n  \"version\": 1,\n  \"query\": " + quoted_json(query_) + ",\n" + json_names(names));
  }
  void row(const std::vector<sql_value>& values) override {
    into_.write((rows_++ == 0 ? "\n    " : ",\n    ") + json_row(values));
  }
  void end(const sql_outcome& of) override {
    if (!is_begun_) begin({});
    into_.write(rows_ == 0 ? "],\n" : "\n  ],\n");
    write_json_end(into_, of);
  }

 private:
  text_output& into_;
  const std::string query_;
  std::size_t rows_ = 0;
  bool is_begun_ = false;
};

}  // namespace

std::string short_value_text(const sql_value& of) {
  if (const auto* const text = std::get_if<std::string>(&of)) return *text;
  if (const auto* const whole = std::get_if<std::int64_t>(&of)) return std::to_string(*whole);
  if (!std::holds_alternative<double>(of)) return "";  // what is not known is an empty cell
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", std::get<double>(of));
  return text;
}

void print_values(text_output& into, const std::vector<std::string>& names, const std::vector<std::vector<sql_value>>& rows,
                  std::size_t columns) {
  std::vector<bool> are_numbers(names.size(), true);
  std::vector<std::vector<std::string>> cells;
  for (const std::vector<sql_value>& row : rows) {
    std::vector<std::string>& shown = cells.emplace_back();
    for (std::size_t at = 0; at < row.size(); ++at) {
      if (std::holds_alternative<std::string>(row[at])) are_numbers[at] = false;
      shown.push_back(profkit::escape_for_terminal(short_value_text(row[at])));
    }
  }
  print_cells(into, names, are_numbers, cells, columns, 2);
}

std::string json_text_of(std::string_view text) { return quoted_json(text); }

void write_json_rows(text_output& into, const std::vector<std::string>& names, const std::vector<std::vector<sql_value>>& rows) {
  into.write(json_names(names));
  for (std::size_t at = 0; at < rows.size(); ++at) into.write((at == 0 ? "\n    " : ",\n    ") + json_row(rows[at]));
  into.write(rows.empty() ? "]" : "\n  ]");
}

void write_json_end(text_output& into, const sql_outcome& of) {
  into.write("  \"captures\": " + std::to_string(of.captures) + ",\n  \"errors\": [");
  for (std::size_t at = 0; at < of.losses.size(); ++at) {
    const sql_outcome::loss& one = of.losses[at];
    into.write(std::string(at == 0 ? "" : ",") + "\n    {\"uri\": " + quoted_json(one.uri) + ", \"table_name\": " +
               (one.table.empty() ? "null" : quoted_json(one.table)) + ", \"message\": " + quoted_json(one.message) + '}');
  }
  const bool is_whole = of.losses.empty();
  std::string reason = of.error;
  if (reason.empty() && !is_whole)
    reason = count_of(of.losses.size(), "capture or table", "captures or tables") + " cannot be read, or not to the end";
  const bool has_nothing = !is_whole && of.opened == 0;
  const char* const status = !of.error.empty() || has_nothing ? "\"error\"" : is_whole ? "\"ok\"" : "\"partial\"";
  into.write(std::string(is_whole ? "],\n" : "\n  ],\n") + "  \"status\": " + status + ",\n  \"reason\": " +
             (reason.empty() ? "null" : quoted_json(reason)) + "\n}\n");
}

std::unique_ptr<sql_results> shown_results(text_output& into, std::size_t columns) {
  return std::make_unique<shown_rows>(into, columns);
}
std::unique_ptr<sql_results> csv_results(text_output& into) { return std::make_unique<csv_rows>(into); }
std::unique_ptr<sql_results> json_results(text_output& into, const std::string& query) {
  return std::make_unique<json_rows>(into, query);
}

}  // namespace profkit_tool
