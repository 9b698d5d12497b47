// In which step of its device an event began.
#pragma once
#include <trace/filters/select.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class step_numbers {
 public:
  explicit step_numbers(std::vector<selection::step_window> by_start) : windows_(std::move(by_start)) {}
  [[nodiscard]] bool empty() const noexcept { return windows_.empty(); }
  // 1 + the index of the step; 0: in none.
  [[nodiscard]] std::uint32_t number_at(std::optional<std::int64_t> start_ps) const noexcept {
    if (!start_ps || windows_.empty()) return 0;
    auto after = std::upper_bound(windows_.begin(), windows_.end(), *start_ps,
                                  [](std::int64_t at, const selection::step_window& w) { return at < w.from_ps; });
    if (after == windows_.begin()) return 0;
    const selection::step_window& last = *--after;
    return *start_ps < last.to_ps ? static_cast<std::uint32_t>(last.index + 1) : 0;
  }

 private:
  std::vector<selection::step_window> windows_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
