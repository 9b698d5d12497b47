#include "fleet_tables.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "fleet.hpp"
#include "table_stream.hpp"

#ifndef SQLITE_CORE
SQLITE_EXTENSION_INIT3
#endif

namespace profkit_sqlite {
namespace {

// What a column of SQL stands for.
enum class stands_for : std::uint8_t { uri, schema, map, fields, host, plane, line, name, step, from_ps, to_ps };
struct sql_column {
  shown_column shown;
  stands_for what;
  std::size_t position = 0;  // in the schema
};

bool is_filter(stands_for what) noexcept { return what >= stands_for::host; }

// One that the reader takes, as a hidden column.
struct filter_word {
  unsigned filter;
  stands_for what;
  const char *name, *type, *meaning;
};
constexpr filter_word filter_words[] = {
    {filter_host, stands_for::host, "only_host", "TEXT", "only hosts whose name contains this"},
    {filter_plane, stands_for::plane, "only_plane", "TEXT", "only planes or devices whose name contains this"},
    {filter_line, stands_for::line, "only_line", "TEXT", "only lines whose name contains this"},
    {filter_name, stands_for::name, "only_name", "TEXT", "only names that contain this"},
    {filter_step, stands_for::step, "only_step", "INTEGER", "only the step at this position of each device"},
    {filter_time, stands_for::from_ps, "from_ps", "INTEGER", "nothing before this instant of the capture's clock"},
    {filter_time, stands_for::to_ps, "to_ps", "INTEGER", "nothing from this instant on"},
};

std::vector<sql_column> columns_for_sql(const schema_table& of) {
  std::vector<sql_column> all;
  all.push_back({{"uri", "TEXT", "which capture"}, stands_for::uri});
  for (std::size_t at = 0; at < of.column_count; ++at) {
    const schema_column& column = of.columns[at];
    const bool is_integer = column.kind == value_kind::integer;
    const bool is_list = column.kind == value_kind::numbers || column.kind == value_kind::words;
    std::string meaning = column.meaning;
    if (*column.unit != '\0') meaning += std::string(", in ") + column.unit;
    if (is_list) meaning += "; JSON";
    all.push_back({{column.name, is_integer ? "INTEGER" : "TEXT", meaning}, stands_for::schema, at});
  }
  if (of.number == PK_TABLE_PROBE_RECORDS) {
    all.push_back({{"map", "TEXT", "name of the map"}, stands_for::map});
    all.push_back({{"fields", "TEXT", "what the probe describes, by name; JSON"}, stands_for::fields});
  }
  for (const filter_word& word : filter_words)
    if ((of.filters & word.filter) != 0) all.push_back({{word.name, word.type, word.meaning, true}, word.what});
  return all;
}

// ---- what is asked of a table ----

enum class comparison : char { equal = '=', less = '<', at_most = 'l', more = '>', at_least = 'g', glob = '*', like = '%' };

std::optional<comparison> comparison_of(unsigned char op) noexcept {
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ: return comparison::equal;
    case SQLITE_INDEX_CONSTRAINT_LT: return comparison::less;
    case SQLITE_INDEX_CONSTRAINT_LE: return comparison::at_most;
    case SQLITE_INDEX_CONSTRAINT_GT: return comparison::more;
    case SQLITE_INDEX_CONSTRAINT_GE: return comparison::at_least;
    case SQLITE_INDEX_CONSTRAINT_GLOB: return comparison::glob;
    case SQLITE_INDEX_CONSTRAINT_LIKE: return comparison::like;
    default: return std::nullopt;
  }
}

struct planned {
  comparison how;
  int column;
};

// "=3;<12;|31": each comparison with its column, then the columns that are used, as a number.
std::string written_plan(const std::vector<planned>& plan, sqlite3_uint64 used) {
  std::string text;
  for (const planned& one : plan) text += static_cast<char>(one.how) + std::to_string(one.column) + ';';
  return text + '|' + std::to_string(used);
}

sqlite3_uint64 read_plan(const char* text, std::vector<planned>& into) {
  while (*text != '|') {
    const auto how = static_cast<comparison>(*text);
    char* end = nullptr;
    into.push_back({how, static_cast<int>(std::strtol(text + 1, &end, 10))});
    text = end + 1;
  }
  return std::strtoull(text + 1, nullptr, 10);
}

bool is_used(sqlite3_uint64 used, std::size_t column) noexcept { return (used >> std::min<std::size_t>(column, 63) & 1) != 0; }

bool holds(comparison how, std::int64_t left, std::int64_t right) noexcept {
  switch (how) {
    case comparison::equal: return left == right;
    case comparison::less: return left < right;
    case comparison::at_most: return left <= right;
    case comparison::more: return left > right;
    case comparison::at_least: return left >= right;
    default: return true;
  }
}

// A condition that the rows of a batch are tried with before SQLite sees them; it tries them again.
struct row_condition {
  std::size_t column;  // in the schema
  comparison how;
  std::optional<std::int64_t> number;  // else text
  std::string text;
  std::optional<std::int32_t> index = {};  // of the text in the dictionary of this batch

