// The memory analysis of a capture: modules, allocators, and what one says about the other.
#include "findings.hpp"
#include "hlo_report.hpp"
#include "hosts.hpp"
#include "invariants.hpp"
#include "runtime_report.hpp"
#include "sources.hpp"

#include <trace/filters/select.hpp>
#include <base/contained.hpp>
#include <base/progress.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using namespace memory;

constexpr std::uint64_t max_time_samples = 1000000;

fault bad_option(std::string what) {
  fault f;
  f.code = fault_code::invalid_argument;
  f.message = std::move(what);
  return f;
}

fault no_such_space(const module_memory& m, std::int64_t color) {
  fault f;
  f.code = fault_code::not_found;
  f.message = m.label + " has no memory space " + std::to_string(color);
  f.hint = "its memory spaces are:";
  for (const space_memory& s : m.spaces) {
    const std::string name = memory_space_name(s.color, m.home);
    f.hint += ' ' + std::to_string(s.color) + (name.empty() ? "" : " (" + name + ')');
  }
  return f;
}

bool has_host(const profile& p, const std::string& wanted) {
  for (std::size_t file = 0; file < p.file_count(); ++file)
    if (host_fits(p, file, wanted)) return true;
  return wanted.empty();
}

// `files`: that were looked at.
result<void> add_hlo(const profile& p, const memory_options& o, const hooks& host, memory_result& r, std::vector<std::uint32_t>& files) {
  auto found = find_modules(p, o, host);
  if (!found) return std::move(found).error();
  files = std::move(found->files);
  r.modules = std::move(found->modules);
  r.damage = std::move(found->damage);
  if (r.modules.empty()) {
    r.hlo_absent_reason = has_host(p, o.host) ? "no_hlo_proto_pb" : "no_such_host";
    if (o.module.empty()) return {};
  }
  auto chosen = choose_module(r.modules, o.module, o.memory_space, r.selection);
  if (!chosen) return std::move(chosen).error();
  const module_memory& m = r.modules[*chosen];
  if (!m.has_buffer_assignment) {
    r.hlo_absent_reason = "no_buffer_assignment";
    return {};
  }
  if (o.memory_space != 0 && m.space(o.memory_space) == nullptr) return no_such_space(m, o.memory_space);
  auto report = report_on(*found->studies[m.blob.data()], o.memory_space, o);
  if (!report) return std::move(report).error();
  report->module = *chosen;
  report->hlo_proto_path = m.sources.front().path;
  r.hlo_path = m.sources.front().path;
  r.hlo = std::move(*report);
  return {};
}

// Of all allocators, in their order.
result<std::vector<peak_replay>> replay_allocators(const collected_events& all, const memory_options& o,
                                                   const hooks& host) {
  // Samples of all of them, unless they are very many; those of one allocator are shown.
  constexpr std::uint64_t most_in_all = std::uint64_t{1} << 17;
  const std::uint64_t samples = all.allocators.size() * o.time_samples <= most_in_all ? o.time_samples : 0;
  std::vector<peak_replay> replays;
  replays.reserve(all.allocators.size());
  for (std::uint32_t i = 0; i < all.allocators.size(); ++i)
    replays.emplace_back(all, i, peak_replay::window(), samples);
  for (std::size_t i = 0; i < all.allocators.size(); ++i) {
    const std::uint32_t file = all.allocators[i].file;
    if (i > 0 && all.allocators[i - 1].file == file) continue;  // those of a file stand together
    ordered_allocator_events events(all, file, std::nullopt, host);
    for (allocator_event e; events.next(e);) replays[e.allocator].take(e);
    if (events.stopped()) return *events.stopped();
  }
  for (peak_replay& r : replays) r.finish();
  return replays;
}

