// profkit rows: one flat table of a capture as CSV, or as one JSON object a line.
#include "command_line/shared_options.hpp"
#include "exit_code.hpp"
#include "interrupt.hpp"
#include "session.hpp"
#include "text.hpp"

#include <profkit/core/table.hpp>
#include <profkit/core/text.hpp>

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit_tool {
namespace {

using profkit::fault;
using profkit::fault_code;
using profkit::result;
using profkit::sink;
using profkit::table_kind;

// Those that have rows of their own; events and probe records have other ways out.
std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const table_kind kind : profkit::table_kinds())
    if (kind != table_kind::events && kind != table_kind::probe_records) names.emplace_back(profkit::table_name(kind));
  return names;
}

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> all;
  for (std::size_t from = 0; from <= names.size() && !names.empty();) {
    const std::size_t comma = std::min(names.find(',', from), names.size());
    all.push_back(names.substr(from, comma - from));
    from = comma + 1;
  }
  return all;
}

result<std::unique_ptr<sink>> open_rows_output(const options& asked) {
  if (asked.output_path.empty()) return profkit::descriptor_sink(STDOUT_FILENO, "standard output");
  result<std::unique_ptr<sink>> file = profkit::atomic_file_sink(asked.output_path);
  if (!file || !has_ending(asked.output_path, ".gz")) return file;
  return profkit::gzip_sink(std::move(*file), asked.threads);
}

// The tables and their columns, for a person.
void print_tables(text_output& out) {
  for (const std::string& name : table_names()) {
    const table_kind kind = *profkit::table_named(name);
    std::string line = name + ": " + profkit::table_meaning(kind) + "\n ";
    std::size_t width = 1;
    for (const profkit::column_facts& column : profkit::columns_of(kind)) {
      const std::string_view shown = column.name;
      if (width + shown.size() + 1 > 99) {
        line += "\n ";
        width = 1;
      }
      line += " " + std::string(shown);
      width += shown.size() + 1;
    }
    out.write(line + "\n");
  }
}

int run_rows(const options& asked, const std::string& table, const std::vector<std::string>& names) {
  const terminal errors = look_at_terminal(STDERR_FILENO, asked.color);
  if (table.empty()) {
    result<text_output> out = text_output::open(asked.output_path, asked.color);
    if (!out) return fail(asked, out.error(), errors);
    print_tables(*out);
    const result<void> finished = out->finish();
    return finished ? exit_ok : fail(asked, finished.error(), errors);
  }
  progress_line progress(!asked.quiet);
  const profkit::hooks hooks = progress.hooks(asked.threads);
  auto opened = open_asked(asked, progress, hooks);
  if (!opened) return fail(asked, opened.error(), errors);
  if (is_input_of((*opened)->what(), asked.output_path)) return fail(asked, output_is_input(asked.output_path), errors);
  const profkit::trace capture(*opened);
  profkit::table_options wanted;
  wanted.filters = filters_of(asked, 0);
  auto devices = profkit::capture_devices::list(capture, hooks);
  if (!devices) return fail(asked, devices.error(), errors);
  auto rows = profkit::open_rows(capture, *devices, *profkit::table_named(table), wanted, hooks);
  progress.clear();
  if (!rows) return fail(asked, rows.error(), errors);
  profkit::table_reader reader(std::move(*rows), *devices);
  const auto columns = profkit::choose_columns(reader.columns(), names);
  if (!columns) return fail(asked, columns.error(), errors);
  if (!asked.output_path.empty()) catch_interrupts();
  result<std::unique_ptr<sink>> out = open_rows_output(asked);
  if (!out) return fail(asked, out.error(), errors);
  const result<void> written = asked.json ? profkit::write_table_json(reader, *columns, **out)
                                          : profkit::write_table_csv(reader, *columns, **out);
  progress.clear();
  if (!written && written.error().code != fault_code::damaged) return fail(asked, written.error(), errors);
  if (result<void> finished = (*out)->finish(); !finished) return fail(asked, finished.error(), errors);
  std::vector<profkit::file_damage> losses = reader.damage();
  for (profkit::file_damage& loss : losses)
    if (loss.what.path.empty() && loss.file < (*opened)->what().files.size())
      loss.what.path = (*opened)->what().files[loss.file].path;
  return print_losses(asked, losses, true, errors);
}

class rows_command_options final : public command_options {
 public:
  void list(option_list& all) override {
    list_path(all, *this);
    all.argument("TABLE", table_, "Which table (default: says which there are)", false).offer_words(table_names());
    filters_.list(all, *this);
    all.group("Output");
    all.value("--columns", columns_, "A,B", "Only these columns, in this order")
        .add_to_manual("Without it all of them, as docs/tables.md lists them.");
    all.value("--format", format_.typed, "WHICH", "csv, or json: one object a line")
        .offer_words(format_.words())
        .add_to_manual("The default is the ending of the file's name, else csv.");
    all.flag("--json", json, "The same as --format json");
    list_output(all, *this);
    all.value("--limit", output_.limit, "N", "ops, collectives: rows of each line; 0 and default: all");
    output_.list_color(all);
    all.flag("-q,--quiet", quiet, "No progress on standard error");
    input_.list(all, *this);
  }
  [[nodiscard]] std::optional<fault> understand() override {
    if (!table_.empty()) {
      const std::vector<std::string> names = table_names();
      if (std::find(names.begin(), names.end(), table_) == names.end())
        return wrong_value("TABLE", table_, "not a table with rows", "choose one of: " + word_list(names));
    }
    if (format_.typed.empty() && !json)
      for (const char* const ending : {".parquet", ".arrow", ".feather", ".ipc", ".orc", ".tsv", ".xlsx", ".sqlite", ".db"})
        if (has_ending(output_path, ending))
          return wrong_value("-o", output_path, std::string("rows are written as .csv or .jsonl (also .gz), not as ") + ending,
                             "in Python profkit.fleet.write_dataset() writes Parquet, and Profile.table() gives Arrow");
    for (const char* const ending : {".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".json"}) json = json || has_ending(output_path, ending);
    if (auto wrong = format_.understand("--format", json)) return wrong;
    if (auto wrong = input_.understand(*this)) return wrong;
    if (auto wrong = output_.understand(*this)) return wrong;
    return filters_.understand(*this);
  }
  [[nodiscard]] int run_command() const override { return run_rows(*this, table_, split(columns_)); }

 private:
  std::string table_, columns_;
  choice<bool> format_{{"csv", false}, {"json", true}};
  filter_words filters_;
  output_words output_;
  input_words input_;
};

}  // namespace

extern const command_description rows_command = {
    "rows",
    "PATH [TABLE]",
    "One flat table for scripts and databases: ops, kernels, gaps, ...",
    "Each row says whose it is (run, host, rank, node, device), so that tables of many captures go into\n"
    "one. Times are integers of picoseconds. docs/tables.md describes every column; C, C++, Rust, Go and\n"
    "Python have the same rows.",
    "  profkit rows logdir                                the tables and their columns\n"
    "  profkit rows logdir ops -o ops.csv\n"
    "  profkit rows rank0.json.gz gaps --format json --columns host,device_name,start_ps,cause\n",
    make_options<rows_command_options>,
};

}  // namespace profkit_tool
