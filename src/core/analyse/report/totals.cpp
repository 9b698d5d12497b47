// What the analyses found, summed up over lines, planes and devices.
#include <analyse/report/parts.hpp>

#include <analyse/ops/op_programs.hpp>

#include <base/affix.hpp>
#include <base/collective_names.hpp>
#include <trace/line_scan.hpp>
#include <profkit/core/activity.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace report {

const ops_line* busiest_line(const report_parts& parts) noexcept {
  const auto& lines = parts.ops.lines;
  const auto busiest =
      std::max_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.busy_ps < b.busy_ps; });
  return busiest == lines.end() ? nullptr : &*busiest;
}

std::vector<busy_device> busy_devices_of(const profile& p, const report_parts& parts) {
  std::vector<busy_device> found;
  if (!parts.bubbles) return found;
  const activity& of = *parts.bubbles->of;
  const bubbles_result& bubbles = parts.bubbles->found;
  for (std::size_t d = 0; d < bubbles.devices.size(); ++d) {
    const activity_device& device = of.devices()[d];
    const device_gaps& gaps = bubbles.devices[d];
    // Where kernels have times by a clock of their own, their lines report them, as those of an XSpace do.
    if (device.plane >= 0 || gaps.kernels == 0 || !device.own_clock.empty()) continue;
    found.push_back({device.file, std::string(of.text(device.name)), gaps.kernels, gaps.busy_ps});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const busy_device& a, const busy_device& b) { return a.busy_ps > b.busy_ps; });
  return found;
}

std::vector<busy_line> busy_lines_of(const profile& p, const report_parts& parts, bool devices) {
  std::vector<busy_line> found;
  std::set<std::pair<std::uint32_t, std::string_view>> own_clocks;  // file and name of a device
  if (parts.bubbles) {
    const activity& of = *parts.bubbles->of;
    for (const activity_device& device : of.devices())
      if (!device.own_clock.empty()) own_clocks.insert({device.file, of.text(device.name)});
  }
  for (const ops_line& line : parts.ops.lines) {
    const bool by_lines = find_plane(p, line.file, line.plane) != nullptr || own_clocks.count({line.file, line.plane_name}) != 0;
    if (line.events == 0 || (devices && !by_lines)) continue;
    found.push_back({line.file, line.plane, line.line, std::string(line.plane_name), std::string(line.line_name),
                     line.clock, line.ops.size(), line.events, line.busy_ps});
  }
  return found;
}

op_sums busiest_ops(const profile& p, const report_parts& parts, std::size_t most) {
  struct entry {
    report_op sums;
    const ops_line* line = nullptr;
    op_row op;
  };
  const op_programs programs(p);
  const auto is_nameless = [](const op_row& op) { return op.has_metadata_id && op.entry.data() == nullptr; };
  std::map<std::tuple<std::string_view, std::int64_t, std::string>, entry> by_name;  // the id where there is no name
  for (const ops_line& line : parts.ops.lines)
    for (const op_row op : line.ops) {
      entry& e = by_name[{is_nameless(op) ? std::string_view() : op.name, is_nameless(op) ? op.metadata_id : 0,
                          programs.name_of(line, op)}];
      if (e.line == nullptr) e.line = &line, e.op = op;
      e.sums.count = saturating_add(e.sums.count, op.count);
      e.sums.total_ps = saturating_add(e.sums.total_ps, op.total_ps);
      e.sums.self_ps = saturating_add(e.sums.self_ps, op.self_ps);
    }
  op_sums found;
  found.names = by_name.size();
  std::vector<entry> all;
  for (auto& [name, e] : by_name) all.push_back(std::move(e));
  std::stable_sort(all.begin(), all.end(), [](const entry& a, const entry& b) {
    return std::pair(a.sums.self_ps, a.sums.total_ps) > std::pair(b.sums.self_ps, b.sums.total_ps);
  });
  for (entry& e : all) {
    e.sums.details = op_details_of(p, programs, *e.line, e.op);
    if (ends_with(e.sums.details.category, "-done"))
      found.waiting_ps = saturating_add(found.waiting_ps, e.sums.self_ps);
    if (found.top.size() == most) continue;
    e.sums.name = e.op.name;
    e.sums.short_name = is_nameless(e.op) ? '#' + std::to_string(e.op.metadata_id) + " (no metadata)"
                                          : std::string(short_op_name(e.op.name, e.op.display_name));
    found.top.push_back(std::move(e.sums));
  }
  return found;
}

