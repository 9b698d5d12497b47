// The gaps of the devices of a host group, cut into cells wherever one of them begins or ends: what a span of the host
// overlaps is found once, however many devices wait at that time.
#pragma once
#include <profkit/core/bubbles.hpp>
#include <profkit/interval.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

struct gap {
  interval span;
  bubble* of = nullptr;
  std::size_t first_cell = 0, end_cell = 0;
};
// Gaps that share no instant, by start.
using gap_list = std::vector<gap>;

// Evidence is of a time, not of a device: of lists with the same gaps one stays, and the bubbles of the others are
// paired with those that they will be like. Lists change their order.
std::vector<std::pair<bubble*, const bubble*>> drop_repeated(std::vector<gap_list>& lists);

// The first of some spans, from `from` on, that ends after an instant: `ends(i)` gives the end of the i-th. Fast when
// it is near.
template <class End>
std::size_t first_ending_after(std::size_t from, std::size_t count, std::int64_t at_ps, End&& ends) noexcept {
  std::size_t step = 1, low = from;
  while (from < count && ends(from) <= at_ps) {
    low = from + 1;
    from += step;
    step *= 2;
  }
  std::size_t high = from < count ? from : count;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (ends(middle) <= at_ps)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

class gap_cells {
 public:
  // Sets the cells of every gap.
  explicit gap_cells(std::vector<gap_list>& lists);
  [[nodiscard]] const std::vector<interval>& cells() const noexcept { return cells_; }        // ascending and apart
  [[nodiscard]] const std::vector<interval>& together() const noexcept { return together_; }  // normal

 private:
  std::vector<interval> cells_, together_;
};

// How much of each gap is covered.
class cell_cover {
 public:
  explicit cell_cover(const gap_cells& of)
      : cells_(of.cells()), covered_(cells_.size(), 0), full_(cells_.size() + 1, 0) {}
  // What several calls cover counts several times.
  void add(const std::vector<interval>& normal);
  // Hands (bubble, covered time) of every gap to `use`.
  template <class Use>
  void take(const std::vector<gap_list>& lists, Use&& use) const {
    const std::vector<std::uint64_t> until = sums();
    for (const gap_list& list : lists)
      for (const gap& g : list) use(*g.of, static_cast<std::int64_t>(until[g.end_cell] - until[g.first_cell]));
  }

 private:
  [[nodiscard]] std::vector<std::uint64_t> sums() const;  // of the cells before each; they may wrap around
  const std::vector<interval>& cells_;
  std::vector<std::uint64_t> covered_, full_;  // full_: how the number of covering spans changes at a cell
};

// The union of spans that come in runs of ascending starts.
class span_union {
 public:
  void add(const interval& s) {
    if (!spans_.empty() && s.start_ps >= spans_.back().start_ps && s.start_ps <= spans_.back().end_ps) {
      if (s.end_ps > spans_.back().end_ps) spans_.back().end_ps = s.end_ps;
      return;
    }
    if (spans_.size() >= settle_at_) settle();
    spans_.push_back(s);
  }
  void add(span_union& other) {
    for (const interval& s : other.settled()) add(s);
  }
  void clear() noexcept { spans_.clear(); }
  // Normal.
  [[nodiscard]] const std::vector<interval>& settled() {
    settle();
    return spans_;
  }

 private:
  void settle();
  std::vector<interval> spans_;
  std::size_t settle_at_ = std::size_t{1} << 14;
};

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
