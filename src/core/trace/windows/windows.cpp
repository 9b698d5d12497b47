#include <trace/windows/keeping.hpp>
#include <trace/windows/markers.hpp>
#include <trace/windows/windows.hpp>

#include <base/affix.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

using markers = std::vector<step_marker>;

constexpr keeping idle_steps_kept{1U << 14, 1U << 14, 1};

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
  const group_steps* host = nullptr;
  markers device, step_ids;
};

marker_lists markers_of(const activity& of, std::size_t device, const host_steps& hosts) {
  marker_lists found;
  const std::uint32_t group = of.devices()[device].host_group;
  found.host = &hosts.of_group(group);
  for (const step_marker& m : markers_of_device(of, group, static_cast<std::int32_t>(device)))
    (m.source == marker_source::step_id ? found.step_ids : found.device).push_back(m);
  found.device = best_of(found.device);
  found.step_ids = best_of(found.step_ids);
  return found;
}

// Whether a marker says how long it lasts.
bool has_end(const step_marker& m) noexcept { return m.end_ps > m.start_ps; }

// The kernels of each marker, by their launch or by their own start.
class span_finder final : public kernel_visitor {
 public:
  struct span {
    std::int64_t first = open_end, last = open_start;
    bool begins_here = false;          // a kernel without a launch, in the marker's own time
    std::int64_t own_ps = open_start;  // the last end, with the kernels without a launch
    std::int64_t any_ps = open_start;  // the last end of all kernels up to the next marker
    std::int64_t earlier_ps = open_start;  // of kernels without a launch that begin before those that it launched
    [[nodiscard]] bool has_launched() const noexcept { return first != open_end; }
  };
  span_finder(const markers& of, bool by_launch, bool to_the_next, bool last_ends_itself)
      : of_(of), by_launch_(by_launch), next_(to_the_next), last_ends_itself_(last_ends_itself) {}
  result<void> rows(const kernel_row* rows, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i)
      if (rows[i].makes_interval()) add(rows[i]);
    return {};
  }
  // Of the markers with any kernel up to the next marker, in their order.
  [[nodiscard]] std::vector<std::pair<std::size_t, span>> spans() const {
    std::vector<std::pair<std::size_t, span>> found(spans_.begin(), spans_.end());
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return found;
  }
  // It is not known of some kernel which step launched it.
  [[nodiscard]] bool misses_launches() const noexcept { return misses_launches_; }
  // The last end of the kernels from before the first marker.
  [[nodiscard]] std::int64_t before_ps() const noexcept { return before_ps_; }

 private:
  // Whether an instant since the marker's start is the marker's. After its end the last one still has what it queued:
  // where no launch is known, that is what runs until the device first rests.
  [[nodiscard]] bool holds(std::size_t marker, std::int64_t at, bool to_the_next, bool queued) const noexcept {
    const step_marker& m = of_[marker];
    if (at < m.end_ps) return true;
    if (m.ends_itself) return false;
    return marker + 1 == of_.size() && last_ends_itself_ && has_end(m) ? queued : to_the_next;
  }
  void add(const kernel_row& k) {
    const bool launched = by_launch_ && k.launch_ps != no_time_ps, unlaunched = by_launch_ && !launched;
    const std::int64_t at = launched ? k.launch_ps : k.start_ps, end_ps = saturating_add(k.start_ps, k.duration_ps);
    if (!of_.empty() && k.start_ps >= of_.back().end_ps)
      has_rested_ = has_rested_ || busy_until_ps_ == open_start || k.start_ps - busy_until_ps_ >= longest_rest_ps;
    const bool queued = !launched && !has_rested_;
    busy_until_ps_ = std::max(busy_until_ps_, end_ps);
    misses_launches_ = misses_launches_ || unlaunched;
    const auto after = std::upper_bound(of_.begin(), of_.end(), at,
                                        [](std::int64_t t, const step_marker& m) { return t < m.start_ps; });
    if (after == of_.begin()) {
      before_ps_ = std::max(before_ps_, end_ps);
      return;
    }
    const auto marker = static_cast<std::size_t>(after - of_.begin()) - 1;
    span& here = spans_[marker];
    here.any_ps = std::max(here.any_ps, end_ps);
    if (unlaunched && !here.has_launched()) here.earlier_ps = std::max(here.earlier_ps, end_ps);
    if (!holds(marker, at, next_ && !unlaunched, queued)) return;
    here.own_ps = std::max(here.own_ps, end_ps);
    if (unlaunched) {
      here.begins_here = true;
      return;
    }
    here.first = std::min(here.first, k.start_ps);
    here.last = std::max(here.last, end_ps);
  }

  static constexpr std::int64_t longest_rest_ps = bubble_thresholds{}.reportable_gap_ps;
  const markers& of_;
  const bool by_launch_, next_, last_ends_itself_;
  bool misses_launches_ = false, has_rested_ = false;  // since the end of the last marker
  std::int64_t busy_until_ps_ = open_start, before_ps_ = open_start;
  hash_map<std::size_t, span> spans_;  // a device may know few of all steps
};

