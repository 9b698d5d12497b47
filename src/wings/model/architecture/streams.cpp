#include <model/architecture/streams.hpp>
#include <model/architecture/substructure.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

std::string name_of(const activity& of, const activity_device& on, const lane& l) {
  if (l.stream < 0) return l.is_comm ? "collectives (no stream)" : "no stream";
  const activity_stream& s = on.streams[static_cast<std::size_t>(l.stream)];
  if (s.id >= 0) return std::to_string(s.id);
  const std::string_view name = of.text(s.name);
  return name.empty() ? "no stream" : std::string(name);
}

// Counts of a stream's kernels by what they are.
struct lane_counts {
  std::uint64_t aicpu = 0, comm = 0, all_to_all = 0, copy = 0;
};

// Takes kernels by start and adds up how long which lanes are busy together.
class lane_sweep {
 public:
  explicit lane_sweep(std::size_t lanes)
      : ends_(lanes, std::numeric_limits<std::int64_t>::min()), busy_(lanes, 0), together_(lanes * lanes, 0) {}

  void add(std::uint16_t lane, std::int64_t start_ps, std::int64_t end_ps) {
    advance(start_ps);
    now_ps_ = start_ps;
    ends_[lane] = std::max(ends_[lane], end_ps);
  }
  void finish() { advance(std::numeric_limits<std::int64_t>::max()); }
  [[nodiscard]] std::int64_t busy(std::size_t lane) const noexcept { return busy_[lane]; }
  [[nodiscard]] std::int64_t together(std::size_t a, std::size_t b) const noexcept {
    return together_[a * ends_.size() + b];
  }

 private:
  void advance(std::int64_t to_ps) {
    while (now_ps_ < to_ps) {
      std::int64_t next = to_ps;
      active_.clear();
      for (std::size_t l = 0; l < ends_.size(); ++l) {
        if (ends_[l] <= now_ps_) continue;
        active_.push_back(l);
        next = std::min(next, ends_[l]);
      }
      if (active_.empty()) return;
      const std::int64_t length = next - now_ps_;
      for (const std::size_t a : active_) {
        busy_[a] += length;
        if (active_.size() == 1) break;
        for (const std::size_t b : active_) together_[a * ends_.size() + b] += length;
      }
      now_ps_ = next;
    }
  }
  std::vector<std::int64_t> ends_, busy_, together_;
  std::vector<std::size_t> active_;
  std::int64_t now_ps_ = std::numeric_limits<std::int64_t>::min();
};

// Compute and communication as two lanes.
constexpr std::size_t compute_lane = 0, comm_lane = 1, other_lane = 2;

std::size_t class_lane(const kernel& k) noexcept {
  if (k.type == kernel_class::comm) return comm_lane;
  return k.type == kernel_class::compute || k.type == kernel_class::aicpu ? compute_lane : other_lane;
}

const char* role_of(const model_stream& s, const lane_counts& n, bool is_main) {
  if (is_main) return "main compute";
  if (n.comm * 2 > s.kernels) {
    if (n.all_to_all * 2 > n.comm) return "all-to-all";
    return n.aicpu * 2 > s.kernels ? "AI CPU communication" : "collectives";
  }
  if (n.aicpu * 2 > s.kernels) return "AI CPU";
  if (n.copy * 2 > s.kernels) return "copy";
  return "side compute";
}

