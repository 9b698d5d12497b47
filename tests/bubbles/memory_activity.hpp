// An activity built by hand, in memory.
#pragma once
#include <profkit/core/activity.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace profkit::test {

inline constexpr std::int64_t us = 1'000'000, ms = 1'000'000'000;  // in ps

class memory_activity : public activity {
 public:
  std::size_t batch = 7;  // kernels that a visitor gets at a time
  string_id id(const std::string& text) {
    const auto [at, is_new] = ids_.emplace(text, static_cast<string_id>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return at->second;
  }
  std::uint32_t add_device(const std::string& name, accelerator type = accelerator::npu, std::uint32_t group = 0,
                           const std::vector<std::int64_t>& streams = {2, 46}) {
    activity_device& d = devices_.emplace_back();
    d.name = id(name);
    d.type = type;
    d.host_group = group;
    for (const std::int64_t s : streams) d.streams.push_back({s, 0});
    kernels_.emplace_back();
    return static_cast<std::uint32_t>(devices_.size() - 1);
  }
  activity_device& device(std::uint32_t at) { return devices_[at]; }
  std::vector<kernel_row>& kernels_of(std::uint32_t device) { return kernels_[device]; }
  kernel_row& kernel(std::uint32_t device, std::int64_t start_ps, std::int64_t duration_ps,
                     const std::string& type = "MatMul", kernel_class kind = kernel_class::compute,
                     std::uint16_t stream = 0) {
    kernel_row& k = kernels_[device].emplace_back();
    k.start_ps = start_ps;
    k.duration_ps = duration_ps;
    k.name = k.op_type = id(type);
    k.kind = kind;
    k.stream = stream;
    k.flags = kernel_has_stream;
    k.source_row = kernels_[device].size();
    return k;
  }
  host_span& host(std::int64_t start_ps, std::int64_t duration_ps, const std::string& name = "aten::add",
                  std::uint32_t thread = 0, std::uint32_t group = 0, host_span_kind kind = host_span_kind::op) {
    traced_[group] = true;
    host_span& s = spans_[group].emplace_back();
    s.start_ps = start_ps;
    s.duration_ps = duration_ps;
    s.name = id(name);
    s.thread = thread;
    s.kind = kind;
    return s;
  }
  void trace(std::uint32_t group = 0) { traced_[group] = true; }
  void step(std::int64_t number, std::int64_t start_ps, std::int64_t end_ps, std::int32_t device = -1,
            marker_source source = marker_source::profiler_step, std::uint32_t group = 0) {
    step_marker m;
    m.host_group = group;
    m.device = device;
    m.name = id("ProfilerStep#" + std::to_string(number));
    m.number = number;
    m.start_ps = start_ps;
    m.end_ps = end_ps;
    m.source = source;
    markers_.push_back(m);
  }
  std::vector<step_marker>& all_markers() { return markers_; }

  [[nodiscard]] const std::vector<activity_device>& devices() const noexcept override { return devices_; }
  [[nodiscard]] const std::vector<activity_host>& hosts() const noexcept override { return hosts_; }
  [[nodiscard]] const std::vector<activity_thread>& threads() const noexcept override { return threads_; }
  [[nodiscard]] const std::vector<step_marker>& markers() const noexcept override { return markers_; }
  [[nodiscard]] const std::vector<activity_input>& inputs() const noexcept override { return inputs_; }
  [[nodiscard]] const std::vector<communication_row>& communication() const noexcept override { return communication_; }
  [[nodiscard]] const std::vector<step_trace_row>& step_trace() const noexcept override { return step_trace_; }
  [[nodiscard]] std::string_view text(string_id i) const noexcept override {
    return i < texts_.size() ? std::string_view(texts_[i]) : std::string_view();
  }
  [[nodiscard]] std::optional<std::int64_t> origin_unix_ns() const noexcept override { return std::nullopt; }
  [[nodiscard]] bool has_host_spans(std::uint32_t group) const noexcept override { return traced_.count(group) != 0; }
  result<void> visit_kernels(std::size_t device, kernel_visitor& into, const hooks&) const override {
    const auto earlier = [](const kernel_row& a, const kernel_row& b) {
      return std::make_tuple(a.start_ps, a.duration_ps) < std::make_tuple(b.start_ps, b.duration_ps);
    };
    std::vector<kernel_row> copy;
    const bool in_order = std::is_sorted(kernels_[device].begin(), kernels_[device].end(), earlier);
    if (!in_order) {
      copy = kernels_[device];
      std::stable_sort(copy.begin(), copy.end(), earlier);
    }
    const std::vector<kernel_row>& sorted = in_order ? kernels_[device] : copy;
    for (std::size_t i = 0; i < sorted.size(); i += batch)
      if (auto r = into.rows(sorted.data() + i, std::min(batch, sorted.size() - i)); !r) return r;
    return {};
  }
  result<void> visit_host_spans(std::uint32_t group, std::int64_t from_ps, std::int64_t to_ps, host_span_visitor& into,
                                const hooks&) const override {
    const auto found = spans_.find(group);
    if (found == spans_.end()) return {};
    for (const host_span& s : found->second)
      if (s.start_ps < to_ps && s.start_ps + s.duration_ps > from_ps)
        if (auto r = into.spans(&s, 1); !r) return r;
    return {};
  }
  [[nodiscard]] const std::vector<kernel_row>& kernels(std::size_t device) const { return kernels_[device]; }
  [[nodiscard]] const std::vector<host_span>& spans(std::uint32_t group = 0) const { return spans_.at(group); }
  std::vector<step_trace_row> step_trace_;
  std::vector<communication_row> communication_;

 private:
  std::vector<activity_device> devices_;
  std::vector<std::vector<kernel_row>> kernels_;
  std::map<std::uint32_t, std::vector<host_span>> spans_;
  std::map<std::uint32_t, bool> traced_;
  std::vector<activity_host> hosts_;
  std::vector<activity_thread> threads_;
  std::vector<step_marker> markers_;
  std::vector<activity_input> inputs_;
  std::map<std::string, string_id> ids_{{"", 0}};
  std::vector<std::string> texts_{""};
};

}  // namespace profkit::test
