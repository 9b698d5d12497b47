#include "arrow_batch.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "options.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

const char* format_of(column_type type) noexcept {
  switch (type) {
    case column_type::int64: return "l";
    case column_type::uint64: return "L";
    case column_type::int32: return "i";
    case column_type::uint32: return "I";
    case column_type::boolean: return "b";
    case column_type::text: return "u";
    case column_type::name: return "i";
  }
  return "n";
}

std::size_t bytes_of(column_type type) noexcept {
  switch (type) {
    case column_type::int64:
    case column_type::uint64: return 8;
    case column_type::int32:
    case column_type::uint32:
    case column_type::name: return 4;
    default: return 0;
  }
}

// Pairs of texts, each with its length before it, after their number.
std::string metadata_of(std::string_view key, std::string_view value) {
  std::string out;
  const auto put = [&](std::size_t number) {
    const auto word = static_cast<std::int32_t>(number);
    char bytes[4];
    std::memcpy(bytes, &word, 4);
    out.append(bytes, 4);
  };
  put(1);
  put(key.size());
  out += key;
  put(value.size());
  out += value;
  return out;
}

// What a schema points to.
struct schema_parts {
  std::string format, name, metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
  std::unique_ptr<ArrowSchema> dictionary;
  schema_parts() = default;
  schema_parts(const schema_parts&) = delete;
  schema_parts& operator=(const schema_parts&) = delete;
  // A child that was moved elsewhere has no `release` any more.
  ~schema_parts() {
    for (ArrowSchema& child : children)
      if (child.release) child.release(&child);
    if (dictionary && dictionary->release) dictionary->release(dictionary.get());
  }
};

void release_schema(ArrowSchema* schema) noexcept {
  delete static_cast<schema_parts*>(schema->private_data);
  schema->release = nullptr;
}

void fill_schema(std::unique_ptr<schema_parts> parts, std::int64_t flags, ArrowSchema& out) noexcept {
  out = ArrowSchema{};
  out.format = parts->format.c_str();
  out.name = parts->name.c_str();
  out.metadata = parts->metadata.empty() ? nullptr : parts->metadata.data();
  out.flags = flags;
  out.n_children = static_cast<std::int64_t>(parts->pointers.size());
  out.children = parts->pointers.empty() ? nullptr : parts->pointers.data();
  out.dictionary = parts->dictionary.get();
  out.release = release_schema;
  out.private_data = parts.release();
}

// What a column becomes.
column_type plain_type(column_type type, arrow_plainness plain) noexcept {
  const bool is_unsigned = type == column_type::uint32 || type == column_type::uint64;
  if (is_unsigned && plain.signed_only) return column_type::int64;
  return type == column_type::name && plain.plain_text ? column_type::text : type;
}

std::unique_ptr<schema_parts> parts_of(const arrow_column& column, arrow_plainness plain) {
  const column_type type = plain_type(column.type, plain);
  auto parts = std::make_unique<schema_parts>();
  parts->format = format_of(type);
  parts->name = column.name;
  if (!column.unit.empty()) parts->metadata = metadata_of("unit", column.unit);
  if (type == column_type::name) {
    auto texts = std::make_unique<schema_parts>();
    texts->format = format_of(column_type::text);
    parts->dictionary = std::make_unique<ArrowSchema>();
    fill_schema(std::move(texts), ARROW_FLAG_NULLABLE, *parts->dictionary);
  }
  return parts;
}

// What an array points to, and whatever keeps that alive.
struct array_parts {
  std::shared_ptr<const void> held;
  std::array<const void*, 3> buffers{};
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  std::unique_ptr<ArrowArray> dictionary;
  array_parts() = default;
  array_parts(const array_parts&) = delete;
  array_parts& operator=(const array_parts&) = delete;
  ~array_parts() {
    for (ArrowArray& child : children)
      if (child.release) child.release(&child);
    if (dictionary && dictionary->release) dictionary->release(dictionary.get());
  }
};

void release_array(ArrowArray* array) noexcept {
  delete static_cast<array_parts*>(array->private_data);
  array->release = nullptr;
}

// Where nothing but zeros is shown: nulls, the first name of a dictionary.
constexpr std::size_t max_zeros = std::size_t{1} << 19;  // bytes: a batch of the usual size
const std::shared_ptr<unsigned char[]>& zeros() {
  static const std::shared_ptr<unsigned char[]> shown = [] {
    constexpr std::size_t line = 64;  // readers like buffers to begin at a line of the cache
    std::size_t room = max_zeros + line;
    const std::shared_ptr<void> all(std::calloc(room, 1), std::free);
    if (all == nullptr) throw std::bad_alloc();
    void* at = all.get();
    return std::shared_ptr<unsigned char[]>(all, static_cast<unsigned char*>(std::align(line, max_zeros, at, room)));
  }();
  return shown;
}

