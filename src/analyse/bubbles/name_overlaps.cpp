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

// Adds entries of one place up; `sums` is by name and 0 before and after.
class place_sums {
 public:
  place_sums(std::vector<std::int64_t>& sums, overlap_run& into) : sums_(sums), into_(into), first_(into.size()) {}
  void add(const overlap_entry& e) {
    std::int64_t& sum = sums_[e.name];
    if (sum == 0) into_.push_back(e);
    sum = saturating_add(sum, e.overlap_ps);
  }
  void finish() {
    for (; first_ < into_.size(); ++first_) into_[first_].overlap_ps = std::exchange(sums_[into_[first_].name], 0);
  }

 private:
  std::vector<std::int64_t>& sums_;
  overlap_run& into_;
  std::size_t first_;  // of the place
};

std::uint32_t numbers_in(const overlap_run& run) noexcept {
  std::uint32_t numbers = 0;
  for (const overlap_entry& e : run) numbers = std::max(numbers, e.name + 1);
  return numbers;
}

void make_room(std::vector<std::int64_t>& sums, std::size_t numbers) {
  if (sums.size() < numbers) sums.resize(numbers, 0);
}

// Of the spans that hold a gap as a whole the ones that began last tell most: ten of them are enough. Hands on gaps and
// numbers of names, by gap.
template <class Use>
void take_covers(const gap_list& gaps, std::vector<gap_cover>& covers, Use&& use) {
  std::sort(covers.begin(), covers.end(), [&](const gap_cover& a, const gap_cover& b) {
    if (a.span.start_ps != b.span.start_ps) return a.span.start_ps < b.span.start_ps;
    if (a.span.end_ps != b.span.end_ps) return a.span.end_ps > b.span.end_ps;
    if (a.thread != b.thread) return a.thread < b.thread;
    return id_of(a.name) != id_of(b.name) ? id_of(a.name) < id_of(b.name) : a.name < b.name;
  });
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
        use(static_cast<std::uint32_t>(at), name);
      }
      ++newest;
    }
  }
  covers.clear();
}

}  // namespace

// Entries in the order of their places are added up place by place.
void overlap_notes::settle() {
  make_room(sums_, numbers_in(entries_));
  const auto earlier = [](const overlap_entry& a, const overlap_entry& b) { return a.place < b.place; };
  if (std::is_sorted(entries_.begin(), entries_.end(), earlier))
    entries_.swap(sorted_);
  else
    sort_by_place();
  entries_.clear();
  for (std::size_t i = 0; i < sorted_.size();) {
    place_sums sums(sums_, entries_);
    for (const std::uint32_t place = sorted_[i].place; i < sorted_.size() && sorted_[i].place == place; ++i)
      sums.add(sorted_[i]);
    sums.finish();
  }
  settle_at_ = std::max(settle_at_, 2 * entries_.size());
}

void overlap_notes::sort_by_place() {
  begin_.assign(places_ + 1, 0);
  for (const overlap_entry& e : entries_) ++begin_[e.place + 1];
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  sorted_.resize(entries_.size());
  for (const overlap_entry& e : entries_) sorted_[begin_[e.place]++] = e;
}

overlap_sums::overlap_sums(std::size_t places, std::size_t most)
    : shards_(places / places_of_shard + 1), most_(std::max(most, 2 * least_of_place * places)) {
  for (shard& of : shards_) of.begin.assign(places_of_shard + 1, 0);
}

void overlap_sums::add(const overlap_run& run) {
  constexpr std::size_t few = std::size_t{1} << 16;
  make_room(sums_, numbers_in(run));
  in_runs_ += run.size();
  if (!run.empty()) {
    if (runs_.empty() || run.front().place < runs_.back().back().place) chains_.push_back(runs_.size());
    runs_.push_back(run);
  }
  if (in_runs_ >= std::max(few, std::min(settled_ / 2, most_ - std::min(most_, settled_)))) settle();
}

void overlap_sums::settle() {
  if (runs_.empty()) return;
  std::vector<place_in_chain> chains;
  for (std::size_t i = 0; i < chains_.size(); ++i)
    chains.push_back(
        {runs_.data() + chains_[i], runs_.data() + (i + 1 < chains_.size() ? chains_[i + 1] : runs_.size()), 0});
  settled_ = 0;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    add_up(i, chains);
    settled_ += shards_[i].entries.size();
  }
  runs_.clear();
  chains_.clear();
  in_runs_ = 0;
  if (settled_ > most_ / 8 * 7) forget_least();
}

// `chains`: where the shard begins in each.
void overlap_sums::add_up(std::size_t shard_at, std::vector<place_in_chain>& chains) {
  shard& of = shards_[shard_at];
  sum_.clear();
  std::size_t held = 0;
  for (std::size_t i = 0; i < places_of_shard; ++i) {
    const std::size_t place = shard_at * places_of_shard + i, held_end = of.begin[i + 1];
    of.begin[i] = static_cast<std::uint32_t>(sum_.size());
    place_sums sums(sums_, sum_);
    for (; held < held_end; ++held) sums.add(of.entries[held]);
    for (place_in_chain& c : chains)
      while (c.run != c.end && (*c.run)[c.at].place == place) {
        sums.add((*c.run)[c.at]);
        if (++c.at < c.run->size()) continue;
        ++c.run;
        c.at = 0;
      }
    sums.finish();
  }
  of.begin.back() = static_cast<std::uint32_t>(sum_.size());
  of.entries.assign(sum_.begin(), sum_.end());
}

