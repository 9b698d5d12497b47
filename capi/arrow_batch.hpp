// Rows become Arrow record batches: columns that grow, and arrays that own what they show.
#pragma once
#include <profkit/profkit.h>
#include <profkit/core/result.hpp>
#include <profkit/core/table.hpp>

#include "base/hash_map.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "error.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {

// A name is text that repeats: int32 indices into a dictionary of UTF-8.
struct arrow_column {
  std::string name;
  column_type type = column_type::int64;
  std::string unit;  // "ps", "bytes", …; "" without
};
using arrow_columns = std::vector<arrow_column>;

// Positions of columns, in the order in which they are shown.
using arrow_selection = std::vector<std::size_t>;

// What is left out for engines that refuse it.
struct arrow_plainness {
  bool plain_text = false;   // names are texts, not dictionaries
  bool signed_only = false;  // unsigned integers are int64
};

// A schema of the chosen columns, as a struct; `unit` becomes metadata of the field.
void export_schema(const arrow_columns& columns, const arrow_selection& chosen, arrow_plainness plain, ArrowSchema& out);

// Texts in the order in which they were met, as one column of Arrow.
class arrow_texts {
 public:
  // Bytes that are not UTF-8 become U+FFFD. Faults: limit, when all texts take more than an int32 can count.
  result<void> add(std::string_view text);
  // Adds text that is UTF-8.
  result<void> append(std::string_view text);
  [[nodiscard]] std::string_view text(std::int32_t at) const noexcept {
    const auto first = static_cast<std::size_t>(ends_[static_cast<std::size_t>(at)]);
    return {bytes_.data() + first, static_cast<std::size_t>(ends_[static_cast<std::size_t>(at) + 1]) - first};
  }
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size() - 1; }
  [[nodiscard]] const std::int32_t* ends() const noexcept { return ends_.data(); }
  [[nodiscard]] const char* bytes() const noexcept { return bytes_.data(); }

 private:
  std::vector<std::int32_t> ends_{0};
  std::string bytes_;
};

// The distinct names of a column. What a batch has been given never changes: the next name makes a new copy.
class arrow_dictionary {
 public:
  result<std::int32_t> index_of(std::string_view name);
  // So many more names may come.
  void expect(std::size_t count) { indices_.reserve(indices_.size() + count); }
  [[nodiscard]] std::shared_ptr<const arrow_texts> share();
  [[nodiscard]] std::size_t size() const noexcept { return indices_.size(); }
  // Indices of another generation mean nothing any more.
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
  void clear();

 private:
  std::shared_ptr<arrow_texts> texts_;  // none while there is no name
  // By the hash of the text; of texts with the same one, the next has the number after it. Keeps no copy of a text.
  hash_map<std::uint64_t, std::int32_t> indices_;
  std::uint64_t generation_ = 0;
  bool shared_ = false;
};

// Bytes that grow and are not zeroed first. They begin in a part of the block that a batch has for all its columns, and
// move elsewhere when that is full.
class arrow_bytes {
 public:
  arrow_bytes() = default;
  arrow_bytes(std::shared_ptr<unsigned char[]> block, std::size_t from, std::size_t room) noexcept
      : block_(std::move(block)), data_(block_.get() + from), room_(room) {}
  [[nodiscard]] unsigned char* data() noexcept { return data_; }
  [[nodiscard]] const unsigned char* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  unsigned char* grow(std::size_t bytes) {
    if (bytes > room_ - size_) make_room(bytes);
    unsigned char* const at = data_ + size_;
    size_ += bytes;
    return at;
  }

  void shrink(std::size_t bytes) noexcept { size_ -= bytes; }

 private:
  void make_room(std::size_t bytes);

  std::shared_ptr<unsigned char[]> block_;
  unsigned char* data_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

// A column that repeats one value, as long as the longest batch that had it: the next one shows the same bytes.
struct arrow_repeats {
  std::uint64_t value = 0;
  std::size_t rows = 0;
  std::shared_ptr<unsigned char[]> bytes;
};

// One column while its batch is being filled.
class arrow_values {
 public:
  arrow_values(column_type type, arrow_bytes bytes) : type_(type), bytes_(std::move(bytes)) {
    if (type == column_type::text) texts_.emplace();
  }

