#include <analyse/ops/op_totals.hpp>

#include <algorithm>
#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int64_t most_ps = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least_ps = std::numeric_limits<std::int64_t>::min();

// a + b for b >= 0, stopping at the end of the type.
inline std::int64_t add_up(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  return __builtin_expect(__builtin_add_overflow(a, b, &sum), 0) ? most_ps : sum;
}

inline std::uint64_t between(std::int64_t from, std::int64_t to) noexcept {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

}  // namespace

op_totals::op_totals(std::size_t dense_ids) : dense_ids_(dense_ids), open_(idle_events, open_event{least_ps, most_ps, 0}) {
  // Room for some others: growing would take the memory of all of them anew.
  constexpr std::size_t usual_sparse_ids = 256;
  sums_.reserve(dense_ids + 1 + usual_sparse_ids);
  sums_.resize(dense_ids + 1);
}

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
    return static_cast<slot_number>(static_cast<std::uint64_t>(metadata_id) + 1);
  return sparse_slot_of(metadata_id);
}

void op_totals::add_aggregated(const event_row& row) {
  const std::int64_t duration = std::max<std::int64_t>(row.duration_ps, 0);
  negative_durations_ += row.duration_ps < 0 ? 1 : 0;
  op_sum& sum = sums_[slot_of(row.metadata_id)];
  if (row.num_occurrences > 0) sum.count += static_cast<std::uint64_t>(row.num_occurrences);
  sum.total_ps = add_up(sum.total_ps, duration);
  sum.max_ps = std::max(sum.max_ps, op_sum::not_placed);
}

// Takes the time from `from_ps` to `end_ps` from the events that own it, the topmost first. Events that end by then
// will never own time again and go.
op_totals::open_event* op_totals::take_time(op_sum* sums, open_event* top, std::int64_t from_ps, std::int64_t end_ps) {
  while (top->end_ps <= end_ps && top->slot != 0) {
    if (top->end_ps > from_ps) {
      sums[top->slot].self_ps -= between(from_ps, top->end_ps);
      from_ps = top->end_ps;
    }
    --top;
  }
  sums[top->slot].self_ps -= between(from_ps, end_ps);
  return top;
}

// An event with the same start as those on top, but longer: it belongs below them.
op_totals::sweep op_totals::place_below_shorter(sweep s, std::int64_t start_ps, std::int64_t end_ps, slot_number slot) {
  open_event* above = s.top + 1;
  std::int64_t owned_until_ps = start_ps;
  while (above[-1].start_ps == start_ps && above[-1].end_ps < end_ps) owned_until_ps = (--above)->end_ps;
  s.sums[slot].self_ps -= between(start_ps, owned_until_ps);
  const std::ptrdiff_t kept = s.top + 1 - above;
  open_event* const place = take_time(s.sums, above - 1, owned_until_ps, end_ps) + 1;
  std::memmove(place + 1, above, static_cast<std::size_t>(kept) * sizeof(open_event));
  *place = {start_ps, end_ps, slot};
  s.top = place + kept;
  s.top_end_ps = s.top->end_ps;
  return s;
}

// Opens an event that starts now or later than all before it. It has its whole time to itself for now, and takes that
// from the events that are open: the top owns the time up to its end, the next one that up to its own, and so on. The
// bottom of the stack ends last of all, but for an event that ends with the clock, which is looked at apart.
inline op_totals::sweep op_totals::place(sweep s, bool same_start, std::int64_t start_ps, std::int64_t end_ps,
                                         slot_number slot) {
  s.sums[slot].self_ps += between(start_ps, end_ps);
  if (__builtin_expect((same_start && s.top_end_ps < end_ps) || end_ps == most_ps, 0))
    return place_below_shorter(s, start_ps, end_ps, slot);
  // How many of those on top end before this event does varies from event to event on a line of mixed durations: the
  // first three are done without a branch. Nothing is taken from one that had ended, nor from one after the new end.
  open_event* const top = s.top;
  const std::int64_t ends_ps[] = {s.top_end_ps, top[-1].end_ps, top[-2].end_ps};
  std::int64_t from_ps = start_ps;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t until_ps = std::min(std::max(ends_ps[i], start_ps), end_ps);
    s.sums[top[-i].slot].self_ps -= between(from_ps, until_ps);
    s.top = ends_ps[i] <= end_ps ? top - i - 1 : s.top;
    from_ps = until_ps;
  }
  if (__builtin_expect(ends_ps[2] <= end_ps, 0)) s.top = take_time(s.sums, s.top, from_ps, end_ps);
  ++s.top;
  *s.top = {start_ps, end_ps, slot};
  s.top_end_ps = end_ps;
  return s;
}

