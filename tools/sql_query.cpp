#include "sql_query.hpp"

#include "exit_code.hpp"
#include "interrupt.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "sql_results.hpp"

#include <profkit/core/text.hpp>

#include <sqlite/captures.hpp>
#include <sqlite/fleet.hpp>
#include <sqlite/fleet_tables.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace profkit_tool {
namespace {

using profkit::fault;
using profkit::fault_code;
using profkit::result;

// What a query may do: read. What it was refused is kept for the message.
struct permission {
  const char* refused = nullptr;
};

const char* name_of_action(int action) noexcept {
  switch (action) {
    case SQLITE_ATTACH: return "ATTACH";
    case SQLITE_DETACH: return "DETACH";
    case SQLITE_PRAGMA: return "PRAGMA";
    case SQLITE_FUNCTION: return "this function";
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE: return "changing rows";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT: return "a transaction";
    default: return "making or changing tables";
  }
}

int allow_reading(void* user, int action, const char*, const char* second, const char*, const char*) {
  bool allowed = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE;
  if (action == SQLITE_FUNCTION) allowed = std::strcmp(second, "load_extension") != 0;
  if (!allowed) static_cast<permission*>(user)->refused = name_of_action(action);
  return allowed ? SQLITE_OK : SQLITE_DENY;
}

struct database_closer {
  void operator()(sqlite3* opened) const noexcept { sqlite3_close_v2(opened); }
};
struct statement_closer {
  void operator()(sqlite3_stmt* prepared) const noexcept { sqlite3_finalize(prepared); }
};
using database = std::unique_ptr<sqlite3, database_closer>;
using statement = std::unique_ptr<sqlite3_stmt, statement_closer>;

database open_database(const std::shared_ptr<profkit_sqlite::fleet>& of, permission& asked) {
  sqlite3* opened = nullptr;
  const int wrong = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  database made(opened);
  if (wrong != SQLITE_OK || profkit_sqlite::add_fleet_tables(opened, of) != SQLITE_OK) throw std::bad_alloc();
  // What a table looks like is said to SQLite as a CREATE TABLE, which no query may do: once, before that.
  for (const profkit_sqlite::shown_table& table : profkit_sqlite::shown_tables())
    sqlite3_exec(opened, ("select 1 from " + table.name + " where 0").c_str(), nullptr, nullptr, nullptr);
  for (const char* const own : {"select 1 from json_each('[]')", "select 1 from json_tree('[]')"})
    sqlite3_exec(opened, own, nullptr, nullptr, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_set_authorizer(opened, allow_reading, &asked);
  constexpr int steps_between_looks = 10000;
  sqlite3_progress_handler(opened, steps_between_looks, [](void*) { return interrupted() ? 1 : 0; }, nullptr);
  return made;
}

fault wrong_query(std::string message, std::string hint) {
  return {fault_code::invalid_argument, std::move(message), "", profkit::no_offset, std::move(hint)};
}

// What SQLite says, and what to do.
fault fault_of(sqlite3* db, int status, const permission& asked) {
  if (status == SQLITE_NOMEM) throw std::bad_alloc();
  if (status == SQLITE_INTERRUPT) return {fault_code::cancelled, "interrupted", "", profkit::no_offset, ""};
  const std::string said = sqlite3_errmsg(db);
  const auto says = [&](const char* what) { return said.find(what) != std::string::npos; };
  if (asked.refused != nullptr)
    return wrong_query(std::string("a query only reads: ") + asked.refused + " is not allowed (" + said + ')', "");
  if (says("no such table") || says("no such column"))
    return wrong_query(said, "`profkit sql --tables` lists the tables and their columns");
  if (says("integer overflow"))
    return wrong_query(said, "64 bits hold 106 days of picoseconds: take total(x), or sum(x / 1000) for nanoseconds");
  if ((status & 0xff) == SQLITE_ERROR) return wrong_query(said, "");
  return {fault_code::output, said, "", profkit::no_offset, "SQLite puts what it sorts into temporary files: see SQLITE_TMPDIR"};
}

sql_value value_at(sqlite3_stmt* of, int column) {
  switch (sqlite3_column_type(of, column)) {
    case SQLITE_INTEGER: return static_cast<std::int64_t>(sqlite3_column_int64(of, column));
    case SQLITE_FLOAT: return sqlite3_column_double(of, column);
    case SQLITE_NULL: return std::monostate();
    case SQLITE_BLOB: {
      constexpr char digits[] = "0123456789abcdef";
      const auto* const bytes = static_cast<const unsigned char*>(sqlite3_column_blob(of, column));
      std::string text;
      for (int at = 0; at < sqlite3_column_bytes(of, column); ++at) (text += digits[bytes[at] >> 4]) += digits[bytes[at] & 15];
      return text;
    }
    default: {
      const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(of, column));
      return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(of, column)));
    }
  }
}

result<statement> prepare(sqlite3* db, const std::string& query, const permission& asked) {
  sqlite3_stmt* prepared = nullptr;
  const char* rest = nullptr;
  const int status = sqlite3_prepare_v2(db, query.c_str(), -1, &prepared, &rest);
  statement made(prepared);
  if (status != SQLITE_OK) return fault_of(db, status, asked);
  if (made == nullptr) return wrong_query("there is no query", "write one, as in \"select name, self_ps from ops limit 5\"");
  sqlite3_stmt* second = nullptr;
  const int more = sqlite3_prepare_v2(db, rest, -1, &second, nullptr);
  const statement other(second);
  if (more != SQLITE_OK || other != nullptr) return wrong_query("there is more than one query", "give them one by one");
  if (sqlite3_column_count(made.get()) == 0) return wrong_query("this gives no rows", "a query begins with select, or with with");
  if (sqlite3_bind_parameter_count(made.get()) != 0) return wrong_query("a query has no place for values (?, :name)", "write the values");
  return made;
}

