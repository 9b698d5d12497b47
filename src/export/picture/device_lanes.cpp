#include <export/picture/device_lanes.hpp>

#include <base/thread_pool.hpp>
#include <profkit/core/named_stat.hpp>

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
  lane_filler(const window& shown, std::vector<lane>& lanes) : shown_(shown), lanes_(lanes) {}
  result<void> rows(const kernel_row* rows, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      const kernel_row& row = rows[i];
      if ((row.flags & kernel_duplicate) != 0) continue;
      const std::int64_t end_ps = saturating_add(row.start_ps, row.duration_ps);
      lanes_[lane_of(row.kind)].add(std::max(row.start_ps, shown_.from_ps), std::min(end_ps, shown_.to_ps), row.name);
    }
    return {};
  }

 private:
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

std::string device_name(const activity& of, std::size_t device) {
  const activity_device& d = of.devices()[device];
  std::string name(short_plane_name(of.text(d.name)));
  const auto same = [&](const activity_device& other) { return of.text(other.name) == of.text(d.name); };
  if (d.rank >= 0 && std::count_if(of.devices().begin(), of.devices().end(), same) > 1)
    name = "rank " + std::to_string(d.rank) + ", " + name;
  return name;
}

std::string cause_words(idle_cause c) {
  std::string words = idle_cause_name(c);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string wait_words(const bubble& gap) {
  return gap.boundary_adjacent ? "edge of the capture" : cause_words(gap.cause.id);
}

result<std::vector<std::vector<lane>>> lanes_of_devices(const bubbles_report& of, const step_filter& only, std::size_t devices,
                                                        std::size_t most, const hooks& host) {
  auto all = map_items<std::vector<lane>>(devices, host, [&](std::size_t d) -> result<std::vector<lane>> {
    std::vector<lane> lanes(lane_names.size(), lane(most));
    lane_filler filler(window_of(of, only, d), lanes);
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

std::vector<const bubble*> gaps_of_devices(const bubbles_result& found, std::size_t devices) {
  std::vector<const bubble*> gaps;
  for (const bubble& b : found.bubbles)
    if (!b.inter_step && b.device < devices && b.length_ps() > 0) gaps.push_back(&b);
  return gaps;
}

}  // namespace picture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
