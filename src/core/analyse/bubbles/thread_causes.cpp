#include <analyse/bubbles/thread_causes.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

// Where a known span is the innermost one. In order and apart.
struct segment {
  interval at;
  const known_span* of;
};
using segments = std::vector<segment>;

void add_segment(segments& to, std::int64_t start_ps, std::int64_t end_ps, const known_span* of) {
  if (end_ps > start_ps) to.push_back({{start_ps, end_ps}, of});
}

// `spans` by start, of those that start together the longest first.
segments innermost(const std::vector<const known_span*>& spans) {
  segments found;
  std::vector<const known_span*> open;
  std::int64_t at_ps = 0;  // the segments so far end here or before
  const auto close_until = [&](std::int64_t until_ps) {
    while (!open.empty() && open.back()->span.end_ps <= until_ps) {
      add_segment(found, at_ps, open.back()->span.end_ps, open.back());
      at_ps = std::max(at_ps, open.back()->span.end_ps);
      open.pop_back();
    }
  };
  for (const known_span* const s : spans) {
    close_until(s->span.start_ps);
    if (!open.empty()) add_segment(found, at_ps, s->span.start_ps, open.back());
    at_ps = s->span.start_ps;
    open.push_back(s);
  }
  close_until(std::numeric_limits<std::int64_t>::max());
  return found;
}

// The segments of `over`, and those of `under` where there are none.
segments laid_over(const segments& over, const segments& under) {
  if (over.empty() || under.empty()) return over.empty() ? under : over;
  segments all = over;
  auto next = over.begin();
  for (const segment& s : under) {
    while (next != over.end() && next->at.end_ps <= s.at.start_ps) ++next;
    std::int64_t from_ps = s.at.start_ps;
    for (auto o = next; o != over.end() && o->at.start_ps < s.at.end_ps; ++o) {
      add_segment(all, from_ps, o->at.start_ps, s.of);
      from_ps = std::max(from_ps, o->at.end_ps);
    }
    add_segment(all, from_ps, s.at.end_ps, s.of);
  }
  std::sort(all.begin(), all.end(), [](const segment& a, const segment& b) { return a.at.start_ps < b.at.start_ps; });
  return all;
}

// Frames and locks only where nothing else is known: a frame encloses what it calls, and who waits for something often
// does so in a lock.
segments known_segments(const std::vector<known_span>& known) {
  std::array<std::vector<const known_span*>, 3> ranks;
  for (const known_span& s : known) ranks[s.cause == idle_cause::lock ? 2 : s.frame ? 1 : 0].push_back(&s);
  segments found;
  for (auto& spans : ranks) {
    std::sort(spans.begin(), spans.end(), [](const known_span* a, const known_span* b) {
      return std::tie(a->span.start_ps, b->span.end_ps, a->name) < std::tie(b->span.start_ps, a->span.end_ps, b->name);
    });
    found = laid_over(found, innermost(spans));
  }
  return found;
}

// What one thread spent of a gap in known causes.
class cause_sums {
 public:
  void add(const known_span& of, std::int64_t ps) {
    by_cause_[static_cast<std::size_t>(of.cause)] += ps;
    name_sum& sum = by_name_.try_emplace(of.name, name_sum{of.cause, 0}).first->second;
    sum.ps += ps;
  }
  // The cause with most time, and its name with most time.
  [[nodiscard]] known_activity most() const {
    const auto at = std::max_element(by_cause_.begin(), by_cause_.end());
    known_activity found;
    found.cause = static_cast<idle_cause>(at - by_cause_.begin());
    found.covered_ps = *at;
    std::int64_t longest_ps = 0;
    for (const auto& [name, sum] : by_name_) {
      if (sum.cause != found.cause || sum.ps < longest_ps || (sum.ps == longest_ps && name > found.span)) continue;
      longest_ps = sum.ps;
      found.span = name;
    }
    return found;
  }

 private:
  struct name_sum {
    idle_cause cause;
    std::int64_t ps;
  };
  std::array<std::int64_t, idle_cause_count> by_cause_{};
  hash_map<string_id, name_sum> by_name_;
};

