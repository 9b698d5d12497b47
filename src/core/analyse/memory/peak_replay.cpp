#include "peak_replay.hpp"

#include <profkit/time.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

std::vector<timeline_sample> timeline_sampler::finish(const state& last) {
  if (parts_ == 0) {
    next_ps_ = last_ps_;
    take(last);
  }
  while (parts_ > 0 && next_ <= parts_) take(last);
  return std::move(samples_);
}

std::int64_t timeline_sampler::time_of(std::uint64_t sample) const noexcept {
  if (parts_ == 0) return last_ps_;
  const std::uint64_t span = distance_ps(first_ps_, last_ps_);
  const std::uint64_t offset = span / parts_ * sample + span % parts_ * sample / parts_;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(first_ps_) + offset);
}

void timeline_sampler::take(const state& s) {
  samples_.push_back({floor_ns(next_ps_), s.live_bytes, s.reserved_bytes, std::max(highest_bytes_, s.held_bytes()), s.live_count, s.fragmentation});
  highest_bytes_ = s.held_bytes();
  next_ps_ = time_of(++next_);
}

peak_replay::peak_replay(const collected_events& all, std::uint32_t allocator, const window& in, std::uint64_t samples)
    : all_(all),
      in_(in),
      samples_asked_(samples),
      sampler_(samples, all.allocators[allocator].first_ps, all.allocators[allocator].last_ps) {}

void peak_replay::take(const allocator_event& e) {
  sampler_.before(e.start_ps, now_);
  if (!in_window_ && e.start_ps >= in_.from_ps) {
    if (replay_.n_events > 0) offer(in_.from_ps);
    in_window_ = true;
  }
  const std::uint64_t at = replay_.n_events;
  const allocator_replay::held_allocation* const ended = replay_.take(e);
  if (ended != nullptr && highest_ && ended->at <= highest_at_) held_.push_back({e.addr, ended->place, e.start_ps});
  if (at == 0) first_id_ = e.id;
  if (e.is_allocation) {
    const plane_index& plane = all_.plane_of(e.place);
    if (shape_.is_empty(e.shape, plane)) ++shapes_missing_;
    if (tf_op_.is_empty(e.tf_op, plane)) ++tf_ops_missing_;
  }
  last_ = {e.start_ps, replay_.occupied_bytes, replay_.live_bytes, e.bytes_reserved, e.id, e.fragmentation};
  now_ = {replay_.live_bytes, std::max<std::int64_t>(e.bytes_reserved, 0), replay_.live_count(), e.fragmentation};
  sampler_.after(now_);
  if (in_window_ && e.start_ps <= in_.to_ps) offer(e.start_ps);
}

// The state after the event taken last.
void peak_replay::offer(std::int64_t when_ps) {
  if (highest_ && last_.occupied_bytes <= highest_->occupied_bytes) return;
  highest_ = last_;
  highest_->when_ps = when_ps;
  highest_at_ = replay_.n_events - 1;
  held_.clear();
}

void peak_replay::finish() {
  if (!in_window_ && replay_.n_events > 0) offer(in_.from_ps);
  samples_ = sampler_.finish(now_);
  if (!highest_) return;
  for (const auto& [addr, allocation] : replay_.live())
    if (allocation.at <= highest_at_) held_.push_back({addr, allocation.place, std::nullopt});
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
