#include "table.hpp"

#include <profkit/core/table.hpp>

#include <algorithm>
#include <cstring>
#include <deque>

struct pk_table : profkit::capi::counted {
  profkit::capi::table_parts parts;
  profkit::capi::table_request asked;
  std::vector<profkit::column_facts> facts;       // of rows
  profkit::capi::arrow_columns columns;           // all of them
  std::vector<std::size_t> chosen;                // positions
  std::optional<profkit::table_reader> reader;    // of rows
  std::deque<std::string> texts;                  // of the values that were given last
  bool begun = false, streamed = false;           // rows were read; a stream has them
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {

held_handle<pk_table> hold(pk_table* table) noexcept { return {retain_handle(table), pk_table_free}; }

bool table_request::wants_any(std::initializer_list<const char*> names) const {
  if (columns.empty()) return true;
  return std::any_of(names.begin(), names.end(), [this](const char* name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end();
  });
}

arrow_columns arrow_columns_of(const std::vector<column_facts>& columns) {
  arrow_columns all;
  for (const column_facts& column : columns) all.push_back({column.name, column.type, column.unit});
  return all;
}

fault take_fault(pk_error* error) {
  if (!error) return fault{fault_code::internal, "a call failed without a reason", "", no_offset, ""};
  fault why = fault_of(*error);
  pk_error_free(error);
  return why;
}

result<table_request> read_table_options(const pk_table_options* options, hook_bridge& bridge) {
  constexpr std::uint64_t max_rows = std::uint64_t{1} << 30;
  constexpr std::uint32_t known = PK_TABLE_SKIP_DAMAGE | PK_TABLE_PLAIN_TEXT | PK_TABLE_SIGNED | PK_TABLE_ONE_FILE |
                                  PK_TABLE_ALLOW_EMPTY;
  result<pk_table_options> given =
      read_sized_struct<pk_table_options>(options, "pk_table_options");
  if (!given) return std::move(given).error();
  if ((given->flags & ~known) != 0) return unknown_flags("pk_table_options", given->flags);
  if (given->reserved != 0) return invalid_argument("pk_table_options::reserved is not 0");
  if (given->batch_rows > max_rows)
    return invalid_argument("pk_table_options::batch_rows is " + std::to_string(given->batch_rows),
                            "a batch has up to 2^30 rows");
  table_request asked;
  asked.allow_empty = (given->flags & PK_TABLE_ALLOW_EMPTY) != 0;
  asked.arrow.skip_damage = (given->flags & PK_TABLE_SKIP_DAMAGE) != 0;
  asked.arrow.plain = {(given->flags & PK_TABLE_PLAIN_TEXT) != 0, (given->flags & PK_TABLE_SIGNED) != 0};
  if (given->batch_rows != 0) asked.arrow.batch_rows = static_cast<std::size_t>(given->batch_rows);
  if ((given->flags & PK_TABLE_ONE_FILE) != 0) asked.file = given->file;
  if (given->columns == nullptr && given->column_count != 0) return null_argument("columns");
  if (given->columns != nullptr && given->column_count == 0)
    return invalid_argument("pk_table_options::columns names no column", "NULL stands for all");
  for (std::size_t i = 0; i < given->column_count; ++i) {
    if (given->columns[i] == nullptr) return null_argument("one of columns");
    asked.columns.emplace_back(given->columns[i]);
  }
  result<query_filters> filters = read_filters(given->filters, by_all);  // the table says which of them it takes
  if (!filters) return std::move(filters).error();
  asked.filters = std::move(*filters);
  asked.filters.limit = limit_of(given->limit, 0);
  if (result<void> taken = bridge.take(given->hooks); !taken) return std::move(taken).error();
  return asked;
}

result<void> refuse_filters(const table_request& asked) {
  const query_filters& o = asked.filters;
  if (o.host.empty() && o.plane.empty() && o.line.empty() && o.name.empty() && !o.step && !o.from_ps && !o.to_ps &&
      o.limit == 0)
    return {};
  return invalid_argument("the rows of an analysis are not filtered again", "give the filters where it is opened");
}

fault table_not_here(std::int32_t table, const char* there) {
  return invalid_argument("table " + std::to_string(table) + " is none of this handle", std::string("it has ") + there);
}

namespace {

// Rows as columns of Arrow.
class row_columns final : public arrow_table {
 public:
  explicit row_columns(pk_table* of) : of_(hold(of)) {}
  const arrow_columns& columns() const noexcept override { return of_->columns; }
  result<std::size_t> read(arrow_batch& into, std::size_t most) override {
    table_reader& reader = *of_->reader;
    result<std::size_t> count = reader.read(most);
    if (!count) return count;
    for (const std::size_t column : of_->chosen)
      for (std::size_t row = 0; row < *count; ++row)
        if (result<void> put = put_cell(into, column, reader.at(row, column)); !put) return std::move(put).error();
    return count;
  }

 private:
  result<void> put_cell(arrow_batch& into, std::size_t column, const cell& c) const {
    arrow_values& values = into.at(column);
    if (!c.known) {
      values.put_null();
      return {};
    }
    switch (of_->columns[column].type) {
      case column_type::int64: values.put_int64(c.number); break;
      case column_type::int32: values.put_int32(static_cast<std::int32_t>(c.number)); break;
      case column_type::uint64: values.put_uint64(c.bits); break;
      case column_type::uint32: values.put_uint32(static_cast<std::uint32_t>(c.bits)); break;
      case column_type::boolean: values.put_boolean(c.bits != 0); break;
      case column_type::text: return values.put_text(c.text);
      case column_type::name: return into.put_name(column, c.text);
    }
    return {};
  }

  held_handle<pk_table> of_;
};

// Columns of a table that has no rows; keeps the table.
class held_columns final : public arrow_table {
 public:
  explicit held_columns(pk_table* of) : of_(hold(of)) {}
  const arrow_columns& columns() const noexcept override { return of_->columns; }
  result<std::size_t> read(arrow_batch& into, std::size_t most) override { return of_->parts.columns->read(into, most); }
  [[nodiscard]] std::size_t room() override { return of_->parts.columns->room(); }
  [[nodiscard]] bool at_border() const noexcept override { return of_->parts.columns->at_border(); }

 private:
  held_handle<pk_table> of_;
};

fault no_rows(const char* what, const char* hint) {
  return fault{fault_code::unsupported, what, "", no_offset, hint};
}

result<table_reader*> reader_of(pk_table* table) {
  if (!table) return null_argument("table");
  if (!table->reader) return no_rows("this table has no rows of a struct", "take it as an Arrow stream");
  if (table->streamed) return no_rows("the rows of this table go into a stream", "open the table once more");
  return &*table->reader;
}

result<table_parts> parts_of_profile(pk_profile* profile, std::int32_t table, const table_request& asked,
                                     const hooks& host) {
  if (!profile) return null_argument("profile");
  const auto which = static_cast<table_kind>(table);
  if (*table_name(which) == '\0')
    return invalid_argument("there is no table " + std::to_string(table), "use a PK_TABLE_ constant");
  if (which == table_kind::probe_records)
    return no_rows("records come one map at a time", "call pk_probe_records_table()");
  const bool is_events = which == table_kind::events;
  if (asked.file && !is_events) return invalid_argument("only events are of one file", "leave PK_TABLE_ONE_FILE out");
  if (asked.file)
    if (auto there = require_file(profile, *asked.file); !there) return std::move(there).error();
  if (is_events)
    if (result<void> plain = refuse_filters(asked); !plain) return std::move(plain).error();
  table_parts parts;
  pk_profile_ref(profile);
  parts.owner = std::shared_ptr<void>(profile, [](void* raw) { pk_profile_free(static_cast<pk_profile*>(raw)); });
  // The devices of a trace take another pass over it, which is left out when they are not asked for.
  const bool joined = !is_events || asked.wants_any({"device", "device_name", "rank"});
  auto devices = joined ? capture_devices::list(*profile->trace, host) : capture_devices::of_planes(*profile->core);
  if (!devices) return std::move(devices).error();
  parts.devices = std::move(*devices);
  if (is_events) {
    const auto count = static_cast<std::uint32_t>(profile->core->file_count());
    parts.of_columns = which;
    parts.columns = event_columns(*profile->core, parts.devices, asked.file.value_or(0),
                                  asked.file ? *asked.file + 1 : count);
    return parts;
  }
  auto rows = open_rows(*profile->trace, parts.devices, which, {asked.filters, asked.allow_empty}, host);
  if (!rows) return std::move(rows).error();
  parts.rows = std::move(*rows);
  return parts;
}

pk_status write_table(pk_table* table, pk_write_callback write, void* user, pk_error** err,
                      result<void> (*render)(table_reader&, const std::vector<std::size_t>&, sink&)) noexcept {
  return guard(err, [&]() -> result<pk_status> {
    if (!write) return null_argument("write");
    result<table_reader*> reader = reader_of(table);
    if (!reader) return std::move(reader).error();
    table->begun = true;
    return write_to_host(write, user, nullptr, [&](sink& into) -> result<void> {
      result<void> written = render(**reader, table->chosen, into);
      if (!written && written.error().code == fault_code::damaged && table->asked.arrow.skip_damage) return {};
      return written;
    });
  });
}

pk_value shown_value(column_type type, const cell& c) noexcept {
  pk_value value = {};
  if (!c.known) return value;
  switch (type) {
    case column_type::int32:
    case column_type::int64:
      value.kind = PK_VALUE_INT64;
      value.bits = static_cast<std::uint64_t>(c.number);
      break;
    case column_type::text:
    case column_type::name:
      value.kind = PK_VALUE_TEXT;
      value.text = borrowed(c.text);
      break;
    default: value.kind = PK_VALUE_UINT64; value.bits = c.bits;
  }
  return value;
}

}  // namespace

result<pk_table*> make_table(table_parts parts, table_request asked) {
  auto made = std::make_unique<pk_table>();
  made->asked = std::move(asked);
  made->parts = std::move(parts);
  if (made->parts.rows != nullptr) {
    made->reader.emplace(std::move(made->parts.rows), made->parts.devices);
    made->facts = made->reader->columns();
    made->columns = arrow_columns_of(made->facts);
  } else {
    made->columns = made->parts.columns->columns();
    made->facts = columns_of(made->parts.of_columns);
    // Records have more than the schema knows: what the probe names.
    for (std::size_t i = made->facts.size(); i < made->columns.size(); ++i) {
      const arrow_column& column = made->columns[i];
      made->facts.push_back({column.name.c_str(), column.type, column.unit.c_str(), "a field of the record"});
    }
  }
  result<std::vector<std::size_t>> chosen = choose_columns(made->facts, made->asked.columns);
  if (!chosen) return std::move(chosen).error();
  made->chosen = std::move(*chosen);
  return made.release();
}

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

static_assert(static_cast<std::int32_t>(profkit::table_kind::files) == PK_TABLE_FILES);
static_assert(static_cast<std::int32_t>(profkit::table_kind::probe_records) == PK_TABLE_PROBE_RECORDS);

const char* pk_table_name(int32_t table) noexcept {
  return profkit::table_name(static_cast<profkit::table_kind>(table));
}

pk_status pk_table_open(pk_profile* profile, int32_t table, const pk_table_options* options, pk_table** out,
                        pk_error** err) noexcept {
  return open_table(options, out, err, [&](const table_request& asked, const profkit::hooks& host) {
    return parts_of_profile(profile, table, asked, host);
  });
}

void pk_table_free(pk_table* table) noexcept { release_handle(table); }

uint32_t pk_table_column_count(const pk_table* table) noexcept {
  return table ? static_cast<uint32_t>(table->facts.size()) : 0;
}

pk_status pk_table_column_get(const pk_table* table, uint32_t column, pk_column* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!table) return null_argument("table");
    if (!out) return null_argument("out");
    if (column >= table->facts.size())
      return invalid_argument("there is no column " + std::to_string(column) + ": the number is " +
                              std::to_string(table->facts.size()));
    const profkit::column_facts& facts = table->facts[column];
    *out = {borrowed(facts.name), borrowed(facts.unit), borrowed(facts.meaning), static_cast<std::int32_t>(facts.type), 0};
    return PK_OK;
  });
}

