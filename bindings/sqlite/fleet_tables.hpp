// The tables of captures as virtual tables of SQLite.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <sqlite3ext.h>

namespace profkit_sqlite {

class fleet;

// A column as SQL has it, in tables of captures and in those about them.
struct shown_column {
  std::string name, type, meaning;
  bool is_filter = false;  // hidden: takes a value for the reader
};
struct shown_table {
  std::string name, meaning;
  std::vector<shown_column> columns;
};
[[nodiscard]] std::vector<shown_table> shown_tables();

// Makes every table of them a name in all queries of the connection: files, ops, …, captures and errors, each with `prefix` before it.
// They live as long as the connection. Gives a status of SQLite.
int add_fleet_tables(sqlite3* into, const std::shared_ptr<fleet>& of, const std::string& prefix = {});

}  // namespace profkit_sqlite
