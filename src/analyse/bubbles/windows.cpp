#include <analyse/bubbles/markers.hpp>
#include <analyse/bubbles/windows.hpp>

#include <base/hash_map.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>
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
  std::stable_sort(best.begin(), best.end(),
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
  struct span {
    std::int64_t first = open_end, last = open_start;
    bool begins_here = false;  // a kernel without a launch, in the marker's own time
  };
  span_finder(const markers& of, bool by_launch, bool to_the_next)
      : of_(of), by_launch_(by_launch), next_(to_the_next), spans_(of.size()) {}
  result<void> rows(const kernel_row* rows, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) add(rows[i]);
    return {};
  }
  [[nodiscard]] const std::vector<span>& spans() const noexcept { return spans_; }
  // Of some kernel it is not known which step launched it.
  [[nodiscard]] bool misses_launches() const noexcept { return misses_launches_; }

 private:
  [[nodiscard]] span* span_at(std::int64_t at, bool to_the_next) {
    const auto after = std::upper_bound(of_.begin(), of_.end(), at,
                                        [](std::int64_t t, const step_marker& m) { return t < m.start_ps; });
    if (after == of_.begin()) return nullptr;
    const auto marker = static_cast<std::size_t>(after - of_.begin()) - 1;
    return to_the_next || at < of_[marker].end_ps ? &spans_[marker] : nullptr;
  }
  void add(const kernel_row& k) {
    if ((k.flags & kernel_duplicate) != 0) return;
    if (by_launch_ && k.launch_ps == no_time_ps) {
      misses_launches_ = true;
      if (span* const here = span_at(k.start_ps, false)) here->begins_here = true;
      return;
    }
    span* const found = span_at(by_launch_ ? k.launch_ps : k.start_ps, next_);
    if (found == nullptr) return;
    found->first = std::min(found->first, k.start_ps);
    found->last = std::max(found->last, saturating_add(k.start_ps, k.duration_ps));
  }

  const markers& of_;
  const bool by_launch_, next_;
  bool misses_launches_ = false;
  std::vector<span> spans_;
};

step_window window_of(const step_marker& m, std::int64_t start_ps, std::int64_t end_ps) {
  step_window w;
  w.start_ps = start_ps;
  w.end_ps = end_ps;
  w.marker_end_ps = m.end_ps;
  w.number = m.number;
  w.name = m.name;
  w.source = m.source;
  return w;
}

step_window window_of(const step_marker& m) { return window_of(m, m.start_ps, std::max(m.end_ps, m.start_ps)); }

bool by_start(const step_window& a, const step_window& b) { return a.start_ps < b.start_ps; }

// Own spans, disjoint: what overlaps the next one is cut. Under `guide` each ends where the next one begins, unless
// there may be others between them.
void settle(device_windows& found, bool guide, bool steps_cut) {
  auto& all = found.windows;
  std::stable_sort(all.begin(), all.end(), by_start);
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const std::int64_t next = all[i + 1].start_ps;
    if (guide && !all[i].ends_itself) {
      all[i].end_ps = next;
    } else if (all[i].end_ps > next) {
      all[i].end_ps = next;
      ++found.cut;
    }
  }
  if (guide && !all.empty() && !steps_cut && !all.back().ends_itself) all.back().end_ps = open_end;
  const auto empty =
      std::remove_if(all.begin(), all.end(), [](const step_window& w) { return w.start_ps == w.end_ps; });
  found.cut += guide ? static_cast<std::uint64_t>(all.end() - empty) : 0;
  all.erase(empty, all.end());
}

void take_markers(const markers& from, device_windows& into) {
  for (const step_marker& m : from) into.windows.push_back(window_of(m));
}

result<void> take_spans(const activity& of, std::size_t device, const markers& from, const hooks& host,
                        device_windows& into) {
  span_finder finder(from, false, true);
  if (result<void> seen = of.visit_kernels(device, finder, host); !seen) return seen;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const span_finder::span& s = finder.spans()[i];
    if (s.first != open_end) into.windows.push_back(window_of(from[i], s.first, s.last));
  }
  return {};
}

// The last window that starts in front of `end_ps`, where it reaches behind `start_ps`.
const step_window* window_over(const std::vector<step_window>& ascending, std::int64_t start_ps, std::int64_t end_ps) {
  const auto after = std::lower_bound(ascending.begin(), ascending.end(), end_ps,
                                      [](const step_window& w, std::int64_t at) { return w.start_ps < at; });
  return after == ascending.begin() || std::prev(after)->end_ps <= start_ps ? nullptr : &*std::prev(after);
}