// Buffers may not be null where there are rows, and some readers want one where there are none.
const void* buffer_of(const void* data) noexcept {
  static const std::int64_t nothing[8] = {};
  return data ? data : nothing;
}

void fill_array(std::unique_ptr<array_parts> parts, std::size_t rows, std::int64_t nulls, std::int64_t buffers,
                ArrowArray& out) noexcept {
  out = ArrowArray{};
  out.length = static_cast<std::int64_t>(rows);
  out.null_count = nulls;
  out.n_buffers = buffers;
  out.buffers = parts->buffers.data();
  out.n_children = static_cast<std::int64_t>(parts->pointers.size());
  out.children = parts->pointers.empty() ? nullptr : parts->pointers.data();
  out.dictionary = parts->dictionary.get();
  out.release = release_array;
  out.private_data = parts.release();
}

std::unique_ptr<array_parts> parts_of(std::shared_ptr<const arrow_texts> texts) {
  auto parts = std::make_unique<array_parts>();
  parts->buffers = {nullptr, buffer_of(texts->ends()), buffer_of(texts->bytes())};
  parts->held = std::move(texts);
  return parts;
}

void export_column(std::shared_ptr<const arrow_values> values, std::shared_ptr<const arrow_texts> dictionary,
                   std::size_t rows, ArrowArray& out) {
  auto parts = std::make_unique<array_parts>();
  const bool is_text = values->type() == column_type::text;
  parts->buffers[0] = values->validity();
  parts->buffers[1] = buffer_of(is_text ? static_cast<const void*>(values->texts().ends()) : values->values());
  if (is_text) parts->buffers[2] = buffer_of(values->texts().bytes());
  if (dictionary) {
    const std::size_t names = dictionary->size();
    auto names_parts = parts_of(std::move(dictionary));
    parts->dictionary = std::make_unique<ArrowArray>();
    fill_array(std::move(names_parts), names, 0, 3, *parts->dictionary);
  }
  // A row that a fault cut short has left values in some columns, which are not shown.
  const std::int64_t nulls =
      values->rows() == rows || values->nulls() == 0 ? static_cast<std::int64_t>(values->nulls()) : std::int64_t{-1};
  parts->held = std::move(values);
  fill_array(std::move(parts), rows, nulls, is_text ? 3 : 2, out);
}

int errno_of(fault_code code) noexcept {
  switch (code) {
    case fault_code::out_of_memory: return ENOMEM;
    case fault_code::invalid_argument: return EINVAL;
    case fault_code::cancelled: return ECANCELED;
    default: return EIO;
  }
}

std::string message_of(const fault& why) {
  std::string text = message_with_path(why);
  if (!why.hint.empty()) text += " (" + why.hint + ")";
  return text;
}

// A stream that is being read.
class arrow_stream {
 public:
  arrow_stream(std::unique_ptr<arrow_table> table, arrow_selection chosen, const arrow_options& options)
      : table_(std::move(table)),
        chosen_(std::move(chosen)),
        options_(options),
        batch_rows_(options.batch_rows),
        dictionaries_(table_->columns().size()),
        repeats_(table_->columns().size()) {}

  int get_schema(ArrowSchema& out) {
    export_schema(table_->columns(), chosen_, options_.plain, out);
    return 0;
  }

  // Rows that memory is taken for at once, and from when on a batch need not be longer.
  static constexpr std::size_t max_room = std::size_t{1} << 20, long_batch = 16384;

  int get_next(ArrowArray& out) {
    if (!ended_) {
      forget_names();
      arrow_batch batch(table_->columns(), chosen_, dictionaries_, repeats_,
                        std::min({batch_rows_, table_->room(), max_room}));
      std::size_t rows = 0;
      while (rows < batch_rows_ && !(rows >= long_batch && table_->at_border())) {
        result<std::size_t> read = table_->read(batch, batch_rows_ - rows);
        if (read) rows += *read;
        if (read && *read != 0) continue;
        ended_ = true;
        if (!read) end_with(std::move(read).error());
        break;
      }
      if (rows != 0) {
        if (result<void> exported = batch.export_array(rows, options_.plain, out); !exported) {
          ended_ = true;
          end_with(exported.error());
          return fault_;
        }
        return 0;
      }
    }
    return fault_ == 0 ? 0 : fault_;
  }

