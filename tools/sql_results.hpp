// Rows that a query gave, as they come: aligned for a screen, as CSV, as a JSON document.
#pragma once
#include "output.hpp"

#include <profkit/core/result.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace profkit_tool {

using sql_value = std::variant<std::monostate, std::int64_t, double, std::string>;

// What became of the query, for the end of a document.
struct sql_outcome {
  struct loss {
    std::string uri, table, message;
  };
  std::size_t captures = 0, opened = 0;
  std::vector<loss> losses;
  std::string error;  // "" where the query came to its end
};

class sql_results {
 public:
  virtual ~sql_results() = default;
  virtual void begin(const std::vector<std::string>& names) = 0;
  virtual void row(const std::vector<sql_value>& values) = 0;
  virtual void end(const sql_outcome& of) = 0;
};

// `columns`: how wide a table may be; 0: any.
std::unique_ptr<sql_results> shown_results(text_output& into, std::size_t columns);
std::unique_ptr<sql_results> csv_results(text_output& into);
std::unique_ptr<sql_results> json_results(text_output& into, const std::string& query);

// For a person: a number has six digits, NULL its name.
std::string short_value_text(const sql_value& of);
// Aligned, two columns in; at most `columns` wide (0: any).
void print_values(text_output& into, const std::vector<std::string>& names, const std::vector<std::vector<sql_value>>& rows,
                  std::size_t columns);

// Parts of documents. Text that is not UTF-8 becomes U+FFFD.
std::string json_text_of(std::string_view text);
void write_json_rows(text_output& into, const std::vector<std::string>& names, const std::vector<std::vector<sql_value>>& rows);
// The members from `captures` on, and the end.
void write_json_end(text_output& into, const sql_outcome& of);

}  // namespace profkit_tool
