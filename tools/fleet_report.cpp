#include "fleet_report.hpp"

#include "exit_code.hpp"
#include "fleet_questions.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "sql_database.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/text.hpp>

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace profkit_tool {
namespace {

using profkit::result;

// Keeps the rows.
class kept_rows final : public sql_results {
 public:
  void begin(const std::vector<std::string>& given) override { names = given; }
  void row(const std::vector<sql_value>& values) override { rows.push_back(values); }
  void end(const sql_outcome&) override {}

  std::vector<std::string> names;
  std::vector<std::vector<sql_value>> rows;
};

struct answer {
  fleet_question question;
  kept_rows found;
};

std::size_t captures_with_errors(const sql_outcome& of) {
  std::vector<std::string_view> uris;
  for (const sql_outcome::loss& one : of.losses) uris.push_back(one.uri);
  std::sort(uris.begin(), uris.end());
  return static_cast<std::size_t>(std::unique(uris.begin(), uris.end()) - uris.begin());
}

std::string summary_of(const sql_outcome& of) {
  const std::size_t wrong = captures_with_errors(of);
  return count_of(of.captures, "capture") +
         (wrong == 0 ? ", all of them read to the end" : ", of which " + profkit::grouped(static_cast<std::uint64_t>(wrong)) +
                                                             " cannot be read, or not to the end");
}

void print_answer(text_output& out, const answer& one, const options& asked) {
  const std::size_t columns = asked.wide ? 0 : out.screen().columns;
  print_heading(out, one.question.title);
  if (one.found.rows.empty()) {
    out.line("  nothing in these captures says so");
    return;
  }
  const std::size_t all = one.found.rows.size();
  const std::uint64_t most = asked.limit.value_or(10);
  const std::size_t shown = most == 0 ? all : shown_of(all, static_cast<std::size_t>(most));
  print_values(out, one.found.names, {one.found.rows.begin(), one.found.rows.begin() + static_cast<std::ptrdiff_t>(shown)}, columns);
  print_more(out, all, shown);
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

void write_page(text_output& out, const std::vector<answer>& answers, const sql_outcome& of, std::uint64_t most) {
  out.line("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>profkit fleet</title>\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
           "<style>body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#1f2328;background:#fff}\n"
           "table{border-collapse:collapse;display:block;overflow-x:auto}td,th{padding:.2rem .7rem;border-bottom:1px solid #d0d7de;"
           "text-align:left}\n.n{text-align:right;font-variant-numeric:tabular-nums}p{max-width:50rem}.m{color:#656d76}\n"
           "@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}td,th{border-color:#30363d}.m{color:#8d96a0}}</style>"
           "</head><body>\n<h1>Many captures</h1>");
  out.line("<p>" + html_text(summary_of(of)) + "</p>");
  for (const answer& one : answers) {
    out.line("<h2 id=\"" + one.question.name + "\">" + html_text(one.question.title) + "</h2>");
    if (!one.question.note.empty()) out.line("<p class=\"m\">" + html_text(one.question.note) + "</p>");
    if (one.found.rows.empty()) {
      out.line("<p>Nothing in these captures says so.</p>");
      continue;
    }
    out.write("<table><thead><tr>");
    for (const std::string& name : one.found.names) out.write("<th>" + html_text(name) + "</th>");
    out.line("</tr></thead><tbody>");
    const std::size_t all = one.found.rows.size();
    const std::size_t shown = most == 0 ? all : shown_of(all, static_cast<std::size_t>(most));
    for (std::size_t at = 0; at < shown; ++at) {
      out.write("<tr>");
      for (const sql_value& value : one.found.rows[at])
        out.write((std::holds_alternative<std::string>(value) ? "<td>" : "<td class=\"n\">") + html_text(short_value_text(value)) +
                  "</td>");
      out.line("</tr>");
    }
    out.line("</tbody></table>");
    if (shown < all) out.line("<p class=\"m\">… " + profkit::grouped(static_cast<std::uint64_t>(all - shown)) + " more</p>");
  }
  if (!of.losses.empty()) {
    out.line("<h2 id=\"errors\">What cannot be read</h2><ul>");
    for (const sql_outcome::loss& one : of.losses)
      out.line("<li>" + html_text(one.message) + " <span class=\"m\">" + html_text(one.uri) + "</span></li>");
    out.line("</ul>");
  }
  out.line("</body></html>");
}

void write_fleet_document(text_output& out, const std::vector<answer>& answers, const sql_outcome& of) {
  out.write("{\n  \"schema\": \"profkit.fleet\",\n  \"version\": 1,\n  \"questions\": [");
  for (std::size_t at = 0; at < answers.size(); ++at) {
    const answer& one = answers[at];
    out.write(std::string(at == 0 ? "" : ",") + "\n  {\n  \"name\": " + json_text_of(one.question.name) + ",\n  \"title\": " +
              json_text_of(one.question.title) + ",\n");
    write_json_rows(out, one.found.names, one.found.rows);
    out.write("\n  }");
  }
  out.write("\n  ],\n");
  write_json_end(out, of);
}

}  // namespace

int run_fleet(const options& asked, const std::vector<std::string>& captures, const std::vector<std::string>& questions) {
  const terminal errors = look_at_terminal(STDERR_FILENO, asked.color);
  std::vector<answer> answers;
  std::vector<std::string> queries;
  for (fleet_question& question : all_questions()) {
    const bool is_named = std::find(questions.begin(), questions.end(), question.name) != questions.end();
    if (questions.empty() ? !is_on_screen(question) : !is_named) continue;
    queries.push_back(question.query);
    answers.push_back({std::move(question), {}});
  }
  result<capture_database> base = capture_database::open(asked, captures);
  if (!base) return fail(asked, base.error(), errors);
  if (!asked.output_path.empty()) catch_interrupts();
  auto opened = text_output::open(asked.output_path, asked.color);
  if (!opened) return fail(asked, opened.error(), errors);
  text_output out = std::move(*opened);
  progress_line progress(true);
  result<void> read = base->read_for(queries, progress);
  progress.clear();
  if (!read) return fail(asked, read.error(), errors);
  for (answer& one : answers)
    if (result<void> done = base->ask(one.question.query, out, one.found); !done) return fail(asked, done.error(), errors);
  const sql_outcome outcome = base->outcome();
  if (asked.json) {
    write_fleet_document(out, answers, outcome);
  } else if (has_ending(asked.output_path, ".html")) {
    write_page(out, answers, outcome, asked.limit.value_or(100));
  } else {
    out.line(summary_of(outcome));
    for (const answer& one : answers) print_answer(out, one, asked);
  }
  if (result<void> finished = out.finish(); !finished) return fail(asked, finished.error(), errors);
  return base->print_failures(asked, errors);
}

}  // namespace profkit_tool