  void put_int64(std::int64_t value) { put(value); }
  void put_uint64(std::uint64_t value) { put(value); }
  void put_int32(std::int32_t value) { put(value); }
  void put_uint32(std::uint32_t value) { put(value); }
  void put_boolean(bool value);
  result<void> put_text(std::string_view value);
  // The value of a null is not read: any that fits the type.
  void put_null();
  // The same `count` times, of a type of fixed size that is not boolean.
  void put_nulls(std::size_t count);
  // One value `count` times, of a type of fixed size that is not boolean. A column that never has another costs
  // nothing.
  template <class T>
  void put_repeated(T value, std::size_t count) {
    if (!validity_.empty()) mark_valid(rows_, count);
    repeat(static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(value)), count);
  }
  // Room for `count` more values of a type of fixed size, none of them null, for the caller to write.
  template <class T>
  T* grow(std::size_t count) {
    if (repeated_ != 0) spell_out();
    if (!validity_.empty()) mark_valid(rows_, count);
    rows_ += count;
    return reinterpret_cast<T*>(bytes_.grow(count * sizeof(T)));
  }
  // Takes the last `count` of what grow() gave back; none of them is null.
  template <class T>
  void give_back(std::size_t count) noexcept {
    bytes_.shrink(count * sizeof(T));
    rows_ -= count;
  }
  // Before the values are shown: what repeats one value gets its bytes from `known`, or leaves them there.
  void settle(arrow_repeats& known);

  [[nodiscard]] column_type type() const noexcept { return type_; }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t nulls() const noexcept { return nulls_; }
  [[nodiscard]] bool is_null(std::size_t row) const noexcept {
    return !validity_.empty() && (validity_[row / 8] >> row % 8 & 1) == 0;
  }
  [[nodiscard]] const void* validity() const noexcept { return nulls_ == 0 ? nullptr : validity_.data(); }
  [[nodiscard]] const void* values() const noexcept { return shared_ ? shared_.get() : bytes_.data(); }
  [[nodiscard]] const arrow_texts& texts() const noexcept { return *texts_; }  // of a column of texts

 private:
  template <class T>
  void put(T value) {
    *grow<T>(1) = value;
  }
  void mark_valid(std::size_t first, std::size_t count);
  void repeat(std::uint64_t value, std::size_t count);
  // Writes the values that were only counted.
  void spell_out();
  void write_repeated(unsigned char* to, std::size_t count) const noexcept;

  column_type type_;
  std::size_t rows_ = 0, nulls_ = 0;
  arrow_bytes bytes_;
  std::size_t repeated_ = 0;  // while all rows have one value: their number; no byte is written then
  std::uint64_t value_ = 0;   // of the repeated rows
  std::shared_ptr<unsigned char[]> shared_;
  std::vector<unsigned char> validity_;  // empty while nothing is null
  std::optional<arrow_texts> texts_;
};

// The next batch of a table.
class arrow_batch {
 public:
  // `dictionaries`: one a column, used by names alone; they outlast the batch being filled, not what it becomes.
  // `room`: for how many rows memory is taken at once; more may come.
  arrow_batch(const arrow_columns& columns, const arrow_selection& chosen, std::vector<arrow_dictionary>& dictionaries,
              std::vector<arrow_repeats>& repeats, std::size_t room);
  // What is put into a column that is not wanted is not shown.
  [[nodiscard]] arrow_values& at(std::size_t column) noexcept { return (*values_)[column]; }
  [[nodiscard]] bool wants(std::size_t column) const noexcept { return wanted_[column]; }
  result<void> put_name(std::size_t column, std::string_view name);
  [[nodiscard]] arrow_dictionary& dictionary(std::size_t column) noexcept { return dictionaries_[column]; }
  // Makes `out` a struct array whose children each own their column. Every wanted column has `rows` values at least.
  // Faults: limit, for a number past INT64_MAX where all are signed, and for texts that take more than an int32 can count.
  result<void> export_array(std::size_t rows, arrow_plainness plain, ArrowArray& out);

 private:
  std::shared_ptr<std::vector<arrow_values>> values_;
  const arrow_selection& chosen_;
  std::vector<bool> wanted_;
  std::vector<arrow_dictionary>& dictionaries_;
  std::vector<arrow_repeats>& repeats_;
};

// Where the rows of a stream come from.
class arrow_table {
 public:
  virtual ~arrow_table() = default;
  [[nodiscard]] virtual const arrow_columns& columns() const noexcept = 0;
  // Puts up to `most` more rows into the batch and gives how many; 0: there are no more. A fault ends the table; what
  // was put before it in the same call does not count.
  virtual result<std::size_t> read(arrow_batch& into, std::size_t most) = 0;
  // About how many rows are left, rather too many: memory is taken for them. 0: not known.
  [[nodiscard]] virtual std::size_t room() { return 0; }
  // True where a long batch had better end, because the rows that follow share less with those before.
  [[nodiscard]] virtual bool at_border() const noexcept { return false; }
};

// Options that were checked, as the makers of streams need them.
struct arrow_options {
  bool skip_damage = false;
  arrow_plainness plain;
  std::size_t batch_rows = 65536;
};

// Fills the caller's stream.
void export_stream(std::unique_ptr<arrow_table> table, arrow_selection chosen, const arrow_options& options,
                   ArrowArrayStream& out);

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
