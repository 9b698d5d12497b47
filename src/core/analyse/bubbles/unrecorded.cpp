#include <trace/windows/markers.hpp>
#include <analyse/bubbles/unrecorded.hpp>

#include <base/hash_map.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

constexpr std::int64_t no_end = INT64_MAX;

// A kernel with a known launch.
struct launched {
  std::uint32_t thread;
  std::int64_t launch_ps, start_ps, end_ps;
  std::uint32_t device;
  std::uint16_t stream;
  bool copy;
};

class launched_kernels final : public kernel_visitor {
 public:
  explicit launched_kernels(std::vector<launched>& into) : into_(into) {}
  void on_device(std::uint32_t device) noexcept { device_ = device; }
  result<void> rows(const kernel_row* rows, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      const kernel_row& k = rows[i];
      if (k.launch_ps != no_time_ps)
        into_.push_back({k.launch_thread, k.launch_ps, k.start_ps, saturating_add(k.start_ps, k.duration_ps), device_,
                         k.stream, k.kind == kernel_class::copy});
    }
    return {};
  }

 private:
  std::vector<launched>& into_;
  std::uint32_t device_ = 0;
};

// The end of the host's step at an instant; the instant outside of steps.
std::int64_t end_of_step(const activity& of, std::uint32_t group, std::int64_t at_ps) {
  const step_marker* const step = last_begun_by(markers_of_device(of, group, -1), at_ps);
  return step == nullptr ? at_ps : std::max(at_ps, step->end_ps);
}

// The launches of one host.
class host_launches {
 public:
  host_launches(const activity& of, std::uint32_t group, std::vector<launched> kernels,
                std::vector<std::vector<kernel_row>>& into)
      : of_(of), group_(group), kernels_(std::move(kernels)), places_(of.hosts()[group].unrecorded.size()), into_(into) {
    std::stable_sort(kernels_.begin(), kernels_.end(),
                     [](const launched& a, const launched& b) { return a.launch_ps < b.launch_ps; });
  }

  void place() {
    look_before();
    look_after();
    for (std::uint32_t device = 0; device < into_.size(); ++device)
      std::stable_sort(into_[device].begin(), into_[device].end(),
                       [](const kernel_row& a, const kernel_row& b) { return a.start_ps < b.start_ps; });
  }

 private:
  // Where the work of a launch most likely went.
  struct place_of_launch {
    bool known = false;
    std::uint32_t device = 0;
    std::uint16_t stream = 0;
    std::int64_t from_ps = no_time_ps;  // the kernel before it on that stream has ended
  };

  // By the kernel that the thread launched last.
  void look_before() {
    hash_map<std::uint32_t, place_of_launch> last;
    std::size_t at = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const unrecorded_launch& l = of_.hosts()[group_].unrecorded[i];
      for (; at < kernels_.size() && kernels_[at].launch_ps < l.start_ps; ++at)
        if (!kernels_[at].copy) last[kernels_[at].thread] = {true, kernels_[at].device, kernels_[at].stream, kernels_[at].end_ps};
      if (const auto found = last.find(l.thread); found != last.end()) places_[i] = found->second;
    }
  }

  // By the one that it launches next; and when the first kernel began that came later on that stream, else on that device.
  void look_after() {
    hash_map<std::uint32_t, place_of_launch> next;
    hash_map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>, std::int64_t> of_stream;  // by thread, device, stream
    hash_map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> of_thread;                  // by thread, device
    std::vector<std::int64_t> of_device(into_.size(), no_end);
    std::size_t left = kernels_.size();
    for (std::size_t i = places_.size(); i-- > 0;) {
      const unrecorded_launch& l = of_.hosts()[group_].unrecorded[i];
      for (; left > 0 && kernels_[left - 1].launch_ps >= l.start_ps; --left) {
        const launched& k = kernels_[left - 1];
        if (!k.copy) next[k.thread] = {true, k.device, k.stream, no_time_ps};
        of_stream[{k.thread, k.device, k.stream}] = k.start_ps;
        of_thread[{k.thread, k.device}] = k.start_ps;
        of_device[k.device] = std::min(of_device[k.device], k.start_ps);
      }
      if (!places_[i].known)
        if (const auto found = next.find(l.thread); found != next.end()) places_[i] = found->second;
      const place_of_launch& place = places_[i];
      if (!place.known) {
        for (std::uint32_t device = 0; device < into_.size(); ++device)
          if (of_.devices()[device].host_group == group_) add(l, device, l.start_ps, of_device[device]);
        continue;
      }
      std::int64_t end_ps = no_end;
      if (const auto stream = of_stream.find({l.thread, place.device, place.stream}); stream != of_stream.end())
        end_ps = stream->second;
      else if (const auto thread = of_thread.find({l.thread, place.device}); thread != of_thread.end())
        end_ps = thread->second;
      add(l, place.device, std::max(l.start_ps, place.from_ps), end_ps);
    }
  }

  void add(const unrecorded_launch& l, std::uint32_t device, std::int64_t start_ps, std::int64_t end_ps) {
    if (end_ps == no_end) end_ps = end_of_step(of_, group_, l.start_ps);
    kernel_row k;
    k.start_ps = start_ps;
    if (end_ps > start_ps) k.duration_ps = checked_sub(end_ps, start_ps).value_or(0);  // none where it is out of reach
    k.launch_ps = l.start_ps;
    k.launch_end_ps = l.end_ps;
    k.launch_thread = l.thread;
    k.name = k.op_type = l.name;
    k.kind = kernel_class::other;
    into_[device].push_back(k);
  }

  const activity& of_;
  const std::uint32_t group_;
  std::vector<launched> kernels_;         // by launch
  std::vector<place_of_launch> places_;  // as the launches
  std::vector<std::vector<kernel_row>>& into_;
};

}  // namespace

result<std::vector<std::vector<kernel_row>>> find_unrecorded_work(const activity& of, const hooks& host) {
  std::vector<std::vector<kernel_row>> found(of.devices().size());
  for (std::uint32_t group = 0; group < of.hosts().size(); ++group) {
    if (of.hosts()[group].unrecorded.empty()) continue;
    std::vector<launched> kernels;
    launched_kernels visitor(kernels);
    for (std::uint32_t device = 0; device < of.devices().size(); ++device) {
      if (of.devices()[device].host_group != group) continue;
      visitor.on_device(device);
      if (result<void> seen = of.visit_kernels(device, visitor, host); !seen) return std::move(seen).error();
    }
    host_launches(of, group, std::move(kernels), found).place();
  }
  return found;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
