#include "table_stream.hpp"

#include <algorithm>
#include <cstring>

namespace profkit_sqlite {
namespace {

constexpr char is_dictionary = 0;

std::string_view text_at(const ArrowArray& texts, std::int64_t at) noexcept {
  const auto* const offsets = static_cast<const std::int32_t*>(texts.buffers[1]) + texts.offset;
  const auto* const bytes = static_cast<const char*>(texts.buffers[2]);
  return {bytes + offsets[at], static_cast<std::size_t>(offsets[at + 1] - offsets[at])};
}

bool is_of_bubbles(std::int32_t table) noexcept {
  return table == PK_TABLE_STEPS || table == PK_TABLE_GAPS || table == PK_TABLE_CAUSES || table == PK_TABLE_DEVICE_TIME;
}

}  // namespace

column_view::column_view(const ArrowSchema& of, const ArrowArray& values)
    : values_(&values), format_(of.dictionary != nullptr ? is_dictionary : of.format[0]) {}

bool column_view::is_known(std::int64_t row) const noexcept {
  const auto* const bits = static_cast<const std::uint8_t*>(values_->buffers[0]);
  const std::int64_t at = row + values_->offset;
  return bits == nullptr || (bits[at / 8] >> (at % 8) & 1) != 0;
}

template <class T>
T column_view::value(std::int64_t row) const noexcept {
  T found;
  std::memcpy(&found, static_cast<const char*>(values_->buffers[1]) + static_cast<std::size_t>(row + values_->offset) * sizeof(T),
              sizeof found);
  return found;
}

cell column_view::at(std::int64_t row) const noexcept {
  cell found;
  if (values_ == nullptr || !is_known(row)) return found;
  found.what = cell::is::integer;
  switch (format_) {
    case 'l': found.number = value<std::int64_t>(row); break;
    case 'i': found.number = value<std::int32_t>(row); break;
    case 'I': found.number = value<std::uint32_t>(row); break;
    case 'L':
      found.bits = value<std::uint64_t>(row);
      found.number = static_cast<std::int64_t>(found.bits);
      if (found.number < 0) found.what = cell::is::large;
      break;
    case 'b': {
      const std::int64_t at = row + values_->offset;
      found.number = static_cast<const std::uint8_t*>(values_->buffers[1])[at / 8] >> (at % 8) & 1;
      break;
    }
    case is_dictionary:
      found.what = cell::is::text;
      found.text = text_at(*values_->dictionary, value<std::int32_t>(row));
      break;
    default:
      found.what = cell::is::text;
      found.text = text_at(*values_, row);
  }
  return found;
}

std::optional<std::int32_t> column_view::index_of(std::string_view text) const noexcept {
  if (values_ == nullptr || format_ != is_dictionary) return std::nullopt;
  for (std::int64_t at = 0; at < values_->dictionary->length; ++at)
    if (text_at(*values_->dictionary, at) == text) return static_cast<std::int32_t>(at);
  return -1;
}

bool column_view::has_index(std::int64_t row, std::int32_t index) const noexcept {
  return is_known(row) && value<std::int32_t>(row) == index;
}

batch::~batch() {
  if (array.release != nullptr) array.release(&array);
}

table_stream::table_stream(fleet& all, const schema_table& table, std::string uri, std::vector<std::size_t> columns,
                           reader_filters filters)
    : fleet_(all), table_(table), uri_(std::move(uri)), columns_(std::move(columns)), filters_(std::move(filters)) {}

table_stream::~table_stream() { close_stream(); }

void table_stream::close_stream() noexcept {
  if (schema_.release != nullptr) schema_.release(&schema_);
  if (stream_.release != nullptr) stream_.release(&stream_);
  schema_ = {};
  stream_ = {};
}

// An export of another file has no events unless it alone is asked for, which a condition on rows does not mean.
bool table_stream::is_no_file_of_events(pk_profile* profile) const noexcept {
  pk_file_info info = {};
  return *filters_.file < 0 || *filters_.file >= pk_file_count(profile) ||
         pk_file_get(profile, static_cast<std::uint32_t>(*filters_.file), &info, nullptr) != PK_OK || info.export_of >= 0;
}

stream_outcome table_stream::take(pk_status code, pk_error* why, pk_table* opened) {
  if (code == PK_OK) code = pk_table_arrow(opened, &stream_, &why);
  pk_table_free(opened);
  if (code == PK_OK) {
    if (stream_.get_schema(&stream_, &schema_) == 0) return stream_outcome::rows;
    code = PK_E_OUT_OF_MEMORY;
  }
  if (code == PK_E_CANCELLED) {
    pk_error_free(why);
    return stream_outcome::stopped;
  }
  if (code == PK_E_INVALID_ARGUMENT && filters_.any()) {
    why_refused_ = pk_error_message(why);
    pk_error_free(why);
    return stream_outcome::refused;
  }
  fleet_.keep_failure(uri_, table_.name, why);
  pk_error_free(why);
  return stream_outcome::end;
}

stream_outcome table_stream::open_stream() {
  if (!begun_) profile_ = fleet_.open(uri_);
  if (profile_ == nullptr) return fleet_.stopped() ? stream_outcome::stopped : stream_outcome::end;
  if (table_.number == PK_TABLE_PROBE_RECORDS) return open_records();
  if (begun_) return stream_outcome::end;
  begun_ = true;
  std::vector<const char*> names;
  for (const std::size_t column : columns_) names.push_back(table_.columns[column].name);
  pk_table_options options = PK_TABLE_OPTIONS_INIT;
  const pk_hooks hooks = fleet_.hooks();
  options.hooks = &hooks;
  options.columns = names.data();
  options.column_count = names.size();
  pk_filters filters = PK_FILTERS_INIT;
  if (filters_.any()) {
    if (filters_.host) filters.host = filters_.host->c_str();
    if (filters_.plane) filters.plane = filters_.plane->c_str();
    if (filters_.line) filters.line = filters_.line->c_str();
    if (filters_.name) filters.name = filters_.name->c_str();
    if (filters_.step) filters.flags |= PK_FILTER_HAS_STEP;
    if (filters_.from_ps) filters.flags |= PK_FILTER_HAS_FROM;
    if (filters_.to_ps) filters.flags |= PK_FILTER_HAS_TO;
    filters.step = static_cast<std::uint64_t>(filters_.step.value_or(0));
    filters.from_ps = filters_.from_ps.value_or(0);
    filters.to_ps = filters_.to_ps.value_or(0);
    options.filters = &filters;
    options.flags |= PK_TABLE_ALLOW_EMPTY;
  }
  if (filters_.file) {
    if (is_no_file_of_events(profile_.get())) return stream_outcome::end;
    options.flags |= PK_TABLE_ONE_FILE;
    options.file = static_cast<std::uint32_t>(*filters_.file);
  }
  pk_table* opened = nullptr;
  pk_error* why = nullptr;
  pk_status code = PK_OK;
  if (is_of_bubbles(table_.number) && !filters_.any()) {
    if (const std::shared_ptr<pk_bubbles> found = fleet_.bubbles(&code, &why))
      code = pk_bubbles_table(found.get(), table_.number, &options, &opened, &why);
  } else {
    code = pk_table_open(profile_.get(), table_.number, &options, &opened, &why);
  }
  return take(code, why, opened);
}

stream_outcome table_stream::open_records() {
  pk_error* why = nullptr;
  if (!begun_) {
    begun_ = true;
    pk_probe* opened = nullptr;
    const pk_status code = pk_probe_open(profile_.get(), PK_PROBE_TOOL_NONE, &opened, &why);
    if (code == PK_E_NOT_FOUND) {
      pk_error_free(why);
      return stream_outcome::end;
    }
    if (code != PK_OK) {
      fleet_.keep_failure(uri_, table_.name, why);
      pk_error_free(why);
      return stream_outcome::end;
    }
    probe_ = std::shared_ptr<pk_probe>(opened, pk_probe_free);
  }
  if (probe_ == nullptr) return stream_outcome::end;
  for (; bin_ < pk_probe_bin_count(probe_.get()); ++bin_, map_ = 0) {
    if (fleet_.stopped()) return stream_outcome::stopped;
    if (map_ == 0)
      if (const pk_error* const damage = pk_probe_bin_damage(probe_.get(), bin_))
        fleet_.keep_failure(uri_, table_.name, damage);
    pk_probe_bin facts = {};
    if (pk_probe_bin_get(probe_.get(), bin_, &facts, nullptr) != PK_OK || map_ >= facts.map_count) continue;
    pk_probe_map map = {};
    map_name_.clear();
    if (pk_probe_map_get(probe_.get(), bin_, map_, &map, nullptr) == PK_OK && map.name.size != 0)
      map_name_.assign(map.name.data, map.name.size);
    pk_table* opened = nullptr;
    const pk_status code = pk_probe_records_table(probe_.get(), bin_, map_++, nullptr, &opened, &why);
    const stream_outcome outcome = take(code, why, opened);
    if (outcome != stream_outcome::end) return outcome;
    why = nullptr;
  }
  return stream_outcome::end;
}

// A stream has its failure as one text. Where it is that of a file, the file has the parts.
void table_stream::keep_failure_of_stream() {
  const char* const given = stream_.get_last_error(&stream_);
  const std::string said = given == nullptr ? "the rows cannot be read" : given;
  for (std::uint32_t file = 0; file < pk_file_count(profile_.get()); ++file) {
    const pk_error* const why = pk_file_damage(profile_.get(), file);
    if (why != nullptr && said.find(pk_error_message(why)) != std::string::npos) return fleet_.keep_failure(uri_, table_.name, why);
  }
  fleet_.keep_failure({uri_, table_.name, said, "", PK_E_DAMAGED});
}

stream_outcome table_stream::next() {
  for (;;) {
    if (stream_.release == nullptr)
      if (const stream_outcome opened = open_stream(); opened != stream_outcome::rows) return opened;
    if (fleet_.stopped()) return stream_outcome::stopped;
    auto read = std::make_shared<batch>();
    if (const int wrong = stream_.get_next(&stream_, &read->array); wrong != 0) {
      keep_failure_of_stream();
      close_stream();
      continue;
    }
    if (read->array.release == nullptr) {
      close_stream();
      continue;
    }
    if (read->array.length == 0) continue;
    read->columns.resize(table_.column_count);
    for (std::int64_t child = 0; child < schema_.n_children; ++child) {
      const column_view view(*schema_.children[child], *read->array.children[child]);
      const std::string_view name = schema_.children[child]->name;
      const schema_column* const end = table_.columns + table_.column_count;
      const schema_column* const of = std::find_if(table_.columns, end, [&](const schema_column& one) { return one.name == name; });
      if (of != end && read->fields.empty())
        read->columns[static_cast<std::size_t>(of - table_.columns)] = view;
      else
        read->fields.emplace_back(name, view);
    }
    read->map = map_name_;
    rows_ = std::move(read);
    return stream_outcome::rows;
  }
}

}  // namespace profkit_sqlite
