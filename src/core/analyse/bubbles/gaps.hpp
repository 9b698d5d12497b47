// Gaps with the kernels around them. The longest are kept.
#pragma once
#include <analyse/bubbles/kernels.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// The kernels that ended last, the very last one first. Borrows rows until keep_rows() copies them.
class recent_kernels {
 public:
  void add(const kernel_row& k, std::int64_t end_ps) noexcept {
    if (end_ps < last_[max_context - 1].end_ps) return;
    // Of kernels that end together the one that started later stands first.
    std::size_t at = max_context - 1;
    for (; at > 0 && last_[at - 1].end_ps <= end_ps; --at) last_[at] = last_[at - 1];
    last_[at] = {end_ps, &k};
  }
  // The rows that were added are about to go.
  void keep_rows() noexcept;
  void put_before(bubble& b) const noexcept;

 private:
  struct ended {
    std::int64_t end_ps = std::numeric_limits<std::int64_t>::min();  // of none
    const kernel_row* row = nullptr;
  };
  std::array<ended, max_context> last_;
  std::array<kernel_row, max_context> kept_;
};

// The longest bubbles of a device, never many more than asked for.
class bubble_store {
 public:
  explicit bubble_store(std::uint64_t most) : most_(most == 0 ? 1 : most) {}
  void add(bubble&& b);
  // Whether one of this length would be kept for now; one that would not counts as left out.
  [[nodiscard]] bool has_room_for(std::int64_t length_ps) const noexcept { return length_ps >= shortest_ps_; }
  void leave_out(std::int64_t length_ps, bool inter_step) noexcept;
  // By start, then the longer first.
  [[nodiscard]] std::vector<bubble> take();
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }
  [[nodiscard]] std::int64_t left_out_ps() const noexcept { return left_out_ps_; }

 private:
  void drop_shortest();
  std::uint64_t most_;
  std::vector<bubble> kept_;
  std::uint64_t left_out_ = 0;
  std::int64_t left_out_ps_ = 0;
  std::int64_t shortest_ps_ = 0;  // a shorter gap need not be kept
};

// The greatest few spans, longest first, of equal ones the earlier first.
void insert_longest(std::vector<std::pair<std::int64_t, std::int64_t>>& spans, std::int64_t start_ps,
                    std::int64_t end_ps, std::size_t most);
inline void keep_longest(std::vector<std::pair<std::int64_t, std::int64_t>>& spans, std::int64_t start_ps,
                         std::int64_t end_ps, std::size_t most) {
  if (spans.size() == most && spans.back().second - spans.back().first >= end_ps - start_ps) return;
  insert_longest(spans, start_ps, end_ps, most);
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