segments::const_iterator first_in(const segments& all, std::int64_t start_ps) {
  return std::partition_point(all.begin(), all.end(), [&](const segment& s) { return s.at.end_ps <= start_ps; });
}

known_activity known_in(const segments& all, const interval& gap) {
  cause_sums sums;
  for (auto s = first_in(all, gap.start_ps); s != all.end() && s->at.start_ps < gap.end_ps; ++s)
    sums.add(*s->of, static_cast<std::int64_t>(common(s->at, gap).length_ps()));
  return sums.most();
}

// Half of what two edges may be apart and still count as one: shorter stretches hardly matter in a listed gap.
constexpr std::int64_t near_ps = bubble_thresholds{}.reportable_gap_ps / 4;

// Of the gap, the longest time in which the thread neither began nor ended anything.
interval longest_still(const std::vector<interval>& edges, const interval& gap) {
  interval longest{gap.start_ps, gap.start_ps};
  std::int64_t from_ps = gap.start_ps;
  const auto look = [&](std::int64_t to_ps) {
    if (to_ps - from_ps > longest.end_ps - longest.start_ps) longest = {from_ps, to_ps};
  };
  auto e = std::partition_point(edges.begin(), edges.end(), [&](const interval& i) { return i.end_ps - near_ps <= gap.start_ps; });
  for (; e != edges.end() && e->start_ps + near_ps < gap.end_ps; ++e) {
    look(e->start_ps + near_ps);
    from_ps = std::max(from_ps, e->end_ps - near_ps);
  }
  look(gap.end_ps);
  return longest;
}

// An op that launches takes its time; longer ones do something else as well.
constexpr std::int64_t longest_launch_ps = bubble_thresholds{}.heavy_gap_ps;

// Where the thread stood still in the gaps: the shortest span around that time. A range that is much longer than the gap
// holds other things, too.
void note_still(const std::vector<interval>& edges, std::vector<lasting_span>& lasting, const std::vector<bubble*>& gaps) {
  std::vector<std::pair<interval, bubble*>> still;
  for (bubble* const b : gaps) {
    const interval at = longest_still(edges, {b->start_ps, b->end_ps});
    b->host.still_ps = at.end_ps - at.start_ps;
    if (b->host.still_ps > 0) still.emplace_back(at, b);
  }
  const auto by_start = [](const auto& a, const auto& b) { return a.first.start_ps < b.first.start_ps; };
  std::sort(still.begin(), still.end(), by_start);
  std::sort(lasting.begin(), lasting.end(), [](const lasting_span& a, const lasting_span& b) { return a.span.start_ps < b.span.start_ps; });
  std::vector<const lasting_span*> open;
  auto next = lasting.begin();
  for (const auto& [at, b] : still) {
    for (; next != lasting.end() && next->span.start_ps <= at.start_ps; ++next) open.push_back(&*next);
    const auto is_over = [from_ps = at.start_ps](const lasting_span* s) { return s->span.end_ps <= from_ps; };
    open.erase(std::remove_if(open.begin(), open.end(), is_over), open.end());
    const lasting_span* in = nullptr;
    for (const lasting_span* const s : open) {
      if (s->span.end_ps < at.end_ps || (s->is_range && s->span.length_ps() / 2 > static_cast<std::uint64_t>(b->length_ps()))) continue;
      if (in == nullptr || s->span.length_ps() < in->span.length_ps()) in = s;
    }
    if (in == nullptr) continue;
    b->host.still_span = in->name;
    const bool launches = in->span.start_ps <= b->launch_ps() && b->launch_ps() < in->span.end_ps;
    if (launches && b->host.still_ps < longest_launch_ps) b->host.still_ps = 0;
  }
}

std::vector<interval>::const_iterator first_in(const std::vector<interval>& normal, std::int64_t start_ps) {
  return std::partition_point(normal.begin(), normal.end(), [&](const interval& i) { return i.end_ps <= start_ps; });
}

std::int64_t covered_in(const std::vector<interval>& normal, const interval& gap) {
  std::int64_t sum_ps = 0;
  for (auto s = first_in(normal, gap.start_ps); s != normal.end() && s->start_ps < gap.end_ps; ++s)
    sum_ps += static_cast<std::int64_t>(common(*s, gap).length_ps());
  return sum_ps;
}