namespace {

module_total& total_of(const std::string& name, std::map<std::string, module_total>& by_name) {
  module_total& total = by_name[name];
  if (total.name.empty()) total.name = name;
  return total;
}

// Of files whose devices have no line of module runs. Gives whether there are any.
bool add_runs_of_hosts(const report_parts& parts, std::map<std::string, module_total>& by_name) {
  std::set<std::uint32_t> counted;
  for (const ops_line& line : parts.module_runs.lines) counted.insert(line.file);
  bool any = false;
  for (const program_runs& of : parts.host_runs) {
    if (counted.count(of.file) != 0) continue;
    any = true;
    module_total& total = total_of(program_name(of.module, of.program_id), by_name);
    total.runs = saturating_add(total.runs, of.runs);
    total.total_ps = saturating_add(total.total_ps, of.total_ps);
    total.max_ps = std::max(total.max_ps, of.max_ps);
  }
  return any;
}

void add_times_of_ops(const profile& p, const report_parts& parts, std::map<std::string, module_total>& by_name) {
  const op_programs programs(p);
  for (const ops_line& line : parts.ops.lines)
    for (const op_row& op : line.ops)
      if (const std::string name = programs.name_of(line, op); !name.empty()) {
        module_total& total = total_of(name, by_name);
        total.total_ps = saturating_add(total.total_ps, op.self_ps);
      }
}

}  // namespace

std::vector<module_total> total_modules(const profile& p, const report_parts& parts) {
  std::map<std::string, module_total> by_name;
  for (const module_row& m : parts.modules.modules)
    by_name.emplace(std::string(m.name), module_total{std::string(m.name), 0, m.bytes, m.instructions, 0, 0});
  for (const ops_line& line : parts.module_runs.lines)
    for (const op_row run : line.ops) {
      module_total& total = by_name[std::string(run.name)];
      if (total.name.empty()) total.name = short_op_name(run.name, {});
      total.runs = saturating_add(total.runs, run.count);
      total.total_ps = saturating_add(total.total_ps, run.total_ps);
      total.max_ps = std::max(total.max_ps, run.max_ps);
    }
  if (!add_runs_of_hosts(parts, by_name) && parts.module_runs.lines.empty()) add_times_of_ops(p, parts, by_name);
  std::vector<module_total> all;
  for (auto& [name, total] : by_name) all.push_back(std::move(total));
  std::stable_sort(all.begin(), all.end(), [](const module_total& a, const module_total& b) {
    return std::pair(a.total_ps, a.bytes) > std::pair(b.total_ps, b.bytes);
  });
  return all;
}

bool names_runs(const profile& p) {
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    for (const plane_index& plane : p.xspace(file)->planes)
      if (plane.stat_id("run_id")) return true;
  }
  return false;
}

namespace {

// "all-gather"; of what goes from one memory to another "copy Host to HBM".
std::string kind_of_async(const async_row& row) {
  std::string kind(row.category.empty() ? "other" : row.category);
  if (!row.from_space.empty() && !row.to_space.empty() && row.from_space != row.to_space)
    kind.append(" ").append(row.from_space).append(" to ").append(row.to_space);
  return kind;
}

}  // namespace

std::vector<collective_total> total_collectives(const report_parts& parts) {
  std::map<std::pair<bool, std::string>, collective_total> by_kind;
  const auto count_in = [&](bool blocking, std::string_view kind, std::uint64_t count, std::int64_t total_ps,
                            std::int64_t max_ps) -> collective_total& {
    collective_total& t = by_kind[{blocking, std::string(kind)}];
    t.kind = kind;
    t.blocking = blocking;
    t.count = saturating_add(t.count, count);
    t.total_ps = saturating_add(t.total_ps, total_ps);
    t.max_ps = std::max(t.max_ps, max_ps);
    return t;
  };
  // What a device waited in the dones of asynchronous operations counts once, where the operations are listed.
  std::set<std::tuple<std::uint32_t, std::int32_t, std::string_view>> listed;
  for (const async_row& row : parts.collectives.async)
    if (row.exposed_stall_ps) listed.insert({row.file, row.plane, row.category});
  for (const collective_op_row& op : parts.collectives.ops) {
    const bool done = role_of(op.category) == async_role::done;
    if (done && listed.count({op.file, op.plane, operation_of(op.category)}) != 0) continue;
    collective_total& t = count_in(true, op.category.empty() ? short_op_name(op.name, {}) : op.category, op.count,
                                   op.total_ps, op.max_ps);
    // What other streams compute meanwhile is reported by the bubble detector.
    t.on_stream = t.on_stream || op.on_stream;
    if (!op.on_stream) t.exposed_ps = saturating_add(t.exposed_ps.value_or(0), op.total_ps);
  }
  for (const async_row& row : parts.collectives.async) {
    collective_total& t = count_in(false, kind_of_async(row), 1, row.in_flight_ps, row.in_flight_ps);
    if (row.exposed_stall_ps) t.exposed_ps = saturating_add(t.exposed_ps.value_or(0), *row.exposed_stall_ps);
  }
  std::vector<collective_total> all;
  for (auto& [key, total] : by_kind) all.push_back(std::move(total));
  std::stable_sort(all.begin(), all.end(), [](const collective_total& a, const collective_total& b) {
    return std::pair(a.blocking, a.total_ps) > std::pair(b.blocking, b.total_ps);
  });
  return all;
}