std::string_view stem_of(std::string_view name) noexcept {
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

// Steps of the host on a device whose time is another: by the device's annotation of that name, else by the kernels
// that the step launched, else by the host's time, where kernels begin of which no launch is known.
result<void> take_host_steps(const activity& of, std::size_t device, const marker_lists& marked, bool to_the_next,
                             const hooks& host, device_windows& into) {
  hash_map<string_id, std::uint64_t> missing;  // by name: steps without an annotation
  for (const step_marker& m : marked.host) ++missing[m.name];
  for (const step_marker& m : marked.device) {
    if (const auto found = missing.find(m.name); found != missing.end() && found->second > 0) --found->second;
  }
  auto& windows = into.windows;
  take_markers(marked.device, into);
  const auto is_missing = [&missing](const step_marker& m) { return missing.find(m.name)->second > 0; };
  if (std::none_of(marked.host.begin(), marked.host.end(), is_missing)) return {};
  // Annotations of other stretches than the host's steps divide the device's time on their own.
  const auto is_alike = [&](const step_marker& m) {
    return stem_of(of.text(m.name)) == stem_of(of.text(marked.host.front().name));
  };
  if (!windows.empty() && std::none_of(marked.device.begin(), marked.device.end(), is_alike)) return {};

  span_finder finder(marked.host, true, to_the_next);
  if (result<void> seen = of.visit_kernels(device, finder, host); !seen) return seen;
  const std::vector<step_window> annotated = windows;
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < marked.host.size(); ++i) {
    const step_marker& m = marked.host[i];
    if (!is_missing(m)) continue;
    const span_finder::span& s = finder.spans()[i];
    if (s.first == open_end) {
      left.push_back(i);
    } else if (const step_window* const own = window_over(annotated, s.first, s.last);
               own == nullptr || own->name != m.name) {
      windows.push_back(window_of(m, s.first, s.last));
    }
  }
  const std::size_t launched = windows.size() - annotated.size();
  if (windows.empty()) {  // launches are recorded, but none of these steps
    take_markers(marked.host, into);
    into.source = "host markers";
    return {};
  }
  std::vector<step_window> known = windows;
  std::stable_sort(known.begin(), known.end(), by_start);
  hash_map<string_id, std::uint64_t> last_known;  // steps in front of one that is not found
  for (const std::size_t i : left) {
    const step_marker& m = marked.host[i];
    if (finder.spans()[i].begins_here && window_over(known, m.start_ps, m.end_ps) == nullptr) {
      windows.push_back(window_of(m));
      continue;
    }
    ++into.steps_not_found;
    if (i > 0 && finder.misses_launches()) last_known[marked.host[i - 1].name] = i;
  }
  for (step_window& w : windows) w.ends_itself = last_known.find(w.name) != last_known.end();
  const bool by_host = windows.size() > annotated.size() + launched;
  const int sources = (annotated.empty() ? 0 : 1) + (launched > 0 ? 1 : 0) + (by_host ? 1 : 0);
  if (sources > 1) {
    into.source = "mixed";
  } else if (launched > 0) {
    into.source = "launches";
  }
  return {};
}

const char* name_of_device_source(const markers& device) {
  const marker_source source = device.front().source;
  return source == marker_source::line || source == marker_source::run ? "line" : "device annotations";
}

}  // namespace

result<device_windows> find_windows(const activity& of, std::size_t device, window_policy policy, const hooks& host) {
  const activity_device& on = of.devices()[device];
  const marker_lists marked = markers_of(of, device);
  const bool is_device_policy = policy == window_policy::device;
  const bool far_from_host = on.type != accelerator::npu;
  device_windows found;
  result<void> taken;
  bool guide = policy == window_policy::guide;
  if (!marked.device.empty() && (far_from_host || is_device_policy || marked.host.empty())) {
    found.source = name_of_device_source(marked.device);
    if (marked.device.front().source == marker_source::device_annotation) {
      taken = take_host_steps(of, device, marked, policy != window_policy::marker, host, found);
    } else {
      take_markers(marked.device, found);
    }
  } else if (!marked.step_ids.empty() && (is_device_policy || marked.host.empty())) {
    take_markers(marked.step_ids, found);
    found.source = "step ids";
    guide = false;
  } else if (!marked.host.empty() && on.has_launches && (far_from_host || is_device_policy)) {
    taken = take_host_steps(of, device, marked, policy != window_policy::marker, host, found);
  } else if (!marked.host.empty() && is_device_policy) {
    taken = take_spans(of, device, marked.host, host, found);
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
