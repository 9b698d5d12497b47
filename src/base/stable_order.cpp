#include <base/stable_order.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using position = std::uint32_t;
constexpr std::size_t few = 12;  // rows that are put in their places one by one, without memory for it

// Which row belongs where, by merging. Only positions move until the order is known.
class row_sorter {
 public:
  row_sorter(char* rows, std::size_t count, const detail::row_order& order)
      : rows_(rows), count_(count), order_(order) {}

  void run() {
    if (is_in_order()) return;
    if (count_ > std::numeric_limits<position>::max()) throw std::length_error("more rows than can be sorted");
    position for_few[few];
    std::vector<position> for_many;
    positions_ = for_few;
    if (count_ > few) {
      for_many.resize(count_ + count_ / 2);
      positions_ = for_many.data();
      scratch_ = positions_ + count_;
    }
    for (std::size_t at = 0; at < count_; ++at) positions_[at] = static_cast<position>(at);
    sort(positions_, count_);
    move_rows();
  }

 private:
  [[nodiscard]] char* row(std::size_t at) const noexcept { return rows_ + at * order_.row_bytes; }
  [[nodiscard]] bool comes_before(std::size_t a, std::size_t b) const {
    return order_.comes_before(order_.less, row(a), row(b));
  }
  [[nodiscard]] bool is_in_order() const {
    for (std::size_t at = 1; at < count_; ++at) {
      if (comes_before(at, at - 1)) return false;
    }
    return true;
  }

  void sort(position* all, std::size_t count) {
    if (count <= few) return insert(all, count);
    const std::size_t half = count / 2;
    sort(all, half);
    sort(all + half, count - half);
    merge(all, half, count);
  }

  void insert(position* all, std::size_t count) const {
    for (std::size_t at = 1; at < count; ++at) {
      const position held = all[at];
      std::size_t to = at;
      for (; to > 0 && comes_before(held, all[to - 1]); --to) all[to] = all[to - 1];
      all[to] = held;
    }
  }

  void merge(position* all, std::size_t half, std::size_t count) {
    if (!comes_before(all[half], all[half - 1])) return;
    std::copy_n(all, half, scratch_);
    std::size_t left = 0;
    std::size_t right = half;
    for (position* out = all; left < half; ++out) {
      const bool from_right = right < count && comes_before(all[right], scratch_[left]);
      *out = from_right ? all[right++] : scratch_[left++];
    }
  }

  void swap(std::size_t a, std::size_t b) const {
    if (order_.swap != nullptr) return order_.swap(row(a), row(b));
    char held[64];
    for (std::size_t at = 0; at < order_.row_bytes; at += sizeof(held)) {
      const std::size_t size = std::min(sizeof(held), order_.row_bytes - at);
      std::memcpy(held, row(a) + at, size);
      std::memcpy(row(a) + at, row(b) + at, size);
      std::memcpy(row(b) + at, held, size);
    }
  }

  // Each cycle of the permutation is followed once; a row that has arrived stands for itself.
  void move_rows() {
    for (std::size_t start = 0; start < count_; ++start) {
      std::size_t at = start;
      while (positions_[at] != start) {
        const std::size_t from = positions_[at];
        swap(at, from);
        positions_[at] = static_cast<position>(at);
        at = from;
      }
      positions_[at] = static_cast<position>(at);
    }
  }

  char* rows_;
  std::size_t count_;
  const detail::row_order& order_;
  position* positions_ = nullptr;
  position* scratch_ = nullptr;
};

}  // namespace

void detail::order_rows(void* rows, std::size_t count, const row_order& order) {
  row_sorter(static_cast<char*>(rows), count, order).run();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
