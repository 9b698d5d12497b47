#include <formats/kineto/graph_captures.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

bool has_same_kernels(const std::vector<replayed_kernel>& a, const std::vector<replayed_kernel>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const replayed_kernel& x, const replayed_kernel& y) {
    return x.name == y.name && x.device == y.device && x.graph == y.graph && x.node == y.node;
  });
}

// Whether kernels ran one after the other on one stream, and, where nodes have numbers, in the order of these.
bool is_one_line(const std::vector<replayed_kernel>& kernels) {
  for (std::size_t i = 1; i < kernels.size(); ++i) {
    const replayed_kernel &before = kernels[i - 1], &k = kernels[i];
    if (k.device != before.device || k.stream != before.stream || k.start_ps == before.start_ps || k.graph != before.graph) return false;
    if ((k.node == no_launch_id) != (before.node == no_launch_id)) return false;
    if (k.node != no_launch_id && k.node <= before.node) return false;
  }
  return true;
}

}  // namespace

void graph_captures::note(capture_call what, std::uint32_t thread, std::int64_t start_ps, std::int64_t end_ps) {
  if (what == capture_call::waits)
    waits_.push_back(start_ps);
  else
    begins_and_ends_.push_back({thread, start_ps, end_ps, what == capture_call::begins});
}

void graph_captures::settle(launch_calls& calls) {
  if (empty()) return;
  find_captures();
  take_launches(calls);
  for (const capture& c : captures_)
    for (const std::size_t launch : c.launches) calls.set_captured(launch);
}

// From the end of the call that begins one to the start of the call that ends it, on the same thread.
void graph_captures::find_captures() {
  std::sort(begins_and_ends_.begin(), begins_and_ends_.end(), [](const mark& a, const mark& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.start_ps < b.start_ps;
  });
  for (std::size_t i = 1; i < begins_and_ends_.size(); ++i) {
    const mark &from = begins_and_ends_[i - 1], &to = begins_and_ends_[i];
    if (from.begins && !to.begins && from.thread == to.thread) captures_.push_back({from.end_ps, to.start_ps, true, {}});
  }
  std::sort(captures_.begin(), captures_.end(), [](const capture& a, const capture& b) { return a.start_ps < b.start_ps; });
  std::sort(waits_.begin(), waits_.end());
  for (std::size_t i = 0; i < captures_.size(); ++i) {
    capture& c = captures_[i];
    const auto wait = std::lower_bound(waits_.begin(), waits_.end(), c.start_ps);
    if (wait != waits_.end() && *wait < c.end_ps) c.is_one_line = false;
    if (i > 0 && c.start_ps < captures_[i - 1].end_ps) {
      c.is_one_line = captures_[i - 1].is_one_line = false;
      captures_[i - 1].end_ps = c.start_ps;  // each launch is in one of them
    }
  }
}

// Those without a kernel of their own; other threads launch, too, for what runs backward has one.
void graph_captures::take_launches(const launch_calls& calls) {
  calls.for_each_launch([&](std::size_t at, const launch_calls::call& c, launched_work work) {
    const auto after = std::upper_bound(captures_.begin(), captures_.end(), c.start_ps,
                                        [](std::int64_t ps, const capture& each) { return ps < each.start_ps; });
    if (after == captures_.begin() || c.start_ps >= (after - 1)->end_ps || calls.has_kernel(c)) return;
    if (work == launched_work::kernel)
      (after - 1)->launches.push_back(at);
    else if (work == launched_work::graph)
      (after - 1)->is_one_line = false;
  });
  for (capture& c : captures_) {
    std::sort(c.launches.begin(), c.launches.end(),
              [&](std::size_t a, std::size_t b) { return calls.at(a).start_ps < calls.at(b).start_ps; });
    for (std::size_t i = 1; i < c.launches.size(); ++i)
      if (calls.at(c.launches[i]).start_ps < calls.at(c.launches[i - 1]).end_ps) c.is_one_line = false;
  }
}

// Null where there are several, or none.
const graph_captures::capture* graph_captures::only_capture_of(std::size_t launches) const {
  const capture* found = nullptr;
  for (const capture& c : captures_) {
    if (c.launches.size() != launches) continue;
    if (found != nullptr) return nullptr;
    found = &c;
  }
  return found;
}

bool graph_captures::is_explained(std::size_t kernels, std::int64_t launch_ps) const {
  return std::any_of(captures_.begin(), captures_.end(),
                     [&](const capture& c) { return c.launches.size() == kernels && c.end_ps <= launch_ps; });
}

std::vector<graph_captures::order_link> graph_captures::link(std::map<std::size_t, std::vector<replayed_kernel>>& replays,
                                                             const launch_calls& calls) const {
  using replay = std::pair<const std::size_t, std::vector<replayed_kernel>>;
  std::map<std::size_t, std::vector<const replay*>> by_size;
  for (replay& each : replays) {
    auto& [launch, kernels] = each;
    std::sort(kernels.begin(), kernels.end(),
              [](const replayed_kernel& a, const replayed_kernel& b) { return a.start_ps < b.start_ps; });
    // The trace lacks the capture of some graph: any replay may be of that one.
    if (!is_explained(kernels.size(), calls.at(launch).start_ps)) return {};
    by_size[kernels.size()].push_back(&each);
  }
  std::vector<order_link> links;
  for (const auto& [size, all] : by_size) {
    const capture* const from = only_capture_of(size);
    if (from == nullptr || !from->is_one_line) continue;
    const std::vector<replayed_kernel>& first = all.front()->second;
    const bool fits = std::all_of(all.begin(), all.end(), [&](const replay* each) {
      return is_one_line(each->second) && has_same_kernels(each->second, first);
    });
    if (!fits) continue;
    for (const replay* const each : all)
      for (std::size_t i = 0; i < size; ++i)
        links.push_back({each->second[i].device, each->second[i].row, from->launches[i], each->first});
  }
  return links;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