void overlap_sums::forget_least() {
  settled_ = 0;
  for (shard& of : shards_) {
    std::size_t kept = 0;
    for (std::size_t place = 0; place < places_of_shard; ++place) {
      const auto first = of.entries.begin() + of.begin[place];
      const std::size_t count = of.begin[place + 1] - of.begin[place], stay = std::min(count, least_of_place);
      if (count > stay)
        std::nth_element(first, first + static_cast<std::ptrdiff_t>(stay), first + static_cast<std::ptrdiff_t>(count),
                         [](const overlap_entry& a, const overlap_entry& b) {
                           const bool a_frame = a.name % 2 != 0, b_frame = b.name % 2 != 0;
                           return std::tie(a_frame, b.overlap_ps, a.name) < std::tie(b_frame, a.overlap_ps, b.name);
                         });
      of.begin[place] = static_cast<std::uint32_t>(kept);
      for (std::size_t i = 0; i < stay; ++i) of.entries[kept++] = first[static_cast<std::ptrdiff_t>(i)];
    }
    of.begin.back() = static_cast<std::uint32_t>(kept);
    of.entries.resize(kept);
    of.entries.shrink_to_fit();
    settled_ += kept;
  }
}

part_overlaps::part_overlaps(const std::vector<gap_list>& lists, const gap_cells& cells)
    : by_cell_(cells.cells().size()) {
  for (const gap_list& list : lists) by_list_.push_back({&list, overlap_notes(list.size()), {}, 0});
}

void part_overlaps::leave_cell() {
  for (const std::uint32_t name : touched_)
    by_cell_.add(static_cast<std::uint32_t>(cell_), name, std::exchange(sums_[name], 0));
  touched_.clear();
}

void part_overlaps::add_long(std::uint32_t name, const interval& span, std::uint32_t thread) {
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
    if (of.covers.size() < most_held_covers) continue;
    take_covers(gaps, of.covers,
                [&](std::uint32_t at, std::uint32_t by) { of.sums.add(at, by, gaps[at].of->length_ps()); });
  }
}

name_overlaps::name_overlaps(const std::vector<gap_list>& lists, const gap_cells& cells)
    : by_cell_(cells.cells().size(), most_entries) {
  for (const gap_list& list : lists)
    by_list_.push_back({&list, overlap_sums(list.size(), most_entries / lists.size()), {}});
}

void name_overlaps::add(part_overlaps& part) {
  part.leave_cell();
  numbers_ = std::max(numbers_, static_cast<std::uint32_t>(part.sums_.size()));
  by_cell_.add(part.by_cell_.settled());
  part.by_cell_.clear();
  for (std::size_t i = 0; i < by_list_.size(); ++i) {
    of_list& to = by_list_[i];
    part_overlaps::of_list& from = part.by_list_[i];
    to.sums.add(from.sums.settled());
    from.sums.clear();
    to.covers.insert(to.covers.end(), from.covers.begin(), from.covers.end());
    from.covers.clear();
    if (to.covers.size() >= most_held_covers) add_covers(to);
  }
}

void name_overlaps::add_covers(of_list& of) {
  overlap_run run;
  take_covers(*of.gaps, of.covers, [&](std::uint32_t at, std::uint32_t name) {
    run.push_back({at, name, (*of.gaps)[at].of->length_ps()});
  });
  of.sums.add(run);
}

void name_overlaps::take() {
  by_cell_.settle();
  std::vector<std::uint32_t> found;
  std::vector<std::int64_t> sums(numbers_, 0);
  for (of_list& of : by_list_) {
    add_covers(of);
    of.sums.settle();
    for (std::size_t i = 0; i < of.gaps->size(); ++i) {
      const gap& g = (*of.gaps)[i];
      const auto note = [&](const overlap_entry& e) {
        std::int64_t& sum = sums[e.name];
        if (sum == 0) found.push_back(e.name);
        sum = saturating_add(sum, e.overlap_ps);
      };
      of.sums.for_each_of(i, note);
      for (std::size_t cell = g.first_cell; cell < g.behind_cell; ++cell) by_cell_.for_each_of(cell, note);
      for (const std::uint32_t name : found) sums[name] = std::min(sums[name], g.of->length_ps());
      // Frames enclose everything and tell least, so they stand last.
      const auto listed = found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), most_names));
      std::partial_sort(found.begin(), listed, found.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (a % 2 != b % 2) return a % 2 < b % 2;
        return sums[a] != sums[b] ? sums[a] > sums[b] : id_of(a) < id_of(b);
      });
      for (auto name = found.begin(); name != listed; ++name) g.of->host.ops.push_back({id_of(*name), sums[*name]});
      for (const std::uint32_t name : found) sums[name] = 0;
      found.clear();
    }
  }
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