  [[nodiscard]] const char* last_error() const noexcept { return error_.empty() ? nullptr : error_.c_str(); }

  int fail(int code, const char* why) noexcept {
    ended_ = true;
    fault_ = code;
    try {
      error_ = why;
    } catch (...) {
      error_.clear();
    }
    return code;
  }

 private:
  void end_with(const fault& why) {
    if (why.code == fault_code::damaged && options_.skip_damage) return;
    fault_ = errno_of(why.code);
    error_ = message_of(why);
  }
  // Dictionaries go from batch to batch; one that outgrew its batches by far begins anew.
  void forget_names() {
    for (arrow_dictionary& names : dictionaries_)
      if (names.size() > 4 * batch_rows_ + 65536) names.clear();
  }

  std::unique_ptr<arrow_table> table_;
  arrow_selection chosen_;
  arrow_options options_;
  std::size_t batch_rows_;
  std::vector<arrow_dictionary> dictionaries_;
  std::vector<arrow_repeats> repeats_;
  bool ended_ = false;
  int fault_ = 0;
  std::string error_;
};

arrow_stream& stream_of(ArrowArrayStream* stream) noexcept { return *static_cast<arrow_stream*>(stream->private_data); }

// No exception passes the border of the interface.
template <class Body>
int contained_call(ArrowArrayStream* stream, Body&& body) noexcept {
  try {
    return body(stream_of(stream));
  } catch (const std::bad_alloc&) {
    return stream_of(stream).fail(ENOMEM, "out of memory");
  } catch (const std::exception& e) {
    return stream_of(stream).fail(EIO, e.what());
  } catch (...) {
    return stream_of(stream).fail(EIO, "an exception of unknown type");
  }
}

int stream_schema(ArrowArrayStream* stream, ArrowSchema* out) noexcept {
  *out = ArrowSchema{};
  return contained_call(stream, [&](arrow_stream& s) { return s.get_schema(*out); });
}
int stream_next(ArrowArrayStream* stream, ArrowArray* out) noexcept {
  *out = ArrowArray{};
  return contained_call(stream, [&](arrow_stream& s) { return s.get_next(*out); });
}
const char* stream_error(ArrowArrayStream* stream) noexcept { return stream_of(stream).last_error(); }
void release_stream(ArrowArrayStream* stream) noexcept {
  delete static_cast<arrow_stream*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

void export_schema(const arrow_columns& columns, const arrow_selection& chosen, arrow_plainness plain, ArrowSchema& out) {
  auto parts = std::make_unique<schema_parts>();
  parts->format = "+s";
  parts->children.resize(chosen.size());
  parts->pointers.reserve(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    fill_schema(parts_of(columns[chosen[i]], plain), ARROW_FLAG_NULLABLE, parts->children[i]);
    parts->pointers.push_back(&parts->children[i]);
  }
  fill_schema(std::move(parts), 0, out);
}

namespace {

fault too_many_texts() {
  return fault{fault_code::limit, "the texts of one column take more than 2 GiB", "", no_offset,
               "ask for smaller batches"};
}

constexpr auto max_text_bytes = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());

// The text, or a copy of it in `kept` in which U+FFFD stands for every byte that is not UTF-8: that becomes three.
result<std::string_view> as_utf8(std::string_view text, std::string& kept) {
  if (text.size() > max_text_bytes / 3) return too_many_texts();
  if (is_valid_utf8(text)) return text;
  for (std::size_t at = 0; at < text.size();) {
    const utf8_step step = decode_utf8(text, at);
    kept += step.valid ? text.substr(at, step.bytes) : std::string_view("\xef\xbf\xbd");
    at += step.bytes;
  }
  return std::string_view(kept);
}

}  // namespace

result<void> arrow_texts::add(std::string_view text) {
  std::string kept;
  result<std::string_view> shown = as_utf8(text, kept);
  return shown ? append(*shown) : result<void>(std::move(shown).error());
}

result<void> arrow_texts::append(std::string_view text) {
  if (bytes_.size() > max_text_bytes - text.size()) return too_many_texts();
  bytes_ += text;
  ends_.push_back(static_cast<std::int32_t>(bytes_.size()));
  return {};
}

result<std::int32_t> arrow_dictionary::index_of(std::string_view name) {
  std::string kept;
  const result<std::string_view> shown = as_utf8(name, kept);
  if (!shown) return shown.error();
  std::uint64_t key = hash_of<std::string_view>()(*shown);
  for (auto known = indices_.find(key); known != indices_.end(); known = indices_.find(++key))
    if (texts_->text(known->second) == *shown) return known->second;
  if (!texts_) {
    texts_ = std::make_shared<arrow_texts>();
  } else if (shared_) {
    texts_ = std::make_shared<arrow_texts>(*texts_);
  }
  shared_ = false;
  const auto index = static_cast<std::int32_t>(texts_->size());
  if (result<void> added = texts_->append(*shown); !added) return std::move(added).error();
  indices_.emplace(key, index);
  return index;
}

