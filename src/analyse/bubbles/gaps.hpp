// Gaps with the kernels around them, of which the longest are kept.
#pragma once
#include <analyse/bubbles/kernels.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// The kernels that ended last, the very last one first.
class recent_kernels {
 public:
  void add(const kernel_row& k) noexcept;
  void put_before(bubble& b) const noexcept;

 private:
  std::array<kernel_row, most_context> last_;
  std::uint8_t count_ = 0;
};

// The longest bubbles of a device, never many more than asked for.
class bubble_store {
 public:
  explicit bubble_store(std::uint64_t most) : most_(most == 0 ? 1 : most) {}
  void add(bubble&& b);
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
};

// The greatest few spans, longest first, of equal ones the earlier first.
void keep_longest(std::vector<std::pair<std::int64_t, std::int64_t>>& spans, std::int64_t start_ps, std::int64_t end_ps,
                  std::size_t most);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
