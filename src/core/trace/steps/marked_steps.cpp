#include <trace/steps/marked_steps.hpp>

#include <base/affix.hpp>
#include <base/hash_map.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using packed_step = step_list::packed::step;

class marked_steps {
 public:
  marked_steps(const profile& p, const activity& of, const selection& selected, const query_filters& o,
               step_list::packed& into)
      : profile_(p), of_(of), selected_(selected), options_(o), into_(into) {}

  void run() {
    // Markers lie by host, then by device, where -1 is the host itself, then by start.
    const std::vector<step_marker>& all = of_.markers();
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t host = at, host_end = end_of_host(at);
      const std::size_t own_end = end_of_device(host, host_end);
      // As in an XSpace: lines of devices count before markers of a host.
      const bool by_lines = std::any_of(all.begin() + static_cast<std::ptrdiff_t>(own_end),
                                        all.begin() + static_cast<std::ptrdiff_t>(host_end), [](const step_marker& m) {
                                          return m.source == marker_source::line || m.source == marker_source::run;
                                        });
      if (all[host].device < 0 && !by_lines) {
        add(host, own_end);
      } else {
        const std::size_t first = all[host].device < 0 ? own_end : host;
        for (std::size_t device = first; device < host_end; device = end_of_device(device, host_end))
          add(device, end_of_device(device, host_end));
      }
      at = host_end;
    }
  }

 private:
  [[nodiscard]] std::size_t end_of_host(std::size_t at) const {
    const auto& all = of_.markers();
    std::size_t end = at;
    while (end < all.size() && all[end].host_group == all[at].host_group) ++end;
    return end;
  }
  [[nodiscard]] std::size_t end_of_device(std::size_t at, std::size_t host_end) const {
    const auto& all = of_.markers();
    std::size_t end = at;
    while (end < host_end && all[end].device == all[at].device) ++end;
    return end;
  }

  // The markers of one host or device: those of the best source among them.
  void add(std::size_t first, std::size_t end) {
    const auto& all = of_.markers();
    const step_marker& one = all[first];
    const std::uint32_t file = of_.hosts()[one.host_group].file;
    if (!selected_.other_file(file)) return;
    const marker_source best =
        std::min_element(all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(end),
                         [](const step_marker& a, const step_marker& b) { return a.source < b.source; })
            ->source;
    const std::size_t origins_before = into_.origins.size();
    std::uint32_t thread = no_thread;  // of the origin that was added last
    for (std::size_t at = first; at < end; ++at) {
      const step_marker& m = all[at];
      if (m.source != best) continue;
      if (into_.origins.size() == origins_before || m.thread != thread) into_.origins.push_back(origin_of(m, file));
      thread = m.thread;
      packed_step& step = into_.steps.emplace_back();
      step.start_ps = m.start_ps;
      step.duration_ps = std::max<std::int64_t>(m.end_ps - m.start_ps, 0);
      step.has_number = m.number >= 0 ? 1 : 0;
      step.number = std::max<std::int64_t>(m.number, 0);
      step.name = name_of(m.whole_name != 0 ? m.whole_name : m.name);
      step.origin = (into_.origins.size() - 1) & 0x7fffffffU;
    }
  }

  [[nodiscard]] step_list::packed::origin origin_of(const step_marker& m, std::uint32_t file) const {
    step_list::packed::origin origin;
    origin.file = origin.host_file = file;
    origin.plane = origin.line = -1;
    origin.source = source_of(m.source);
    origin.device = m.device;
    origin.wanted = is_wanted(m);
    if (m.device >= 0) {
      const activity_device& device = of_.devices()[static_cast<std::size_t>(m.device)];
      origin.file = device.file;
      origin.plane_name = of_.text(device.name);
      if (!device.streams.empty()) origin.plane = device.streams.front().plane;
      if (m.source == marker_source::run) origin.line = of_.threads()[m.thread].line;
    } else if (m.thread != no_thread) {
      const activity_thread& thread = of_.threads()[m.thread];
      origin.file = thread.file;
      origin.plane = thread.plane;
      origin.line = thread.line;
      origin.plane_name = thread.process;
    }
    return origin;
  }

  // A host's steps are also those of its devices.
  [[nodiscard]] bool is_wanted(const step_marker& m) const {
    const activity_thread* const thread = m.thread == no_thread ? nullptr : &of_.threads()[m.thread];
    if (!options_.line.empty() && (thread == nullptr || !contains(thread->name, options_.line))) return false;
    if (options_.plane.empty() || (thread != nullptr && contains(thread->process, options_.plane))) return true;
    const auto& devices = of_.devices();
    for (std::size_t d = 0; d < devices.size(); ++d) {
      const bool own = m.device < 0 ? devices[d].host_group == m.host_group : static_cast<std::size_t>(m.device) == d;
      if (own && contains(of_.text(devices[d].name), options_.plane)) return true;
    }
    return false;
  }

  std::uint32_t name_of(string_id id) {
    const auto [at, is_new] = names_.try_emplace(id, static_cast<std::uint32_t>(into_.names.size()));
    if (is_new) into_.names.push_back(of_.text(id));
    return at->second;
  }

  const profile& profile_;
  const activity& of_;
  const selection& selected_;
  const query_filters& options_;
  step_list::packed& into_;
  hash_map<string_id, std::uint32_t> names_;
};

}  // namespace

step_source source_of(marker_source m) noexcept {
  switch (m) {
    case marker_source::profiler_step: return step_source::profiler_step;
    case marker_source::numbered_step:
    case marker_source::scheduler_step:
    case marker_source::execute_step:
    case marker_source::pattern: return step_source::annotation;
    case marker_source::step_num: return step_source::host_step_num;
    case marker_source::device_annotation: return step_source::device_annotation;
    case marker_source::step_id: return step_source::step_id;
    case marker_source::line: return step_source::steps_line;
    case marker_source::run: return step_source::xla_modules;
  }
  return step_source::annotation;
}

void add_marked_steps(const profile& p, std::shared_ptr<const activity> of, const selection& selected,
                      const query_filters& o, step_list::packed& into) {
  marked_steps(p, *of, selected, o, into).run();
  into.texts = std::move(of);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