result<void> add_runtime(const trace& t, const memory_options& o, const hooks& host, memory_result& r) {
  const profile& p = t.files();
  const collected_events all = collect_allocator_events(p, o.host, host);
  if (all.stopped) return *all.stopped;
  r.damage.insert(r.damage.end(), all.damage.begin(), all.damage.end());
  bool any_source = false;
  for (std::size_t file = 0; file < p.file_count(); ++file)
    any_source = any_source || p.allocations(file) != nullptr;
  if (!any_source || !all.host_plane_present || all.n_events == 0) {
    r.runtime_absent_reason = !has_host(p, o.host)      ? "no_such_host"
                              : !any_source             ? "no_xplane_pb"
                              : !all.host_plane_present ? "host_plane_absent"
                                                        : "no_memory_events";
    return {};
  }
  auto replays = replay_allocators(all, o, host);
  if (!replays) return std::move(replays).error();
  for (std::size_t i = 0; i < replays->size(); ++i) {
    allocator_memory a = (*replays)[i].replay().facts;
    a.name = all.allocators[i].name;
    a.host = all.allocators[i].host;
    a.device = all.allocators[i].device;
    a.file = all.allocators[i].file;
    r.allocators.push_back(std::move(a));
  }
  // Highest occupancy first; device memory before host memory unless host pools are asked for.
  std::size_t best = 0;
  const auto better = [&](std::size_t a, std::size_t b) {
    const bool host_a = all.allocators[a].is_host_memory && !o.include_host_pools;
    const bool host_b = all.allocators[b].is_host_memory && !o.include_host_pools;
    if (host_a != host_b) return host_b;
    return r.allocators[a].occupancy_peak_bytes > r.allocators[b].occupancy_peak_bytes;
  };
  for (std::size_t i = 1; i < replays->size(); ++i)
    if (better(i, best)) best = i;
  step_windows steps;
  if (!o.all_trace) {
    auto found = windows_of(t, all.allocators[best], host);
    if (!found) return std::move(found).error();
    steps = std::move(*found);
  }
  r.xplane_path = p.what().files[all.allocators[best].file].path;
  auto report = report_runtime(p, o, all, static_cast<std::uint32_t>(best), (*replays)[best], steps,
                               r.runtime_absent_reason, host);
  if (!report) return std::move(report).error();
  r.runtime = std::move(*report);
  if (!r.runtime) return {};
  r.runtime->allocator = best;
  runtime_diagnostics& d = r.runtime->diagnostics;
  d.n_pools_seen = replays->size();
  for (std::size_t i = 0; i < replays->size(); ++i)
    d.pools.push_back({static_cast<std::int64_t>(i), r.allocators[i].name, r.allocators[i].n_allocations,
                       r.allocators[i].n_deallocations, r.allocators[i].lifetime_peak_bytes,
                       r.allocators[i].capacity_bytes});
  if (all.without_time > 0)
    d.warnings.push_back(std::to_string(all.without_time) +
                         " allocator events have no time the capture's clock reaches");
  return {};
}

void add_fit(const memory_options& o, memory_result& r) {
  if (!o.fit_bytes) return;
  fit_result f;
  f.limit_bytes = *o.fit_bytes;
  const auto offer = [&](std::int64_t bytes, std::string by) {
    if (bytes <= f.needed_bytes && !f.needed_by.empty()) return;
    f.needed_bytes = bytes;
    f.needed_by = std::move(by);
  };
  if (r.hlo && !o.module.empty()) {
    offer(r.hlo->static_peak_bytes, r.modules[r.hlo->module].label);
  } else {
    for (const module_memory& m : r.modules)
      if (const space_memory* s = m.space(o.memory_space)) offer(s->total_bytes, m.label);
    for (const allocator_memory& a : r.allocators)  // they fill memory space 0
      if (!a.device.empty() && o.memory_space == 0) offer(a.occupancy_peak_bytes, a.device + " at run time");
  }
  if (!f.known()) {
    r.fit = std::move(f);
    return;
  }
  const auto needed = static_cast<std::uint64_t>(std::max<std::int64_t>(f.needed_bytes, 0));
  f.fits = needed <= f.limit_bytes;
  f.spare_bytes = f.fits ? static_cast<std::int64_t>(std::min<std::uint64_t>(f.limit_bytes - needed, INT64_MAX))
                         : -static_cast<std::int64_t>(needed - f.limit_bytes);
  r.fit = std::move(f);
}

}  // namespace

bool is_all_damaged(const profile& p, const memory_result& found) noexcept {
  const auto has_numbers = [](const module_memory& m) { return m.has_buffer_assignment; };
  if (found.damage.empty() || !found.allocators.empty() || std::any_of(found.modules.begin(), found.modules.end(), has_numbers))
    return false;
  return p.files_with(file_content::module).size() == p.file_count();
}

result<memory_result> analyse_memory(const trace& t, const memory_options& o, const hooks& host) {
  return contained([&]() -> result<memory_result> {
    if (o.time_samples > max_time_samples) return bad_option("at most 1000000 time samples can be asked for");
    progress_meter meter(host);
    if (result<void> go_on = meter.step(0); !go_on) return std::move(go_on).error();
    const profile& p = t.files();
    memory_result r;
    std::vector<std::uint32_t> files;
    if (result<void> added = add_hlo(p, o, host, r, files); !added) return std::move(added).error();
    if (o.runtime)
      if (result<void> added = add_runtime(t, o, host, r); !added) return std::move(added).error();
    // An XSpace that is damaged says so whether or not it holds memory events.
    for (const std::uint32_t file : files)
      if (const fault* why = p.file_fault(file)) add_damage(r.damage, file, *why);
    std::stable_sort(r.damage.begin(), r.damage.end(),
                 [](const file_damage& a, const file_damage& b) { return a.file < b.file; });
    add_fit(o, r);
    r.invariants = check_invariants(r);
    add_findings(r);
    summarise(r);
    return r;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
