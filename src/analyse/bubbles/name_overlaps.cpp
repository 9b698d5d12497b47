#include <analyse/bubbles/name_overlaps.hpp>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

constexpr std::size_t most_names = 10;              // of a gap
constexpr std::size_t most_entries = 1U << 22;      // before the least are forgotten
constexpr std::size_t least_of_place = 16;          // names that are never forgotten
constexpr std::size_t most_held_covers = 1U << 19;  // before they are settled
constexpr std::size_t most_covers_looked_at = 64;

std::int64_t common_ps(const interval& a, const interval& b) noexcept {
  return static_cast<std::int64_t>(common(a, b).length_ps());
}

}  // namespace

overlap_sums::overlap_sums(std::size_t places, std::size_t most)
    : begin_(places + 1, 0), most_(std::max(most, 2 * least_of_place * places)) {}

// Each entry is swapped to its place; then they are added up place by place.
void overlap_sums::settle() {
  std::fill(begin_.begin(), begin_.end(), std::size_t{0});
  std::uint32_t names = 0;
  for (const entry& e : entries_) {
    ++begin_[e.place + 1];
    names = std::max(names, e.name + 1);
  }
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t place = 0; place < next.size(); ++place)
    while (next[place] < begin_[place + 1]) {
      entry& e = entries_[next[place]];
      if (e.place == place)
        ++next[place];
      else
        std::swap(e, entries_[next[e.place]++]);
    }
  sums_.resize(std::max<std::size_t>(sums_.size(), names), 0);
  std::size_t kept = 0;
  for (std::size_t place = 0; place + 1 < begin_.size(); ++place) {
    const std::size_t first = begin_[place], behind = begin_[place + 1];
    begin_[place] = kept;
    for (std::size_t i = first; i < behind; ++i) {
      std::int64_t& sum = sums_[entries_[i].name];
      const std::int64_t more = entries_[i].overlap_ps;
      if (sum == 0) entries_[kept++] = entries_[i];
      sum = saturating_add(sum, more);
    }
    for (std::size_t i = begin_[place]; i < kept; ++i)
      entries_[i].overlap_ps = std::exchange(sums_[entries_[i].name], 0);
  }
  entries_.resize(kept);
  begin_.back() = kept;
  if (entries_.size() > most_ / 2) forget_least();
  settle_at_ = std::min(most_, std::max(settle_at_, 2 * entries_.size()));
}

void overlap_sums::forget_least() {
  std::size_t kept = 0;
  for (std::size_t place = 0; place + 1 < begin_.size(); ++place) {
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(begin_[place]);
    const std::size_t count = begin_[place + 1] - begin_[place], stay = std::min(count, least_of_place);
    if (count > stay)
      std::nth_element(first, first + static_cast<std::ptrdiff_t>(stay), first + static_cast<std::ptrdiff_t>(count),
                       [](const entry& a, const entry& b) {
                         const bool a_frame = a.name % 2 != 0, b_frame = b.name % 2 != 0;
                         return std::tie(a_frame, b.overlap_ps, a.name) < std::tie(b_frame, a.overlap_ps, b.name);
                       });
    begin_[place] = kept;
    for (std::size_t i = 0; i < stay; ++i) entries_[kept++] = first[static_cast<std::ptrdiff_t>(i)];
  }
  entries_.resize(kept);
  begin_.back() = kept;
}

name_overlaps::name_overlaps(const std::vector<gap_list>& lists, const gap_cells& cells)
    : lists_(lists), by_cell_(cells.cells().size(), most_entries) {
  for (const gap_list& list : lists_)
    by_list_.push_back({&list, overlap_sums(list.size(), most_entries / lists_.size()), {}, 0});
}

std::uint32_t name_overlaps::add_name(string_id name, bool frame) {
  names_.push_back(name);
  sums_.resize(2 * names_.size(), 0);
  return static_cast<std::uint32_t>(2 * (names_.size() - 1)) + (frame ? 1 : 0);
}

void name_overlaps::leave_cell() {
  for (const std::uint32_t name : touched_)
    by_cell_.add(static_cast<std::uint32_t>(cell_), name, std::exchange(sums_[name], 0));
  touched_.clear();
}

