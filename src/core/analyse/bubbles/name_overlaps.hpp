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
  [[nodiscard]] std::size_t places() const noexcept { return places_; }
  [[nodiscard]] bool has(std::size_t place) const noexcept {
    const auto& begin = shards_[place / places_of_shard].begin;
    return begin[place % places_of_shard] < begin[place % places_of_shard + 1];
  }
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
  const std::size_t places_;
  std::vector<shard> shards_;
  std::vector<overlap_run> runs_;
  std::vector<std::size_t> chains_;  // first run of each: a run begins where the one before it ends, or later
  std::size_t settled_ = 0, in_runs_ = 0, most_;
  overlap_run sum_;                 // of a shard
  std::vector<std::int64_t> sums_;  // by name, while a place is added up; else 0
};

// A span over several cells.
struct long_span {
  interval span;
  std::uint32_t thread, name;
};

// Gaps of all lists in a row: the number of the first of each list, and of all.
class gap_places {
 public:
  explicit gap_places(const std::vector<gap_list>& lists);
  [[nodiscard]] std::uint32_t first_of(std::size_t list) const noexcept { return first_[list]; }
  [[nodiscard]] std::size_t count() const noexcept { return first_.back(); }

 private:
  std::vector<std::uint32_t> first_;
};

// Walks along every list with many spans at once. A span counts in the gaps of a list that it reaches first and last;
// when others lie between them, it covers those and is kept separately.
class edge_walk {
 public:
  explicit edge_walk(const std::vector<gap_list>& lists) : lists_(lists), places_(lists) {}
  // Sums go to `into`, what covers gaps to `covers`; `spans` is empty afterwards.
  void take(std::vector<long_span>& spans, std::vector<long_span>& covers, overlap_notes& into);
  // Before spans of names with lower numbers.
  void make_room_for_names(std::size_t numbers) {
    if (sums_.size() < numbers) sums_.resize(numbers, 0);
  }
  [[nodiscard]] const gap_places& places() const noexcept { return places_; }

 private:
  const std::vector<gap_list>& lists_;
  const gap_places places_;
  std::vector<long_span> by_end_;
  std::vector<std::uint8_t> is_cover_;  // of the spans by start
  std::vector<std::int64_t> sums_;      // by name, in a gap; else 0
  std::vector<std::uint32_t> touched_;  // names with a sum
};

// What the spans of one part overlap. May be used again for another part.
class part_overlaps {
 public:
  // Both have to outlive this.
  part_overlaps(const std::vector<gap_list>& lists, const gap_cells& cells);

  // Before spans of names with lower numbers.
  void make_room_for_names(std::size_t numbers) {
    if (sums_.size() < numbers) sums_.resize(numbers, 0);
    edges_.make_room_for_names(numbers);
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
  void leave_cell();

  std::vector<std::int64_t> sums_;      // by name, in the cell
  std::vector<std::uint32_t> touched_;  // names with a sum
  std::size_t cell_ = 0;
  overlap_notes by_cell_;
  edge_walk edges_;
  overlap_notes by_gap_;
  std::vector<long_span> long_, covers_;
};

// Spans over several cells are gathered, and walked along the gaps of a list together: the work of a list grows with
// the number of its gaps and of those spans, and no list holds anything of its own.
class name_overlaps {
 public:
  // Both have to outlive this.
  name_overlaps(const std::vector<gap_list>& lists, const gap_cells& cells);
  // The part is empty afterwards.
  void add(part_overlaps& part);
  // Puts the ten names that overlap most into each bubble.
  void take();

 private:
  void walk();
  void add_covers();
  void add_notes();

  const std::vector<gap_list>& lists_;
  std::uint32_t numbers_ = 0;  // more than the greatest of a name
  edge_walk edges_;
  overlap_sums by_cell_, by_gap_;
  overlap_notes notes_;  // for by_gap_
  std::vector<long_span> long_, covers_;
};

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
