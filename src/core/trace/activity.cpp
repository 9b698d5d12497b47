// The activity of a capture: dispatch to the fillers, and what they put together handed out.
#include <formats/activity_parts.hpp>
#include <formats/registry.hpp>

#include <base/affix.hpp>
#include <base/contained.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
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
        hosts_(std::move(parts.hosts)),
        threads_(std::move(parts.threads)),
        host_spans_(std::move(parts.host_spans)),
        markers_(std::move(parts.markers)),
        inputs_(std::move(parts.inputs)),
        communication_(std::move(parts.communication)),
        step_trace_(std::move(parts.step_trace)),
        lines_(std::move(parts.lines)),
        origins_(std::move(parts.origins)),
        operator_calls_(std::move(parts.operator_calls)) {}

  [[nodiscard]] const std::vector<activity_device>& devices() const noexcept override { return devices_; }
  [[nodiscard]] const std::vector<activity_host>& hosts() const noexcept override { return hosts_; }
  [[nodiscard]] const std::vector<activity_thread>& threads() const noexcept override { return threads_; }
  [[nodiscard]] const std::vector<step_marker>& markers() const noexcept override { return markers_; }
  [[nodiscard]] const std::vector<activity_input>& inputs() const noexcept override { return inputs_; }
  [[nodiscard]] const std::vector<communication_row>& communication() const noexcept override { return communication_; }
  [[nodiscard]] const std::vector<step_trace_row>& step_trace() const noexcept override { return step_trace_; }
  [[nodiscard]] const std::vector<line_count>& lines() const noexcept override { return lines_; }
  [[nodiscard]] const std::vector<kernel_origin>& origins() const noexcept override { return origins_; }
  [[nodiscard]] const std::vector<operator_call>& operator_calls() const noexcept override { return operator_calls_; }
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
  result<std::uint32_t> visit_host_spans_in(std::uint32_t host_group, interval_sequence windows,
                                            host_span_visitor& into, const hooks& host) const override {
    return contained([&]() -> result<std::uint32_t> {
      if (!has_host_spans(host_group) || windows.count == 0) return std::uint32_t{0};
      return host_spans_[host_group]->visit_in(windows, into, host);
    });
  }
  result<std::uint32_t> visit_host_spans_in_parts(std::uint32_t host_group, interval_sequence windows,
                                                  host_span_parts& into, const hooks& host) const override {
    return contained([&]() -> result<std::uint32_t> {
      if (!has_host_spans(host_group) || windows.count == 0) return std::uint32_t{0};
      return host_spans_[host_group]->visit_in_parts(windows, into, host);
    });
  }

 private:
  std::shared_ptr<const profile> from_;
  string_table strings_;
  std::vector<activity_device> devices_;
  std::vector<std::unique_ptr<const kernel_source>> kernels_;
  std::vector<activity_host> hosts_;
  std::vector<activity_thread> threads_;
  std::vector<std::unique_ptr<const host_span_source>> host_spans_;
  std::vector<step_marker> markers_;
  std::vector<activity_input> inputs_;
  std::vector<communication_row> communication_;
  std::vector<step_trace_row> step_trace_;
  std::vector<line_count> lines_;
  std::vector<kernel_origin> origins_;
  std::vector<operator_call> operator_calls_;
};

