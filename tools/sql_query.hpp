// Runs the query of `profkit sql`. A build without SQLite says so.
#pragma once
#include "options.hpp"

#include <string>
#include <vector>

namespace profkit_tool {

struct sql_question {
  std::vector<std::string> captures;
  std::string query;
  bool list_tables = false;  // in place of the query
  bool csv = false;
};
int run_sql(const options& asked, const sql_question& question);

}  // namespace profkit_tool
