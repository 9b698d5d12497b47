// The activity of a capture: dispatch to the fillers, and what they put together handed out.
#include <read/activity_parts.hpp>

#include <base/contained.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class filled_activity final : public activity {
 public:
  explicit filled_activity(activity_parts parts)
      : from_(std::move(parts.from)),
        strings_(std::move(parts.strings)),
        devices_(std::move(parts.devices)),
        kernels_(std::move(parts.kernels)),
        host_spans_(std::move(parts.host_spans)),
        markers_(std::move(parts.markers)),
        inputs_(std::move(parts.inputs)),
        communication_(std::move(parts.communication)),
        step_trace_(std::move(parts.step_trace)) {}

  [[nodiscard]] const std::vector<activity_device>& devices() const noexcept override { return devices_; }
  [[nodiscard]] const std::vector<step_marker>& markers() const noexcept override { return markers_; }
  [[nodiscard]] const std::vector<activity_input>& inputs() const noexcept override { return inputs_; }
  [[nodiscard]] const std::vector<communication_row>& communication() const noexcept override { return communication_; }
  [[nodiscard]] const std::vector<step_trace_row>& step_trace() const noexcept override { return step_trace_; }
  [[nodiscard]] std::string_view text(string_id id) const noexcept override { return strings_.text(id); }
  [[nodiscard]] std::optional<std::int64_t> origin_unix_ns() const noexcept override { return from_->origin_unix_ns(); }
  [[nodiscard]] bool has_host_spans(std::uint32_t host_group) const noexcept override {
    return host_group < host_spans_.size() && host_spans_[host_group] != nullptr;
  }

  result<void> visit_kernels(std::size_t device, kernel_visitor& into, const hooks& host) const override {
    return contained([&]() -> result<void> {
      if (device >= kernels_.size()) {
        return fault{fault_code::invalid_argument,
                     "device " + std::to_string(device) + " of " + std::to_string(kernels_.size()), "", no_offset, ""};
      }
      return kernels_[device]->visit(into, host);
    });
  }
  result<void> visit_host_spans(std::uint32_t host_group, std::int64_t from_ps, std::int64_t to_ps,
                                host_span_visitor& into, const hooks& host) const override {
    return contained([&]() -> result<void> {
      if (!has_host_spans(host_group) || from_ps >= to_ps) return {};
      return host_spans_[host_group]->visit(from_ps, to_ps, into, host);
    });
  }

 private:
  std::shared_ptr<const profile> from_;
  string_table strings_;
  std::vector<activity_device> devices_;
  std::vector<std::unique_ptr<const kernel_source>> kernels_;
  std::vector<std::unique_ptr<const host_span_source>> host_spans_;
  std::vector<step_marker> markers_;
  std::vector<activity_input> inputs_;
  std::vector<communication_row> communication_;
  std::vector<step_trace_row> step_trace_;
};

// In the promised order. Threads that each wrote a marker of the same step give one: earliest start, latest end.
void settle_markers(std::vector<step_marker>& markers) {
  const auto what = [](const step_marker& m) { return std::tie(m.host_group, m.device, m.source, m.number, m.name); };
  std::stable_sort(markers.begin(), markers.end(), [&](const step_marker& a, const step_marker& b) {
    return what(a) != what(b) ? what(a) < what(b) : a.start_ps < b.start_ps;
  });
  std::vector<step_marker> kept;
  for (const step_marker& m : markers) {
    if (!kept.empty() && m.number >= 0 && what(kept.back()) == what(m)) {
      kept.back().end_ps = std::max(kept.back().end_ps, m.end_ps);
    } else {
      kept.push_back(m);
    }
  }
  const auto place = [](const step_marker& m) { return std::tie(m.host_group, m.device, m.start_ps, m.source); };
  std::stable_sort(kept.begin(), kept.end(),
                   [&](const step_marker& a, const step_marker& b) { return place(a) < place(b); });
  markers = std::move(kept);
}

// Every rank of a JSON or table capture may have a "GPU 0": such names get their rank, else their file. XSpace devices
// are told apart by their planes.
void tell_devices_apart(activity_parts& parts) {
  std::map<string_id, std::vector<activity_device*>> same_name;
  for (activity_device& d : parts.devices)
    if (d.plane < 0) same_name[d.name].push_back(&d);
  for (auto& [name, devices] : same_name) {
    if (devices.size() < 2) continue;
    std::set<std::int32_t> ranks;
    for (const activity_device* d : devices) ranks.insert(d->rank);
    const bool by_rank = ranks.size() == devices.size() && *ranks.begin() >= 0;
    const std::string shared(parts.strings.text(name));
    for (activity_device* d : devices) {
      const std::string& path = parts.from->what().files[d->file].path;
      d->name = parts.strings.intern(
          shared + (by_rank ? " of rank " + std::to_string(d->rank) : " of " + path.substr(path.rfind('/') + 1)));
    }
  }
}

}  // namespace

const char* kernel_class_name(kernel_class c) noexcept {
  switch (c) {
    case kernel_class::compute: return "compute";
    case kernel_class::aicpu: return "aicpu";
    case kernel_class::comm: return "comm";
    case kernel_class::copy: return "copy";
    case kernel_class::other: return "other";
  }
  return "other";
}

const char* accelerator_name(accelerator a) noexcept {
  switch (a) {
    case accelerator::other: return "other";
    case accelerator::tpu: return "tpu";
    case accelerator::gpu: return "gpu";
    case accelerator::npu: return "npu";
  }
  return "other";
}

std::int32_t activity_parts::add_device(activity_device device, std::unique_ptr<const kernel_source> of) {
  if (strings.text(device.name).find(options.device) == std::string_view::npos) return -1;
  devices.push_back(std::move(device));
  kernels.push_back(std::move(of));
  return static_cast<std::int32_t>(devices.size() - 1);
}

result<std::shared_ptr<const activity>> read_activity(std::shared_ptr<const profile> from,
                                                      const activity_options& options, const hooks& host) {
  return contained([&]() -> result<std::shared_ptr<const activity>> {
    auto steps = step_names::make(options.step_pattern);
    if (!steps) return std::move(steps).error();
    activity_parts parts(std::move(from), options, host, std::move(*steps));
    for (const auto fill : {fill_activity_from_xspace, fill_activity_from_ascend, fill_activity_from_kineto}) {
      if (result<void> filled = fill(parts); !filled) return std::move(filled).error();
    }
    settle_markers(parts.markers);
    tell_devices_apart(parts);
    return std::shared_ptr<const activity>(std::make_shared<filled_activity>(std::move(parts)));
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
