#include "enclosing_events.hpp"

#include <profkit/time.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

struct event_span {
  std::int64_t start_ps = 0, end_ps = 0;
  std::int64_t metadata_id = 0;
  std::uint64_t offset = 0;
  // What encloses comes before what it encloses.
  friend bool operator<(const event_span& a, const event_span& b) noexcept {
    if (a.start_ps != b.start_ps) return a.start_ps < b.start_ps;
    if (a.end_ps != b.end_ps) return a.end_ps > b.end_ps;
    return a.offset < b.offset;
  }
};

event_span span_of(const event_row& row, std::uint64_t offset) noexcept {
  return {row.offset_ps, saturating_add(row.offset_ps, std::max<std::int64_t>(row.duration_ps, 0)), row.metadata_id,
          offset};
}

class enclosing_finder {
 public:
  enclosing_finder(std::string_view line, const std::vector<std::uint64_t>& events) : line_(line) {
    for (const std::uint64_t offset : events) {
      event_row row{};
      static_cast<void>(decode_first_event(line.substr(static_cast<std::size_t>(offset)), row));
      wanted_.push_back(offset);
      spans_.push_back(span_of(row, offset));
      starts_.push_back(spans_.back().start_ps);
    }
    std::sort(wanted_.begin(), wanted_.end());
    std::sort(starts_.begin(), starts_.end());
    starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
  }

  // Looks at all events of the line that may lie around one that is asked for.
  void look(bool in_order, const std::vector<line_stretch>& stretches) {
    for (std::size_t i = 0; i < stretches.size(); ++i) {
      const line_stretch& s = stretches[i];
      const auto first = std::lower_bound(starts_.begin(), starts_.end(), s.min_start_ps);
      if (first == starts_.end() || *first >= s.max_end_ps) continue;
      const std::uint64_t end = i + 1 < stretches.size() ? stretches[i + 1].from : line_.size();
      look(in_order, s.from, end);
    }
  }

  // Calls take(offset of the event, spans around it) for each event asked for.
  template <class Take>
  void for_each_chain(Take&& take) {
    std::sort(spans_.begin(), spans_.end());
    std::vector<std::uint32_t> open, chain;
    for (std::uint32_t at = 0; at < spans_.size(); ++at) {
      const auto is_over = [&](std::uint32_t o) { return spans_[o].end_ps <= spans_[at].start_ps; };
      while (!open.empty() && is_over(open.back())) open.pop_back();
      if (is_wanted(spans_[at].offset)) {
        chain.clear();
        std::size_t over = 0;
        for (const std::uint32_t o : open) {
          if (chain.size() == deepest_chain) break;
          if (is_over(o))
            ++over;
          else
            chain.push_back(o);
        }
        take(spans_[at].offset, chain);
        // Events that overlap without nesting leave ended ones below; they are swept out before they pile up.
        if (over > 2 * deepest_chain) open.erase(std::remove_if(open.begin(), open.end(), is_over), open.end());
      }
      if (spans_[at].end_ps > spans_[at].start_ps) open.push_back(at);
    }
  }
  [[nodiscard]] const event_span& span(std::uint32_t at) const noexcept { return spans_[at]; }

 private:
  void look(bool in_order, std::uint64_t from, std::uint64_t to) {
    constexpr std::size_t batch = 256;
    event_row rows[batch];
    event_scanner scan(line_.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
    const char* began = line_.data() + from;
    while (const std::size_t n = scan.next(rows, batch)) {
      for (std::size_t i = 0; i < n; ++i) {
        const event_row& row = rows[i];
        if (row.offset_ps <= starts_.back() && row.duration_ps > 0)
          offer(span_of(row, static_cast<std::uint64_t>(began - line_.data())));
        began = row.stats + row.stats_bytes;
      }
      if (in_order && rows[n - 1].offset_ps > starts_.back()) break;
    }
  }

  [[nodiscard]] bool is_wanted(std::uint64_t offset) const noexcept {
    return std::binary_search(wanted_.begin(), wanted_.end(), offset);
  }

  // Keeps a span when an event that is asked for starts in it.
  void offer(const event_span& s) {
    if (s.end_ps <= starts_.front()) return;
    // The first start at or after that of the span; spans that lie near each other mostly have the same.
    if ((near_ > 0 && starts_[near_ - 1] >= s.start_ps) || starts_[near_] < s.start_ps)
      near_ = static_cast<std::size_t>(std::lower_bound(starts_.begin(), starts_.end(), s.start_ps) - starts_.begin());
    if (starts_[near_] >= s.end_ps || is_wanted(s.offset)) return;
    spans_.push_back(s);
    if (spans_.size() >= max_spans_) drop_deeper();
  }

  // Spans that belong to no chain, because others around the same events are further out, will not come into one.
  void drop_deeper() {
    std::vector<bool> used;
    for_each_chain([&](std::uint64_t, const std::vector<std::uint32_t>& chain) {
      used.resize(spans_.size(), false);
      for (const std::uint32_t at : chain) used[at] = true;
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < spans_.size(); ++i)
      if (used[i] || is_wanted(spans_[i].offset)) spans_[kept++] = spans_[i];
    spans_.resize(kept);
    max_spans_ = std::max(least_room, 2 * kept);
  }

  static constexpr std::size_t least_room = std::size_t{1} << 16;
  std::string_view line_;
  std::vector<std::uint64_t> wanted_;  // offsets, ascending
  std::vector<std::int64_t> starts_;   // of the events asked for, ascending
  std::vector<event_span> spans_;      // those asked for, and what one of them starts in
  std::size_t near_ = 0, max_spans_ = least_room;
};

}  // namespace

std::vector<std::vector<std::string_view>> enclosing_events(const plane_index& plane, const allocator_line& line,
                                                            const std::vector<std::uint64_t>& events) {
  std::vector<std::vector<std::string_view>> found(events.size());
  if (events.empty()) return found;
  std::vector<std::pair<std::uint64_t, std::size_t>> asked;  // offset, position in the answer
  for (std::size_t i = 0; i < events.size(); ++i) asked.emplace_back(events[i], i);
  std::sort(asked.begin(), asked.end());
  enclosing_finder finder(line.body, events);
  finder.look(line.in_order, line.stretches);
  finder.for_each_chain([&](std::uint64_t offset, const std::vector<std::uint32_t>& chain) {
    const auto at = std::lower_bound(asked.begin(), asked.end(), std::pair(offset, std::size_t{0}));
    for (const std::uint32_t span : chain) found[at->second].push_back(plane.event_name(finder.span(span).metadata_id));
  });
  return found;
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
