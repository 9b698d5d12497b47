// One replay of an allocator that finds the peak in a window of time, what is alive there and until when, and samples
// of the whole trace.
#pragma once
#include "allocators.hpp"

#include <profkit/core/memory.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

struct held_buffer {
  std::uint64_t addr = 0;
  event_place place;
  std::optional<std::int64_t> freed_ps;  // when it was freed, or its address was allocated again
};

// Takes samples of the state at even times from the first event to the last.
class timeline_sampler {
 public:
  struct state {
    std::int64_t live_bytes = 0, reserved_bytes = 0;
    std::uint64_t live_count = 0;
    double fragmentation = 0;
    [[nodiscard]] std::int64_t held_bytes() const noexcept { return saturating_add(live_bytes, reserved_bytes); }
  };
  timeline_sampler(std::uint64_t samples, std::int64_t first_ps, std::int64_t last_ps)
      : first_ps_(first_ps), last_ps_(last_ps) {
    if (samples > 1 && first_ps != last_ps) parts_ = samples - 1;
    next_ps_ = time_of(0);
  }
  // Before an event: samples that show what was before it.
  void before(std::int64_t event_ps, const state& s) {
    while (parts_ > 0 && next_ <= parts_ && event_ps > next_ps_) take(s);
  }
  void after(const state& s) { highest_bytes_ = std::max(highest_bytes_, s.held_bytes()); }
  [[nodiscard]] std::vector<timeline_sample> finish(const state& last);

 private:
  [[nodiscard]] std::int64_t time_of(std::uint64_t sample) const noexcept;
  void take(const state& s);

  std::int64_t first_ps_, last_ps_;
  std::uint64_t parts_ = 0;  // 0: one sample, at the end
  std::uint64_t next_ = 0;
  std::int64_t next_ps_ = 0;
  std::int64_t highest_bytes_ = 0;  // since the last sample
  std::vector<timeline_sample> samples_;
};

class peak_replay {
 public:
  struct window {
    std::int64_t from_ps = std::numeric_limits<std::int64_t>::min();
    std::int64_t to_ps = std::numeric_limits<std::int64_t>::max();
  };
  // `samples` up to 1: one, at the end.
  peak_replay(const collected_events& all, std::uint32_t allocator, const window& in, std::uint64_t samples);
  // Its events, in the order of time.
  void take(const allocator_event& e);
  void finish();

  [[nodiscard]] std::uint64_t samples_asked() const noexcept { return samples_asked_; }
  [[nodiscard]] const allocator_replay& replay() const noexcept { return replay_; }

  // The first greatest occupancy in the window; what was there when it began counts from its beginning. Nothing when
  // there was no event yet when it ended.
  struct peak {
    std::int64_t when_ps = 0;
    std::int64_t occupied_bytes = 0, live_bytes = 0;
    std::int64_t bytes_reserved = 0, id = 0;  // as the event says
    double fragmentation = 0;
  };
  [[nodiscard]] const std::optional<peak>& highest() const noexcept { return highest_; }
  // What is alive there, in the order of the allocations; finish() first.
  [[nodiscard]] const std::vector<held_buffer>& held() const noexcept { return held_; }
  [[nodiscard]] const std::vector<timeline_sample>& samples() const noexcept { return samples_; }
  [[nodiscard]] std::int64_t first_id() const noexcept { return first_id_; }
  [[nodiscard]] std::uint64_t shapes_missing() const noexcept { return shapes_missing_; }
  [[nodiscard]] std::uint64_t tf_ops_missing() const noexcept { return tf_ops_missing_; }

 private:
  // What is looked up mostly is what was looked up before.
  class ref_memory {
   public:
    [[nodiscard]] bool is_empty(const text_stat& text, const plane_index& plane) {
      if (!text.is_ref) return text.str.empty();
      if (plane_ != &plane || ref_ != text.ref) {
        plane_ = &plane;
        ref_ = text.ref;
        empty_ = text.text(plane).empty();
      }
      return empty_;
    }

   private:
    const plane_index* plane_ = nullptr;
    std::uint64_t ref_ = 0;
    bool empty_ = true;
  };

  void offer(std::int64_t when_ps);

  const collected_events& all_;
  const window in_;
  allocator_replay replay_;
  bool in_window_ = false;
  peak last_;  // the state after the event taken last
  std::optional<peak> highest_;
  std::uint64_t highest_at_ = 0;   // which event
  std::vector<held_buffer> held_;  // until finish(): alive there and freed since
  const std::uint64_t samples_asked_;
  timeline_sampler sampler_;
  timeline_sampler::state now_;
  std::vector<timeline_sample> samples_;
  std::int64_t first_id_ = 0;
  std::uint64_t shapes_missing_ = 0, tf_ops_missing_ = 0;
  ref_memory shape_, tf_op_;
};

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