step_window window_of(const step_marker& m, std::int64_t start_ps, std::int64_t end_ps) {
  step_window w;
  w.start_ps = start_ps;
  w.end_ps = m.ends_itself ? std::max(end_ps, m.end_ps) : end_ps;
  w.marker_end_ps = m.end_ps;
  w.number = m.number;
  w.name = m.name;
  w.source = m.source;
  w.ends_itself = m.ends_itself;
  return w;
}

step_window window_of(const step_marker& m) { return window_of(m, m.start_ps, std::max(m.end_ps, m.start_ps)); }

bool by_start(const step_window& a, const step_window& b) { return a.start_ps < b.start_ps; }

// Whether steps last from where they begin to where the next one does.
bool is_next_to_next(window_policy policy) noexcept {
  return policy == window_policy::whole || policy == window_policy::guide;
}

// Own spans, disjoint: what overlaps the next one is cut. Under `guide` each ends where the next one begins, unless
// there may be others between them.
void settle(device_windows& found, bool guide, bool steps_truncated) {
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
  if (guide && !all.empty() && !steps_truncated && !all.back().ends_itself) all.back().end_ps = open_end;
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
  span_finder finder(from, false, true, false);
  if (result<void> seen = of.visit_kernels(device, finder, host); !seen) return seen;
  for (const auto& [i, s] : finder.spans())
    if (s.has_launched()) into.windows.push_back(window_of(from[i], s.first, s.last));
  return {};
}

// The windows in which kernels of a device begin, in their order.
class begin_finder final : public kernel_visitor {
 public:
  explicit begin_finder(const std::vector<step_window>& of) : of_(of) {}
  result<void> rows(const kernel_row* rows, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t at = rows[i].start_ps;
      if (!rows[i].makes_interval() || at < until_ps_) continue;  // kernels come by their starts
      const auto after = std::upper_bound(of_.begin(), of_.end(), at,
                                          [](std::int64_t t, const step_window& w) { return t < w.start_ps; });
      if (after == of_.begin() || std::prev(after)->end_ps <= at) continue;
      found.push_back(static_cast<std::size_t>(after - of_.begin()) - 1);
      until_ps_ = std::prev(after)->end_ps;
    }
    return {};
  }
  std::vector<std::size_t> found;

 private:
  const std::vector<step_window>& of_;
  std::int64_t until_ps_ = open_start;
};

// Steps of the host on a device that has the host's time. Each device of a host may have as many without kernels
// as the host has steps: only some are kept.
result<void> take_host_windows(const activity& of, std::size_t device, const group_steps& steps, bool guide,
                               const hooks& host, device_windows& into) {
  const std::vector<step_window>& all = steps.windows;
  const std::uint64_t kept = idle_steps_kept.share(of.devices().size());
  into.source = "host markers";
  into.is_settled = true;
  into.cut += steps.cut;
  if (all.size() <= kept) {
    into.windows = all;
  } else {
    begin_finder begins(all);
    if (result<void> seen = of.visit_kernels(device, begins, host); !seen) return seen;
    auto begun = begins.found.begin();
    std::uint64_t idle = 0;
    for (std::size_t i = 0; i < all.size() && (idle < kept || begun != begins.found.end());) {
      const bool begins_here = begun != begins.found.end() && *begun == i;
      if (begins_here)
        ++begun;
      else
        ++idle;
      into.windows.push_back(all[i]);
      i = idle < kept || begun == begins.found.end() ? i + 1 : *begun;
    }
    into.steps_left_out = all.size() - into.windows.size();
  }
  if (!guide || !of.devices()[device].steps_truncated || into.windows.empty()) return {};
  step_window& last = into.windows.back();
  if (last.end_ps != open_end) return {};
  last.end_ps = std::max(last.marker_end_ps, last.start_ps);
  if (last.end_ps != last.start_ps) return {};
  into.windows.pop_back();
  ++into.cut;
  return {};
}