pk_status pk_table_read(pk_table* table, void* rows, size_t row_size, size_t capacity, size_t* count,
                        pk_error** err) noexcept {
  if (count) *count = 0;
  return guard(err, [&]() -> result<pk_status> {
    if (!count) return null_argument("count");
    result<profkit::table_reader*> reader = reader_of(table);
    if (!reader) return std::move(reader).error();
    if (!rows && row_size != 0) return null_argument("rows");
    if (rows && row_size != (*reader)->c_row_bytes())
      return invalid_argument("row_size is " + std::to_string(row_size) + ", the row of this table has " +
                                  std::to_string((*reader)->c_row_bytes()) + " bytes",
                              "give sizeof of the table's own struct");
    if (capacity == 0) return invalid_argument("capacity is 0", "give room for at least one row");
    table->begun = true;
    result<std::size_t> got = (*reader)->read(capacity);
    if (!got && got.error().code == profkit::fault_code::damaged && table->asked.arrow.skip_damage) return PK_END;
    if (!got) return std::move(got).error();
    for (std::size_t i = 0; i < *got && rows; ++i)
      std::memcpy(static_cast<char*>(rows) + i * row_size, (*reader)->row(i), row_size);
    *count = *got;
    return *got == 0 ? PK_END : PK_OK;
  });
}