result<void> write_rows(sqlite3* db, sqlite3_stmt* prepared, const permission& asked, const text_output& out, sql_results& into) {
  std::vector<std::string> names;
  for (int at = 0; at < sqlite3_column_count(prepared); ++at) names.emplace_back(sqlite3_column_name(prepared, at));
  into.begin(names);
  std::vector<sql_value> values(names.size());
  int status = SQLITE_ROW;
  while (!out.failed() && (status = sqlite3_step(prepared)) == SQLITE_ROW) {
    for (std::size_t at = 0; at < values.size(); ++at) values[at] = value_at(prepared, static_cast<int>(at));
    into.row(values);
  }
  if (out.failed() || status == SQLITE_DONE) return {};
  return fault_of(db, status, asked);
}

void print_shown_tables(text_output& out) {
  for (const profkit_sqlite::shown_table& shown : profkit_sqlite::shown_tables()) {
    out.line(shown.name + ": " + shown.meaning);
    std::size_t width = 0;
    for (const auto& column : shown.columns) width = std::max(width, column.name.size());
    for (const auto& column : shown.columns)
      out.line("  " + column.name + std::string(width - column.name.size() + 2, ' ') + (column.type == "TEXT" ? "text     " : "integer  ") +
               (column.is_filter ? "filter: " : "") + column.meaning);
    out.line();
  }
}

bool writes_over(const std::vector<std::string>& captures, const std::string& output) {
  return !output.empty() && std::any_of(captures.begin(), captures.end(), [&](const std::string& capture) {
    return is_same_file(output, capture) || !path_below(capture, output).empty();
  });
}

// What was wrong with captures, on standard error. Gives the exit status.
int print_failures(const options& asked, const profkit_sqlite::fleet& of, const terminal& errors) {
  const std::vector<profkit_sqlite::failure>& all = of.failures();
  if (all.empty()) return exit_ok;
  constexpr std::size_t most = 10;
  bool are_missing = true;
  for (std::size_t at = 0; at < all.size(); ++at) {
    are_missing = are_missing && all[at].code == PK_E_NOT_FOUND;
    if (at >= most) continue;
    fault why;
    why.code = fault_code::damaged;
    why.path = all[at].uri;
    why.message = all[at].message;
    print_fault(why, errors, !asked.strict && !all[at].table.empty());
  }
  if (all.size() > most) {
    fault why;
    why.code = fault_code::damaged;
    why.message = count_of(all.size() - most, "more error") + "; the table `errors` has all of them";
    print_fault(why, errors, !asked.strict);
  }
  if (of.captures_opened() == 0) return are_missing ? exit_not_found : exit_unreadable;
  return asked.strict ? exit_unreadable : exit_partial;
}

int run_query(const options& asked, const terminal& errors) {
  const auto of = std::make_shared<profkit_sqlite::fleet>();
  of->set_captures(profkit_sqlite::captures_at(asked.captures));
  if (of->captures().empty())
    return fail(asked, {fault_code::not_found, "no capture is there", asked.captures.front(), profkit::no_offset, "is the pattern right?"},
                errors);
  of->threads = asked.threads;
  of->is_stopped = [] { return interrupted().load(); };
  if (writes_over(of->captures(), asked.output_path)) return fail(asked, output_is_input(asked.output_path), errors);
  permission given;
  const database db = open_database(of, given);
  if (!asked.output_path.empty()) catch_interrupts();
  auto opened = text_output::open(asked.output_path, asked.color);
  if (!opened) return fail(asked, opened.error(), errors);
  text_output out = std::move(*opened);
  const std::unique_ptr<sql_results> into = asked.json  ? json_results(out, asked.query)
                                            : asked.csv ? csv_results(out)
                                                        : shown_results(out, asked.wide ? 0 : out.screen().columns);
  result<statement> prepared = prepare(db.get(), asked.query, given);
  result<void> done;
  if (prepared)
    done = write_rows(db.get(), prepared->get(), given, out, *into);
  else
    done = prepared.error();
  sql_outcome outcome;
  outcome.captures = of->captures().size();
  for (const profkit_sqlite::failure& one : of->failures()) outcome.losses.push_back({one.uri, one.table, one.message});
  if (!done) outcome.error = done.error().message;
  // A file is left as it was where the query failed; whoever reads standard output is given the rows before that.
  if (done || asked.output_path.empty()) {
    into->end(outcome);
    if (result<void> finished = out.finish(); !finished) return fail(asked, finished.error(), errors);
  }
  const int status = print_failures(asked, *of, errors);
  return done ? status : fail(asked, done.error(), errors);
}

}  // namespace

int run_sql(const options& asked) {
  const terminal errors = look_at_terminal(STDERR_FILENO, asked.color);
  if (!asked.list_tables) return run_query(asked, errors);
  result<text_output> out = text_output::open(asked.output_path, asked.color);
  if (!out) return fail(asked, out.error(), errors);
  print_shown_tables(*out);
  const result<void> finished = out->finish();
  return finished ? exit_ok : fail(asked, finished.error(), errors);
}

}  // namespace profkit_tool