// Hands on what touches a window, and takes down the kinds of everything.
class window_filter final : public host_span_visitor {
 public:
  window_filter(interval_sequence windows, host_span_visitor& into) : windows_(windows), into_(into) {}
  bool wants(string_id name) override { return into_.wants(name); }
  result<void> spans(const host_span* spans, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      const host_span& s = spans[i];
      kinds_ |= 1U << static_cast<unsigned>(s.kind);
      if (s.duration_ps <= 0 || !touches(s.start_ps, saturating_add(s.start_ps, s.duration_ps))) continue;
      held_[held_count_++] = s;
      if (held_count_ < held_.size()) continue;
      if (result<void> given = give(); !given) return given;
    }
    return {};
  }
  result<void> give() {
    const std::size_t given = std::exchange(held_count_, 0);
    return given == 0 ? result<void>() : into_.spans(held_.data(), given);
  }
  [[nodiscard]] std::uint32_t kinds() const noexcept { return kinds_; }

 private:
  bool touches(std::int64_t start_ps, std::int64_t end_ps) noexcept {
    if (at_ > 0 && start_ps < windows_.data[at_ - 1].end_ps)
      at_ = static_cast<std::size_t>(std::partition_point(windows_.begin(), windows_.end(),
                                                          [&](const interval& w) { return w.end_ps <= start_ps; }) -
                                     windows_.begin());
    while (at_ < windows_.count && windows_.data[at_].end_ps <= start_ps) ++at_;
    return at_ < windows_.count && windows_.data[at_].start_ps < end_ps;
  }

  interval_sequence windows_;
  host_span_visitor& into_;
  std::size_t at_ = 0;  // the window looked at last
  std::uint32_t kinds_ = 0;
  std::array<host_span, 256> held_;
  std::size_t held_count_ = 0;
};

// `visit(from, to, into)` gives all spans of a stretch of time.
template <class Visit>
result<std::uint32_t> visit_filtered(interval_sequence windows, host_span_visitor& into, Visit&& visit) {
  if (windows.count == 0) return std::uint32_t{0};
  window_filter filter(windows, into);
  if (result<void> seen = visit(windows.data[0].start_ps, windows.data[windows.count - 1].end_ps, filter); !seen)
    return std::move(seen).error();
  if (result<void> given = filter.give(); !given) return std::move(given).error();
  return filter.kinds();
}

// One part with everything in it.
template <class Visit>
result<std::uint32_t> visit_as_one_part(host_span_parts& into, Visit&& visit) {
  auto part = into.begin();
  auto kinds = visit(*part);
  if (!kinds) return kinds;
  if (result<void> kept = into.keep(std::move(part)); !kept) return std::move(kept).error();
  return kinds;
}

// Whether another thread wrote this marker for the same step. A thread that counts anew marks other steps.
bool is_same_step(const step_marker& kept, const step_marker& m) noexcept {
  if (m.number < 0) return false;
  return m.thread == no_thread || (m.thread != kept.thread && m.start_ps < kept.end_ps);
}