std::shared_ptr<const arrow_texts> arrow_dictionary::share() {
  if (!texts_) texts_ = std::make_shared<arrow_texts>();
  shared_ = true;
  return texts_;
}

void arrow_dictionary::clear() {
  texts_.reset();
  indices_.clear();
  ++generation_;
  shared_ = false;
}

void arrow_bytes::make_room(std::size_t bytes) {
  const std::size_t room = std::max({2 * room_, size_ + bytes, std::size_t{64}});
  std::shared_ptr<unsigned char[]> block(new unsigned char[room]);
  if (size_ != 0) std::memcpy(block.get(), data_, size_);
  block_ = std::move(block);
  data_ = block_.get();
  room_ = room;
}

void arrow_values::put_boolean(bool value) {
  if (rows_ % 8 == 0) *bytes_.grow(1) = 0;
  unsigned char& last = bytes_.data()[bytes_.size() - 1];
  if (value) last = static_cast<unsigned char>(last | 1u << rows_ % 8);
  if (!validity_.empty()) mark_valid(rows_, 1);
  ++rows_;
}

result<void> arrow_values::put_text(std::string_view value) {
  if (result<void> added = texts_->add(value); !added) return added;
  if (!validity_.empty()) mark_valid(rows_, 1);
  ++rows_;
  return {};
}

void arrow_values::put_null() {
  if (type_ != column_type::boolean && type_ != column_type::text) return put_nulls(1);
  if (validity_.empty()) mark_valid(0, rows_);
  if (type_ == column_type::text)
    static_cast<void>(texts_->add({}));
  else if (rows_ % 8 == 0)
    *bytes_.grow(1) = 0;
  if (rows_ % 8 == 0) validity_.push_back(0);
  ++rows_;
  ++nulls_;
}

void arrow_values::put_nulls(std::size_t count) {
  if (validity_.empty()) mark_valid(0, rows_);
  nulls_ += count;
  validity_.resize((rows_ + count + 7) / 8);
  repeat(0, count);
}

void arrow_values::mark_valid(std::size_t first, std::size_t count) {
  const std::size_t end = first + count;
  validity_.resize((end + 7) / 8);
  std::size_t i = first;
  const auto mark_one = [&] { validity_[i / 8] = static_cast<unsigned char>(validity_[i / 8] | 1u << i % 8); };
  for (; i < end && i % 8 != 0; ++i) mark_one();
  for (; end - i >= 8; i += 8) validity_[i / 8] = 0xff;
  for (; i < end; ++i) mark_one();
}

void arrow_values::repeat(std::uint64_t value, std::size_t count) {
  if (rows_ == repeated_ && (rows_ == 0 || value == value_)) {
    value_ = value;
    rows_ += count;
    repeated_ = rows_;
    return;
  }
  if (repeated_ != 0) spell_out();
  value_ = value;
  rows_ += count;
  write_repeated(bytes_.grow(count * bytes_of(type_)), count);
}

void arrow_values::spell_out() {
  write_repeated(bytes_.grow(repeated_ * bytes_of(type_)), repeated_);
  repeated_ = 0;
}

void arrow_values::write_repeated(unsigned char* to, std::size_t count) const noexcept {
  if (value_ == 0) {
    std::memset(to, 0, count * bytes_of(type_));
  } else if (bytes_of(type_) == 4) {
    std::fill_n(reinterpret_cast<std::uint32_t*>(to), count, static_cast<std::uint32_t>(value_));
  } else {
    std::fill_n(reinterpret_cast<std::uint64_t*>(to), count, value_);
  }
}

void arrow_values::settle(arrow_repeats& known) {
  if (repeated_ == 0) return;
  if (value_ == 0 && rows_ * bytes_of(type_) <= max_zeros) {
    shared_ = zeros();
    return;
  }
  if (known.bytes == nullptr || known.value != value_ || known.rows < rows_) {
    known.bytes.reset(new unsigned char[rows_ * bytes_of(type_)]);
    write_repeated(known.bytes.get(), rows_);
    known.value = value_;
    known.rows = rows_;
  }
  shared_ = known.bytes;
}

