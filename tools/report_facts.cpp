#include "report_facts.hpp"

#include "places.hpp"
#include "quantity.hpp"
#include "stat_text.hpp"
#include "text.hpp"

#include <profkit/core/side_by_side.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace profkit_tool {

using profkit::anatomy_options;
using profkit::escape_for_terminal;
using profkit::file_family;
using profkit::file_info;
using profkit::grouped;
using profkit::human_duration;
using profkit::ops_line;
using profkit::plane_info;
using profkit::plane_kind;
using profkit::result;

namespace {

// A sum that stays at the end of int64.
std::int64_t add(std::int64_t a, std::int64_t b) noexcept {
  using limit = std::numeric_limits<std::int64_t>;
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? limit::min() : limit::max()) : sum;
}

template <class T>
result<void> take(result<T> from, T& into) {
  if (!from) return std::move(from).error();
  into = std::move(from).value();
  return {};
}

bool has_family(const profkit::capture& found, file_family family) {
  return std::any_of(found.files.begin(), found.files.end(),
                     [&](const auto& file) { return file.family == family && file.export_of < 0; });
}

bool ends_with(std::string_view text, std::string_view end) noexcept {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string text_of(const std::vector<profkit::named_stat>& stats, std::string_view name) {
  const profkit::named_stat* stat = find_stat(stats, name);
  return stat == nullptr ? std::string() : stat_value_text(*stat, 40);
}

// "TPU v6 Lite, 918 TFLOP/s, 1.64 TB/s", as far as the plane says.
std::string device_model(const plane_info& plane) {
  std::string text = text_of(plane.stats, "device_type_string");
  const double tera_flops = stat_number(find_stat(plane.stats, "peak_teraflops_per_second"));
  const double giga_bytes = stat_number(find_stat(plane.stats, "peak_hbm_bw_gigabytes_per_second"));
  const double bandwidth = stat_number(find_stat(plane.stats, "memory_bandwidth"));
  const double memory = stat_number(find_stat(plane.stats, "memory_size"));
  const std::string vendor = text_of(plane.stats, "device_vendor");
  const std::string cores = text_of(plane.stats, "core_count");
  const std::string major = text_of(plane.stats, "compute_cap_major");
  const auto more = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (text.empty() && plane.name.find("GPU") != std::string_view::npos) more(vendor.empty() ? "GPU" : vendor + " GPU");
  if (!major.empty() && vendor != "AMD")
    more("compute capability " + major + '.' + text_of(plane.stats, "compute_cap_minor"));
  if (!cores.empty()) more(cores + (vendor == "AMD" ? " CUs" : " SMs"));
  if (memory > 0) more(profkit::human_bytes(static_cast<std::uint64_t>(memory)));
  if (tera_flops > 0) more(profkit::si_text(tera_flops * 1e12) + "FLOP/s");
  if (giga_bytes > 0) more(profkit::si_text(giga_bytes * 1e9) + "B/s");
  if (bandwidth > 0) more(profkit::si_text(bandwidth) + "B/s");
  return text;
}

std::uint64_t events_of(const plane_info& plane) noexcept {
  std::uint64_t events = 0;
  for (const profkit::line_info& line : plane.lines) events += line.events;
  return events;
}

}  // namespace

std::int64_t report_facts::busy_ps() const noexcept {
  std::int64_t busy = 0;
  for (const ops_line& line : ops.lines) busy = add(busy, line.busy_ps);
  return busy;
}

const ops_line* report_facts::busiest_line() const noexcept {
  const auto busiest = std::max_element(ops.lines.begin(), ops.lines.end(),
                                        [](const ops_line& a, const ops_line& b) { return a.busy_ps < b.busy_ps; });
  return busiest == ops.lines.end() ? nullptr : &*busiest;
}