std::int64_t longest_hole(const std::vector<interval>& normal, const interval& gap) {
  std::int64_t longest_ps = 0, from_ps = gap.start_ps;
  for (auto s = first_in(normal, gap.start_ps); s != normal.end() && s->start_ps < gap.end_ps; ++s) {
    longest_ps = std::max(longest_ps, s->start_ps - from_ps);
    from_ps = s->end_ps;
  }
  return std::max(longest_ps, gap.end_ps - from_ps);
}

// A wait that began while the device worked and ended with its last kernel: how long the host was held up by it.
void note_drain(const segments& all, bubble& b) {
  const auto s = first_in(all, b.start_ps);
  if (s == all.end() || s->of->cause != idle_cause::sync_wait || s->of->span.start_ps >= b.start_ps ||
      s->at.start_ps > b.start_ps || s->of->span.end_ps >= b.end_ps)
    return;
  b.host.drain_span = s->of->name;
  b.host.drain_end_ps = s->of->span.end_ps;
  b.host.drain_ps = s->of->span.end_ps - s->of->span.start_ps;
}

}  // namespace

void thread_record::add(const interval& span, string_id name, host_span_kind kind) {
  all.add(span);
  if (kind == host_span_kind::frame || kind == host_span_kind::gc) return;
  const bool is_range = kind == host_span_kind::annotation;
  if (!is_range) work.add(span);
  if (span.end_ps - span.start_ps < 2 * near_ps) {
    edges.add({span.start_ps - near_ps, span.end_ps + near_ps});
    return;
  }
  edges.add({span.start_ps - near_ps, span.start_ps + near_ps});
  edges.add({span.end_ps - near_ps, span.end_ps + near_ps});
  lasting.push_back({span, name, is_range});
}

void thread_record::add(thread_record& more) {
  all.add(more.all);
  work.add(more.work);
  edges.add(more.edges);
  known.insert(known.end(), more.known.begin(), more.known.end());
  lasting.insert(lasting.end(), more.lasting.begin(), more.lasting.end());
}

void thread_record::clear() {
  for (span_union* spans : {&all, &work, &edges}) spans->clear();
  known.clear();
  lasting.clear();
}

thread_causes::thread_causes(const std::vector<gap_list>& lists) {
  for (const gap_list& list : lists) {
    std::vector<bubble*> unlaunched;
    for (const gap& g : list) {
      const std::uint32_t thread = g.of->launch_thread();
      host_evidence& host = g.of->host;
      if (thread != no_thread) host.silent_ps = host.untraced_ps = host.still_ps = g.of->length_ps();  // until it is taken
      (thread == no_thread ? unlaunched : of_thread_[thread]).push_back(g.of);
    }
    if (!unlaunched.empty()) unlaunched_.push_back(std::move(unlaunched));
  }
}

void thread_causes::take(std::uint32_t thread, thread_record& of) {
  const segments all = known_segments(of.known);
  if (const auto own = of_thread_.find(thread); own != of_thread_.end()) {
    const std::vector<interval>&all_spans = of.all.settled(), &work = of.work.settled();
    for (bubble* const b : own->second) {
      const interval gap{b->start_ps, b->end_ps};
      b->host.known = known_in(all, gap);
      b->host.launcher_ps = covered_in(work, gap);
      b->host.silent_ps = longest_hole(work, gap);
      b->host.untraced_ps = longest_hole(all_spans, gap);
      note_drain(all, *b);
    }
    note_still(of.edges.settled(), of.lasting, own->second);
  }
  for (const std::vector<bubble*>& gaps : unlaunched_) {
    // Only gaps that a segment touches: threads are many, and most of them do little.
    auto next = gaps.begin();
    for (const segment& s : all) {
      next = std::partition_point(next, gaps.end(), [&](const bubble* b) { return b->end_ps <= s.at.start_ps; });
      for (; next != gaps.end() && (*next)->start_ps < s.at.end_ps; ++next) {
        const known_activity found = known_in(all, {(*next)->start_ps, (*next)->end_ps});
        if (found.covered_ps > (*next)->host.known.covered_ps) (*next)->host.known = found;
      }
    }
  }
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
