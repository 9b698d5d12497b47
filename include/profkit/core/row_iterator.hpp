// Going over a list that makes its rows when they are asked for.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// Goes over a list that makes its rows when they are asked for.
template <class Rows, class Row>
class row_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Row;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Row;
  row_iterator(const Rows& of, std::size_t at) noexcept : of_(&of), at_(at) {}
  Row operator*() const noexcept { return (*of_)[at_]; }
  row_iterator& operator++() noexcept {
    ++at_;
    return *this;
  }
  bool operator==(const row_iterator& other) const noexcept { return at_ == other.at_; }
  bool operator!=(const row_iterator& other) const noexcept { return at_ != other.at_; }

 private:
  const Rows* of_;
  std::size_t at_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