// In the promised order. Threads that each wrote a marker of the same step give one: earliest start, latest end.
void settle_markers(std::vector<step_marker>& markers) {
  const auto what = [](const step_marker& m) { return std::tie(m.host_group, m.device, m.source, m.number, m.name); };
  std::stable_sort(markers.begin(), markers.end(), [&](const step_marker& a, const step_marker& b) {
    return what(a) != what(b) ? what(a) < what(b) : a.start_ps < b.start_ps;
  });
  std::vector<step_marker> kept;
  for (const step_marker& m : markers) {
    if (!kept.empty() && what(kept.back()) == what(m) && is_same_step(kept.back(), m)) {
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

// The rank given when a file was opened counts before what the file says.
std::int32_t shown_rank(const activity_parts& parts, const activity_device& d) {
  const std::int32_t given = parts.from->what().files[d.file].given_rank;
  return given >= 0 ? given : d.rank;
}
std::string of_rank(const activity_device& d) { return " of rank " + std::to_string(d.rank); }
std::string of_file(const activity_parts& parts, const activity_device& d) {
  const std::string& path = parts.from->what().files[d.file].path;
  return " of " + path.substr(path.rfind('/') + 1);
}

void name_ranks(activity_parts& parts) {
  const std::vector<capture_file>& files = parts.from->what().files;
  for (activity_host& h : parts.hosts)
    if (files[h.file].given_rank >= 0) h.rank = files[h.file].given_rank;
  for (std::vector<activity_device>* const some : {&parts.devices, &parts.unwanted})
    for (activity_device& d : *some) d.rank = shown_rank(parts, d);
}

// Every rank of a JSON or table capture may have a "GPU 0": such names get their rank, else their file. XSpace devices
// are distinguished by their planes.
void make_names_unique(activity_parts& parts) {
  std::map<string_id, std::vector<activity_device*>> same_name;
  for (std::vector<activity_device>* const some : {&parts.devices, &parts.unwanted})
    for (activity_device& d : *some)
      if (d.plane < 0) same_name[d.name].push_back(&d);
  for (auto& [name, devices] : same_name) {
    if (devices.size() < 2) continue;
    std::set<std::int32_t> ranks;
    for (const activity_device* d : devices) ranks.insert(d->rank);
    const bool by_rank = ranks.size() == devices.size() && *ranks.begin() >= 0;
    const std::string shared(parts.strings.text(name));
    for (activity_device* d : devices) d->name = parts.strings.intern(shared + (by_rank ? of_rank(*d) : of_file(parts, *d)));
  }
}

}  // namespace

const std::vector<operator_call>& activity::operator_calls() const noexcept {
  static const std::vector<operator_call> none;
  return none;
}

const std::vector<kernel_origin>& activity::origins() const noexcept {
  static const std::vector<kernel_origin> none;
  return none;
}

const std::vector<line_count>& activity::lines() const noexcept {
  static const std::vector<line_count> none;
  return none;
}

result<std::uint32_t> activity::visit_host_spans_in(std::uint32_t host_group, interval_sequence windows,
                                                    host_span_visitor& into, const hooks& host) const {
  return visit_filtered(windows, into, [&](std::int64_t from_ps, std::int64_t to_ps, host_span_visitor& filter) {
    return visit_host_spans(host_group, from_ps, to_ps, filter, host);
  });
}

result<std::uint32_t> activity::visit_host_spans_in_parts(std::uint32_t host_group, interval_sequence windows,
                                                          host_span_parts& into, const hooks& host) const {
  return visit_as_one_part(
      into, [&](host_span_visitor& part) { return visit_host_spans_in(host_group, windows, part, host); });
}

result<std::uint32_t> host_span_source::visit_in_parts(interval_sequence windows, host_span_parts& into,
                                                       const hooks& host) const {
  return visit_as_one_part(into, [&](host_span_visitor& part) { return visit_in(windows, part, host); });
}

result<std::uint32_t> host_span_source::visit_in(interval_sequence windows, host_span_visitor& into,
                                                 const hooks& host) const {
  return visit_filtered(windows, into, [&](std::int64_t from_ps, std::int64_t to_ps, host_span_visitor& filter) {
    return visit(from_ps, to_ps, filter, host);
  });
}

std::int32_t activity_parts::add_device(activity_device device, std::unique_ptr<const kernel_source> of) {
  const std::string name(strings.text(device.name));
  device.rank = shown_rank(*this, device);
  // As it is shown where several have one name, too.
  const bool is_wanted =
      contains(name, options.device) ||
      (device.plane < 0 && (contains(name + of_rank(device), options.device) ||
                            (contains(options.device, name) && contains(name + of_file(*this, device), options.device))));
  if (!is_wanted) {
    constexpr std::size_t max_shown_bytes = 60;
    if (left_out.size() < max_shown_bytes) left_out.append(left_out.empty() ? "" : ", ").append(name);
    activity_device& unwanted_one = unwanted.emplace_back();
    unwanted_one.file = device.file;
    unwanted_one.plane = device.plane;
    unwanted_one.rank = device.rank;
    unwanted_one.name = device.name;
    return -1;
  }
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
    for (const known_format* const format : known_formats()) {
      if (format->fill_activity == nullptr) continue;
      if (result<void> filled = format->fill_activity(parts); !filled) return std::move(filled).error();
    }
    if (parts.devices.empty() && !parts.left_out.empty() && !parts.inputs.empty()) {
      parts.inputs.front().no_device_fits = true;
      parts.inputs.front().why_empty =
          "no device has \"" + options.device + "\" in its name: there are " + parts.left_out;
    }
    if (!options.step_pattern.empty() && !parts.inputs.empty())
      parts.inputs.front().no_step_fits =
          std::none_of(parts.markers.begin(), parts.markers.end(), [&](const step_marker& m) {
            return parts.steps.fits_pattern(parts.strings.text(m.name));
          });
    settle_markers(parts.markers);
    name_ranks(parts);
    make_names_unique(parts);
    return std::shared_ptr<const activity>(std::make_shared<filled_activity>(std::move(parts)));
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