pk_status pk_table_values(pk_table* table, const char* column, pk_value* values, size_t capacity, size_t* count,
                          pk_error** err) noexcept {
  if (count) *count = 0;
  return guard(err, [&]() -> result<pk_status> {
    if (!column) return null_argument("column");
    if (!values) return null_argument("values");
    if (!count) return null_argument("count");
    result<profkit::table_reader*> reader = reader_of(table);
    if (!reader) return std::move(reader).error();
    result<std::vector<std::size_t>> at = profkit::choose_columns(table->facts, {column});
    if (!at) return std::move(at).error();
    const std::size_t rows = (*reader)->row_count();
    if (capacity < rows)
      return invalid_argument("capacity is " + std::to_string(capacity) + ", and " + std::to_string(rows) +
                              " rows were read");
    const profkit::column_type type = table->facts[at->front()].type;
    table->texts.clear();
    for (std::size_t i = 0; i < rows; ++i) {
      profkit::cell c = (*reader)->at(i, at->front());
      table->texts.emplace_back(c.text);  // what is put together for a cell lives until the next one
      c.text = table->texts.back();
      values[i] = shown_value(type, c);
    }
    *count = rows;
    return PK_OK;
  });
}

pk_status pk_table_arrow(pk_table* table, struct ArrowArrayStream* out, pk_error** err) noexcept {
  if (out) *out = ArrowArrayStream{};
  return guard(err, [&]() -> result<pk_status> {
    if (!table) return null_argument("table");
    if (!out) return null_argument("out");
    if (table->streamed || table->begun)
      return no_rows("the rows of this table were taken", "open the table once more");
    std::unique_ptr<arrow_table> columns;
    if (table->reader)
      columns = std::make_unique<row_columns>(table);
    else
      columns = std::make_unique<held_columns>(table);
    export_stream(std::move(columns), table->chosen, table->asked.arrow, *out);
    table->streamed = true;
    return PK_OK;
  });
}

pk_status pk_table_write_csv(pk_table* table, pk_write_callback write, void* user, pk_error** err) noexcept {
  return write_table(table, write, user, err, profkit::write_table_csv);
}

pk_status pk_table_write_json(pk_table* table, pk_write_callback write, void* user, pk_error** err) noexcept {
  return write_table(table, write, user, err, profkit::write_table_json);
}
