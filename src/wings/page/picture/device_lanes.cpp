#include <page/picture/device_lanes.hpp>

#include <base/thread_pool.hpp>
#include <profkit/core/named_stat.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {
namespace {

std::size_t lane_of(kernel_class kind) noexcept {
  switch (kind) {
    case kernel_class::compute:
    case kernel_class::aicpu: return 1;
    case kernel_class::comm: return 2;
    case kernel_class::copy: return 3;
    case kernel_class::other: return 4;
  }
  return 4;
}

struct window {
  std::int64_t from_ps = std::numeric_limits<std::int64_t>::min(), to_ps = std::numeric_limits<std::int64_t>::max();
};

class lane_filler final : public kernel_visitor {
 public:
  lane_filler(const activity_device& device, const window& shown, std::vector<lane>& lanes) : device_(device), shown_(shown), lanes_(lanes) {}
  result<void> rows(const kernel_row* rows, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      const kernel_row& row = rows[i];
      if ((row.flags & kernel_duplicate) != 0) continue;
      const std::int64_t end_ps = saturating_add(row.start_ps, row.duration_ps);
      lanes_[lane_of(row.kind)].add(std::max(row.start_ps, shown_.from_ps), std::min(end_ps, shown_.to_ps), op_name_of(device_, row));
    }
    return {};
  }

 private:
  const activity_device& device_;
  window shown_;
  std::vector<lane>& lanes_;
};

// Under a filter only the steps that were asked for are shown, and what ran from the first to the last of them.
window window_of(const bubbles_report& of, const step_filter& asked, std::size_t device) {
  if (asked.empty()) return {};
  window w{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const bubble_step& s : of.found.steps)
    if (s.device == device) w = {std::min(w.from_ps, s.start_ps), std::max(w.to_ps, s.end_ps)};
  return w;
}

}  // namespace

std::string shown_op_name(std::string_view name) { return readable_kernel_name(short_op_name(name, "")); }

result<std::vector<std::vector<lane>>> lanes_of_devices(const bubbles_report& of, const step_filter& only, std::size_t devices,
                                                        std::size_t most, const hooks& host) {
  auto all = map_items<std::vector<lane>>(devices, host, [&](std::size_t d) -> result<std::vector<lane>> {
    std::vector<lane> lanes(lane_names.size(), lane(most));
    lane_filler filler(of.of->devices()[d], window_of(of, only, d), lanes);
    if (auto visited = of.of->visit_kernels(d, filler, host); !visited) return std::move(visited).error();
    return lanes;
  });
  if (!all) return all;
  std::uint64_t step = 0;
  for (const bubble_step& s : of.found.steps) {
    if (!s.pseudo && s.device < devices) (*all)[s.device][steps_lane].add(s.start_ps, s.end_ps, step);
    ++step;
  }
  for (std::vector<lane>& lanes : *all)
    for (lane& one : lanes) one.finish();
  return all;
}

}  // namespace picture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
