// A stable sort that is one piece of code for all rows; std::stable_sort is three to five kilobytes for each type and
// order. It calls the comparison through a pointer: for lists that are made once a capture, not for what is sorted at
// every event.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace detail {

struct row_order {
  std::size_t row_bytes = 0;
  const void* less = nullptr;
  bool (*comes_before)(const void* less, const void* a, const void* b) = nullptr;
  void (*swap)(void* a, void* b) = nullptr;  // null: rows are bytes
};

// Throws std::bad_alloc, and std::length_error from 2^32 rows on; what `less` throws leaves the rows as they were.
void order_rows(void* rows, std::size_t count, const row_order& order);

}  // namespace detail

/// Sorts rows of a vector or an array; rows of which neither comes before the other stay in their order. Takes 6 bytes
/// a row, and none when the rows are in order already.
template <class Iterator, class Less>
void stable_order(Iterator first, Iterator last, Less less) {
  using row = typename std::iterator_traits<Iterator>::value_type;
  static_assert(std::is_pointer_v<Iterator> || std::is_same_v<Iterator, typename std::vector<row>::iterator>,
                "the rows have to lie beside each other");
  const auto count = static_cast<std::size_t>(last - first);
  if (count < 2) return;
  detail::row_order order;
  order.row_bytes = sizeof(row);
  order.less = &less;
  order.comes_before = [](const void* compare, const void* a, const void* b) -> bool {
    return (*static_cast<const Less*>(compare))(*static_cast<const row*>(a), *static_cast<const row*>(b));
  };
  if constexpr (!std::is_trivially_copyable_v<row>) {
    order.swap = [](void* a, void* b) {
      using std::swap;
      swap(*static_cast<row*>(a), *static_cast<row*>(b));
    };
  }
  detail::order_rows(&*first, count, order);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
