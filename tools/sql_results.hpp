// Rows that a query gave, as they come: aligned for a screen, as CSV, as a JSON document.
#pragma once
#include "output.hpp"

#include <profkit/core/result.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace profkit_tool {

using sql_value = std::variant<std::monostate, std::int64_t, double, std::string>;

// What became of the query, for the end of a document.
struct sql_outcome {
  struct loss {
    std::string uri, table, message;
  };
  std::size_t captures = 0;
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

}  // namespace profkit_tool
