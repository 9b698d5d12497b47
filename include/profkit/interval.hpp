// Half-open spans of time and the algebra of them: union, gaps, intersection, difference, coverage.
// Header-only, standard library only. Nothing here allocates but the functions that return a vector.
//
// A *normal* sequence is sorted, has no empty span, and no two of its spans overlap or touch: it is the one
// shortest way to write a set of instants. normalise() makes one; every other function wants normal input
// and takes one linear pass over it. All int64 instants are allowed; lengths are uint64 and exact, because
// the longest span, from the least to the greatest instant, is 2^64 - 1 ps.
#pragma once
#include <profkit/namespace.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// The instants t with start_ps <= t < end_ps; none when end_ps <= start_ps.
struct interval {
  std::int64_t start_ps = 0;
  std::int64_t end_ps = 0;

  [[nodiscard]] constexpr bool empty() const noexcept { return end_ps <= start_ps; }
  [[nodiscard]] constexpr std::uint64_t length_ps() const noexcept { return distance_ps(start_ps, end_ps); }
  [[nodiscard]] constexpr bool contains(std::int64_t instant_ps) const noexcept {
    return start_ps <= instant_ps && instant_ps < end_ps;
  }
  friend constexpr bool operator==(const interval& a, const interval& b) noexcept {
    return a.start_ps == b.start_ps && a.end_ps == b.end_ps;
  }
  friend constexpr bool operator!=(const interval& a, const interval& b) noexcept { return !(a == b); }
};

/// The instants in both, or an empty span.
[[nodiscard]] constexpr interval common(const interval& a, const interval& b) noexcept {
  const interval both{a.start_ps > b.start_ps ? a.start_ps : b.start_ps, a.end_ps < b.end_ps ? a.end_ps : b.end_ps};
  return both.empty() ? interval{both.start_ps, both.start_ps} : both;
}

/// Borrowed, contiguous spans.
struct interval_sequence {
  const interval* data = nullptr;
  std::size_t count = 0;

  constexpr interval_sequence() noexcept = default;
  constexpr interval_sequence(const interval* first, std::size_t n) noexcept : data(first), count(n) {}
  interval_sequence(const std::vector<interval>& v) noexcept : data(v.data()), count(v.size()) {}  ///< NOLINT
  template <std::size_t N>
  constexpr interval_sequence(const interval (&array)[N]) noexcept : data(array), count(N) {}  ///< NOLINT
  [[nodiscard]] constexpr const interval* begin() const noexcept { return data; }
  [[nodiscard]] constexpr const interval* end() const noexcept { return data + count; }
};

[[nodiscard]] constexpr bool is_sorted_by_start(interval_sequence spans) noexcept {
  for (std::size_t i = 1; i < spans.count; ++i) {
    if (spans.data[i].start_ps < spans.data[i - 1].start_ps) return false;
  }
  return true;
}

[[nodiscard]] constexpr bool is_normal(interval_sequence spans) noexcept {
  for (std::size_t i = 0; i < spans.count; ++i) {
    if (spans.data[i].empty()) return false;
    if (i > 0 && spans.data[i].start_ps <= spans.data[i - 1].end_ps) return false;
  }
  return true;
}

/// Makes the sequence normal in place and gives the new count: the union of all spans. One pass when the
/// sequence is sorted by start, else it is sorted first.
inline std::size_t normalise(interval* spans, std::size_t count) noexcept {
  if (!is_sorted_by_start({spans, count})) {
    std::sort(spans, spans + count, [](const interval& a, const interval& b) { return a.start_ps < b.start_ps; });
  }
  std::size_t first = 0;
  while (first < count && spans[first].empty()) ++first;
  if (first == count) return 0;
  /// Without branches on the data: whether spans touch is as good as random in a busy capture.
  interval open = spans[first];
  std::size_t last = 0;
  spans[0] = open;
  for (std::size_t i = first + 1; i < count; ++i) {
    const interval next = spans[i];
    if (next.empty()) continue;
    const bool apart = next.start_ps > open.end_ps;
    const std::int64_t later_end_ps = next.end_ps > open.end_ps ? next.end_ps : open.end_ps;
    open.start_ps = apart ? next.start_ps : open.start_ps;
    open.end_ps = apart ? next.end_ps : later_end_ps;
    last += apart ? 1 : 0;
    spans[last] = open;
  }
  return last + 1;
}
inline void normalise(std::vector<interval>& spans) noexcept {
  /// Erasing never allocates, so this cannot throw.
  spans.erase(spans.begin() + static_cast<std::ptrdiff_t>(normalise(spans.data(), spans.size())), spans.end());
}

