// Events of an XSpace line with their place in time, in the order of the file or by start.
#pragma once
#include <read/xspace_index.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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
  std::int64_t lateness_ps = 0;  // how far, at most, an event starts before one in front of it
  line_kind kind = line_kind::other;
};

struct placed_event {
  std::int64_t start_ps = 0, end_ps = 0;
  std::int64_t metadata_id = 0;
  std::uint64_t offset = 0;  // in the line
  const char* stats = nullptr;
  std::uint32_t stats_bytes = 0;
  friend bool operator<(const placed_event& a, const placed_event& b) noexcept {
    return std::tie(a.start_ps, a.end_ps, a.offset) < std::tie(b.start_ps, b.end_ps, b.offset);
  }
};

// Events without a span in time.
struct event_rejects {
  std::uint64_t negative = 0, aggregated = 0, unplaced = 0;
  void add(const event_rejects& more) noexcept {
    negative += more.negative;
    aggregated += more.aggregated;
    unplaced += more.unplaced;
  }
};

// In the order of the file.
class raw_events {
 public:
  explicit raw_events(const line_events& line) noexcept
      : base_ps_(line.base_ps), begin_(line.body.data()), scan_(line.body) {}
  bool next(placed_event& into) noexcept;
  [[nodiscard]] const event_rejects& rejects() const noexcept { return rejects_; }
  [[nodiscard]] const event_scanner& scanner() const noexcept { return scan_; }

 private:
  std::int64_t base_ps_;
  const char* begin_;
  event_scanner scan_;
  std::array<event_row, 128> rows_;
  std::size_t at_ = 0, count_ = 0;
  std::uint64_t next_offset_ = 0;
  event_rejects rejects_;
};

// What a first look at a line tells.
struct line_facts {
  std::uint64_t events = 0;
  std::int64_t lateness_ps = 0;
  event_rejects rejects;
  std::optional<std::uint64_t> damage;  // where the first damaged event lies in the line
};
[[nodiscard]] line_facts look_at_line(const line_events& line) noexcept;

// By (start, end, place). Holds the events that one still to come may precede: of a line in order those that start
// together.
class ordered_events {
 public:
  explicit ordered_events(const line_events& line);
  [[nodiscard]] bool done() const noexcept { return at_ == ready_.size(); }
  [[nodiscard]] const placed_event& front() const noexcept { return ready_[at_]; }
  void pop() {
    if (++at_ == ready_.size()) refill();
  }

 private:
  void refill();
  raw_events events_;
  std::int64_t lateness_ps_;
  std::vector<placed_event> ready_, waiting_;  // ready_: in order from at_ on
  std::size_t at_ = 0;
  placed_event read_;  // read, and not yet among the waiting
  bool more_ = false;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
