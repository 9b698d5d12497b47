// The captures that a command was given, as tables of SQLite.
#pragma once
#include "output.hpp"
#include "progress.hpp"
#include "sql_results.hpp"

#include <profkit/core/result.hpp>

#include <memory>
#include <string>
#include <vector>

namespace profkit_tool {

class capture_database {
 public:
  // Finds the captures at the paths of `asked`. A fault where none is there, or where the output would replace one.
  static profkit::result<capture_database> open(const options& asked, const std::vector<std::string>& captures);
  ~capture_database();
  capture_database(capture_database&&) noexcept;

  // Reads once, a capture at a time, what these queries need: queries after that ask what was read.
  profkit::result<void> read_for(const std::vector<std::string>& queries, progress_line& progress);
  // Gives all rows, unless the output fails.
  profkit::result<void> ask(const std::string& query, const text_output& out, sql_results& into);

  [[nodiscard]] sql_outcome outcome() const;
  // What was wrong with captures, on standard error. Gives the exit status.
  int print_failures(const options& asked, const terminal& errors) const;

 private:
  struct parts;
  explicit capture_database(std::unique_ptr<parts> of);
  std::unique_ptr<parts> parts_;
};

void print_sql_tables(text_output& out);

}  // namespace profkit_tool