namespace {

// Of the ranks that take part in collectives, the one that waits least, where it is the one that others wait for.
std::optional<std::int32_t> rank_waited_for(const bubbles_report& bubbles, const nodes_compared& nodes) {
  std::map<std::int32_t, std::int64_t> waits_ps;
  for (const time_row& row : bubbles.found.time) {
    if (row.device < 0 || !row.in_steps || row.use != time_use::exposed_comm) continue;
    const std::int32_t rank = bubbles.of->devices()[static_cast<std::size_t>(row.device)].rank;
    if (rank < 0) return std::nullopt;
    std::int64_t& waits = waits_ps[rank];
    if (row.cause) waits = saturating_add(waits, row.time_ps);
  }
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto least = std::min_element(waits_ps.begin(), waits_ps.end(), less);
  const auto as_little = [&](const auto& of) { return of.second == least->second; };
  if (waits_ps.size() < 2 || std::count_if(waits_ps.begin(), waits_ps.end(), as_little) != 1) return std::nullopt;
  if (!nodes.validation) return least->first;
  const collective_arrivals& arrivals = nodes.validation->arrivals;
  if (arrivals.latest < 0 || arrivals.devices[static_cast<std::size_t>(arrivals.latest)].rank != least->first) return std::nullopt;
  return least->first;
}

}  // namespace

// Entries of a TPU's ops say what they do. Elsewhere programs or operators have to be looked through for it, which a report leaves out.
costliest_work costliest_of(const report_summary& s) {
  costliest_work found;
  if (!s.ops.empty() && s.busy_ps > 0) {
    found.op = s.ops.front().short_name;
    found.op_self_ps = s.ops.front().self_ps;
  }
  for (const collective_total& c : s.collectives)
    if (c.exposed_ps.value_or(0) > found.exposed_ps) {
      found.collective = c.kind;
      found.exposed_ps = *c.exposed_ps;
    }
  return found;
}

std::optional<idle_total> idle_of(const report_parts& parts) {
  if (!parts.bubbles) return std::nullopt;
  const bubbles_result& found = parts.bubbles->found;
  idle_total total;
  for (const bubble_step& step : found.steps) {
    total.service_ps = saturating_add(total.service_ps, step.service_ps());
    total.idle_ps = saturating_add(total.idle_ps, step.underfeed_ps());
    total.not_recorded_ps = saturating_add(total.not_recorded_ps, step.breakdown.not_recorded_ps);
    total.longest_ps = std::max({total.longest_ps, step.prelaunch_ps, step.largest_internal_ps, step.tail_ps});
  }
  if (total.service_ps <= 0) return std::nullopt;
  total.marked = has_only_marked_steps(found);
  if (found.idlest_group >= 0 && found.significant)
    total.pattern = found.groups[static_cast<std::size_t>(found.idlest_group)].pattern;
  for (const time_row& row : found.time)
    if (row.device < 0 && row.in_steps) total.time.push_back(row);
  if (std::any_of(total.time.begin(), total.time.end(), [](const time_row& row) { return row.use != time_use::idle && row.cause; }))
    total.rank_waited_for = rank_waited_for(*parts.bubbles, parts.nodes);
  return total;
}

std::optional<memory_total> memory_of(const report_parts& parts) {
  if (!parts.memory) return std::nullopt;
  const memory_result& found = *parts.memory;
  memory_total total;
  if (found.hlo && found.hlo->static_peak_bytes > 0) {
    total.module = found.modules[found.hlo->module].name;
    total.needed_bytes = found.hlo->static_peak_bytes;
    total.space = memory_space_name(found.hlo->color, found.modules[found.hlo->module].home);
  }
  const bool has_module = total.needed_bytes > 0;
  const bool has_allocator = found.runtime && found.runtime->allocator;
  if (has_allocator) {
    const allocator_memory& a = found.allocators[*found.runtime->allocator];
    total.device = a.device.empty() ? a.name : std::string(short_plane_name(a.device));
    total.held_bytes = a.occupancy_peak_bytes;
    total.capacity_bytes = a.capacity_bytes;
  }
  if (!has_module && !has_allocator) return std::nullopt;
  for (const memory_invariant& i : found.invariants)
    if (i.id == "C1" && i.holds) total.agree = *i.holds;
  return total;
}

}  // namespace report
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
