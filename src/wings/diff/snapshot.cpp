// What is compared of a capture, out of its report and its kernels.
#include <profkit/core/diff.hpp>

#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <base/median.hpp>
#include <diff/op_names.hpp>
#include <profkit/core/facts.hpp>
#include <profkit/core/table.hpp>
#include <profkit/time.hpp>
#include <tables/rows_of_list.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// "jit_train#4": "jit_train"; "17": "".
std::string_view kind_of_step(std::string_view id) {
  const std::size_t number = id.find_last_not_of("0123456789");
  if (number == std::string_view::npos) return {};
  return id.substr(0, id[number] == '#' ? number : id.size());
}

// How many of the first steps of a device are warm-up.
std::size_t warm_up_of(const std::vector<std::int64_t>& step_ps) {
  if (step_ps.size() < 4) return 0;
  std::vector<std::int64_t> sorted = step_ps;
  const std::int64_t median = upper_median(sorted), most = saturating_add(median, median / 4);
  const auto usual = std::find_if(step_ps.begin(), step_ps.end(), [&](std::int64_t ps) { return ps <= most; });
  return std::min(static_cast<std::size_t>(usual - step_ps.begin()), step_ps.size() / 4);
}

struct step_window {
  std::int64_t start_ps, end_ps;
};

// The steps that count, by device: their windows, and of all steps which they are.
struct counted_steps {
  std::vector<std::vector<step_window>> windows;
  std::vector<bool> counts;
};

counted_steps choose_steps(const bubbles_report& idle, run_snapshot& into) {
  const bubble_steps& steps = idle.found.steps;
  const std::vector<activity_device>& devices = idle.of->devices();
  into.marked = has_marked_steps(idle.found);
  const auto is_candidate = [&](const bubble_step& s) { return s.pseudo == !into.marked; };
  const auto kind_of = [](const bubble_step& s) { return s.pseudo ? std::string_view() : kind_of_step(s.id); };
  std::map<std::string, std::int64_t, std::less<>> time_of_kinds;
  for (const bubble_step& s : steps)
    if (is_candidate(s)) {
      std::int64_t& ps = time_of_kinds[std::string(kind_of(s))];
      ps = saturating_add(ps, s.service_ps());
    }
  const auto most = std::max_element(time_of_kinds.begin(), time_of_kinds.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != time_of_kinds.end()) into.step_name = most->first;

  std::vector<std::vector<std::pair<std::size_t, step_window>>> of_device(devices.size());  // with the position among all steps
  std::size_t at = 0;
  for (const bubble_step& s : steps) {
    if (!is_candidate(s) || kind_of(s) != into.step_name) {
      ++into.other_steps;
    } else if (!s.pseudo && (!s.tail_known || s.cut)) {
      ++into.cut_steps;
    } else {
      of_device[s.device].push_back({at, {s.start_ps, s.end_ps}});
    }
    ++at;
  }
  counted_steps found{std::vector<std::vector<step_window>>(devices.size()), std::vector<bool>(at)};
  for (std::size_t d = 0; d < devices.size(); ++d) {
    std::vector<std::int64_t> step_ps;
    for (const auto& [step, window] : of_device[d]) step_ps.push_back(window.end_ps - window.start_ps);
    const std::size_t warm_up = warm_up_of(step_ps);
    into.warm_up_steps += warm_up;
    step_ps.erase(step_ps.begin(), step_ps.begin() + static_cast<std::ptrdiff_t>(warm_up));
    into.devices.push_back({std::string(idle.of->text(devices[d].name)), devices[d].rank, std::move(step_ps)});
    for (std::size_t i = warm_up; i < of_device[d].size(); ++i) {
      found.counts[of_device[d][i].first] = true;
      found.windows[d].push_back(of_device[d][i].second);
    }
  }
  return found;
}

void sum_time(const bubbles_result& found, const counted_steps& steps, run_snapshot& into) {
  std::map<std::pair<time_use, std::optional<idle_cause>>, std::int64_t> sums;
  const auto add = [&](time_use use, std::optional<idle_cause> cause, std::int64_t ps) {
    if (ps == 0) return;
    std::int64_t& sum = sums[{use, cause}];
    sum = saturating_add(sum, ps);
  };
  std::size_t at = 0;
  for (const bubble_step& s : found.steps) {
    if (!steps.counts[at++]) continue;
    add(time_use::compute, {}, s.breakdown.compute_only_ps + s.breakdown.comm_overlapped_ps);
    add(time_use::exposed_comm, {}, s.breakdown.comm_exposed_ps);
    add(time_use::exposed_copy, {}, s.breakdown.copy_ps);
    add(time_use::other_work, {}, s.breakdown.other_ps);
    add(time_use::idle, {}, s.breakdown.idle_ps);
    add(time_use::not_recorded, {}, s.breakdown.not_recorded_ps);
  }
  // Of idle time, that of listed gaps is their cause's.
  for (const bubble& b : found.bubbles) {
    if (b.boundary_adjacent || b.inter_step || b.step < 0 || !steps.counts[static_cast<std::size_t>(b.step)]) continue;
    add(time_use::idle, b.cause.id, b.length_ps());
    add(time_use::idle, {}, -b.length_ps());
  }
  for (const auto& [key, ps] : sums)
    if (ps != 0) into.time.push_back({key.first, key.second, ps});
}