// The last window that starts before `end_ps`, where it reaches beyond `start_ps`.
const step_window* window_over(const std::vector<step_window>& ascending, std::int64_t start_ps, std::int64_t end_ps) {
  const auto after = std::lower_bound(ascending.begin(), ascending.end(), end_ps,
                                      [](const step_window& w, std::int64_t at) { return w.start_ps < at; });
  return after == ascending.begin() || std::prev(after)->end_ps <= start_ps ? nullptr : &*std::prev(after);
}

std::string_view stem_of(std::string_view name) noexcept {
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

// Windows of steps before one that is not found end with themselves. No step is looked at that is neither found
// nor annotated, but for the first of a name.
template <class IsMissing>
void mark_last_known(const group_steps& steps, const hash_set<std::size_t>& found, const IsMissing& is_missing,
                     std::vector<step_window>& windows) {
  const auto is_lost = [&](std::size_t i) {
    return i < steps.markers.size() && is_missing(steps.markers[i].name) && !found.contains(i);
  };
  hash_map<string_id, bool> lost_after;
  for (step_window& w : windows) {
    const auto [at, is_new] = lost_after.try_emplace(w.name, false);
    if (const auto same = steps.by_name.find(w.name); is_new && same != steps.by_name.end())
      at->second = std::any_of(same->second.begin(), same->second.end(), [&](std::size_t i) { return is_lost(i + 1); });
    w.ends_itself = w.ends_itself || at->second;
  }
}

// Steps of the host on a device whose time is another: by the device's annotation of that name, else by the kernels
// that the step launched, else by the host's time, where kernels without a known launch begin.
result<void> take_host_steps(const activity& of, std::size_t device, const marker_lists& marked, window_policy policy,
                             const hooks& host, std::optional<span_finder>& by_launch, device_windows& into) {
  const bool guide = is_next_to_next(policy), to_the_next = policy != window_policy::marker;
  const group_steps& steps = *marked.host;
  hash_map<string_id, std::uint64_t> annotated_by_name;
  for (const step_marker& m : marked.device)
    if (steps.by_name.contains(m.name)) ++annotated_by_name[m.name];
  const auto is_missing = [&](string_id name) {
    const auto found = annotated_by_name.find(name);
    return found == annotated_by_name.end() || found->second < steps.by_name.find(name)->second.size();
  };
  std::size_t missing = steps.markers.size();  // steps without an annotation
  for (const auto& [name, count] : annotated_by_name)
    if (!is_missing(name)) missing -= steps.by_name.find(name)->second.size();
  auto& windows = into.windows;
  take_markers(marked.device, into);
  if (missing == 0) return {};
  // Annotations of other stretches than the host's steps divide the device's time on their own.
  const auto is_alike = [&](const step_marker& m) {
    return stem_of(of.text(m.name)) == stem_of(of.text(steps.markers.front().name));
  };
  if (!windows.empty() && std::none_of(marked.device.begin(), marked.device.end(), is_alike)) return {};

  span_finder& finder = by_launch.emplace(steps.markers, true, to_the_next, policy == window_policy::whole);
  if (result<void> seen = of.visit_kernels(device, finder, host); !seen) return seen;
  const std::vector<step_window> annotated = windows;
  hash_set<std::size_t> found;            // steps with a known time on the device
  std::vector<std::size_t> begins_alone;  // steps in whose time kernels without a known launch begin
  for (const auto& [i, s] : finder.spans()) {
    const step_marker& m = steps.markers[i];
    if (!is_missing(m.name)) continue;
    if (!s.has_launched()) {
      if (s.begins_here) begins_alone.push_back(i);
      continue;
    }
    found.insert(i);
    const step_window* const own = window_over(annotated, s.first, s.last);
    if (own == nullptr || own->name != m.name) windows.push_back(window_of(m, s.first, s.last));
  }
  const std::size_t launched = windows.size() - annotated.size();
  if (windows.empty())  // launches are recorded, but none of these steps
    return take_host_windows(of, device, steps, guide, host, into);
  std::vector<step_window> known = windows;
  std::stable_sort(known.begin(), known.end(), by_start);
  for (const std::size_t i : begins_alone) {
    const step_marker& m = steps.markers[i];
    if (window_over(known, m.start_ps, m.end_ps) != nullptr) continue;
    windows.push_back(window_of(m));
    found.insert(i);
  }
  into.steps_not_found += missing - found.size();
  if (finder.misses_launches()) mark_last_known(steps, found, is_missing, windows);
  const bool by_host = windows.size() > annotated.size() + launched;
  const int sources = (annotated.empty() ? 0 : 1) + (launched > 0 ? 1 : 0) + (by_host ? 1 : 0);
  if (sources > 1) {
    into.source = "mixed";
  } else if (launched > 0) {
    into.source = "launches";
  }
  return {};
}

// Which of the host's markers the windows of a device are of: by name, and by position among those of the name; where the device
// has fewer of a name, the last one that begins before the window.
std::vector<std::optional<std::size_t>> markers_of_windows(const group_steps& steps, const std::vector<step_window>& windows) {
  hash_map<string_id, std::size_t> count;
  for (const step_window& w : windows) ++count[w.name];
  hash_map<string_id, std::size_t> seen;
  std::vector<std::optional<std::size_t>> found(windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto named = steps.by_name.find(windows[i].name);
    if (named == steps.by_name.end()) continue;
    const std::vector<std::size_t>& marked = named->second;
    if (marked.size() == count[windows[i].name]) {
      found[i] = marked[seen[windows[i].name]++];
      continue;
    }
    const auto after = std::upper_bound(marked.begin(), marked.end(), windows[i].start_ps,
                                        [&](std::int64_t t, std::size_t m) { return t < steps.markers[m].start_ps; });
    if (after != marked.begin()) found[i] = *std::prev(after);
  }
  return found;
}

// Steps last as long as their marks say, as far as the device is free: where nothing from before a mark runs past its start, the
// step begins with it; the first one else when that ends. The last one ends with its mark, or with its last kernel.
result<void> place_by_marks(const activity& of, std::size_t device, const group_steps& steps, const hooks& host,
                            std::optional<span_finder>& by_launch, device_windows& into) {
  const markers& marks = steps.markers;
  std::vector<step_window>& windows = into.windows;
  step_window& last = windows.back();
  const bool is_open = last.end_ps == open_end;
  // Marks of the device itself, in its own time.
  if (marks.empty() || last.source == marker_source::line || last.source == marker_source::run) {
    const bool says = last.source != marker_source::device_annotation && last.marker_end_ps > last.start_ps;
    if (is_open && says) last.end_ps = last.marker_end_ps;
    last.tail_known = !is_open || says;
    return {};
  }
  const bool has_launches = of.devices()[device].has_launches, is_known = has_launches && by_launch;
  span_finder& finder = is_known ? *by_launch : by_launch.emplace(marks, has_launches, true, true);
  if (!is_known)
    if (result<void> seen = of.visit_kernels(device, finder, host); !seen) return seen;
  const auto spans = finder.spans();
  const auto marker_of = markers_of_windows(steps, windows);
  const bool has_host_time = of.devices()[device].type == accelerator::npu;
  std::int64_t busy_until_ps = finder.before_ps();  // with what was launched before the mark
  auto span = spans.begin();
  for (std::size_t i = 0; i < windows.size() && !has_host_time; ++i) {
    step_window& w = windows[i];
    if (i > 0 && windows[i - 1].source == marker_source::device_annotation)
      busy_until_ps = std::max(busy_until_ps, windows[i - 1].marker_end_ps);
    if (!marker_of[i]) continue;
    const step_marker& m = marks[*marker_of[i]];
    for (; span != spans.end() && span->first < *marker_of[i]; ++span) busy_until_ps = std::max(busy_until_ps, span->second.any_ps);
    if (m.start_ps >= w.start_ps) continue;
    const bool ran = span != spans.end() && span->first == *marker_of[i];
    const std::int64_t free_ps = ran ? std::max(busy_until_ps, span->second.earlier_ps) : busy_until_ps;
    if (i == 0) {
      w.start_ps = std::clamp(free_ps, m.start_ps, w.start_ps);
    } else if (free_ps <= m.start_ps && m.start_ps > windows[i - 1].start_ps) {
      if (windows[i - 1].end_ps == w.start_ps) windows[i - 1].end_ps = m.start_ps;
      w.start_ps = m.start_ps;
    } else if (marker_of[i - 1] && marks[*marker_of[i - 1]].ends_itself && windows[i - 1].end_ps < w.start_ps) {
      w.start_ps = std::clamp(free_ps, std::max(m.start_ps, windows[i - 1].end_ps), w.start_ps);
    }
  }
  if (!is_open) return {};
  last.tail_known = marker_of.back() && has_end(marks[*marker_of.back()]);
  if (!last.tail_known) return {};
  const step_marker& m = marks[*marker_of.back()];
  const auto own = std::find_if(spans.begin(), spans.end(), [&](const auto& s) { return s.first == *marker_of.back(); });
  last.end_ps = std::max({m.end_ps, last.marker_end_ps, own == spans.end() ? open_start : own->second.own_ps});
  return {};
}

const char* name_of_device_source(const markers& device) {
  const marker_source source = device.front().source;
  return source == marker_source::line || source == marker_source::run ? "line" : "device annotations";
}

}  // namespace

