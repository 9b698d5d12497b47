// The union of the kernels of a device, cut wherever the classes that run change.
#pragma once
#include <profkit/core/bubbles.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// Bits of a piece, by kernel_class.
[[nodiscard]] constexpr unsigned class_bit(kernel_class c) noexcept { return 1U << static_cast<unsigned>(c); }
inline constexpr unsigned compute_bits = class_bit(kernel_class::compute) | class_bit(kernel_class::aicpu);
inline constexpr unsigned comm_bits = class_bit(kernel_class::comm);
// What runs for a launch without a record, if it does: one class more than there are of kernels.
inline constexpr std::size_t unrecorded_class = 5, sweep_classes = 6;
inline constexpr unsigned unrecorded_bit = 1U << unrecorded_class;

// Takes kernels by start. Of each class only the end of its union so far is kept: whatever comes starts later.
class class_sweep {
 public:
  // Hands the pieces up to `to_ps` to take(from, to, bits), in order and without a hole; bits 0 is idle time. No piece
  // goes beyond `stop_ps`, which take() may want to look at; it is asked for again after each piece.
  template <class Stop, class Take>
  void advance(std::int64_t to_ps, Stop&& stop_ps, Take&& take) {
    while (now_ps_ < to_ps) {
      std::int64_t next = std::min<std::int64_t>(to_ps, stop_ps());
      unsigned bits = 0;
      for (std::size_t c = 0; reached_ps_ > now_ps_ && c < ends_.size(); ++c) {
        if (ends_[c] <= now_ps_) continue;
        bits |= 1U << c;
        next = std::min(next, ends_[c]);
      }
      const std::int64_t from = now_ps_;
      now_ps_ = next;
      take(from, next, bits);
    }
  }
  // The same where nothing stops a piece.
  template <class Take>
  void advance(std::int64_t to_ps, Take&& take) {
    if (only_ != several && now_ps_ < reached_ps_ && now_ps_ < to_ps) {
      const std::int64_t next = std::min(to_ps, reached_ps_);
      take(std::exchange(now_ps_, next), next, 1U << only_);
    }
    while (now_ps_ < to_ps) {
      std::int64_t next = to_ps;
      if (reached_ps_ <= now_ps_) {
        take(std::exchange(now_ps_, next), next, 0U);
        return;
      }
      unsigned bits = 0;
      for (std::size_t c = 0; c < ends_.size(); ++c) {
        const bool runs = ends_[c] > now_ps_;
        bits |= static_cast<unsigned>(runs) << c;
        next = runs && ends_[c] < next ? ends_[c] : next;
      }
      take(std::exchange(now_ps_, next), next, bits);
    }
  }
  // Whether the class runs beyond an instant. Kernels of that class that start then cut no piece: the time up to them
  // may be added later.
  [[nodiscard]] bool runs_beyond(kernel_class c, std::int64_t at_ps) const noexcept {
    return ends_[static_cast<std::size_t>(c)] > at_ps;
  }
  void begin(std::int64_t at_ps) noexcept {
    now_ps_ = reached_ps_ = at_ps;
    ends_.fill(at_ps);
  }
  void add(kernel_class c, std::int64_t end_ps) noexcept { add(static_cast<std::size_t>(c), end_ps); }
  void add(std::size_t at, std::int64_t end_ps) noexcept {
    if (only_ != at) only_ = reached_ps_ <= now_ps_ ? at : several;
    ends_[at] = std::max(ends_[at], end_ps);
    reached_ps_ = std::max(reached_ps_, end_ps);
  }
  // While one class alone runs beyond now the sweep is these three; several kernels may be followed with a copy of
  // them.
  struct single {
    std::int64_t now_ps, reached_ps;
    std::size_t at;  // the class
  };
  [[nodiscard]] bool is_single() const noexcept { return only_ != several && reached_ps_ > now_ps_; }
  [[nodiscard]] single as_single() const noexcept { return {now_ps_, reached_ps_, only_}; }
  void set_single(const single& s) noexcept {
    now_ps_ = s.now_ps;
    reached_ps_ = ends_[s.at] = s.reached_ps;
    only_ = s.at;
  }
  // Where the union ends as things stand.
  [[nodiscard]] std::int64_t reached_ps() const noexcept { return reached_ps_; }
  [[nodiscard]] std::int64_t now_ps() const noexcept { return now_ps_; }

 private:
  static constexpr std::size_t several = sweep_classes;
  std::array<std::int64_t, sweep_classes> ends_{};
  std::int64_t now_ps_ = 0, reached_ps_ = 0;
  std::size_t only_ = several;  // the class that alone may run beyond now_ps_
};

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
