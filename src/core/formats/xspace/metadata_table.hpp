// The metadata entries of a plane: in file order, and by key. 8 bytes an entry for the one, 6 for the other: captures
// with millions of entries exist.
#pragma once
#include <profkit/xspace.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// A metadata entry by the place of its tag in the plane; its field is known to be whole.
[[nodiscard]] inline std::string_view entry_at(const char* field_at, const char* plane_end) noexcept {
  wire_reader reader(std::string_view(field_at, static_cast<std::size_t>(plane_end - field_at)));
  wire_field field;
  return reader.next(field) ? field.bytes : std::string_view();
}

// The map entries of one field of a plane, in file order: a range of their bytes.
class metadata_entries {
 public:
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = std::string_view;

    iterator(const char* const* at, const char* plane_end) noexcept : at_(at), plane_end_(plane_end) {}
    std::string_view operator*() const noexcept { return entry_at(*at_, plane_end_); }
    iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    bool operator==(const iterator& other) const noexcept { return at_ == other.at_; }
    bool operator!=(const iterator& other) const noexcept { return at_ != other.at_; }

   private:
    const char* const* at_;
    const char* plane_end_;
  };

  metadata_entries() = default;
  // `room`: how many entries will be added, so that the memory is taken once.
  metadata_entries(std::string_view plane_body, std::size_t room) : plane_end_(plane_body.data() + plane_body.size()) {
    fields_.reserve(room);
  }
  // Where the tag of the next entry stands.
  void add(const char* field_at) { fields_.push_back(field_at); }

  [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }
  [[nodiscard]] bool empty() const noexcept { return fields_.empty(); }
  [[nodiscard]] std::string_view operator[](std::size_t at) const noexcept { return entry_at(fields_[at], plane_end_); }
  // The places that add() was given; the address outlives a move.
  [[nodiscard]] const char* const* places() const noexcept { return fields_.data(); }
  [[nodiscard]] const char* plane_end() const noexcept { return plane_end_; }
  [[nodiscard]] iterator begin() const noexcept { return {fields_.data(), plane_end_}; }
  [[nodiscard]] iterator end() const noexcept { return {fields_.data() + fields_.size(), plane_end_}; }

 private:
  std::vector<const char*> fields_;
  const char* plane_end_ = nullptr;
};

// Finds entries by key; of equal keys the last in the file counts. Keys that were made to collide cannot make it slow:
// it then sorts itself and looks up in O(log n).
class metadata_lookup {
 public:
  // How many entries can be numbered; further ones are not found.
  static constexpr std::size_t max_entries = std::size_t{1} << 25;

  metadata_lookup() = default;
  // Borrows the entries' storage, which stays where it is when they are moved.
  explicit metadata_lookup(const metadata_entries& entries);

  [[nodiscard]] metadata_entry find(std::int64_t key) const noexcept {
    const std::optional<std::uint32_t> at = position(key);
    return at ? metadata_entry{entry(*at), true} : metadata_entry{};
  }
  // Which entry, counted in file order, is the one of this key.
  [[nodiscard]] std::optional<std::uint32_t> position(std::int64_t key) const noexcept;

 private:
  [[nodiscard]] std::string_view entry(std::uint32_t position) const noexcept;
  [[nodiscard]] std::int64_t key_of(std::uint32_t position) const noexcept;
  [[nodiscard]] bool insert(std::uint32_t position, std::uint64_t& comparisons) noexcept;
  void sort();

  // Hashed: 0 is a free slot, else the position + 1 and above it some bits of the hash. Sorted: positions by key.
  std::vector<std::uint32_t> slots_;
  const char* const* fields_ = nullptr;
  const char* plane_end_ = nullptr;
  std::uint32_t count_ = 0;
  bool sorted_ = false;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
