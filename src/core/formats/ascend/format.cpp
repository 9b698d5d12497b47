#include <formats/registry.hpp>
#include <formats/ascend/ascend_columns.hpp>
#include <formats/ascend/ascend_fill.hpp>
#include <formats/ascend/ascend_rank.hpp>
#include <formats/ascend/probe_table.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr name_rule ascend_json_names[] = {
    {"communication.json", "communication.json", "communication.json"},
    {"profiler_info*.json", "profiler_info", ".json"},
    {"profiler_metadata.json", "profiler_metadata.json", "profiler_metadata.json"},
};
constexpr name_rule ascend_kernels_names[] = {
    {"kernel_details*.csv", "kernel_details", ".csv"},
    {"op_summary*.csv", "op_summary", ".csv"},
    {"task_time*.csv", "task_time", ".csv", detection_confidence::certain, host_rule::none, true},
    {"*.csv", "", ".csv", detection_confidence::possible},
};
constexpr name_rule ascend_table_names[] = {
    {"step_trace_time*.csv", "step_trace_time", ".csv"},
    {"operator_details*.csv", "operator_details", ".csv"},
    {"op_statistic*.csv", "op_statistic", ".csv"},
};
constexpr name_rule ascend_database_names[] = {
    {"ascend_*_profiler*.db", "ascend_", ".db"},
    {"msprof_*.db", "msprof_", ".db"},
    {"analysis.db", "analysis.db", "analysis.db"},
};

std::string why_no_kernel_table(std::string_view) { return "the first line has no columns of a kernel table"; }
time_zero zero_of_kernels(std::string_view bytes, const chrome_options&) {
  return {read_ascend_clock(bytes).origin_unix_ns, std::nullopt};
}

constexpr known_format of_a_rank(file_family family, const char* name, const char* title, file_content content,
                                 static_list<name_rule> names, const char* no_message) {
  known_format f;
  f.family = family;
  f.name = name;
  f.title = title;
  f.content = content;
  f.names = names;
  f.is_of_a_rank = true;
  f.no_message = no_message;
  return f;
}

constexpr known_format describe_kernels() {
  known_format f = of_a_rank(file_family::ascend_kernels, "ascend_kernels", "Ascend kernels", file_content::kernel_table,
                             ascend_kernels_names, "a table of an Ascend capture");
  f.probe = probe_ascend_kernels;
  f.why_not = why_no_kernel_table;
  f.makes_a_run = true;
  f.zero = zero_of_kernels;
  f.fill_tracks = fill_from_ascend;
  f.fill_activity = fill_activity_from_ascend;  // with all that lies beside
  return f;
}

constexpr known_format describe_database() {
  known_format f =
      of_a_rank(file_family::ascend_database, "ascend_database", "Ascend database, not read", file_content::nothing,
                ascend_database_names, "an SQLite database of an Ascend capture");
  f.why_not_read = why_no_database;
  f.makes_a_run = true;  // nothing of it is read, but what lies in the folder is that run
  return f;
}

}  // namespace

extern const known_format ascend_json_format =
    of_a_rank(file_family::ascend_json, "ascend_json", "Ascend JSON", file_content::settings, ascend_json_names,
              "JSON of an Ascend capture");
extern const known_format ascend_kernels_format = describe_kernels();
extern const known_format ascend_table_format =
    of_a_rank(file_family::ascend_table, "ascend_table", "Ascend table", file_content::totals_table, ascend_table_names,
              "a table of an Ascend capture");
extern const known_format ascend_database_format = describe_database();

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