namespace {

// Ops, and what else is read of the lines of devices.
result<void> gather_devices(const profkit::trace& trace, const anatomy_options& o, const profkit::hooks& hooks,
                            report_facts& f, std::vector<profkit::file_damage>& lost_steps) {
  if (auto r = take(profkit::anatomy_ops(trace, o, hooks), f.ops); !r) return r;
  if (has_family(trace.files().what(), file_family::xspace)) {
    anatomy_options runs = o;
    runs.line = "XLA Modules";
    if (auto r = take(profkit::anatomy_ops(trace, runs, hooks), f.module_runs); !r) return r;
  }
  auto steps = profkit::anatomy_steps(trace, o, hooks);
  if (!steps) return std::move(steps).error();
  f.steps = group_steps(steps->steps);
  f.step_texts = std::move(steps->steps);
  lost_steps = std::move(steps->damage);
  if (auto r = take(profkit::anatomy_collectives(trace, f.ops, o, hooks), f.collectives); !r) return r;
  if (trace.has_traces())
    if (auto r = take(trace.all_activity(hooks), f.traces); !r) return r;
  return take(profkit::anatomy_modules(trace.files(), o, hooks), f.modules);
}

result<void> gather_memory(const profkit::profile& capture, const anatomy_options& o, const profkit::hooks& hooks,
                           report_facts& f) {
  if (!profkit::memory_keeps_to(o)) return {};
  profkit::memory_options of_memory;
  of_memory.host = o.host;
  of_memory.name = o.name;
  return take(profkit::analyse_memory(capture, of_memory, hooks), f.memory);
}

result<void> gather_bubbles(const profkit::trace& trace, const anatomy_options& o, const profkit::hooks& hooks,
                            report_facts& f) {
  if (!profkit::bubbles_keep_to(o)) return {};
  profkit::bubble_options of_bubbles;
  of_bubbles.device = o.plane;
  auto bubbles = profkit::analyse_bubbles(trace, of_bubbles, hooks);
  if (!bubbles) return std::move(bubbles).error();
  f.bubbles = std::move(bubbles->found);
  f.activity = std::move(bubbles->of);
  return take(profkit::model_summary(*f.activity, hooks), f.model);
}

}  // namespace

result<report_facts> gather_facts(session& s) {
  report_facts f;
  const profkit::profile& capture = s.capture();
  const anatomy_options all = s.filters(0);
  anatomy_options unlimited = all;
  unlimited.limit = 0;
  std::vector<profkit::file_damage> lost_steps;
  using profkit::hooks;
  enum piece : std::size_t { bubbles, info, memory, devices, nodes };  // the longest first
  auto outcomes = profkit::side_by_side(
      s.hooks(), {[&](const hooks& h) { return gather_bubbles(s.trace(), all, h, f); },
                  [&](const hooks& h) { return take(profkit::anatomy_info(s.trace(), unlimited, h), f.info); },
                  [&](const hooks& h) { return gather_memory(capture, all, h, f); },
                  [&](const hooks& h) { return gather_devices(s.trace(), unlimited, h, f, lost_steps); },
                  [&](const hooks& h) { return take(profkit::compare_nodes(capture, all, h), f.nodes); }});
  for (const piece p : {info, devices, memory, nodes, bubbles})
    if (!outcomes[p]) return std::move(outcomes[p]).error();
  for (const file_info& file : f.info.files) {
    if (file.damage) s.lost({{file.file, *file.damage}});
    if (file.export_of >= 0 || !file.first_ps || !file.last_ps) continue;
    f.first_ps = f.first_ps ? std::min(*f.first_ps, *file.first_ps) : *file.first_ps;
    f.last_ps = f.last_ps ? std::max(*f.last_ps, *file.last_ps) : *file.last_ps;
  }
  s.lost(f.ops.damage);
  s.lost(lost_steps);
  s.lost(f.modules.damage);
  s.lost(f.collectives.damage);
  s.lost(f.memory.damage);
  return f;
}

std::vector<std::string> hardware_of(const report_facts& f) {
  std::vector<std::pair<std::string, std::pair<std::uint64_t, std::uint64_t>>> models;  // devices, those with events
  for (const file_info& file : f.info.files)
    for (const plane_info& plane : file.planes) {
      if (plane.kind != plane_kind::device || profkit::device_ordinal(plane.name) < 0) continue;
      if (file.family != file_family::xspace) continue;
      std::string model = device_model(plane);
      if (model.empty()) model = short_plane_name(plane.name.substr(0, plane.name.rfind(':')));
      // Parts of a chip (SparseCores) have planes of their own and carry the chip's number.
      if (plane.name.find("SparseCore") != std::string_view::npos) continue;
      auto known = std::find_if(models.begin(), models.end(), [&](const auto& m) { return m.first == model; });
      if (known == models.end()) known = models.insert(models.end(), {model, {0, 0}});
      ++known->second.first;
      if (events_of(plane) > 0) ++known->second.second;
    }
  std::vector<std::string> lines;
  for (const auto& [model, counts] : models) {
    std::string text = (counts.first > 1 ? grouped(counts.first) + " × " : std::string()) + model;
    if (counts.second == 0)
      text += "; no events";
    else if (counts.second < counts.first)
      text += "; events on " + grouped(counts.second) + " of them";
    lines.push_back(std::move(text));
  }
  if (f.traces == nullptr) return lines;
  std::map<std::string, std::uint64_t> named;  // machines of one run have the same: the most that one of them tells
  for (const profkit::activity_host& host : f.traces->hosts()) {
    std::map<std::string, std::uint64_t> own;
    for (const std::string& model : host.devices) ++own[model];
    for (const auto& [model, count] : own) named[model] = std::max(named[model], count);
  }
  for (const auto& [model, count] : named)
    lines.push_back((count > 1 ? grouped(count) + " × " : std::string()) + escape_for_terminal(model));
  return lines;
}