/// Sum of the lengths of spans that may overlap; stops at 2^64 - 1.
[[nodiscard]] constexpr std::uint64_t sum_of_lengths_ps(interval_sequence spans) noexcept {
  std::uint64_t sum = 0;
  for (const interval& s : spans) sum = saturating_add(sum, s.length_ps());
  return sum;
}

/// Time covered by a normal sequence; exact, since disjoint spans never exceed 2^64 - 1 together.
[[nodiscard]] constexpr std::uint64_t covered_ps(interval_sequence normal) noexcept {
  return sum_of_lengths_ps(normal);
}

/// Union of spans that come one by one, sorted by start, without keeping them: busy time in one pass.
class union_sweep {
 public:
  /// False, and nothing is counted, when the span starts before the one added last.
  constexpr bool add(const interval& next) noexcept {
    if (next.empty()) return true;
    if (open_ && next.start_ps < last_start_ps_) return false;
    last_start_ps_ = next.start_ps;
    if (open_ && next.start_ps <= current_.end_ps) {
      if (next.end_ps > current_.end_ps) current_.end_ps = next.end_ps;
      return true;
    }
    if (open_) closed_ps_ += current_.length_ps();
    current_ = next;
    open_ = true;
    return true;
  }
  [[nodiscard]] constexpr std::uint64_t covered_ps() const noexcept {
    return closed_ps_ + (open_ ? current_.length_ps() : 0);
  }

 private:
  interval current_;
  std::int64_t last_start_ps_ = 0;
  std::uint64_t closed_ps_ = 0;
  bool open_ = false;
};

// ---- visitors: call `take(interval)` with each span of the answer, in order; the answer is normal ----

/// The part of a normal sequence that lies in the window.
template <class Take>
constexpr void visit_clipped(interval_sequence normal, const interval& window,
                             Take&& take) noexcept(noexcept(take(interval{}))) {
  for (const interval& s : normal) {
    if (s.start_ps >= window.end_ps) break;
    const interval part = common(s, window);
    if (!part.empty()) take(part);
  }
}

/// What the window holds beside a normal sequence: the gaps, also before the first and after the last span.
template <class Take>
constexpr void visit_gaps(interval_sequence normal, const interval& window,
                          Take&& take) noexcept(noexcept(take(interval{}))) {
  if (window.empty()) return;
  std::int64_t reached_ps = window.start_ps;
  for (const interval& s : normal) {
    if (s.start_ps >= window.end_ps) break;
    if (s.end_ps <= reached_ps) continue;
    if (s.start_ps > reached_ps) take(interval{reached_ps, s.start_ps});
    reached_ps = s.end_ps;
  }
  if (reached_ps < window.end_ps) take(interval{reached_ps, window.end_ps});
}

/// Instants in both of two normal sequences.
template <class Take>
constexpr void visit_intersection(interval_sequence a, interval_sequence b,
                                  Take&& take) noexcept(noexcept(take(interval{}))) {
  std::size_t i = 0, j = 0;
  while (i < a.count && j < b.count) {
    const interval both = common(a.data[i], b.data[j]);
    if (!both.empty()) take(both);
    if (a.data[i].end_ps < b.data[j].end_ps) {
      ++i;
    } else {
      ++j;
    }
  }
}