void name_overlaps::add_long(std::uint32_t name, const interval& span, std::uint32_t thread) {
  for (of_list& of : by_list_) {
    const gap_list& gaps = *of.gaps;
    const auto ends = [&](std::size_t i) { return gaps[i].span.end_ps; };
    if (of.near > 0 && gaps[of.near - 1].span.end_ps > span.start_ps) of.near = 0;
    of.near = first_behind(of.near, gaps.size(), span.start_ps, ends);
    const std::size_t first = of.near;
    if (first == gaps.size() || gaps[first].span.start_ps >= span.end_ps) continue;
    of.sums.add(static_cast<std::uint32_t>(first), name, common_ps(gaps[first].span, span));
    // The last gap that begins in the span: the one in front of the first that begins behind it.
    const auto starts = [&](std::size_t i) { return gaps[i].span.start_ps; };
    const std::size_t last = first_behind(first + 1, gaps.size(), span.end_ps - 1, starts) - 1;
    if (last == first) continue;
    of.sums.add(static_cast<std::uint32_t>(last), name, common_ps(gaps[last].span, span));
    if (last - first < 2) continue;
    of.covers.push_back({first + 1, last, span, thread, name});
    if (of.covers.size() >= most_held_covers) add_covers(of);
  }
}

// Of the spans that hold a gap as a whole the ones that began last tell most: ten of them are enough.
void name_overlaps::add_covers(of_list& of) {
  std::vector<cover>& covers = of.covers;
  std::sort(covers.begin(), covers.end(), [&](const cover& a, const cover& b) {
    if (a.span.start_ps != b.span.start_ps) return a.span.start_ps < b.span.start_ps;
    if (a.span.end_ps != b.span.end_ps) return a.span.end_ps > b.span.end_ps;
    if (a.thread != b.thread) return a.thread < b.thread;
    return id_of(a.name) != id_of(b.name) ? id_of(a.name) < id_of(b.name) : a.name < b.name;
  });
  const gap_list& gaps = *of.gaps;
  std::set<std::pair<std::size_t, std::size_t>> open;  // order in `covers`, last gap
  std::size_t next = 0;
  for (std::size_t at = 0; at < gaps.size() && (next < covers.size() || !open.empty()); ++at) {
    for (; next < covers.size() && covers[next].first <= at; ++next) open.insert({next, covers[next].last});
    std::vector<string_id> named;
    std::size_t looked_at = 0;
    for (auto newest = open.rbegin(); newest != open.rend() && named.size() < most_names;) {
      if (++looked_at > most_covers_looked_at) break;
      if (newest->second <= at) {
        newest = decltype(newest)(open.erase(std::next(newest).base()));
        continue;
      }
      const std::uint32_t name = covers[newest->first].name;
      if (std::find(named.begin(), named.end(), id_of(name)) == named.end()) {
        named.push_back(id_of(name));
        of.sums.add(static_cast<std::uint32_t>(at), name, gaps[at].of->length_ps());
      }
      ++newest;
    }
  }
  covers.clear();
}

void name_overlaps::take() {
  leave_cell();
  by_cell_.settle();
  std::vector<std::uint32_t> found;
  for (of_list& of : by_list_) {
    add_covers(of);
    of.sums.settle();
    for (std::size_t i = 0; i < of.gaps->size(); ++i) {
      const gap& g = (*of.gaps)[i];
      const auto note = [&](const overlap_sums::entry& e) {
        std::int64_t& sum = sums_[e.name];
        if (sum == 0) found.push_back(e.name);
        sum = saturating_add(sum, e.overlap_ps);
      };
      std::for_each(of.sums.begin_of(i), of.sums.end_of(i), note);
      for (std::size_t cell = g.first_cell; cell < g.behind_cell; ++cell)
        std::for_each(by_cell_.begin_of(cell), by_cell_.end_of(cell), note);
      for (const std::uint32_t name : found) sums_[name] = std::min(sums_[name], g.of->length_ps());
      // Frames enclose everything and tell least, so they stand last.
      const auto listed = found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), most_names));
      std::partial_sort(found.begin(), listed, found.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (a % 2 != b % 2) return a % 2 < b % 2;
        return sums_[a] != sums_[b] ? sums_[a] > sums_[b] : id_of(a) < id_of(b);
      });
      for (auto name = found.begin(); name != listed; ++name) g.of->host.ops.push_back({id_of(*name), sums_[*name]});
      for (const std::uint32_t name : found) sums_[name] = 0;
      found.clear();
    }
  }
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
