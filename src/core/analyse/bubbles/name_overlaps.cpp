#include <analyse/bubbles/name_overlaps.hpp>


#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

constexpr std::size_t max_names = 10;              // of a gap
constexpr std::size_t max_entries = 1U << 22;      // before the least are forgotten
constexpr std::size_t least_of_place = 16;          // names that are never forgotten
constexpr std::size_t many_long_spans = 1U << 12;   // enough to walk along all gaps
constexpr std::size_t max_held_covers = 1U << 19;  // before they are settled
constexpr std::size_t max_covers_looked_at = 64;
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

std::int64_t common_ps(const interval& a, const interval& b) noexcept {
  return static_cast<std::int64_t>(common(a, b).length_ps());
}

void move_to(std::vector<long_span>& into, std::vector<long_span>& from) {
  into.insert(into.end(), from.begin(), from.end());
  from.clear();
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

// By start, the longer first.
bool is_earlier(const long_span& a, const long_span& b) noexcept {
  if (a.span.start_ps != b.span.start_ps) return a.span.start_ps < b.span.start_ps;
  if (a.span.end_ps != b.span.end_ps) return a.span.end_ps > b.span.end_ps;
  if (a.thread != b.thread) return a.thread < b.thread;
  return id_of(a.name) != id_of(b.name) ? id_of(a.name) < id_of(b.name) : a.name < b.name;
}

// One piece of code for both.
void sort_by(std::int64_t interval::*edge, std::vector<long_span>& spans) {
  std::sort(spans.begin(), spans.end(),
            [edge](const long_span& a, const long_span& b) { return a.span.*edge < b.span.*edge; });
}

// Of the spans that hold a gap as a whole the ones that began last say most: ten of them are enough. `spans` by start;
// those that reach gaps on both sides of one cover it.
void take_covers(const gap_list& gaps, std::uint32_t first_place, const std::vector<long_span>& spans,
                 overlap_notes& into) {
  // Whether it reaches the gap after this one.
  const auto reaches_on = [&](const long_span& s, std::size_t at) {
    return at + 1 < gaps.size() && gaps[at + 1].span.start_ps < s.span.end_ps;
  };
  std::vector<std::size_t> open;  // in `spans`, ascending
  std::vector<string_id> named;
  std::size_t next = 0;
  for (std::size_t at = 1; at < gaps.size() && (next < spans.size() || !open.empty()); ++at) {
    for (; next < spans.size() && spans[next].span.start_ps < gaps[at - 1].span.end_ps; ++next)
      if (reaches_on(spans[next], at)) open.push_back(next);
    named.clear();
    std::size_t i = open.size(), kept = i;  // what is looked at and stays is moved up to the end
    const std::size_t least = i - std::min(i, max_covers_looked_at);
    while (i > least && named.size() < max_names) {
      const long_span& s = spans[open[--i]];
      if (!reaches_on(s, at)) continue;
      open[--kept] = open[i];
      if (std::find(named.begin(), named.end(), id_of(s.name)) != named.end()) continue;
      named.push_back(id_of(s.name));
      into.add(first_place + static_cast<std::uint32_t>(at), s.name,
               static_cast<std::int64_t>(gaps[at].span.length_ps()));
    }
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(i), open.begin() + static_cast<std::ptrdiff_t>(kept));
  }
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
    : places_(places), shards_(places / places_of_shard + 1), most_(std::max(most, 2 * least_of_place * places)) {
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

gap_places::gap_places(const std::vector<gap_list>& lists) {
  first_.reserve(lists.size() + 1);
  first_.push_back(0);
  for (const gap_list& list : lists) first_.push_back(first_.back() + static_cast<std::uint32_t>(list.size()));
}

void edge_walk::take(std::vector<long_span>& spans, std::vector<long_span>& covers, overlap_notes& into) {
  sort_by(&interval::start_ps, spans);
  by_end_ = spans;
  sort_by(&interval::end_ps, by_end_);
  is_cover_.assign(spans.size(), 0);
  const auto add = [&](const long_span& s, const interval& gap) {
    std::int64_t& sum = sums_[s.name];
    if (sum == 0) touched_.push_back(s.name);
    sum = saturating_add(sum, common_ps(s.span, gap));
  };
  for (std::size_t list = 0; list < lists_.size(); ++list) {
    const gap_list& gaps = lists_[list];
    const auto start_of = [&](std::size_t at) { return at < gaps.size() ? gaps[at].span.start_ps : never; };
    auto first = spans.begin();   // of the spans that begin after the gaps so far
    auto last = by_end_.begin();  // of those that end after the beginning of the next one
    for (std::size_t at = 0; at < gaps.size() && last != by_end_.end(); ++at) {
      const interval gap = gaps[at].span;
      for (const std::int64_t third = start_of(at + 2); first != spans.end() && first->span.start_ps < gap.end_ps;
           ++first) {
        if (first->span.end_ps <= gap.start_ps) continue;
        add(*first, gap);
        if (first->span.end_ps > third) is_cover_[static_cast<std::size_t>(first - spans.begin())] = 1;
      }
      // What begins before the end of the gap before this one was added there as well.
      const std::int64_t previous_end = at == 0 ? std::numeric_limits<std::int64_t>::min() : gaps[at - 1].span.end_ps;
      for (const std::int64_t next = start_of(at + 1); last != by_end_.end() && last->span.end_ps <= next; ++last)
        if (last->span.start_ps < previous_end && last->span.end_ps > gap.start_ps) add(*last, gap);
      const auto place = places_.first_of(list) + static_cast<std::uint32_t>(at);
      for (const std::uint32_t name : touched_) into.add(place, name, std::exchange(sums_[name], 0));
      touched_.clear();
    }
  }
  for (std::size_t i = 0; i < spans.size(); ++i)
    if (is_cover_[i] != 0) covers.push_back(spans[i]);
  spans.clear();
}

part_overlaps::part_overlaps(const std::vector<gap_list>& lists, const gap_cells& cells)
    : by_cell_(cells.cells().size()), edges_(lists), by_gap_(edges_.places().count()) {}

void part_overlaps::leave_cell() {
  for (const std::uint32_t name : touched_)
    by_cell_.add(static_cast<std::uint32_t>(cell_), name, std::exchange(sums_[name], 0));
  touched_.clear();
}

void part_overlaps::add_long(std::uint32_t name, const interval& span, std::uint32_t thread) {
  long_.push_back({span, thread, name});
  if (long_.size() < many_long_spans) return;
  edges_.take(long_, covers_, by_gap_);
}

name_overlaps::name_overlaps(const std::vector<gap_list>& lists, const gap_cells& cells)
    : lists_(lists),
      edges_(lists),
      by_cell_(cells.cells().size(), max_entries),
      by_gap_(edges_.places().count(), max_entries),
      notes_(edges_.places().count()) {}

void name_overlaps::add(part_overlaps& part) {
  part.leave_cell();
  numbers_ = std::max(numbers_, static_cast<std::uint32_t>(part.sums_.size()));
  by_cell_.add(part.by_cell_.settled());
  part.by_cell_.clear();
  by_gap_.add(part.by_gap_.settled());
  part.by_gap_.clear();
  move_to(covers_, part.covers_);
  move_to(long_, part.long_);
  if (long_.size() >= many_long_spans) walk();
  if (covers_.size() >= max_held_covers) add_covers();
}

void name_overlaps::add_notes() {
  by_gap_.add(notes_.settled());
  notes_.clear();
}

void name_overlaps::walk() {
  edges_.make_room_for_names(numbers_);
  edges_.take(long_, covers_, notes_);
  add_notes();
}

void name_overlaps::add_covers() {
  std::stable_sort(covers_.begin(), covers_.end(), is_earlier);
  for (std::size_t list = 0; list < lists_.size(); ++list)
    take_covers(lists_[list], edges_.places().first_of(list), covers_, notes_);
  covers_.clear();
  add_notes();
}

void name_overlaps::take() {
  walk();
  add_covers();
  by_cell_.settle();
  by_gap_.settle();
  std::vector<std::size_t> cells;  // with names
  for (std::size_t cell = 0; cell < by_cell_.places(); ++cell)
    if (by_cell_.has(cell)) cells.push_back(cell);
  std::vector<std::uint32_t> found;
  std::vector<std::int64_t> sums(numbers_, 0);
  const auto note = [&](const overlap_entry& e) {
    std::int64_t& sum = sums[e.name];
    if (sum == 0) found.push_back(e.name);
    sum = saturating_add(sum, e.overlap_ps);
  };
  std::size_t place = 0;
  for (const gap_list& gaps : lists_)
    for (const gap& g : gaps) {
      by_gap_.for_each_of(place++, note);
      for (auto cell = std::lower_bound(cells.begin(), cells.end(), g.first_cell);
           cell != cells.end() && *cell < g.end_cell; ++cell)
        by_cell_.for_each_of(*cell, note);
      for (const std::uint32_t name : found) sums[name] = std::min(sums[name], g.of->length_ps());
      // Frames enclose everything and say least, so they stand last.
      const auto listed = found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), max_names));
      std::partial_sort(found.begin(), listed, found.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (a % 2 != b % 2) return a % 2 < b % 2;
        return sums[a] != sums[b] ? sums[a] > sums[b] : id_of(a) < id_of(b);
      });
      g.of->host.ops.reserve(static_cast<std::size_t>(listed - found.begin()));
      for (auto name = found.begin(); name != listed; ++name) g.of->host.ops.push_back({id_of(*name), sums[*name]});
      for (const std::uint32_t name : found) sums[name] = 0;
      found.clear();
    }
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
