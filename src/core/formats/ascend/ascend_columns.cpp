#include <formats/ascend/ascend_columns.hpp>

#include <profkit/csv.hpp>
#include <profkit/decimal.hpp>

#include <base/affix.hpp>
#include <base/unix_time.hpp>
#include <formats/ascend/table_row.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

struct column_name {
  std::string_view name;  // lower case, blanks for underscores, without unit and a leading "task " of times
  ascend_column column;
};
constexpr column_name column_names[] = {
    {"step id", ascend_column::step},
    {"device id", ascend_column::device},
    {"task id", ascend_column::task},
    {"stream id", ascend_column::stream},
    {"name", ascend_column::name},
    {"op name", ascend_column::name},
    {"type", ascend_column::type},
    {"op type", ascend_column::type},
    {"accelerator core", ascend_column::core},
    {"core type", ascend_column::core},
    {"task type", ascend_column::task_type},
    {"start time", ascend_column::start},
    {"duration", ascend_column::duration},
    {"wait time", ascend_column::wait},
    {"block dim", ascend_column::block_dim},
    {"block num", ascend_column::block_dim},
    {"input shapes", ascend_column::input_shapes},
    {"input data types", ascend_column::input_types},
    {"output shapes", ascend_column::output_shapes},
    {"output data types", ascend_column::output_types},
    // task_time*.csv
    {"kernel name", ascend_column::name},
    {"kernel type", ascend_column::task_type},
    {"task start", ascend_column::start},
    {"task time", ascend_column::duration},
    // op_statistic*.csv
    {"count", ascend_column::count},
    {"total time", ascend_column::duration},
};
// Known, and of no use here.
constexpr std::string_view ignored_names[] = {
    "model id",      "model name",    "infer id",       "op state",   "mix block dim", "mix block num",
    "hf32 eligible", "input formats", "output formats", "context id", "cycle counter", "overflow",
    "task stop",     "min time",      "avg time",       "max time",   "ratio",
};
struct optional_column {
  ascend_column column;
  std::string_view name, name_in_summary;
  const char* without;
};
constexpr optional_column optional_columns[] = {
    {ascend_column::step, "Step Id", "", "steps are known from a trace alone"},
    {ascend_column::stream, "Stream ID", "Stream ID",
     "the main stream is not known, and all compute counts as the main path"},
    {ascend_column::type, "Type", "OP Type", "op types are derived from names"},
    {ascend_column::core, "Accelerator Core", "Task Type",
     "classes of kernels are derived from names: no verdicts about AI CPU and units"},
    {ascend_column::wait, "Wait Time(us)", "Task Wait Time(us)", "wait anchors and polluted waits are not known"},
    {ascend_column::input_shapes, "Input Shapes", "Input Shapes", "changing shapes cannot be seen"},
};
// Stands for all columns of the performance monitoring unit.
constexpr std::string_view usual_counter = "aic_mac_ratio";
// What the columns of the performance monitoring unit begin with.
constexpr std::string_view counter_prefixes[] = {"aic ",      "aiv ",    "aicore ",  "aicpu ", "cube ", "vector ",
                                                 "mac ",      "vec ",    "scalar ",  "mte",    "ub ",   "l2 ",
                                                 "main mem ", "icache ", "fixpipe ", "memory "};

struct folded_name {
  std::string name, unit;
};

// "Task Start Time(us)" is {"start time", "us"}.
folded_name fold(std::string_view field) {
  std::string_view text = csv_trimmed(field);
  folded_name f;
  if (!text.empty() && text.back() == ')') {
    if (const auto open = text.rfind('('); open != std::string_view::npos) {
      f.unit = std::string(text.substr(open + 1, text.size() - open - 2));
      text = csv_trimmed(text.substr(0, open));
    }
  }
  for (const char c : text) {
    f.name += c == '_' ? ' ' : folded(c);
  }
  for (const char* const time : {"task start time", "task duration", "task wait time"}) {
    if (f.name == time) f.name.erase(0, 5);
  }
  return f;
}

bool is_counter(std::string_view name) noexcept {
  return std::any_of(std::begin(counter_prefixes), std::end(counter_prefixes),
                     [name](std::string_view p) { return starts_with(name, p); });
}

bool is_ratio(const folded_name& f) noexcept {
  return contains(f.name, "ratio") || contains(f.name, "utilization") || contains(f.name, "miss rate") ||
         f.unit == "GB/s" || f.unit == "%";
}

