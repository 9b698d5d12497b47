#include <read/xspace_lines.hpp>

#include <profkit/time.hpp>

#include <algorithm>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

bool raw_events::next(placed_event& into) noexcept {
  for (;;) {
    if (at_ == count_) {
      at_ = 0;
      count_ = scan_.next(rows_.data(), rows_.size());
      if (count_ == 0) return false;
    }
    const event_row& row = rows_[at_++];
    const std::uint64_t offset = next_offset_;
    next_offset_ = static_cast<std::uint64_t>(row.stats + row.stats_bytes - begin_);
    if ((row.flags & event_has_occurrences) != 0) {
      ++rejects_.aggregated;
      continue;
    }
    if (row.duration_ps < 0) {
      ++rejects_.negative;
      continue;
    }
    const auto start = checked_add(base_ps_, row.offset_ps);
    const auto end = start ? checked_add(*start, row.duration_ps) : start;
    if (!end) {
      ++rejects_.unplaced;
      continue;
    }
    into = {*start, *end, row.metadata_id, offset, row.stats, row.stats_bytes};
    return true;
  }
}

line_facts look_at_line(const line_events& line) noexcept {
  line_facts facts;
  raw_events events(line);
  std::int64_t latest = std::numeric_limits<std::int64_t>::min();
  for (placed_event e; events.next(e);) {
    ++facts.events;
    if (e.start_ps >= latest)
      latest = e.start_ps;
    else
      facts.lateness_ps = std::max(facts.lateness_ps,
                                   checked_sub(latest, e.start_ps).value_or(std::numeric_limits<std::int64_t>::max()));
  }
  facts.rejects = events.rejects();
  if (!events.scanner().ok()) facts.damage = events.scanner().offset();
  return facts;
}

ordered_events::ordered_events(const line_events& line) : events_(line), lateness_ps_(line.lateness_ps) {
  more_ = events_.next(read_);
  refill();
}

// Reads on until events are certain to come before all that is still unread.
void ordered_events::refill() {
  ready_.clear();
  at_ = 0;
  if (!more_ && waiting_.empty()) return;
  if (lateness_ps_ == 0) {
    const std::int64_t start = read_.start_ps;
    do {
      ready_.push_back(read_);
      more_ = events_.next(read_);
    } while (more_ && read_.start_ps == start);
    if (ready_.size() > 1) std::sort(ready_.begin(), ready_.end());
    return;
  }
  // Enough of them at once that sorting pays.
  const std::size_t wanted = std::max<std::size_t>(1024, 2 * waiting_.size());
  std::int64_t latest = std::numeric_limits<std::int64_t>::min();
  for (const placed_event& e : waiting_) latest = std::max(latest, e.start_ps);
  std::int64_t certain_before = std::numeric_limits<std::int64_t>::min();
  do {
    while (more_ && waiting_.size() < wanted) {
      latest = std::max(latest, read_.start_ps);
      waiting_.push_back(read_);
      more_ = events_.next(read_);
    }
    const auto before = checked_sub(latest, lateness_ps_);
    certain_before = !more_   ? std::numeric_limits<std::int64_t>::max()
                     : before ? *before
                              : std::numeric_limits<std::int64_t>::min();
    const auto certain = [&](const placed_event& e) { return !more_ || e.start_ps < certain_before; };
    const auto held =
        std::partition(waiting_.begin(), waiting_.end(), [&](const placed_event& e) { return !certain(e); });
    ready_.assign(held, waiting_.end());
    waiting_.erase(held, waiting_.end());
    if (!ready_.empty() || !more_) break;
    // Nothing is certain yet: read on, twice as much.
    const std::size_t more = 2 * waiting_.size();
    while (more_ && waiting_.size() < more) {
      latest = std::max(latest, read_.start_ps);
      waiting_.push_back(read_);
      more_ = events_.next(read_);
    }
  } while (true);
  std::sort(ready_.begin(), ready_.end());
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
