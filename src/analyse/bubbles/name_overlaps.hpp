// Which names of host spans overlap which gaps, and for how long.
#pragma once
#include <analyse/bubbles/gap_cells.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// Sums by place and name; a name with an odd number is that of a frame. What comes is noted down and added up from time
// to time; when there is too much of it, the names that overlap a place least are forgotten, frames first.
class overlap_sums {
 public:
  struct entry {
    std::uint32_t place, name;
    std::int64_t overlap_ps;
  };
  // `most` entries are held, or some for each place.
  overlap_sums(std::size_t places, std::size_t most);
  void add(std::uint32_t place, std::uint32_t name, std::int64_t overlap_ps) {
    if (entries_.size() >= settle_at_) settle();
    entries_.push_back({place, name, overlap_ps});
  }
  // One entry a place and name, in the order of the places.
  void settle();
  [[nodiscard]] const entry* begin_of(std::size_t place) const noexcept { return entries_.data() + begin_[place]; }
  [[nodiscard]] const entry* end_of(std::size_t place) const noexcept { return entries_.data() + begin_[place + 1]; }

 private:
  void forget_least();
  std::vector<entry> entries_;
  std::vector<std::size_t> begin_;  // of each place, and the end; after settle()
  std::vector<std::int64_t> sums_;  // by name, while a place is added up
  std::size_t settle_at_ = std::size_t{1} << 14, most_;
};

class name_overlaps {
 public:
  // Both have to outlive this.
  name_overlaps(const std::vector<gap_list>& lists, const gap_cells& cells);

  // A new name; spans are told by its number.
  std::uint32_t add_name(string_id name, bool frame);
  // A span that overlaps this cell and no other.
  void add(std::uint32_t name, std::size_t cell, std::int64_t overlap_ps) {
    if (cell != cell_) {
      leave_cell();
      cell_ = cell;
    }
    std::int64_t& sum = sums_[name];
    if (sum == 0) touched_.push_back(name);
    sum = saturating_add(sum, overlap_ps);
  }
  // A span that overlaps several.
  void add_long(std::uint32_t name, const interval& span, std::uint32_t thread);
  // Puts the ten names that overlap most into each bubble.
  void take();

 private:
  struct cover {
    std::size_t first, last;  // gaps that lie in the span as a whole
    interval span;
    std::uint32_t thread, name;
  };
  // What is kept of one list.
  struct of_list {
    const gap_list* gaps;
    overlap_sums sums;
    std::vector<cover> covers;
    std::size_t near = 0;  // the first gap behind the start of the span looked at last
  };

  void leave_cell();
  void add_covers(of_list& of);
  [[nodiscard]] string_id id_of(std::uint32_t name) const noexcept { return names_[name / 2]; }

  const std::vector<gap_list>& lists_;
  std::vector<string_id> names_;        // by half of their number
  std::vector<std::int64_t> sums_;      // by name, in the cell
  std::vector<std::uint32_t> touched_;  // names with a sum
  std::size_t cell_ = 0;
  overlap_sums by_cell_;
  std::vector<of_list> by_list_;  // spans over several cells
};

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
