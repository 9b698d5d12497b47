#include <analyse/bubbles/markers.hpp>
#include <analyse/bubbles/windows.hpp>

#include <base/stable_order.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

using markers = std::vector<step_marker>;

// Those of the best source among them, by start.
markers best_of(const markers& all) {
  markers best;
  for (const step_marker& m : all) {
    if (!best.empty() && m.source > best.front().source) continue;
    if (!best.empty() && m.source < best.front().source) best.clear();
    best.push_back(m);
  }
  stable_order(best.begin(), best.end(),
               [](const step_marker& a, const step_marker& b) { return a.start_ps < b.start_ps; });
  return best;
}

struct marker_lists {
  markers host, device, step_ids;
};

marker_lists markers_of(const activity& of, std::size_t device) {
  marker_lists found;
  const std::uint32_t group = of.devices()[device].host_group;
  const marker_range host = markers_of_device(of, group, -1);
  found.host.assign(host.begin(), host.end());
  for (const step_marker& m : markers_of_device(of, group, static_cast<std::int32_t>(device)))
    (m.source == marker_source::step_id ? found.step_ids : found.device).push_back(m);
  found.host = best_of(found.host);
  found.device = best_of(found.device);
  found.step_ids = best_of(found.step_ids);
  return found;
}

// First start and last end of the kernels that a marker's time holds, by their launch or by their own start.
class span_finder final : public kernel_visitor {
 public:
  span_finder(const markers& of, bool by_launch, bool to_the_next)
      : of_(of), by_launch_(by_launch), next_(to_the_next) {
    spans_.resize(of.size(), {open_end, open_start});
  }
  result<void> rows(const kernel_row* rows, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) add(rows[i]);
    return {};
  }
  [[nodiscard]] const std::vector<std::pair<std::int64_t, std::int64_t>>& spans() const noexcept { return spans_; }

 private:
  void add(const kernel_row& k) {
    if ((k.flags & kernel_duplicate) != 0) return;
    const std::int64_t at = by_launch_ ? k.launch_ps : k.start_ps;
    if (at == no_time_ps || of_.empty() || at < of_.front().start_ps) return;
    const auto after = std::upper_bound(of_.begin(), of_.end(), at,
                                        [](std::int64_t t, const step_marker& m) { return t < m.start_ps; });
    const auto marker = static_cast<std::size_t>(after - of_.begin()) - 1;
    if (!next_ && at >= of_[marker].end_ps) return;
    auto& [first, last] = spans_[marker];
    first = std::min(first, k.start_ps);
    last = std::max(last, saturating_add(k.start_ps, k.duration_ps));
  }

  const markers& of_;
  const bool by_launch_, next_;
  std::vector<std::pair<std::int64_t, std::int64_t>> spans_;
};

step_window window_of(const step_marker& m) {
  step_window w;
  w.start_ps = m.start_ps;
  w.end_ps = std::max(m.end_ps, m.start_ps);
  w.marker_end_ps = m.end_ps;
  w.number = m.number;
  w.name = m.name;
  w.source = m.source;
  return w;
}

// Own spans, disjoint: what overlaps the next one is cut. Under `guide` each ends where the next one begins.
void settle(device_windows& found, bool guide, bool steps_cut) {
  auto& all = found.windows;
  stable_order(all.begin(), all.end(),
               [](const step_window& a, const step_window& b) { return a.start_ps < b.start_ps; });
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const std::int64_t next = all[i + 1].start_ps;
    if (guide) {
      all[i].end_ps = next;
    } else if (all[i].end_ps > next) {
      all[i].end_ps = next;
      ++found.cut;
    }
  }
  if (guide && !all.empty() && !steps_cut) all.back().end_ps = open_end;
  const auto empty =
      std::remove_if(all.begin(), all.end(), [](const step_window& w) { return w.start_ps == w.end_ps; });
  found.cut += guide ? static_cast<std::uint64_t>(all.end() - empty) : 0;
  all.erase(empty, all.end());
}

result<void> take_spans(const activity& of, std::size_t device, const markers& from, bool by_launch, bool to_the_next,
                        const hooks& host, device_windows& into) {
  span_finder finder(from, by_launch, to_the_next);
  if (result<void> seen = of.visit_kernels(device, finder, host); !seen) return seen;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto& [first, last] = finder.spans()[i];
    if (first == open_end) continue;  // no kernel of this step ran here
    step_window w = window_of(from[i]);
    w.start_ps = first;
    w.end_ps = last;
    into.windows.push_back(w);
  }
  return {};
}

void take_markers(const markers& from, device_windows& into) {
  for (const step_marker& m : from) into.windows.push_back(window_of(m));
}

const char* name_of_device_source(const markers& device) {
  return device.front().source == marker_source::line ? "line" : "device annotations";
}

}  // namespace

result<device_windows> find_windows(const activity& of, std::size_t device, window_policy policy, const hooks& host) {
  const activity_device& on = of.devices()[device];
  const marker_lists marked = markers_of(of, device);
  const bool is_device_policy = policy == window_policy::device;
  const bool far_from_host = on.type == accelerator::gpu || on.type == accelerator::tpu;
  device_windows found;
  result<void> taken;
  bool guide = policy == window_policy::guide;
  if (!marked.device.empty() && (far_from_host || is_device_policy || marked.host.empty())) {
    take_markers(marked.device, found);
    found.source = name_of_device_source(marked.device);
  } else if (!marked.step_ids.empty() && (is_device_policy || marked.host.empty())) {
    take_markers(marked.step_ids, found);
    found.source = "step ids";
    guide = false;
  } else if (!marked.host.empty() && on.has_launches && (far_from_host || is_device_policy)) {
    taken = take_spans(of, device, marked.host, true, policy != window_policy::marker, host, found);
    found.source = "launches";
    if (taken && found.windows.empty()) {  // launches are recorded, but none of these steps
      take_markers(marked.host, found);
      found.source = "host markers";
    }
  } else if (!marked.host.empty() && is_device_policy) {
    taken = take_spans(of, device, marked.host, false, true, host, found);
    found.source = "host markers";
  } else if (!marked.host.empty()) {
    take_markers(marked.host, found);
    found.source = "host markers";
  }
  if (!taken) return std::move(taken).error();
  settle(found, guide, on.steps_cut);
  if (found.windows.empty()) {
    step_window whole;
    whole.pseudo = true;
    found.windows.push_back(whole);
    found.source = "none";
  }
  return found;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