std::vector<busy_device> busy_devices(const profkit::profile& capture, const report_facts& f) {
  std::vector<busy_device> found;
  for (std::size_t d = 0; d < f.bubbles.devices.size(); ++d) {
    const profkit::activity_device& device = f.activity->devices()[d];
    const profkit::device_gaps& gaps = f.bubbles.devices[d];
    if (capture.xspace(device.file) != nullptr || gaps.kernels == 0) continue;
    found.push_back({device.file, escape_for_terminal(f.activity->text(device.name)), gaps.kernels, gaps.busy_ps});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const busy_device& a, const busy_device& b) { return a.busy_ps > b.busy_ps; });
  return found;
}

std::vector<std::string> ranks_of(const report_facts& f) {
  std::vector<std::string> ranks;
  if (f.traces == nullptr) return ranks;
  for (const profkit::activity_host& host : f.traces->hosts())
    if (host.rank >= 0 && host.world_size > 0)
      ranks.push_back("rank " + std::to_string(host.rank) + " of " + std::to_string(host.world_size) +
                      (host.backend.empty() ? "" : " (" + escape_for_terminal(host.backend) + ')'));
  return ranks;
}

std::string software_of(const report_facts& f) {
  std::set<std::string> versions;
  for (const file_info& file : f.info.files)
    for (const plane_info& plane : file.planes) {
      const std::string jax = text_of(plane.stats, "jax_version"), jaxlib = text_of(plane.stats, "jaxlib_version");
      if (!jax.empty()) versions.insert("JAX " + jax + (jaxlib.empty() || jaxlib == jax ? "" : ", jaxlib " + jaxlib));
    }
  if (f.traces != nullptr)
    for (const profkit::activity_host& host : f.traces->hosts())
      if (!host.recorder.empty()) versions.insert(host.recorder);
  std::string text;
  for (const std::string& version : versions) text += (text.empty() ? "" : "; ") + version;
  return text;
}

std::string hosts_of(const profkit::capture& found, const report_facts& f) {
  std::set<std::string> hosts;
  for (const file_info& file : f.info.files)
    for (const std::string& host : file.hosts) {
      if (file.family != file_family::xspace) continue;  // names of traces tell ranks and dates rather than hosts
      // A single file may have been renamed: what its name says is told as such.
      const bool from_name = found.files[file.file].run.empty() && host == found.files[file.file].host;
      hosts.insert(escape_for_terminal(host) + (from_name ? " (from the file name)" : ""));
    }
  std::string text;
  constexpr std::size_t most = 4;
  std::size_t shown = 0;
  for (const std::string& host : hosts) {
    if (shown++ == most) break;
    text += (text.empty() ? "" : ", ") + host;
  }
  return hosts.size() > most ? text + ", … (" + grouped(std::uint64_t{hosts.size()}) + " in all)" : text;
}

op_totals busiest_ops(const profkit::profile& capture, const report_facts& f, std::size_t most) {
  struct entry {
    op_total sums;
    const ops_line* line = nullptr;
    profkit::op_row op;
  };
  const profkit::op_programs programs(capture);
  std::map<std::tuple<std::string_view, std::int64_t, std::string>, entry> by_name;  // the id where there is no name
  for (const ops_line& line : f.ops.lines)
    for (const profkit::op_row op : line.ops) {
      const bool nameless = op.has_metadata_id && op.entry.data() == nullptr;
      entry& e = by_name[{nameless ? std::string_view() : op.name, nameless ? op.metadata_id : 0,
                          programs.name_of(line, op)}];
      if (e.line == nullptr) e.line = &line, e.op = op;
      e.sums.count += op.count;
      e.sums.total_ps = add(e.sums.total_ps, op.total_ps);
      e.sums.self_ps = add(e.sums.self_ps, op.self_ps);
    }
  op_totals found;
  found.names = by_name.size();
  std::vector<entry> all;
  for (auto& [name, e] : by_name) all.push_back(std::move(e));
  std::stable_sort(all.begin(), all.end(), [](const entry& a, const entry& b) {
    return std::pair(a.sums.self_ps, a.sums.total_ps) > std::pair(b.sums.self_ps, b.sums.total_ps);
  });
  for (entry& e : all) {
    e.sums.facts = facts_of(capture, programs, *e.line, e.op);
    if (ends_with(e.sums.facts.category, "-done")) found.waiting_ps = add(found.waiting_ps, e.sums.self_ps);
    if (found.top.size() < most) found.top.push_back(std::move(e.sums));
  }
  return found;
}

