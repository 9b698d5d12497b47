#include <analyse/bubbles/gap_cells.hpp>

#include <base/merge_runs.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

bool starts_earlier(const interval& a, const interval& b) noexcept { return a.start_ps < b.start_ps; }

}  // namespace

std::vector<std::pair<bubble*, const bubble*>> drop_repeated(std::vector<gap_list>& lists) {
  const auto before = [](const gap& a, const gap& b) {
    const auto key = [](const gap& g) {
      return std::make_tuple(g.span.start_ps, g.span.end_ps, g.of->launch_ps(), g.of->launch_thread());
    };
    return key(a) < key(b);
  };
  const auto less = [&](const gap_list& a, const gap_list& b) {
    return a.size() != b.size() ? a.size() < b.size()
                                : std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), before);
  };
  std::stable_sort(lists.begin(), lists.end(), less);
  std::vector<std::pair<bubble*, const bubble*>> twins;
  const auto repeats = [&](const gap_list& kept, const gap_list& other) {
    if (less(kept, other)) return false;
    for (std::size_t i = 0; i < other.size(); ++i) twins.push_back({other[i].of, kept[i].of});
    return true;
  };
  lists.erase(std::unique(lists.begin(), lists.end(), repeats), lists.end());
  return twins;
}

gap_cells::gap_cells(std::vector<gap_list>& lists) {
  std::vector<std::int64_t> edges;
  for (const gap_list& list : lists)
    for (const gap& g : list) {
      together_.push_back(g.span);
      edges.push_back(g.span.start_ps);
      edges.push_back(g.span.end_ps);
    }
  normalise(together_);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::size_t edge = 0;
  for (const interval& t : together_) {
    while (edges[edge] < t.start_ps) ++edge;
    for (; edges[edge] < t.end_ps; ++edge) cells_.push_back({edges[edge], edges[edge + 1]});
  }
  const auto cell_from = [&](std::int64_t at_ps) {
    return static_cast<std::size_t>(
        std::partition_point(cells_.begin(), cells_.end(), [&](const interval& c) { return c.start_ps < at_ps; }) -
        cells_.begin());
  };
  for (gap_list& list : lists)
    for (gap& g : list) {
      g.first_cell = cell_from(g.span.start_ps);
      g.end_cell = cell_from(g.span.end_ps);
    }
}

void cell_cover::add(const std::vector<interval>& normal) {
  std::size_t cell = 0;
  for (const interval& s : normal) {
    cell = first_ending_after(cell, cells_.size(), s.start_ps, [&](std::size_t i) { return cells_[i].end_ps; });
    if (cell == cells_.size()) return;
    if (cells_[cell].start_ps >= s.end_ps) continue;
    covered_[cell] += common(cells_[cell], s).length_ps();
    if (cells_[cell].end_ps >= s.end_ps) continue;
    // The cells that end in the span are covered as a whole, the next one by its beginning.
    const std::size_t last =
        first_ending_after(cell + 1, cells_.size(), s.end_ps - 1, [&](std::size_t i) { return cells_[i].end_ps; });
    ++full_[cell + 1];
    --full_[last];
    if (last < cells_.size()) covered_[last] += common(cells_[last], s).length_ps();
  }
}

std::vector<std::uint64_t> cell_cover::sums() const {
  std::vector<std::uint64_t> until(cells_.size() + 1, 0);
  std::uint64_t covers = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    covers += full_[i];
    until[i + 1] = until[i] + covered_[i] + covers * cells_[i].length_ps();
  }
  return until;
}

void span_union::settle() {
  constexpr std::size_t max_runs = 1024;
  merge_runs(spans_, max_runs, starts_earlier);
  normalise(spans_);
  settle_at_ = std::max(settle_at_, 2 * spans_.size());
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
