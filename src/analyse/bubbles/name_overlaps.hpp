// Which names of host spans overlap which gaps, and for how long.
#pragma once
#include <analyse/bubbles/gap_cells.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// The number of a name, apart for frames: odd ones are those of frames.
[[nodiscard]] constexpr std::uint32_t number_of(string_id name, bool frame) noexcept {
  return 2 * name + (frame ? 1U : 0U);
}
[[nodiscard]] constexpr string_id id_of(std::uint32_t number) noexcept { return number / 2; }

// How long a name overlaps a place.
struct overlap_entry {
  std::uint32_t place, name;
  std::int64_t overlap_ps;
};
// By place, one entry a place and name.
using overlap_run = std::vector<overlap_entry>;

// Overlaps in any order, noted down and added up from time to time.
class overlap_notes {
 public:
  explicit overlap_notes(std::size_t places) : places_(places) {}
  void add(std::uint32_t place, std::uint32_t name, std::int64_t overlap_ps) {
    if (entries_.size() >= settle_at_) settle();
    entries_.push_back({place, name, overlap_ps});
  }
  // What was noted down since it was cleared.
  [[nodiscard]] const overlap_run& settled() {
    settle();
    return entries_;
  }
  void clear() noexcept { entries_.clear(); }

 private:
  void settle();
  void sort_by_place();
  std::size_t places_;
  overlap_run entries_, sorted_;
  std::vector<std::uint32_t> begin_;  // of each place, while they are sorted
  std::vector<std::int64_t> sums_;    // by name, while a place is added up; else 0
  std::size_t settle_at_ = std::size_t{1} << 15;
};

// Sums by place and name of several runs. When there are too many, the names that overlap a place least are forgotten,
// frames first.
class overlap_sums {
 public:
  // `most` entries are held, or some for each place.
  overlap_sums(std::size_t places, std::size_t most);
  void add(const overlap_run& run);
  // Before they are looked at.
  void settle();
  template <class Use>
  void for_each_of(std::size_t place, Use&& use) const {
    const shard& of = shards_[place / places_of_shard];
    const std::size_t at = place % places_of_shard;
    for (std::size_t i = of.begin[at]; i < of.begin[at + 1]; ++i) use(of.entries[i]);
  }

 private:
  static constexpr std::size_t places_of_shard = 1024;
  // Added up one after the other, so that no second copy of all is made.
  struct shard {
    overlap_run entries;
    std::vector<std::uint32_t> begin;  // of each place, and the end
  };
  // Where a chain of runs was read up to.
  struct place_in_chain {
    const overlap_run *run, *end;
    std::size_t at;
  };
  void add_up(std::size_t shard_at, std::vector<place_in_chain>& chains);
  void forget_least();
  std::vector<shard> shards_;
  std::vector<overlap_run> runs_;
  std::vector<std::size_t> chains_;  // first run of each: a run begins where the one in front of it ends, or behind
  std::size_t settled_ = 0, in_runs_ = 0, most_;
  overlap_run sum_;                 // of a shard
  std::vector<std::int64_t> sums_;  // by name, while a place is added up; else 0
};

// A span over several gaps.
struct gap_cover {
  std::size_t first, last;  // gaps that lie in the span as a whole
  interval span;
  std::uint32_t thread, name;
};

// What the spans of one part overlap. May be used again for another part.
class part_overlaps {
 public:
  // Both have to outlive this.
  part_overlaps(const std::vector<gap_list>& lists, const gap_cells& cells);

  // Before spans of names with lower numbers.
  void make_room_for_names(std::size_t numbers) {
    if (sums_.size() < numbers) sums_.resize(numbers, 0);
  }
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

 private:
  friend class name_overlaps;
  // What is kept of one list.
  struct of_list {
    const gap_list* gaps;
    overlap_notes sums;
    std::vector<gap_cover> covers;
    std::size_t near = 0;  // the first gap behind the start of the span looked at last
  };
  void leave_cell();

  std::vector<std::int64_t> sums_;      // by name, in the cell
  std::vector<std::uint32_t> touched_;  // names with a sum
  std::size_t cell_ = 0;
  overlap_notes by_cell_;
  std::vector<of_list> by_list_;  // spans over several cells
};

class name_overlaps {
 public:
  // Both have to outlive this.
  name_overlaps(const std::vector<gap_list>& lists, const gap_cells& cells);
  // The part is empty afterwards.
  void add(part_overlaps& part);
  // Puts the ten names that overlap most into each bubble.
  void take();

 private:
  struct of_list {
    const gap_list* gaps;
    overlap_sums sums;
    std::vector<gap_cover> covers;
  };
  void add_covers(of_list& of);

  std::uint32_t numbers_ = 0;  // more than the greatest of a name
  overlap_sums by_cell_;
  std::vector<of_list> by_list_;
};

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