// Room for `events` more on the stack.
op_totals::sweep op_totals::begin_sweep(std::size_t events) {
  if (open_.size() < depth_ + events) open_.resize(std::max(depth_ + events, open_.size() * 2));
  return {sums_.data(), open_.data() + depth_ - 1, open_[depth_ - 1].end_ps};
}

void op_totals::end_sweep(const sweep& s) { depth_ = static_cast<std::size_t>(s.top - open_.data()) + 1; }

template <bool WithSelf>
inline void op_totals::add_all(const event_row* rows, std::size_t count) {
  events_ += count;
  placed_ += count;
  sweep s{sums_.data(), nullptr, 0};
  if constexpr (WithSelf) s = begin_sweep(count);
  std::int64_t duration_sum = duration_sum_ps_;
  std::int64_t last_start = last_start_ps_;
  bool in_order = in_order_;
  const std::size_t dense_ids = dense_ids_;
  for (const event_row* row = rows; row != rows + count; ++row) {
    if (__builtin_expect((row->flags & event_has_occurrences) != 0, 0)) {
      --placed_;
      duration_sum = add_up(duration_sum, std::max<std::int64_t>(row->duration_ps, 0));
      add_aggregated(*row);
      s.sums = sums_.data();
      continue;
    }
    std::int64_t duration = row->duration_ps;
    if (__builtin_expect(duration < 0, 0)) {
      duration = 0;
      ++negative_durations_;
    }
    const auto id = static_cast<std::uint64_t>(row->metadata_id);
    auto slot = static_cast<slot_number>(id + 1);
    if (__builtin_expect(id >= dense_ids, 0)) {
      slot = sparse_slot_of(row->metadata_id);
      s.sums = sums_.data();
    }
    op_sum& sum = s.sums[slot];
    ++sum.count;
    sum.total_ps = add_up(sum.total_ps, duration);
    sum.min_ps = std::min(sum.min_ps, duration);
    sum.max_ps = std::max(sum.max_ps, duration);
    duration_sum = add_up(duration_sum, duration);
    if constexpr (WithSelf) {
      const bool same_start = row->offset_ps == last_start;
      in_order = in_order && row->offset_ps >= last_start;
      last_start = row->offset_ps;
      if (__builtin_expect(in_order, 1)) s = place(s, same_start, last_start, add_up(last_start, duration), slot);
    }
  }
  duration_sum_ps_ = duration_sum;
  last_start_ps_ = last_start;
  in_order_ = in_order;
  if constexpr (WithSelf) end_sweep(s);
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
  depth_ = idle_events;
  for (op_sum& sum : sums_) sum.self_ps = 0;
  std::int64_t last_start_ps = least_ps;
  constexpr std::size_t batch = 4096;  // the stack grows with what is open, not with the line
  for (std::size_t at = 0; at < unordered_.size(); at += batch) {
    const std::size_t count = std::min(batch, unordered_.size() - at);
    sweep s = begin_sweep(count);
    for (std::size_t i = at; i < at + count; ++i) {
      const placed_event& e = unordered_[i];
      s = place(s, e.start_ps == last_start_ps, e.start_ps, e.end_ps, e.slot);
      last_start_ps = e.start_ps;
    }
    end_sweep(s);
  }
  unordered_ = {};
}

void op_totals::finish() {
  if (finished_) return;
  finished_ = true;
  if (!in_order_) sweep_unordered();
  // Aggregated events have no place in time. On a line that has no others, they are all the time there is.
  if (placed_ == 0)
    for (op_sum& sum : sums_) sum.self_ps = static_cast<std::uint64_t>(sum.total_ps);
  for (std::size_t slot = 1; slot < sums_.size(); ++slot) busy_ps_ += sums_[slot].self_ps;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