std::vector<module_total> total_modules(const report_facts& f) {
  std::map<std::string_view, module_total> by_name;
  for (const profkit::module_row& m : f.modules.modules) {
    module_total& total = by_name[m.name];
    if (total.name.empty()) total = {escape_for_terminal(m.name), 0, m.bytes, m.instructions, 0, 0};
  }
  for (const ops_line& line : f.module_runs.lines)
    for (const profkit::op_row run : line.ops) {
      const std::string_view name = run.name;
      module_total& total = by_name[name];
      if (total.name.empty()) total.name = short_op_name(name, {});
      total.runs += run.count;
      total.total_ps = add(total.total_ps, run.total_ps);
      total.max_ps = std::max(total.max_ps, run.max_ps);
    }
  std::vector<module_total> all;
  for (auto& [name, total] : by_name) all.push_back(std::move(total));
  std::stable_sort(all.begin(), all.end(), [](const module_total& a, const module_total& b) {
    return std::pair(a.total_ps, a.bytes) > std::pair(b.total_ps, b.bytes);
  });
  return all;
}

std::vector<std::string> nodes_of(const report_facts& f) {
  std::vector<std::string> sentences;
  if (!f.nodes.validation) return sentences;
  const profkit::validation_result& v = *f.nodes.validation;
  if (!v.absent.empty()) {
    if (v.unjudged > 0) sentences.push_back("collectives across nodes: " + v.absent);
    return sentences;
  }
  std::string text = count_of(v.groups.size(), "collective") + " compared across " + count_of(v.nodes.size(), "node") +
                     ": " + count_of(v.violations, "violation");
  if (v.bounds_known)
    text += " beyond the error of the clocks (" + grouped(v.violations_raw) + " without regard to it)";
  else if (v.violations > 0)
    text += ", which may be skew: the clocks were not corrected";
  if (std::any_of(v.ops.begin(), v.ops.end(), [](const profkit::collective_op& op) { return op.sub_groups; }))
    text += "; " + grouped(v.unjudged) + " not judged, most of them in sub-groups of the nodes";
  sentences.push_back(std::move(text));
  const profkit::collective_op* worst = nullptr;
  for (const profkit::collective_op& op : v.ops)
    if (op.groups > 0 && (worst == nullptr || op.mean_skew_ps > worst->mean_skew_ps)) worst = &op;
  if (worst != nullptr && v.bounds_known && worst->latest_node >= 0)
    sentences.push_back(escape_for_terminal(worst->name) + ": node " +
                        std::to_string(v.nodes[static_cast<std::size_t>(worst->latest_node)].id) + " came last " +
                        grouped(worst->latest_count) + " of " + grouped(worst->groups) + " times; arrivals lie " +
                        human_duration(worst->mean_skew_ps) + " apart");
  const std::optional<profkit::alignment_result>& alignment = f.nodes.alignment;
  if (alignment && alignment->absent.empty()) {
    std::int64_t least = 0, most = 0;
    std::uint64_t reached = 0, zero = 0;
    for (const profkit::aligned_node& node : alignment->nodes) {
      if (!node.reached || !node.to_reference.feasible) continue;
      ++reached;
      zero += node.contains_zero ? 1 : 0;
      least = std::min(least, static_cast<std::int64_t>(node.offset_ps));
      most = std::max(most, static_cast<std::int64_t>(node.offset_ps));
    }
    if (reached > 1 && zero == reached)
      sentences.push_back("clocks: the collectives fit one clock for all nodes");
    else if (reached > 1)
      sentences.push_back("clocks: by the ends of collectives " + human_duration(most - least) +
                          " apart; `profkit merge` corrects them, `profkit validate --align=collectives` bounds them");
  }
  return sentences;
}

