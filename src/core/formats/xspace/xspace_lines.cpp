#include <formats/xspace/xspace_lines.hpp>

#include <base/stream_overlap.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

bool raw_events::read_on() noexcept {
  at_ = 0;
  count_ = scan_.next(rows_.data(), rows_.size());
  return count_ > 0;
}

line_stats look_at_line(const line_events& line) noexcept {
  line_stats facts;
  overrun_meter overlap;
  facts.damage = for_each_event(line, facts.rejects, [&](const event_row&, std::int64_t start_ps, std::int64_t end_ps) {
    ++facts.events;
    facts.duration_sum_ps = saturating_add(facts.duration_sum_ps, end_ps - start_ps);
    overlap.note(start_ps, end_ps);
    return true;
  });
  facts.overlap_ps = overlap.max_ps();
  facts.max_disorder_ps = overlap.max_disorder_ps();
  return facts;
}

fault damaged_event(const std::string& path, std::uint64_t byte_offset) {
  return {fault_code::damaged,
          "damaged event at byte " + std::to_string(byte_offset) + "; the events before it were read", path,
          byte_offset, ""};
}

ordered_events::ordered_events(const line_events& line) : events_(line), max_disorder_ps_(line.max_disorder_ps) {
  more_ = events_.next(read_[last_]);
  if (more_)
    pop();
  else
    done_ = true;
}

// Orders the first event held and those after it that start together with it.
void ordered_events::take_together() {
  const std::int64_t start_ps = read_[last_].start_ps;
  ready_.push_back(read_[last_ ^ 1U]);
  do {
    ready_.push_back(read_[last_]);
    more_ = events_.next(read_[last_]);
  } while (more_ && read_[last_].start_ps == start_ps);
  std::sort(ready_.begin(), ready_.end());
  at_ = 0;
}

// Reads on until events are certain to come before all that is still unread.
void ordered_events::refill() {
  at_ = 0;
  if (!more_ && waiting_.empty()) {
    done_ = true;
    return;
  }
  const auto read_until = [&](std::size_t wanted, std::int64_t latest) {
    while (more_ && waiting_.size() < wanted) {
      latest = std::max(latest, read_[last_].start_ps);
      waiting_.push_back(read_[last_]);
      more_ = events_.next(read_[last_]);
    }
    return latest;
  };
  // Enough of them at once that sorting pays.
  std::size_t wanted = std::max<std::size_t>(1024, 2 * waiting_.size());
  std::int64_t latest = std::numeric_limits<std::int64_t>::min();
  for (const spanned_event& e : waiting_) latest = std::max(latest, e.start_ps);
  for (;; wanted = 2 * waiting_.size()) {  // nothing was certain yet: twice as much
    latest = read_until(wanted, latest);
    const auto before = checked_sub(latest, max_disorder_ps_);
    const auto is_late = [&](const spanned_event& e) { return more_ && !(before && e.start_ps < *before); };
    const auto held = std::partition(waiting_.begin(), waiting_.end(), is_late);
    ready_.assign(held, waiting_.end());
    waiting_.erase(held, waiting_.end());
    if (!ready_.empty() || !more_) break;
  }
  std::sort(ready_.begin(), ready_.end());
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
