// Events of an XSpace line with their place in time, in the order of the file or by start.
#pragma once
#include <profkit/core/result.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// A line to walk; borrows the profile's bytes.
struct line_events {
  std::string_view body;
  std::uint64_t offset = 0;  // of body in the file
  std::int64_t base_ps = 0;
  std::int64_t max_disorder_ps = 0;  // how far, at most, an event starts before one that precedes it in the file
  line_kind kind = line_kind::other;
};

struct spanned_event {
  std::int64_t start_ps = 0, end_ps = 0;
  std::int64_t metadata_id = 0;
  std::uint64_t offset = 0;  // in the line
  const char* stats = nullptr;
  std::uint32_t stats_bytes = 0;
  friend bool operator<(const spanned_event& a, const spanned_event& b) noexcept {
    return std::tie(a.start_ps, a.end_ps, a.offset) < std::tie(b.start_ps, b.end_ps, b.offset);
  }
};

// Events without a span in time, and those whose negative duration counts as 0.
struct event_rejects {
  std::uint64_t negative = 0, aggregated = 0, unplaced = 0;
  void add(const event_rejects& more) noexcept {
    negative += more.negative;
    aggregated += more.aggregated;
    unplaced += more.unplaced;
  }
};

// When an event was; false, and counted, when that is not known.
inline bool place_event(const event_row& row, std::int64_t base_ps, std::int64_t& start_ps, std::int64_t& end_ps,
                        event_rejects& rejects) noexcept {
  if (__builtin_expect((row.flags & event_has_occurrences) != 0, 0)) {
    ++rejects.aggregated;
    return false;
  }
  std::int64_t duration_ps = row.duration_ps;
  if (__builtin_expect(duration_ps < 0, 0)) {
    ++rejects.negative;
    duration_ps = 0;
  }
  if (__builtin_expect(__builtin_add_overflow(base_ps, row.offset_ps, &start_ps) ||
                           __builtin_add_overflow(start_ps, duration_ps, &end_ps),
                       0)) {
    ++rejects.unplaced;
    return false;
  }
  return true;
}

// In the order of the file.
class raw_events {
 public:
  explicit raw_events(const line_events& line) noexcept
      : base_ps_(line.base_ps), begin_(line.body.data()), scan_(line.body) {}
  bool next(spanned_event& into) noexcept {
    for (;;) {
      if (__builtin_expect(at_ == count_, 0) && !read_on()) return false;
      const event_row& row = rows_[at_++];
      const std::uint64_t offset = next_offset_;
      next_offset_ = static_cast<std::uint64_t>(row.stats + row.stats_bytes - begin_);
      if (!place_event(row, base_ps_, into.start_ps, into.end_ps, rejects_)) continue;
      into.metadata_id = row.metadata_id;
      into.offset = offset;
      into.stats = row.stats;
      into.stats_bytes = row.stats_bytes;
      return true;
    }
  }
  [[nodiscard]] const event_rejects& rejects() const noexcept { return rejects_; }
  // Where the damaged event lies in the line that ended it.
  [[nodiscard]] std::optional<std::uint64_t> damage() const noexcept {
    return scan_.ok() ? std::nullopt : std::optional<std::uint64_t>(scan_.offset());
  }

 private:
  bool read_on() noexcept;
  std::int64_t base_ps_;
  const char* begin_;
  event_scanner scan_;
  std::array<event_row, 128> rows_;
  std::size_t at_ = 0, count_ = 0;
  std::uint64_t next_offset_ = 0;
  event_rejects rejects_;
};

// Calls use(row, start_ps, end_ps) for every event with a place in time, in the order of the file; it gives false to
// stop. Gives where the first damaged event lies in the line.
template <class Use>
std::optional<std::uint64_t> for_each_event(const line_events& line, event_rejects& rejects, Use&& use) {
  event_scanner scan(line.body);
  std::array<event_row, 128> rows;
  while (const std::size_t count = scan.next(rows.data(), rows.size())) {
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t start_ps = 0, end_ps = 0;
      if (!place_event(rows[i], line.base_ps, start_ps, end_ps, rejects)) continue;
      if (!use(rows[i], start_ps, end_ps)) return std::nullopt;
    }
  }
  if (scan.ok()) return std::nullopt;
  return scan.offset();
}

// What a first pass over a line finds.
struct line_stats {
  std::uint64_t events = 0;
  std::int64_t max_disorder_ps = 0;
  std::int64_t duration_sum_ps = 0;  // stops at the end of int64
  std::int64_t overlap_ps = 0;       // overrun_meter::max_ps
  event_rejects rejects;
  std::optional<std::uint64_t> damage;  // where the first damaged event lies in the line
};
[[nodiscard]] line_stats look_at_line(const line_events& line) noexcept;

// Of an event at this byte of a file.
[[nodiscard]] fault damaged_event(const std::string& path, std::uint64_t byte_offset);

// By (start, end, place). Holds the events that one still to come may precede: of a line in order those that start
// together.
class ordered_events {
 public:
  explicit ordered_events(const line_events& line);
  [[nodiscard]] bool done() const noexcept { return done_; }
  [[nodiscard]] const spanned_event& front() const noexcept { return ready_.empty() ? read_[last_ ^ 1U] : ready_[at_]; }
  void pop() {
    if (__builtin_expect(!ready_.empty(), 0)) {
      if (++at_ < ready_.size()) return;
      ready_.clear();
    }
    // Of a line in order the event read last is the next one, unless the one after it starts together with it.
    if (__builtin_expect(!more_ || max_disorder_ps_ != 0, 0)) return refill();
    last_ ^= 1U;
    more_ = events_.next(read_[last_]);
    if (__builtin_expect(more_ && read_[last_].start_ps == read_[last_ ^ 1U].start_ps, 0)) take_together();
  }

 private:
  void refill();
  void take_together();
  raw_events events_;
  std::int64_t max_disorder_ps_;
  std::vector<spanned_event> ready_, waiting_;  // ready_: in order from at_ on
  std::size_t at_ = 0;
  std::array<spanned_event, 2> read_;  // the event read last, not yet among the others; without ready ones, the front
  unsigned last_ = 0;
  bool more_ = false;  // read_[last_] is an event
  bool done_ = false;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