std::vector<collective_total> total_collectives(const report_facts& f) {
  std::map<std::pair<bool, std::string>, collective_total> by_kind;
  const auto count_in = [&](bool blocking, std::string kind, std::uint64_t count, std::int64_t total_ps,
                            std::int64_t max_ps) -> collective_total& {
    collective_total& t = by_kind[{blocking, kind}];
    t.kind = std::move(kind);
    t.blocking = blocking;
    t.count += count;
    t.total_ps = add(t.total_ps, total_ps);
    t.max_ps = std::max(t.max_ps, max_ps);
    return t;
  };
  for (const profkit::collective_op_row& op : f.collectives.ops) {
    collective_total& t =
        count_in(true, op.category.empty() ? short_op_name(op.name, {}) : escape_for_terminal(op.category), op.count,
                 op.total_ps, op.max_ps);
    // What other streams compute meanwhile is not looked at here.
    if (!op.on_stream) t.exposed_ps = add(t.exposed_ps.value_or(0), op.total_ps);
  }
  for (const profkit::async_row& row : f.collectives.async) {
    collective_total& t = count_in(false, row.category.empty() ? "other" : escape_for_terminal(row.category), 1,
                                   row.duration_ps, row.duration_ps);
    if (row.exposed_stall_ps) t.exposed_ps = add(t.exposed_ps.value_or(0), *row.exposed_stall_ps);
  }
  std::vector<collective_total> all;
  for (auto& [key, total] : by_kind) all.push_back(std::move(total));
  std::stable_sort(all.begin(), all.end(), [](const collective_total& a, const collective_total& b) {
    return std::pair(a.blocking, a.total_ps) > std::pair(b.blocking, b.total_ps);
  });
  return all;
}

std::vector<std::string> notes_of(const profkit::profile& capture, const report_facts& f, const op_totals& ops) {
  std::vector<std::string> all;
  // Damage and incompleteness stand at the top of the report already.
  for (const profkit::finding& found : profkit::anatomy_findings(capture, f.info, f.modules, f.collectives, {}))
    if (found.id.rfind("damage.", 0) != 0 && found.id.rfind("incomplete.", 0) != 0)
      all.push_back(escape_for_terminal(found.what));
  for (const profkit::finding& found : f.memory.findings)
    if (found.recoverable_bytes || found.id == "memory.module_differs")
      all.push_back(escape_for_terminal((found.where.empty() ? "" : found.where + ": ") + found.what) + '.');
  for (const profkit::finding& found : f.bubbles.findings)
    if (found.sure != profkit::certainty::fact) all.push_back(escape_for_terminal(found.what + "; " + found.where));
  for (const file_info& file : f.info.files)
    for (const std::string& text : file.warnings) all.push_back("The recorder warns: " + escape_for_terminal(text));
  const std::int64_t span = f.span_ps(), busy = f.busy_ps();
  if (busy > 0 && ops.waiting_ps > busy / 5)
    all.push_back(share_text(ops.waiting_ps, busy) +
                  " of the busy time is spent in *-done ops: the device waits for "
                  "copies or collectives that were started before.");
  const ops_line* busiest = f.busiest_line();
  if (span > 0 && busiest != nullptr && busiest->busy_ps < span / 10)
    all.push_back("Even the busiest line ran ops for only " + share_text(busiest->busy_ps, span) +
                  " of the span: the rest is host work, waiting, or not recorded.");
  for (const step_group& g : f.steps)
    if (g.first.source != profkit::step_source::xla_modules && g.times.count > 2 &&
        g.times.max_ps / 2 > g.times.median_ps) {
      all.push_back("Step " + grouped(std::uint64_t{g.longest}) + " of " +
                    step_place(g.first) + " took " +
                    human_duration(g.times.max_ps) + ", more than twice the median.");
      break;
    }
  return all;
}

std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_@%+=:,./-") == std::string::npos;
  if (plain && text.front() != '-') return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + '\'';
}

