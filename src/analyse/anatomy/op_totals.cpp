#include <analyse/anatomy/op_totals.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int64_t most_ps = std::numeric_limits<std::int64_t>::max();

// a + b for b >= 0, stopping at the end of the type.
inline std::int64_t add_up(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  return __builtin_expect(__builtin_add_overflow(a, b, &sum), 0) ? most_ps : sum;
}

inline std::uint64_t between(std::int64_t from, std::int64_t to) noexcept {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

}  // namespace

op_totals::op_totals(std::size_t dense_ids) : dense_ids_(dense_ids), sums_(dense_ids) { open_.reserve(64); }

op_totals::slot_number op_totals::sparse_slot_of(std::int64_t metadata_id) {
  const auto [at, is_new] = sparse_slots_.try_emplace(metadata_id, static_cast<slot_number>(sums_.size()));
  if (is_new) {
    sums_.emplace_back();
    sparse_ids_.push_back(metadata_id);
  }
  return at->second;
}

inline op_totals::slot_number op_totals::slot_of(std::int64_t metadata_id) {
  if (__builtin_expect(static_cast<std::uint64_t>(metadata_id) < dense_ids_, 1))
    return static_cast<slot_number>(metadata_id);
  return sparse_slot_of(metadata_id);
}

void op_totals::add_aggregated(const event_row& row) {
  const std::int64_t duration = std::max<std::int64_t>(row.duration_ps, 0);
  negative_durations_ += row.duration_ps < 0 ? 1 : 0;
  op_sum& sum = sums_[slot_of(row.metadata_id)];
  if (row.num_occurrences > 0) sum.count += static_cast<std::uint64_t>(row.num_occurrences);
  sum.total_ps = add_up(sum.total_ps, duration);
  sum.max_ps = std::max(sum.max_ps, op_sum::not_placed);
  duration_sum_ps_ = add_up(duration_sum_ps_, duration);
}

// Gives the time from now to `instant_ps` to whom it belongs.
inline void op_totals::run_until(std::int64_t instant_ps) {
  while (!open_.empty()) {
    const open_event& owner = open_.back();
    if (owner.end_ps > instant_ps) {
      sums_[owner.slot].self_ps += between(now_ps_, instant_ps);
      break;
    }
    sums_[owner.slot].self_ps += between(now_ps_, owner.end_ps);
    now_ps_ = owner.end_ps;
    open_.pop_back();
  }
  now_ps_ = instant_ps;
}

// An event with the same start as those on top, but longer: it belongs below them.
void op_totals::place_below_shorter(std::int64_t start_ps, std::int64_t end_ps, slot_number slot) {
  auto above = open_.end();
  while (above != open_.begin() && above[-1].start_ps == start_ps && above[-1].end_ps < end_ps) --above;
  auto below = above;
  while (below != open_.begin() && below[-1].end_ps <= end_ps) --below;
  above = open_.erase(below, above);
  open_.insert(above, {start_ps, end_ps, slot});
}

// Opens an event that starts now or later than all before it.
inline void op_totals::place(std::int64_t start_ps, std::int64_t end_ps, slot_number slot) {
  run_until(start_ps);
  if (end_ps <= start_ps) return;
  if (!open_.empty() && open_.back().end_ps <= end_ps) {
    if (__builtin_expect(open_.back().start_ps == start_ps && open_.back().end_ps < end_ps, 0)) {
      place_below_shorter(start_ps, end_ps, slot);
      return;
    }
    // What ends before this event does will never own time again.
    do open_.pop_back();
    while (!open_.empty() && open_.back().end_ps <= end_ps);
  }
  open_.push_back({start_ps, end_ps, slot});
}

template <bool WithSelf>
inline void op_totals::add_all(const event_row* rows, std::size_t count) {
  events_ += count;
  for (const event_row* row = rows; row != rows + count; ++row) {
    if (__builtin_expect((row->flags & event_has_occurrences) != 0, 0)) {
      add_aggregated(*row);
      continue;
    }
    std::int64_t duration = row->duration_ps;
    if (__builtin_expect(duration < 0, 0)) {
      duration = 0;
      ++negative_durations_;
    }
    const slot_number slot = slot_of(row->metadata_id);
    op_sum& sum = sums_[slot];
    ++sum.count;
    sum.total_ps = add_up(sum.total_ps, duration);
    sum.min_ps = std::min(sum.min_ps, duration);
    sum.max_ps = std::max(sum.max_ps, duration);
    duration_sum_ps_ = add_up(duration_sum_ps_, duration);
    ++placed_;
    if constexpr (WithSelf) {
      if (__builtin_expect(row->offset_ps < now_ps_, 0)) in_order_ = false;
      if (__builtin_expect(in_order_, 1)) place(row->offset_ps, add_up(row->offset_ps, duration), slot);
    }
  }
}

void op_totals::add(const event_row* rows, std::size_t count) { add_all<true>(rows, count); }
void op_totals::add_without_self(const event_row* rows, std::size_t count) { add_all<false>(rows, count); }

void op_totals::add_unordered(const event_row* rows, std::size_t count) {
  for (const event_row* row = rows; row != rows + count; ++row) {
    if ((row->flags & event_has_occurrences) != 0 || row->duration_ps <= 0) continue;
    unordered_.push_back({row->offset_ps, add_up(row->offset_ps, row->duration_ps), slot_of(row->metadata_id),
                          static_cast<std::uint32_t>(unordered_.size())});
  }
}

void op_totals::sweep_unordered() {
  std::sort(unordered_.begin(), unordered_.end(), [](const placed_event& a, const placed_event& b) {
    if (a.start_ps != b.start_ps) return a.start_ps < b.start_ps;
    if (a.end_ps != b.end_ps) return a.end_ps > b.end_ps;
    return a.order < b.order;
  });
  open_.clear();
  now_ps_ = std::numeric_limits<std::int64_t>::min();
  for (op_sum& sum : sums_) sum.self_ps = 0;
  for (const placed_event& event : unordered_) place(event.start_ps, event.end_ps, event.slot);
  unordered_ = {};
}

void op_totals::finish() {
  if (finished_) return;
  finished_ = true;
  if (!in_order_) sweep_unordered();
  run_until(most_ps);
  // Aggregated events have no place in time. On a line that has no others, they are all the time there is.
  if (placed_ == 0)
    for (op_sum& sum : sums_) sum.self_ps = static_cast<std::uint64_t>(sum.total_ps);
  for (const op_sum& sum : sums_) busy_ps_ += sum.self_ps;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
