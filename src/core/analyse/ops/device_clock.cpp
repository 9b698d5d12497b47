#include <analyse/ops/device_clock.hpp>
#include <trace/stats.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
void device_clock::apply(event_row& row, const stat_view& offset, const stat_view& duration) noexcept {
  const std::optional<std::int64_t> length = integer_value(duration);
  if (length) row.duration_ps = *length;
  any_duration_ = any_duration_ || length;
  if ((row.flags & event_has_occurrences) != 0) return;  // without a place in time
  all_durations_ = all_durations_ && length;
  const std::optional<std::int64_t> start = length ? integer_value(offset) : std::nullopt;
  if (starts_ == starts::unknown) starts_ = start ? starts::device : starts::aligned;
  if (starts_ != starts::device) return;
  in_order_ = in_order_ && row.offset_ps >= last_aligned_ps_;
  last_aligned_ps_ = row.offset_ps;
  if (start)
    row.offset_ps = *start;
  else
    contradicted_ = true;
}

void start_order::hold(const event_row* rows, std::size_t count) {
  const std::size_t first = held_.size();
  held_.insert(held_.end(), rows, rows + count);
  for (std::size_t at = first; at < held_.size(); ++at) place(at);
}

void start_order::place(std::size_t at) {
  if (at - ready_ > reach) last_ready_ps_ = held_[ready_++].offset_ps;
  event_row& row = held_[at];
  if ((row.flags & event_has_occurrences) != 0) {
    row.offset_ps = at > ready_ ? held_[at - 1].offset_ps : last_ready_ps_;  // without a place in time: it stays here
    return;
  }
  row.offset_ps = saturating_add(row.offset_ps, base_ps_);
  if (row.offset_ps < last_ready_ps_) {
    const std::int64_t gone_ps = checked_sub(end_ps_, row.offset_ps).value_or(std::numeric_limits<std::int64_t>::max());
    base_ps_ = saturating_add(base_ps_, gone_ps);
    row.offset_ps = last_ready_ps_ = end_ps_;
    ready_ = at;
  }
  end_ps_ = std::max(end_ps_, saturating_add(row.offset_ps, std::max<std::int64_t>(row.duration_ps, 0)));
  if (at == ready_ || held_[at - 1].offset_ps <= row.offset_ps) return;
  const event_row moved = row;
  for (; at > ready_ && held_[at - 1].offset_ps > moved.offset_ps; --at) held_[at] = held_[at - 1];
  held_[at] = moved;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
