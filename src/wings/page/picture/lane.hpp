// A lane of the timeline: what ran, one thing at a time, in as many items as a browser can draw.
#pragma once
#include <profkit/time.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {

// Stops at the end of int64.
[[nodiscard]] inline std::int64_t time_between(std::int64_t from_ps, std::int64_t to_ps) noexcept {
  return checked_sub(to_ps, from_ps).value_or(std::numeric_limits<std::int64_t>::max());
}

// One run, or several that are drawn as one.
struct lane_item {
  std::int64_t start_ps = 0, end_ps = 0;
  std::int64_t busy_ps = 0;     // between start and end, in which something ran
  std::int64_t longest_ps = 0;  // the run that gave the name
  std::uint64_t name = 0;
  std::uint64_t runs = 1;
};

// Neighbours that lie within `width_ps` from the first start to the last end become one item. Over a span so wide no more than
// 2 * span / width + 1 items are left, but for those that are longer themselves.
[[nodiscard]] std::vector<lane_item> merged(const std::vector<lane_item>& items, std::int64_t width_ps);

// Takes runs by start and cuts them where a later one begins, as for self time: of several at a time the last one that
// began is shown. Holds `most` items; when there are more, neighbours become one.
class lane {
 public:
  explicit lane(std::size_t most) : most_(most) {}
  void add(std::int64_t start_ps, std::int64_t end_ps, std::uint64_t name);
  // No more runs come.
  void finish();
  [[nodiscard]] const std::vector<lane_item>& items() const noexcept { return items_; }
  // The width up to which neighbours are one item; 0: every run is one.
  [[nodiscard]] std::int64_t width_ps() const noexcept { return width_ps_; }

 private:
  struct open_run {
    std::int64_t start_ps = 0, end_ps = 0;
    std::uint64_t name = 0;
    bool was_shown = false;
  };
  void show(open_run& run, std::int64_t from_ps, std::int64_t to_ps);
  void close_until(std::int64_t ps);

  std::size_t most_;
  std::int64_t width_ps_ = 0;
  std::int64_t shown_until_ps_ = 0;
  std::vector<open_run> open_;  // the last one is shown
  std::vector<lane_item> items_;
};

}  // namespace picture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
