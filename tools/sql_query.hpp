// Runs the query of `profkit sql`. A build without SQLite says so.
#pragma once
#include "options.hpp"

namespace profkit_tool {

int run_sql(const options& asked);

}  // namespace profkit_tool
