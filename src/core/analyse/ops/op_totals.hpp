// Totals of the events of one line by metadata id, and how much of the time each id has to itself.
#pragma once
#include <profkit/core/event_row.hpp>

#include <base/hash_map.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// What is summed for one metadata id.
struct op_sum {
  std::uint64_t count = 0;    // executions: events, and num_occurrences of aggregated events
  std::int64_t total_ps = 0;  // stops at the ends of int64
  std::uint64_t self_ps = 0;  // cannot overflow: all of them together are a union of int64 instants
  std::int64_t min_ps = std::numeric_limits<std::int64_t>::max();  // of events placed in time
  std::int64_t max_ps = not_met;                                   // likewise; below 0 there are none

  static constexpr std::int64_t not_met = -2, not_placed = -1;
};

// Self time: every instant in which events of the line run belongs to one of them, the one that started
// last (of equal starts the shorter, of equal spans the later in the file). With nested events that is the
// innermost; when events merely overlap, what sticks out of the innermost goes back to those around it. So the
// self times of a line add up to the time in which anything ran, exactly.
//
// Events come in the order of their starts in every capture that a profiler wrote, and then nothing is kept of
// them but a stack of those that are open. A line out of order has to be read a second time (add_unordered)
// and costs 24 bytes an event while it is sorted.
class op_totals {
 public:
  // Ids from 0 to dense_ids - 1 are found by position, others by hash.
  explicit op_totals(std::size_t dense_ids);

  // Takes the next events of the line. Negative durations count as 0 and are counted in negative_durations().
  void add(const event_row* rows, std::size_t count);
  // add() without self times.
  void add_without_self(const event_row* rows, std::size_t count);

  // False once an event started before the one that precedes it: then self times are not valid until the whole
  // line went through add_unordered().
  [[nodiscard]] bool in_order() const noexcept { return in_order_; }
  void add_unordered(const event_row* rows, std::size_t count);

  // Ends the line: closes what is open. Call once, after the last event.
  void finish();

  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  [[nodiscard]] std::int64_t duration_sum_ps() const noexcept { return duration_sum_ps_; }
  [[nodiscard]] std::uint64_t busy_ps() const noexcept { return busy_ps_; }
  [[nodiscard]] std::uint64_t negative_durations() const noexcept { return negative_durations_; }

  // Calls use(metadata_id, sum) for every id that was met; dense ids first, then in the order of first sight.
  template <class Use>
  void for_each(Use&& use) const {
    for (std::size_t slot = 1; slot < sums_.size(); ++slot)
      if (sums_[slot].max_ps != op_sum::not_met)
        use(slot <= dense_ids_ ? static_cast<std::int64_t>(slot - 1) : sparse_ids_[slot - dense_ids_ - 1], sums_[slot]);
  }
  // The sums themselves, after finish(): slot 0 means nothing, then the dense ids, then sparse_ids().
  [[nodiscard]] std::vector<op_sum> take_sums() noexcept { return std::move(sums_); }
  [[nodiscard]] std::vector<std::int64_t> take_sparse_ids() noexcept { return std::move(sparse_ids_); }

 private:
  using slot_number = std::uint32_t;
  // An event that has not ended: later ones lie on top of it.
  struct open_event {
    std::int64_t start_ps, end_ps;
    slot_number slot;
  };
  struct placed_event {
    std::int64_t start_ps, end_ps;
    slot_number slot;
    std::uint32_t order;  // in the file
  };

  // The stack while it is worked on: in registers, not read through `this`.
  struct sweep {
    op_sum* sums;
    open_event* top;
    std::int64_t top_end_ps;
  };

  template <bool WithSelf>
  void add_all(const event_row* rows, std::size_t count);
  [[nodiscard]] slot_number slot_of(std::int64_t metadata_id);
  [[nodiscard]] slot_number sparse_slot_of(std::int64_t metadata_id);
  void add_aggregated(const event_row& row);
  static open_event* take_time(op_sum* sums, open_event* top, std::int64_t from_ps, std::int64_t end_ps);
  static sweep place(sweep s, bool same_start, std::int64_t start_ps, std::int64_t end_ps, slot_number slot);
  static sweep place_below_shorter(sweep s, std::int64_t start_ps, std::int64_t end_ps, slot_number slot);
  [[nodiscard]] sweep begin_sweep(std::size_t events);
  void end_sweep(const sweep& s);
  void sweep_unordered();

  std::size_t dense_ids_;
  std::vector<op_sum> sums_;  // of idle time (whose self time means nothing), then the dense ids, then the others
  std::vector<std::int64_t> sparse_ids_;
  hash_map<std::int64_t, slot_number> sparse_slots_;

  // Open events above some that stand for idle time and never end; their ends strictly decrease towards the last,
  // which owns the time now.
  static constexpr std::size_t idle_events = 3;  // as many as place() looks at unasked
  std::vector<open_event> open_;
  std::size_t depth_ = idle_events;
  std::int64_t last_start_ps_ = std::numeric_limits<std::int64_t>::min();
  bool in_order_ = true;
  bool finished_ = false;

  std::vector<placed_event> unordered_;
  std::uint64_t events_ = 0, placed_ = 0, negative_durations_ = 0;
  std::int64_t duration_sum_ps_ = 0;
  std::uint64_t busy_ps_ = 0;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