arrow_batch::arrow_batch(const arrow_columns& columns, const arrow_selection& chosen,
                         std::vector<arrow_dictionary>& dictionaries, std::vector<arrow_repeats>& repeats,
                         std::size_t room)
    : values_(std::make_shared<std::vector<arrow_values>>()),
      chosen_(chosen),
      wanted_(columns.size()),
      dictionaries_(dictionaries),
      repeats_(repeats) {
  constexpr std::size_t alignment = 64;  // of each column, as Arrow advises
  for (const std::size_t column : chosen) wanted_[column] = true;
  const auto part_of = [&](std::size_t column) {
    const std::size_t size = wanted_[column] ? room * bytes_of(columns[column].type) : 0;
    return (size + alignment - 1) / alignment * alignment;
  };
  std::size_t size = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) size += part_of(i);
  std::shared_ptr<unsigned char[]> block;
  if (size != 0)
    block.reset(static_cast<unsigned char*>(::operator new(size, std::align_val_t(alignment))),
                [](unsigned char* bytes) { ::operator delete(bytes, std::align_val_t(alignment)); });
  std::size_t from = 0;
  values_->reserve(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t part = part_of(i);
    values_->emplace_back(columns[i].type, part != 0 ? arrow_bytes(block, from, part) : arrow_bytes());
    from += part;
  }
}

result<void> arrow_batch::put_name(std::size_t column, std::string_view name) {
  if (!wanted_[column]) return {};
  result<std::int32_t> index = dictionaries_[column].index_of(name);
  if (!index) return std::move(index).error();
  at(column).put_int32(*index);
  return {};
}

namespace {

// The texts that the names stand for.
result<std::shared_ptr<const arrow_values>> as_texts(const arrow_values& names, const arrow_texts& dictionary,
                                                     std::size_t rows) {
  auto texts = std::make_shared<arrow_values>(column_type::text, arrow_bytes());
  const auto* const indices = static_cast<const std::int32_t*>(names.values());
  for (std::size_t row = 0; row < rows; ++row)
    if (names.is_null(row))
      texts->put_null();
    else if (result<void> put = texts->put_text(dictionary.text(indices[row])); !put)
      return std::move(put).error();
  return std::shared_ptr<const arrow_values>(std::move(texts));
}

template <class T>
result<std::shared_ptr<const arrow_values>> as_signed(const arrow_values& numbers, std::size_t rows) {
  auto wider = std::make_shared<arrow_values>(column_type::int64, arrow_bytes());
  const auto* const values = static_cast<const T*>(numbers.values());
  for (std::size_t row = 0; row < rows; ++row) {
    if (numbers.is_null(row)) {
      wider->put_null();
      continue;
    }
    if (std::uint64_t{values[row]} > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return fault{fault_code::limit, "a value of an unsigned column is past INT64_MAX", "", no_offset,
                   "ask for the table without PK_TABLE_SIGNED, or for other columns"};
    wider->put_int64(static_cast<std::int64_t>(values[row]));
  }
  return std::shared_ptr<const arrow_values>(std::move(wider));
}

}  // namespace

result<void> arrow_batch::export_array(std::size_t rows, arrow_plainness plain, ArrowArray& out) {
  auto parts = std::make_unique<array_parts>();
  parts->children.resize(chosen_.size());
  parts->pointers.reserve(chosen_.size());
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const std::size_t column = chosen_[i];
    arrow_values& values = at(column);
    values.settle(repeats_[column]);
    std::shared_ptr<const arrow_texts> names;
    if (values.type() == column_type::name) names = dictionaries_[column].share();
    result<std::shared_ptr<const arrow_values>> shown = std::shared_ptr<const arrow_values>(values_, &values);
    if (plain_type(values.type(), plain) != values.type()) {
      if (names != nullptr)
        shown = as_texts(values, *names, rows);
      else if (values.type() == column_type::uint32)
        shown = as_signed<std::uint32_t>(values, rows);
      else
        shown = as_signed<std::uint64_t>(values, rows);
      if (!shown) return std::move(shown).error();
      names.reset();
    }
    export_column(std::move(*shown), std::move(names), rows, parts->children[i]);
    parts->pointers.push_back(&parts->children[i]);
  }
  fill_array(std::move(parts), rows, 0, 1, out);
  return {};
}

void export_stream(std::unique_ptr<arrow_table> table, arrow_selection chosen, const arrow_options& options,
                   ArrowArrayStream& out) {
  auto stream = std::make_unique<arrow_stream>(std::move(table), std::move(chosen), options);
  out.get_schema = stream_schema;
  out.get_next = stream_next;
  out.get_last_error = stream_error;
  out.release = release_stream;
  out.private_data = stream.release();
}

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
