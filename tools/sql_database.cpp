#include "sql_database.hpp"

#include "exit_code.hpp"
#include "interrupt.hpp"
#include "quantity.hpp"
#include "session.hpp"

#include <sqlite/captures.hpp>
#include <sqlite/fleet.hpp>
#include <sqlite/fleet_tables.hpp>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <new>
#include <set>
#include <utility>

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

bool writes_over(const std::vector<std::string>& captures, const std::string& output) {
  return !output.empty() && std::any_of(captures.begin(), captures.end(), [&](const std::string& capture) {
    return is_same_file(output, capture) || !path_below(capture, output).empty();
  });
}

// The words of a query; comments have none.
std::set<std::string> words_of(const std::vector<std::string>& queries) {
  std::set<std::string> words;
  for (const std::string& query : queries) {
    std::string word;
    for (std::size_t at = 0; at <= query.size(); ++at) {
      if (query.compare(at, 2, "--") == 0) at = std::min(query.find('\n', at), query.size());
      const char c = at < query.size() ? query[at] : ' ';
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
        word += c;
      } else if (!word.empty()) {
        words.insert(std::move(word));
        word.clear();
      }
    }
  }
  return words;
}

}  // namespace

struct capture_database::parts {
  std::shared_ptr<profkit_sqlite::fleet> of = std::make_shared<profkit_sqlite::fleet>();
  permission asked;
  database db;

  // A statement of our own, which a query could not be.
  result<void> run_own(const std::string& text) {
    sqlite3_set_authorizer(db.get(), nullptr, nullptr);
    const int status = sqlite3_exec(db.get(), text.c_str(), nullptr, nullptr, nullptr);
    sqlite3_set_authorizer(db.get(), allow_reading, &asked);
    if (status != SQLITE_OK) return fault_of(db.get(), status, asked);
    return {};
  }
};

capture_database::capture_database(std::unique_ptr<parts> of) : parts_(std::move(of)) {}
capture_database::~capture_database() = default;
capture_database::capture_database(capture_database&&) noexcept = default;

result<capture_database> capture_database::open(const options& asked, const std::vector<std::string>& captures) {
  auto made = std::make_unique<parts>();
  made->of->set_captures(profkit_sqlite::captures_at(captures));
  if (made->of->captures().empty())
    return fault{fault_code::not_found, "no capture is there", captures.front(), profkit::no_offset, "is the pattern right?"};
  if (writes_over(made->of->captures(), asked.output_path)) return output_is_input(asked.output_path);
  made->of->threads = asked.threads;
  made->of->is_stopped = [] { return interrupted().load(); };
  made->db = open_database(made->of, made->asked);
  return capture_database(std::move(made));
}

result<void> capture_database::read_for(const std::vector<std::string>& queries, progress_line& progress) {
  const std::set<std::string> words = words_of(queries);
  std::vector<std::string> reads, of_runs;
  if (result<void> begun = parts_->run_own("begin"); !begun) return begun;
  for (const profkit_sqlite::shown_table& table : profkit_sqlite::shown_tables()) {
    if (words.count(table.name) == 0 || table.name == "captures" || table.name == "errors") continue;
    std::string columns;
    for (const profkit_sqlite::shown_column& column : table.columns)
      if (!column.is_filter && (words.count(column.name) != 0 || column.name == "uri" || column.name == "file"))
        columns += (columns.empty() ? "\"" : ", \"") + column.name + '"';
    const std::string selected = "select " + columns + " from main." + table.name + " where ";
    if (result<void> made = parts_->run_own("create temp table " + table.name + " as " + selected + '0'); !made) return made;
    if (table.name == "waits")  // of runs, which are not captures
      of_runs.push_back("insert into temp." + table.name + ' ' + selected + '1');
    else
      reads.push_back("insert into temp." + table.name + ' ' + selected + "uri = ");
  }
  const auto quoted_text = [](const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
    return out + '\'';
  };
  std::size_t done = 0;
  for (const std::string& uri : parts_->of->captures()) {
    progress.count(done++, parts_->of->captures().size(), "captures");
    for (const std::string& read : reads)
      if (result<void> ran = parts_->run_own(read + quoted_text(uri)); !ran) return ran;
    if (words.count("errors") != 0 && !profkit_sqlite::check_capture(*parts_->of, uri))
      return fault{fault_code::cancelled, "interrupted", "", profkit::no_offset, ""};
  }
  for (const std::string& read : of_runs)
    if (result<void> ran = parts_->run_own(read); !ran) return ran;
  if (words.count("errors") != 0) {
    const std::string made_as = "create temp table errors (uri text, table_name text, message text, hint text)";
    if (result<void> made = parts_->run_own(made_as); !made) return made;
    for (const profkit_sqlite::failure& one : parts_->of->failures()) {
      std::string values = quoted_text(one.uri);
      for (const std::string* const text : {&one.table, &one.message, &one.hint}) values += ", nullif(" + quoted_text(*text) + ", '')";
      if (result<void> done = parts_->run_own("insert into temp.errors values (" + values + ')'); !done) return done;
    }
  }
  return parts_->run_own("commit");
}

result<void> capture_database::ask(const std::string& query, const text_output& out, sql_results& into) {
  parts_->asked = {};
  result<statement> prepared = prepare(parts_->db.get(), query, parts_->asked);
  if (!prepared) return prepared.error();
  return write_rows(parts_->db.get(), prepared->get(), parts_->asked, out, into);
}

sql_outcome capture_database::outcome() const {
  sql_outcome found;
  found.captures = parts_->of->captures().size();
  found.opened = parts_->of->captures_opened();
  for (const profkit_sqlite::failure& one : parts_->of->failures()) found.losses.push_back({one.uri, one.table, one.message});
  return found;
}

int capture_database::print_failures(const options& asked, const terminal& errors) const {
  const std::vector<profkit_sqlite::failure>& all = parts_->of->failures();
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
  if (parts_->of->captures_opened() == 0) return are_missing ? exit_not_found : exit_unreadable;
  return asked.strict ? exit_unreadable : exit_partial;
}

void print_sql_tables(text_output& out) {
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

}  // namespace profkit_tool
