// The same tables for every program that has SQLite: `.load profkit_sqlite`, then select profkit_open('captures/').
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "captures.hpp"
#include "fleet.hpp"
#include "fleet_tables.hpp"

SQLITE_EXTENSION_INIT1

namespace {

using profkit_sqlite::fleet;
using held_fleet = std::shared_ptr<fleet>;

void give_error(sqlite3_context* to, const char* why) { sqlite3_result_error(to, why, -1); }

// profkit_open(PATH, …): the captures that the tables are of from now on. Gives how many there are.
void open_captures(sqlite3_context* to, int count, sqlite3_value** values) {
  const held_fleet& of = *static_cast<held_fleet*>(sqlite3_user_data(to));
  if (count == 0) return give_error(to, "profkit_open() takes paths of captures");
  if (of->is_read()) return give_error(to, "profkit_open() within a query that reads captures");
  try {
    std::vector<std::string> paths;
    for (int at = 0; at < count; ++at) {
      if (sqlite3_value_type(values[at]) != SQLITE_TEXT) return give_error(to, "profkit_open() takes paths, which are text");
      paths.emplace_back(reinterpret_cast<const char*>(sqlite3_value_text(values[at])));
    }
    of->set_captures(profkit_sqlite::captures_at(paths));
    sqlite3_result_int64(to, static_cast<sqlite3_int64>(of->captures().size()));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(to);
  } catch (...) {
    give_error(to, "the paths cannot be searched");
  }
}

// profkit_failures(): in how many captures or tables something was wrong, of those that queries have read so far.
void count_failures(sqlite3_context* to, int, sqlite3_value**) {
  const held_fleet& of = *static_cast<held_fleet*>(sqlite3_user_data(to));
  sqlite3_result_int64(to, static_cast<sqlite3_int64>(of->failures().size()));
}

void free_held_fleet(void* given) { delete static_cast<held_fleet*>(given); }

#ifdef SQLITE_DIRECTONLY
constexpr int function_flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;  // not from the views and triggers of a file that somebody sent
#else
constexpr int function_flags = SQLITE_UTF8;
#endif

int add_function(sqlite3* into, const char* name, int arguments, const held_fleet& of,
                 void (*call)(sqlite3_context*, int, sqlite3_value**)) {
  return sqlite3_create_function_v2(into, name, arguments, function_flags, new held_fleet(of), call, nullptr, nullptr, free_held_fleet);
}

}  // namespace

#if defined(__GNUC__)
#define PROFKIT_SQLITE_ENTRY __attribute__((visibility("default")))
#else
#define PROFKIT_SQLITE_ENTRY
#endif

// SQLite looks for this name, which it makes of that of the file.
extern "C" PROFKIT_SQLITE_ENTRY int sqlite3_profkitsqlite_init(sqlite3* into, char** why, const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api);
  try {
    const held_fleet of = std::make_shared<fleet>();
    int status = add_function(into, "profkit_open", -1, of, open_captures);
    if (status == SQLITE_OK) status = add_function(into, "profkit_failures", 0, of, count_failures);
    // By a longer name, too: a database may have an `events` of its own.
    for (const char* const prefix : {"", "profkit_"})
      if (status == SQLITE_OK) status = profkit_sqlite::add_fleet_tables(into, of, prefix);
    if (status != SQLITE_OK && why != nullptr) *why = sqlite3_mprintf("profkit: its tables cannot be added");
    return status;
  } catch (...) {
    return SQLITE_NOMEM;
  }
}
