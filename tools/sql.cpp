// profkit sql: a query over the tables of any number of captures.
#include "command_line/shared_options.hpp"
#include "sql_query.hpp"
#include "text.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace profkit_tool {
namespace {

using profkit::fault;

class sql_command_options final : public command_options {
 public:
  void list(option_list& all) override {
    all.arguments("PATH", question_.captures, "Captures, folders of them, patterns as in 'runs/**/*.xplane.pb'; then the query")
        .offer_files();
    all.group("Query");
    all.value("-f,--file", file_, "FILE", "Read the query from FILE").offer_files();
    all.flag("--tables", question_.list_tables, "List the tables and their columns");
    all.group("Output");
    all.value("--format", format_.typed, "WHICH", "table, csv or json")
        .offer_words(format_.words())
        .add_to_manual("The default is the ending of the file's name, else table.");
    list_json(all, *this);
    list_output(all, *this);
    list_wide(all, *this);
    output_.list_color(all);
    list_quiet(all, *this);
    all.group("Input");
    list_strict(all, *this);
    input_.list_threads(all);
  }

  [[nodiscard]] std::optional<fault> understand() override {
    if (has_ending(output_path, ".parquet"))
      return wrong_value("-o", output_path, "Parquet is written by the Python package",
                         "profkit.sql(query, paths).write_parquet(file), or profkit.fleet.write_dataset()");
    if (question_.captures.size() == 1 && question_.captures.front() == ".tables") question_.list_tables = true;
    if (auto wrong = understand_query()) return wrong;
    shown_as as = json                               ? shown_as::json
                  : has_ending(output_path, ".csv")  ? shown_as::csv
                  : has_ending(output_path, ".json") ? shown_as::json
                                                     : shown_as::table;
    if (auto wrong = format_.understand("--format", as)) return wrong;
    json = as == shown_as::json;
    question_.csv = as == shown_as::csv;
    if (auto wrong = input_.understand(*this)) return wrong;
    return output_.understand(*this);
  }
  [[nodiscard]] int run_command() const override { return run_sql(*this, question_); }

 private:
  enum class shown_as { table, csv, json };

  [[nodiscard]] std::optional<fault> understand_query() {
    if (question_.list_tables) return std::nullopt;
    std::string& query = question_.query;
    std::vector<std::string>& captures = question_.captures;
    if (!file_.empty()) {
      std::ifstream read(file_, std::ios::binary);
      query.assign(std::istreambuf_iterator<char>(read), std::istreambuf_iterator<char>());
      if (!read) return wrong_value("--file", file_, "it cannot be read", "name a file that holds a query");
    } else if (!captures.empty()) {
      query = std::move(captures.back());
      captures.pop_back();
    }
    if (captures.empty())
      return wrong_options("sql: captures and a query are needed", "profkit sql captures/ \"select name, self_ps from ops limit 5\"");
    return std::nullopt;
  }

  sql_question question_;
  std::string file_;
  choice<shown_as> format_{{"table", shown_as::table}, {"csv", shown_as::csv}, {"json", shown_as::json}};
  output_words output_;
  input_words input_;
};

}  // namespace

extern const command_description sql_command = {
    "sql",
    "PATH... QUERY",
    "SQL over the tables of any number of captures",
    "Every table of `profkit rows`, and `events`, over all captures at once: the first column, uri, says which\n"
    "capture a row is from. SQLite answers. Only the columns that the query names are read, and one capture is\n"
    "open at a time. A capture that cannot be read is no end: the others are read, the exit status is 5, and\n"
    "the table `errors` has what is wrong. Queries only read. Times are integers of picoseconds, of which 64 bits\n"
    "hold 106 days: of a sum over many captures take total(x), or sum(x / 1000).",
    "  profkit sql --tables                         the tables and their columns\n"
    "  profkit sql runs/ \"select name, total(self_ps) / 1e12 as s from ops group by name order by s desc limit 10\"\n"
    "  profkit sql 'runs/**/*.xplane.pb' \"select uri, count(*) from events group by uri\" -o counts.csv\n"
    "  profkit sql a.xplane.pb b.xplane.pb -f question.sql --json\n"
    "  profkit sql runs/ \"select * from errors\"     what cannot be read, and why\n",
    make_options<sql_command_options>,
    "A folder is searched for captures, by what files hold, and for folders of Ascend profilers. Columns that\n"
    "start with only_, from_ps and to_ps are filters of the reader: where only_step = 3, as --step 3 elsewhere.",
};

}  // namespace profkit_tool
