#include <profkit/core/anatomy.hpp>
#include <profkit/core/report.hpp>

#include <analyse/questions.hpp>
#include <trace/filters/select.hpp>
#include <analyse/report/parts.hpp>
#include <base/affix.hpp>
#include <base/contained.hpp>
#include <profkit/core/activity.hpp>
#include <profkit/core/architecture.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/op_groups.hpp>
#include <profkit/core/side_by_side.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace report {
namespace {

template <class T>
result<void> take(result<T> from, T& into) {
  if (!from) return std::move(from).error();
  into = std::move(from).value();
  return {};
}

query_filters with_limit(query_filters o, std::uint64_t limit) {
  o.limit = limit;
  return o;
}

result<void> run_bubbles(const trace& t, const report_options& o, const hooks& host, report_parts& parts) {
  parts.asked_of_bubbles = bubble_options_of(o.filters);
  if (!bubbles_keep_to(o.filters)) return {};
  if (auto r = take(analyse_bubbles(t, parts.asked_of_bubbles, host), parts.bubbles.emplace()); !r) return r;
  return take(find_model(*parts.bubbles->of, profile_label(t.files().what().path), host), parts.model);
}

result<void> run_memory(const trace& t, const report_options& o, const hooks& host, report_parts& parts) {
  parts.asked_of_memory.host = o.filters.host;
  parts.asked_of_memory.name = o.filters.name;
  parts.asked_of_memory.top = o.memory_rows;
  parts.asked_of_memory.curve_points = o.curve_points;
  if (!memory_keeps_to(o.filters)) return {};
  return take(analyse_memory(t, parts.asked_of_memory, host), parts.memory.emplace());
}

// What one scan of the lines answers, and what is made of that.
result<void> run_lines(const trace& t, const report_options& o, const hooks& host, report_parts& parts) {
  const query_filters all = with_limit(o.filters, 0);
  std::vector<std::unique_ptr<line_question>> questions;
  questions.push_back(info_question(t, all, host, parts.info));
  if (o.samples)
    questions.push_back(framework_question(t, with_limit(o.filters, o.framework_events), host, parts.framework));
  questions.push_back(ops_question(t, all, host, parts.ops));
  if (t.files().is_any_xspace()) {
    query_filters runs = all;
    runs.line = "XLA Modules";
    questions.push_back(ops_question(t, runs, host, parts.module_runs));
    questions.push_back(program_runs_question(t, all, host, parts.host_runs));
  }
  std::vector<line_question*> asked;
  for (const auto& question : questions) asked.push_back(question.get());
  if (auto r = run_questions(t.files(), asked, host); !r) return r;
  if (auto r = take(analyse_steps(t, all, host), parts.steps); !r) return r;
  if (auto r = take(analyse_collectives(t, parts.ops, all, host), parts.collectives); !r) return r;
  if (t.has_traces())
    if (auto r = take(t.all_activity(host), parts.traces); !r) return r;
  return take(analyse_modules(t, all, host), parts.modules);
}

result<void> find_work(const trace& t, const report_options& o, const hooks& host, report_parts& parts) {
  if (!has_work(parts)) return {};
  const std::vector<group_key> by{group_key::kernel};
  // Ops of GPUs are counted once more, apart by the instructions that they come from.
  result<op_groups> groups =
      parts.ops.source == "XLA Ops" ? group_ops(t, parts.ops, by) : analyse_op_groups(t, by, with_limit(o.filters, 0), host);
  if (!groups) return std::move(groups).error();
  parts.work = std::move(*groups);
  return {};
}

result<report_parts> run_all(const trace& t, const report_options& o, const hooks& host) {
  report_parts parts;
  enum piece : std::size_t { bubbles, lines, memory, nodes };  // the longest first
  const auto outcomes = side_by_side(
      host,
      {[&](const hooks& h) { return run_bubbles(t, o, h, parts); },
       [&](const hooks& h) { return run_lines(t, o, h, parts); },
       [&](const hooks& h) { return run_memory(t, o, h, parts); },
       [&](const hooks& h) { return take(compare_nodes(t, o.filters, h), parts.nodes); }});
  for (const piece at : {lines, memory, nodes, bubbles})
    if (!outcomes[at]) return outcomes[at].error();
  if (auto r = find_work(t, o, host, parts); !r) return r.error();
  return parts;
}

// The steps of a host, in the time of each device: what they launched there.
void add_device_steps(const report_parts& parts, std::vector<step_group>& into) {
  if (!parts.bubbles) return;
  const bubbles_result& found = parts.bubbles->found;
  const auto is_added = [&](std::string_view source) {
    return source == "launches" || source == "device annotations" || source == "mixed";
  };
  std::vector<std::vector<std::int64_t>> durations_ps(found.devices.size());
  std::vector<step_group> groups(found.devices.size());
  for (const bubble_step step : found.steps) {
    if (step.pseudo || !step.tail_known || !is_added(found.devices[step.device].window_source)) continue;
    std::vector<std::int64_t>& of_device = durations_ps[step.device];
    step_group& group = groups[step.device];
    if (of_device.empty()) {
      const activity& of = *parts.bubbles->of;
      const activity_device& device = of.devices()[step.device];
      group.first.file = device.file;
      group.first.plane = device.streams.empty() || device.plane >= 0 ? device.plane : device.streams.front().plane;
      group.first.line = -1;
      group.first.device = static_cast<std::int32_t>(step.device);
      group.first.plane_name = of.text(device.name);
      const bool annotated = std::string_view(found.devices[step.device].window_source) == "device annotations";
      group.first.source = annotated ? step_source::device_annotation : step_source::launches;
      group.first.start_ps = step.start_ps;
      group.first.duration_ps = step.service_ps();
    }
    if (!of_device.empty() && step.service_ps() > of_device[group.longest]) group.longest = of_device.size();
    of_device.push_back(step.service_ps());
  }
  for (std::size_t device = 0; device < groups.size(); ++device) {
    if (durations_ps[device].empty()) continue;
    const auto is_same = [&](const step_group& g) {
      return g.first.file == groups[device].first.file && g.first.plane_name == groups[device].first.plane_name;
    };
    if (std::any_of(into.begin(), into.end(), is_same)) continue;
    groups[device].course_ps = course_of(durations_ps[device]);
    groups[device].times = statistics_of(std::move(durations_ps[device]));
    into.push_back(groups[device]);
  }
}

// Everything that was found, in the order of the parts.
std::vector<finding> findings_of(const profile& p, const report_parts& parts) {
  std::vector<finding> all = analyse_findings(p, parts.info, parts.modules, parts.collectives);
  if (parts.memory) all.insert(all.end(), parts.memory->findings.begin(), parts.memory->findings.end());
  if (parts.bubbles) {
    const std::vector<finding>& idle = parts.bubbles->found.findings;
    all.insert(all.end(), idle.begin(), idle.end());
  }
  return all;
}

// The most useful first: what is sure, then what could be won back. Of what is about idle time the leading cause stands first.
void sort_findings(std::vector<finding>& all, const std::optional<leading_cause>& leading) {
  const auto won = [](const finding& f) { return std::max(f.recoverable_ps.value_or(0), std::int64_t{0}); };
  std::stable_sort(all.begin(), all.end(), [&](const finding& a, const finding& b) {
    return a.sure != b.sure ? a.sure > b.sure : won(a) > won(b);
  });
  if (!leading) return;
  const std::string id = std::string("bubbles.cause.") + idle_cause_name(leading->cause);
  const auto at = std::find_if(all.begin(), all.end(), [&](const finding& f) { return f.id == id; });
  const auto first = std::find_if(all.begin(), at, [](const finding& f) { return starts_with(f.id, "bubbles."); });
  if (at != all.end()) std::rotate(first, at, at + 1);
}

report_summary sum_up(const trace& t, const report_options& o, const selection::extent& times,
                      const report_parts& parts, const std::vector<finding>& findings) {
  const profile& p = t.files();
  report_summary s;
  s.devices = devices_of(parts);
  s.software = software_of(parts);
  s.hosts = hosts_of(p.what(), parts);
  s.ranks = ranks_of(parts);
  for (const file_info& file : parts.info.files) {
    if (file.export_of >= 0 || !file.first_ps || !file.last_ps) continue;
    s.first_ps = s.first_ps ? std::min(*s.first_ps, *file.first_ps) : *file.first_ps;
    s.last_ps = s.last_ps ? std::max(*s.last_ps, *file.last_ps) : *file.last_ps;
  }
  if (s.first_ps && s.last_ps) {
    s.first_ps = std::min(std::max(*s.first_ps, times.from_ps), *s.last_ps);
    s.last_ps = std::max(std::min(*s.last_ps, times.to_ps), *s.first_ps);
  }
  for (const ops_line& line : parts.ops.lines) s.busy_ps = saturating_add(s.busy_ps, line.busy_ps);
  s.busy_devices = busy_devices_of(p, parts);
  s.busy_lines = busy_lines_of(p, parts, !s.busy_devices.empty());
  op_sums ops = busiest_ops(p, parts, o.busiest_ops);
  s.ops = std::move(ops.top);
  s.op_names = ops.names;
  s.op_lines = parts.ops.lines.size();
  s.modules = total_modules(p, parts);
  s.run_ids = names_runs(p);
  s.steps = group_steps(parts.steps.steps);
  add_device_steps(parts, s.steps);
  s.collectives = total_collectives(parts);
  s.idle = idle_of(parts);
  s.costliest = costliest_of(s);
  if (parts.work && parts.work->roof.attainable_ps > 0) s.roofline = op_bounds{parts.work->roof, parts.work->self_ps};
  s.memory = memory_of(parts);
  s.across_nodes = sentences_across_nodes(parts);
  s.notes = notes_of(parts, s, findings, ops.waiting_ps, o.filters);
  s.next = next_commands(parts, s, findings);
  s.verdict = verdict_of(parts, s);
  return s;
}

// Damage of all parts, one a file.
std::vector<file_damage> damage_of(const report_parts& parts) {
  std::vector<file_damage> all;
  const auto add = [&](const std::vector<file_damage>& some) {
    for (const file_damage& d : some) add_damage(all, d.file, d.what);
  };
  for (const file_info& file : parts.info.files)
    if (file.damage) add_damage(all, file.file, *file.damage);
  add(parts.steps.damage);
  add(parts.ops.damage);
  add(parts.modules.damage);
  add(parts.framework.damage);
  add(parts.collectives.damage);
  if (parts.memory) add(parts.memory->damage);
  if (parts.bubbles) {
    for (const activity_input& in : parts.bubbles->of->inputs())
      if (in.damage) add_damage(all, in.file, *in.damage);
    add(parts.bubbles->found.damage);
  }
  std::stable_sort(all.begin(), all.end(), [](const file_damage& a, const file_damage& b) { return a.file < b.file; });
  return all;
}

}  // namespace
}  // namespace report

result<report_result> analyse_report(const trace& t, const report_options& o, const hooks& host) {
  return contained([&]() -> result<report_result> {
    auto parts = report::run_all(t, o, host);
    if (!parts) return std::move(parts).error();
    report_result found;
    found.parts = std::move(*parts);
    found.findings = report::findings_of(t.files(), found.parts);
    auto selected = selection::make(t, o.filters, host);
    if (!selected) return std::move(selected).error();
    found.summary = report::sum_up(t, o, selected->times(), found.parts, found.findings);
    report::sort_findings(found.findings, found.parts.bubbles ? find_leading_cause(found.parts.bubbles->found.time) : std::nullopt);
    found.damage = report::damage_of(found.parts);
    return found;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