int exponent_of(std::string_view unit) noexcept {
  const char first = unit.empty() ? '\0' : static_cast<char>(unit[0] | ' ');  // in lower case
  if (unit.size() == 1 && first == 's') return 6;
  if (unit.size() != 2 || (unit[1] | ' ') != 's') return 0;
  return first == 'n' ? -3 : first == 'm' ? 3 : 0;
}

std::string variant_of(const ascend_header& h, const std::vector<folded_name>& names) {
  const auto has = [&names](std::string_view name) {
    return std::any_of(names.begin(), names.end(), [name](const folded_name& f) { return f.name == name; });
  };
  if (has("task time")) return "task_time";
  if (has("total time")) return "op_statistic";
  if (has("op name")) return h.has(ascend_column::start) ? "op_summary" : "op_summary without start";
  std::string variant = "kernel_details ";
  if (has("cycle counter")) return variant + "guide";
  if (has("block num")) return variant + "2026";
  if (!h.has(ascend_column::task) && !h.has(ascend_column::stream)) return variant + "level0";
  if (h.has(ascend_column::device)) return variant + "2025";
  return variant + (has("op state") ? "2024" : "2023");
}

}  // namespace

std::vector<std::string> ascend_header::missing() const {
  std::vector<std::string> names;
  const auto need = [&](ascend_column c, const char* name) {
    if (!has(c)) names.emplace_back(name);
  };
  const bool statistic = is_statistic();
  need(statistic ? ascend_column::type : ascend_column::name, statistic ? "OP Type" : "Name");
  need(statistic ? ascend_column::count : ascend_column::start, statistic ? "Count" : "Start Time(us)");
  need(ascend_column::duration, "Duration(us)");
  return names;
}

std::vector<ascend_header::wanted_column> ascend_header::missing_wanted() const {
  std::vector<wanted_column> names;
  if (is_statistic()) return names;
  const bool summary = variant.compare(0, 10, "op_summary") == 0;
  for (const optional_column& c : optional_columns) {
    if (has(c.column) || (c.column == ascend_column::core && has(ascend_column::task_type))) continue;
    const std::string_view name = summary ? c.name_in_summary : c.name;
    if (!name.empty()) names.push_back({name, c.without});
  }
  if (counters.empty()) names.push_back({usual_counter, "nothing is said of what bounds an op"});
  return names;
}

ascend_header bind_ascend_header(const std::string_view* fields, std::size_t count) {
  ascend_header h;
  h.at.fill(no_column);
  h.columns = count;
  std::vector<folded_name> names;
  for (std::size_t i = 0; i < count; ++i) {
    folded_name f = fold(fields[i]);
    const auto* const known = std::find_if(std::begin(column_names), std::end(column_names),
                                           [&f](const column_name& c) { return c.name == f.name; });
    if (known != std::end(column_names)) {
      const auto c = static_cast<std::size_t>(known->column);
      if (h.at[c] == no_column) {
        h.at[c] = i;
        h.unit_exponent[c] = exponent_of(f.unit);
      } else {
        h.repeated.emplace_back(csv_trimmed(fields[i]));
      }
    } else if (is_counter(f.name)) {
      if (is_ratio(f)) h.counters.push_back({i, csv_trimmed(fields[i])});
    } else if (std::find(std::begin(ignored_names), std::end(ignored_names), f.name) == std::end(ignored_names)) {
      h.unknown.emplace_back(csv_trimmed(fields[i]));
    }
    names.push_back(std::move(f));
  }
  h.variant = variant_of(h, names);
  return h;
}

ascend_clock read_ascend_clock(std::string_view bytes) {
  // Zero is moved next to starts from far_time_us on.
  constexpr std::int64_t far_time_us = 1'000'000'000, second_us = 1'000'000;
  constexpr int rows_looked_at = 1000;
  ascend_clock clock;
  csv_reader reader(bytes);
  std::vector<std::string_view> fields(max_csv_columns);
  if (!reader.next(fields.data(), fields.size())) return clock;
  const ascend_header header = bind_ascend_header(fields.data(), std::min(reader.fields(), fields.size()));
  const std::size_t start = header[ascend_column::start];
  if (start == no_column) return clock;
  for (int i = 0; i < rows_looked_at && reader.next(fields.data(), start + 1); ++i) {
    decimal_time t;
    if (row_damage(reader, bytes, header.columns, start + 1) != nullptr) continue;
    if (!parse_microseconds_text(csv_trimmed(fields[start]), t, header.unit(ascend_column::start))) continue;
    if (t.us < 0) continue;
    if (t.us >= far_time_us) clock.zero_us = t.us - t.us % second_us;
    if (clock.zero_us >= min_unix_us) clock.origin_unix_ns = checked_mul(clock.zero_us, ns_per_us);
    break;
  }
  return clock;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
