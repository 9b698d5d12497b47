#include "sql_query.hpp"

#include "exit_code.hpp"
#include "interrupt.hpp"
#include "session.hpp"
#include "sql_database.hpp"

#include <unistd.h>

#include <memory>
#include <utility>

namespace profkit_tool {
namespace {

using profkit::result;

int run_query(const options& asked, const sql_question& question, const terminal& errors) {
  result<capture_database> base = capture_database::open(asked, question.captures);
  if (!base) return fail(asked, base.error(), errors);
  if (!asked.output_path.empty()) catch_interrupts();
  auto opened = text_output::open(asked.output_path, asked.color);
  if (!opened) return fail(asked, opened.error(), errors);
  text_output out = std::move(*opened);
  const std::unique_ptr<sql_results> into = asked.json  ? json_results(out, question.query)
                                            : question.csv ? csv_results(out)
                                                        : shown_results(out, asked.wide ? 0 : out.screen().columns);
  const result<void> done = base->ask(question.query, out, *into);
  sql_outcome outcome = base->outcome();
  if (!done) outcome.error = done.error().message;
  // A file is left as it was where the query failed; standard output gets the rows before that.
  if (done || asked.output_path.empty()) {
    into->end(outcome);
    if (result<void> finished = out.finish(); !finished) return fail(asked, finished.error(), errors);
  }
  const int status = base->print_failures(asked, errors);
  return done ? status : fail(asked, done.error(), errors);
}

}  // namespace

int run_sql(const options& asked, const sql_question& question) {
  const terminal errors = look_at_terminal(STDERR_FILENO, asked.color);
  if (!question.list_tables) return run_query(asked, question, errors);
  result<text_output> out = text_output::open(asked.output_path, asked.color);
  if (!out) return fail(asked, out.error(), errors);
  print_sql_tables(*out);
  const result<void> finished = out->finish();
  return finished ? exit_ok : fail(asked, finished.error(), errors);
}

}  // namespace profkit_tool