bool is_in(const std::vector<step_window>& windows, std::int64_t ps) {
  const auto after = std::upper_bound(windows.begin(), windows.end(), ps,
                                      [](std::int64_t at, const step_window& w) { return at < w.start_ps; });
  return after != windows.begin() && ps < (after - 1)->end_ps;
}

std::string_view viewed(pk_str text) noexcept { return {text.data, text.size}; }

// The kernels that begin in steps that count.
result<void> sum_ops(const trace& t, const bubbles_report& idle, const counted_steps& steps, const hooks& host, run_snapshot& into) {
  auto devices = capture_devices::list(t, host);
  if (!devices) return std::move(devices).error();
  std::map<std::int32_t, std::size_t> of_capture;  // device of the activity, by its position in the capture
  for (std::size_t d = 0; d < idle.of->devices().size(); ++d)
    if (const std::int32_t at = (*devices)->of(*idle.of, idle.of->devices()[d]); at >= 0) of_capture[at] = d;
  struct sum {
    std::uint64_t count = 0;
    std::int64_t time_ps = 0;
    void add(std::uint64_t more, std::int64_t ps) {
      count += more;
      time_ps = saturating_add(time_ps, ps);
    }
  };
  // A text stands once in memory, mostly: by its place first, which is quick, then by what it says.
  using texts = std::array<std::string_view, 4>;
  hash_map<std::pair<std::array<const char*, 4>, std::int32_t>, std::pair<texts, sum>> by_place;
  const auto source = rows_of(*devices, *idle.of, t.files());
  std::vector<rows::kernels> rows(1024);
  for (;;) {
    auto count = source->read(rows.data(), rows.size());
    if (!count) return std::move(count).error();
    if (*count == 0) break;
    for (std::size_t i = 0; i < *count; ++i) {
      const rows::kernels& k = rows[i];
      if ((k.flags & (PK_KERNEL_IN_FLIGHT | PK_KERNEL_DUPLICATE)) != 0) continue;
      const auto device = of_capture.find(k.device);
      if (device == of_capture.end() || !is_in(steps.windows[device->second], k.start_ps)) continue;
      auto& [of, all] = by_place[{{k.name.data, k.framework_op.data, k.module.data, k.input_shapes.data}, k.kind}];
      of = {viewed(k.name), viewed(k.framework_op), viewed(k.module), viewed(k.input_shapes)};
      all.add(1, k.duration_ps);
    }
  }
  std::map<std::tuple<std::string_view, std::string_view, std::string, std::string_view, std::int32_t>, sum> by_text;
  for (const auto& [place, said] : by_place) {
    const auto& [of, all] = said;
    by_text[{op_name_without_number(of[0]), of[1], place_without_numbers(of[2]), of[3], place.second}].add(all.count, all.time_ps);
  }
  for (const auto& [of, all] : by_text) {
    const auto& [name, framework_op, module, shapes, kind] = of;
    into.ops.push_back({std::string(name), std::string(framework_op), module, std::string(shapes), static_cast<kernel_class>(kind),
                        all.count, all.time_ps, 0, {}});
  }
  std::stable_sort(into.ops.begin(), into.ops.end(), [](const run_op& a, const run_op& b) { return a.time_ps > b.time_ps; });
  return {};
}

}  // namespace

std::uint64_t run_snapshot::step_count() const noexcept {
  std::uint64_t all = 0;
  for (const run_device& d : devices) all += d.step_ps.size();
  return all;
}

result<run_snapshot> take_snapshot(const trace& t, const hooks& host) {
  return contained([&]() -> result<run_snapshot> {
    report_options o;
    o.samples = false;
    auto report = analyse_report(t, o, host);
    if (!report) return std::move(report).error();
    run_snapshot found;
    found.path = t.files().what().path;
    found.models = report->summary.devices;
    found.software = report->summary.software;
    found.damage = report->damage;
    if (const auto& memory = report->summary.memory) found.memory_bytes = memory->held_bytes > 0 ? memory->held_bytes : memory->needed_bytes;
    if (report->parts.model)
      for (const model_fact& f : report->parts.model->facts)
        if (f.sure >= certainty::likely) found.facts.emplace_back(f.name, fact_text(f.value) + (f.unit.empty() ? "" : " " + f.unit));
    if (!report->parts.bubbles) {
      found.absent = "no device has kernels or ops with times";
      return found;
    }
    const bubbles_report& idle = *report->parts.bubbles;
    const counted_steps steps = choose_steps(idle, found);
    sum_time(idle.found, steps, found);
    if (result<void> added = sum_ops(t, idle, steps, host, found); !added) return std::move(added).error();
    if (found.step_count() == 0) found.absent = idle.found.absent.empty() ? "no step is whole" : idle.found.absent;
    return found;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