  void begin(const batch& rows) {
    if (!number) index = rows.columns[column].index_of(text);
  }
  [[nodiscard]] bool fits(const batch& rows, std::int64_t row) const noexcept {
    if (index) return *index >= 0 && rows.columns[column].has_index(row, *index);
    const cell found = rows.columns[column].at(row);
    if (found.what == cell::is::null) return false;
    if (!number) return found.what == cell::is::text && found.text == text;
    return found.what != cell::is::integer || holds(how, found.number, *number);
  }
};

std::string text_of(sqlite3_value* value) {
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(sqlite3_value_bytes(value)));
}

// The captures that conditions on `uri` leave.
class uri_conditions {
 public:
  void add(comparison how, sqlite3_value* value) {
    if (sqlite3_value_type(value) == SQLITE_NULL) none_ = true;
    all_.emplace_back(how, text_of(value));
  }
  [[nodiscard]] bool fit(const std::string& uri) const {
    return !none_ && std::all_of(all_.begin(), all_.end(), [&](const auto& one) {
      const auto& [how, text] = one;
      if (how == comparison::glob) return sqlite3_strglob(text.c_str(), uri.c_str()) == 0;
      if (how == comparison::like) return sqlite3_strlike(text.c_str(), uri.c_str(), 0) == 0;
      return how != comparison::equal || text == uri;
    });
  }
  // One capture, of which the rows may be asked for again and again.
  [[nodiscard]] bool name_one() const noexcept {
    return std::any_of(all_.begin(), all_.end(), [](const auto& one) { return one.first == comparison::equal; });
  }

 private:
  std::vector<std::pair<comparison, std::string>> all_;
  bool none_ = false;
};

// ---- results ----

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char digits[] = "0123456789abcdef";
      out += std::string("\\u00") + digits[c >> 4] + digits[c & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string json_list(std::string_view text, bool quoted) {
  std::string out = "[";
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string_view one = text.substr(from, comma - from);
    out += (from == 0 ? "" : ",") + (quoted ? json_text(one) : std::string(one));
    from = comma + 1;
  }
  return out + ']';
}

std::string json_value(const cell& of) {
  switch (of.what) {
    case cell::is::null: return "null";
    case cell::is::integer: return std::to_string(of.number);
    case cell::is::large: return std::to_string(of.bits);
    case cell::is::text: return json_text(of.text);
  }
  return "null";
}