/// Instants in the normal sequence `a` and not in the normal sequence `b`.
template <class Take>
constexpr void visit_difference(interval_sequence a, interval_sequence b,
                                Take&& take) noexcept(noexcept(take(interval{}))) {
  std::size_t j = 0;
  for (const interval& s : a) {
    std::int64_t reached_ps = s.start_ps;
    while (j < b.count && b.data[j].end_ps <= reached_ps) ++j;
    /// A span of b that ends past s may cut the next span of a as well, so it is not stepped over here.
    for (; j < b.count && b.data[j].start_ps < s.end_ps; ++j) {
      if (b.data[j].start_ps > reached_ps) take(interval{reached_ps, b.data[j].start_ps});
      reached_ps = b.data[j].end_ps;
      if (reached_ps >= s.end_ps) break;
    }
    if (reached_ps < s.end_ps) take(interval{reached_ps, s.end_ps});
  }
}

/// Instants in either of two normal sequences.
template <class Take>
constexpr void visit_union(interval_sequence a, interval_sequence b, Take&& take) noexcept(noexcept(take(interval{}))) {
  std::size_t i = 0, j = 0;
  interval open;
  while (i < a.count || j < b.count) {
    const bool from_a = j == b.count || (i < a.count && a.data[i].start_ps <= b.data[j].start_ps);
    const interval next = from_a ? a.data[i++] : b.data[j++];
    if (open.empty()) {
      open = next;
    } else if (next.start_ps <= open.end_ps) {
      if (next.end_ps > open.end_ps) open.end_ps = next.end_ps;
    } else {
      take(open);
      open = next;
    }
  }
  if (!open.empty()) take(open);
}

// ---- the same, returning vectors ----

[[nodiscard]] inline std::vector<interval> clipped(interval_sequence normal, const interval& window) {
  std::vector<interval> out;
  visit_clipped(normal, window, [&](const interval& s) { out.push_back(s); });
  return out;
}
[[nodiscard]] inline std::vector<interval> gaps(interval_sequence normal, const interval& window) {
  std::vector<interval> out;
  visit_gaps(normal, window, [&](const interval& s) { out.push_back(s); });
  return out;
}
[[nodiscard]] inline std::vector<interval> intersection(interval_sequence a, interval_sequence b) {
  std::vector<interval> out;
  visit_intersection(a, b, [&](const interval& s) { out.push_back(s); });
  return out;
}
[[nodiscard]] inline std::vector<interval> difference(interval_sequence a, interval_sequence b) {
  std::vector<interval> out;
  visit_difference(a, b, [&](const interval& s) { out.push_back(s); });
  return out;
}
[[nodiscard]] inline std::vector<interval> union_of(interval_sequence a, interval_sequence b) {
  std::vector<interval> out;
  visit_union(a, b, [&](const interval& s) { out.push_back(s); });
  return out;
}

/// How much of the window a normal sequence covers.
[[nodiscard]] constexpr std::uint64_t covered_ps(interval_sequence normal, const interval& window) noexcept {
  std::uint64_t sum = 0;
  for (const interval& s : normal) {
    if (s.start_ps >= window.end_ps) break;
    sum += common(s, window).length_ps();
  }
  return sum;
}

/// True when two normal sequences share no instant and fill the window together exactly: busy and idle time
/// that add up. An empty window is filled by two empty sequences.
[[nodiscard]] constexpr bool is_partition(interval_sequence busy, interval_sequence idle,
                                          const interval& window) noexcept {
  if (window.empty()) return busy.count == 0 && idle.count == 0;
  std::int64_t reached_ps = window.start_ps;
  std::size_t i = 0, j = 0;
  while (i < busy.count || j < idle.count) {
    const bool from_busy = j == idle.count || (i < busy.count && busy.data[i].start_ps < idle.data[j].start_ps);
    const interval& next = from_busy ? busy.data[i++] : idle.data[j++];
    if (next.empty() || next.start_ps != reached_ps) return false;
    reached_ps = next.end_ps;
  }
  return reached_ps == window.end_ps;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
