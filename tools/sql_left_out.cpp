#include "session.hpp"
#include "sql_query.hpp"

#include <unistd.h>

namespace profkit_tool {

int run_sql(const options& asked) {
  profkit::fault why;
  why.code = profkit::fault_code::unsupported;
  why.message = "this profkit was built without SQL";
  why.hint = "install the development files of SQLite (on Debian: libsqlite3-dev) and build it with -Dsql=enabled";
  return fail(asked, why, look_at_terminal(STDERR_FILENO, asked.color));
}

}  // namespace profkit_tool