void give_text(sqlite3_context* to, std::string_view text) {
  sqlite3_result_text64(to, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void give_cell(sqlite3_context* to, const cell& value, value_kind kind) {
  switch (value.what) {
    case cell::is::null: return sqlite3_result_null(to);
    case cell::is::integer: return sqlite3_result_int64(to, value.number);
    case cell::is::large: return give_text(to, std::to_string(value.bits));  // SQLite has no integer that large
    case cell::is::text: break;
  }
  if (kind == value_kind::numbers || kind == value_kind::words) return give_text(to, json_list(value.text, kind == value_kind::words));
  give_text(to, value.text);
}

// ---- the parts of a virtual table ----

struct fleet_table : sqlite3_vtab {
  sqlite3* db = nullptr;
  std::shared_ptr<fleet> of;
  const schema_table* table = nullptr;
  std::vector<sql_column> columns;
};

struct module_data {
  std::shared_ptr<fleet> of;
  const schema_table* table = nullptr;  // none of `captures` and `errors`
};

int fail_table(sqlite3_vtab* table, const std::string& why) {
  sqlite3_free(table->zErrMsg);
  table->zErrMsg = sqlite3_mprintf("%s", why.c_str());
  return SQLITE_ERROR;
}

template <class Do>
int guarded(Do&& what) noexcept {
  try {
    return what();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (...) {
    return SQLITE_INTERNAL;
  }
}

// A cursor that keeps the captures as they are.
class fleet_cursor : public sqlite3_vtab_cursor {
 public:
  explicit fleet_cursor(fleet_table& of) : sqlite3_vtab_cursor{}, of_(of) { of_.of->begin_reading(); }
  ~fleet_cursor() { of_.of->end_reading(); }
  fleet_cursor(const fleet_cursor&) = delete;
  fleet_cursor& operator=(const fleet_cursor&) = delete;

 protected:
  fleet_table& of_;
};

class row_cursor : public fleet_cursor {
 public:
  using fleet_cursor::fleet_cursor;

  int filter(const char* plan, sqlite3_value** values) {
    std::vector<planned> asked;
    const sqlite3_uint64 used = read_plan(plan, asked);
    conditions_.clear();
    reader_filters filters;
    uri_conditions uris;
    bool none = false;
    for (std::size_t at = 0; at < asked.size(); ++at)
      if (!add_condition(asked[at], values[at], filters, uris)) none = true;
    captures_.clear();
    for (std::size_t at = 0; at < of_.of->captures().size() && !none; ++at)
      if (uris.fit(of_.of->captures()[at])) captures_.push_back(at);
    columns_ = columns_read(used);
    filters_ = std::move(filters);
    names_one_ = uris.name_one();
    next_capture_ = tried_ = refused_ = 0;
    count_from_start();
    stream_.reset();
    rows_.reset();
    replayed_ = 0;
    begin_keeping();
    return next();
  }

  // Goes on to the next row that fits.
  int next() {
    for (;;) {
      if (rows_ != nullptr)
        for (go_to_next_row(); row_ < rows_->array.length; go_to_next_row())
          if (row_fits()) return SQLITE_OK;
      rows_.reset();
      if (is_kept_) {
        if (replayed_ == kept_.size()) return SQLITE_OK;
        begin_batch(kept_[replayed_++]);
        continue;
      }
      if (stream_ == nullptr) {
        if (next_capture_ == captures_.size()) return end();
        stream_ = std::make_unique<table_stream>(*of_.of, *of_.table, of_.of->captures()[captures_[next_capture_]], columns_, filters_);
        ++next_capture_;
        ++tried_;
        count_from_start();
      }
      switch (stream_->next()) {
        case stream_outcome::rows:
          begin_batch(stream_->rows());
          if (keeps_) kept_.push_back(rows_);
          break;
        case stream_outcome::refused:
          ++refused_;
          why_refused_ = stream_->why_refused();
          stream_.reset();
          break;
        case stream_outcome::end: stream_.reset(); break;
        case stream_outcome::stopped: return SQLITE_INTERRUPT;
      }
    }
  }

  [[nodiscard]] bool at_end() const noexcept { return rows_ == nullptr; }
  // The same for the same row, whatever else is asked for: SQLite knows by it which rows it has had.
  [[nodiscard]] sqlite3_int64 row_number() const noexcept {
    const auto capture = static_cast<sqlite3_int64>(captures_[next_capture_ - 1]);
    return (capture << 43) + (static_cast<sqlite3_int64>(std::max<std::int64_t>(file_, 0)) << 32) + ordinal_;
  }

  void give(sqlite3_context* to, std::size_t column) const {
    const sql_column& of = of_.columns[column];
    switch (of.what) {
      case stands_for::uri: return give_text(to, of_.of->captures()[captures_[next_capture_ - 1]]);
      case stands_for::schema: return give_cell(to, rows_->columns[of.position].at(row_), of_.table->columns[of.position].kind);
      case stands_for::map: return give_text(to, rows_->map);
      case stands_for::fields: {
        std::string text = "{";
        for (const auto& [name, values] : rows_->fields)
          text += (text.size() == 1 ? "" : ",") + json_text(name) + ':' + json_value(values.at(row_));
        return give_text(to, text + '}');
      }
      case stands_for::host: return give_asked(to, filters_.host);
      case stands_for::plane: return give_asked(to, filters_.plane);
      case stands_for::line: return give_asked(to, filters_.line);
      case stands_for::name: return give_asked(to, filters_.name);
      case stands_for::step: return give_asked(to, filters_.step);
      case stands_for::from_ps: return give_asked(to, filters_.from_ps);
      case stands_for::to_ps: return give_asked(to, filters_.to_ps);
    }
  }

 private:
  static void give_asked(sqlite3_context* to, const std::optional<std::string>& asked) {
    if (asked) give_text(to, *asked);
  }
  static void give_asked(sqlite3_context* to, const std::optional<std::int64_t>& asked) {
    if (asked) sqlite3_result_int64(to, *asked);
  }

  // False: no row fits.
  bool add_condition(const planned& asked, sqlite3_value* value, reader_filters& filters, uri_conditions& uris) {
    const sql_column& column = of_.columns[static_cast<std::size_t>(asked.column)];
    const int type = sqlite3_value_type(value);
    if (column.what == stands_for::uri) {
      uris.add(asked.how, value);
      return true;
    }
    if (type == SQLITE_NULL) return false;
    if (is_filter(column.what)) return add_filter(column.what, value, filters);
    if (column.shown.type == "TEXT") {
      if (type == SQLITE_TEXT) conditions_.push_back({column.position, asked.how, std::nullopt, text_of(value)});
      return true;
    }
    if (type != SQLITE_INTEGER) return true;
    const std::int64_t number = sqlite3_value_int64(value);
    if (reads_by_file() && column.position == position_of_file() && asked.how == comparison::equal && number < last_file) {
      filters.file = number;
      return true;
    }
    conditions_.push_back({column.position, asked.how, number, {}});
    return true;
  }

  static bool add_filter(stands_for what, sqlite3_value* value, reader_filters& filters) {
    switch (what) {
      case stands_for::host: filters.host = text_of(value); break;
      case stands_for::plane: filters.plane = text_of(value); break;
      case stands_for::line: filters.line = text_of(value); break;
      case stands_for::name: filters.name = text_of(value); break;
      case stands_for::step: filters.step = sqlite3_value_int64(value); return *filters.step >= 0;
      case stands_for::from_ps: filters.from_ps = sqlite3_value_int64(value); break;
      case stands_for::to_ps: filters.to_ps = sqlite3_value_int64(value); break;
      default: break;
    }
    return true;
  }

  [[nodiscard]] std::vector<std::size_t> columns_read(sqlite3_uint64 used) const {
    std::vector<std::size_t> read;
    for (std::size_t at = 0; at < of_.columns.size(); ++at)
      if (of_.columns[at].what == stands_for::schema && is_used(used, at)) read.push_back(of_.columns[at].position);
    for (const row_condition& condition : conditions_)
      if (std::find(read.begin(), read.end(), condition.column) == read.end()) read.push_back(condition.column);
    // Rows are counted by it, where no column is asked for.
    const bool has_file = std::find(read.begin(), read.end(), position_of_file()) != read.end();
    if (read.empty() || (reads_by_file() && !has_file)) read.push_back(position_of_file());
    return read;
  }
  [[nodiscard]] std::size_t position_of_file() const noexcept {
    std::size_t at = 0;
    while (std::strcmp(of_.table->columns[at].name, "file") != 0) ++at;
    return at;
  }

  // Events can be had of one file alone, so that each is counted in its file: all from this one on as one.
  static constexpr std::int64_t last_file = 2047;
  [[nodiscard]] bool reads_by_file() const noexcept { return of_.table->number == PK_TABLE_EVENTS; }
  void count_from_start() noexcept {
    ordinal_ = -1;
    file_ = -1;
  }
  void go_to_next_row() noexcept {
    if (++row_ >= rows_->array.length) return;
    ++ordinal_;
    if (!reads_by_file()) return;
    const std::int64_t file = std::min(rows_->columns[position_in_schema_].at(row_).number, last_file);
    if (file != file_) ordinal_ = 0;
    file_ = file;
  }

  void begin_batch(std::shared_ptr<const batch> rows) {
    rows_ = std::move(rows);
    row_ = -1;
    position_in_schema_ = position_of_file();
    for (row_condition& condition : conditions_) condition.begin(*rows_);
  }
  [[nodiscard]] bool row_fits() const noexcept {
    return std::all_of(conditions_.begin(), conditions_.end(), [&](const row_condition& one) { return one.fits(*rows_, row_); });
  }

  // In a join the rows of one capture are asked for once for each row of another table: from the second time on they are kept.
  void begin_keeping() {
    std::string asked;
    if (names_one_ && captures_.size() == 1) {
      asked = std::to_string(captures_.front());
      for (const std::size_t column : columns_) asked += ',' + std::to_string(column);
      for (const auto* const text : {&filters_.host, &filters_.plane, &filters_.line, &filters_.name})
        asked += *text ? ';' + std::to_string((*text)->size()) + ':' + **text : ";";
      for (const auto& number : {filters_.step, filters_.from_ps, filters_.to_ps, filters_.file})
        asked += number ? ';' + std::to_string(*number) : ";";
    }
    const bool again = !asked.empty() && asked == asked_before_;
    is_kept_ = again && kept_whole_;
    if (is_kept_) {
      next_capture_ = captures_.size();
      return;
    }
    kept_.clear();
    kept_whole_ = false;
    keeps_ = again;
    asked_before_ = std::move(asked);
  }

  int end() {
    kept_whole_ = keeps_;
    // Of one capture that lacks what was asked for there are no rows; where all lack it, the name is wrong.
    if (refused_ != 0 && refused_ == tried_ && !names_one_) return fail_table(&of_, why_refused_);
    return SQLITE_OK;
  }

  std::vector<row_condition> conditions_;
  reader_filters filters_;
  std::vector<std::size_t> captures_, columns_;
  std::size_t next_capture_ = 0, tried_ = 0, refused_ = 0;
  std::string why_refused_;
  std::unique_ptr<table_stream> stream_;
  std::shared_ptr<const batch> rows_;
  std::int64_t row_ = -1, ordinal_ = -1, file_ = -1;  // in the batch; in the capture or the file; which file
  std::size_t position_in_schema_ = 0;                  // of `file`
  bool names_one_ = false;
  // The rows of one capture, for when they are asked for again.
  std::vector<std::shared_ptr<const batch>> kept_;
  bool keeps_ = false, kept_whole_ = false, is_kept_ = false;
  std::size_t replayed_ = 0;
  std::string asked_before_;
};

// `captures` has one row for each; `errors` one for what is wrong with each.
class capture_cursor : public fleet_cursor {
 public:
  capture_cursor(fleet_table& of, bool of_errors) : fleet_cursor(of), of_errors_(of_errors) {}

  int filter(const char* plan, sqlite3_value** values) {
    std::vector<planned> asked;
    read_plan(plan, asked);
    uri_conditions uris;
    for (std::size_t at = 0; at < asked.size(); ++at) uris.add(asked[at].how, values[at]);
    rows_.clear();
    at_ = 0;
    for (const std::string& uri : of_.of->captures()) {
      if (!uris.fit(uri)) continue;
      if (!of_errors_) {
        rows_.push_back({uri, {}, {}, {}});
        continue;
      }
      if (!check_capture(*of_.of, uri)) return SQLITE_INTERRUPT;
      for (const failure& one : of_.of->failures())
        if (one.uri == uri) rows_.push_back(one);
    }
    return SQLITE_OK;
  }
  int next() {
    ++at_;
    return SQLITE_OK;
  }
  [[nodiscard]] bool at_end() const noexcept { return at_ == rows_.size(); }
  [[nodiscard]] sqlite3_int64 row_number() const noexcept { return static_cast<sqlite3_int64>(at_) + 1; }
  void give(sqlite3_context* to, std::size_t column) const {
    const failure& row = rows_[at_];
    const std::string* const texts[] = {&row.uri, &row.table, &row.message, &row.hint};
    if (texts[column]->empty() && column != 0) return sqlite3_result_null(to);
    give_text(to, *texts[column]);
  }

 private:
  const bool of_errors_;
  std::vector<failure> rows_;
  std::size_t at_ = 0;
};

// Captures that stand in one folder, as one run: whom its ranks wait for.
class wait_cursor : public fleet_cursor {
 public:
  explicit wait_cursor(fleet_table& of) : fleet_cursor(of) {}

  int filter(const char* plan, sqlite3_value** values) {
    std::vector<planned> asked;
    read_plan(plan, asked);
    uri_conditions uris;
    for (std::size_t at = 0; at < asked.size(); ++at) uris.add(asked[at].how, values[at]);
    runs_.clear();
    for (std::string& run : of_.of->runs())
      if (uris.fit(run)) runs_.push_back(std::move(run));
    at_ = 0;
    return read();
  }
  int next() {
    ++at_;
    return read();
  }
  [[nodiscard]] bool at_end() const noexcept { return at_ >= runs_.size(); }
  [[nodiscard]] sqlite3_int64 row_number() const noexcept { return static_cast<sqlite3_int64>(at_) + 1; }
  void give(sqlite3_context* to, std::size_t column) const {
    if (column == 0) return give_text(to, runs_[at_]);
    sqlite3_result_value(to, sqlite3_column_value(row_.get(), static_cast<int>(column - 1)));
  }

 private:
  // Goes on to the next run of which calls are known.
  int read() {
    row_.reset();
    for (; at_ < runs_.size(); ++at_) {
      if (of_.of->stopped()) return SQLITE_INTERRUPT;
      const std::string document = of_.of->calls_of_run(runs_[at_]);
      if (document.empty()) continue;
      sqlite3_stmt* made = nullptr;
      if (const int wrong = sqlite3_prepare_v2(of_.db, query, -1, &made, nullptr); wrong != SQLITE_OK) return wrong;
      row_.reset(made);
      sqlite3_bind_text64(made, 1, document.data(), document.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
      if (sqlite3_step(made) == SQLITE_ROW) return SQLITE_OK;
      row_.reset();
    }
    return SQLITE_OK;
  }

  static constexpr const char* query =
      "select case when json_extract(a, '$.latest_rank') is not null then 'rank ' || json_extract(a, '$.latest_rank')"
      " when json_extract(a, '$.latest_node') is not null then 'node ' || json_extract(a, '$.latest_node') end,"
      " (select json_extract(value, '$.times_last') from json_each(a, '$.devices') where json_extract(value, '$.node') = json_extract(a, '$.latest_node')"
      "  and json_extract(value, '$.device') = json_extract(a, '$.latest_device')),"
      " json_extract(a, '$.judged'), (select coalesce(sum(json_extract(value, '$.calls')), 0) from json_each(a, '$.unjudged')),"
      " (select json_extract(value, '$.waited_for_ps') from json_each(a, '$.devices') where json_extract(value, '$.node') = json_extract(a, '$.latest_node')"
      "  and json_extract(value, '$.device') = json_extract(a, '$.latest_device')),"
      " json_extract(a, '$.waited_ps'), json_extract(a, '$.text') from (select json_extract(?1, '$.arrivals') as a)"
      " where json_extract(a, '$.judged') > 0 or json_array_length(a, '$.unjudged') > 0";

  struct finalize {
    void operator()(sqlite3_stmt* of) const noexcept { sqlite3_finalize(of); }
  };
  std::vector<std::string> runs_;
  std::size_t at_ = 0;
  std::unique_ptr<sqlite3_stmt, finalize> row_;
};

const shown_table& table_of_waits() {
  static const shown_table shown{
      "waits",
      "Whom the ranks of a run wait for in collectives. A run is what stands in one folder. Reading this table opens each of them.",
      {{"uri", "TEXT", "which folder, or the capture that stands alone in it"},
       {"who", "TEXT", "\"rank 7\", whom the others wait for longest; null where it is nobody, or several"},
       {"times_last", "INTEGER", "to how many collectives it came last"},
       {"judged", "INTEGER", "collectives of which it is known who came last"},
       {"not_judged", "INTEGER", "and of which it is not"},
       {"waited_for_ps", "INTEGER", "what the others waited for it, in ps"},
       {"waited_ps", "INTEGER", "what all waited, in ps"},
       {"text", "TEXT", "the same as a sentence, and why some are not judged"}}};
  return shown;
}

const shown_table& table_of_captures() {
  static const shown_table shown{"captures", "A capture that was asked for, whether or not it can be read.",
                                 {{"uri", "TEXT", "its path, as found"}}};
  return shown;
}
const shown_table& table_of_errors() {
  static const shown_table shown{"errors",
                                 "What is wrong with a capture. Reading this table opens every capture and reads its events.",
                                 {{"uri", "TEXT", "which capture"},
                                  {"table_name", "TEXT", "the table whose rows end early; null where it cannot be opened"},
                                  {"message", "TEXT", "what is wrong"},
                                  {"hint", "TEXT", "what to do; null where nothing is known"}}};
  return shown;
}

// ---- what SQLite calls ----

template <class Which>
int connect(sqlite3* db, void* data, int, const char* const*, sqlite3_vtab** out, char**) {
  return guarded([&]() -> int {
    const auto& given = *static_cast<const module_data*>(data);
    auto made = std::make_unique<fleet_table>();
    static_cast<sqlite3_vtab&>(*made) = {};
    made->db = db;
    made->of = given.of;
    made->table = given.table;
    made->columns = Which::columns(given);
    std::string text = "CREATE TABLE x(";
    for (const sql_column& column : made->columns)
      text += (text.back() == '(' ? "\"" : ", \"") + column.shown.name + "\" " + column.shown.type +
              (column.shown.is_filter ? " HIDDEN" : "");
    if (const int wrong = sqlite3_declare_vtab(db, (text + ')').c_str()); wrong != SQLITE_OK) return wrong;
#ifdef SQLITE_VTAB_DIRECTONLY
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);  // not from the views and triggers of a file that somebody sent
#endif
    *out = made.release();
    return SQLITE_OK;
  });
}

int disconnect(sqlite3_vtab* table) {
  sqlite3_free(table->zErrMsg);
  table->zErrMsg = nullptr;
  delete static_cast<fleet_table*>(table);
  return SQLITE_OK;
}

// Numbers of rows as they usually are: what has few is gone over first in a join.
double usual_rows(const schema_table* table) {
  if (table == nullptr) return 1;
  switch (table->number) {
    case PK_TABLE_FILES: return 1;
    case PK_TABLE_DEVICES:
    case PK_TABLE_ALLOCATORS: return 8;
    case PK_TABLE_MODULES:
    case PK_TABLE_DEVICE_TIME: return 50;
    case PK_TABLE_EVENTS:
    case PK_TABLE_KERNELS:
    case PK_TABLE_PROBE_RECORDS: return 1e5;
    default: return 1e3;
  }
}

int best_index(sqlite3_vtab* raw, sqlite3_index_info* info) {
  return guarded([&]() -> int {
    auto& table = *static_cast<fleet_table*>(raw);
    std::vector<planned> plan;
    std::vector<bool> is_given(table.columns.size(), false);
    const double rows_read = usual_rows(table.table);
    double rows = rows_read;
    auto captures = static_cast<double>(std::max<std::size_t>(table.of->captures().size(), 1));
    for (int at = 0; at < info->nConstraint; ++at) {
      const auto& asked = info->aConstraint[at];
      if (asked.iColumn < 0) continue;
      const auto column = static_cast<std::size_t>(asked.iColumn);
      const sql_column& of = table.columns[column];
      if (of.what == stands_for::map || of.what == stands_for::fields) continue;
      const std::optional<comparison> how = comparison_of(asked.op);
      if (is_filter(of.what)) {
        if (how != comparison::equal) continue;
        if (asked.usable == 0) return SQLITE_CONSTRAINT;
        if (is_given[column]) continue;  // a second value: SQLite compares it with the first
      }
      if (asked.usable == 0 || !how) continue;
      const bool is_pattern = *how == comparison::glob || *how == comparison::like;
      const bool is_text = of.shown.type == "TEXT";
      const bool is_equal = *how == comparison::equal;
      if (of.what == stands_for::uri ? !is_equal && !is_pattern : is_pattern || (is_text && !is_equal)) continue;
      if (of.what == stands_for::schema && is_text && table.table->columns[of.position].kind != value_kind::text) continue;
      if (is_text && is_equal && !is_filter(of.what) && sqlite3_stricmp(sqlite3_vtab_collation(info, at), "BINARY") != 0)
        continue;
      plan.push_back({*how, asked.iColumn});
      info->aConstraintUsage[at].argvIndex = static_cast<int>(plan.size());
      info->aConstraintUsage[at].omit = is_filter(of.what) && !is_given[column] ? 1 : 0;
      is_given[column] = true;
      if (of.what == stands_for::uri)
        captures = std::max(1.0, is_equal ? 1.0 : captures / 4);
      else
        rows = std::max(1.0, rows / (is_equal ? 10 : 3));
    }
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      if (is_filter(table.columns[column].what) && !is_given[column] && is_used(info->colUsed, column)) {
        const std::string& name = table.columns[column].shown.name;
        return fail_table(raw, name + " is a filter of the reader, which takes one value: write " + name + " = …");
      }
    info->idxStr = sqlite3_mprintf("%s", written_plan(plan, info->colUsed).c_str());
    if (info->idxStr == nullptr) return SQLITE_NOMEM;
    info->needToFreeIdxStr = 1;
    constexpr double cost_of_opening = 1e4;
    info->estimatedRows = static_cast<sqlite3_int64>(captures * rows);
    info->estimatedCost = captures * (cost_of_opening + rows_read);  // a capture is read whole, whichever rows fit
    // Captures are gone over in the order of their names.
    info->orderByConsumed = info->nOrderBy == 1 && info->aOrderBy[0].iColumn == 0 && info->aOrderBy[0].desc == 0 ? 1 : 0;
    return SQLITE_OK;
  });
}

template <class Cursor>
int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}
template <class Cursor>
int filter_cursor(sqlite3_vtab_cursor* cursor, int, const char* plan, int, sqlite3_value** values) {
  return guarded([&] { return static_cast<Cursor*>(cursor)->filter(plan, values); });
}
template <class Cursor>
int next_row(sqlite3_vtab_cursor* cursor) {
  return guarded([&] { return static_cast<Cursor*>(cursor)->next(); });
}
template <class Cursor>
int is_at_end(sqlite3_vtab_cursor* cursor) {
  return static_cast<Cursor*>(cursor)->at_end() ? 1 : 0;
}
template <class Cursor>
int give_column(sqlite3_vtab_cursor* cursor, sqlite3_context* to, int column) {
  return guarded([&] {
    static_cast<Cursor*>(cursor)->give(to, static_cast<std::size_t>(column));
    return SQLITE_OK;
  });
}
template <class Cursor>
int give_row_number(sqlite3_vtab_cursor* cursor, sqlite3_int64* out) {
  *out = static_cast<Cursor*>(cursor)->row_number();
  return SQLITE_OK;
}

std::vector<sql_column> plain_columns(const shown_table& of) {
  std::vector<sql_column> all;
  // Conditions on others than `uri` are SQLite's own.
  for (const shown_column& column : of.columns) all.push_back({column, all.empty() ? stands_for::uri : stands_for::fields});
  return all;
}

struct rows_module {
  using cursor = row_cursor;
  static std::vector<sql_column> columns(const module_data& of) { return columns_for_sql(*of.table); }
  static cursor* open(fleet_table& of) { return new row_cursor(of); }
};
struct captures_module {
  using cursor = capture_cursor;
  static std::vector<sql_column> columns(const module_data&) { return plain_columns(table_of_captures()); }
  static cursor* open(fleet_table& of) { return new capture_cursor(of, false); }
};
struct errors_module {
  using cursor = capture_cursor;
  static std::vector<sql_column> columns(const module_data&) { return plain_columns(table_of_errors()); }
  static cursor* open(fleet_table& of) { return new capture_cursor(of, true); }
};

struct waits_module {
  using cursor = wait_cursor;
  static std::vector<sql_column> columns(const module_data&) { return plain_columns(table_of_waits()); }
  static cursor* open(fleet_table& of) { return new wait_cursor(of); }
};

template <class Which>
const sqlite3_module& module_of() {
  static const sqlite3_module made = [] {
    using cursor = typename Which::cursor;
    sqlite3_module module = {};
    module.iVersion = 1;
    module.xConnect = connect<Which>;  // without xCreate: each table is there under the name of its module, and is not made
    module.xBestIndex = best_index;
    module.xDisconnect = disconnect;
    module.xOpen = [](sqlite3_vtab* table, sqlite3_vtab_cursor** out) {
      return guarded([&] {
        *out = Which::open(*static_cast<fleet_table*>(table));
        return SQLITE_OK;
      });
    };
    module.xClose = close_cursor<cursor>;
    module.xFilter = filter_cursor<cursor>;
    module.xNext = next_row<cursor>;
    module.xEof = is_at_end<cursor>;
    module.xColumn = give_column<cursor>;
    module.xRowid = give_row_number<cursor>;
    return module;
  }();
  return made;
}

template <class Which>
int add_module(sqlite3* into, const std::string& name, const std::shared_ptr<fleet>& of, const schema_table* table) {
  auto data = std::make_unique<module_data>(module_data{of, table});
  return sqlite3_create_module_v2(into, name.c_str(), &module_of<Which>(), data.release(),
                                  [](void* given) { delete static_cast<module_data*>(given); });
}

}  // namespace

std::vector<shown_table> shown_tables() {
  std::vector<shown_table> all;
  for (const schema_table& table : all_schema_tables()) {
    shown_table& shown = all.emplace_back();
    shown.name = table.name;
    shown.meaning = table.meaning;
    for (sql_column& column : columns_for_sql(table)) shown.columns.push_back(std::move(column.shown));
  }
  all.push_back(table_of_waits());
  all.push_back(table_of_captures());
  all.push_back(table_of_errors());
  return all;
}

int add_fleet_tables(sqlite3* into, const std::shared_ptr<fleet>& of, const std::string& prefix) {
  return guarded([&]() -> int {
    int status = SQLITE_OK;
    for (const schema_table& table : all_schema_tables())
      if (status == SQLITE_OK) status = add_module<rows_module>(into, prefix + table.name, of, &table);
    if (status == SQLITE_OK) status = add_module<waits_module>(into, prefix + table_of_waits().name, of, nullptr);
    if (status == SQLITE_OK) status = add_module<captures_module>(into, prefix + table_of_captures().name, of, nullptr);
    if (status == SQLITE_OK) status = add_module<errors_module>(into, prefix + table_of_errors().name, of, nullptr);
    return status;
  });
}

}  // namespace profkit_sqlite