std::string memory_of(const report_facts& f) {
  const auto bytes = [](std::int64_t n) { return profkit::human_bytes(n > 0 ? static_cast<std::uint64_t>(n) : 0); };
  std::string text;
  if (f.memory.hlo && f.memory.hlo->static_peak_bytes > 0) {
    const profkit::module_memory& m = f.memory.modules[f.memory.hlo->module];
    text = escape_for_terminal(m.name) + " needs " + bytes(f.memory.hlo->static_peak_bytes);
    const std::string space = profkit::memory_space_name(f.memory.hlo->color);
    if (!space.empty() && f.memory.runtime) text += " of " + space;
  }
  if (f.memory.runtime && f.memory.runtime->allocator) {
    const profkit::allocator_memory& a = f.memory.allocators[*f.memory.runtime->allocator];
    text += (text.empty() ? "" : "; ") + escape_for_terminal(a.device.empty() ? a.name : short_plane_name(a.device)) +
            " held up to " + bytes(a.occupancy_peak_bytes);
    if (a.capacity_bytes > 0) text += " of " + bytes(a.capacity_bytes);
  }
  for (const profkit::memory_invariant& i : f.memory.invariants)
    if (i.id == "C1" && i.holds) text += *i.holds ? "; the two agree" : "; the two differ";
  return text;
}

std::string idle_of(const report_facts& f) {
  if (f.bubbles.steps.empty()) return "";
  std::int64_t service = 0, idle = 0, longest = 0;
  for (const profkit::bubble_step& step : f.bubbles.steps) {
    service = add(service, step.service_ps());
    idle = add(idle, step.underfeed_ps());
    longest = std::max({longest, step.prelaunch_ps, step.largest_internal_ps, step.tail_ps});
  }
  if (service <= 0) return "";
  std::string text =
      "devices wait " + share_text(idle, service) + " of their steps, at most " + human_duration(longest) + " at once";
  if (f.bubbles.idlest_group >= 0 && f.bubbles.significant) {
    const auto& g = f.bubbles.groups[static_cast<std::size_t>(f.bubbles.idlest_group)];
    if (g.pattern != profkit::idle_pattern::none)
      text += std::string("; mostly ") + (g.pattern == profkit::idle_pattern::internal_bubble ? "inside steps"
                                          : g.pattern == profkit::idle_pattern::prelaunch  ? "before the first kernel"
                                          : g.pattern == profkit::idle_pattern::tail       ? "after the last kernel"
                                          : g.pattern == profkit::idle_pattern::inter_step ? "between steps"
                                                                                           : "in several places");
  }
  return text;
}

std::vector<next_command> next_commands(const profkit::profile& capture, const report_facts& f,
                                        const std::vector<module_total>& modules) {
  const auto on_plane = [](std::string_view plane) {
    return profkit::classify_plane(plane) == profkit::plane_kind::device
               ? " --plane " + shell_word(short_plane_name(plane))
               : std::string();
  };
  std::vector<next_command> all;
  if (const ops_line* busiest = f.busiest_line(); busiest != nullptr)
    all.push_back({"ops PATH --sort self" + (f.ops.lines.size() > 1 ? on_plane(busiest->plane_name) : ""),
                   "every op by self time"});
  if (!modules.empty() && modules.front().runs == 0)
    all.push_back({"modules PATH", "every program"});
  else if (!modules.empty() && modules.front().instructions > 0)
    all.push_back({"modules PATH --dump " + shell_word(modules.front().name.substr(0, modules.front().name.find('('))),
                   "the program behind it"});
  const auto widest = std::max_element(f.steps.begin(), f.steps.end(), [](const step_group& a, const step_group& b) {
    return a.times.max_ps - a.times.median_ps < b.times.max_ps - b.times.median_ps;
  });
  // Kernels of a GPU run later than the host's step that launched them.
  const auto is_of_trace = [](profkit::step_source s) {
    return s == profkit::step_source::profiler_step || s == profkit::step_source::annotation;
  };
  if (widest != f.steps.end() && widest->times.count > 1 && !is_of_trace(widest->first.source))
    all.push_back({"ops PATH --step " + std::to_string(widest->longest) +
                       on_plane(widest->first.plane_name),
                   "the longest step alone"});
  if (!f.collectives.ops.empty() || !f.collectives.async.empty())
    all.push_back({"collectives PATH", "what devices wait for each other"});
  if (f.bubbles.significant) all.push_back({"bubbles PATH", "where devices wait, and what may be the cause"});
  if (!f.model.empty()) all.push_back({"architecture PATH", "layers, passes and streams of the model"});
  if (f.memory.hlo || f.memory.runtime)
    all.push_back({"memory PATH", "what fills the memory, and what could leave it"});
  if (has_family(capture.what(), file_family::chrome_trace)) all.push_back({"chrome PATH", "processes, threads, phases, samples"});
  if (all.empty()) all.push_back({"info PATH", "every plane and line"});
  all.push_back({"report PATH --json", "all of this and more, for programs"});
  return all;
}

}  // namespace profkit_tool
