// Lists of rows that are mostly zeros: each row is kept without them, and made again when it is read.
#pragma once
#include <profkit/namespace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// Writes numbers one after another, in as few bytes as they need.
class number_packer {
 public:
  explicit number_packer(std::vector<std::uint8_t>& into) noexcept : into_(into) {}
  /// What is as in a new `Row` takes half a byte for eight.
  template <class Row>
  void put(const Row& row) {
    static_assert(std::has_unique_object_representations_v<Row> && sizeof(Row) % 8 == 0, "padding would be packed");
    const Row usual{};
    put_words(&row, &usual, sizeof(Row) / 8);
  }

 private:
  void put_words(const void* row, const void* usual, std::size_t words);
  std::vector<std::uint8_t>& into_;
};

/// Takes them out again, in the same order and of the same types.
class number_unpacker {
 public:
  explicit number_unpacker(const std::uint8_t* from) noexcept : from_(from) {}
  template <class Row>
  void take(Row& row) noexcept {
    static_assert(std::is_trivially_copyable_v<Row> && sizeof(Row) % 8 == 0);
    row = Row{};
    take_words(&row, sizeof(Row) / 8);
  }

 private:
  void take_words(void* row, std::size_t words) noexcept;
  const std::uint8_t* from_;
};

template <class Row>
void pack_row(const Row& row, number_packer& into) {
  into.put(row);
}
template <class Row>
void unpack_row(Row& row, number_unpacker& from) {
  from.take(row);
}

/// Rows that are added at the end and given by value. pack_row(), unpack_row() and count_row_from(row, base) are found
/// by the type of the rows; the last moves the numbers in a row that count other rows of its list's owner.
template <class Row>
class packed_list {
 public:
  using value_type = Row;
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Row;
    using difference_type = std::ptrdiff_t;
    using pointer = const Row*;
    using reference = Row;
    iterator(const packed_list& of, std::size_t at) noexcept : of_(&of), at_(at) {}
    Row operator*() const { return of_->row(at_, block_); }
    iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    bool operator==(const iterator& other) const noexcept { return at_ == other.at_; }
    bool operator!=(const iterator& other) const noexcept { return at_ != other.at_; }

   private:
    const packed_list* of_;
    std::size_t at_;
    mutable std::size_t block_ = 0;  // of the row before
  };

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] Row operator[](std::size_t at) const {
    const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), at,
                                        [](std::size_t row, const block& b) { return row < b.first; });
    std::size_t holds = static_cast<std::size_t>(after - blocks_.begin()) - 1;
    return row(at, holds);
  }
  [[nodiscard]] Row front() const { return (*this)[0]; }
  [[nodiscard]] iterator begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] iterator end() const noexcept { return {*this, size_}; }
  /// Bytes that the rows take.
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = 0;
    for (const block& b : blocks_) sum += b.bytes.size() + b.starts.size() * sizeof b.starts[0] + sizeof b;
    return sum;
  }

  void push_back(const Row& added) {
    if (blocks_.empty() || blocks_.back().bytes.size() >= most_of_block) {
      shrink_to_fit();
      blocks_.push_back({size_, 0, {}, {}});
    }
    block& last = blocks_.back();
    last.starts.push_back(static_cast<std::uint32_t>(last.bytes.size()));
    number_packer into(last.bytes);
    pack_row(added, into);
    ++size_;
  }
  /// All of another list, whose numbers of rows count from `base` on.
  void append(packed_list&& other, std::uint32_t base) {
    for (block& b : other.blocks_) {
      b.first += size_;
      b.base += base;
      blocks_.push_back(std::move(b));
    }
    size_ += std::exchange(other.size_, 0);
    other.blocks_ = {};
  }
  /// After the last row.
  void shrink_to_fit() {
    if (blocks_.empty()) return;
    blocks_.back().bytes.shrink_to_fit();
    blocks_.back().starts.shrink_to_fit();
  }

 private:
  static constexpr std::size_t most_of_block = std::size_t{1} << 16;
  struct block {
    std::size_t first;
    std::uint32_t base;
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint32_t> starts;  // of each row in the bytes
  };
  // `block_at`: a block at or before that of the row; it is set to that of the row.
  Row row(std::size_t at, std::size_t& block_at) const {
    while (block_at + 1 < blocks_.size() && blocks_[block_at + 1].first <= at) ++block_at;
    const block& holds = blocks_[block_at];
    number_unpacker from(holds.bytes.data() + holds.starts[at - holds.first]);
    Row made;
    unpack_row(made, from);
    count_row_from(made, holds.base);
    return made;
  }

  std::vector<block> blocks_;
  std::size_t size_ = 0;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
