#include "fleet_report.hpp"
#include "session.hpp"
#include "sql_query.hpp"

#include <unistd.h>

namespace profkit_tool {

namespace {

int fail_without_sql(const options& asked) {
  profkit::fault why;
  why.code = profkit::fault_code::unsupported;
  why.message = "this profkit was built without SQL";
  why.hint = "install the development files of SQLite (on Debian: libsqlite3-dev) and build it with -Dsql=enabled";
  return fail(asked, why, look_at_terminal(STDERR_FILENO, asked.color));
}

}  // namespace

int run_sql(const options& asked, const sql_question&) { return fail_without_sql(asked); }
int run_fleet(const options& asked, const std::vector<std::string>&, const std::vector<std::string>&) { return fail_without_sql(asked); }

}  // namespace profkit_tool