host_steps::host_steps(const activity& of, window_policy policy) : policy_(policy) {
  for (const activity_device& on : of.devices()) {
    const auto [at, is_new] = groups_.try_emplace(on.host_group);
    if (!is_new) continue;
    group_steps& steps = at->second;
    const marker_range all = markers_of_device(of, on.host_group, -1);
    steps.markers = best_of({all.begin(), all.end()});
    for (std::size_t i = 0; i < steps.markers.size(); ++i) steps.by_name[steps.markers[i].name].push_back(i);
    device_windows windows;
    take_markers(steps.markers, windows);
    settle(windows, is_next_to_next(policy), false);
    steps.windows = std::move(windows.windows);
    steps.cut = windows.cut;
  }
}

result<device_windows> find_windows(const activity& of, std::size_t device, const host_steps& hosts,
                                    const hooks& host) {
  const activity_device& on = of.devices()[device];
  const marker_lists marked = markers_of(of, device, hosts);
  const markers& host_markers = marked.host->markers;
  const window_policy policy = hosts.policy();
  const bool is_device_policy = policy == window_policy::device;
  const bool far_from_host = on.type != accelerator::npu;
  device_windows found;
  std::optional<span_finder> by_launch;  // where the kernels were looked through
  result<void> taken;
  bool guide = is_next_to_next(policy);
  if (!marked.device.empty() && (far_from_host || is_device_policy || host_markers.empty())) {
    found.source = name_of_device_source(marked.device);
    if (marked.device.front().source == marker_source::device_annotation) {
      taken = take_host_steps(of, device, marked, policy, host, by_launch, found);
    } else {
      take_markers(marked.device, found);
    }
  } else if (!marked.step_ids.empty() && (is_device_policy || host_markers.empty())) {
    take_markers(marked.step_ids, found);
    found.source = "step ids";
    guide = false;
  } else if (!host_markers.empty() && on.has_launches && (far_from_host || is_device_policy)) {
    taken = take_host_steps(of, device, marked, policy, host, by_launch, found);
  } else if (!host_markers.empty() && is_device_policy) {
    taken = take_spans(of, device, host_markers, host, found);
    found.source = "host markers";
  } else if (!host_markers.empty()) {
    taken = take_host_windows(of, device, *marked.host, guide, host, found);
  }
  if (!taken) return std::move(taken).error();
  if (!found.is_settled) settle(found, guide, on.steps_truncated);
  if (policy == window_policy::whole && guide && !found.windows.empty())
    if (result<void> placed = place_by_marks(of, device, *marked.host, host, by_launch, found); !placed) return std::move(placed).error();
  if (found.windows.empty()) {
    step_window whole;
    whole.pseudo = true;
    found.windows.push_back(whole);
    found.source = "none";
  }
  return found;
}

void keep_to(const step_filter& only, const activity& of, device_windows& windows) {
  const std::int64_t from_ps = only.from_ps.value_or(open_start), to_ps = only.to_ps.value_or(open_end);
  for (std::size_t i = 0; i < windows.windows.size(); ++i) {
    step_window& w = windows.windows[i];
    if (w.pseudo) {
      w.start_ps = from_ps;
      w.end_ps = to_ps;
      w.asked = !only.step && only.name.empty();
    } else {
      w.asked = (!only.step || *only.step == i) && w.start_ps < to_ps && w.end_ps > from_ps &&
                contains(of.text(w.name), only.name);
    }
  }
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