// Two neighbouring layers of the type that takes most time, so that the lanes can be drawn.
void take_sample(const device_kernels& of, device_architecture& d) {
  constexpr std::size_t max_kernels = 4096;
  const layer_anatomy* best = nullptr;
  double most = -1;
  for (const layer_anatomy& a : d.anatomies) {
    const double all = static_cast<double>(a.wall_ps.median) * static_cast<double>(a.layers);
    if (all <= most) continue;
    most = all;
    best = &a;
  }
  if (!best) return;
  model_pipeline& p = d.pipeline;
  const model_pass& pass = d.passes[d.layers[best->typical].pass];
  p.first_layer = p.last_layer = best->typical;
  if (p.last_layer < pass.last_layer)
    ++p.last_layer;
  else if (p.first_layer > pass.first_layer)
    --p.first_layer;
  p.sample_start_ps = d.layers[p.first_layer].start_ps;
  p.sample_end_ps = d.layers[p.last_layer].end_ps;
  for (std::uint32_t l = p.first_layer; l <= p.last_layer; ++l) {
    const model_layer& layer = d.layers[l];
    const std::size_t first = layer.first_row, last = std::min<std::size_t>(first + layer.kernels, of.rows.size());
    const std::vector<layer_role> roles = roles_of(of, first, last, layer.kind, d.passes[layer.pass].last_layer == l);
    for (std::size_t row = first; row < last && p.sample.size() < max_kernels; ++row)
      p.sample.push_back({of.rows[row].lane, roles[row - first], of.rows[row].start_ps, of.rows[row].duration_ps});
  }
}

}  // namespace

void find_streams(const activity& of, const device_kernels& kernels, device_architecture& into) {
  const activity_device& on = of.devices()[into.device];
  into.streams.resize(kernels.lanes.size());
  std::vector<lane_counts> counts(kernels.lanes.size());
  lane_sweep lanes(kernels.lanes.size()), classes(3);
  model_pipeline& p = into.pipeline;
  for (const kernel& k : kernels.rows) {
    model_stream& s = into.streams[k.lane];
    lane_counts& n = counts[k.lane];
    ++s.kernels;
    if (k.on_aicpu) ++n.aicpu;
    p.kernel_sum_ps = saturating_add(p.kernel_sum_ps, k.duration_ps);
    switch (class_lane(k)) {
      case comm_lane:
        ++n.comm;
        if (kernels.kind_of(k) == op_kind::all_to_all) ++n.all_to_all;
        s.comm_ps = saturating_add(s.comm_ps, k.duration_ps);
        p.comm_sum_ps = saturating_add(p.comm_sum_ps, k.duration_ps);
        break;
      case compute_lane: s.compute_ps = saturating_add(s.compute_ps, k.duration_ps); break;
      default:
        if (k.type == kernel_class::copy) ++n.copy;
    }
    if (k.duration_ps == 0) continue;
    lanes.add(k.lane, k.start_ps, k.end_ps());
    classes.add(static_cast<std::uint16_t>(class_lane(k)), k.start_ps, k.end_ps());
  }
  lanes.finish();
  classes.finish();
  std::size_t main = 0;
  for (std::size_t i = 1; i < into.streams.size(); ++i)
    if (into.streams[i].compute_ps > into.streams[main].compute_ps) main = i;
  for (std::size_t i = 0; i < into.streams.size(); ++i) {
    model_stream& s = into.streams[i];
    s.name = name_of(of, on, kernels.lanes[i]);
    s.role = role_of(s, counts[i], i == main && s.compute_ps > 0);
    s.busy_ps = lanes.busy(i);
    for (std::size_t j = 0; j < into.streams.size(); ++j)
      if (j != i && lanes.together(i, j) > 0)
        s.overlaps.push_back({static_cast<std::uint32_t>(j), lanes.together(i, j)});
    std::stable_sort(s.overlaps.begin(), s.overlaps.end(),
                 [](const stream_overlap& a, const stream_overlap& b) { return a.ps > b.ps; });
  }
  p.wall_ps = into.last_ps - into.first_ps;
  p.compute_ps = classes.busy(compute_lane);
  p.comm_ps = classes.busy(comm_lane);
  p.hidden_ps = classes.together(compute_lane, comm_lane);
  std::int64_t reached = into.first_ps;
  for (const kernel& k : kernels.rows) {
    const std::int64_t from = std::max(k.start_ps, reached), to = k.end_ps();
    if (to <= from) continue;
    p.busy_ps += to - from;
    reached = to;
  }
  take_sample(kernels, into);
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
